"""Leases of one worker on the frontier in Redis: how they are taken, how visits end, and the notes that come with them.

Workers share notes, and their visits by a stream.
"""

from __future__ import annotations

import random
import threading
from collections import deque
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import msgpack

from mediacrawl.base.last_used import LastUsed
from mediacrawl.base.terms import FINAL, End, Lease, Outcome
from mediacrawl.frontier.redis.rows import Row, read_row, row_after_visit
from mediacrawl.frontier.redis.session import Call, RedisSession
from mediacrawl.frontier.redis.sites import clocks_in, pack_clocks, read_clocks
from mediacrawl.frontier.seen import url_key
from mediacrawl.frontier.site_state import lease_of
from mediacrawl.politeness.delay import Clocks, after_visit

Key = tuple[str, str]
"""Namespace and key of a note."""

Exchanged = tuple[int, list[tuple[int, bytes]]]
"""Number of the last visit of all workers, and batches with the number of the last visit of each, in their order."""

KEPT = 50_000
"""Notes that are kept."""
KEPT_BYTES = 64 * 1024 * 1024
"""Bytes that they may take together."""


class NoteCache:
    """Caches notes that were read with leases, and those written since. In memory only.

    A note about a *site* stays valid until another worker leases the site; each lease says who had it before. A note
    about an *authority* is read again with each lease, since the visit of another site may have fetched its robots.txt.
    """

    def __init__(self, by_site: Iterable[str] = (), by_authority: Iterable[str] = ()) -> None:
        self._by_site = tuple(by_site)
        self._by_authority = tuple(by_authority)
        self._kept: LastUsed[tuple[bytes | None]] = LastUsed(KEPT, KEPT_BYTES)
        self._sites: set[str] = set()

    def keys_for(self, lease: Lease, *, own: bool) -> list[Key]:
        """Return the notes to read for a lease; `own`: this worker had the site's last lease."""
        keys = [(namespace, authority_of(lease.url)) for namespace in self._by_authority]
        if not own or lease.site not in self._sites:
            keys += [(namespace, lease.site) for namespace in self._by_site]
        return keys

    def leased(self, lease: Lease, notes: Mapping[Key, bytes | None]) -> None:
        """Cache the notes that came with a lease."""
        for key, record in notes.items():
            self._put(key, record)
        if len(self._sites) >= KEPT // max(len(self._by_site) + len(self._by_authority), 1):
            # The cache may have evicted notes of more sites than these; they must come with the lease again.
            self._sites.clear()
        self._sites.add(lease.site)

    def ended(self, lease: Lease) -> None:
        """Forget the notes about a lease's authority: after it other workers may write them."""
        for namespace in self._by_authority:
            self._kept.drop(_name((namespace, authority_of(lease.url))))

    def find(self, namespace: str, key: str) -> tuple[bool, bytes | None]:
        """Whether a note is cached, and the note."""
        found = self._kept.get(_name((namespace, key)))
        return (False, None) if found is None else (True, found[0])

    def update(self, namespace: str, key: str, record: bytes) -> None:
        """Update a cached note that this worker writes; one that is not cached may be another worker's."""
        if self._kept.get(_name((namespace, key))) is not None:
            self._put((namespace, key), record)

    def _put(self, key: Key, record: bytes | None) -> None:
        self._kept.put(_name(key), (record,), len(record or b""))


def authority_of(url: str) -> str:
    """Scheme, host and port of a canonical URL."""
    return "/".join(url.split("/", 3)[:3])


def _name(key: Key) -> str:
    return "\n".join(key)


def read_call(session: RedisSession, namespace: str, key: str) -> Call:
    """The call of `Notes.note`."""
    return Call(command=("HGET", session.scripts.key("note", namespace), key))


def write_call(session: RedisSession, namespace: str, key: str, record: bytes) -> Call:
    """The call of `Notes.set_note`."""
    return session.call("note", namespace=namespace, key=key, record=record)


def swap_call(session: RedisSession, namespace: str, key: str, old: bytes, new: bytes) -> Call:
    """The call that replaces a note if it is still `old`; it answers ``[1]``, or 0 and the note as it is."""
    return session.call("swap", namespace=namespace, key=key, old=old, new=new)


def exchange_call(session: RedisSession, batch: bytes, visits: int, after: int, *, keep: int, most: int) -> Call:
    """The call that publishes this worker's visits and reads those of all; `exchanged` reads its answer.

    Args:
        session: of the worker.
        batch: visits in the caller's format, passed on unread.
        visits: how many they are; 0 for none.
        after: number of the last visit that was read; visits of all workers are numbered from 1.
        keep: visits that are kept for workers that are added later; older ones are deleted.
        most: visits that are read at most, or those of one batch if it has more.
    """
    return session.call("learn", batch=batch, visits=visits, after=after, keep=keep, most=most)


def exchanged(answer: Sequence[Any]) -> Exchanged:
    """The answer of `exchange_call`."""
    last, found = answer
    return int(last), [(int(number), batch) for number, batch in zip(found[::2], found[1::2], strict=True)]


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
            lease = lease_of(read.found, number, known, now, attempt=read.attempt, state=read.state, even=even)
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
        more = {"earned": outcome.earned, **self._session.budget}
        return self._session.call("charge", now, site=site, version=version, clocks=new, **more)

    def _clocks(self, clocks: Clocks, outcome: Outcome, now: float, *, stretched: bool = True) -> dict[str, Any]:
        policy, counters = self._session.policy.delay, self._session.counters
        stretch = policy.stretch(counters["active"], counters["most"]) if stretched else 1.0
        return pack_clocks(after_visit(clocks, outcome, now, policy, stretch), clocks, now, policy)


ReadyLease = tuple[HeldLease, dict[Key, bytes | None]]
"""A lease, with the notes that its visit will need."""


class LeasePool:
    """Leases between the worker's thread, which takes them, and the crawl's, which uses them. In memory only.

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
        """Hand leases to the crawl, and order more if there are too few and sites are due."""
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
