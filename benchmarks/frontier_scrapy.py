"""Scrapy's `DownloaderAwarePriorityQueue` under the load of ``frontier.py``.

It is built as in Scrapy's own tests: a real crawler, and in place of its engine an object with a tiny downloader that
has what the queue looks at, the slots with their active requests. Slot keys are those of the real downloader. Its disk
queue ``PickleFifoSQLiteQueue`` keeps one SQLite file open for each site and priority.
"""

from __future__ import annotations

import resource
from collections import deque
from types import SimpleNamespace
from typing import Any

from frontier_load import Load, Spent, resident, tune
from scrapy import Request, Spider
from scrapy.core.downloader import Downloader
from scrapy.dupefilters import RFPDupeFilter
from scrapy.pqueues import DownloaderAwarePriorityQueue
from scrapy.squeues import FifoMemoryQueue, PickleFifoSQLiteQueue
from scrapy.utils.test import get_crawler

FLYING = 100  # CONCURRENT_REQUESTS of Scrapy's chapter on broad crawls


class TinyDownloader:
    """The slots and their active requests."""

    DOWNLOAD_SLOT = Downloader.DOWNLOAD_SLOT
    ip_concurrency = 0
    get_slot_key = Downloader.get_slot_key

    def __init__(self) -> None:
        self.slots: dict[str, SimpleNamespace] = {}

    def begin(self, request: Request) -> tuple[SimpleNamespace, Request]:
        """A request goes out."""
        key = self.get_slot_key(request)
        slot = self.slots.get(key)
        if slot is None:
            slot = self.slots[key] = SimpleNamespace(active=set())
        slot.active.add(request)
        return slot, request


class ScrapyQueue:
    """The queue, filled with `urls` requests a site.

    Args:
        sites: how many.
        urls: requests a site.
        disk: folder of the SQLite queues; empty for the queue in memory.
    """

    def __init__(self, sites: int, urls: int, disk: str = "") -> None:
        if disk:
            hard = resource.getrlimit(resource.RLIMIT_NOFILE)[1]
            resource.setrlimit(resource.RLIMIT_NOFILE, (hard, hard))
        crawler = get_crawler(settings_dict={"LOG_ENABLED": False})
        crawler.spider = Spider("bench")
        self._downloader = TinyDownloader()
        crawler.engine = SimpleNamespace(downloader=self._downloader)  # type: ignore[assignment]
        kind: Any = PickleFifoSQLiteQueue if disk else FifoMemoryQueue
        self._queue = DownloaderAwarePriorityQueue.from_crawler(crawler, kind, disk)
        self._seen = RFPDupeFilter.from_crawler(crawler)
        self._flying: deque[tuple[SimpleNamespace, Request]] = deque()
        self._load = Load(sites)
        self._sites, self._urls = sites, urls
        self._before = resident()
        self._push = Spent()
        for _ in range(urls):
            self._fill()

    def _fill(self) -> None:
        order = self._load.seeds()
        for begin in range(0, len(order), 1000):
            block = [Request(self._load.new(site).url) for site in order[begin : begin + 1000]]
            with self._push:
                for request in block:
                    self._queue.push(request)

    def filled(self) -> dict[str, Any]:
        """What filling it took."""
        return {
            "sites": self._sites,
            "urls": self._urls,
            "bytes": resident() - self._before,
            "push": self._push.per(sum(self._load.counts)),
        }

    def tune(self) -> dict[str, Any]:
        """Before measured rounds."""
        tune()
        return {}

    def visits(self, count: int) -> dict[str, Any]:
        """Pop `count` requests; each is active until 100 others have followed."""
        with Spent() as spent:
            for _ in range(count):
                request = self._queue.pop()
                assert request is not None, "the queue ran out of requests"
                self._flying.append(self._downloader.begin(request))
                if len(self._flying) > FLYING:
                    slot, old = self._flying.popleft()
                    slot.active.remove(old)
        return {"wall": spent.wall, "cpu": spent.cpu, "count": count}

    def pages(self, urls: int) -> dict[str, Any]:
        """Links of pages through the duplicate filter (in memory) into the queue, as Scrapy's scheduler does it."""
        spent = Spent()
        added = 0
        while added < urls:
            pages = [self._load.page() for _ in range(10)]
            requests = [Request(url) for named, _ in pages for url in named]
            new = {url for _, fresh in pages for url in fresh}
            for request in requests:
                if request.url not in new:
                    self._seen.request_seen(Request(request.url))
            with spent:
                for request in requests:
                    if not self._seen.request_seen(request):
                        self._queue.push(request)
                        added += 1
        return {"added": added, "wall": spent.wall, "cpu": spent.cpu}
