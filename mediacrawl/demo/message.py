"""Requests, what they ask for, and the answer: HTTP semantics as pure functions (RFC 9110)."""

from __future__ import annotations

import re
import time
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from email.utils import formatdate, parsedate_to_datetime
from hashlib import sha256
from http import HTTPStatus
from threading import Condition
from typing import NamedTuple
from urllib.parse import urlsplit

Headers = tuple[tuple[str, str], ...]

# A position of 18 digits still fits in 64 bits; longer ones are not a range (a hostile client must cost nothing).
_SINGLE_RANGE = re.compile(r"bytes\s*=\s*([0-9]{0,18})\s*-\s*([0-9]{0,18})\s*", re.IGNORECASE)
_TOKEN = re.compile(r"[!#$%&'*+\-.^_`|~0-9A-Za-z]+")


class BadRequestError(ValueError):
    """The bytes are not an HTTP/1 request."""


class UnsatisfiableRangeError(ValueError):
    """The range starts behind the end of the representation (RFC 9110, 14.1.1)."""


@dataclass(frozen=True, slots=True)
class Request:
    """One request, without its body.

    Attributes:
        method: in capitals.
        target: path and query as they were sent, always with a leading slash (or ``*``).
        host: in lower case, without port; empty if the client sent none.
        headers: names in lower case; values of a repeated name are joined with a comma.
        version: ``HTTP/1.0`` or ``HTTP/1.1``.
    """

    method: str
    target: str
    host: str
    headers: Mapping[str, str]
    version: str = "HTTP/1.1"

    @property
    def path(self) -> str:
        """The target without its query."""
        return self.target.partition("?")[0]

    @property
    def keep_alive(self) -> bool:
        """Whether the connection may serve another request (RFC 9112, 9.3); not after a body, which is never read."""
        if self.headers.get("content-length", "0") != "0" or "transfer-encoding" in self.headers:
            return False
        options = self.headers.get("connection", "").lower()
        return "close" not in options if self.version == "HTTP/1.1" else "keep-alive" in options


@dataclass(frozen=True, slots=True)
class Resource:
    """The resource at a URL.

    Attributes:
        body: all of its bytes.
        content_type: value of the header; None leaves the header out.
        status: 200, or what this URL always answers; only a 200 has ranges and validators.
        modified: time of the last change, seconds since the epoch; None leaves the header out.
        etag: strong entity tag with its quotes; empty leaves the header out.
        headers: further header lines.
        delay: seconds that the server thinks before it answers.
    """

    body: bytes = b""
    content_type: str | None = "text/html; charset=utf-8"
    status: int = 200
    modified: int | None = None
    etag: str = ""
    headers: Headers = ()
    delay: float = 0.0


@dataclass(frozen=True, slots=True)
class Response:
    """One answer: status, header lines in their order, and the body that a GET would get."""

    status: int
    headers: Headers = ()
    body: bytes = b""


def strong_etag(body: bytes) -> str:
    """An entity tag that changes with the content."""
    return f'"{sha256(body).hexdigest()[:16]}"'


def parse_request(head: bytes) -> Request:
    """Read the head of a request.

    Args:
        head: request line and header lines up to the empty line; bytes above 127 are read as Latin-1.

    Raises:
        BadRequestError: the bytes are not a request of HTTP/1.0 or HTTP/1.1.
    """
    first, *lines = head.decode("latin-1").rstrip("\r\n").split("\r\n")
    method, target, version = _request_line(first)
    headers: dict[str, str] = {}
    for line in lines:
        name, value = _header(line)
        headers[name] = f"{headers[name]}, {value}" if name in headers else value
    target, authority = _split_target(target)
    return Request(method, target, _host_only(authority or headers.get("host", "")), headers, version)


def _request_line(line: str) -> tuple[str, str, str]:
    parts = line.split(" ")
    if len(parts) != 3 or parts[2] not in {"HTTP/1.0", "HTTP/1.1"} or not _TOKEN.fullmatch(parts[0]):
        raise BadRequestError("not a request line of HTTP/1")
    return parts[0].upper(), parts[1], parts[2]


def _header(line: str) -> tuple[str, str]:
    name, colon, value = line.partition(":")
    if not colon or not _TOKEN.fullmatch(name):
        raise BadRequestError("not a header line")
    return name.lower(), value.strip(" \t")


def _split_target(target: str) -> tuple[str, str]:
    """Path with query, and the authority if the client sent a whole URL, as it would to a proxy."""
    if target.startswith("/") or target == "*":
        return target, ""
    try:
        parts = urlsplit(target)
    except ValueError as error:
        raise BadRequestError("not a request target") from error
    if parts.scheme not in {"http", "https"}:
        raise BadRequestError("not a request target")
    return (parts.path or "/") + (f"?{parts.query}" if parts.query else ""), parts.netloc


def _host_only(authority: str) -> str:
    host = authority.strip().lower()
    if host.startswith("["):
        return host.partition("]")[0] + "]"
    return host.partition(":")[0].rstrip(".")


def single_range(value: str, size: int) -> tuple[int, int] | None:
    """The bytes that a Range header asks for (RFC 9110, 14.1.2).

    Returns:
        First byte and the byte behind the last; None if the header is to be ignored: not understood, or
        several ranges, which a server need not serve.

    Raises:
        UnsatisfiableRangeError: the header is understood, and no byte of it exists.
    """
    match = _SINGLE_RANGE.fullmatch(value.strip())
    if match is None or match.groups() == ("", ""):
        return None
    first, last = match.groups()
    start, stop = (int(first), int(last) + 1 if last else size) if first else (max(0, size - int(last)), size)
    if first and last and int(last) < int(first):
        return None
    if start >= size:
        raise UnsatisfiableRangeError(f"no byte {start} in {size}")
    return start, min(stop, size)


def respond(resource: Resource, request: Request) -> Response:
    """The answer of an honest server: conditional requests, ranges, HEAD, and nothing but GET and HEAD.

    The body is there for HEAD too; the wire leaves it out and keeps its length (RFC 9110, 9.3.2).
    """
    if request.method not in {"GET", "HEAD"}:
        return Response(HTTPStatus.METHOD_NOT_ALLOWED, (("Allow", "GET, HEAD"),))
    if resource.status != HTTPStatus.OK:
        return Response(resource.status, (*_content_type(resource), *resource.headers), resource.body)
    if _unchanged(resource, request.headers):
        return Response(HTTPStatus.NOT_MODIFIED, _validators(resource))
    return _representation(resource, request)


def _representation(resource: Resource, request: Request) -> Response:
    """All of it, or the range that was requested."""
    size = len(resource.body)
    common = (*_content_type(resource), *_validators(resource), ("Accept-Ranges", "bytes"), *resource.headers)
    whole = Response(HTTPStatus.OK, common, resource.body)
    asked = request.headers.get("range")
    if asked is None or request.method != "GET" or not _if_range_holds(resource, request.headers):
        return whole
    try:
        found = single_range(asked, size)
    except UnsatisfiableRangeError:
        return Response(HTTPStatus.REQUESTED_RANGE_NOT_SATISFIABLE, (("Content-Range", f"bytes */{size}"),))
    if found is None:
        return whole
    start, stop = found
    content_range = ("Content-Range", f"bytes {start}-{stop - 1}/{size}")
    return Response(HTTPStatus.PARTIAL_CONTENT, (*common, content_range), resource.body[start:stop])


def _content_type(resource: Resource) -> Headers:
    return (("Content-Type", resource.content_type),) if resource.content_type else ()


def _validators(resource: Resource) -> Headers:
    lines: Headers = ()
    if resource.modified is not None:
        lines += (("Last-Modified", formatdate(resource.modified, usegmt=True)),)
    return (*lines, ("ETag", resource.etag)) if resource.etag else lines


def _unchanged(resource: Resource, headers: Mapping[str, str]) -> bool:
    """Whether the client has this version already; a tag outranks a date (RFC 9110, 13.2.2)."""
    tags = headers.get("if-none-match")
    if tags is not None:
        known = {tag.strip().removeprefix("W/") for tag in tags.split(",")}
        return bool(known & {"*", resource.etag}) if resource.etag else "*" in known
    since = _seconds(headers.get("if-modified-since", ""))
    return since is not None and resource.modified is not None and resource.modified <= since


def _if_range_holds(resource: Resource, headers: Mapping[str, str]) -> bool:
    """Whether a range may be served: no If-Range, or exactly this version (RFC 9110, 13.1.5)."""
    value = headers.get("if-range")
    if value is None:
        return True
    if value.startswith(('"', "W/")):
        return value == resource.etag
    return resource.modified is not None and _seconds(value) == resource.modified


def _seconds(date: str) -> float | None:
    try:
        return parsedate_to_datetime(date).timestamp()
    except (ValueError, TypeError, OverflowError):
        return None


@dataclass(frozen=True, slots=True)
class ServedRequest:
    """One request as the server saw it. Monotonic times measure distances, epoch times go with other logs.

    Attributes:
        url: absolute, with the host that the client named and the server's port.
        host: in lower case, without port.
        path: path and query as they were sent.
        method: in capitals.
        range: value of the Range header, or empty.
        user_agent: value of the User-Agent header, or empty.
        headers: all header lines of the request, names in lower case.
        received: when the head of the request was there, seconds since the epoch.
        received_monotonic: the same moment, seconds of `time.monotonic`.
        finished: the moment before the last bytes of the answer were given to the kernel, since no client can have
            them earlier and this thread may be late to look at its clock afterwards; or when the client had gone; None
            while the answer is under way.
        finished_monotonic: the same moment, seconds of `time.monotonic`.
        status: of the answer; 0 if no status line went out.
        bytes_sent: bytes of the body (of everything, where the answer was not HTTP) that the kernel took.
    """

    url: str
    host: str
    path: str
    method: str
    range: str
    user_agent: str
    headers: Mapping[str, str] = field(repr=False)
    received: float
    received_monotonic: float
    finished: float | None = None
    finished_monotonic: float | None = None
    status: int = 0
    bytes_sent: int = 0


class Moment(NamedTuple):
    """One moment by both clocks: seconds since the epoch, and of `time.monotonic`."""

    epoch: float
    monotonic: float

    @classmethod
    def now(cls) -> Moment:
        """This one."""
        return cls(time.time(), time.monotonic())


class ServerLog:
    """An append-only list that one thread writes and any thread reads."""

    def __init__(self) -> None:
        self._entries: list[ServedRequest] = []
        self._open = 0
        self._changed = Condition()

    def begin(self, entry: ServedRequest) -> int:
        """Note a request that has come in; the answer is its number."""
        with self._changed:
            self._entries.append(entry)
            self._open += 1
            return len(self._entries) - 1

    def end(self, number: int, status: int, bytes_sent: int, at: Moment) -> None:
        """Note that the answer to this request is out since `at`, or that there will be none."""
        with self._changed:
            self._entries[number] = replace(
                self._entries[number],
                finished=at.epoch,
                finished_monotonic=at.monotonic,
                status=status,
                bytes_sent=bytes_sent,
            )
            self._open -= 1
            self._changed.notify_all()

    def snapshot(self) -> list[ServedRequest]:
        """All requests so far, in the order in which they came in."""
        with self._changed:
            return list(self._entries)

    def settled(self, timeout: float) -> list[ServedRequest]:
        """All requests so far, once no answer is under way (a client may read the last byte before we note it).

        Raises:
            TimeoutError: an answer is still under way.
        """
        with self._changed:
            if not self._changed.wait_for(lambda: self._open == 0, timeout):
                raise TimeoutError(f"{self._open} answers are still under way after {timeout} s")
            return list(self._entries)
