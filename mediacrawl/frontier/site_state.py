"""What every store decides alike."""

from __future__ import annotations

from collections.abc import Container, Sized
from typing import Any, Protocol

from mediacrawl.politeness.backoff import Standing
from mediacrawl.politeness.delay import Clocks
from mediacrawl.records import SiteState

OTHER = "other"
"""The link class of what finds no more room in a class of its own."""

AGAIN = "again"
"""The link class of what is visited anew. It has room on every site: else all that is in `OTHER` got its score."""

MOST_CLASSES = 256
"""Link classes of a site that have a number."""


class _Classes(Container[str], Sized, Protocol):
    """The names of a site's link classes."""


def class_for(name: str, classes: _Classes, limit: int) -> str:
    """The link class that a found URL joins on its site.

    Args:
        name: the class that its shape asks for.
        classes: those that the site has.
        limit: classes that a site may have, the one of the others included.
    """
    if name in classes:
        return name
    room = (MOST_CLASSES if name == AGAIN else limit) - 1
    return name if len(classes) < room else OTHER


LONG_HELD = 1_800.0
"""Seconds beyond which a site all of whose classes are held counts as one that rests: no crawl stays for it."""


def rests(clocks: Clocks, due: float, now: float) -> bool:
    """Whether a site where something waits rests.

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


def told(standing: Standing) -> dict[str, Any]:
    """A site's standing, as the fields of `SiteInfo` that tell it."""
    return {
        "trouble": standing.trouble,
        "troubles": standing.row,
        "since": standing.since,
        "level": standing.level,
        "forbidden": standing.forbidden,
        "gone": standing.gone,
    }
