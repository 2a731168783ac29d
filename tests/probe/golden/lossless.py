"""Monkey's Audio, WavPack, Musepack, TAK, OptimFROG: length and facts from headers, or from the last block."""

import struct

from mutagen.apev2 import APEv2
from probe_builders import optimfrog, tak, tak_block
from probe_media import ape, frame, id3, id3v1, sample, saved

AUDIO = bytes(range(1, 200)) * 500
TAG = ape((b"Title", "Тон".encode()), (b"Artist", b"Sine"))
FRONT, V1 = id3(frame("TIT2", b"\0Front"), frame("TALB", b"\0Low Water")), id3v1(b"V1")
RATE, UNKNOWN = 44_100, 2**32 - 1
HALF = RATE // 2
STEREO, INITIAL, FINAL = 9 << 23 | 1, 1 << 11, 1 << 12


def files():
    yield from monkeys()
    yield from musepack()
    yield from wavpack()
    yield from without_length()
    yield from tak_and_frogs()
    yield from own_tags()


# -- Monkey's Audio and Musepack ---------------------------------------------------------------------------------------


def monkey_new(*, frames=3, descriptor=52):
    head = struct.pack("<4sHHIIIIIII", b"MAC ", 3990, 0, descriptor, 24, 0, 44, len(AUDIO), 0, 0) + bytes(16)
    header = struct.pack("<HHIIIHHI", 2000, 0, 294_912, 1000, frames, 24, 2, 48_000)
    return head.ljust(descriptor, b"\0") + header + AUDIO


def monkey_old(version, level=2000, flags=0, *, frames=3):
    return struct.pack("<4sHHHHIIIII", b"MAC ", version, level, flags, 2, RATE, 44, 0, frames, 1000) + AUDIO


def monkeys():
    yield "newer monkey", monkey_new()
    yield "longer descriptor", monkey_new(descriptor=80)
    yield "newer monkey without audio", monkey_new(frames=0)
    for version, level in ((3970, 2000), (3920, 2000), (3830, 4000), (3830, 2000), (3700, 4000)):
        yield f"older monkey {version} {level}", monkey_old(version, level)
    for flags in (1, 8):
        yield f"depth in the flags {flags}", monkey_old(3970, flags=flags)
    yield "older monkey without audio", monkey_old(3970, frames=0)


def musepack7(frames=100, *, last=None, index=0):
    end = 0 if last is None else 1 << 31 | last << 20
    return b"MP+\x07" + struct.pack("<IIIII", frames, index << 16, 0, 0, end) + AUDIO


def number(value):
    out = bytes([value & 127])
    while value := value >> 7:
        out = bytes([value & 127 | 128]) + out
    return out


def packet(key, body):
    return key + number(len(body) + 3) + body


def musepack8(samples=RATE, silent=0, *, before=b""):
    header = bytes(4) + b"\x08" + number(samples) + number(silent) + bytes([1 << 5 | 20, 1 << 4])
    return b"MPCK" + before + packet(b"SH", header) + packet(b"RG", b"\1" + bytes(8)) + packet(b"AP", b"x") + AUDIO


def musepack():
    yield "musepack 7", musepack7()
    yield "musepack 7 with a last frame", musepack7(last=100, index=1)
    yield "musepack 7 without audio", musepack7(0)
    yield "musepack 8", musepack8(48_000 * 200, 480)
    yield "musepack 8 without audio", musepack8(0)
    yield "packets before the header", musepack8(48_000, before=packet(b"XX", bytes(50)))
    for bad in (b"XX\0", b"XX\x01", b"XX" + b"\xff" * 9 + b"\1", b"AP\x03", b"XX\xff\xff\xff\xff\x7f"):
        yield f"packet that leads nowhere {bad.hex()}", musepack8(before=bad)


# -- WavPack -----------------------------------------------------------------------------------------------------------


def block(samples, size=1000, *, index=0, total=RATE, flags=0x4800001 | INITIAL | FINAL, high=0, body=b"", fill=b"\0"):
    """A block; the index of its first sample has 40 bits."""
    fields = size - 8, 0x410, (index >> 32) % 256, high, total, index & UNKNOWN, samples, flags, 0
    return struct.pack("<4sIHBBIIIII", b"wvpk", *fields) + body.ljust(size - 32, fill)


def wavpack():
    for total in (UNKNOWN, 0):
        # Each block says that it is the first one.
        yield f"each block is the first {total}", block(4410, total=total) * 1000
    yield "blocks without audio", block(0) + block(4410, total=88_200) * 30
    yield "count of forty bits", block(4410, total=5, high=1) * 30
    both = b"\x0d\x01\x06\x3f" + b"\x67\x02" + (50_000).to_bytes(3, "little") + b"\0"
    yield "channels and rate in sub-blocks", block(4410, total=100_000, flags=0x7800001 | INITIAL, body=both) * 30
    for part in ("4d0306" + "00" * 5, "0d03070800" + "00" * 3, "8d03000007" + "0800" + "00" * 3):
        yield f"channels {part}", block(4410, body=bytes.fromhex(part)) * 30
    flags = 0x84800000 | INITIAL | FINAL
    yield "direct stream digital", block(4410, total=RATE * 8, flags=flags, body=b"\x0e\x01\x03\x00") * 30


def stream(*blocks, start=0, total=UNKNOWN):
    """Blocks of (samples, bytes) that follow each other."""
    out, index = [], start
    for samples, size in blocks:
        out.append(block(samples, size, index=index, total=total, flags=STEREO | INITIAL | FINAL, fill=b"\x55"))
        index += samples
    return b"".join(out)


def without_length():
    # 3.7 seconds, of which the first half takes more bytes than the others.
    short = [(HALF, 9000), *[(HALF, 3500)] * 6, (8820, 1400)]
    for total in (UNKNOWN, 0):
        yield f"blocks at hand {total}", stream(*short, total=total)
        yield f"blocks at hand {total} before a tag", stream(*short, total=total) + V1
    long = [(HALF, 52_000), *[(HALF, 31_000)] * 400, (1000, 2000)]
    for start in (0, 5_000_000, 2**32 - 1000):
        yield f"last block of a stream from {start}", id3(padding=100) + stream(*long, start=start) + V1
    yield "last block that begins earlier", stream((HALF, 30_000), *[(HALF, 90_000)] * 20)
    plain = stream(*[(HALF, 20_000)] * 50)
    checksum = block(0, 60, index=HALF * 50, total=UNKNOWN, flags=STEREO | INITIAL | FINAL, fill=b"\x55")
    yield "blocks without audio at the end", plain + checksum * 2
    six = [(INITIAL, 8000), (0, 8000), (FINAL, 5000)]
    channels = b"".join(
        block(HALF, size, index=HALF * n, total=UNKNOWN, flags=STEREO | flag, fill=b"\x55")
        for n in range(30)
        for flag, size in six
    )
    yield "blocks of several channels", channels
    yield "blocks of several channels at hand", channels[: 21_000 * 2]
    letters = [
        b"wvpk" * 8,
        # It ends where none begins; another rate.
        block(500, 100, index=2**33, total=UNKNOWN, flags=STEREO | INITIAL | FINAL)[:32],
        block(HALF, 200, index=HALF * 3, total=UNKNOWN, flags=3 << 23 | INITIAL | FINAL, fill=b"\x55") + b"wvpk",
    ]
    for number_, false in enumerate(letters):
        data = bytearray(plain)
        data[-10_000 : -10_000 + len(false)] = false
        yield f"letters of a block {number_}", bytes(data)
    yield "no last block", stream(*[(HALF, 4000)] * 100)[:-1] + bytes(200_000)


# -- TAK and OptimFROG -------------------------------------------------------------------------------------------------


def tak_and_frogs():
    for samples, rate, depth, channels in (
        *((44_100, 44_100, 16, 2), (48_000 * 3600 * 24, 48_000, 24, 1), (8000, 8000, 8, 6)),
        (96_000 * 9, 192_000, 24, 16),
    ):
        made = tak(samples, rate=rate, depth=depth, channels=channels)
        yield f"tak {samples} {rate} {depth} {channels}", made + TAG
    for samples, rate, kind, channels in (
        *((44_100, 44_100, 3, 2), (44_100 * 3600 * 90, 44_100, 5, 2), (8000, 8000, 0, 1)),
        *((9600, 96_000, 7, 6), (9600, 96_000, 8, 2)),
    ):
        for size in (12, 15):
            made = optimfrog(samples, rate=rate, kind=kind, channels=channels, size=size)
            yield f"frog {samples} {rate} {kind} {channels} {size}", made + TAG
    for make in (tak, optimfrog):
        yield f"long {make.__name__}", make(RATE * 60, audio=b"\xa5" * 3_000_000) + TAG
        yield f"tags around {make.__name__}", id3(frame("TIT2", b"\0Front")) + make(RATE) + TAG + id3v1(b"End")
    before = tak_block(5, b"") + tak_block(2, bytes(20_000))
    yield "blocks before the information", tak(RATE, before=before) + bytes(500_000)
    for first in (tak_block(0, b""), tak_block(1, b"short"), tak_block(5, b"") * 2000):
        yield f"no information {len(first)}", b"tBaK" + first + tak_block(0, b"") + bytes(900) + TAG
    yield "frog without a rate", optimfrog(RATE, rate=0) + TAG
    yield "frog without a size", optimfrog(RATE)[:4] + bytes(4) + optimfrog(RATE)[8:] + TAG


def own_tags():
    """Where APE is the format's own tag it counts before ID3v2, and ID3v2, whose texts are whole, before ID3v1."""
    wavpack_, late, own = sample("tone.wv").partition(b"APETAGEX")[0], b"", ape((b"Title", b"Ape"))
    late = id3(frame("TIT2", b"\0Late", version=4), version=4, flags=0x10)
    late += b"3DI" + late[3:10]
    for name, audio in (("monkey", monkey_old(3970)), ("musepack", musepack7()), ("wavpack", wavpack_)):
        ends = {"ape, v1": own + V1, "late, ape": late + own, "ape, late": own + late, "v1": V1}
        for about, end in ends.items():
            yield f"front, {name}, {about}", FRONT + audio + end
        yield f"{name}, v1", audio + V1
    changed = APEv2()
    changed["Title"] = "Ape"
    yield "tag of wavpack by mutagen", FRONT + saved(changed, wavpack_)
