"""The life cycle of leases: taken from the frontier, made into a request, judged, ended."""

from __future__ import annotations

import logging
from collections import deque
from collections.abc import Callable, Coroutine
from concurrent.futures import Future, InvalidStateError
from contextlib import suppress
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, cast

from scrapy import Request, signals
from scrapy.exceptions import IgnoreRequest
from scrapy.utils.asyncio import call_later
from twisted.python.failure import Failure

from mediacrawl.base.format import elapsed, in_words
from mediacrawl.base.last_used import LastUsed
from mediacrawl.base.queued import WAITS
from mediacrawl.base.terms import FINAL, Drop, End, Kind, Lease, Limit, Nugget, Outcome, Trouble
from mediacrawl.base.visit import VISIT, Visit
from mediacrawl.crawl import request_serialization, scrapy_internals
from mediacrawl.crawl.data_requests import AdapterEnds
from mediacrawl.crawl.failures import UnreadableAnswerError, error_name, is_anticipated, trouble_in
from mediacrawl.crawl.interfaces import link_filter
from mediacrawl.crawl.signals import listeners_of, visit_ended
from mediacrawl.crawl.threads import in_reactor
from mediacrawl.frontier import FrontierError
from mediacrawl.politeness.delay import DAY, after_failure, asked_to_wait, trouble_of
from mediacrawl.priority.nuggets import Answer, Known, NoAnswer, may_be_nugget
from mediacrawl.scope.candidates import candidate
from mediacrawl.scope.urls import canonical, site_of, spelling
from mediacrawl.scope.wrapped import unwrapped

if TYPE_CHECKING:
    from scrapy.crawler import Crawler
    from scrapy.http import Response

    from mediacrawl.crawl.context import CrawlContext
    from mediacrawl.crawl.housekeeping import Shutdown, WakeUpTimer
    from mediacrawl.crawl.intake import Intake
    from mediacrawl.crawl.interfaces import LeaseSpider


def outcome_of(visit: Visit, *, closing: bool, attempts: int, now: float) -> Outcome:
    """Return the outcome of an ended visit, completed with what the site's clocks are computed from.

    Args:
        visit: decided or not.
        closing: whether the crawl is closing.
        attempts: the number of visits that a URL gets.
        now: seconds since the epoch.
    """
    fetch = visit.fetch
    outcome = visit.decision.outcome
    if outcome is None:
        outcome = _of_undecided(visit, closing=closing, attempts=attempts)
    # A request that a middleware exchanged before it was sent counts too: nothing else would slow it down or end it.
    outcome.asked = fetch.sent is not None or (outcome.end is End.AGAIN and not outcome.hold)
    outcome.response_time = fetch.response_time
    outcome.earned = visit.decision.earned
    if fetch.sent is not None:
        outcome.trouble = _trouble_of_site(visit)
        if fetch.retry_after:
            outcome.retry_after = asked_to_wait(fetch.status, fetch.retry_after.split("\n"), now, fetch.date)
    if fetch.crawl_delay is not None:
        outcome.crawl_delay = fetch.crawl_delay
    return outcome


def evidence(visit: Visit) -> Trouble | None:
    """Return the evidence of a visit against its site; None if no request went out."""
    fetch = visit.fetch
    if fetch.sent is None:
        return None
    return visit.decision.trouble or fetch.trouble or (trouble_of(fetch.status) if fetch.status >= 400 else None)


def _of_undecided(visit: Visit, *, closing: bool, attempts: int) -> Outcome:
    """Return the outcome of a visit that ended without a decision."""
    fetch = visit.fetch
    if visit.trouble is Trouble.LOCAL:
        return Outcome(End.CONTINUE, state=visit.lease.state)
    if visit.error and fetch.kind is not Kind.ROBOTS:
        return after_failure(visit.lease, attempts, Drop.DOWNLOAD_ERROR, evidence(visit))
    if fetch.sent is None:
        return Outcome(End.RETURNED) if closing else Outcome(End.DROPPED, Drop.IGNORED)
    if fetch.kind is Kind.ROBOTS or (closing and fetch.response_time is None):
        return Outcome(End.CONTINUE, state=visit.lease.state)
    return Outcome(End.DONE)


def _trouble_of_site(visit: Visit) -> Trouble | None:
    """Return the evidence of a visit, without the statuses that are normal for the requested resource."""
    trouble = evidence(visit)
    if trouble is Trouble.LOCAL:
        return None
    if trouble is Trouble.FORBIDDEN and visit.fetch.kind is Kind.ROBOTS:
        # A 403 for robots.txt means that there are no rules (RFC 9309, 2.3.1.3).
        return None
    if trouble is Trouble.SERVER_ERROR and visit.lease.state:
        # The server sent the head of this file; its error means that it does not support this range.
        return None
    return trouble


LOOKUP_TIMEOUT = 5.0
"""Seconds that a visit waits for Redis to say whether its find is new; most get it in some milliseconds. Then it
counts as new: a crawl must be able to end while Redis is unreachable, and a find must not be lost."""

Waiting = Coroutine[Any, Any, None] | None
"""A coroutine to await before the visit ends; None if it may end at once."""


class Rewards:
    """Shows responses and their records to the nugget function, and writes the result into the visit.

    Stats: ``nugget/new``, ``nugget/known``, ``nugget/failed``.

    Args:
        count: counts something that happens on every page.
        failed: called if the frontier cannot be used.
    """

    def __init__(
        self, context: CrawlContext, count: Callable[[str], None], failed: Callable[[FrontierError], None]
    ) -> None:
        context.nugget_function.count = count
        self._context = context
        self._count = count
        self._failed = failed

    def answer(self, visit: Visit, response: Response) -> Waiting:
        """Judge a response without a record."""
        if visit.decision.over or not may_be_nugget(visit.decision.outcome):
            return None
        return self._judge(visit, response, None)

    def item(self, visit: Visit, response: Response | Failure, item: Any) -> Waiting:
        """Judge a record that was stored."""
        if visit.decision.over:
            return None
        visit.decision.stored += 1
        return self._judge(visit, response, item)

    def close(self, visit: Visit) -> None:
        """Called after the frontier has stored the end of a visit."""
        if visit.decision.nuggets:
            try:
                self._context.nuggets.close(visit)
            except FrontierError as error:
                self._failed(error)

    def _judge(self, visit: Visit, response: Response | Failure, item: Any) -> Waiting:
        nuggets = self._context.nuggets
        answer: Answer = NoAnswer(visit.fetch.url) if isinstance(response, Failure) else response
        nugget = nuggets.judge(answer, item)
        if nugget is None:
            return None
        try:
            known = nuggets.look(visit, nugget)
        except FrontierError as error:
            self._failed(error)
            return None
        if isinstance(known, Future):
            return self._wait(visit, nugget, known)
        self._credit(visit, nugget, known)
        return None

    async def _wait(self, visit: Visit, nugget: Nugget, answer: Future[Known]) -> None:
        timeout = call_later(LOOKUP_TIMEOUT, _believe, answer)
        try:
            self._credit(visit, nugget, await in_reactor(answer))
        except FrontierError as error:
            self._failed(error)
        finally:
            timeout.cancel()

    def _credit(self, visit: Visit, nugget: Nugget, known: Known) -> None:
        is_new = self._context.nuggets.credit(visit, nugget, known)
        self._count("nugget/new" if is_new else "nugget/known")


def _believe(answer: Future[Known]) -> None:
    with suppress(InvalidStateError):
        answer.set_result(Known.NEW)


logger = logging.getLogger(__name__)

LEASES_AT_ONCE = 32
"""Leases taken in one batch, which is one commit. A lease that is not sent yet keeps its site from nobody else."""

_OUR_REASONS = frozenset({Drop.NEVERCRAWL, Drop.ROBOTS, Drop.NOINDEX, Drop.OPERATOR, Drop.PRUNED, Drop.DUST})
"""Drops that say nothing about whether a file is where it was looked for."""

_CHAINS = 10_000
"""Targets of redirects whose redirecting sites are remembered."""

MAX_EXCHANGES = 10
"""Requests that middlewares may put in place of one before it is sent. More than that is taken for a loop."""


@dataclass(slots=True)
class _OpenVisit:
    """A visit whose lease has not ended, its request, and how often a middleware has exchanged that."""

    visit: Visit
    request: Request
    exchanges: int = 0


class Leases:
    """Holds the leases of this process, and writes the times and failures of downloads into their visits.

    Stats: ``frontier/end/<end>``, ``frontier/swept``, ``politeness/rests``, ``drop/<reason>``, ``trouble/<word>``,
    ``redirect/wrapper`` (published URLs that are requested because the file is not where their path says).
    """

    def __init__(
        self,
        crawler: Crawler,
        context: CrawlContext,
        *,
        intake: Intake,
        rewards: Rewards,
        shutdown: Shutdown,
        timer: WakeUpTimer,
    ) -> None:
        self._crawler = crawler
        self._context = context
        self._intake = intake
        self._rewards = rewards
        self._shutdown = shutdown
        self._counted = context.counted
        self._timer = timer
        self._listeners = listeners_of(crawler)
        self._attempts = context.policy.attempts
        self._taken: deque[Lease] = deque()
        self._open: dict[int, _OpenVisit] = {}
        self._adapters = AdapterEnds(context, intake)
        self._timeout = context.settings.getfloat("DOWNLOAD_TIMEOUT", 180.0)
        self._redirectors: LastUsed[tuple[str, ...]] = LastUsed(_CHAINS)
        self.exchanged: deque[Request] = deque()
        """Requests under leases that are out already: middlewares want them sent first."""

    def connect(self) -> None:
        """Begin to listen to the downloader."""
        connect = self._crawler.signals.connect
        connect(self._reached_downloader, signals.request_reached_downloader)
        connect(self._downloaded, signals.response_downloaded)
        connect(self._left_downloader, signals.request_left_downloader)

    # -- taking and sending ----------------------------------------------------------------------------------

    def next_request(self) -> Request | None:
        """Return the request of the next lease; None if no site may be requested now, then the timer wakes the engine.

        Raises:
            FrontierError: no lease can be taken.
        """
        frontier, remote = self._context.frontier, self._context.remote
        while self._taken or self._take():
            lease = self._taken.popleft()
            if remote is not None and not frontier.holds(lease):
                # Another worker may have it by now.
                frontier.finish(lease, Outcome(End.RETURNED, asked=False), self._context.clock.now())
                continue
            request = self.request_of(lease)
            if request is not None:
                return self._first(request)
        return None

    def _first(self, request: Request) -> Request:
        """Return the request that is sent first under a lease: the page's own, or that of its robots.txt."""
        visit: Visit | None = request.meta.get(VISIT)
        if self._context.first_request is None or visit is None:
            return request
        first = self._context.first_request(request, visit)
        if first is None:
            return request
        first.callback = self._answered
        self._open[visit.lease.id].request = first
        return first

    def _answered(self, response: Response) -> None:
        """Callback of a robots.txt, which `RobotsMiddleware` has read."""
        self.end(response.meta[VISIT])

    def request_of(self, lease: Lease) -> Request | None:
        """Return the request of a lease. A lease of which no request can be made ends here."""
        visit = Visit.of(lease)
        spider = self._crawler.spider
        try:
            if self._context.is_ours:
                request = cast("LeaseSpider", spider).make_request(visit)
            else:
                request = request_serialization.request(visit, spider, self._intake.held)
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
        self._open[lease.id] = _OpenVisit(visit, request)
        return request

    def _take(self) -> bool:
        """Take leases; return whether there are any. If not, the timer is set to the next release time."""
        context, now = self._context, self._context.clock.now()
        frontier = context.frontier
        # Whether another machine has leases for this worker, only `take` knows.
        release = frontier.next_release() if context.remote is None else now
        if release is not None and release <= now:
            if context.remote is None:
                # In one commit with the ends of the visits that it was learned from.
                context.priority.save(now)
            self._taken.extend(frontier.take(now, LEASES_AT_ONCE))
            if self._taken:
                return True
            release = frontier.next_release()
        if release is not None and release != self._timer.time and not self._shutdown.closing:
            self._timer.set(release, now)
        return False

    def visit_of(self, request: Request) -> Visit | None:
        """Return the open visit that a request is made for; None if the request only has a copy of a visit's meta."""
        visit: Visit | None = request.meta.get(VISIT)
        out = self._open.get(visit.lease.id) if visit is not None else None
        return visit if out is not None and out.request is request else None

    # -- what the downloader's signals say of a fetch --------------------------------------------------------

    def _reached_downloader(self, request: Request) -> None:
        visit = self.visit_of(request)
        if visit is not None and visit.fetch.sent is None:
            visit.fetch.sent = self._context.clock.now()

    def _downloaded(self, request: Request) -> None:
        visit = self.visit_of(request)
        if visit is not None:
            self._measure(visit, request)

    def _left_downloader(self, request: Request) -> None:
        """A timeout counts as a response time; a connection that is refused at once does not."""
        visit = self.visit_of(request)
        if visit is None or visit.fetch.sent is None or visit.fetch.response_time is not None:
            return
        timeout = request.meta.get("download_timeout") or self._timeout
        if self._context.clock.now() - visit.fetch.sent >= timeout:
            self._measure(visit, request)

    def _measure(self, visit: Visit, request: Request) -> None:
        # A time during which this process stood still is no fact about the site.
        fetch = visit.fetch
        if fetch.sent is None or fetch.response_time is not None or self._context.heartbeat.stood_since(fetch.sent):
            return
        took, since_sent = (
            self._context.clock.now() - fetch.sent,
            scrapy_internals.since_sent(self._crawler.engine, request),
        )
        # Scrapy's own delay may have held the request back in the downloader.
        fetch.response_time = took if since_sent is None else min(took, since_sent)

    # -- requests that middlewares put in place of others ----------------------------------------------------

    def continues(self, request: Request) -> Visit | None:
        """Return the visit that a middleware continues with this request; None for a new request.

        The requests of a spider are new. They may carry the visit of the response that they were made for, since
        spiders copy its ``meta``.
        """
        visit: Visit | None = request.meta.get(VISIT)
        if visit is None or visit.decision.over:
            return None
        out = self._open.get(visit.lease.id)
        return visit if out is not None and scrapy_internals.is_downloaded(self._crawler.engine, out.request) else None

    def exchange(self, visit: Visit, request: Request) -> bool:
        """Put a middleware's request in place of that of a visit; return whether it will be sent.

        Before the visit's request was sent, it is sent first under the same lease. After it, it is a retry
        or the target of a redirect.
        """
        out = self._open[visit.lease.id]
        if visit.fetch.sent is None and out.exchanges < MAX_EXCHANGES and _is_of(request, visit):
            out.request, out.exchanges = request, out.exchanges + 1
            self.exchanged.append(request)
            return True
        if not _is_of(request, visit):
            visit.decide(Outcome(End.DONE))
            joined = self._intake.add_request(request, of=visit.lease)
            self.end(visit)
            return joined
        if self._context.is_ours:
            outcome = after_failure(visit.lease, self._attempts, Drop.DOWNLOAD_ERROR, evidence(visit))
        else:
            # Scrapy's RetryMiddleware counts (RETRY_TIMES), and hands the last failure to the spider.
            outcome = Outcome(End.AGAIN)
        visit.decide(outcome)
        self.end(visit)
        return outcome.end is End.AGAIN

    # -- ending ----------------------------------------------------------------------------------------------

    def end(self, visit: Visit) -> None:
        """End a visit: its links join, its URL gets its end, its site its release time. Later calls do nothing."""
        decision, lease = visit.decision, visit.lease
        if decision.over:
            return
        decision.over = True
        self._open.pop(lease.id, None)
        now = self._context.clock.now()
        if decision.outcome is None and visit.error and not (self._context.is_ours or self._shutdown.closing):
            # Scrapy's RetryMiddleware has tried it again, and the spider has had the failure.
            visit.drop(Drop.DOWNLOAD_ERROR)
        outcome = outcome_of(visit, closing=self._shutdown.closing, attempts=self._attempts, now=now)
        if lease.evidence.requested_url and (outcome.end in FINAL or outcome.trouble is Trouble.DNS):
            self._add_published(visit, outcome)
        joined = self._intake.add_found(visit) if decision.found else 0
        try:
            self._store_end(visit, outcome, joined=joined > 0)
        except FrontierError as error:
            self._shutdown.stop("frontier_error", error)
        if outcome.end in FINAL:
            # Otherwise the URL is requested again, and its finds are new again.
            self._rewards.close(visit)
        self._count(visit, outcome)
        self._tell(visit, outcome)

    def _store_end(self, visit: Visit, outcome: Outcome, *, joined: bool) -> None:
        lease, context = visit.lease, self._context
        if outcome.end in FINAL:
            if visit.decision.adapter is not None or lease.evidence.via == WAITS:
                self._adapters.settle(visit, outcome)
            if lease.evidence.via == request_serialization.HELD:
                self._intake.forget_held(visit, joined=joined)
            # Before the site's lease ends: the site is queued by the new scores.
            for site, scores in context.priority.ended(lease, min(visit.decision.reward, 1.0)):
                context.frontier.set_scores(site, scores)
        # The site's delay counts from here, when all else of the visit is done. The request log has the same time.
        visit.decision.ended = context.clock.now()
        context.frontier.finish(lease, outcome, visit.decision.ended)
        self._credit_redirectors(visit, outcome)
        if (outcome.trouble or outcome.end is End.AGAIN) and not context.is_ours:
            self._log_wait(visit)

    def _tell(self, visit: Visit, outcome: Outcome) -> None:
        """Call the listeners, and send the signal. An exception of one is logged, and the others are called."""
        for reference, reason in self._listeners:
            listener = reference() if reason in {None, outcome.reason} else None
            try:
                if listener is not None:
                    listener(visit, outcome)
            except Exception:
                logger.exception("%s failed at the end of the visit of %s", listener, visit.lease.url)
        self._crawler.signals.send_catch_log(visit_ended, visit=visit, outcome=outcome, spider=self._crawler.spider)

    def _credit_redirectors(self, visit: Visit, outcome: Outcome) -> None:
        """Credit a find to the sites that redirected to it, so that redirects do not spend their budget.

        Of a chain that another process followed only the first site is known.
        """
        lease, first = visit.lease, visit.lease.evidence.requested_url
        chain = (self._redirectors.get(lease.url) or ()) if lease.hops else ()
        if lease.hops and not chain and first and unwrapped(first, is_enclosure=True) is None:
            chain = (site_of(first),)
        for found in visit.decision.found if visit.fetch.location else ():
            if found.hops > lease.hops:
                self._redirectors.put(found.url, (*chain, lease.site))
        if outcome.earned:
            for site in set(chain) - {lease.site}:
                led_on = Outcome(End.DONE, asked=False, earned=outcome.earned)
                self._context.frontier.charge(site, led_on, self._context.clock.now())

    def _add_published(self, visit: Visit, outcome: Outcome) -> None:
        """Add the published URL of a file that was looked for where the path of that URL says, and is not there."""
        lease, links = visit.lease, link_filter(self._crawler)
        is_page = visit.decision.parsed_bytes > 0 and lease.kind is not Kind.LIST
        is_missing = is_page or outcome.reason is not None or outcome.trouble is Trouble.DNS
        if links is None or not is_missing or outcome.reason in _OUR_REASONS:
            return
        url = spelling(lease.evidence.requested_url)
        if url is None or url.key == lease.key or unwrapped(url.requested, is_enclosure=True) is None:
            return
        evidence = replace(lease.evidence, requested_url="")
        found = candidate(url, evidence, self._context.scores, Kind.MEDIA, depth=lease.depth, parent=lease.parent)
        if links.admit(found):
            visit.add_link(found)
            self._counted["redirect/wrapper"] += 1

    def _log_wait(self, visit: Visit) -> None:
        """Log why a request of another project's spider waits, and for how long if the frontier is on this machine."""
        site = visit.lease.site
        known = self._context.frontier.site(site) if self._context.remote is None else None
        wait = f"for {elapsed(known.release - self._context.clock.now())}" if known else "longer after each failure"
        why = in_words(visit.fetch.error or str(visit.fetch.status or "no answer"))
        logger.info("%s failed (%s): requests to %s wait %s", visit.fetch.url, why, site, wait)

    def end_all(self) -> None:
        """End the visits that are open when the crawl closes. Requests that were not sent go back."""
        for out in list(self._open.values()):
            self.end(out.visit)

    def sweep(self) -> None:
        """End the visits whose requests the engine has dropped without a call."""
        alive = scrapy_internals.in_progress(self._crawler.engine).union(self.exchanged)
        left = [out.visit for out in self._open.values() if out.request not in alive]
        for visit in left:
            self.end(visit)
        if left:
            self._counted["frontier/swept"] += len(left)
            self._timer.wake()

    def failed(self, failure: Failure) -> Failure | None:
        """Errback of every request without one. Scrapy's spider middlewares see a refusal as without this errback."""
        request: Request = failure.request  # type: ignore[attr-defined]
        visit: Visit | None = request.meta.get(VISIT)
        is_refused = isinstance(failure.value, IgnoreRequest)
        if visit is not None:
            self._fail(visit, request, failure)
        return failure if is_refused and not self._context.is_ours else None

    def _fail(self, visit: Visit, request: Request, failure: Failure) -> None:
        error = failure.value
        if visit.decision.outcome is None and isinstance(error, IgnoreRequest):
            visit.drop(Drop.IGNORED)
        elif visit.decision.outcome is None and isinstance(error, UnreadableAnswerError):
            visit.fetch.error = error_name(error)
            visit.decide(after_failure(visit.lease, self._attempts, Drop.UNREADABLE, evidence(visit)))
        elif visit.decision.outcome is None:
            visit.fetch.error = error_name(error)
        if visit.trouble is None:
            visit.fetch.trouble = trouble_in(error)
        if error is not None and not is_anticipated(error):
            # Scrapy leaves it to an errback to log it.
            logger.error("A part failed at %(request)s", {"request": request}, exc_info=error)
        note_fault(visit, failure)
        self.end(visit)

    def _count(self, visit: Visit, outcome: Outcome) -> None:
        self._counted[f"frontier/end/{outcome.end}"] += 1
        if outcome.reason is not None:
            self._counted[f"drop/{outcome.reason}"] += 1
        if outcome.trouble is not None:
            self._counted[f"trouble/{outcome.trouble}"] += 1
        if visit.fetch.crawl_delay is not None and visit.fetch.crawl_delay > DAY:
            self._counted["politeness/rests"] += 1


def note_fault(visit: Visit, failure: Failure) -> None:
    """Note an unexpected exception: the summary names its URL, and too many in a row make its site rest."""
    if failure.value is not None and not is_anticipated(failure.value):
        visit.decision.limits.add(Limit.FAULT)
        visit.decision.trouble = Trouble.FAULT


def _is_of(request: Request, visit: Visit) -> bool:
    """Whether a request asks for the visit's URL. The URL of another project's spider need not be canonical."""
    return request.url == visit.fetch.url or canonical(request.url) == visit.fetch.url
