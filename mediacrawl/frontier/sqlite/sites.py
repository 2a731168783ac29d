"""The sites that the SQLite store holds in memory: those that changed or are leased, and the front of those that wait.

The file is the whole truth: each site with waiting URLs has its rank and the time it is due in its row, and one
index orders those rows by both. The front is only a cache of that index. So a start reads next to nothing, a kill
cannot spoil it, and a crawl of a million sites needs the memory of those that it is about to ask.
"""

from __future__ import annotations

import random
import sqlite3
from collections import OrderedDict
from collections.abc import Container, Iterable
from dataclasses import dataclass, field
from math import inf
from typing import Any

from mediacrawl.base.terms import Lease
from mediacrawl.frontier.contract import SpoiledError
from mediacrawl.frontier.order import RankOrder
from mediacrawl.frontier.penalty_box import PenaltyBox
from mediacrawl.frontier.sqlite.queues import (
    HELD_SITES,
    LinkClass,
    UrlRow,
    pack_samples,
    pack_standing,
    unpack_samples,
    unpack_standing,
)
from mediacrawl.politeness.delay import Clocks

_COLUMNS = "id, name, place, rank, due, release, delay, crawl_delay, samples, visits, earned, granted, rests, standing"
_UPDATE = (
    "UPDATE site SET place = ?, rank = ?, due = ?, release = ?, delay = ?, crawl_delay = ?, samples = ?, visits = ?,"
    " earned = ?, granted = ?, rests = ?, standing = ? WHERE id = ?"
)


@dataclass(slots=True, eq=False)
class Site:
    """One site.

    Attributes:
        id, name, place, rank, due: as in the table.
        clocks: what decides when it may be requested.
        earned: media files found here.
        granted: visits that do not count against its budget.
        rests: whether it counts as one that waits and rests.
        lease: what is out, and `row` its row, and `link_class` the class of that.
        heads: while it is leased: class -> place of its first row, for the classes that have any beside the leased.
    """

    id: int
    name: str
    place: int
    rank: int
    due: float
    clocks: Clocks = field(default_factory=Clocks)
    earned: int = 0
    granted: int = 0
    rests: bool = False
    lease: Lease | None = None
    link_class: LinkClass | None = None
    row: UrlRow | None = None
    heads: dict[int, int] = field(default_factory=dict)


class SiteTable:
    """The table of sites: some of them in memory, and of these what was changed and is not written yet.

    On disk: table ``site``. In memory: the `HELD_SITES` used last, and the changed ones until `flush`. There is never a
    second object for a site that is here; who holds one that may have left asks there first.
    """

    def __init__(self, db: sqlite3.Connection) -> None:
        self._db = db
        self._held: OrderedDict[int, Site] = OrderedDict()
        self._names: dict[str, Site] = {}
        self._changed: dict[int, Site] = {}

    def __bool__(self) -> bool:
        return bool(self._changed)

    def named(self, name: str) -> Site | None:
        """The site of this name, or None."""
        site = self._names.get(name)
        if site is None:
            return self._read("name", name)
        self._held.move_to_end(site.id)
        return site

    def numbered(self, number: int) -> Site:
        """The site of this number.

        Raises:
            SpoiledError: it is not there, though a row says so.
        """
        site = self._held.get(number) or self._read("id", number)
        if site is None:
            raise SpoiledError("a site that has something waiting is not in the table of sites")
        return site

    def make(self, name: str, place: int, rank: int = 0, due: float = 0.0) -> Site:
        """A new site."""
        row = (name, place, rank, due)
        cursor = self._db.execute("INSERT INTO site (name, place, rank, due) VALUES (?, ?, ?, ?)", row)
        assert cursor.lastrowid is not None
        return self._hold(Site(cursor.lastrowid, *row))

    def change(self, site: Site) -> None:
        """A site is to be written."""
        self._changed[site.id] = self._hold(site)

    def flush(self) -> None:
        """Write what changed, into the open transaction."""
        if self._changed:
            self._db.executemany(_UPDATE, [_row(site) for site in self._changed.values()])
            self._changed.clear()

    def among(self, place: int) -> Iterable[Site]:
        """The sites at a place that is not common: paused, retired. What changed must be written."""
        rows = self._db.execute(f"SELECT {_COLUMNS} FROM site WHERE place = ? AND place > 1", (place,)).fetchall()
        return [_site(row) for row in rows]

    def _read(self, column: str, value: str | int) -> Site | None:
        row = self._db.execute(f"SELECT {_COLUMNS} FROM site WHERE {column} = ?", (value,)).fetchone()
        return self._hold(_site(row)) if row else None

    def _hold(self, site: Site) -> Site:
        held = self._held
        held[site.id] = self._names[site.name] = site
        held.move_to_end(site.id)
        while len(held) > HELD_SITES and (oldest := next(iter(held))) not in self._changed:
            del self._names[held.pop(oldest).name]
        return site


def _site(row: tuple[Any, ...]) -> Site:
    site = Site(*row[:5])
    release, delay, crawl_delay, samples, visits, site.earned, site.granted, rests, standing = row[5:]
    site.rests = bool(rests)
    site.clocks = Clocks(release, delay, crawl_delay, unpack_samples(samples), visits, unpack_standing(standing))
    return site


def _row(site: Site) -> tuple[object, ...]:
    clocks = site.clocks
    return (
        site.place,
        site.rank,
        site.due,
        clocks.release,
        clocks.delay,
        clocks.crawl_delay,
        pack_samples(clocks.samples),
        clocks.visits,
        site.earned,
        site.granted,
        site.rests,
        pack_standing(clocks.standing),
        site.id,
    )


WAKE = 64
"""Sites that are read at a time: two batches of leases."""

GROW = 1_000
"""Sites by which the front grows when it proves too small; BUbiNG's step."""

_NEXT = (
    "SELECT id, due FROM site WHERE place = 1 AND rank = ? AND due >= ? AND (due > ? OR id > ?) AND due <= ?"
    " ORDER BY due, id LIMIT ?"
)
_LATER = "SELECT due FROM site WHERE place = 1 AND rank = ? AND due > ? ORDER BY due LIMIT 1"
_RANK = "SELECT max(rank) FROM site WHERE place = 1 AND rank < ?"
_FIRST = "SELECT min(due) FROM site WHERE place = 1 AND rank = ?"
_EVEN = "SELECT id FROM site WHERE id BETWEEN ? AND ? AND place = 1 AND due <= ? ORDER BY id LIMIT 1"


@dataclass(slots=True)
class _Group:
    """The sites of one rank, as far as they are on disk only.

    `first` is a time before which none of them is due. Those up to the mark (`due`, `site`) have been read.
    """

    first: float = -inf
    due: float = -inf
    site: int = -1


class Front:
    """Which site is next, of those in memory and those on disk together.

    On disk: nothing of its own; it reads the index ``site_due``. What changed must be written before `pick`. The
    sites in `away` are leased: they have a row, and are passed over. `size`: sites held at first, and at most.
    """

    def __init__(
        self,
        db: sqlite3.Connection,
        order: RankOrder,
        size: tuple[int, int],
        away: Container[int],
        rng: random.Random,
    ) -> None:
        self._db = db
        self._order = order
        self._most = max(size[1], 1)
        self.bound = min(max(size[0], 1), self._most)
        """Sites that are held now; more each time one had to be read back as soon as it was due."""
        self._away = away
        self._rng = rng
        self._box = PenaltyBox(rng)
        self._groups: dict[int, _Group] = {}
        self.active = 0
        """Sites that have waiting URLs and may be requested, those that are leased counted. The store counts."""
        self.leased = 0
        """Those of them that are leased."""
        self._now = -inf
        self._trimmed = inf
        self._read_ranks()

    def __len__(self) -> int:
        return len(self._box)

    @property
    def ready(self) -> int:
        """Sites in memory that may be requested now."""
        return self._box.ready

    @property
    def _on_disk(self) -> bool:
        """Whether any of them waits on disk only."""
        return self.active > len(self._box) + self.leased

    def put(self, site: int, due: float, rank: int) -> None:
        """A site waits, and its row says so, or will when `trim` and `pick` look. It is held in memory."""
        self._box.put(site, due, rank)

    def found(self, site: int, due: float, rank: int) -> None:
        """A site that was not leased has got something, or a better rank. With a full front it waits on disk."""
        if site in self._box or len(self._box) < self.bound:
            self._box.put(site, due, rank)
            return
        group = self._groups.setdefault(rank, _Group(first=due))
        group.first = min(group.first, due)
        if (due, site) <= (group.due, group.site):
            group.due, group.site = due, -1

    def remove(self, site: int) -> None:
        """A site has no waiting URL, or may not be requested."""
        self._box.remove(site)

    def trim(self) -> None:
        """If more sites are held than there is room for, hold only the better half.

        The others are found again on disk, from the beginning of each rank.
        """
        if len(self._box) > self.bound:
            self._box.trim(self.bound // 2)
            self._trimmed = self._now
            self._read_ranks()

    def pick(self, now: float) -> int | None:
        """Take the next site that may be requested, or None."""
        self._now = now
        self._box.release(now)
        while ranks := {*self._box.ranks, *self._asleep(now)}:
            rank = self._order.choose(ranks, self._rng)
            self._wake_older(rank, now)
            if rank in self._box.ranks:
                return self._box.pick(rank)
        return None

    def pick_even(self, now: float) -> int | None:
        """Take any site that may be requested, each with nearly the same chance, or None."""
        self._box.release(now)
        site = self._even_on_disk(now) if self._on_disk else None
        if site is None:
            return self._box.pick_even()
        self._box.remove(site)
        return site

    def next_release(self) -> float | None:
        """0.0 if a site may be requested, else a time before which none may, or None if none waits."""
        held = self._box.next_release()
        times = [group.first for group in self._groups.values() if group.first < inf] if self._on_disk else []
        if held is not None:
            times.append(held)
        return max(min(times), 0.0) if times else None

    def _asleep(self, now: float) -> list[int]:
        """The ranks of which a site may be due on disk."""
        return [rank for rank, group in self._groups.items() if group.first <= now] if self._on_disk else []

    def _wake_older(self, rank: int, now: float) -> None:
        """Read the sites of a rank that have been due longer than those of it in memory."""
        group = self._groups.get(rank)
        while group is not None and self._on_disk and group.first <= now:
            if rank in self._box.ranks and self._box.head(rank) <= group.first:
                return
            self._wake(rank, group, now)

    def _wake(self, rank: int, group: _Group, now: float) -> None:
        """Read the next sites of a rank that are due, and what comes after them."""
        found = self._db.execute(_NEXT, (rank, group.due, group.due, group.site, now, WAKE)).fetchall()
        early = 0
        for site, due in found:
            if site not in self._box and site not in self._away:
                self._box.put(site, due, rank)
                early += due > self._trimmed
        if found:
            group.site, group.due = found[-1]
        if early > WAKE // 2:
            self.bound = min(self.bound + GROW, self._most)
        group.first = group.due if len(found) == WAKE else self._first_after(rank, now)
        self._box.release(now)

    def _first_after(self, rank: int, now: float) -> float:
        later = self._db.execute(_LATER, (rank, now)).fetchone()
        return later[0] if later else inf

    def _read_ranks(self) -> None:
        self._groups.clear()
        (rank,) = self._db.execute(_RANK, (1 << 62,)).fetchone()
        while rank is not None:
            (due,) = self._db.execute(_FIRST, (rank,)).fetchone()
            self._groups[rank] = _Group(first=due)
            (rank,) = self._db.execute(_RANK, (rank,)).fetchone()

    def _even_on_disk(self, now: float) -> int | None:
        (last,) = self._db.execute("SELECT coalesce(max(id), 0) FROM site").fetchone()
        for _ in range(_TRIES):
            low = self._rng.randint(1, max(last, 1))
            row = self._db.execute(_EVEN, (low, low + _NEAR, now)).fetchone()
            if row is not None and row[0] not in self._away:
                return int(row[0])
        return None


_TRIES = 3
_NEAR = 100
"""Rows that are looked at for an even pick."""
