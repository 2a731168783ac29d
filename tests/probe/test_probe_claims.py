"""The type that a name or a server claims for a file: it lets MPEG audio be searched for, and decides nothing."""

import random

import pytest
from probe_media import audio

from mediacrawl.probe import Reply, Session
from mediacrawl.probe.session import claims_mpeg, names_mpeg

SONG = random.Random(1).randbytes(40_000) + audio()
"""MPEG audio behind bytes of something else."""


@pytest.mark.parametrize(
    ("url", "expected"),
    [
        ("http://a.org/a.mp3", True),
        ("http://a.org/a.MP3?id=7.ogg", True),
        ("http://a.org/a.mpga#t=7", True),
        ("C:/Music/a.mp2", True),
        *(
            (url, False)
            for url in ("http://a.org/mp3", "http://a.org/a.mp3/play", "http://a.org/a.ogg", "these bytes", "")
        ),
    ],
)
def test_an_extension_is_a_claim(url, expected):
    assert names_mpeg(url) is expected


@pytest.mark.parametrize(
    ("content_type", "named", "unnamed"),
    [
        ("audio/mpeg", True, True),
        ("Audio/MP3; charset=x", True, True),
        ("application/octet-stream", True, False),
        ("multipart/byteranges; boundary=x", True, False),
        ("", True, False),
        *((kind, True, False) for kind in ("application/force-download", "unknown/unknown", "text/plain; charset=x")),
        *((kind, True, True) for kind in ("audio/x-mpeg-3", "application/mp3", "audio/mpg")),
        *((kind, False, False) for kind in ("text/html", "audio/ogg", "audio/x-mpegurl")),
    ],
)
def test_a_type_is_a_claim_that_is_stronger(content_type, named, unnamed):
    assert claims_mpeg(content_type, by_name=True) is named
    assert claims_mpeg(content_type, by_name=False) is unnamed


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
    session = Session.load(b"", names=[url])
    while (wanted := session.probe.next_range()) is not None:
        start, stop = wanted
        part = f"bytes {start}-{min(stop, len(SONG)) - 1}/{len(SONG)}"
        session.take(Reply(206, SONG[start:stop], content_type=content_type, content_range=part))
        session = Session.load(session.dump())
    result = session.probe.result()
    assert (result.codec == "mp3", result.status) == (found, "complete" if found else "unsupported")


def test_the_type_of_an_error_page_is_no_claim_about_the_file():
    session = Session.load(b"", names=["a.mp3"])
    session.take(Reply(416, b"<html>", content_type="text/html"))
    session.take(Reply(200, SONG[-len(audio()) - 3000 :], ranged=False, content_type=""))
    assert session.probe.result().codec == "mp3"
