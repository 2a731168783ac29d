"""ASF and FLV: texts whose bytes are kept, attributes, streams and their languages, markers, objects without an end."""

import io
import struct
from uuid import UUID

from mutagen.asf import ASF, ASFByteArrayAttribute
from probe_media import cover, sample, saved

from golden import Case


def guid(text):
    return UUID(text).bytes_le


HEADER = guid("75B22630-668E-11CF-A6D9-00AA0062CE6C")
FILE = guid("8CABDCA1-A947-11CF-8EE4-00C00C205365")
STREAM = guid("B7DC0791-A9B7-11CF-8EE6-00C00C205365")
EXTENSION = guid("5FBF03B5-A92E-11CF-8EE3-00C00C205365")
EXTENDED_STREAM = guid("14E6A5CB-C672-4332-8399-A96952065B5A")
CONTENT = guid("75B22633-668E-11CF-A6D9-00AA0062CE6C")
EXTENDED = guid("D2D0A440-E307-11D2-97F0-00A0C95EA850")
LIBRARY = guid("44231C94-9498-49D1-A141-1D134E457054")
CODECS = guid("86D15240-311D-11D0-A3A4-00A0C90348F6")
AUDIO = guid("F8699E40-5B4D-11CF-A8FD-00805F5C442B")
VIDEO = guid("BC19EFC0-5B4D-11CF-A8FD-00805F5C442B")
LANGUAGES = guid("7C4346A9-EFE0-4BFC-B229-393EDE415C85")
BITRATES = guid("7BF875CE-468D-11D1-8D82-006097C9A2B2")
MARKERS = guid("F487CD01-A951-11CF-8EE6-00C00C205365")


def files():
    yield from asf_texts()
    yield from asf_streams()
    yield from asf_broken()
    yield from markers()
    yield from flv_values()
    yield from flv_tags()


# -- ASF ---------------------------------------------------------------------------------------------------------------


def thing(kind, body, *, size=None):
    return kind + struct.pack("<Q", len(body) + 24 if size is None else size) + body


def asf(*objects, media=b""):
    body = b"".join(objects)
    return HEADER + struct.pack("<QIBB", len(body) + 30, len(objects), 1, 2) + body + media


def properties(*, seconds=60.0, preroll=3000, flags=2):
    play = round((seconds + preroll / 1000) * 1e7)
    return thing(FILE, struct.pack("<16xQQQQQQIIII", 0, 0, 9, play, play, preroll, flags, 3200, 3200, 64_000))


def stream(kind, data, *, number=1):
    return thing(STREAM, kind + bytes(24) + struct.pack("<IIHI", len(data), 0, number, 0) + data)


def sound(codec=0x161, *, number=1, channels=2):
    return stream(AUDIO, struct.pack("<HHIIHHH", codec, channels, 44_100, 8000, 1485, 16, 0), number=number)


def film(fourcc=b"WMV3"):
    header = struct.pack("<IiiHH4s", 40, 640, 480, 1, 24, fourcc) + bytes(20)
    return stream(VIDEO, struct.pack("<IIBH", 640, 480, 2, 40) + header, number=2)


def content(*fields):
    fields = [*fields, *[b""] * (5 - len(fields))]
    return thing(CONTENT, struct.pack("<5H", *map(len, fields)) + b"".join(fields))


def wide(text):
    return text.encode("utf-16-le") + b"\0\0"


def extended(*attributes, count=None):
    body = b"".join(
        struct.pack("<H", len(wide(name))) + wide(name) + struct.pack("<HH", kind, len(value)) + value
        for name, kind, value in attributes
    )
    return thing(EXTENDED, struct.pack("<H", len(attributes) if count is None else count) + body)


def library(*attributes):
    body = b"".join(
        struct.pack("<HHHHI", 0, 1, len(wide(name)), kind, len(value)) + wide(name) + value
        for name, kind, value in attributes
    )
    return thing(LIBRARY, struct.pack("<H", len(attributes)) + body)


def extension(*objects):
    body = b"".join(objects)
    return thing(EXTENSION, bytes(18) + struct.pack("<I", len(body)) + body)


def wm_picture(size, kind=3, mime="image/png"):
    return bytes([kind]) + struct.pack("<I", size) + wide(mime) + wide("front") + cover(size)


def asf_texts():
    raws = ["Привет!".encode("cp1251"), "Привет!!".encode("cp1251"), b"\x00\xd8A\0", b"\xcf\0\xf0\0\xe8\0"]
    for raw in [*raws, "Ā".encode("utf-16-le") * 2]:
        for end in (b"", b"\0\0"):
            head = asf(properties(), content(raw + end), extended(("WM/AlbumTitle", 0, raw + end)), sound())
            yield f"text {raw.hex()}{' 0000' * bool(end)}", head
    yield "terminator that was counted half", asf(content(b"T\0o\0\0"))
    numbers = [
        ("WM/TrackNumber", 3, struct.pack("<I", 7)), ("WM/PartOfSet", 5, struct.pack("<H", 2)),
        ("WM/Year", 4, struct.pack("<Q", 2004)), ("WM/EncodingTime", 4, struct.pack("<Q", 99)),
        ("WM/BeatsPerMinute", 3, b"short"), ("IsVBR", 2, struct.pack("<I", 1)),
    ]  # fmt: skip
    yield "attributes that are numbers", asf(properties(), extended(*numbers), sound())
    names = ["WM/Description", "WM/TitleSortOrder", "WM/Anything", "WM/Total_Tracks", "TRACKTOTAL"]
    yield "names of windows", asf(properties(), extended(*((name, 0, wide("x")) for name in names)))
    small = ("WM/Picture", 1, wm_picture(60_000)), ("WM/AlbumTitle", 0, wide("Album"))
    large = extension(library(("WM/Picture", 1, wm_picture(500_000)), ("WM/Mood", 0, wide("calm"))))
    yield "pictures", asf(properties(), large, extended(*small), sound(), media=bytes(100_000))

    def pictures(file):
        made = [wm_picture(size, kind, "image/jpeg") for kind, size in ((3, 700), (4, 40_000), (17, 300_000))]
        file["WM/Picture"] = [ASFByteArrayAttribute(each) for each in made]
        file["WM/AlbumArtist"] = ["Тон"]

    file = ASF(io.BytesIO(sample("tone.wma")))
    pictures(file)
    yield "pictures of mutagen", saved(file, sample("tone.wma"))


def details(number, *, bitrate=0, language=0, name=None, names=None):
    named = b"" if name is None else struct.pack("<HH", language, len(wide(name))) + wide(name)
    count = (name is not None) if names is None else names
    head = struct.pack("<16xI28xHHQHH", bitrate, number, language, 0, count, 0)
    return thing(EXTENDED_STREAM, head + named)


def languages(*codes, count=None):
    body = b"".join(bytes([len(wide(code))]) + wide(code) for code in codes)
    return thing(LANGUAGES, struct.pack("<H", len(codes) if count is None else count) + body)


def bitrates(*pairs):
    return thing(BITRATES, struct.pack("<H", len(pairs)) + b"".join(struct.pack("<HI", *pair) for pair in pairs))


def asf_streams():
    yield "another codec of the picture", asf(properties(), film(b"H264"), sound())
    numbers = struct.pack("<QQ8IHHQHH", 0, 0, *([0] * 8), 2, 0, 400_000, 1, 1)
    system = bytes(16) + struct.pack("<HI", 2, 4) + bytes(4)
    inner = thing(EXTENDED_STREAM, numbers + struct.pack("<HH", 0, 6) + wide("ab") + system + film())
    yield "time of a frame", asf(properties(), extension(inner), sound())

    def entry(kind, name, description):
        parts = (text.encode("utf-16-le") for text in (name, description))
        return struct.pack("<H", kind) + b"".join(struct.pack("<H", len(p) // 2) + p for p in parts) + b"\2\0ab"

    entries = entry(1, "Film", "VBR") + entry(2, "Windows Media Audio 9", "64 kbps, 44 kHz, stereo 1-pass CBR\0")
    codecs = thing(CODECS, bytes(16) + struct.pack("<I", 2) + entries)
    yield "list of codecs", asf(properties(), codecs, sound())
    more = extension(
        languages("en-us", "de"), details(2, bitrate=96_000, language=1, name="Комментарий"), details(1, language=0)
    )
    rates = bitrates((1, 64_000), (2, 5), (9, 7))
    yield "languages, names and rates", asf(more, sound(), sound(number=2, channels=1), sound(number=3), rates)
    for number, broken in enumerate(
        [
            languages("de", count=65_535), details(1, language=9, name="x", names=65_535),
            details(1, language=65_535), bitrates(), thing(BITRATES, b"\xff\xff"), thing(LANGUAGES, b"\1\0\xff"),
        ]
    ):  # fmt: skip
        yield f"broken list {number}", asf(extension(broken), sound())
    yield "broadcast", asf(properties(flags=1, seconds=1), sound()) + bytes(80_000)
    yield "preroll", asf(properties(preroll=5000), sound())


def asf_broken():
    yield "stream that ends inside its numbers", asf(properties(), stream(AUDIO, b"\x61\1\2"), sound(0x162))
    yield "object that does not fit", asf(properties(), content(wide("Tone")), thing(STREAM, b"", size=2**63))
    failed = thing(CONTENT, struct.pack("<5H", 60_000, 0, 0, 0, 0))
    yield "part that failed once", asf(failed, extended(("Author", 0, wide("Sine"))))
    for size in (0, 23):
        yield f"object of {size}", asf(properties(), thing(EXTENDED, b"", size=size))
    body = struct.pack("<H", 1) + struct.pack("<H", 2) + b"a\0" + struct.pack("<HH", 0, 60_000)
    yield "attribute longer than its object", asf(properties(), thing(EXTENDED, body), sound(), media=bytes(100_000))
    yield "65,535 attributes", asf(properties(), extended(("Author", 0, wide("Sine")), count=65_535), sound())
    nested = library(("WM/Mood", 0, wide("calm")))
    for _ in range(1000):
        nested = extension(nested)
    yield "extension in an extension", asf(properties(), sound(), nested)
    yield "many empty attributes", asf(sound(), extended(*[("a", 0, b"")] * 6000))


def with_markers(*marks, count=None):
    """The markers of a WMA file behind the other objects of its header; times are those of play."""
    data = sample("tone.wma")
    (preroll,) = struct.unpack_from("<Q", data, data.index(FILE) + 24 + 56)
    name = "list\0".encode("utf-16-le")
    body = bytes(16) + struct.pack("<IHH", len(marks) if count is None else count, 0, len(name)) + name
    for seconds, text in marks:
        raw = wide(text)
        time = round(seconds * 1e7) + preroll * 10_000
        body += struct.pack("<QQHIII", 0, time, 12 + len(raw) + 2, 0, 0, len(raw) // 2) + raw + b"\0\0"
    more = thing(MARKERS, body)
    (size,) = struct.unpack_from("<Q", data, 16)
    return data[:16] + struct.pack("<Q", size + len(more)) + data[24:size] + more + data[size:]


def markers():
    yield "markers", with_markers((0.5, "Начало"), (1.25, "Second"))
    yield "markers that end early", with_markers((0.5, "One"), count=2**32 - 1)


# -- FLV ---------------------------------------------------------------------------------------------------------------


def named(name, value):
    return struct.pack(">H", len(name)) + name + value


def number(value):
    return b"\0" + struct.pack(">d", value)


def string(raw):
    return b"\2" + struct.pack(">H", len(raw)) + raw


def array(*parts):
    return b"\x08" + bytes(4) + b"".join(parts) + b"\0\0\x09"


def values(*parts):
    return b"\3" + b"".join(parts) + b"\0\0\x09"


def tag(kind, data, *, time=0):
    length, stamp = struct.pack(">I", len(data))[1:], struct.pack(">I", time)
    return bytes([kind]) + length + stamp[1:] + stamp[:1] + bytes(3) + data + struct.pack(">I", len(data) + 11)


def flv(*tags):
    return b"FLV\1\5" + struct.pack(">II", 9, 0) + b"".join(tags)


def script(value):
    return tag(18, string(b"onMetaData") + value)


HEARD = tag(8, b"\x2f" + bytes(100))
SEEN = tag(9, b"\x12" + bytes(100))
TITLE = named(b"title", string(b"Film"))


def flv_values():
    raw, long = "Фильм".encode("cp1251"), b"\x0c" + struct.pack(">I", 4) + b"Sine"
    for kind in (array, values):
        made = kind(named(b"title", string(raw)), named(b"creator", long))
        yield f"flv: texts of an {kind.__name__}", flv(script(made), HEARD)
    for size in (10, 30_000):
        times = b"\x0a" + struct.pack(">I", size) + number(1.5) * size
        index = named(b"keyframes", values(named(b"times", times), named(b"filepositions", times)))
        yield (
            f"flv: index of {size} key frames",
            flv(script(array(index, TITLE, named(b"duration", number(60)))), HEARD),
        )
    for claimed, there in ((100_000, 3), (5, 4)):
        index = named(b"times", b"\x0a" + struct.pack(">I", claimed) + number(1) * there)
        made = script(values(TITLE, index)), HEARD * 9000, tag(9, b"\x22", time=4000)
        yield f"flv: array that claims {claimed}", flv(*made)
    cut = b"\3" + TITLE + named(b"creator", b"\2" + struct.pack(">H", 500) + b"Sine")
    yield "flv: text that ends with its tag", flv(script(cut), HEARD * 9)
    yield "flv: property without a name", flv(script(array(named(b"", string(b"nameless")), TITLE)), HEARD)
    kinds = [
        b"\1\1", b"\5", b"\6", b"\7\0\1", b"\x0b" + bytes(10), b"\x0f" + struct.pack(">I", 3) + b"<a>",
        b"\x10" + struct.pack(">H", 1) + b"C" + named(b"a", number(1)) + b"\0\0\x09", array(named(b"a", array())),
        b"\x0a" + struct.pack(">I", 3) + number(1) + string(b"x") + values(named(b"a", number(2))),
    ]  # fmt: skip
    each = b"".join(named(b"k%d" % i, value) for i, value in enumerate(kinds))
    yield "flv: every kind of value", flv(script(values(each, TITLE)), HEARD)
    yield "flv: metadata without an end", flv(script(b"\x08" + struct.pack(">I", 1) + TITLE), HEARD)
    value = number(1)
    for _ in range(3000):
        value = values(named(b"a", value))
    yield "flv: nesting", flv(script(values(TITLE, named(b"deep", value))), HEARD)
    deep = b"".join([b"\x0a\0\0\0\1"] * 3000) + number(1)
    yield "flv: arrays in arrays", flv(script(values(named(b"deep", deep))), HEARD)
    many = b"\x0a\xff\xff\xff\xff" + b"\5" * 40_000
    yield "flv: count of values", flv(script(values(named(b"many", many))), HEARD)
    facts = [named(b"videocodecid", string(b"avc1")), named(b"audiocodecid", number(10)), named(b"stereo", b"\1\1")]
    rates = [named(b"audiosamplerate", number(48_000)), named(b"duration", number(5))]
    yield "flv: codecs of the metadata", flv(script(array(*facts, *rates)))
    for bad in (float("nan"), float("inf"), -5.0, 1e300):
        listed = [named(name, number(bad)) for name in (b"duration", b"width", b"height", b"framerate")]
        yield f"flv: numbers of {bad}", flv(script(array(*listed)), SEEN, tag(9, b"\x22", time=3000))


def flv_tags():
    late = tag(9, b"\x22" + bytes(90_000), time=7000)
    body = tag(9, b"\x22" + bytes(60_000), time=1000) * 20
    made = script(array()), tag(8, b"\x2f", time=5000), SEEN, body, tag(8, b"\x2f", time=95_000)
    yield "flv: long file without a length", flv(*made)
    yield "flv: last tag longer than the tail", flv(HEARD, SEEN, late)
    yield "flv: last tag longer than the tail of a long file", flv(HEARD, SEEN, HEARD * 2000, late)
    yield "flv: script at the end", flv(HEARD, SEEN, tag(9, b"\x22", time=7000), tag(18, string(b"onCuePoint")))
    yield "flv: more than four hours", flv(HEARD, tag(8, b"\x2f", time=20_000_000))
    yield "flv: cut off", flv(script(array(TITLE)), HEARD, SEEN, tag(9, b"\x22" + bytes(900), time=7))[:-500]
    sounds = [b"\x2f\xff", b"\x26", b"\x3e", b"\x3c", b"\xb2", b"\xaf\x00\x13\x88", b"\xaf\x01\xff\xff", b"\x90Opus"]
    for data in sounds:
        yield f"flv: sound {data.hex()}", flv(tag(8, data), tag(8, data, time=9))
    for data in (b"\x12", b"\x17", b"\x1c", b"\x90hvc1", b"\x90av01"):
        yield f"flv: picture {data.hex()}", flv(tag(9, data), tag(9, data, time=9))
    yield "flv: of unknown size", Case(flv(script(array(TITLE)), HEARD, SEEN), sized=False)
