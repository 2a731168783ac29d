"""The frontier of the media crawl in the same state folder: a site has one delay, whoever of the two asks it."""

from __future__ import annotations

from pathlib import Path
from typing import Self

from mediacrawl.frontier import Frontier, FrontierPolicy
from mediacrawl.frontier.stores import SQLITE_FILE, open_store
from mediacrawl.records import End, Outcome, SiteState


class Neighbour:
    """Reads the clocks of sites out of the other frontier, and writes back every visit, with a commit each.

    While it is open no media crawl can work in the state folder: two crawls at once would ask a site twice.

    Args:
        store: the other frontier.
    """

    def __init__(self, store: Frontier) -> None:
        self._store = store
        self._met: set[str] = set()

    @classmethod
    def of(cls, folder: Path, policy: FrontierPolicy, now: float) -> Self | None:
        """The frontier in a state folder; None if no crawl has been there.

        Raises:
            FrontierError: a crawl is working on it, or it cannot be used.
        """
        return cls(open_store("sqlite", folder, policy, now)) if (folder / SQLITE_FILE).exists() else None

    def introduce(self, site: str, own: Frontier, now: float) -> None:
        """Let our frontier know, before it first asks a site, that the other crawl asked it a moment ago.

        Args:
            site: registrable domain. The names are remembered, as our frontier remembers sites where something waits.
            own: our frontier.
            now: seconds since the epoch.
        """
        if site in self._met:
            return
        self._met.add(site)
        known = self._store.site(site)
        if known is None or known.release <= now:
            return
        # As if we had made that visit now: the site then waits a whole delay, and what it is owed for its troubles.
        last, left = known.samples[-1] if known.samples else None, known.release - now
        visit = Outcome(End.DONE, response_time=last, crawl_delay=known.crawl_delay or None, retry_after=left)
        own.charge(site, visit, now)

    def leaves_alone(self, site: str) -> bool:
        """Whether the other crawl does not ask a site any more: it sent us away, is dead, or the operator said so."""
        known = self._store.site(site)
        return known is not None and (known.gone or known.state is SiteState.PAUSED)

    def tell(self, site: str, outcome: Outcome, now: float) -> None:
        """Tell the other frontier of a visit of ours."""
        if outcome.asked:
            self._store.charge(site, outcome, now)
            self._store.commit()

    def close(self) -> None:
        """Let go of it."""
        self._store.close()
