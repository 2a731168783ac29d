"""ASF: stream facts, and texts whose bytes are kept even where they are no UTF-16."""

import io
import struct
from uuid import UUID

import pytest
from mutagen.asf import ASF, ASFByteArrayAttribute
from probe_media import cover, run, sample, saved, texts

from mediacrawl.probe.policy import ProbePolicy


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


def thing(kind, body, *, size=None):
    return kind + struct.pack("<Q", len(body) + 24 if size is None else size) + body


def asf(*objects, media=b"", size=None):
    body = b"".join(objects)
    length = len(body) + 30 if size is None else size
    return HEADER + struct.pack("<QIBB", length, len(objects), 1, 2) + body + media


def file_properties(*, seconds=60.0, preroll=3000, flags=2, bitrate=64_000):
    play = round((seconds + preroll / 1000) * 1e7)
    numbers = struct.pack("<QQQQQQIIII", 0, 0, 9, play, play, preroll, flags, 3200, 3200, bitrate)
    return thing(FILE, bytes(16) + numbers)


def stream(kind, data, *, number=1):
    head = kind + bytes(16) + bytes(8) + struct.pack("<IIHI", len(data), 0, number, 0)
    return thing(STREAM, head + data)


def sound(number=0x161, byte_rate=8000):
    return stream(AUDIO, struct.pack("<HHIIHHH", number, 2, 44_100, byte_rate, 1485, 16, 0))


def film(fourcc=b"WMV3", *, number=2):
    header = struct.pack("<IiiHH4s", 40, 640, 480, 1, 24, fourcc) + bytes(20)
    return stream(VIDEO, struct.pack("<IIBH", 640, 480, 2, 40) + header, number=number)


def content(*fields):
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


def wm_picture(size, mime="image/png"):
    return b"\3" + struct.pack("<I", size) + wide(mime) + wide("front") + cover(size)


def test_facts_and_texts_are_those_of_mutagen():
    data = sample("tone.wma")
    result, known = run(data).result, ASF(io.BytesIO(data))
    assert (result.status, result.encoding_format) == ("complete", "audio/x-ms-wma")
    assert result.duration == pytest.approx(known.info.length)
    assert (result.sample_rate, result.channels) == (known.info.sample_rate, known.info.channels)
    assert (result.bitrate, result.codec) == (known.info.bitrate, "wmav2")
    assert sorted((tag.frame, tag.text) for tag in result.tags) == sorted((k, str(v)) for k, v in known.tags)


def test_a_film_is_video():
    result = run(sample("film.wmv")).result
    assert (result.encoding_format, result.is_video) == ("video/x-ms-wmv", True)
    assert (result.width, result.height, result.video_codec, result.audio_codec) == (96, 64, "wmv2", "wmav2")
    assert texts(result, "artist")[0] == "Sine"


def test_another_codec_of_the_picture_makes_it_plain_asf():
    result = run(asf(file_properties(), film(b"H264"), sound())).result
    assert (result.encoding_format, result.codec, result.is_video) == ("video/x-ms-asf", "h264", True)


def test_the_time_of_a_frame_stands_in_the_extension():
    numbers = struct.pack("<QQ8IHHQHH", 0, 0, *([0] * 8), 2, 0, 400_000, 1, 1)
    name = struct.pack("<HH", 0, 6) + wide("ab")
    system = bytes(16) + struct.pack("<HI", 2, 4) + bytes(4)
    head = extension(thing(EXTENDED_STREAM, numbers + name + system + film()))
    result = run(asf(file_properties(), head, sound())).result
    assert (result.frame_rate, result.width, result.video_codec) == (25, 640, "wmv3")


RAWS = {
    "8-bit text in a field of UTF-16": "Привет!!".encode("cp1251"),
    "a lone surrogate": b"\x00\xd8A\0",
    "8-bit text widened": b"\xcf\0\xf0\0\xe8\0",
    "a last letter with a zero byte": "Ā".encode("utf-16-le") * 2,
}
ODD = "Привет!".encode("cp1251")


@pytest.mark.parametrize(("raw", "end"), [(ODD, b""), *[(raw, end) for raw in RAWS.values() for end in (b"", b"\0\0")]])
def test_bytes_that_are_no_utf_16_are_kept(raw, end):
    fields = content(raw + end, b"", b"", b"", b"")
    head = asf(file_properties(), fields, extended(("WM/AlbumTitle", 0, raw + end)), sound())
    tags = run(head).result.tags
    assert [(tag.frame, tag.key, tag.raw, tag.declared) for tag in tags] == [
        ("Title", "title", raw, "utf-16-le"),
        ("WM/AlbumTitle", "album", raw, "utf-16-le"),
    ]


def test_a_terminator_that_was_counted_half_is_none_of_the_text():
    assert run(asf(content(b"T\0o\0\0", b"", b"", b"", b""))).result.tags[0].raw == b"T\0o\0"


def test_attributes_that_are_numbers_are_read_where_they_mean_something():
    numbers = extended(
        ("WM/TrackNumber", 3, struct.pack("<I", 7)),
        ("WM/PartOfSet", 5, struct.pack("<H", 2)),
        ("WM/Year", 4, struct.pack("<Q", 2004)),
        ("WM/EncodingTime", 4, struct.pack("<Q", 99)),
        ("WM/BeatsPerMinute", 3, b"short"),
        ("IsVBR", 2, struct.pack("<I", 1)),
    )
    result = run(asf(file_properties(), numbers, sound())).result
    assert [(tag.key, tag.text) for tag in result.tags] == [
        ("tracknumber", "7"),
        ("discnumber", "2"),
        ("date", "2004"),
    ]
    assert result.bitrate_mode == "vbr"


def test_the_list_of_codecs_tells_how_the_rate_moves():
    def entry(kind, name, description):
        parts = (text.encode("utf-16-le") for text in (name, description))
        return struct.pack("<H", kind) + b"".join(struct.pack("<H", len(p) // 2) + p for p in parts) + b"\2\0ab"

    entries = entry(1, "Film", "VBR") + entry(2, "Windows Media Audio 9", "64 kbps, 44 kHz, stereo 1-pass CBR\0")
    codecs = thing(CODECS, bytes(16) + struct.pack("<I", 2) + entries)
    assert run(asf(file_properties(), codecs, sound())).result.bitrate_mode == "cbr"


def test_pictures_are_stepped_over():
    pictured = extended(("WM/Picture", 1, wm_picture(60_000)), ("WM/AlbumTitle", 0, wide("Album")))
    large = extension(library(("WM/Picture", 1, wm_picture(500_000)), ("WM/Mood", 0, wide("calm"))))
    probed = run(asf(file_properties(), large, pictured, sound(), media=bytes(100_000)))
    result = probed.result
    assert (texts(result, "album"), texts(result, "mood")) == (["Album"], ["calm"])
    assert (result.has_cover, result.cover_mime, result.cover_size) == (True, "image/png", 500_000)
    assert (result.codec, result.status) == ("wmav2", "complete")
    assert (probed.requests, probed.fetched < 100 * 1024) == (3, True)


def test_a_cover_that_mutagen_wrote_costs_one_more_request():
    file = ASF(io.BytesIO(sample("tone.wma")))
    file["WM/Picture"] = ASFByteArrayAttribute(wm_picture(500_000))
    file["WM/AlbumArtist"] = ["Тон"]
    probed = run(saved(file, sample("tone.wma")))
    assert (texts(probed.result, "albumartist"), probed.result.has_cover) == (["Тон"], True)
    assert (probed.requests, probed.fetched <= 32 * 1024, probed.result.status) == (2, True, "complete")


def test_the_length_of_a_broadcast_is_estimated():
    head = asf(file_properties(flags=1, seconds=1), sound())
    result = run(head + bytes(80_000)).result
    assert (result.duration, result.duration_estimated) == (pytest.approx(10), True)


def test_the_preroll_is_not_played():
    result = run(asf(file_properties(seconds=60, preroll=5000), sound())).result
    assert (result.duration, result.duration_estimated) == (pytest.approx(60), False)


def test_a_stream_that_ends_inside_its_numbers_is_left_out():
    result = run(asf(file_properties(), stream(AUDIO, b"\x61\1\2"), sound(0x162))).result
    assert (result.codec, result.status) == ("wmapro", "partial")


def test_an_object_that_does_not_fit_hides_none_before_it():
    result = run(
        asf(file_properties(), content(wide("Tone"), b"", b"", b"", b""), thing(STREAM, b"", size=2**63))
    ).result
    assert (texts(result, "title"), result.duration) == (["Tone"], pytest.approx(60))
    assert result.status == "partial"


def test_a_part_that_failed_once_is_not_called_done():
    broken = thing(CONTENT, struct.pack("<5H", 60_000, 0, 0, 0, 0))
    probed = run(asf(broken, extended(("Author", 0, wide("Sine")))))
    assert texts(probed.result, "artist") == ["Sine"]
    assert probed.probe.stages()["text"] == "BrokenError: an attribute is longer than its object"


@pytest.mark.parametrize("size", [0, 23])
def test_an_object_smaller_than_its_header_ends_the_walk(size):
    assert run(asf(file_properties(), thing(EXTENDED, b"", size=size))).result.status == "partial"


def test_an_attribute_longer_than_its_object_is_not_read():
    body = struct.pack("<H", 1) + struct.pack("<H", 2) + b"a\0" + struct.pack("<HH", 0, 60_000)
    probed = run(asf(file_properties(), thing(EXTENDED, body), sound(), media=bytes(100_000)))
    assert (probed.result.tags, probed.result.codec) == ([], "wmav2")


def test_counts_that_claim_more_than_there_is_end_with_the_object():
    result = run(asf(file_properties(), extended(("Author", 0, wide("Sine")), count=65_535), sound())).result
    assert (texts(result, "artist"), result.codec) == (["Sine"], "wmav2")


def test_an_extension_in_an_extension_is_not_followed():
    nested = library(("WM/Mood", 0, wide("calm")))
    for _ in range(1000):
        nested = extension(nested)
    result = run(asf(file_properties(), sound(), nested)).result
    assert (result.tags, result.codec) == ([], "wmav2")


def test_many_empty_attributes_reach_the_limit():
    result = run(asf(sound(), extended(*[("a", 0, b"")] * 6000)), ProbePolicy()).result
    assert (result.notes, result.codec) == (["limit:parts"], "wmav2")
