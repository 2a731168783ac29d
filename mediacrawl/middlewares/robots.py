"""The door to robots.txt: fetched through the site's own queue, asked just before a request goes out."""

from __future__ import annotations

import logging
from typing import TYPE_CHECKING

from scrapy import Request
from scrapy.exceptions import NotConfigured
from scrapy.http.request import NO_CALLBACK
from scrapy.utils.defer import maybe_deferred_to_future
from twisted.internet.defer import Deferred
from twisted.python.failure import Failure

from mediacrawl import foreign
from mediacrawl.middlewares.redirect import target_of
from mediacrawl.middlewares.refused import refuse
from mediacrawl.parts import Parts
from mediacrawl.politeness.robots_book import Say, Saying
from mediacrawl.records import VISIT, Drop, End, Kind, Outcome, Visit
from mediacrawl.scope.canonical import canonical
from mediacrawl.scope.sites import authority_of, site_of

if TYPE_CHECKING:
    from typing import Self

    from scrapy.crawler import Crawler
    from scrapy.http import Response

logger = logging.getLogger(__name__)


class RobotsMiddleware:
    """Obeys robots.txt (RFC 9309) with the product token of setting ``ROBOTS_TOKEN``.

    With our scheduler the first request of an authority is its robots.txt, under the lease of the page that wanted it:
    it pays the site's delay like any visit, and the page waits in the frontier meanwhile. Alone in a Scrapy project it
    fetches the file through the downloader while the page waits, as Scrapy's own does; unlike that one it asks anew
    after a day, reads the status, and forbids everything while the file cannot be had.

    Stats: ``drop/robots``, ``robots/fetched``, ``robots/status/<code>``, ``robots/failed``,
    ``robots/redirect_offsite``, ``robots/ambiguous_group``.
    """

    def __init__(self, crawler: Crawler, parts: Parts) -> None:
        if not parts.settings.getbool("ROBOTS_ENABLED", True):
            raise NotConfigured("ROBOTS_ENABLED is off")
        self._crawler = crawler
        self._stats = crawler.stats
        self._parts = parts
        self._clock = parts.clock
        self._fetching: dict[str, Deferred[None]] = {}

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> Self:
        """Make it for a crawl."""
        return cls(crawler, Parts.of(crawler))

    async def process_request(self, request: Request) -> Request | None:
        """Let the request pass, refuse it, or have the robots.txt asked first.

        Raises:
            RefusedRequest: robots.txt forbids it, or could not be had.
        """
        visit: Visit | None = request.meta.get(VISIT)
        if request.meta.get("dont_obey_robotstxt") or (visit is not None and visit.kind is Kind.ROBOTS):
            return None
        if not request.url.lower().startswith(("http:", "https:")):
            return None
        authority = authority_of(canonical(request.url) or request.url)
        saying = self._parts.robots.ask(authority, request.url, self._clock.now())
        if saying.say is Say.FETCH:
            if visit is not None:
                return self._robots_request(request, visit, saying)
            await self._fetch(authority, saying.url)
            saying = self._parts.robots.ask(authority, request.url, self._clock.now())
        if visit is not None:
            visit.crawl_delay = saying.crawl_delay
        self._obey(request, visit, saying)
        return None

    def process_response(self, request: Request, response: Response) -> Response:
        """Read a robots.txt that came."""
        visit: Visit | None = request.meta.get(VISIT)
        if visit is None or visit.kind is not Kind.ROBOTS:
            return response
        authority = authority_of(visit.lease.url)
        visit.outcome = Outcome(End.CONTINUE, state=visit.lease.state)
        if 300 <= response.status < 400 and self._follow(authority, response):
            return response
        visit.crawl_delay = self._learn(authority, response.url, response.status, response.body)
        return response

    def _obey(self, request: Request, visit: Visit | None, saying: Saying) -> None:
        if saying.say is Say.DENIED:
            logger.debug("robots.txt forbids %s: %s", request.url, saying.rule)
            raise refuse(request, self._stats, Drop.ROBOTS, f"{request.url} ({saying.rule})")
        if saying.say is not Say.ALLOWED:
            if visit is not None:
                foreign.hide(request, self._crawler.spider)
            detail = f"{request.url} ({saying.rule})"
            raise refuse(request, self._stats, Drop.ROBOTS, detail, hold=max(saying.wait, 1.0))

    def _follow(self, authority: str, response: Response) -> bool:
        """A redirected robots.txt is asked at its target by the next visit, as long as that is on the same site."""
        target = target_of(response)
        if target is None:
            return False
        if site_of(target) != site_of(authority):
            self._stats.inc_value("robots/redirect_offsite")
            return False
        return self._parts.robots.follow(authority, target)

    def _learn(self, authority: str, url: str, status: int, body: bytes) -> float:
        if 300 <= status < 400:
            status, body = 0, b""
        self._stats.inc_value("robots/fetched" if status else "robots/failed")
        self._stats.inc_value(f"robots/status/{status if 100 <= status < 600 else 'other'}")
        now = self._clock.now()
        if self._parts.settings.getbool("REQUEST_LOG_ENABLED"):
            self._parts.request_log.write_robots(now, url, status, body)
        delay = self._parts.robots.learn(authority, status, body, now)
        if delay and self._parts.leases:
            # In the commit that keeps the file: after a kill its site must not be asked as if it had not said this.
            self._parts.frontier.charge(site_of(authority), Outcome(End.DONE, asked=False, crawl_delay=delay), now)
        if self._parts.robots.is_ambiguous(authority):
            self._stats.inc_value("robots/ambiguous_group")
        return delay

    async def _fetch(self, authority: str, url: str) -> None:
        """Alone: fetch the file now, in the downloader's slot of the site; who comes meanwhile waits for the same."""
        if authority in self._fetching:
            await maybe_deferred_to_future(self._fetching[authority])
            return
        done = self._fetching[authority] = Deferred[None]()
        try:
            await self._fetch_once(authority, url)
        finally:
            del self._fetching[authority]
            done.callback(None)

    async def _fetch_once(self, authority: str, url: str) -> None:
        robots = Request(url, callback=NO_CALLBACK, meta={"dont_obey_robotstxt": True})
        try:
            response = await self._crawler.engine.download_async(robots)
        except Exception as error:  # noqa: BLE001 - whatever kept the file away, nothing of it may be fetched
            logger.info("%s could not be had: %s", url, error)
            self._learn(authority, url, 0, b"")
        else:
            self._learn(authority, response.url, response.status, response.body)

    def _robots_request(self, request: Request, visit: Visit, saying: Saying) -> Request:
        visit.url = saying.url
        visit.kind = Kind.ROBOTS
        visit.crawl_delay = saying.crawl_delay
        # Uncompressed, since what cannot be unpacked would fall on the page; and few of these files are large.
        headers = {"User-Agent": request.headers.get("User-Agent", b""), "Accept-Encoding": "identity"}
        meta = {**request.meta, VISIT: visit}
        robots = request.replace(url=saying.url, headers=headers, method="GET", body=b"", meta=meta)
        return foreign.hide(robots, self._crawler.spider).replace(errback=self._robots_failed)

    def _robots_failed(self, failure: Failure) -> None:
        """A robots.txt that did not come, or that another part could not unpack, forbids everything until it does."""
        visit: Visit = failure.request.meta[VISIT]  # type: ignore[attr-defined]
        if visit.outcome is None and visit.sent is not None:
            self._learn(authority_of(visit.lease.url), visit.url, 0, b"")
            visit.outcome = Outcome(End.CONTINUE, state=visit.lease.state)
        ended = getattr(self._crawler.engine.scheduler, "failed", None)
        if ended is not None:
            ended(failure)
