"""Several crawls in one process, as with Scrapy's runners."""

import sys

from command_line import run

IN_ONE_PROCESS = """\
import sys

from scrapy import Spider, signals
from scrapy.crawler import AsyncCrawlerRunner, Crawler
from scrapy.utils.defer import deferred_f_from_coro_f
from scrapy.utils.reactor import install_reactor

SETTINGS = {
    "SCHEDULER": "mediacrawl.scheduler.PenaltyBoxScheduler",
    "JOBDIR": "job",
    "TELNETCONSOLE_ENABLED": False,
    "LOG_LEVEL": "INFO",
}


class OneSpider(Spider):
    name = "one"

    async def start(self):
        return
        yield


class BrokenPipeline:
    def open_spider(self):
        raise RuntimeError("no pipeline")


class BrokenExtension:
    @classmethod
    def from_crawler(cls, crawler):
        def opened():
            raise RuntimeError("no extension")

        crawler.signals.connect(opened, signals.spider_opened, weak=False)
        return cls()


FAULTS = [
    {"PRIORITY": "adaptive", "PRIORITY_MODEL": "nowhere.npz"},
    {"PRIORITY": "sideways"},
    {"FRONTIER_ATTEMPTS": 0},
    {"NUGGET_FUNCTION": "nowhere.find"},
    {"ITEM_PIPELINES": {BrokenPipeline: 1}},
    {"EXTENSIONS": {BrokenExtension: 1}},
]


async def main(reactor):
    runner = AsyncCrawlerRunner(SETTINGS)
    for fault in FAULTS:
        try:
            await runner.crawl(Crawler(OneSpider, {**SETTINGS, **fault}))
        except Exception as error:
            print("failed", type(error).__name__, error)
    crawler = Crawler(OneSpider, SETTINGS)
    await runner.crawl(crawler)
    print("ended:", crawler.stats.get_value("finish_reason"))


install_reactor("twisted.internet.asyncioreactor.AsyncioSelectorReactor")

from twisted.internet.task import react

react(deferred_f_from_coro_f(main))
"""


def test_in_one_process_a_crawl_that_could_not_begin_leaves_the_frontier_to_the_next(tmp_path):
    script = tmp_path / "crawls.py"
    script.write_text(IN_ONE_PROCESS, encoding="utf-8")
    done = run(tmp_path, sys.executable, str(script))
    assert "another crawl is working" not in done.err
    # A setting that cannot be used is told in a sentence, and what fails in the user's own code by Scrapy.
    for setting in ("PRIORITY = 'sideways'", "FRONTIER_ATTEMPTS = 0"):
        assert f"{setting} cannot be used: it must be " in done.err
    assert done.code == 0, done.err[-3000:]
    assert done.out.splitlines()[-1] == "ended: finished"


COLLECTOR = """\
import gc

from scrapy import Spider
from scrapy.crawler import AsyncCrawlerProcess


class OneSpider(Spider):
    name = "one"

    async def start(self):
        print("crawl", gc.get_threshold(), gc.get_freeze_count() > 10_000)
        return
        yield


print("before", gc.get_threshold(), gc.get_freeze_count())
process = AsyncCrawlerProcess({"SCHEDULER": "mediacrawl.scheduler.PenaltyBoxScheduler"})
process.crawl(OneSpider)
process.start()
print("after", gc.get_threshold(), gc.get_freeze_count())
"""


def test_the_garbage_collector_is_as_before_when_a_crawl_has_ended(tmp_path):
    script = tmp_path / "crawl.py"
    script.write_text(COLLECTOR, encoding="utf-8")
    done = run(tmp_path, sys.executable, str(script))
    assert done.code == 0, done.err[-3000:]
    before, crawl, after = done.out.splitlines()
    assert crawl.startswith("crawl (10000, ")
    assert crawl.endswith(" True")
    assert after.removeprefix("after") == before.removeprefix("before")
