"""A fleet of workers on one Redis: mediacrawl beside scrapy-redis' own scheduler, in turn in the same run.

Steps (``--only``, several with commas):

speed    1, 2 and 4 workers as fast as they can: what a page costs the workers and Redis
free     1, 2 and 4 workers of mediacrawl that mostly wait for the web: what the next worker adds while cores are free
memory   bytes of Redis' memory for each waiting and each seen URL of 80 characters

Both crawlers read the same local web (``bench_web.py``: pages of 30 KB with 100 links, 10 of them new, each to any of
500 hosts: hardly two links of a page lead to one site, which is the dearest kind of page for our frontier). mediacrawl:
its spider ``media`` with robots.txt, delay bookkeeping, guard and request log on, all delays zero. scrapy-redis: its
scheduler, its filter and its default queue and serializer, kept over the end (SCHEDULER_PERSIST), with the spider and
the settings that stock Scrapy has in ``crawl.py``. Each run has an empty redis-server of its own, with its append-only
file on (``appendonly yes``, ``appendfsync everysec``) for both alike.

A *page* is an answer of status 200 that is not a robots.txt. Pages per CPU-second: of the workers' processes from their
start to their end, user and system; ``steady`` is the same while all of them read, without Python's start. Pages per
second are counted from when all workers read until the first of them has read its share. In that time it is also
measured how much of a core the workers, Redis and the web server took, and Redis' share of the workers' CPU is that of
these. A page costs scrapy-redis many times as much, so it reads a third of the pages, where its queue is shorter.

Two ratios speak of more workers. On a machine with two cores a second worker of step ``speed`` finds no free core:
Redis, the web server and the first worker have them, so that its ratio says as much of the machine as of the program;
it is printed, and no target judges it. Step ``free`` asks the question itself, whether workers on one Redis hold each
other up: the web answers after 100 ms and each worker has 8 requests under way, so that it has 80 answers a second at
most and leaves the cores alone most of the time. Answers are counted there and not pages, since there are as many
robots.txt for one worker as for four. The table tells what was taken; where that nears the number of cores, or others
work on the machine, the ratio means nothing.

Ratios are of what ran in the same round, and of these the median.

Run: ``make bench NAME=fleet`` (half an hour), or with ``ARGS=--quick`` (five minutes, rougher).
"""

from __future__ import annotations

import argparse
import os
import signal
import statistics
import sys
import tempfile
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from fleet_memory import LENGTH, LINKS, Links, peer, seen, waiting
from fleet_redis import RedisServer
from fleet_run import HOSTS, Load, Run, run
from shared import Figure, figure, finish, serving
from shared import table as printed

OURS, PEER = "mediacrawl", "scrapy-redis"
WORKERS = (1, 2, 4)
FASTER, WAITING, SEEN, SHARE, TWICE = 3.0, 150.0, 12.0, 0.2, 1.7
PAUSE = 0.1
FEW = 8

Runs = dict[tuple[str, int], list[Run]]


@dataclass(frozen=True)
class Scale:
    """How much is measured.

    Attributes:
        pages: that a fleet of mediacrawl reads in step ``speed``.
        pages_peer: that one of scrapy-redis reads there.
        pages_free: that each worker reads in step ``free``.
        rounds: of both.
        urls: that wait in step ``memory``.
        peers: that wait in scrapy-redis' queue there.
        sets: sizes of the seen set there.
        sites: that the URLs are of.
    """

    pages: int
    pages_peer: int
    pages_free: int
    rounds: int
    urls: int
    peers: int
    sets: tuple[int, ...]
    sites: int


FULL = Scale(
    6_000, 2_000, 700, 3, 200_000, 50_000, (100_000, 150_000, 200_000, 300_000, 400_000, 700_000, 1_000_000), 2_000
)
QUICK = Scale(3_000, 1_000, 400, 1, 40_000, 10_000, (20_000, 40_000, 80_000), 400)


def rate(one: Run) -> float:
    """Pages a second."""
    return one.rate


def answers(one: Run) -> float:
    """Answers a second."""
    return one.answers


def per_cpu(one: Run) -> float:
    """Pages per CPU-second."""
    return one.pages / one.cpu


def share(one: Run) -> float:
    """CPU of Redis for each second of the workers', while all of them read."""
    return one.busy["redis"] / one.busy["workers"]


Columns = dict[str, tuple[int, Callable[[Run], float]]]
"""Head, digits after the point, and what is there."""
FLEET: Columns = {
    "pages": (0, lambda one: one.pages),
    "CPU ms/page": (2, lambda one: 1000 * one.cpu / one.pages),
    "pages/CPU s": (0, per_cpu),
    "steady": (0, lambda one: one.steady),
    "pages/s": (0, rate),
    "answers/s": (0, answers),
    "cores: workers": (2, lambda one: one.busy["workers"]),
    "Redis": (2, lambda one: one.busy["redis"]),
    "web": (2, lambda one: one.busy["web"]),
}
REDIS: Columns = {
    "round trips": (2, lambda one: one.trips / one.pages),
    "scripts": (2, lambda one: one.redis.scripts / one.pages),
    "commands": (1, lambda one: one.redis.commands / one.pages),
    "bytes in": (0, lambda one: one.redis.received / one.pages),
    "bytes out": (0, lambda one: one.redis.sent / one.pages),
    "bytes in file": (0, lambda one: one.redis.written / one.pages),
    "CPU ms": (3, lambda one: 1000 * one.redis.cpu / one.pages),
    "of workers'": (3, share),
}


def main() -> None:
    """Run the steps that are wanted, and print the figures."""
    # Ended from outside, it ends what it started.
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(1))
    parser = argparse.ArgumentParser(description="A fleet on one Redis, beside scrapy-redis.")
    parser.add_argument("--quick", action="store_true", help="five minutes, rougher")
    parser.add_argument("--only", default=",".join(STEPS), help="steps, with commas")
    wanted = parser.parse_args()
    scale = QUICK if wanted.quick else FULL
    print(f"{os.cpu_count()} cores")
    figures = [row for name in wanted.only.split(",") for row in STEPS[name](scale)]
    finish("fleet", figures)


def speed(scale: Scale) -> list[Figure]:
    """What a page costs the workers and Redis."""
    runs: Runs = {(crawler, number): [] for number in WORKERS for crawler in (OURS, PEER)}
    with serving(HOSTS) as (server, port):
        for _ in range(scale.rounds):
            for (crawler, number), found in runs.items():
                pages = scale.pages if crawler == OURS else scale.pages_peer
                found.append(run(Load(crawler, number, pages), server, port))
                progress(crawler, number, found[-1])
    print(f"\nspeed: as fast as they can; median of {scale.rounds} rounds")
    table(runs, FLEET)
    print("\nRedis, for each page; round trips are what a worker waits for, commands are also those within scripts")
    table(runs, REDIS)
    faster = {number: ratio(runs[OURS, number], runs[PEER, number], per_cpu) for number in WORKERS}
    shares = [statistics.median(map(share, runs[OURS, number])) for number in WORKERS]
    print("pages per CPU-second, times scrapy-redis:", ", ".join(f"{n} workers {x:.1f}" for n, x in faster.items()))
    twice = {
        (crawler, n): ratio(runs[crawler, 2 * n], runs[crawler, n], rate) for crawler in (OURS, PEER) for n in (1, 2)
    }
    said = (f"{crawler} {n} to {2 * n} workers {x:.2f}" for (crawler, n), x in twice.items())
    print("rate with twice the workers, cores not free:", ", ".join(said))
    return [
        figure("pages per CPU-second, times scrapy-redis, least of 1, 2, 4 workers", min(faster.values()), "x", FASTER),
        figure("Redis CPU for each of the workers", max(shares), "x", SHARE, "less"),
    ]


def free(scale: Scale) -> list[Figure]:
    """What the next worker adds while cores are free."""
    runs: Runs = {(OURS, number): [] for number in WORKERS}
    with serving(HOSTS, PAUSE) as (server, port):
        for _ in range(scale.rounds):
            for (crawler, number), found in runs.items():
                found.append(run(Load(crawler, number, scale.pages_free * number, FEW), server, port))
                progress(crawler, number, found[-1])
    print(
        f"\nfree: {FEW} requests at once, each answered after {1000 * PAUSE:.0f} ms; {scale.pages_free} pages a worker"
    )
    table(runs, FLEET)
    twice = [ratio(runs[OURS, 2 * n], runs[OURS, n], answers) for n in (1, 2)]
    print(f"rate with twice the workers: 1 to 2 {twice[0]:.2f}, 2 to 4 {twice[1]:.2f}")
    return [figure("rate with twice the workers while cores are free, 1 to 2", twice[0], "x", TWICE)]


def memory(scale: Scale) -> list[Figure]:
    """What a URL takes."""
    kinds = {
        "the URL alone": Links(scale.sites, full=False),
        "with parent, anchor and title": Links(scale.sites, full=True),
        "the same, a quarter leads to other sites": Links(scale.sites, full=True, abroad=LINKS // 4),
    }
    print(f"\nmemory: URLs of {LENGTH} characters, {LINKS} on a page, {scale.sites} sites, {scale.urls} wait")
    print(f"{'bytes of a waiting URL':42} {OURS:>12} {PEER:>12}")
    ours, peers = dict[str, float](), dict[str, tuple[float, float]]()
    for name, links in kinds.items():
        ours[name], peers[name] = fresh(waiting, links, scale.urls), fresh(peer, links, scale.peers)
        print(f"{name:42} {ours[name]:>12.0f} {peers[name][0]:>12.0f}")
    sets = fresh(seen, list(scale.sets), scale.sites)
    print(f"bytes of a seen URL: {PEER} {max(known for _, known in peers.values()):.1f}; {OURS}, by size of the set:")
    print(", ".join(f"{size} {found:.2f}" for size, found in sets.items() if size))
    print(f"at the largest size, by all memory that is left without the other keys: {sets[0]:.2f}")
    waits, own = max(ours.values()), ours["with parent, anchor and title"]
    return [
        figure("bytes of Redis memory for a waiting URL, the worst of these pages", waits, "bytes", WAITING, "less"),
        figure("the same, all links to the page's own site", own, "bytes", WAITING, "less"),
        figure("bytes of Redis memory for a seen URL", max(sets.values()), "bytes", SEEN, "less"),
    ]


STEPS: dict[str, Callable[[Scale], list[Figure]]] = {"speed": speed, "free": free, "memory": memory}


def progress(crawler: str, number: int, one: Run) -> None:
    """Say that a run is over."""
    print(
        f"{crawler}, {number} workers: {one.pages / one.cpu:.0f} pages per CPU-second, {one.rate:.0f} pages/s",
        file=sys.stderr,
    )


def table(runs: Runs, columns: Columns) -> None:
    """Medians over the rounds, a line for each crawler and number of workers."""
    rows = []
    for (crawler, number), found in runs.items():
        cells = [f"{statistics.median(map(of, found)):.{digits}f}" for digits, of in columns.values()]
        rows.append((f"{crawler}, {number} workers", cells))
    printed("Medians of the rounds", list(columns), rows)


def fresh(measure, *arguments):
    """A measurement on a Redis of its own."""
    with tempfile.TemporaryDirectory() as folder, RedisServer(Path(folder)) as server:
        return measure(server, *arguments)


def ratio(runs: list[Run], others: list[Run], of: Callable[[Run], float]) -> float:
    """The median of the ratios of a figure in the same round."""
    return statistics.median(of(one) / of(other) for one, other in zip(runs, others, strict=True))


if __name__ == "__main__":
    main()
