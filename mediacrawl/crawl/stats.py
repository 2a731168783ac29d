"""The stats of a crawl."""

from __future__ import annotations

from scrapy.statscollectors import MemoryStatsCollector


class PlainStatsCollector(MemoryStatsCollector):
    """Scrapy's `MemoryStatsCollector`, without the warning for callers that still give the spider.

    Scrapy wraps each method anew at each call to give that warning: 2.5 us to count something in place of 0.2, some
    fifteen times a page.
    """

    __getattribute__ = object.__getattribute__
