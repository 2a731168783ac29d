"""New media files per 1,000 pages, by the order in which URLs are requested, on a synthetic web.

In process: the frontier in memory, one request of a site in 50 ticks, 100 seeds, 50,000 pages. Peers: any waiting URL
by chance (`random`), the success rate of the site that a link was found on (`site-rate`, as MLBot did it),
breadth-first, and the rules that mediacrawl had before it learned. Then without each of the order's parts. Over HTTP:
``scrapy crawl media`` on the same web, served by another process; and the same in process killed and resumed half-way.

Then the adaptive order on the same sites with URLs as other makers would write them (``harvest_habits.py``), with the
share of pages from classes for what had no room in a class of its own, and with what an order finds there that knows
the web (``harvest_walk.py``).

The webs that are reported have other seeds than those that anything was chosen on (1 to 42).

Run: ``make bench NAME=harvest``; arguments: ``--pages``, ``--webs`` (seeds of webs, by comma), ``--no-http``,
``--no-ablation``, ``--only-other`` (only the webs of other makers), ``--long 2`` (200,000 pages on two of these),
``--starts 24`` (how many of 24 crawls of these find nothing at first).
All of it takes half an hour.
"""

from __future__ import annotations

import argparse
import tempfile
from collections.abc import Callable, Iterable, Mapping
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from harvest_crawl import crawl, pace
from harvest_habits import OtherWeb
from harvest_walk import Curve, Knowing, OrderedWalk, RandomWalk, in_memory
from harvest_web import Web
from numpy.typing import NDArray
from shared import Figure, figure, finish

from mediacrawl.frontier.sqlite.store import MemoryFrontier
from mediacrawl.priority.adaptive import Adaptive, AdaptivePolicy, ScorePolicy, SiteClasses
from mediacrawl.priority.orders import Alike, Priority, RuleOrder, SiteRate
from mediacrawl.priority.visits import CreditPolicy

Numbers = NDArray[np.float64]
WEBS = (101, 102, 103, 104, 105)
SEEDS = 100
PAGES = 50_000
EARLY = 5_000
MARKS = (1_000, 2_000, EARLY, 10_000, 20_000, PAGES)
"""Pages after which is counted what was found."""

OVER_RANDOM, OVER_SITE_RATE, EARLY_OVER_RANDOM = 100.0, 5.0, 40.0
MICROSECONDS = 60.0
ELSEWHERE = {10_000: 270.0, 50_000: 380.0, 200_000: 270.0}
"""Pages -> new media files for each 1,000, on the webs of other makers."""
OVER_HTTP, OVER_HTTP_ELSEWHERE, RESUMED = 0.7, 0.8, 0.9
OTHER_OVER_HTTP = 10_000
"""Pages of a crawl over HTTP of a web of other makers."""
FIRST = 5
"""Finds after which a crawl is on its way."""
STARTS_FROM = 201
"""The seed of the first web for `starts`."""
ABLATED, CRAWLED = 3, 2
"""Webs on which parts are left out, and which are crawled over HTTP."""


@dataclass(frozen=True)
class Peer:
    """An order, and how it is made."""

    name: str
    make: Callable[[MemoryFrontier], Priority]
    explore: float = 0.02


class WithoutModel(ScorePolicy):
    """Every class begins alike."""

    __slots__ = ()

    def scores(self, fetches: Numbers, credit: Numbers, odds: Numbers) -> Numbers:
        """Score each class by its record alone."""
        return super().scores(fetches, credit, np.full_like(odds, 0.1))


class WithoutRecords(ScorePolicy):
    """The record of a class does not count."""

    __slots__ = ()

    def scores(self, fetches: Numbers, credit: Numbers, odds: Numbers) -> Numbers:  # noqa: ARG002
        """Score each class by the model alone."""
        return odds


class WithoutInlinks(ScorePolicy):
    """It does not count which sites link to a site."""

    __slots__ = ()

    def factor(self, classes: SiteClasses) -> float:  # noqa: ARG002
        """Return 1 for every site."""
        return 1.0


def adaptive(policy: AdaptivePolicy | None = None) -> Callable[[MemoryFrontier], Priority]:
    """Make the adaptive order."""
    return lambda frontier: Adaptive(policy or AdaptivePolicy(), frontier)


PEERS = (
    Peer("adaptive", adaptive()),
    Peer("site-rate", lambda _: SiteRate(CreditPolicy())),
    Peer("rules", lambda _: RuleOrder()),
    Peer("breadth", lambda _: Alike()),
    Peer("even", lambda _: Alike(), explore=1.0),
)
ABLATIONS = (
    Peer("without credit", adaptive(AdaptivePolicy(credit=CreditPolicy(steps=1)))),
    Peer("without model", adaptive(AdaptivePolicy(score=WithoutModel()))),
    Peer("without classes", adaptive(AdaptivePolicy(score=WithoutRecords()))),
    Peer("without inlinks", adaptive(AdaptivePolicy(score=WithoutInlinks()))),
    Peer("without exploration", adaptive(AdaptivePolicy(score=ScorePolicy(curiosity=0.0))), explore=0.0),
    Peer("without tag paths", adaptive(AdaptivePolicy(paths=0))),
    Peer("without looking again", adaptive(AdaptivePolicy(looked_at=0))),
)
ORDERS = {peer.name: peer for peer in (*PEERS, *ABLATIONS)}


def walk(task: tuple[str, int, int]) -> tuple[str, int, Curve]:
    """One crawl in process: the name of an order, the seed of a web, pages."""
    name, seed, pages = task
    web = Web(seed)
    if name == "random":
        return name, seed, RandomWalk(web, seed, SEEDS, {*MARKS, pages}).run(pages)
    peer = ORDERS[name]
    frontier = in_memory(seed, peer.explore)
    return name, seed, OrderedWalk(web, peer.make(frontier), frontier, SEEDS, {*MARKS, pages}).run(pages)


def resumed(task: tuple[int, int]) -> Curve:
    """A crawl in process that is killed half-way: what was not saved is lost, and another process continues."""
    seed, pages = task
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "model.npz"
        web, frontier = Web(seed), in_memory(seed)
        first = Adaptive(AdaptivePolicy(), frontier, path)
        crawled = OrderedWalk(web, first, frontier, SEEDS, {pages})
        crawled.run(pages // 2 - 300)
        # A second's worth of pages that the last commit lacks.
        first.save(0.0)
        crawled.run(pages // 2)
        second = Adaptive(AdaptivePolicy(), frontier, path)
        second.begin()
        crawled.order = second
        return crawled.run(pages)


def walk_other(task: tuple[int, int]) -> Curve:
    """A crawl in process, in the adaptive order, of a web as other makers would spell it: its seed, pages."""
    seed, pages = task
    frontier = in_memory(seed)
    order = Adaptive(AdaptivePolicy(), frontier)
    marks = {mark for mark in (*MARKS, *ELSEWHERE, pages) if mark <= pages}
    return OrderedWalk(OtherWeb(seed), order, frontier, SEEDS, marks).run(pages)


def walk_other_knowing(task: tuple[int, int]) -> Curve:
    """The same crawl in an order that knows the web."""
    seed, pages = task
    web = OtherWeb(seed)
    marks = {mark for mark in ELSEWHERE if mark <= pages}
    return OrderedWalk(web, Knowing(web), in_memory(seed), SEEDS, marks).run(pages)


def first_finds(seed: int) -> int | None:
    """Pages until a crawl of a web of other makers has five finds; None if it has fewer after `EARLY` pages."""
    frontier = in_memory(seed)
    crawled = OrderedWalk(OtherWeb(seed), Adaptive(AdaptivePolicy(), frontier), frontier, SEEDS, ())
    while crawled.harvest.pages < EARLY and crawled.step():
        if crawled.harvest.curve.kinds["new"] >= FIRST:
            return crawled.harvest.pages
    return None


def starts(pool: ProcessPoolExecutor, number: int) -> list[Figure]:
    """Print how many of so many starts fail, each on a web of its own; answers the figure."""
    begun = list(pool.map(first_finds, range(STARTS_FROM, STARTS_FROM + number)))
    pages = sorted(each for each in begun if each is not None)
    if pages:
        print(f"{number} starts: {FIRST} finds after {pages[len(pages) // 2]:,} pages (median), {pages[-1]:,} (most)")
    return [figure(f"starts of {number} without {FIRST} finds in {EARLY:,} pages", begun.count(None), "", 0, "less")]


def elsewhere(
    pool: ProcessPoolExecutor, webs: list[int], pages: int, long: int
) -> tuple[list[Figure], dict[int, Curve]]:
    """Print what the adaptive order finds on the webs of other makers; answers the figures, and the crawls by web.

    Args:
        pool: of processes.
        webs: their seeds.
        pages: of each crawl.
        long: webs on which 200,000 pages are asked for.
    """
    found = []
    curves = list(pool.map(walk_other, [(seed, pages) for seed in webs]))
    longer = list(pool.map(walk_other, [(seed, max(ELSEWHERE)) for seed in webs[:long]]))
    knowing = list(pool.map(walk_other_knowing, [(seed, pages) for seed in webs]))
    print("On webs whose URLs other makers would have written")
    for mark in sorted(set(MARKS) | set(ELSEWHERE)):
        of = [curve for curve in (longer if mark > pages else curves) if mark in curve.marks]
        if not of:
            continue
        rates = [curve.rate(mark) for curve in of]
        mean = sum(rates) / len(rates)
        print(f"{mark:>9,} pages{mean:>9.1f} for each 1,000   [{min(rates):.1f}, {max(rates):.1f}], {len(of)} webs")
        if mark in ELSEWHERE:
            found.append(figure(f"new files per 1,000 pages, first {mark:,} pages", mean, "", ELSEWHERE[mark]))
    for mark in sorted(knowing[0].marks):
        ours, all_known = (sum(curve.rate(mark) for curve in each) / len(each) for each in (curves, knowing))
        print(
            f"{mark:>9,} pages: {100 * ours / all_known:.0f} % of the {all_known:.1f} of an order that knows distances"
        )
    overflow = sum(curve.overflow for curve in curves) / (pages * len(curves))
    print(f"{100 * overflow:.1f} % of the pages are from classes for what had no room in a class of its own")
    cost = 1e6 * sum(curve.cpu for curve in curves) / sum(curve.links for curve in curves)
    found.append(figure("CPU for each new link, webs of other makers", cost, "us", MICROSECONDS, better="less"))
    return found, dict(zip(webs, curves, strict=True))


class Runs:
    """What the crawls of several webs came to, by order."""

    def __init__(self, pages: int) -> None:
        self.pages = pages
        self.curves = dict[str, dict[int, Curve]]()

    def walk(self, pool: ProcessPoolExecutor, names: Iterable[str], webs: Iterable[int]) -> None:
        """Crawl each web in each of these orders."""
        tasks = [(name, seed, self.pages) for name in names for seed in webs]
        for name, seed, curve in pool.map(walk, tasks):
            self.curves.setdefault(name, {})[seed] = curve
            if len(self.curves[name]) == len({seed for _, seed, _ in tasks}):
                print(self.row(name), flush=True)

    def found(self, name: str, pages: int) -> int:
        """New media files of all webs, after so many pages of each."""
        return sum(curve.marks[pages] for curve in self.curves[name].values())

    def row(self, name: str, webs: Iterable[int] = ()) -> str:
        """A row of the table: means over some webs, or all, and the least and the most at the end."""
        curves = [self.curves[name][seed] for seed in (webs or self.curves[name])]
        ends = [curve.rate(self.pages) for curve in curves]
        marks = [mark for mark in MARKS if mark <= self.pages]
        rates = "".join(f"{sum(curve.rate(mark) for curve in curves) / len(curves):>9.1f}" for mark in marks)
        links = sum(curve.links for curve in curves)
        cost = f"{1e6 * sum(curve.cpu for curve in curves) / links:9.1f}" if links else " " * 9
        return f"{name:<24}{rates}   [{min(ends):.1f}, {max(ends):.1f}]{cost}"


def over_http(curves: Mapping[int, Curve], webs: Iterable[int], pages: int, *, other: bool = False) -> float:
    """The same crawls over HTTP; answers what share of the figure in process they reach.

    Args:
        curves: of the crawls in process, by web.
        webs: those to crawl.
        pages: URLs of each crawl.
        other: whether these are webs of other makers.
    """
    there = here = 0
    delay = 0.0
    for seed in webs:
        delay = delay or pace(seed, SEEDS, other=other)
        with tempfile.TemporaryDirectory() as folder:
            crawled = crawl(seed, SEEDS, pages, Path(folder), delay, other=other)
        there += crawled.marks[pages]
        here += curves[seed].marks[pages]
        print(
            f"over HTTP, web {seed}: {1000 * crawled.marks[pages] / pages:.1f} per 1,000 URLs;"
            f" {crawled.requests:,} requests in {crawled.seconds:.0f} s, {crawled.cpu:.0f} s of CPU;"
            f" one request of a site in {crawled.gap}",
            flush=True,
        )
    return there / here


def figures(runs: Runs) -> list[Figure]:
    """What the targets are about, of the crawls in process."""
    pages = runs.pages
    early = min(EARLY, pages)
    adaptive = runs.curves["adaptive"].values()
    cost = 1e6 * sum(curve.cpu for curve in adaptive) / sum(curve.links for curve in adaptive)
    return [
        figure("times random", runs.found("adaptive", pages) / max(runs.found("random", pages), 1), "x", OVER_RANDOM),
        figure(
            "times the rate of sites",
            runs.found("adaptive", pages) / max(runs.found("site-rate", pages), 1),
            "x",
            OVER_SITE_RATE,
        ),
        figure(
            f"times random, first {early:,} pages",
            runs.found("adaptive", early) / max(runs.found("random", early), 1),
            "x",
            EARLY_OVER_RANDOM,
        ),
        figure("CPU for each new link", cost, "us", MICROSECONDS, better="less"),
    ]


def main() -> None:
    """Measure, and print the tables and the figures."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--pages", type=int, default=PAGES)
    parser.add_argument("--webs", default=",".join(map(str, WEBS)))
    parser.add_argument("--no-http", action="store_true")
    parser.add_argument("--no-ablation", action="store_true")
    parser.add_argument("--only-other", action="store_true")
    parser.add_argument("--long", type=int, default=0)
    parser.add_argument("--starts", type=int, default=0)
    options = parser.parse_args()
    webs = [int(seed) for seed in options.webs.split(",")]
    with ProcessPoolExecutor(2) as pool:
        other, curves = elsewhere(pool, webs, options.pages, options.long)
        other += starts(pool, options.starts) if options.starts else []
    if not options.no_http:
        pages = min(options.pages, OTHER_OVER_HTTP)
        share = over_http(curves, webs[:CRAWLED], pages, other=True)
        other.append(figure("over HTTP, webs of other makers", share, "x", OVER_HTTP_ELSEWHERE))
    if options.only_other:
        finish("harvest", other)
        return
    runs = Runs(options.pages)
    shown = "".join(f"{mark:>9,}" for mark in MARKS if mark <= options.pages)
    print(f"New media files per 1,000 pages, {len(webs)} webs; [least, most] of them; us of CPU for each new link")
    print(f"{'pages':<24}{shown}")
    with ProcessPoolExecutor(2) as pool:
        runs.walk(pool, ["random", *(peer.name for peer in PEERS)], webs)
        if not options.no_ablation:
            print(f"Without parts of it, {len(webs[:ABLATED])} of the webs")
            print(runs.row("adaptive", webs[:ABLATED]))
            runs.walk(pool, [peer.name for peer in ABLATIONS], webs[:ABLATED])
        again = sum(curve.marks[options.pages] for curve in pool.map(resumed, [(seed, options.pages) for seed in webs]))
    found = figures(runs)
    found.append(figure("killed half-way and resumed", again / runs.found("adaptive", options.pages), "x", RESUMED))
    if not options.no_http:
        share = over_http(runs.curves["adaptive"], webs[:CRAWLED], options.pages)
        found.append(figure("over HTTP", share, "x", OVER_HTTP))
    finish("harvest", found + other)


if __name__ == "__main__":
    main()
