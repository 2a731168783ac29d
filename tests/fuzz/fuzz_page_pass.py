"""All that the reactor does for one page, with a real scheduler and frontier, and without a network."""

from __future__ import annotations

import time
from pathlib import Path

from scrapy.http import HtmlResponse
from scrapy.statscollectors import MemoryStatsCollector
from scrapy.utils.test import get_crawler

from mediacrawl.base.terms import Candidate
from mediacrawl.base.visit import VISIT, Visit
from mediacrawl.crawl.context import CrawlContext
from mediacrawl.reading.reader import Reader
from mediacrawl.scheduler import PenaltyBoxScheduler
from mediacrawl.scope import site_of
from mediacrawl.spiders.base import ProbingSpider

URL = "https://www.station.example/shows/page.html"


class _PageSpider(ProbingSpider):
    name = "pages"


class PagePass:
    """Reads one page as a crawl does: links, facts, the fingerprint, duplicates, scores, and the frontier's write.

    Attributes:
        visit: of the page; when it is over `VisitDecision.found` has the links that were added.
        counted: what was counted, by the names of stats.
        seconds: of the processor, that `read` took.

    Args:
        folder: empty; the frontier is SQLite's, as in a crawl.
    """

    def __init__(self, folder: Path) -> None:
        settings = {
            "SCHEDULER": "mediacrawl.scheduler.PenaltyBoxScheduler",
            "MEDIACRAWL_DIR": str(folder),
            "MEDIACRAWL_CONTACT": "https://example.org/about",
        }
        crawler = get_crawler(_PageSpider, settings, prevent_warnings=False)
        crawler.stats = MemoryStatsCollector(crawler)
        crawler.spider = _PageSpider(crawler)
        self._context = context = CrawlContext.of(crawler)
        context.open()
        self._scheduler = scheduler = PenaltyBoxScheduler.from_crawler(crawler)
        self._reader = Reader(context, scheduler, context.scope(None, None), crawler.stats)
        scheduler.frontier.add([Candidate(URL, site_of(URL))])
        request = scheduler.next_request()
        assert request is not None
        self.visit: Visit = request.meta[VISIT]
        self.visit.fetch.sent = context.clock.now()
        self.counted = scheduler._context.counted
        self.seconds = 0.0

    def read(self, body: bytes, **headers: str) -> None:
        """Read it, and end its visit.

        Args:
            body: as it came.
            headers: of the answer, with ``_`` for ``-``.
        """
        named = {"Content-Type": "text/html; charset=utf-8"}
        named |= {name.replace("_", "-"): value for name, value in headers.items()}
        response = HtmlResponse(URL, body=body, headers=named)
        began = time.process_time()
        found = self._reader.read(self.visit, response)
        if isinstance(found, list):
            self._scheduler.rewards.answer(self.visit, response)
        else:
            found.close()
        self._scheduler.end(self.visit)
        self.seconds = time.process_time() - began
        self._context.close()
