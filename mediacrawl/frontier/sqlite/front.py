"""The front: the sites that the SQLite store holds in memory. All others wait on disk, in one index.

The file is the whole truth: each site with waiting URLs has its rank and the time it is due in its row, and one
index orders those rows by both. The front is only a cache of that index. So a start reads next to nothing, a kill
cannot spoil it, and a crawl of a million sites needs the memory of those that it is about to ask.
"""

from __future__ import annotations

import random
import sqlite3
from collections.abc import Container
from dataclasses import dataclass
from math import inf

from mediacrawl.frontier.order import RankOrder
from mediacrawl.frontier.penalty_box import PenaltyBox

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

    On disk: nothing of its own; it reads the index ``site_due``. What changed must be written before `pick`.

    Args:
        db: the store's connection.
        order: in which order ranks go.
        size: sites that are held at first, and at most.
        away: sites that are leased: they have a row, and are passed over.
        rng: source of chance.
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
