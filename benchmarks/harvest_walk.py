"""A crawl of the synthetic web in process: the frontier in memory and an order, one fetch a tick, no network."""

from __future__ import annotations

import random
import time
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field

from harvest_web import Answer, Found, Web

from mediacrawl.base.terms import Candidate, End, Evidence, Kind, Lease, Outcome
from mediacrawl.frontier import FrontierPolicy
from mediacrawl.frontier.contract import Frontier
from mediacrawl.frontier.site_state import OTHER
from mediacrawl.frontier.sqlite.store import MemoryFrontier
from mediacrawl.politeness.delay import DelayPolicy
from mediacrawl.priority.links import Scores
from mediacrawl.priority.orders import Priority, RuleOrder
from mediacrawl.priority.visits import CreditPolicy
from mediacrawl.scope.candidates import candidate
from mediacrawl.scope.urls import site_of

TICKS = 50
"""Between two requests to one site."""
HOPS = 3


def policy(explore: float = 0.02) -> FrontierPolicy:
    """One request of a site in `TICKS` ticks, and nothing else that slows."""
    return FrontierPolicy(delay=DelayPolicy(factor=0, minimum=TICKS, maximum=TICKS, first=TICKS), explore=explore)


@dataclass(slots=True)
class Curve:
    """What a crawl came to.

    Attributes:
        marks: pages -> new media files until then.
        kinds: answers by kind.
        links: new links that were added.
        cpu: seconds that the order took.
        even, even_new: pages that were picked evenly, and new media files among them.
        overflow: pages of classes for what had no room in a class of its own.
    """

    marks: dict[int, int] = field(default_factory=dict)
    kinds: Counter[str] = field(default_factory=Counter)
    links: int = 0
    cpu: float = 0.0
    even: int = 0
    even_new: int = 0
    overflow: int = 0

    def rate(self, pages: int) -> float:
        """New media files for each 1,000 pages, after so many."""
        return 1000 * self.marks[pages] / pages


class Harvest:
    """What was found: a recording counts once."""

    def __init__(self, marks: Iterable[int]) -> None:
        self.curve = Curve()
        self.pages = 0
        self._marks = sorted(marks)
        self._met = set[str]()

    def count(self, answer: Answer) -> float:
        """Count a page, and tell what it was worth."""
        self.pages += 1
        new = bool(answer.nugget) and answer.nugget not in self._met
        if new:
            self._met.add(answer.nugget)
        self.curve.kinds["new" if new else "again" if answer.nugget else answer.kind] += 1
        if self.pages in self._marks:
            self.curve.marks[self.pages] = len(self._met)
        return float(new)


class OrderedWalk:
    """A crawl on a frontier, in the order that a `Priority` makes."""

    def __init__(self, web: Web, order: Priority, frontier: Frontier, seeds: int, marks: Iterable[int]) -> None:
        self._web, self.order, self._frontier = web, order, frontier
        self._scores = Scores()
        self._tick = 0.0
        self.harvest = Harvest(marks)
        self._add([candidate(url, Evidence("seed"), self._scores) for url in web.seeds(seeds)])

    def step(self) -> bool:
        """Ask one page; False if nothing is left."""
        while True:
            self._tick += 1
            leases = self._frontier.take(self._tick, 1)
            if leases:
                break
            release = self._frontier.next_release()
            if release is None:
                return False
            self._tick = max(self._tick, release - 1)
        self._visit(leases[0])
        return True

    def run(self, pages: int) -> Curve:
        """Ask so many pages."""
        while self.harvest.pages < pages and self.step():
            pass
        return self.harvest.curve

    def _visit(self, lease: Lease) -> None:
        answer = self._web.fetch(lease.url)
        reward = self.harvest.count(answer)
        curve = self.harvest.curve
        # URLs join these classes if their own had no room.
        curve.overflow += lease.link_class == OTHER or lease.link_class.startswith("/")
        if lease.even:
            curve.even += 1
            curve.even_new += bool(reward)
        self._add(list(self._found(lease, answer)), lease.site)
        began = time.process_time_ns()
        rescored = list(self.order.ended(lease, reward))
        curve.cpu += (time.process_time_ns() - began) / 1e9
        for site, scores in rescored:
            self._frontier.set_scores(site, scores)
        self._frontier.finish(lease, Outcome(End.DONE), self._tick)

    def _found(self, lease: Lease, answer: Answer) -> Iterator[Candidate]:
        if answer.location and lease.hops < HOPS:
            evidence = Evidence(lease.evidence.via, lease.evidence.anchor, requested_url=lease.url)
            yield self._candidate(answer.location, evidence, lease, hops=lease.hops + 1)
        urls = [link.url for link in answer.links]
        unknown = set(self._frontier.unknown(urls))
        for link in answer.links:
            if link.url in unknown:
                unknown.discard(link.url)
                yield self._candidate(link.url, Evidence(link.via, link.anchor, path=link.path), lease)

    def _candidate(self, url: str, evidence: Evidence, lease: Lease, hops: int = 0) -> Candidate:
        kind = Kind.MEDIA if evidence.via in {"audio", "enclosure"} else None
        depth = lease.depth + (not hops)
        parent = lease.parent if hops else lease.url
        return candidate(url, evidence, self._scores, kind, depth=depth, hops=hops, parent=parent)

    def _add(self, found: list[Candidate], source: str = "") -> None:
        began = time.process_time_ns()
        self.order.join(found, source)
        self.harvest.curve.cpu += (time.process_time_ns() - began) / 1e9
        self.harvest.curve.links += self._frontier.add(found).new


class RandomWalk:
    """The control: any of the URLs that wait on sites that may be requested, each with the same chance."""

    def __init__(self, web: Web, seed: int, seeds: int, marks: Iterable[int]) -> None:
        self._web = web
        self._rng = random.Random(seed)
        self._waiting = web.seeds(seeds)
        self._seen = set(self._waiting)
        self._release = dict[str, int]()
        self._tick = 0
        self.harvest = Harvest(marks)

    def run(self, pages: int) -> Curve:
        """Ask so many pages."""
        while self.harvest.pages < pages and self._waiting:
            self._tick += 1
            url = self._draw()
            if url:
                self._visit(url)
        return self.harvest.curve

    def _draw(self) -> str:
        waiting = self._waiting
        for _ in range(2_000):
            place = self._rng.randrange(len(waiting))
            url = waiting[place]
            if self._release.get(site_of(url), 0) <= self._tick:
                waiting[place] = waiting[-1]
                waiting.pop()
                return url
        return ""

    def _visit(self, url: str) -> None:
        self._release[site_of(url)] = self._tick + TICKS
        answer = self._web.fetch(url)
        self.harvest.count(answer)
        found = [Found(answer.location, "", "", "a")] if answer.location else answer.links
        for link in found:
            if link.url not in self._seen:
                self._seen.add(link.url)
                self._waiting.append(link.url)


class Knowing(RuleOrder):
    """The order of one who knows the web: the nearest to a recording first, on whatever site that is released.

    No crawler can know how many clicks each URL is from a recording. The share of this that an order finds tells how
    much of its figure is the order, and how much is the web: pages that have to be read on the way, and files that are
    gone, say nothing of themselves, or are copies. It is not the most that can be found, since how many files are
    behind a page does not count.
    """

    def __init__(self, web: Web) -> None:
        self._web = web
        self._decay = CreditPolicy().decay

    def join(self, candidates: Iterable[Candidate], source: str = "") -> None:  # noqa: ARG002 - as `RuleOrder` has it
        """Give each URL a class and a score by its distance."""
        for found in candidates:
            clicks = self._web.distance(found.url)
            found.link_class = f"{clicks} clicks"
            found.score = self._decay**clicks


def in_memory(seed: int, explore: float = 0.02) -> MemoryFrontier:
    """A frontier in memory, whose chance has a seed."""
    return MemoryFrontier(policy(explore), random.Random(seed))
