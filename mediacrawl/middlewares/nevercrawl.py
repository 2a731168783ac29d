"""The door to NeverCrawl: the last look at the list, just before a request goes out."""

from __future__ import annotations

import logging
from typing import TYPE_CHECKING

from scrapy import Request, signals
from scrapy.utils.asyncio import CallLaterResult, call_later

from mediacrawl import seams
from mediacrawl.middlewares.refused import RefusedRequest, refuse
from mediacrawl.parts import Parts
from mediacrawl.records import Drop
from mediacrawl.scope.sites import host_of

if TYPE_CHECKING:
    from typing import Self

    from scrapy.crawler import Crawler

logger = logging.getLogger(__name__)

_LEAST = 0.1
"""Seconds between two looks, however often the setting wants them."""


class NeverCrawlMiddleware:
    """Refuses requests to domains on the NeverCrawl list (setting ``NEVERCRAWL_FILES``), subdomains included.

    The files are looked at every ``NEVERCRAWL_RELOAD`` seconds, so a domain added while the crawl runs gets no request
    after that time, whatever was already queued. A file that cannot be read keeps the last good list, and the log says
    so. Alone in a Scrapy project it also ends the requests that wait in the downloader when the list changes; with our
    scheduler none waits there.

    Stats: ``drop/nevercrawl``, ``nevercrawl/reloaded``.
    """

    def __init__(self, crawler: Crawler, parts: Parts) -> None:
        self._crawler = crawler
        self._stats = crawler.stats
        self._clock = parts.clock
        self._list = parts.nevercrawl
        self._interval = parts.settings.getfloat("NEVERCRAWL_RELOAD", 900.0)
        self._applied = self._list.version
        self._timer: CallLaterResult | None = None
        self._warn()

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> Self:
        """Make it for a crawl."""
        parts = Parts.of(crawler)
        middleware = cls(crawler, parts)
        if not parts.leases:
            crawler.signals.connect(middleware._set_timer, signals.spider_opened)
            crawler.signals.connect(middleware._closed, signals.spider_closed)
        return middleware

    def process_request(self, request: Request) -> None:
        """Let the request pass, or refuse it.

        Raises:
            RefusedRequest: its host is on the list.
        """
        self._look()
        refusal = self._refusal(request)
        if refusal is not None:
            raise refusal

    def _look(self) -> None:
        """Look at the files, if it is time."""
        changed = self._list.reload_if_changed(self._clock.now())
        if changed:
            self._stats.inc_value("nevercrawl/reloaded")
            logger.info("NeverCrawl read again: %d domains", len(self._list.entries))
        if changed or self._list.problem != self._problem:
            self._warn()

    def _refusal(self, request: Request) -> RefusedRequest | None:
        entry = self._list.match(host_of(request.url))
        if entry is None:
            return None
        return refuse(request, self._stats, Drop.NEVERCRAWL, f"{request.url} ({entry.domain})")

    def _set_timer(self) -> None:
        self._timer = call_later(max(self._interval, _LEAST), self._on_time)

    def _on_time(self) -> None:
        self._set_timer()
        self._look()
        if self._list.version != self._applied:
            self._applied = self._list.version
            seams.refuse_queued(self._crawler.engine, self._refusal)

    def _closed(self) -> None:
        if self._timer is not None:
            self._timer.cancel()

    def _warn(self) -> None:
        """Say what could not be read, once for each problem."""
        self._problem = self._list.problem
        for sentence in filter(None, [self._list.problem, *self._list.bad_lines]):
            logger.error("NeverCrawl: %s", sentence)
