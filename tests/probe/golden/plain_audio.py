"""AU, Core Audio Format, DSF and DSDIFF: codecs by number or name, lengths, texts before or behind the audio."""

import struct

from probe_builders import (
    au,
    bits,
    caf,
    caf_chunk,
    caf_data,
    caf_desc,
    caf_info,
    caf_pakt,
    dff,
    dff_chunk,
    dff_comments,
    dff_prop,
    dff_text,
    dsf,
    program,
)  # fmt: skip
from probe_media import frame, id3, picture

from golden import Case

SECOND = 2_822_400
TAG = id3(frame("TIT2", b"\0Tone"), frame("TPE1", b"\0Sine"))
COVERED = id3(frame("TIT2", b"\0Tone"), picture(500_000), frame("TPE1", b"\0Sine"))


def files():
    yield from of_au()
    yield from of_caf()
    yield from caf_codecs()
    yield from of_dsf()
    yield from of_dff()


def of_au():
    for encoding, width in [
        *((1, 8), (2, 8), (3, 16), (4, 24), (5, 32), (6, 32), (7, 64), (23, 4), (24, 4), (25, 3), (26, 5), (27, 8)),
        (0x37323632, 2),
    ]:
        made = au(bytes(16_000 * 2 * width // 8), encoding=encoding, rate=16_000, channels=2)
        yield f"au: encoding {encoding}", made
    for magic, order in ((b".snd", ">"), (b".sd\0", ">"), (b"dns.", "<"), (b"\0ds.", "<")):
        made = au(bytes(88_200), encoding=6, rate=11_025, channels=2, magic=magic, order=order)
        yield f"au: {magic!r}", made
    for size in (0, 0xFFFFFFFF):
        yield f"au: stated size {size:x}", au(bytes(160_000), size=size)
    for size in (0xFFFFFFFF, 32_000):
        yield f"au: of unknown size, stated {size:x}", Case(au(bytes(20_000), size=size), sized=False)
    yield "au: cut", au(bytes(160_000))[: 28 + 48_000]
    yield "au: bytes behind the audio", au(bytes(32_000), size=16_000)
    texts = [b"Recorded in one take", b"Title=Tone\nin one take", b"1=2", "Тон".encode("koi8-r"), b"Name=Tone"]
    for text in texts:
        yield f"au: text {text[:12]!r}", au(bytes(100), text=text + b"\0\0junk")
    lines = b"Title=" + "Тон".encode("cp1251") + b"\nTrack=3\ngenre=Folk=Low\n\0"
    yield "au: lines with names", au(bytes(100), text=lines)
    for words in (10_000, 40_000):
        yield f"au: text of {words} words", au(bytes(16_000), text=b"la " * words)
    for number, data in enumerate([b".snd", b".snd\0\0\0\x10" + bytes(40), au(b"")[:20]]):
        yield f"au: broken header {number}", data
    for encoding, rate, channels in ((18, 8000, 1), (3, 0, 1), (3, 8000, 0), (99, 0, 0)):
        yield f"au: {encoding} {rate} {channels}", au(bytes(400), encoding=encoding, rate=rate, channels=channels)


# -- Core Audio Format -------------------------------------------------------------------------------------------------


def of_caf():
    desc, title = caf_desc(), caf_info((b"title", b"Tone"))
    pairs = (
        (b"title", "Тон".encode()),
        (b"track number", b"3"),
        (b"comments", b"x"),
        (b"year", b"2004"),
        (b"tempo", b"90"),
    )
    audio = caf_data(bytes(44_100 * 4 * 20))
    yield "caf: texts behind the audio", caf(desc, audio, caf_chunk(b"free", bytes(5000)), caf_info(*pairs))
    aac = caf_desc(b"aac ", packet=0, frames=1024, bits=0)
    table = caf_pakt(150_000, 44_100 * 3600, table=bytes(300_000))
    yield "caf: table of packets behind the audio", caf(aac, caf_data(bytes(5_000_000)), table, title)
    yield "caf: audio up to the end", caf(desc, title, caf_data(bytes(176_400 * 2), size=-1))
    whole = caf(desc, caf_data(bytes(176_400 * 9)), title)
    yield "caf: cut", whole[: len(caf(desc, caf_data(b""))) + 176_400 * 4]
    ima = caf_desc(b"ima4", packet=68, frames=64, bits=0)
    yield "caf: packets of one size", caf(ima, caf_data(bytes(68 * 1000)))
    yield "caf: more samples than packets hold", caf(ima, caf_pakt(1000, 10**9), caf_data(bytes(68 * 1000)))
    yield "caf: packets without a number of samples", caf(aac, caf_pakt(100, 0), caf_data(bytes(30_000)))
    for count in (0xFFFFFFFF, 2, 1):
        texts = caf_info((b"title", b"Tone"), (b"artist", b"Sine"), count=count)
        yield f"caf: {count} texts", caf(desc, texts, caf_data(bytes(400)))
    for rate in (float("nan"), float("inf"), -1.0, 0.0, 1e300):
        yield f"caf: rate {rate}", caf(caf_desc(rate=rate), caf_data(bytes(400)))
    broken = {
        "desc": [caf_chunk(b"desc", b"short"), title],
        "pakt": [title, desc, caf_chunk(b"pakt", b"short")],
        "kuki": [desc, title, caf_chunk(b"kuki", b"")],
    }
    for name, chunks in broken.items():
        yield f"caf: broken {name}", caf(*chunks, caf_data(bytes(176_400)))


def descriptor(tag, body):
    return bytes([tag, len(body)]) + body


def caf_codecs():
    for name, flags, depth, packet in [
        *((b"lpcm", 0, 16, 4), (b"lpcm", 2, 16, 4), (b"lpcm", 2, 24, 6), (b"lpcm", 0, 8, 2), (b"lpcm", 1, 32, 8)),
        *((b"lpcm", 3, 32, 8), (b"lpcm", 3, 64, 16), (b"ulaw", 0, 8, 2), (b"alaw", 0, 8, 2)),
    ]:
        desc = caf_desc(name, flags=flags, bits=depth, packet=packet)
        yield f"caf: {name.decode()} {flags} {depth}", caf(desc, caf_data(bytes(44_100 * packet * 3)))
    for name in (
        *(b"aac ", b"aach", b".mp3", b".mp1", b"opus", b"flac", b"samr", b"ac-3", b"QDM2", b"ms\0\x02", b"XYZ "),
    ):
        desc = caf_desc(name, packet=0, frames=1024, bits=0)
        yield f"caf: {name!r}", caf(desc, caf_pakt(87, 88_200), caf_data(bytes(30_000)))
    configs = [
        bits((2, 5), (4, 4), (2, 4), (0, 3)), bits((2, 5), (7, 4), (1, 4), (0, 3)),
        bits((2, 5), (7, 4), (2, 4), (0, 3), (0x2B7, 11), (5, 5), (1, 1), (4, 4)),
        bits((29, 5), (7, 4), (1, 4), (4, 4), (2, 5), (0, 3)),
        bits((2, 5), (3, 4), (0, 4), (0, 3), *program(front=(0, 1), back=(1,), low=1)), b"",
    ]  # fmt: skip
    for config in configs:
        inner = descriptor(4, b"\x40\x15" + bytes(11) + descriptor(5, config)) + b"\x06\1\2"
        desc = caf_desc(b"aac ", rate=22_050.0, packet=0, frames=1024, channels=1, bits=0)
        cookie = caf_chunk(b"kuki", descriptor(3, b"\0\1\0" + inner))
        yield f"caf: config of aac {config.hex()}", caf(desc, cookie, caf_pakt(10, 22_050), caf_data(b""))
    config = struct.pack(">IBBBBBBHIII", 4096, 0, 24, 40, 10, 14, 2, 255, 0, 900_000, 96_000)
    box = struct.pack(">I", 12) + b"frmaalac" + struct.pack(">I", 36) + b"alac" + bytes(4) + config
    desc = caf_desc(b"alac", rate=96_000.0, packet=0, frames=4096, channels=1, bits=0)
    for name, cookie in (("boxed", box), ("plain", config)):
        yield (
            f"caf: {name} config of alac",
            caf(desc, caf_chunk(b"kuki", cookie), caf_pakt(24, 96_000), caf_data(bytes(9))),
        )


# -- DSF and DSDIFF ----------------------------------------------------------------------------------------------------


def of_dsf():
    for rate, channels in ((2_822_400, 2), (5_644_800, 1), (11_289_600, 6)):
        yield f"dsf: {rate} {channels}", dsf(rate // 4, rate=rate, channels=channels, tag=TAG)
    for order in (8, 3):
        yield f"dsf: order of bits {order}", dsf(SECOND, bits=order)
    yield "dsf: tag", dsf(SECOND * 4, tag=TAG)
    yield "dsf: no tag", dsf(SECOND * 4)
    yield "dsf: cover", dsf(SECOND * 2, tag=COVERED)
    for claim in (0, 2**62):
        yield f"dsf: {claim} samples", dsf(claim, data=bytes(4096 * 2 * 100))
    yield "dsf: cut", dsf(4096 * 8 * 100, tag=TAG)[: 92 + 4096 * 2 * 40]
    for place in (40, 2**63):
        yield f"dsf: pointer {place}", dsf(SECOND, place=place)
    whole = dsf(SECOND, tag=TAG)
    for at, new in ((28, b"JUNK"), (80, b"JUNK"), (56, bytes(4)), (52, bytes(4))):
        yield f"dsf: broken header {at}", whole[:at] + new + whole[at + 4 :]


def of_dff():
    def dsd(seconds):
        return dff_chunk(b"DSD ", b"\x69" * (SECOND // 8 * 2 * seconds))

    for rate, channels in ((2_822_400, 2), (5_644_800, 1), (2_822_400, 6)):
        audio = dff_chunk(b"DSD ", bytes(rate // 32 * channels))
        yield f"dff: {rate} {channels}", dff(dff_prop(rate=rate, channels=channels), audio)
    frames = dff_chunk(b"FRTE", struct.pack(">IH", 750, 75)) + dff_chunk(b"DSTF", bytes(2_000_000))
    yield "dff: frames of packed dsd", dff(dff_prop(codec=b"DST "), dff_chunk(b"DST ", frames))
    artist, title = dff_text(b"DIAR", b"Sine\0"), dff_text(b"DITI", "Тон".encode("cp1251"))
    info, plain = (
        dff_chunk(b"DIIN", artist + dff_chunk(b"EMID", b"x1") + title),
        dff_chunk(b"DIIN", dff_text(b"DITI", b"Tone")),
    )
    maker = dff_chunk(b"MANF", b"abcd12")
    yield "dff: texts behind the audio", dff(dff_prop(), dsd(2), info, dff_comments(b"one", b"four"), maker)
    tag = dff_chunk(b"ID3 ", id3(frame("TIT2", b"\0Tone"), picture(300_000)))
    yield "dff: tag inside", dff(dff_prop(more=tag), dsd(1))
    yield "dff: tag behind", dff(dff_prop(), dsd(1), tag)
    yield "dff: cut", dff(dff_prop(), dsd(4))[: -SECOND // 8 * 2 * 3]
    yield "dff: of unknown size", Case(dff(dff_prop(), dsd(1), plain), sized=False)
    props = [b"SND " + dff_chunk(b"FS  ", b"\0"), b"", b"XYZ "]
    for number, body in enumerate(props):
        yield f"dff: broken properties {number}", dff(dff_chunk(b"PROP", body), plain, dsd(1))
    yield "dff: another form", dff(dff_prop(), form=b"XYZ ")
    long = dff_chunk(b"DIIN", dff_chunk(b"DITI", struct.pack(">I", 2**32 - 1) + b"Tone"))
    noted = dff_chunk(b"COMT", b"\0\x09" + bytes(10) + struct.pack(">I", 2**32 - 1) + b"one")
    yield "dff: lengths that claim more than there is", dff(dff_prop(), long, noted, dsd(1))
