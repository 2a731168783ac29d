"""The clocks of IP addresses, and the share of those that have not answered: asked last before a request goes out."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from scrapy import Request
from scrapy.exceptions import NotConfigured
from twisted.internet.error import DNSLookupError

from mediacrawl.crawl import request_serialization
from mediacrawl.crawl.context import CrawlContext
from mediacrawl.frontier import FrontierError
from mediacrawl.middlewares.refused import RefusedRequest, refuse, refuse_address, refuse_late
from mediacrawl.own_settings import OwnSettings
from mediacrawl.politeness.address_clocks import AddressClocks, UntriedAddresses
from mediacrawl.politeness.address_guard import GuardedAddressError
from mediacrawl.records import Drop, Outcome
from mediacrawl.scope.sites import host_of
from mediacrawl.signals import visit_ended
from mediacrawl.threads import in_reactor
from mediacrawl.visit import VISIT, Visit

if TYPE_CHECKING:
    from typing import Self

    from scrapy.crawler import Crawler


class AddressMiddleware:
    """Keeps the distance that the server behind a site is owed, however many sites live there.

    It looks up where a request would go. If that address is asked by another site's request, or was a moment ago, the
    lease goes back and its site waits for the address's turn (`politeness.address_clocks`). So it does if the address
    has not answered yet, and as many requests are out to such addresses as may be (`politeness.untried`). An address
    that must not be asked at all ends the visit here (``drop/address``), and the handler looks once more when it
    connects.

    Only with our scheduler; Scrapy's own has no place where a request could wait.

    Settings: ``POLITENESS_ADDRESS_FACTOR``, ``POLITENESS_ADDRESS_MIN_DELAY``, ``UNTRIED_SHARE``. Stats:
    ``address/waits``, ``address/untried_waits``.
    """

    def __init__(self, crawler: Crawler, parts: CrawlContext) -> None:
        self._crawler = crawler
        self._stats = crawler.stats
        self._clock = parts.clock
        self._names = parts.resolver
        self._parts = parts
        slots = parts.settings.getint("CONCURRENT_REQUESTS")
        share = OwnSettings(parts.settings).getfloat("UNTRIED_SHARE")
        self._untried = UntriedAddresses(max(int(slots * share), 1))
        self._taken: dict[int, str] = {}

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> Self:
        """Make it for a crawl.

        Raises:
            NotConfigured: there is no scheduler of ours.
        """
        parts = CrawlContext.of(crawler)
        if not parts.leases:
            raise NotConfigured
        middleware = cls(crawler, parts)
        crawler.signals.connect(middleware._ended, visit_ended)
        return middleware

    async def process_request(self, request: Request) -> None:
        """Let the request pass, or send its lease back to wait.

        Raises:
            RefusedRequest: the address is not free, or must not be asked.
        """
        visit: Visit | None = request.meta.get(VISIT)
        if visit is None or visit.lease.id in self._taken or request.meta.get("proxy"):
            return
        try:
            address = await self._names.target(host_of(request.url))
        except GuardedAddressError as error:
            raise refuse_address(request, self._stats, error) from error
        except DNSLookupError:
            # The handler meets the same, and what it says is held against the site.
            return
        wait = await self._turn(address)
        if not self._parts.frontier.holds(visit.lease):
            # The look-ups took so long that another worker may be asking this site by now.
            if not wait:
                self._end(address, None, asked=False)
            request_serialization.hide(request, self._crawler.spider)
            raise refuse_late(request, self._stats)
        if wait:
            raise self._back(request, "address/waits", f"{address} is asked", wait)
        wait = self._untried.take(visit.lease.id, address, self._clock.now())
        if wait:
            self._end(address, None, asked=False)
            raise self._back(request, "address/untried_waits", f"{address} has not answered yet", wait)
        self._taken[visit.lease.id] = visit.fetch.address = address

    def _back(self, request: Request, stat: str, why: str, wait: float) -> RefusedRequest:
        self._stats.inc_value(stat)
        request_serialization.hide(request, self._crawler.spider)
        return refuse(request, self._stats, Drop.ADDRESS, f"{request.url}: {why}", wait=wait)

    def _ended(self, visit: Visit, outcome: Outcome) -> None:
        taken = self._taken.pop(visit.lease.id, None)
        if taken is None:
            return
        answered = None if visit.fetch.sent is None else visit.fetch.status > 0
        self._untried.end(visit.lease.id, self._clock.now(), answered=answered)
        try:
            self._end(taken, visit.fetch.response_time, asked=outcome.asked and visit.fetch.address == taken)
            if visit.fetch.address not in {"", taken}:
                # The name's addresses changed between the two looks.
                self._end(visit.fetch.address, visit.fetch.response_time, asked=outcome.asked)
        except FrontierError as error:
            # The clocks are notes in the frontier, which cannot be written any more.
            # Ours: else this middleware is switched off.
            scheduler: Any = self._crawler.engine.scheduler
            scheduler.stop("frontier_error", error)

    async def _turn(self, address: str) -> float:
        """Ask for a turn. Where other workers ask the same addresses the answer takes some milliseconds."""
        if not self._parts.address_policy:
            return 0.0
        clocks = self._parts.address_clocks
        if isinstance(clocks, AddressClocks):
            return clocks.take(address, self._clock.now())
        return await in_reactor(clocks.take(address))

    def _end(self, address: str, response_time: float | None, *, asked: bool) -> None:
        if not self._parts.address_policy:
            return
        clocks = self._parts.address_clocks
        if isinstance(clocks, AddressClocks):
            clocks.end(address, self._clock.now(), response_time, asked=asked)
        else:
            clocks.end(address, response_time, asked=asked)
