"""Spiders of scrapy-redis under our scheduler; and our spiders under another scheduler, which they refuse."""

import json

import pytest
import redis
from command_line import MEDIACRAWL, run
from scrapy.settings import Settings
from stock_project import SPIDER

from mediacrawl.crawl.storage import lease_seconds
from mediacrawl.frontier import FrontierError
from mediacrawl.settings import FRONTIER_LEASE

SCHEDULERS = {
    "memory": {"SCHEDULER": "mediacrawl.scheduler.PenaltyBoxScheduler", "SCHEDULER_STORE": "memory"},
    "redis": {"SCHEDULER": "mediacrawl.scheduler.PenaltyBoxScheduler", "SCHEDULER_STORE": "redis"},
    "scrapy": {},
}
OTHERS = ["scrapy.core.scheduler.Scheduler", "scrapy_redis.scheduler.Scheduler"]
SPIDERS = {
    "fed": """\
class FedSpider(RedisSpider):
    name = "fed"
    max_idle_time = 3

    def parse(self, response):
        yield {"url": response.url}
""",
    "ruled": """\
class RuledSpider(RedisCrawlSpider):
    name = "ruled"
    max_idle_time = 3
    rules = (Rule(LinkExtractor(), callback="page", follow=True),)

    def page(self, response):
        yield {"url": response.url, "text": response.meta["link_text"]}
""",
    "mixed": """\
class MixedSpider(RedisMixin, scrapy.Spider):
    name = "mixed"
    max_idle_time = 3

    @classmethod
    def from_crawler(cls, crawler, *args, **kwargs):
        spider = super().from_crawler(crawler, *args, **kwargs)
        spider.setup_redis(crawler)
        return spider

    def parse(self, response):
        yield {"url": response.url}
""",
}
IMPORTS = """\
import scrapy
from scrapy.linkextractors import LinkExtractor
from scrapy.spiders import Rule
from scrapy_redis.spiders import RedisCrawlSpider, RedisMixin, RedisSpider


"""


@pytest.mark.parametrize(("spider", "scheduler"), [*zip(SPIDERS, SCHEDULERS, strict=True)])
def test_a_spider_of_scrapy_redis_crawls_what_lies_in_start_urls(project, site, redis_server, spider, scheduler):
    """Also with Scrapy's own DOWNLOAD_TIMEOUT, which is longer than the default of FRONTIER_LEASE."""
    url = f"{redis_server}/5"
    project.spider(IMPORTS + SPIDERS[spider])
    quick = {"POLITENESS_FACTOR": 0.0, "POLITENESS_MIN_DELAY": 0.05, "POLITENESS_FIRST_DELAY": 0.05}
    project.set(REDIS_URL=url, DOWNLOAD_TIMEOUT=180, **quick, **SCHEDULERS[scheduler])
    site.page("/a", "/c", "/d")
    for path in ("/b", "/c", "/d"):
        site.page(path)
    with redis.Redis.from_url(url) as client:
        client.flushdb()
        client.rpush(f"{spider}:start_urls", site.url("/a"), json.dumps({"url": site.url("/b")}))
        crawled = project.crawl(spider=spider)
        assert client.llen(f"{spider}:start_urls") == 0
    assert crawled.code == 0
    assert "Traceback" not in crawled.log
    # A worker's first start makes the folder of its state.
    assert "cannot be written" not in crawled.log
    found = ["/c", "/d"] if spider == "ruled" else ["/a", "/b"]
    assert sorted(item["url"] for item in crawled.items) == [site.url(path) for path in found], crawled.log[-3000:]


@pytest.mark.parametrize(("timeout", "lease"), [(30, 120.0), (110, 120.0), (120, None), (180, None), (3600, None)])
def test_the_default_lease_is_longer_than_any_visit(timeout, lease):
    settings = Settings({"DOWNLOAD_TIMEOUT": timeout, "RESOLVER_TIMEOUT": 5.0})
    assert lease_seconds(settings) == (lease or FRONTIER_LEASE) or lease_seconds(settings) > timeout + 5.0
    with pytest.raises(FrontierError, match="FRONTIER_LEASE = 20 is too short"):
        lease_seconds(Settings({"DOWNLOAD_TIMEOUT": timeout, "FRONTIER_LEASE": 20}))


@pytest.mark.parametrize(
    ("scheduler", "added"), [*zip(OTHERS, [{"ADDONS": {"mediacrawl.MediaCrawl": 100}}, {}], strict=True)]
)
def test_our_spider_under_another_scheduler_says_what_to_do(project, site, redis_server, scheduler, added):
    modules = {} if added else {"SPIDER_MODULES": ["theirs.spiders", "mediacrawl.spiders"], "USER_AGENT": "x {contact}"}
    project.spider(SPIDER)
    project.set(
        SCHEDULER=scheduler, REDIS_URL=redis_server, MEDIACRAWL_CONTACT="http://localhost/t", **modules, **added
    )
    crawled = project.crawl(spider="media", extra=["-a", f"seed={site.url()}"])
    assert crawled.log.count("needs SCHEDULER = 'mediacrawl.scheduler.PenaltyBoxScheduler'") == 1, crawled.log
    assert "Traceback" not in crawled.log
    assert site.log == []


@pytest.mark.parametrize(
    ("scheduler", "words"),
    [*zip(OTHERS, [["media", "-a", "seed=http://127.0.0.1:8099/"], ["feeds", "-a", "feeds=f"]], strict=True)],
)
def test_our_own_command_refuses_another_scheduler_before_it_starts(tmp_path, scheduler, words):
    done = run(tmp_path, *MEDIACRAWL, "crawl", *words, "-s", f"SCHEDULER={scheduler}")
    assert done.sentence.startswith(f"The spider {words[0]} needs SCHEDULER = ")
    assert list(tmp_path.iterdir()) == []
