"""Sites in Redis: one msgpack value each, with the site's clocks and its link classes."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import msgpack

from mediacrawl.base.terms import SiteInfo
from mediacrawl.frontier.contract import SpoiledError
from mediacrawl.frontier.redis.errors import spoiled
from mediacrawl.frontier.redis.session import Scripts
from mediacrawl.frontier.site_state import (
    RETIRED,
    pack_samples,
    pack_standing,
    site_info,
    unpack_samples,
    unpack_standing,
)
from mediacrawl.politeness.delay import Clocks, DelayPolicy

Promise = tuple[bool, float, str, int, int]
"""Of a class where URLs wait: whether its site is not retired, its score, site, number and URLs. The least sorts
first, and is pruned first."""

_NAMES = 1_000
"""Names of sites that are read at a time."""


@dataclass(frozen=True, slots=True)
class StoredClass:
    """A link class: its name, its score, the URLs that wait, and how many of its list's first element were taken."""

    name: str
    score: float
    waiting: int
    off: int


@dataclass(frozen=True, slots=True)
class StoredSite:
    """A site.

    Attributes:
        name: registrable domain.
        clocks: when it may be requested.
        version: of the clocks; each change increments it.
        earned: media files found there.
        place: idle, active, paused or retired, see `frontier.site_state`.
        due: when it is looked at, if it waits.
        rank: of its best class.
        leased: whether one of its URLs is leased.
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
    classes: tuple[StoredClass, ...]

    def info(self, now: float) -> SiteInfo:
        """Return the site for an operator."""
        classes = tuple((found.name, found.score, found.waiting) for found in self.classes)
        return site_info(
            self.name,
            self.clocks,
            self.place,
            self.due,
            now,
            earned=self.earned,
            leased=self.leased,
            waiting=self.waiting,
            classes=classes,
        )

    def promises(self) -> Iterator[Promise]:
        """The classes where URLs wait."""
        for number, found in enumerate(self.classes):
            if found.waiting:
                yield self.place != RETIRED, found.score, self.name, number, found.waiting


class Sites:
    """Reads sites."""

    def __init__(self, scripts: Scripts) -> None:
        self._scripts = scripts

    def state(self, name: str) -> StoredSite | None:
        """A site, or None if it was never met."""
        packed = self._scripts.ask("GET", self._scripts.key("site", name))
        return None if packed is None else self._read(name, packed)

    def read_many(self, names: Sequence[str]) -> Iterator[StoredSite]:
        """Those of some sites that are there, in one round trip."""
        key = self._scripts.key
        for name, packed in zip(names, self._scripts.ask("MGET", *(key("site", name) for name in names)), strict=True):
            if packed is not None:
                yield self._read(name, packed)

    def _read(self, name: str, packed: bytes) -> StoredSite:
        try:
            return read_site(name, packed)
        except SpoiledError as error:
            raise SpoiledError(f"{self._scripts.key('site', name)}: {error}") from error

    def names(self, after: str = "") -> Iterator[str]:
        """Names of sites where URLs wait, sorted, those behind `after`."""
        key, low = self._scripts.key("names"), f"({after}" if after else "-"
        while names := self._scripts.ask("ZRANGEBYLEX", key, low, "+", "LIMIT", 0, _NAMES):
            try:
                yield from [name.decode() for name in names]
            except UnicodeDecodeError as error:
                raise spoiled(key) from error
            low = b"(" + names[-1]

    def under(self, domain: str, after: str, limit: int) -> list[str]:
        """As `Frontier.sites_under`."""
        below, found = f".{domain}", list[str]()
        for name in self.names(after):
            if not domain or name == domain or name.endswith(below):
                found.append(name)
            if len(found) >= limit:
                break
        return found


def read_site(name: str, packed: bytes) -> StoredSite:
    """Read a site as the scripts write it.

    Raises:
        SpoiledError: the scripts did not write this.
    """
    try:
        fields = msgpack.unpackb(packed, raw=True)
        clocks, version = read_clocks((*fields[:6], fields[10]))
        earned, _, place, due, rank, _, lease, _, waiting, classes = fields[11:]
        return StoredSite(
            name=name,
            clocks=clocks,
            version=version,
            earned=int(earned),
            place=int(place),
            due=float(due),
            rank=int(rank),
            leased=lease != 0,
            waiting=int(waiting),
            classes=tuple(
                StoredClass(found[0].decode("utf-8", "surrogatepass"), float(found[1]), int(found[4]), int(found[5]))
                for found in classes
            ),
        )
    except (ValueError, TypeError, IndexError, AttributeError, msgpack.exceptions.UnpackException) as error:
        raise SpoiledError(f"what is known of the site {name} cannot be read") from error


def read_clocks(fields: Any) -> tuple[Clocks, int]:
    """Read a site's clocks and their version, as the scripts answer them.

    Raises:
        SpoiledError: the scripts do not answer this.
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


def clocks_in(answer: bytes) -> tuple[Clocks, int]:
    """The clocks in the answer of a script that found them changed."""
    return read_clocks(msgpack.unpackb(answer, raw=True))


def pack_clocks(clocks: Clocks, before: Clocks, now: float, policy: DelayPolicy) -> dict[str, Any]:
    """A site's clocks as an argument of a script.

    Args:
        clocks: the new ones.
        before: the ones that they were made of; an unchanged release time is not written.
        now: seconds since the epoch, by the clock of `clocks`.
        policy: numbers of the delay's formula.
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
        # The site's delay if its worker dies, which may have asked it a moment before.
        "owed": max(clocks.delay, policy.delay(clocks.samples, clocks.crawl_delay)),
    }
    if clocks.release != before.release:
        packed["release"] = clocks.release
    return packed
