"""The store in memory: the model that the others are tested against, and enough for a crawl of an hour."""

from __future__ import annotations

import random
from collections import Counter, deque
from collections.abc import Container, Iterable, Sequence
from dataclasses import dataclass, field
from itertools import count

from mediacrawl.frontier.contract import Counts, FrontierPolicy
from mediacrawl.frontier.penalty_box import PenaltyBox
from mediacrawl.frontier.stores.rules import FINAL, OTHER, class_for, site_state
from mediacrawl.politeness.delay import Clocks, after_visit
from mediacrawl.records import Added, Candidate, End, Kind, Lease, Outcome, SiteInfo


@dataclass(slots=True)
class _Row:
    candidate: Candidate
    order: int
    kind: Kind
    attempt: int = 0
    state: bytes = b""


@dataclass(slots=True)
class _Class:
    score: float
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

    def filled(self) -> list[_Class]:
        return [c for c in self.classes.values() if c.rows]

    def free(self, now: float) -> list[_Class]:
        """The classes with something waiting that may be looked at now."""
        return [c for c in self.filled() if c.held <= now]

    def best(self, now: float) -> _Class | None:
        return max(self.free(now), key=lambda c: (c.score, -c.rows[0].order), default=None)


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
        self._out: dict[int, _Site] = {}
        self._waiting = 0
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

    @property
    def recent(self) -> Container[str]:
        return self._seen

    def unknown(self, urls: Sequence[str]) -> list[str]:
        return [url for url in urls if url not in self._seen]

    def take(self, now: float, limit: int) -> list[Lease]:
        leases: list[Lease] = []
        self._now = now
        self._box.release(now)
        while len(leases) < limit and (picked := self._box.pick(self._policy.explore)) is not None:
            site = self._numbered[picked[0]]
            if site.free(now):
                leases.append(self._lease(site, even=picked[1], now=now))
            else:
                self._box_if_filled(site)
        return leases

    def finish(self, lease: Lease, outcome: Outcome, now: float) -> None:
        site = self._out.pop(lease.id, None)
        if site is None or site.row is None:
            return
        self._now = now
        row, site.lease, site.row = site.row, None, None
        self._end(site, row, outcome)
        site.clocks = after_visit(site.clocks, outcome, now, self._policy.delay)
        self._box_if_filled(site)

    def charge(self, site: str, outcome: Outcome, now: float) -> None:
        home = self._site(site)
        home.clocks = after_visit(home.clocks, outcome, now, self._policy.delay)
        if home.number in self._box:
            self._box.remove(home.number)
            self._box_if_filled(home)

    def next_release(self) -> float | None:
        return self._box.next_release()

    def pending(self) -> int:
        return self._waiting + len(self._out)

    def counts(self) -> Counts:
        return Counts(
            len(self._seen), self._waiting, len(self._out), self._box.ready, self._box.penalty, dict(self._ends)
        )

    def set_score(self, site: str, link_class: str, score: float) -> None:
        home = self._sites.get(site)
        if home is None or link_class not in home.classes:
            return
        home.classes[link_class].score = score
        if home.lease is None:
            self._box_if_filled(home)

    def prune(self, limit: int) -> int:
        gone = 0
        classes = [(c.score, c, s) for s in self._sites.values() for c in s.classes.values() if c.rows]
        for _, link_class, site in sorted(classes, key=lambda entry: entry[0]):
            while link_class.rows and self._waiting > limit:
                self._seen.discard(link_class.rows.pop().candidate.url)
                self._waiting -= 1
                gone += 1
            if not site.filled():
                self._box.remove(site.number)
        return gone

    def site(self, name: str) -> SiteInfo | None:
        site = self._sites.get(name)
        if site is None:
            return None
        clocks = site.clocks
        classes = tuple((name, c.score, len(c.rows)) for name, c in site.classes.items())
        waiting = sum(len(c.rows) for c in site.classes.values())
        return SiteInfo(
            name,
            site_state(leased=site.lease is not None, waiting=waiting, rests=clocks.rests),
            clocks.release,
            clocks.delay,
            clocks.crawl_delay,
            clocks.samples,
            clocks.visits,
            waiting,
            classes,
        )

    def note(self, room: str, key: str) -> bytes | None:
        return self._notes.get((room, key))

    def set_note(self, room: str, key: str, record: bytes) -> None:
        self._notes[room, key] = record

    def commit(self) -> None:
        """Nothing to do: there is no disk."""

    def close(self) -> None:
        for site in list(self._out.values()):
            if site.lease is not None:
                self.finish(site.lease, Outcome(End.RETURNED, asked=False), site.clocks.release)

    def _queue(self, candidate: Candidate) -> None:
        site = self._site(candidate.site)
        name = class_for(candidate.link_class, site.classes, self._policy.classes)
        link_class = site.classes.setdefault(name, _Class(candidate.score))
        link_class.rows.append(_Row(candidate, next(self._orders), candidate.kind))
        self._waiting += 1
        if site.lease is None:
            self._box_if_filled(site)

    def _site(self, name: str) -> _Site:
        site = self._sites.get(name)
        if site is None:
            site = self._sites[name] = _Site(len(self._numbered), name)
            self._numbered.append(site)
        return site

    def _box_if_filled(self, site: _Site) -> None:
        """Put a site into the box as of its classes: its best one, or the one whose hold ends first."""
        filled = site.filled()
        if not filled:
            return
        best = site.best(self._now) or min(filled, key=lambda c: c.held)
        if site.number in self._box and all(c.held <= self._now for c in filled):
            self._box.rescore(site.number, best.score)
        else:
            self._box.put(site.number, max(site.clocks.release, best.held), best.score)

    def _lease(self, site: _Site, *, even: bool, now: float) -> Lease:
        link_class = self._rng.choice(site.free(now)) if even else site.best(now)
        assert link_class is not None, "a site in the box has something waiting"
        row = link_class.rows.popleft()
        found = row.candidate
        lease = Lease(
            id=next(self._ids),
            url=found.url,
            site=found.site,
            link_class=found.link_class,
            kind=row.kind,
            depth=found.depth,
            hops=found.hops,
            parent=found.parent,
            evidence=found.evidence,
            attempt=row.attempt,
            state=row.state,
            delay=site.clocks.delay,
            taken=now,
        )
        site.lease, site.row = lease, row
        self._out[lease.id] = site
        self._waiting -= 1
        return lease

    def _end(self, site: _Site, row: _Row, outcome: Outcome) -> None:
        if outcome.end in FINAL:
            self._ends[outcome.reason or outcome.end] += 1
            return
        name = row.candidate.link_class if row.candidate.link_class in site.classes else OTHER
        rows = site.classes[name].rows
        if outcome.hold:
            site.classes[name].held = self._now + outcome.hold
        self._waiting += 1
        if outcome.end is End.AGAIN:
            row.attempt += outcome.asked
            row.order = next(self._orders)
            rows.append(row)
            return
        if outcome.end is End.CONTINUE:
            row.kind = outcome.kind or row.kind
            row.state = outcome.state
        rows.appendleft(row)
