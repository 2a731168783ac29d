"""Tracks of MP4 and QuickTime: language, name, layout, colours, subtitles, turned pictures, iTunes' numbers, covers."""

import struct

import pytest
from probe_media import atom, cover, run, sample, texts
from probe_movie import language, movie, picture, sound, text, tkhd, trak

from mediacrawl.encoding.records.values import best_values
from mediacrawl.model.identifiers import identifiers_of
from mediacrawl.model.parts import as_object
from mediacrawl.probe import ProbePolicy, build_item

URL = "http://example.org/a.mp4"


def tracks_of(data):
    return [as_object(track) for track in run(data).result.tracks]


def item_of(data):
    probed = run(data)
    return build_item(probed.result, probed.probe, url=URL)


# The sample is made with two languages of sound, a title, PQ and Russian subtitles; ffprobe shows the same.


def test_the_sample_has_the_tracks_that_it_was_made_with():
    video, german, english, russian = tracks_of(sample("tracks.mp4"))
    assert video == {
        "kind": "video", "codec": "h264", "default": True, "bitrate": 9112, "width": 96, "height": 64,
        "frame_rate": 10.0, "transfer": "smpte2084", "primaries": "bt2020",
    }  # fmt: skip
    shared = {"kind": "audio", "codec": "aac", "channels": 1, "channel_layout": "mono", "sample_rate": 8000}
    assert german == {**shared, "language": "de", "default": True, "bitrate": 9929}
    assert english == {**shared, "language": "en", "title": "Комментарий", "default": False, "bitrate": 9631}
    assert russian == {"kind": "subtitle", "codec": "mov_text", "language": "ru", "default": True, "forced": False}


def test_the_title_of_a_track_beyond_ascii_has_its_evidence_and_the_record_a_language():
    item = item_of(sample("tracks.mp4"))
    (element,) = [tag for tag in item.tags if tag["key"] == "tracks[2].title"]
    assert (element["source"], element["frame"], element["text"]) == ("mp4", "name", "Комментарий")
    assert (item.language, item.tracks[2]["title"]) == ("de", "Комментарий")


@pytest.mark.parametrize("name", ["first.m4a", "tone.3gp", "fragmented.m4a"])
def test_a_single_track_of_sound_is_listed(name):
    (track,) = tracks_of(sample(name))
    assert (track["kind"], track["codec"], track["channel_layout"], track["sample_rate"]) == (
        "audio", "aac", "mono", 44_100,
    )  # fmt: skip


# Languages.


@pytest.mark.parametrize(
    ("brand", "code", "elng", "expected", "frame"),
    [
        (b"isom", language("ger"), None, "de", "mdhd"),
        (b"isom", language("deu"), b"de-CH\0", "de-CH", "elng"),
        (b"isom", language("und"), None, None, None),
        (b"isom", language("und"), b"zh-hant\0", "zh-Hant", "elng"),
        (b"isom", 0x7FFF, None, None, None),
        (b"isom", 0, None, None, None),
        (b"qt  ", 0, None, "en", "mdhd"),
        (b"qt  ", 32, None, "ru", "mdhd"),
        (b"qt  ", 200, None, None, None),
        (b"isom", language("eng"), b"\xff\xfe\0", None, None),
    ],
)
def test_the_language_of_a_track_is_that_of_its_extended_tag_or_its_code(brand, code, elng, expected, frame):
    media = b"" if elng is None else atom(b"elng", bytes(4), elng)
    result = run(movie(trak(1, b"soun", sound(), code=code, media=media), brand=brand)).result
    assert [track.language for track in result.tracks] == [expected]
    assert [tag.frame for tag in result.tags if tag.key == "language"] == ([frame] if frame else [])


@pytest.mark.parametrize(
    ("tracks", "expected"),
    [
        ([(b"vide", "eng", True), (b"soun", "deu", False), (b"soun", "fra", True)], "fr"),
        ([(b"soun", "deu", False), (b"soun", "fra", False)], "de"),
        ([(b"vide", "eng", True)], "en"),
        ([(b"vide", "eng", True), (b"soun", "und", True)], None),
        ([(b"sbtl", "eng", True)], None),
    ],
)
def test_the_first_sound_that_plays_says_the_language_of_the_file(tracks, expected):
    described = {b"vide": picture(), b"soun": sound(), b"sbtl": text(b"tx3g")}
    traks = [
        trak(number, kind, described[kind], code=language(code), enabled=enabled)
        for number, (kind, code, enabled) in enumerate(tracks, 1)
    ]
    assert item_of(movie(*traks)).language == expected


# Names.


@pytest.mark.parametrize(
    ("name", "title"),
    [
        (b"Director's commentary\0", "Director's commentary"),
        (b"SoundHandler\0", None),
        (b"VideoHandle\0", None),
        (b"Apple Sound Media Handler", None),
        (b"Core Media Audio\0", None),
        (b"GPAC ISO Audio Handler\0", None),
        (b"L-SMASH Audio Handler\0", None),
        (b"ISO Media file produced by Google Inc. Created on: 01/01/2020.\0", None),
        (b"song.264#video:fps=25@GPAC0.5\0", None),
        (b"Stereo\0", None),
        (b"Chandler's song\0", "Chandler's song"),
        (b"\0", None),
        (b"", None),
    ],
)
def test_what_programs_write_by_themselves_is_no_title(name, title):
    assert run(movie(trak(1, b"soun", sound(), name=name))).result.tracks[0].title == title


def test_a_name_of_a_person_goes_before_that_of_the_handler():
    named = atom(b"udta", atom(b"name", "Тон".encode()))
    for place in ("before", "behind"):
        result = run(movie(trak(1, b"soun", sound(), name=b"Main sound\0", **{place: named}))).result
        assert (result.tracks[0].title, texts(result, "tracks[0].title")) == ("Тон", ["Тон"])


def test_quicktime_counts_the_letters_of_a_name_and_has_an_encoding_of_its_own():
    name = "Übersetzung".encode("mac-roman")
    data = movie(trak(1, b"soun", sound()), brand=b"qt  ")
    old = atom(b"hdlr", bytes(8), b"soun", bytes(12))
    new = atom(b"hdlr", bytes(4), b"mhlr", b"soun", bytes(12), bytes([len(name)]), name)
    for parent in (b"moov", b"trak", b"mdia"):
        at = data.index(parent) - 4
        (size,) = struct.unpack_from(">I", data, at)
        data = data[:at] + struct.pack(">I", size + len(new) - len(old)) + data[at + 4 :]
    result = run(data.replace(old, new)).result
    assert result.tracks[0].title == "Übersetzung"
    assert [(tag.raw, tag.declared) for tag in result.tags] == [(name, "mac-roman")]


# Sound, pictures, subtitles.

PCM = {"channels": 6}


@pytest.mark.parametrize(
    ("description", "layout"),
    [
        (sound(channels=1), "mono"),
        (sound(channels=2), "stereo"),
        (sound(b"fLaC", channels=6), "5.1"),
        (sound(b"sowt", channels=6), None),
        (sound(b"sowt", atom(b"chan", struct.pack(">IIII", 0, 121 << 16 | 6, 0, 0)), **PCM), "5.1"),
        (sound(b"sowt", atom(b"chan", struct.pack(">IIII", 0, 1 << 16, 0x60F, 0)), **PCM), "5.1(side)"),
        (sound(b"sowt", atom(b"chan", struct.pack(">IIII", 0, 1 << 16, 0x3, 0)), **PCM), None),
        (sound(b"sowt", atom(b"chan", struct.pack(">IIII", 0, 999 << 16 | 6, 0, 0)), **PCM), None),
        (sound(b"sowt", atom(b"chan", struct.pack(">IIII", 0, 0, 0, 2**32 - 1)), **PCM), None),
        (
            sound(
                b"sowt",
                atom(
                    b"chan",
                    struct.pack(">IIII", 0, 0, 0, 3) + b"".join(struct.pack(">I16x", label) for label in (1, 2, 4)),
                ),
                channels=3,
            ),
            "2.1",
        ),
        (sound(b"ipcm", atom(b"chnl", bytes(4), b"\1\6", bytes(8)), **PCM), "5.1"),
        (sound(b"ipcm", atom(b"chnl", b"\1\0\0\0\x10\6\6", bytes(8)), **PCM), "5.1"),
        (sound(b"ipcm", atom(b"chnl", bytes(4), b"\1\0", bytes(6)), **PCM), None),
        (sound(b"ipcm", atom(b"chnl"), **PCM), None),
    ],
)
def test_places_of_channels_are_told_where_something_states_them(description, layout):
    assert run(movie(trak(1, b"soun", description))).result.tracks[0].channel_layout == layout


@pytest.mark.parametrize(
    ("boxes", "transfer", "primaries"),
    [
        ([atom(b"colr", b"nclx", struct.pack(">HHHB", 9, 18, 9, 0))], "arib-std-b67", "bt2020"),
        ([atom(b"colr", b"nclc", struct.pack(">HHH", 6, 1, 6))], "bt709", "smpte170m"),
        ([atom(b"colr", b"prof", bytes(40)), atom(b"colr", b"nclx", struct.pack(">HHHB", 1, 13, 1, 0))],
         "iec61966-2-1", "bt709"),
        ([atom(b"colr", b"nclx", struct.pack(">HHHB", 2, 2, 2, 0))], None, None),
        ([atom(b"colr", b"nclx", struct.pack(">HHHB", 300, 99, 2, 0))], None, None),
        ([atom(b"colr", b"nclx")], None, None),
        ([], None, None),
    ],
)  # fmt: skip
def test_colours_are_named_by_their_code_points(boxes, transfer, primaries):
    (track,) = run(movie(trak(1, b"vide", picture(b"hvc1", *boxes)))).result.tracks
    assert (track.codec, track.transfer, track.primaries) == ("hevc", transfer, primaries)


def test_the_average_rate_of_a_picture_is_told():
    rates = atom(b"btrt", struct.pack(">III", 0, 9_000_000, 5_000_000))
    assert run(movie(trak(1, b"vide", picture(b"avc1", rates)))).result.tracks[0].bitrate == 5_000_000


@pytest.mark.parametrize(
    ("kind", "entry", "flags", "codec", "forced"),
    [
        (b"sbtl", b"tx3g", 0, "mov_text", False),
        (b"sbtl", b"tx3g", 0xC0000000, "mov_text", True),
        (b"sbtl", b"tx3g", 0x40000000, "mov_text", False),
        (b"text", b"text", 0, "mov_text", None),
        (b"text", b"wvtt", 0, "webvtt", None),
        (b"subt", b"stpp", 0, "ttml", None),
        (b"clcp", b"c608", 0, "eia_608", None),
        (b"subp", b"mp4s", 0, "dvd_subtitle", None),
        (b"subt", b"abcd", 0, "abcd", None),
    ],
)
def test_subtitles_go_by_the_names_of_ffmpeg(kind, entry, flags, codec, forced):
    (track,) = run(movie(trak(1, kind, text(entry, flags), code=language("eng")))).result.tracks
    assert (track.kind, track.codec, track.forced, track.language) == ("subtitle", codec, forced, "en")


def test_tracks_that_nobody_plays_are_not_listed():
    kinds = [trak(number, kind, text(b"tmcd")) for number, kind in enumerate((b"tmcd", b"hint", b"meta"), 1)]
    assert run(movie(*kinds)).result.tracks == []


@pytest.mark.parametrize("version", [0, 1])
@pytest.mark.parametrize(
    ("matrix", "rotation", "shown"),
    [
        ((1, 0, 0, 1), None, (640, 360)),
        ((0, 1, -1, 0), 90, (360, 640)),
        ((-1, 0, 0, -1), 180, (640, 360)),
        ((0, -1, 1, 0), 270, (360, 640)),
        ((-1, 0, 0, 1), None, (640, 360)),  # mirrored only
        ((1, 0, 0, -1), 180, (640, 360)),  # mirrored and turned
        ((0, 0, 0, 0), None, (640, 360)),
    ],
)
def test_a_turned_picture_is_measured_as_it_is_shown(matrix, rotation, shown, version):
    """A camera that was held upright writes the matrix of the first quarter turn."""
    result = run(movie(trak(1, b"vide", picture(), matrix=matrix, version=version))).result
    assert (result.rotation, (result.width, result.height)) == (rotation, shown)
    assert (result.tracks[0].width, result.tracks[0].height) == (640, 360)


def test_a_short_header_of_a_track_turns_nothing():
    plain = tkhd(1)
    short = atom(b"tkhd", bytes(4), struct.pack(">IIIII", 0, 0, 1, 0, 0))
    data = movie(trak(1, b"vide", picture()))
    less = len(plain) - len(short)
    for parent in (b"moov", b"trak"):
        at = data.index(parent) - 4
        (size,) = struct.unpack_from(">I", data, at)
        data = data[:at] + struct.pack(">I", size - less) + data[at + 4 :]
    result = run(data.replace(plain, short)).result
    assert (result.rotation, result.width) == (None, 640)


def long_film(behind, *more):
    stsz, kinds = atom(b"stsz", bytes(600_000)), ((1, b"vide", picture()), (2, b"soun", sound()))
    return movie(*(trak(number, kind, entry, stsz, behind=behind) for number, kind, entry in kinds), *more)


def test_names_behind_the_tables_of_a_long_film_come_with_what_follows():
    named, more = atom(b"udta", atom(b"name", b"Main")), (atom(b"udta", atom(b"\xa9nam", b"\0\4\0\0Tone")),)
    for behind, titles, last in [(named, ["Main", None], ()), (named, ["Main", "Main"], more)]:
        plain, probed = run(long_film(b"", *last)), run(long_film(behind, *last))
        assert [track.title for track in probed.result.tracks] == titles
        assert (probed.requests, probed.result.status) == (plain.requests, "complete")
        assert probed.fetched <= plain.fetched + 2 * len(named)


def test_what_is_long_behind_the_tables_is_not_worth_a_request():
    long = atom(b"udta", atom(b"name", b"Main"), atom(b"free", bytes(9000)))
    plain, probed = run(long_film(b"")), run(long_film(long))
    assert [track.title for track in probed.result.tracks] == [None, None]
    assert (probed.requests, probed.result.status) == (plain.requests, "complete")


def test_more_tracks_than_the_limit_are_noted():
    result = run(movie(*(trak(n, b"soun", sound()) for n in range(1, 71)))).result
    assert (len(result.tracks), result.notes) == (64, ["limit:tracks"])


# iTunes.


def ilst(*items):
    meta = atom(b"meta", bytes(4), atom(b"hdlr", bytes(8), b"mdir", bytes(13)), atom(b"ilst", *items))
    return movie(trak(1, b"soun", sound()), atom(b"udta", meta), brand=b"M4A ")


def item(name, kind, raw):
    return atom(name, atom(b"data", struct.pack(">II", kind, 0), raw))


@pytest.mark.parametrize(
    ("name", "kind", "raw", "key", "value"),
    [
        (b"stik", 21, b"\0", "media_kind", "movie"),
        (b"stik", 21, b"\1", "media_kind", "music"),
        (b"stik", 21, b"\2", "media_kind", "audiobook"),
        (b"stik", 21, b"\6", "media_kind", "music video"),
        (b"stik", 0, b"\x09", "media_kind", "movie"),
        (b"stik", 21, b"\x0a", "media_kind", "tv show"),
        (b"stik", 21, b"\x0b", "media_kind", "booklet"),
        (b"stik", 21, b"\x0e", "media_kind", "ringtone"),
        (b"stik", 21, b"\x15", "media_kind", "podcast"),
        (b"stik", 21, b"\x17", "media_kind", "lecture"),
        (b"stik", 21, b"\x63", "media_kind", None),
        (b"stik", 21, b"", "media_kind", None),
        (b"pcst", 21, b"\1", "media_kind", "podcast"),
        (b"pcst", 21, b"\0", "media_kind", None),
        (b"rtng", 21, b"\1", "explicit", "yes"),
        (b"rtng", 21, b"\4", "explicit", "yes"),
        (b"rtng", 21, b"\2", "explicit", "no"),
        (b"rtng", 21, b"\0", "explicit", None),
        (b"tvsn", 21, b"\0\0\0\3", "season", "3"),
        (b"tvsn", 1, b"3", "season", "3"),
        (b"tves", 21, b"\0\0\0\x0c", "episode", "12"),
        (b"tves", 0, b"\0\0\0\x0c", "episode", "12"),
        (b"tves", 21, b"\xff\xff\xff\xff", "episode", None),
    ],
)
def test_fields_of_the_record_come_from_the_numbers_of_itunes(name, kind, raw, key, value):
    made = item_of(ilst(item(name, kind, raw)))
    assert getattr(made, key) == value
    assert [tag["text"] for tag in made.tags if tag["key"] == key] == ([value] if value else [])


@pytest.mark.parametrize(
    ("name", "kind", "raw", "found"),
    [
        (b"tven", 1, b"S01E12", [("episode_id", "S01E12")]),
        (b"tvsh", 1, b"Show", [("show", "Show")]),
        (b"egid", 0, b"guid-1", [("episode_guid", "guid-1")]),
        (b"purl", 0, b"http://a.example/f", [("podcasturl", "http://a.example/f")]),
        (b"catg", 1, b"Arts", [("category", "Arts")]),
        (b"keyw", 1, b"a, b", [("keywords", "a, b")]),
        (b"cpil", 21, b"\1", [("compilation", "1")]),
        (b"cpil", 21, b"\0", []),
        (b"cnID", 21, struct.pack(">I", 1_234_567), [("itunes_track_id", "1234567")]),
        (b"atID", 0, struct.pack(">I", 7), [("itunes_artist_id", "7")]),
        (b"plID", 21, struct.pack(">Q", 2**40), [("itunes_album_id", "1099511627776")]),
        (b"sfID", 21, struct.pack(">I", 143_441), []),
        (b"hdvd", 21, b"\1", []),
        (b"pgap", 21, b"\1", []),
    ],
)
def test_items_of_itunes_have_common_names(name, kind, raw, found):
    result = run(ilst(item(name, kind, raw))).result
    assert [(tag.key, tag.text) for tag in result.tags] == found


def test_apples_numbers_are_identifiers():
    elements = item_of(ilst(item(b"cnID", 21, b"\0\0\0\5"), item(b"egid", 0, b"guid-1"))).tags
    assert identifiers_of(elements) == {"itunes_track": ["5"], "episode": ["guid-1"]}
    assert best_values(elements)["media_kind"] is None


# Covers.


def data_atom(kind, raw):
    return atom(b"data", struct.pack(">II", kind, 0), raw)


def test_each_picture_has_its_type_and_its_place():
    pictures = [(13, cover(900)), (14, b"\x89PNG\r\n\x1a\n" + bytes(50)), (27, b"BM" + bytes(9)), (0, cover(30)),
                (0, b"?" * 9)]  # fmt: skip
    data = ilst(atom(b"covr", *(data_atom(kind, raw) for kind, raw in pictures)))
    result = run(data).result
    assert [found.mime for found in result.covers] == ["image/jpeg", "image/png", "image/bmp", "image/jpeg", None]
    assert [data[found.position : found.position + found.size] for found in result.covers] == [
        raw for _, raw in pictures
    ]
    assert (result.cover_mime, result.cover_size) == ("image/jpeg", 900)


@pytest.mark.parametrize(("second", "requests"), [(50, 2), (200_000, 3)])
def test_a_second_picture_behind_a_long_one_costs_a_request_unless_something_near_it_is_read_too(second, requests):
    pictures = data_atom(13, cover(300_000)), data_atom(14, bytes(second))
    data = ilst(atom(b"covr", *pictures), item(b"\xa9nam", 1, b"Tone"))
    probed = run(data)
    found = [(picture.mime, picture.size) for picture in probed.result.covers]
    assert found == [("image/jpeg", 300_000), ("image/png", second)]
    assert probed.result.covers[1].position == data.index(pictures[1]) + 16
    assert (texts(probed.result, "title"), probed.requests) == (["Tone"], requests)


def test_a_second_picture_that_the_budget_does_not_reach_is_as_long_as_the_rest():
    covers = atom(b"covr", data_atom(13, cover(300_000)), data_atom(14, bytes(200_000)))
    result = run(ilst(covers, item(b"\xa9nam", 1, b"Tone")), ProbePolicy(max_requests=2)).result
    assert [(found.mime, found.size) for found in result.covers] == [("image/jpeg", 300_000), (None, 200_000)]
    assert (texts(result, "title"), "budget" in result.notes) == (["Tone"], True)


@pytest.mark.parametrize("size", [0, 7, 15, 2**32 - 1])
def test_pictures_with_a_broken_size_end_the_list(size):
    broken = struct.pack(">I4sII", size, b"data", 13, 0) + bytes(90)
    assert len(run(ilst(atom(b"covr", broken * 50))).result.covers) <= 1
