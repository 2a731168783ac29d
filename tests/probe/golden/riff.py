"""WAV, RF64, RIFX, Wave64, AIFF, AVI: chunks before and behind the media, wrong sizes of all kinds, marks."""

import struct

from mutagen.id3 import TPE2
from mutagen.wave import WAVE
from probe_builders import w64, w64_chunk, w64_format, w64_summary
from probe_media import changed, chunk, chunks_of, form, frame, id3, picture

from golden import Case

SUBFORMAT = bytes.fromhex("000000001000800000aa00389b71")
RATE_44100 = bytes.fromhex("400eac44000000000000")
RAW = "Подмосковные вечера".encode("cp1251")
TITLE = id3(frame("TIT2", b"\0Tone"))
COVERED = id3(frame("TIT2", b"\0Tone"), picture(500_000), frame("TPE1", b"\0Sine"))


def files():
    yield from wave()
    yield from wave_codecs()
    yield from wave64()
    yield from rifx()
    yield from aiff_files()
    yield from avi()
    yield from marks()


# -- WAV ---------------------------------------------------------------------------------------------------------------


def fmt(number=1, channels=2, rate=44_100, bits=16, *, block=None, byte_rate=None, more=b"", order="<"):
    block = channels * bits // 8 if block is None else block
    byte_rate = rate * block if byte_rate is None else byte_rate
    return chunk(b"fmt ", struct.pack(order + "HHIIHH", number, channels, rate, byte_rate, block, bits) + more, order)


def info(*texts, pad=True):
    return chunks_of(b"INFO", *(chunk(name, text, pad=pad) for name, text in texts))


def wav(*chunks, magic=b"RIFF", size=None):
    return form(magic, b"WAVE", *chunks, size=size)


def data(seconds, byte_rate=176_400, **more):
    return chunk(b"data", bytes(seconds * byte_rate), **more)


NAMED = info((b"INAM", b"Tone"))


def wave():
    yield "texts behind the audio", wav(fmt(), data(20), info((b"INAM", b"Tone\0"), (b"IART", b"Sine")))
    yield "text in cp1251", wav(fmt(), info((b"INAM", RAW + b"\0\0\0")), data(1))
    for pad in (True, False):
        texts = info((b"INAM", b"odd"), (b"IART", b"x"), (b"ICMT", b"three"), pad=pad)
        yield f"padding {pad}", wav(fmt(), chunk(b"odd ", b"123", pad=pad), texts, data(1))
    yield "padding that is not zero", wav(fmt(), chunk(b"odd ", b"123", pad=False) + b"x", NAMED, data(1))
    yield "cover behind the audio", wav(fmt(), data(20), info((b"INAM", b"Other")), chunk(b"id3 ", COVERED))
    yield "cover before the audio", wav(fmt(), chunk(b"id3 ", id3(picture(900_000))), data(1))

    def tag(file):
        file.add_tags()
        file["TPE2"] = TPE2(encoding=1, text=["Тон"])

    yield "tag of mutagen", changed(WAVE, "tone.wav", tag)
    both = id3(frame("TIT2", b"\0Tone!"), frame("TPE1", b"\0Sine"))
    yield "tag longer than its chunk", wav(fmt(), chunk(b"id3 ", both, size=len(TITLE) + 1), data(1))
    for size in (0, 0xFFFFFFFF, 0x7FFFF000, 0x80000000):
        yield f"recorder that wrote the size {size:x}", wav(fmt(), NAMED, data(3, size=size), size=size)
    yield "unknown size, texts behind", Case(wav(fmt(), data(2), NAMED), sized=False)
    yield "unknown size, texts in front", Case(wav(fmt(), NAMED, data(2)), sized=False)
    endless = wav(fmt(), NAMED, chunk(b"data", bytes(90_000), size=0xFFFFFFFF), size=0)
    yield "audio without any size", Case(endless[:16_384], sized=False)
    yield "empty data before texts", wav(fmt(), chunk(b"data", b""), NAMED)
    yield "cut off", wav(fmt(), data(20), NAMED)[: 44 + 176_400 * 5]
    sizes = struct.pack("<QQQI", 10**6, 176_400, 44_100, 0)
    for magic in (b"RF64", b"BW64"):
        parts = chunk(b"ds64", sizes), fmt(), data(1, size=0xFFFFFFFF), NAMED
        yield magic.decode(), wav(*parts, magic=magic, size=0xFFFFFFFF)
    body = b"A speech".ljust(256, b"\0") + b"Radio\0junk".ljust(32, b"\0") + bytes(32) + b"2004-05-06" + bytes(272)
    yield "broadcast wave", wav(chunk(b"bext", body), fmt(), data(1))
    for broken in (chunk(b"fmt ", b"\1\0"), chunk(b"ds64", b"\1\0"), chunk(b"fact", b"")):
        yield f"broken header {broken[:4].decode()}", wav(broken, data(1), NAMED)
    yield "text that is too long", wav(fmt(), info((b"ICMT", b"x" * 70_000), (b"INAM", b"Tone")), data(1))
    yield "20,000 chunks", wav(fmt(), chunk(b"JUNK", b"") * 20_000, data(1))


def wave_codecs():
    for number, bits in [(1, 8), (1, 16), (1, 20), (1, 32), (3, 32), (3, 64), (6, 8), (7, 8), (0xBEEF, 16)]:
        more = struct.pack("<HHIH", 22, bits, 3, number) + SUBFORMAT
        plain, extended = fmt(number, bits=bits, block=8), fmt(0xFFFE, bits=bits, block=8, more=more)
        yield f"codec {number:x} {bits}", wav(plain, data(2, 44_100 * 8))
        yield f"codec {number:x} {bits} extensible", wav(extended, data(2, 44_100 * 8))
    other = struct.pack("<HHIH", 22, 16, 3, 1) + bytes(14)
    yield "another name for a format", wav(fmt(0xFFFE, more=other), data(1))
    head = fmt(0x55, 2, 44_100, 0, block=1, byte_rate=16_000)
    yield "samples counted by fact", wav(head, chunk(b"fact", struct.pack("<I", 441_000)), data(8, 16_000))
    yield "packed codec without fact", wav(head, data(8, 16_000))
    yield "wrong byte rate", wav(fmt(byte_rate=1), data(3))


# -- Wave64 and RIFX ---------------------------------------------------------------------------------------------------


def wave64():
    def audio(seconds, **more):
        return w64_chunk(b"data", bytes(176_400 * seconds), **more)

    plain, short = w64_format(), w64_summary((b"INAM", b"T\0"))
    words = (b"INAM", "Тон"), (b"IART", "Sine\0"), (b"ICMT", "ж")
    summary = w64_summary(*((name, word.encode("utf-16-le")) for name, word in words))
    yield "w64: texts behind the audio", w64(plain, audio(10), summary)
    yield "w64: letter whose high byte is zero", w64(plain, w64_summary((b"INAM", b"T\0o\0")), audio(1))
    bext = w64_chunk(b"bext", b"A speech".ljust(256, b"\0") + b"Radio".ljust(32, b"\0") + bytes(32) + b"2004-05-06")
    yield "w64: chunks of wav", w64(bext, w64_format(number=3, bits=32), w64_chunk(b"id3 ", TITLE), audio(2))
    head = w64_chunk(b"fmt ", struct.pack("<HHIIHH", 0x55, 2, 44_100, 16_000, 1, 0))
    fact = w64_chunk(b"fact", struct.pack("<Q", 441_000))
    yield "w64: samples counted in 64 bits", w64(head, fact, w64_chunk(b"data", bytes(160_000)))
    for size in (2**63 - 1, 2**64 - 1):
        yield f"w64: recorder that wrote {size:x}", w64(plain, audio(3, size=size), size=size)
    odd = w64_chunk(b"junk", b"12345"), w64_chunk(b"junk", b"123456789")
    yield "w64: aligned to eight bytes", w64(*odd, plain, audio(1))
    yield "w64: cut", w64(plain, audio(9), short)[: len(w64(plain, audio(0))) + 176_400 * 4]
    yield "w64: of unknown size", Case(w64(plain, audio(2), short), sized=False)
    for count in (2**32 - 1, 2):
        yield f"w64: {count} texts", w64(plain, w64_summary((b"INAM", b"T\0"), count=count), audio(1))
    for size in (0, 5, 23):
        yield f"w64: chunk of size {size}", w64(plain, w64_chunk(b"junk", b"", size=size), audio(1))
    whole = w64(plain, audio(1))
    yield "w64: another form", whole[:24] + bytes(16) + whole[40:]


def rifx():
    def file(*chunks):
        return form(b"RIFX", b"WAVE", *chunks, order=">")

    for number, bits in [(1, 8), (1, 16), (1, 32), (3, 32), (3, 64), (7, 8)]:
        audio = chunk(b"data", bytes(44_100 * bits // 4), ">")
        yield f"rifx: codec {number} {bits}", file(fmt(number, bits=bits, order=">"), audio)
    texts = chunk(b"LIST", b"INFO" + chunk(b"INAM", b"odd", ">") + chunk(b"IART", b"Sine", ">"), ">")
    fact = chunk(b"fact", struct.pack(">I", 441_000), ">")
    yield "rifx: texts behind", file(fmt(0x55, bits=8, order=">"), fact, chunk(b"data", bytes(160_000), ">"), texts)


# -- AIFF --------------------------------------------------------------------------------------------------------------


def comm(frames, *, channels=2, bits=16, rate=RATE_44100, codec=None):
    more = codec + b"\0\0" if codec else b""
    return chunk(b"COMM", struct.pack(">HIH", channels, frames, bits) + rate + more, ">")


def ssnd(size, *, stated=None):
    return chunk(b"SSND", bytes(8 + size), ">", size=stated)


def aiff(*chunks, kind=b"AIFF"):
    return form(b"FORM", kind, *chunks, order=">")


def aiff_files():
    def text(name, body, **more):
        return chunk(name, body, ">", **more)

    name = text(b"NAME", "Тон".encode("mac-cyrillic"))
    texts = name, text(b"AUTH", b"Sine\0"), text(b"(c) ", b"2004 Me"), text(b"ANNO", b"odd"), text(b"ANNO", b"more")
    yield "aiff: texts behind the audio", aiff(comm(441_000), ssnd(441_000 * 4), *texts)
    yield "aiff: cover behind the audio", aiff(comm(441_000), ssnd(441_000 * 4), text(b"ID3 ", COVERED))
    yield "aiff: broken header", aiff(text(b"COMM", b"short"), text(b"NAME", b"Tone"), ssnd(1000))
    noted = b"".join(struct.pack(">IHH", 99, 0, len(t)) + t + b"\0" * (len(t) % 2) for t in (b"one", b"four"))
    yield "aiff: comments with times", aiff(comm(10), text(b"COMT", b"\0\2" + noted), ssnd(40))
    claims = struct.pack(">H", 60_000) + struct.pack(">IHH", 0, 0, 2) + b"ab"
    yield "aiff: 60,000 comments", aiff(comm(10), text(b"COMT", claims), ssnd(40))
    codecs = [(b"NONE", 24, 3), (b"twos", 12, 2), (b"sowt", 8, 1), (b"fl32", 16, 4), (b"ulaw", 16, 1)]
    for codec, bits, size in [*codecs, (b"ALAW", 16, 1), (b"in24", 16, 3)]:
        made = aiff(comm(44_100, bits=bits, codec=codec), ssnd(44_100 * 2 * size), kind=b"AIFC")
        yield f"aiff: codec {codec.decode()} {bits}", made
    yield "aiff: packets of a codec", aiff(comm(690, codec=b"ima4"), ssnd(690 * 68), kind=b"AIFC")
    for stated in (0, 0xFFFFFFFF):
        yield f"aiff: recorder that wrote {stated:x}", aiff(comm(0), ssnd(176_400 * 3, stated=stated))
    whole = aiff(comm(441_000), ssnd(441_000 * 4))
    yield "aiff: cut", whole[: len(whole) - 176_400 * 8]
    for rate in (b"\x7f\xff" + b"\xff" * 8, b"\xff" * 10, bytes(10), b"\x40\x60" + b"\xff" * 8):
        yield f"aiff: rate {rate.hex()}", aiff(comm(10, rate=rate), ssnd(40))
    for rate in (1, 8000, 11_025, 22_050, 96_000, 192_000):
        exponent = rate.bit_length() - 1
        packed = struct.pack(">HQ", 16383 + exponent, rate << (63 - exponent))
        yield f"aiff: rate {rate}", aiff(comm(rate, rate=packed), ssnd(rate * 4))


# -- AVI ---------------------------------------------------------------------------------------------------------------


def avih(*, micros=40_000, frames=250):
    return chunk(b"avih", struct.pack("<10I", micros, 0, 0, 16, frames, 0, 2, 0, 320, 240) + bytes(16))


def strh(kind, handler=bytes(4), *, scale=1, rate=25, length=250):
    return chunk(b"strh", kind + handler + struct.pack("<IHHI4I", 0, 0, 0, 0, scale, rate, 0, length) + bytes(20))


def strf(fourcc=b"XVID", height=480):
    return chunk(b"strf", struct.pack("<IiiHH4s", 40, 640, height, 1, 24, fourcc) + bytes(20))


def heard(number=0x55, channels=2, rate=44_100, mask=None):
    plain = struct.pack("<HHIIHH", 0xFFFE if mask else number, channels, rate, 16_000, 1, 16 if mask else 0)
    return chunk(b"strf", plain + (struct.pack("<HHIH", 22, 16, mask, number) + SUBFORMAT if mask else b""))


def strl(*chunks):
    return chunks_of(b"strl", *chunks)


VIDEO = strl(strh(b"vids"), strf())
SOUND = strl(strh(b"auds", scale=1152, rate=44_100, length=380), heard())


def movi(size=200_000, *, stated=None):
    return chunk(b"LIST", b"movi" + bytes(size - 4), size=stated)


def film(*streams, head=None, movie=None):
    header = chunks_of(b"hdrl", head or avih(), *(streams or (VIDEO, SOUND)))
    return form(b"RIFF", b"AVI ", header, movie or movi())


def avi():
    texts = info((b"INAM", b"Film\0"), (b"ISFT", b"Camera"))
    yield "avi: texts behind an index", film(movie=movi(3_000_000) + chunk(b"idx1", bytes(400_000)) + texts)
    header = chunks_of(b"hdrl", avih(), VIDEO)
    yield "avi: texts in front", form(b"RIFF", b"AVI ", header, texts, movi(3_000_000), chunk(b"idx1", bytes(4000)))
    yield "avi: further parts", film(movie=movi(500_000)) + form(b"RIFF", b"AVIX", movi(500_000)) * 5
    extension = chunks_of(b"odml", chunk(b"dmlh", struct.pack("<I", 9000) + bytes(244)))
    yield "avi: frames in the extension", film(VIDEO, extension)
    for length in (0, 0xFFFFFFFF, 1 << 30):
        stream = strl(strh(b"vids", length=length), strf())
        yield f"avi: length {length:x} of the stream", film(stream)
        yield f"avi: length {length:x} of the file", film(stream, head=avih(frames=length))
    yield "avi: film without its size", film(movie=movi(stated=0))
    yield "avi: stream without a rate", film(strl(strh(b"vids", scale=0, rate=0), strf()))
    yield "avi: on its head", film(strl(strh(b"vids"), strf(height=-480)))
    for fourcc in (b"XVID", b"divx", b"DIV3", b"H264", b"MJPG", bytes(4), b"ABCD", b"\xff\xfe\x01\x02"):
        yield f"avi: codec {fourcc!r}", film(strl(strh(b"vids"), strf(fourcc)))
    yield "avi: sound alone", film(SOUND)
    yield "avi: tape of a camera", film(strl(strh(b"iavs", b"dvsd")))
    named = strl(strh(b"vids"), strf(), chunk(b"strn", b"Main\0"))
    yield "avi: name of a stream and date", film(named, chunk(b"IDIT", b"2004-05-06\n\0"))
    yield "avi: broken stream", film(strl(chunk(b"strh", b"auds")), VIDEO)
    yield (
        "avi: streams of all kinds",
        film(
            VIDEO,
            strl(strh(b"auds"), heard(rate=48_000), chunk(b"strn", b"Deutsch\0")),
            strl(strh(b"auds"), heard(1, 6, 48_000, mask=0x3F), chunk(b"strn", "Русский".encode("cp1251") + b"\0")),
            strl(strh(b"vids"), strf(b"DXSB")),
            strl(strh(b"txts"), chunk(b"strf", b"")),
            strl(strh(b"mids"), chunk(b"strf", b"")),
        ),
    )
    for mask in (0x60F, 0x63F, 1):
        yield f"avi: places {mask:x}", film(strl(strh(b"auds"), heard(1, mask.bit_count(), 48_000, mask=mask)))


# -- marks -------------------------------------------------------------------------------------------------------------


def cue(*points):
    """Cue points: number and sample."""
    rows = [struct.pack("<II4sIII", number, at, b"data", 0, 0, at) for number, at in points]
    return chunk(b"cue ", struct.pack("<I", len(points)) + b"".join(rows))


def label(number, text):
    return chunk(b"labl", struct.pack("<I", number) + text + b"\0")


def region(number, samples, text=b""):
    return chunk(b"ltxt", struct.pack("<II4s4H", number, samples, b"rgn ", 0, 0, 0, 0) + text)


def marked(*chunks, seconds=1):
    return wav(fmt(1, 1, 8000, 8), data(seconds, 8000), *chunks)


def mark(*markers):
    """AIFF's markers: number, sample, name."""
    body = struct.pack(">H", len(markers))
    for number, at, name in markers:
        text = bytes([len(name)]) + name
        body += struct.pack(">HI", number, at) + text + bytes(len(text) % 2)
    return chunk(b"MARK", body, ">")


def marks():
    points = cue((1, 0), (2, 16_000), (3, 4000), (4, 24_000))
    names = label(1, b"One"), label(2, RAW), region(1, 2000), label(4, b"  "), region(4, 800, b"Four")
    yield "named cue points", marked(points, chunks_of(b"adtl", *names), seconds=5)
    one = chunks_of(b"adtl", label(1, b"One"))
    unnamed = [
        [cue((1, 0), (2, 8000))], [one], [cue((1, 0)), chunks_of(b"adtl", label(2, b"Two"))],
        [chunk(b"cue ", b"\xff\xff\xff\xff"), one],
        [chunk(b"cue ", b""), chunks_of(b"adtl", chunk(b"labl", b""), chunk(b"ltxt", b"\1"))],
    ]  # fmt: skip
    for number, chunks in enumerate(unnamed):
        yield f"points without a name {number}", marked(*chunks)
    markers = (1, 0, b"One"), (2, 44_100, b"beg loop"), (3, 88_200, b"end loop"), (4, 66_150, b"Two"), (5, 9, b"")
    instrument = chunk(b"INST", bytes(8) + struct.pack(">3H3H", 1, 2, 3, 0, 4, 4), ">")
    head, audio = comm(44_100 * 3, channels=1, bits=8), ssnd(44_100 * 3)
    yield "markers and loops of aiff", aiff(head, mark(*markers), instrument, audio)
    yield "markers of aiff", aiff(head, mark(*markers), audio)
    yield "markers in cp1251, short instrument", aiff(head, mark((1, 9, RAW)), chunk(b"INST", bytes(5), ">"), audio)
