"""URLs that were refused for their address, and join again when GUARD_ALLOW allows more."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from mediacrawl.frontier import FrontierError
from mediacrawl.frontier.contract import Remote
from mediacrawl.frontier.refused import ROOM, Refused
from mediacrawl.parts import Parts
from mediacrawl.records import Drop, Outcome, Visit
from mediacrawl.threads import in_reactor

if TYPE_CHECKING:
    from mediacrawl.scheduler import PenaltyBoxScheduler


class Readmission:
    """Keeps in the frontier which URLs ended for their address (see `frontier.refused.Refused`).

    Args:
        parts: of the crawl.
        scheduler: answers the crawl's.
    """

    def __init__(self, parts: Parts, scheduler: Callable[[], PenaltyBoxScheduler]) -> None:
        self._parts = parts
        self._scheduler = scheduler

    async def urls(self) -> tuple[str, ...]:
        """The URLs that are to join again at this start.

        Raises:
            FrontierError: the frontier cannot be asked.
        """
        allow = [str(entry) for entry in self._parts.settings.getlist("GUARD_ALLOW")]
        joining: tuple[str, ...] = ()

        def change(old: bytes | None) -> bytes:
            nonlocal joining
            kept, joining = Refused.read(old).at_start(allow)
            return kept.dump()

        frontier = self._scheduler().frontier
        if isinstance(frontier, Remote):
            await in_reactor(frontier.later(ROOM, "", change))
        else:
            frontier.update_note(ROOM, "", change)
        return joining

    def visit_ended(self, visit: Visit, outcome: Outcome) -> None:
        """Take down a URL that ended for its address."""
        if outcome.reason is not Drop.ADDRESS:
            return
        url, frontier = visit.lease.key, self._scheduler().frontier

        def change(old: bytes | None) -> bytes:
            return Refused.read(old).with_url(url).dump()

        try:
            if isinstance(frontier, Remote):
                frontier.later(ROOM, "", change)
            else:
                frontier.update_note(ROOM, "", change)
        except FrontierError as error:
            self._scheduler().stop("frontier_error", error)
