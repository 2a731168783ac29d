"""A worker of a crawl on Redis: what the crawl asks is answered from memory, what it tells is sent by a thread.

A crawl's one thread must not wait for a server. So leases are taken in advance, ends and links gather and go out
together, many in one round trip; and while Redis is away they wait.
"""

from __future__ import annotations

import logging
import threading
from collections import Counter, deque
from collections.abc import Callable, Container, Iterable, Mapping, Sequence
from concurrent.futures import Future
from dataclasses import dataclass, field
from functools import partial
from itertools import islice
from time import sleep
from typing import Any, TypeVar

from mediacrawl.clock import steady
from mediacrawl.frontier.contract import Counts, FrontierAwayError, FrontierError
from mediacrawl.frontier.redis.away import Away, is_away
from mediacrawl.frontier.redis.errors import failure
from mediacrawl.frontier.redis.note_cache import Key, NoteCache
from mediacrawl.frontier.redis.scripts import Call
from mediacrawl.frontier.redis.sieve import LocalSieve
from mediacrawl.frontier.redis.store import KNOWN, Exchanged, Out, RedisFrontier
from mediacrawl.frontier.seen import RecentUrls
from mediacrawl.observe.format import plural
from mediacrawl.politeness.caching import LastUsed
from mediacrawl.politeness.delay import unrecorded
from mediacrawl.records import Added, Candidate, Drop, End, Lease, Outcome, SiteInfo

logger = logging.getLogger(__name__)

_SWAPPED = 10_000
"""Notes made of the one before whose last state is remembered, 100 bytes each."""
PULSE = 1.0
"""Seconds between two signs of life; with them come the numbers of the whole crawl."""
STRAYS = 30.0
"""Seconds between two looks for leases of which this worker does not know: what it asked over a connection that it gave
up may reach Redis after what it asked over the next one."""
LINGER = 0.003
"""Seconds for which what is told gathers before it is sent."""
MOST = 500
"""Messages that are sent in one round trip."""
MOST_URLS = 250
"""URLs that one script takes, in some 6 ms (24 us each were measured): nobody else is answered meanwhile."""
SCORED = 1_000
"""Sites whose new scores gather until the next commit: a page scores five, in 40 us of Redis's time each, and often the
same ones as the page before."""
A_MOMENT = 0.005
"""Seconds that the crawl waits for an answer at most, where it can do without."""
PATIENCE = 10.0
"""Seconds that it waits where it cannot: an operator's order, the end."""

_T = TypeVar("_T")


@dataclass(slots=True)
class _Job:
    """What is to be sent.

    Attributes:
        urls: that are to join.
        call: makes the call that is to be run.
        heard: is told its answer, and whether it may be the second; what it answers is sent next.
        work: asks by itself, alone and in its turn.
        sent: whether it was sent before, and no answer came.
        urgent: whether the crawl waits for it.
    """

    urls: list[Candidate] = field(default_factory=list)
    call: Callable[[], Call] | None = None
    heard: Callable[[Any, bool], _Job | None] | None = None
    work: Callable[[], None] | None = None
    sent: bool = False
    urgent: bool = False


class RedisWorker:
    """A `Frontier` on the Redis store, for a crawl that must not wait.

    What differs from the contract: `add` and `rejoin` do not know yet how many join (`tallies` says it later);
    `unknown` tells only what this worker does not know; `finish` is durable some milliseconds after it returned, with
    the links that were added before it in the same round trip; `take` gives what was taken in advance; new scores of
    classes gather until the next `commit`.

    While Redis is away nothing is lost and nothing fails: what is told waits in memory, and leases are handed out only
    as long as nobody else can have been given them. A kill loses what was not sent yet, some milliseconds; the leases
    that it belongs to come back by their deadline, and their URLs are asked again.

    In memory: leases taken in advance, what was told and not sent, `RecentUrls`, a `LocalSieve`, a `NoteCache`.

    Args:
        store: the frontier in Redis. From now on only the worker's thread asks it.
        clock: seconds since the epoch, of a clock that does not jump.
        lease: seconds after which a worker that was not heard counts as dead.
        visit: seconds that a visit may take at most: for so long before that no lease is handed out any more.
        bloom: URLs that the local filter is made for.
        notes: which notes come with a lease.

    Raises:
        FrontierError: the frontier cannot be used.
    """

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
        self._clock = clock
        store.forget, store.breathe = self._forget, self._breathe
        self._visit, self._safe = visit, lease - visit
        self._pulse = min(PULSE, lease / 10)
        self._recent = RecentUrls()
        self._sieve = LocalSieve(bloom)
        self._notes = notes or NoteCache()
        self._mine: dict[int, Out] = {}
        self._doubted: set[int] = set()
        self._start = store.run
        self._ready: deque[tuple[Out, dict[Key, bytes | None]]] = deque()
        self._jobs: deque[_Job] = deque()
        self._wanted = 0
        self._swapped: LastUsed[bytes] = LastUsed(_SWAPPED, 100 * _SWAPPED)
        self._scored: dict[str, dict[str, float]] = {}
        self._questions: set[Future[Any]] = set()
        self._tallies: Counter[str] = Counter()
        self._told = self._done = self._settled = 0
        self._aim = 0
        self._announced = -1.0
        self._renewed = self._looked = steady()
        self._skew = store.numbers.time - clock()
        self._failed: FrontierError | None = None
        self._away: Away | None = None
        self._closing = self._closed = False
        self._wake: Callable[[], None] = _nothing
        self._news = threading.Condition()
        self._thread = threading.Thread(target=self._live, name="redis", daemon=True)
        self._thread.start()

    def listen(self, wake: Callable[[], None]) -> None:
        """Have something called, from another thread, whenever leases have come or the crawl may be over."""
        self._wake = wake

    def tallies(self) -> Counter[str]:
        """What was learned since the last call, to be added to the crawl's stats."""
        with self._news:
            found, self._tallies = self._tallies, Counter()
        return found

    def server_time(self) -> float:
        """Redis's clock, seconds since the epoch."""
        return self._clock() + self._skew

    # -- joining ---------------------------------------------------------------------------------------------

    def add(self, candidates: Iterable[Candidate]) -> Added:
        found = list(candidates)
        fresh = set(self._recent.unknown([candidate.url for candidate in found]))
        joining = [candidate for candidate in found if candidate.url in fresh]
        for url in fresh:
            self._recent.add(url)
        if joining:
            self._tell(_Job(urls=joining))
        return Added(0, len(found) - len(joining))

    def hand_in(self, candidates: Iterable[Candidate]) -> Future[Added]:
        """As `add`; the answer comes when they are in Redis, and is told in another thread."""
        self._check()
        found = list(candidates)
        return self._post(lambda: self._store.add(found))

    def rejoin(self, candidate: Candidate) -> bool:
        def heard(answer: Any, _: bool) -> None:
            self._count("frontier/again", int(answer[0]))

        self._check()
        self._tell(_Job(call=lambda: self._store.addition([candidate], self.server_time(), again=True), heard=heard))
        return True

    @property
    def recent(self) -> Container[str]:
        return self._recent

    def unknown(self, urls: Sequence[str]) -> list[str]:
        return self._recent.unknown(urls)

    def _forget(self, urls: Iterable[str]) -> None:
        """URLs were pruned: they may join again. One step for the interpreter, in whatever thread."""
        self._recent.difference_update(urls)

    # -- going out -------------------------------------------------------------------------------------------

    def take(self, now: float, limit: int) -> list[Lease]:
        self._check()
        if not self._is_safe():
            return []
        leases = list[Lease]()
        with self._news:
            while self._ready and len(leases) < limit:
                out, notes = self._ready.popleft()
                self._mine[out.lease.id] = out
                self._notes.met(out.lease, notes)
                leases.append(out.lease)
            due = self._store.due
            if len(self._ready) < limit and 0 <= due <= now + self._skew and not self._wanted:
                self._wanted = limit
                self._news.notify()
        return leases

    def holds(self, lease: Lease) -> bool:
        out = self._mine.get(lease.id)
        if out is None or out.worker != self._store.worker or lease.id in self._doubted:
            return False
        return self._is_safe()

    def _is_safe(self) -> bool:
        """Whether no other worker can be given what this one holds before a visit that begins now is over."""
        return steady() - self._renewed < self._safe

    def finish(self, lease: Lease, outcome: Outcome, now: float) -> None:
        self._check()
        out = self._mine.get(lease.id)
        if out is None or out.lease is not lease:
            return
        del self._mine[lease.id]
        self._doubted.discard(lease.id)
        self._notes.over(lease)
        self._tell(self._ending(out, outcome, now + self._skew))

    def _ending(self, out: Out, outcome: Outcome, then: float) -> _Job:
        def heard(answer: Any, again: bool) -> _Job | None:
            if answer[0] == b"changed":
                self._store.refresh(out, answer)
                return self._ending(out, outcome, then)
            if self._store.finished(out, answer) or (again and answer[0] == b"over"):
                return None
            # Others have it by now, or Redis forgot it, and neither knows that the site was asked.
            self._count("frontier/lost_leases")
            return self._charging(out.lease.site, unrecorded(outcome), then) if outcome.asked else None

        return _Job(call=lambda: self._store.ending(out, outcome, then), heard=heard)

    def _charging(self, site: str, outcome: Outcome, then: float) -> _Job:
        return _Job(work=lambda: self._store.charge(site, outcome, then))

    def charge(self, site: str, outcome: Outcome, now: float) -> None:
        self._check()
        self._tell(self._charging(site, outcome, now + self._skew))

    def next_release(self) -> float | None:
        with self._news:
            if self._ready and self._is_safe():
                return 0.0
            if self._wanted or self._away or not self._is_safe():
                # The answer wakes the crawl.
                return self._clock() + PULSE
            due = self._store.due
        return None if due < 0 else due - self._skew

    # -- looking ---------------------------------------------------------------------------------------------

    def pending(self) -> int:
        with self._news:
            numbers = self._store.numbers
            told = numbers.pending(later=self._store.due > numbers.time)
            if self._mine or self._ready or self._told > self._settled or self._away or self._failed:
                # The numbers are older than what was told since.
                return max(told, 1)
            return told

    def counts(self) -> Counts:
        return self._store.numbers.counts()

    def site(self, name: str) -> SiteInfo | None:
        return self._ask(lambda: self._store.site(name))

    def sites_under(self, domain: str = "", after: str = "", limit: int = 1_000) -> list[str]:
        return self._ask(lambda: self._store.sites_under(domain, after, limit))

    # -- steering --------------------------------------------------------------------------------------------

    def set_scores(self, site: str, scores: Mapping[str, float]) -> None:
        self._check()
        self._scored.setdefault(site, {}).update(scores)
        if len(self._scored) >= SCORED:
            self._tell_scores()

    def _tell_scores(self) -> None:
        scored, self._scored = self._scored, {}
        for site, scores in scored.items():
            self._tell(_Job(call=partial(self._store.scoring, site, scores)))

    def pause(self, site: str) -> bool:
        return self._ask(lambda: self._store.pause(site))

    def resume(self, site: str) -> bool:
        return self._ask(lambda: self._store.resume(site))

    def drop(self, site: str, reason: Drop, which: Callable[[str], bool] | None = None) -> int:
        return self._ask(lambda: self._store.drop(site, reason, which))

    def prune(self, limit: int) -> int:
        def work() -> None:
            if self._store.alone("prune", 5.0):
                self._count(f"drop/{Drop.PRUNED}", self._store.prune(limit))

        self._check()
        self._tell(_Job(work=work))
        return 0

    # -- notes of other rooms --------------------------------------------------------------------------------

    @property
    def shared(self) -> bool:
        return True

    def note(self, room: str, key: str) -> bytes | None:
        known, record = self._notes.look(room, key)
        if known:
            return record
        self._check()
        answer: Future[bytes | None] = Future()
        self._tell(
            _Job(call=lambda: self._store.noted(room, key), heard=lambda one, _: answer.set_result(one), urgent=True)
        )
        try:
            return answer.result(0.0 if self._away else A_MOMENT)
        except TimeoutError:
            self._count("frontier/notes_missed")
            return None

    def set_note(self, room: str, key: str, record: bytes) -> None:
        self._check()
        self._notes.learn(room, key, record)
        self._tell(_Job(call=lambda: self._store.noting(room, key, record)))

    def update_note(self, room: str, key: str, change: Callable[[bytes | None], bytes]) -> bytes:
        return self._ask(lambda: self._store.update_note(room, key, change))

    def later(self, room: str, key: str, change: Callable[[bytes | None], bytes]) -> Future[bytes]:
        """As `update_note`; the answer comes when it comes, and is told in another thread."""
        self._check()
        answer: Future[bytes] = self._awaited()
        self._tell(self._swap(room, key, change, answer, self._swapped.get(f"{room}\n{key}") or b""))
        return answer

    def _swap(
        self, room: str, key: str, change: Callable[[bytes | None], bytes], answer: Future[bytes], old: bytes
    ) -> _Job:
        """The note is taken for `old`, which it mostly is; else the server says what it is, and it is tried again."""
        new = b""

        def call() -> Call:
            nonlocal new
            new = change(old or None)
            return self._store.swapping(room, key, old, new)

        def heard(told: Any, again: bool) -> _Job | None:
            if not (told[0] or (again and told[1] == new)):
                return self._swap(room, key, change, answer, told[1])
            self._swapped.put(f"{room}\n{key}", new, len(new))
            answer.set_result(new)
            return None

        return _Job(call=call, heard=heard)

    # -- what workers learn ----------------------------------------------------------------------------------

    def exchange(self, batch: bytes, visits: int, after: int, *, keep: int, most: int) -> Future[Exchanged]:
        """Tell the other workers of visits, and hear of theirs; the answer comes when it comes, from another thread.

        If an answer is lost the batch is told twice: whoever hears it must be able to tell.

        Args:
            batch: see `RedisFrontier.exchanging`.
            visits: see there.
            after: see there.
            keep: see there.
            most: see there.
        """
        self._check()
        answer: Future[Exchanged] = self._awaited()
        self._tell(
            _Job(
                call=lambda: self._store.exchanging(batch, visits, after, keep=keep, most=most),
                heard=lambda told, _: answer.set_result(self._store.exchanged(told)),
            )
        )
        return answer

    def fetch(self, room: str, key: str) -> Future[bytes | None]:
        """As `note`, however long it takes; the answer is told in another thread."""
        self._check()
        return self._post(lambda: self._store.note(room, key))

    def alone(self, what: str, seconds: float) -> Future[bool]:
        """Whether this worker is the one that does something, for so many seconds; answered in another thread.

        Args:
            what: is done by one.
            seconds: for which no other worker is told so.
        """
        self._check()
        return self._post(lambda: self._store.alone(what, seconds))

    # -- the thread's side -----------------------------------------------------------------------------------

    def commit(self) -> None:
        """Have what was told sent, and wait for that, but a moment at most."""
        self._check()
        self._tell_scores()
        self._wait_settled(A_MOMENT)

    def settle(self, seconds: float = PATIENCE) -> bool:
        # Redis is asked even if nothing was told: the numbers that are known may be a second old.
        self._tell_scores()
        self._tell(_Job())
        self._wait_settled(seconds)
        self._check()
        return self._settled >= self._aim

    def _wait_settled(self, seconds: float) -> None:
        with self._news:
            aim = self._aim = self._told
            self._news.notify_all()
            self._news.wait_for(lambda: self._settled >= aim or bool(self._failed), seconds)

    def close(self) -> None:
        """Give back what was not asked, and leave. If Redis is away the leases come back by their deadline."""
        if self._closed:
            return
        self._closed = True
        for out in () if self._failed else list(self._mine.values()):
            self.finish(out.lease, Outcome(End.RETURNED, asked=False), self._clock())
        try:
            settled = self.settle()
        except FrontierError:
            # The crawl has been told why, or is told by whatever it asks next; nothing of its words is waited for.
            settled = True
        with self._news:
            self._closing = True
            self._news.notify_all()
        self._thread.join(PATIENCE)
        self._answer_none()
        if not settled:
            logger.error(
                "%s is away at the end: %d messages were not sent; what they tell of is asked again by other workers",
                self._store.server,
                len(self._jobs),
            )

    def _awaited(self) -> Future[Any]:
        """An answer that somebody waits for: it is told in any case."""
        answer: Future[Any] = Future()
        self._questions.add(answer)
        answer.add_done_callback(self._questions.discard)
        return answer

    def _answer_none(self) -> None:
        """Nobody must wait for an answer that will not come."""
        for question in list(self._questions):
            question.set_exception(self._why_none())

    def _why_none(self) -> FrontierError:
        if self._failed:
            return type(self._failed)(str(self._failed))
        server, away = self._store.server, self._away
        if away:
            return FrontierAwayError(
                f"{server} has been away for {away.seconds:.0f} s ({away.words}), and the crawl ends: it is not asked"
                " any more; what this worker had leased comes back by its deadline, and is asked by the next one"
            )
        return FrontierAwayError(f"the crawl ends, and {server} is not asked any more")

    def _tell(self, job: _Job) -> None:
        with self._news:
            self._told += 1
            self._jobs.append(job)
            self._news.notify_all()

    def _post(self, question: Callable[[], _T]) -> Future[_T]:
        answer: Future[_T] = self._awaited()

        def work() -> None:
            try:
                found = question()
            except FrontierError as error:
                if is_away(error):
                    raise
                answer.set_exception(error)
            else:
                answer.set_result(found)

        self._tell(_Job(work=work, urgent=True))
        return answer

    def _ask(self, question: Callable[[], _T], patience: float = PATIENCE) -> _T:
        self._check()
        if self._away:
            raise FrontierAwayError(f"{self._store.server} is away ({self._away.words}); try again later")
        try:
            return self._post(question).result(patience)
        except TimeoutError:
            raise FrontierAwayError(f"{self._store.server} does not answer; try again later") from None

    def _check(self) -> None:
        if self._failed:
            raise type(self._failed)(str(self._failed))

    # -- the thread's side -----------------------------------------------------------------------------------

    def _live(self) -> None:
        """Send what gathered, take what is wanted, and say each second that this worker lives."""
        while not (self._closing and (self._away or not self._jobs)):
            self._wait()
            try:
                if self._away:
                    self._come_back()
                self._exchange()
                if self._is_due():
                    self._say_alive()
                self._return_strays()
                self._announce()
            except Exception as error:  # noqa: BLE001 - whatever it is, the crawl has to hear of it
                if not self._is_passing(error):
                    return
        try:
            self._store.close()
        except FrontierError as error:
            logger.debug("The worker could not say goodbye: %s", error)

    def _announce(self) -> None:
        """Wake the crawl if sites are due at another time than it thinks: it has one timer, at the first."""
        if self._store.due != self._announced:
            self._announced = self._store.due
            self._wake()

    def _wait(self) -> None:
        with self._news:
            left = self._renewed + self._pulse - steady()
            busy = self._jobs or self._wanted or self._settled < self._aim
            if not (busy or self._closing or self._away) and left > 0:
                self._news.wait(left)
            urgent = any(job.urgent for job in islice(self._jobs, MOST))
        if not urgent:
            sleep(LINGER)

    def _count(self, name: str, number: int = 1) -> None:
        with self._news:
            self._tallies[name] += number

    def _breathe(self) -> None:
        """In the midst of what takes long: the others must not take this worker for dead."""
        if steady() - self._renewed >= self._pulse:
            self._say_alive()

    def _is_due(self) -> bool:
        """Whether it is time for a sign of life, or somebody waits for the numbers."""
        idle = not (self._jobs or self._mine or self._ready) and self._settled < self._told
        asked = self._settled < self._aim <= self._done
        return idle or asked or steady() - self._renewed >= self._pulse

    def _say_alive(self) -> None:
        before, clock = steady(), self._clock()
        with self._news:
            done = self._done
        if not self._store.renew(self.server_time()):
            self._begin_anew()
        if self._store.run != self._start:
            self._doubt_all()
        numbers = self._store.numbers
        with self._news:
            self._renewed, self._settled = before, done
            self._skew = numbers.time - (clock + self._clock()) / 2
            self._news.notify_all()
        self._wake()

    def _begin_anew(self) -> None:
        """This worker was taken for dead, and all that it had was given back: it joins as another one."""
        with self._news:
            lost = len(self._ready) + len(self._mine)
            self._forget_ready()
        self._store.join(self.server_time())
        self._count("frontier/reaped")
        told = plural(lost, "lease", "was")
        logger.warning("This worker was not heard for too long: %s given to others", told)

    def _forget_ready(self) -> None:
        for out, _ in self._ready:
            self._store.out.pop(out.lease.id, None)
        self._ready.clear()

    def _return_strays(self) -> None:
        if steady() - self._looked >= STRAYS:
            self._store.return_strays()
            self._looked = steady()

    def _doubt_all(self) -> None:
        """Redis was started anew, and may have forgotten the last second: who has what, and which URLs are known.

        What was not asked yet is not asked any more, the sites of all the rest wait as long as a visit may take, and
        links are told again when they are found again.
        """
        with self._news:
            self._forget_ready()
            mine = list(self._mine.values())
            self._doubted.update(out.lease.id for out in mine)
        self._recent.clear()
        for out in mine:
            self._store.charge(out.lease.site, Outcome(End.RETURNED, asked=False, wait=self._visit), self.server_time())
        self._store.return_strays(asked=True)
        self._start = self._store.run

    def _exchange(self) -> None:
        """One round trip, or two: what was told, and the leases that are wanted."""
        with self._news:
            jobs = self._next_jobs()
            wanted = self._wanted
        if jobs and jobs[0].work is not None:
            jobs[0].work()
            self._over(jobs, [])
            return
        if not (jobs or wanted):
            return
        calls = self._joining([candidate for job in jobs for candidate in job.urls])
        told = [job for job in jobs if job.call is not None]
        first = len(calls)
        calls += [job.call() for job in told if job.call is not None]
        if wanted:
            calls.append(self._store.request(self.server_time(), wanted))
        marks = [job.sent for job in told]
        for job in told:
            job.sent = True
        answers = self._run(calls)
        more = [
            job.heard(answer, again)
            for job, answer, again in zip(told, answers[first:], marks, strict=False)
            if job.heard is not None
        ]
        self._joined([candidate.url for job in jobs for candidate in job.urls], sum(one[0] for one in answers[:first]))
        self._over(jobs, [job for job in more if job is not None])
        if wanted:
            self._taken(answers[-1])

    def _next_jobs(self) -> list[_Job]:
        """Those that go together: up to the next one that asks by itself."""
        jobs = list(islice(self._jobs, MOST))
        alone = next((place for place, job in enumerate(jobs) if job.work is not None), len(jobs))
        return jobs[: max(alone, 1)]

    def _joining(self, found: list[Candidate]) -> list[Call]:
        """The calls by which URLs join. Of those that are probably known it is asked first whether they are."""
        doubtful = [candidate for candidate in found if candidate.url in self._sieve]
        if doubtful:
            known = self._run([self._store.question(part) for part in _parts([one.url for one in doubtful])])
            old = {one.url for one, answer in zip(doubtful, b"".join(known), strict=True) if answer == KNOWN}
            found = [candidate for candidate in found if candidate.url not in old]
        return [self._store.addition(part, self.server_time()) for part in _parts(found)]

    def _joined(self, urls: list[str], new: int) -> None:
        for url in urls:
            self._sieve.add(url)
        self._count("frontier/new", new)
        self._count("frontier/known", len(urls) - new)

    def _run(self, calls: list[Call]) -> list[Any]:
        answers = self._store.scripts.run(calls)
        for answer in answers:
            if isinstance(answer, Exception):
                raise answer
        return answers

    def _over(self, jobs: list[_Job], more: list[_Job]) -> None:
        """These jobs are done; others came of them, which go first."""
        with self._news:
            for _ in jobs:
                self._jobs.popleft()
            self._jobs.extendleft(reversed(more))
            self._told += len(more)
            self._done += len(jobs)

    def _taken(self, answer: Any) -> None:
        store = self._store
        outs = store.taken(answer, self._clock())
        keys = [self._notes.keys_for(out.lease, own=out.before == store.worker) for out in outs]
        try:
            notes = iter(self._run([store.noted(*key) for several in keys for key in several]) if outs else ())
        except Exception:
            # As if the answer that told of these leases had been lost: they are strays.
            for out in outs:
                store.out.pop(out.lease.id, None)
            raise
        with self._news:
            self._wanted = 0
            self._ready.extend(
                (out, {key: next(notes) for key in several}) for out, several in zip(outs, keys, strict=True)
            )
            if not outs and 0 <= store.due <= self.server_time():
                # What is due cannot be had just now.
                store.due = self.server_time() + 0.1
            self._news.notify_all()
        self._count("frontier/takes")
        self._wake()

    # -- when Redis is away ----------------------------------------------------------------------------------

    def _is_passing(self, error: Exception) -> bool:
        """Wait a little if Redis is away; else say so to the crawl, and be no more."""
        if is_away(error):
            self._away = self._away or Away(self._store.server)
            pause = self._away.pause(error, len(self._jobs))
            with self._news:
                self._news.wait_for(lambda: self._closing, pause)
            return True
        with self._news:
            self._failed = error if isinstance(error, FrontierError) else failure(self._store.server, error)
            self._news.notify_all()
        if not isinstance(error, FrontierError) and not _is_of_redis(error):
            logger.error("The worker's thread failed", exc_info=error)
        self._answer_none()
        self._wake()
        return False

    def _come_back(self) -> None:
        """This worker may be taken for dead, and answers may be lost that told of leases."""
        self._say_alive()
        self._store.return_strays()
        if self._away is not None:
            self._count("frontier/away_seconds", round(self._away.over()))
        self._away = None


def _parts(found: list[_T]) -> list[list[_T]]:
    return [found[start : start + MOST_URLS] for start in range(0, len(found), MOST_URLS)]


def _is_of_redis(error: Exception) -> bool:
    return type(error).__module__.partition(".")[0] == "redis"


def _nothing() -> None:
    """Nobody listens yet."""
