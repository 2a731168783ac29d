"""The front: the sites that wait, by release time, and those that may be requested, by rank.

The file is the whole truth: each site with waiting URLs has its rank and the time it is due in its row, and one
index orders those rows by both. The front is only a cache of that index. So a start reads next to nothing, a kill
cannot spoil it, and a crawl of a million sites needs the memory of those that it is about to ask.

In memory it is the penalty box: sites ordered by release time, and those let go by rank, the one due longest first in
each. Both orders are heaps with lazy deletion: an entry that no longer counts is skipped when it is met. So every
operation is O(log sites), whatever the number of sites; Scrapy's own queue walks all of them at each pop
(33 ms at 100,000 domains).
"""

from __future__ import annotations

import random
import sqlite3
from collections.abc import Collection, Container
from dataclasses import dataclass
from heapq import heapify, heappop, heappush, nsmallest
from itertools import count
from math import inf

from mediacrawl.frontier.order import RankOrder

_Item = tuple[float, int, int]
"""When a site is due, the token of its entry, its number."""


class _Entry:
    """A site in the box. `token` names its one valid heap item; `slot` is its place among the ready, or -1."""

    __slots__ = ("due", "rank", "site", "slot", "token")

    def __init__(self, site: int, due: float, rank: int, token: int) -> None:
        self.site = site
        self.due = due
        self.rank = rank
        self.token = token
        self.slot = -1


class PenaltyBox:
    """Sites that have waiting URLs and are not leased. In memory only, some 300 bytes a site.

    Attributes:
        ready: those that have been let go and not been picked yet.
    """

    def __init__(self, rng: random.Random | None = None) -> None:
        self._rng = rng or random.Random()
        self._entries: dict[int, _Entry] = {}
        self._penalty: list[_Item] = []
        self._ranked: dict[int, list[_Item]] = {}
        self._counts: dict[int, int] = {}
        self.ready: list[_Entry] = []
        self._tokens = count()

    def __len__(self) -> int:
        return len(self._entries)

    def __contains__(self, site: int) -> bool:
        return site in self._entries

    @property
    def ranks(self) -> Collection[int]:
        """The ranks that have a ready site."""
        return self._counts.keys()

    def put(self, site: int, due: float, rank: int) -> None:
        """Put a site in, or give one that is in it a new time and rank."""
        self.remove(site)
        entry = _Entry(site, due, rank, next(self._tokens))
        self._entries[site] = entry
        heappush(self._penalty, (due, entry.token, site))
        if len(self._penalty) > 64 + 4 * len(self._entries):
            self._penalty = [item for item in self._penalty if self._waits(item)]
            heapify(self._penalty)

    def remove(self, site: int) -> None:
        """Take a site out; unknown sites are ignored."""
        entry = self._entries.pop(site, None)
        if entry is not None and entry.slot >= 0:
            self._leave_ready(entry)

    def release(self, now: float) -> None:
        """Let go of every site that is due."""
        while self._penalty and self._penalty[0][0] <= now:
            item = heappop(self._penalty)
            if self._waits(item):
                self._join_ready(self._entries[item[2]], item)

    def head(self, rank: int) -> float:
        """Since when the first of the ready sites of a rank has been due. There must be one."""
        heap = self._ranked[rank]
        while not self._is_ready(heap[0], rank):
            heappop(heap)
        return heap[0][0]

    def pick(self, rank: int) -> int:
        """Take out the site of a rank that has been due longest. There must be one."""
        self.head(rank)
        site = self._ranked[rank][0][2]
        self.remove(site)
        return site

    def pick_even(self) -> int | None:
        """Take out any ready site, each with the same chance; None if none is ready."""
        if not self.ready:
            return None
        site = self._rng.choice(self.ready).site
        self.remove(site)
        return site

    def next_release(self) -> float | None:
        """0.0 if a site is ready, else when the first one is due, or None if the box is empty."""
        if self.ready:
            return 0.0
        while self._penalty:
            if self._waits(self._penalty[0]):
                return self._penalty[0][0]
            heappop(self._penalty)
        return None

    def trim(self, keep: int) -> None:
        """Take out all but `keep` sites: the highest ranks stay, in them those due first."""
        kept = nsmallest(keep, self._entries.values(), key=lambda entry: (-entry.rank, entry.due))
        self._penalty, self._ranked, self._counts, self.ready, self._entries = [], {}, {}, [], {}
        for entry in kept:
            self.put(entry.site, entry.due, entry.rank)

    def _waits(self, item: _Item) -> bool:
        entry = self._entries.get(item[2])
        return entry is not None and entry.token == item[1] and entry.slot < 0

    def _is_ready(self, item: _Item, rank: int) -> bool:
        entry = self._entries.get(item[2])
        return entry is not None and entry.token == item[1] and entry.rank == rank and entry.slot >= 0

    def _join_ready(self, entry: _Entry, item: _Item) -> None:
        entry.slot = len(self.ready)
        self.ready.append(entry)
        heap = self._ranked.setdefault(entry.rank, [])
        heappush(heap, item)
        number = self._counts[entry.rank] = self._counts.get(entry.rank, 0) + 1
        if len(heap) > 64 + 4 * number:
            heap[:] = [kept for kept in heap if self._is_ready(kept, entry.rank)]
            heapify(heap)

    def _leave_ready(self, entry: _Entry) -> None:
        last = self.ready.pop()
        if last is not entry:
            self.ready[entry.slot] = last
            last.slot = entry.slot
        entry.slot = -1
        self._counts[entry.rank] -= 1
        if not self._counts[entry.rank]:
            del self._counts[entry.rank], self._ranked[entry.rank]


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


class Front(PenaltyBox):
    """Which site is next, of those in memory and those on disk together.

    On disk: nothing of its own; it reads the index ``site_due``. What changed must be written before `next_site`. The
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
        super().__init__(rng)
        self._db = db
        self._order = order
        self._most = max(size[1], 1)
        self.bound = min(max(size[0], 1), self._most)
        """Sites that are held now; more each time one had to be read back as soon as it was due."""
        self._away = away
        self._groups: dict[int, _Group] = {}
        self.active = 0
        """Sites that have waiting URLs and may be requested, those that are leased counted. The store counts."""
        self.leased = 0
        """Those of them that are leased."""
        self._now = -inf
        self._trimmed = inf
        self._read_ranks()

    @property
    def _on_disk(self) -> bool:
        """Whether any of them waits on disk only."""
        return self.active > len(self) + self.leased

    def found(self, site: int, due: float, rank: int) -> None:
        """A site that was not leased has got something, or a better rank. With a full front it waits on disk."""
        if site in self or len(self) < self.bound:
            self.put(site, due, rank)
            return
        group = self._groups.setdefault(rank, _Group(first=due))
        group.first = min(group.first, due)
        if (due, site) <= (group.due, group.site):
            group.due, group.site = due, -1

    def shrink(self) -> None:
        """If more sites are held than there is room for, hold only the better half.

        The others are found again on disk, from the beginning of each rank.
        """
        if len(self) > self.bound:
            self.trim(self.bound // 2)
            self._trimmed = self._now
            self._read_ranks()

    def next_site(self, now: float, *, even: bool = False) -> tuple[int | None, bool]:
        """Take the next site that may be requested, if any; also return whether chance picked it.

        With `even` chance is to pick. It may meet none where few sites are due on disk.
        """
        self._now = now
        self.release(now)
        site = self._pick_even(now) if even else None
        return (self._pick_best(now), False) if site is None else (site, True)

    def _pick_best(self, now: float) -> int | None:
        while ranks := {*self.ranks, *self._asleep(now)}:
            rank = self._order.choose(ranks, self._rng) if len(ranks) > 1 else ranks.pop()
            self._wake_older(rank, now)
            if rank in self.ranks:
                return self.pick(rank)
        return None

    def _pick_even(self, now: float) -> int | None:
        """Take any site that may be requested, each with nearly the same chance, or None."""
        site = self._even_on_disk(now) if self._on_disk else None
        if site is None:
            return self.pick_even()
        self.remove(site)
        return site

    def next_release(self) -> float | None:
        """0.0 if a site may be requested, else a time before which none may, or None if none waits."""
        held = super().next_release()
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
            if rank in self.ranks and self.head(rank) <= group.first:
                return
            self._wake(rank, group, now)

    def _wake(self, rank: int, group: _Group, now: float) -> None:
        """Read the next sites of a rank that are due, and what comes after them."""
        found = self._db.execute(_NEXT, (rank, group.due, group.due, group.site, now, WAKE)).fetchall()
        early = 0
        for site, due in found:
            if site not in self and site not in self._away:
                self.put(site, due, rank)
                early += due > self._trimmed
        if found:
            group.site, group.due = found[-1]
        if early > WAKE // 2:
            self.bound = min(self.bound + GROW, self._most)
        group.first = group.due if len(found) == WAKE else self._first_after(rank, now)
        self.release(now)

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
