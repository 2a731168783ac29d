"""The benchmark of the probe: enough files, a truth that a wrong record fails, and peers that are read fairly."""

import base64
import struct
import sys
from collections import Counter
from dataclasses import replace
from pathlib import Path

import pytest
from mutagen.flac import FLAC
from mutagen.id3 import ID3
from probe_media import run, sample

from mediacrawl.probe import ProbeResult
from mediacrawl.record import MediaItem, build_item

sys.path.append(str(Path(__file__).parents[2] / "benchmarks"))

import probe_bytes_parts as parts
from probe_bytes import apic, id3
from probe_peers import ffprobe_said, mutagen_whole, tinytag_whole
from probe_samples import Kitchen, saved, texts
from probe_samples_all import all_samples
from probe_samples_chapters import set_comments
from probe_samples_identifiers import GAINS, IDENTIFIERS, set_id3, set_vorbis
from probe_samples_tags import id3_frames
from probe_tables import Row, share
from probe_truth import KINDS, Credit, Level, Picture, Recorded, Sample, Stream, Text, fields

CHAPTERS = [(0.0, "Opening"), (2.5, "Večerní píseň"), (7.25, "Credits")]


@pytest.mark.parametrize("quick", [True, False])
def test_the_tables_have_at_least_160_files_and_listing_them_makes_none(tmp_path, quick):
    samples = all_samples(Kitchen(tmp_path, quick=quick))
    assert len(samples) >= 160
    assert not [name for name, times in Counter(sample.name for sample in samples).items() if times > 1]
    assert not list(tmp_path.iterdir())


def test_every_kind_of_field_has_many_and_no_chapter_begins_behind_its_files_end(tmp_path):
    samples = all_samples(Kitchen(tmp_path, quick=True))
    counts = Counter(each.kind for sample in samples for each in fields(sample))
    assert set(counts) == set(KINDS)
    assert min(counts.values()) >= 50
    late = [one.name for one in samples for mark in one.chapters if one.seconds and mark[0] >= one.seconds]
    assert not late


# -- the record --------------------------------------------------------------------------------------------------------


def truth(**changes):
    """A file of which every kind of field is known."""
    known = {
        "texts": [Text("title", "Low Water"), Text("comment", "Âå÷åð", "Вечер".encode("cp1251"))],
        "people": [Credit("performer", "Fay Wu", "violin"), Credit("conductor", "Václav Talich")],
        "chapters": CHAPTERS[:2],
        "tracks": [
            Stream("video", "h264"),
            Stream("audio", "aac", "de", {"default": True}),
            Stream("audio", "aac", "de"),
        ],
        "identifiers": {"isrc": ["CZAB12345678"], "musicbrainz_artist": ["a", "b"]},
        "loudness": [Level("track_gain", -7.25, "-7.25 dB"), Level("track_peak", 0.5)],
        "covers": [Picture("image/jpeg", 900, "front"), Picture("image/png", 800)],
        "mime": "video/mp4",
        "facts": {"is_video": True, "width": 640, "frame_rate": 25.0},
    }
    return Sample("a.mp4", "MP4", bytes, 60.0, **known | changes)


def record(**changes):
    """Its record."""
    raw = base64.b64encode("Вечер".encode("cp1251")).decode()
    about = {"source": "mp4", "frame": "x", "index": 0, "lang": "", "desc": "", "declared": "latin-1"}
    known = {
        "type": "VideoObject",
        "tags": [
            {**about, "key": "title", "text": "Low Water"},
            {**about, "key": "comment", "text": "Âå÷åð", "raw_b64": raw},
        ],
        "persons": [
            {"role": "performer", "name": "Fay Wu", "instrument": "violin"},
            {"role": "conductor", "name": "Václav Talich"},
        ],
        "chapters": [{"start": 0.0, "title": "Opening"}, {"start": 2.5, "title": "Večerní píseň"}],
        "tracks": [
            {"kind": "video", "codec": "h264"},
            {"kind": "audio", "codec": "aac", "language": "de", "default": True},
            {"kind": "audio", "codec": "aac", "language": "de"},
        ],
        "identifiers": {"isrc": ["CZAB12345678"], "musicbrainz_artist": ["a", "b"]},
        "loudness": {"track_gain": -7.25, "track_peak": 0.5},
        "covers": [{"type": "front", "mime": "image/jpeg", "size": 900}, {"mime": "image/png", "size": 800}],
        "encoding_format": "video/mp4",
        "duration": 60.3,
        "width": 640,
        "frame_rate": 25.1,
    }
    return Recorded(MediaItem(**known | changes))


def missing(recorded, sample=None):
    return [each.name for each in fields(sample or truth()) if not recorded.has(each)]


def test_a_record_that_says_all_has_no_field_missing_and_none_too_many():
    assert missing(record()) == []
    assert record().surplus(truth()) == []
    assert len(fields(truth())) == 2 + 2 + 1 + 2 + 3 + 3 + 2 + 1 + 3 + 3 + 1


TITLE = {"source": "mp4", "frame": "x", "key": "title", "text": "Low Water"}


@pytest.mark.parametrize(
    ("changes", "expected"),
    [
        ({"tags": []}, ["title=Low Water", "comment=Âå÷åð"]),
        ({"tags": [{**TITLE, "key": "album"}]}, ["title=Low Water", "comment=Âå÷åð"]),
        ({"tags": [{**TITLE, "source": "page"}]}, ["title=Low Water", "comment=Âå÷åð"]),
        ({"persons": [{"role": "performer", "name": "Fay Wu"}]}, ["performer Fay Wu", "conductor Václav Talich"]),
        ({"duration": 60.7}, ["duration"]),
        ({"duration": None}, ["duration"]),
        (
            {"chapters": [{"start": 0.02, "title": "Opening"}, {"start": 2.5}]},
            ["chapter 0 Opening", "chapter 2.5 Večerní píseň"],
        ),
        (
            {"tracks": [{"kind": "video", "codec": "h264"}, {"kind": "audio", "codec": "aac", "language": "de"}]},
            ["track audio aac de default=True", "track audio aac de"],
        ),
        ({"tracks": [{"kind": "audio", "codec": "aac", "default": True}] * 3}, [
            "track video h264", "track audio aac de", "track audio aac de default=True", "track audio aac de",
        ]),
        ({"identifiers": {"musicbrainz_artist": ["a"]}}, ["isrc=CZAB12345678", "musicbrainz_artist=b"]),
        ({"loudness": {"track_gain": -7.2, "track_peak": 0.502}}, ["track_gain=-7.25", "track_peak=0.5"]),
        ({"covers": [{"type": "back", "mime": "image/jpeg", "size": 900}]}, [
            "2 pictures", "front picture 900", "a picture 800",
        ]),
        ({"encoding_format": "audio/mp4"}, ["video/mp4"]),
        ({"type": "AudioObject", "width": 641, "frame_rate": 30.0}, ["is_video=True", "width=640", "frame_rate=25.0"]),
    ],
)  # fmt: skip
def test_what_a_record_has_not_or_wrongly_is_missing(changes, expected):
    assert missing(record(**changes)) == expected


def test_what_nobody_put_into_a_file_is_told():
    recorded = record(
        chapters=[{"start": 0.0, "title": "Opening"}] * 3, identifiers={"isrc": ["CZAB12345678", "DEAB12345678"]}
    )
    assert recorded.surplus(truth()) == ["1 chapters too many", "made up isrc=DEAB12345678"]
    unknown = replace(truth(), seconds=None)
    assert record().surplus(unknown) == ["made up duration=60.3"]
    assert record(duration=None).surplus(unknown) == []
    assert not [each for each in fields(unknown) if each.kind == "duration"]


def test_a_file_without_stated_tracks_has_those_of_its_codecs():
    sample = truth(tracks=(), facts={"video_codec": "vp9", "audio_codec": "opus"})
    assert [each.name for each in fields(sample) if each.kind == "tracks"] == ["track video vp9", "track audio opus"]
    assert not [each for each in fields(truth(tracks=(), facts={"audio_codec": "opus"})) if each.kind == "tracks"]


def test_the_share_is_of_all_fields_and_a_file_that_a_peer_cannot_read_has_none_right():
    known = truth()
    row = Row(known, 1000, 1, 500, 0.0, ProbeResult(), record(chapters=[]), {"peer": None})
    assert row.right(["chapters"]) == (0, 2)
    assert share([row], ["chapters", "duration"]) == pytest.approx(100 / 3)
    assert share([row], KINDS, "peer") == 0
    assert share([], KINDS) is None
    assert [each.kind for each in row.missing] == ["chapters"] * 2


# -- the peers ---------------------------------------------------------------------------------------------------------


def podcast():
    tag = id3(*id3_frames(), apic(900), parts.chapters_of_id3(CHAPTERS, 10.0))
    return Sample(
        "podcast.mp3", "ID3v2", lambda: tag + parts.silent_mp3(10.0), 10.0, texts(), "audio/mpeg",
        {"codec": "mp3", "sample_rate": 44100, "channels": 1, "has_cover": True},
        chapters=CHAPTERS, covers=[Picture("image/jpeg", 900)],
    )  # fmt: skip


def tagged(set_tags=set_id3, kind=lambda _: ID3(), name="tagged.mp3", seconds=5.0):
    data = sample("tone.flac") if name.endswith("flac") else parts.silent_mp3(seconds)
    return Sample(
        name, "ids", lambda: saved(kind, data, set_tags), seconds, texts("title", "artist", "album"),
        identifiers=IDENTIFIERS, loudness=GAINS,
    )  # fmt: skip


def comments():
    def change(file):
        set_comments([(0.0, "Opening"), (1.25, "Čaj")], file)

    data = sample("tone.flac")
    return Sample(
        "comments.flac", "FLAC", lambda: saved(FLAC, data, change), 2.0, chapters=[(0.0, "Opening"), (1.25, "Čaj")]
    )


def asked(program, of, tmp_path):
    """What a program does not say of a file."""
    path = tmp_path / of.name
    path.write_bytes(of.make())
    said = program(path)
    return None if said is None else [each.name for each in fields(of) if not said.has(each)]


@pytest.mark.parametrize(
    ("of", "lacking"),
    [
        (podcast(), []),
        (tagged(), []),
        (tagged(set_vorbis, FLAC, "tagged.flac", 2.0), []),
        (comments(), []),
    ],
    ids=lambda value: getattr(value, "name", ""),
)
def test_mutagen_is_credited_with_all_that_it_reads(of, lacking, tmp_path):
    assert asked(mutagen_whole, of, tmp_path) == lacking


def test_what_mutagen_does_not_read_is_missing(tmp_path):
    wrong = [(1.0, "Opening"), (2.5, "Other")]
    assert asked(mutagen_whole, replace(podcast(), chapters=wrong), tmp_path) == [
        "chapter 1 Opening",
        "chapter 2.5 Other",
    ]
    (tmp_path / "film.mkv").write_bytes(sample("film.mkv"))
    assert mutagen_whole(tmp_path / "film.mkv") is None


def test_tinytag_is_credited_with_all_but_the_chapters_of_id3(tmp_path):
    assert asked(tinytag_whole, tagged(), tmp_path) == []
    assert asked(tinytag_whole, comments(), tmp_path) == []
    lacking = asked(tinytag_whole, podcast(), tmp_path)
    assert lacking == [f"chapter {start:g} {title}" for start, title in CHAPTERS]


FFPROBE = {
    "format": {
        "duration": "60.000000",
        "tags": {"title": "Low Water", "MUSICBRAINZ_ARTISTID": "a;b", "TSRC": "CZ-AB1-23-45678"},
    },
    "chapters": [
        {"start_time": "0.000000", "tags": {"title": "Opening"}},
        {"start_time": "2.500000", "tags": {"title": "Večerní píseň"}},
    ],
    "streams": [
        {
            "codec_type": "video", "codec_name": "h264", "width": 640, "height": 360, "avg_frame_rate": "25/1",
            "side_data_list": [{"rotation": -90}], "color_transfer": "smpte2084",
        },
        {
            "codec_type": "audio", "codec_name": "aac", "channels": 2, "sample_rate": "44100",
            "disposition": {"default": 1}, "tags": {"language": "ger", "REPLAYGAIN_TRACK_GAIN": "-7.25 dB"},
        },
        {"codec_type": "subtitle", "codec_name": "subrip", "tags": {"language": "por"}},
        {"codec_type": "video", "codec_name": "mjpeg", "disposition": {"attached_pic": 1}},
    ],
}  # fmt: skip


def test_what_ffprobe_prints_is_read_by_the_names_of_a_record():
    known = truth(
        texts=[Text("title", "Low Water")],
        people=(),
        tracks=[
            Stream("video", "h264", "", {"transfer": "smpte2084"}),
            Stream("audio", "aac", "de", {"default": True, "channels": 2}),
            Stream("subtitle", "subrip", "pt-BR"),
        ],
        loudness=[Level("track_gain", -7.25, "-7.25 dB")],
        covers=[Picture("image/jpeg", 900)],
        facts={
            "width": 360, "height": 640, "rotation": 90, "frame_rate": 25.0, "language": "de", "is_video": True,
            "codec": "h264", "audio_codec": "aac", "sample_rate": 44100, "has_cover": True,
        },
    )  # fmt: skip
    said = ffprobe_said(FFPROBE)
    assert [each.name for each in fields(known) if not said.has(each)] == []
    wrong = truth(tracks=[Stream("audio", "ac3", "de")], loudness=[Level("track_gain", -7.0, "-7.00 dB")])
    lacking = {each.name for each in fields(wrong) if not said.has(each)}
    assert {"track audio ac3 de", "track_gain=-7.0", "performer Fay Wu", "2 pictures"} <= lacking


# -- bytes by hand -----------------------------------------------------------------------------------------------------


def stored_and_computed(ogg):
    """The checksum of the first page, and what it should be."""
    end = ogg.index(b"OggS", 4)
    return struct.unpack_from("<I", ogg, 22)[0], parts.crc(ogg[:22] + bytes(4) + ogg[26:end], 32, 0x04C11DB7)


def test_checksums_are_those_of_their_standards():
    assert parts.crc(b"123456789", 16, 0x8005, mirrored=True) == 0xBB3D
    stored, computed = stored_and_computed(sample("tone.opus"))
    assert stored == computed
    changed = parts.with_output_gain(sample("tone.opus"), -640)
    assert changed[changed.index(b"OpusHead") + 16 :][:2] == struct.pack("<h", -640)
    stored, computed = stored_and_computed(changed)
    assert stored == computed


@pytest.mark.parametrize("last", [True, False])
def test_matroska_by_hand_is_read_as_it_was_written(last):
    tracks = [parts.track(1, 2, "A_OPUS")]
    tags = [parts.tag(b"", ("ARTIST", "Čechomor"))]
    data = parts.matroska(123.5, tracks, tags=tags, title="Low Water", last=last, size=100_000)
    probe = run(data).probe
    item = build_item(probe.result(), probe, url="http://media.example/file")
    assert (item.title, item.artist, item.duration, item.codec) == ("Low Water", "Čechomor", 123.5, "opus")
