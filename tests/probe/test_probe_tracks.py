"""Tracks of AVI, ASF, FLV, MPEG streams and Ogg, and that files of one stream have none."""

import struct
from uuid import UUID

import pytest
from probe_media import SAMPLES, run, sample, texts

from mediacrawl.model.parts import as_object
from mediacrawl.probe import build_item
from mediacrawl.probe.formats.channel_layouts import layout_of, layout_of_mask
from mediacrawl.probe.formats.mpeg_video import find_video_header


def tracks_of(data):
    return [as_object(track) for track in run(data).result.tracks]


ALONE = (".mp3", ".aac", ".ac3", ".eac3", ".dts", ".wav", ".flac", ".aiff", ".aifc", ".wv", ".tta", ".mp2")
SOLO_OGG = (".ogg", ".oga", ".opus", ".spx")


@pytest.mark.parametrize("name", sorted(path.name for path in SAMPLES.iterdir() if path.suffix in {*ALONE, *SOLO_OGG}))
def test_a_file_of_one_unnamed_stream_has_no_tracks(name):
    result = run(sample(name)).result
    assert (result.audio_codec is not None, result.tracks) == (True, [])


VIDEO = {"kind": "video", "width": 96, "height": 64}
SOUND = {"kind": "audio", "channels": 1, "channel_layout": "mono"}


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("film.avi", [{**VIDEO, "codec": "mpeg4", "frame_rate": 10.0},
                      {**SOUND, "codec": "mp3", "sample_rate": 16_000, "bitrate": 16_000}]),
        ("film.wmv", [{**VIDEO, "codec": "wmv2"},
                      {**SOUND, "codec": "wmav2", "sample_rate": 44_100, "bitrate": 24_000}]),
        ("film.flv", [{**VIDEO, "codec": "flv1", "frame_rate": 10.0, "bitrate": 200_000},
                      {**SOUND, "codec": "mp3", "sample_rate": 22_050, "bitrate": 16_000}]),
        ("film.ts", [{**VIDEO, "codec": "h264", "frame_rate": 10.0},
                     {**SOUND, "codec": "aac", "sample_rate": 44_100}]),
        ("tracks.ts", [{**VIDEO, "codec": "h264", "frame_rate": 10.0},
                       {**SOUND, "codec": "mp2", "sample_rate": 16_000, "bitrate": 16_000, "language": "de"},
                       {**SOUND, "codec": "mp2", "sample_rate": 16_000, "bitrate": 16_000, "language": "en"}]),
        ("film.mpg", [{**VIDEO, "codec": "mpeg1video", "frame_rate": 25.0},
                      {**SOUND, "codec": "mp2", "sample_rate": 44_100, "bitrate": 32_000}]),
        ("film.vob", [{**VIDEO, "codec": "mpeg2video", "frame_rate": 25.0},
                      {**SOUND, "codec": "ac3", "sample_rate": 44_100, "bitrate": 32_000}]),
        ("film.rm", [{**VIDEO, "codec": "rv10", "frame_rate": 10.0, "bitrate": 30_000},
                     {**SOUND, "codec": "ac3", "sample_rate": 44_100, "bitrate": 32_000}]),
        ("film.ogv", [{**VIDEO, "codec": "theora", "frame_rate": 10.0},
                      {**SOUND, "codec": "vorbis", "sample_rate": 44_100, "bitrate": 48_000}]),
    ],
)  # fmt: skip
def test_the_samples_have_the_tracks_that_ffprobe_shows(name, expected):
    assert tracks_of(sample(name)) == expected


# Places of channels.


@pytest.mark.parametrize(
    ("codec", "channels", "stated", "name"),
    [
        ("aac", 6, None, "5.1"),
        ("aac", 8, None, None),
        ("ac3", 6, None, "5.1(side)"),
        ("ac3", 6, "5.1", "5.1(side)"),
        ("vorbis", 8, None, "7.1"),
        ("pcm_s16le", 6, None, None),
        ("pcm_s16le", 6, "5.1", "5.1"),
        ("pcm_s16le", 4, "5.1", None),
        ("pcm_s16le", 1, "stereo", "mono"),
        (None, 0, None, None),
        (None, None, None, None),
    ],
)
def test_places_are_told_by_the_codec_or_by_the_file(codec, channels, stated, name):
    assert layout_of(codec, channels, stated) == name


@pytest.mark.parametrize(
    ("mask", "name"), [(0x3F, "5.1"), (0x60F, "5.1(side)"), (0x63F, "7.1"), (0, None), (2**32, None)]
)
def test_a_mask_names_a_layout(mask, name):
    assert layout_of_mask(mask) == name


# AVI.


def chunk(name, body):
    return name + struct.pack("<I", len(body)) + body + b"\0" * (len(body) % 2)


def strl(kind, form, *more, scale=1, rate=25):
    numbers = struct.pack("<IHHI4I", 0, 0, 0, 0, scale, rate, 0, 250)
    body = chunk(b"strh", kind + bytes(4) + numbers + bytes(20)) + chunk(b"strf", form) + b"".join(more)
    return chunk(b"LIST", b"strl" + body)


def avi(*streams):
    avih = chunk(b"avih", struct.pack("<10I", 40_000, 0, 0, 16, 250, 0, 2, 0, 320, 240) + bytes(16))
    hdrl = chunk(b"LIST", b"hdrl" + avih + b"".join(streams))
    body = b"AVI " + hdrl + chunk(b"LIST", b"movi" + bytes(2000))
    return b"RIFF" + struct.pack("<I", len(body)) + body


def bitmap(fourcc):
    return struct.pack("<IiiHH4s", 40, 640, 480, 1, 24, fourcc) + bytes(20)


def wave(number, channels, mask=None):
    plain = struct.pack("<HHIIHH", 0xFFFE if mask else number, channels, 48_000, 24_000, 1, 16)
    tail = bytes.fromhex("000000001000800000aa00389b71")
    return plain + (struct.pack("<HHIH", 22, 16, mask, number) + tail if mask else b"")


def test_avi_lists_each_stream_with_its_name():
    data = avi(
        strl(b"vids", bitmap(b"XVID")),
        strl(b"auds", wave(0x55, 2), chunk(b"strn", b"Deutsch\0")),
        strl(b"auds", wave(1, 6, mask=0x3F), chunk(b"strn", "Русский".encode("cp1251") + b"\0")),
        strl(b"vids", bitmap(b"DXSB")),
        strl(b"txts", b""),
        strl(b"mids", b""),
    )
    probed = run(data)
    assert [as_object(track) for track in probed.result.tracks] == [
        {"kind": "video", "codec": "mpeg4", "width": 640, "height": 480, "frame_rate": 25.0},
        {"kind": "audio", "codec": "mp3", "title": "Deutsch", "channels": 2, "channel_layout": "stereo",
         "sample_rate": 48_000, "bitrate": 192_000},
        {"kind": "audio", "codec": "pcm_s16le", "title": "Русский".encode("cp1251").decode("latin-1"), "channels": 6,
         "channel_layout": "5.1", "sample_rate": 48_000, "bitrate": 192_000},
        {"kind": "subtitle", "codec": "xsub"},
        {"kind": "subtitle"},
    ]  # fmt: skip
    assert [(tag.key, tag.frame, tag.raw) for tag in probed.result.tags] == [
        ("tracks[2].title", "strn", "Русский".encode("cp1251"))
    ]


# ASF.


def guid(text):
    return UUID(text).bytes_le


def thing(kind, body):
    return guid(kind) + struct.pack("<Q", len(body) + 24) + body


def asf(*objects):
    body = b"".join(objects)
    return (
        guid("75B22630-668E-11CF-A6D9-00AA0062CE6C") + struct.pack("<QIBB", len(body) + 30, len(objects), 1, 2) + body
    )


def stream(number, *, channels=2):
    head = guid("F8699E40-5B4D-11CF-A8FD-00805F5C442B") + bytes(24) + struct.pack("<IIHI", 18, 0, number, 0)
    sound = struct.pack("<HHIIHHH", 0x161, channels, 44_100, 8000, 1485, 16, 0)
    return thing("B7DC0791-A9B7-11CF-8EE6-00C00C205365", head + sound)


def wide(text):
    return text.encode("utf-16-le") + b"\0\0"


def details(number, *, bitrate=0, language=0, name=None, names=None):
    named = b"" if name is None else struct.pack("<HH", language, len(wide(name))) + wide(name)
    count = (name is not None) if names is None else names
    body = struct.pack("<16xI28xHHQHH", bitrate, number, language, 0, count, 0) + named
    return thing("14E6A5CB-C672-4332-8399-A96952065B5A", body)


def extension(*objects):
    body = b"".join(objects)
    return thing("5FBF03B5-A92E-11CF-8EE3-00C00C205365", bytes(18) + struct.pack("<I", len(body)) + body)


def languages(*codes, count=None):
    body = b"".join(bytes([len(wide(code))]) + wide(code) for code in codes)
    return thing(
        "7C4346A9-EFE0-4BFC-B229-393EDE415C85", struct.pack("<H", len(codes) if count is None else count) + body
    )


def bitrates(*pairs):
    body = struct.pack("<H", len(pairs)) + b"".join(struct.pack("<HI", *pair) for pair in pairs)
    return thing("7BF875CE-468D-11D1-8D82-006097C9A2B2", body)


def test_asf_lists_each_stream_with_language_name_and_rate():
    more = extension(
        languages("en-us", "de"), details(2, bitrate=96_000, language=1, name="Комментарий"), details(1, language=0)
    )
    probed = run(asf(more, stream(1), stream(2, channels=1), stream(3), bitrates((1, 64_000), (2, 5), (9, 7))))
    first, second, third = (as_object(track) for track in probed.result.tracks)
    shared = {"kind": "audio", "codec": "wmav2", "sample_rate": 44_100}
    two = {"channels": 2, "channel_layout": "stereo"}
    assert first == {**shared, **two, "language": "en-US", "bitrate": 64_000}
    assert second == {
        **shared, "channels": 1, "channel_layout": "mono", "language": "de", "bitrate": 96_000, "title": "Комментарий",
    }  # fmt: skip
    assert third == {**shared, **two, "bitrate": 64_000}
    assert [(tag.key, tag.declared) for tag in probed.result.tags] == [("tracks[1].title", "utf-16-le")]
    assert (probed.result.channels, probed.result.bitrate) == (2, 64_000)


@pytest.mark.parametrize(
    "broken",
    [
        languages("de", count=65_535),
        details(1, language=9, name="x", names=65_535),
        details(1, language=65_535),
        bitrates() + b"",
        thing("7BF875CE-468D-11D1-8D82-006097C9A2B2", b"\xff\xff"),
        thing("7C4346A9-EFE0-4BFC-B229-393EDE415C85", b"\1\0\xff"),
    ],
)
def test_broken_lists_of_asf_leave_the_streams(broken):
    result = run(asf(extension(broken), stream(1))).result
    assert [(track.codec, track.language in {None, "de"}) for track in result.tracks] == [("wmav2", True)]


# MPEG transport streams.


def section(number, kind, body):
    whole = bytes([kind]) + struct.pack(">H", 0xB000 | len(body) + 9) + b"\0\1\xc1\0\0" + body + bytes(4)
    return (struct.pack(">BHB", 0x47, 0x4000 | number, 0x10) + b"\0" + whole).ljust(188, b"\xff")


NOTHING = struct.pack(">BHB", 0x47, 0x1FFF, 0x10) + b"\xff" * 184


def transport(*entries, about=b""):
    programs = section(0, 0, struct.pack(">HHHH", 0, 0xE010, 1, 0xE100))
    body = struct.pack(">HH", 0xE101, 0xF000 | len(about)) + about
    for number, (kind, descriptors) in enumerate(entries, 0x101):
        body += struct.pack(">BHH", kind, 0xE000 | number, 0xF000 | len(descriptors)) + descriptors
    return programs + section(0x100, 2, body) + NOTHING * 200


def descriptor(tag, body):
    return bytes([tag, len(body)]) + body


@pytest.mark.parametrize(
    ("kind", "descriptors", "expected"),
    [
        (0x0F, descriptor(0x0A, b"deu\0"), {"kind": "audio", "codec": "aac", "language": "de"}),
        (0x06, descriptor(0x6A, b"\0") + descriptor(0x0A, b"fre\3eng\0"),
         {"kind": "audio", "codec": "ac3", "language": "fr"}),
        (0x06, descriptor(0x59, b"rus\x10\0\1\0\1"), {"kind": "subtitle", "codec": "dvb_subtitle", "language": "ru"}),
        (0x06, descriptor(0x56, b"ger\x09\0eng\x10\x88"),
         {"kind": "subtitle", "codec": "dvb_teletext", "language": "en"}),
        (0x06, descriptor(0x56, b"ger\x09\0"), {"kind": "subtitle", "codec": "dvb_teletext", "language": "de"}),
        (0x06, descriptor(0x56, b""), {"kind": "subtitle", "codec": "dvb_teletext"}),
        (0x0F, descriptor(0x0A, b"und\0"), {"kind": "audio", "codec": "aac"}),
        (0x0F, descriptor(0x0A, b"\xff\xff\xff\0"), {"kind": "audio", "codec": "aac"}),
        (0x0F, b"\x0a\xff", {"kind": "audio", "codec": "aac"}),
        (0x1B, b"", {"kind": "video", "codec": "h264"}),
        (0x90, b"", None),
        (0x05, descriptor(0x0A, b"deu\0"), None),
    ],
)  # fmt: skip
def test_descriptors_tell_languages_and_subtitles(kind, descriptors, expected):
    assert tracks_of(transport((kind, descriptors))) == ([expected] if expected else [])


def test_subtitles_of_blu_ray_count_where_the_program_is_one():
    found = tracks_of(transport((0x90, b""), (0x92, b""), about=descriptor(5, b"HDMV")))
    assert [track["codec"] for track in found] == ["hdmv_pgs_subtitle", "hdmv_text_subtitle"]


def test_the_first_sound_says_the_language_and_subtitles_are_no_sound():
    entries = (0x06, descriptor(0x59, b"rus\x10\0\1\0\1")), (0x0F, descriptor(0x0A, b"deu\0"))
    probed = run(transport(*entries))
    item = build_item(probed.result, probed.probe, url="http://example.org/a.ts")
    assert (item.language, item.audio_codec, item.codec) == ("de", "aac", "aac")
    only = run(transport(entries[0])).result
    assert (only.audio_codec, only.codec, texts(only, "language")) == (None, None, [])


# MPEG program streams.


def pes(kind, body):
    return b"\0\0\1" + bytes([kind]) + struct.pack(">H", len(body) + 3) + b"\x80\0\0" + body


def test_subtitles_of_a_dvd_are_listed_and_are_no_sound():
    pack = b"\0\0\1\xba" + bytes.fromhex("440004000401000003f8")
    video = bytes.fromhex("000001b32d0240330271a380000001b5148a00010000")
    streams = [
        pes(0xE0, video),
        pes(0xBD, b"\x21" + bytes(50)),
        pes(0xBD, b"\x80" + bytes(50)),
        pes(0xBD, b"\x45" + bytes(9)),
    ]
    result = run(b"".join(pack + each for each in streams) * 3).result
    assert [(track.kind, track.codec) for track in result.tracks] == [
        ("video", "mpeg2video"), ("subtitle", "dvd_subtitle"), ("audio", "ac3"),
    ]  # fmt: skip
    assert (result.audio_codec, result.codec) == ("ac3", "mpeg2video")


# Colours in the headers of H.264 and HEVC.


def bits(*fields):
    """Bits of fields (count, value), or (None, value) as an Exp-Golomb code."""
    text = ""
    for count, value in fields:
        plain = f"{value + 1:b}"
        text += "0" * (len(plain) - 1) + plain if count is None else f"{value:0{count}b}"
    text = (text + "1").ljust(-(-(len(text) + 1) // 8) * 8, "0")
    return int(text, 2).to_bytes(len(text) // 8, "big")


UE = None
COLOURS = ((1, 1), (8, 255), (32, 1), (1, 1), (1, 0), (1, 1), (4, 5), (1, 1), (8, 9), (8, 16), (8, 9))
"""Shape of pixels, overscan, and the code points of bt2020 and PQ."""
PLAIN = ((1, 0), (1, 0), (1, 0))


def hevc(*before_usability, usable=COLOURS):
    size = ((UE, 0), (UE, 1), (UE, 640), (UE, 360), (1, 0), (UE, 2), (UE, 2), (UE, 4))
    head = ((4, 0), (3, 0), (1, 1), (88, 0), (8, 93), *size, (1, 1), *[(UE, 1)] * 3, *[(UE, 1)] * 6)
    data = bits(*head, *before_usability, (1, 0), (1, 0), (1, 1), *usable)
    return find_video_header(
        "hevc", b"\0\0\1\x42\1" + data.replace(b"\0\0\0", b"\0\0\3\0").replace(b"\0\0\1", b"\0\0\3\1")
    )


SETS = (
    (UE, 3),  # three sets
    (UE, 1), (UE, 1), (UE, 0), (1, 1), (UE, 0), (1, 0),  # one picture before, one behind
    (1, 1), (1, 0), (UE, 0), (1, 1), (1, 0), (1, 1), (1, 0), (1, 0),  # as before, of three choices two stay
    (1, 1), (1, 0), (UE, 0), (1, 1), (1, 1), (1, 1),  # and of these all
)  # fmt: skip
LISTS = ((1, 1), (1, 1), (1, 0), (UE, 0), (1, 1), *[(UE, 0)] * 16, *[(1, 0), (UE, 0)] * 4, *[(1, 0), (UE, 0)] * 6,
         (1, 1), (UE, 3), *[(UE, 0)] * 64, *[(1, 0), (UE, 0)] * 5, *[(1, 0), (UE, 0)] * 2)  # fmt: skip
FLAT, SIMPLE, PULSE = ((1, 0),), ((1, 0), (1, 0), (1, 0)), ((1, 0), (1, 0), (1, 1), (8, 0x77), (UE, 0), (UE, 0), (1, 0))
LONG_TERM = ((1, 1), (UE, 2), (9, 300), (9, 7))
"""Two references of eight bits of order, and a flag, each."""


@pytest.mark.parametrize(
    "before",
    [
        (*FLAT, *SIMPLE, (UE, 0), (1, 0)),
        (*FLAT, *SIMPLE, *SETS, (1, 0)),
        (*LISTS, *SIMPLE, (UE, 0), (1, 0)),
        (*FLAT, *PULSE, (UE, 0), *LONG_TERM),
    ],
)
def test_colours_of_hevc_are_found_behind_all_that_precedes_them(before):
    found = hevc(*before)
    assert (found.width, found.height, found.transfer, found.primaries) == (640, 360, "smpte2084", "bt2020")
    assert hevc(*before, usable=PLAIN).transfer is None


def test_h264_tells_its_colours():
    head = (
        (8, 66),
        (8, 0),
        (8, 30),
        (UE, 0),
        (UE, 0),
        (UE, 2),
        (UE, 1),
        (1, 0),
        (UE, 39),
        (UE, 22),
        (1, 1),
        (1, 0),
        (1, 0),
    )
    data = bits(*head, (1, 1), *COLOURS, (1, 0), (1, 0))
    found = find_video_header("h264", b"\0\0\1\x67" + data.replace(b"\0\0\1", b"\0\0\3\1"))
    assert (found.width, found.height, found.transfer, found.primaries) == (640, 368, "smpte2084", "bt2020")


# Ogg.


def page(serial, number, payload, *, flags=0, granule=0):
    lacing = b"\xff" * (len(payload) // 255) + bytes([len(payload) % 255])
    head = struct.pack("<4sBBqIIIB", b"OggS", 0, flags, granule, serial, number, 0, len(lacing))
    return head + lacing + payload


def vorbis(channels=2):
    return b"\1vorbis" + struct.pack("<IBIiiiB", 0, channels, 44_100, 0, 128_000, 0, 0xB8) + b"\1"


def comments(*texts):
    listed = b"".join(struct.pack("<I", len(text)) + text for text in texts)
    return b"\3vorbis" + struct.pack("<I", 0) + struct.pack("<I", len(texts)) + listed + b"\1"


def kate(language):
    return b"\x80kate\0\0\0" + bytes(24) + language.ljust(16, b"\0") + b"subtitles".ljust(16, b"\0")


def fisbone(serial, messages):
    return b"fisbone\0" + struct.pack("<III", 44, serial, 3) + bytes(32) + messages


FISHEAD = b"fishead\0" + bytes(56)


def test_ogg_lists_its_streams_with_what_skeleton_and_comments_say():
    data = b"".join(
        [
            page(9, 0, FISHEAD, flags=2),
            page(1, 0, vorbis(), flags=2),
            page(2, 0, vorbis(1), flags=2),
            page(3, 0, kate(b"ru"), flags=2),
            page(9, 1, fisbone(1, b"Content-Type: audio/vorbis\r\nLanguage: en\r\nTitle: Titel\r\n")),
            page(9, 2, fisbone(3, b"language: de\r\nTitle: " + "Текст".encode() + b"\r\n")),
            page(1, 1, comments(b"LANGUAGE=fra")),
            page(2, 1, comments(b"LANGUAGE=deu", b"TITLE=Tone")),
            page(1, 2, b"sound", granule=44_100),
        ]
    )
    probed = run(data)
    shared = {"kind": "audio", "codec": "vorbis", "sample_rate": 44_100, "bitrate": 128_000}
    assert [as_object(track) for track in probed.result.tracks] == [
        {**shared, "channels": 2, "channel_layout": "stereo", "language": "en", "title": "Titel"},
        {**shared, "channels": 1, "channel_layout": "mono", "language": "de"},
        {"kind": "subtitle", "codec": "kate", "language": "de", "title": "Текст"},
    ]
    assert [(tag.source, tag.frame) for tag in probed.result.tags if tag.key == "tracks[2].title"] == [
        ("skeleton", "Title")
    ]
    for stop in range(len(data)):
        run(data[:stop], restart=False)


def test_one_stream_beside_its_skeleton_is_the_file():
    data = page(9, 0, FISHEAD, flags=2) + page(1, 0, vorbis(), flags=2) + page(9, 1, fisbone(1, b"Language: de\r\n"))
    assert run(data + page(1, 1, comments())).result.tracks == []


@pytest.mark.parametrize("offset", [0, 44, 1000, 2**32 - 1])
def test_broken_messages_of_skeleton_say_nothing(offset):
    bone = b"fisbone\0" + struct.pack("<III", offset, 1, 3) + bytes(40)
    data = page(9, 0, FISHEAD, flags=2) + page(1, 0, vorbis(), flags=2) + page(2, 0, vorbis(), flags=2)
    data += page(9, 1, bone) + page(9, 2, b"fisbone\0") + page(1, 1, comments()) + page(2, 1, comments())
    assert [track.language for track in run(data).result.tracks] == [None, None]
