"""The thread of a worker that talks to Redis: messages, leases, signs of life, outages."""

from __future__ import annotations

import logging
import threading
from collections.abc import Callable
from itertools import islice
from time import sleep
from typing import Any, TypeVar

from mediacrawl.base.clock import steady
from mediacrawl.base.format import plural
from mediacrawl.base.terms import Candidate, End, Outcome
from mediacrawl.frontier.contract import FrontierError
from mediacrawl.frontier.redis.errors import Outage, failure, is_away
from mediacrawl.frontier.redis.leases import LeasePool, NoteCache, read_call
from mediacrawl.frontier.redis.outbox import MOST, PATIENCE, Outbox
from mediacrawl.frontier.redis.rows import LocalSieve, add_call, are_known, known_call
from mediacrawl.frontier.redis.session import Call
from mediacrawl.frontier.redis.store import RedisFrontier
from mediacrawl.frontier.seen import RecentUrls

logger = logging.getLogger(__name__)

PULSE = 1.0
"""Seconds between two signs of life; their answers bring the counters of the whole crawl."""
STRAYS = 30.0
"""Seconds between two searches for leases that this worker does not know: a request sent over an abandoned connection
may reach Redis after the requests over the next one."""
LINGER = 0.003
"""Seconds for which messages gather before they are sent."""
MOST_URLS = 250
"""URLs in one call of a script, some 6 ms (24 us each were measured), during which Redis answers nobody else."""

_T = TypeVar("_T")


class ServerClock:
    """Redis's clock, seconds since the epoch, from the worker's own clock and the difference seen last.

    Attributes:
        own: the worker's clock.
        skew: seconds by which Redis's is ahead.
    """

    def __init__(self, clock: Callable[[], float], server_time: float) -> None:
        self.own = clock
        self.skew = server_time - clock()

    def __call__(self) -> float:
        return self.own() + self.skew

    def synchronise(self, server_time: float, asked: float) -> None:
        """Note Redis's time as of the middle between the question (`asked`, by the worker's clock) and now."""
        self.skew = server_time - (asked + self.own()) / 2


class WorkerThread:
    """Sends the outbox, fills the pool, and keeps the worker's leases.

    Attributes:
        wake: called, in this thread, when leases have come or the crawl may be over.
        pulse: seconds between two signs of life.
        outbox, pool, recent: what the crawl's thread and this one share.
    """

    def __init__(
        self, store: RedisFrontier, clock: ServerClock, notes: NoteCache, *, lease: float, visit: float, bloom: int
    ) -> None:
        self.wake: Callable[[], None] = lambda: None
        self.pulse = min(PULSE, lease / 10)
        self.outbox = Outbox(store.server)
        self.pool = LeasePool(self.outbox.news)
        self.recent = RecentUrls()
        self._store = store
        # Called in this thread; one step for the interpreter.
        store.removal.forget = self.recent.difference_update
        self._session = store.session
        self._session.breathe = self._breathe
        self._notes = notes
        self._clock = clock
        self._visit, self._safe = visit, lease - visit
        self._sieve = LocalSieve(bloom)
        self._run_id = self._session.run
        self._announced = -1.0
        self._renewed = self._strays_returned = steady()
        self._thread = threading.Thread(target=self._live, name="redis", daemon=True)
        self._thread.start()

    @property
    def is_safe(self) -> bool:
        """Whether a visit that begins now ends before another worker can be given its lease."""
        return steady() - self._renewed < self._safe

    def join(self) -> None:
        """Wait for the end of the thread."""
        self._thread.join(PATIENCE)

    def _live(self) -> None:
        outbox = self.outbox
        while not (outbox.closing and (outbox.outage or not outbox.messages)):
            self._wait()
            try:
                if outbox.outage:
                    self._reconnect()
                self._exchange()
                if self._is_due():
                    self._renew()
                if steady() - self._strays_returned >= STRAYS:
                    self._return_strays()
                    self._strays_returned = steady()
                self._announce()
            except Exception as error:  # noqa: BLE001 - the crawl has to hear of any
                if not self._is_passing(error):
                    return
        try:
            self._store.close()
        except FrontierError as error:
            logger.debug("The worker could not take leave of Redis: %s", error)

    def _wait(self) -> None:
        outbox = self.outbox
        with outbox.news:
            left = self._renewed + self.pulse - steady()
            # The crawl may wait for newer counters.
            busy = outbox.messages or outbox.settled < outbox.aim or self.pool.wanted or outbox.closing or outbox.outage
            if not busy and left > 0:
                outbox.news.wait(left)
            # The crawl may also wait for the answer to one of these messages.
            urgent = any(message.urgent for message in islice(outbox.messages, MOST))
        if not urgent:
            sleep(LINGER)

    def _announce(self) -> None:
        """Wake the crawl, which has one timer, if the first site is due at another time than it was told."""
        if self._session.due != self._announced:
            self._announced = self._session.due
            self.wake()

    # -- messages and leases -----------------------------------------------------------------------------------

    def _exchange(self) -> None:
        """Send a batch of messages and take the wanted leases, in one round trip or two."""
        outbox = self.outbox
        with outbox.news:
            messages = outbox.batch()
            wanted = self.pool.wanted
        if messages and messages[0].work is not None:
            messages[0].work()
            outbox.answered(messages)
            return
        if not (messages or wanted):
            return
        found = [candidate for message in messages for candidate in message.urls]
        # Links go first, so that they are in Redis before the visit that found them ends.
        calls = self._add_calls(found)
        asking = [message for message in messages if message.call is not None]
        first = len(calls)
        calls += [message.call() for message in asking if message.call is not None]
        if wanted:
            calls.append(self._store.leases.take_call(self._clock(), wanted))
        repeated = [message.sent for message in asking]
        for message in asking:
            message.sent = True
        answers = self._run(calls)
        following = [
            message.heard(answer, again)
            for message, answer, again in zip(asking, answers[first:], repeated, strict=False)
            if message.heard is not None
        ]
        self._added([candidate.url for candidate in found], sum(answer[0] for answer in answers[:first]))
        outbox.answered(messages, [message for message in following if message is not None])
        if wanted:
            self._fill_pool(answers[-1])

    def _add_calls(self, found: list[Candidate]) -> list[Call]:
        """The calls that add URLs, without those that are probably known and that Redis says are."""
        doubtful = [candidate for candidate in found if candidate.url in self._sieve]
        if doubtful:
            answers = self._run([known_call(self._session, part) for part in _parts([one.url for one in doubtful])])
            known = [is_known for answer in answers for is_known in are_known(answer)]
            old = {one.url for one, is_known in zip(doubtful, known, strict=True) if is_known}
            found = [candidate for candidate in found if candidate.url not in old]
        return [add_call(self._session, part, self._clock()) for part in _parts(found)]

    def _added(self, urls: list[str], new: int) -> None:
        for url in urls:
            self._sieve.add(url)
        self.outbox.count("frontier/new", new)
        self.outbox.count("frontier/known", len(urls) - new)

    def _run(self, calls: list[Call]) -> list[Any]:
        answers = self._session.scripts.run(calls)
        for answer in answers:
            if isinstance(answer, Exception):
                raise answer
        return answers

    def _fill_pool(self, answer: Any) -> None:
        session, leases = self._session, self._store.leases
        taken = leases.taken(answer, self._clock.own())
        keys = [self._notes.keys_for(held.lease, own=held.before == session.worker) for held in taken]
        try:
            calls = [read_call(session, *key) for several in keys for key in several]
            notes = iter(self._run(calls) if calls else ())
        except Exception:
            # As if the answer with these leases had been lost: they are strays.
            for held in taken:
                leases.held.pop(held.lease.id, None)
            raise
        ready = [(held, {key: next(notes) for key in several}) for held, several in zip(taken, keys, strict=True)]
        if not ready and 0 <= session.due <= self._clock():
            # The site that is due cannot be leased just now.
            session.due = self._clock() + 0.1
        self.pool.fill(ready)
        self.outbox.count("frontier/takes")
        self.wake()

    # -- signs of life -----------------------------------------------------------------------------------------

    def _is_due(self) -> bool:
        """Whether a sign of life is due, or newer counters are wanted."""
        outbox, pool = self.outbox, self.pool
        idle = not (outbox.messages or pool.out or pool.ready) and outbox.settled < outbox.posted
        awaited = outbox.settled < outbox.aim <= outbox.handled
        return idle or awaited or steady() - self._renewed >= self.pulse

    def _breathe(self) -> None:
        """Renew the leases in the middle of a long operation."""
        if steady() - self._renewed >= self.pulse:
            self._renew()

    def _renew(self) -> None:
        session, outbox = self._session, self.outbox
        before, asked = steady(), self._clock.own()
        with outbox.news:
            handled = outbox.handled
        if not session.renew(self._clock()):
            self._rejoin()
        if session.run != self._run_id:
            self._after_restart()
        with outbox.news:
            self._renewed, outbox.settled = before, handled
            self._clock.synchronise(session.counters.time, asked)
            outbox.news.notify_all()
        self.wake()

    def _rejoin(self) -> None:
        """Join as a new worker: this one counted as dead, and Redis gave its leases to others."""
        lost = len(self.pool.out) + self._discard_ready()
        self._session.join(self._clock())
        self.outbox.count("frontier/reaped")
        logger.warning("This worker was not heard for too long: %s given to others", plural(lost, "lease", "was"))

    def _discard_ready(self) -> int:
        leases = self.pool.discard_ready()
        for held in leases:
            self._store.leases.held.pop(held.lease.id, None)
        return len(leases)

    def _return_strays(self, *, asked: bool = False) -> None:
        self._session.return_strays(list(self._store.leases.held), asked=asked)

    def _after_restart(self) -> None:
        """Distrust what Redis may have forgotten at a restart: the leases and the known URLs of the last second.

        Leases taken in advance are returned, the sites of the others wait as long as a visit may take, and links are
        sent again when they are found again.
        """
        self._discard_ready()
        out = self.pool.mark_uncertain()
        self.recent.clear()
        for held in out:
            outcome = Outcome(End.RETURNED, asked=False, wait=self._visit)
            self._store.charge(held.lease.site, outcome, self._clock())
        self._return_strays(asked=True)
        self._run_id = self._session.run

    # -- outages -----------------------------------------------------------------------------------------------

    def _is_passing(self, error: Exception) -> bool:
        """Pause if Redis is away; else fail, permanently."""
        outbox, server = self.outbox, self._session.server
        if is_away(error):
            outbox.outage = outbox.outage or Outage(server)
            pause = outbox.outage.pause(error, len(outbox.messages))
            with outbox.news:
                outbox.news.wait_for(lambda: outbox.closing, pause)
            return True
        known = isinstance(error, FrontierError)
        if not known and type(error).__module__.partition(".")[0] != "redis":
            logger.error("The worker's thread failed", exc_info=error)
        outbox.fail(error if isinstance(error, FrontierError) else failure(server, error))
        self.wake()
        return False

    def _reconnect(self) -> None:
        """Renew first: this worker may count as dead, and answers with leases may be lost."""
        self._renew()
        self._return_strays()
        if self.outbox.outage is not None:
            self.outbox.count("frontier/away_seconds", round(self.outbox.outage.over()))
        self.outbox.outage = None


def _parts(found: list[_T]) -> list[list[_T]]:
    return [found[start : start + MOST_URLS] for start in range(0, len(found), MOST_URLS)]
