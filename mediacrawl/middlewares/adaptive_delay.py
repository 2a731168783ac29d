"""Adapts the delay of a site to its response times."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import partial
from time import monotonic
from typing import TYPE_CHECKING

from scrapy import Request
from scrapy.core.downloader import Slot

from mediacrawl.base.clock import Heartbeat
from mediacrawl.base.terms import Drop, End, Outcome, Trouble
from mediacrawl.base.visit import VISIT, Visit
from mediacrawl.crawl import scrapy_internals
from mediacrawl.crawl.component import CrawlComponent
from mediacrawl.crawl.context import CrawlContext
from mediacrawl.crawl.failures import refuse, trouble_in
from mediacrawl.crawl.headers import header, headers
from mediacrawl.politeness.backoff import after_answer, after_trouble, asked_to_wait, backed_off, trouble_of
from mediacrawl.politeness.caching import LastUsed
from mediacrawl.politeness.delay import Clocks, after_visit
from mediacrawl.scope.urls import authority_of, canonical

if TYPE_CHECKING:
    from scrapy.crawler import Crawler
    from scrapy.http import Response


_SITES = 100_000
_LEASELESS = "without a lease: "


class AdaptiveDelayMiddleware(CrawlComponent):
    """Delay after a request = the mean of the site's last five response times, times a factor, at least 15 s.

    With mediacrawl's scheduler, which measures, and stores the sites' clocks, it only notes status, Retry-After and
    Date for the site's back-off. Requests without a lease, such as those of ``engine.download_async``, get the delay
    here. Alone in a Scrapy project it sets the delay of the download slot (`SiteSlot`): one request at a time, and the
    delay counts from the end of the last one. ``DOWNLOAD_DELAY`` and the Crawl-delay that `RobotsMiddleware` has read
    raise it, trouble doubles it (`politeness.backoff`), and Retry-After is obeyed. A request that would wait longer
    than ``POLITENESS_MAX_DELAY`` for a site in trouble is refused: in Scrapy's downloader a few of them would block the
    whole crawl. All clocks are in memory only. A response time during which this process stood still is not counted.
    Disable Scrapy's AutoThrottle, which sets the same delay.

    Settings: ``POLITENESS_FACTOR``, ``POLITENESS_MIN_DELAY``, ``POLITENESS_MAX_DELAY``, ``POLITENESS_FIRST_DELAY``,
    ``POLITENESS_HOURS``, ``BACKOFF_...``. Stats: ``trouble/...`` (with mediacrawl's scheduler the scheduler
    counts them), alone ``drop/download_error``.
    """

    def __init__(self, crawler: Crawler, context: CrawlContext) -> None:
        super().__init__(crawler, context)
        self._policy = context.policy.delay
        self._clocks: LastUsed[Clocks] = LastUsed(_SITES)

    def _opened(self) -> None:
        self._context.heartbeat.beat()
        self._repeat(Heartbeat.EVERY, self._context.heartbeat.beat)

    def process_request(self, request: Request) -> None:
        """Alone: set the delay of the slot before the request enters it.

        Raises:
            RefusedRequest: its site is not requested for long.
        """
        if VISIT in request.meta or not request.url.lower().startswith(("http:", "https:")):
            return
        if self._context.leases:
            # Not in the slot of the site's leases: those wait in the frontier, and must not wait here again.
            downloader = self._crawler.engine.downloader
            request.meta.setdefault("download_slot", _LEASELESS + downloader.get_slot_key(request))
        self._hold(request, authority_of(canonical(request.url) or request.url))

    def process_response(self, request: Request, response: Response) -> Response:
        """Note the status and Retry-After."""
        asked, date = headers(response, "Retry-After"), header(response, "Date")
        visit: Visit | None = request.meta.get(VISIT)
        if visit is not None:
            visit.fetch.status, visit.fetch.retry_after, visit.fetch.date = response.status, "\n".join(asked), date
        else:
            wait = asked_to_wait(response.status, asked, self._clock.now(), date)
            self._stand(request, trouble_of(response.status), wait)
        return response

    def process_exception(self, request: Request, exception: Exception) -> None:
        """Alone: count a network error against the site."""
        trouble = trouble_in(exception)
        if VISIT not in request.meta and trouble not in {None, Trouble.LOCAL}:
            self._stand(request, trouble, 0.0)

    # -- alone in a Scrapy project: the download slot is the site's clock ------------------------------------

    def _hold(self, request: Request, authority: str) -> None:
        """Set the delay of the request's slot, including the Crawl-delay of robots.txt."""
        downloader = self._crawler.engine.downloader
        key, slot = downloader._get_slot(request)  # noqa: SLF001 - as Scrapy's AutoThrottle does
        clocks = self._clocks.get(key) or Clocks()
        now = self._clock.now()
        asked = self._context.robots.ask(authority, request.url, now).crawl_delay
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
        """Note the end of a request; return the slot's delay from now on. `_stand` gets the result later."""
        before, now = self._clocks.get(key) or Clocks(), self._clock.now()
        measured = None if self._context.heartbeat.stood_since(now - took) else took
        clocks = after_visit(before, Outcome(End.DONE, response_time=measured), now, self._policy)
        return self._delay(self._keep(key, replace(clocks, standing=before.standing)))

    def _stand(self, request: Request, trouble: Trouble | None, wait: float) -> None:
        """Adapt the delay to the result of a request."""
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
        """Whether a site's release is farther away than requests may wait."""
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
        self._clocks.put(key, clocks)
        return clocks


def _slot_of(request: Request) -> str:
    return str(request.meta.get("download_slot", ""))


class SiteSlot(Slot):
    """One request at a time, and a delay that counts from the *end* of the last one, also of one that failed.

    Scrapy's slot counts from the start of the last request, so after a timeout of 180 seconds it would send the next
    one at once. Tried with Scrapy 2.19, which asks `download_delay` how long to wait after `lastseen`, the start.

    Args:
        delay: seconds.
        ended: called at the end of each request with the seconds it took; returns the new delay.
    """

    def __init__(self, delay: float, ended: Callable[[float], float]) -> None:
        super().__init__(concurrency=1, delay=delay, jitter=0.0)
        self.transferring = _Transfers(self._over)
        self._ended = ended
        self._end = 0.0

    def wait(self, seconds: float) -> None:
        """Send nothing in the next `seconds`, the rest of an earlier slot's delay."""
        self._end = monotonic() + seconds - self.delay

    def download_delay(self) -> float:
        """Seconds from the start of the last request to the earliest start of the next one."""
        return max(self._end - self.lastseen, 0.0) + self.delay

    def _over(self) -> None:
        self._end = monotonic()
        self.delay = self._ended(self._end - self.lastseen)


class _Transfers(set[Request]):
    """The slot's running requests. Scrapy removes one at its end, before it chooses the next."""

    def __init__(self, ended: Callable[[], None]) -> None:
        super().__init__()
        self._ended = ended

    def remove(self, request: Request) -> None:
        super().remove(request)
        self._ended()
