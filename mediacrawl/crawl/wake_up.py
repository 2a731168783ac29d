"""Wakes the engine when a site may be asked."""

from __future__ import annotations

from typing import TYPE_CHECKING

from scrapy.utils.asyncio import CallLaterResult, call_later

from mediacrawl.crawl import scrapy_internals

if TYPE_CHECKING:
    from scrapy.crawler import Crawler

    from mediacrawl.parts import Parts


class WakeUpTimer:
    """One timer, set to the next release time. It is moved only when that time has come nearer."""

    def __init__(self, crawler: Crawler, parts: Parts) -> None:
        self._crawler = crawler
        self._parts = parts
        self._timer: CallLaterResult | None = None
        self._time: float | None = None

    def set(self) -> None:
        """Set the timer to the frontier's next release time.

        Raises:
            FrontierError: the frontier cannot be read.
        """
        release = self._parts.frontier.next_release()
        if release is None or (self._timer is not None and self._time == release):
            return
        self.cancel()
        self._time = release
        self._timer = call_later(max(release - self._parts.clock.now(), 0.0), self._ring)

    def reset(self) -> None:
        """Let the next `set` move the timer: the next release time may have changed."""
        self._time = None

    def wake(self) -> None:
        """Let the engine ask the scheduler now."""
        scrapy_internals.wake(self._crawler.engine)

    def cancel(self) -> None:
        """Stop the timer."""
        if self._timer is not None:
            self._timer.cancel()
        self._timer = None

    def _ring(self) -> None:
        self._timer = None
        self.wake()
