"""Files with several tags: ID3v2 that is stacked, sought or appended, foreign tags, and which of them counts first."""

import io
import struct

import pytest
from harness import examples
from hypothesis import given, settings
from hypothesis import strategies as st
from mutagen.apev2 import APEv2
from mutagen.flac import FLAC
from mutagen.id3 import ID3
from mutagen.oggopus import OggOpus
from mutagen.oggvorbis import OggVorbis
from mutagen.wavpack import WavPack
from probe_media import audio, frame, id3, id3v1, picture, run, sample, saved, texts

from mediacrawl.probe import build_item
from mediacrawl.probe.policy import ProbePolicy

SECONDS = run(audio()).result.duration
FRONT = id3(frame("TIT2", b"\0Front"), frame("TALB", b"\0Low Water"))


def text(name, value, version=4):
    return frame(name, b"\0" + value, version=version)


def seek(offset):
    return frame("SEEK", struct.pack(">I", offset), version=4)


def tag(*frames, footer=False):
    """A tag of ID3v2.4."""
    made = id3(*frames, version=4, flags=0x10 if footer else 0)
    return made + (b"3DI" + made[3:10] if footer else b"")


def ape(title, *, front=False):
    """An APE tag with header and footer."""
    item = struct.pack("<II", len(title), 0) + b"Title\0" + title
    edges = (
        b"APETAGEX" + struct.pack("<IIII", 2000, len(item) + 32, 1, 0x80000000 | is_header) + bytes(8)
        for is_header in (1 << 29, 0)
    )
    head, foot = edges
    return head + item + foot


def record(data):
    probed = run(data)
    return build_item(probed.result, probed.probe, url="http://example.org/a")


# One behind the other.


def test_stacked_tags_are_read():
    first, second = tag(text("TIT2", b"Tone")), tag(text("TIT2", b"New"), text("TPE1", b"Sine"))
    data = first + second + audio()
    probed = run(data)
    assert (texts(probed.result, "title"), texts(probed.result, "artist")) == (["Tone", "New"], ["Sine"])
    assert [found.index for found in probed.result.tags] == [0, 1, 0]
    assert probed.result.duration == pytest.approx(SECONDS)
    assert (probed.requests, probed.result.status) == (run(first + audio()).requests, "complete")
    assert (record(data).title, record(data).artist) == ("Tone", "Sine")
    # mutagen reads the first one alone.
    assert ID3(io.BytesIO(data))["TIT2"].text == texts(probed.result, "title")[:1]


def test_a_second_tag_behind_a_long_cover_is_read():
    data = id3(picture(500_000), frame("TIT2", b"\0Tone")) + id3(frame("TPE1", b"\0Sine"), padding=2000) + audio()
    probed = run(data)
    assert (texts(probed.result, "title"), texts(probed.result, "artist")) == (["Tone"], ["Sine"])
    assert (probed.requests, probed.result.status) == (3, "complete")


def test_tags_of_two_kinds_at_the_front_are_read():
    for tags in (ape(b"Ape") + id3(frame("TIT2", b"\0Tone")), id3(frame("TIT2", b"\0Tone")) + ape(b"Ape")):
        result = run(tags + audio()).result
        assert (texts(result, "title"), result.container) == (["Tone", "Ape"], "mp3")
        assert result.duration == pytest.approx(SECONDS)


def test_a_hundred_stacked_tags_are_not_all_read():
    probed = run(tag(text("TIT2", b"Tone")) * 100 + audio())
    assert 2 <= len(probed.result.tags) <= ProbePolicy().max_id3_tags


# A SEEK frame states the bytes between its tag and the next one.


@pytest.mark.parametrize("footer", [False, True])
@pytest.mark.parametrize("behind", [b"", id3v1(b"Tone"), ape(b"Ape") + id3v1(b"Tone")])
def test_a_tag_that_another_one_leads_to_is_read_once(behind, footer):
    late = tag(text("TPE1", b"Sine"), text("TALB", b"Low Water"), footer=footer)
    data = tag(text("TIT2", b"Tone"), seek(len(audio()))) + audio() + late + behind
    probed = run(data)
    result = probed.result
    assert (texts(result, "artist"), texts(result, "album")) == (["Sine"], ["Low Water"])
    assert texts(result, "title")[0] == "Tone"
    assert result.duration == pytest.approx(SECONDS)
    assert (result.status, probed.requests) == ("complete", 2)


def test_a_long_tag_that_another_one_leads_to_is_not_played():
    late = tag(text("TPE1", b"Sine"), text("COMM", b"eng\0" + b"la " * 20_000))
    data = tag(text("TIT2", b"Tone"), seek(len(audio()))) + audio() + late + id3v1(b"Tone")
    probed = run(data)
    assert texts(probed.result, "artist") == ["Sine"]
    assert probed.result.duration == pytest.approx(SECONDS)
    assert (probed.result.status, probed.requests <= 4) == ("complete", True)


def test_the_next_tag_may_begin_later_than_the_least_offset():
    data = tag(text("TIT2", b"Tone"), seek(len(audio()) - 900)) + audio() + tag(text("TPE1", b"Sine"))
    assert texts(run(data).result, "artist") == ["Sine"]


@pytest.mark.parametrize("offset", [7000, 2**31, 2**32 - 1])
def test_a_seek_frame_that_leads_nowhere_costs_nothing_else(offset):
    probed = run(tag(text("TIT2", b"Tone"), seek(offset), text("TPE1", b"Sine")) + audio())
    assert (texts(probed.result, "title"), texts(probed.result, "artist")) == (["Tone"], ["Sine"])
    assert probed.result.notes == ["id3v2:BrokenError"]
    assert probed.result.duration == pytest.approx(SECONDS)


def test_tags_that_lead_from_one_to_the_next_end_at_the_limit():
    chain = b"".join(tag(text("TIT2", b"%d" % n), seek(50)) + bytes(50) for n in range(100))
    probed = run(chain + audio())
    assert len(texts(probed.result, "title")) == ProbePolicy().max_id3_tags
    assert probed.result.notes == ["limit:id3v2 tags"]


# Appended.


@pytest.mark.parametrize("footer", [False, True])
@pytest.mark.parametrize("v1", [b"", id3v1(b"V1")])
def test_a_tag_behind_the_audio_is_read_and_not_played(v1, footer):
    # The comment names ID3, as a tag begins.
    late = tag(text("TIT2", b"Tone"), text("COMM", b"eng\0ID3\3 ID3\2"), footer=footer)
    probed = run(audio() + late + v1)
    assert [found.source for found in probed.result.tags] == ["id3v2.4"] * 2 + ["id3v1"] * bool(v1)
    assert probed.result.duration == pytest.approx(SECONDS)
    assert (probed.requests, probed.result.status) == (2, "complete")


# Before another format.


SONGS = ["tone.flac", "tone.ogg", "tone.opus", "tone.spx", "tone.wav", "tone.aiff", "first.m4a", "tone.wma", "tone.wv"]


@pytest.mark.parametrize("name", [*SONGS, "film.mov", "film.avi", "film.flv"])
def test_a_foreign_tag_adds_what_the_format_itself_lacks(name):
    bare, probed = run(sample(name)).result, run(FRONT + sample(name))
    result, item = probed.result, record(FRONT + sample(name))
    assert (item.title, item.album) == ("Film" if name.startswith("film") else "Tone", "Low Water")
    assert texts(result, "title")[-1] == "Front"
    facts = ("container", "encoding_format", "codec", "duration", "sample_rate", "channels", "is_video", "audio_md5")
    assert [getattr(result, fact) for fact in facts] == [getattr(bare, fact) for fact in facts]
    assert (result.status, probed.requests) == ("complete", run(sample(name)).requests)


def test_a_format_behind_a_foreign_tag_is_read_as_mutagen_reads_it():
    data = FRONT + sample("tone.flac")
    known = FLAC(io.BytesIO(data))
    item = record(data)
    assert ([item.title], [item.artist], item.duration) == (known["title"], known["artist"], known.info.length)


def test_a_foreign_tag_with_a_long_cover_is_stepped_over():
    probed = run(id3(picture(500_000), frame("TALB", b"\0Low Water")) + sample("tone.flac") + bytes(1_000_000))
    assert (texts(probed.result, "title"), texts(probed.result, "album")) == (["Tone"], ["Low Water"])
    assert (probed.result.cover_size, probed.result.status, probed.requests) == (500_000, "complete", 2)


# Which one counts.


@pytest.mark.parametrize(
    ("tags", "title"),
    [
        ((FRONT, ape(b"Ape") + id3v1(b"V1")), "Front"),
        ((b"", ape(b"Ape") + id3v1(b"V1")), "Ape"),
        ((b"", id3v1(b"V1") + ape(b"Ape")), "Ape"),
        ((b"", ape(b"Ape") + tag(text("TIT2", b"Late"), footer=True) + id3v1(b"V1")), "Late"),
        ((ape(b"Ape"), tag(text("TIT2", b"Late"), footer=True)), "Ape"),
        ((ape(b"Ape") + FRONT, b""), "Front"),
        ((b"", id3v1(b"V1")), "V1"),
    ],
)
def test_in_mpeg_audio_id3_counts_before_ape(tags, title):
    front, behind = tags
    assert record(front + audio() + behind).title == title
    if front == FRONT:
        assert [title] == ID3(io.BytesIO(FRONT + audio() + behind))["TIT2"].text


def test_a_field_that_one_tag_lacks_comes_from_the_next():
    data = id3(frame("TIT2", b"\0Tone")) + audio() + ape(b"Ape") + id3v1(b"V1", b"Sine")
    item = record(data)
    assert (item.title, item.artist) == ("Tone", "Sine")


MONKEY = struct.pack("<4sHHHHIIIII", b"MAC ", 3970, 2000, 0, 2, 44100, 44, 0, 3, 1000) + bytes(range(200)) * 90
MUSEPACK = b"MP+\x07" + struct.pack("<IIIII", 100, 0, 0, 0, 0) + bytes(range(200)) * 90
WAVPACK = sample("tone.wv").partition(b"APETAGEX")[0]


@pytest.mark.parametrize("stream", [MONKEY, MUSEPACK, WAVPACK], ids=["monkey", "musepack", "wavpack"])
def test_where_ape_is_the_own_tag_it_counts_before_id3(stream):
    late = tag(text("TIT2", b"Late"), footer=True)
    for behind in (ape(b"Ape") + id3v1(b"V1"), late + ape(b"Ape"), ape(b"Ape") + late):
        item = record(FRONT + stream + behind)
        assert (item.title, item.album, item.probe_status) == ("Ape", "Low Water", "complete")
    # ID3v2 holds whole texts, ID3v1 cut ones.
    assert record(FRONT + stream + id3v1(b"V1")).title == "Front"
    assert record(stream + id3v1(b"V1")).title == "V1"


def test_the_tag_of_wavpack_is_that_of_mutagen():
    changed = APEv2()
    changed["Title"] = "Ape"
    data = saved(changed, WAVPACK)
    assert WavPack(io.BytesIO(data))["Title"] == record(FRONT + data).title == "Ape"


def test_true_audio_has_id3():
    assert record(FRONT + sample("tone.tta")).title == "Front"


# Ogg.


def moved(data, serial):
    """The same stream under another number."""
    starts = [at for at in range(len(data)) if data.startswith(b"OggS\0", at)]
    out = bytearray(data)
    for at in starts:
        out[at + 14 : at + 18] = struct.pack("<I", serial)
    return bytes(out)


@pytest.mark.parametrize("front", [b"", FRONT])
@pytest.mark.parametrize(("name", "kind"), [("tone.ogg", OggVorbis), ("tone.opus", OggOpus)])
def test_of_a_chain_the_first_stream_has_the_tags(name, kind, front):
    other = kind(io.BytesIO(sample(name)))
    other["title"], other["album"] = "Second", "Other"
    chain = sample(name) + moved(saved(other, sample(name)), 7)
    result, known = run(front + chain).result, kind(io.BytesIO(chain))
    assert texts(result, "title") == [*known["title"], *(["Front"] if front else [])]
    assert texts(result, "album") == (["Low Water"] if front else [])
    assert record(front + chain).title == "Tone"


BITS = [
    FRONT,
    tag(text("TIT2", b"T"), seek(9)),
    tag(seek(2**32 - 1)),
    ape(b"Ape"),
    tag(footer=True),
    b"ID3\4\0\x10\0\0",
]
PIECES = st.lists(
    st.sampled_from([*BITS, id3v1(b"V1"), b"ID3", b"3DI\4\0\0\0\0\1\0"]) | st.binary(max_size=40), max_size=5
)


@given(PIECES, st.sampled_from(["cbr.mp3", "tone.wv", "tone.flac", "tone.ogg", "tone.tta"]), PIECES, st.integers(0, 90))
@settings(max_examples=examples(100))
def test_any_tags_at_both_ends_end_calmly(front, name, behind, cut):
    data = b"".join(front) + sample(name) + b"".join(behind)
    result = run(data[: len(data) - cut], ProbePolicy(max_requests=4), restart=False).result
    assert result.status.startswith(("complete", "partial", "unsupported", "error:"))
