"""`mediacrawl.describe` of a URL: the crawl's client, its guard and its reading, and one deadline."""

import asyncio
import gzip
import itertools
import socket
import subprocess
import sys
import threading
import time
import zlib
from importlib import resources
from pathlib import Path

import pytest
from scripted_server import ScriptedServer, certificate_in, unaccepting

import mediacrawl
from mediacrawl import DescribeError, describe

MEDIA = Path(str(resources.files("mediacrawl.programs.demo").joinpath("media")))
SONG = next(iter(sorted(MEDIA.glob("*.mp3")))).read_bytes()
LOOPBACK = ["127.0.0.0/8", "::1"]
OK = b"HTTP/1.1 200 OK\r\nContent-Type: audio/mpeg\r\n"
LENGTH = b"Content-Length: %d\r\n" % len(SONG)
CHUNKS = b"".join(b"%x\r\n%s\r\n" % (len(SONG[at : at + 500]), SONG[at : at + 500]) for at in range(0, len(SONG), 500))
WHOLE = OK + LENGTH + b"\r\n" + SONG


def at(server, path="/song.mp3"):
    return f"http://127.0.0.1:{server.port}{path}"


def describe_answer(*script, timeout=20.0, **more):
    with ScriptedServer(*script) as server:
        return describe(at(server), allow=LOOPBACK, timeout=timeout, **more)


def title_of(*script):
    return describe_answer(*script)["title"]


TITLE = describe(SONG)["title"]


@pytest.mark.parametrize(
    "answer",
    [
        WHOLE,
        b"HTTP/1.1 103 Early Hints\r\nLink: </a>\r\n\r\n" + WHOLE,
        OK + b"".join(b"X-%d: y\r\n" % number for number in range(300)) + LENGTH + b"\r\n" + SONG,
        OK + b"Transfer-Encoding: chunked\r\n\r\n" + CHUNKS + b"0\r\nX-Sum: 1\r\n\r\n",
        OK.replace(b"1.1 200", b"1.1  200") + b"\r\n" + SONG,
        OK + b"\r\n" + SONG,
    ],
    ids=["plain", "early hints", "many fields", "chunks", "two blanks", "no length"],
)
def test_a_response_is_read_as_in_a_crawl(answer):
    assert title_of(answer) == TITLE


@pytest.mark.parametrize(
    ("coding", "body"),
    [
        *((each, SONG) for each in (b"none", b"utf-8", b"binary", b"aws-chunked", b"identity, identity", b"\xff\x1b")),
        (b"gzip", gzip.compress(SONG)),
        (b"Deflate", zlib.compress(SONG)),
        (b"utf-8, GZIP", gzip.compress(SONG)),
    ],
)
def test_a_content_coding_is_decoded_and_what_is_none_is_none(coding, body):
    answer = OK + b"Content-Encoding: %s\r\nContent-Length: %d\r\n\r\n" % (coding, len(body)) + body
    assert title_of(answer) == TITLE


def test_a_station_is_described_by_its_headers():
    head = b"ICY 200 OK\r\nicy-name: Radio One\r\nicy-br: 128\r\nContent-Type: audio/mpeg\r\n\r\n"
    record = describe_answer(head + SONG * 4)
    assert (record["title"], record["probe_status"]) == ("Radio One", "stream")
    bare = describe_answer(b"ICY 200 OK\r\nContent-Type: audio/mpeg\r\n\r\n" + SONG * 4)
    assert (bare["encoding_format"], bare["probe_status"]) == ("audio/mpeg", "stream")


def part_of(song, request):
    """The range that a request asks for."""
    start, stop = (int(each) for each in request.partition(b"bytes=")[2].partition(b"\r\n")[0].split(b"-"))
    part = song[start : stop + 1]
    place = b"Content-Range: bytes %d-%d/%d\r\n" % (start, start + len(part) - 1, len(song))
    return OK.replace(b"200 OK", b"206 Partial") + place + b"Content-Length: %d\r\n\r\n" % len(part) + part


def test_ranges_are_asked_for_over_one_connection():
    song = SONG + bytes(3_000_000)

    def answer(request):
        return [part_of(song, request), "keep"]

    with ScriptedServer(answer) as server:
        record = describe(at(server), allow=LOOPBACK, contact="https://radio.example/bot")
        assert (record["title"], record["content_size"]) == (TITLE, len(song))
        assert record["bytes_fetched"] < 100_000
        assert len(server.requests) == record["requests"] > 1
        assert server.clients == 1
    assert all(b"(+https://radio.example/bot)\r\n" in request for request in server.requests)
    own = ("content_url", "bytes_fetched", "requests", "id", "server_accepts_ranges", "http_status", "content_type")
    found, whole = record, describe(song)
    assert {name for name, value in whole.items() if found[name] != value} <= {*own, "found_at", "checked_at"}


def test_a_kept_connection_that_was_closed_is_replaced():
    song, answered = SONG + bytes(3_000_000), itertools.count()

    def answer(request):
        return [] if next(answered) % 2 else [part_of(song, request), "keep"]

    with ScriptedServer(answer) as server:
        assert describe(at(server), allow=LOOPBACK)["title"] == TITLE


def test_all_addresses_of_a_name_are_tried():
    """The name's first address is mostly ::1, where nobody listens."""
    with ScriptedServer(WHOLE) as server:
        assert describe(f"http://localhost:{server.port}/", allow="localhost")["title"] == TITLE


# -- redirects ---------------------------------------------------------------------------------------------------


def moved(location):
    return b"HTTP/1.1 302 Found\r\nLocation: " + location + b"\r\nContent-Length: 0\r\n\r\n"


@pytest.mark.parametrize("hops", [3, 4])
def test_three_redirects_are_followed_and_no_fourth(hops):
    def answer(request):
        number = int(request.partition(b" /")[2].partition(b" ")[0] or 0)
        return [moved(b"/%d" % (number - 1)) if number else WHOLE]

    with ScriptedServer(answer) as server:
        if hops == 3:
            record = describe(at(server, "/3"), allow=LOOPBACK)
            assert (record["content_url"], record["requested_url"]) == (at(server, "/0"), at(server, "/3"))
        else:
            with pytest.raises(DescribeError, match="redirects once more"):
                describe(at(server, "/4"), allow=LOOPBACK)


def test_an_address_that_is_not_public_is_not_asked():
    with ScriptedServer(WHOLE) as server, pytest.raises(DescribeError, match="is loopback; name it in allow"):
        describe(at(server))
    assert server.requests == []


@pytest.mark.parametrize(
    ("location", "sentence"),
    [
        (b"http://[::1", "no URL that can be requested"),
        (b"http://a b/", "no URL that can be requested"),
        (b"http://example.org:99999/", "no URL that can be requested"),
        (b"ftp://example.org/", "no URL that can be requested"),
        (b"file:///etc/passwd", "no URL that can be requested"),
        (b"javascript:alert(1)\x1b[2J\xff", "no URL that can be requested"),
        (b"http://127.0.0.1:6379/", "port 6379"),
        (b"http://127.0.0.1:25/", "port 25"),
        (b"//127.0.0.1:22/a", "port 22"),
        (b"http://10.0.0.1/", "10.0.0.1 is private"),
        (b"http://[::ffff:169.254.169.254]/", "is metadata"),
        (b"http://0x0a.1/", "10.0.0.1 is private"),
        (b"/again" + b"x" * 5000, "redirects once more"),
    ],
)
def test_a_redirect_is_followed_as_in_a_crawl_or_refused_with_a_sentence(location, sentence):
    with pytest.raises(DescribeError, match=sentence.replace("[", r"\[").replace(".", r"\.")) as caught:
        describe_answer(moved(location))
    check_message(caught.value)


# -- what a server may do ----------------------------------------------------------------------------------------


def check_message(error):
    text = str(error)
    assert text.isprintable(), text
    assert len(text) < 700


@pytest.mark.parametrize(
    ("script", "sentence"),
    [
        ([b"SSH-2.0-x\r\n\r\n"], "bad status line"),
        ([b""], "connection closed without an answer"),
        (["reset"], "connection reset"),
        ([OK + b"Content-Length: 99\r\n\r\n"], "broke off: connection closed"),
        ([OK + b"Content-Encoding: gzip\r\n\r\n<html>"], r"cannot be unpacked \(gzip\)"),
        ([b"HTTP/1.1 404 No\r\nContent-Length: 0\r\n\r\n"], "was answered with status 404"),
        ([b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n\r\n<!doctype html><p>text"], "is html, neither audio nor"),
    ],
)
def test_the_reason_is_told(script, sentence):
    with pytest.raises(DescribeError, match=sentence):
        describe_answer(*script)


def test_a_certificate_is_verified(tmp_path):
    path = certificate_in(tmp_path, "localhost")
    with (
        ScriptedServer(WHOLE, certificate=path) as server,
        pytest.raises(DescribeError, match="certificate self-signed"),
    ):
        describe(f"https://localhost:{server.port}/", allow="localhost")
    assert server.requests == []


def test_it_trusts_the_certificates_that_the_environment_names(tmp_path):
    path = certificate_in(tmp_path, "localhost")
    code = "import sys, mediacrawl; print(mediacrawl.describe(sys.argv[1], allow='localhost')['title'])"
    with ScriptedServer(WHOLE, certificate=path) as server:
        done = subprocess.run(
            [sys.executable, "-c", code, f"https://localhost:{server.port}/"],
            env={"SSL_CERT_FILE": str(path), "PATH": "", "PYTHONIOENCODING": "utf-8"},
            cwd=Path(mediacrawl.__file__).parents[1],
            capture_output=True,
            text=True,
            encoding="utf-8",
            check=False,
        )
    assert done.stdout.strip() == TITLE, done.stderr


# -- one deadline ------------------------------------------------------------------------------------------------

DRIP = [part for _ in range(600) for part in (b"\n", 0.1)]


@pytest.mark.parametrize(
    "script",
    [
        [60],
        DRIP,
        [OK, *(part for _ in range(600) for part in (b"X: y\r\n", 0.1))],
        [part for _ in range(600) for part in (b"HTTP/1.1 100 Continue\r\n\r\n", 0.1)],
        [OK + LENGTH + b"\r\n", *(part for octet in SONG for part in (bytes([octet]), 0.1))],
        [OK + b"Transfer-Encoding: chunked\r\n\r\n0\r\n", *(part for _ in range(600) for part in (b"X: y\r\n", 0.1))],
        [OK + b"Transfer-Encoding: chunked\r\n\r\n1;", *(part for _ in range(600) for part in (b"a", 0.1))],
    ],
    ids=["silence", "line breaks", "fields", "100 Continue", "body", "trailer", "extension"],
)
def test_a_server_that_drips_is_left_in_time(script):
    began = time.monotonic()
    with pytest.raises(DescribeError, match=r"was not answered within 0\.5 s"):
        describe_answer(*script, timeout=0.5)
    # Any of them would take a minute.
    assert time.monotonic() - began < 20


@pytest.mark.parametrize(
    "script",
    [
        [b"HTTP/1.1 100 Continue\r\n\r\n" * 100_000],
        [OK + b"X: y\r\n" * 100_000],
        [OK + b"Transfer-Encoding: chunked\r\n\r\n0\r\n" + b"X: y\r\n" * 1_000_000],
    ],
    ids=["100 Continue", "fields", "trailer"],
)
def test_a_flood_is_ended(script):
    with pytest.raises(DescribeError):
        describe_answer(*script)


def test_a_name_whose_look_up_hangs_is_given_up(monkeypatch):
    waiting = threading.Event()
    monkeypatch.setattr(socket, "getaddrinfo", lambda *_, **__: waiting.wait(20))
    with pytest.raises(DescribeError, match=r"slow\.example/a\.mp3 was not answered within 0\.2 s"):
        describe("http://slow.example/a.mp3", timeout=0.2)
    waiting.set()


def test_a_connection_that_nobody_accepts_is_given_up():
    with unaccepting() as port, pytest.raises(DescribeError, match="was not answered"):
        describe(f"http://127.0.0.1:{port}/", allow=LOOPBACK, timeout=0.3)


# -- wherever it is called ---------------------------------------------------------------------------------------


def test_it_works_while_an_event_loop_runs():
    async def run():
        return title_of(WHOLE), await asyncio.to_thread(title_of, WHOLE), asyncio.get_running_loop() is loop

    loop = asyncio.new_event_loop()
    try:
        assert loop.run_until_complete(run()) == (TITLE, TITLE, True)
    finally:
        loop.close()


def test_it_works_in_many_threads_at_once():
    """Their connections have no buffer in common."""
    songs = [path.read_bytes() for path in sorted(MEDIA.glob("*.mp3"))[:8]]
    found = {}

    def run(number, song):
        answer = OK + b"Content-Length: %d\r\n\r\n" % len(song)
        parts = [song[at : at + 700] for at in range(0, len(song), 700)]
        for turn in range(5):
            found[number, turn] = title_of(answer, *parts)

    threads = [threading.Thread(target=run, args=each) for each in enumerate(songs)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    titles = [describe(song)["title"] for song in songs]
    assert found == {(number, turn): titles[number] for number in range(len(songs)) for turn in range(5)}


REACTOR = """
import sys, mediacrawl
{install}
from twisted.internet import reactor
from twisted.internet.threads import deferToThread

def show(result):
    print(result)
    reactor.stop()

def ask():
    print(mediacrawl.describe(sys.argv[1], allow="127.0.0.1")["title"])
    deferToThread(lambda: mediacrawl.describe(sys.argv[1], allow="127.0.0.1")["title"]).addBoth(show)

reactor.callWhenRunning(ask)
reactor.run()
"""
ASYNCIO = "from twisted.internet import asyncioreactor; asyncioreactor.install()"


@pytest.mark.parametrize("install", ["", ASYNCIO], ids=["twisted's own", "asyncio"])
def test_it_works_while_a_reactor_runs(install):
    with ScriptedServer(WHOLE) as server:
        done = subprocess.run(
            [sys.executable, "-X", "utf8", "-c", REACTOR.format(install=install), at(server)],
            cwd=Path(mediacrawl.__file__).parents[1],
            capture_output=True,
            text=True,
            encoding="utf-8",
            check=False,
        )
    assert done.stdout.splitlines() == [TITLE, TITLE], done.stderr


def test_a_url_needs_neither_scrapy_nor_twisted():
    code = (
        "import sys, mediacrawl; mediacrawl.describe(sys.argv[1], allow='127.0.0.1');"
        " print({name.partition('.')[0] for name in sys.modules} & {'scrapy', 'twisted'})"
    )
    with ScriptedServer(WHOLE) as server:
        done = subprocess.run(
            [sys.executable, "-c", code, at(server)],
            cwd=Path(mediacrawl.__file__).parents[1],
            capture_output=True,
            text=True,
            check=True,
        )
    assert (done.stdout.strip(), done.stderr) == ("set()", "")


def test_what_is_allowed_is_checked():
    with pytest.raises(DescribeError, match=r"'127\.0\.0\.0/33' is neither a network nor a name"):
        describe("http://127.0.0.1/", allow="127.0.0.0/33")


@pytest.mark.parametrize("path", ["/track/127.0.0.1:{port}/song.mp3", "/e/http%3A%2F%2F127.0.0.1:{port}%2Fsong.mp3"])
def test_a_file_behind_a_counting_prefix_is_requested_directly(path):
    with ScriptedServer(WHOLE) as server:
        source = at(server, path.format(port=server.port))
        record = describe(source, allow=LOOPBACK)
        assert {asked.split()[1] for asked in server.requests} == {b"/song.mp3"}
    assert (record["content_url"], record["requested_url"]) == (at(server), source)


@pytest.mark.parametrize("answer", [b"HTTP/1.1 404 Not Found\r\nContent-Length: 0\r\n\r\n", OK + b"\r\n<html>gone"])
def test_the_url_as_given_is_requested_where_the_file_is_not_behind_the_prefix(answer):
    with ScriptedServer(lambda asked: [answer if b" /song.mp3" in asked else WHOLE]) as server:
        source = at(server, f"/e/127.0.0.1:{server.port}/song.mp3")
        record = describe(source, allow=LOOPBACK)
    assert (record["content_url"], record["title"]) == (source, TITLE)
