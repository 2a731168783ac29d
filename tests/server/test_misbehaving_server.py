"""Each sin of the misbehaving server is really committed: shown with bare sockets and http.client."""

from __future__ import annotations

import http.client
import io
import socket
import time
import zlib
from dataclasses import dataclass
from email.utils import parsedate_to_datetime

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


@pytest.mark.parametrize("name", ["garbage", "icy"])
def test_the_status_line_is_not_http(web, name):
    with pytest.raises(http.client.BadStatusLine):
        get(web, name)


def test_a_stream_of_audio_does_not_end(web):
    assert raw(web, "icy", limit=1_000_000).startswith(b"ICY 200 OK\r\n")


def test_the_stated_length_is_not_the_length(web):
    assert raw(web, "short-length").partition(b"\r\n\r\n")[2] == b"<p>hello</p>".ljust(1000)
    assert len(get(web, "short-length").body) == 10
    with pytest.raises(http.client.IncompleteRead) as cut:
        get(web, "long-length")
    assert len(cut.value.partial) == 1000
    assert raw(web, "two-lengths").count(b"Content-Length: 5") == 2
    assert b"Content-Length: many\r\n" in raw(web, "bad-length")


def test_a_chunk_size_is_no_number(web):
    with pytest.raises(http.client.IncompleteRead):
        get(web, "bad-chunks")


@pytest.mark.parametrize("name", ["endless-body", "endless-head"])
def test_the_answer_goes_on_for_as_long_as_one_reads(web, name):
    got = raw(web, name, limit=5_000_000)
    assert len(got) >= 5_000_000
    assert (b"\r\n\r\n" in got) == (name == "endless-body")


def test_one_header_line_has_a_megabyte(web):
    with pytest.raises(http.client.LineTooLong):
        get(web, "long-header")
    assert len(raw(web, "long-header")) > 1_000_000


def test_a_page_drips(web):
    with socket.create_connection(("127.0.0.1", web.port), timeout=20) as peer:
        began = time.monotonic()
        peer.sendall(b"GET / HTTP/1.1\r\nHost: slow-drip.example\r\n\r\n")
        got = b"".join(peer.recv(65536) for _ in range(10))
        took = time.monotonic() - began
    head, _, body = got.partition(b"\r\n\r\n")
    assert b"Content-Length: 6000" in head
    # One byte every 20 ms, the first at once; one more for timers that are a hair early.
    assert 0 < len(body) <= took / 0.02 + 2


# Status and redirect


@pytest.mark.parametrize(
    ("name", "status", "retry_after"),
    [
        ("status-500", 500, None),
        ("status-503", 503, None),
        ("retry-seconds", 503, "2"),
        ("retry-nonsense", 503, "-7 soon"),
        ("retry-for-ever", 503, "999999999999"),
        ("too-many", 429, "2"),
        ("too-many-silent", 429, None),
        ("status-unknown", 799, None),
    ],
)
def test_a_refusal_has_its_status_and_its_retry_after(web, name, status, retry_after):
    answer = get(web, name)
    assert (answer.status, answer.headers.get("retry-after")) == (status, retry_after)


def test_a_retry_after_date_lies_ahead(web):
    before = time.time()
    until = parsedate_to_datetime(get(web, "retry-date").headers["retry-after"]).timestamp()
    # Two seconds from the answer, less what a date leaves out of a second.
    assert before + 1 < until <= time.time() + 2


def test_a_host_is_back_after_one_refusal():
    with MisbehavingWeb() as fresh:
        assert [get(fresh, "retry-once").status for _ in range(3)] == [503, 200, 200]


@pytest.mark.parametrize(
    ("name", "path", "location"),
    [
        ("redirect-self", "/a?b=c", "/a?b=c"),
        ("redirect-pair", "/a", "/b"),
        ("redirect-pair", "/b", "/a"),
        ("redirect-no-location", "/", None),
        ("redirect-ftp", "/", "ftp://127.0.0.1/song.mp3"),
        ("redirect-file", "/", "file:///etc/passwd"),
        ("redirect-data", "/", "data:text/html,<a href='/'>x</a>"),
        ("redirect-bytes", "/", "/m\xfcsik.mp3"),
        ("redirect-bytes", "/broken", "http://[::broken/"),
        ("redirect-long", "/", "/" + "long/" * 4000),
        ("redirect-metadata", "/", "http://169.254.169.254/latest/meta-data/"),
    ],
)
def test_a_redirect_leads_where_nobody_should_go(web, name, path, location):
    answer = get(web, name, path)
    assert answer.status in {301, 302}
    assert answer.headers.get("location") == location


def test_a_redirect_without_end_has_a_new_target_each_time(web):
    targets = [get(web, "redirect-endless").headers["location"] for _ in range(5)]
    assert len(set(targets)) == 5
    assert all(target.startswith(f"http://redirect-endless.example:{web.port}/step/") for target in targets)


# Ranges


@pytest.mark.parametrize("name", ["ignores-range", "lies-about-range"])
def test_a_range_is_ignored_and_the_whole_file_comes(web, name):
    answer = get(web, name, SONG, Range="bytes=0-99")
    assert (answer.status, answer.body) == (200, sins_media.song())
    assert len(answer.body) > 300_000
    assert ("accept-ranges" in answer.headers) == (name == "lies-about-range")


@pytest.mark.parametrize(
    ("name", "place"),
    [
        ("wrong-content-range", "bytes 1100-1199/{size}"),
        ("nonsense-content-range", "bytes 200-100/some"),
        ("no-content-range", None),
        ("unknown-size", "bytes 100-199/*"),
    ],
)
def test_a_partial_answer_names_a_wrong_place_or_none(web, name, place):
    answer = get(web, name, SONG, Range="bytes=100-199")
    assert (answer.status, answer.body) == (206, sins_media.song()[100:200])
    assert answer.headers.get("content-range") == (place and place.format(size=len(sins_media.song())))


def test_a_partial_answer_brings_less_than_asked(web):
    answer = get(web, "short-range", SONG, Range="bytes=100-9999")
    assert (answer.status, len(answer.body)) == (206, 1000)
    assert answer.headers["content-range"] == f"bytes 100-1099/{len(sins_media.song())}"


def test_no_range_is_ever_satisfied(web):
    assert get(web, "never-satisfied", SONG, Range="bytes=0-99").status == 416
    assert get(web, "never-satisfied", SONG).status == 200
    assert get(web, "empty-file", SONG, Range="bytes=0-99").status == 416


def test_one_range_comes_as_multipart(web):
    answer = get(web, "multipart", SONG, Range="bytes=100-199")
    assert (answer.status, answer.headers["content-type"]) == (206, "multipart/byteranges; boundary=EDGE")
    assert answer.body.split(b"\r\n\r\n")[1].removesuffix(b"\r\n--EDGE--\r\n") == sins_media.song()[100:200]


def test_a_file_changes_between_two_ranges_and_if_range_shows_it(web):
    first = get(web, "changing", SONG, Range="bytes=0-99")
    second = get(web, "changing", SONG, Range="bytes=100-199", If_Range=first.headers["etag"])
    assert (first.status, second.status) == (206, 200)
    assert first.headers["etag"] != second.headers["etag"]
    assert MP3(io.BytesIO(second.body)).info.length > 99


def test_a_file_changes_between_two_ranges_and_only_its_size_shows_it(web):
    places = [get(web, "changing-silently", SONG, Range="bytes=0-99").headers for _ in range(2)]
    assert places[0]["content-range"] != places[1]["content-range"]
    assert not {"etag", "last-modified"} & set(places[0])


def test_the_second_range_fails():
    with MisbehavingWeb() as fresh:
        assert [get(fresh, "head-then-500", SONG, Range="bytes=0-9").status for _ in range(2)] == [206, 500]


def test_a_file_is_not_what_its_content_type_says(web):
    untyped = get(web, "no-content-type", SONG, Range="bytes=0-16383")
    assert "content-type" not in untyped.headers
    assert untyped.body.startswith(b"ID3")
    page = get(web, "wrong-content-type", SONG, Range="bytes=0-99")
    assert (page.headers["content-type"], page.body[:3]) == ("text/html", b"ID3")
    noise = get(web, "noise-file", SONG)
    assert (noise.headers["content-type"], len(noise.body)) == ("audio/mpeg", 100_000)


def test_a_tag_claims_256_megabytes(web):
    assert get(web, "huge-tag", SONG, Range="bytes=0-9").body == b"ID3\x03\x00\x00\x7f\x7f\x7f\x7f"


@pytest.mark.parametrize("name", sorted(sins_media.TRUE_NAMES))
def test_a_file_whose_tags_lie_is_a_sound_mp3_that_does_not_say_its_name(web, name):
    tags = MP3(io.BytesIO(get(web, name, SONG).body)).tags
    said = str(tags["TIT2"]) if tags and "TIT2" in tags else ""
    assert (said == sins_media.TRUE_NAMES[name].title) == (name == "tags-true")


# Pages


def test_a_page_has_two_megabytes_and_links_at_both_ends(web):
    body = get(web, "huge-page").body
    assert len(body) > 2_000_000
    assert 0 <= body.index(b"/first.html") < 200
    assert body.index(b"/last.html") > 2_000_000


def test_a_small_page_unpacks_to_64_megabytes(web):
    answer = get(web, "gzip-bomb")
    assert answer.headers["content-encoding"] == "gzip"
    assert len(answer.body) < 100_000
    unpacker = zlib.decompressobj(31)
    assert len(unpacker.decompress(answer.body, 10_000_000)) == 10_000_000
    assert unpacker.unconsumed_tail


def test_a_packed_page_breaks_off(web):
    unpacker = zlib.decompressobj(31)
    assert b"/7919.html" in unpacker.decompress(get(web, "gzip-cut").body)
    assert not unpacker.eof


def test_a_content_encoding_is_a_lie_or_unknown(web):
    assert (get(web, "gzip-lie").headers["content-encoding"], get(web, "gzip-lie").body[:9]) == ("gzip", b"<!DOCTYPE")
    assert get(web, "unknown-encoding").headers["content-encoding"] == "x-own"


def test_pages_have_too_much_of_everything(web):
    assert len(set(get(web, "many-links").body.split(b"href=")[1:])) == 20_000
    assert get(web, "deep-html").body.count(b"<div>") == 20_000
    assert b"-->" not in get(web, "unclosed-html").body
    assert get(web, "own-maze", "/1/2/").body.count(b'href="/1/2/') == 10
    assert get(web, "xml-bomb").body.count(b"<!ENTITY") == 10
    assert len(get(web, "binary-page").body) == 102_400


def test_a_page_is_in_no_encoding_or_in_another_than_it_says(web):
    noise = get(web, "nul-page").body
    assert b"\0" in noise
    with pytest.raises(UnicodeDecodeError):
        noise.decode("utf-8")
    lie = get(web, "charset-lie")
    assert "iso-8859-1" in lie.headers["content-type"]
    assert b'<meta charset="utf-8">' in lie.body
    assert "Старое радио" in lie.body.decode("cp1251")
    assert "no-such-8" in get(web, "charset-unknown").headers["content-type"]
    assert "content-type" not in get(web, "untyped-page").headers


def test_one_good_link_stands_among_strange_ones(web):
    body = get(web, "strange-links").body
    assert b'href="/good.html"' in body
    assert b'href="http://[::1"' in body


# robots.txt


@pytest.mark.parametrize(
    ("name", "status"),
    [
        ("robots-404", 404),
        ("robots-403", 403),
        ("robots-429", 429),
        ("robots-500", 500),
        ("robots-redirects", 302),
        ("robots-loop", 301),
    ],
)
def test_robots_txt_has_another_status_than_200(web, name, status):
    assert get(web, name, "/robots.txt").status == status


def test_robots_txt_is_larger_than_500_kib_with_rules_on_both_sides(web):
    body = get(web, "robots-huge", "/robots.txt").body
    assert len(body) == 600_000
    assert body.index(b"/private/") < 100
    assert body.index(b"/late/") > 500 * 1024


def test_robots_txt_is_not_what_one_expects(web):
    assert get(web, "robots-html", "/robots.txt").headers["content-type"] == "text/html"
    assert b"<html>" in get(web, "robots-html", "/robots.txt").body
    assert get(web, "robots-typed-html", "/robots.txt").headers["content-type"] == "text/html"
    assert b"\0" in get(web, "robots-binary", "/robots.txt").body
    assert get(web, "robots-wildcards", "/robots.txt").body.count(b"*a") == 1000
    assert get(web, "robots-latin", "/robots.txt").body.startswith(b"\xef\xbb\xbfUser-agent: *\r")
    assert b"Crawl-delay: 100000" in get(web, "robots-slow", "/robots.txt").body


def test_robots_txt_stands_behind_five_redirects(web):
    path, steps = "/robots.txt", 0
    while (answer := get(web, "robots-redirects", path)).status == 302:
        path, steps = answer.headers["location"], steps + 1
    assert (steps, b"Disallow: /private/" in answer.body) == (5, True)


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
