"""Leases that a worker has taken in advance, and those that its crawl has out."""

from __future__ import annotations

import threading
from collections import deque

from mediacrawl.frontier.redis.leases import HeldLease
from mediacrawl.frontier.redis.notes import Key
from mediacrawl.records import Lease

ReadyLease = tuple[HeldLease, dict[Key, bytes | None]]
"""A lease, with the notes that its visit will need."""


class LeasePool:
    """Leases between the worker's thread, which takes them, and the crawl's, which uses them. In memory only.

    Args:
        news: guards the pool, and wakes the worker's thread.

    Attributes:
        ready: taken in advance.
        out: handed to the crawl, by id.
        wanted: how many the crawl wants; 0 if they are there or not due.
    """

    def __init__(self, news: threading.Condition) -> None:
        self.ready: deque[ReadyLease] = deque()
        self.out: dict[int, HeldLease] = {}
        self.wanted = 0
        self._news = news
        self._uncertain: set[int] = set()

    def hand_out(self, limit: int, *, due: bool) -> list[ReadyLease]:
        """Hand leases to the crawl, and order more if there are too few.

        Args:
            limit: how many at most.
            due: whether sites are due, so that more can be obtained.
        """
        with self._news:
            leases = [self.ready.popleft() for _ in range(min(limit, len(self.ready)))]
            self.out.update((held.lease.id, held) for held, _ in leases)
            if due and len(self.ready) < limit and not self.wanted:
                self.wanted = limit
                self._news.notify()
        return leases

    def holds(self, lease: Lease, worker: int) -> bool:
        """Whether a lease is out, certainly this worker's, and taken under its present number."""
        held = self.out.get(lease.id)
        return held is not None and held.worker == worker and lease.id not in self._uncertain

    def end(self, lease: Lease) -> HeldLease | None:
        """Take a lease back from the crawl; None if it is not out."""
        held = self.out.get(lease.id)
        if held is None or held.lease is not lease:
            return None
        del self.out[lease.id]
        self._uncertain.discard(lease.id)
        return held

    def fill(self, leases: list[ReadyLease]) -> None:
        """Add the leases that the crawl wanted."""
        with self._news:
            self.wanted = 0
            self.ready.extend(leases)
            self._news.notify_all()

    def discard_ready(self) -> list[HeldLease]:
        """Empty the leases taken in advance; answers them."""
        with self._news:
            leases = [held for held, _ in self.ready]
            self.ready.clear()
        return leases

    def mark_uncertain(self) -> list[HeldLease]:
        """Treat all leases that are out as possibly another worker's by now; answers them."""
        with self._news:
            leases = list(self.out.values())
            self._uncertain.update(self.out)
        return leases
