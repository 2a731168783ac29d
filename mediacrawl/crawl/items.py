"""Ends visits by their items: a visit that gave items ends when the pipelines have finished the last of them."""

from __future__ import annotations

from collections.abc import Coroutine
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from scrapy import signals
from twisted.python.failure import Failure

from mediacrawl.crawl.failures import trouble_in
from mediacrawl.crawl.leases import note_fault
from mediacrawl.politeness.backoff import after_failure
from mediacrawl.records import Drop, End, Outcome, Trouble
from mediacrawl.store import StoreError
from mediacrawl.visit import VISIT, Visit

if TYPE_CHECKING:
    from scrapy.crawler import Crawler
    from scrapy.http import Response

    from mediacrawl.crawl.leases import Leases
    from mediacrawl.crawl.rewards import Rewards, Waiting
    from mediacrawl.crawl.shutdown import Shutdown


class ItemTracker:
    """Listens to the signals of item pipelines and callbacks."""

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
