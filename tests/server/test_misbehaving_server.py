"""Sins that a crawl would not notice if they were not committed. The crawl shows all others (tests/e2e)."""

from __future__ import annotations

import http.client
import io
import zlib

import pytest
import sins_media
from misbehaving import MisbehavingWeb
from mutagen.mp3 import MP3

SONG = "/song.mp3"


@pytest.fixture(scope="module")
def web():
    with MisbehavingWeb() as running:
        yield running


def get(web: MisbehavingWeb, sin: str, path: str = SONG, **headers: str) -> tuple[int, dict[str, str], bytes]:
    """Status, headers and body of one request on a connection of its own."""
    connection = http.client.HTTPConnection("127.0.0.1", web.port, timeout=20)
    lines = {"Host": f"{sin}.example:{web.port}"} | {name.replace("_", "-"): value for name, value in headers.items()}
    try:
        connection.request("GET", path, headers=lines)
        response = connection.getresponse()
        return response.status, {name.lower(): value for name, value in response.getheaders()}, response.read()
    finally:
        connection.close()


def test_nobody_commits_a_sin_that_is_not_in_the_table(web):
    with pytest.raises(KeyError):
        web.url("virtue")
    assert get(web, "virtue")[0] == 421


def test_a_file_changes_between_two_ranges_and_if_range_shows_it(web):
    first, headers, _ = get(web, "changing", Range="bytes=0-99")
    second, other, body = get(web, "changing", Range="bytes=100-199", If_Range=headers["etag"])
    assert (first, second) == (206, 200)
    assert headers["etag"] != other["etag"]
    assert MP3(io.BytesIO(body)).info.length > 99


@pytest.mark.parametrize("name", sorted(sins_media.TRUE_NAMES))
def test_a_file_whose_tags_lie_is_a_sound_mp3_that_does_not_say_its_name(web, name):
    tags = MP3(io.BytesIO(get(web, name)[2])).tags
    said = str(tags["TIT2"]) if tags and "TIT2" in tags else ""
    assert (said == sins_media.TRUE_NAMES[name].title) == (name == "tags-true")


def test_a_small_page_unpacks_to_64_megabytes(web):
    _, headers, body = get(web, "gzip-bomb", "/")
    assert headers["content-encoding"] == "gzip"
    assert len(body) < 100_000
    unpacker = zlib.decompressobj(31)
    assert len(unpacker.decompress(body, 10_000_000)) == 10_000_000
    assert unpacker.unconsumed_tail
