"""The misbehaving server, asked with bare sockets and http.client.

Most sins are shown by how the crawl of them ends (tests/e2e/test_misbehaving_crawl.py has a line for each).
"""

from __future__ import annotations

import http.client
import io
import socket
import time
import zlib
from dataclasses import dataclass

import pytest
import sins_media
from misbehaving import SINS, MisbehavingWeb
from mutagen.mp3 import MP3

SONG = "/song.mp3"


@pytest.fixture(scope="module")
def web():
    with MisbehavingWeb() as running:
        yield running


@dataclass
class Answer:
    status: int
    headers: dict[str, str]
    body: bytes


def get(web: MisbehavingWeb, sin: str, path: str = "/", **headers: str) -> Answer:
    """One request on a connection of its own."""
    connection = http.client.HTTPConnection("127.0.0.1", web.port, timeout=20)
    lines = {"Host": f"{sin}.example:{web.port}"} | {name.replace("_", "-"): value for name, value in headers.items()}
    try:
        connection.request("GET", path, headers=lines)
        response = connection.getresponse()
        return Answer(response.status, {name.lower(): value for name, value in response.getheaders()}, response.read())
    finally:
        connection.close()


def raw(
    web: MisbehavingWeb, sin: str, path: str = "/", limit: int = 10_000_000, silent_after: bytes | None = None
) -> bytes:
    """All bytes until the server closes, or this many, or silence once this has come at the end."""
    got = bytearray()
    with socket.create_connection(("127.0.0.1", web.port), timeout=20) as peer:
        peer.sendall(f"GET {path} HTTP/1.1\r\nHost: {sin}.example\r\n\r\n".encode())
        try:
            while len(got) < limit:
                if silent_after is not None and got.endswith(silent_after):
                    peer.settimeout(0.2)
                if not (piece := peer.recv(65536)):
                    break
                got += piece
        except TimeoutError:
            got += b"<silence>"
        except ConnectionResetError:
            got += b"<reset>"
    return bytes(got)


def test_each_sin_has_a_sentence_and_a_host_that_is_a_site_of_its_own(web):
    assert len(SINS) > 60
    for name, sentence in SINS.items():
        assert sentence.endswith("."), name
        assert web.hosts[f"{name}.example"] == "127.0.0.1"
        assert web.url(name, SONG) == f"http://{name}.example:{web.port}/song.mp3"


def test_nobody_commits_a_sin_that_is_not_in_the_table(web):
    with pytest.raises(KeyError):
        web.url("virtue")
    assert get(web, "virtue").status == 421


@pytest.mark.parametrize("name", sorted(name for name in SINS if not name.startswith("robots-")))
def test_a_host_that_sins_elsewhere_has_a_decent_robots_txt(web, name):
    answer = get(web, name, "/robots.txt")
    assert (answer.status, answer.body) == (200, b"User-agent: *\nDisallow:\n")


@pytest.mark.parametrize("name", sorted(name for name in SINS if name.startswith("robots-")))
def test_a_host_that_sins_in_robots_txt_is_decent_elsewhere(web, name):
    assert b'href="/private/song.mp3"' in get(web, name).body
    answer = get(web, name, SONG, Range="bytes=0-99")
    assert (answer.status, len(answer.body)) == (206, 100)
    assert answer.headers["content-range"] == "bytes 0-99/" + str(len(sins_media.song()))


# The connection


@pytest.mark.parametrize(
    ("name", "path"), [("reset", "/"), ("reset", SONG), ("robots-reset", "/robots.txt")], ids=lambda value: value
)
def test_the_connection_is_reset_before_an_answer(web, name, path):
    assert raw(web, name, path) == b"<reset>"


def test_the_connection_is_reset_within_the_body(web):
    assert raw(web, "reset-in-body").endswith(b"x" * 100 + b"<reset>")


def test_the_connection_is_closed_without_a_byte(web):
    assert raw(web, "silent-close") == b""


@pytest.mark.parametrize(("name", "path"), [("hang", "/"), ("robots-hang", "/robots.txt")])
def test_a_request_is_never_answered(web, name, path):
    assert raw(web, name, path, silent_after=b"") == b"<silence>"


def test_the_answer_stops_in_the_head_or_in_the_body(web):
    head = raw(web, "hang-in-head", silent_after=b"\r\n")
    assert head.endswith(b"\r\n<silence>")
    assert b"\r\n\r\n" not in head
    sent = b"\r\n\r\n" + b"x" * 1000
    assert raw(web, "hang-in-body", silent_after=sent).endswith(sent + b"<silence>")


@pytest.mark.parametrize("name", ["endless-body", "endless-head"])
def test_the_answer_goes_on_for_as_long_as_one_reads(web, name):
    got = raw(web, name, limit=5_000_000)
    assert len(got) >= 5_000_000
    assert (b"\r\n\r\n" in got) == (name == "endless-body")


# Files and pages whose sin a crawl would not notice if it were not committed


def test_a_file_changes_between_two_ranges_and_if_range_shows_it(web):
    first = get(web, "changing", SONG, Range="bytes=0-99")
    second = get(web, "changing", SONG, Range="bytes=100-199", If_Range=first.headers["etag"])
    assert (first.status, second.status) == (206, 200)
    assert first.headers["etag"] != second.headers["etag"]
    assert MP3(io.BytesIO(second.body)).info.length > 99


@pytest.mark.parametrize("name", sorted(sins_media.TRUE_NAMES))
def test_a_file_whose_tags_lie_is_a_sound_mp3_that_does_not_say_its_name(web, name):
    tags = MP3(io.BytesIO(get(web, name, SONG).body)).tags
    said = str(tags["TIT2"]) if tags and "TIT2" in tags else ""
    assert (said == sins_media.TRUE_NAMES[name].title) == (name == "tags-true")


def test_a_small_page_unpacks_to_64_megabytes(web):
    answer = get(web, "gzip-bomb")
    assert answer.headers["content-encoding"] == "gzip"
    assert len(answer.body) < 100_000
    unpacker = zlib.decompressobj(31)
    assert len(unpacker.decompress(answer.body, 10_000_000)) == 10_000_000
    assert unpacker.unconsumed_tail


def test_robots_txt_is_larger_than_500_kib_with_rules_on_both_sides(web):
    body = get(web, "robots-huge", "/robots.txt").body
    assert len(body) == 600_000
    assert body.index(b"/private/") < 100
    assert body.index(b"/late/") > 500 * 1024


# The server


def test_all_sins_leave_a_server_that_can_be_asked_and_stopped(misbehaving):
    peers = []
    for name in SINS:
        peer = socket.create_connection(("127.0.0.1", misbehaving.port))
        # In one piece: after the first answer there may be nobody to send the second to.
        requests = (f"GET {path} HTTP/1.1\r\nHost: {name}.example\r\n\r\n" for path in ("/robots.txt", SONG))
        peer.sendall("".join(requests).encode())
        peers.append(peer)
    while len({entry.host for entry in misbehaving.log}) < len(SINS):
        time.sleep(0.01)
    assert get(misbehaving, "status-500").status == 500
    for peer in peers:
        peer.close()
    assert {entry.host for entry in misbehaving.settled_log(60)} == set(misbehaving.hosts)


def test_the_log_shows_what_each_host_was_asked_for(misbehaving):
    get(misbehaving, "ignores-range", SONG, Range="bytes=0-9", User_Agent="walker/1.0")
    entry = misbehaving.settled_log()[0]
    assert (entry.host, entry.path, entry.range) == ("ignores-range.example", SONG, "bytes=0-9")
    assert (entry.status, entry.bytes_sent, entry.user_agent) == (200, len(sins_media.song()), "walker/1.0")
