"""Adds URLs again that were refused for their address, when GUARD_ALLOW allows more."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import Future
from typing import TYPE_CHECKING

from mediacrawl.config.own_settings import OwnSettings
from mediacrawl.crawl.context import CrawlContext
from mediacrawl.crawl.threads import in_reactor
from mediacrawl.frontier import FrontierError
from mediacrawl.frontier.contract import Remote
from mediacrawl.frontier.refused import NOTE_KIND, RefusedUrls
from mediacrawl.records import Drop, Outcome
from mediacrawl.visit import Visit

if TYPE_CHECKING:
    from mediacrawl.crawl.interfaces import LeaseHolder


class Readmission:
    """Keeps in the frontier which URLs ended for their address (see `frontier.refused.RefusedUrls`)."""

    def __init__(self, context: CrawlContext, scheduler: Callable[[], LeaseHolder]) -> None:
        self._allow = [str(entry) for entry in OwnSettings(context.settings).getlist("GUARD_ALLOW")]
        self._scheduler = scheduler
        self._waiting: list[str] = []
        self._is_out = self._is_full = False

    async def urls(self) -> tuple[str, ...]:
        """The URLs that are to be added again at this start. They stay noted until `taken`.

        Raises:
            FrontierError: the frontier cannot be read.
        """
        joining: tuple[str, ...] = ()

        def look(old: bytes | None) -> bytes:
            nonlocal joining
            kept = RefusedUrls.read(old)
            joining = kept.at_start(self._allow)[1]
            return kept.dump()

        await self._change(look)
        return joining

    async def taken(self) -> None:
        """The URLs were added: from now on those are kept that are refused under today's GUARD_ALLOW.

        Raises:
            FrontierError: the frontier cannot be written to.
        """
        await self._change(lambda old: RefusedUrls.read(old).at_start(self._allow)[0].dump())

    async def _change(self, change: Callable[[bytes | None], bytes]) -> None:
        frontier = self._scheduler().frontier
        if isinstance(frontier, Remote):
            await in_reactor(frontier.later(NOTE_KIND, "", change))
        else:
            frontier.update_note(NOTE_KIND, "", change)

    def visit_ended(self, visit: Visit, outcome: Outcome) -> None:
        """Note a URL that ended for its address."""
        if outcome.reason is not Drop.ADDRESS or self._is_full:
            return
        self._waiting.append(visit.lease.key)
        if not self._is_out:
            self._write()

    def _write(self) -> None:
        """Write the noted URLs. In Redis one change is made at a time, since simultaneous ones would be retried."""
        urls, self._waiting = self._waiting, []
        frontier = self._scheduler().frontier

        def change(old: bytes | None) -> bytes:
            kept = RefusedUrls.read(old)
            for url in urls:
                more = kept.with_url(url)
                self._is_full = self._is_full or (more is kept and url not in kept.urls)
                kept = more
            return kept.dump()

        try:
            if isinstance(frontier, Remote):
                self._is_out = True
                frontier.later(NOTE_KIND, "", change).add_done_callback(self._heard)
            else:
                frontier.update_note(NOTE_KIND, "", change)
        except FrontierError as error:
            self._scheduler().stop("frontier_error", error)

    def _heard(self, _: Future[bytes]) -> None:
        from twisted.internet import reactor  # noqa: PLC0415 - it is chosen by the first import

        reactor.callFromThread(self._written)

    def _written(self) -> None:
        self._is_out = False
        if self._waiting:
            self._write()
