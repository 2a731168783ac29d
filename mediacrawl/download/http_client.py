"""The HTTP client: connects to judged addresses, sends requests and reads responses of HTTP/1.1 (RFC 9112).

It is made for a polite crawl, in which nearly each request needs a new connection; idle ones are kept for some seconds.
Why it is no library is told in ``docs/http.md``: libcurl rejects heads that browsers read and takes heads that broke
off for whole responses; Twisted's client takes four to six times the CPU.

It accepts what browsers accept and real servers send: lines of a head without a colon, bare line feeds, folded fields,
HTTP/1.0, the status line ``ICY 200 OK`` of SHOUTcast. What would make the length of a body a guess is refused.
"""

from __future__ import annotations

import asyncio
import errno
import re
import socket
from collections import deque
from collections.abc import Awaitable, Callable, Iterable
from dataclasses import dataclass
from enum import Enum
from typing import Any, Protocol, TypeVar

from OpenSSL import SSL
from service_identity import CertificateError, VerificationError

from mediacrawl.base.format import reason_of
from mediacrawl.download.tls import TlsClient, TlsSessions

# -- bytes on the wire ---------------------------------------------------------------------------------------------

HEAD_BYTES = 64 * 1024
"""Limit of a response's head, interim responses included. Servers send 1 KB, some 20 KB at worst."""

_LINE_BYTES = 1024
"""Limit of the line with the size of a chunk."""

_SIZE_DIGITS = 16

_STATUS_LINE = re.compile(rb"(ICY|[A-Za-z0-9]{1,16}/\d{1,3}(?:\.\d{1,3})?)[ \t]+([1-9]\d\d)(?:[ \t]|$)")
"""A status line up to its reason phrase (RFC 9112, section 4)."""

_END_OF_HEAD = re.compile(rb"\n\r?\n")
_CHUNK_SIZE = re.compile(rb"[ \t]*([0-9A-Fa-f]{1,%d})[ \t]*(?:;|$)" % _SIZE_DIGITS)

_HOP_BY_HOP = frozenset(
    {b"connection", b"keep-alive", b"proxy-connection", b"te", b"trailer", b"trailers", b"transfer-encoding"}
    | {b"upgrade"}
)
"""Fields about the connection (RFC 9110, section 7.6.1). Scrapy's responses do not have them."""

_NO_BODY = frozenset({204, 304})


class WireError(Exception):
    """The bytes are not HTTP, or their length cannot be known.

    Attributes:
        reason: what is wrong, in two or three words.
    """

    def __init__(self, reason: str, detail: str) -> None:
        super().__init__(detail)
        self.reason = reason


class Framing(Enum):
    """How the end of a body is marked, apart from a number of bytes (RFC 9112, section 6.3)."""

    CHUNKED = "chunked"
    CLOSE = "close"


@dataclass(slots=True)
class ResponseHead:
    """The head of a response.

    Attributes:
        protocol: as in the status line, such as ``HTTP/1.1``; ``ICY/1.0`` for SHOUTcast.
        status: from 100 to 999.
        fields: the values of each field, by its name in lower case, in the order in which they came. Without the fields
            about the connection.
        length: bytes of the body, or how its end is marked.
        keeps: whether the connection can carry another request.
    """

    protocol: str
    status: int
    fields: dict[bytes, list[bytes]]
    length: int | Framing
    keeps: bool


def request_bytes(method: str, target: bytes, fields: Iterable[tuple[bytes, bytes]], body: bytes) -> bytes:
    """Return a request as it is sent.

    Args:
        method: in capitals.
        target: path and query as written, or a whole URL for a proxy (RFC 9112, section 3.2).
        fields: names and values; Host among them.
        body: with a Content-Length if it is not empty, or if the method is one that has a body.

    Raises:
        WireError: a line break stands in the target or in a field.
    """
    lines = [b"%s %s HTTP/1.1" % (method.encode("ascii"), target)]
    lines += [b"%s: %s" % field for field in fields]
    if body or method in {"POST", "PUT"}:
        lines.append(b"Content-Length: %d" % len(body))
    if any(b"\n" in line or b"\r" in line for line in lines):
        raise WireError("line break in the request", "the request's target or one of its fields has a line break")
    return b"\r\n".join((*lines, b"", body))


def target_of(url: str) -> bytes:
    """Return path and query of an absolute URL, verbatim: parsers drop empty parts (``/a?``); ``?`` beyond ASCII."""
    rest = url.partition("#")[0].partition("://")[2]
    end = min((place for place in (rest.find(mark) for mark in "/?") if place >= 0), default=len(rest))
    target = rest[end:]
    return (target if target.startswith("/") else f"/{target}").encode("ascii", "replace")


def split_head(data: bytes | bytearray) -> tuple[bytes, int] | None:
    """Return the head at the start of a response and the number of bytes up to its end; None if it is not complete."""
    # Empty lines before the status line, from a server that sent too many bytes before (RFC 9112, section 2.2).
    start = len(data) - len(data.lstrip(b"\r\n"))
    end = _END_OF_HEAD.search(data, start)
    return None if end is None else (bytes(data[start : end.start()]), end.end())


def read_head(head: bytes, method: str = "GET") -> ResponseHead:
    """Read the head of a response, from `split_head`. The response to the method HEAD has no body.

    Raises:
        WireError: the status line is not one, the lengths contradict each other, or the transfer coding is unknown.
    """
    first, *lines = head.split(b"\n")
    name, code = read_status_line(first)
    protocol, status = "ICY/1.0" if name == b"ICY" else name.decode("ascii"), int(code)
    fields = _fields(lines)
    codings = set(_words(fields, b"transfer-encoding")) - {b"identity", b""}
    if codings - {b"chunked"}:
        unknown = min(codings - {b"chunked"})
        raise WireError("unknown transfer coding", f"the transfer coding {unknown[:60]!r} is unknown")
    chunked = bool(codings)
    length = _length(method, status, fields, chunked=chunked)
    keeps = _keeps(protocol, fields) and length is not Framing.CLOSE and not (chunked and b"content-length" in fields)
    if chunked:
        fields.pop(b"content-length", None)
    told_fields = {name: values for name, values in fields.items() if name not in _HOP_BY_HOP}
    return ResponseHead(protocol, status, told_fields, length, keeps)


def read_status_line(line: bytes | bytearray) -> tuple[bytes, bytes]:
    """Return the protocol and the status of a status line, without its line feed. Raise WireError if it is none."""
    found = _STATUS_LINE.match(line.rstrip(b"\r"))
    if found is None:
        raise WireError("bad status line", f"the response begins with {bytes(line[:60])!r} instead of a status line")
    return found[1], found[2]


def _fields(lines: list[bytes]) -> dict[bytes, list[bytes]]:
    fields: dict[bytes, list[bytes]] = {}
    values: list[bytes] | None = None
    for line in lines:
        if line[:1] in {b" ", b"\t"}:
            # Folded: it continues the field before (RFC 9112, section 5.2).
            if values:
                values[-1] += b" " + line.strip()
            continue
        name, colon, value = line.partition(b":")
        name = name.strip().lower()
        if not colon or not name:
            values = None
            continue
        values = fields.setdefault(name, [])
        values.append(value.strip())
    return fields


def _words(fields: dict[bytes, list[bytes]], name: bytes) -> list[bytes]:
    """Return the elements of a field that is a list, in lower case."""
    values = fields.get(name)
    return [word.strip().lower() for word in b",".join(values).split(b",")] if values else []


def _length(method: str, status: int, fields: dict[bytes, list[bytes]], *, chunked: bool) -> int | Framing:
    if method == "HEAD" or status < 200 or status in _NO_BODY:
        return 0
    if chunked:
        return Framing.CHUNKED
    told = set(_words(fields, b"content-length"))
    if not told:
        return Framing.CLOSE
    length = told.pop()
    if told or not length.isdigit() or len(length) > 18:
        raise WireError("bad Content-Length", f"Content-Length is {b', '.join(fields[b'content-length'])[:60]!r}")
    return int(length)


def _keeps(protocol: str, fields: dict[bytes, list[bytes]]) -> bool:
    words = _words(fields, b"connection")
    return b"close" not in words and (protocol == "HTTP/1.1" or b"keep-alive" in words)


class _Part(Enum):
    """What a chunked body has next."""

    SIZE = "size"
    DATA = "data"
    AFTER = "after"
    TRAILER = "trailer"


class ChunkedBody:
    """Reads a body in chunks (RFC 9112, section 7.1).

    Attributes:
        is_over: whether the last chunk and its trailer were read.
        rest: bytes that came after the end.
        error: why the bytes are no chunks; what follows them is lost.
    """

    def __init__(self) -> None:
        self.is_over = False
        self.rest = b""
        self.error: WireError | None = None
        self._next = _Part.SIZE
        self._left = 0
        self._kept = bytearray()
        self._spare = HEAD_BYTES

    def feed(self, data: bytes) -> bytes:
        """Return the next part of the body."""
        self._kept += data
        found: list[bytes] = []
        try:
            while self._kept and not self.is_over and self._step(found):
                pass
        except WireError as error:
            self.error = error
        return found[0] if len(found) == 1 else b"".join(found)

    def _step(self, found: list[bytes]) -> bool:
        """Read one part; False if it has not come yet."""
        if self._next is _Part.DATA:
            part = bytes(self._kept[: self._left])
            del self._kept[: self._left]
            self._left -= len(part)
            self._spare += len(part)
            found.append(part)
            if not self._left:
                self._next = _Part.AFTER
            return True
        line = self._line(HEAD_BYTES if self._next is _Part.TRAILER else _LINE_BYTES)
        if line is None:
            return False
        if self._next is _Part.SIZE:
            self._spend(max(len(line) - _SIZE_DIGITS, 0))
            size = _CHUNK_SIZE.match(line)
            if size is None:
                raise WireError("bad chunk", f"the size of a chunk is {line[:60]!r}")
            self._left = int(size[1], 16)
            self._next = _Part.DATA if self._left else _Part.TRAILER
        elif self._next is _Part.AFTER:
            if line:
                raise WireError("bad chunk", f"a chunk is followed by {line[:60]!r}")
            self._next = _Part.SIZE
        elif line:
            self._spend(len(line))
        else:
            self.is_over = True
            self.rest = bytes(self._kept)
        return True

    def _spend(self, size: int) -> None:
        """Count bytes of chunk extensions and of the trailer: as many as the body has, and `HEAD_BYTES`, may come."""
        self._spare -= size
        if self._spare < 0:
            raise WireError(
                "trailer too large", f"the body has {HEAD_BYTES} bytes less than its extensions and trailer"
            )

    def _line(self, limit: int) -> bytes | None:
        """Take the next line; None if it has not come yet."""
        end = self._kept.find(b"\n", 0, limit)
        if end < 0:
            if len(self._kept) >= limit:
                raise WireError("bad chunk", f"a line between chunks has more than {limit} bytes")
            return None
        line = bytes(self._kept[:end]).rstrip(b"\r")
        del self._kept[: end + 1]
        return line


# -- a connection --------------------------------------------------------------------------------------------------

BUFFER_BYTES = 64 * 1024
"""Bytes of the buffer into which all connections of a client read: asyncio reads and hands over in one step. asyncio's
own buffer has 256 KB, more than most downloads are cut at."""


class ClosedError(Exception):
    """The connection was closed before a whole response head came; `reason` is its message."""

    @property
    def reason(self) -> str:
        """When it was closed, in words."""
        return str(self)


class TunnelError(Exception):
    """A proxy did not connect to the server."""

    reason = "the proxy did not connect"


class End(Enum):
    """How a response ended."""

    WHOLE = "whole"
    CLOSED = "closed"
    """Its end was not announced; the server closed the connection."""
    BROKEN = "broken"
    """It has fewer bytes than announced, or its chunks are not chunks."""
    STOPPED = "stopped"
    """The receiver wanted no more."""


class Receiver(Protocol):
    """Takes a response while it comes. An exception ends the download and is raised by the request."""

    def take_head(self, head: ResponseHead) -> bool:
        """Take the head; False ends the download."""
        ...

    def take_body(self, data: bytes) -> bool:
        """Take the next bytes of the body; False ends the download."""
        ...


class HttpConnection(asyncio.BufferedProtocol):
    """A connection to a server or to a proxy.

    A connection that breaks ends its request. All connections in one event loop have one buffer, of `BUFFER_BYTES`.

    Attributes:
        tls: the encryption; None for plain HTTP.
        is_open: whether the connection can carry a request.
        peer: the IP address at the other end.
        is_new: whether the current request is its first.
        answered: whether a byte of the current response came.
        loss: why the response is broken (`End.BROKEN`), in words; empty if it is not.
    """

    def __init__(self, loop: asyncio.AbstractEventLoop, peer: str, buffer: memoryview) -> None:
        self.tls: TlsClient | None = None
        self.is_open = False
        self.peer = peer
        self.is_new = True
        self.answered = False
        self.loss = ""
        self._loop = loop
        self._buffer = buffer
        self._transport: Any = None
        self._waiter: asyncio.Future[Any] | None = None
        self._failure: BaseException | None = None
        self._receiver: Receiver | None = None
        self._method = "GET"
        self._in_head = False
        self._is_tunnel = False
        self._head_bytes = 0
        self._data = b""
        self._left: int | Framing = 0
        self._chunks: ChunkedBody | None = None
        self._keeps = False

    # -- what the client asks for ----------------------------------------------------------------------------

    def open_tunnel(self, request: bytes) -> asyncio.Future[ResponseHead]:
        """Send a CONNECT request to a proxy (RFC 9110, section 9.3.6); answers the proxy's response head."""
        self._check_open()
        self._is_tunnel = True
        waiter = self._await_head("CONNECT")
        self._transport.write(request)
        return waiter

    def handshake(self, tls: TlsClient) -> asyncio.Future[None]:
        """Begin to encrypt the connection; the result comes when the handshake is complete."""
        self._check_open()
        self.tls = tls
        waiter = self._waiter = self._loop.create_future()
        self._transport.write(tls.begin())
        return waiter

    def send(self, request: bytes, method: str, receiver: Receiver) -> asyncio.Future[End]:
        """Send a request; answers how the response ended.

        It raises ClosedError, WireError, OpenSSL.SSL.Error, OSError, or what the receiver raised.
        """
        self._check_open()
        sent = request if self.tls is None else self.tls.encrypt(request)
        self._receiver = receiver
        waiter = self._await_head(method)
        self._transport.write(sent)
        return waiter

    def fail(self, error: BaseException) -> None:
        """End the request with an exception, and close the connection."""
        waiter, self._waiter, self._receiver = self._waiter, None, None
        self._failure = error
        self.abort()
        if waiter is not None and not waiter.done():
            waiter.set_exception(error)

    def abort(self) -> None:
        """Close the connection at once."""
        self.is_open = False
        if self.tls is not None:
            self.tls.end()
        if self._transport is not None:
            self._transport.abort()

    def close(self) -> None:
        """Close the connection in the orderly way, unless the server has closed it, or does not read what was sent."""
        if not self.is_open or self._transport.get_write_buffer_size():
            self.abort()
            return
        self.is_open = False
        if self.tls is not None:
            self._transport.write(self.tls.end())
        self._transport.close()

    # -- asyncio ---------------------------------------------------------------------------------------------

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """See `asyncio.BufferedProtocol`."""
        self._transport = transport
        self.is_open = True

    def get_buffer(self, sizehint: int) -> memoryview:  # noqa: ARG002
        """See `asyncio.BufferedProtocol`."""
        return self._buffer

    def buffer_updated(self, nbytes: int) -> None:
        """See `asyncio.BufferedProtocol`."""
        data = bytes(self._buffer[:nbytes])
        try:
            plain = data if self.tls is None else self._decrypted(self.tls, data)
            if plain:
                self._received(plain)
            if self.tls is not None and self.tls.failure is not None:
                self.fail(self.tls.failure)
            elif self.tls is not None and self.tls.is_over:
                self._ended(None)
        except Exception as error:  # noqa: BLE001 - it is raised by the request
            self.fail(error)

    def eof_received(self) -> bool:
        """See `asyncio.BufferedProtocol`."""
        self._ended(None)
        return False

    def connection_lost(self, exc: Exception | None) -> None:
        """See `asyncio.BufferedProtocol`."""
        self._ended(exc)

    def _check_open(self) -> None:
        if not self.is_open:
            raise self._failure or ClosedError("connection closed before the request was sent")

    # -- the response ----------------------------------------------------------------------------------------

    def _await_head(self, method: str) -> asyncio.Future[Any]:
        self._method = method
        self._in_head = True
        self.answered = False
        self._head_bytes = 0
        self._data = b""
        waiter: asyncio.Future[Any] = self._loop.create_future()
        self._waiter = waiter
        return waiter

    def _decrypted(self, tls: TlsClient, data: bytes) -> bytes:
        before = tls.is_ready
        plain, answer = tls.receive(data)
        if answer:
            self._transport.write(answer)
        if not before and tls.is_ready and self._waiter is not None:
            waiter, self._waiter = self._waiter, None
            waiter.set_result(None)
        return plain

    def _received(self, data: bytes) -> None:
        if self._waiter is None:
            # Nothing was asked for: the connection is not used again.
            self.abort()
            return
        self.answered = True
        if self._in_head:
            self._head_bytes += len(data)
            self._data += data
            self._read_heads()
        else:
            self._read_body(data)

    def _read_heads(self) -> None:
        # Line breaks before a head are dropped at once, or many of them would be read again with each byte.
        self._data = self._data.lstrip(b"\r\n")
        while self._in_head and (found := split_head(self._data)) is not None:
            raw, end = found
            self._data = self._data[end:]
            _check_size(self._head_bytes - len(self._data))
            head = read_head(raw, self._method)
            if head.status >= 200:
                self._begin_body(head)
            elif head.status == 101:
                raise WireError("bad status", "the server changed the protocol, which was not asked for")
        if self._in_head:
            _check_size(self._head_bytes)
            # A server of another protocol often waits after its first line.
            if (end := self._data.find(b"\n")) >= 0:
                read_status_line(self._data[:end])

    def _begin_body(self, head: ResponseHead) -> None:
        self._in_head = False
        rest, self._data = self._data, b""
        if self._is_tunnel:
            self._is_tunnel = False
            self._finish(head)
            return
        self._left, self._keeps = head.length, head.keeps
        self._chunks = ChunkedBody() if head.length is Framing.CHUNKED else None
        if self._receiver is not None and not self._receiver.take_head(head):
            self._stop()
        elif self._left == 0:
            self._whole(rest)
        elif rest:
            self._read_body(rest)

    def _read_body(self, data: bytes) -> None:
        if self._chunks is not None:
            self._read_chunks(self._chunks, data)
        elif self._left is Framing.CLOSE:
            self._take(data)
        elif isinstance(self._left, int):
            part, rest = data[: self._left], data[self._left :]
            self._left -= len(part)
            if self._take(part) and not self._left:
                self._whole(rest)

    def _read_chunks(self, chunks: ChunkedBody, data: bytes) -> None:
        part = chunks.feed(data)
        if part and not self._take(part):
            return
        if chunks.error is not None:
            self._keeps = False
            self.loss = chunks.error.reason
            self._settle(End.BROKEN)
        elif chunks.is_over:
            self._whole(chunks.rest)

    def _take(self, part: bytes) -> bool:
        """Hand a part of the body on; False if the download ends here."""
        if self._receiver is None or self._receiver.take_body(part):
            return True
        self._stop()
        return False

    def _stop(self) -> None:
        self._keeps = False
        self._settle(End.STOPPED)

    def _whole(self, rest: bytes) -> None:
        if rest:
            # More than was announced: what follows cannot be told from a response.
            self._keeps = False
        self._settle(End.WHOLE)

    def _settle(self, end: End) -> None:
        if end is not End.WHOLE:
            self.abort()
        elif not self._keeps:
            self.close()
        self._finish(end)

    def _finish(self, result: Any) -> None:
        waiter, self._waiter, self._receiver = self._waiter, None, None
        if waiter is not None and not waiter.done():
            waiter.set_result(result)

    def _ended(self, error: Exception | None) -> None:
        """The server closed the connection, or it broke."""
        self.is_open = False
        if self._waiter is None:
            self.abort()
        elif self._in_head or self._receiver is None:
            self.fail(error or ClosedError(f"connection closed {self._stage()}"))
        elif self._left is Framing.CLOSE and (error is None or self.tls is not None):
            # Over TLS many servers break the connection instead of closing it.
            self._settle(End.CLOSED)
        else:
            self.loss = reason_of(error) if error else "connection closed"
            self._settle(End.BROKEN)

    def _stage(self) -> str:
        """Return what was waited for, as the end of a sentence."""
        if self.tls is not None and not self.tls.is_ready:
            return "in the TLS handshake"
        return "within the head" if self.answered else "without an answer"


def _check_size(head: int) -> None:
    """Check the bytes of a head, interim responses included."""
    if head > HEAD_BYTES:
        raise WireError("head too large", f"the head of the response has more than {HEAD_BYTES} bytes")


# -- the client ----------------------------------------------------------------------------------------------------

_T = TypeVar("_T")

KEPT = 5.0
"""Seconds that an idle connection is kept. With delays of 15 s and more no request reuses it: kept longer, connections
would pile up here and at the servers."""

ADDRESSES = 3
"""Addresses of a host that one request tries: a name may have many, and all of them may be another's."""

_ELSEWHERE = frozenset(
    {errno.ECONNREFUSED, errno.ECONNRESET, errno.ENETUNREACH, errno.EHOSTUNREACH}
    | {errno.EADDRNOTAVAIL, errno.EAFNOSUPPORT}
)
"""Failures of one address, after which the next is tried."""

_IDEMPOTENT = frozenset({"GET", "HEAD", "OPTIONS", "TRACE", "PUT", "DELETE"})
"""Methods whose request may be sent again (RFC 9110, section 9.2.2)."""


class ConnectTimeoutError(Exception):
    """The server did not accept the connection in time."""

    reason = "connection not accepted in time"


class RequestTimeoutError(Exception):
    """The response did not end in time."""


class KeptClosedError(ClosedError):
    """A kept connection was closed before a byte of the response came."""


FAILURES = (
    *(OSError, SSL.Error, VerificationError, CertificateError, ClosedError, TunnelError, WireError),
    ConnectTimeoutError,
)
"""What `HttpClient.fetch` raises if there is no response; `base.format.reason_of` says why."""


class LeaseOverError(Exception):
    """The request's lease has ended: another worker may request the URL by now."""


def _always() -> bool:
    return True


async def _any_address(_: str) -> bool:
    return True


@dataclass(slots=True, frozen=True)
class Proxy:
    """A proxy.

    Attributes:
        host, port: where it listens.
        is_tls: whether the connection to it is encrypted.
        authorization: the value of Proxy-Authorization for CONNECT; empty without.
    """

    host: str
    port: int
    is_tls: bool = False
    authorization: bytes = b""


@dataclass(slots=True)
class Route:
    """The route of one request.

    Attributes:
        host: in canonical form.
        address: the allowed IP address, of the host or of the proxy.
        others: further allowed addresses, which take its place in turn if no connection to it can be made.
        target: the request target as it is written in the request line (RFC 9112, section 3.2).
        may_send: whether the request may still be sent. Called before the connection is made, and just before writing.
        may_use: whether one of `others` may be connected to now.
    """

    host: str
    address: str = ""
    target: bytes = b""
    may_send: Callable[[], bool] = _always
    others: tuple[str, ...] = ()
    may_use: Callable[[str], Awaitable[bool]] = _any_address

    def check(self) -> None:
        """Check the lease.

        Raises:
            LeaseOverError: the request may not be sent any more.
        """
        if not self.may_send():
            raise LeaseOverError(self.host)


@dataclass(slots=True)
class Call:
    """A request as the client sends it.

    Attributes:
        method: in capitals.
        is_tls: whether the URL is ``https``.
        name: the host as the server is to be told, for SNI and certificates.
        port: of the server.
        fields: names and values of the head; Host among them.
        body: of the request.
        route: where it goes.
        proxy: the proxy, if there is one.
        bind: the local address and port to connect from; None for any.
        connect_timeout: seconds in which the server must accept the connection.
        timeout: seconds in which the response must end.
        repeats: whether it may be sent once more at once, see `HttpClient.fetch`.
    """

    method: str
    is_tls: bool
    name: str
    port: int
    fields: list[tuple[bytes, bytes]]
    body: bytes
    route: Route
    proxy: Proxy | None = None
    bind: tuple[str, int] | None = None
    connect_timeout: float = 10.0
    timeout: float = 180.0
    repeats: bool = True

    @property
    def pool_key(self) -> tuple[object, ...]:
        """What two requests must have in common to share a connection. A proxy for plain HTTP serves all hosts."""
        if self.proxy is not None and not self.is_tls:
            return (self.proxy, self.route.address, self.bind)
        return (self.is_tls, self.name, self.port, self.route.address, self.bind, self.proxy)


@dataclass(slots=True)
class _Idle:
    """An idle connection, and the timer that closes it."""

    connection: HttpConnection
    timer: asyncio.TimerHandle


class HttpClient:
    """Sends requests.

    Args:
        context: from `tls.tls_context`.
        connected: judges the peer of each new connection by its address, before a byte is sent; it may raise.
        failed: is told the address of each connection that could not be made.
        idle_limit: idle connections for each host.

    Attributes:
        sessions: the TLS sessions of sites.
    """

    def __init__(
        self,
        context: SSL.Context,
        connected: Callable[[str, Call], None],
        failed: Callable[[str], None],
        idle_limit: int = 8,
    ) -> None:
        self.sessions = TlsSessions()
        self._context = context
        self._judge = connected
        self._failed = failed
        self._idle_limit = idle_limit
        self._buffer = memoryview(bytearray(BUFFER_BYTES))
        self._idle: dict[tuple[object, ...], deque[_Idle]] = {}

    async def fetch(self, call: Call, receiver: Receiver) -> tuple[HttpConnection, End]:
        """Send a request and read the response.

        A kept connection may have been closed by the server in the same moment. If it is closed before a byte of the
        response came, an idempotent request that `repeats` is sent once more over a new one (RFC 9112, section 9.3.1);
        the caller of another one may send it again.

        Returns:
            The connection, which may be closed, and how the response ended.

        Raises:
            LeaseOverError: it was too late to send it, see `Route.may_send`.
            ConnectTimeoutError, RequestTimeoutError: the server was too slow.
            OSError, OpenSSL.SSL.Error, TunnelError: no connection.
            service_identity.VerificationError, CertificateError: the certificate is another host's, or names none.
            KeptClosedError: the same, of an idempotent request that does not repeat.
            ClosedError, WireError: no response.
        """
        loop = asyncio.get_running_loop()
        deadline = loop.time() + call.timeout
        call.route.check()
        request = request_bytes(call.method, call.route.target, call.fields, call.body)
        for kept in (self._kept(call.pool_key), None):
            connection = kept or await self._connect(loop, call, deadline)
            try:
                call.route.check()
                end = await _before(loop, deadline, connection, connection.send(request, call.method, receiver))
                break
            except BaseException as error:
                connection.abort()
                was_closed = kept is not None and not kept.answered and isinstance(error, ClosedError | OSError)
                if not was_closed or call.method not in _IDEMPOTENT:
                    raise
                if not call.repeats:
                    raise KeptClosedError(reason_of(error)) from error
        if call.is_tls and connection.tls is not None:
            self.sessions.put((call.name, call.port), connection.tls.new_session())
        if connection.is_open:
            self._keep(loop, call.pool_key, connection)
        return connection, end

    def close(self) -> None:
        """Close the idle connections."""
        idle = [each for kept in self._idle.values() for each in kept]
        self._idle.clear()
        for each in idle:
            each.timer.cancel()
            each.connection.close()

    # -- connections -----------------------------------------------------------------------------------------

    async def _connect(self, loop: asyncio.AbstractEventLoop, call: Call, deadline: float) -> HttpConnection:
        connection = await self._connected(loop, call, deadline)
        try:
            proxy = call.proxy
            if proxy is not None and proxy.is_tls:
                await self._encrypt(loop, deadline, connection, TlsClient(self._context, proxy.host))
            if call.is_tls:
                if proxy is not None:
                    await _open_tunnel(loop, deadline, connection, call, proxy)
                session = self.sessions.take((call.name, call.port))
                await self._encrypt(loop, deadline, connection, TlsClient(self._context, call.name, session))
        except BaseException:
            connection.abort()
            raise
        return connection

    async def _connected(self, loop: asyncio.AbstractEventLoop, call: Call, deadline: float) -> HttpConnection:
        """Connect to the first address of the route that accepts the connection."""
        route, others = call.route, iter(call.route.others[: ADDRESSES - 1])
        while True:
            try:
                return await self._connected_to_address(loop, call, deadline)
            except OSError as error:
                following = next(others, "") if error.errno in _ELSEWHERE else ""
                if not following or not await route.may_use(following):
                    raise
                route.address = following

    async def _connected_to_address(
        self, loop: asyncio.AbstractEventLoop, call: Call, deadline: float
    ) -> HttpConnection:
        """Connect to the address of the route, and judge the peer."""
        address = call.route.address
        port = call.port if call.proxy is None else call.proxy.port
        family = socket.AF_INET6 if ":" in address else socket.AF_INET
        opened = socket.socket(family, socket.SOCK_STREAM)
        try:
            opened.setblocking(False)
            if call.bind is not None:
                opened.bind(call.bind)
            seconds = min(call.connect_timeout, deadline - loop.time())
            try:
                async with asyncio.timeout(seconds):
                    await loop.sock_connect(opened, (address, port))
            except TimeoutError as error:
                self._failed(address)
                raise ConnectTimeoutError(f"{address} accepted no connection within {seconds:g} s") from error
            except OSError:
                self._failed(address)
                raise
            peer = opened.getpeername()[0]
            self._judge(peer, call)
            _, connection = await loop.create_connection(lambda: HttpConnection(loop, peer, self._buffer), sock=opened)
        except BaseException:
            opened.close()
            raise
        return connection

    async def _encrypt(
        self, loop: asyncio.AbstractEventLoop, deadline: float, connection: HttpConnection, tls: TlsClient
    ) -> None:
        await _before(loop, deadline, connection, connection.handshake(tls))

    # -- idle connections ------------------------------------------------------------------------------------

    def _kept(self, key: tuple[object, ...]) -> HttpConnection | None:
        """Take an idle connection."""
        kept = self._idle.get(key)
        while kept:
            idle = kept.pop()
            if not kept:
                del self._idle[key]
            idle.timer.cancel()
            if idle.connection.is_open:
                idle.connection.is_new = False
                return idle.connection
        return None

    def _keep(self, loop: asyncio.AbstractEventLoop, key: tuple[object, ...], connection: HttpConnection) -> None:
        kept = self._idle.setdefault(key, deque())
        if len(kept) >= self._idle_limit:
            connection.close()
            return
        kept.append(_Idle(connection, loop.call_later(KEPT, self._expire, key, connection)))

    def _expire(self, key: tuple[object, ...], connection: HttpConnection) -> None:
        kept = [idle for idle in self._idle.pop(key, ()) if idle.connection is not connection]
        if kept:
            self._idle[key] = deque(kept)
        connection.close()


async def _open_tunnel(
    loop: asyncio.AbstractEventLoop, deadline: float, connection: HttpConnection, call: Call, proxy: Proxy
) -> None:
    """Have a proxy connect to the server (RFC 9110, section 9.3.6)."""
    name = f"[{call.name}]" if ":" in call.name else call.name
    target = f"{name}:{call.port}".encode("ascii")
    fields = [(b"Host", target)]
    if proxy.authorization:
        fields.append((b"Proxy-Authorization", proxy.authorization))
    request = request_bytes("CONNECT", target, fields, b"")
    head = await _before(loop, deadline, connection, connection.open_tunnel(request))
    if head.status != 200:
        raise TunnelError(f"the proxy {proxy.host}:{proxy.port} answered CONNECT with status {head.status}")


async def _before(
    loop: asyncio.AbstractEventLoop, deadline: float, connection: HttpConnection, waited: Awaitable[_T]
) -> _T:
    """Wait until the deadline.

    Raises:
        RequestTimeoutError: it has passed.
    """
    timer = loop.call_at(deadline, connection.fail, RequestTimeoutError())
    try:
        return await waited
    finally:
        timer.cancel()
