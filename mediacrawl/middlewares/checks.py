"""Middlewares that check a request before it is sent: it passes, is refused, or its URL waits."""

from __future__ import annotations

import logging
from collections.abc import Iterable, Iterator
from ipaddress import IPv4Address, IPv6Address
from time import monotonic
from typing import TYPE_CHECKING

from scrapy import Request
from scrapy.exceptions import NotConfigured
from scrapy.utils.asyncio import CallLaterResult, call_later
from scrapy.utils.httpobj import urlparse_cached
from twisted.internet.error import DNSLookupError

from mediacrawl.base.format import plural
from mediacrawl.base.last_used import LastUsed
from mediacrawl.base.queued import MISSED, WAITS, QueuedRequest
from mediacrawl.base.terms import Candidate, Drop, End, Kind, Outcome
from mediacrawl.base.visit import VISIT, AdapterUse, JudgedUrl, Visit
from mediacrawl.crawl import request_serialization, scrapy_internals
from mediacrawl.crawl.component import CrawlComponent
from mediacrawl.crawl.context import CrawlContext
from mediacrawl.crawl.data_requests import first_request
from mediacrawl.crawl.failures import MappedPage, RefusedRequest, refuse, refuse_address, refuse_late
from mediacrawl.crawl.interfaces import LeaseHolder, lease_holder, lease_spider, link_filter
from mediacrawl.crawl.own_settings import OwnSettings
from mediacrawl.crawl.policies import is_anonymous
from mediacrawl.crawl.threads import in_reactor
from mediacrawl.download.resolver import GuardedNames
from mediacrawl.frontier import FrontierError
from mediacrawl.frontier.contract import FrontierAwayError
from mediacrawl.politeness.address_clocks import AddressClocks, UntriedAddresses
from mediacrawl.politeness.addresses import GuardedAddressError
from mediacrawl.priority.revisits import evidence_for_other
from mediacrawl.scope.candidates import candidate
from mediacrawl.scope.exclusions import drop_excluded
from mediacrawl.scope.urls import Spelling, canonical, host_of, is_loopback, site_of
from mediacrawl.site_adapters import Miss, SiteAdapter

if TYPE_CHECKING:
    from collections.abc import Mapping

    from scrapy.crawler import Crawler

    from mediacrawl.crawl.context import CrawlContext


logger = logging.getLogger(__name__)


_HOLD = 3600.0
"""Seconds until such a URL is checked again. It stays in the frontier for a start with a contact."""


class ContactMiddleware(CrawlComponent):
    """Allows only requests to loopback addresses while MEDIACRAWL_CONTACT is the placeholder.

    A crawl with other seeds does not start then, and the scope refuses other links. This middleware covers URLs that an
    earlier crawl left in the frontier. It is disabled in a crawl with a contact.

    Stats: ``contact/held``.
    """

    def __init__(self, crawler: Crawler, context: CrawlContext) -> None:
        if not is_anonymous(crawler.settings):
            raise NotConfigured
        super().__init__(crawler, context)

    def process_request(self, request: Request) -> None:
        """Let the request pass, or hold it.

        Raises:
            RefusedRequest: its host is not a loopback address.
        """
        if not request.url.lower().startswith(("http:", "https:")) or is_loopback(host_of(request.url)):
            return
        if not self._stats.get_value("contact/held"):
            logger.error("%s waits, as does all that is not on this machine: set MEDIACRAWL_CONTACT", request.url)
        self._stats.inc_value("contact/held")
        detail = f"{request.url}: set MEDIACRAWL_CONTACT"
        raise refuse(request, self._stats, Drop.PLACEHOLDER_CONTACT, detail, hold=_HOLD)


_MIN_PAUSE = 0.05
"""Seconds between two looks at the files, at least."""
_SLICE = 0.005
"""Seconds of reading a list, or of dropping URLs, after which the reactor runs."""
_TURN = 0.02
"""Seconds until the next slice: a list of a million lines is in force some 10 s after the look that found it."""
_RETRY = 5.0
"""Seconds until a frontier that was away is tried again."""


class NeverCrawlMiddleware(CrawlComponent):
    """Refuses requests to what is on the NeverCrawl list (setting ``NEVERCRAWL_FILES``), subdomains included.

    A timer looks at the files twice in ``NEVERCRAWL_RELOAD`` seconds, so that a domain added while the crawl runs gets
    no request after that time, whatever was already queued. A file that cannot be read keeps the last good list, and
    the log says so. With `PenaltyBoxScheduler`, URLs on the list are dropped from the frontier at the start and at each
    change, in slices; what is taken meanwhile is refused here. Without it, requests queued in the downloader end when
    the list changes. Host names that resolve to an address on the list are refused by the address guard.

    Stats: ``drop/nevercrawl``, ``nevercrawl/reloaded``, ``nevercrawl/entries``, ``nevercrawl/unreadable`` (1 while a
    file cannot be read).
    """

    def __init__(self, crawler: Crawler, context: CrawlContext) -> None:
        super().__init__(crawler, context)
        self._list = context.nevercrawl
        self._pause = max(OwnSettings(crawler.settings).getfloat("NEVERCRAWL_RELOAD") / 2, _MIN_PAUSE)
        self._look: Iterator[None] | None = None
        self._version = self._list.version
        self._began = 0.0
        self._drops: Iterator[int] = iter(())
        self._dropped = 0
        self._next_slice: CallLaterResult | None = None
        self._problem = ""
        self._reported: list[str] = []
        self._judge_addresses()
        self._report()

    def process_request(self, request: Request) -> None:
        """Let the request pass, or refuse it.

        Raises:
            RefusedRequest: its host or path is on the list.
        """
        refusal = self._refusal(request)
        if refusal is not None:
            raise refusal

    def _refusal(self, request: Request) -> RefusedRequest | None:
        entry = self._list.match_url(canonical(request.url) or request.url)
        if entry is None:
            return None
        return refuse(request, self._stats, Drop.NEVERCRAWL, f"{request.url} ({entry.covers}, {entry.where})")

    def _judge_addresses(self) -> None:
        """Have the address guard ask about addresses while the list has some."""
        judges, judge = self._context.guard.judges, self._address_refusal
        if self._list.has_addresses and judge not in judges:
            judges.append(judge)
        elif not self._list.has_addresses and judge in judges:
            judges.remove(judge)

    def _address_refusal(self, address: IPv4Address | IPv6Address, host: str) -> str | None:  # noqa: ARG002
        """Return the reason why the address guard refuses an address, or None."""
        return None if self._list.match_address(str(address)) is None else Drop.NEVERCRAWL

    # -- the timers ------------------------------------------------------------------------------------------

    def _opened(self) -> None:
        self._repeat(self._pause, self._on_time)
        # The list may have changed while no crawl ran.
        if self._context.counts().waiting:
            self._begin_dropping()
            self._work()

    def _closed(self) -> None:
        if self._next_slice is not None:
            self._next_slice.cancel()
        # The crawl may end with the last URL dropped, before the next slice.
        self._log_dropped()

    def _on_time(self) -> None:
        if self._look is None:
            self._began = monotonic()
            self._look = self._list.look()
            self._work()

    def _work(self) -> None:
        """Read and drop for one slice; schedule the next."""
        if self._next_slice is not None:
            self._next_slice.cancel()
            self._next_slice = None
        end = monotonic() + _SLICE
        while self._step():
            if monotonic() > end:
                self._next_slice = call_later(_TURN, self._work)
                return

    def _step(self) -> bool:
        """One step of reading, else of dropping; False if nothing is left."""
        if self._look is not None:
            if next(self._look, self) is self:
                self._look = None
                self._looked()
            return True
        try:
            gone = next(self._drops, None)
        except FrontierAwayError:
            # Meanwhile `process_request` refuses what is on the list.
            self._begin_dropping()
            self._next_slice = call_later(_RETRY, self._work)
            return False
        except FrontierError as error:
            self._drops = iter(())
            self._scheduler.stop("frontier_error", error)
            return False
        if gone is None:
            self._drops = iter(())
            if self._log_dropped():
                scrapy_internals.wake(self._crawler.engine)
            return False
        if gone:
            self._dropped += gone
            self._scheduler.count(f"drop/{Drop.NEVERCRAWL}", gone)
        return True

    def _looked(self) -> None:
        if self._list.version != self._version:
            self._version = self._list.version
            self._judge_addresses()
            self._stats.inc_value("nevercrawl/reloaded")
            entries = plural(self._list.size, "entry")
            logger.info("NeverCrawl read again: %s, in %.1f s", entries, monotonic() - self._began)
            scrapy_internals.refuse_queued(self._crawler.engine, self._refusal)
            self._begin_dropping()
        self._report()

    def _begin_dropping(self) -> None:
        if self._context.leases:
            self._drops = drop_excluded(self._context.frontier, self._list)

    def _log_dropped(self) -> int:
        """Log how many URLs were dropped since the last call, and return the number."""
        dropped, self._dropped = self._dropped, 0
        if dropped:
            logger.info("NeverCrawl: %s dropped", plural(dropped, "URL that waited", "is"))
        return dropped

    @property
    def _scheduler(self) -> LeaseHolder:
        return lease_holder(self._crawler)

    def _report(self) -> None:
        """Set the stats, and log each problem once."""
        never = self._list
        self._stats.set_value("nevercrawl/entries", never.size)
        self._stats.set_value("nevercrawl/unreadable", int(bool(never.problem)))
        if never.problem and never.problem != self._problem:
            logger.error("NeverCrawl: %s The last good list stays in force.", never.problem)
        self._problem = never.problem
        self._log_new(logging.ERROR, never.bad_lines)
        self._log_new(logging.WARNING, never.remarks)
        self._reported = [*never.bad_lines, *never.remarks]

    def _log_new(self, level: int, sentences: Iterable[str]) -> None:
        for sentence in sentences:
            if sentence not in self._reported:
                logger.log(level, "NeverCrawl: %s", sentence)


class SeenMiddleware(CrawlComponent):
    """Drops URLs that became duplicates while they waited in the frontier.

    A URL with parameters that never change the page is replaced by the URL without them, which is added to the frontier
    unless it is known. Without mediacrawl's scheduler every request passes.

    Stats: ``drop/dust``.
    """

    def process_request(self, request: Request) -> None:
        """Let the request pass, or refuse it.

        Raises:
            RefusedRequest: its URL is a duplicate.
        """
        visit: Visit | None = request.meta.get(VISIT)
        if visit is None or visit.fetch.kind is Kind.ROBOTS or visit.lease.state:
            return
        lease = visit.lease
        if lease.evidence.via == WAITS:
            # Its URL is exactly what the site's own scripts request.
            return
        key = lease.url.partition("#")[0]
        reason, url = self._context.duplicates.waiting(lease.site, Spelling(key, lease.requested or key))
        if reason is None:
            return
        if reason is Drop.DUST:
            visit.add_link(
                candidate(
                    url,
                    evidence_for_other(lease),
                    self._context.scores,
                    lease.kind,
                    depth=lease.depth,
                    hops=lease.hops,
                    parent=lease.parent,
                )
            )
        raise refuse(request, self._stats, reason, lease.request_url)


class SiteAdapterMiddleware(CrawlComponent):
    """Ends the lease of a page whose media a site adapter finds without it, and queues the page's data request.

    So one request is made in place of two. The page costs no request and no delay; its data request waits in the
    frontier as any URL does: robots.txt, NeverCrawl, scope, the clocks of its site and the redirect cap apply to it.
    This middleware comes after those that may refuse the page, so the page's own robots.txt is obeyed, too. A page is
    requested as an ordinary one if its data URL is refused by the scope or is too long, if a data request missed
    (`AdapterEnds`), and while the adapter is switched off. A data request whose adapter was switched off, changed or
    removed while it waited is dropped without a request, and its page is requested; so is one whose page is on the
    NeverCrawl list by now, and the page is refused then.

    Pages that an adapter needs are requested, and read by `reading.adapter_reader`. Only for mediacrawl's spiders and
    scheduler: in other projects nothing would keep the data requests apart from their own.

    Settings: ``ADAPTERS_DIR``.

    Stats: ``adapter/refused`` (data URLs that the scope refuses, or that are too long), ``adapter/known`` (pages whose
    data was requested for another URL of the page), ``drop/adapter_off``, ``drop/nevercrawl``.
    """

    def __init__(self, crawler: Crawler, context: CrawlContext) -> None:
        if not context.leases or not context.is_ours:
            raise NotConfigured
        super().__init__(crawler, context)

    def process_request(self, request: Request) -> None:
        """Let the request pass, or queue a data request in place of it.

        Raises:
            MappedPage: the page's data is requested instead.
            RefusedRequest: the adapter of a data request is not the one of its time any more, or its page is not to be
                requested by now.
            FrontierError: the frontier cannot be read.
        """
        visit: Visit | None = request.meta.get(VISIT)
        if visit is None or visit.fetch.kind is Kind.ROBOTS:
            return
        lease = visit.lease
        if lease.evidence.via == WAITS:
            self._check(request, visit)
        elif (
            lease.kind is Kind.PAGE
            and not lease.state
            and lease.evidence.via != MISSED
            and not self._context.adapters.is_empty
            and self._applies(lease.url)
        ):
            found = self._context.adapters.match(lease.request_url)
            if found is not None and not found[0].fetches_page:
                self._map(visit, *found)

    def _check(self, request: Request, visit: Visit) -> None:
        """Refuse a data request whose adapter or page is not the one of its time any more."""
        lease = visit.lease
        queued = QueuedRequest.of(lease.evidence)
        if queued is None or self._context.adapters.named(queued.adapter, queued.digest) is None:
            raise refuse(request, self._stats, Drop.ADAPTER_OFF, lease.request_url)
        if self._context.nevercrawl.match_url(canonical(lease.parent) or lease.parent) is not None:
            raise refuse(request, self._stats, Drop.NEVERCRAWL, f"{lease.request_url}, for {lease.parent}")

    def _applies(self, url: str) -> bool:
        spider = lease_spider(self._crawler)
        # What is behind a # tells visits apart that a spider makes on purpose.
        return spider is not None and spider.follows and "#" not in url

    def _map(self, visit: Visit, adapter: SiteAdapter, slots: Mapping[str, str]) -> None:
        lease = visit.lease
        try:
            found = first_request(lease, adapter, slots, self._context.scores)
        except Miss as miss:
            visit.use_adapter(AdapterUse(adapter.name, tried=True, missed=str(miss)))
            return
        if found is None or not self._admits(found):
            self._stats.inc_value("adapter/refused")
            return
        if self._context.frontier.unknown([found.url]):
            visit.use_adapter(AdapterUse(adapter.name, tried=True))
        else:
            self._stats.inc_value("adapter/known")
        visit.add_link(found)
        visit.decide(Outcome(End.DONE))
        raise MappedPage(f"{lease.request_url} is not requested, but {found.request_url}")

    def _admits(self, found: Candidate) -> bool:
        links = link_filter(self._crawler)
        return links is None or links.admit(found)


_SITES = 10_000
"""Sites whose address is remembered, for finds that their pages lead to."""


class AddressMiddleware(CrawlComponent):
    """Applies the delay of the server behind a site, however many sites it hosts.

    It resolves the host of a request. If the address serves another site's request, or did within its delay, the lease
    goes back and its site waits for the address (`politeness.address_clocks`). The same applies to an address that has
    not answered yet while the limit of requests to such addresses is reached. A guarded address ends the visit
    (``drop/address``). The addresses that are allowed go to the HTTP handler in the visit (`FetchFacts.judged`), which
    connects to no other. The delay of an address grows while requests to it bring no find, and its pages lead to none
    (`AddressPolicy.budget`).

    Disabled without mediacrawl's scheduler: Scrapy's own cannot take a request back.

    Settings: ``POLITENESS_ADDRESS_FACTOR``, ``POLITENESS_ADDRESS_MIN_DELAY``, ``FRONTIER_SITE_BUDGET``,
    ``UNTRIED_SHARE``. Stats: ``address/waits``, ``address/untried_waits``.
    """

    def __init__(self, crawler: Crawler, context: CrawlContext) -> None:
        if not context.leases:
            raise NotConfigured
        super().__init__(crawler, context)
        self._names = GuardedNames(context.guard)
        self._names.count = crawler.stats.inc_value
        context.keeps_address_clocks = True
        self._has_clocks = bool(context.address_policy)
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
            addresses = await self._names.targets(urlparse_cached(request).hostname or "")
        except GuardedAddressError as error:
            raise refuse_address(request, self._stats, error) from error
        except DNSLookupError:
            # The HTTP handler fails with the same error, which counts against the site.
            return
        address, now = addresses[0], self._clock.now()
        try:
            wait = await self._turn(address, now) if self._has_clocks else 0.0
        except FrontierError as error:
            # A fault of ours: the URL stays, and its site is not to blame.
            raise self._back(request, "address/waits", str(error), 1.0) from error
        if not self._context.frontier.holds(visit.lease):
            # The look-up took so long that another worker may have this site by now.
            if not wait and self._has_clocks:
                self._end(address, None, asked=False)
            request_serialization.hide(request, self._crawler.spider)
            raise refuse_late(request, self._stats)
        if wait:
            raise self._back(request, "address/waits", f"{address} is asked", wait)
        wait = self._untried.take(visit.lease.id, address, now)
        if wait:
            if self._has_clocks:
                self._end(address, None, asked=False)
            raise self._back(request, "address/untried_waits", f"{address} has not answered yet", wait)
        self._taken[visit.lease.id] = visit.fetch.address = address
        visit.fetch.judged = JudgedUrl(request.url, addresses)

    def _back(self, request: Request, stat: str, why: str, wait: float) -> RefusedRequest:
        self._stats.inc_value(stat)
        request_serialization.hide(request, self._crawler.spider)
        return refuse(request, self._stats, Drop.ADDRESS, f"{request.url}: {why}", wait=wait)

    def _visit_ended(self, visit: Visit, outcome: Outcome) -> None:
        taken = self._taken.pop(visit.lease.id, None)
        if taken is None:
            return
        answered = None if visit.fetch.sent is None else visit.fetch.status > 0 and visit.fetch.address == taken
        now = self._clock.now() if visit.decision.ended is None else visit.decision.ended
        self._untried.end(visit.lease.id, now, answered=answered)
        if not self._has_clocks:
            return
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

    async def _turn(self, address: str, now: float) -> float:
        """Seconds to wait for the address; 0 if it is taken now. With Redis this takes some milliseconds."""
        clocks = self._context.address_clocks
        if isinstance(clocks, AddressClocks):
            return clocks.take(address, now)
        return await in_reactor(clocks.take(address))

    def _end(self, address: str, response_time: float | None, *, asked: bool, found: bool = False) -> None:
        clocks = self._context.address_clocks
        if isinstance(clocks, AddressClocks):
            clocks.end(address, self._clock.now(), response_time, asked=asked, found=found)
        else:
            clocks.end(address, response_time, asked=asked, found=found)
