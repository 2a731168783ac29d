"""A worker of a crawl on Redis: the crawl's thread never waits for the server.

The crawl's calls are answered from memory, and its messages are sent by a thread (`worker_thread`), many in one round
trip. Leases are taken in advance. While Redis is away messages wait.
"""

from __future__ import annotations

import logging
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from concurrent.futures import Future
from functools import partial
from typing import Any

from mediacrawl.base.last_used import LastUsed
from mediacrawl.base.terms import Added, Candidate, Drop, End, Lease, Outcome, SiteInfo
from mediacrawl.frontier.contract import Counts, FrontierError
from mediacrawl.frontier.redis.leases import (
    Exchanged,
    HeldLease,
    NoteCache,
    exchange_call,
    exchanged,
    read_call,
    swap_call,
    write_call,
)
from mediacrawl.frontier.redis.outbox import PATIENCE, Message
from mediacrawl.frontier.redis.rows import add_call
from mediacrawl.frontier.redis.session import Call
from mediacrawl.frontier.redis.store import RedisFrontier, score_call
from mediacrawl.frontier.redis.worker_thread import PULSE, ServerClock, WorkerThread
from mediacrawl.politeness.delay import unrecorded

logger = logging.getLogger(__name__)

SCORED = 1_000
"""Sites whose new scores gather until the next commit: a page scores five, in 40 us of Redis's time each, and often the
same ones as the page before."""
A_MOMENT = 0.005
"""Seconds that the crawl waits for an answer that it can do without."""

_SWAPPED = 10_000
"""Notes made of the one before whose last value is remembered, 100 bytes each."""


class RedisWorker:
    """A `Frontier` on the Redis store, for a crawl that must not wait; it is `Remote` and `SharedNotes`, too.

    Differences from the contract: `add` and `rejoin` do not know yet how many join (`tallies` has it later); `unknown`
    answers only from this worker's memory; `finish` is durable some milliseconds after it returned, with the links that
    were added before it in the same round trip; `take` returns leases taken in advance; new scores of classes gather
    until the next `commit`.

    While Redis is away nothing is lost and nothing fails: messages wait in memory, and leases are handed out only while
    no other worker can have been given them. A kill loses the messages of some milliseconds; the leases that they
    belong to come back by their deadline, and their URLs are requested again.

    In memory: `LeasePool`, `Outbox`, `RecentUrls`, a `LocalSieve`, a `NoteCache`.

    From now on only the worker's thread uses the store. `lease` is the seconds without a sign of life after which a
    worker counts as dead, `visit` those that a visit may take at most: no lease is handed out that ends sooner. `bloom`
    is the number of URLs that the local filter is made for.

    Raises:
        FrontierError: the frontier cannot be used.
    """

    shared = True

    def __init__(
        self,
        store: RedisFrontier,
        clock: Callable[[], float],
        *,
        lease: float = 120.0,
        visit: float = 45.0,
        bloom: int = 1_000_000,
        notes: NoteCache | None = None,
    ) -> None:
        self._store = store
        self._session = store.session
        self._clock = ServerClock(clock, store.session.counters.time)
        self._notes = notes or NoteCache()
        self._closed = False
        self._scored: dict[str, dict[str, float]] = {}
        self._swapped: LastUsed[bytes] = LastUsed(_SWAPPED, 100 * _SWAPPED)
        self._thread = WorkerThread(store, self._clock, self._notes, lease=lease, visit=visit, bloom=bloom)
        self._outbox, self._pool, self.recent = self._thread.outbox, self._thread.pool, self._thread.recent

    def listen(self, wake: Callable[[], None]) -> None:
        self._thread.wake = wake

    def tallies(self) -> Counter[str]:
        return self._outbox.tallies()

    def server_time(self) -> float:
        return self._clock()

    def hand_in(self, candidates: Iterable[Candidate]) -> Future[Added]:
        found = list(candidates)
        return self._outbox.post(lambda: self._store.add(found))

    def settle(self, seconds: float = PATIENCE) -> bool:
        self._send_scores()
        # Redis is asked even if there is nothing to send: the counters may be a second old.
        self._outbox.send(Message())
        settled = self._outbox.wait_settled(seconds)
        self._outbox.check()
        return settled

    def give_up(self) -> None:
        self._outbox.give_up()

    def _send_scores(self) -> None:
        scored, self._scored = self._scored, {}
        for site, scores in scored.items():
            self._outbox.send(Message(call=partial(score_call, self._session, site, scores)))

    def later(self, namespace: str, key: str, change: Callable[[bytes | None], bytes]) -> Future[bytes]:
        answer: Future[bytes] = self._outbox.promise()
        self._outbox.send(self._swap(namespace, key, change, answer, self._swapped.get(f"{namespace}\n{key}") or b""))
        return answer

    def _swap(
        self, namespace: str, key: str, change: Callable[[bytes | None], bytes], answer: Future[bytes], old: bytes
    ) -> Message:
        """A message that assumes the note to be `old`, which mostly holds; else it is sent again with the real one."""
        new = b""

        def call() -> Call:
            nonlocal new
            new = change(old or None)
            return swap_call(self._session, namespace, key, old, new)

        def heard(told: Any, repeated: bool) -> Message | None:
            if not (told[0] or (repeated and told[1] == new)):
                return self._swap(namespace, key, change, answer, told[1])
            self._swapped.put(f"{namespace}\n{key}", new, len(new))
            answer.set_result(new)
            return None

        return Message(call=call, heard=heard)

    def exchange(self, batch: bytes, visits: int, after: int, *, keep: int, most: int) -> Future[Exchanged]:
        """Publish visits and read those of other workers, see `leases.exchange_call`.

        After a lost answer the batch is sent twice: its readers must recognise it.
        """
        answer: Future[Exchanged] = self._outbox.promise()
        self._outbox.send(
            Message(
                call=lambda: exchange_call(self._session, batch, visits, after, keep=keep, most=most),
                heard=lambda told, _: answer.set_result(exchanged(told)),
            )
        )
        return answer

    # -- the contract of every frontier ----------------------------------------------------------------------

    def add(self, candidates: Iterable[Candidate]) -> Added:
        found = list(candidates)
        fresh = set(self.recent.unknown([candidate.url for candidate in found]))
        joining = [candidate for candidate in found if candidate.url in fresh]
        self.recent.update(fresh)
        if joining:
            self._outbox.send(Message(urls=joining))
        return Added(0, len(found) - len(joining))

    def rejoin(self, candidate: Candidate) -> bool:
        def heard(answer: Any, _: bool) -> None:
            self._outbox.count("frontier/again", int(answer[0]))

        self._outbox.send(
            Message(call=lambda: add_call(self._session, [candidate], self._clock(), again=True), heard=heard)
        )
        return True

    def unknown(self, urls: Sequence[str]) -> list[str]:
        return self.recent.unknown(urls)

    def take(self, now: float, limit: int) -> list[Lease]:
        self._outbox.check()
        if not self._thread.is_safe:
            return []
        due = 0 <= self._session.due <= now + self._clock.skew
        leases = self._pool.hand_out(limit, due=due)
        for held, notes in leases:
            self._notes.leased(held.lease, notes)
        return [held.lease for held, _ in leases]

    def holds(self, lease: Lease) -> bool:
        return self._pool.holds(lease, self._session.worker) and self._thread.is_safe

    def finish(self, lease: Lease, outcome: Outcome, now: float) -> None:
        self._outbox.check()
        held = self._pool.end(lease)
        if held is not None:
            self._notes.ended(lease)
            self._outbox.send(self._finish(held, outcome, now + self._clock.skew))

    def _finish(self, held: HeldLease, outcome: Outcome, then: float) -> Message:
        leases = self._store.leases

        def heard(answer: Any, repeated: bool) -> Message | None:
            if leases.refreshed(held, answer):
                return self._finish(held, outcome, then)
            if leases.finished(held, answer) or (repeated and answer[0] == b"over"):
                return None
            # Another worker has the lease, or Redis lost it, and neither knows of this request.
            self._outbox.count("frontier/lost_leases")
            if not outcome.asked:
                return None
            return Message(work=partial(self._store.charge, held.lease.site, unrecorded(outcome), then))

        return Message(call=lambda: leases.finish_call(held, outcome, then), heard=heard)

    def charge(self, site: str, outcome: Outcome, now: float) -> None:
        self._outbox.send(Message(work=partial(self._store.charge, site, outcome, now + self._clock.skew)))

    def next_release(self) -> float | None:
        with self._outbox.news:
            if self._pool.ready and self._thread.is_safe:
                return 0.0
            if self._pool.wanted or self._outbox.outage or not self._thread.is_safe:
                # The answer wakes the crawl.
                return self._clock.own() + PULSE
            due = self._session.due
        return None if due < 0 else due - self._clock.skew

    def pending(self) -> int:
        outbox, pool = self._outbox, self._pool
        with outbox.news:
            counters = self._session.counters
            pending = counters.pending(later=self._session.due > counters.time)
            if pool.out or pool.ready or outbox.posted > outbox.settled or outbox.outage or outbox.failed:
                # The counters are older than the latest messages.
                return max(pending, 1)
            return pending

    def counts(self) -> Counts:
        return self._session.counters.counts()

    def site(self, name: str) -> SiteInfo | None:
        return self._outbox.ask(lambda: self._store.site(name))

    def sites_under(self, domain: str = "", after: str = "", limit: int = 1_000) -> list[str]:
        return self._outbox.ask(lambda: self._store.sites_under(domain, after, limit))

    def set_scores(self, site: str, scores: Mapping[str, float]) -> None:
        self._outbox.check()
        self._scored.setdefault(site, {}).update(scores)
        if len(self._scored) >= SCORED:
            self._send_scores()

    def pause(self, site: str) -> bool:
        return self._outbox.ask(lambda: self._store.pause(site))

    def resume(self, site: str) -> bool:
        return self._outbox.ask(lambda: self._store.resume(site))

    def drop(self, site: str, reason: Drop, which: Callable[[str], bool] | None = None) -> int:
        return self._outbox.ask(lambda: self._store.drop(site, reason, which))

    def prune(self, limit: int) -> int:
        def work() -> None:
            if self._session.claim("prune", 5.0):
                self._outbox.count(f"drop/{Drop.PRUNED}", self._store.prune(limit))

        self._outbox.send(Message(work=work))
        return 0

    def note(self, namespace: str, key: str) -> bytes | None:
        known, record = self._notes.find(namespace, key)
        if known:
            return record
        answer: Future[bytes | None] = Future()
        call = partial(read_call, self._session, namespace, key)
        self._outbox.send(Message(call=call, heard=lambda found, _: answer.set_result(found), urgent=True))
        try:
            return answer.result(0.0 if self._outbox.outage else A_MOMENT)
        except TimeoutError:
            self._outbox.count("frontier/notes_missed")
            return None

    def set_note(self, namespace: str, key: str, record: bytes) -> None:
        self._notes.update(namespace, key, record)
        self._outbox.send(Message(call=partial(write_call, self._session, namespace, key, record)))

    def update_note(self, namespace: str, key: str, change: Callable[[bytes | None], bytes]) -> bytes:
        return self._outbox.ask(lambda: self._store.update_note(namespace, key, change))

    def commit(self) -> None:
        """Send all messages, and wait for their answers, a moment at most."""
        self._outbox.check()
        self._send_scores()
        self._outbox.wait_settled(A_MOMENT)

    def close(self) -> None:
        """Return the leases and leave. If Redis is away they come back by their deadline."""
        if self._closed:
            return
        self._closed = True
        outbox = self._outbox
        for held in () if outbox.failed else list(self._pool.out.values()):
            self.finish(held.lease, Outcome(End.RETURNED, asked=False), self._clock.own())
        try:
            # The scheduler has waited for Redis already.
            settled = self.settle(A_MOMENT if outbox.outage else PATIENCE)
        except FrontierError:
            # The crawl knows of it, or hears of it with its next call; no message can be sent any more.
            settled = True
        with outbox.news:
            outbox.closing = True
            outbox.news.notify_all()
        self._thread.join()
        outbox.reject_all()
        if not settled:
            logger.error(
                "%s is away at the end: %d messages were not sent; what they tell of is asked again by other workers",
                self._store.server,
                len(outbox.messages),
            )
