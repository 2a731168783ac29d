"""First bytes: the content decides what a file is, and what has no reader is known by name."""

from probe_media import id3, sample
from probe_old import mod

from golden import Case

HEADS = [
    b"RIFF\0\0\0\0WAVEfmt ", b"RIFF\0\0\0\0AVI LIST", b"FORM\0\0\0\0AIFFCOMM", b"\x1aE\xdf\xa3\x01\0",
    bytes.fromhex("3026b2758e66cf11a6d900aa0062ce6c"), b"FLV\x01\x05", b"MAC \x96\x0f", b"wvpk\0\0", b"MPCKSH",
    b"TTA1\1\0", b".snd\0\0", b"dns.\x1c\0\0\0", b"caff\0\1", b"DSD \x1c\0\0\0", b"FRM8\0\0", b"tBaK\1",
    b"OFR \x0f\0\0\0", b"ADIF\0\0", b"RIFX\0\0\0\0WAVEfmt ", bytes.fromhex("726966662e91cf11a5d628db04c10000"),
    b"MThd\0\0", b"RIFF\0\0\0\0RMIDdata", b"Extended Module: tone", b"IMPMtone",
    bytes(28) + b"\x1a\x10" + bytes(14) + b"SCRM", bytes(28) + b"\x1a\x20" + bytes(14) + b"SCRM",
    b".RMF\0\0\0\x12", b".ra\xfd\0\4", b"#!AMR\n", b"#!AMR-WB\n", b"\0\0\1\xba\x44", (b"\x47" + bytes(187)) * 4,
    b"\0\0\0\x20ftypavif", (bytes.fromhex("fff15080020020") + bytes(9)) * 3, b"#EXTM3U\n#EXTINF:1,x",
    b"[playlist]\nFile1=x", b"\xff\xd8\xff\xe0", b"%PDF-1.7", b"<!DOCTYPE html><html>",
    b"\xef\xbb\xbf \n<HTML lang=en>", b"<!-- hello --><!-- again -->\n<html>",
    b'<?xml version="1.0"?>\n<!DOCTYPE html PUBLIC', b"<p>Not found", b'<?xml version="1.0"?><rss>',
    b"\0\0\0\x08wide\0\0\x10\0mdat",
]  # fmt: skip
TEXTS = [
    b"404 page not found", b"OFR stands for something", b"OFR rules of the agency", b"MAC addresses of a switch",
    "caff\u00e8 latte, a recipe".encode(), b"caffeine is a stimulant", b"dns.example.org is a resolver",
    b".snd files are old", "MAC \u00e9lan, words of a page".encode("latin-1"), b"MP+ is what follows MP",
    b"FRM8 or what it is", b"The wide river runs", b"", b"V\xe0\x20 is a letter" + bytes(4000),
    b"ADIF Export from a logger <EOH>", b"ADIF\n<CALL:5>OK1XX <EOR>\n", b"<!---->" * 500 + b"x",
]  # fmt: skip
MODULE = mod(b"tone", [b"drum"])
MARKS = [b"M.K.", b"M!K!", b"M&K!", b"FLT4", b"FLT8", b"4CHN", b"6CHN", b"8CHN", b"10CH", b"32CN", b"CD81", b"OKTA"]


def files():
    for head in HEADS:
        yield f"head {head[:64]!r}", head + bytes(30_000)
    for text in TEXTS:
        yield f"text {text[:16]!r}", text
    for name in ("cbr.mp3", "tone.mp2", "tone.aac"):
        yield f"recording that begins inside a frame of {name}", (sample(name) * 40)[100:]
    yield "flac behind id3", id3(padding=100) + sample("tone.flac")
    yield "one sync word", sample("cbr.mp3")[:4] + bytes(4000)
    yield "zeros before the first frame", bytes(700) + sample("cbr.mp3")
    for number, body in enumerate(
        [
            b"\xff\xff\x90" * 2000,  # frames of layer I, if one will
            (b"\xff\xfb\0" + bytes(130)) * 40,  # frames of free bit rate
            sample("cbr.mp3")[:700] + bytes(3300),  # they end
            bytes(2000) + sample("cbr.mp3"),  # they begin later than inside the first
            (b"\xff\xfb\x90\xc4" + bytes(413)) * 2,  # two are not enough
        ]
    ):
        yield f"no frames {number}", b"BM" + bytes(100) + body
    for mark in (*MARKS, b"M.X.", b"0CHN"):
        yield f"mark of a module {mark!r}", Case(mod(b"tone", [], mark)[:4096])
    # No position, more than there is room for, a pattern that cannot be, louder than can be.
    for at, value in [(950, 0), (950, 129), (1000, 128), (20 + 30 * 30 + 25, 65)]:
        yield f"no module, {value} at {at}", MODULE[:at] + bytes([value]) + MODULE[at + 1 :]
    yield "module that ends in its mark", MODULE[:1083]
    yield "no module but words", b"The letters " * 90 + b"M.K. stand in a text" * 90
    yield "no module but zeros", bytes(1080) + b"M.K." + bytes(3000)
    yield "no module but a page", (b"<p>" + b"A song by " * 300)[:1080] + b"8CHN" + b"</p>" * 500
