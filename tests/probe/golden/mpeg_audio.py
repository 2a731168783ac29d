"""MPEG audio: the headers that state a length, frames alone, junk around them, and very few of them."""

import random
import struct

from probe_media import APE, audio, frame, id3, id3v1, picture, sample

from golden import Case

TITLE = id3(frame("TIT2", b"\0Tone"))
ONE = (b"\xff\xfb\x90\xc4" + bytes(417))[:417]
"""A silent frame of 128 kbit/s and 44.1 kHz."""


def frames(kilobits, count):
    """Silent frames of MPEG-1 layer III at 44.1 kHz, mono."""
    index = {32: 1, 64: 5, 128: 9, 320: 14}[kilobits]
    return (b"\xff\xfb" + bytes([index << 4]) + b"\xc4").ljust(144_000 * kilobits // 44_100, b"\0") * count


def xing(count, size, *, lame=b""):
    """A frame that counts the others; with the bytes of LAME's part behind the quality."""
    fields = struct.pack(">4sIII", b"Xing", 0xB, count, size) + struct.pack(">I", 80) + lame
    return (frames(64, 1)[:4] + bytes(17) + fields).ljust(len(frames(64, 1)), b"\0")


def lame(method, name):
    return name + bytes([method]) + bytes(11) + (576 << 12 | 1152).to_bytes(3, "big") + bytes(12)


def noise(size):
    return random.Random(1).randbytes(size)


def near_frames(size):
    """Noise with headers in it that no frame follows."""
    data = bytearray(noise(size))
    for at in range(0, size - 4, 97):
        data[at : at + 4] = b"\xff\xfb\x90\xc4"
    return bytes(data)


def files():
    yield from headers()
    yield from junk()
    yield from few_frames()


def headers():
    # The header stands 32 bytes behind the frame's header: version, delay, quality, bytes, frames, table.
    vbri = b"VBRI" + bytes.fromhex("0001 0000 0064") + (16_000).to_bytes(4, "big")
    vbri += (1000).to_bytes(4, "big") + bytes.fromhex("0001 0001 0002 0001")
    plain = sample("cbr.mp3")
    yield "vbri", plain[:36] + vbri + plain[36 + len(vbri) :]
    yield "frames at the end as at the front", frames(32, 600)
    yield "denser frames at the end", frames(32, 500) + frames(320, 100)
    false = b"".join(bytes(range(1, 200)) + b"\xff\xfb\xe0\xc4" for _ in range(10))
    yield "false headers in the tail", frames(32, 500) + false
    for name in (b"LAME3.100", b"Lavc59.37"):
        for method in (1, 2, 4, 9, 0):
            head = xing(100, 209 * 101, lame=lame(method, name))
            yield f"what {name.decode()} added is not played, method {method}", head + frames(64, 100)
    yield "header that counts frames alone", xing(100, 0) + frames(64, 100)
    yield "no delay of another encoder", xing(100, 209 * 101, lame=b"\xff" * 36) + frames(64, 100)
    whole = xing(1000, 209 * 1001) + frames(64, 1000)
    yield "cut in the middle", whole[: len(whole) // 2]
    part = xing(300, 209 * 301) + frames(64, 300)
    yield "files joined to one", part * 4
    yield "something else behind the audio", part + b"\1" * 60_000
    yield "layer one", b"\xff\xff\xc4\xc4".ljust(384, b"\0") * 1000
    yield "free bit rate", (b"\xff\xfb\x00\xc4" + b"\xff\xfb\x90" * 50).ljust(700, b"\1") * 1000
    yield "no size", Case(id3(frame("TIT2", b"\0Tone")) + audio(), sized=False)


def junk():
    claimed = {"name": "a.mp3"}
    yield "near headers behind a tag", TITLE + b"\xff\xfb\x90\xc4 no  frame" * 1000 + audio()
    yield "no frame at all", TITLE + b"\1" * 300_000
    covered = id3(picture(200_000), frame("TIT2", b"\0Tone"))
    for kind in (bytes, noise, near_frames):
        for size in (100, 3000, 16_000, 40_000, 64 * 1024):
            about = f"{size} of {kind.__name__}"
            yield f"claimed behind {about}", Case(kind(size) + audio() + id3v1(b"Tone"), **claimed)
            yield f"tagged behind {about}", TITLE + kind(size) + audio()
            yield f"covered behind {about}", covered + kind(size) + audio()
    for size in (5000, 12_000):
        yield f"{size} zeros need no claim", bytes(size) + audio()
    for name in ("tone.mp2", "xing.mp3"):
        yield f"{name} behind noise", Case(noise(30_000) + sample(name), **claimed)
    yield "noise without a claim", noise(3000) + audio()
    for number, data in enumerate(
        [
            noise(300_000),
            noise(60_000) + audio(4)[: 104 * 7] + noise(200_000),  # so many are not enough so late
            b"MZ\x90\0" + noise(500) + audio(),
            b"\x7fELF\2\1\1" + noise(500) + audio(),
            b"BM" + bytes(300) + audio(),
            b"CWS\x0a" + noise(900) + audio(),
            b"404 page not found",
            b"ordinary words, line by line\r\n" * 9000,
            "Ночной поезд".encode("cp1251") * 9000,
            noise(900) + b"\xff\xff\x90" * 70_000,  # frames of layer I, if one will
            noise(900) + (b"\xff\xfb\0" + bytes(130)) * 2000,  # frames of free bit rate
            bytes(300_000),
            b"MZ" + noise(100_000),
            b"BM" + noise(100_000),
        ]
    ):
        yield f"claim that is not true {number}", Case(data, **claimed)
    for start in (b"<!DOCTYPE html><html>" + bytes(300), b"\xff\xd8\xff\xe0", b"%PDF-1.7" + bytes(300)):
        yield f"claim that the content refutes {start[:9]!r}", Case(start + audio(), **claimed)
    for name in ("first.m4a", "tone.flac", "tone.aac"):
        yield f"claim that the content refutes {name}", Case(sample(name), **claimed)


def few_frames():
    v1 = id3v1(b"Tone")
    for behind in (b"", v1, APE, APE + v1):
        for front in (b"", TITLE, bytes(60)):
            for count in (1, 2, 3, 4):
                yield f"{count} between {len(front)} and {len(behind)} bytes", front + ONE * count + behind
    late = noise(2000) + ONE * 3 + v1
    for number, data in enumerate([late, late[:-128], late + noise(900), noise(2000) + ONE * 3 + noise(900)]):
        yield f"three behind noise {number}", Case(data, name="a.mp3")
    for rest in (bytes(100), b"TAX" + bytes(125)):
        yield f"one before {rest[:3]!r}", ONE + rest + bytes(4000)
