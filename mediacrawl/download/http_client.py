"""The HTTP client: connects to judged addresses, and keeps idle connections for some seconds.

It is made for a polite crawl, in which nearly each request needs a new connection. Why it is no library is told in
``docs/http.md``: libcurl rejects heads that browsers read and takes heads that broke off for whole responses; Twisted's
client takes four to six times the CPU.
"""

from __future__ import annotations

import asyncio
import errno
import socket
from collections import deque
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import TypeVar

from OpenSSL import SSL
from service_identity import CertificateError, VerificationError

from mediacrawl.base.format import reason_of
from mediacrawl.download.http_connection import BUFFER_BYTES, ClosedError, End, HttpConnection, Receiver, TunnelError
from mediacrawl.download.http_wire import WireError, request_bytes
from mediacrawl.download.tls import TlsClient, TlsSessions

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
