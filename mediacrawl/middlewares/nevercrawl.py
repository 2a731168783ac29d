"""The door to NeverCrawl: the last look at the list, just before a request goes out."""

from __future__ import annotations

import logging
from typing import TYPE_CHECKING

from scrapy import Request

from mediacrawl.middlewares.refused import refuse
from mediacrawl.parts import Parts
from mediacrawl.records import Drop
from mediacrawl.scope.sites import host_of

if TYPE_CHECKING:
    from typing import Self

    from scrapy.crawler import Crawler

logger = logging.getLogger(__name__)


class NeverCrawlMiddleware:
    """Refuses requests to domains on the NeverCrawl list (setting ``NEVERCRAWL_FILES``), subdomains included.

    The files are looked at every ``NEVERCRAWL_RELOAD`` seconds, so a domain added while the crawl runs gets no request
    after that time, whatever was already queued. A file that cannot be read keeps the last good list, and the log says
    so.
    Stats: ``drop/nevercrawl``, ``nevercrawl/reloaded``.
    """

    def __init__(self, crawler: Crawler, parts: Parts) -> None:
        self._stats = crawler.stats
        self._clock = parts.clock
        self._list = parts.nevercrawl
        self._warn()

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> Self:
        """Make it for a crawl."""
        return cls(crawler, Parts.of(crawler))

    def process_request(self, request: Request) -> None:
        """Let the request pass, or refuse it.

        Raises:
            RefusedRequest: its host is on the list.
        """
        if self._list.reload_if_changed(self._clock.now()):
            self._stats.inc_value("nevercrawl/reloaded")
            logger.info("NeverCrawl read again: %d domains", len(self._list.entries))
            self._warn()
        elif self._list.problem != self._problem:
            self._warn()
        entry = self._list.match(host_of(request.url))
        if entry is not None:
            raise refuse(request, self._stats, Drop.NEVERCRAWL, f"{request.url} ({entry.domain})")

    def _warn(self) -> None:
        """Say what could not be read, once for each problem."""
        self._problem = self._list.problem
        for sentence in filter(None, [self._list.problem, *self._list.bad_lines]):
            logger.error("NeverCrawl: %s", sentence)
