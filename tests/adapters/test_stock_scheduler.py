"""PenaltyBoxScheduler alone, under spiders that know nothing of it: Scrapy works, and no site is requested early."""

import itertools
import sqlite3

import pytest
from stock_project import CLOCK

from mediacrawl.demo import Resource

DELAY = 0.25

SPIDER = """\
import scrapy


class PlainSpider(scrapy.Spider):
    name = "plain"
    patience = 5

    async def start(self):
        for url in self.urls.split(","):
            yield scrapy.Request(url, callback=self.parse, errback=self.failed)

    def parse(self, response):
        yield {"at": response.url, "by": "parse"}
        for number, href in enumerate(response.css("a::attr(href)").getall()):
            yield response.follow(
                href,
                callback=self.parse_part,
                errback=self.failed,
                cb_kwargs={"number": number},
                meta={"from": response.url, "depths": [1, 2], "download_timeout": float(self.patience)},
                headers={"X-Number": str(number), "X-Name": "Größe"},
                priority=number,
            )

    def parse_part(self, response, number):
        yield {"at": response.url, "by": "parse_part", "number": number, "meta": response.meta["from"]}

    def failed(self, failure):
        yield {"at": failure.request.url, "by": "failed", "error": type(failure.value).__name__}
"""


@pytest.fixture
def boxed(project):
    project.spider(SPIDER)
    project.set(
        SCHEDULER="mediacrawl.scheduler.PenaltyBoxScheduler",
        JOBDIR=str(project.state / "state"),
        POLITENESS_FACTOR=1.0,
        POLITENESS_MIN_DELAY=DELAY,
        POLITENESS_FIRST_DELAY=DELAY,
        POLITENESS_ADDRESS_FACTOR=0.0,
        POLITENESS_ADDRESS_MIN_DELAY=0.0,
    )
    return project


def spider(body):
    """A spider of a user with this body of ``start`` and callbacks."""
    return f'import scrapy\n\n\nclass OwnSpider(scrapy.Spider):\n    name = "own"\n\n{body}'


def waiting(project):
    """URLs that wait or are leased, when the crawl has ended."""
    (path,) = project.state.glob("state/spiders/*/frontier.db")
    db = sqlite3.connect(path)
    numbers = [db.execute(f"SELECT count(*) FROM {table}").fetchone()[0] for table in ("url", "inbox", "lease")]
    db.close()
    return sum(numbers)


def check(project, site, crawled):
    crawled.check()
    assert waiting(project) == 0
    assert min(site.gaps(), default=1.0) >= DELAY - CLOCK
    return crawled


def test_callbacks_errbacks_arguments_meta_and_headers_arrive(boxed, site):
    site.page("/", "/a", "/b?y=1&x=2", "/gone")
    site.page("/a")
    site.page("/b")
    crawled = check(boxed, site, boxed.crawl(site.url("/"), spider="plain"))
    items = {(item["at"], item["by"]) for item in crawled.items}
    assert items == {
        (site.url("/"), "parse"),
        (site.url("/a"), "parse_part"),
        (site.url("/b?y=1&x=2"), "parse_part"),
        (site.url("/gone"), "failed"),
    }
    (b,) = [item for item in crawled.items if item.get("number") == 1]
    assert b["meta"] == site.url("/")
    asked = {entry.path: entry.headers for entry in site.log}
    assert asked["/b?y=1&x=2"]["x-number"] == "1"
    # The server's log reads headers as Latin-1.
    assert asked["/a"]["x-name"].encode("latin-1") == "Größe".encode()


def test_posts_to_one_address_are_told_apart_by_their_bodies(boxed, site):
    boxed.spider(
        spider("""\
    async def start(self):
        for body in ("one", "three", "three"):
            yield scrapy.Request(self.urls, method="POST", body=body)
        yield scrapy.FormRequest(self.urls, formdata={"name": "Größe"})
        yield scrapy.http.JsonRequest(self.urls, data={"a": [1]})

    def parse(self, response):
        yield {"body": response.request.body.decode(), "type": type(response.request).__name__}
""")
    )  # fmt: skip
    site.status("/form", 200)
    crawled = check(boxed, site, boxed.crawl(site.url("/form"), spider="own"))
    assert [entry.method for entry in site.log] == ["POST"] * 4
    assert {(item["body"], item["type"]) for item in crawled.items} == {
        ("one", "Request"), ("three", "Request"),
        ("name=Gr%C3%B6%C3%9Fe", "FormRequest"), ('{"a": [1]}', "JsonRequest"),
    }  # fmt: skip


def test_dont_filter_asks_again_and_start_requests_are_asked_once(boxed, site):
    boxed.spider(
        spider("""\
    visits = 0

    async def start(self):
        yield scrapy.Request(self.urls, dont_filter=True)
        yield scrapy.Request(self.urls, dont_filter=True)

    def parse(self, response):
        self.visits += 1
        if self.visits < 3:
            yield scrapy.Request(response.url, dont_filter=True)
""")
    )  # fmt: skip
    site.page("/")
    check(boxed, site, boxed.crawl(site.url("/"), spider="own"))
    assert site.paths == ["/"] * 3
    check(boxed, site, boxed.crawl(site.url("/"), spider="own"))
    assert site.paths == ["/"] * 3


def test_scrapys_redirects_are_visits_of_their_own_with_callbacks_and_without(boxed, site):
    boxed.spider(
        spider("""\
    async def start(self):
        yield scrapy.Request(self.urls, callback=self.landed, cb_kwargs={"name": "x"})

    def landed(self, response, name):
        yield {"at": response.url, "name": name, "urls": response.meta["redirect_urls"]}
        yield response.follow("/b")

    def parse(self, response):
        yield {"at": response.url, "urls": response.meta["redirect_urls"]}
""")
    )  # fmt: skip
    site.redirect("/a", "/a2")
    site.redirect("/a2", "/a3")
    site.page("/a3")
    site.redirect("/b", site.url("/b2", "localhost"))
    site.page("/b2")
    crawled = boxed.crawl(site.url("/a"), spider="own").check()
    assert waiting(boxed) == 0
    assert min(site.gaps("127.0.0.1")) >= DELAY - CLOCK
    assert crawled.items == [
        {"at": site.url("/a3"), "name": "x", "urls": [site.url("/a"), site.url("/a2")]},
        {"at": site.url("/b2", "localhost"), "urls": [site.url("/b")]},
    ]


@pytest.mark.slow
def test_with_all_our_middlewares_another_spider_never_sees_robots_txt_and_lands_behind_redirects(boxed, site):
    boxed.set(
        DOWNLOADER_MIDDLEWARES={
            "mediacrawl.middlewares.NeverCrawlMiddleware": 40,
            "mediacrawl.middlewares.RobotsMiddleware": 60,
            "mediacrawl.middlewares.RedirectCapMiddleware": 605,
            "mediacrawl.middlewares.AdaptiveDelayMiddleware": 950,
            "mediacrawl.middlewares.RequestLogMiddleware": 960,
            "scrapy.downloadermiddlewares.redirect.RedirectMiddleware": None,
        }
    )
    site.at("/robots.txt", Resource(b"User-agent: *\nDisallow: /private\nCrawl-delay: 0.6\n", "text/plain"))
    site.page("/", "/hop", "/private", "/loop0")
    # Scrapy would escape the bar.
    site.redirect("/hop", "/end?b=|&a")
    site.page("/end")
    for hop in range(5):
        site.redirect(f"/loop{hop}", f"/loop{hop + 1}")
    crawled = boxed.crawl(site.url("/"), spider="plain").check()
    assert waiting(boxed) == 0
    assert [entry.path for entry in site.log].count("/robots.txt") == 1
    assert sorted(site.paths) == ["/", "/end?b=|&a", "/hop", "/loop0", "/loop1", "/loop2", "/loop3"]
    assert min(site.gaps()) >= 0.6 - CLOCK
    assert {(item["at"], item["by"]) for item in crawled.items} == {
        (site.url("/"), "parse"),
        (site.url("/end?b=|&a"), "parse_part"),
        (site.url("/private"), "failed"),
        (site.url("/loop3"), "failed"),
    }


@pytest.mark.slow
def test_a_callback_that_raises_and_an_item_that_fails_hang_nothing(boxed, site):
    boxed.spider(
        spider("""\
    async def start(self):
        for path in ("/raises", "/errback", "/item", "/generator", "/slow", "/none"):
            yield scrapy.Request(self.urls + path, callback=getattr(self, path[1:]), errback=self.broken)

    def raises(self, response):
        raise RuntimeError("raised in a callback")

    def errback(self, response):
        yield {"at": response.url}

    def item(self, response):
        yield {"at": response.url, "fail": True}

    def generator(self, response):
        yield {"at": response.url}
        raise RuntimeError("raised after an item")

    async def slow(self, response):
        import asyncio

        await asyncio.sleep(1.5)
        yield {"at": response.url}

    def none(self, response):
        return None

    def broken(self, failure):
        raise RuntimeError("raised in an errback")
""")
    )  # fmt: skip
    (boxed.folder / "theirs" / "failing.py").write_text(
        "class Failing:\n    def process_item(self, item):\n"
        '        if item.get("fail"):\n            raise RuntimeError("raised in a pipeline")\n        return item\n',
        encoding="utf-8",
    )
    boxed.set(ITEM_PIPELINES={"theirs.failing.Failing": 100})
    for path in ("/raises", "/item", "/generator", "/slow", "/none"):
        site.page(path)
    crawled = boxed.crawl(site.url(""), spider="own")
    assert crawled.code == 0
    assert "Spider closed (finished)" in crawled.log
    assert waiting(boxed) == 0
    assert min(site.gaps()) >= DELAY - CLOCK
    assert {"/raises", "/errback", "/item", "/generator", "/slow", "/none"} == set(site.paths)
    ends = [item["at"].rpartition("/")[2] for item in crawled.items]
    assert sorted(ends) == ["generator", "slow"]


def test_a_crawl_that_was_stopped_goes_on_with_the_callbacks_it_had(boxed, site):
    pages = [f"/{number}" for number in range(8)]
    site.page("/", *pages)
    # One of them is out when the crawl is stopped, and the others wait.
    goes_on = [site.hold(path) for path in pages]
    boxed.start(site.url("/"), spider="plain", extra=["-a", "patience=600"])
    try:
        site.until(lambda log: len(log) >= 2)
        boxed.process.terminate()
        boxed.until_logged("Received SIGTERM")
    finally:
        for event in goes_on:
            event.set()
        first = boxed.wait()
    assert first.code == 0
    assert len(site.log) < 9
    second = check(boxed, site, boxed.crawl(site.url("/"), spider="plain"))
    assert set(site.paths) == {"/", *pages}
    # What was out when the crawl was stopped may be requested once more, and nothing else.
    assert len(site.paths) <= 9 + 1
    numbers = {item["number"] for item in itertools.chain(first.items, second.items) if item["by"] == "parse_part"}
    assert numbers == set(range(8))
