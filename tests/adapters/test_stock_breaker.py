"""The breaker in somebody else's project."""

import re

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
