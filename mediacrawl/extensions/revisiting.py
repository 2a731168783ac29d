"""Revisits: learns from visits, and adds the pages to be revisited to the frontier."""

from __future__ import annotations

import logging
from random import Random
from typing import TYPE_CHECKING, cast

from scrapy import Request, signals
from scrapy.exceptions import NotConfigured

from mediacrawl.base.terms import FINAL, Evidence, Kind, Outcome
from mediacrawl.base.visit import VISIT, Visit
from mediacrawl.crawl import scrapy_internals
from mediacrawl.crawl.component import CrawlComponent
from mediacrawl.crawl.context import CrawlContext
from mediacrawl.crawl.headers import BROKE_OFF, header
from mediacrawl.crawl.interfaces import LeaseHolder, lease_holder, lease_spider
from mediacrawl.crawl.own_settings import REDIS, OwnSettings
from mediacrawl.crawl.signals import listen_to_visits
from mediacrawl.frontier import FrontierError
from mediacrawl.frontier.site_state import AGAIN
from mediacrawl.priority.hubs import FrontPages, Hub, Hubs, front_page
from mediacrawl.priority.revisits import FRONT, RevisitResult, is_revisit, revisit_result
from mediacrawl.scope.candidates import candidate
from mediacrawl.scope.urls import canonical

if TYPE_CHECKING:
    from scrapy.crawler import Crawler
    from scrapy.http import Response

    from mediacrawl.scope import Scope

logger = logging.getLogger(__name__)

LOOK = 5.0
"""Seconds between two checks for due pages: 50,000 are checked within minutes, in a millisecond each time. Less with a
small REVISIT_SOONEST, as in tests."""

RESCORED = 100
"""Waiting revisits whose score is updated at each check, in turn: the score grows with time."""

KEPT = 20.0
"""Revisits that may be added at once."""

_QUICKEST = 0.1


class Share:
    """The number of revisits that may be added now, so that they are at most a share of all fetches.

    Each fetch earns the share of a revisit, and each added revisit costs one. The unused rest is kept, but only
    `KEPT` of it: of any `n` fetches in a row, at most ``most * n + KEPT`` are for revisits that were added meanwhile.

    In memory only: after a restart it begins with nothing.

    Args:
        most: share of the fetches, 0 to 1; 0 for no revisits.

    Raises:
        ValueError: `most` is no share.
    """

    def __init__(self, most: float) -> None:
        if not 0.0 <= most <= 1.0:
            raise ValueError(f"REVISIT_SHARE needs a number from 0 to 1, not {most!r}")
        self._most = most
        self._earned = 0.0

    def fetched(self, number: int = 1) -> None:
        """Something was fetched, a revisit or not."""
        self._earned = min(self._earned + self._most * number, KEPT)

    def allowed(self, *, idle: bool = False) -> int:
        """Return the number of revisits that may be added now.

        Args:
            idle: whether no other URL may be requested; then the share does not apply.
        """
        return int(KEPT if idle and self._most else self._earned)

    def added(self, number: int = 1) -> None:
        """Count added revisits."""
        self._earned = max(self._earned - number, 0.0)


class Revisiting(CrawlComponent):
    """Revisits pages that led to media, with ``-a revisit``; without it nothing is kept.

    The result of each visit goes to `priority.hubs`. Every few seconds the hubs that are worth a visit are added to the
    frontier again, in a link class of their own (``again``) whose score is their expected news. Their requests are
    conditional (`spiders.base.ProbingSpider.make_request`), and the responses are read as those of any page. While
    other URLs wait, revisits are at most a share of the requests (`Share`). A front page that no page linked to is
    added as a found URL is. The crawl does not end by itself: some page will be due.

    On disk: the notes of `Hubs` and `FrontPages`, in the frontier's own commits. A kill loses what was learned since
    the page's bucket was written, seconds or, where much changes, minutes (`Hubs`): some pages are requested once more,
    or without a condition. Waiting revisits stay in the frontier.

    Stats: ``revisit/joined`` (in Redis an upper bound: URLs that already waited are counted), ``revisit/unchanged``,
    ``revisit/changed``, ``revisit/failed``, ``revisit/gone``, ``revisit/fronts`` (front pages that were added for the
    first time; not counted with Redis), ``revisit/hubs`` (pages that may be revisited, at the last check).
    """

    def __init__(self, crawler: Crawler, context: CrawlContext) -> None:
        if not context.leases:
            raise NotConfigured("without our scheduler there is no frontier that pages could come back to")
        super().__init__(crawler, context)
        get = OwnSettings(context.settings).getfloat
        self._worth = get("REVISIT_WORTH")
        self._soonest = get("REVISIT_SOONEST")
        self._interval = min(LOOK, max(self._soonest / 2, _QUICKEST))
        self._share = Share(0.0)
        self._rng = Random()
        self._fronts: FrontPages | None = None
        self._headers: dict[int, tuple[str, str]] = {}

    @property
    def _hubs(self) -> Hubs:
        """The pages that are revisited."""
        assert self._context.hubs is not None
        return self._context.hubs

    @property
    def _scheduler(self) -> LeaseHolder:
        return lease_holder(self._crawler)

    @property
    def _scope(self) -> Scope:
        return cast("Scope", self._crawler.spider.scope)  # type: ignore[union-attr]

    # -- start -----------------------------------------------------------------------------------------------

    def _opened(self) -> None:
        # What workers share is known later, and nothing is requested before.
        if self._context.store != REDIS:
            self._begin()

    def _seeds_joined(self) -> None:
        if self._fronts is None and self._context.store == REDIS:
            self._begin()

    def _begin(self) -> None:
        """Listen, if this crawl has revisits."""
        spider = lease_spider(self._crawler)
        share = spider.revisit if spider is not None else 0.0
        if share <= 0:
            return
        try:
            self._context.hubs = Hubs(self._context.notes, later=self._context.later, soonest=self._soonest)
        except FrontierError as error:
            self._scheduler.stop("frontier_error", error)
            return
        self._share = Share(share)
        self._fronts = FrontPages(self._context.notes, self._context.later)
        self._crawler.signals.connect(self._received, signals.response_received)
        listen_to_visits(self._crawler, self._take_note)
        self._scheduler.stay()
        self._repeat(self._interval, self._tick)
        logger.info(
            "revisit: known pages (%d so far) are requested again, while other URLs wait by at most %g %% of the"
            " requests; the crawl goes on until it is stopped",
            len(self._hubs),
            100 * share,
        )

    # -- results of visits -----------------------------------------------------------------------------------

    def _received(self, response: Response, request: Request) -> None:
        """Remember the validators of a page."""
        visit: Visit | None = request.meta.get(VISIT)
        if visit is None or visit.fetch.kind is Kind.ROBOTS or visit.lease.kind is Kind.MEDIA or response.status == 304:
            return
        cut = visit.fetch.broke_off or BROKE_OFF in response.flags
        # With validators the rest would never be sent.
        validators = ("", "") if cut else (header(response, "ETag"), header(response, "Last-Modified"))
        self._headers[visit.lease.id] = validators

    def _take_note(self, visit: Visit, outcome: Outcome) -> None:
        headers = self._headers.pop(visit.lease.id, None)
        if outcome.asked:
            self._share.fetched()
        if outcome.end not in FINAL:
            return
        result = revisit_result(visit, outcome)
        if is_revisit(visit.lease):
            self._scheduler.count(f"revisit/{result or RevisitResult.GONE}")
        try:
            if result is None:
                self._hubs.gone(visit.lease.url, visit.lease.site, self._clock.now())
            else:
                self._learn(visit, result, headers)
            parent = canonical(visit.lease.parent)
            if visit.decision.reward > 0 and parent:
                # For the target of a redirect, too, this is the page with the link.
                self._hubs.earned(parent, min(visit.decision.reward, 1.0))
        except FrontierError as error:
            self._scheduler.stop("frontier_error", error)

    def _learn(self, visit: Visit, result: RevisitResult, headers: tuple[str, str] | None) -> None:
        lease, now, hubs = visit.lease, self._clock.now(), self._hubs
        if self._fronts is not None and lease.url == front_page(lease.url):
            self._fronts.ended(lease.url, gone=result is RevisitResult.GONE)
        page = Hub.of(lease, now, canonical(lease.parent) or "")
        if result is RevisitResult.GONE:
            hubs.gone(lease.url, lease.site, now)
        elif result is RevisitResult.CHANGED:
            fresh = sum(not found.hops for found in visit.decision.found)
            hubs.visited(page, new=visit.decision.reward, fresh=fresh, validators=headers)
        else:
            hubs.visited(page)

    # -- adding due pages ------------------------------------------------------------------------------------

    def _tick(self) -> None:
        if self._context.final is None and not scrapy_internals.is_closing(self._crawler.engine):
            self._add_due()

    def _add_due(self) -> None:
        now, hubs, frontier = self._clock.now(), self._hubs, self._context.frontier
        try:
            # Whether nothing but revisits waits or is out.
            idle = frontier.pending() <= hubs.pending
            due = hubs.due(now, self._share.allowed(idle=idle), self._rng, self._worth)
            for hub, worth in due:
                self._add(hub, worth, now)
            for site, score in hubs.rescored(now, RESCORED, self._rng):
                frontier.set_scores(site, {AGAIN: score})
            hubs.save()
        except FrontierError as error:
            self._scheduler.stop("frontier_error", error)
            return
        self._crawler.stats.set_value("revisit/hubs", len(hubs))
        if due:
            scrapy_internals.wake(self._crawler.engine)

    def _add(self, hub: Hub, worth: float, now: float) -> None:
        """Add a hub, unless the scope excludes it by now, or it has not ended."""
        hubs, fronts = self._hubs, self._fronts
        assert fronts is not None
        if self._scope.check(hub.url, hub.depth) is not None:
            self._scheduler.count(f"revisit/{RevisitResult.GONE}")
            hubs.gone(hub.url, hub.site, now)
            return
        has_ended = hub.asked or fronts.has_ended(hub.url)
        if has_ended:
            self._add_again(hub, worth, now)
        elif has_ended is False:
            self._add_first(hub, now)

    def _add_again(self, hub: Hub, worth: float, now: float) -> None:
        frontier, shelved = self._context.frontier, self._context.frontier.counts().shelved
        if self._scheduler.add_again(hub.candidate(worth)):
            self._share.added()
            self._scheduler.count("revisit/joined")
        # On a paused or retired site it is not requested.
        self._hubs.queued(hub, now, is_pending=frontier.counts().shelved == shelved)

    def _add_first(self, hub: Hub, now: float) -> None:
        """Add a front page as a found URL; put it off if it is known already."""
        found = candidate(hub.url, Evidence(FRONT), self._context.scores, hub.kind, depth=hub.depth)
        if self._scheduler.add([found]):
            self._scheduler.count("revisit/fronts")
            self._hubs.queued(hub, now, is_pending=False)
        else:
            self._hubs.put_off(hub, now)
