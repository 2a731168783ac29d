"""A quieter log: the request log has a line for every response already."""

from __future__ import annotations

import logging
from typing import TYPE_CHECKING, Any, cast

from scrapy import Request, Spider, signals
from scrapy.http import Response
from scrapy.logformatter import LogFormatter, LogFormatterResult
from twisted.python.failure import Failure

from mediacrawl.crawl.failures import LocalFaultError
from mediacrawl.log.text import make_safe
from mediacrawl.store import StoreError

if TYPE_CHECKING:
    from typing import Self

    from scrapy.crawler import Crawler

_CRAWLED = logging.getLogger("scrapy.core.engine")


class QuietLogFormatter(LogFormatter):
    """Scrapy's formatter, which formats "Crawled (200)" lines at level DEBUG only.

    From ``spider_opened`` on, control characters are escaped in the lines of all log handlers
    (`log.text.SafeFormatter`).

    The pipeline logs items that could not be stored; Scrapy's traceback for each of them is logged at level DEBUG.
    """

    def __init__(self, level: int = logging.DEBUG) -> None:
        super().__init__()
        self._debug = level <= logging.DEBUG

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> Self:
        """Make it for a crawl."""
        # Scrapy replaces its log handler before the spider opens.
        crawler.signals.connect(_make_log_safe, signals.spider_opened)
        level = crawler.settings.get("LOG_LEVEL") or logging.DEBUG
        number = logging.getLevelName(level.upper()) if isinstance(level, str) else level
        return cls(number if isinstance(number, int) else logging.DEBUG)

    def crawled(  # type: ignore[override]
        self, request: Request, response: Response, spider: Spider
    ) -> LogFormatterResult | None:
        """None: nothing is logged."""
        return super().crawled(request, response, spider) if self._debug else None

    def item_error(
        self, item: Any, exception: BaseException, response: Response | Failure | None, spider: Spider
    ) -> LogFormatterResult:
        """At level DEBUG if the item could not be stored.

        `Breaker` needs the response, which is therefore among the arguments.
        """
        result = super().item_error(item, exception, response, spider)
        result["args"] = {**cast("dict[str, Any]", result["args"]), "response": response}
        if isinstance(exception, (StoreError, LocalFaultError)):
            result["level"] = logging.DEBUG
        return result


def _make_log_safe() -> None:
    make_safe(logging.getLogger(), logging.getLogger("mediacrawl"))
