"""The states of a site and the transitions between them, as pure functions.

A site is at one of four places. At place *active* URLs wait there; it is *leased* while a request is out,
else *ready* once its due time has come, *waiting* before that, and *resting* if it is broken or asked to be left alone
for long. A leased site is settled when its lease ends (`place_of`, `due_and_rank`); a URL that is found at any other
active site may make it due earlier, or of a better rank (`after_find`). The Redis store does the same in Lua.
"""

from __future__ import annotations

import random
from collections.abc import Collection, Container, Sequence, Sized
from typing import Any, NamedTuple, Protocol

from mediacrawl.frontier.order import RankOrder
from mediacrawl.politeness.backoff import Standing
from mediacrawl.politeness.delay import Clocks
from mediacrawl.records import SiteState
from mediacrawl.site_adapters.queued import LINK_CLASS

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

    Args:
        name: the class that its shape asks for.
        classes: those that the site has.
        limit: classes that a site may have, the one of the others included.
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


def is_overflow(name: str) -> bool:
    """Whether a link class is one of those that URLs join whose own class had no room."""
    return name == OTHER or name.startswith("/")


def coarse_classes(limit: int) -> int:
    """How many of a site's link classes are kept for coarse ones."""
    return min(limit // 4, _MOST_COARSE)


def coarse_class(name: str) -> str:
    """The coarser link class of a URL whose own has no room on its site.

    ``a.org/episodes/#/kalo.html?page`` becomes ``/episodes 3 .html?page``: the first folder, the number of segments,
    the extension, the names of the parameters.

    Args:
        name: a link class, as in `priority.link_class`, with or without a tag path.
    """
    path, mark, query = name.partition(" ")[0].partition("?")
    *folders, last = path.split("/")[1:] or [""]
    extension = last.rpartition(".")[2] if "." in last else ""
    return f"/{folders[0] if folders else ''} {len(folders)} .{extension}{mark}{query}"


LONG_HELD = 1_800.0
"""Seconds beyond which a site all of whose classes are held counts as one that rests: no crawl stays for it."""


def rests(clocks: Clocks, due: float, now: float) -> bool:
    """Whether a site where URLs wait rests.

    Args:
        clocks: of the site: it may be broken, or have asked for more than a day.
        due: when it is looked at again, which is later than its release time if all that waits is held.
        now: seconds since the epoch.
    """
    return clocks.rests or due - max(clocks.release, now) > LONG_HELD


def site_state(*, leased: bool, waiting: int, rests: bool, due: bool) -> SiteState:
    """The state of a site that is neither paused nor retired.

    Args:
        leased: whether a URL of it is out.
        waiting: URLs that wait there.
        rests: whether it asked for more than a day.
        due: whether its release time has come.
    """
    if leased:
        return SiteState.LEASED
    if not waiting:
        return SiteState.IDLE
    if due:
        return SiteState.READY
    return SiteState.RESTING if rests else SiteState.WAITING


def standing_fields(standing: Standing) -> dict[str, Any]:
    """A site's standing, as the fields of `SiteInfo` that tell it."""
    return {
        "trouble": standing.trouble,
        "troubles": standing.row,
        "since": standing.since,
        "level": standing.level,
        "forbidden": standing.forbidden,
        "gone": standing.gone,
    }


def place_of(place: int, *, waits: bool, spent: bool) -> int:
    """The place of a site that is not leased.

    Args:
        place: where it stands; only an operator or a new budget takes a site from the places above `ACTIVE`.
        waits: whether a URL waits there.
        spent: whether it has had all its requests, or is gone by its standing.
    """
    if place > ACTIVE:
        return place
    if not waits:
        return IDLE
    return RETIRED if spent else ACTIVE


def due_and_rank(classes: Collection[RankedClass], release: float, now: float) -> tuple[float, int]:
    """When an active site is requested next, and the rank it has then.

    That is its release time and the best rank of its classes that are not held; if all are held, the end of the first
    hold.

    Args:
        classes: those in which URLs wait; at least one.
        release: release time of the site, seconds since the epoch.
        now: seconds since the epoch.
    """
    free = [c for c in classes if c.held <= max(now, release)]
    due = release if free else max(release, min(c.held for c in classes))
    return due, max(c.rank for c in free or classes)


def after_find(
    due_now: tuple[float, int] | None, found: RankedClass, release: float, now: float
) -> tuple[float, int] | None:
    """Due time and rank of a site that is not leased after a URL was added to one of its classes; None: as before.

    Args:
        due_now: what they were; None if nothing waited there.
        found: the class.
        release: release time of the site, seconds since the epoch.
        now: seconds since the epoch.
    """
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

    Args:
        site_rank: the rank that the site was picked for.
        free: the classes with waiting URLs that are not held.
        order: in which order ranks go.
        rng: source of chance.
        even: whether the site was picked evenly at random.
        oldest: whether the URL that has waited longest goes first: the site has just failed.
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
