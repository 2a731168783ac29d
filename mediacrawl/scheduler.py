"""The door to the frontier: Scrapy's scheduler, its wake-up timer, and the one place where leases end.

Every request that this scheduler gives out carries a `Visit` for one lease. The engine sends it at once, since the
frontier only leases URLs of sites that may be asked now. However the request ends, `end` tells the frontier:

=========================================== =====================================================================
the request ended by                        `end` is called by
=========================================== =====================================================================
a response that our spider read             the spider
a response whose items went to pipelines    the signals ``item_scraped``, ``item_dropped``, ``item_error``
an exception, IgnoreRequest, a timeout      the request's errback
an exception in the callback                the signal ``spider_error``
a request made of it by a middleware        `enqueue_request`, which the engine gives that request
anything else (a foreign callback or part)  `_sweep`, which once a second looks for leases the engine has let go of
the crawl closing                           `close`: what was not sent yet is given back
=========================================== =====================================================================
"""

from __future__ import annotations

import logging
from collections import Counter, deque
from collections.abc import Coroutine
from dataclasses import replace
from math import ceil
from typing import TYPE_CHECKING, Any

from scrapy import Request, Spider, signals
from scrapy.core.scheduler import BaseScheduler
from scrapy.exceptions import CloseSpider, IgnoreRequest
from scrapy.utils.asyncio import CallLaterResult, call_later
from scrapy.utils.defer import deferred_from_coro
from twisted.internet.defer import Deferred
from twisted.python.failure import Failure

from mediacrawl.crawl import request_serialization, scrapy_internals
from mediacrawl.crawl.context import NOTHING, CrawlContext
from mediacrawl.crawl.failures import UnreadableAnswerError, is_anticipated, trouble_in
from mediacrawl.crawl.held_requests import HeldRequests
from mediacrawl.crawl.rewards import Crediting, Waiting
from mediacrawl.frontier import Frontier, FrontierError
from mediacrawl.frontier.byte_budget import PAGE_BYTES, PAGE_FACTOR, byte_budget, fit_candidates
from mediacrawl.frontier.contract import FrontierLostError, Remote
from mediacrawl.observe.format import plural
from mediacrawl.own_settings import OwnSettings
from mediacrawl.politeness.backoff import after_failure, asked_to_wait, trouble_of
from mediacrawl.politeness.delay import DAY
from mediacrawl.priority.orders import ModelError
from mediacrawl.records import FINAL, Candidate, Drop, End, Kind, Lease, Limit, Outcome, Trouble
from mediacrawl.scope.canonical import canonical
from mediacrawl.signals import visit_ended
from mediacrawl.store import StoreError
from mediacrawl.visit import VISIT, Visit

if TYPE_CHECKING:
    from typing import Self

    from scrapy.crawler import Crawler
    from scrapy.http import Response

logger = logging.getLogger(__name__)

HOUSEKEEPING = 1.0
"""Seconds between two looks for leases that nobody ended; also how often stats are written."""

COMMIT_INTERVAL = 1.0
"""Seconds after which writes are made durable at the latest. A kill undoes at most the ends of this long."""

LEASES_AT_ONCE = 32
"""Leases taken in one batch, which is one commit. A lease that is not sent yet keeps its site from nobody else."""

PRUNED_AT_ONCE = 5_000
"""URLs that are pruned in one piece, within a tenth of a second."""
_PRUNED_TO = 0.9
"""How full the frontier is, of FRONTIER_MAX_URLS and FRONTIER_MAX_BYTES, when enough was pruned."""

_UNSTORABLE = (
    "%s cannot be stored in the frontier: %s. Its URL waits there, the request itself in memory: if this process ends"
    " before it is asked, it is lost. Others like it are only counted (frontier/unstorable)"
)
_UNSTORABLE_REDIS = (
    "%s is dropped: %s, so no other worker could ask it. Use a method of the spider as callback, and only what JSON"
    " carries in meta and cb_kwargs. Others like it are only counted (frontier/unstorable)"
)

DETOURS = 10
"""Requests that middlewares may put in place of one before it goes out. Beyond it they go round in circles."""


class PenaltyBoxScheduler(BaseScheduler):
    """Scrapy's scheduler on a frontier (setting ``SCHEDULER_STORE``).

    Also for other people's spiders: a plain `Request` that a spider yields joins the frontier with its callback,
    headers and meta, and comes out when its site may be asked (`crawl.request_serialization`). Their frontiers are kept
    in JOBDIR, else in memory.

    On disk: what the store keeps; the scheduler itself keeps nothing that outlives the process. Requests that cannot be
    stored are lost with it (`crawl.held_requests.HeldRequests`).

    Stats: ``frontier/new``, ``frontier/known``, ``frontier/end/<end>``, ``frontier/swept``, ``frontier/unstorable``,
    ``drop/<reason>``, ``trouble/<word>``.

    Args:
        crawler: the crawl.
        parts: what its doors share.
    """

    def __init__(self, crawler: Crawler, parts: CrawlContext) -> None:
        self._crawler = crawler
        self._parts = parts
        self._clock = parts.clock
        own = OwnSettings(parts.settings)
        self._most_urls = own.getint("FRONTIER_MAX_URLS")
        self._most_bytes = own.getint("FRONTIER_MAX_BYTES")
        self._pruning = False
        self._attempts = parts.policy.attempts
        self._leases: deque[Lease] = deque()
        self._ready: deque[Request] = deque()
        self._open: dict[int, tuple[Visit, Request]] = {}
        self._detours: Counter[int] = Counter()
        self._timer: CallLaterResult | None = None
        self._timer_at: float | None = None
        self._housekeeper: CallLaterResult | None = None
        self._committed = 0.0
        self._counted: Counter[str] = Counter()
        self._closed = self._failed = False
        self._unopened = ""
        self._held = False
        self._waits = own.getbool("SCHEDULER_WAIT")
        self._in_memory = HeldRequests(None, resumes=False)
        self._told_unstorable = False
        self.waiting_at_start = 0
        """URLs that an earlier run left; 0 with Redis, where other workers may have brought them."""
        self.crediting = Crediting(parts, self.count, lambda error: self.stop("frontier_error", error))
        """What shows answers and records to the nugget function."""

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> Self:
        """Make it for a crawl.

        Raises:
            ValueError: a setting cannot be used. The log says so, since Scrapy tells of an error of its own then.
        """
        parts = CrawlContext.of(crawler)
        try:
            scheduler = cls(crawler, parts)
        except ValueError as error:
            logger.critical("A setting cannot be used: %s", error)
            raise
        connect = crawler.signals.connect
        connect(scheduler._opened, signals.spider_opened)
        connect(scheduler._reached_downloader, signals.request_reached_downloader)
        connect(scheduler._downloaded, signals.response_downloaded)
        connect(scheduler._left_downloader, signals.request_left_downloader)
        connect(scheduler._item_stored, signals.item_scraped)
        connect(scheduler._item_over, signals.item_dropped)
        connect(scheduler._item_failed, signals.item_error)
        connect(scheduler._callback_failed, signals.spider_error)
        return scheduler

    @property
    def frontier(self) -> Frontier:
        """The frontier behind this scheduler."""
        return self._parts.frontier

    # -- what Scrapy asks of a scheduler ---------------------------------------------------------------------

    def open(self, spider: Spider) -> Deferred[None] | None:
        """Open the frontier, and take up what was learned.

        If one of them, or a setting, cannot be used the log says why and what to do, and the crawl does not begin.
        """
        try:
            waiting = self._parts.open().pending()
            if self._parts.store == "sqlite":
                self._in_memory = HeldRequests(self.frontier, resumes=self._parts.resumes)
        except (FrontierError, ModelError, ValueError) as error:
            logger.critical("%s", error)
            self._parts.final = NOTHING
            self._closed, self._unopened = True, _reason("frontier_error", error)
            return None
        if isinstance(self.frontier, Remote):
            self.frontier.listen(self._called)
            told = plural(waiting, "URL", "waits")
            logger.info("One of the workers on %s: %s there or at a worker", self._parts.place, told)
        else:
            # What rests or is paused waits too.
            counts = self.frontier.counts()
            self.waiting_at_start = counts.waiting + counts.leased
        if not getattr(spider, "tells_start", False):
            if self.waiting_at_start:
                told = plural(self.waiting_at_start, "URL", "waits")
                logger.info("Resuming: %s in %s", told, self._parts.place)
            logger.info("%s", self._parts.delay.told())
        self._housekeeper = call_later(HOUSEKEEPING, self._housekeep)
        return None

    def _opened(self) -> None:
        """Scrapy 2.19 can close a spider for a scheduler that did not open, but not from within `open`.

        Raises:
            CloseSpider: the frontier cannot be used.
        """
        if self._closed:
            raise CloseSpider(self._unopened)

    def stop(self, reason: str, error: Exception) -> None:
        """End the crawl because what it writes to failed. What was committed is safe; the next start goes on there.

        Args:
            reason: why, as the crawl's finish reason; a `FrontierError` that has another one says it itself.
            error: its sentence goes to the log.
        """
        if self._closed:
            return
        self._closed = True
        self._say_failed(error)
        reason = _reason(reason, error)
        call_later(0, lambda: deferred_from_coro(self._crawler.engine.close_spider_async(reason=reason)))

    def _say_failed(self, error: Exception) -> None:
        """Say once what the crawl failed at. Its stat is there for a crawl that fails only as it closes."""
        if not self._failed:
            logger.critical("%s", error)
            self._crawler.stats.set_value("frontier/failed", 1)
        self._failed = True

    def close(self, reason: str) -> Deferred[None] | None:
        """Give back what was not sent, and let go of the frontier."""
        if not self._closed:
            self._sweep()
        self._closed = True
        for timer in (self._timer, self._housekeeper):
            if timer is not None:
                timer.cancel()
        for visit, _ in list(self._open.values()):
            self.end(visit)
        if len(self._in_memory) and self._parts.store != "memory":
            lost = plural(len(self._in_memory), "request that waited in memory only", "is")
            logger.warning("%s lost with this process", lost)
        self._write_stats()
        if self._parts.final is None:
            try:
                self._parts.save()
                self._settle()
                # Of a frontier that was lost the numbers are those of before.
                self._parts.final = NOTHING if reason == FrontierLostError.reason else self.frontier.counts()
            except FrontierError as error:
                self._parts.final = NOTHING
                self._say_failed(error)
        try:
            self._parts.close()
        except FrontierError as error:
            self._say_failed(error)
        return None

    def has_pending_requests(self) -> bool:
        """Whether anything waits or is out, here or at another worker, or may still come, as it may with revisits."""
        if self._ready or self._waits or self._held or self.frontier.pending() > 0:
            return True
        # A worker that comes before the first seed waits for it.
        return isinstance(self.frontier, Remote) and not self.frontier.counts().seen

    def enqueue_request(self, request: Request) -> bool:
        """Take in a request of a spider or of a middleware. URLs found by our own spider come through `add`."""
        visit = self._continued(request)
        if visit is not None:
            if visit.fetch.sent is None and self._detours[visit.lease.id] < DETOURS and _is_of(request, visit):
                # A middleware wants something else asked first (robots.txt), under the same lease.
                self._detours[visit.lease.id] += 1
                self._open[visit.lease.id] = (visit, request)
                self._ready.append(request)
                return True
            return self._exchange(visit, request)
        # A priority that the spider gave counts as long as nothing of its class was asked.
        return self._join(request, scored=bool(request.priority))

    def next_request(self) -> Request | None:
        """The next request that may go out at once, or None; then the timer wakes the engine when one may."""
        if self._ready:
            return self._ready.popleft()
        if self._closed or self._held:
            return None
        try:
            while self._leases or self._take_leases():
                lease = self._leases.popleft()
                if not self.frontier.holds(lease):
                    # It may be another worker's by now.
                    self.frontier.finish(lease, Outcome(End.RETURNED, asked=False), self._clock.now())
                    continue
                request = self._request(lease)
                if request is not None:
                    return request
            self._set_timer()
        except FrontierError as error:
            self.stop("frontier_error", error)
        return None

    # -- what our own doors ask ------------------------------------------------------------------------------

    def add(self, candidates: list[Candidate], source: str = "", *, scored: bool = False) -> int:
        """Let URLs join the frontier; answers how many were new.

        Args:
            candidates: that scope let through.
            source: the site that they were found on; empty for seeds.
            scored: whether they have their scores, whatever the order is.
        """
        try:
            if not scored:
                self._parts.priority.join(candidates, source)
            added = self.frontier.add(candidates)
        except FrontierError as error:
            self.stop("frontier_error", error)
            return 0
        self._counted["frontier/new"] += added.new
        self._counted["frontier/known"] += added.known
        if added.new:
            self._timer_at = None
        return added.new

    def add_again(self, candidate: Candidate) -> bool:
        """Let a URL that has ended join once more; answers whether it did.

        Args:
            candidate: with its score.
        """
        try:
            joined = self.frontier.rejoin(candidate)
        except FrontierError as error:
            self.stop("frontier_error", error)
            return False
        if joined:
            self._timer_at = None
        return joined

    def stay(self) -> None:
        """Do not end when nothing is left: there will be more."""
        self._waits = True

    def commit(self) -> None:
        """Make what joined durable against a kill."""
        try:
            self._settle()
            self.frontier.commit()
        except FrontierError as error:
            self.stop("frontier_error", error)

    def _settle(self) -> None:
        """What was told to a store on another machine is there when this returns."""
        if isinstance(self.frontier, Remote):
            self.frontier.settle()

    def hold(self, held: bool) -> None:
        """Hand out nothing, or go on."""
        self._held = held
        if not held:
            scrapy_internals.wake(self._crawler.engine)

    def count(self, name: str, number: int = 1) -> None:
        """Count something that happens on every page; it is written to the stats once a second."""
        self._counted[name] += number

    def end(self, visit: Visit) -> None:
        """End a visit: what it found joins, its URL gets its end, its site its release time. Once for each visit."""
        if visit.decision.over:
            return
        visit.decision.over = True
        self._open.pop(visit.lease.id, None)
        self._detours.pop(visit.lease.id, None)
        outcome = self._outcome(visit)
        joined = self._join_found(visit) if visit.decision.found else 0
        try:
            if outcome.end in FINAL:
                if key := request_serialization.held_key(visit.lease.evidence):
                    self._let_go(key, visit, joined=joined > 0)
                # Before the site is let go: it takes its place by the new scores.
                for site, scores in self._parts.priority.ended(visit.lease, min(visit.decision.reward, 1.0)):
                    self.frontier.set_scores(site, scores)
            # The request log tells the same time: who reads it counts the site's delay from there.
            visit.decision.ended = self._clock.now()
            self.frontier.finish(visit.lease, outcome, visit.decision.ended)
        except FrontierError as error:
            self.stop("frontier_error", error)
        if outcome.end in FINAL:
            # Else its finds are new again when it is repeated: only then the order learns of them.
            self.crediting.close(visit)
        self._counted[f"frontier/end/{outcome.end}"] += 1
        if outcome.reason is not None:
            self._counted[f"drop/{outcome.reason}"] += 1
        if visit.fetch.crawl_delay is not None and visit.fetch.crawl_delay > DAY:
            self._counted["politeness/rests"] += 1
        self._crawler.signals.send_catch_log(visit_ended, visit=visit, outcome=outcome, spider=self._crawler.spider)

    def _join_found(self, visit: Visit) -> int:
        """Let join what a visit found, as far as the length of its answer allows; answers how many were new."""
        # Where no body was read it is the target of a redirect, or the sitemaps of a robots.txt.
        if visit.decision.parsed_bytes:
            most = byte_budget(visit.decision.parsed_bytes, visit.fetch.bytes, PAGE_BYTES, PAGE_FACTOR)
            fitting = fit_candidates(visit.decision.found, most)
            if fitting.bare or fitting.dropped:
                visit.decision.found = fitting.candidates
                self._counted["frontier/bare"] += fitting.bare
                self._counted[f"drop/{Drop.PAGE_BYTES}"] += fitting.dropped
        return self.add(visit.decision.found, visit.lease.site)

    def _let_go(self, key: str, visit: Visit, *, joined: bool) -> None:
        """Let go of a request that was held for a visit, unless the target of a redirect goes on with it."""
        if not (
            joined and any(request_serialization.held_key(found.evidence) == key for found in visit.decision.found)
        ):
            self._in_memory.end(key)

    def failed(self, failure: Failure) -> Failure | None:
        """Errback of every request that has none. To Scrapy's spider middlewares a refusal stays one, as without it."""
        request: Request = failure.request  # type: ignore[attr-defined]
        visit: Visit | None = request.meta.get(VISIT)
        is_refused = isinstance(failure.value, IgnoreRequest)
        if visit is not None:
            self._fail(visit, request, failure)
        return failure if is_refused and not request_serialization.is_ours(self._crawler.spider) else None

    def _fail(self, visit: Visit, request: Request, failure: Failure) -> None:
        if visit.decision.outcome is None:
            if isinstance(failure.value, IgnoreRequest):
                visit.drop(Drop.IGNORED)
            elif isinstance(failure.value, UnreadableAnswerError):
                visit.fetch.error = type(failure.value).__name__
                visit.decision.outcome = after_failure(visit.lease, self._attempts, Drop.UNREADABLE, _trouble(visit))
            else:
                visit.fetch.error = type(failure.value).__name__
        if visit.trouble is None:
            visit.fetch.trouble = trouble_in(failure.value)
        if failure.value is not None and not is_anticipated(failure.value):
            # Scrapy leaves it to an errback to tell of it.
            logger.error("A part failed at %(request)s", {"request": request}, exc_info=failure.value)
        _take_fault(visit, failure)
        self.end(visit)

    # -- leases ----------------------------------------------------------------------------------------------

    def _take_leases(self) -> bool:
        if not isinstance(self.frontier, Remote):
            # In one commit with the ends of the visits that it was learned from.
            self._parts.priority.save(self._clock.now())
        self._leases.extend(self.frontier.take(self._clock.now(), LEASES_AT_ONCE))
        return bool(self._leases)

    def _request(self, lease: Lease) -> Request | None:
        visit = Visit.of(lease)
        spider: Any = self._crawler.spider
        try:
            if request_serialization.is_ours(spider):
                request: Request = spider.make_request(visit)
            else:
                request = request_serialization.request(visit, spider, self._in_memory)
        except request_serialization.LostRequestError as error:
            logger.warning("%s is not asked: %s", lease.url, error)
            visit.drop(Drop.LOST_REQUEST)
            self.end(visit)
            return None
        except Exception as error:  # noqa: BLE001 - whatever a spider's own code raises, its lease must end
            logger.error("No request can be made for %s: %s", lease.url, error)  # noqa: TRY400 - one line a URL
            visit.drop(Drop.CALLBACK_ERROR)
            self.end(visit)
            return None
        if request.errback is None:
            request.errback = self.failed
        self._open[lease.id] = (visit, request)
        return request

    def _continued(self, request: Request) -> Visit | None:
        """The visit that a middleware goes on with by this request; None for a new request.

        A spider's requests are new. They may name the visit of the response that they were made for, since spiders
        copy its ``meta``.
        """
        visit: Visit | None = request.meta.get(VISIT)
        if visit is None or visit.decision.over:
            return None
        sent = self._open.get(visit.lease.id)
        return visit if sent is not None and scrapy_internals.is_downloaded(self._crawler.engine, sent[1]) else None

    def _exchange(self, visit: Visit, request: Request) -> bool:
        """A middleware answered a request with another one: a retry, or a redirect that is not ours."""
        if _is_of(request, visit):
            if request_serialization.is_ours(self._crawler.spider):
                visit.decision.outcome = after_failure(
                    visit.lease, self._attempts, Drop.DOWNLOAD_ERROR, _trouble(visit)
                )
            else:
                # Scrapy's RetryMiddleware counts (RETRY_TIMES), and hands the last failure to the spider.
                visit.decision.outcome = Outcome(End.AGAIN)
            self.end(visit)
            return visit.decision.outcome.end is End.AGAIN
        visit.decision.outcome = Outcome(End.DONE)
        joined = self._join(request, of=visit.lease)
        self.end(visit)
        return joined

    # -- requests of other people's spiders ------------------------------------------------------------------

    def _join(self, request: Request, of: Lease | None = None, *, scored: bool = False) -> bool:
        """Let a request join the frontier; answers whether it did.

        Args:
            request: of a spider, or of a middleware.
            of: the lease that a middleware made it of.
            scored: as in `add`.
        """
        facts = self._facts(request)
        found = request_serialization.candidate(request, self._crawler.spider, self._parts.scores, facts, of)
        if found is None:
            logger.warning("%s is not asked: the frontier keeps URLs of http and https only", request)
            self._counted[f"drop/{Drop.BAD_URL}"] += 1
            return False
        if facts is None and isinstance(self.frontier, Remote):
            self._counted[f"drop/{Drop.LOST_REQUEST}"] += 1
            return False
        try:
            return self._join_as(found, request, of.site if of else "", held=facts is None, scored=scored)
        except FrontierError as error:
            self.stop("frontier_error", error)
            return False

    def _join_as(self, found: Candidate, request: Request, source: str, *, held: bool, scored: bool) -> bool:
        key, in_memory = found.url, self._in_memory
        if self.add([found], source, scored=scored):
            joined = True
        elif in_memory.waits_in_vain(key):
            # An earlier process held its request. Its row goes on with this one.
            joined = held = True
        else:
            joined = in_memory.is_lost(key) and self.add_again(found)
            if joined:
                in_memory.found_again(key)
        if joined and held:
            in_memory.hold(key, request)
        return joined

    def _facts(self, request: Request) -> str | None:
        """A request as JSON; None if it has to wait in memory."""
        if self._parts.store == "memory" and not request_serialization.is_ours(self._crawler.spider):
            return None
        try:
            return request_serialization.facts_of(request, self._crawler.spider)
        except request_serialization.UnstorableError as error:
            if not self._told_unstorable:
                logger.warning(_UNSTORABLE_REDIS if isinstance(self.frontier, Remote) else _UNSTORABLE, request, error)
            self._told_unstorable = True
            self._counted["frontier/unstorable"] += 1
            return None

    def _outcome(self, visit: Visit) -> Outcome:
        outcome = visit.decision.outcome
        if outcome is None:
            outcome = self._undecided(visit)
        # What fails on its way out, by a middleware's own doing, counts too: nothing else would slow it down or end it.
        outcome.asked = visit.fetch.sent is not None or (outcome.end is End.AGAIN and not outcome.hold)
        outcome.response_time = visit.fetch.response_time
        outcome.earned = visit.decision.earned
        if visit.fetch.sent is not None:
            self._hold_against(visit, outcome)
        if visit.fetch.crawl_delay is not None:
            outcome.crawl_delay = visit.fetch.crawl_delay
        return outcome

    def _hold_against(self, visit: Visit, outcome: Outcome) -> None:
        """What the visit says against its site: how it failed, or its status."""
        trouble = _trouble(visit)
        if trouble is Trouble.FORBIDDEN and visit.fetch.kind is Kind.ROBOTS:
            # 403 for a robots.txt says that there are no rules (RFC 9309, 2.3.1.3).
            trouble = None
        if trouble is Trouble.SERVER_ERROR and visit.lease.state:
            # A server that gave the head of this file and fails at a range of it cannot do ranges.
            trouble = None
        outcome.trouble = trouble
        asked = visit.fetch.retry_after.split("\n")
        outcome.retry_after = asked_to_wait(visit.fetch.status, asked, self._clock.now(), visit.fetch.date)
        if trouble is not None:
            self._counted[f"trouble/{trouble}"] += 1

    def _undecided(self, visit: Visit) -> Outcome:
        """What a visit came to on which nobody decided."""
        if visit.error and visit.fetch.kind is not Kind.ROBOTS:
            return after_failure(visit.lease, self._attempts, Drop.DOWNLOAD_ERROR, _trouble(visit))
        if visit.fetch.sent is None:
            return Outcome(End.RETURNED) if self._closed else Outcome(End.DROPPED, Drop.IGNORED)
        if visit.fetch.kind is Kind.ROBOTS or (self._closed and visit.fetch.response_time is None):
            return Outcome(End.CONTINUE, state=visit.lease.state)
        return Outcome(End.DONE)

    def _sweep(self) -> None:
        """End the visits that the engine has let go of without a word."""
        alive = scrapy_internals.in_progress(self._crawler.engine).union(self._ready)
        left = [visit for visit, request in self._open.values() if request not in alive]
        for visit in left:
            self.end(visit)
        if left:
            self._counted["frontier/swept"] += len(left)
            scrapy_internals.wake(self._crawler.engine)

    # -- signals ---------------------------------------------------------------------------------------------

    def _visit_on_its_way(self, request: Request) -> Visit | None:
        """The visit that a request in the downloader is made for; None if it only has a copy of a visit's meta."""
        visit: Visit | None = request.meta.get(VISIT)
        sent = self._open.get(visit.lease.id) if visit is not None else None
        return visit if sent is not None and sent[1] is request else None

    def _reached_downloader(self, request: Request) -> None:
        visit = self._visit_on_its_way(request)
        if visit is not None and visit.fetch.sent is None:
            visit.fetch.sent = self._clock.now()

    def _downloaded(self, request: Request) -> None:
        """Measure how long the site took."""
        visit = self._visit_on_its_way(request)
        if visit is not None:
            self._measure(visit, request)

    def _left_downloader(self, request: Request) -> None:
        """A site that does not answer in time takes as long as we waited; a connection refused at once says nothing."""
        visit = self._visit_on_its_way(request)
        if visit is None or visit.fetch.sent is None or visit.fetch.response_time is not None:
            return
        patience = request.meta.get("download_timeout") or self._parts.settings.getfloat("DOWNLOAD_TIMEOUT", 180.0)
        if self._clock.now() - visit.fetch.sent >= patience:
            self._measure(visit, request)

    def _measure(self, visit: Visit, request: Request) -> None:
        if visit.fetch.sent is None or visit.fetch.response_time is not None:
            return
        took, since_sent = (
            self._clock.now() - visit.fetch.sent,
            scrapy_internals.since_sent(self._crawler.engine, request),
        )
        # Scrapy's own delay may hold a request back in the downloader.
        visit.fetch.response_time = took if since_sent is None else min(took, since_sent)

    def _item_stored(self, response: Response | None, item: Any) -> Waiting:
        visit = _visit(response)
        waiting = None if visit is None or response is None else self.crediting.item(visit, response, item)
        if waiting is not None:
            return self._item_judged(waiting, response)
        self._item_over(response)
        return None

    async def _item_judged(self, waiting: Coroutine[Any, Any, None], response: Response | None) -> None:
        await waiting
        self._item_over(response)

    def _item_over(self, response: Response | None) -> None:
        visit = _visit(response)
        if visit is not None and visit.decision.items:
            visit.decision.items -= 1
            if not visit.decision.items:
                self.end(visit)

    def _item_failed(self, response: Response | Failure | None, failure: Failure) -> None:
        visit = _visit(response)
        if visit is not None and isinstance(failure.value, StoreError):
            # Nothing can be stored, so nothing may be finished: the file is asked again when there is room.
            visit.decision.outcome = Outcome(End.CONTINUE, state=visit.lease.state)
            self._item_over(response)  # type: ignore[arg-type]
            self.stop("store_error", failure.value)
        elif visit is not None:
            visit.decision.error = "item_error"
            _take_fault(visit, failure)
            visit.decision.outcome = after_failure(
                replace(visit.lease, troubles=0), self._attempts, Drop.CALLBACK_ERROR
            )
            self._item_over(response)  # type: ignore[arg-type]

    def _callback_failed(self, response: Response | Failure | None, failure: Failure) -> None:
        visit = _visit(response)
        if visit is not None:
            _take_fault(visit, failure)
            visit.drop(Drop.CALLBACK_ERROR)
            self.end(visit)

    def _called(self) -> None:
        """The frontier's own thread has news: leases, or that the crawl may be over."""
        from twisted.internet import reactor  # noqa: PLC0415 - it is chosen by the first import

        reactor.callFromThread(self._heed)

    def _heed(self) -> None:
        if not self._closed:
            self._timer_at = None
            scrapy_internals.wake(self._crawler.engine)

    # -- timers ----------------------------------------------------------------------------------------------

    def _set_timer(self) -> None:
        """One timer, at the next release time. It is only moved when that time has come nearer."""
        release = self.frontier.next_release()
        if release is None or self._closed or (self._timer is not None and self._timer_at == release):
            return
        if self._timer is not None:
            self._timer.cancel()
        self._timer_at = release
        self._timer = call_later(max(release - self._clock.now(), 0.0), self._wake)

    def _wake(self) -> None:
        self._timer = None
        scrapy_internals.wake(self._crawler.engine)

    def _housekeep(self) -> None:
        self._housekeeper = call_later(HOUSEKEEPING, self._housekeep)
        self._sweep()
        self._write_stats()
        now = self._clock.now()
        try:
            if now - self._committed >= COMMIT_INTERVAL:
                self._committed = now
                self._prune()
                self._parts.priority.save(now)
                self.frontier.commit()
            self._set_timer()
        except FrontierError as error:
            self.stop("frontier_error", error)

    def _prune(self) -> None:
        """Once too many URLs or bytes wait, prune the least promising, a slice at a time, until a tenth is free."""
        if not (self._most_urls or self._most_bytes):
            return
        counts = self.frontier.counts()
        full = max(_share(counts.waiting, self._most_urls), _share(counts.bytes, self._most_bytes))
        self._pruning = full > (_PRUNED_TO if self._pruning else 1.0)
        if self._pruning:
            # As if all took as many bytes: the next slice begins where this one has led.
            excess = ceil(counts.waiting * (1.0 - _PRUNED_TO / full))
            gone = self.frontier.prune(counts.waiting - min(excess, PRUNED_AT_ONCE))
            self._counted[f"drop/{Drop.PRUNED}"] += gone
            self._pruning = gone > 0

    def _write_stats(self) -> None:
        """Counted here and written once a second: a call to the collector for each link costs a tenth of a page."""
        # Not of one that could not be opened.
        if self._parts.final is None and isinstance(self.frontier, Remote):
            self._counted.update(self.frontier.tallies())
        for name, value in self._counted.items():
            self._crawler.stats.inc_value(name, value)
        self._counted.clear()


def _share(number: int, most: int) -> float:
    """How much of its room a number fills; nothing if that has no bound."""
    return number / most if most else 0.0


def _reason(reason: str, error: Exception) -> str:
    return error.reason if isinstance(error, FrontierError) else reason


def _is_of(request: Request, visit: Visit) -> bool:
    """Whether a request asks for what the visit asks for. A plain spider's URL need not be in canonical form."""
    return request.url == visit.fetch.url or canonical(request.url) == visit.fetch.url


def _take_fault(visit: Visit, failure: Failure) -> None:
    """Take down that a visit met a fault: its URL is named in the summary, and too many in a row make its site rest."""
    if failure.value is not None and not is_anticipated(failure.value):
        visit.decision.limits.add(Limit.FAULT)
        visit.decision.trouble = Trouble.FAULT


def _trouble(visit: Visit) -> Trouble | None:
    """What a visit says against its site; nothing, if no request went out."""
    return (visit.trouble or trouble_of(visit.fetch.status)) if visit.fetch.sent is not None else None


def _visit(response: Any) -> Visit | None:
    request = getattr(response, "request", None)
    visit: Visit | None = request.meta.get(VISIT) if request is not None else None
    return visit
