"""Adds URLs and requests to the frontier."""

from __future__ import annotations

import logging
from typing import TYPE_CHECKING

from scrapy import Request

from mediacrawl.base.terms import Candidate, Drop, Lease
from mediacrawl.base.visit import Visit
from mediacrawl.crawl import request_serialization
from mediacrawl.crawl.request_serialization import HeldRequests
from mediacrawl.frontier import FrontierError
from mediacrawl.frontier.byte_budget import PAGE_BYTES, PAGE_FACTOR, byte_budget, fit_candidates

if TYPE_CHECKING:
    from scrapy.crawler import Crawler

    from mediacrawl.crawl.context import CrawlContext
    from mediacrawl.crawl.housekeeping import Shutdown

logger = logging.getLogger(__name__)

_UNSTORABLE = (
    "%s cannot be stored in the frontier: %s. Its URL waits there, the request itself in memory: if this process ends"
    " before it is asked, it is lost. Others like it are only counted (frontier/unstorable)"
)
_UNSTORABLE_REDIS = (
    "%s is dropped: %s, so no other worker could ask it. Use a method of the spider as callback, and only what JSON"
    " carries in meta and cb_kwargs. Others like it are only counted (frontier/unstorable)"
)


class Intake:
    """Adds URLs that our spiders find, and the requests of other spiders.

    Stats: ``frontier/new``, ``frontier/known``, ``frontier/bare``, ``frontier/unstorable``, ``drop/page_bytes``,
    ``drop/bad_url``, ``drop/lost_request``.
    """

    def __init__(self, crawler: Crawler, context: CrawlContext, shutdown: Shutdown) -> None:
        self._crawler = crawler
        self._context = context
        self._shutdown = shutdown
        self._counted = context.counted
        self._warned = False
        self.held = HeldRequests(None, resumes=False)
        """Requests that wait in memory."""

    def open(self) -> None:
        """Note in the frontier which requests wait in memory, if it outlives the process."""
        if self._context.store == "sqlite":
            self.held = HeldRequests(self._context.frontier, resumes=self._context.resumes)

    def add(self, candidates: list[Candidate], source: str = "", *, scored: bool = False) -> int:
        """Add URLs to the frontier; return the number of new ones.

        Args:
            candidates: URLs that passed the scope.
            source: the site that they were found on; empty for seeds.
            scored: whether they have their scores, whatever the order is.
        """
        try:
            if not scored:
                self._context.priority.join(candidates, source)
            added = self._context.frontier.add(candidates)
        except FrontierError as error:
            self._shutdown.stop("frontier_error", error)
            return 0
        self._counted["frontier/new"] += added.new
        self._counted["frontier/known"] += added.known
        return added.new

    def add_again(self, candidate: Candidate) -> bool:
        """Add a URL that has ended once more; return whether it joined."""
        try:
            return self._context.frontier.rejoin(candidate)
        except FrontierError as error:
            self._shutdown.stop("frontier_error", error)
            return False

    def add_found(self, visit: Visit) -> int:
        """Add the links of a visit, as many as the length of its page allows; return the number of new ones."""
        decision = visit.decision
        # Without a parsed body the link is the target of a redirect, or a sitemap of a robots.txt.
        if decision.parsed_bytes:
            most = byte_budget(decision.parsed_bytes, visit.fetch.bytes, PAGE_BYTES, PAGE_FACTOR)
            fitting = fit_candidates(decision.found, most)
            if fitting.bare or fitting.dropped:
                decision.found = fitting.candidates
                self._counted["frontier/bare"] += fitting.bare
                self._counted[f"drop/{Drop.PAGE_BYTES}"] += fitting.dropped
        return self.add(decision.found, visit.lease.site)

    def add_request(self, request: Request, of: Lease | None = None, *, scored: bool = False) -> bool:
        """Add the request of a spider or a middleware; return whether it joined.

        Args:
            request: any request.
            of: the lease that a middleware made it of.
            scored: as in `add`.
        """
        stored = self.serialized(request)
        found = request_serialization.candidate(request, self._crawler.spider, self._context.scores, stored, of)
        if found is None:
            logger.warning("%s is not asked: the frontier keeps URLs of http and https only", request)
            self._counted[f"drop/{Drop.BAD_URL}"] += 1
            return False
        if stored is None and self._context.remote is not None:
            self._counted[f"drop/{Drop.LOST_REQUEST}"] += 1
            return False
        try:
            return self._add_as(found, request, of.site if of else "", held=stored is None, scored=scored)
        except FrontierError as error:
            self._shutdown.stop("frontier_error", error)
            return False

    def serialized(self, request: Request) -> str | None:
        """Return a request as JSON; None if it has to wait in memory."""
        spider = self._crawler.spider
        if self._context.store == "memory" and not self._context.is_ours:
            return None
        try:
            return request_serialization.facts_of(request, spider)
        except request_serialization.UnstorableError as error:
            if not self._warned:
                is_remote = self._context.remote is not None
                logger.warning(_UNSTORABLE_REDIS if is_remote else _UNSTORABLE, request, error)
            self._warned = True
            self._counted["frontier/unstorable"] += 1
            return None

    def forget_held(self, visit: Visit, *, joined: bool) -> None:
        """Drop the held request of a visit that has ended, unless the target of its redirect needs it.

        Args:
            visit: any.
            joined: whether a link of it was new.
        """
        key = request_serialization.held_key(visit.lease.evidence)
        found = visit.decision.found
        if key and not (joined and any(request_serialization.held_key(each.evidence) == key for each in found)):
            self.held.end(key)

    def _add_as(self, found: Candidate, request: Request, source: str, *, held: bool, scored: bool) -> bool:
        key = found.url
        if self.add([found], source, scored=scored):
            joined = True
        elif self.held.waits_in_vain(key):
            # An earlier process held its request. Its row continues with this one.
            joined = held = True
        else:
            joined = self.held.is_lost(key) and self.add_again(found)
            if joined:
                self.held.found_again(key)
        if joined and held:
            self.held.hold(key, request)
        return joined
