"""A site as the Redis store keeps it: one value in msgpack, with its clocks and its classes."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import msgpack

from mediacrawl.frontier.contract import SpoiledError
from mediacrawl.frontier.site_state import ACTIVE, PAUSED, RETIRED, rests, site_state, standing_fields
from mediacrawl.frontier.sqlite.rows import pack_samples, pack_standing, unpack_samples, unpack_standing
from mediacrawl.politeness.delay import Clocks, DelayPolicy
from mediacrawl.records import SiteInfo, SiteState

_STATES = {PAUSED: SiteState.PAUSED, RETIRED: SiteState.RETIRED}


@dataclass(frozen=True, slots=True)
class ClassState:
    """A link class: its name, its score, the URLs that wait, and how many of its list's first element were taken."""

    name: str
    score: float
    waiting: int
    off: int


@dataclass(frozen=True, slots=True)
class State:
    """A site.

    Attributes:
        name: registrable domain.
        clocks: when it may be asked.
        version: of the clocks; each change has another.
        earned: media files found there.
        place: see ``sites.py``.
        due: when it is looked at, if it waits.
        rank: in which order it is.
        leased: whether one of its URLs is out.
        waiting: URLs that wait there.
        classes: in the order in which they were met.
    """

    name: str
    clocks: Clocks
    version: int
    earned: int
    place: int
    due: float
    rank: int
    leased: bool
    waiting: int
    classes: tuple[ClassState, ...]

    def info(self, now: float) -> SiteInfo:
        """The site as an operator sees it.

        Args:
            now: seconds since the epoch.
        """
        clocks = self.clocks
        waits = self.place == ACTIVE and not self.leased
        release = max(clocks.release, self.due) if waits else clocks.release
        asleep = rests(clocks, release, now)
        state = site_state(leased=self.leased, waiting=self.waiting, rests=asleep, due=release <= now)
        return SiteInfo(
            name=self.name,
            state=_STATES.get(self.place, state),
            release=release,
            delay=clocks.delay,
            crawl_delay=clocks.crawl_delay,
            samples=clocks.samples,
            visits=clocks.visits,
            earned=self.earned,
            waiting=self.waiting,
            classes=tuple((found.name, found.score, found.waiting) for found in self.classes),
            **standing_fields(clocks.standing),
        )

    def promises(self) -> Iterator[tuple[bool, float, str, int, int]]:
        """Of each class with something waiting: whether it is asked, its score, the site, its number, its URLs."""
        for number, found in enumerate(self.classes):
            if found.waiting:
                yield self.place != RETIRED, found.score, self.name, number, found.waiting


def read_site(name: str, packed: bytes) -> State:
    """A site as the scripts wrote it.

    Raises:
        SpoiledError: they did not write this.
    """
    try:
        fields = msgpack.unpackb(packed, raw=True)
        clocks, version = read_clocks((*fields[:6], fields[10]))
        earned, _, place, due, rank, _, lease, _, waiting, classes = fields[11:]
        return State(
            name=name,
            clocks=clocks.kept(bool(fields[6])),
            version=version,
            earned=int(earned),
            place=int(place),
            due=float(due),
            rank=int(rank),
            leased=lease != 0,
            waiting=int(waiting),
            classes=tuple(
                ClassState(found[0].decode("utf-8", "surrogatepass"), float(found[1]), int(found[4]), int(found[5]))
                for found in classes
            ),
        )
    except (ValueError, TypeError, IndexError, AttributeError, msgpack.exceptions.UnpackException) as error:
        raise SpoiledError(f"what is known of the site {name} cannot be read") from error


def read_clocks(fields: Any) -> tuple[Clocks, int]:
    """A site's clocks, and their version, as the scripts tell them.

    Raises:
        SpoiledError: they do not tell this.
    """
    try:
        release, delay, crawl_delay, samples, visits, standing, version = fields
        clocks = Clocks(
            release=float(release),
            delay=float(delay),
            crawl_delay=float(crawl_delay),
            samples=unpack_samples(samples),
            visits=int(visits),
            standing=unpack_standing(standing),
        )
        return clocks, int(version)
    except (ValueError, TypeError) as error:
        raise SpoiledError("the clocks of a site cannot be read") from error


def pack_clocks(clocks: Clocks, before: Clocks, now: float, policy: DelayPolicy) -> dict[str, Any]:
    """A site's clocks for the scripts.

    Args:
        clocks: as they are to be.
        before: as they were: a release time that did not change is left alone.
        now: seconds since the epoch, by the clock that `clocks` was made with.
        policy: the formula's numbers.
    """
    packed = {
        "now": now,
        "delay": clocks.delay,
        "crawl_delay": clocks.crawl_delay,
        "samples": pack_samples(clocks.samples),
        "visits": clocks.visits,
        "standing": pack_standing(clocks.standing),
        "asleep": int(clocks.rests),
        "gone": int(clocks.standing.gone),
        "troubles": clocks.standing.row,
        # What the site waits if its worker dies: it may have been asked a moment before.
        "owed": max(clocks.delay, policy.delay(clocks.samples, clocks.crawl_delay)),
    }
    if clocks.release != before.release:
        packed["release"] = clocks.release
    return packed
