"""Resolves all host names of the process, and judges the addresses to which they lead.

Scrapy's resolver asks the system in twenty threads, which slow names fill up, and caches forever. This one queries the
name servers itself, with dnspython and without threads, for both address families at once, and caches for the time to
live of the records, within limits (`politeness.addresses`). It needs the asyncio reactor, which is Scrapy's default.

A name may resolve to another address from one minute to the next. So a connection is made to an address that was judged
(`GuardedNames.targets`), not to the name.
"""

from __future__ import annotations

import asyncio
import logging
import time
from collections.abc import Callable, Iterable, Sequence
from functools import lru_cache
from itertools import islice
from math import inf
from pathlib import Path
from typing import TYPE_CHECKING, Any

from scrapy.exceptions import NotConfigured
from scrapy.utils.asyncio import is_asyncio_available
from scrapy.utils.defer import maybe_deferred_to_future
from twisted.internet.address import IPv4Address, IPv6Address
from twisted.internet.defer import Deferred
from twisted.internet.error import DNSLookupError
from twisted.internet.interfaces import IHostnameResolver, IHostResolution, IResolutionReceiver
from twisted.python.failure import Failure
from zope.interface import implementer

from mediacrawl.crawl.failures import fault_here
from mediacrawl.crawl.policies import name_policy
from mediacrawl.politeness.addresses import (
    FAMILIES,
    CachedName,
    DnsAnswer,
    DnsCache,
    Guard,
    NamePolicy,
    join,
    localhost,
    read_hosts,
    read_servers,
)
from mediacrawl.scope.urls import canonical_host, is_address

if TYPE_CHECKING:
    from typing import Self

    from scrapy.crawler import Crawler

logger = logging.getLogger(__name__)


Count = Callable[[str], None]
"""Increments a stat."""

ADDRESSES = 16
"""Addresses of one family that are kept."""

_TIMEOUTS = (1.5, 3.0, 5.0)
"""Timeouts in seconds of the rounds through all servers. Most answers take less than one second; a lost datagram is
sent again in the next round."""

_GRACE = 0.3
"""Seconds to wait for the other family once the preferred one has addresses. Some servers never answer for IPv6."""

_LOST = 2.5
"""Seconds to wait for the preferred family once another has addresses: a lost datagram is sent again after 1.5 s."""

_RESOLV_CONF = Path("/etc/resolv.conf")
_HOSTS = Path("/etc/hosts")


class DnsAnswerError(Exception):
    """The answer cannot be used: the server failed."""


class NoSuchNameError(DNSLookupError):
    """The name does not exist, has no address, or is invalid."""


class NoAnswerError(DNSLookupError):
    """No name server answered."""


class NameServers:
    """Queries name servers, by address and port, in order. One that times out goes to the end of the list."""

    def __init__(self, servers: Iterable[tuple[str, int]]) -> None:
        self._servers = list(servers)

    async def answer(self, name: str, kind: str, count: Count) -> DnsAnswer:
        """Return the answer for a name, in canonical form, in one address family (`kind` ``A`` or ``AAAA``).

        It counts ``dns/queries``, ``dns/timeouts`` and ``dns/bad_answers``.

        Raises:
            DnsAnswerError: no server gave a usable answer.
        """
        from dns.exception import DNSException, Timeout  # noqa: PLC0415 - a tenth of a second, for names that are queried

        problem: Exception | None = None
        for seconds in _TIMEOUTS:
            silent = 0
            for server in tuple(self._servers):
                count("dns/queries")
                try:
                    return await _ask(server, name, kind, seconds)
                except (Timeout, OSError) as caught:
                    problem = caught
                    silent += 1
                    count("dns/timeouts")
                    # Concurrent look-ups may move the same server; nothing is awaited in between, so none is lost.
                    self._servers.remove(server)
                    self._servers.append(server)
                except (DnsAnswerError, DNSException, EOFError) as caught:
                    problem = caught
                    count("dns/bad_answers")
            if not silent:
                break  # another round would give the same answers
        raise DnsAnswerError("no name server had an answer") from problem


async def _ask(server: tuple[str, int], name: str, kind: str, seconds: float) -> DnsAnswer:
    """Query one server by UDP from a random port, and by TCP if it is truncated. What answers no query is ignored."""
    from dns import asyncquery, flags, message  # noqa: PLC0415 - see above

    address, port = server
    query = message.make_query(name, kind)
    received, _ = await asyncquery.udp_with_fallback(
        query, address, seconds, port, ignore_unexpected=True, ignore_errors=True
    )
    if received.rcode() not in (0, 3) or received.flags & flags.TC or not isinstance(received, message.QueryMessage):
        raise DnsAnswerError(f"the name server failed with code {received.rcode()}")
    chain = received.resolve_chaining()
    found = () if chain.answer is None else tuple(islice((each.address for each in chain.answer), ADDRESSES))
    return DnsAnswer(found, chain.minimum_ttl)


@implementer(IHostnameResolver)
class HostsResolver:
    """Resolves names; Scrapy's setting ``TWISTED_DNS_RESOLVER``. One per process.

    Sources in this order: literal addresses, ``RESOLVER_HOSTS``, the system's hosts file as it was at the start,
    ``localhost``, the cache, DNS. Concurrent look-ups of one name share one query. No search list is applied.

    Settings: ``RESOLVER_SERVERS``, ``RESOLVER_FAMILIES``, ``RESOLVER_TIMEOUT``, ``RESOLVER_HOSTS``.
    """

    def __init__(self, reactor: Any, policy: NamePolicy, clock: Callable[[], float] = time.monotonic) -> None:
        self._reactor = reactor
        self._policy = policy
        self._clock = clock
        self._servers = NameServers(policy.servers or read_servers(_text(_RESOLV_CONF)))
        self._hosts = {**read_hosts(_text(_HOSTS)), **policy.hosts}
        self._cache = DnsCache()
        self._turns = asyncio.Semaphore(policy.at_once)
        self._asked: dict[str, asyncio.Task[CachedName]] = {}

    @classmethod
    def from_crawler(cls, crawler: Crawler, reactor: Any) -> Self:
        """Make it for a process. Scrapy passes the process in place of a crawler; both have settings.

        Raises:
            NotConfigured: the reactor is not asyncio's.
        """
        if not is_asyncio_available():
            raise NotConfigured("HostsResolver needs the asyncio reactor (TWISTED_REACTOR)")
        return cls(reactor, name_policy(crawler.settings))

    def install_on_reactor(self) -> None:
        """Make this the reactor's resolver."""
        self._reactor.installNameResolver(self)

    async def addresses(self, host: str, count: Count) -> tuple[str, ...]:
        """Return the addresses of a host, in the order in which they are to be tried.

        `host` is as in `spelled`. It counts ``dns/cached``, ``dns/names``, ``dns/no_such_name``, ``dns/no_answer``, and
        as `NameServers.answer` does.

        Raises:
            NoSuchNameError: the name does not exist, or has no address.
            NoAnswerError: no name server answered.
        """
        name = spelled(host)
        known = self._at_hand(name, count) or await self._ask(name, count)
        if known.failed:
            count("dns/no_answer")
            raise NoAnswerError(f"no name server had an answer for {name}")
        if not known.addresses:
            count("dns/no_such_name")
            raise NoSuchNameError(f"there is no address of the name {name}")
        return self._cache.ordered(known.addresses, self._clock())

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
        found = Deferred.fromFuture(asyncio.ensure_future(self.addresses(hostName, lambda _: None)))
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

    def _at_hand(self, name: str, count: Count) -> CachedName | None:
        """Return the result from literals, hosts and the cache."""
        if is_address(name):
            return CachedName((name.strip("[]"),), inf)
        fixed = self._hosts.get(name) or localhost(name)
        if fixed:
            return CachedName(fixed, inf)
        known = self._cache.get(name, self._clock())
        if known is not None:
            count("dns/cached")
        return known

    async def _ask(self, name: str, count: Count) -> CachedName:
        """Wait for the one look-up of a name."""
        task = self._asked.get(name)
        if task is None:
            count("dns/names")
            task = self._asked[name] = asyncio.ensure_future(self._look_up(name, count))
        return await asyncio.shield(task)

    async def _look_up(self, name: str, count: Count) -> CachedName:
        try:
            async with self._turns:
                answer = await self._families(name, count)
            return self._cache.put(name, answer, self._clock())
        finally:
            del self._asked[name]

    async def _families(self, name: str, count: Count) -> DnsAnswer | None:
        """Query all families at once; soon after one has found an address the others are given up.

        Raises:
            NoAnswerError: of a fault of this machine; it is not cached.
        """
        loop = asyncio.get_running_loop()
        asked = [
            asyncio.ensure_future(self._servers.answer(name, FAMILIES[family], count))
            for family in self._policy.families
        ]
        end, pending = loop.time() + self._policy.timeout, set(asked)
        while pending and (left := end - loop.time()) > 0:
            done, pending = await asyncio.wait(pending, timeout=left, return_when=asyncio.FIRST_COMPLETED)
            for task in done:
                if (found := _answer(task)) and found.addresses:
                    end = min(end, loop.time() + (_GRACE if task is asked[0] else _LOST))
        for task in pending:
            task.cancel()
        known = join(None if task in pending else _answer(task) for task in asked)
        faults = (fault_here(error) for task in asked if task not in pending and (error := task.exception()))
        if known is None and (fault := next(filter(None, faults), None)):
            raise NoAnswerError(f"{name} could not be looked up") from fault
        return known


@lru_cache(maxsize=10_000)
def spelled(host: str) -> str:
    """Return a host, name or address as in a URL, in canonical form; IPv6 in square brackets, or without.

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


def _answer(task: asyncio.Task[DnsAnswer]) -> DnsAnswer | None:
    """Return the answer for one family; None if it failed."""
    error = task.exception()
    if error is not None and not isinstance(error, DnsAnswerError):
        logger.warning("A name server could not be asked: %s", error)
    return None if error is not None else task.result()


def _text(path: Path) -> str:
    try:
        return path.read_text(encoding="utf-8", errors="replace")
    except OSError:
        return ""


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
        """Return the addresses of a host (as in `spelled`) in the order in which they are tried, before the verdict.

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

        `rather` is the preferred address, if it is one of the host's.

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
