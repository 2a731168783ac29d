"""The breaker in somebody else's project."""

import re
import sys

import pytest
from command_line import run
from stock_project import refused

BROKEN = """\
import scrapy


class BrokenSpider(scrapy.Spider):
    name = "broken"

    async def start(self):
        for url in self.urls.split(","):
            yield scrapy.Request(url)

    def parse(self, response):
        yield {"url": response.url}
        if "fine" not in response.url:
            return response.css("a").attrib["href"][7]


class FailingPipeline:
    def process_item(self, item):
        raise TypeError("a bug in a pipeline")
"""


def critical(project):
    path = project.state / "state" / "log" / "critical.log"
    return path.read_text(encoding="utf-8") if path.exists() else ""


def prepare(project, **settings):
    project.spider(BROKEN)
    project.set(EXTENSIONS={"mediacrawl.extensions.Breaker": 0}, **settings)


def test_faults_of_a_callback_are_written_down_and_stop_the_crawl(project, site):
    urls = [site.url(f"/{number}") for number in range(200)]
    for number in range(200):
        site.page(f"/{number}")
    prepare(project, BREAKER_ERRORS=5, CONCURRENT_REQUESTS=4)
    done = project.crawl(*urls, spider="broken")
    assert "Spider closed (breaker)" in done.log
    assert len(site.paths) < 50
    (line,) = re.findall(r"CRITICAL: (The crawl stops.*)", done.log)
    assert re.search(r"KeyError: 'href' \(spiders/broken_spider.py:\d+ in parse\), the last at http://127", line)
    text = critical(project)
    assert text.count("Traceback (most recent call last)") == 1
    assert text.count(f"Z KeyError: 'href' (spiders/broken_spider.py:14 in parse) {site.url('/')}") >= 5


def test_a_fault_of_a_pipeline_is_told_with_the_url_of_its_item(project, site):
    site.page("/fine")
    pipeline = {"theirs.spiders.broken_spider.FailingPipeline": 1}
    prepare(project, ITEM_PIPELINES=pipeline, BREAKER_ERRORS=50)
    done = project.crawl(site.url("/fine"), spider="broken")
    assert "Spider closed (finished)" in done.log
    assert "'errors/faults': 1" in done.log
    assert re.search(rf"TypeError: a bug in a pipeline \(.*\) {site.url('/fine')}\n", critical(project))


def test_what_the_web_does_wrong_is_counted_and_is_no_fault(project, site):
    site.status("/gone", 410)
    site.page("/fine")
    prepare(project, RETRY_ENABLED=False)
    with refused() as port:
        done = project.crawl(f"http://127.0.0.1:{port}/", site.url("/gone"), site.url("/fine"))
    assert "Spider closed (finished)" in done.log
    (told,) = re.findall(r"INFO: Errors of the last [^:]*: (.*)", done.log)
    assert sorted(told.split(", ")) == ["410 1", "connection refused 1"]
    assert critical(project) == ""
    assert "errors/faults" not in done.log


def test_when_no_site_can_be_reached_the_crawl_stops(project):
    prepare(
        project,
        RETRY_ENABLED=False,
        BREAKER_SITES=10,
        CONCURRENT_REQUESTS=4,
        **{"mediacrawl.extensions.breaker.SILENCE": 0},
    )
    with refused() as port:
        urls = [f"http://127.0.0.{number}:{port}/" for number in range(1, 100)]
        done = project.crawl(*urls, spider="broken")
    assert "Spider closed (network_down)" in done.log
    assert "the last 10 sites could not be reached (connection 10)" in done.log


TWO_CRAWLS = """\
import asyncio
import sys
import threading

import scrapy
from scrapy.crawler import AsyncCrawlerRunner


class SoundSpider(scrapy.Spider):
    name = "sound"
    custom_settings = {"MEDIACRAWL_DIR": "sound", "DOWNLOAD_DELAY": 0.05}

    async def start(self):
        for number in range(30):
            yield scrapy.Request(f"{sys.argv[1]}{number}", callback=self.parse)

    def parse(self, response):
        pass


class BrokenSpider(SoundSpider):
    name = "broken"
    custom_settings = {"MEDIACRAWL_DIR": "broken", "DOWNLOAD_DELAY": 0.05}

    def parse(self, response):
        raise LookupError


async def crawl():
    runner = AsyncCrawlerRunner({"EXTENSIONS": {"mediacrawl.extensions.Breaker": 0}, "BREAKER_ERRORS": 5})
    crawlers = [runner.create_crawler(each) for each in (SoundSpider, BrokenSpider)]
    await asyncio.gather(*(runner.crawl(each) for each in crawlers))
    for each in crawlers:
        print(each.stats.get_value("finish_reason"), each.stats.get_value("errors/faults", 0))


def main():
    from scrapy.utils.reactor import install_reactor

    install_reactor("twisted.internet.asyncioreactor.AsyncioSelectorReactor")
    from scrapy.utils.defer import deferred_from_coro
    from twisted.internet import reactor

    reactor.callWhenRunning(lambda: deferred_from_coro(crawl()).addBoth(lambda _: reactor.stop()))
    reactor.run(installSignalHandlers=False)


thread = threading.Thread(target=main)
thread.start()
thread.join()
"""


@pytest.mark.slow
def test_of_two_crawls_that_share_a_thread_of_their_own_only_the_broken_one_stops(tmp_path, site):
    """As in a notebook, where the reactor does not run in the main thread."""
    for number in range(30):
        site.page(f"/{number}")
    (tmp_path / "crawls.py").write_text(TWO_CRAWLS, encoding="utf-8")
    done = run(tmp_path, sys.executable, "crawls.py", site.url("/"))
    sound, broken = (line.split() for line in done.out.splitlines())
    assert sound == ["finished", "0"], done.err[-3000:]
    assert broken[0] == "breaker"
    assert not (tmp_path / "sound").exists()
