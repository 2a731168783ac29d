"""One connection of the HTTP client: a request and its response at a time, on an asyncio transport."""

from __future__ import annotations

import asyncio
from enum import Enum
from typing import TYPE_CHECKING, Any, Protocol

from mediacrawl.base.format import reason_of
from mediacrawl.download.http_wire import (
    HEAD_BYTES,
    ChunkedBody,
    Framing,
    ResponseHead,
    WireError,
    read_head,
    read_status_line,
    split_head,
)

if TYPE_CHECKING:
    from mediacrawl.download.tls import TlsClient


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

    A connection that breaks ends its request.

    Args:
        loop: the event loop.
        peer: the IP address at the other end.
        buffer: of `BUFFER_BYTES`, for all connections in one event loop.

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
        """Send a request.

        Returns:
            How the response ended. ClosedError, WireError, OpenSSL.SSL.Error, OSError or what the receiver raised.
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
