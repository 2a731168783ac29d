"""A site as the SQLite store has it in hand: while it is leased, and until what changed is written."""

from __future__ import annotations

import sqlite3
from collections import OrderedDict
from collections.abc import Iterable
from typing import Any

from mediacrawl.frontier.contract import SpoiledError
from mediacrawl.frontier.site_state import ACTIVE
from mediacrawl.frontier.sqlite.classes import HELD_SITES, LinkClass
from mediacrawl.frontier.sqlite.rows import UrlRow, pack_samples, pack_standing, unpack_samples, unpack_standing
from mediacrawl.politeness.delay import Clocks
from mediacrawl.records import Lease

_COLUMNS = "id, name, place, rank, due, release, delay, crawl_delay, samples, visits, earned, granted, rests, standing"
_UPDATE = (
    "UPDATE site SET place = ?, rank = ?, due = ?, release = ?, delay = ?, crawl_delay = ?, samples = ?, visits = ?,"
    " earned = ?, granted = ?, rests = ?, standing = ? WHERE id = ?"
)


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

    __slots__ = (
        "clocks",
        "due",
        "earned",
        "granted",
        "heads",
        "id",
        "lease",
        "link_class",
        "name",
        "place",
        "rank",
        "rests",
        "row",
    )

    def __init__(self, number: int, name: str, place: int, rank: int, due: float) -> None:
        self.id = number
        self.name = name
        self.place = place
        self.rank = rank
        self.due = due
        self.clocks = Clocks()
        self.earned = self.granted = 0
        self.rests = False
        self.lease: Lease | None = None
        self.link_class: LinkClass | None = None
        self.row: UrlRow | None = None
        self.heads: dict[int, int] = {}


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
    clocks = Clocks(release, delay, crawl_delay, unpack_samples(samples), visits, unpack_standing(standing))
    site.clocks = clocks.kept(site.rests or site.place != ACTIVE)
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
