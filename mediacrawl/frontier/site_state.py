"""The states of a site and the transitions between them, as pure functions.

A site is at one of four places. At place *active* URLs wait there; it is *leased* while a request is out,
else *ready* once its due time has come, *waiting* before that, and *resting* if it is broken or asked to be left alone
for long. A leased site is settled when its lease ends (`place_of`, `due_and_rank`); a URL that is found at any other
active site may make it due earlier, or of a better rank (`after_find`). The Redis store does the same in Lua.
"""

from __future__ import annotations

import random
from collections.abc import Collection, Container, Sequence, Sized
from typing import NamedTuple, Protocol

from mediacrawl.base.queued import LINK_CLASS
from mediacrawl.base.terms import Candidate, Lease, SiteInfo, SiteState
from mediacrawl.frontier.order import RankOrder
from mediacrawl.politeness.delay import Clocks

_MOST_COARSE = 12
"""Classes of a site that are kept for coarse ones, at most: the folders of a usual site."""

OTHER = "other"
"""The link class of what finds no more room in a class of its own."""

AGAIN = "again"
"""The link class of what is revisited. It has room on every site: else all that is in `OTHER` got its score."""

_OWN = frozenset({AGAIN, LINK_CLASS})
"""Link classes that have a score of their own, and room on every site: revisits and data requests."""

IDLE, ACTIVE, PAUSED, RETIRED = range(4)
"""Places of a site: no URL waits there, something does, an operator has paused it, it is not requested any more."""
_SHELVED = {PAUSED: SiteState.PAUSED, RETIRED: SiteState.RETIRED}

MOST_CLASSES = 256
"""Link classes of a site that have a number."""


class _Names(Container[str], Sized, Protocol):
    """The names of a site's link classes."""


class RankedClass(Protocol):
    """A link class as the order of sites needs it."""

    @property
    def rank(self) -> int:
        """The rank of its score."""
        ...

    @property
    def held(self) -> float:
        """Until when it is not looked at, seconds since the epoch."""
        ...


class ClassHead(NamedTuple):
    """The first URL of a link class: the number and rank of the class, and the URL's place."""

    number: int
    rank: int
    head: int


def class_for(name: str, classes: _Names, limit: int) -> str:
    """The link class that a found URL joins on its site.

    When a site has too many classes, a URL joins a coarser one: of its folder, depth, extension and parameters. The
    last places are for those; what finds none there either joins `OTHER`.
    """
    if name in classes:
        return name
    number = len(classes)
    if name in _OWN:
        return name if number < MOST_CLASSES - 1 else OTHER
    if number < limit - 1 - coarse_classes(limit):
        return name
    coarse = coarse_class(name)
    return coarse if coarse in classes or number < limit - 1 else OTHER


def coarse_classes(limit: int) -> int:
    """How many of a site's link classes are kept for coarse ones."""
    return min(limit // 4, _MOST_COARSE)


def coarse_class(name: str) -> str:
    """The coarser link class of a URL whose own has no room on its site.

    ``a.org/episodes/#/kalo.html?page`` becomes ``/episodes 3 .html?page``: the first folder, the number of segments,
    the extension, the names of the parameters.
    """
    path, mark, query = name.partition(" ")[0].partition("?")
    *folders, last = path.split("/")[1:] or [""]
    extension = last.rpartition(".")[2] if "." in last else ""
    return f"/{folders[0] if folders else ''} {len(folders)} .{extension}{mark}{query}"


LONG_HELD = 1_800.0
"""Seconds beyond which a site all of whose classes are held counts as one that rests: no crawl stays for it."""


def rests(clocks: Clocks, due: float, now: float) -> bool:
    """Return whether a site where URLs wait rests: it is broken, or is not looked at again for long."""
    return clocks.rests or due - max(clocks.release, now) > LONG_HELD


def site_info(
    name: str,
    clocks: Clocks,
    place: int,
    due: float,
    now: float,
    *,
    earned: int,
    leased: bool,
    waiting: int,
    classes: tuple[tuple[str, float, int], ...],
) -> SiteInfo:
    """Return a site for an operator. `due` is when it is looked at, if it is active; all times are by one clock."""
    release = max(clocks.release, due) if place == ACTIVE and not leased else clocks.release
    if place in _SHELVED:
        state = _SHELVED[place]
    elif leased:
        state = SiteState.LEASED
    elif not waiting:
        state = SiteState.IDLE
    elif release <= now:
        state = SiteState.READY
    else:
        state = SiteState.RESTING if rests(clocks, release, now) else SiteState.WAITING
    standing = clocks.standing
    return SiteInfo(
        name=name,
        state=state,
        release=release,
        delay=clocks.delay,
        crawl_delay=clocks.crawl_delay,
        samples=clocks.samples,
        visits=clocks.visits,
        earned=earned,
        waiting=waiting,
        classes=classes,
        trouble=standing.trouble,
        troubles=standing.row,
        since=standing.since,
        level=standing.level,
        forbidden=standing.forbidden,
        gone=standing.gone,
    )


def lease_of(
    found: Candidate, number: int, clocks: Clocks, now: float, *, attempt: int, state: bytes, even: bool
) -> Lease:
    """Return the lease of a URL that is taken from its site."""
    return Lease(
        id=number,
        url=found.url,
        site=found.site,
        link_class=found.link_class,
        kind=found.kind,
        depth=found.depth,
        hops=found.hops,
        parent=found.parent,
        evidence=found.evidence,
        attempt=attempt,
        state=state,
        delay=clocks.delay,
        taken=now,
        troubles=clocks.standing.row,
        even=even,
        requested=found.requested,
    )


def place_of(place: int, *, waits: bool, spent: bool) -> int:
    """Return the place of a site that is not leased; an operator or a new budget takes it from one above `ACTIVE`."""
    if place > ACTIVE:
        return place
    if not waits:
        return IDLE
    return RETIRED if spent else ACTIVE


def due_and_rank(classes: Collection[RankedClass], release: float, now: float) -> tuple[float, int]:
    """When an active site is requested next, and the rank it has then.

    That is its release time and the best rank of its classes that are not held; if all are held, the end of the first
    hold.
    """
    free = [c for c in classes if c.held <= max(now, release)]
    due = release if free else max(release, min(c.held for c in classes))
    return due, max(c.rank for c in free or classes)


def after_find(
    due_now: tuple[float, int] | None, found: RankedClass, release: float, now: float
) -> tuple[float, int] | None:
    """Due time and rank of a site that is not leased after a URL was added to one of its classes; None: as before."""
    # Not earlier than now: it goes behind those that have been due for longer.
    due = max(release, found.held, now)
    if due_now is None:
        return due, found.rank
    before, rank = due_now
    if due < before and before > max(release, now):
        # All that waits is held; this is free sooner.
        return due, found.rank
    if found.rank > rank and found.held <= max(release, now):
        return before, found.rank
    return None


def choose_class(
    site_rank: int, free: Sequence[ClassHead], order: RankOrder, rng: random.Random, *, even: bool, oldest: bool
) -> ClassHead | None:
    """The class of a picked site whose first URL is leased; None if the site goes back to its place.

    With `even` the site was picked evenly at random; with `oldest`, since it has just failed, the URL that has waited
    longest goes first.
    """
    if not free or (not even and max(c.rank for c in free) < site_rank):
        # Nothing may be requested, or the site was picked for a rank that it does not have any more.
        return None
    if oldest:
        return min(free, key=lambda c: c.head)
    if even:
        return rng.choice(free)
    rank = order.choose({c.rank for c in free}, rng)
    return min((c for c in free if c.rank == rank), key=lambda c: c.head)
