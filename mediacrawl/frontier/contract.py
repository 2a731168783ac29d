"""What any frontier does. Every store passes the same tests (``tests/contract``)."""

from __future__ import annotations

from collections.abc import Container, Iterable, Sequence
from dataclasses import dataclass, field
from typing import Protocol

from mediacrawl.notes import Notes
from mediacrawl.politeness.delay import DelayPolicy
from mediacrawl.records import Added, Candidate, Lease, Outcome, SiteInfo


class FrontierError(Exception):
    """The store cannot be used. The message says what, where, and what to do."""


@dataclass(frozen=True, slots=True)
class FrontierPolicy:
    """The numbers of a frontier.

    Attributes:
        delay: how long a site is left alone after a request.
        explore: share of the picks, 0 to 1, made evenly at random over the ready sites and their classes, so
            that nothing starves; 2 % was enough in the measured runs.
        classes: link classes a site may have; what is beyond goes to the class ``other``, so that endless URL
            shapes cannot grow the table.
        attempts: how often a URL is asked before it is given up.
    """

    delay: DelayPolicy = field(default_factory=DelayPolicy)
    explore: float = 0.02
    classes: int = 60
    attempts: int = 3


@dataclass(frozen=True, slots=True)
class Counts:
    """The frontier in numbers.

    Attributes:
        seen: URLs ever accepted. It always equals ``waiting + leased + sum(ends.values())``.
        waiting: URLs that wait.
        leased: URLs that are out.
        ready: sites that could be asked now.
        penalty: sites in the penalty box.
        ends: how URLs ended, by ``done`` or the reason of the drop.
    """

    seen: int
    waiting: int
    leased: int
    ready: int
    penalty: int
    ends: dict[str, int]


class Frontier(Notes, Protocol):
    """Where URLs wait, and when a site may be asked.

    Every method raises `FrontierError` when its store fails (a full disk, say). The store is then as it was at its
    last commit and answers nothing more; what is to be done is to close it, and to start again when there is room.

    Times are seconds since the epoch and always an argument: a frontier has no clock. They come from a clock
    that does not jump while the process runs.

    After a kill at any instant a store opened again has every URL that `add` had answered for or that was
    committed with a lease, every release time, and gives each leased URL back. Delivery is at least once.
    """

    def add(self, candidates: Iterable[Candidate]) -> Added:
        """Let URLs join. A URL that was ever accepted is `Added.known` and never duplicated."""
        ...

    @property
    def recent(self) -> Container[str]:
        """Canonical URLs that were certainly accepted before: a hint that costs next to nothing, never complete."""
        ...

    def unknown(self, urls: Sequence[str]) -> list[str]:
        """Those of the canonical `urls` that were never accepted, in their order. One question a page."""
        ...

    def take(self, now: float, limit: int) -> list[Lease]:
        """Lease up to `limit` URLs, at most one per site, only of sites whose release time has come.

        The ready site with the best score goes first, in it the head of the best class. The leases are
        durable before this returns, so a site that is about to be asked is known as such after any kill.
        """
        ...

    def finish(self, lease: Lease, outcome: Outcome, now: float) -> None:
        """End a lease: the URL's end and the site's clocks in one write. A lease that is not out is ignored.

        With `Outcome.hold` the URL's class is not looked at again before that time; its site goes on with the others.
        A hold does not outlive the process.
        """
        ...

    def charge(self, site: str, outcome: Outcome, now: float) -> None:
        """Tell that a site was asked outside any lease (for a seed list): its delay counts from `now`."""
        ...

    def next_release(self) -> float | None:
        """When the next site may be asked (0.0: one is ready), or None if nothing waits."""
        ...

    def pending(self) -> int:
        """URLs that wait or are leased."""
        ...

    def counts(self) -> Counts:
        """The frontier in numbers."""
        ...

    def set_score(self, site: str, link_class: str, score: float) -> None:
        """Give a class a new score; unknown classes are ignored."""
        ...

    def prune(self, limit: int) -> int:
        """Forget waiting URLs until at most `limit` wait: worst classes first, newest first inside a class.

        They are forgotten in *seen* too, since important URLs will be found again. Answers how many went.
        """
        ...

    def site(self, name: str) -> SiteInfo | None:
        """A site as an operator sees it, or None if it was never met."""
        ...

    def commit(self) -> None:
        """Make everything so far durable against a kill of the process."""
        ...

    def close(self) -> None:
        """Give back what is leased, make all durable, let go of files. Safe to call twice."""
        ...
