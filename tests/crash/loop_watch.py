"""Measures, inside a crawl, how long its one thread stood still. Loaded by the crawler's process."""

import time
from pathlib import Path

from scrapy import signals
from scrapy.utils.asyncio import call_later

TICK = 0.02
"""Seconds between two looks at the clock."""
WORTH = 0.05
"""Seconds of the shortest standstill that is written down."""


class LoopWatch:
    """Writes each standstill of the reactor into a file: when it ended (seconds of `time.monotonic`), and how long.

    A line is written when it is known; a kill leaves whole lines. Setting ``LOOP_WATCH``: the file.
    """

    def __init__(self, path):
        self._lines = Path(path).open("a", encoding="ascii", buffering=1)  # noqa: SIM115 - closed with the crawl
        self._last = time.monotonic()
        self._timer = None

    @classmethod
    def from_crawler(cls, crawler):
        watch = cls(crawler.settings["LOOP_WATCH"])
        crawler.signals.connect(watch._look, signals.spider_opened)
        crawler.signals.connect(watch._close, signals.spider_closed)
        return watch

    def _look(self):
        now = time.monotonic()
        if now - self._last > WORTH:
            self._lines.write(f"{now:.3f} {now - self._last - TICK:.3f}\n")
        self._last = now
        self._timer = call_later(TICK, self._look)

    def _close(self):
        self._timer.cancel()
        self._lines.close()
