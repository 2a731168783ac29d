"""What any frontier does. Every store passes the same tests (``tests/contract``)."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from concurrent.futures import Future
from dataclasses import dataclass, field
from typing import Protocol, runtime_checkable

from mediacrawl.base.notes import Notes
from mediacrawl.base.terms import Added, Candidate, Drop, Lease, Outcome, SiteInfo
from mediacrawl.frontier.order import BestFirst, RankOrder
from mediacrawl.frontier.seen import RecentUrls
from mediacrawl.politeness.delay import DelayPolicy


class FrontierError(Exception):
    """The store cannot be used. The message says what, where, and what to do.

    Attributes:
        reason: why a crawl ends that meets it, in its stat ``finish_reason``.
    """

    reason = "frontier_error"


class FrontierBusyError(FrontierError):
    """Another process works on the store."""


class FrontierAwayError(FrontierError):
    """The store cannot be asked now, and may be later. What was told waits."""


class FrontierLostError(FrontierError):
    """What the crawl kept in the store is gone. To start again without a person's decision makes it worse."""

    reason = "frontier_lost"


class SpoiledError(Exception):
    """What the store's file holds was not written by the store. For stores only; others meet a `FrontierError`."""


@dataclass(frozen=True, slots=True)
class FrontierPolicy:
    """The numbers of a frontier.

    Attributes:
        delay: how long a site is left alone after a request.
        order: in which order ready sites, and the classes of a site, are asked.
        explore: share of the picks, 0 to 1, made evenly at random over the ready sites and their classes, so
            that nothing starves; 2 % was enough in the measured runs.
        classes: link classes a site may have, 2 to 256; what is beyond goes to the class ``other``, so that endless
            URL shapes cannot grow the table.
        attempts: how often a URL is requested before it is given up.
        budget: requests that a site gets, 0 for any number. Then it is retired: its URLs are not requested.
        earns: further requests that it gets for each find there.
        most: requests that it gets in all, however many finds there are; 0 for any number.
        front_least: sites that are held in memory at first.
        front_most: sites that are held in memory at most.
        cache: bytes of the file that are held in memory.
        bloom: URLs that a Bloom filter before the table of seen keys is made for; 0 for no filter.

    Raises:
        ValueError: a number is out of its range.
    """

    delay: DelayPolicy = field(default_factory=DelayPolicy)
    order: RankOrder = field(default_factory=BestFirst)
    explore: float = 0.02
    classes: int = 60
    attempts: int = 3
    budget: int = 0
    earns: int = 20
    most: int = 0
    front_least: int = 1_000
    front_most: int = 100_000
    cache: int = 16 * 1024 * 1024
    bloom: int = 0

    def __post_init__(self) -> None:
        if not 2 <= self.classes <= 256:
            raise ValueError(f"the number of link classes of a site must be 2 to 256, not {self.classes}")

    def spent(self, visits: int, earned: int) -> bool:
        """Whether a site has had all the requests that it gets."""
        return bool(self.budget) and visits >= self.budget + self.further(earned)

    def further(self, earned: int) -> int:
        """The further requests that a site gets for its finds."""
        further = self.earns * earned
        return min(further, max(self.most - self.budget, 0)) if self.most else further


@dataclass(frozen=True, slots=True)
class Counts:
    """The frontier in numbers.

    Attributes:
        seen: URLs ever accepted. ``seen + again`` always equals ``waiting + leased + sum(ends.values())``.
        waiting: URLs that wait.
        leased: URLs that are out.
        ready: sites held in memory that could be requested now.
        penalty: the other sites where URLs wait: in the penalty box, or on disk until there is room.
        ends: how URLs ended, by ``done`` or the reason of the drop.
        sites: sites where URLs wait or are leased, paused and retired ones not counted.
        most: the most sites there ever were at one time.
        shelved: URLs among the waiting whose site is paused or retired: they are not requested.
        shelved_sites: how many sites are paused, and how many retired.
        resting: sites among `sites` that rest: they are broken, or asked to be left alone for more than a day, or all
            that waits there is held for long.
        again: how often one of them was added again after it had ended (`Frontier.rejoin`). A revisit that was
            pruned does not count.
        bytes: that the URLs that wait take in the store, with all that is known of them. Those that are leased count
            where the store keeps their place.
    """

    seen: int
    waiting: int
    leased: int
    ready: int
    penalty: int
    ends: dict[str, int]
    sites: int = 0
    most: int = 0
    shelved: int = 0
    shelved_sites: tuple[int, int] = (0, 0)
    resting: int = 0
    again: int = 0
    bytes: int = 0


class Frontier(Notes, Protocol):
    """Where URLs wait, and when a site may be requested.

    Every method raises `FrontierError` when its store fails (a full disk, say). The store is then as it was at its
    last commit and answers nothing more; what is to be done is to close it, and to start again when there is room.

    Times are seconds since the epoch and always an argument: a frontier has no clock. They come from a clock
    that does not jump while the process runs.

    After a kill at any instant a store opened again is as it was at its last commit, and there is one before leases go
    out: it has every release time, gives each leased URL back, and what was added since then is found again, since the
    pages that name it were not finished either. Delivery is at least once.
    """

    def add(self, candidates: Iterable[Candidate]) -> Added:
        """Add URLs. A URL that was ever accepted is `Added.known` and never duplicated."""
        ...

    def rejoin(self, candidate: Candidate) -> bool:
        """Add a URL again that has ended, for a revisit. It ends once more, too.

        It joins its class as any other URL does, but its score is the class's new one. Who asks has seen it end; asked
        twice, also when a kill came between, it waits once.

        Args:
            candidate: the URL, and what is known of it now.

        Returns:
            Whether it joined. It does not while it waits or is leased for a revisit, nor if it was never accepted. A
            store on another machine answers that it was told.
        """
        ...

    @property
    def recent(self) -> RecentUrls:
        """Canonical URLs that were certainly accepted before: a hint that costs next to nothing, never complete."""
        ...

    def unknown(self, urls: Sequence[str]) -> list[str]:
        """Those of the canonical `urls` that were never accepted, in their order. One question a page."""
        ...

    def take(self, now: float, limit: int) -> list[Lease]:
        """Lease up to `limit` URLs, at most one per site, only of sites whose release time has come.

        Of the ready sites those of the rank that `FrontierPolicy.order` chooses go first, the one due longest before
        the others; in it the class of the chosen rank whose head has waited longest. At a site that has just failed it
        is the URL that has waited longest, of any class, so that one bad URL is not taken for a bad site. Of a share
        `FrontierPolicy.explore` of the picks chance decides instead, and `Lease.even` says so. It never waits for a
        better site. The leases are durable before this returns, so a site that is about to be requested is known as
        such after any kill.
        """
        ...

    def finish(self, lease: Lease, outcome: Outcome, now: float) -> None:
        """End a lease: the URL's end and the site's clocks in one write. A lease that is not out is ignored.

        With `Outcome.hold` the URL's class is not looked at again before that time; its site continues with the others.
        A site that has spent its budget (`FrontierPolicy.spent`), or is gone by its standing, is retired.
        """
        ...

    def charge(self, site: str, outcome: Outcome, now: float) -> None:
        """Tell that a site was requested outside any lease (for a seed list): its delay counts from `now`.

        With `Outcome.asked` false it was not requested, and only the finds that it led to count.
        """
        ...

    def next_release(self) -> float | None:
        """When the next site may be requested (0.0: one is ready), or None if no URL waits."""
        ...

    def pending(self) -> int:
        """URLs that wait or are leased. Those of paused and retired sites do not count: the crawl ends without them.

        Nor does it wait for sites that rest: while nothing else is left, and none of them is due, this is 0. A site
        whose rest is over and whose request was put off (`Outcome.wait`) does not rest any more.
        """
        ...

    def counts(self) -> Counts:
        """The frontier in numbers."""
        ...

    def set_scores(self, site: str, scores: Mapping[str, float]) -> None:
        """Give classes of a site new scores, in one step. No row of a URL is touched, so it costs next to nothing.

        Args:
            site: its name.
            scores: by the name of the class; unknown classes, and scores that are no finite number, are ignored.
        """
        ...

    def pause(self, site: str) -> bool:
        """Ask a site no more until `resume`: its URLs continue to wait. Answers whether the site is known.

        What is out comes back as usual.
        """
        ...

    def resume(self, site: str) -> bool:
        """Ask a paused or retired site again, the latter with a new budget. Answers whether it was either.

        Nothing is held against a site that was gone any more; its release time stays.
        """
        ...

    def drop(self, site: str, reason: Drop, which: Callable[[str], bool] | None = None) -> int:
        """End all that waits on a site for this reason; answers how many URLs. What is out comes back as usual.

        With `which` only those URLs of which it is true.
        """
        ...

    def sites_under(self, domain: str = "", after: str = "", limit: int = 1_000) -> list[str]:
        """Names of sites where URLs wait, in their order: those of a domain and below it, or all.

        Args:
            domain: in canonical form; empty for all sites.
            after: only names that follow this one, so that many are read a slice at a time.
            limit: names at most. A domain with fewer sites than that below it costs a walk over all names.
        """
        ...

    def prune(self, limit: int) -> int:
        """Forget waiting URLs until at most `limit` wait: worst classes first, newest first inside a class.

        They are forgotten in *seen* too, since important URLs will be found again; but not those that had ended before
        (`rejoin`): these only lose their revisit. Answers how many went.
        """
        ...

    def site(self, name: str) -> SiteInfo | None:
        """A site as an operator sees it, or None if it was never met."""
        ...

    def holds(self, lease: Lease) -> bool:
        """Whether a lease is out, and stays so for as long as its visit may take: else nothing may be requested."""
        ...

    def commit(self) -> None:
        """Make everything so far durable against a kill of the process."""
        ...

    def close(self) -> None:
        """Give back what is leased, make all durable, let go of files. Safe to call twice."""
        ...


@runtime_checkable
class Remote(Protocol):
    """What a frontier does beside that is kept by another machine."""

    def listen(self, wake: Callable[[], None]) -> None:
        """Have something called, from another thread, whenever leases have come or the crawl may be over."""
        ...

    def hand_in(self, candidates: Iterable[Candidate]) -> Future[Added]:
        """As `add`; the answer comes when they are kept, and is told in another thread."""
        ...

    def tallies(self) -> Counter[str]:
        """What was learned since the last call, to be added to the crawl's stats."""
        ...

    def settle(self, seconds: float = ...) -> bool:
        """Wait until all that was told is kept, and `counts` gives numbers of this moment; answers whether it is so.

        Raises:
            FrontierError: the frontier is lost, or cannot be used any more.
        """
        ...

    def later(self, namespace: str, key: str, change: Callable[[bytes | None], bytes]) -> Future[bytes]:
        """As `update_note`; the answer comes when it comes, and is told in another thread."""
        ...

    def give_up(self) -> None:
        """Called once a second while the crawl closes: futures whose answer does not come raise `FrontierAwayError`."""
        ...

    def server_time(self) -> float:
        """The clock that all workers share, seconds since the epoch."""
        ...
