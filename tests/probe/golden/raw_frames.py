"""Streams of frames without a header for the file: AAC in ADTS, LATM and ADIF, AC-3, E-AC-3, DTS, AMR."""

from probe_builders import NARROW, WIDE, adif, amr, amr_frame, latm, latm_config, loas, program
from probe_media import cover, frame, id3, id3v1

from golden import Case

WB, SEVERAL = b"#!AMR-WB\n", b"#!AMR_MC1.0\n"


def files():
    yield from of_aac()
    yield from of_ac3()
    yield from of_amr()
    yield from of_latm()
    yield from of_adif()


def adts(size, *, blocks=1, channels=2):
    header = bytes([0xFF, 0xF1, 0x50 | channels >> 2, (channels & 3) << 6 | size >> 11])
    return header + bytes([size >> 3 & 255, (size & 7) << 5 | 0x1F, 0xFC | blocks - 1]) + bytes(size - 7)


def of_aac():
    yield "aac of one density", adts(100) * 2500
    yield "aac that is denser at the end", adts(100) * 2000 + adts(700) * 500
    yield "aac in several blocks", adts(300, blocks=3) * 30
    for configuration in (1, 2, 6, 7):
        yield f"aac of configuration {configuration}", adts(300, channels=configuration) * 30
    tag = id3(frame("TIT2", b"\0Tone"), frame("APIC", b"\0image/jpeg\0\3\0" + cover(400_000)))
    yield "tags around aac", tag + adts(100) * 3000 + id3v1(b"Tone")


def ac3(*, version=8, code=0, size_code=18, mode=2, lfe=0):
    """One frame of AC-3; behind acmod stand the levels that it asks for, all zero, then lfeon."""
    levels = (2 if mode & 1 and mode != 1 else 0) + (2 if mode & 4 else 0) + (2 if mode == 2 else 0)
    head = b"\x0b\x77\0\0" + bytes([code << 6 | size_code, version << 3])
    return (head + (mode << 13 | lfe << (12 - levels)).to_bytes(2, "big")).ljust(
        {18: 640, 26: 1392, 27: 1394}[size_code], b"\1"
    )


def eac3(size=512, *, kind=0, substream=0, code=0, blocks=3, mode=7, lfe=1):
    words = size // 2 - 1
    head = bytes([0x0B, 0x77, kind << 6 | substream << 3 | words >> 8, words & 255])
    return (head + bytes([code << 6 | blocks << 4 | mode << 1 | lfe, 16 << 3])).ljust(size, b"\1")


def of_ac3():
    for mode, lfe in ((1, 0), (1, 1), (2, 0), (2, 1), (3, 1), (7, 0), (7, 1)):
        yield f"ac3 of mode {mode}.{lfe}", ac3(mode=mode, lfe=lfe) * 20
    yield "ac3 of sizes that alternate", (ac3(code=1, size_code=26) + ac3(code=1, size_code=27)) * 500
    yield "ac3 of a low rate", ac3(version=9) * 20
    yield "further channels and programmes of eac3", (eac3() + eac3(300, kind=1) + eac3(200, substream=1)) * 400
    for code, blocks in ((0, 0), (1, 2), (3, 1)):
        yield f"eac3 of rate {code} and blocks {blocks}", eac3(code=code, blocks=blocks) * 30
    yield "eac3 of long frames", eac3(4096) * 30
    yield "eac3 that differs by a word", (eac3(836) + eac3(838)) * 400
    yield "two bytes are not ac3", b"\x0b\x77" + b"\1" * 30_000
    for junk in (b"\0" * 40_000, b"\x0b\x77\0\0\x14\x40!" * 3000):
        yield f"ac3 that stops before {junk[:2].hex()}", ac3() * 2 + junk


def of_amr():
    for mode in range(len(NARROW)):
        yield f"amr of mode {mode}", amr(*[mode] * 100)
    for mode in range(len(WIDE)):
        yield f"wide amr of mode {mode}", amr(*[mode] * 100, magic=WB)
    yield "amr with silence", amr(*[7, 15, 8, 0] * 20)
    yield "wide amr with silence", amr(*[8, 14, 15, 9] * 20, magic=WB)
    yield "long amr", amr(*[7] * 30_000)
    loud, quiet = amr(*[7] * 3000), amr(*[0] * 3000)
    yield "amr that is quiet at the end", loud + quiet[6:]
    yield "amr with an end that is none", loud + b"\xff" * 200
    yield "amr cut inside a frame", amr(*[7] * 100)[:-5]
    for channels in (1, 2, 6, 0):
        yield f"amr of {channels} channels", amr(*[4] * 120, magic=SEVERAL, channels=channels)
        yield f"long amr of {channels} channels", amr(*[4] * 12_000, magic=SEVERAL, channels=channels)
    empty = [amr(), b"#!AMR\n" + amr_frame(12, 20) * 20, b"#!AMR\n" + b"\xff" * 300, b"#!AMR-WB_MC1.0\n\0\0"]
    for number, data in enumerate(empty):
        yield f"amr without frames {number}", data
    yield "amr of unknown size", Case(amr(*[7] * 600), sized=False)


def of_latm():
    yield "long latm", latm(8000, 200)
    yield "latm of one density", latm(2500, 97)
    yield "latm that is denser at the end", latm(2000, 97) + latm(500, 697)
    configs = [
        {"index": 4, "channels": 2}, {"index": 3, "channels": 6}, {"index": 3, "channels": 2, "short": 1},
        {"index": 3, "channels": 2, "parts": 4},
        # SBR: the core has half the rate. PS: it has one channel.
        {"kind": 5, "index": 6, "more": ((3, 4), (2, 5))}, {"kind": 29, "index": 6, "channels": 1,
                                                            "more": ((3, 4), (2, 5))},
        {"kind": 23, "index": 3, "channels": 1},
    ]  # fmt: skip
    for number, config in enumerate(configs):
        for version in (0, 1):
            yield f"config {number} of version {version}", latm(40, config=latm_config(version=version, **config))
    head = [(0, 1), (1, 1), (0, 6), (0, 4), (0, 3)]
    yield "rate in full", latm(40, config=[*head, (2, 5), (15, 4), (40_000, 24), (2, 4), (0, 3)])
    # An escaped object type, then a UsacConfig: index of the rate, index of the length, channels.
    usac = [(31, 5), (10, 6), (3, 4), (2, 4), (3, 5), (3, 3), (2, 5)]
    yield "xhe-aac", latm(40, config=[*head, *usac])
    elements = program(index=3, front=(0, 1), back=(1,), low=1)
    yield "channels by their elements", latm(40, config=[*head, (2, 5), (3, 4), (0, 4), (0, 3), *elements])
    yield "recording that begins inside a frame", latm(2000, 100, every=20, first=7)[40:]
    yield "stream that never says how it sounds", b"".join(loas(b"\x80" + bytes([n % 256]) * 90) for n in range(400))
    yield "latm of unknown size", Case(latm(300)[:16_384], sized=False)
    yield "tag behind latm", latm(100) + id3v1(b"Tone")
    heads = [
        latm(4, every=100, first=1),  # four frames without a config
        latm(2),  # two, of which the first has one
        latm(3, every=100, first=1), latm(1), latm(2, config=latm_config(kind=9)),
        latm(2, config=latm_config(index=14)),
    ]  # fmt: skip
    for number, data in enumerate(heads):
        yield f"few sync words {number}", data


def of_adif():
    yield "adif", adif(bytes(80_000 - 32), comment=b"made by hand", copyright_id=b"CZ0123456")
    elements = [
        {"front": (0,)}, {"front": (1,), "mixed": 1}, {"front": (0, 1), "back": (1,), "low": 1},
        {"front": (0, 1, 1), "side": (1,), "back": (0,), "low": 1},
    ]  # fmt: skip
    for number, each in enumerate(elements):
        yield f"channels of adif {number}", adif(bytes(9000), fields=program(**each, index=3))
    yield "adif of a rate that varies", adif(bytes(9000), varies=1)
    yield "adif without a rate", adif(bytes(9000), bitrate=0)
    yield "tag behind adif", adif(bytes(80_000)) + id3v1(b"Tone")
