"""Scrapy's scheduler on mediacrawl's frontier.

A request that this scheduler gives out carries a `Visit` for one lease. The engine sends it at once, since the frontier
leases only URLs of sites that may be requested now. Every lease ends in `Leases.end`, which is called by:

=========================================== =====================================================================
the request ended by                        `Leases.end` is called by
=========================================== =====================================================================
a response that our spider read             the spider
a response with items                       `ItemTracker`: ``item_scraped``, ``item_dropped``, ``item_error``
an exception, IgnoreRequest, a timeout      the request's errback, `Leases.failed`
an exception in the callback                `ItemTracker`: ``spider_error``
a request made of it by a middleware        `Leases.exchange`, for `enqueue_request`
anything else (another project's callback)  `Leases.sweep`, once a second, for leases that the engine has let go of
the crawl closing                           `Leases.end_all`: what was not sent yet goes back
=========================================== =====================================================================
"""

from __future__ import annotations

import logging
from collections.abc import Coroutine
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from scrapy import Request, Spider, signals
from scrapy.core.scheduler import BaseScheduler
from scrapy.exceptions import CloseSpider
from twisted.internet.defer import Deferred
from twisted.python.failure import Failure

from mediacrawl.base.format import plural
from mediacrawl.base.terms import Candidate, Drop, End, Outcome, Trouble
from mediacrawl.base.visit import VISIT, Visit
from mediacrawl.crawl.context import NOTHING, CrawlContext
from mediacrawl.crawl.failures import trouble_in
from mediacrawl.crawl.housekeeping import Housekeeping, Shutdown, WakeUpTimer, reason_of, stop_at_hangup
from mediacrawl.crawl.intake import Intake
from mediacrawl.crawl.interfaces import lease_spider
from mediacrawl.crawl.leases import Leases, Rewards, note_fault
from mediacrawl.crawl.own_settings import OwnSettings
from mediacrawl.frontier import Frontier, FrontierError
from mediacrawl.frontier.contract import FrontierLostError
from mediacrawl.politeness.delay import after_failure
from mediacrawl.priority.orders import OrderModelError
from mediacrawl.store import StoreError

if TYPE_CHECKING:
    from typing import Self

    from scrapy.crawler import Crawler
    from scrapy.http import Response

    from mediacrawl.crawl.interfaces import LeaseHolder
    from mediacrawl.crawl.leases import Waiting

logger = logging.getLogger(__name__)


class PenaltyBoxScheduler(BaseScheduler):
    """Scrapy's scheduler on a frontier (setting ``SCHEDULER_STORE``).

    It also serves the spiders of other projects: a plain `Request` is added to the frontier with its callback, headers
    and meta, and comes out when its site may be requested (`crawl.request_serialization`). Their frontiers are kept in
    JOBDIR, otherwise in memory.

    On disk: what the store keeps; the scheduler itself keeps nothing that outlives the process. Requests that cannot be
    stored are lost with it (`crawl.request_serialization.HeldRequests`).

    Stats: those of `Intake` and `Leases`.
    """

    holds_leases = True
    intake_class: type[Intake] = Intake
    leases_class: type[Leases] = Leases

    def __init__(self, crawler: Crawler, context: CrawlContext) -> None:
        self._crawler = crawler
        self._context = context
        self._shutdown = Shutdown(crawler)
        self._timer = WakeUpTimer(crawler)
        self.rewards = Rewards(context, self.count, lambda error: self.stop("frontier_error", error))
        """Shows responses and items to the nugget function."""
        self._intake = self.intake_class(crawler, context, self._shutdown)
        self.leases = self.leases_class(
            crawler,
            context,
            intake=self._intake,
            rewards=self.rewards,
            shutdown=self._shutdown,
            timer=self._timer,
        )
        """The leases of this process."""
        self._items = ItemTracker(self.leases, self.rewards, self._shutdown, context.policy.attempts)
        self._housekeeping = Housekeeping(
            crawler,
            context,
            shutdown=self._shutdown,
            sweep=self.leases.sweep,
            timer=self._timer,
        )
        self._unopened = ""
        self._held = False
        self._waits = OwnSettings(context.settings).getbool("SCHEDULER_WAIT")
        self.waiting_at_start = 0
        """URLs that an earlier run left; 0 with Redis, where other workers may have brought them."""

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> Self:
        """Make it for a crawl.

        Raises:
            ValueError: a setting cannot be used. It is logged here, since Scrapy logs an error of its own for it.
        """
        context = CrawlContext.of(crawler)
        try:
            scheduler = cls(crawler, context)
        except ValueError as error:
            logger.critical("A setting cannot be used: %s", error)
            raise
        crawler.signals.connect(scheduler._opened, signals.spider_opened)
        scheduler.leases.connect()
        scheduler._items.connect(crawler)
        return scheduler

    @property
    def frontier(self) -> Frontier:
        """The frontier behind this scheduler."""
        return self._context.frontier

    # -- Scrapy's interface ----------------------------------------------------------------------------------

    def open(self, spider: Spider) -> Deferred[None] | None:  # noqa: ARG002 - Scrapy's interface
        """Open the frontier and the order. If one cannot be used, the error is logged and the crawl does not begin."""
        try:
            waiting = self._context.open().pending()
            self._context.adapters.count = self.count
            self._intake.open()
        except (FrontierError, OrderModelError, ValueError) as error:
            logger.critical("%s", error)
            self._context.final = NOTHING
            self._shutdown.closing, self._unopened = True, reason_of("frontier_error", error)
            return None
        if self._context.remote is not None:
            self._context.remote.listen(self._called)
            told = plural(waiting, "URL", "waits")
            logger.info("One of the workers on %s: %s there or at a worker", self._context.place, told)
        else:
            # URLs of sites that rest or are paused are included.
            counts = self.frontier.counts()
            self.waiting_at_start = counts.waiting + counts.leased
        ours = lease_spider(self._crawler)
        if ours is None or not ours.logs_start:
            if self.waiting_at_start:
                told = plural(self.waiting_at_start, "URL", "waits")
                logger.info("Resuming: %s in %s", told, self._context.place)
            logger.info("%s", self._context.applied_delay.told())
        self._housekeeping.start()
        stop_at_hangup()
        return None

    def _opened(self) -> None:
        """Close the spider of a scheduler that did not open. Scrapy 2.19 cannot do that within `open`.

        Raises:
            CloseSpider: the frontier cannot be used.
        """
        if self._shutdown.closing:
            raise CloseSpider(self._unopened)

    def close(self, reason: str) -> Deferred[None] | None:
        """Give back what was not sent, and close the frontier."""
        if not self._shutdown.closing:
            self.leases.sweep()
        self._shutdown.closing = True
        self._timer.cancel()
        self._housekeeping.cancel()
        self.leases.end_all()
        if len(self._intake.held) and self._context.store != "memory":
            lost = plural(len(self._intake.held), "request that waited in memory only", "is")
            logger.warning("%s lost with this process", lost)
        self._housekeeping.write_stats()
        if self._context.final is None:
            self._save(reason)
        try:
            self._context.close()
        except FrontierError as error:
            self._shutdown.report(error)
        return None

    def _save(self, reason: str) -> None:
        try:
            self._context.save()
            self._settle()
            # The numbers of a frontier that was lost are out of date.
            self._context.final = NOTHING if reason == FrontierLostError.reason else self.frontier.counts()
        except FrontierError as error:
            self._context.final = NOTHING
            self._shutdown.report(error)

    def has_pending_requests(self) -> bool:
        """Whether any URL waits or is out, here or at another worker, or may still come, as with revisits."""
        if self.leases.exchanged or self._waits or self._held or self._context.frontier.pending() > 0:
            return True
        # A worker of ours that starts before the first seed waits for it. Other spiders bring their own requests, and
        # scrapy-redis' RedisSpider only when the crawl is idle.
        remote = self._context.remote is not None
        return remote and lease_spider(self._crawler) is not None and not self.frontier.counts().seen

    def enqueue_request(self, request: Request) -> bool:
        """Take in a request of a spider or a middleware. The links of our own spiders come through `add`."""
        visit = self.leases.continues(request)
        if visit is not None:
            return self.leases.exchange(visit, request)
        # A priority that the spider gave counts as long as nothing of its class was asked.
        return self._intake.add_request(request, scored=bool(request.priority))

    def next_request(self) -> Request | None:
        """The next request that may be sent at once; None if there is none, then the timer wakes the engine."""
        if self.leases.exchanged:
            return self.leases.exchanged.popleft()
        if self._shutdown.closing or self._held:
            return None
        try:
            return self.leases.next_request()
        except FrontierError as error:
            self.stop("frontier_error", error)
            return None

    # -- for the other parts of the crawl, see `crawl.interfaces.LeaseHolder` --------------------------------

    def add(self, candidates: list[Candidate], source: str = "", *, scored: bool = False) -> int:
        """Add URLs to the frontier, see `Intake.add`; return the number of new ones."""
        return self._intake.add(candidates, source, scored=scored)

    def add_again(self, candidate: Candidate) -> bool:
        """Add a URL that has ended once more, see `Intake.add_again`; return whether it joined."""
        return self._intake.add_again(candidate)

    def end(self, visit: Visit) -> None:
        """End a visit, see `Leases.end`."""
        self.leases.end(visit)

    def failed(self, failure: Failure) -> Failure | None:
        """End the visit of a failed request, see `Leases.failed`."""
        return self.leases.failed(failure)

    def stay(self) -> None:
        """Keep the crawl open when no URL is left: there will be more."""
        self._waits = True

    def commit(self) -> None:
        """Make all that were added durable against a kill."""
        try:
            self._settle()
            self.frontier.commit()
        except FrontierError as error:
            self.stop("frontier_error", error)

    def hold(self, held: bool) -> None:
        """Stop giving out requests, or continue."""
        self._held = held
        if not held:
            self._timer.wake()

    def count(self, name: str, number: int = 1) -> None:
        """Count a frequent event; stats are written once a second."""
        self._context.counted[name] += number

    def stop(self, reason: str, error: Exception) -> None:
        """End the crawl because of a failure, see `Shutdown.stop`."""
        self._shutdown.stop(reason, error)

    def _settle(self) -> None:
        """Wait until a store on another machine has all that was written."""
        if self._context.remote is not None:
            self._context.remote.settle()

    def _called(self) -> None:
        """The frontier's thread has news: leases, or that the crawl may be over."""
        from twisted.internet import reactor  # noqa: PLC0415 - it is chosen by the first import

        reactor.callFromThread(self._look_again)

    def _look_again(self) -> None:
        if not self._shutdown.closing:
            self._timer.wake()


if TYPE_CHECKING:
    _: type[LeaseHolder] = PenaltyBoxScheduler


class ItemTracker:
    """Ends visits by their items: one that gave items ends when the pipelines have finished the last of them."""

    def __init__(self, leases: Leases, rewards: Rewards, shutdown: Shutdown, attempts: int) -> None:
        self._leases = leases
        self._rewards = rewards
        self._shutdown = shutdown
        self._attempts = attempts

    def connect(self, crawler: Crawler) -> None:
        """Begin to listen."""
        connect = crawler.signals.connect
        connect(self._item_stored, signals.item_scraped)
        connect(self._item_over, signals.item_dropped)
        connect(self._item_failed, signals.item_error)
        connect(self._callback_failed, signals.spider_error)

    def _item_stored(self, response: Response | None, item: Any) -> Waiting:
        visit = _visit(response)
        waiting = None if visit is None or response is None else self._rewards.item(visit, response, item)
        if waiting is not None:
            return self._item_judged(waiting, response)
        self._item_over(response)
        return None

    async def _item_judged(self, waiting: Coroutine[Any, Any, None], response: Response | None) -> None:
        await waiting
        self._item_over(response)

    def _item_over(self, response: Response | Failure | None) -> None:
        visit = _visit(response)
        if visit is not None and visit.decision.items:
            visit.decision.items -= 1
            if not visit.decision.items:
                self._leases.end(visit)

    def _item_failed(self, response: Response | Failure | None, failure: Failure) -> None:
        visit = _visit(response)
        if visit is not None and isinstance(failure.value, StoreError):
            # Nothing can be stored, so no URL may end: the file is requested again by the next crawl.
            visit.decide(Outcome(End.CONTINUE, state=visit.lease.state))
            self._item_over(response)
            self._shutdown.stop("store_error", failure.value)
        elif visit is not None and trouble_in(failure.value) is Trouble.LOCAL:
            visit.decide(Outcome(End.CONTINUE, state=visit.lease.state))
            self._item_over(response)
        elif visit is not None:
            visit.decision.error = "item_error"
            note_fault(visit, failure)
            visit.decide(after_failure(replace(visit.lease, troubles=0), self._attempts, Drop.CALLBACK_ERROR))
            self._item_over(response)

    def _callback_failed(self, response: Response | Failure | None, failure: Failure) -> None:
        visit = _visit(response)
        if visit is not None:
            note_fault(visit, failure)
            visit.drop(Drop.CALLBACK_ERROR)
            self._leases.end(visit)


def _visit(response: Response | Failure | None) -> Visit | None:
    request = getattr(response, "request", None)
    visit: Visit | None = request.meta.get(VISIT) if request is not None else None
    return visit
