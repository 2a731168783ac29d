"""The base of our extensions: signals and timers."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from scrapy import signals
from scrapy.utils.asyncio import CallLaterResult, call_later

from mediacrawl.crawl.context import CrawlContext
from mediacrawl.crawl.interfaces import listen_to_visits
from mediacrawl.crawl.signals import seeds_joined

if TYPE_CHECKING:
    from typing import Self

    from scrapy.crawler import Crawler

_SIGNALS = {
    "_opened": signals.spider_opened,
    "_seeds_joined": seeds_joined,
    "_response_received": signals.response_received,
    "_item_scraped": signals.item_scraped,
    "_idle": signals.spider_idle,
    "_closed": signals.spider_closed,
    "_stopped": signals.engine_stopped,
}
"""Name of a method -> the signal that it receives."""


class CrawlExtension:
    """Connects the methods of an extension that `_SIGNALS` names, and `_visit_ended`; repeats work in the reactor.

    Args:
        crawler: of the crawl.
        context: what the components of the crawl share.
    """

    def __init__(self, crawler: Crawler, context: CrawlContext) -> None:
        self._crawler = crawler
        self._context = context
        self._clock = context.clock
        self._timer: CallLaterResult | None = None

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> Self:
        """Make it for a crawl.

        Raises:
            NotConfigured: the settings leave it without work.
        """
        extension = cls(crawler, CrawlContext.of(crawler))
        # Before its `_closed`, which may write for the last time.
        crawler.signals.connect(extension._cancel, signals.spider_closed)
        for name, signal in _SIGNALS.items():
            if (method := getattr(extension, name, None)) is not None:
                crawler.signals.connect(method, signal)
        if (listener := getattr(extension, "_visit_ended", None)) is not None:
            listen_to_visits(crawler, listener)
        return extension

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
