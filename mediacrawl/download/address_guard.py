"""Resolves host names, and connects only to addresses that the guard allows.

A name may resolve to another address from one minute to the next. The look-up, the verdict and the connection are
therefore one step, and the connection is made to the allowed address, not to the name.
"""

from __future__ import annotations

import logging
from typing import Any

from scrapy.utils.defer import maybe_deferred_to_future
from twisted.internet.defer import Deferred
from twisted.internet.interfaces import IResolutionReceiver
from zope.interface import implementer

from mediacrawl.download.resolver import Count, HostsResolver, NoAnswerError, NoSuchNameError, spelled
from mediacrawl.politeness.address_guard import Guard
from mediacrawl.scope.urls import is_address

logger = logging.getLogger(__name__)


_TIMEOUT = 60.0
"""Timeout in seconds of another resolver than `HostsResolver`."""


class GuardedNames:
    """Resolves host names to allowed addresses, for one crawl.

    Uses `resolver.HostsResolver` if that is installed, otherwise the resolver of the reactor.

    Attributes:
        guard: the crawl's.
        count: increments a stat (``dns/...``). The HTTP handler sets it.
    """

    def __init__(self, guard: Guard) -> None:
        self.guard = guard
        self.count: Count = lambda _: None

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

    async def targets(self, host: str, rather: str = "") -> tuple[str, ...]:
        """Return the allowed addresses of a host, in the order in which they are tried; at least one.

        Args:
            host: as in `addresses`.
            rather: the preferred address, if it is one of the host's.

        Raises:
            GuardedAddressError: no address is allowed.
            NoSuchNameError, NoAnswerError: as in `addresses`.
        """
        addresses = await self.addresses(host)
        if rather in addresses:
            addresses = (rather, *(each for each in addresses if each != rather))
        return self.guard.allowed(spelled(host), addresses)

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
        found = await maybe_deferred_to_future(collector.done.addTimeout(_TIMEOUT, reactor))
    except TimeoutError:
        raise NoAnswerError(f"{name} could not be looked up within {_TIMEOUT:.0f} s") from None
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
