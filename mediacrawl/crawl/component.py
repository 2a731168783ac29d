"""The base of our extensions and downloader middlewares: what they share, signals and timers."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from scrapy import signals
from scrapy.utils.asyncio import CallLaterResult, call_later

from mediacrawl.crawl.context import CrawlContext
from mediacrawl.crawl.signals import listen_to_visits, seeds_joined

if TYPE_CHECKING:
    from typing import Self

    from scrapy.crawler import Crawler

_SIGNALS = {
    "_opened": signals.spider_opened,
    "_seeds_joined": seeds_joined,
    "_headers_received": signals.headers_received,
    "_bytes_received": signals.bytes_received,
    "_response_received": signals.response_received,
    "_item_scraped": signals.item_scraped,
    "_idle": signals.spider_idle,
    "_closed": signals.spider_closed,
    "_stopped": signals.engine_stopped,
}
"""Name of a method -> the signal that it receives."""


class CrawlComponent:
    """Connects the methods of a component that `_SIGNALS` names, and `_visit_ended`; repeats work in the reactor."""

    def __init__(self, crawler: Crawler, context: CrawlContext) -> None:
        self._crawler = crawler
        self._stats = crawler.stats
        self._context = context
        self._clock = context.clock
        self._timer: CallLaterResult | None = None

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> Self:
        """Make it for a crawl.

        Raises:
            NotConfigured: the settings leave it without work.
        """
        component = cls(crawler, CrawlContext.of(crawler))
        # Before its `_closed`, which may write for the last time.
        crawler.signals.connect(component._cancel, signals.spider_closed)
        for name, signal in _SIGNALS.items():
            if (method := getattr(component, name, None)) is not None:
                crawler.signals.connect(method, signal)
        if (listener := getattr(component, "_visit_ended", None)) is not None:
            listen_to_visits(crawler, listener)
        return component

    def _repeat(self, seconds: float, work: Callable[[], None]) -> None:
        """Call a function every so many seconds until the spider is closed; the first time after these."""

        def tick() -> None:
            self._timer = call_later(seconds, tick)
            work()

        self._timer = call_later(seconds, tick)

    def _cancel(self) -> None:
        if self._timer is not None:
            self._timer.cancel()
        self._timer = None
