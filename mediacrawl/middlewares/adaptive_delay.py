"""Passes on what an answer says of its site's delay, and with Scrapy's own scheduler sets the delay itself."""

from __future__ import annotations

from collections import OrderedDict
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING

from scrapy import Request

from mediacrawl.crawl import scrapy_internals
from mediacrawl.crawl.context import CrawlContext
from mediacrawl.crawl.failures import trouble_in
from mediacrawl.headers import header, headers
from mediacrawl.middlewares.refused import refuse
from mediacrawl.middlewares.site_slot import SiteSlot
from mediacrawl.politeness.backoff import after_answer, after_trouble, asked_to_wait, backed_off, trouble_of
from mediacrawl.politeness.delay import Clocks, after_visit
from mediacrawl.records import Drop, End, Outcome, Trouble
from mediacrawl.scope.canonical import canonical
from mediacrawl.scope.sites import authority_of
from mediacrawl.visit import VISIT, Visit

if TYPE_CHECKING:
    from typing import Self

    from scrapy.crawler import Crawler
    from scrapy.http import Response

_SITES = 100_000
_LEASELESS = "without a lease: "


class AdaptiveDelayMiddleware:
    """Delay after a request = the mean of the site's last five response times, times a factor, at least 15 s.

    With our scheduler, which measures, and keeps the site's clocks over restarts, it notes what an answer says against
    us (429, 5xx, Retry-After): from that the site's back-off is made. Requests without a lease, such as those of
    ``engine.download_async``, get the delay here. Alone in a Scrapy project it sets the delay of the request's
    download slot (`SiteSlot`): one request at a time, and the delay counts from the end of the last one, answered or
    not. ``DOWNLOAD_DELAY`` and the Crawl-delay that `RobotsMiddleware` has read raise it, trouble doubles it
    (`politeness.backoff`), and Retry-After is waited for. A request that would wait longer than
    ``POLITENESS_MAX_DELAY`` for a site in trouble is refused: in Scrapy's downloader it would keep its place, and a few
    of them would keep the whole crawl waiting, and from ending. What it has learned is in memory only. Scrapy's
    AutoThrottle, which sets the same delay, is to be off beside it.

    Settings: ``POLITENESS_FACTOR``, ``POLITENESS_MIN_DELAY``, ``POLITENESS_MAX_DELAY``, ``POLITENESS_FIRST_DELAY``,
    ``POLITENESS_HOURS``, ``BACKOFF_...``. Stats: ``trouble/...`` (with our scheduler it counts them), alone
    ``drop/download_error``.
    """

    def __init__(self, crawler: Crawler, parts: CrawlContext) -> None:
        self._crawler = crawler
        self._parts = parts
        self._clock = parts.clock
        self._policy = parts.delay
        self._clocks: OrderedDict[str, Clocks] = OrderedDict()

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> Self:
        """Make it for a crawl."""
        return cls(crawler, CrawlContext.of(crawler))

    def process_request(self, request: Request) -> None:
        """Alone: see to it that the slot exists with the right delay before the request enters it.

        Raises:
            RefusedRequest: its site is left alone for long.
        """
        if VISIT in request.meta or not request.url.lower().startswith(("http:", "https:")):
            return
        if self._parts.leases:
            # Not in the slot of the site's leases: those wait in the frontier, and must not wait here again.
            downloader = self._crawler.engine.downloader
            request.meta.setdefault("download_slot", _LEASELESS + downloader.get_slot_key(request))
        self._hold(request, authority_of(canonical(request.url) or request.url))

    def process_response(self, request: Request, response: Response) -> Response:
        """Note what the site says of us."""
        asked, date = headers(response, "Retry-After"), header(response, "Date")
        visit: Visit | None = request.meta.get(VISIT)
        if visit is not None:
            visit.fetch.status, visit.fetch.retry_after, visit.fetch.date = response.status, "\n".join(asked), date
        else:
            wait = asked_to_wait(response.status, asked, self._clock.now(), date)
            self._stand(request, trouble_of(response.status), wait)
        return response

    def process_exception(self, request: Request, exception: Exception) -> None:
        """Alone: hold it against the site."""
        if VISIT not in request.meta and (trouble := trouble_in(exception)) is not None:
            self._stand(request, trouble, 0.0)

    # -- alone in a Scrapy project: the download slot is the site's clock ----------------------------------

    def _hold(self, request: Request, authority: str) -> None:
        """Give the request's slot our clock, and what robots.txt asks for."""
        downloader = self._crawler.engine.downloader
        key, slot = downloader._get_slot(request)  # noqa: SLF001 - as Scrapy's AutoThrottle does
        clocks = self._clocks.get(key, Clocks())
        now = self._clock.now()
        asked = self._parts.robots.ask(authority, request.url, now).crawl_delay
        if asked is not None and asked != clocks.crawl_delay:
            clocks = self._keep(key, replace(clocks, crawl_delay=asked))
        if self._is_left_alone(clocks):
            raise self._refusal(request)
        if not isinstance(slot, SiteSlot):
            # Scrapy forgets slots that were not used for a minute; what they owe is in the clocks.
            slot = SiteSlot(self._delay(clocks), partial(self._ended, key))
            slot.wait(max(clocks.release - now, 0.0))
            downloader.slots[key] = slot
        slot.delay = max(slot.delay, self._delay(clocks))

    def _ended(self, key: str, took: float) -> float:
        """A request of the slot ended; answers the delay from now on. How it ended is told a moment later."""
        before = self._clocks.get(key, Clocks())
        clocks = after_visit(before, Outcome(End.DONE, response_time=took), self._clock.now(), self._policy)
        return self._delay(self._keep(key, replace(clocks, standing=before.standing)))

    def _stand(self, request: Request, trouble: Trouble | None, wait: float) -> None:
        """What a request came to, as what its site is owed."""
        key = request.meta.get("download_slot") or self._crawler.engine.downloader.get_slot_key(request)
        clocks, slot = self._clocks.get(key), self._crawler.engine.downloader.slots.get(key)
        if clocks is None or not isinstance(slot, SiteSlot):
            return
        now = self._clock.now()
        if trouble is None:
            standing = after_answer(clocks.standing)
        else:
            standing = after_trouble(clocks.standing, trouble, now, self._policy.backoff)
            self._crawler.stats.inc_value(f"trouble/{trouble}")
        clocks = replace(clocks, standing=standing)
        slot.delay = max(self._delay(clocks), wait)
        clocks = self._keep(key, replace(clocks, delay=slot.delay, release=now + slot.delay))
        if self._is_left_alone(clocks):
            scrapy_internals.refuse_queued(
                self._crawler.engine, lambda r: self._refusal(r) if _slot_of(r) == key else None
            )

    def _is_left_alone(self, clocks: Clocks) -> bool:
        """Whether a site is left alone for longer than requests are let wait for it."""
        now = self._clock.now()
        usual = self._policy.delay(clocks.samples, clocks.crawl_delay, self._policy.hourly(now))
        return clocks.release - now > max(self._policy.maximum, usual)

    def _refusal(self, request: Request) -> Exception:
        return refuse(request, self._crawler.stats, Drop.DOWNLOAD_ERROR, f"{request.url}: its site is left alone")

    def _delay(self, clocks: Clocks) -> float:
        now = self._clock.now()
        delay = self._policy.delay(clocks.samples, clocks.crawl_delay, self._policy.hourly(now))
        return backed_off(delay, clocks.standing, now, self._policy.backoff)

    def _keep(self, key: str, clocks: Clocks) -> Clocks:
        self._clocks[key] = clocks
        self._clocks.move_to_end(key)
        if len(self._clocks) > _SITES:
            self._clocks.popitem(last=False)
        return clocks


def _slot_of(request: Request) -> str:
    return str(request.meta.get("download_slot", ""))
