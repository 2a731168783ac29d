"""The door to the site's delay: measures how long a site takes to answer."""

from __future__ import annotations

from collections import OrderedDict
from time import monotonic
from typing import TYPE_CHECKING

from scrapy import Request, signals

from mediacrawl.parts import Parts
from mediacrawl.politeness.delay import Clocks, after_visit
from mediacrawl.records import VISIT, End, Outcome, Visit

if TYPE_CHECKING:
    from typing import Self

    from scrapy.crawler import Crawler
    from scrapy.http import Response

_SITES = 100_000


class AdaptiveDelayMiddleware:
    """Delay after a request = the mean of the site's last five response times, times a factor, at least 15 s.

    With our scheduler it only measures; the frontier keeps the site's clocks, and keeps them over restarts. Alone in a
    Scrapy project it sets the delay of the request's download slot, counted from the *end* of each response, and one
    connection at a time. What it has learned is in memory only. After a request that failed the delay counts from its
    start, because the slot looks at its queue before anybody else hears of the failure.

    Settings: ``POLITENESS_FACTOR``, ``POLITENESS_MIN_DELAY``, ``POLITENESS_MAX_DELAY``, ``POLITENESS_FIRST_DELAY``.
    """

    def __init__(self, crawler: Crawler, parts: Parts) -> None:
        self._crawler = crawler
        self._clock = parts.clock
        self._policy = parts.delay
        self._timeout = parts.settings.getfloat("DOWNLOAD_TIMEOUT")
        self._clocks: OrderedDict[str, Clocks] = OrderedDict()

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> Self:
        """Make it for a crawl."""
        parts = Parts.of(crawler)
        middleware = cls(crawler, parts)
        if not parts.leases:
            crawler.signals.connect(middleware._downloaded, signals.response_downloaded)
        return middleware

    def process_request(self, request: Request) -> None:
        """Alone: see to it that the slot exists with the right delay before the request enters it."""
        if VISIT not in request.meta:
            self._hold(request)

    def process_response(self, request: Request, response: Response) -> Response:
        """Measure."""
        self._measure(request)
        return response

    def process_exception(self, request: Request, exception: Exception) -> None:  # noqa: ARG002
        """A site that does not answer takes as long as we waited for it."""
        self._measure(request)

    def _measure(self, request: Request) -> None:
        visit: Visit | None = request.meta.get(VISIT)
        if visit is not None and visit.sent is not None and visit.response_time is None:
            visit.response_time = self._clock.now() - visit.sent

    # -- alone in a Scrapy project: the download slot is the site's clock ----------------------------------

    def _hold(self, request: Request) -> None:
        """A new slot is made with the delay of a first visit; one connection at a time, no jitter downward."""
        downloader = self._crawler.engine.downloader
        key, slot = downloader._get_slot(request)  # noqa: SLF001 - as Scrapy's AutoThrottle does
        slot.concurrency = 1
        slot.jitter = 0.0
        if key not in self._clocks:
            slot.delay = max(slot.delay, self._policy.delay(()))

    def _downloaded(self, request: Request) -> None:
        """The response has come and the slot has not looked at its queue yet: set how long it must wait from now on."""
        if VISIT in request.meta:
            return
        key, slot = self._crawler.engine.downloader._get_slot(request)  # noqa: SLF001
        # The slot counts from the start of its last request, which is this one; politeness counts from the end.
        took = max(monotonic() - slot.lastseen, 0.0)
        now = self._clock.now()
        clocks = after_visit(self._clocks.get(key, Clocks()), Outcome(End.DONE, response_time=took), now, self._policy)
        self._clocks[key] = clocks
        self._clocks.move_to_end(key)
        if len(self._clocks) > _SITES:
            self._clocks.popitem(last=False)
        slot.delay = clocks.delay + took
