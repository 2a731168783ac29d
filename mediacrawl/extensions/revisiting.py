"""Revisits: learns from visits, and adds the pages to be revisited to the frontier."""

from __future__ import annotations

import logging
from itertools import islice
from math import isfinite
from random import Random
from typing import TYPE_CHECKING, cast

from scrapy import Request, signals
from scrapy.exceptions import NotConfigured

from mediacrawl.config.own_settings import REDIS, OwnSettings
from mediacrawl.crawl import scrapy_internals
from mediacrawl.crawl.context import CrawlContext
from mediacrawl.crawl.headers import header
from mediacrawl.crawl.interfaces import LeaseHolder, lease_holder, lease_spider, listen_to_visits
from mediacrawl.extensions.base import CrawlExtension
from mediacrawl.frontier import FrontierError
from mediacrawl.frontier.contract import Remote
from mediacrawl.middlewares.cut import BROKE_OFF
from mediacrawl.priority.hubs import LOST, FrontPages, FrontPageState, Revisit, front_page, score
from mediacrawl.priority.revisits import AGAIN, FRONT, RevisitResult, candidate_of, is_revisit, page_of, revisit_result
from mediacrawl.records import FINAL, Candidate, Evidence, Kind, Outcome
from mediacrawl.scope.candidates import candidate
from mediacrawl.scope.canonical import canonical
from mediacrawl.visit import VISIT, Visit

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

_QUICKEST = 0.1


class Share:
    """The number of revisits that may be added now, so that they are at most a share of all fetches.

    Each fetch earns the share of a revisit, and each added revisit costs one. The unused rest is kept, but only
    `kept` of it: of any `n` fetches in a row, at most ``most * n + kept`` are for revisits that were added meanwhile.

    In memory only: after a restart it begins with nothing.

    Args:
        most: share of the fetches, 0 to 1; 0 for no revisits.
        kept: revisits that may be added at once.

    Raises:
        ValueError: `most` is no share, or `kept` is less than one revisit.
    """

    def __init__(self, most: float = 0.2, kept: float = 20.0) -> None:
        if not (isfinite(most) and 0.0 <= most <= 1.0):
            raise ValueError(f"REVISIT_SHARE needs a number from 0 to 1, not {most!r}")
        if not kept >= 1.0:
            raise ValueError(f"at least one revisit must be allowed at once, not {kept!r}")
        self._most = most
        self._kept = kept
        self._earned = 0.0

    def fetched(self, number: int = 1) -> None:
        """Something was fetched, a revisit or not."""
        self._earned = min(self._earned + self._most * number, self._kept)

    def allowed(self, *, idle: bool = False) -> int:
        """The number of revisits that may be added now.

        Args:
            idle: whether no other URL may be requested; then the share does not apply.
        """
        if not self._most:
            return 0
        return int(self._kept if idle else self._earned)

    def added(self, number: int = 1) -> None:
        """Count added revisits."""
        self._earned = max(self._earned - number, 0.0)


class Revisiting(CrawlExtension):
    """Revisits pages that led to media, with ``-a revisit``; without it nothing is kept.

    The result of each visit goes to `priority.hubs`. Every few seconds the hubs that are worth a visit are added to the
    frontier again, in a link class of their own (``again``) whose score is their expected news. Their requests are
    conditional (`spiders.media.MediaSpider.make_request`), and the responses are read as those of any page. While other
    URLs wait, revisits are at most a share of the requests (`Share`). A front page that no
    page linked to is added as a found URL is. The crawl does not end by itself: some page will be due.

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
        self._interval = min(LOOK, max(get("REVISIT_SOONEST") / 2, _QUICKEST))
        self._share = Share(0.0)
        self._rng = Random()
        self._fronts: FrontPages | None = None
        self._headers: dict[int, tuple[str, str]] = {}
        self._waiting: dict[str, tuple[str, float]] = {}
        """URL of a revisit that waits or is leased -> its site, and since when."""

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
        if self._fronts is None:
            self._begin()

    def _begin(self) -> None:
        """Listen, if this crawl has revisits."""
        spider = lease_spider(self._crawler)
        share = spider.revisit if spider is not None else 0.0
        if share <= 0:
            return
        try:
            frontier, hubs = self._context.frontier, len(self._context.hubs)
        except FrontierError as error:
            self._scheduler.stop("frontier_error", error)
            return
        self._share = Share(share)
        self._fronts = FrontPages(frontier, frontier.later if isinstance(frontier, Remote) else None)
        self._crawler.signals.connect(self._received, signals.response_received)
        listen_to_visits(self._crawler, self._take_note)
        self._scheduler.stay()
        self._repeat(self._interval, self._tick)
        logger.info(
            "revisit: known pages (%d so far) are requested again, while other URLs wait by at most %g %% of the"
            " requests; the crawl goes on until it is stopped",
            hubs,
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
            self._waiting.pop(visit.lease.url, None)
            self._scheduler.count(f"revisit/{result or RevisitResult.GONE}")
        try:
            if result is None:
                self._context.hubs.gone(visit.lease.url, self._context.clock.now())
            else:
                self._learn(visit, result, headers)
            parent = canonical(visit.lease.parent)
            if visit.decision.reward > 0 and parent:
                # For the target of a redirect, too, this is the page with the link.
                self._context.hubs.earned(parent, min(visit.decision.reward, 1.0))
        except FrontierError as error:
            self._scheduler.stop("frontier_error", error)

    def _learn(self, visit: Visit, result: RevisitResult, headers: tuple[str, str] | None) -> None:
        url, now, hubs = visit.lease.url, self._context.clock.now(), self._context.hubs
        page = page_of(visit.lease, canonical(visit.lease.parent) or "")
        if self._fronts is not None and url == front_page(url):
            self._fronts.ended(url, now, gone=result is RevisitResult.GONE)
        if result is RevisitResult.GONE:
            hubs.gone(url, now)
            return
        if result is not RevisitResult.CHANGED:
            hubs.visited(page, now)
            return
        etag, modified = headers or (None, None)
        fresh = sum(not found.hops for found in visit.decision.found)
        hubs.visited(page, now, new=visit.decision.reward, fresh=fresh, etag=etag, modified=modified)

    # -- adding due pages ------------------------------------------------------------------------------------

    def _tick(self) -> None:
        if self._context.final is None and not scrapy_internals.is_closing(self._crawler.engine):
            self._add_due()

    def _add_due(self) -> None:
        now, hubs = self._context.clock.now(), self._context.hubs
        try:
            due = hubs.due(now, self._share.allowed(idle=self._is_idle()), self._rng, self._worth)
            for again in due:
                self._add(again, now)
            self._update_scores(now)
            hubs.save()
        except FrontierError as error:
            self._scheduler.stop("frontier_error", error)
            return
        self._crawler.stats.set_value("revisit/hubs", len(hubs))
        if due:
            scrapy_internals.wake(self._crawler.engine)

    def _is_idle(self) -> bool:
        """Whether nothing but revisits waits or is out."""
        return self._context.frontier.pending() <= len(self._waiting)

    def _add(self, again: Revisit, now: float) -> None:
        """Add a hub, unless the scope excludes it by now, or it has not ended."""
        hubs, fronts = self._context.hubs, self._fronts
        assert fronts is not None
        if self._scope.check(again.url, again.depth) is not None:
            self._scheduler.count(f"revisit/{RevisitResult.GONE}")
            hubs.gone(again.url, now)
            return
        known = FrontPageState.ENDED if again.asked else fronts.known(again.url, now)
        if known is FrontPageState.ENDED:
            self._add_again(candidate_of(again), now)
        elif known is FrontPageState.GONE:
            hubs.gone(again.url, now)
        elif known is FrontPageState.UNKNOWN:
            self._add_first(again, now)

    def _add_again(self, found: Candidate, now: float) -> None:
        frontier, shelved = self._context.frontier, self._context.frontier.counts().shelved
        if self._scheduler.add_again(found):
            self._share.added()
            self._scheduler.count("revisit/joined")
        self._context.hubs.queued(found.url, now)
        if frontier.counts().shelved == shelved:
            # On a paused or retired site it is not requested.
            self._waiting[found.url] = found.site, now

    def _add_first(self, again: Revisit, now: float) -> None:
        """Add a front page as a found URL; put it off if it is known already."""
        found = candidate(again.url, Evidence(FRONT), self._context.scores, again.kind, depth=again.depth)
        if self._scheduler.add([found]):
            self._scheduler.count("revisit/fronts")
            self._context.hubs.queued(again.url, now)
        else:
            self._context.hubs.put_off(again.url, now)

    def _update_scores(self, now: float) -> None:
        """Update the scores of some waiting revisits."""
        for url in list(islice(self._waiting, RESCORED)):
            (site, since), hub = self._waiting.pop(url), self._context.hubs.get(url)
            if hub is None or hub.last > since or now - since >= LOST:
                # Another worker has requested it, or it was forgotten.
                continue
            self._waiting[url] = site, since
            worth = self._context.hubs.worth(url, now, self._rng)
            self._context.frontier.set_scores(site, {AGAIN: score(worth)})
