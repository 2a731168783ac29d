"""Carries out an operator's orders during a crawl, and ends it at ``stop_below``."""

from __future__ import annotations

import logging
from collections.abc import Iterator
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING

from scrapy.exceptions import NotConfigured
from scrapy.utils.defer import deferred_from_coro

from mediacrawl.base.format import plural
from mediacrawl.crawl.component import CrawlComponent
from mediacrawl.crawl.context import CrawlContext
from mediacrawl.crawl.interfaces import LeaseHolder, LeaseSpider, lease_holder, lease_spider
from mediacrawl.frontier import FrontierError
from mediacrawl.frontier.export import is_json, lines_of, write
from mediacrawl.frontier.operator_orders import OperatorOrder, OrderFolder, carry_out
from mediacrawl.frontier.sqlite.reader import FrontierReader
from mediacrawl.frontier.stores import SQLITE_FILE
from mediacrawl.scope.candidates import Import

if TYPE_CHECKING:
    from scrapy.crawler import Crawler


logger = logging.getLogger(__name__)

INTERVAL = 1.0
"""Seconds between two looks for orders."""

_DONE = object()
BATCH = 2_000
"""URLs of an import that are added between two looks."""

REMAINING = "remaining.txt"
"""The seeds that a crawl with ``-a stop_below`` leaves, in its state folder."""


class Steering(CrawlComponent):
    """Carries out the orders of ``scrapy frontier`` while the crawl runs, and ends it when few sites are left.

    With ``-a stop_below=N`` the crawl ends once it has had N sites and fewer are left: then it would only wait for the
    delays of a few large ones. The waiting URLs are written to ``remaining.txt``, sorted by site, for ``-a seed=``, but
    not the waiting URLs on paused and retired sites: they were judged.

    On disk: ``orders/`` (see `OrderFolder`); ``remaining.txt``, by way of another name.

    Stats: ``steering/orders``.
    """

    def __init__(self, crawler: Crawler, context: CrawlContext) -> None:
        if not context.leases:
            raise NotConfigured("without our scheduler there is no frontier to steer")
        if not context.keeps_frontier:
            # Somebody else's spider without JOBDIR, as most are: nothing to warn of.
            raise NotConfigured
        super().__init__(crawler, context)
        self._importing: Iterator[None] | None = None
        self._ending = False

    @property
    def _scheduler(self) -> LeaseHolder:
        return lease_holder(self._crawler)

    def _opened(self) -> None:
        # Beside the frontier: a recheck has one of its own, and does not take the orders for the crawl.
        self._orders = OrderFolder(self._context.frontier_folder)
        self._repeat(INTERVAL, self._look)

    def _look(self) -> None:
        try:
            for order in self._orders.orders():
                self._carry_out(order)
            if self._importing is not None and next(self._importing, _DONE) is _DONE:
                self._importing = None
            self._stop_if_few_are_left()
        except FrontierError as error:
            self._scheduler.stop("frontier_error", error)
        except OSError as error:
            logger.error("An order could not be answered: %s", error)  # noqa: TRY400 - one line is what helps

    # -- orders ----------------------------------------------------------------------------------------------

    def _carry_out(self, order: OperatorOrder) -> None:
        if order.verb != "add":
            self._done(order, carry_out(self._context.frontier, order.verb, order.what))
        elif (spider := lease_spider(self._crawler)) is None:
            self._done(order, "this spider takes no URLs from outside")
        elif self._importing is None:
            self._importing = self._import_urls(order, spider)

    def _done(self, order: OperatorOrder, sentence: str) -> None:
        logger.info("Order %s %s: %s", order.verb, order.what, sentence)
        self._crawler.stats.inc_value("steering/orders")
        self._orders.answer(order, sentence)

    def _import_urls(self, order: OperatorOrder, spider: LeaseSpider) -> Iterator[None]:
        """Let URLs of a file join, some at each look. The order stays until all have: a kill repeats it."""
        path, new, known = Path(order.what), 0, 0
        try:
            with lines_of(path) as lines:
                found = Import(spider.scope, self._context.scores, lines, is_json(path))
                urls = iter(found)
                while batch := list(islice(urls, BATCH)):
                    added = self._scheduler.add(batch)
                    new, known = new + added, known + len(batch) - added
                    if len(batch) == BATCH:
                        yield
        except OSError as error:
            self._done(order, f"{path} cannot be read: {error.strerror}")
            return
        self._context.frontier.commit()
        self._done(order, found.report(new, known))

    # -- the end ---------------------------------------------------------------------------------------------

    def _stop_if_few_are_left(self) -> None:
        spider = lease_spider(self._crawler)
        fewest = spider.stop_below if spider is not None else 0
        if fewest <= 0 or self._ending:
            return
        counts = self._context.counts()
        if counts.sites < fewest <= counts.most:
            self._ending = True
            told = plural(counts.sites, "site", "is")
            logger.info("%s left of %d: the crawl ends (stop_below=%d)", told, counts.most, fewest)
            deferred_from_coro(self._crawler.engine.close_spider_async(reason="stop_below"))

    def _closed(self, reason: str) -> None:
        if reason == "stop_below":
            self._leave_seeds()

    def _leave_seeds(self) -> None:
        """Write the waiting URLs as seeds. The frontier is closed by now: its file is read, as by any operator."""
        path = self._context.folder / REMAINING
        try:
            with FrontierReader(self._context.frontier_folder / SQLITE_FILE) as reader:
                number = write(reader.waiting(shelved=False), path)
        except (FrontierError, OSError) as error:
            logger.error("What waits could not be written as seeds: %s", error)  # noqa: TRY400
            return
        told = plural(number, "waiting URL", "is")
        logger.info("%s in %s, sorted by site, for the next crawl: -a seed=%s", told, path, path)
