"""The type that a name or a server claims for a file: it lets MPEG audio be searched for, and decides nothing."""

import random

import pytest
from probe_media import audio

from mediacrawl import DescribeError
from mediacrawl.probe.claims import MPEG_AUDIO, disposition_name, expected_by_name, expected_by_type
from mediacrawl.probe.policy import ProbePolicy
from mediacrawl.probe.session import Reply, Session, advance
from mediacrawl.reading.describing import describe

SONG = random.Random(1).randbytes(40_000) + audio()
"""MPEG audio behind bytes of something else."""


@pytest.mark.parametrize(
    ("url", "expected"),
    [
        ("http://a.org/a.mp3", MPEG_AUDIO),
        ("http://a.org/a.MP3?id=7.ogg", MPEG_AUDIO),
        ("http://a.org/a.mpga#t=7", MPEG_AUDIO),
        ("C:/Music/a.mp2", MPEG_AUDIO),
        *(
            (url, "")
            for url in ("http://a.org/mp3", "http://a.org/a.mp3/play", "http://a.org/a.ogg", "these bytes", "")
        ),
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
        *(
            (kind, MPEG_AUDIO, "")
            for kind in ("application/force-download", "unknown/unknown", "text/plain; charset=x")
        ),
        *((kind, MPEG_AUDIO, MPEG_AUDIO) for kind in ("audio/x-mpeg-3", "application/mp3", "audio/mpg")),
        *((kind, "", "") for kind in ("text/html", "audio/ogg", "audio/x-mpegurl")),
    ],
)
def test_a_type_is_a_claim_that_is_stronger(content_type, named, unnamed):
    assert expected_by_type(content_type, MPEG_AUDIO) == named
    assert expected_by_type(content_type) == unnamed


@pytest.mark.parametrize(
    ("header", "name"),
    [
        ('attachment; filename="a b.mp3"', "a b.mp3"),
        ("attachment;filename=a.mp3;size=3", "a.mp3"),
        ("inline; FileName = a.mp3", "a.mp3"),
        ("attachment; filename*=UTF-8''L%C3%A9.mp3", "UTF-8''L%C3%A9.mp3"),
        *((header, "") for header in ("attachment", "", "attachment; size=3")),
    ],
)
def test_a_name_is_in_the_header_that_is_for_it(header, name):
    assert disposition_name(header) == name
    assert expected_by_name(disposition_name(header)) == (MPEG_AUDIO if name else "")


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
    policy, state, result = ProbePolicy(), b"", None
    while result is None:
        start, stop = Session.load(state, policy).probe.next_range()
        part = f"bytes {start}-{min(stop, len(SONG)) - 1}/{len(SONG)}"
        reply = Reply(206, SONG[start:stop], content_type=content_type, content_range=part)
        step = advance(state, policy, reply, expected=expected_by_name(url))
        state, result = step.state, step.result
    assert (result.codec == "mp3", result.status) == (found, "complete" if found else "unsupported")


def test_the_type_of_an_error_page_is_no_claim_about_the_file():
    session = Session.load(b"", ProbePolicy(), expected=MPEG_AUDIO)
    session.take(Reply(416, b"<html>", content_type="text/html"))
    session.take(Reply(200, SONG[-len(audio()) - 3000 :], ranged=False, content_type=""))
    assert session.probe.result().codec == "mp3"


def test_the_name_of_a_local_file_is_a_claim(tmp_path):
    for name in ("a.mp3", "a.bin"):
        (tmp_path / name).write_bytes(SONG)
    assert describe(tmp_path / "a.mp3")["duration"] == pytest.approx(60.735, abs=0.001)
    with pytest.raises(DescribeError, match="no format that is known"):
        describe(tmp_path / "a.bin")
