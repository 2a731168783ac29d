"""MPEG audio behind bytes of something else, and streams of very few frames."""

import io
import random

import pytest
from harness import examples
from hypothesis import given, settings
from hypothesis import strategies as st
from mutagen.mp3 import MP3
from probe_media import audio, frame, id3, id3v1, picture, run, sample, texts

from mediacrawl import DescribeError
from mediacrawl.describing import describe
from mediacrawl.probe.claims import MPEG_AUDIO, expected_by_name, expected_by_type
from mediacrawl.probe.policy import ProbePolicy
from mediacrawl.probe.session import Reply, Session, advance

SECONDS = run(audio()).result.duration
TITLE = id3(frame("TIT2", b"\0Tone"))


def noise(size, seed=1):
    return random.Random(seed).randbytes(size)


def near_frames(size):
    """Noise with headers in it that no frame follows."""
    data = bytearray(noise(size))
    for at in range(0, size - 4, 97):
        data[at : at + 4] = b"\xff\xfb\x90\xc4"
    return bytes(data)


JUNK = [100, 3000, 16_000, 40_000, 64 * 1024]


@pytest.mark.parametrize("size", JUNK)
@pytest.mark.parametrize("junk", [bytes, noise, near_frames], ids=["zeros", "noise", "headers"])
def test_junk_before_the_first_frame_is_stepped_over(junk, size):
    data = junk(size) + audio() + id3v1(b"Tone")
    probed = run(data, expected=MPEG_AUDIO)
    result = probed.result
    assert (result.container, result.codec, result.encoding_format) == ("mp3", "mp3", "audio/mpeg")
    assert (texts(result, "title"), result.status) == (["Tone"], "complete")
    assert result.duration == pytest.approx(SECONDS, abs=0.001)
    assert (probed.requests <= 4, probed.fetched <= 144 * 1024) == (True, True)
    assert MP3(io.BytesIO(data)).info.length == pytest.approx(SECONDS, abs=0.1)


@pytest.mark.parametrize("size", JUNK)
@pytest.mark.parametrize("junk", [bytes, noise, near_frames], ids=["zeros", "noise", "headers"])
@pytest.mark.parametrize("tag", [TITLE, id3(picture(200_000), frame("TIT2", b"\0Tone"))], ids=["short", "cover"])
def test_junk_behind_a_tag_needs_no_claim(tag, junk, size):
    probed = run(tag + junk(size) + audio())
    assert (probed.result.codec, texts(probed.result, "title")) == ("mp3", ["Tone"])
    assert (probed.result.duration, probed.result.status) == (pytest.approx(SECONDS, abs=0.001), "complete")


@pytest.mark.parametrize("size", [5000, 12_000])
def test_zeros_at_hand_need_no_claim(size):
    probed = run(bytes(size) + audio())
    assert (probed.result.container, probed.result.duration) == ("mp3", pytest.approx(SECONDS, abs=0.001))
    assert probed.requests == 2


@pytest.mark.parametrize("name", ["tone.mp2", "xing.mp3"])
def test_other_layers_and_counted_frames_are_found(name):
    result = run(noise(30_000) + sample(name), expected=MPEG_AUDIO).result
    known = run(sample(name)).result
    assert (result.codec, result.duration) == (known.codec, pytest.approx(known.duration, abs=0.001))


# What is no MPEG audio.


def test_without_a_claim_nothing_is_searched_for():
    probed = run(noise(3000) + audio())
    assert (probed.result.container, probed.result.status, probed.requests) == (None, "unsupported", 1)


FRAMES = audio(4)[: 104 * 9]
"""Nine frames or so."""


@pytest.mark.parametrize(
    "data",
    [
        noise(300_000),
        noise(60_000) + FRAMES[: 104 * 7] + noise(200_000),  # so many are not enough so late
        b"MZ\x90\0" + noise(500) + audio(),
        b"\x7fELF\2\1\1" + noise(500) + audio(),
        b"BM" + bytes(300) + audio(),
        b"CWS\x0a" + noise(900) + audio(),
        b"404 page not found",
        b"ordinary words, line by line\r\n" * 9000,
        "Ночной поезд".encode("cp1251") * 9000,
        noise(900) + b"\xff\xff\x90" * 70_000,  # frames of layer I, if one will
        noise(900) + (b"\xff\xfb\0" + bytes(130)) * 2000,  # frames of free bit rate
        bytes(300_000),
    ],
)
def test_a_claim_makes_no_mpeg_audio_of_something_else(data):
    probed = run(data, expected=MPEG_AUDIO)
    assert (probed.result.container, probed.result.status) == (None, "unsupported")
    assert (probed.requests <= 3, probed.fetched <= 144 * 1024) == (True, True)


@pytest.mark.parametrize(
    ("data", "container"),
    [
        (b"<!DOCTYPE html><html>" + bytes(300) + audio(), "html"),
        (b"\xff\xd8\xff\xe0" + audio(), "jpeg"),
        (b"%PDF-1.7" + bytes(300) + audio(), "pdf"),
        (sample("first.m4a"), "mp4"),
        (sample("tone.flac"), "flac"),
        (sample("tone.aac"), "aac"),
    ],
)
def test_what_the_content_shows_is_believed(data, container):
    assert run(data, expected=MPEG_AUDIO).result.container == container
    assert run(data, expected=MPEG_AUDIO).requests == run(data).requests


@pytest.mark.parametrize("data", [b"ordinary words\n" * 9000, b"MZ" + noise(100_000), b"BM" + noise(100_000)])
def test_text_and_programs_cost_one_request(data):
    assert run(data, expected=MPEG_AUDIO).requests == 1


# Streams of few frames.

SIZE = 417
ONE = (b"\xff\xfb\x90\xc4" + bytes(SIZE))[:SIZE]
"""A silent frame of 128 kbit/s and 44.1 kHz."""
APE = b"APETAGEX\xd0\x07\0\0" + b"\x20\0\0\0" + bytes(4) + bytes(12)


@pytest.mark.parametrize("behind", [b"", id3v1(b"Tone"), APE, APE + id3v1(b"Tone")], ids=["none", "v1", "ape", "both"])
@pytest.mark.parametrize("front", [b"", TITLE, bytes(60)], ids=["none", "id3", "zeros"])
@pytest.mark.parametrize("count", [1, 2, 3, 4])
def test_a_stream_of_few_frames_is_one(count, front, behind):
    data = front + ONE * count + behind
    probed = run(data)
    result = probed.result
    assert (result.container, result.codec, result.sample_rate) == ("mp3", "mp3", 44100)
    assert result.duration == pytest.approx(count * 1152 / 44100, rel=0.005)
    assert (result.bitrate, result.duration_estimated) == (128_000, False)
    assert texts(result, "title") == ["Tone"] * ((front == TITLE) + behind.endswith(id3v1(b"Tone")))
    assert (result.status, probed.requests) == ("complete", 1)
    if count > 1 and not behind:
        # mutagen takes a tag for audio here, and does not read a single frame.
        assert result.duration == pytest.approx(MP3(io.BytesIO(data)).info.length)


def test_few_frames_behind_junk_are_found_where_they_end_the_file():
    data = noise(2000) + ONE * 3 + id3v1(b"Tone")
    assert run(data, expected=MPEG_AUDIO).result.duration == pytest.approx(3 * 1152 / 44100, rel=0.005)
    assert run(data[:-128], expected=MPEG_AUDIO).result.duration == pytest.approx(3 * 1152 / 44100, rel=0.005)
    assert run(data + noise(900), expected=MPEG_AUDIO).result.container == "mp3"  # what follows may be an old tag
    assert run(noise(2000) + ONE * 3 + noise(900), expected=MPEG_AUDIO).result.container is None


@pytest.mark.parametrize("rest", [bytes(100), b"TAX" + bytes(125)])
def test_one_frame_before_anything_else_is_none(rest):
    assert run(ONE + rest + bytes(4000)).result.container is None


# Who knows what a file is said to be.


@pytest.mark.parametrize(
    ("url", "expected"),
    [
        ("http://a.org/a.mp3", MPEG_AUDIO),
        ("http://a.org/a.MP3?id=7.ogg", MPEG_AUDIO),
        ("http://a.org/a.mpga#t=7", MPEG_AUDIO),
        ("C:/Music/a.mp2", MPEG_AUDIO),
        ("http://a.org/mp3", ""),
        ("http://a.org/a.mp3/play", ""),
        ("http://a.org/a.ogg", ""),
        ("these bytes", ""),
        ("", ""),
    ],
)
def test_an_extension_is_a_claim(url, expected):
    assert expected_by_name(url) == expected


@pytest.mark.parametrize(
    ("content_type", "named", "unnamed"),
    [
        ("audio/mpeg", MPEG_AUDIO, MPEG_AUDIO),
        ("Audio/MP3; charset=x", MPEG_AUDIO, MPEG_AUDIO),
        ("application/octet-stream", MPEG_AUDIO, ""),
        ("multipart/byteranges; boundary=x", MPEG_AUDIO, ""),
        ("", MPEG_AUDIO, ""),
        ("text/html", "", ""),
        ("audio/ogg", "", ""),
        ("audio/x-mpegurl", "", ""),
    ],
)
def test_a_type_is_a_claim_that_is_stronger(content_type, named, unnamed):
    assert expected_by_type(content_type, MPEG_AUDIO) == named
    assert expected_by_type(content_type) == unnamed


@pytest.mark.parametrize(
    ("url", "content_type", "found"),
    [
        ("http://a.org/a.mp3", "application/octet-stream", True),
        ("http://a.org/play?id=7", "audio/mpeg", True),
        ("http://a.org/play?id=7", "application/octet-stream", False),
        ("http://a.org/a.mp3", "image/x-icon", False),
    ],
)
def test_a_session_keeps_the_claim_over_its_visits(url, content_type, found):
    data, policy, state = noise(40_000) + audio(), ProbePolicy(), b""
    result = None
    while result is None:
        start, stop = Session.load(state, policy).probe.next_range()
        part = f"bytes {start}-{min(stop, len(data)) - 1}/{len(data)}"
        reply = Reply(206, data[start:stop], content_type=content_type, content_range=part)
        step = advance(state, policy, reply, expected=expected_by_name(url))
        state, result = step.state, step.result
    assert (result.codec == "mp3", result.status) == (found, "complete" if found else "unsupported")


def test_the_type_of_an_error_page_is_no_claim_about_the_file():
    session = Session.load(b"", ProbePolicy(), expected=MPEG_AUDIO)
    session.take(Reply(416, b"<html>", content_type="text/html"))
    session.take(Reply(200, noise(3000) + audio(), ranged=False, content_type=""))
    assert session.probe.result().codec == "mp3"


def test_the_name_of_a_local_file_is_a_claim(tmp_path):
    data = noise(40_000) + audio()
    for name in ("a.mp3", "a.bin"):
        (tmp_path / name).write_bytes(data)
    assert describe(tmp_path / "a.mp3")["duration"] == pytest.approx(SECONDS, abs=0.001)
    with pytest.raises(DescribeError, match="no format that is known"):
        describe(tmp_path / "a.bin")


PIECES = st.lists(
    st.sampled_from([ONE, ONE[:200], b"\xff\xfb", b"TAG", TITLE, noise(300), near_frames(90)]) | st.binary(max_size=90),
    max_size=8,
)


@given(PIECES, st.integers(0, 70_000), PIECES)
@settings(max_examples=examples(80))
def test_any_junk_ends_calmly(front, more, behind):
    data = b"".join(front) + bytes(more) + b"".join(behind)
    probed = run(data, expected=MPEG_AUDIO, restart=False)
    assert probed.result.status.startswith(("complete", "partial", "unsupported", "error:"))
    assert (probed.result.duration or 0) <= len(data) / 417 + 10
