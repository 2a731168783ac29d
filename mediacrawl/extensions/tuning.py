"""The door to Python's garbage collector."""

from __future__ import annotations

import gc
from typing import TYPE_CHECKING

from scrapy import signals
from scrapy.exceptions import NotConfigured

from mediacrawl.own_settings import OwnSettings

if TYPE_CHECKING:
    from typing import Self

    from scrapy.crawler import Crawler


class Tuning:
    """Lets the collector leave alone what lives as long as the crawl, and run less often (setting ``GC_THRESHOLD``)."""

    def __init__(self, threshold: int) -> None:
        if threshold <= 0:
            raise NotConfigured("GC_THRESHOLD is 0")
        self._threshold = threshold
        self._before = gc.get_threshold()

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> Self:
        """Make it for a crawl."""
        tuning = cls(OwnSettings(crawler.settings).getint("GC_THRESHOLD"))
        crawler.signals.connect(tuning._opened, signals.spider_opened)
        crawler.signals.connect(tuning._closed, signals.spider_closed)
        return tuning

    def _opened(self) -> None:
        gc.collect()
        gc.freeze()
        gc.set_threshold(self._threshold, *self._before[1:])

    def _closed(self) -> None:
        gc.set_threshold(*self._before)
        gc.unfreeze()
