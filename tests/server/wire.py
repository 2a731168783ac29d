"""An HTTP/1.1 server for tests: a thread and an event loop of its own, a log, and a wire on which it can misbehave.

It takes care of connections, heads and the log; what is answered is the business of an `App`. `ServerExchange` lets an
app write raw bytes, reset the connection, or never answer.
"""

from __future__ import annotations

import asyncio
import re
import socket
import ssl
import struct
import threading
import time
from collections.abc import Awaitable, Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass, field, replace
from email.utils import formatdate
from http import HTTPStatus
from typing import NamedTuple, Self

from mediacrawl.programs.demo.answers import Resource, Response, answer

__all__ = ["App", "HttpServer", "Request", "Resource", "Response", "ServedRequest", "ServerExchange", "respond"]

MAX_HEAD = 64 * 1024
"""Bytes of a request's head; twice what a request with an 8 KB URL and 20 KB of cookies needs."""
IDLE_SECONDS = 60.0
"""How long an open connection may stay silent. Longer than any delay of the tests, so that keep-alive is used."""
CHUNK = 64 * 1024
"""Bytes given to the kernel at a time; what a client did not take is not counted as sent."""

_BODILESS = {HTTPStatus.NO_CONTENT, HTTPStatus.NOT_MODIFIED}
_TOKEN = re.compile(r"[!#$%&'*+\-.^_`|~0-9A-Za-z]+")


class BadRequestError(ValueError):
    """The bytes are not an HTTP/1 request."""


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


def respond(resource: Resource, request: Request) -> Response:
    """Return the answer of an honest server."""
    return answer(resource, request.method, request.headers)


def parse_request(head: bytes) -> Request:
    """Read the head of a request up to the empty line; bytes above 127 are read as Latin-1.

    Raises:
        BadRequestError: the bytes are not a request of HTTP/1.0 or HTTP/1.1.
    """
    first, *lines = head.decode("latin-1").rstrip("\r\n").split("\r\n")
    method, target, version = [*first.split(" "), "", "", ""][:3]
    if first.count(" ") != 2 or version not in {"HTTP/1.0", "HTTP/1.1"} or not _TOKEN.fullmatch(method):
        raise BadRequestError("not a request line of HTTP/1")
    if not target.startswith("/") and target != "*":
        raise BadRequestError("not a request target")
    headers: dict[str, str] = {}
    for line in lines:
        name, colon, value = line.partition(":")
        if not colon or not _TOKEN.fullmatch(name):
            raise BadRequestError("not a header line")
        name, value = name.lower(), value.strip(" \t")
        headers[name] = f"{headers[name]}, {value}" if name in headers else value
    host = headers.get("host", "").strip().lower()
    host = host.partition("]")[0] + "]" if host.startswith("[") else host.partition(":")[0].rstrip(".")
    return Request(method.upper(), target, host, headers, version)


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
        """Return this one."""
        return cls(time.time(), time.monotonic())


class ServerExchange:
    """One request, and the wire on which its answer goes out.

    Attributes:
        request: what was asked.
        status: of the answer; 0 until a status line went out.
        bytes_sent: bytes of the body, and all raw bytes, that the kernel took.
        keep_alive: whether the connection lives on after this answer; an app may set it to False.
        handed: the moment before its last bytes were given to the kernel, by both clocks; None if what ended it was the
            client, or nothing was sent.
    """

    def __init__(self, request: Request, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self.request = request
        self.status = 0
        self.bytes_sent = 0
        self.keep_alive = request.keep_alive
        self.handed: Moment | None = None
        self._reader = reader
        self._writer = writer
        self._is_tls = writer.get_extra_info("ssl_object") is not None

    async def send(self, response: Response) -> None:
        """Send a whole answer; Content-Length, Date and Connection are added, HEAD gets no body.

        Raises:
            ConnectionError: the client has gone; the server expects this.
        """
        await self.send_head(response)
        if self.request.method != "HEAD" and response.status not in _BODILESS:
            await self._write(response.body)

    async def send_head(self, response: Response) -> None:
        """Send status line and header lines only, with the length of the body that should follow."""
        lines = [_status_line(response.status), f"Date: {formatdate(usegmt=True)}"]
        lines += [f"{name}: {value}" for name, value in response.headers]
        names = {name.lower() for name, _ in response.headers}
        if response.status not in _BODILESS and not names & {"content-length", "transfer-encoding"}:
            lines.append(f"Content-Length: {len(response.body)}")
        if not self.keep_alive:
            lines.append("Connection: close")
        self.handed = Moment.now()
        self._writer.write("\r\n".join([*lines, "", ""]).encode("latin-1"))
        self.status = int(response.status)
        await self._writer.drain()

    async def raw(self, data: bytes) -> None:
        """Send bytes as they are; the connection is closed after this exchange, since its state is unknown.

        Raises:
            ConnectionError: the client has gone; the server expects this.
        """
        self.keep_alive = False
        await self._write(data)

    def reset(self) -> None:
        """End the connection with a RST: the client sees 'connection reset by peer'."""
        self.keep_alive = False
        # Linger of zero seconds makes close() throw away what is unsent and send RST instead of FIN.
        with suppress(OSError):  # the client may have gone already
            sock = self._writer.get_extra_info("socket")
            # Over TLS there is none any more once the client has gone.
            if sock is not None:
                sock.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        self._writer.transport.abort()
        self.handed = None

    async def until_gone(self) -> None:
        """Say nothing more until the client has closed the connection (or the server stops)."""
        self.keep_alive = False
        while await self._reader.read(CHUNK):
            pass
        self.handed = None

    async def _write(self, data: bytes) -> None:
        for start in range(0, len(data), CHUNK):
            piece = data[start : start + CHUNK]
            self.handed = Moment.now()
            self._writer.write(piece)
            await self._writer.drain()
            if self._is_tls:
                # There asyncio waits for nothing while bytes are encrypted: a body without end would starve the others.
                await asyncio.sleep(0)
            self.bytes_sent += len(piece)


App = Callable[[ServerExchange], Awaitable[None]]
"""Answers one request; may raise ConnectionError when the client has gone."""


class HttpServer:
    """Serves one app on one port of loopback, from `start` to `stop`.

    A client that goes away, sends nonsense or reads nothing hurts nobody but itself. After `stop` no thread, no
    socket and no task is left; what was under way is cut off. An error in the app ends its connection and is
    raised again by `stop`, so that no test passes over it.

    Args:
        app: answers the requests; runs in the server's event loop.
        address: to listen on.
        port: to listen on; 0 takes any free one.
        tls: the context of a server that speaks TLS; None for plain HTTP.
    """

    def __init__(self, app: App, address: str = "127.0.0.1", port: int = 0, tls: ssl.SSLContext | None = None) -> None:
        self._tls = tls
        self._scheme = "http" if tls is None else "https"
        self._app = app
        self._wish = (address, port)
        self._log: list[ServedRequest] = []
        self._under_way = 0
        self._changed = threading.Condition()
        self._port = 0
        self._thread: threading.Thread | None = None
        self._loop: asyncio.AbstractEventLoop | None = None
        self._stopping: asyncio.Event | None = None
        self._connections: dict[asyncio.Task[None], asyncio.StreamWriter] = {}
        self._errors: list[BaseException] = []

    @property
    def port(self) -> int:
        """The port that is listened on; 0 before `start`."""
        return self._port

    @property
    def log(self) -> list[ServedRequest]:
        """All requests so far, in the order in which they came in."""
        with self._changed:
            return list(self._log)

    def settled_log(self, timeout: float = 10.0) -> list[ServedRequest]:
        """Return the same once no answer is under way: a client may read the last byte before it is noted.

        Raises:
            TimeoutError: an answer is still under way.
        """
        with self._changed:
            if not self._changed.wait_for(lambda: self._under_way == 0, timeout):
                raise TimeoutError(f"{self._under_way} answers are still under way after {timeout} s")
            return list(self._log)

    def start(self) -> None:
        """Listen; when this returns, connections are accepted. OSError if the port is taken."""
        listener = socket.create_server(self._wish)
        self._port = int(listener.getsockname()[1])
        ready = threading.Event()
        self._thread = threading.Thread(
            target=lambda: asyncio.run(self._serve(listener, ready)), name=f"http-{self._port}", daemon=True
        )
        self._thread.start()
        ready.wait()

    def stop(self) -> None:
        """Cut off what is under way and wait until all is closed; harmless when it does not run.

        Raises:
            ExceptionGroup: errors that the app raised meanwhile.
        """
        if self._thread is None or self._loop is None or self._stopping is None:
            return
        self._loop.call_soon_threadsafe(self._stopping.set)
        self._thread.join()
        self._thread = None
        errors, self._errors = self._errors, []
        if errors:
            raise BaseExceptionGroup("the app of this server failed", errors)

    def __enter__(self) -> Self:
        self.start()
        return self

    def __exit__(self, *exc: object) -> None:
        self.stop()

    async def _serve(self, listener: socket.socket, ready: threading.Event) -> None:
        self._loop = asyncio.get_running_loop()
        self._stopping = asyncio.Event()
        server = await asyncio.start_server(self._accept, sock=listener, limit=MAX_HEAD, ssl=self._tls)
        ready.set()
        await self._stopping.wait()
        server.close()
        await self._cut_off()
        await server.wait_closed()

    async def _cut_off(self) -> None:
        # A connection that was accepted in this very moment appears only now.
        await asyncio.sleep(0)
        for task, writer in self._connections.items():
            task.cancel()
            writer.transport.abort()
        await asyncio.gather(*self._connections, return_exceptions=True)

    def _accept(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        task = asyncio.get_running_loop().create_task(self._connection(reader, writer))
        self._connections[task] = writer
        task.add_done_callback(self._forget)

    def _forget(self, task: asyncio.Task[None]) -> None:
        del self._connections[task]
        error = None if task.cancelled() else task.exception()
        if error is not None:
            self._errors.append(error)

    async def _connection(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        with suppress(OSError):
            # Head and body go out in two writes; without this the body waits 40 ms for the client's acknowledgement.
            writer.get_extra_info("socket").setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        if self._tls is None:
            # Without a buffer of our own, drain() means that the kernel has it all. Over TLS it would wait for ever.
            writer.transport.set_write_buffer_limits(high=0)
        try:
            while await self._one_request(reader, writer):
                pass
        except (ConnectionError, TimeoutError):
            pass
        finally:
            writer.close()
            # Over TLS, data that arrives after close_notify raises an SSLError, which is an OSError.
            with suppress(OSError):
                await writer.wait_closed()

    async def _one_request(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> bool:
        try:
            async with asyncio.timeout(IDLE_SECONDS):
                head = await reader.readuntil(b"\r\n\r\n")
            request = parse_request(head)
        except asyncio.IncompleteReadError:
            return False
        except (BadRequestError, asyncio.LimitOverrunError):
            writer.write(f"{_status_line(400)}\r\nContent-Length: 0\r\nConnection: close\r\n\r\n".encode())
            return False
        return await self._exchange(ServerExchange(request, reader, writer))

    async def _exchange(self, exchange: ServerExchange) -> bool:
        request = exchange.request
        entry = ServedRequest(
            url=f"{self._scheme}://{request.host}:{self._port}{request.target}",
            host=request.host,
            path=request.target,
            method=request.method,
            range=request.headers.get("range", ""),
            user_agent=request.headers.get("user-agent", ""),
            headers=request.headers,
            received=time.time(),
            received_monotonic=time.monotonic(),
        )
        with self._changed:
            number = len(self._log)
            self._log.append(entry)
            self._under_way += 1
        try:
            await self._app(exchange)
        except BaseException:
            exchange.handed = None
            raise
        finally:
            at = exchange.handed or Moment.now()
            ended = replace(entry, finished=at.epoch, finished_monotonic=at.monotonic, status=exchange.status)
            with self._changed:
                self._log[number] = replace(ended, bytes_sent=exchange.bytes_sent)
                self._under_way -= 1
                self._changed.notify_all()
        return exchange.keep_alive


def _status_line(status: int) -> str:
    try:
        phrase = HTTPStatus(status).phrase
    except ValueError:
        phrase = "Unknown"
    return f"HTTP/1.1 {int(status)} {phrase}"
