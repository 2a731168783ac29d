"""Requests of spiders that know nothing of our scheduler: the same are asked, and answered, as with Scrapy's own."""

import pytest

from mediacrawl.demo import Resource
from mediacrawl.observe.format import plural

SCHEDULERS = {"scrapy": "scrapy.core.scheduler.Scheduler", "ours": "mediacrawl.scheduler.PenaltyBoxScheduler"}
QUICK = {"POLITENESS_FACTOR": 0.0, "POLITENESS_MIN_DELAY": 0.02, "POLITENESS_FIRST_DELAY": 0.02}
QUICK |= {"POLITENESS_ADDRESS_FACTOR": 0.0, "POLITENESS_ADDRESS_MIN_DELAY": 0.0}


def spider(body, name="own"):
    """A spider of a user with this body."""
    title = name.capitalize()
    return f'import scrapy\n\n\nclass {title}Spider(scrapy.Spider):\n    name = "{name}"\n\n{body}'


def asked(site):
    """What the server was asked, without order: method and path."""
    return sorted((entry.method, entry.path) for entry in site.log)


@pytest.fixture(params=SCHEDULERS.values(), ids=SCHEDULERS)
def either(request, project):
    """The project with Scrapy's scheduler, and with ours."""
    project.set(SCHEDULER=request.param, **QUICK)
    return project


@pytest.fixture
def boxed(project):
    """The project with our scheduler."""
    project.set(SCHEDULER=SCHEDULERS["ours"], **QUICK)
    return project


# -- copied meta -------------------------------------------------------------------------------------------------

COPIES = spider("""\
    async def start(self):
        yield scrapy.Request(self.urls)

    def parse(self, response):
        yield scrapy.FormRequest(response.url, formdata={"q": "1"}, meta=response.meta, callback=self.page)
        yield response.follow("/follow", meta=response.meta, callback=self.page)
        yield response.follow("/dict", meta=dict(response.meta, own=1), callback=self.page)
        yield response.request.replace(url=response.urljoin("/replace"), callback=self.page)
        again = response.request.copy()
        again.callback = self.page
        yield again
        yield again.replace(dont_filter=True)
        yield response.follow("/gone", meta=response.meta, callback=self.page, errback=self.failed)

    def page(self, response):
        body = response.request.body.decode()
        yield {"at": response.url, "body": body, "own": response.meta.get("own")}

    def failed(self, failure):
        request = failure.request
        yield {"at": request.url, "failed": True}
        if not request.meta.get("again"):
            meta = dict(request.meta, again=True)
            yield request.replace(dont_filter=True, meta=meta)
            yield request.replace(url=request.url + "?other", meta=meta)
            yield request.copy()
""")


@pytest.mark.slow
def test_requests_with_the_meta_of_a_response_are_new_requests(either, site):
    either.spider(COPIES)
    for path in ("/", "/follow", "/dict", "/replace"):
        site.status(path, 200)
    crawled = either.crawl(site.url("/"), spider="own").check()
    gone = [("GET", "/gone")] * 2 + [("GET", "/gone?other")]
    pages = [("GET", path) for path in ("/", "/", "/dict", "/follow", "/replace")]
    assert asked(site) == [*pages[:3], pages[3], *gone, pages[4], ("POST", "/")]
    parsed = sorted((item["at"], item["body"], item["own"]) for item in crawled.items if "body" in item)
    assert parsed == sorted(
        [
            (site.url("/"), "q=1", None),
            (site.url("/"), "", None),
            (site.url("/dict"), "", 1),
            (site.url("/follow"), "", None),
            (site.url("/replace"), "", None),
        ]
    )
    assert len([item for item in crawled.items if item.get("failed")]) == 3


RULES = """\
import scrapy
from scrapy.linkextractors import LinkExtractor
from scrapy.spiders import CrawlSpider, Rule, SitemapSpider


class OwnSpider(CrawlSpider):
    name = "own"
    rules = (
        Rule(LinkExtractor(allow="/list"), follow=True),
        Rule(LinkExtractor(allow="/page"), callback="page", cb_kwargs={"kind": "page"}),
    )

    async def start(self):
        yield scrapy.Request(self.urls)

    def parse_start_url(self, response):
        yield {"at": response.url, "kind": "start"}

    def page(self, response, kind):
        yield {"at": response.url, "kind": kind, "text": response.meta["link_text"]}


class MapSpider(SitemapSpider):
    name = "map"

    def __init__(self, urls=""):
        super().__init__()
        self.sitemap_urls = [urls]

    def parse(self, response):
        yield {"at": response.url}
"""
SITEMAP = '<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9"><url><loc>{}</loc></url></urlset>'


@pytest.mark.slow
@pytest.mark.parametrize("jobdir", [False, True], ids=["memory", "jobdir"])
def test_scrapys_spiders_of_rules_and_of_sitemaps_find_what_they_find_with_scrapys_scheduler(either, site, jobdir):
    either.spider(RULES)
    if jobdir:
        either.set(JOBDIR=str(either.state / "job"))
    site.page("/", "/list", "/page1", "/page2")
    site.page("/list", "/page2", "/page3", "/other")
    for path in ("/page1", "/page2", "/page3"):
        site.page(path, "/")
    site.at("/sitemap.xml", Resource(SITEMAP.format(site.url("/page1")).encode(), "application/xml"))
    crawled = either.crawl(site.url("/"), spider="own").check()
    assert sorted(site.paths) == ["/", "/list", "/page1", "/page2", "/page3"]
    pages = [{"at": site.url(f"/page{n}"), "kind": "page", "text": f"/page{n}"} for n in (1, 2, 3)]
    assert sorted(crawled.items, key=str) == [{"at": site.url("/"), "kind": "start"}, *pages]
    # Scrapy's spiders would share what they have seen in one JOBDIR.
    extra = ["-s", f"JOBDIR={either.state / 'other'}"] if jobdir else []
    crawled = either.crawl(site.url("/sitemap.xml"), spider="map", extra=extra).check()
    assert crawled.items == [{"at": site.url("/page1")}]


def test_what_a_callback_downloads_by_itself_with_its_meta_is_no_visit(either, site):
    either.spider(
        spider("""\
    async def start(self):
        yield scrapy.Request(self.urls)

    async def parse(self, response):
        other = scrapy.Request(response.urljoin("/other"), meta=response.meta)
        answer = await self.crawler.engine.download_async(other)
        yield {"at": answer.url, "status": answer.status}
        yield response.follow("/next", self.last, meta=response.meta)

    def last(self, response):
        yield {"at": response.url, "status": response.status}
""")
    )
    site.page("/")
    site.page("/next")
    site.status("/other", 418)
    crawled = either.crawl(site.url("/"), spider="own").check()
    assert site.paths == ["/", "/other", "/next"]
    assert crawled.items == [{"at": site.url("/other"), "status": 418}, {"at": site.url("/next"), "status": 200}]


# -- what JSON does not carry ------------------------------------------------------------------------------------

OBJECTS = spider("""\
    async def start(self):
        yield scrapy.Request(self.urls)

    def parse(self, response):
        item = Found(title="one")
        follow = response.follow
        yield follow("/item", self.told, cb_kwargs={"value": item})
        yield follow("/whole", self.told, cb_kwargs={"value": {1: 2}})
        yield follow("/tuple", self.told, cb_kwargs={"value": {"deep": [(1, 2)]}})
        yield follow("/bytes", self.told, meta={"value": b"raw"})
        yield follow("/plain", self.told, cb_kwargs={"value": {"1": [None, 1.5, "ü"]}})
        yield follow("/lambda", lambda answer: self.told(answer, "lambda"))
        yield follow("/hop", lambda answer: self.told(answer, "hop"))
        yield follow("/gone", self.told, errback=lambda failure: self.told(failure.value.response, "errback"))

    def told(self, response, value=None):
        value = value or response.meta["value"]
        yield {"at": response.url.rpartition("/")[2], "value": f"{type(value).__name__} {value!r}"}
""").replace("class Own", "class Found(scrapy.Item):\n    title = scrapy.Field()\n\n\nclass Own")


@pytest.mark.slow
def test_what_waits_in_memory_is_told_once_and_counted_and_failures_and_redirects_keep_its_arguments(boxed, site):
    boxed.spider(OBJECTS)
    boxed.set(
        JOBDIR=str(boxed.state / "job"),
        DOWNLOADER_MIDDLEWARES={
            "mediacrawl.middlewares.RedirectCapMiddleware": 605,
            "scrapy.downloadermiddlewares.redirect.RedirectMiddleware": None,
        },
    )
    for path in ("/", "/whole", "/tuple", "/bytes", "/plain", "/lambda", "/end"):
        site.status(path, 200)
    site.at("/item", Resource(b"", status=503), Resource(b"", status=503), Resource(b"<p>at last"))
    site.redirect("/hop", "/hop2")
    site.redirect("/hop2", "/end")
    crawled = boxed.crawl(site.url("/"), spider="own").check()
    told = {item["at"]: item["value"] for item in crawled.items}
    assert (told["item"], told["end"]) == ("Found {'title': 'one'}", "str 'hop'")
    assert len(told) == len(crawled.items) == 8
    assert crawled.log.count("cannot be stored in the frontier") == 1
    assert "'frontier/unstorable': 7" in crawled.log
    assert "lost with this process" not in crawled.log


GATED = spider("""\
    gate = ""

    async def start(self):
        import asyncio
        from pathlib import Path

        yield scrapy.Request(self.urls)
        while self.gate and not Path(self.gate).exists():
            await asyncio.sleep(0.02)
        yield scrapy.Request(self.urls + "late", lambda response: self.told(response, "late"))
        self.logger.info("All is yielded")

    def parse(self, response):
        for number in (1, 2, 3):
            yield response.follow(f"/{number}", lambda answer, number=number: self.told(answer, number))
        yield response.follow("/plain", self.told, cb_kwargs={"value": "plain"})

    def told(self, response, value):
        yield {"at": response.url.rpartition("/")[2], "value": value}
""")


@pytest.mark.slow
def test_requests_whose_process_has_ended_are_dropped_by_name_and_asked_if_the_spider_yields_them_anew(boxed, site):
    boxed.spider(GATED)
    boxed.set(JOBDIR=str(boxed.state / "job"))
    paths = ("/1", "/2", "/3", "/plain", "/late")
    site.page("/")
    goes_on = [site.hold(path) for path in paths]
    gate = boxed.state / "gate"
    boxed.start(site.url("/"), spider="own", extra=["-a", f"gate={gate}"])
    try:
        site.until(lambda log: len(log) >= 2)
        gate.touch()
        boxed.until_logged("All is yielded")
        boxed.process.terminate()
        boxed.until_logged("Received SIGTERM")
    finally:
        for event in goes_on:
            event.set()
        first = boxed.wait()
    assert first.code == 0
    lost = {"/1", "/2", "/3", "/late"}.difference(site.paths)
    assert f"{plural(len(lost), 'request')} that waited in memory only" in first.log
    second = boxed.crawl(site.url("/"), spider="own").check()
    # The late one may be met before the spider yields it again.
    dropped = second.log.count("is not asked: the process that held its request in memory has ended")
    assert dropped in {len(lost) - 1, len(lost)}
    assert f"'drop/lost_request': {dropped}" in second.log
    told = {item["at"]: item["value"] for item in second.items}
    assert told["late"] == "late"
    assert set(told) == {path[1:] for path in ("/late", "/plain") if path not in site.paths[:2]}
    third = boxed.crawl(site.url("/"), spider="own").check()
    assert third.items == []
    assert sorted(site.paths) == sorted({"/", "/plain", "/late", site.paths[1]})


def test_in_redis_where_another_worker_might_get_it_such_a_request_is_dropped_by_name(boxed, site, redis_server):
    boxed.spider(OBJECTS)
    boxed.set(SCHEDULER_STORE="redis", REDIS_URL=redis_server, REDIS_FRONTIER_KEY="dropped:%(spider)s")
    for path in ("/", "/plain"):
        site.status(path, 200)
    crawled = boxed.crawl(site.url("/"), spider="own").check()
    assert crawled.items == [{"at": "plain", "value": "dict {'1': [None, 1.5, 'ü']}"}]
    assert sorted(site.paths) == ["/", "/plain"]
    assert crawled.log.count("so no other worker could ask it") == 1
    assert "'drop/lost_request': 7" in crawled.log
    assert "'frontier/unstorable': 7" in crawled.log
