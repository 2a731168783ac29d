"""Resolves all host names of the process.

Scrapy's resolver asks the system in twenty threads, which slow names fill up, and caches forever. This one asks the
name servers itself (`name_servers`), for both address families at once, without threads, and caches for the time to
live of the records, within limits (`politeness.dns`).
"""

from __future__ import annotations

import logging
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from functools import partial
from math import inf
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

from scrapy.utils.defer import maybe_deferred_to_future
from twisted.internet.address import IPv4Address, IPv6Address
from twisted.internet.defer import CancelledError, Deferred, DeferredList, DeferredSemaphore
from twisted.internet.error import DNSLookupError
from twisted.internet.interfaces import IHostnameResolver, IHostResolution
from twisted.python.failure import Failure
from zope.interface import implementer

from mediacrawl.config.policies import name_policy
from mediacrawl.crawl.failures import fault_here
from mediacrawl.net.name_servers import Count, NameServers
from mediacrawl.politeness.dns import (
    FAMILIES,
    CachedName,
    DnsAnswer,
    DnsAnswerError,
    DnsCache,
    NamePolicy,
    join,
    localhost,
    read_hosts,
    read_servers,
)
from mediacrawl.scope.hosts import canonical_host, is_address

if TYPE_CHECKING:
    from typing import Self

    from scrapy.crawler import Crawler

logger = logging.getLogger(__name__)

_GRACE = 0.3
"""Seconds to wait for the other family once the preferred one has addresses. Some servers never answer for IPv6."""

_LOST = 2.5
"""Seconds to wait for the preferred family once another has addresses: a lost datagram is sent again after 1.5 s."""

_RESOLV_CONF = Path("/etc/resolv.conf")
_HOSTS = Path("/etc/hosts")


class NoSuchNameError(DNSLookupError):
    """The name does not exist, has no address, or is invalid."""


class NoAnswerError(DNSLookupError):
    """No name server answered."""


@implementer(IHostnameResolver)
class HostsResolver:
    """Resolves names; Scrapy's setting ``TWISTED_DNS_RESOLVER``. One per process.

    Sources in this order: literal addresses, ``RESOLVER_HOSTS``, the system's hosts file as it was at the start,
    ``localhost``, the cache, DNS. Concurrent look-ups of one name share one query. No search list is applied.

    Settings: ``RESOLVER_SERVERS``, ``RESOLVER_FAMILIES``, ``RESOLVER_TIMEOUT``, ``RESOLVER_HOSTS``.

    Args:
        reactor: Twisted's.
        policy: the settings.
        clock: monotonic, in seconds.
    """

    def __init__(self, reactor: Any, policy: NamePolicy, clock: Callable[[], float] = time.monotonic) -> None:
        self._reactor = reactor
        self._policy = policy
        self._clock = clock
        self._servers = NameServers(reactor, policy.servers or read_servers(_text(_RESOLV_CONF)))
        self._hosts = {**read_hosts(_text(_HOSTS)), **policy.hosts}
        self._cache = DnsCache(policy.limits)
        self._kinds = [FAMILIES[family] for family in policy.families]
        self._turns = DeferredSemaphore(policy.at_once)
        self._asked: dict[str, list[Deferred[CachedName]]] = {}

    @classmethod
    def from_crawler(cls, crawler: Crawler, reactor: Any) -> Self:
        """Make it for a process. Scrapy passes the process in place of a crawler; both have settings."""
        return cls(reactor, name_policy(crawler.settings))

    def install_on_reactor(self) -> None:
        """Make this the reactor's resolver."""
        self._reactor.installNameResolver(self)

    async def addresses(self, host: str, count: Count) -> tuple[str, ...]:
        """Return the addresses of a host, in the order in which they are to be tried.

        Args:
            host: name or address as it is in a URL; IPv6 in square brackets, or without.
            count: increments a stat: ``dns/cached``, ``dns/names``, ``dns/no_such_name``, ``dns/no_answer``, and those
                of `NameServers.answer`.

        Raises:
            NoSuchNameError: the name does not exist, or has no address.
            NoAnswerError: no name server answered.
        """
        name = spelled(host)
        known = self._at_hand(name, count)
        if known is None:
            known = await maybe_deferred_to_future(self._ask(name, count))
        return self._tell(name, known, count)

    def shun(self, address: str) -> None:
        """Note that a connection failed: for a while other addresses of the host are preferred."""
        self._cache.shun(address, self._clock())

    def resolveHostName(  # noqa: N802 - Twisted's interface
        self,
        resolutionReceiver: Any,  # noqa: N803
        hostName: str,  # noqa: N803
        portNumber: int = 0,  # noqa: N803
        addressTypes: Sequence[type] | None = None,  # noqa: N803
        transportSemantics: str = "TCP",  # noqa: N803
    ) -> Any:
        """Resolve a name, see `twisted.internet.interfaces.IHostnameResolver`."""
        types = addressTypes or (IPv4Address, IPv6Address)
        found = Deferred.fromCoroutine(self._find(hostName))
        resolution = _Resolution(hostName, found)
        resolutionReceiver.resolutionBegan(resolution)

        def tell(result: Any) -> None:
            # To Twisted a name that cannot be looked up is one without addresses.
            for address in () if isinstance(result, Failure) else result:
                kind: Any = IPv6Address if ":" in address else IPv4Address
                if kind in types:
                    resolutionReceiver.addressResolved(kind(transportSemantics, address, portNumber))
            resolutionReceiver.resolutionComplete()

        found.addBoth(tell)
        return resolution

    # -- one name --------------------------------------------------------------------------------------------

    async def _find(self, host: str) -> tuple[str, ...]:
        """As `addresses`, as a Twisted coroutine."""
        name = spelled(host)
        return self._tell(name, self._at_hand(name, _uncounted) or await self._ask(name, _uncounted), _uncounted)

    def _at_hand(self, name: str, count: Count) -> CachedName | None:
        """The result from literals, hosts and the cache."""
        if is_address(name):
            return CachedName((name.strip("[]"),), inf)
        fixed = self._hosts.get(name) or localhost(name)
        if fixed:
            return CachedName(fixed, inf)
        known = self._cache.get(name, self._clock())
        if known is not None:
            count("dns/cached")
        return known

    def _tell(self, name: str, known: CachedName, count: Count) -> tuple[str, ...]:
        if known.failed:
            count("dns/no_answer")
            raise NoAnswerError(f"no name server had an answer for {name}")
        if not known.addresses:
            count("dns/no_such_name")
            raise NoSuchNameError(f"there is no address of the name {name}")
        return self._cache.ordered(known.addresses, self._clock())

    def _ask(self, name: str, count: Count) -> Deferred[CachedName]:
        """Wait for the one look-up of a name."""
        asker: Deferred[CachedName] = Deferred()
        if name in self._asked:
            self._asked[name].append(asker)
            return asker
        self._asked[name] = [asker]
        count("dns/names")
        asked = self._turns.run(self._look_up, name, count)
        asked.addErrback(partial(self._broken, name))
        asked.addCallback(partial(self._learned, name))
        return asker

    def _look_up(self, name: str, count: Count) -> Deferred[DnsAnswer | None]:
        return Deferred.fromCoroutine(self._families(name, count)).addTimeout(self._policy.timeout, self._reactor)

    async def _families(self, name: str, count: Count) -> DnsAnswer | None:
        """Query all families at once. The answers that came within the time count."""
        asked = [Deferred.fromCoroutine(self._servers.answer(name, kind, count)) for kind in self._kinds]
        with self._hurry(asked):
            results: list[tuple[bool, Any]] = await DeferredList(asked, consumeErrors=True)
        known = join(_answer(result) for _, result in results)
        faults = [fault_here(result.value) for _, result in results if isinstance(result, Failure)]
        if known is None and any(faults):
            raise NoAnswerError(f"{name} could not be looked up") from next(filter(None, faults))
        return known

    @contextmanager
    def _hurry(self, asked: Sequence[Deferred[DnsAnswer]]) -> Iterator[None]:
        """Cancel the other queries soon after one has found an address."""
        calls: list[Any] = []

        def found(answer: DnsAnswer, seconds: float) -> DnsAnswer:
            if answer.addresses:
                calls.extend(self._reactor.callLater(seconds, other.cancel) for other in asked)
            return answer

        for place, one in enumerate(asked):
            one.addCallback(found, _LOST if place else _GRACE)
        yield
        for call in calls:
            with suppress(Exception):
                call.cancel()

    def _broken(self, name: str, failure: Any) -> NoAnswerError | None:
        """Log an unexpected failure; the waiting look-ups get no answer. A fault of this machine is their failure."""
        if isinstance(failure.value, NoAnswerError):
            return failure.value
        logger.warning("%s could not be looked up: %s", name, failure.getErrorMessage())
        return None

    def _learned(self, name: str, answer: DnsAnswer | NoAnswerError | None) -> None:
        if isinstance(answer, NoAnswerError):
            for asker in self._asked.pop(name):
                asker.errback(answer)
            return
        known = self._cache.put(name, answer, self._clock())
        for asker in self._asked.pop(name):
            asker.callback(known)


def spelled(host: str) -> str:
    """Return a host in canonical form.

    Args:
        host: as it is in a URL; IPv6 in square brackets, or without.

    Raises:
        NoSuchNameError: it can be neither a name nor an address.
    """
    name = canonical_host(f"[{host}]" if ":" in host and not host.startswith("[") else host)
    if name is None:
        raise NoSuchNameError(f"{host[:300]!r} is neither a name nor an address")
    return name


@implementer(IHostResolution)
class _Resolution:
    def __init__(self, name: str, found: Deferred[Any]) -> None:
        self.name = name
        self._found = found

    def cancel(self) -> None:
        self._found.cancel()


def _answer(result: Any) -> DnsAnswer | None:
    """The answer for one family; None if it failed or was cancelled."""
    if not isinstance(result, Failure):
        return cast("DnsAnswer", result)
    if not isinstance(result.value, (DnsAnswerError, CancelledError)):
        logger.warning("A name server could not be asked: %s", result.getErrorMessage())
    return None


def _uncounted(name: str) -> None:
    """The counter for look-ups without a crawl."""


def _text(path: Path) -> str:
    try:
        return path.read_text(encoding="utf-8", errors="replace")
    except OSError:
        return ""
