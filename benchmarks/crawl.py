"""Pages per CPU-second of mediacrawl's crawl against stock Scrapy's, on the same local web, alternating in one run.

Stock Scrapy: a spider with ``LinkExtractor`` and the settings of Scrapy's own chapter on broad crawls. mediacrawl: its
spider ``media`` with the SQLite frontier, robots.txt, delay bookkeeping of sites and addresses, the guard and the
request log on, all delays set to zero (each host has an address of its own, so this needs Linux); once as it comes, and
once with ``PRIORITY=rules``, where the order of URLs learns nothing. CPU is user plus system time of the crawler's
process, from start to end; the server is another process.

Run: ``make bench NAME=crawl``; arguments: pages per run (8,000), rounds (3).
"""

from __future__ import annotations

import contextlib
import json
import os
import re
import resource
import sqlite3
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

HERE = Path(__file__).parent
HOSTS = 1000
TARGET = 8.0
MEDIAN_BYTES = 32_768

STOCK = """
import sys
from scrapy import Spider, Request
from scrapy.crawler import AsyncCrawlerProcess
from scrapy.linkextractors import LinkExtractor

hosts, port, pages = int(sys.argv[1]), int(sys.argv[2]), int(sys.argv[3])


class Broad(Spider):
    name = "broad"
    links = LinkExtractor()

    async def start(self):
        for number in range(hosts):
            yield Request(f"http://site{number}.test:{port}/page/{number}.html")

    def parse(self, response):
        for link in self.links.extract_links(response):
            yield Request(link.url)


process = AsyncCrawlerProcess({
    # https://docs.scrapy.org/en/latest/topics/broad-crawls.html
    "CONCURRENT_REQUESTS": 100, "CONCURRENT_REQUESTS_PER_DOMAIN": 8, "DOWNLOAD_DELAY": 0,
    "REACTOR_THREADPOOL_MAXSIZE": 20, "LOG_LEVEL": "INFO", "COOKIES_ENABLED": False, "RETRY_ENABLED": False,
    "DOWNLOAD_TIMEOUT": 15, "ROBOTSTXT_OBEY": True, "DEPTH_PRIORITY": 1,
    "SCHEDULER_DISK_QUEUE": "scrapy.squeues.PickleFifoDiskQueue",
    "SCHEDULER_MEMORY_QUEUE": "scrapy.squeues.FifoMemoryQueue",
    "TELNETCONSOLE_ENABLED": False, "REMOTE_CONTROL_ENABLED": False,
    "TWISTED_DNS_RESOLVER": "mediacrawl.net.resolver.HostsResolver",
    "RESOLVER_HOSTS": {f"site{n}.test": f"127.1.{n // 250}.{n % 250 + 1}" for n in range(hosts)},
    "CLOSESPIDER_PAGECOUNT": pages,
})
process.crawl(Broad)
process.start()
"""

OURS = """
import sys
from scrapy.crawler import AsyncCrawlerProcess
from scrapy.settings import Settings

hosts, port, pages = int(sys.argv[1]), int(sys.argv[2]), int(sys.argv[3])
settings = Settings()
settings.setmodule("mediacrawl.settings")
settings.setdict({
    "POLITENESS_FACTOR": 0, "POLITENESS_MIN_DELAY": 0, "POLITENESS_MAX_DELAY": 0, "POLITENESS_FIRST_DELAY": 0,
    "POLITENESS_ADDRESS_FACTOR": 0, "POLITENESS_ADDRESS_MIN_DELAY": 0.0001, "BACKOFF_REST_AFTER": 0,
    "CONCURRENT_REQUESTS": 100, "MEDIACRAWL_CONTACT": "http://localhost/benchmark",
    "RESOLVER_HOSTS": {f"site{n}.test": f"127.1.{n // 250}.{n % 250 + 1}" for n in range(hosts)},
    "CLOSESPIDER_PAGECOUNT": pages, "MEDIACRAWL_DIR": sys.argv[4], "PRIORITY": sys.argv[5],
}, priority="cmdline")
process = AsyncCrawlerProcess(settings)
process.crawl("media", seed="\\n".join(f"http://site{n}.test:{port}/page/{n}.html" for n in range(hosts)))
process.start()
"""


CRAWLERS = {
    "stock Scrapy": (STOCK, ""),
    "mediacrawl": (OURS, "adaptive"),
    "mediacrawl, rules": (OURS, "rules"),
}
"""Each with its program and its order of URLs."""


def measure(script: str, port: int, pages: int, folder: str, order: str) -> tuple[int, float, float]:
    """Run one crawl; answers pages read, CPU seconds and wall seconds."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    began = time.perf_counter()
    command = [sys.executable, "-c", script, str(HOSTS), str(port), str(pages), folder, order]
    environment = {**os.environ, "PYTHONPATH": str(HERE.parent)}
    done = subprocess.run(command, capture_output=True, text=True, env=environment, check=True, cwd=folder)
    wall = time.perf_counter() - began
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    cpu = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    # Every answer of status 200 that is not a robots.txt is a page.
    read = stat(done.stderr, "downloader/response_status_count/200")
    read -= stat(done.stderr, "robotstxt/response_count") + stat(done.stderr, "robots/fetched")
    if read <= 0:
        raise SystemExit(f"the crawl went wrong:\n{done.stderr[-3000:]}")
    return read, cpu, wall


def stat(log: str, name: str) -> int:
    """A number of the stats that Scrapy dumps at the end; 0 if it is not there."""
    found = re.search(rf"'{re.escape(name)}': (\d+)", log)
    return int(found[1]) if found else 0


def median_record() -> float:
    """Bytes that the median media record of the demo costs."""
    with tempfile.TemporaryDirectory() as folder:
        command = [sys.executable, "-m", "mediacrawl", "demo", "--folder", f"{folder}/demo"]
        subprocess.run(command, check=True, capture_output=True, cwd=HERE.parent)
        with contextlib.closing(sqlite3.connect(f"{folder}/demo/media.db")) as db:
            return statistics.median(row[0] for row in db.execute("SELECT bytes_fetched FROM media"))


def alternate(pages: int, rounds: int) -> dict[str, list[tuple[int, float, float]]]:
    """The crawlers in turn on one web; answers what each round measured."""
    rows: dict[str, list[tuple[int, float, float]]] = {name: [] for name in CRAWLERS}
    server = subprocess.Popen(
        [sys.executable, str(HERE / "bench_web.py"), str(HOSTS)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )
    try:
        assert server.stdout is not None
        port = int(server.stdout.readline())
        for _ in range(rounds):
            for name, (script, order) in CRAWLERS.items():
                with tempfile.TemporaryDirectory() as folder:
                    rows[name].append(measure(script, port, pages, folder, order))
    finally:
        server.communicate()
    return rows


def main() -> None:
    """Print a table and the figures."""
    pages = int(sys.argv[1]) if len(sys.argv) > 1 else 8000
    rounds = int(sys.argv[2]) if len(sys.argv) > 2 else 3
    rows = alternate(pages, rounds)
    print(f"median of {rounds} rounds")
    print(f"{'crawler':18} {'pages':>7} {'CPU ms a page':>14} {'pages per CPU s':>16} {'pages/s':>9}")
    for name, runs in rows.items():
        speed = statistics.median(count / cpu for count, cpu, _ in runs)
        wall = statistics.median(count / wall for count, _, wall in runs)
        count = statistics.median(count for count, _, _ in runs)
        print(f"{name:18} {count:>7.0f} {1000 / speed:>14.2f} {speed:>16.0f} {wall:>9.0f}")
    median = median_record()
    figures = [ratio(rows, "mediacrawl"), ratio(rows, "mediacrawl, rules")]
    print(f"the demo's median media record costs {median:.0f} bytes; target {MEDIAN_BYTES}")
    figures.append(figure("bytes of the demo's median media record", median, "bytes", MEDIAN_BYTES, "less"))
    print(json.dumps({"bench": "crawl", "figures": figures}))


def ratio(rows: dict[str, list[tuple[int, float, float]]], name: str) -> dict[str, object]:
    """Print how many times stock Scrapy's pages a crawler read for the same CPU, round by round; answers the figure."""
    stock = (count / cpu for count, cpu, _ in rows["stock Scrapy"])
    ratios = sorted(count / cpu / peer for (count, cpu, _), peer in zip(rows[name], stock, strict=True))
    middle = statistics.median(ratios)
    single = ", ".join(f"{value:.1f}" for value in ratios)
    print(f"{name}: {middle:.1f} times stock Scrapy (single rounds: {single}); target {TARGET:.0f}")
    return figure(f"pages per CPU-second of {name}, times stock Scrapy", round(middle, 2), "x", TARGET, "more")


def figure(name: str, value: float, unit: str, target: float, better: str) -> dict[str, object]:
    """One row of the last line."""
    return {"name": name, "value": value, "unit": unit, "target": target, "better": better}


if __name__ == "__main__":
    main()
