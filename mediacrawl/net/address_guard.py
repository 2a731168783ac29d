"""The door where connections are made: none to an address that was not judged just before.

A name may have told another address a minute ago, or the next name server another one now. So the look-up, the verdict
and the connection are one step here, and the connection goes to the judged address, not to the name.
"""

from __future__ import annotations

import logging
from collections.abc import Callable
from contextvars import ContextVar
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from twisted.internet.defer import Deferred
from twisted.internet.endpoints import TCP4ClientEndpoint, TCP6ClientEndpoint, wrapClientTLS
from twisted.internet.interfaces import IStreamClientEndpoint
from twisted.python.failure import Failure
from twisted.web.client import HTTPConnectionPool
from zope.interface import implementer

from mediacrawl.politeness.address_guard import GuardedAddressError

if TYPE_CHECKING:
    from twisted.web._newclient import HTTP11ClientProtocol

    from mediacrawl.net.guarded_names import GuardedNames

logger = logging.getLogger(__name__)


class LeaseOverError(Exception):
    """What was to be asked may be another worker's by now."""


def _always() -> bool:
    return True


@dataclass(slots=True)
class Way:
    """Where one request goes.

    Attributes:
        host: in canonical form.
        address: the one that was judged; empty if a proxy is asked, which looks up names itself.
        target: the request target as it is written in the request line (RFC 9112, 3.2.1); empty leaves it to Twisted.
        may: asked once more when the connection is there, and when the request is written: whether it may go out still.
        is_late: whether it might not when it was to be written; its connection was lost by that.
    """

    host: str
    address: str = ""
    target: bytes = b""
    may: Callable[[], bool] = _always
    is_late: bool = False


way: ContextVar[Way] = ContextVar("way")
"""Set by the handler for each request, just before it asks the pool for a connection. Without it there is none."""


class GuardedPool(HTTPConnectionPool):
    """Twisted's pool of connections, which connects to judged addresses only.

    A kept connection was judged when it was made. It is used again only for a request whose host leads to the same
    address now, and may be asked now: the address is part of what a connection is kept under.

    Args:
        reactor: Twisted's.
        names: tells which address could not be connected to, and judges the one that was.
        tls: how https is spoken; certificates are checked against the host's name as ever.
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
            endpoint: where its agent would connect to. It is used for proxies only, which the operator named.

        Raises:
            LookupError: nobody has judged an address for it.
            LeaseOverError: it took too long, see `Way.may`.
        """
        one = way.get()
        if one.address:
            key, endpoint = (*key, one.address), self._endpoint(one, *key)
        return super().getConnection(key, endpoint).addCallback(_ready, one)

    def _endpoint(self, one: Way, scheme: bytes, host: bytes, port: int, bind: Any) -> Any:
        kind: Any = TCP6ClientEndpoint if ":" in one.address else TCP4ClientEndpoint
        endpoint: Any = _JudgedEndpoint(kind(self._reactor, one.address, port, self._timeout, bind), one, self._names)
        if scheme == b"https":
            return wrapClientTLS(self._tls.creatorForNetloc(host, port), endpoint)
        return endpoint


def _ready(connection: HTTP11ClientProtocol, one: Way) -> HTTP11ClientProtocol:
    """The last moment before a request is handed to its connection."""
    if not one.may():
        connection.abort()  # type: ignore[no-untyped-call]
        raise LeaseOverError(one.host)
    look_twice(connection, one)
    connection.target = one.target  # type: ignore[attr-defined]
    return connection


class _LastLook:
    """What writes on a connection: asks first whether the request may go out still.

    A request that was handed to its connection is written in a later turn of the reactor, over TLS when the handshake
    has come to its end: a process that is stopped in between would send it when it wakes up, hours later.
    """

    def __init__(self, transport: Any) -> None:
        self._write = transport.doWrite
        self.way: Way | None = None

    def __call__(self) -> Any:
        if self.way is None or self.way.may():
            return self._write()
        # TLS does not hand on why its connection was lost.
        self.way.is_late = True
        return LeaseOverError(self.way.host)


def look_twice(connection: HTTP11ClientProtocol, one: Way | None) -> None:
    """Look at what a connection writes.

    Args:
        connection: to an address that was judged; of others (a proxy) nothing is known.
        one: what it writes from now on; None once the request is out, since what follows ends the connection.
    """
    transport: Any = connection.transport
    # Below TLS there is another one.
    look = getattr(getattr(transport, "transport", transport), "doWrite", None)
    if isinstance(look, _LastLook):
        look.way = one


@implementer(IStreamClientEndpoint)
class _JudgedEndpoint:
    """Connects to one address, and looks once more who is there."""

    def __init__(self, endpoint: Any, one: Way, names: GuardedNames) -> None:
        self._endpoint = endpoint
        self._way = one
        self._names = names

    def connect(self, factory: Any) -> Deferred[Any]:
        """Connect.

        Raises:
            GuardedAddressError: it is not the address that was judged, and may not be asked.
        """
        connected: Deferred[Any] = self._endpoint.connect(factory)
        return connected.addCallbacks(self._check, self._failed)

    def _check(self, protocol: Any) -> Any:
        peer = protocol.transport.getPeer().host
        word = self._names.guard.refusal(peer, self._way.host)
        if word is not None:
            protocol.transport.abortConnection()
            raise GuardedAddressError(self._way.host, peer, word)
        protocol.transport.doWrite = _LastLook(protocol.transport)
        return protocol

    def _failed(self, failure: Failure) -> Failure:
        self._names.failed(self._way.address)
        return failure
