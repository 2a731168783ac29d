"""Matroska and WebM: what is in front, what a seek head tells of behind, and streams without a length."""

import struct

import pytest
from harness import examples
from hypothesis import given, settings
from hypothesis import strategies as st
from probe_media import cover, run, sample, texts

from mediacrawl.probe.policy import ProbePolicy

UNKNOWN = b"\x01\xff\xff\xff\xff\xff\xff\xff"
SEGMENT, CLUSTER, SEEK_HEAD = 0x18538067, 0x1F43B675, 0x114D9B74
INFO, TRACKS, TAGS, ATTACHMENTS = 0x1549A966, 0x1654AE6B, 0x1254C367, 0x1941A469


def element(name, *bodies, size=None):
    body = b"".join(bodies)
    head = name.to_bytes((name.bit_length() + 7) // 8, "big")
    return head + (size or struct.pack(">Q", len(body) | 1 << 56)) + body


def uint(name, value):
    return element(name, value.to_bytes(8, "big"))


HEADER = element(0x1A45DFA3, element(0x4282, b"matroska"))
LENGTH = element(0x4489, struct.pack(">d", 4000))
SOUND = element(0xAE, uint(0xD7, 1), uint(0x73C5, 7), uint(0x83, 2), element(0x86, b"A_OPUS"))
VIDEO = element(0xAE, uint(0xD7, 2), uint(0x73C5, 8), uint(0x83, 1), element(0x86, b"V_VP9"))


def simple(name, text, *more):
    return element(0x67C8, element(0x45A3, name.encode()), element(0x4487, text), *more)


def tag(*parts, targets=b""):
    return element(0x7373, element(0x63C0, targets), *parts)


def seek(*places):
    """A seek head of one size, whatever it tells."""
    entries = [
        element(0x4DBB, element(0x53AB, name.to_bytes(4, "big")), uint(0x53AC, position)) for name, position in places
    ]
    return element(SEEK_HEAD, *entries)


def file(*parts, tracks=SOUND, info=LENGTH, header=HEADER):
    body = b"".join((element(INFO, info), element(TRACKS, tracks), *parts))
    return header + element(SEGMENT, body)


def with_places(front, behind, *, media=1_000_000):
    """A file whose seek head tells of what follows the clusters."""
    front = element(INFO, LENGTH) + element(TRACKS, SOUND) + front
    empty = len(seek(*((name, 0) for name, _ in behind)))
    at = empty + len(front) + len(element(CLUSTER, bytes(media)))
    places = []
    for name, part in behind:
        places.append((name, at))
        at += len(part)
    body = seek(*places) + front + element(CLUSTER, bytes(media)) + b"".join(part for _, part in behind)
    return HEADER + element(SEGMENT, body)


def attached(name, mime, data):
    return element(0x61A7, element(0x466E, name), element(0x4660, mime), element(0x465C, data))


# Real files; the values are those of ffprobe.


def test_a_film_tells_all_in_one_request():
    probed = run(sample("film.mkv"))
    result = probed.result
    assert (result.status, probed.requests) == ("complete", 1)
    assert (result.container, result.encoding_format, result.is_video) == ("matroska", "video/x-matroska", True)
    assert (result.video_codec, result.audio_codec, result.codec) == ("h264", "aac", "h264")
    assert (result.width, result.height, result.frame_rate) == (96, 64, 10)
    assert (result.sample_rate, result.channels) == (44100, 1)
    assert (result.duration, result.duration_estimated) == (pytest.approx(1.023), False)
    assert result.bitrate == 34518
    assert (texts(result, "title"), texts(result, "artist")) == (["Tone"], ["Sine"])
    assert result.has_cover is False


def test_webm_with_sound_alone_is_audio():
    result = run(sample("tone.weba")).result
    assert (result.container, result.encoding_format, result.is_video) == ("webm", "audio/webm", False)
    assert (result.codec, result.duration) == ("opus", pytest.approx(2.008))
    assert texts(result, "encodersettings") == ["Lavf", "Lavc libopus"]


def test_a_stream_without_length_is_as_long_as_its_last_cluster_says():
    data = sample("live.webm")
    assert UNKNOWN in data
    result = run(data).result
    assert (result.status, result.encoding_format) == ("complete", "video/webm")
    assert (result.duration, result.duration_estimated) == (pytest.approx(2.001), False)


# What follows.


def test_tags_behind_the_clusters_cost_one_jump():
    tags = element(TAGS, tag(simple("ARTIST", "Тон".encode())))
    probed = run(with_places(b"", [(TAGS, tags)]))
    assert texts(probed.result, "artist") == ["Тон"]
    assert (probed.result.status, probed.requests) == ("complete", 2)
    assert probed.fetched <= 24 * 1024


def test_a_cover_is_described_and_not_fetched():
    parts = element(ATTACHMENTS, attached(b"cover.jpg", b"image/jpeg", cover(700_000)))
    tags = element(TAGS, tag(simple("ARTIST", b"A")))
    for data in (with_places(parts, [(TAGS, tags)]), with_places(b"", [(ATTACHMENTS, parts), (TAGS, tags)])):
        probed = run(data)
        result = probed.result
        assert (result.has_cover, result.cover_mime, result.cover_size) == (True, "image/jpeg", 700_000)
        assert texts(result, "artist") == ["A"]
        assert probed.requests <= 3
        assert probed.fetched <= 32 * 1024


def test_a_font_is_no_cover_and_what_stands_behind_a_long_one_is_not_looked_for():
    font = attached(b"a.ttf", b"font/ttf", bytes(300_000))
    result = run(with_places(element(ATTACHMENTS, font), [])).result
    assert (result.has_cover, result.status) == (False, "complete")
    both = element(ATTACHMENTS, font, attached(b"cover.png", b"image/png", b"x"))
    probed = run(with_places(both, []))
    assert (probed.result.has_cover, probed.requests) == (None, 2)


def test_without_a_seek_head_a_long_part_before_the_clusters_is_jumped_over():
    parts = element(ATTACHMENTS, attached(b"cover.jpg", b"image/jpeg", cover(500_000)))
    tags = element(TAGS, tag(simple("ARTIST", b"A")))
    probed = run(file(parts, tags, element(CLUSTER, bytes(9))))
    assert texts(probed.result, "artist") == ["A"]
    assert (probed.requests, probed.result.status) == (2, "complete")


def test_seek_heads_that_tell_of_each_other_are_read_once():
    head = seek((SEEK_HEAD, 0), (SEEK_HEAD, 0), (SEEK_HEAD, 0))
    probed = run(HEADER + element(SEGMENT, head, element(INFO, LENGTH), element(TRACKS, SOUND)))
    assert (probed.result.status, probed.result.duration) == ("complete", 4)


def test_a_seek_head_that_leads_elsewhere_is_noted():
    front = element(INFO, LENGTH) + element(TRACKS, SOUND)
    data = HEADER + element(SEGMENT, seek((TAGS, 5), (TAGS, 2**60), (TAGS, 10**6)), front, element(CLUSTER, bytes(99)))
    result = run(data).result
    assert (result.status, result.duration) == ("partial", 4)
    assert "seek:BrokenError" in result.notes


# Text.


def test_targets_decide_what_a_text_is_about():
    tags = [
        tag(simple("TITLE", b"Album"), simple("ARTIST", b"Band"), targets=uint(0x68CA, 50)),
        tag(simple("TITLE", b"Song"), simple("ARTIST", b"Singer"), targets=uint(0x68CA, 30)),
        tag(simple("PART_NUMBER", b"2"), targets=uint(0x68CA, 40)),
        tag(simple("TITLE", b"Box"), targets=uint(0x68CA, 70)),
        tag(simple("TITLE", b"First"), targets=uint(0x63C4, 99)),
        tag(simple("BPS", b"99000"), targets=uint(0x63C5, 9)),
        tag(simple("NUMBER_OF_FRAMES", b"10"), simple("BPS", b"64000"), targets=uint(0x63C5, 7)),
    ]
    result = run(file(element(TAGS, *tags))).result
    found = {item.key: (item.text, item.desc) for item in result.tags}
    assert found == {
        "album": ("Album", "50"),
        "albumartist": ("Band", "50"),
        "title": ("Song", "30"),
        "artist": ("Singer", "30"),
        "discnumber": ("2", "40"),
        "collection:title": ("Box", "70"),
        "chapter:title": ("First", "chapter"),
    }
    assert result.bitrate == 64000


def test_without_a_title_of_the_song_that_of_the_whole_is_the_title():
    whole = tag(simple("TITLE", b"x"), simple("ARTIST", b"y"), targets=uint(0x68CA, 50))
    song = tag(simple("ARTIST", b"z"), targets=uint(0x68CA, 30))
    assert [item.key for item in run(file(element(TAGS, whole, song))).result.tags] == ["title", "artist", "artist"]


def test_the_title_of_a_film_stands_on_the_level_of_an_album():
    levels = [(50, "title"), (30, "part:title"), (60, "collection:title")]
    tags = [tag(simple("TITLE", b"x"), targets=uint(0x68CA, level)) for level, _ in levels]
    result = run(file(element(TAGS, *tags), tracks=SOUND + VIDEO)).result
    assert [item.key for item in result.tags] == [key for _, key in levels]
    assert result.encoding_format == "video/x-matroska"


def test_what_is_said_of_one_track_of_several_is_not_said_of_the_file():
    tags = element(TAGS, tag(simple("TITLE", b"x"), targets=uint(0x63C5, 7)))
    assert [item.key for item in run(file(tags)).result.tags] == ["title"]
    assert [item.key for item in run(file(tags, tracks=SOUND + VIDEO)).result.tags] == ["track:title"]


def test_nested_text_is_named_after_what_it_belongs_to():
    inner = simple("SORT_WITH", b"Beatles, The")
    composer = simple("COMPOSER", b"Lennon")
    result = run(file(element(TAGS, tag(simple("ARTIST", b"The Beatles", inner, composer))))).result
    assert [(item.frame, item.key) for item in result.tags] == [
        ("ARTIST", "artist"),
        ("ARTIST/SORT_WITH", "artistsort"),
        ("ARTIST/COMPOSER", "artist/composer"),
    ]


def test_text_keeps_its_bytes_and_its_language():
    raw = b"\xcf\xf0\xe8\xe2"
    text = simple("TITLE", raw + b"\0\0", element(0x447A, b"rus"))
    (item,) = run(file(element(TAGS, tag(text)))).result.tags
    assert (item.source, item.raw, item.declared, item.lang) == ("matroska", raw, "utf-8", "rus")


def test_a_broken_tag_does_not_hide_the_next_one():
    broken = element(0x7373, element(0x63C0, element(0x68CA, bytes(9))), simple("TITLE", b"x"))
    result = run(file(element(TAGS, broken, tag(simple("ARTIST", b"A"))))).result
    assert (texts(result, "artist"), result.status) == (["A"], "partial")


def test_titles_and_languages_of_tracks_are_kept():
    sound = element(0xAE, uint(0x83, 2), element(0x86, b"A_VORBIS"), element(0x22B59C, b"ger"), element(0x536E, b"DVD"))
    result = run(file(tracks=sound)).result
    (track,) = result.tracks
    assert (texts(result, "language"), track.language, track.title) == (["ger"], "de", "DVD")


# Facts.

BITMAP = struct.pack("<IiiHH4sIiiII", 40, 96, 64, 1, 24, b"XVID", 0, 0, 0, 0, 0)
WAVE = struct.pack("<HHIIHHH", 0x55, 2, 44100, 16000, 1, 0, 0)


@pytest.mark.parametrize(
    ("codec", "private", "bits", "name"),
    [
        (b"A_AAC/MPEG4/LC/SBR", b"", 0, "aac"),
        (b"A_MPEG/L3", b"", 0, "mp3"),
        (b"A_PCM/INT/LIT", b"", 24, "pcm_s24le"),
        (b"A_PCM/INT/BIG", b"", 16, "pcm_s16be"),
        (b"A_PCM/INT/LIT", b"", 8, "pcm_u8"),
        (b"A_PCM/FLOAT/IEEE", b"", 32, "pcm_f32le"),
        (b"A_MS/ACM", WAVE, 0, "mp3"),
        (b"A_MS/ACM", b"short", 0, None),
        (b"A_REAL/COOK", b"", 0, "cook"),
        (b"A_OPUS/EXPERIMENTAL", b"", 0, "opus"),
        (b"V_MPEG4/ISO/AVC", b"", 0, "h264"),
        (b"V_MPEG4/ISO/ASP", b"", 0, "mpeg4"),
        (b"V_MPEGH/ISO/HEVC", b"", 0, "hevc"),
        (b"V_AV1", b"", 0, "av1"),
        (b"V_MS/VFW/FOURCC", BITMAP, 0, "mpeg4"),
        (b"", b"", 0, None),
    ],
)
def test_codecs_go_by_the_names_of_ffmpeg(codec, private, bits, name):
    kind = 1 if codec.startswith(b"V") else 2
    settings_ = element(0xE1, uint(0x6264, bits))
    track = element(0xAE, uint(0x83, kind), element(0x86, codec), element(0x63A2, private), settings_)
    assert run(file(tracks=track)).result.codec == name


def test_channels_are_one_where_the_writer_says_none():
    stereo = element(0xAE, uint(0x83, 2), element(0x86, b"A_OPUS"), element(0xE1, uint(0x9F, 2)))
    assert [run(file(tracks=track)).result.channels for track in (SOUND, stereo)] == [1, 2]


def test_the_rate_that_is_heard_goes_before_that_of_the_core():
    rates = element(0xE1, element(0xB5, struct.pack(">f", 22050)), element(0x78B5, struct.pack(">d", 44100)))
    result = run(file(tracks=element(0xAE, uint(0x83, 2), element(0x86, b"A_AAC"), rates))).result
    assert (result.sample_rate, result.channels) == (44100, 1)


def live(*clusters, before=b""):
    return HEADER + element(SEGMENT, element(TRACKS, SOUND), before, *clusters, size=UNKNOWN)


def block(time, *, track=1):
    return element(0xA3, bytes([0x80 | track]), struct.pack(">hB", time, 0x80), b"sound")


def test_the_time_of_the_first_cluster_is_no_part_of_the_length():
    first = element(CLUSTER, uint(0xE7, 50_000), block(0), size=UNKNOWN)
    group = element(0xA0, element(0xA1, b"\x81" + struct.pack(">hB", 1000, 0)), uint(0x9B, 500))
    last = element(CLUSTER, uint(0xE7, 52_000), block(20), group, size=UNKNOWN)
    data = live(first, bytes.fromhex("ec4fff") + bytes(4095), last)
    assert run(data).result.duration == pytest.approx(3.5)


def test_a_recording_that_was_cut_off_is_as_long_as_what_is_left():
    clusters = [element(CLUSTER, uint(0xE7, 1000 * n), *(block(20 * i) for i in range(50))) for n in range(9)]
    result = run(live(*clusters)[:-7]).result
    assert result.duration == pytest.approx(8.96)
    assert (result.notes, result.status) == (["matroska:truncated"], "partial")


def test_a_stream_without_a_cluster_at_its_end_has_no_length():
    result = run(live(element(CLUSTER, uint(0xE7, 0), element(0xA3, bytes(300_000)), size=UNKNOWN))).result
    assert (result.duration, result.notes) == (None, ["length:no last cluster"])


# Hostile and broken.


@pytest.mark.parametrize("parts", [element(0xA3, b"\x81\0\0\0"), uint(0xE7, 5), b""])
def test_a_cluster_without_a_time_or_a_frame_ends_nowhere(parts):
    assert run(file(element(CLUSTER, parts), info=b"")).result.notes == ["length:no last cluster"]


def test_elements_of_no_size_end_at_the_limit():
    probed = run(file(bytes.fromhex("ec80") * 200_000), ProbePolicy(max_requests=100))
    assert "limit:parts" in probed.result.notes


@pytest.mark.parametrize("size", [b"\x01\xff\xff\xff\xff\xff\xff\xfe", b"\x08\x7f\xff\xff\xff", UNKNOWN])
def test_an_absurd_size_ends_the_walk_with_what_is_known(size):
    probed = run(file(element(TAGS, tag(simple("ARTIST", b"A")), size=size) + bytes(50_000)))
    assert probed.result.duration == 4
    assert probed.result.status == "partial"
    assert probed.requests <= 3


def test_sizes_that_are_unknown_may_not_nest():
    data = HEADER + element(SEGMENT, size=UNKNOWN) * 3000
    assert run(data).result.status == "error:BrokenError"
    inside = HEADER + element(SEGMENT, element(TAGS, size=UNKNOWN) * 3000, size=UNKNOWN)
    assert run(inside).result.status in {"partial", "error:BrokenError"}


def test_a_file_with_nothing_in_it_is_not_complete():
    result = run(HEADER + element(SEGMENT, b"\xec\x80")).result
    assert (result.status, result.notes) == ("partial", ["nothing found"])


def test_text_nested_a_thousand_times_is_left_alone():
    text = b""
    for _ in range(1000):
        text = simple("A", b"x", text)
    result = run(file(element(TAGS, tag(text)))).result
    assert result.notes == ["limit:depth"]
    assert len(result.tags) == 8


def test_more_tracks_than_anyone_has_are_not_read():
    assert run(file(tracks=SOUND * 70)).result.notes == ["limit:tracks"]


@pytest.mark.parametrize("length", [b"", b"\x7f\xf0\0\0\0\0\0\0", b"\x7f\xf8\0\0\0\0\0\0", b"\xff" * 8, b"abc"])
def test_a_length_that_is_none_says_nothing(length):
    assert run(file(info=element(0x4489, length))).result.duration is None


@given(st.sampled_from(["film.mkv", "live.webm"]), st.data())
@settings(max_examples=examples(60))
def test_damage_in_the_structure_ends_calmly(name, draw):
    data = bytearray(sample(name))
    for at, value in draw.draw(st.lists(st.tuples(st.integers(0, 900), st.integers(0, 255)), max_size=12)):
        data[at] = value
    assert run(bytes(data), restart=False).result.status
