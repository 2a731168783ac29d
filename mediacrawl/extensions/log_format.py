"""What is not said twice: the request log has a line for every answer."""

from __future__ import annotations

import logging
from typing import TYPE_CHECKING, Any, cast

from scrapy import Request, Spider, signals
from scrapy.http import Response
from scrapy.logformatter import LogFormatter, LogFormatterResult
from twisted.python.failure import Failure

from mediacrawl.observe.log_text import make_safe
from mediacrawl.store import StoreError

if TYPE_CHECKING:
    from typing import Self

    from scrapy.crawler import Crawler

_CRAWLED = logging.getLogger("scrapy.core.engine")


class QuietLogFormatter(LogFormatter):
    """Scrapy's formatter, without the work for "Crawled (200)" lines that no level lets through.

    From ``spider_opened`` on control characters are escaped in the lines of all log handlers, whichever logger wrote
    (`observe.log_text.SafeFormatter`).

    An item that could not be stored is told once, by the pipeline and in a sentence; Scrapy's own account of it, a
    traceback for each item, is left to the level DEBUG.
    """

    def __init__(self, level: int = logging.DEBUG) -> None:
        super().__init__()
        self._debug = level <= logging.DEBUG

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> Self:
        """Make it for a crawl."""
        # Scrapy puts another handler in place of the one that is there now before the spider opens.
        crawler.signals.connect(_make_log_safe, signals.spider_opened)
        level = crawler.settings.get("LOG_LEVEL") or logging.DEBUG
        number = logging.getLevelName(level.upper()) if isinstance(level, str) else level
        return cls(number if isinstance(number, int) else logging.DEBUG)

    def crawled(  # type: ignore[override]
        self, request: Request, response: Response, spider: Spider
    ) -> LogFormatterResult | None:
        """None means that there is nothing to log."""
        return super().crawled(request, response, spider) if self._debug else None

    def item_error(
        self, item: Any, exception: BaseException, response: Response | Failure | None, spider: Spider
    ) -> LogFormatterResult:
        """At level DEBUG if it could not be stored, which the pipeline has said.

        `Breaker` wants to know whose answer gave the item, so that the response is among the arguments.
        """
        told = super().item_error(item, exception, response, spider)
        told["args"] = {**cast("dict[str, Any]", told["args"]), "response": response}
        if isinstance(exception, StoreError):
            told["level"] = logging.DEBUG
        return told


def _make_log_safe() -> None:
    make_safe(logging.getLogger(), logging.getLogger("mediacrawl"))
