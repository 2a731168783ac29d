"""Shows responses and items to the nugget function (`priority.nuggets`)."""

from __future__ import annotations

from collections.abc import Callable, Coroutine
from concurrent.futures import Future, InvalidStateError
from contextlib import suppress
from typing import TYPE_CHECKING, Any

from scrapy.utils.asyncio import call_later
from twisted.python.failure import Failure

from mediacrawl.crawl.threads import in_reactor
from mediacrawl.frontier import FrontierError
from mediacrawl.priority.nuggets import Answer, Known, NoAnswer, may_be_nugget
from mediacrawl.records import Nugget
from mediacrawl.visit import Visit

if TYPE_CHECKING:
    from scrapy.http import Response

    from mediacrawl.crawl.context import CrawlContext

PATIENCE = 5.0
"""Seconds that a visit waits for Redis to say whether its find is new; most get it in some milliseconds. Then it
counts as new: a crawl must be able to end while Redis is unreachable, and a find must not be lost."""

Waiting = Coroutine[Any, Any, None] | None
"""A coroutine to await before the visit ends; None if it may end at once."""


class Rewards:
    """Shows responses and their records to the nugget function, and writes the result into the visit.

    Stats: ``nugget/new``, ``nugget/known``, ``nugget/failed``.

    Args:
        context: what the components of this crawl share.
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
        return (
            None
            if visit.decision.over or not may_be_nugget(visit.decision.outcome)
            else self._judge(visit, response, None)
        )

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
        patience = call_later(PATIENCE, _believe, answer)
        try:
            self._credit(visit, nugget, await in_reactor(answer))
        except FrontierError as error:
            self._failed(error)
        finally:
            patience.cancel()

    def _credit(self, visit: Visit, nugget: Nugget, known: Known) -> None:
        is_new = self._context.nuggets.credit(visit, nugget, known)
        self._count("nugget/new" if is_new else "nugget/known")


def _believe(answer: Future[Known]) -> None:
    with suppress(InvalidStateError):
        answer.set_result(Known.NEW)
