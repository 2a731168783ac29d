"""Logs why a crawl has read nothing, and what to do."""

from __future__ import annotations

import logging
from collections import Counter
from typing import TYPE_CHECKING

from scrapy import signals

from mediacrawl.crawl.context import CrawlContext
from mediacrawl.crawl.interfaces import listen_to_visits
from mediacrawl.frontier import FrontierError
from mediacrawl.frontier.contract import Remote
from mediacrawl.frontier.sqlite.reader import FrontierReader
from mediacrawl.frontier.stores import SQLITE_FILE
from mediacrawl.observe.crawl_messages import nothing_read
from mediacrawl.records import FINAL, End, Kind, Outcome, Trouble
from mediacrawl.visit import Visit

if TYPE_CHECKING:
    from typing import Self

    from scrapy.crawler import Crawler

logger = logging.getLogger(__name__)

_UNREACHED = frozenset({Trouble.DNS, Trouble.CONNECTION, Trouble.TIMEOUT, Trouble.TLS})
_BY_ITSELF = frozenset({"finished", "network_down"})


class LastWord:
    """Watches what becomes of the seeds, and says if nothing was read (`observe.crawl_messages.nothing_read`).

    Only for spiders that begin with seeds and fill `CrawlContext.fates`. A worker on Redis logs it if no other
    worker has read anything either.
    """

    def __init__(self, crawler: Crawler, context: CrawlContext) -> None:
        self._crawler = crawler
        self._context = context

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> Self:
        """Make it for a crawl."""
        word = cls(crawler, CrawlContext.of(crawler))
        listen_to_visits(crawler, word._visit_ended)
        crawler.signals.connect(word._closed, signals.spider_closed)
        return word

    def _visit_ended(self, visit: Visit, outcome: Outcome) -> None:
        fates = self._context.fates
        if fates.answered:
            return
        if 200 <= visit.fetch.status < 300 and visit.fetch.kind is not Kind.ROBOTS:
            fates.answered += 1
            return
        if outcome.end in FINAL:
            fates.ended[str(outcome.reason or End.DONE)] += 1
        trouble = outcome.trouble or visit.trouble
        if trouble in _UNREACHED:
            fates.cannot_reach(visit.lease.site, visit.error or str(trouble))

    def _closed(self, reason: str) -> None:
        fates, counts = self._context.fates, self._context.counts()
        if not self._context.tells_fates or reason not in _BY_ITSELF or fates.answered:
            return
        if isinstance(self._context.frontier, Remote):
            joined = self._crawler.stats.get_value("frontier/new", 0)
            if not fates.given or (joined and counts.ends.get(End.DONE)):
                # Another worker may have read it.
                return
            fates.known = 0 if joined else fates.given - sum(fates.refused.values())
            fates.earlier = Counter(counts.ends) if fates.known else Counter()
        elif fates.known_urls:
            fates.earlier = self._ends_of_known()
        elif not fates.given:
            fates.earlier = Counter(counts.ends) - fates.ended
        fates.waiting, fates.shelved = counts.waiting + counts.leased, counts.shelved
        if sentence := nothing_read(fates):
            logger.warning("%s", sentence)

    def _ends_of_known(self) -> Counter[str]:
        try:
            with FrontierReader(self._context.frontier_folder / SQLITE_FILE) as reader:
                return reader.ends_of(self._context.fates.known_urls)
        except FrontierError:
            return Counter()
