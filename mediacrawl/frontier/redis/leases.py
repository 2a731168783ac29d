"""Leases of one worker on the frontier in Redis: how they are taken, and how visits end."""

from __future__ import annotations

import random
import threading
from collections import deque
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import msgpack

from mediacrawl.frontier.redis.notes import Key
from mediacrawl.frontier.redis.rows import Row, read_row, row_after_visit
from mediacrawl.frontier.redis.scripts import Call
from mediacrawl.frontier.redis.session import RedisSession
from mediacrawl.frontier.redis.sites import clocks_in, pack_clocks, read_clocks
from mediacrawl.frontier.seen import url_key
from mediacrawl.politeness.delay import Clocks, after_visit
from mediacrawl.records import FINAL, End, Lease, Outcome


@dataclass(slots=True)
class HeldLease:
    """A lease of this worker, with what is needed to end it.

    Attributes:
        lease: as it was handed out.
        row: the URL's row.
        clocks: of the site, as of the lease.
        version: of these clocks.
        worker: number under which this worker leased it.
        before: number of the worker that had the site before; 0 for none.
    """

    lease: Lease
    row: Row
    clocks: Clocks
    version: int
    worker: int = 0
    before: int = 0


class RedisLeases:
    """The leases of one worker. In memory only; Redis has the truth.

    Python computes a site's new clocks from the ones in the lease; the script accepts them only if the site still has
    these clocks (compare and set on their version), else it answers the newer ones (`refresh`).

    Attributes:
        held: by lease id.
    """

    def __init__(self, session: RedisSession, rng: random.Random) -> None:
        self.held: dict[int, HeldLease] = {}
        self._session = session
        self._rng = rng

    def take_call(self, now: float, limit: int) -> Call:
        """The call that leases up to `limit` URLs; `taken` reads its answer."""
        session, rng = self._session, self._rng
        order, explore = session.policy.order, session.policy.explore
        draws = list[tuple[object, ...]]()
        for _ in range(limit):
            if explore > 0 and rng.random() < explore:
                draws.append((rng.random(), (), (), rng.random()))
            else:
                draws.append((-1, order.preferred(rng), order.preferred(rng), 0))
        return session.call("take", now, worker=session.worker, draws=draws, **session.budget)

    def taken(self, answer: Sequence[Any], now: float) -> list[HeldLease]:
        """Hold the leases in an answer of `take_call`."""
        leases, _, due = answer
        self._session.due = float(due)
        found = []
        for number, site, link_class, shared, row, clocks, even, before in msgpack.unpackb(leases, raw=True):
            known, version = read_clocks(clocks)
            read = read_row(site.decode(), link_class.decode("utf-8", "surrogatepass"), shared, row)
            lease = read.lease(number, known, now, even=even)
            held = HeldLease(lease, read, known, version, self._session.worker, before)
            self.held[number] = held
            found.append(held)
        return found

    def finish_call(self, held: HeldLease, outcome: Outcome, now: float) -> Call:
        """The call that ends a lease; `is_changed` and `finished` read its answer."""
        session = self._session
        final = outcome.end in FINAL
        changed = None if final else row_after_visit(held.row, outcome)
        shared, row = changed or (None, None)
        back = outcome.end is End.AGAIN or (outcome.end is End.CONTINUE and outcome.trouble is not None)
        return session.call(
            "finish",
            now,
            worker=held.worker,
            lease=held.lease.id,
            version=held.version,
            clocks=self._clocks(held.clocks, outcome, now),
            hold=outcome.hold,
            earned=outcome.earned,
            **({"name": str(outcome.reason or outcome.end), "key": str(url_key(held.lease.url))} if final else {}),
            **({"back": True} if back else {}),
            **({"shared": shared, "row": row} if row is not None else {}),
            **session.budget,
        )

    def refreshed(self, held: HeldLease, answer: Sequence[bytes]) -> bool:
        """Whether the site's clocks changed during the lease; if so the next `finish_call` starts from the new ones."""
        if answer[0] != b"changed":
            return False
        held.clocks, held.version = clocks_in(answer[1])
        return True

    def finished(self, held: HeldLease, answer: Sequence[bytes]) -> bool:
        """Forget a lease after its end; answers whether Redis still had it."""
        self.held.pop(held.lease.id, None)
        if answer[0] == b"done":
            self._session.due = float(answer[1])
        return answer[0] == b"done"

    def charge_call(self, site: str, clocks: Clocks, version: int, outcome: Outcome, now: float) -> Call:
        """The call that charges a site for a request outside a lease."""
        new = self._clocks(clocks, outcome, now, stretched=False)
        return self._session.call("charge", now, site=site, version=version, clocks=new, **self._session.budget)

    def _clocks(self, clocks: Clocks, outcome: Outcome, now: float, *, stretched: bool = True) -> dict[str, Any]:
        policy, counters = self._session.policy.delay, self._session.counters
        stretch = policy.stretch(counters["active"], counters["most"]) if stretched else 1.0
        return pack_clocks(after_visit(clocks, outcome, now, policy, stretch), clocks, now, policy)


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
