"""Keeps a crawl going and ends it: the periodic work, the timer that wakes the engine, the end after a failure."""

from __future__ import annotations

import gc
import logging
import os
import signal
import threading
from collections.abc import Callable
from math import ceil
from types import FrameType
from typing import TYPE_CHECKING

from scrapy.exceptions import CloseSpider
from scrapy.utils.asyncio import CallLaterResult, call_later
from scrapy.utils.defer import deferred_from_coro

from mediacrawl.base.terms import Drop
from mediacrawl.crawl import scrapy_internals
from mediacrawl.crawl.own_settings import OwnSettings
from mediacrawl.frontier import FrontierError

if TYPE_CHECKING:
    from scrapy.crawler import Crawler

    from mediacrawl.crawl.context import CrawlContext

logger = logging.getLogger(__name__)

INTERVAL = 1.0
"""Seconds between two runs."""

COMMIT_INTERVAL = 1.0
"""Seconds after which writes are made durable at the latest. A kill undoes at most the ends of this long."""

GC_THRESHOLD = 10_000
"""New objects between two runs of the garbage collector. A page has a thousand, which live while it is read.
With Python's 700 the collector visits all of them, and finds nothing. It took 7 % of the CPU of a crawl."""

PRUNED_AT_ONCE = 5_000
"""URLs that one call prunes; it takes a tenth of a second."""
_PRUNED_TO = 0.9
"""Share of FRONTIER_MAX_URLS and FRONTIER_MAX_BYTES at which pruning stops."""


def prune_to(waiting: int, stored_bytes: int, most_urls: int, most_bytes: int, *, pruning: bool) -> int | None:
    """Return the number of waiting URLs to keep in the next slice of pruning; None if nothing is to be pruned.

    Args:
        waiting: URLs in the frontier.
        stored_bytes: their bytes.
        most_urls: FRONTIER_MAX_URLS; 0 is no limit.
        most_bytes: FRONTIER_MAX_BYTES; 0 is no limit.
        pruning: whether the last slice left URLs to be pruned.
    """
    full = max(_share(waiting, most_urls), _share(stored_bytes, most_bytes))
    if full <= (_PRUNED_TO if pruning else 1.0):
        return None
    # Computed as if all URLs took equally many bytes; the next slice corrects it.
    excess = ceil(waiting * (1.0 - _PRUNED_TO / full))
    return waiting - min(excess, PRUNED_AT_ONCE)


def _share(number: int, most: int) -> float:
    return number / most if most else 0.0


def freeze() -> None:
    """Leave all objects out of garbage collection.

    ``gc.freeze`` puts the young objects before the old ones. Garbage would then be finalized in that order: a loop of
    asyncio that nobody closed after its socket, which fails with a traceback. So the young are collected before.
    """
    gc.collect(1)
    gc.freeze()


class Housekeeping:
    """Runs once a second while the crawl does.

    Meanwhile the garbage collector runs less often, and leaves out what was there at the start.

    Args:
        sweep: ends leases that the engine has dropped.
    """

    def __init__(
        self,
        crawler: Crawler,
        context: CrawlContext,
        *,
        shutdown: Shutdown,
        sweep: Callable[[], None],
        timer: WakeUpTimer,
    ) -> None:
        own = OwnSettings(context.settings)
        self._most_urls = own.getint("FRONTIER_MAX_URLS")
        self._most_bytes = own.getint("FRONTIER_MAX_BYTES")
        self._crawler = crawler
        self._context = context
        self._shutdown = shutdown
        self._counted = context.counted
        self._sweep = sweep
        self._wake_up = timer
        self._timer: CallLaterResult | None = None
        self._committed = 0.0
        self._pruning = False
        self._thresholds = gc.get_threshold()

    def start(self) -> None:
        """Begin."""
        freeze()
        gc.set_threshold(GC_THRESHOLD, *self._thresholds[1:])
        self._timer = call_later(INTERVAL, self._run)

    def cancel(self) -> None:
        """End."""
        if self._timer is not None:
            self._timer.cancel()
            gc.set_threshold(*self._thresholds)
            gc.unfreeze()

    def write_stats(self) -> None:
        """Move the counters into the stats."""
        # A frontier that could not be opened has no tallies.
        if self._context.final is None and self._context.remote is not None:
            self._counted.update(self._context.remote.tallies())
        for name, value in self._counted.items():
            self._crawler.stats.inc_value(name, value)
        self._counted.clear()

    def _run(self) -> None:
        self._timer = call_later(INTERVAL, self._run)
        self._sweep()
        self.write_stats()
        frontier, remote, now = self._context.frontier, self._context.remote, self._context.clock.now()
        if remote is not None and scrapy_internals.is_closing(self._crawler.engine):
            # The engine closes when no request is left, and these may wait for a Redis that is gone.
            remote.give_up()
        try:
            if now - self._committed >= COMMIT_INTERVAL:
                self._committed = now
                self._prune()
                self._context.priority.save(now)
                frontier.commit()
            release = frontier.next_release()
            if release is not None and release != self._wake_up.time and not self._shutdown.closing:
                self._wake_up.set(release, now)
        except FrontierError as error:
            self._shutdown.stop("frontier_error", error)

    def _prune(self) -> None:
        """Prune one slice of the least promising URLs once too many wait."""
        if not (self._most_urls or self._most_bytes):
            return
        frontier = self._context.frontier
        counts = frontier.counts()
        kept = prune_to(counts.waiting, counts.bytes, self._most_urls, self._most_bytes, pruning=self._pruning)
        self._pruning = kept is not None
        if kept is not None:
            gone = frontier.prune(kept)
            self._counted[f"drop/{Drop.PRUNED}"] += gone
            self._pruning = gone > 0


class WakeUpTimer:
    """One timer, set to the next release time.

    Attributes:
        time: when it wakes the engine, seconds since the epoch; None if it is not set.
    """

    def __init__(self, crawler: Crawler) -> None:
        self.time: float | None = None
        self._crawler = crawler
        self._timer: CallLaterResult | None = None

    def set(self, release: float, now: float) -> None:
        """Move it to a time, seconds since the epoch."""
        self.cancel()
        self.time = release
        self._timer = call_later(max(release - now, 0.0), self._ring)

    def wake(self) -> None:
        """Let the engine ask the scheduler now."""
        scrapy_internals.wake(self._crawler.engine)

    def cancel(self) -> None:
        """Stop the timer."""
        if self._timer is not None:
            self._timer.cancel()
        self._timer = self.time = None

    def _ring(self) -> None:
        self._timer = self.time = None
        self.wake()


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
