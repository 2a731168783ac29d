"""One measured store in a process of its own, for ``frontier.py``: a line of JSON says what to do, one answers.

Kinds: ``ours`` (the SQLite frontier), ``scrapy`` (see ``frontier_scrapy.py``), ``bloom`` (pybloom-live).
"""

from __future__ import annotations

import json
import random
import sqlite3
import sys
import tempfile
import tracemalloc
from collections import deque
from collections.abc import Callable
from contextlib import closing
from dataclasses import replace
from pathlib import Path
from typing import Any

from frontier_load import Load, Spent, resident, tune

from mediacrawl.base.terms import Candidate, End, Lease, Outcome
from mediacrawl.frontier import Frontier, FrontierPolicy
from mediacrawl.frontier.sqlite.store import SQLiteFrontier
from mediacrawl.frontier.stores import open_store

TAKE = 32  # `crawl.leases.LEASES_AT_ONCE`
TICK = 20  # batches between two commits: a second at 640 pages
FLYING = 256
BLOCK = 320
BEGIN = 1_790_000_000.0
FIRST_DELAY = 60.0
CLOCK_FILE = "clock.txt"


class Ours:
    """The SQLite frontier under load.

    Args:
        folder: where it lies.
        sites: how many it has or will have.
        classes: link classes of a site.
        front: sites that are to be held in memory, if the store can be told; 0 for what its settings say.
    """

    def __init__(self, folder: str, sites: int, classes: int = 3, front: int = 0) -> None:
        self._folder = Path(folder)
        self._load = Load(sites, classes)
        self._random = random.Random(11)
        self._flying: deque[Lease] = deque()
        self._batches = 0
        # So slow that a batch is always ready: the same work for each size, and no half batches at the small ones.
        # With a front given the clock nearly stands: each site is visited once and waits in memory.
        self._step = 1e-6 if front else max(1 / TICK, 2 * TAKE * FIRST_DELAY / sites)
        self._policy = FrontierPolicy()
        if front and hasattr(self._policy, "front_least"):
            self._policy = replace(self._policy, front_least=front, front_most=front)
        self._now = BEGIN
        self._store: Frontier | None = None

    @property
    def store(self) -> Frontier:
        """The open store."""
        if self._store is None:
            self._store = open_store("sqlite", self._folder, self._policy, self._now, random.Random(5))
        return self._store

    def fill(self, urls: int) -> dict[str, Any]:
        """Add up to `urls` URLs a site: first one to each, then by the links of pages; no question for known ones."""
        load, spent = self._load, Spent()
        total = sum(load.counts)
        goal = urls * load.sites
        if not total:
            order = load.seeds()
            for begin in range(0, len(order), 10 * BLOCK):
                block = [load.new(site) for site in order[begin : begin + 10 * BLOCK]]
                self._add([block[i : i + 10] for i in range(0, len(block), 10)], spent)
            total = load.sites
        added = total
        while added < goal:
            pages = [load.links() for _ in range(min(BLOCK, max((goal - added) // 10, 1)))]
            self._add(pages, spent)
            added += sum(map(len, pages))
        return {"added": added, "wall": spent.wall, "cpu": spent.cpu}

    def _settle(self) -> None:
        """Do what was put off: rows of the inbox go to their places, pages of SQLite's log into the file."""
        store = self.store
        assert isinstance(store, SQLiteFrontier)
        store._tables.merge()  # noqa: SLF001 - no user has a reason to ask for it
        store.commit()
        with closing(sqlite3.connect(self._folder / "frontier.db")) as db:
            db.execute("PRAGMA wal_checkpoint(TRUNCATE)")

    def _add(self, pages: list[list[Candidate]], spent: Spent) -> None:
        store = self.store
        with spent:
            for number, page in enumerate(pages, 1):
                store.add(page)
                if not number % TAKE:
                    store.commit()

    def pages(self, urls: int, known: bool = True, settle: bool = False) -> dict[str, Any]:
        """Read pages until `urls` new URLs were added: 100 links each, or the ten new ones; `unknown` sifts them."""
        load, store, spent = self._load, self.store, Spent()
        if settle:
            self._settle()
        added = 0
        while added < urls:
            number_of_pages = min(BLOCK, max((urls - added) // 10, 1))
            pages = [load.page(known=known) for _ in range(number_of_pages)]
            with spent:
                for number, (named, new) in enumerate(pages, 1):
                    added += store.add([new[url] for url in store.unknown(named)]).new
                    if not number % TAKE:
                        store.commit()
        if settle:
            with spent:
                self._settle()
        return {"added": added, "wall": spent.wall, "cpu": spent.cpu, **self._size()}

    def seen(self, pages: int) -> dict[str, Any]:
        """Ask for 100 URLs that are all known, and for 100 that are all new; microseconds a URL."""
        load, store = self._load, self.store
        known, absent = Spent(), Spent()
        named = [[load.known() for _ in range(100)] for _ in range(pages)]
        with known:
            fresh = [store.unknown(urls) for urls in named]
        if any(fresh):
            raise SystemExit("a known URL was not known")
        named = [[load.absent() for _ in range(100)] for _ in range(pages)]
        with absent:
            for urls in named:
                store.unknown(urls)
        return {"seen": sum(load.counts), "known": known.per(100 * pages), "absent": absent.per(100 * pages)}

    def close(self) -> dict[str, Any]:
        """Close it, and write beside it what was added."""
        if self._store is not None:
            while self._flying:
                self._end(self._flying.popleft())
            self._store.close()
            self._store = None
            self._load.save(self._folder)
            (self._folder / CLOCK_FILE).write_text(str(self._now), encoding="ascii")
        return self._size()

    def open(self, trace: bool = False) -> dict[str, Any]:
        """Open what was filled; until the first lease is out."""
        self._load.restore(self._folder, 13)
        # A clock that goes back would be one more thing that the store has to write for each site.
        self._now = float((self._folder / CLOCK_FILE).read_text(encoding="ascii")) + 86_400.0
        with tempfile.TemporaryDirectory() as folder:
            # What is imported and kept for any store is not of this one.
            open_store("sqlite", Path(folder), FrontierPolicy(), self._now).close()
        before = resident()
        if trace:
            tracemalloc.start()
        with Spent() as spent:
            first = self.store.take(self._now, 1)
        self._flying.extend(first)
        held = tracemalloc.get_traced_memory()[0] if trace else 0
        return {
            "wall": spent.wall,
            "cpu": spent.cpu,
            "leases": len(first),
            "before": before,
            "rss": resident(),
            "traced": held,
            "front": self._front(),
        }

    def memory(self) -> dict[str, Any]:
        """Bytes now, and the sites that are in memory for them."""
        size = resident()
        traced = tracemalloc.get_traced_memory()[0] if tracemalloc.is_tracing() else 0
        return {"rss": size, "traced": traced, "front": self._front()}

    def tune(self) -> dict[str, Any]:
        """Before measured rounds."""
        tune()
        return {}

    def visits(self, count: int) -> dict[str, Any]:
        """Take and finish `count` URLs."""
        self._settle()
        done = 0
        with Spent() as spent:
            while done < count:
                done += self._batch()
            self._settle()
        return {"wall": spent.wall, "cpu": spent.cpu, "count": done}

    def _batch(self) -> int:
        store = self.store
        self._now += self._step
        leases = store.take(self._now, TAKE)
        while not leases:
            if store.next_release() is None:
                raise SystemExit("the store ran out of URLs")
            self._now += FIRST_DELAY / 4
            leases = store.take(self._now, TAKE)
        self._flying.extend(leases)
        while len(self._flying) > min(FLYING, self._load.sites // 4):
            self._end(self._flying.popleft())
        self._batches += 1
        if not self._batches % TICK:
            store.commit()
        return len(leases)

    def _end(self, lease: Lease) -> None:
        response_time = 0.1 + 0.5 * self._random.random()
        self.store.finish(lease, Outcome(End.DONE, response_time=response_time), self._now)

    def _front(self) -> int:
        """Sites in memory."""
        store = self.store
        assert isinstance(store, SQLiteFrontier)
        return len(store._lifecycle.front)  # noqa: SLF001 - no user has a reason to ask for it

    def _size(self) -> dict[str, Any]:
        files = list(self._folder.glob("frontier.db*"))
        return {"rss": resident(), "peak": resident("VmHWM"), "bytes": sum(path.stat().st_size for path in files)}


class Bloom:
    """pybloom-live's filter with room for `capacity` keys and all of them in it.

    Args:
        capacity: URLs.
    """

    def __init__(self, capacity: int) -> None:
        from pybloom_live import BloomFilter  # noqa: PLC0415 - only here

        self._load = Load(max(capacity // 10, 1))
        self._filter = BloomFilter(capacity, 0.001)
        self._add = Spent()
        site = 0
        while site < self._load.sites:
            block = [self._load.url(s, n) for s in range(site, min(site + 1000, self._load.sites)) for n in range(10)]
            with self._add:
                for url in block:
                    self._filter.add(url)
            site += 1000
        self._load.counts = type(self._load.counts)("I", [10]) * self._load.sites
        self._bytes = self._filter.bitarray.nbytes

    def measure(self, count: int) -> dict[str, Any]:
        """Microseconds a URL."""
        known, absent = Spent(), Spent()
        urls = [self._load.known() for _ in range(count)]
        with known:
            right = sum([url in self._filter for url in urls])
        if right != count:
            raise SystemExit("the filter does not know what it was told")
        urls = [self._load.absent() for _ in range(count)]
        with absent:
            wrong = sum([url in self._filter for url in urls])
        size = 10 * self._load.sites
        return {
            "seen": size,
            "add": self._add.per(size),
            "known": known.per(count),
            "absent": absent.per(count),
            "bytes": self._bytes / size,
            "false": wrong / count,
        }


def _kind(name: str) -> Callable[..., Any]:
    if name == "scrapy":
        from frontier_scrapy import ScrapyQueue  # noqa: PLC0415 - Scrapy would count in our memory

        return ScrapyQueue
    return {"ours": Ours, "bloom": Bloom}[name]


def main() -> None:
    """Make the store that the arguments name, then obey."""
    worker = _kind(sys.argv[1])(**json.loads(sys.argv[2]))
    for line in sys.stdin:
        request = json.loads(line)
        print(json.dumps(getattr(worker, request.pop("do"))(**request)), flush=True)
    if isinstance(worker, Ours):
        worker.close()


if __name__ == "__main__":
    main()
