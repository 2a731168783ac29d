"""One worker of a fleet, of mediacrawl or of scrapy-redis, that measures itself. Started by ``fleet.py``.

Each tenth of a second it notes the time, its CPU seconds, the pages that it has read, how often it has waited for
Redis, and all answers that it has had; that goes to a file at the end. A page is an answer of status 200 that is not a
robots.txt.
"""

from __future__ import annotations

import json
import resource
import sys
import time
from pathlib import Path
from typing import Any

import redis.connection
from scrapy import Request, Spider, signals
from scrapy.crawler import AsyncCrawlerProcess, Crawler
from scrapy.exceptions import DontCloseSpider
from scrapy.linkextractors import LinkExtractor
from scrapy.settings import Settings
from scrapy.utils.defer import deferred_from_coro

EVERY = 0.1
GIVEN = json.loads(sys.argv[1])


class Peer(Spider):
    """The spider that stock Scrapy has in ``crawl.py``; it waits for work as those of scrapy-redis do."""

    name = "broad"
    links = LinkExtractor()

    @classmethod
    def from_crawler(cls, crawler: Crawler, *args: Any, **kwargs: Any) -> Peer:
        """Make it for a crawl."""
        spider: Peer = super().from_crawler(crawler, *args, **kwargs)
        crawler.signals.connect(spider.wait, signals.spider_idle)
        return spider

    def wait(self) -> None:
        """Nothing is there just now."""
        raise DontCloseSpider

    async def start(self):
        """The seeds."""
        for url in GIVEN["seeds"]:
            yield Request(url)

    def parse(self, response):
        """The links of a page."""
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
    "TELNETCONSOLE_ENABLED": False,
    "REMOTE_CONTROL_ENABLED": False,
    "TWISTED_DNS_RESOLVER": "mediacrawl.net.resolver.HostsResolver",
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
    "SCHEDULER_STORE": GIVEN["redis"],
    "SCHEDULER_WAIT": True,
}
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
        if response.status != 200 or response.url.endswith("/robots.txt"):
            return
        self._pages += 1
        if self._pages >= GIVEN["pages"] and not self._ended:
            self._ended = True
            self._note()
            Path(GIVEN["folder"], "rows.json").write_text(json.dumps(self._rows))
            deferred_from_coro(self._crawler.engine.close_spider_async(reason="quota"))


def count_trips() -> None:
    """Count what goes to Redis in one piece and is waited for: a command, or a pipeline of them."""
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
        arguments = {"seed": "\n".join(GIVEN["seeds"])}
        chosen = OURS
    else:
        spider, arguments, chosen = Peer, {}, PEER
    extensions = {**settings.getdict("EXTENSIONS"), **BOTH["EXTENSIONS"]}
    settings.setdict({**chosen, **BOTH, "EXTENSIONS": extensions}, priority="cmdline")
    count_trips()
    process = AsyncCrawlerProcess(settings)
    process.crawl(spider, **arguments)
    process.start()


if __name__ == "__main__":
    main()
