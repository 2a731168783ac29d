"""The penalty box: sites ordered by release time, and the ready sites ordered by score.

Both orders are heaps with lazy deletion: an entry that no longer counts is skipped when it is met. So every
operation is O(log sites), whatever the number of sites; Scrapy's own queue walks all of them at each pop
(33 ms at 100,000 domains).
"""

from __future__ import annotations

import random
from heapq import heapify, heappop, heappush
from itertools import count


class _Entry:
    """A site in the box. `token` names its one valid heap item; `slot` is its place among the ready, or -1."""

    __slots__ = ("release", "score", "site", "slot", "token")

    def __init__(self, site: int, release: float, score: float, token: int) -> None:
        self.site = site
        self.release = release
        self.score = score
        self.token = token
        self.slot = -1


class PenaltyBox:
    """The sites that have something waiting and are not leased. In memory only; the store rebuilds it at start.

    Args:
        rng: source of the even picks; a test hands in a seeded one.
    """

    def __init__(self, rng: random.Random | None = None) -> None:
        self._rng = rng or random.Random()
        self._entries: dict[int, _Entry] = {}
        self._penalty: list[tuple[float, int, int]] = []
        self._ready: list[tuple[float, float, int, int]] = []
        self._ready_slots: list[_Entry] = []
        self._tokens = count()

    def __len__(self) -> int:
        return len(self._entries)

    def __contains__(self, site: int) -> bool:
        return site in self._entries

    @property
    def ready(self) -> int:
        """How many sites have been let go and not been picked yet."""
        return len(self._ready_slots)

    @property
    def penalty(self) -> int:
        """How many sites wait for their release time."""
        return len(self._entries) - len(self._ready_slots)

    def put(self, site: int, release: float, score: float) -> None:
        """Put a site in, or give one that is in it a new release time and score."""
        self.remove(site)
        entry = _Entry(site, release, score, next(self._tokens))
        self._entries[site] = entry
        heappush(self._penalty, (release, entry.token, site))

    def remove(self, site: int) -> None:
        """Take a site out; unknown sites are ignored."""
        entry = self._entries.pop(site, None)
        if entry is not None and entry.slot >= 0:
            self._leave_ready(entry)

    def rescore(self, site: int, score: float) -> None:
        """Give a site the score of its best class."""
        entry = self._entries.get(site)
        if entry is None or entry.score == score:
            return
        entry.score = score
        if entry.slot >= 0:
            entry.token = next(self._tokens)
            self._push_ready(entry)

    def release(self, now: float) -> None:
        """Let go of every site whose release time has come."""
        while self._penalty and self._penalty[0][0] <= now:
            _, token, site = heappop(self._penalty)
            entry = self._entries.get(site)
            if entry is None or entry.token != token or entry.slot >= 0:
                continue
            entry.slot = len(self._ready_slots)
            self._ready_slots.append(entry)
            self._push_ready(entry)

    def pick(self, explore: float = 0.0) -> tuple[int, bool] | None:
        """Take a ready site out of the box, with whether it was an even pick, or None if none is ready.

        Args:
            explore: share of the picks, 0 to 1, made evenly at random instead of by score.
        """
        if not self._ready_slots:
            return None
        if explore > 0 and self._rng.random() < explore:
            entry = self._rng.choice(self._ready_slots)
            self.remove(entry.site)
            return entry.site, True
        while True:
            _, _, token, site = heappop(self._ready)
            chosen = self._entries.get(site)
            if chosen is not None and chosen.token == token and chosen.slot >= 0:
                self.remove(site)
                return site, False

    def next_release(self) -> float | None:
        """0.0 if a site is ready, else the earliest release time, or None if the box is empty."""
        if self._ready_slots:
            return 0.0
        while self._penalty:
            release, token, site = self._penalty[0]
            entry = self._entries.get(site)
            if entry is not None and entry.token == token:
                return release
            heappop(self._penalty)
        return None

    def _push_ready(self, entry: _Entry) -> None:
        heappush(self._ready, (-entry.score, entry.release, entry.token, entry.site))
        if len(self._ready) > 64 + 4 * len(self._ready_slots):
            self._ready = [(-e.score, e.release, e.token, e.site) for e in self._ready_slots]
            heapify(self._ready)

    def _leave_ready(self, entry: _Entry) -> None:
        last = self._ready_slots.pop()
        if last is not entry:
            self._ready_slots[entry.slot] = last
            last.slot = entry.slot
        entry.slot = -1
