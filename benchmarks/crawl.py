"""CPU a page of mediacrawl's crawl against stock Scrapy's, on the same local web, alternating in one run.

Three webs: ``keep`` keeps connections, ``close`` speaks plain HTTP and closes each connection after one answer, ``tls``
does so over TLS (ECDSA certificate). A polite crawl, which asks a site every 15 s or more, meets webs like the last.

Stock Scrapy: a spider with ``LinkExtractor`` and the settings of Scrapy's own chapter on broad crawls. mediacrawl: its
spider ``media`` with the SQLite frontier, robots.txt, delay bookkeeping of sites and addresses, the guard and the
request log on, all delays set to zero (each host has an address of its own, so this needs Linux); once as it comes, and
once with ``PRIORITY=rules``, where the order of URLs learns nothing. CPU is user plus system time of the crawler's
process (``crawl_worker.py``); the server is another process.

Each crawler runs at two lengths. "whole" is the long run from start to end. "later" is the difference of the two, in
which the start of the process and most robots.txt are not counted. The targets are about the whole run.

With ``--pages DIR`` there is one web, over TLS, whose pages have the bodies of captured ones (``bench_web.py``), and
the target is about "later". Their frames and media lead to other hosts: mediacrawl crawls with ``scope=site``.

The last run is long: the memory of the process after 20,000 and after 30,000 pages. pydantic is hidden from both
crawlers: only our tests need it, and itemadapter would import all of it where it is installed.

Run: ``make bench NAME=crawl``; arguments: pages of the long run (8,000), rounds (3), ``--modes tls,keep``,
``--no-memory``, ``--pages DIR``.
"""

from __future__ import annotations

import argparse
import contextlib
import json
import sqlite3
import statistics
import subprocess
import sys
import tempfile
import time
from dataclasses import dataclass, field
from pathlib import Path

from shared import HERE, Figure, begin_crawl, cpu_of_children, failed, figure, finish, serving

HOSTS = 1000
TARGETS = {"tls": 8.0, "keep": 9.0, "close": 10.0}
"""Pages for the CPU of one of stock Scrapy's, the default order on."""
CAPTURED = 4.0
"""The same on captured pages, without the start."""
RULES_CHEAPER = 10.0
"""Per cent that ``PRIORITY=rules`` may be cheaper than the default order."""
MEMORY = 200.0
"""MB after 30,000 pages."""
SLOPE = 5.0
"""MB for each 10,000 pages after the first 20,000."""
MEDIAN_BYTES = 32_768
SHORT = 4
"""The short run has a fourth of the pages."""

CRAWLERS = {
    "stock Scrapy": ("scrapy", {}),
    "mediacrawl": ("mediacrawl", {"PRIORITY": "adaptive"}),
    "mediacrawl, rules": ("mediacrawl", {"PRIORITY": "rules"}),
}
"""Each with its program and its settings."""


@dataclass(frozen=True, slots=True)
class Run:
    """What one crawl took: pages read, CPU seconds, wall seconds, and MB of memory after some answers."""

    pages: int
    cpu: float
    wall: float
    memory: dict[int, float] = field(default_factory=dict)

    @property
    def ms(self) -> float:
        """CPU of a page, ms."""
        return 1000 * self.cpu / self.pages


@dataclass(frozen=True, slots=True)
class Pair:
    """A long and a short run of one crawler."""

    whole: Run
    short: Run

    @property
    def later(self) -> Run:
        """The pages by which the long run is longer."""
        return Run(
            self.whole.pages - self.short.pages, self.whole.cpu - self.short.cpu, self.whole.wall - self.short.wall
        )


def measure(name: str, port: int, pages: int, mode: str, *samples: int, scope: str = "web") -> Run:
    """Run one crawl.

    Args:
        name: of the crawler.
        port: of the web.
        pages: after which it ends.
        mode: of the web.
        samples: numbers of answers after which its memory is noted.
        scope: of mediacrawl.
    """
    crawler, settings = CRAWLERS[name]
    url = f"{'https' if mode == 'tls' else 'http'}://site{{}}.test:{port}/page/{{}}.html"
    orders = {
        "crawler": crawler,
        "settings": settings,
        "arguments": {"scope": scope},
        "pages": pages,
        "samples": samples,
    }
    with tempfile.TemporaryDirectory() as parent:
        folder = Path(parent) / "crawl"
        before, began = cpu_of_children(), time.perf_counter()
        code = begin_crawl(folder, HOSTS, url, **orders).wait()
        wall, cpu = time.perf_counter() - began, cpu_of_children() - before
        if code or not (folder / "rows.json").exists():
            raise failed(folder)
        read = json.loads((folder / "rows.json").read_text())[-1][2]
        sizes = json.loads((folder / "memory.json").read_text())
    return Run(read, cpu, wall, {int(count): size / 1e6 for count, size in sizes.items()})


def median_record() -> float:
    """Bytes that the median media record of the demo costs."""
    with tempfile.TemporaryDirectory() as folder:
        command = [sys.executable, "-m", "mediacrawl", "demo", "--folder", f"{folder}/demo"]
        subprocess.run(command, check=True, capture_output=True, cwd=HERE.parent)
        with contextlib.closing(sqlite3.connect(f"{folder}/demo/media.db")) as db:
            return statistics.median(row[0] for row in db.execute("SELECT bytes_fetched FROM media"))


def alternate(mode: str, pages: int, rounds: int, captured: Path | None = None) -> dict[str, list[Pair]]:
    """The crawlers in turn on one web; answers what each round measured."""
    rows: dict[str, list[Pair]] = {name: [] for name in CRAWLERS}
    scope = "web" if captured is None else "site"
    with serving(HOSTS, mode=mode, pages=captured) as (_, port):
        for _ in range(rounds):
            for name, found in rows.items():
                short = measure(name, port, pages // SHORT, mode, scope=scope)
                found.append(Pair(measure(name, port, pages, mode, scope=scope), short))
    return rows


def memory() -> list[Figure]:
    """Print the memory of a long crawl; answers the figures."""
    with serving(HOSTS) as (_, port):
        sizes = measure("mediacrawl", port, 30_100, "keep", 20_000, 30_000).memory
    slope = sizes[30_000] - sizes[20_000]
    print(f"memory after 30,000 pages: {sizes[30_000]:.0f} MB; in the last 10,000 it grew by {slope:.1f} MB")
    return [
        figure("memory after 30,000 pages", sizes[30_000], "MB", MEMORY, "less"),
        figure("memory for 10,000 pages more, after the first 20,000", slope, "MB", SLOPE, "less"),
    ]


def main() -> None:
    """Print tables and the figures."""
    parser = argparse.ArgumentParser()
    parser.add_argument("pages", type=int, nargs="?", default=8000)
    parser.add_argument("rounds", type=int, nargs="?", default=3)
    parser.add_argument("--modes", default=",".join(TARGETS))
    parser.add_argument("--no-memory", action="store_true")
    parser.add_argument("--pages", dest="captured", type=Path)
    options = parser.parse_args()
    if options.captured:
        rows = alternate("tls", options.pages, options.rounds, options.captured)
        compare("tls", rows)
        later = statistics.median(ratios(rows, "mediacrawl", later=True))
        name = "captured pages, tls, without the start: pages per CPU-second, times stock Scrapy"
        finish("crawl", [figure(name, later, "x", CAPTURED, "more")])
        return
    figures = []
    for mode in options.modes.split(","):
        figures += compare(mode, alternate(mode, options.pages, options.rounds))
    if not options.no_memory:
        figures += memory()
    median = median_record()
    figures.append(figure("bytes of the demo's median media record", median, "bytes", MEDIAN_BYTES, "less"))
    finish("crawl", figures)


def compare(mode: str, rows: dict[str, list[Pair]]) -> list[Figure]:
    """Print the table of one web; answers its figures."""
    rounds = len(rows["mediacrawl"])
    print(f"{mode}: CPU ms a page, median of {rounds} rounds")
    print(f"{'crawler':18} {'whole':>7} {'later':>7} {'pages/s':>8}   times stock Scrapy: whole, later (single rounds)")
    for name, pairs in rows.items():
        whole = statistics.median(pair.whole.ms for pair in pairs)
        later = statistics.median(pair.later.ms for pair in pairs)
        speed = statistics.median(pair.whole.pages / pair.whole.wall for pair in pairs)
        times, times_later = ratios(rows, name), ratios(rows, name, later=True)
        single = ", ".join(f"{value:.1f}" for value in times)
        told = f"{statistics.median(times):.1f}, {statistics.median(times_later):.1f} ({single})"
        print(f"{name:18} {whole:>7.2f} {later:>7.2f} {speed:>8.0f}   {told}")
    middle = statistics.median(ratios(rows, "mediacrawl"))
    cheaper = statistics.median(
        100 * (1 - rules.whole.ms / ours.whole.ms)
        for rules, ours in zip(rows["mediacrawl, rules"], rows["mediacrawl"], strict=True)
    )
    return [
        figure(f"{mode}: pages per CPU-second, times stock Scrapy", middle, "x", TARGETS[mode], "more"),
        figure(f"{mode}: PRIORITY=rules is cheaper by", cheaper, "%", RULES_CHEAPER, "less"),
    ]


def ratios(rows: dict[str, list[Pair]], name: str, *, later: bool = False) -> list[float]:
    """How many times stock Scrapy's pages a crawler read for the same CPU, in each round."""

    def ms(pair: Pair) -> float:
        return (pair.later if later else pair.whole).ms

    return [ms(stock) / ms(pair) for stock, pair in zip(rows["stock Scrapy"], rows[name], strict=True)]


if __name__ == "__main__":
    main()
