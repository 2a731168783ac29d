"""The door to addresses for one crawl: which address of a host is asked, after the guard has judged it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from scrapy.utils.defer import maybe_deferred_to_future
from twisted.internet.defer import Deferred
from twisted.internet.interfaces import IResolutionReceiver
from zope.interface import implementer

from mediacrawl.net.resolver import HostsResolver, NoAnswerError, NoSuchNameError, spelled
from mediacrawl.politeness.address_guard import Guard
from mediacrawl.scope.hosts import is_address

if TYPE_CHECKING:
    from mediacrawl.net.name_servers import Count

_PATIENCE = 60.0
"""Seconds that a resolver which is not ours is waited for."""


class GuardedNames:
    """What one crawl asks about hosts.

    Looks names up with `resolver.HostsResolver` if that is installed, else with whatever Twisted has; the guard judges
    both.

    Args:
        guard: the crawl's.

    Attributes:
        guard: the crawl's.
        count: told the name of each thing that is counted in the stats (``dns/...``). Whoever has stats sets it.
    """

    def __init__(self, guard: Guard) -> None:
        self.guard = guard
        self.count: Count = _uncounted

    async def addresses(self, host: str) -> tuple[str, ...]:
        """Return the addresses of a host, not judged, in the order in which they are tried.

        Args:
            host: name or address as it stands in a URL; IPv6 in square brackets, or without.

        Raises:
            NoSuchNameError: there is no such name, it has no address, or it is no name.
            NoAnswerError: nobody knows.
        """
        from twisted.internet import reactor  # noqa: PLC0415 - importing it installs one

        resolver = reactor.nameResolver
        if isinstance(resolver, HostsResolver):
            return await resolver.addresses(host, self.count)
        return await _addresses_of(reactor, spelled(host))

    async def target(self, host: str, rather: str = "") -> str:
        """Return the address that is asked for a host: the first that may be.

        Args:
            host: as in `addresses`.
            rather: an address that goes before the others, if it is one of the host's.

        Raises:
            GuardedAddressError: none may.
            NoSuchNameError, NoAnswerError: as in `addresses`.
        """
        addresses = await self.addresses(host)
        if rather in addresses:
            addresses = (rather, *addresses)
        return self.guard.choose(spelled(host), addresses)

    def failed(self, address: str) -> None:
        """An address could not be connected to: for a while the others of its names go before it."""
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
    """Until somebody who has stats says otherwise."""
