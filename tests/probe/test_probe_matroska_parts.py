"""Parts of Matroska: tracks with languages, names and colours, chapters of an edition, pictures among attachments."""

import struct

import pytest
from probe_media import cover, run, sample, texts

from mediacrawl.model.parts import as_object
from mediacrawl.probe import build_item
from mediacrawl.probe.policy import ProbePolicy

SEGMENT, CLUSTER, INFO, TRACKS, TAGS = 0x18538067, 0x1F43B675, 0x1549A966, 0x1654AE6B, 0x1254C367
ATTACHMENTS, CHAPTERS, SEEK_HEAD = 0x1941A469, 0x1043A770, 0x114D9B74


def element(name, *bodies):
    body = b"".join(bodies)
    return name.to_bytes((name.bit_length() + 7) // 8, "big") + struct.pack(">Q", len(body) | 1 << 56) + body


def uint(name, value):
    return element(name, value.to_bytes(8, "big"))


def track(kind, codec, *more, name=b"", language=b"", default=None, forced=None):
    parts = [uint(0x83, kind), element(0x86, codec), *more]
    parts += [element(0x536E, name)] if name else []
    parts += [element(0x22B59C, language)] if language else []
    parts += [] if default is None else [uint(0x88, default)]
    parts += [] if forced is None else [uint(0x55AA, forced)]
    return element(0xAE, *parts)


SOUND = track(2, b"A_OPUS")


def file(*parts, tracks=SOUND):
    header = element(0x1A45DFA3, element(0x4282, b"matroska"))
    info = element(INFO, element(0x4489, struct.pack(">d", 4000)))
    return header + element(SEGMENT, info, element(TRACKS, tracks), *parts)


# The sample is made with two languages of sound, of which the second plays by itself, PQ and subtitles in two codecs;
# ffprobe shows the same.


def test_the_sample_has_the_tracks_that_it_was_made_with():
    probed = run(sample("tracks.mkv"))
    video, german, english, russian, forced = map(as_object, probed.result.tracks)
    assert video == {
        "kind": "video", "codec": "h264", "default": False, "width": 96, "height": 64, "frame_rate": 10.0,
        "transfer": "smpte2084", "primaries": "bt2020",
    }  # fmt: skip
    shared = {"kind": "audio", "codec": "aac", "channels": 1, "channel_layout": "mono", "sample_rate": 8000}
    assert german == {**shared, "language": "de", "default": False}
    assert english == {**shared, "language": "en", "title": "Комментарий", "default": True}
    assert russian == {"kind": "subtitle", "codec": "subrip", "language": "ru", "default": False, "forced": False}
    assert forced == {"kind": "subtitle", "codec": "ass", "default": False, "forced": True}
    assert (texts(probed.result, "tracks[2].title"), texts(probed.result, "language")) == (["Комментарий"], ["eng"])
    item = build_item(probed.result, probed.probe, url="http://example.org/a.mkv")
    assert (item.language, item.audio_codec, item.tracks[2]["title"]) == ("en", "aac", "Комментарий")


def test_the_attached_picture_of_the_sample_stands_where_it_is_said_to():
    data = sample("tracks.mkv")
    (found,) = run(data).result.covers
    assert (found.type, found.mime) == ("front", "image/jpeg")
    picture = data[found.position : found.position + found.size]
    assert (picture[:3], picture[-2:]) == (b"\xff\xd8\xff", b"\xff\xd9")


# Tracks.


@pytest.mark.parametrize(
    ("tracks", "language"),
    [
        ([(b"ger", 0), (b"fre", 1)], "fr"),
        ([(b"ger", 0), (b"fre", 0)], "de"),
        ([(b"ger", None), (b"fre", None)], "de"),
        ([(b"", None), (b"fre", None)], None),
        ([(b"und", 1)], None),
    ],
)
def test_the_sound_that_plays_by_itself_says_the_language_of_the_file(tracks, language):
    sounds = b"".join(track(2, b"A_OPUS", language=code, default=default) for code, default in tracks)
    probed = run(file(tracks=sounds))
    assert build_item(probed.result, probed.probe, url="http://example.org/a").language == language
    assert [each.default for each in probed.result.tracks] == [default != 0 for _, default in tracks]


def test_a_language_of_bcp_47_goes_before_the_three_letters():
    both = track(2, b"A_OPUS", element(0x22B59D, b"pt-BR"), language=b"por")
    result = run(file(tracks=both)).result
    assert (result.tracks[0].language, texts(result, "language")) == ("pt-BR", ["pt-BR"])


@pytest.mark.parametrize(
    ("codec", "name"),
    [
        (b"S_TEXT/UTF8", "subrip"),
        (b"S_TEXT/ASS", "ass"),
        (b"S_TEXT/SSA", "ass"),
        (b"S_SSA", "ass"),
        (b"S_ASS", "ass"),
        (b"S_TEXT/WEBVTT", "webvtt"),
        (b"D_WEBVTT/SUBTITLES", "webvtt"),
        (b"S_VOBSUB", "dvd_subtitle"),
        (b"S_HDMV/PGS", "hdmv_pgs_subtitle"),
        (b"S_HDMV/TEXTST", "hdmv_text_subtitle"),
        (b"S_DVBSUB", "dvb_subtitle"),
        (b"S_KATE", "kate"),
    ],
)
def test_subtitles_go_by_the_names_of_ffmpeg(codec, name):
    (_, found) = run(file(tracks=SOUND + track(17, codec, language=b"ice", forced=1))).result.tracks
    assert (found.kind, found.codec, found.language, found.forced) == ("subtitle", name, "is", True)


def test_buttons_and_metadata_are_no_tracks():
    others = b"".join(track(kind, b"B_VOBBTN") for kind in (3, 16, 18, 32, 33))
    assert [each.kind for each in run(file(tracks=SOUND + others)).result.tracks] == ["audio"]


@pytest.mark.parametrize(
    ("codes", "names"), [((16, 9), ("smpte2084", "bt2020")), ((2, 2), (None, None)), ((2**40, 99), (None, None))]
)
def test_colours_are_named_by_their_code_points(codes, names):
    colour = element(0xE0, element(0x55B0, uint(0x55BA, codes[0]), uint(0x55BB, codes[1])))
    (found,) = run(file(tracks=track(1, b"V_VP9", colour))).result.tracks
    assert (found.transfer, found.primaries) == names


@pytest.mark.parametrize(
    ("roll", "projection", "rotation", "shown"),
    [
        (-90.0, 0, 90, (360, 640)),
        (90.0, 0, 270, (360, 640)),
        (180.0, 0, 180, (640, 360)),
        (0.0, 0, None, (640, 360)),
        (90.0, 1, None, (640, 360)),  # a sphere is turned when it is projected
        (float("nan"), 0, None, (640, 360)),
        (1e300, 0, None, None),
    ],
)
def test_a_roll_turns_a_plain_picture(roll, projection, rotation, shown):
    """The roll counts against the clock, a rotation with it."""
    projected = element(0x7670, uint(0x7671, projection), element(0x7675, struct.pack(">d", roll)))
    picture = element(0xE0, uint(0xB0, 640), uint(0xBA, 360), projected)
    result = run(file(tracks=track(1, b"V_VP9", picture))).result
    if shown:
        assert (result.rotation, (result.width, result.height)) == (rotation, shown)
    assert (result.tracks[0].width, result.tracks[0].height) == (640, 360)


def test_the_statistics_of_a_track_are_its_bit_rate():
    sound = track(2, b"A_OPUS", uint(0x73C5, 7)) + track(2, b"A_OPUS", uint(0x73C5, 8))
    simple = element(0x67C8, element(0x45A3, b"BPS"), element(0x4487, b"64000"))
    tags = element(TAGS, element(0x7373, element(0x63C0, uint(0x63C5, 8)), simple))
    assert [each.bitrate for each in run(file(tags, tracks=sound)).result.tracks] == [None, 64_000]


# Chapters.


def atom(start, *titles, end=None, hidden=0, nested=b""):
    """A chapter: seconds, and titles as (language, bytes)."""
    displays = [element(0x80, element(0x85, raw), element(0x437C, code)) for code, raw in titles]
    parts = [uint(0x91, round(start * 1e9)), uint(0x98, hidden), *displays, nested]
    return element(0xB6, *parts, *([] if end is None else [uint(0x92, round(end * 1e9))]))


def edition(*atoms, default=0, hidden=0):
    return element(0x45B9, uint(0x45DB, default), uint(0x45BD, hidden), *atoms)


def chapters_of(*editions, tracks=SOUND):
    return [as_object(chapter) for chapter in run(file(element(CHAPTERS, *editions), tracks=tracks)).result.chapters]


ONE, TWO = (b"eng", b"One"), (b"eng", b"Two")


def test_the_default_edition_that_is_not_hidden_counts():
    hidden, other = edition(atom(0, (b"eng", b"Hidden")), default=1, hidden=1), edition(atom(0, (b"eng", b"Other")))
    chosen = edition(atom(0, ONE), atom(60.5, TWO, end=90), default=1)
    expected = [{"start": 0.0, "end": 60.5, "title": "One"}, {"start": 60.5, "end": 90.0, "title": "Two"}]
    assert chapters_of(hidden, other, chosen) == expected
    assert [chapter["title"] for chapter in chapters_of(hidden, other)] == ["Other"]
    assert chapters_of(hidden) == []


def test_hidden_chapters_and_parts_of_chapters_are_left_out():
    inner = atom(10, (b"eng", b"Inner"))
    found = chapters_of(edition(atom(0, ONE, nested=inner), atom(20, (b"eng", b"No"), hidden=1), atom(30, TWO)))
    assert [chapter["title"] for chapter in found] == ["One", "Two"]


def test_the_only_chapter_is_the_whole_and_its_parts_are_the_chapters():
    whole = atom(0, (b"eng", b"Disc"), nested=atom(0, ONE) + atom(10, TWO))
    assert [chapter["title"] for chapter in chapters_of(edition(atom(0, nested=whole)))] == ["One", "Two"]
    lone = atom(0, ONE, nested=atom(5, TWO, hidden=1))
    assert [chapter["title"] for chapter in chapters_of(edition(lone))] == ["One"]


@pytest.mark.parametrize(("language", "title"), [(b"rus", "Два"), (b"eng", "Two"), (b"fre", "Two"), (b"", "Two")])
def test_the_title_in_the_language_of_the_sound_counts(language, title):
    sound = track(2, b"A_OPUS", language=language)
    (found,) = chapters_of(edition(atom(0, TWO, (b"rus", "Два".encode()))), tracks=sound)
    assert found["title"] == title


def test_titles_beyond_ascii_keep_their_bytes():
    raw = "Глава".encode("cp1251")
    result = run(file(element(CHAPTERS, edition(atom(0, (b"rus", raw)), atom(5))))).result
    assert [(tag.key, tag.frame, tag.raw) for tag in result.tags] == [("chapters[0].title", "ChapString", raw)]
    assert [as_object(chapter).get("start") for chapter in result.chapters] == [0, 5]


def test_chapters_behind_the_clusters_cost_one_request():
    seek = element(0x4DBB, element(0x53AB, CHAPTERS.to_bytes(4, "big")), uint(0x53AC, 0))
    parts = element(TRACKS, SOUND), element(CLUSTER, bytes(1_000_000)), element(CHAPTERS, edition(atom(0, ONE)))
    at = len(element(SEEK_HEAD, seek)) + len(parts[0]) + len(parts[1])
    seek = element(0x4DBB, element(0x53AB, CHAPTERS.to_bytes(4, "big")), uint(0x53AC, at))
    info = element(INFO, element(0x4489, struct.pack(">d", 4000)))
    body = element(
        SEEK_HEAD, element(0x4DBB, element(0x53AB, CHAPTERS.to_bytes(4, "big")), uint(0x53AC, at + len(info)))
    )
    probed = run(element(0x1A45DFA3) + element(SEGMENT, body, info, *parts))
    assert ([chapter.title for chapter in probed.result.chapters], probed.requests) == (["One"], 2)
    assert len(body) == len(element(SEEK_HEAD, seek))


def test_a_broken_chapter_does_not_hide_the_others():
    broken = element(0xB6, element(0x91, bytes(9)))
    result = run(file(element(CHAPTERS, edition(broken, atom(5, TWO))))).result
    assert ([chapter.title for chapter in result.chapters], result.notes) == (["Two"], ["chapter:BrokenError"])


@pytest.mark.parametrize("count", [500, 501, 20_000])
def test_more_chapters_than_the_limit_are_noted(count):
    tiny = element(0xB6, uint(0x91, 5))
    result = run(file(element(CHAPTERS, element(0x45B9, tiny * count))), ProbePolicy(max_parts=50_000)).result
    assert (len(result.chapters), "limit:chapters" in result.notes) == (500, count > 500)


def test_chapters_in_chapters_end_at_a_depth():
    nested = atom(0, ONE)
    for _ in range(1000):
        nested = element(0xB6, nested)
    result = run(file(element(CHAPTERS, element(0x45B9, nested)))).result
    assert [as_object(chapter) for chapter in result.chapters] == [{"start": 0.0}]


# Attachments.


def attached(name, mime, data):
    return element(0x61A7, element(0x466E, name), element(0x4660, mime), element(0x465C, data))


def test_pictures_are_listed_with_their_places_and_what_they_show():
    files = [
        (b"small_cover.png", b"image/png", bytes(50), "other icon"),
        (b"cover_land.jpg", b"image/jpeg", cover(900), "front"),
        (b"Cover.JPG", b"image/jpeg", cover(800), "front"),
        (b"other.jpg", b"image/jpeg", cover(700), None),
    ]
    data = file(element(ATTACHMENTS, *(attached(*each[:3]) for each in files), attached(b"a.ttf", b"font/ttf", b"x")))
    result = run(data).result
    assert [(found.type, found.mime) for found in result.covers] == [
        (kind, mime.decode()) for _, mime, _, kind in files
    ]
    assert [data[found.position : found.position + found.size] for found in result.covers] == [
        raw for _, _, raw, _ in files
    ]
    assert (result.cover_mime, result.cover_size) == ("image/png", 50)


def test_each_cut_of_the_parts_ends_calmly():
    parts = [
        element(CHAPTERS, edition(atom(0, ONE), atom(5, TWO))),
        element(ATTACHMENTS, attached(b"c", b"image/a", b"x")),
    ]
    tracks = SOUND + track(17, b"S_VOBSUB", name="Тон".encode(), forced=1)
    data = file(*parts, tracks=tracks)
    for stop in range(len(data)):
        run(data[:stop], restart=False)
