"""``scrapy crawl media`` on the synthetic web, served by another process over loopback."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from shared import HERE, environment

TICKS = 50
"""Requests from one to the next for the same site, as in process. A crawl of the real web has delays of 15 s and more,
and asks many more sites meanwhile."""
OUT = 12
"""Requests that are out at a time. On loopback the crawler itself is what they wait for: with 128 out a site would be
asked every 180 requests, and not every 50."""
PATIENCE = 1_800.0
"""Seconds that a crawl may take."""

CRAWL = """
import sys
sys.path.append(sys.argv[1])
from harvest_server import seeds
from harvest_web import Web
from scrapy.crawler import AsyncCrawlerProcess
from scrapy.settings import Settings
import json, time
import mediacrawl.crawl.leases as leases
from mediacrawl.log.totals import Tally

leases.LEASES_AT_ONCE = 4
visit_ended = Tally.visit_ended

def write_down(self, visit, outcome):
    before = self.totals.ended
    visit_ended(self, visit, outcome)
    now = self.totals
    if now.ended > before and not now.ended % 500:
        line = {"time": time.time(), "pages": now.ended, "requests": now.requests, "new": now.nuggets}
        with open("harvest.jl", "a") as lines:
            lines.write(json.dumps(line) + "\\n")

Tally.visit_ended = write_down
web, port, delay = Web(int(sys.argv[2])), int(sys.argv[3]), float(sys.argv[4])
settings = Settings()
settings.setmodule("mediacrawl.settings")
settings.setdict({
    "POLITENESS_FACTOR": 0, "POLITENESS_MIN_DELAY": delay, "POLITENESS_MAX_DELAY": delay,
    "POLITENESS_FIRST_DELAY": delay, "POLITENESS_TAIL_FACTOR": 1,
    "POLITENESS_ADDRESS_FACTOR": 0, "POLITENESS_ADDRESS_MIN_DELAY": 0.0001, "BACKOFF_REST_AFTER": 0,
    "CONCURRENT_REQUESTS": int(sys.argv[7]),
    "FRONTIER_SITE_BUDGET": 0, "MEDIACRAWL_CONTACT": "http://localhost/benchmark",
    "RESOLVER_HOSTS": web.addresses(), "MEDIACRAWL_DIR": sys.argv[5],
}, priority="cmdline")
process = AsyncCrawlerProcess(settings)
process.crawl("media", seed="\\n".join(seeds(web, port, int(sys.argv[6]))))
process.start()
"""


@dataclass(frozen=True)
class Crawled:
    """What a crawl over HTTP came to.

    Attributes:
        marks: URLs that ended -> new media files until then.
        requests: all of them, robots.txt and ranges too.
        seconds: on the clock.
        cpu: seconds of the crawler's processor.
        gap: requests from one to the next for the same site; a twentieth of them have fewer.
        rate: requests a second, but for the first quarter.
    """

    marks: dict[int, int]
    requests: int
    seconds: float
    cpu: float
    gap: int
    rate: float


@contextmanager
def serving(seed: int, *, other: bool) -> Iterator[tuple[int, list[int]]]:
    """Serve the web of a seed, at a port of this machine; at the end the server's gap is in the list."""
    command = [sys.executable, str(HERE / "harvest_server.py"), "--seed", str(seed), *(["--other"] if other else [])]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as server:
        assert server.stdout is not None
        gaps = list[int]()
        yield int(server.stdout.readline()), gaps
        gaps.append(int(server.communicate()[0]))


def pace(seed: int, seeds: int, *, other: bool = False) -> float:
    """Seconds of delay in which this machine makes as many requests as there are to be between two of one site."""
    with tempfile.TemporaryDirectory() as folder:
        crawled = crawl(seed, seeds, 5_000, Path(folder), delay=0.2, other=other)
    # With a tenth more: it is slower later on, when more waits.
    return 1.1 * (TICKS - OUT) / crawled.rate


def crawl(seed: int, seeds: int, pages: int, folder: Path, delay: float, *, other: bool = False) -> Crawled:
    """Crawl so many URLs of a web; the crawl is then stopped as an operator would.

    Args:
        seed: of the web.
        seeds: where to begin, how many.
        pages: URLs that are to end.
        folder: for what it leaves.
        delay: seconds between two requests to one site.
        other: its URLs are as other makers of sites would write them, see `harvest_habits`.

    Raises:
        SystemExit: the crawl went wrong; its log says how.
    """
    began = time.monotonic()
    with serving(seed, other=other) as (port, gaps), (folder / "log.txt").open("w") as log:
        arguments = [str(HERE), str(seed), str(port), str(delay), str(folder / "state"), str(seeds), str(OUT)]
        command = [sys.executable, "-c", CRAWL, *arguments]
        with subprocess.Popen(command, stderr=log, env=environment(), cwd=folder) as crawler:
            lines = _watched(crawler, folder / "harvest.jl", pages)
            crawler.send_signal(signal.SIGINT)
            _, _, used = os.wait4(crawler.pid, 0)
            crawler.returncode = 0
    if not lines or lines[-1]["pages"] < pages:
        raise SystemExit(f"the crawl went wrong:\n{(folder / 'log.txt').read_text()[-3000:]}")
    marks = {line["pages"]: line["new"] for line in lines}
    first, last = lines[len(lines) // 4], lines[-1]
    rate = (last["requests"] - first["requests"]) / max(last["time"] - first["time"], 1.0)
    cpu = used.ru_utime + used.ru_stime
    return Crawled(marks, lines[-1]["requests"], time.monotonic() - began, cpu, gaps[0], rate)


def _watched(crawler: subprocess.Popen[bytes], path: Path, pages: int) -> list[dict[str, Any]]:
    """The lines of the harvest, once there are enough of them or the crawl is over."""
    end = time.monotonic() + PATIENCE
    while time.monotonic() < end and os.waitid(os.P_PID, crawler.pid, os.WEXITED | os.WNOHANG | os.WNOWAIT) is None:
        time.sleep(0.5)
        lines = _lines(path)
        if lines and lines[-1]["pages"] >= pages:
            return lines
    return _lines(path)


def _lines(path: Path) -> list[dict[str, Any]]:
    if not path.exists():
        return []
    return [json.loads(line) for line in path.read_text().splitlines(keepends=True) if line.endswith("\n")]
