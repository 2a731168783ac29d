"""Takes start URLs that other programs add to a list in Redis while the crawl runs."""

from __future__ import annotations

import logging
from collections import Counter
from collections.abc import Sequence
from typing import TYPE_CHECKING, TypeAlias

from scrapy.exceptions import CloseSpider, DontCloseSpider, NotConfigured
from scrapy.utils.asyncio import run_in_thread
from scrapy.utils.defer import deferred_from_coro, maybe_deferred_to_future

from mediacrawl.base.format import plural
from mediacrawl.base.terms import Candidate, Drop
from mediacrawl.base.text import cut, printable
from mediacrawl.crawl import scrapy_internals
from mediacrawl.crawl.component import CrawlComponent
from mediacrawl.crawl.connection import ConnectionSettingError, connect, hidden, key_of, redis_url
from mediacrawl.crawl.context import CrawlContext
from mediacrawl.crawl.interfaces import LeaseHolder, lease_holder, lease_spider
from mediacrawl.crawl.own_settings import OwnSettings
from mediacrawl.crawl.policies import reach_of
from mediacrawl.crawl.threads import in_reactor
from mediacrawl.frontier import FrontierError
from mediacrawl.frontier.contract import FrontierAwayError
from mediacrawl.frontier.redis.start_urls import (
    FeedError,
    FeedKeyError,
    StartUrls,
    TakenEntries,
    Unreadable,
    read_entry,
)
from mediacrawl.scope import Scope
from mediacrawl.scope.candidates import candidate_of_entry

if TYPE_CHECKING:
    from scrapy.crawler import Crawler
    from twisted.internet.defer import Deferred


logger = logging.getLogger(__name__)

INTERVAL = 1.0
"""Seconds between two polls."""

PATIENCE = 60.0
"""Seconds that an idle crawl waits for an unreachable Redis."""

_NAMES_SHOWN = 10
_End: TypeAlias = Candidate | Drop | Unreadable


class Feeding(CrawlComponent):
    """Takes URLs from ``REDIS_START_URLS_KEY`` once a second, and keeps the crawl until none is left.

    Any program may put them there, at any time: ``redis-cli rpush media:start_urls https://site.example/``. For the
    format of an entry see `frontier.redis.start_urls.read_entry`, for the keys `frontier.redis.start_urls.StartUrls`.
    An entry is added as a seed is, through the spider's scope, but it does not extend the scope: with
    ``-a scope=site`` the crawl keeps to the sites of ``-a seed=``, and other entries are refused as ``offsite``.
    Refused entries are in ``media:start_urls:refused``.

    The reactor never waits for Redis: a thread runs one query at a time.

    Stats: ``start_urls/new``, ``start_urls/known``, ``start_urls/refused/<reason>``;
    ``drop/<reason>`` for refusals by the scope.
    """

    def __init__(self, crawler: Crawler, context: CrawlContext) -> None:
        url = redis_url(context.settings)
        if url is None or not context.leases:
            raise NotConfigured
        super().__init__(crawler, context)
        self._where = hidden(url)
        self._reach = reach_of(context.settings)
        self._most = max(OwnSettings(context.settings).getint("REDIS_START_URLS_BATCH_SIZE"), 1)
        self._queue: StartUrls | None = None
        self._polling: Deferred[None] | None = None
        self._settled: list[tuple[str, bytes]] = []
        self._trouble = ""
        self._hopeless = False
        self._troubled_since = 0.0
        self._is_idle = self._empty = self._gave_up = False

    @property
    def _scheduler(self) -> LeaseHolder:
        return lease_holder(self._crawler)

    def _opened(self) -> None:
        """Read the settings of Redis.

        Raises:
            CloseSpider: they cannot be used; the log names the setting.
        """
        ours = lease_spider(self._crawler)
        if ours is None or not ours.follows:
            # Another project's spider, or a recheck, whose URLs come from a catalogue.
            return
        spider = self._crawler.spider
        assert spider is not None
        try:
            key = key_of(OwnSettings(self._context.settings).getstr("REDIS_START_URLS_KEY"), spider.name)
            self._queue = StartUrls(connect(self._context.settings), key)
        except ConnectionSettingError as error:
            logger.critical("%s", error)
            raise CloseSpider("redis_error") from error
        logger.info("URLs are taken from %s at %s", key, self._where)

    def _seeds_joined(self) -> None:
        # Not before: the seeds define the scope of the crawl.
        if self._queue is not None and self._timer is None:
            self._begin_poll()
            self._repeat(INTERVAL, self._begin_poll)

    def _begin_poll(self) -> None:
        if self._polling is None or self._polling.called:
            self._polling = deferred_from_coro(self._poll())

    # -- a poll ----------------------------------------------------------------------------------------------

    async def _poll(self) -> None:
        queue, at_idle, taken = self._queue, self._is_idle, None
        assert queue is not None
        self._is_idle = self._empty = False
        try:
            await self._settle(queue)
            taken = await run_in_thread(queue.take, self._most)
            self._recovered()
            await self._take_in(queue, taken)
        except FeedKeyError as error:
            self._warn(str(error), "the crawl goes on without it, and looks again as long as it runs", hopeless=True)
        except FeedError as error:
            self._warn(str(error))
        except FrontierAwayError as error:
            self._warn(str(error))
        except FrontierError as error:
            self._scheduler.stop("frontier_error", error)
        except Exception as error:  # nothing awaits this task: it would be lost
            logger.error("%s: a fault of ours; its entries are taken again later", queue.key, exc_info=True)
            self._warn(f"{type(error).__name__}: {cut(printable(str(error)), 200)}", hopeless=True)
        # Only a poll that began while the crawl was idle shows that the crawl is over.
        self._empty = at_idle and taken is not None and not taken.left and not taken.entries
        if at_idle or self._is_idle:
            scrapy_internals.wake(self._crawler.engine)

    async def _take_in(self, queue: StartUrls, taken: TakenEntries) -> None:
        """Let entries join, durably, and settle them in Redis with the reason of each refusal.

        Raises:
            FrontierError: they could not join.
        """
        refused = Counter[Drop | Unreadable]({Unreadable.TOO_LONG: taken.too_long})
        if self._context.final is not None:
            await run_in_thread(queue.give_back, taken.entries)
            self._report(queue, 0, 0, refused)
            return
        ends, names = self._judge(taken.entries)
        candidates = [end for end in ends if isinstance(end, Candidate)]
        new = await self._hand_in(candidates) if candidates else 0
        refused.update(end for end in ends if not isinstance(end, Candidate))
        self._report(queue, new, len(candidates) - new, refused)
        if names:
            shown = ", ".join(cut(printable(name), 40) for name in sorted(names)[:_NAMES_SHOWN])
            logger.warning("%s: fields that are not obeyed were passed over: %s", queue.key, shown)
        reasons = ("" if isinstance(end, Candidate) else str(end) for end in ends)
        self._settled += zip(reasons, taken.entries, strict=True)
        await self._settle(queue)

    async def _settle(self, queue: StartUrls) -> None:
        """Tell Redis what was added. If it is away by now, the next look begins with it."""
        if self._settled:
            await run_in_thread(queue.settle, self._settled)
            self._settled = []

    async def _hand_in(self, candidates: list[Candidate]) -> int:
        """Add URLs and commit; return the number of new ones.

        Raises:
            FrontierError: the frontier cannot be written.
        """
        remote = self._context.remote
        if remote is not None:
            added = await in_reactor(remote.hand_in(candidates))
            self._scheduler.count("frontier/new", added.new)
            self._scheduler.count("frontier/known", added.known)
            return added.new
        new = self._scheduler.add(candidates)
        # `add` stops the crawl if it fails, but raises nothing; `commit` raises, so that nothing is settled.
        self._context.frontier.commit()
        return new

    def _judge(self, entries: Sequence[bytes]) -> tuple[list[_End], set[str]]:
        """The candidates, or the reasons of refusals, of entries; and the names of their unknown fields."""
        scope: Scope = self._crawler.spider.scope  # type: ignore[union-attr]
        ends: list[_End] = []
        names: set[str] = set()
        fault: Exception | None = None
        for raw in entries:
            try:
                entry = read_entry(raw)
                if isinstance(entry, Unreadable):
                    ends.append(entry)
                    continue
                ends.append(candidate_of_entry(entry, scope, self._reach, self._context.scores))
                names.update(entry.passed_over[:_NAMES_SHOWN])
            except Exception as error:  # noqa: BLE001 - one entry must not keep the others from joining
                fault = fault or error
                ends.append(Unreadable.FAULT)
        if fault is not None:
            # Once for all entries: anybody can repeat the entry that causes it.
            logger.error("An entry of start_urls was refused for a fault of ours", exc_info=fault)
        return ends, names

    # -- stats and log ---------------------------------------------------------------------------------------

    def _report(self, queue: StartUrls, new: int, known: int, refused: Counter[Drop | Unreadable]) -> None:
        """Count and log what became of entries."""
        count, refused = self._scheduler.count, +refused
        count("start_urls/new", new)
        count("start_urls/known", known)
        for reason, number in refused.items():
            count(f"start_urls/refused/{reason}", number)
            if isinstance(reason, Drop):
                count(f"drop/{reason}", number)
        sums = f"{plural(new, 'URL')} joined, {plural(known, '', 'was')} known"
        if refused:
            reasons = ", ".join(f"{number:,} refused ({reason})" for reason, number in refused.most_common())
            logger.warning("%s: %s, %s; see %s", queue.key, sums, reasons, queue.refused_key)
        elif new or known:
            logger.info("%s: %s", queue.key, sums)

    def _warn(self, trouble: str, then: str = "tried again", *, hopeless: bool = False) -> None:
        """Log a failure of Redis, once."""
        if not self._trouble:
            self._troubled_since = self._context.clock.now()
        if trouble != self._trouble and self._queue is not None:
            logger.warning("%s cannot be read at %s: %s; %s", self._queue.key, self._where, trouble, then)
        self._trouble, self._hopeless = trouble, hopeless

    def _recovered(self) -> None:
        if self._trouble and self._queue is not None:
            away = self._context.clock.now() - self._troubled_since
            logger.info("%s can be read again, after %.0f s", self._queue.key, away)
        self._trouble, self._gave_up = "", False

    # -- the end ---------------------------------------------------------------------------------------------

    def _idle(self) -> None:
        """Keep the crawl open until a poll that began while it was idle found nothing.

        Raises:
            DontCloseSpider: there was no such poll yet.
        """
        if self._queue is None or self._empty or (self._trouble and self._hopeless):
            return
        if self._trouble and self._context.clock.now() - self._troubled_since > PATIENCE:
            if not self._gave_up:
                self._gave_up = True
                logger.warning("%s was away for long and is waited for no more; what waits there stays", self._where)
            return
        self._is_idle = True
        self._begin_poll()
        raise DontCloseSpider

    async def _closed(self) -> None:
        if self._polling is not None:
            await maybe_deferred_to_future(self._polling)
