"""Writes the crawl's stats to a file for other programs."""

from __future__ import annotations

import logging
from pathlib import Path
from typing import TYPE_CHECKING

from scrapy import signals
from scrapy.exceptions import NotConfigured
from scrapy.utils.asyncio import CallLaterResult, call_later

from mediacrawl.config.own_settings import OwnSettings
from mediacrawl.crawl.context import CrawlContext
from mediacrawl.crawl.signals import seeds_joined
from mediacrawl.fleet.worker_stats import WorkerStats

if TYPE_CHECKING:
    from typing import Self

    from scrapy.crawler import Crawler

logger = logging.getLogger(__name__)

INTERVAL = 10.0
"""Seconds between two writes; LOGSTATS_INTERVAL, if that is less. A kill loses what was counted since."""


class StatsFile:
    """Writes the stats to ``STATS_FILE``, which ``mediacrawl fleet`` reads.

    The file is written when the crawl begins, when its seeds were added, every `INTERVAL` seconds (or
    ``LOGSTATS_INTERVAL``, if that is less), and at the end.

    Works alone in any Scrapy project.

    On disk: see `fleet.worker_stats.WorkerStats`. A kill loses the counts since the last write.
    """

    def __init__(self, crawler: Crawler, context: CrawlContext) -> None:
        name = OwnSettings(context.settings).getstr("STATS_FILE")
        if not name:
            raise NotConfigured
        path = Path(name)
        self._path = path if path.parent != Path() else context.folder / path
        self._crawler = crawler
        self._context = context
        every = (INTERVAL, context.settings.getfloat("LOGSTATS_INTERVAL"))
        self._interval = min((seconds for seconds in every if seconds > 0), default=INTERVAL)
        self._timer: CallLaterResult | None = None
        self._failing = False

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> Self:
        """Make it for a crawl."""
        file = cls(crawler, CrawlContext.of(crawler))
        connect = crawler.signals.connect
        connect(file._write_and_go_on, signals.spider_opened)
        connect(file._write, seeds_joined)
        connect(file._closed, signals.spider_closed)
        connect(file._stopped, signals.engine_stopped)
        return file

    def _write_and_go_on(self) -> None:
        self._timer = call_later(self._interval, self._write_and_go_on)
        self._write()

    def _closed(self) -> None:
        if self._timer is not None:
            self._timer.cancel()
        self._write()

    def _stopped(self) -> None:
        """Write again: other components count until the end."""
        self._write()

    def _write(self) -> None:
        if not self._context.has_folder:
            return
        account = WorkerStats(self._context.clock.now(), self._crawler.stats.get_stats())
        try:
            account.save(self._path)
        except OSError as error:
            if not self._failing:
                logger.error("The stats cannot be written: %s", error)  # noqa: TRY400 - one line is what helps
            self._failing = True
        else:
            self._failing = False
