"""Shares the delays of sites between the media crawl and another crawl in the same state folder."""

from __future__ import annotations

from pathlib import Path
from typing import Self

from mediacrawl.clock import Clock
from mediacrawl.frontier import Frontier, FrontierPolicy
from mediacrawl.frontier.stores import SQLITE_FILE, open_store
from mediacrawl.records import End, Outcome, SiteState


class MediaCrawlClocks:
    """The clocks of sites in the media crawl's frontier. Every visit of the other crawl is committed there.

    While it is open no media crawl can run in the state folder.
    """

    def __init__(self, store: Frontier) -> None:
        self._store = store
        self._met: set[str] = set()

    @classmethod
    def of(cls, folder: Path, policy: FrontierPolicy, clock: Clock) -> Self | None:
        """The frontier in a state folder; None if no crawl has been there.

        Raises:
            FrontierError: a crawl is working on it, or it cannot be used.
        """
        if not (folder / SQLITE_FILE).exists():
            return None
        return cls(open_store("sqlite", folder, policy, clock.now(), offset=clock.offset))

    def copy(self, site: str, own: Frontier, now: float) -> None:
        """Copy the release time of a site into another frontier, the first time that it is named."""
        if site in self._met:
            return
        self._met.add(site)
        known = self._store.site(site)
        if known is None or known.release <= now:
            return
        # As a visit now: the site waits a whole delay, and what its troubles add to it.
        last, left = known.samples[-1] if known.samples else None, known.release - now
        visit = Outcome(End.DONE, response_time=last, crawl_delay=known.crawl_delay or None, retry_after=left)
        own.charge(site, visit, now)

    def excludes(self, site: str) -> bool:
        """Whether the media crawl has retired a site for trouble, or the operator has paused it."""
        known = self._store.site(site)
        return known is not None and (known.gone or known.state is SiteState.PAUSED)

    def charge(self, site: str, outcome: Outcome, now: float) -> None:
        """Count a visit of the other crawl."""
        if outcome.asked:
            self._store.charge(site, outcome, now)
            self._store.commit()

    def close(self) -> None:
        """Close the frontier."""
        self._store.close()
