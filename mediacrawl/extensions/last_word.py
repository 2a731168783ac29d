"""Logs why a crawl has read nothing, and what to do."""

from __future__ import annotations

import logging
from typing import TYPE_CHECKING

from scrapy import signals

from mediacrawl.crawl.context import CrawlContext
from mediacrawl.crawl.interfaces import listen_to_visits
from mediacrawl.frontier.contract import Remote
from mediacrawl.observe.crawl_messages import nothing_read
from mediacrawl.records import End, Kind, Outcome
from mediacrawl.visit import Visit

if TYPE_CHECKING:
    from typing import Self

    from scrapy.crawler import Crawler

logger = logging.getLogger(__name__)

_BY_ITSELF = frozenset({"finished", "network_down"})


class LastWord:
    """Logs a sentence if a crawl has ended by itself and has read nothing (`observe.crawl_messages.nothing_read`).

    Only for spiders that begin with seeds and set `CrawlContext.refused_seeds`. A worker on Redis logs it if no other
    worker has read anything either.
    """

    def __init__(self, crawler: Crawler, context: CrawlContext) -> None:
        self._crawler = crawler
        self._context = context
        self._has_read = False

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> Self:
        """Make it for a crawl."""
        word = cls(crawler, CrawlContext.of(crawler))
        listen_to_visits(crawler, word._visit_ended)
        crawler.signals.connect(word._closed, signals.spider_closed)
        return word

    def _visit_ended(self, visit: Visit, outcome: Outcome) -> None:  # noqa: ARG002
        self._has_read |= 200 <= visit.fetch.status < 300 and visit.fetch.kind is not Kind.ROBOTS

    def _closed(self, reason: str) -> None:
        context, counts = self._context, self._context.counts()
        refused = context.refused_seeds
        if refused is None or self._has_read or reason not in _BY_ITSELF:
            return
        has_added = self._crawler.stats.get_value("frontier/new", 0)
        if isinstance(context.frontier, Remote) and counts.ends.get(End.DONE) and has_added:
            # Another worker may have read it.
            return
        waiting = counts.waiting + counts.leased - counts.shelved
        if text := nothing_read(refused, counts.ends, context.tally.totals.failures, waiting, counts.shelved):
            logger.warning("%s", text)
