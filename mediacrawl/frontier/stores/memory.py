"""The store in memory: the model that the others are tested against, and enough for a crawl of an hour."""

from __future__ import annotations

import random
from collections import Counter, deque
from collections.abc import Callable, Collection, Container, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import count
from math import isfinite

from mediacrawl.frontier.byte_budget import text_bytes
from mediacrawl.frontier.contract import Counts, FrontierPolicy
from mediacrawl.frontier.penalty_box import PenaltyBox
from mediacrawl.frontier.stores.rules import class_for, rests, site_state, told
from mediacrawl.politeness.backoff import GOOD
from mediacrawl.politeness.delay import Clocks, after_visit
from mediacrawl.records import FINAL, Added, Candidate, Drop, End, Kind, Lease, Outcome, SiteInfo, SiteState


@dataclass(slots=True)
class _Row:
    candidate: Candidate
    link_class: str
    order: int
    kind: Kind
    attempt: int = 0
    state: bytes = b""
    again: bool = False

    @property
    def size(self) -> int:
        return text_bytes(self.candidate) + len(self.state)


@dataclass(slots=True)
class _Class:
    score: float
    rank: int
    rows: deque[_Row] = field(default_factory=deque)
    held: float = 0.0


@dataclass(slots=True)
class _Site:
    number: int
    name: str
    clocks: Clocks = field(default_factory=Clocks)
    classes: dict[str, _Class] = field(default_factory=dict)
    lease: Lease | None = None
    row: _Row | None = None
    shelf: SiteState | None = None
    earned: int = 0
    granted: int = 0
    due: float = 0.0
    rank: int = 0

    @property
    def waiting(self) -> int:
        return sum(len(c.rows) for c in self.classes.values())

    def filled(self) -> list[_Class]:
        return [c for c in self.classes.values() if c.rows]

    def free(self, now: float) -> list[_Class]:
        """The classes with something waiting that may be looked at now."""
        return [c for c in self.filled() if c.held <= now]


class MemoryFrontier:
    """A `Frontier` in memory. On disk: nothing. A kill leaves: nothing.

    Args:
        policy: the frontier's numbers.
        rng: source of the even picks.
    """

    def __init__(self, policy: FrontierPolicy, rng: random.Random | None = None) -> None:
        self._policy = policy
        self._rng = rng or random.Random()
        self._box = PenaltyBox(self._rng)
        self._sites: dict[str, _Site] = {}
        self._numbered: list[_Site] = []
        self._seen: set[str] = set()
        self._ended: set[str] = set()
        self._out: dict[str, _Site] = {}
        self._shelf: dict[int, _Site] = {}
        self._waiting = self._most = self._again = self._bytes = 0
        self._now = 0.0
        self._ends: Counter[str] = Counter()
        self._notes: dict[tuple[str, str], bytes] = {}
        self._orders = count()
        self._ids = count(1)

    def add(self, candidates: Iterable[Candidate]) -> Added:
        new = known = 0
        for candidate in candidates:
            if candidate.url in self._seen:
                known += 1
                continue
            self._seen.add(candidate.url)
            self._queue(candidate)
            new += 1
        return Added(new, known)

    def rejoin(self, candidate: Candidate) -> bool:
        if candidate.url not in self._ended:
            return False
        self._ended.discard(candidate.url)
        self._again += 1
        self._queue(candidate, again=True)
        return True

    @property
    def recent(self) -> Container[str]:
        return self._seen

    def unknown(self, urls: Sequence[str]) -> list[str]:
        return [url for url in urls if url not in self._seen]

    def take(self, now: float, limit: int) -> list[Lease]:
        leases: list[Lease] = []
        self._now = now
        self._box.release(now)
        while len(leases) < limit and self._box.ready:
            even = self._rng.random() < self._policy.explore
            number = self._box.pick_even() if even else self._box.pick(self._choose(self._box.ranks))
            assert number is not None, "some are ready"
            site = self._numbered[number]
            if site.free(now):
                leases.append(self._lease(site, even=even, now=now))
            else:
                self._settle(site)
        return leases

    def finish(self, lease: Lease, outcome: Outcome, now: float) -> None:
        site = self._out.get(lease.site)
        if site is None or site.row is None or site.lease is not lease:
            return
        stretch = self._policy.delay.stretch(self._active(), self._most)
        del self._out[lease.site]
        self._now = now
        row, site.lease, site.row = site.row, None, None
        self._end(site, row, outcome)
        site.clocks = after_visit(site.clocks, outcome, now, self._policy.delay, stretch)
        site.earned += outcome.earned
        self._settle(site)

    def charge(self, site: str, outcome: Outcome, now: float) -> None:
        home = self._site(site)
        home.clocks = after_visit(home.clocks, outcome, now, self._policy.delay)
        if home.number in self._box:
            self._settle(home)

    def next_release(self) -> float | None:
        return self._box.next_release()

    def pending(self) -> int:
        if not self._out and len(self._box) and self._resting() == len(self._box):
            first = self._box.next_release()
            if first is not None and first > self._now:
                return 0
        return self._waiting - self._shelved() + len(self._out)

    def counts(self) -> Counts:
        return Counts(
            seen=len(self._seen),
            waiting=self._waiting,
            leased=len(self._out),
            ready=self._box.ready,
            penalty=len(self._box) - self._box.ready,
            ends=dict(self._ends),
            sites=self._active(),
            most=self._most,
            shelved=self._shelved(),
            shelved_sites=(self._count(SiteState.PAUSED), self._count(SiteState.RETIRED)),
            resting=self._resting(),
            again=self._again,
            bytes=self._bytes,
        )

    def set_scores(self, site: str, scores: Mapping[str, float]) -> None:
        home = self._sites.get(site)
        if home is None:
            return
        for name, score in scores.items():
            if name in home.classes and isfinite(score):
                home.classes[name].score = score
                home.classes[name].rank = self._policy.order.rank(score)
        self._settle(home)

    def prune(self, limit: int) -> int:
        gone = 0
        classes = [(c, s) for s in self._sites.values() for c in s.classes.values() if c.rows]
        for link_class, site in sorted(classes, key=lambda e: (e[1].shelf is not SiteState.RETIRED, e[0].score)):
            while link_class.rows and self._waiting > limit:
                self._forget(link_class.rows.pop())
                self._waiting -= 1
                gone += 1
            self._settle(site)
        return gone

    def pause(self, site: str) -> bool:
        home = self._sites.get(site)
        if home is not None:
            home.shelf = SiteState.PAUSED
            self._shelf[home.number] = home
            self._settle(home)
        return home is not None

    def resume(self, site: str) -> bool:
        home = self._sites.get(site)
        if home is None or home.shelf is None:
            return False
        if home.shelf is SiteState.RETIRED:
            home.granted = home.clocks.visits - self._policy.further(home.earned)
            home.clocks = replace(home.clocks, standing=GOOD)
        home.shelf = None
        del self._shelf[home.number]
        self._settle(home)
        return True

    def drop(self, site: str, reason: Drop, which: Callable[[str], bool] | None = None) -> int:
        home = self._sites.get(site)
        gone = 0
        if home is not None:
            for link_class in home.classes.values():
                rows = [row for row in link_class.rows if which is None or which(row.candidate.url)]
                meant = [row.candidate.url for row in rows]
                self._bytes -= sum(row.size for row in rows)
                self._ended.update(meant)
                link_class.rows = deque(row for row in link_class.rows if row.candidate.url not in self._ended)
                gone += len(meant)
            self._settle(home)
        self._waiting -= gone
        self._ends[reason] += gone
        return gone

    def site(self, name: str) -> SiteInfo | None:
        site = self._sites.get(name)
        if site is None:
            return None
        clocks = site.clocks
        release = max(clocks.release, site.due) if site.number in self._box else clocks.release
        leased, asleep = site.lease is not None, rests(clocks, release, self._now)
        state = site_state(leased=leased, waiting=site.waiting, rests=asleep, due=release <= self._now)
        return SiteInfo(
            name=name,
            state=site.shelf or state,
            release=release,
            delay=clocks.delay,
            crawl_delay=clocks.crawl_delay,
            samples=clocks.samples,
            visits=clocks.visits,
            earned=site.earned,
            waiting=site.waiting,
            classes=tuple((name, c.score, len(c.rows)) for name, c in site.classes.items()),
            **told(clocks.standing),
        )

    def sites_under(self, domain: str = "", after: str = "", limit: int = 1_000) -> list[str]:
        below = f".{domain}"
        names = (s.name for s in self._numbered if s.waiting or s.lease)
        return sorted(n for n in names if n > after and (not domain or n == domain or n.endswith(below)))[:limit]

    def note(self, room: str, key: str) -> bytes | None:
        return self._notes.get((room, key))

    def set_note(self, room: str, key: str, record: bytes) -> None:
        self._notes[room, key] = record

    @property
    def shared(self) -> bool:
        return False

    def update_note(self, room: str, key: str, change: Callable[[bytes | None], bytes]) -> bytes:
        record = self._notes[room, key] = change(self._notes.get((room, key)))
        return record

    def holds(self, lease: Lease) -> bool:
        site = self._out.get(lease.site)
        return site is not None and site.lease is lease

    def commit(self) -> None:
        """Nothing to do: there is no disk."""

    def close(self) -> None:
        for site in list(self._out.values()):
            if site.lease is not None:
                self.finish(site.lease, Outcome(End.RETURNED, asked=False), site.clocks.release)

    def _choose(self, ranks: Collection[int]) -> int:
        return self._policy.order.choose(ranks, self._rng)

    def _active(self) -> int:
        return len(self._box) + sum(site.shelf is None for site in self._out.values())

    def _count(self, shelf: SiteState) -> int:
        return sum(site.shelf is shelf for site in self._shelf.values())

    def _resting(self) -> int:
        return sum(rests(site.clocks, site.due, self._now) for site in self._numbered if site.number in self._box)

    def _shelved(self) -> int:
        return sum(site.waiting for site in self._shelf.values())

    def _forget(self, row: _Row) -> None:
        """A row is pruned: its URL may be found again, but one that had ended goes on as ended."""
        self._bytes -= row.size
        if row.again:
            self._ended.add(row.candidate.url)
            self._again -= 1
        else:
            self._seen.discard(row.candidate.url)

    def _queue(self, candidate: Candidate, *, again: bool = False) -> None:
        site = self._site(candidate.site)
        name = class_for(candidate.link_class, site.classes, self._policy.classes)
        link_class = site.classes.get(name)
        if link_class is None:
            link_class = site.classes[name] = _Class(candidate.score, self._policy.order.rank(candidate.score))
        elif again:
            score = candidate.score if isfinite(candidate.score) else 0.0
            link_class.score, link_class.rank = score, self._policy.order.rank(score)
        link_class.rows.append(_Row(candidate, name, next(self._orders), candidate.kind, again=again))
        self._waiting += 1
        self._bytes += text_bytes(candidate)
        self._settle(site)

    def _site(self, name: str) -> _Site:
        site = self._sites.get(name)
        if site is None:
            site = self._sites[name] = _Site(len(self._numbered), name)
            self._numbered.append(site)
        return site

    def _settle(self, site: _Site) -> None:
        """Put a site where it belongs: into the box, as of its classes, or out of it."""
        if site.lease is not None:
            return
        filled = site.filled()
        spent = self._policy.spent(site.clocks.visits - site.granted, site.earned)
        if filled and site.shelf is None and (spent or site.clocks.standing.gone):
            site.shelf = SiteState.RETIRED
            self._shelf[site.number] = site
        if not filled or site.shelf is not None:
            self._box.remove(site.number)
            return
        free = site.free(max(self._now, site.clocks.release))
        held = 0.0 if free else min(c.held for c in filled)
        place = max(site.clocks.release, held), max(c.rank for c in free or filled)
        if site.number in self._box and place == (site.due, site.rank):
            # Where it is it has been due for longer.
            return
        site.due, site.rank = place
        self._box.put(site.number, *place)
        self._box.release(self._now)
        self._most = max(self._most, self._active())

    def _lease(self, site: _Site, *, even: bool, now: float) -> Lease:
        free = site.free(now)
        if site.clocks.standing.row:
            link_class = min(free, key=lambda c: c.rows[0].order)
        elif even:
            link_class = self._rng.choice(free)
        else:
            rank = self._choose({c.rank for c in free})
            link_class = min((c for c in free if c.rank == rank), key=lambda c: c.rows[0].order)
        row = link_class.rows.popleft()
        found = row.candidate
        lease = Lease(
            id=next(self._ids),
            url=found.url,
            site=found.site,
            link_class=row.link_class,
            kind=row.kind,
            depth=found.depth,
            hops=found.hops,
            parent=found.parent,
            evidence=found.evidence,
            attempt=row.attempt,
            state=row.state,
            delay=site.clocks.delay,
            taken=now,
            troubles=site.clocks.standing.row,
            even=even,
            requested=found.requested,
        )
        site.lease, site.row = lease, row
        self._out[site.name] = site
        self._waiting -= 1
        return lease

    def _end(self, site: _Site, row: _Row, outcome: Outcome) -> None:
        if outcome.hold:
            site.classes[row.link_class].held = self._now + outcome.hold
        if outcome.end in FINAL:
            self._ends[outcome.reason or outcome.end] += 1
            self._ended.add(row.candidate.url)
            self._bytes -= row.size
            return
        rows = site.classes[row.link_class].rows
        self._waiting += 1
        self._bytes -= len(row.state)
        if outcome.end is End.AGAIN:
            row.attempt += outcome.asked and outcome.blamed
            row.state = b""
            row.order = next(self._orders)
            rows.append(row)
            return
        if outcome.end is End.CONTINUE:
            row.kind = outcome.kind or row.kind
            row.state = outcome.state
        self._bytes += len(row.state)
        if outcome.end is End.CONTINUE and outcome.trouble is not None:
            row.order = next(self._orders)
            rows.append(row)
        else:
            rows.appendleft(row)
