"""A virtual day of 200,000 sites: the real SQLite frontier, simulated servers, and a clock of its own.

The simulation fetches as the crawl does: up to 500 requests at once, leases in batches of 32, a commit
each virtual second, woken by the end of a fetch or at the frontier's next release time. A site's first visit is its
robots.txt. Response times are lognormal, with a median of each site's own; 5 % of the sites are dead and time out, 5 %
ask for a Crawl-delay of 20 s to an hour, and one request in a hundred fails. Sites have between one and 4,000 pages
(a power law: most have few, a few last all day), which are found page by page. Half of the sites are known from the
start, which keeps all fetches busy for a while; the others are found in the course of three quarters of the day, when
it is the delays that bind.

A ledger beside the frontier, which shares no code with it, knows for each site when its last response ended, what
delay it is owed by then, and whether URLs wait. It judges each lease: never two at once, never early. It also
knows the ideal: as long as a fetch is free and a site is ready, there should be a lease; what is not used of that is
counted as lost.

Run: ``make bench NAME=politeness_sim ARGS=--quick`` (half a minute: 20,000 sites, six hours) or without (some minutes).
"""

from __future__ import annotations

import argparse
import json
import math
import random
import tempfile
import time
from collections import deque
from collections.abc import Iterable
from heapq import heappop, heappush
from pathlib import Path

from frontier_load import Load, resident, tune

from mediacrawl.frontier import Frontier, FrontierPolicy
from mediacrawl.frontier.stores import open_store
from mediacrawl.records import Drop, End, Lease, Outcome

BEGIN = 1_790_000_000.0
HOUR = 3600.0
TAKE = 32
LONGEST_SITE = 4_000
ATTEMPTS = 3
FOUND = 10


class Site:
    """A simulated server, and what the ledger knows of it."""

    __slots__ = (
        "asked_robots",
        "busy",
        "crawl_delay",
        "ended",
        "issued",
        "known_delay",
        "median",
        "pages",
        "ready",
        "release",
        "samples",
        "waiting",
    )

    def __init__(self, pages: int, median: float, crawl_delay: float) -> None:
        self.pages = pages
        self.median = median  # 0: dead
        self.crawl_delay = crawl_delay
        self.known_delay = 0.0
        self.asked_robots = False
        self.issued = 0
        self.waiting = 0
        self.busy = False
        self.ready = False
        self.release = 0.0
        self.ended = 0.0
        self.samples: tuple[float, ...] = ()

    @property
    def owed(self) -> float:
        """Seconds by the published rule: 30 times the mean of five response times, 15 s to half an hour."""
        wanted = 30.0 * sum(self.samples) / len(self.samples) if self.samples else 0.0
        wanted = min(max(wanted, 15.0), 1800.0)
        if len(self.samples) < 5:
            wanted = max(wanted, 60.0)
        return max(wanted, self.known_delay)


class Ledger:
    """What should be so, worked out beside the frontier.

    Args:
        sites: all of them.
    """

    def __init__(self, sites: list[Site]) -> None:
        self.sites = sites
        self.ready = 0
        self.waiting = 0
        self.early = math.inf
        self.gap = math.inf
        self.twice = 0
        self._asleep: list[tuple[float, int]] = []

    def joined(self, number: int, count: int) -> None:
        """URLs wait at a site."""
        site = self.sites[number]
        if not site.waiting and not site.busy and count:
            heappush(self._asleep, (site.release, number))
        site.waiting += count
        self.waiting += count

    def wake(self, now: float) -> None:
        """Let sites become ready."""
        while self._asleep and self._asleep[0][0] <= now:
            number = heappop(self._asleep)[1]
            self.sites[number].ready = True
            self.ready += 1

    def unused(self, free: int, now: float, then: float) -> float:
        """Seconds of free fetches, from `now` until `then`, in which a ready site could have been asked."""
        seconds = 0.0
        while self._asleep and self._asleep[0][0] < then:
            moment = max(self._asleep[0][0], now)
            seconds += min(free, self.ready) * (moment - now)
            now = moment
            self.wake(now)
        return seconds + min(free, self.ready) * (then - now)

    def leased(self, number: int, now: float) -> None:
        """A lease is out: is it polite?"""
        site = self.sites[number]
        self.twice += site.busy
        self.early = min(self.early, now - site.release)
        if site.ended:
            self.gap = min(self.gap, now - site.ended)
        self.ready -= site.ready
        site.ready = False
        site.busy = True
        site.waiting -= 1
        self.waiting -= 1

    def ended(self, number: int, now: float, response_time: float | None, again: bool) -> None:
        """A fetch is over; the site is owed its delay from now."""
        site = self.sites[number]
        if response_time is not None:
            site.samples = (*site.samples, response_time)[-5:]
        site.busy = False
        site.ended = now
        site.release = now + site.owed
        site.waiting += again
        self.waiting += again
        if site.waiting:
            heappush(self._asleep, (site.release, number))


class Day:
    """The simulation.

    Args:
        store: the frontier.
        load: names the URLs.
        sites: the servers.
        parallel: fetches at once.
    """

    def __init__(self, store: Frontier, load: Load, sites: list[Site], parallel: int) -> None:
        self._store = store
        self._load = load
        self.ledger = Ledger(sites)
        self._parallel = parallel
        self._random = random.Random(3)
        self._leases: deque[Lease] = deque()
        self._found: deque[tuple[float, int]] = deque()
        self.flying: list[tuple[float, int, Lease, float | None]] = []
        self.began = time.process_time()
        self.now = BEGIN
        self.fetches = 0
        self.busy = 0.0
        self.lost = 0.0
        self.ends = dict.fromkeys(End, 0)
        self._committed = BEGIN

    def seed(self, seconds: float) -> None:
        """A first page or two of each site: half of the sites join now, the others evenly in so many seconds."""
        order = self._load.seeds()
        half = len(order) // 2
        for begin in range(0, half, 320):
            for number in order[begin : min(begin + 320, half)]:
                self._join(number, 2)
            self._store.commit()
        step = seconds / max(len(order) - half, 1)
        self._found.extend((BEGIN + place * step, number) for place, number in enumerate(order[half:], 1))

    def run(self, until: float) -> bool:
        """Go on until then; answers whether anything is left."""
        while self.now < until:
            self._land()
            while self._found and self._found[0][0] <= self.now:
                self._join(self._found.popleft()[1], 2)
            self._send()
            if self.now - self._committed >= 1.0:
                self._committed = self.now
                self._store.commit()
            then = self._next()
            if then is None:
                return False
            then = min(then, until)
            self.lost += self.ledger.unused(self._parallel - len(self.flying), self.now, then)
            self.busy += len(self.flying) * (then - self.now)
            self.now = then
        return True

    def _next(self) -> float | None:
        ends = self.flying[0][0] if self.flying else math.inf
        if len(self.flying) < self._parallel:
            release = self._store.next_release()
            ends = min(ends, math.inf if release is None else max(release, self.now))
        if self._found:
            ends = min(ends, self._found[0][0])
        return None if ends == math.inf else ends

    def _send(self) -> None:
        self.ledger.wake(self.now)
        while len(self.flying) < self._parallel:
            if not self._leases:
                self._leases.extend(self._store.take(self.now, TAKE))
                for lease in self._leases:
                    self.ledger.leased(number_of(lease.site), self.now)
                if not self._leases:
                    return
            self._fetch(self._leases.popleft())

    def _fetch(self, lease: Lease) -> None:
        site = self.ledger.sites[number_of(lease.site)]
        self.fetches += 1
        draw = self._random
        if not site.median or draw.random() < 0.01:
            took, answered = 10.0 + 20.0 * draw.random(), None
        else:
            took = answered = min(site.median * math.exp(draw.gauss(0.0, 0.4)), 60.0)
        heappush(self.flying, (self.now + took, self.fetches, lease, answered))

    def _land(self) -> None:
        while self.flying and self.flying[0][0] <= self.now:
            _, _, lease, answered = heappop(self.flying)
            number = number_of(lease.site)
            outcome = self._outcome(self.ledger.sites[number], lease, answered)
            self.ends[outcome.end] += 1
            if outcome.end is End.DONE:
                self._join(number, FOUND)
            again = outcome.end in {End.AGAIN, End.CONTINUE}
            self.ledger.ended(number, self.now, answered, again)
            self._store.finish(lease, outcome, self.now)

    def _outcome(self, site: Site, lease: Lease, answered: float | None) -> Outcome:
        if answered is None:
            if lease.attempt + 1 < ATTEMPTS:
                return Outcome(End.AGAIN)
            return Outcome(End.DROPPED, Drop.DOWNLOAD_ERROR)
        if not site.asked_robots:
            site.asked_robots = True
            site.known_delay = site.crawl_delay
            return Outcome(End.CONTINUE, response_time=answered, crawl_delay=site.crawl_delay)
        return Outcome(End.DONE, response_time=answered)

    def _join(self, number: int, most: int) -> None:
        """A page's links: the next ones of its site, as long as it has more, beside as many known ones."""
        site = self.ledger.sites[number]
        known = [self._load.url(number, place) for place in range(max(site.issued - FOUND, 0), site.issued)]
        count = min(most, site.pages - site.issued)
        new = {found.url: found for found in (self._load.new(number) for _ in range(count))}
        site.issued += count
        fresh = self._store.unknown([*known, *new])
        self._store.add([new[url] for url in fresh])
        self.ledger.joined(number, count)


def number_of(name: str) -> int:
    """The number of the site of this name, see `Load.site`."""
    return int(name[-10:-4], 16)


def servers(count: int, pages: int, draw: random.Random) -> list[Site]:
    """Sites that have `pages` pages together."""
    shares = [1.0 - draw.random() for _ in range(count)]
    some = shares[:20_000]
    low, high = 0.2, 8.0
    while high - low > 0.001:
        middle = (low + high) / 2
        low, high = (middle, high) if sum(sizes(some, middle)) > pages * len(some) / count else (low, middle)
    return [Site(size, median(draw), wish(draw)) for size in sizes(shares, high)]


def sizes(shares: list[float], power: float) -> Iterable[int]:
    """Pages of sites, by a power law."""
    return (min(int(share ** (-1 / power)), LONGEST_SITE) for share in shares)


def median(draw: random.Random) -> float:
    """Seconds of a site's median response; 0 for a dead one."""
    return 0.0 if draw.random() < 0.05 else min(0.5 * math.exp(draw.gauss(0.0, 0.8)), 20.0)


def wish(draw: random.Random) -> float:
    """Seconds of Crawl-delay; mostly none."""
    return 20.0 * 180.0 ** draw.random() if draw.random() < 0.05 else 0.0


def simulate(sites: int, pages: int, hours: float, parallel: int, folder: Path) -> list[dict[str, object]]:
    """Run the day and print it; answers the figures."""
    draw = random.Random(1)
    load = Load(sites)
    all_sites = servers(sites, pages, draw)
    tune()
    before = resident()
    store = open_store("sqlite", folder, FrontierPolicy(), BEGIN, random.Random(2))
    day = Day(store, load, all_sites, parallel)
    day.seed(0.75 * hours * HOUR)
    offered = sum(site.pages for site in all_sites)
    print(f"{sites:,} sites with {offered:,} pages, {parallel} fetches at once, {hours:g} virtual hours")
    print(
        f"{'hour':>5} {'fetches':>10} {'a second':>9} {'in flight':>10} {'ready':>8} {'penalty':>8} {'waiting':>9}",
        end="",
    )
    print(f" {'ideal %':>8} {'CPU us each':>12} {'RSS MB':>7} {'disk MB':>8}")
    steps = 12
    more = True
    for step in range(1, steps + 1):
        mark = (day.fetches, day.busy, day.lost, time.process_time())
        more = more and day.run(BEGIN + hours * HOUR * step / steps)
        line(day, store, mark, hours * HOUR / steps, resident() - before, disk(folder))
    check(day, store)
    store.close()
    return verdict(day, hours)


def line(
    day: Day, store: Frontier, mark: tuple[int, float, float, float], seconds: float, size: int, stored: int
) -> None:
    """One row of the table; what is counted is since `mark`, the queues are as they are now."""
    fetches, busy, lost, cpu = mark
    counts = store.counts()
    count, used, missed = day.fetches - fetches, day.busy - busy, day.lost - lost
    share = 100 * used / (used + missed) if used else 100.0
    print(
        f"{(day.now - BEGIN) / HOUR:>5.1f} {day.fetches:>10,} {count / seconds:>9.1f} {used / seconds:>10.1f}"
        f" {counts.ready:>8,} {counts.penalty:>8,} {counts.waiting:>9,} {share:>8.2f}"
        f" {1e6 * (time.process_time() - cpu) / max(count, 1):>12.0f} {size / 1e6:>7.0f} {stored / 1e6:>8.0f}",
        flush=True,
    )


def disk(folder: Path) -> int:
    """Bytes of the store's files."""
    return sum(path.stat().st_size for path in folder.iterdir())


def check(day: Day, store: Frontier) -> None:
    """The frontier's books and the ledger's must be the same.

    Raises:
        SystemExit: they are not.
    """
    counts = store.counts()
    issued = sum(site.issued for site in day.ledger.sites)
    out = sum(site.busy for site in day.ledger.sites)
    done = (day.ends[End.DONE], day.ends[End.DROPPED])
    kept = (counts.ends.get("done", 0), counts.ends.get("download_error", 0))
    ours, theirs = (issued, day.ledger.waiting, out, done), (counts.seen, counts.waiting, counts.leased, kept)
    if ours != theirs:
        raise SystemExit(f"seen, waiting, leased, ends: the ledger has {ours}, the frontier {theirs}")
    print(
        f"books agree: {issued:,} seen, {counts.waiting:,} waiting, {out} leased, {done[0]:,} done, {done[1]:,} failed"
    )


def verdict(day: Day, hours: float) -> list[dict[str, object]]:
    """Print what the day came to; answers the figures."""
    ledger = day.ledger
    share = 100 * day.busy / (day.busy + day.lost)
    pace = day.fetches / (hours * HOUR)
    print(f"{pace:.1f} fetches a virtual second, {100 * pace / share:.1f} would have been ideal; {share:.3f} % reached")
    print(f"smallest gap between two visits of a site {ledger.gap:.2f} s; two at once: {ledger.twice}")
    cpu = time.process_time() - day.began
    print(f"CPU, the simulation's own share included: {1e6 * cpu / day.fetches:.0f} us a fetch, {cpu:.0f} s in all")
    return [
        figure("smallest gap minus the delay that was owed", round(ledger.early, 6), "s", 0.0, "more"),
        figure("leases of a site that was being asked", ledger.twice, "leases", 0, "less"),
        figure("fetches of what free fetches and ready sites allowed", round(share, 3), "%", 99.0, "more"),
    ]


def figure(name: str, value: float, unit: str, target: float, better: str) -> dict[str, object]:
    """One row of the last line."""
    return {"name": name, "value": value, "unit": unit, "target": target, "better": better}


def main() -> None:
    """Print the day, and the figures as the last line."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--quick", action="store_true", help="20,000 sites, six hours")
    parser.add_argument("--sites", type=int, default=200_000)
    parser.add_argument("--pages", type=int, default=1_000_000, help="that all sites have together")
    parser.add_argument("--hours", type=float, default=24.0)
    parser.add_argument("--parallel", type=int, default=500)
    options = parser.parse_args()
    if options.quick:
        options.sites, options.pages, options.hours, options.parallel = 20_000, 80_000, 6.0, 100
    with tempfile.TemporaryDirectory() as folder:
        figures = simulate(options.sites, options.pages, options.hours, options.parallel, Path(folder))
    print(json.dumps({"bench": "politeness_sim", "figures": figures}))


if __name__ == "__main__":
    main()
