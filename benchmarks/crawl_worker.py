"""One crawl of mediacrawl, stock Scrapy or scrapy-redis that measures itself, for ``crawl.py`` and ``fleet.py``.

Each tenth of a second it notes the time, its CPU seconds, the pages that it has read, how often it has waited for
Redis, and all answers that it has had; that goes to ``rows.json`` in its folder when it has read its share, which ends
it. A page is an answer of status 200 that is not a robots.txt. Its argument is the JSON of its orders: ``crawler``,
``pages``, ``concurrent``, ``redis`` (a URL, or empty), ``folder``, ``seeds``, ``hosts`` (of the resolver), ``settings``
(further ones), ``arguments`` (of the spider ``media``), and ``samples`` (answers after which its memory is noted, in
``memory.json``).
"""

# ruff: noqa: E402 - what follows must not import pydantic

from __future__ import annotations

import json
import resource
import sys
import time
from pathlib import Path
from typing import Any

# Only our tests need it, and itemadapter would import all of it where it is installed.
sys.modules["pydantic"] = None  # type: ignore[assignment]

from scrapy import Request, Spider, signals
from scrapy.crawler import AsyncCrawlerProcess, Crawler
from scrapy.exceptions import DontCloseSpider
from scrapy.linkextractors import LinkExtractor
from scrapy.settings import Settings
from scrapy.utils.defer import deferred_from_coro
from shared import resident

EVERY = 0.1
GIVEN = json.loads(sys.argv[1])


class Peer(Spider):
    """Stock Scrapy's broad crawl; on Redis it waits for work as those of scrapy-redis do."""

    name = "broad"
    links = LinkExtractor()

    @classmethod
    def from_crawler(cls, crawler: Crawler, *args: Any, **kwargs: Any) -> Peer:
        """Make it for a crawl."""
        spider: Peer = super().from_crawler(crawler, *args, **kwargs)
        if GIVEN["redis"]:
            crawler.signals.connect(spider.wait, signals.spider_idle)
        return spider

    def wait(self) -> None:
        """Called when nothing is there just now."""
        raise DontCloseSpider

    async def start(self):
        """Yield the seeds."""
        for url in GIVEN["seeds"]:
            yield Request(url)

    def parse(self, response):
        """Yield the links of a page."""
        for link in self.links.extract_links(response):
            yield Request(link.url)


PEER = {
    # https://docs.scrapy.org/en/latest/topics/broad-crawls.html
    "CONCURRENT_REQUESTS_PER_DOMAIN": 8,
    "DOWNLOAD_DELAY": 0,
    "REACTOR_THREADPOOL_MAXSIZE": 20,
    "COOKIES_ENABLED": False,
    "RETRY_ENABLED": False,
    "DOWNLOAD_TIMEOUT": 15,
    "ROBOTSTXT_OBEY": True,
    "DEPTH_PRIORITY": 1,
    "SCHEDULER_DISK_QUEUE": "scrapy.squeues.PickleFifoDiskQueue",
    "SCHEDULER_MEMORY_QUEUE": "scrapy.squeues.FifoMemoryQueue",
    "TELNETCONSOLE_ENABLED": False,
    "REMOTE_CONTROL_ENABLED": False,
    "TWISTED_DNS_RESOLVER": "mediacrawl.download.resolver.HostsResolver",
}
PEER_ON_REDIS = {
    # https://github.com/rmax/scrapy-redis
    "SCHEDULER": "scrapy_redis.scheduler.Scheduler",
    "DUPEFILTER_CLASS": "scrapy_redis.dupefilter.RFPDupeFilter",
    "SCHEDULER_PERSIST": True,
    "REDIS_URL": GIVEN["redis"],
}
OURS = {
    "POLITENESS_FACTOR": 0,
    "POLITENESS_MIN_DELAY": 0,
    "POLITENESS_MAX_DELAY": 0,
    "POLITENESS_FIRST_DELAY": 0,
    "POLITENESS_ADDRESS_FACTOR": 0,
    "POLITENESS_ADDRESS_MIN_DELAY": 0.0001,
    "BACKOFF_REST_AFTER": 0,
    "MEDIACRAWL_CONTACT": "http://localhost/benchmark",
    "MEDIACRAWL_DIR": GIVEN["folder"],
}
OURS_ON_REDIS = {"SCHEDULER_STORE": GIVEN["redis"], "SCHEDULER_WAIT": True}
BOTH = {
    "CONCURRENT_REQUESTS": GIVEN["concurrent"],
    "LOG_LEVEL": "INFO",
    "RESOLVER_HOSTS": GIVEN["hosts"],
    "EXTENSIONS": {"__main__.Meter": 0},
}


class Meter:
    """Counts, and ends the crawl once this worker has read its share."""

    trips = 0

    def __init__(self, crawler: Crawler) -> None:
        self._crawler = crawler
        self._pages = 0
        self._answers = 0
        self._rows: list[tuple[float, float, int, int, int]] = []
        self._memory: dict[int, int] = {}
        self._ended = False
        crawler.signals.connect(self._opened, signals.spider_opened)
        crawler.signals.connect(self._received, signals.response_received)

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> Meter:
        """Make it for a crawl."""
        return cls(crawler)

    def _opened(self) -> None:
        from twisted.internet.task import LoopingCall  # noqa: PLC0415 - after the reactor was chosen

        LoopingCall(self._note).start(EVERY)

    def _note(self) -> None:
        usage = resource.getrusage(resource.RUSAGE_SELF)
        cpu = usage.ru_utime + usage.ru_stime
        self._rows.append((time.time(), cpu, self._pages, Meter.trips, self._answers))

    def _received(self, response: Any) -> None:
        self._answers += 1
        if self._answers in GIVEN["samples"]:
            self._memory[self._answers] = resident()
        if response.status != 200 or response.url.endswith("/robots.txt"):
            return
        self._pages += 1
        if self._pages >= GIVEN["pages"] and not self._ended:
            self._ended = True
            self._note()
            Path(GIVEN["folder"], "rows.json").write_text(json.dumps(self._rows))
            Path(GIVEN["folder"], "memory.json").write_text(json.dumps(self._memory))
            deferred_from_coro(self._crawler.engine.close_spider_async(reason="quota"))


def count_trips() -> None:
    """Count what goes to Redis in one piece and is waited for: a command, or a pipeline of them."""
    import redis.connection  # noqa: PLC0415 - only a crawl on Redis has it

    send = redis.connection.AbstractConnection.send_packed_command

    def counting(self: Any, *args: Any, **kwargs: Any) -> Any:
        Meter.trips += 1
        return send(self, *args, **kwargs)

    redis.connection.AbstractConnection.send_packed_command = counting  # type: ignore[method-assign]


def main() -> None:
    """Crawl."""
    settings = Settings()
    if GIVEN["crawler"] == "mediacrawl":
        settings.setmodule("mediacrawl.settings")
        spider: Any = "media"
        arguments = {"seed": "\n".join(GIVEN["seeds"]), **GIVEN["arguments"]}
        chosen = OURS | (OURS_ON_REDIS if GIVEN["redis"] else {})
    else:
        spider, arguments = Peer, {}
        chosen = PEER | (PEER_ON_REDIS if GIVEN["redis"] else {})
    extensions = {**settings.getdict("EXTENSIONS"), **BOTH["EXTENSIONS"]}
    settings.setdict({**chosen, **BOTH, **GIVEN["settings"], "EXTENSIONS": extensions}, priority="cmdline")
    if GIVEN["redis"]:
        count_trips()
    process = AsyncCrawlerProcess(settings)
    process.crawl(spider, **arguments)
    process.start()


if __name__ == "__main__":
    main()
