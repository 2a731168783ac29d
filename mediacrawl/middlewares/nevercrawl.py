"""Refuses requests to what is on the NeverCrawl list, and drops the waiting URLs that it names."""

from __future__ import annotations

import logging
from collections.abc import Iterable, Iterator
from ipaddress import IPv4Address, IPv6Address
from time import monotonic
from typing import TYPE_CHECKING

from scrapy import Request
from scrapy.utils.asyncio import CallLaterResult, call_later

from mediacrawl.base.format import plural
from mediacrawl.base.terms import Drop
from mediacrawl.crawl import scrapy_internals
from mediacrawl.crawl.component import CrawlComponent
from mediacrawl.crawl.context import CrawlContext
from mediacrawl.crawl.failures import RefusedRequest, refuse
from mediacrawl.crawl.interfaces import LeaseHolder, lease_holder
from mediacrawl.crawl.own_settings import OwnSettings
from mediacrawl.frontier import FrontierError
from mediacrawl.frontier.contract import FrontierAwayError
from mediacrawl.scope.exclusions import drop_excluded
from mediacrawl.scope.urls import canonical

if TYPE_CHECKING:
    from scrapy.crawler import Crawler

logger = logging.getLogger(__name__)

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
        context.guard.judges.append(self._address_refusal)
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
