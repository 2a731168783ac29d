"""Writes the harvest file: new finds per page, while the crawl runs."""

from __future__ import annotations

import logging
from pathlib import Path
from typing import TYPE_CHECKING

from scrapy import signals
from scrapy.exceptions import NotConfigured

from mediacrawl.config.own_settings import OwnSettings
from mediacrawl.crawl.context import NOTHING, CrawlContext
from mediacrawl.crawl.interfaces import listen_to_visits
from mediacrawl.frontier import FrontierError
from mediacrawl.frontier.site_state import is_overflow
from mediacrawl.observe.harvest import CLASSES, Harvest, HarvestCounts, HarvestLines, counts_of
from mediacrawl.priority.revisits import is_revisit
from mediacrawl.records import Outcome
from mediacrawl.visit import Visit

if TYPE_CHECKING:
    from typing import Self

    from scrapy.crawler import Crawler

logger = logging.getLogger(__name__)

WINDOW = 1_000
"""Ended URLs, here called pages, per line. Over so many, a rate of one find in 12 is known to a tenth."""


class HarvestFile:
    """Writes a line to ``HARVEST_FILE`` for every `WINDOW` pages, and one for the rest at the end.

    The file is in the frontier's folder. A resumed crawl continues from its last line; a new one counts from zero.
    Each of several workers has its own file.

    On disk: see `HarvestLines`.
    """

    def __init__(self, crawler: Crawler, context: CrawlContext) -> None:
        self._name = str(OwnSettings(context.settings).get("HARVEST_FILE"))
        if not self._name:
            raise NotConfigured("HARVEST_FILE is empty")
        if not context.leases:
            raise NotConfigured("without our scheduler there are no visits to count")
        if not context.keeps_frontier:
            # Another project's spider without JOBDIR: no reason for a warning.
            raise NotConfigured
        self._crawler = crawler
        self._context = context
        self._harvest = Harvest(WINDOW)
        self._lines: HarvestLines | None = None
        self._failing = False

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> Self:
        """Make it for a crawl."""
        file = cls(crawler, CrawlContext.of(crawler))
        connect = crawler.signals.connect
        connect(file._opened, signals.spider_opened)
        listen_to_visits(crawler, file._visit_ended)
        connect(file._closed, signals.spider_closed)
        return file

    @property
    def run(self) -> HarvestCounts:
        """The counts of this process."""
        return self._harvest.run

    @property
    def last(self) -> HarvestCounts:
        """The last complete window of this process; empty before."""
        return self._harvest.last or HarvestCounts()

    def _opened(self) -> None:
        path = Path(self._name)
        self._lines = HarvestLines(path if path.parent != Path() else self._context.frontier_folder / path)
        if not self._context.counts().seen:
            # The frontier is empty: the lines of the file belong to a deleted crawl.
            return
        try:
            self._harvest = Harvest(WINDOW, counts_of(self._lines.last()))
        except OSError as error:
            self._log_error(error)

    def _visit_ended(self, visit: Visit, outcome: Outcome) -> None:
        lease = visit.lease
        overflow = is_overflow(lease.link_class)
        if self._harvest.ended(visit, outcome, revisit=is_revisit(lease), overflow=overflow):
            self._write()

    def _closed(self) -> None:
        if self._harvest.is_begun:
            self._write()

    def _write(self) -> None:
        if self._lines is None or not self._context.has_folder:
            return
        try:
            counts, classes = self._context.counts(), self._context.priority.extremes(CLASSES)
        except FrontierError:
            # The frontier cannot be read; the scheduler logs why.
            counts, classes = NOTHING, None
        line = self._harvest.line(self._context.clock.now(), counts.ready, counts.waiting, classes)
        try:
            self._lines.append(line)
        except OSError as error:
            self._log_error(error)
        else:
            self._failing = False

    def _log_error(self, error: OSError) -> None:
        if not self._failing:
            logger.error("The harvest cannot be written down: %s", error)
        self._failing = True
