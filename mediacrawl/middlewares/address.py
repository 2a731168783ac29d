"""Applies delays per IP address, and limits requests to addresses that have not answered yet."""

from __future__ import annotations

from typing import TYPE_CHECKING

from scrapy import Request
from scrapy.exceptions import NotConfigured
from twisted.internet.error import DNSLookupError

from mediacrawl.base.terms import Drop, Outcome
from mediacrawl.base.visit import VISIT, Visit
from mediacrawl.crawl import request_serialization
from mediacrawl.crawl.component import CrawlComponent
from mediacrawl.crawl.context import CrawlContext
from mediacrawl.crawl.failures import RefusedRequest, refuse, refuse_address, refuse_late
from mediacrawl.crawl.interfaces import lease_holder
from mediacrawl.crawl.own_settings import OwnSettings
from mediacrawl.crawl.threads import in_reactor
from mediacrawl.download.address_guard import GuardedNames
from mediacrawl.frontier import FrontierError
from mediacrawl.politeness.address_clocks import AddressClocks, UntriedAddresses
from mediacrawl.politeness.address_guard import GuardedAddressError
from mediacrawl.politeness.caching import LastUsed
from mediacrawl.scope.urls import host_of, site_of

if TYPE_CHECKING:
    from scrapy.crawler import Crawler


_SITES = 10_000
"""Sites whose address is remembered, for finds that their pages lead to."""


class AddressMiddleware(CrawlComponent):
    """Applies the delay of the server behind a site, however many sites it hosts.

    It resolves the host of a request. If the address serves another site's request, or did within its delay, the lease
    goes back and its site waits for the address (`politeness.address_clocks`). The same applies to an address that has
    not answered yet while the limit of requests to such addresses is reached. A guarded address ends the visit
    (``drop/address``); the HTTP handler checks again when it connects. The delay of an address grows while requests to
    it bring no find, and its pages lead to none (`AddressPolicy.budget`).

    Disabled without mediacrawl's scheduler: Scrapy's own cannot take a request back.

    Settings: ``POLITENESS_ADDRESS_FACTOR``, ``POLITENESS_ADDRESS_MIN_DELAY``, ``FRONTIER_SITE_BUDGET``,
    ``UNTRIED_SHARE``. Stats:
    ``address/waits``, ``address/untried_waits``.
    """

    def __init__(self, crawler: Crawler, context: CrawlContext) -> None:
        if not context.leases:
            raise NotConfigured
        super().__init__(crawler, context)
        self._names = GuardedNames(context.guard)
        self._names.count = crawler.stats.inc_value
        context.keeps_address_clocks = True
        slots = context.settings.getint("CONCURRENT_REQUESTS")
        share = OwnSettings(context.settings).getfloat("UNTRIED_SHARE")
        self._untried = UntriedAddresses(max(int(slots * share), 1))
        self._taken: dict[int, str] = {}
        self._of_site: LastUsed[str] = LastUsed(_SITES)
        self._led_on = set[str]()

    async def process_request(self, request: Request) -> None:
        """Let the request pass, or return its lease.

        Raises:
            RefusedRequest: the address is not free, or guarded.
        """
        visit: Visit | None = request.meta.get(VISIT)
        if visit is None or visit.lease.id in self._taken or request.meta.get("proxy"):
            return
        try:
            address, *_ = await self._names.targets(host_of(request.url))
        except GuardedAddressError as error:
            raise refuse_address(request, self._stats, error) from error
        except DNSLookupError:
            # The HTTP handler fails with the same error, which counts against the site.
            return
        try:
            wait = await self._turn(address)
        except FrontierError as error:
            # A fault of ours: the URL stays, and its site is not to blame.
            raise self._back(request, "address/waits", str(error), 1.0) from error
        if not self._context.frontier.holds(visit.lease):
            # The look-up took so long that another worker may have this site by now.
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

    def _visit_ended(self, visit: Visit, outcome: Outcome) -> None:
        taken = self._taken.pop(visit.lease.id, None)
        if taken is None:
            return
        answered = None if visit.fetch.sent is None else visit.fetch.status > 0 and visit.fetch.address == taken
        self._untried.end(visit.lease.id, self._clock.now(), answered=answered)
        found = self._is_credited(visit, outcome, taken)
        try:
            asked = outcome.asked and visit.fetch.address == taken
            self._end(taken, visit.fetch.response_time, asked=asked, found=found)
            if visit.fetch.address not in {"", taken}:
                # The handler resolved the name to another address.
                self._end(visit.fetch.address, visit.fetch.response_time, asked=outcome.asked)
        except FrontierError as error:
            # The clocks are notes in the frontier, which cannot be written any more.
            lease_holder(self._crawler).stop("frontier_error", error)

    def _is_credited(self, visit: Visit, outcome: Outcome, address: str) -> bool:
        """Whether a find is to the credit of an address: it is from there, or a page from there has led to it."""
        self._of_site.put(visit.lease.site, address)
        redirector = visit.lease.evidence.requested_url if visit.lease.hops else ""
        for origin in filter(None, (visit.lease.parent, redirector) if outcome.earned else ()):
            self._led_on.add(self._of_site.get(site_of(origin)) or address)
            if len(self._led_on) > _SITES:
                self._led_on.pop()
        credited = outcome.earned > 0 or address in self._led_on
        self._led_on.discard(address)
        return credited

    async def _turn(self, address: str) -> float:
        """Seconds to wait for the address; 0 if it is taken now. With Redis this takes some milliseconds."""
        if not self._context.address_policy:
            return 0.0
        clocks = self._context.address_clocks
        if isinstance(clocks, AddressClocks):
            return clocks.take(address, self._clock.now())
        return await in_reactor(clocks.take(address))

    def _end(self, address: str, response_time: float | None, *, asked: bool, found: bool = False) -> None:
        if not self._context.address_policy:
            return
        clocks = self._context.address_clocks
        if isinstance(clocks, AddressClocks):
            clocks.end(address, self._clock.now(), response_time, asked=asked, found=found)
        else:
            clocks.end(address, response_time, asked=asked, found=found)
