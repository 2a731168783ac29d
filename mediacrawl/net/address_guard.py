"""Resolves host names, and connects only to addresses that the guard allows.

A name may resolve to another address from one minute to the next. The look-up, the verdict and the connection are
therefore one step, and the connection is made to the allowed address, not to the name.
"""

from __future__ import annotations

import logging
from collections.abc import Callable
from contextvars import ContextVar
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from scrapy.utils.defer import maybe_deferred_to_future
from twisted.internet.defer import Deferred
from twisted.internet.endpoints import TCP4ClientEndpoint, TCP6ClientEndpoint, wrapClientTLS
from twisted.internet.interfaces import IResolutionReceiver, IStreamClientEndpoint
from twisted.python.failure import Failure
from twisted.web.client import HTTPConnectionPool
from zope.interface import implementer

from mediacrawl.net.resolver import HostsResolver, NoAnswerError, NoSuchNameError, spelled
from mediacrawl.politeness.address_guard import Guard, GuardedAddressError
from mediacrawl.scope.hosts import is_address

if TYPE_CHECKING:
    from twisted.web._newclient import HTTP11ClientProtocol

    from mediacrawl.net.name_servers import Count


logger = logging.getLogger(__name__)


class LeaseOverError(Exception):
    """The request's lease has ended: another worker may request the URL by now."""


def _always() -> bool:
    return True


@dataclass(slots=True)
class Route:
    """The route of one request.

    Attributes:
        host: in canonical form.
        address: the allowed IP address; empty for a proxy, which resolves names itself.
        target: the request target as it is written in the request line (RFC 9112, 3.2.1); empty leaves it to Twisted.
        may_send: whether the request may still be sent. Called when the connection is made, and again before writing.
        is_late: whether it was too late for that at the time of writing, so that the connection was closed.
    """

    host: str
    address: str = ""
    target: bytes = b""
    may_send: Callable[[], bool] = _always
    is_late: bool = False


route: ContextVar[Route] = ContextVar("route")
"""The route of the current request. The HTTP handler sets it before it asks the pool for a connection."""


class GuardedPool(HTTPConnectionPool):
    """Twisted's connection pool, restricted to allowed addresses.

    A persistent connection is reused only for a request whose host resolves to the same address: the address is part of
    the connection's key.

    Args:
        reactor: Twisted's.
        names: resolves names, and judges the address of the connected peer.
        tls: Scrapy's TLS context factory; certificates are checked against the host name.
        timeout: seconds in which a server must accept a connection.
    """

    def __init__(self, reactor: Any, names: GuardedNames, tls: Any, timeout: float) -> None:
        super().__init__(reactor, persistent=True)  # type: ignore[no-untyped-call]
        self._names = names
        self._tls = tls
        self._timeout = timeout

    def getConnection(self, key: Any, endpoint: Any) -> Deferred[HTTP11ClientProtocol]:  # noqa: N802
        """Return a kept connection or a new one.

        Args:
            key: of Scrapy's agent: scheme, host, port, and the address to bind to.
            endpoint: the agent's own endpoint, used for proxies only.

        Raises:
            LookupError: no route is set.
            LeaseOverError: it took too long, see `Route.may_send`.
        """
        one = route.get()
        if one.address:
            key, endpoint = (*key, one.address), self._endpoint(one, *key)
        return super().getConnection(key, endpoint).addCallback(_ready, one)

    def _endpoint(self, one: Route, scheme: bytes, host: bytes, port: int, bind: Any) -> Any:
        kind: Any = TCP6ClientEndpoint if ":" in one.address else TCP4ClientEndpoint
        endpoint: Any = _GuardedEndpoint(kind(self._reactor, one.address, port, self._timeout, bind), one, self._names)
        if scheme == b"https":
            return wrapClientTLS(self._tls.creatorForNetloc(host, port), endpoint)
        return endpoint


def _ready(connection: HTTP11ClientProtocol, one: Route) -> HTTP11ClientProtocol:
    """Check a connection just before it gets the request."""
    if not one.may_send():
        connection.abort()  # type: ignore[no-untyped-call]
        raise LeaseOverError(one.host)
    check_before_write(connection, one)
    connection.target = one.target  # type: ignore[attr-defined]
    return connection


class _WriteCheck:
    """Checks the lease before a connection writes.

    Twisted writes a request in a later turn of the reactor, over TLS after the handshake. A process that was suspended
    in between would otherwise send it hours later.
    """

    def __init__(self, transport: Any) -> None:
        self._write = transport.doWrite
        self.route: Route | None = None

    def __call__(self) -> Any:
        if self.route is None or self.route.may_send():
            return self._write()
        # TLS drops the reason why its connection was lost.
        self.route.is_late = True
        return LeaseOverError(self.route.host)


def check_before_write(connection: HTTP11ClientProtocol, one: Route | None) -> None:
    """Set the route whose lease is checked before a connection writes.

    Args:
        connection: one to an allowed address; connections to a proxy are not checked.
        one: the route of its next request; None once the request is sent.
    """
    transport: Any = connection.transport
    # Below TLS there is another one.
    look = getattr(getattr(transport, "transport", transport), "doWrite", None)
    if isinstance(look, _WriteCheck):
        look.route = one


@implementer(IStreamClientEndpoint)
class _GuardedEndpoint:
    """Connects to one address, and judges the address of the peer."""

    def __init__(self, endpoint: Any, one: Route, names: GuardedNames) -> None:
        self._endpoint = endpoint
        self._route = one
        self._names = names

    def connect(self, factory: Any) -> Deferred[Any]:
        """Connect.

        Raises:
            GuardedAddressError: the peer has another address, which the guard refuses.
        """
        connected: Deferred[Any] = self._endpoint.connect(factory)
        return connected.addCallbacks(self._check, self._failed)

    def _check(self, protocol: Any) -> Any:
        peer = protocol.transport.getPeer().host
        word = self._names.guard.refusal(peer, self._route.host)
        if word is not None:
            protocol.transport.abortConnection()
            raise GuardedAddressError(self._route.host, peer, word)
        protocol.transport.doWrite = _WriteCheck(protocol.transport)
        return protocol

    def _failed(self, failure: Failure) -> Failure:
        self._names.failed(self._route.address)
        return failure


_PATIENCE = 60.0
"""Timeout in seconds of another resolver than `HostsResolver`."""


class GuardedNames:
    """Resolves host names to allowed addresses, for one crawl.

    Uses `resolver.HostsResolver` if that is installed, otherwise the resolver of the reactor.

    Args:
        guard: the crawl's.

    Attributes:
        guard: the crawl's.
        count: increments a stat (``dns/...``). The HTTP handler sets it.
    """

    def __init__(self, guard: Guard) -> None:
        self.guard = guard
        self.count: Count = _uncounted

    async def addresses(self, host: str) -> tuple[str, ...]:
        """Return the addresses of a host in the order in which they are tried, before the guard's verdict.

        Args:
            host: name or address as it is in a URL; IPv6 in square brackets, or without.

        Raises:
            NoSuchNameError: the name does not exist, has no address, or is invalid.
            NoAnswerError: no name server answered.
        """
        from twisted.internet import reactor  # noqa: PLC0415 - importing it installs one

        resolver = reactor.nameResolver
        if isinstance(resolver, HostsResolver):
            return await resolver.addresses(host, self.count)
        return await _addresses_of(reactor, spelled(host))

    async def target(self, host: str, rather: str = "") -> str:
        """Return the first allowed address of a host.

        Args:
            host: as in `addresses`.
            rather: the preferred address, if it is one of the host's.

        Raises:
            GuardedAddressError: no address is allowed.
            NoSuchNameError, NoAnswerError: as in `addresses`.
        """
        addresses = await self.addresses(host)
        if rather in addresses:
            addresses = (rather, *addresses)
        return self.guard.choose(spelled(host), addresses)

    def failed(self, address: str) -> None:
        """Note that a connection failed: for a while other addresses of the host are preferred."""
        from twisted.internet import reactor  # noqa: PLC0415

        resolver = reactor.nameResolver
        if isinstance(resolver, HostsResolver):
            resolver.shun(address)


async def _addresses_of(reactor: Any, name: str) -> tuple[str, ...]:
    """Ask the reactor's own resolver."""
    if is_address(name):
        return (name.strip("[]"),)
    collector = _Collector()
    reactor.nameResolver.resolveHostName(collector, name)
    try:
        found = await maybe_deferred_to_future(collector.done.addTimeout(_PATIENCE, reactor))
    except TimeoutError:
        raise NoAnswerError(f"{name} could not be looked up within {_PATIENCE:.0f} s") from None
    if not found:
        raise NoSuchNameError(f"there is no address of the name {name}")
    return found


@implementer(IResolutionReceiver)
class _Collector:
    def __init__(self) -> None:
        self.done: Deferred[tuple[str, ...]] = Deferred()
        self._found: list[str] = []

    def resolutionBegan(self, resolutionInProgress: Any) -> None:  # noqa: N802, N803
        """Nothing to do."""

    def addressResolved(self, address: Any) -> None:  # noqa: N802
        self._found.append(address.host)

    def resolutionComplete(self) -> None:  # noqa: N802
        self.done.callback(tuple(dict.fromkeys(self._found)))


def _uncounted(name: str) -> None:
    """Used until the HTTP handler sets the counter."""
