"""MPEG transport and program streams, and bare video: tables and headers from the front, times from both ends."""

import struct

from probe_media import bits, sample

NOTHING = struct.pack(">BHB", 0x47, 0x1FFF, 0x10) + b"\xff" * 184
BLU_RAY = b"\x05\x04HDMV"
UE = None
"""An Exp-Golomb code."""


def files():
    yield from transport_streams()
    yield from programs()
    yield from program_streams()
    yield from video_headers()


# -- transport streams -------------------------------------------------------------------------------------------------


def packets(data):
    return [data[at : at + 188] for at in range(0, len(data), 188)]


def number_of(packet):
    return (packet[1] & 0x1F) << 8 | packet[2]


def moved(data, ticks):
    """All time stamps of the packets later by some ticks, over the end of the clock if need be."""
    out = bytearray(data)
    for at in range(0, len(out), 188):
        start = out.find(b"\0\0\1", at, at + 188)
        if not out[at + 1] & 0x40 or start < 0 or out[start + 6] >> 6 != 2:
            continue
        for place in (start + 9, start + 14)[: (out[start + 7] >> 6) - 1]:
            value = int.from_bytes(out[place : place + 5], "big")
            time = (value >> 33 & 7) << 30 | (value >> 17 & 0x7FFF) << 15 | value >> 1 & 0x7FFF
            time = (time + ticks) % 2**33
            value = value & 0xF000010001 | (time >> 30) << 33 | (time >> 15 & 0x7FFF) << 17 | (time & 0x7FFF) << 1
            out[place : place + 5] = value.to_bytes(5, "big")
    return bytes(out)


def transport_streams():
    film = sample("film.ts")
    for before, behind in ((4, 0), (0, 16)):
        around = b"".join(bytes(before) + packet + bytes(behind) for packet in packets(film))
        yield f"packets with {before} before and {behind} behind", around
    half = len(film) // 188 // 2 * 188
    split = film[:half] + NOTHING * 9000 + film[half:]
    yield "long film", split
    sound = [packet for packet in packets(film) if number_of(packet) == 0x101]
    others = [packet for packet in packets(film) if number_of(packet) != 0x101]
    middle = len(others) // 2
    yield "header at the end", b"".join([*others[:middle], NOTHING * 9000, *others[middle:], *sound])
    yield "tables behind the head", NOTHING * 300 + film + NOTHING * 100
    yield "no tables", NOTHING * 9000
    # The first time stamps are at 1.4 s: the clock ends between the first and the last.
    yield "clock that begins anew", moved(split, 2**33 - 150_000)
    late = moved(film[half:], 5 * 3600 * 90_000)
    yield "times that cannot be", film[:half] + NOTHING * 200 + late
    yield "times of five hours", film[:half] + NOTHING * 60_000 + late
    scrambled = bytearray(film)
    for at in range(0, len(film), 188):
        if 0x100 <= number_of(film[at:]) < 0x1000:
            scrambled[at + 3] |= 0xC0
    yield "scrambled", bytes(scrambled)
    tone = sample("tone.ts")
    at = tone.index(b"\x03\xe1\x00\xf0")  # MPEG audio, in the program map
    yield "private stream without descriptors", tone[:at] + b"\x06" + tone[at + 1 :]


def section(number, kind, body):
    whole = bytes([kind]) + struct.pack(">H", 0xB000 | len(body) + 9) + b"\0\1\xc1\0\0" + body + bytes(4)
    return (struct.pack(">BHB", 0x47, 0x4000 | number, 0x10) + b"\0" + whole).ljust(188, b"\xff")


def transport(*entries, about=b""):
    body = struct.pack(">HH", 0xE101, 0xF000 | len(about)) + about
    for number, (kind, descriptors) in enumerate(entries, 0x101):
        body += struct.pack(">BHH", kind, 0xE000 | number, 0xF000 | len(descriptors)) + descriptors
    return section(0, 0, struct.pack(">HHHH", 0, 0xE010, 1, 0xE100)) + section(0x100, 2, body) + NOTHING * 200


def descriptor(tag, body):
    return bytes([tag, len(body)]) + body


def programs():
    language = descriptor(0x0A, b"deu\0")
    entries = [
        (0x81, b""), (0x06, b"\x6a\x01\0"), (0x06, b"\x0a\x04deu\0\x7a\x00"), (0x06, b"\x05\x04Opus"),
        (0x06, b"\x56\x00"), (0x11, b""), (0x0F, language),
        (0x06, descriptor(0x6A, b"\0") + descriptor(0x0A, b"fre\3eng\0")),
        (0x06, descriptor(0x59, b"rus\x10\0\1\0\1")), (0x06, descriptor(0x56, b"ger\x09\0eng\x10\x88")),
        (0x06, descriptor(0x56, b"ger\x09\0")), (0x0F, descriptor(0x0A, b"und\0")),
        (0x0F, descriptor(0x0A, b"\xff\xff\xff\0")), (0x0F, b"\x0a\xff"), (0x1B, b""), (0x90, b""), (0x05, language),
    ]  # fmt: skip
    for kind, descriptors in entries:
        yield f"stream of type {kind:x} {descriptors.hex()}", transport((kind, descriptors))
    # Elsewhere than on Blu-ray type 0x86 announces advertisements, in most American broadcasts before the sound.
    for kind, about in ((0x86, b""), (0x86, BLU_RAY), (0x80, b""), (0x80, BLU_RAY), (0x82, b"")):
        yield f"type {kind:x} of blu-ray {len(about)}", transport((kind, b""), about=about)
    yield "subtitles of blu-ray", transport((0x90, b""), (0x92, b""), about=BLU_RAY)
    russian = 0x06, descriptor(0x59, b"rus\x10\0\1\0\1")
    yield "subtitles before the sound", transport(russian, (0x0F, language))
    yield "subtitles alone", transport(russian)
    body = b"".join(struct.pack(">HH", number, 0xE1FF) for number in range(1, 1001))
    whole = b"\0\0" + struct.pack(">H", 0xB000 | len(body) + 9) + b"\0\1\xc1\0\0" + body + bytes(4)
    table = b"".join(
        struct.pack(">BHB", 0x47, 0 if at else 0x4000, 0x10) + whole[at : at + 184].ljust(184, b"\xff")
        for at in range(0, len(whole), 184)
    )
    yield "a thousand programs", table + (struct.pack(">BHB", 0x47, 0x1FF, 0x10) + b"\xff" * 184) * 5000


# -- program streams ---------------------------------------------------------------------------------------------------


def pack(time, *, body=b""):
    value = 1 << 46 | (time >> 30 & 7) << 43 | 1 << 42 | (time >> 15 & 0x7FFF) << 27 | 1 << 26
    value |= (time & 0x7FFF) << 11 | 1 << 10 | 1
    return b"\0\0\1\xba" + value.to_bytes(6, "big") + struct.pack(">I", 25_200 << 10 | 3 << 8 | 0xF8) + body


def picture(codec=2):
    extension = b"\0\0\1\xb5\x14\x8a\0\x01\0\0" if codec == 2 else b""
    return b"\0\0\1\xb3" + bytes.fromhex("2d0240330271a380") + extension


def pes(body, kind=0xE0):
    return b"\0\0\1" + bytes([kind]) + struct.pack(">H", len(body) + 3) + b"\x80\0\0" + body


def old_pes(time, body):
    """A packet of MPEG-1: stuffing, the size of a buffer, a time."""
    stamp = 0x21_0001_0001 | (time >> 30) << 33 | (time >> 15 & 0x7FFF) << 17 | (time & 0x7FFF) << 1
    body = b"\xff\xff\xff\x60\x20" + stamp.to_bytes(5, "big") + body
    return b"\0\0\1\xe0" + struct.pack(">H", len(body)) + body


def program_streams():
    film = sample("film.mpg")
    padding = b"\0\0\1\xbe" + struct.pack(">H", 2042) + b"\xff" * 2042
    yield "long program stream", film[:4096] + padding * 500 + film[4096:]
    filling = pes(bytes(2000))
    yield "time of packs", b"".join(pack(time, body=pes(picture()) + filling) for time in range(0, 900_000, 9000))
    chapter = [pack(time, body=pes(picture()) + filling) for time in range(0, 90_000 * 60, 900)]
    yield "one minute of packs", b"".join(chapter)
    yield "times that were set anew", b"".join(chapter[:200] + chapter * 3 + chapter[:400])
    entries = struct.pack(">BBH", 0x1B, 0xE0, 2) + b"\x28\0" + struct.pack(">BBH", 0x0F, 0xC0, 0)
    body = b"\xe1\xff" + struct.pack(">H", 3) + b"abc" + struct.pack(">H", len(entries)) + entries + bytes(4)
    listed = b"\0\0\1\xbc" + struct.pack(">H", len(body)) + body
    yield "map of a program stream", pack(0, body=listed + pes(bytes(1000)) + pes(bytes(1000), 0xC0))
    frames = [pack(9) + old_pes(3600 * n, picture(1) + b"\0\0\1\0" + bytes(900)) for n in range(100)]
    yield "stuffing of mpeg-1", b"".join(frames)
    sub = [pes(b"\x21" + bytes(50), 0xBD), pes(b"\x80" + bytes(50), 0xBD), pes(b"\x45" + bytes(9), 0xBD)]
    yield "subtitles of a dvd", b"".join(pack(0) + each for each in [pes(picture()), *sub]) * 3
    yield "bare video", picture(1) + bytes(1_000_000)
    yield "bare video without a header", b"\0\0\1\xb3" + bytes(20_000)


# -- headers of H.264 and HEVC -----------------------------------------------------------------------------------------

COLOURS = ((1, 1), (8, 255), (32, 1), (1, 1), (1, 0), (1, 1), (4, 5), (1, 1), (8, 9), (8, 16), (8, 9))
"""Shape of pixels, overscan, and the code points of bt2020 and PQ."""
PLAIN = ((1, 0), (1, 0), (1, 0))
SETS = (
    (UE, 3),  # three sets
    (UE, 1), (UE, 1), (UE, 0), (1, 1), (UE, 0), (1, 0),  # one picture before, one behind
    (1, 1), (1, 0), (UE, 0), (1, 1), (1, 0), (1, 1), (1, 0), (1, 0),  # as before, of three choices two stay
    (1, 1), (1, 0), (UE, 0), (1, 1), (1, 1), (1, 1),  # and of these all
)  # fmt: skip
LISTS = ((1, 1), (1, 1), (1, 0), (UE, 0), (1, 1), *[(UE, 0)] * 16, *[(1, 0), (UE, 0)] * 4, *[(1, 0), (UE, 0)] * 6,
         (1, 1), (UE, 3), *[(UE, 0)] * 64, *[(1, 0), (UE, 0)] * 5, *[(1, 0), (UE, 0)] * 2)  # fmt: skip
SIMPLE, PULSE = ((1, 0), (1, 0), (1, 0)), ((1, 0), (1, 0), (1, 1), (8, 0x77), (UE, 0), (UE, 0), (1, 0))
LONG_TERM = ((1, 1), (UE, 2), (9, 300), (9, 7))
"""Two references of eight bits of order, and a flag, each."""


def shown(kind, header):
    """A transport stream with a header of a picture in its own packet."""
    data = b"\0\0\1\xe0\0\0\x80\0\0" + header
    packet = struct.pack(">BHB", 0x47, 0x4101, 0x30) + bytes([183 - len(data)]) + bytes(183 - len(data)) + data
    return transport((kind, b""))[: 188 * 2] + packet + NOTHING * 200


def escaped(data):
    return data.replace(b"\0\0\0", b"\0\0\3\0").replace(b"\0\0\1", b"\0\0\3\1").replace(b"\0\0\2", b"\0\0\3\2")


def h264(*fields):
    return shown(0x1B, b"\0\0\1\x67" + escaped(bits(*fields)))


def hevc(*fields):
    return shown(0x24, b"\0\0\1\x42\1" + escaped(bits(*fields)))


def video_headers():
    yield (
        "h264 in fields, cropped",
        h264(
            *((8, 100), (8, 0), (8, 40), (UE, 0), (UE, 1), (UE, 0), (UE, 0), (1, 0)),
            *((1, 1), (1, 1), *[(UE, 0)] * 16, *[(1, 0)] * 7),  # one flat scaling list
            *((UE, 0), (UE, 2), (UE, 4), (1, 0), (UE, 120), (UE, 33), (1, 0), (1, 1), (1, 1)),
            # 1936 columns and 1088 lines, of which 1920 and 1080 are shown.
            *((1, 1), (UE, 3), (UE, 5), (UE, 0), (UE, 2)),
            *((1, 1), (1, 1), (8, 255), (16, 4), (16, 3), (1, 0), (1, 0), (1, 0), (1, 1), (32, 1), (32, 50)),
        ),
    )
    order = ((UE, 3), (UE, 4), (UE, 2), (UE, 5), (UE, 6))  # two offsets and a list of two
    cropped = ((1, 1), (UE, 0), (UE, 1), (UE, 0), (UE, 2))
    size = ((UE, 1), (1, 0), (UE, 9), (UE, 7), (1, 1), (1, 1), *cropped, (1, 0))
    low = ((8, 66), (8, 0), (8, 30), (UE, 0), (UE, 0), (UE, 1), (1, 0))
    yield "h264 with counted order", h264(*low, *order, *size)
    # With 4:2:2 a line of colours belongs to one line of the picture.
    high = ((8, 122), (8, 0), (8, 30), (UE, 0), (UE, 2), (UE, 0), (UE, 0), (1, 0), (1, 1))
    # One list that falls from 8 to 0 by -8 after a step to 9 and back, seven that are left out.
    lists = ((1, 1), (UE, 1), (UE, 2), (UE, 16), *[(1, 0)] * 7)
    yield "h264 with lists", h264(*high, *lists, (UE, 0), (UE, 2), *size)
    head = ((8, 66), (8, 0), (8, 30), (UE, 0), (UE, 0), (UE, 2), (UE, 1), (1, 0), (UE, 39), (UE, 22))
    colours = ((1, 1), (1, 0), (1, 0), (1, 1), *COLOURS, (1, 0), (1, 0))
    yield "h264 with colours", h264(*head, *colours)
    layers = ((4, 0), (3, 2), (1, 1), (88, 0), (8, 93), (2, 3), (2, 0), (12, 0), (88, 5), (8, 93))
    cropped = ((UE, 0), (UE, 1), (UE, 1928), (UE, 1088), (1, 1), (UE, 1), (UE, 3), (UE, 0), (UE, 4))
    yield "hevc with layers, cropped", hevc(*layers, *cropped)
    size = ((UE, 0), (UE, 1), (UE, 640), (UE, 360), (1, 0), (UE, 2), (UE, 2), (UE, 4))
    head = ((4, 0), (3, 0), (1, 1), (88, 0), (8, 93), *size, (1, 1), *[(UE, 1)] * 3, *[(UE, 1)] * 6)
    flat, none = ((1, 0),), ((UE, 0), (1, 0))
    for number, before in enumerate(
        [(*flat, *SIMPLE, *none), (*flat, *SIMPLE, *SETS, (1, 0)), (*LISTS, *SIMPLE, *none),
         (*flat, *PULSE, (UE, 0), *LONG_TERM)]
    ):  # fmt: skip
        for name, usable in (("colours", COLOURS), ("nothing", PLAIN)):
            yield f"hevc with {name} behind {number}", hevc(*head, *before, (1, 0), (1, 0), (1, 1), *usable)
