"""Ends a crawl that cannot continue."""

from __future__ import annotations

import logging
import os
import signal
import threading
from types import FrameType
from typing import TYPE_CHECKING

from scrapy.exceptions import CloseSpider
from scrapy.utils.asyncio import call_later
from scrapy.utils.defer import deferred_from_coro

from mediacrawl.frontier import FrontierError

if TYPE_CHECKING:
    from scrapy.crawler import Crawler

logger = logging.getLogger(__name__)


class Shutdown:
    """Closes the spider after a failure of a store. What was committed is safe; the next start continues there.

    Stats: ``frontier/failed``.

    Attributes:
        closing: whether the crawl is closing, for this or another reason.
    """

    def __init__(self, crawler: Crawler) -> None:
        self.closing = False
        self._crawler = crawler
        self._reported = False

    def stop(self, reason: str, error: Exception) -> None:
        """End the crawl, unless it is closing already.

        Args:
            reason: the finish reason; a `FrontierError` with a reason of its own overrides it.
            error: its message is logged.
        """
        if self.closing:
            return
        self.closing = True
        self.report(error)
        reason = reason_of(reason, error)
        call_later(0, lambda: deferred_from_coro(self._crawler.engine.close_spider_async(reason=reason)))

    def report(self, error: Exception) -> None:
        """Log a failure, once in a crawl. The stat serves a crawl that fails only while it closes."""
        if not self._reported:
            logger.critical("%s", error)
            self._crawler.stats.set_value("frontier/failed", 1)
        self._reported = True


async def refuse_start(reason: str) -> None:
    """Raise ``CloseSpider`` when awaited, for `open_spider` of a pipeline to return.

    If it raised the error itself, Scrapy 2.19 would never await the coroutines of the other pipelines.
    """
    raise CloseSpider(reason)


def stop_at_hangup() -> None:
    """End the crawl cleanly when its terminal is closed, as at SIGTERM, unless SIGHUP is ignored (``nohup``)."""
    # Windows has no such signal.
    hangup = getattr(signal, "SIGHUP", None)
    in_main = threading.current_thread() is threading.main_thread()
    if hangup is not None and in_main and signal.getsignal(hangup) is signal.SIG_DFL:
        signal.signal(hangup, _hung_up)


def _hung_up(number: int, _: FrameType | None) -> None:
    # The shell sends a second one; a second SIGTERM would end the crawl at once.
    signal.signal(number, signal.SIG_IGN)
    os.kill(os.getpid(), signal.SIGTERM)


def reason_of(reason: str, error: Exception) -> str:
    """Return the finish reason of a failure."""
    return error.reason if isinstance(error, FrontierError) else reason
