"""The HTTP core under the demo web and the misbehaving web: what it answers, and what it survives."""

from __future__ import annotations

import asyncio
import socket
import threading
import time

import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from wire import BadRequestError, HttpServer, Request, Resource, Response, ServerExchange, parse_request, respond

from mediacrawl.programs.demo.answers import UnsatisfiableRangeError, single_range

BODY = bytes(range(256)) * 4
RESOURCE = Resource(BODY, "audio/mpeg", modified=1_767_225_600, etag='"one"')
MODIFIED = "Thu, 01 Jan 2026 00:00:00 GMT"


def ask(method: str = "GET", **headers: str) -> Response:
    lines = {name.replace("_", "-"): value for name, value in headers.items()}
    return respond(RESOURCE, Request(method, "/", "a.example", lines))


# What a range header means


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        ("bytes=0-0", (0, 1)),
        ("bytes=0-99", (0, 100)),
        ("bytes=100-", (100, 1024)),
        ("bytes=1000-5000", (1000, 1024)),
        ("bytes=-24", (1000, 1024)),
        ("bytes=-5000", (0, 1024)),
        ("Bytes = 5-6", (5, 7)),
        ("bytes=9-5", None),
        ("bytes=-", None),
        ("bytes=0-1,5-6", None),
        ("pages=1-2", None),
        ("bytes=" + "9" * 40 + "-", None),
    ],
)
def test_a_range_header_gives_the_bytes_it_names_or_is_ignored(value, expected):
    assert single_range(value, len(BODY)) == expected


@pytest.mark.parametrize("value", ["bytes=1024-", "bytes=4000-4001", "bytes=-0"])
def test_a_range_behind_the_end_cannot_be_satisfied(value):
    with pytest.raises(UnsatisfiableRangeError):
        single_range(value, len(BODY))
    response = ask(range=value)
    assert response.status == 416
    assert ("Content-Range", "bytes */1024") in response.headers
    assert response.body == b""


@given(value=st.text() | st.from_regex(r"bytes=[0-9]{0,20}-[0-9]{0,20}", fullmatch=True), size=st.integers(0, 10**6))
@example(value="bytes=-5", size=0)
def test_a_satisfied_range_is_never_empty_and_never_leaves_the_file(value, size):
    try:
        found = single_range(value, size)
    except UnsatisfiableRangeError:
        return
    assert found is None or 0 <= found[0] < found[1] <= size


def test_a_partial_answer_names_its_place_and_carries_exactly_its_bytes():
    response = ask(range="bytes=10-19")
    assert response.status == 206
    assert dict(response.headers)["Content-Range"] == "bytes 10-19/1024"
    assert response.body == BODY[10:20]


@pytest.mark.parametrize(
    ("if_range", "status"),
    [('"one"', 206), ('"two"', 200), ('W/"one"', 200), (MODIFIED, 206), ("Thu, 01 Jan 2026 00:00:01 GMT", 200)],
)
def test_a_range_of_another_version_is_answered_with_the_whole_file(if_range, status):
    assert ask(range="bytes=0-9", if_range=if_range).status == status


@pytest.mark.parametrize(
    ("headers", "status"),
    [
        ({"if_none_match": '"one"'}, 304),
        ({"if_none_match": '"two", W/"one"'}, 304),
        ({"if_none_match": "*"}, 304),
        ({"if_none_match": '"two"', "if_modified_since": MODIFIED}, 200),
        ({"if_modified_since": MODIFIED}, 304),
        ({"if_modified_since": "Wed, 31 Dec 2025 00:00:00 GMT"}, 200),
        ({"if_modified_since": "yesterday"}, 200),
    ],
)
def test_a_client_that_has_this_version_gets_304(headers, status):
    assert ask(**headers).status == status


def test_a_method_that_could_change_something_is_refused():
    assert ask("DELETE").status == 405


@given(st.binary(max_size=300))
@example(b"GET / HTTP/1.1\r\nHost: [::1\r\n\r\n")
def test_any_bytes_are_a_request_or_a_bad_request(head):
    try:
        request = parse_request(head)
    except BadRequestError:
        return
    assert request.target.startswith("/") or request.target == "*"


def test_a_request_is_read_with_its_host_in_lower_case_and_repeated_headers_joined():
    request = parse_request(b"get /a?b HTTP/1.1\r\nHost: Tonspur.Example.:8080\r\nAccept: a\r\nAccept: b\r\n\r\n")
    assert (request.method, request.target, request.path, request.host) == ("GET", "/a?b", "/a", "tonspur.example")
    assert request.headers["accept"] == "a, b"


# The server itself


async def big(exchange: ServerExchange) -> None:
    await exchange.send(Response(200, (), bytes(20_000_000)))


async def small(exchange: ServerExchange) -> None:
    await exchange.send(Response(200, (), b"small"))


def talk(port: int, data: bytes) -> bytes:
    """Send bytes, and read until the server closes."""
    with socket.create_connection(("127.0.0.1", port), timeout=20) as peer:
        peer.sendall(data)
        peer.shutdown(socket.SHUT_WR)
        return b"".join(iter(lambda: peer.recv(65536), b""))


def test_several_requests_share_a_connection_and_close_is_obeyed():
    with HttpServer(small) as server:
        got = talk(server.port, b"GET / HTTP/1.1\r\n\r\n" * 3 + b"GET / HTTP/1.1\r\nConnection: close\r\n\r\n" * 2)
        assert got.count(b"HTTP/1.1 200 OK") == 4
        assert talk(server.port, b"GET / HTTP/1.0\r\n\r\n" * 2).count(b"200 OK") == 1
        assert len(server.settled_log()) == 5


@pytest.mark.parametrize(
    "data", [b"\x16\x03\x01\x02\x00\r\n\r\n", b"GET /\r\n\r\n", b"GET / HTTP/1.1\r\nno colon\r\n\r\n"]
)
def test_nonsense_gets_400_and_hurts_nobody_else(data):
    with HttpServer(small) as server:
        assert talk(server.port, data).startswith(b"HTTP/1.1 400 ")
        assert talk(server.port, b"GET / HTTP/1.1\r\n\r\n").endswith(b"small")


def test_a_client_that_leaves_in_the_middle_is_logged_with_what_it_took_and_breaks_nothing():
    with HttpServer(big) as server:
        with socket.create_connection(("127.0.0.1", server.port)) as peer:
            peer.sendall(b"GET / HTTP/1.1\r\n\r\n")
            peer.recv(1000)
        entry = server.settled_log()[0]
        assert entry.status == 200
        assert entry.bytes_sent < 20_000_000
        assert len(talk(server.port, b"GET / HTTP/1.1\r\n\r\n")) > 20_000_000


def test_stop_cuts_off_what_is_under_way_and_leaves_no_thread():
    before = set(threading.enumerate())
    server = HttpServer(big)
    server.start()
    peers = [socket.create_connection(("127.0.0.1", server.port)) for _ in range(5)]
    for peer in peers[:3]:
        peer.sendall(b"GET / HTTP/1.1\r\n\r\n")
    while len(server.log) < 3:
        time.sleep(0.01)
    server.stop()
    # One of an earlier test may have ended meanwhile.
    assert set(threading.enumerate()) <= before
    assert [entry.finished is not None for entry in server.log] == [True] * 3
    with pytest.raises(ConnectionRefusedError):
        socket.create_connection(("127.0.0.1", server.port))
    for peer in peers:
        peer.close()


def test_an_error_in_the_app_is_raised_by_stop():
    async def broken(exchange: ServerExchange) -> None:
        raise LookupError("a bug")

    server = HttpServer(broken)
    server.start()
    assert talk(server.port, b"GET / HTTP/1.1\r\n\r\n") == b""
    with pytest.raises(ExceptionGroup) as raised:
        server.stop()
    assert [str(error) for error in raised.value.exceptions] == ["a bug"]


def test_a_request_is_in_the_log_while_its_answer_is_still_under_way():
    release = threading.Event()

    async def wait(exchange: ServerExchange) -> None:
        while not release.is_set():
            await exchange.raw(b"")
            await asyncio.sleep(0.01)

    with HttpServer(wait) as server, socket.create_connection(("127.0.0.1", server.port)) as peer:
        peer.sendall(b"GET / HTTP/1.1\r\nHost: a.example\r\n\r\n")
        while not server.log:
            time.sleep(0.01)
        assert server.log[0].finished is None
        with pytest.raises(TimeoutError):
            server.settled_log(timeout=0.05)
        release.set()
        assert server.settled_log()[0].finished is not None
