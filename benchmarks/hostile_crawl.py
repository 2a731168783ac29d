"""A real crawl that is requested one hostile answer after the other, and measured: the inner part of ``hostile.py``.

Run by it, in a process and a folder of its own for each kind of input. The server is a thread of the same process; what
it does is not measured, since the time is that of the reactor's thread.
"""

from __future__ import annotations

import asyncio
import gc
import json
import random
import re
import socket
import sqlite3
import sys
import tempfile
import threading
import time
import traceback
from collections.abc import Awaitable, Callable, Iterator
from contextlib import closing, suppress
from dataclasses import asdict, dataclass, replace
from pathlib import Path

from hostile_inputs import Genome, Input, build, drawn, mutated
from scrapy import signals
from scrapy.crawler import AsyncCrawlerProcess
from scrapy.settings import Settings
from shared import resident

from mediacrawl.base.terms import End, Evidence
from mediacrawl.base.visit import VISIT
from mediacrawl.crawl import scrapy_internals
from mediacrawl.crawl.context import CrawlContext
from mediacrawl.crawl.signals import visit_ended
from mediacrawl.scope import candidates
from mediacrawl.spiders.media import MediaSpider

HOSTS = 5_000
"""Names that the server has: each input is asked of a site of its own."""
DEAR = 2_000.0
"""Milliseconds from which on an input is not made larger: what it shows is shown."""
AT_RANDOM = 0.4
"""Share of the time in which inputs are drawn at random."""
MOST_VISITS = 8
"""Answers that are given to one URL, robots.txt and ranges counted."""
LATEST = 60.0
"""Seconds that one answer may take before it is given up."""


@dataclass(frozen=True)
class Cost:
    """What one input took.

    Attributes:
        ms: of the reactor's thread, for the dearest of its answers, without the pipelines.
        all_ms: of the whole process, threads and this benchmark's server counted.
        memory: bytes by which the process grew at most.
        disk: bytes by which frontier.db, media.db and the request log grew.
        wire: bytes that came.
        read: bytes of the input, unpacked, as far as they are read.
    """

    ms: float
    all_ms: float
    memory: int
    disk: int
    wire: int
    read: int


class Server(threading.Thread):
    """Answers what is asked of any host with the input of the moment, one connection at a time."""

    def __init__(self) -> None:
        super().__init__(daemon=True)
        self._socket = socket.create_server(("127.0.0.1", 0))
        self.port: int = self._socket.getsockname()[1]
        self.current: Input | None = None
        self.start()

    def run(self) -> None:
        """Serve until the process ends."""
        while True:
            connection, _ = self._socket.accept()
            with connection, suppress(OSError):
                self._serve(connection)

    def _serve(self, connection: socket.socket) -> None:
        asked = b""
        while b"\r\n\r\n" not in asked:
            piece = connection.recv(65_536)
            if not piece:
                return
            asked += piece
        assert self.current is not None
        connection.sendall(answer(self.current, asked))
        connection.shutdown(socket.SHUT_WR)
        connection.settimeout(5)
        while connection.recv(65_536):
            pass


def answer(given: Input, asked: bytes) -> bytes:
    """The bytes of an answer: the robots.txt, a range of the file, or the whole."""
    is_robots = asked.split(b" ", 2)[1] == b"/robots.txt"
    head, body, status = given.head, given.body, given.status
    if is_robots:
        body = given.robots
        head, status = (head, 200) if given.in_robots else (b"Content-Type: text/plain\r\n", 200)
    part = None if is_robots else re.search(rb"\r\nRange: bytes=(\d+)-(\d+)", asked)
    if part is not None and given.ranged:
        start, stop = int(part[1]), min(int(part[2]) + 1, len(body))
        if start >= len(body):
            return b"HTTP/1.1 416 No\r\nContent-Range: bytes */%d\r\nContent-Length: 0\r\n\r\n" % len(body)
        head += b"Content-Range: bytes %d-%d/%d\r\n" % (start, stop - 1, len(body))
        body, status = body[start:stop], 206
    length = b"Content-Length: %d\r\nConnection: close\r\n" % len(body)
    return b"HTTP/1.1 %d Yes\r\n%s%s\r\n%s" % (status, length, head, body)


class Stepped:
    """Runs a coroutine, and tells the time of the reactor's thread that each of its steps took."""

    def __init__(self, work, tell: Callable[[float], None]) -> None:
        self._work = work
        self._tell = tell

    def __await__(self):
        steps, value = self._work.__await__(), None
        while True:
            began = time.thread_time()
            try:
                waits_for = steps.send(value)
            except StopIteration as end:
                return end.value
            finally:
                self._tell(time.thread_time() - began)
            value = yield waits_for


class Measuring:
    """Extension that asks for inputs one after the other in a crawl that does nothing else, and measures each."""

    server: Server
    work: Callable[[Measuring], Awaitable[None]]

    def __init__(self, crawler) -> None:
        self._crawler = crawler
        self._context = CrawlContext.of(crawler)
        self._ended: asyncio.Future | None = None
        self._began = self._ms = self._stored = 0.0
        self._wire = self._number = 0

    @classmethod
    def from_crawler(cls, crawler) -> Measuring:
        """Make it for a crawl."""
        extension = cls(crawler)
        connect = crawler.signals.connect
        connect(extension._opened, signals.spider_opened)
        connect(extension._sent, signals.request_reached_downloader)
        connect(extension._came, signals.bytes_received)
        connect(extension._over, visit_ended)
        return extension

    def _opened(self) -> None:
        # Nothing goes out but what is put there here.
        self._crawler.engine.scheduler.hold(True)
        pipelines = self._crawler.engine.scraper.itemproc
        pass_through = pipelines.process_item_async
        # Records are stored one at a time, and between two of them the reactor continues.
        pipelines.process_item_async = lambda item: Stepped(pass_through(item), self._store)
        self._task = asyncio.ensure_future(self._run())

    async def _run(self) -> None:
        while not self._crawler.stats.get_value("seeds/joined"):
            await asyncio.sleep(0.01)
        try:
            await type(self).work(self)
        except Exception:
            # Scrapy would tell its log, which is off.
            traceback.print_exc()
            raise
        finally:
            await self._crawler.engine.close_spider_async(reason="finished")

    def _sent(self, request) -> None:
        if VISIT in request.meta:
            self._began, self._stored = time.thread_time(), 0.0

    def _store(self, seconds: float) -> None:
        self._stored += seconds

    def _came(self, data: bytes) -> None:
        self._wire += len(data)

    def _over(self, outcome) -> None:
        self._ms = max(self._ms, (time.thread_time() - self._began - self._stored) * 1000)
        if self._ended is not None and not self._ended.done():
            self._ended.set_result(outcome)

    async def ask(self, given: Input) -> Cost:
        """Have one input crawled."""
        self.server.current = given
        self._number += 1
        scheduler = self._crawler.engine.scheduler
        url = f"http://n{self._number % HOSTS}.hostile{self._number % HOSTS}.example:{self.server.port}{given.path}"
        found = candidates.candidate(url, Evidence("seed"), self._context.scores, given.kind)
        scheduler.add([replace(found, score=2.0)], scored=True)
        await self._rest()
        # What other inputs left may be leased by this, and is written here, so that it is not put down to this input.
        is_there = self._put(found.url)
        scheduler.commit()
        gc.collect()
        self._ms = self._wire = 0
        before, memory, spent = self.disk(), fresh_peak(), time.process_time()
        for visit in range(MOST_VISITS):
            if not is_there or (visit and not self._put(found.url)):
                break
            self._ended = asyncio.get_running_loop().create_future()
            scrapy_internals.wake(self._crawler.engine)
            outcome = await asyncio.wait_for(self._ended, LATEST)
            if outcome.end not in {End.CONTINUE, End.AGAIN}:
                break
        spent = (time.process_time() - spent) * 1000
        grown = resident("VmHWM") - memory
        await self._rest()
        scheduler.commit()
        head = len(given.head)
        return Cost(self._ms, spent, grown, self.disk() - before, self._wire + head, given.size + head)

    async def _rest(self) -> None:
        for _ in range(3):
            await asyncio.sleep(0)

    def _put(self, url: str) -> bool:
        """Take leases until the one of a URL comes. Those of others stay leased: they are never requested."""
        scheduler = self._crawler.engine.scheduler
        while leases := scheduler.frontier.take(self._context.clock.now(), 64):
            mine = [lease for lease in leases if lease.url == url]
            if mine:
                scheduler.leases.exchanged.append(scheduler.leases.request_of(mine[0]))
                return True
        return False

    def disk(self) -> int:
        """Bytes of the crawl's files; of the databases the pages in use, since what is free is used again."""
        folder = self._context.folder
        files = [path for path in folder.rglob("*") if path.is_file() and ".db" not in path.name]
        return sum(path.stat().st_size for path in files) + sum(map(_in_use, folder.glob("*.db")))


def _in_use(path: Path) -> int:
    with closing(sqlite3.connect(path, timeout=5)) as db:
        pages, free, size = (
            db.execute(f"PRAGMA {name}").fetchone()[0] for name in ("page_count", "freelist_count", "page_size")
        )
    return (pages - free) * size


def fresh_peak() -> int:
    """Let the peak of memory start over; answers what is in use."""
    with suppress(OSError):
        Path("/proc/self/clear_refs").write_text("5")
    return resident()


def crawl(folder: Path, *, robots: bool, work: Callable[[Measuring], Awaitable[None]]) -> None:
    """Run a crawl with all that a crawl has, but for delays."""
    Measuring.server, Measuring.work = Server(), work
    names = {f"n{number}.hostile{number}.example": "127.0.0.1" for number in range(HOSTS)}
    quick = dict.fromkeys(("FACTOR", "MIN_DELAY", "FIRST_DELAY", "ADDRESS_FACTOR", "ADDRESS_MIN_DELAY"), 0)
    settings = Settings()
    settings.setmodule("mediacrawl.settings", priority="project")
    settings.update(
        {
            **{f"POLITENESS_{name}": value for name, value in quick.items()},
            "MEDIACRAWL_DIR": str(folder),
            "MEDIACRAWL_CONTACT": "https://example.org/benchmark",
            "RESOLVER_HOSTS": names,
            "ROBOTS_ENABLED": robots,
            "FRONTIER_EXPLORE": 0.0,
            "BREAKER_ERRORS": 0,
            "BREAKER_SITES": 0,
            "BACKOFF_REST_AFTER": 0,
            "LOG_LEVEL": "CRITICAL",
            "LOG_ENABLED": False,
            "PROGRESS_SUMMARY": False,
        },
        priority="cmdline",
    )
    settings.get("EXTENSIONS")[Measuring] = 800
    process = AsyncCrawlerProcess(settings)
    process.crawl(MediaSpider, seed="http://n0.hostile0.example:8009/never-asked")
    process.start()


# -- the search ----------------------------------------------------------------------------------------------------


class Search:
    """Looks for the dearest inputs of a family: first at random, then around the dearest that were found.

    Attributes:
        tried: how many inputs were tried.
        dearest: the `DEAREST` that took the reactor longest, each of another make; measured again, the least of two.
        fullest: the `FULLEST` that left most on disk, measured again, `COPIES` of each with other contents.
        empty: bytes that an answer leaves on disk which holds nothing.
    """

    DEAREST, FULLEST, COPIES = 10, 3, 3

    def __init__(self, family: str, seconds: float, seed: int) -> None:
        self._family = family
        self._seconds = seconds
        self._random = random.Random(f"{family} {seed}")
        self._found: list[tuple[Genome, Cost]] = []
        self.tried = self.empty = 0
        self.dearest: list[dict] = []
        self.fullest: list[dict] = []

    async def run(self, crawl: Measuring) -> None:
        """Ask until the time is over, then measure the dearest again."""
        nothing = replace(next(drawn(self._family, random.Random(1))), size=0.0)
        await crawl.ask(build(nothing))  # what is imported once is imported now
        self.empty = sum([(await crawl.ask(build(nothing))).disk for _ in range(4)]) // 4
        began, fresh = time.monotonic(), drawn(self._family, self._random)
        while (gone := time.monotonic() - began) < self._seconds:
            genome = self._next(fresh, gone / self._seconds)
            self._found.append((genome, await self._cost(crawl, genome)))
        self.tried = len(self._found)
        for genome, cost in self._first(time_of, self.DEAREST):
            again = await self._cost(crawl, genome) if cost.ms < DEAR else cost
            ms, all_ms = min(cost.ms, again.ms), min(cost.all_ms, again.all_ms)
            self.dearest.append({"genome": asdict(genome), **asdict(cost), "ms": ms, "all_ms": all_ms})
        for genome, _ in self._first(disk_of, self.FULLEST):
            costs = [await self._cost(crawl, replace(genome, seed=genome.seed + 1 + n)) for n in range(self.COPIES)]
            disk = max(sum(cost.disk for cost in costs) - self.COPIES * self.empty, 0)
            wire, read = sum(cost.wire for cost in costs), sum(cost.read for cost in costs)
            self.fullest.append({"genome": asdict(genome), "disk": disk, "wire": wire, "read": read})

    @property
    def memory(self) -> int:
        """Bytes by which one answer made the process grow at most."""
        return max((cost.memory for _, cost in self._found), default=0)

    async def _cost(self, crawl: Measuring, genome: Genome) -> Cost:
        try:
            return await crawl.ask(build(genome))
        except TimeoutError:
            return Cost(LATEST * 1000, LATEST * 1000, 0, 0, 0, 0)

    def _next(self, fresh: Iterator[Genome], gone: float) -> Genome:
        if gone < AT_RANDOM or len(self._found) < 2 or self._random.random() < 0.2:
            return next(fresh)
        by = self._random.choice((time_of, time_of, disk_of))
        genome, cost = self._random.choice(sorted(self._found, key=by, reverse=True)[:8])
        return mutated(genome, self._random, may_grow=cost.ms < DEAR)

    def _first(self, by: Callable[[tuple[Genome, Cost]], float], number: int) -> list[tuple[Genome, Cost]]:
        """The dearest, one of each make."""
        first: dict[tuple[str, ...], tuple[Genome, Cost]] = {}
        for found in sorted(self._found, key=by, reverse=True):
            first.setdefault(found[0].make, found)
        return list(first.values())[:number]


def time_of(found: tuple[Genome, Cost]) -> float:
    """By what the dearest is told: milliseconds of the reactor."""
    return found[1].ms


def disk_of(found: tuple[Genome, Cost]) -> float:
    """Or bytes on disk for a byte that was read."""
    return found[1].disk / max(found[1].read, 1)


def main() -> None:
    order = json.loads(sys.stdin.read())
    search = Search(order["family"], order["seconds"], order["seed"])
    with tempfile.TemporaryDirectory() as folder:
        crawl(Path(folder), robots=order["family"] == "robots", work=search.run)
    names = ("tried", "empty", "memory", "dearest", "fullest")
    print(json.dumps({name: getattr(search, name) for name in names}))


if __name__ == "__main__":
    main()
