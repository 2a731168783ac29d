"""How long a report and the first screen of ``top`` take, and how large the page is.

Makes a request log of a million lines to 20,000 sites, and a frontier of a million sites, in a temporary folder. Each
command is a new process, as an operator starts it; the best of some runs counts. For comparison: one process that reads
the lines with ``json`` and counts requests by site, which is the least that any report of such a log has to do.

Run: ``make bench NAME=report`` (five minutes), ``ARGS=--quick`` (a tenth of it).
"""

from __future__ import annotations

import argparse
import json
import os
import pty
import random
import select
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Callable
from pathlib import Path

from mediacrawl.frontier import FrontierPolicy
from mediacrawl.frontier.stores import open_store
from mediacrawl.observe import RequestLine, RequestLog
from mediacrawl.observe.status import CrawlStatus, HistoryFile, Sample
from mediacrawl.records import Candidate

LINES, SITES, FRONTIER_SITES = 1_000_000, 20_000, 1_000_000
BATCH = 20_000
RUNS = 3
TARGETS = {
    "report of the log, seconds": 5.0,
    "page, bytes": 300_000.0,
    "first screen of top, seconds": 0.5,
}


def make_log(folder: Path, lines: int) -> None:
    """Write a log of so many lines, some days of a crawl of ten requests a second."""
    chance, now = random.Random(1), [time.time() - lines / 10]
    last: dict[str, float] = {}
    with RequestLog(folder, clock=lambda: now[0]) as log:
        for number in range(lines):
            now[0] += 0.1
            site = f"site-{int(SITES * chance.random() ** 2)}.example"
            delay = max(15.0, chance.expovariate(0.05))
            sent = max(now[0], last.get(site, 0.0) + delay)
            taken = 2 * chance.random()
            last[site] = sent + taken
            failed = chance.random() < 0.05
            log.write(
                RequestLine(
                    time=sent,
                    url=f"https://www.{site}/path/to/page-{number}.html",
                    status=404 if failed else 200,
                    content_type="text/html; charset=utf-8",
                    content_length=23_456,
                    duration=taken,
                    bytes=int(40_000 * chance.random()),
                    site=site,
                    delay=delay,
                    kind="page",
                    drop="http_status" if failed else None,
                    address="192.0.2.7",
                )
            )


def make_state(folder: Path, sites: int) -> None:
    """A running crawl with a frontier of so many sites."""
    store = open_store("sqlite", folder, FrontierPolicy(), time.time())
    for start in range(0, sites, BATCH):
        names = (f"host-{number}.example" for number in range(start, min(start + BATCH, sites)))
        store.add([Candidate(f"http://{name}/", name, "host/") for name in names])
        store.commit()
    store.close()
    now = time.time()
    status = CrawlStatus(
        written=now,
        began=now - 9_000,
        # Before the first line of the log; without a reason, so that the last lines count too.
        first_began=1.0,
        waiting=sites,
        sites={"waiting": sites},
        log=str(folder / "log"),
        frontier=str(folder),
    )
    status.save(folder)
    HistoryFile(folder).append(Sample.of(status))


def command(*words: str) -> list[str]:
    """The command line of one of our commands."""
    return [sys.executable, "-m", "mediacrawl", *words]


def best(work: Callable[[], object], runs: int = RUNS) -> float:
    """The seconds of the fastest run."""
    seconds = []
    for _ in range(runs):
        began = time.perf_counter()
        work()
        seconds.append(time.perf_counter() - began)
    return min(seconds)


def read_as_json(folder: Path) -> Counter[str]:
    """The comparison: requests by site, with json alone."""
    found: Counter[str] = Counter()
    for path in folder.glob("requests-*.jsonl"):
        with path.open("rb") as file:
            found.update(json.loads(line)["site"] for line in file)
    return found


def screen_seconds(folder: Path) -> float:
    """Seconds until the first screen of ``top``, the best of some runs; its end is not counted."""
    seconds = []
    for _ in range(RUNS):
        began = time.perf_counter()
        master, slave = pty.openpty()
        process = subprocess.Popen(command("top", str(folder)), stdin=slave, stdout=slave, stderr=slave)
        text = b""
        while b"sites by" not in text:
            if select.select([master], [], [], 60)[0]:
                text += os.read(master, 1 << 16)
        seconds.append(time.perf_counter() - began)
        os.write(master, b"q")
        while process.poll() is None:
            if select.select([master], [], [], 0.1)[0]:
                os.read(master, 1 << 16)
        os.close(master)
        os.close(slave)
    return min(seconds)


def main() -> None:
    """Make the crawl, measure, print a table and the figures."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--quick", action="store_true", help="a tenth of the lines and sites")
    scale = 10 if parser.parse_args().quick else 1
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        make_state(folder, FRONTIER_SITES // scale)
        make_log(folder / "log", LINES // scale)
        page = folder / "crawl.html"
        words = command("report", str(folder), "-o", str(page))
        seconds = best(lambda: subprocess.run(words, check=True, capture_output=True))
        plain = best(lambda: read_as_json(folder / "log"), 1)
        values = {
            "report of the log, seconds": seconds,
            "page, bytes": float(page.stat().st_size),
            "first screen of top, seconds": screen_seconds(folder),
        }
    print(f"reading the lines with json.loads alone takes {plain:.2f} s in one process")
    figures = []
    for name, value in values.items():
        print(f"{name:<32} {value:>12,.2f} target {TARGETS[name]:>10,}")
        unit = name.partition(", ")[2].partition(" ")[0]
        figures.append(
            {"name": name, "value": round(value, 3), "unit": unit, "target": TARGETS[name], "better": "less"}
        )
    print(json.dumps({"bench": "report", "figures": figures}))


if __name__ == "__main__":
    main()
