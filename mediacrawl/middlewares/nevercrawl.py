"""The door to NeverCrawl: the last look at the list, just before a request goes out; and what waits when it changes."""

from __future__ import annotations

import logging
from collections.abc import Iterable, Iterator
from ipaddress import IPv4Address, IPv6Address
from itertools import chain
from time import monotonic
from typing import TYPE_CHECKING

from scrapy import Request, signals
from scrapy.utils.asyncio import CallLaterResult, call_later

from mediacrawl.crawl import scrapy_internals
from mediacrawl.crawl.interfaces import LeaseHolder, lease_holder
from mediacrawl.frontier import FrontierError
from mediacrawl.frontier.contract import FrontierAwayError
from mediacrawl.middlewares.refused import RefusedRequest, refuse
from mediacrawl.observe.format import plural
from mediacrawl.parts import Parts
from mediacrawl.records import Drop
from mediacrawl.scope.canonical import canonical
from mediacrawl.scope.exclusions.waiting import drop_all, drop_waiting

if TYPE_CHECKING:
    from typing import Self

    from scrapy.crawler import Crawler

logger = logging.getLogger(__name__)

_LEAST = 0.05
"""Seconds between two looks, however often the setting wants them."""

_SLICE = 0.005
"""Seconds of a list's reading, or of dropping what waits, after which the crawl gets its turn."""

_AWAY = 5.0
"""Seconds after which a frontier that was away is asked again."""

_TURN = 0.02
"""Seconds of that turn: a list of a million lines is in force some 10 s after the look that found it."""


class NeverCrawlMiddleware:
    """Refuses requests to what is on the NeverCrawl list (setting ``NEVERCRAWL_FILES``), subdomains included.

    The files are looked at twice in ``NEVERCRAWL_RELOAD`` seconds, by a timer, so that a domain added while the crawl
    runs gets no request after that time, whatever was already queued. A file that cannot be read keeps the last good
    list, and the log says so. With our scheduler, what waits for new entries is dropped from the frontier, at each
    change and at the start, a slice at a time; what is taken meanwhile is refused. Alone in a Scrapy project the
    requests that wait in the downloader end when the list changes. Names that lead to addresses on the list are refused
    where the connection is made (`guard`).

    Stats: ``drop/nevercrawl``, ``nevercrawl/reloaded``, ``nevercrawl/entries``, ``nevercrawl/unreadable`` (1 while a
    file cannot be read).
    """

    def __init__(self, crawler: Crawler, parts: Parts) -> None:
        self._crawler = crawler
        self._stats = crawler.stats
        self._parts = parts
        self._list = parts.nevercrawl
        self._look: Iterator[None] | None = None
        self._version = self._list.version
        self._began = 0.0
        self._drops: Iterator[int] = iter(())
        self._dropped = 0
        self._timers: dict[str, CallLaterResult] = {}
        self._problem = ""
        self._told: list[str] = []
        parts.guard.judges.append(self._judge)
        self._tell()

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> Self:
        """Make it for a crawl."""
        middleware = cls(crawler, Parts.of(crawler))
        crawler.signals.connect(middleware._opened, signals.spider_opened)
        crawler.signals.connect(middleware._closed, signals.spider_closed)
        return middleware

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

    def _judge(self, address: IPv4Address | IPv6Address, host: str) -> str | None:  # noqa: ARG002
        """For the guard: the word for an address on the list."""
        return None if self._list.match_address(str(address)) is None else Drop.NEVERCRAWL

    # -- the timers ------------------------------------------------------------------------------------------

    def _opened(self) -> None:
        self._timers["look"] = call_later(self._pause, self._on_time)
        # The list may have changed while no crawl ran.
        if self._parts.counts().waiting:
            self._begin_dropping()
            self._work()
        else:
            self._list.news()

    def _closed(self) -> None:
        for timer in self._timers.values():
            timer.cancel()
        self._timers.clear()
        # The last that waited may be the last of the crawl, which then ends before its turn comes again.
        self._tell_dropped()

    @property
    def _pause(self) -> float:
        return max(self._list.pause, _LEAST)

    def _on_time(self) -> None:
        self._timers["look"] = call_later(self._pause, self._on_time)
        if self._look is None:
            self._began = monotonic()
            self._look = self._list.look(self._parts.clock.now())
            self._work()

    def _work(self) -> None:
        """Go on with what is begun until its slice is over; then once more when the crawl has had its turn."""
        if timer := self._timers.pop("work", None):
            timer.cancel()
        end = monotonic() + _SLICE
        while self._step():
            if monotonic() > end:
                self._timers["work"] = call_later(_TURN, self._work)
                return

    def _step(self) -> bool:
        """One step of the look, else of the dropping; tells whether there was one."""
        if self._look is not None:
            if next(self._look, self) is self:
                self._look = None
                self._looked()
            return True
        try:
            gone = next(self._drops, None)
        except FrontierAwayError:
            # What is asked meanwhile is looked at before it goes out; what waits is looked through when it can be.
            self._drops = drop_all(self._parts.frontier, self._list)
            self._timers["work"] = call_later(_AWAY, self._work)
            return False
        except FrontierError as error:
            self._drops = iter(())
            self._scheduler.stop("frontier_error", error)
            return False
        if gone is None:
            self._dropped_all()
            return False
        if gone:
            self._dropped += gone
            self._scheduler.count(f"drop/{Drop.NEVERCRAWL}", gone)
        return True

    # -- what a look brings ----------------------------------------------------------------------------------

    def _looked(self) -> None:
        if self._list.version != self._version:
            self._version = self._list.version
            self._stats.inc_value("nevercrawl/reloaded")
            entries = plural(self._list.size, "entry")
            logger.info("NeverCrawl read again: %s, in %.1f s", entries, monotonic() - self._began)
            scrapy_internals.refuse_queued(self._crawler.engine, self._refusal)
            self._begin_dropping()
        self._tell()

    def _begin_dropping(self) -> None:
        news = self._list.news()
        if self._parts.leases:
            self._drops = chain(self._drops, drop_waiting(self._parts.frontier, self._list, news))

    def _dropped_all(self) -> None:
        self._drops = iter(())
        if self._tell_dropped():
            scrapy_internals.wake(self._crawler.engine)

    def _tell_dropped(self) -> int:
        """Say how many were dropped since it was last said; answers how many."""
        dropped, self._dropped = self._dropped, 0
        if dropped:
            logger.info("NeverCrawl: %s dropped", plural(dropped, "URL that waited", "is"))
        return dropped

    @property
    def _scheduler(self) -> LeaseHolder:
        return lease_holder(self._crawler)

    def _tell(self) -> None:
        """Say what could not be read and what may be a mistake, once."""
        never = self._list
        self._stats.set_value("nevercrawl/entries", never.size)
        self._stats.set_value("nevercrawl/unreadable", int(bool(never.problem)))
        if never.problem and never.problem != self._problem:
            logger.error("NeverCrawl: %s The last good list stays in force.", never.problem)
        self._problem = never.problem
        self._tell_new(logging.ERROR, never.bad_lines)
        self._tell_new(logging.WARNING, never.remarks)
        self._told = [*never.bad_lines, *never.remarks]

    def _tell_new(self, level: int, sentences: Iterable[str]) -> None:
        for sentence in sentences:
            if sentence not in self._told:
                logger.log(level, "NeverCrawl: %s", sentence)
