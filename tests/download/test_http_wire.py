"""Heads and bodies of HTTP as servers send them."""

import itertools

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mediacrawl.download.http_client import (
    HEAD_BYTES,
    ChunkedBody,
    Framing,
    WireError,
    read_head,
    request_bytes,
    split_head,
)

OK = b"HTTP/1.1 200 OK\r\n"


def head(*lines, method="GET", first=OK):
    raw, _ = split_head(first + b"".join(line + b"\r\n" for line in lines) + b"\r\n")
    return read_head(raw, method)


@pytest.mark.parametrize(
    ("first", "protocol", "status"),
    [
        (b"HTTP/1.1 200 OK", "HTTP/1.1", 200),
        (b"HTTP/1.1 200", "HTTP/1.1", 200),
        (b"HTTP/1.0 404 Not \xff\x1b[2J", "HTTP/1.0", 404),
        (b"ICY 200 OK", "ICY/1.0", 200),
        (b"http/1.1 999 ", "http/1.1", 999),
        (b"\r\nHTTP/1.1 200 OK", "HTTP/1.1", 200),
        (b"HTTP/1.2 200 OK", "HTTP/1.2", 200),
        (b"HTTP/1.1  200  OK", "HTTP/1.1", 200),
        (b"ICY   200 OK", "ICY/1.0", 200),
        (b"HTTP/1.0\t404\tNot", "HTTP/1.0", 404),
    ],
)
def test_a_status_line_is_read(first, protocol, status):
    found = head(first=first + b"\r\n")
    assert (found.protocol, found.status) == (protocol, status)


@pytest.mark.parametrize(
    "first",
    [
        *(b"HTTP/1.1 2000 OK", b"HTTP/1.1 099 OK", b"HTTP/1.1 20", b"HTTP/1.1 99999999999999999999 OK"),
        *(b"HT\xff/1.1 200 OK", b"<html>", b"SSH-2.0-OpenSSH_9.2", b"200 OK", b"ICY/1.1/2 200"),
    ],
)
def test_what_is_no_status_line_is_refused(first):
    with pytest.raises(WireError, match="instead of a status line"):
        head(first=first + b"\r\n")


def test_fields_are_read_as_browsers_read_them():
    found = head(b"X: a", b"no colon", b" of a folded line", b"x : b", b"Y: one", b"\ttwo", b": none", b"Z:\xff\x00")
    assert found.fields == {b"x": [b"a", b"b"], b"y": [b"one two"], b"z": [b"\xff\x00"]}


def test_fields_about_the_connection_are_left_out():
    found = head(b"Connection: keep-alive", b"Keep-Alive: timeout=5", b"Upgrade: h2c", b"Content-Length: 3", b"Te: x")
    assert found.fields == {b"content-length": [b"3"]}


@pytest.mark.parametrize(
    ("lines", "length"),
    [
        ([b"Content-Length: 5"], 5),
        ([b"Content-Length: 5", b"Content-Length: 5"], 5),
        ([b"Content-Length: 5, 5"], 5),
        ([], Framing.CLOSE),
        ([b"Transfer-Encoding: chunked"], Framing.CHUNKED),
        ([b"Transfer-Encoding: Chunked", b"Transfer-Encoding: chunked"], Framing.CHUNKED),
        ([b"Transfer-Encoding: identity"], Framing.CLOSE),
        ([b"Transfer-Encoding: chunked", b"Content-Length: 99"], Framing.CHUNKED),
    ],
)
def test_a_length_is_read(lines, length):
    assert head(*lines).length == length


@pytest.mark.parametrize(
    "lines",
    [
        *([b"Content-Length: many"], [b"Content-Length: -1"], [b"Content-Length:"], [b"Content-Length: 1" + b"0" * 30]),
        *([b"Content-Length: 5", b"Content-Length: 6"], [b"Transfer-Encoding: gzip, chunked"]),
    ],
)
def test_a_length_that_cannot_be_known_is_refused(lines):
    with pytest.raises(WireError, match=r"Content-Length is|transfer coding"):
        head(*lines)


@pytest.mark.parametrize(
    ("method", "first"), [("HEAD", OK), ("GET", b"HTTP/1.1 304 \r\n"), ("GET", b"HTTP/1.1 204 \r\n")]
)
def test_some_responses_have_no_body(method, first):
    found = head(b"Content-Length: 5", method=method, first=first)
    assert found.length == 0
    assert found.fields == {b"content-length": [b"5"]}


@pytest.mark.parametrize(
    ("first", "lines", "keeps"),
    [
        (OK, [b"Content-Length: 5"], True),
        (OK, [], False),
        (OK, [b"Content-Length: 5", b"Connection: Keep-Alive, Close"], False),
        (b"HTTP/1.0 200 OK\r\n", [b"Content-Length: 5"], False),
        (b"HTTP/1.0 200 OK\r\n", [b"Content-Length: 5", b"Connection: keep-alive"], True),
        (OK, [b"Content-Length: 5", b"Transfer-Encoding: chunked"], False),
    ],
)
def test_whether_a_connection_is_kept(first, lines, keeps):
    assert head(*lines, first=first).keeps is keeps


@given(st.binary(max_size=400))
def test_any_bytes_are_a_head_or_none(data):
    found = split_head(OK + data)
    if found is None:
        return
    try:
        got = read_head(found[0])
    except WireError:
        return
    assert 100 <= got.status <= 999


@given(
    chunks=st.lists(st.binary(min_size=1, max_size=40), max_size=6),
    cuts=st.lists(st.integers(0, 300), max_size=12),
    ending=st.sampled_from([b"\r\n", b"\n"]),
    extension=st.sampled_from([b"", b";a=b", b"  ", b' ; n="x"']),
    trailer=st.sampled_from([b"", b"X-Sum: 1\r\n"]),
)
def test_a_body_in_chunks_is_the_same_however_it_comes(chunks, cuts, ending, extension, trailer):
    wire = b"".join(b"%x" % len(chunk) + extension + ending + chunk + ending for chunk in chunks)
    wire += b"0" + ending + trailer + ending
    places = [0, *sorted(cut for cut in cuts if cut < len(wire)), len(wire)]
    body = ChunkedBody()
    got = b"".join(body.feed(wire[start:stop]) for start, stop in itertools.pairwise(places))
    assert (got, body.is_over, body.error, body.rest) == (b"".join(chunks), True, None, b"")


@pytest.mark.parametrize(
    ("wire", "got"),
    [
        (b"zz\r\nhello", b""),
        (b"<html>", b""),
        (b"5\r\nhelloworld\r\n", b"hello"),
        (b"5\r\nhello\r\nZZZ\r\nworld\r\n", b"hello"),
        (b"1" * 2000, b""),
        (b"-5\r\nhello", b""),
        (b"0" * 17 + b"\r\n", b""),
    ],
)
def test_what_is_no_chunk_ends_the_body(wire, got):
    body = ChunkedBody()
    assert body.feed(wire + b"\n") == got
    assert isinstance(body.error, WireError)
    assert not body.is_over


@pytest.mark.parametrize("size", [b"0000000000000005", b"0" * 15 + b"5 ;a=b", b"05"])
def test_the_size_of_a_chunk_has_up_to_sixteen_digits(size):
    body = ChunkedBody()
    assert body.feed(size + b"\r\nhello\r\n" + b"0" * 16 + b"\r\n\r\n") == b"hello"
    assert body.is_over


@pytest.mark.parametrize(
    ("before", "part"),
    [
        (b"0\r\n", b"X: y\r\n"),
        (b"0\r\n", b"X-Long: " + b"y" * 1000 + b"\r\n"),
        (b"", b"1;" + b"a" * 1000 + b"\r\nx\r\n"),
        (b"", b"1" + b" " * 1000 + b"\r\nx\r\n"),
    ],
    ids=["short trailers", "long trailers", "extensions", "blanks"],
)
def test_what_a_body_has_besides_its_data_is_bounded(before, part):
    body = ChunkedBody()
    body.feed(before)
    taken = 0
    while body.error is None and taken < 10 * HEAD_BYTES:
        body.feed(part)
        taken += len(part)
    assert body.error is not None
    assert body.error.reason == "trailer too large"
    assert taken < 2 * HEAD_BYTES


def test_many_chunks_with_an_extension_each_are_a_body():
    body = ChunkedBody()
    part = b"3e8;chunk-signature=" + b"0" * 64 + b"\r\n" + bytes(1000) + b"\r\n"
    got = sum(len(body.feed(part)) for _ in range(3_000))
    assert (got, body.error) == (3_000_000, None)


def test_bytes_after_the_last_chunk_are_told():
    body = ChunkedBody()
    assert body.feed(b"1\r\nx\r\n0\r\n\r\nHTTP/1.1 200") == b"x"
    assert body.rest == b"HTTP/1.1 200"


@given(st.lists(st.binary(max_size=50), max_size=10))
def test_any_bytes_are_a_body_or_none(parts):
    body = ChunkedBody()
    got = b"".join(body.feed(part) for part in parts)
    assert len(got) <= sum(map(len, parts))


def test_a_request_is_written_as_it_is_told():
    fields = [(b"Host", b"a.example"), (b"Accept", b"*/*")]
    assert request_bytes("GET", b"/a?", fields, b"") == b"GET /a? HTTP/1.1\r\nHost: a.example\r\nAccept: */*\r\n\r\n"
    assert request_bytes("POST", b"/", [], b"x=1") == b"POST / HTTP/1.1\r\nContent-Length: 3\r\n\r\nx=1"
    assert request_bytes("POST", b"/", [], b"") == b"POST / HTTP/1.1\r\nContent-Length: 0\r\n\r\n"


@pytest.mark.parametrize("fields", [[(b"X", b"a\r\nY: b")], [(b"X\n", b"a")]])
def test_a_request_cannot_contain_another(fields):
    with pytest.raises(WireError, match="line break"):
        request_bytes("GET", b"/", fields, b"")
