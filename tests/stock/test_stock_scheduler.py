"""PenaltyBoxScheduler alone, under spiders that know nothing of it.

Scrapy works, no site is requested early, and the same is asked, and answered, as with Scrapy's own scheduler.
"""

import sqlite3
import time
from collections import Counter

import pytest
from stock_project import CLOCK
from stock_project import SPIDER as LINKS

from mediacrawl.base.format import plural
from mediacrawl.crawl.own_settings import spider_folder
from mediacrawl.frontier.sqlite.reader import FrontierReader
from mediacrawl.programs.demo.answers import Resource

DELAY = 0.25
SCHEDULERS = {"scrapy": "scrapy.core.scheduler.Scheduler", "ours": "mediacrawl.scheduler.PenaltyBoxScheduler"}
QUICK = {"POLITENESS_FACTOR": 0.0, "POLITENESS_MIN_DELAY": 0.02, "POLITENESS_FIRST_DELAY": 0.02}
QUICK |= {"POLITENESS_ADDRESS_FACTOR": 0.0, "POLITENESS_ADDRESS_MIN_DELAY": 0.0}

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
    """The project with our scheduler, whose delay can be measured."""
    project.spider(SPIDER)
    project.set(SCHEDULER=SCHEDULERS["ours"], JOBDIR=str(project.state / "state"), **QUICK)
    project.set(POLITENESS_FACTOR=1.0, POLITENESS_MIN_DELAY=DELAY, POLITENESS_FIRST_DELAY=DELAY)
    return project


@pytest.fixture
def quick(project):
    project.set(SCHEDULER=SCHEDULERS["ours"], **QUICK)
    return project


def spider(body, name="own"):
    """A spider of a user with this body."""
    title = name.capitalize()
    return f'import scrapy\n\n\nclass {title}Spider(scrapy.Spider):\n    name = "{name}"\n\n{body}'


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


STORY = """\
    visits = 0

    async def start(self):
        for body in ("one", "three", "three"):
            yield scrapy.Request(self.urls + "/form", self.form, method="POST", body=body)
        yield scrapy.FormRequest(self.urls + "/form", self.form, formdata={"name": "Größe"})
        yield scrapy.http.JsonRequest(self.urls + "/form", self.form, data={"a": [1]})
        for _ in range(2):
            yield scrapy.Request(self.urls + "/again", self.again, dont_filter=True)
        yield scrapy.Request(self.urls + "/a", self.landed, cb_kwargs={"name": "x"})

    def form(self, response):
        yield {"body": response.request.body.decode(), "type": type(response.request).__name__}

    def again(self, response):
        self.visits += 1
        if self.visits < 3:
            yield scrapy.Request(response.url, self.again, dont_filter=True)

    def landed(self, response, name):
        yield {"at": response.url, "name": name, "urls": response.meta["redirect_urls"]}
        yield response.follow("/b")

    def parse(self, response):
        yield {"at": response.url, "urls": response.meta["redirect_urls"]}
"""


def test_bodies_repeats_and_redirects_are_told_apart_and_start_requests_are_asked_once(boxed, site):
    boxed.spider(spider(STORY))
    site.status("/form", 200)
    for path in ("/again", "/a3", "/b2"):
        site.page(path)
    site.redirect("/a", "/a2")
    site.redirect("/a2", "/a3")
    site.redirect("/b", site.url("/b2", "localhost"))
    crawled = boxed.crawl(site.url(""), spider="own").check()
    assert waiting(boxed) == 0
    assert min(site.gaps("127.0.0.1")) >= DELAY - CLOCK
    assert Counter(site.paths) == {"/form": 4, "/again": 3, **dict.fromkeys(("/a", "/a2", "/a3", "/b", "/b2"), 1)}
    assert {(item["body"], item["type"]) for item in crawled.items if "body" in item} == {
        ("one", "Request"), ("three", "Request"),
        ("name=Gr%C3%B6%C3%9Fe", "FormRequest"), ('{"a": [1]}', "JsonRequest"),
    }  # fmt: skip
    assert [item for item in crawled.items if "at" in item] == [
        {"at": site.url("/a3"), "name": "x", "urls": [site.url("/a"), site.url("/a2")]},
        {"at": site.url("/b2", "localhost"), "urls": [site.url("/b")]},
    ]
    boxed.crawl(site.url(""), spider="own").check()
    assert len(site.paths) == 12


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


# -- as with Scrapy's own scheduler ------------------------------------------------------------------------------


def asked(site):
    """What the server was asked, without order: method and path."""
    return sorted((entry.method, entry.path) for entry in site.log)


@pytest.fixture(params=SCHEDULERS.values(), ids=SCHEDULERS)
def either(request, project):
    """The project with Scrapy's scheduler, and with ours."""
    project.set(SCHEDULER=request.param, **QUICK)
    return project


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
def test_what_waits_in_memory_is_told_once_and_counted_and_failures_and_redirects_keep_its_arguments(quick, site):
    quick.spider(OBJECTS)
    quick.set(
        JOBDIR=str(quick.state / "job"),
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
    crawled = quick.crawl(site.url("/"), spider="own").check()
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
def test_requests_whose_process_has_ended_are_dropped_by_name_and_asked_if_the_spider_yields_them_anew(quick, site):
    quick.spider(GATED)
    quick.set(JOBDIR=str(quick.state / "job"))
    paths = ("/1", "/2", "/3", "/plain", "/late")
    site.page("/")
    goes_on = [site.hold(path) for path in paths]
    gate = quick.state / "gate"
    quick.start(site.url("/"), spider="own", extra=["-a", f"gate={gate}"])
    try:
        site.until(lambda log: len(log) >= 2)
        gate.touch()
        quick.until_logged("All is yielded")
        quick.process.terminate()
        quick.until_logged("Received SIGTERM")
    finally:
        for event in goes_on:
            event.set()
        first = quick.wait()
    assert first.code == 0
    lost = {"/1", "/2", "/3", "/late"}.difference(site.paths)
    assert f"{plural(len(lost), 'request')} that waited in memory only" in first.log
    second = quick.crawl(site.url("/"), spider="own").check()
    # The late one may be met before the spider yields it again.
    dropped = second.log.count("is not asked: the process that held its request in memory has ended")
    assert dropped in {len(lost) - 1, len(lost)}
    assert f"'drop/lost_request': {dropped}" in second.log
    told = {item["at"]: item["value"] for item in second.items}
    assert told["late"] == "late"
    assert set(told) == {path[1:] for path in ("/late", "/plain") if path not in site.paths[:2]}
    third = quick.crawl(site.url("/"), spider="own").check()
    assert third.items == []
    assert sorted(site.paths) == sorted({"/", "/plain", "/late", site.paths[1]})


def test_in_redis_where_another_worker_might_get_it_such_a_request_is_dropped_by_name(quick, site, redis_server):
    quick.spider(OBJECTS)
    quick.set(SCHEDULER_STORE="redis", REDIS_URL=redis_server, REDIS_FRONTIER_KEY="dropped:%(spider)s")
    for path in ("/", "/plain"):
        site.status(path, 200)
    crawled = quick.crawl(site.url("/"), spider="own").check()
    assert crawled.items == [{"at": "plain", "value": "dict {'1': [None, 1.5, 'ü']}"}]
    assert sorted(site.paths) == ["/", "/plain"]
    assert crawled.log.count("so no other worker could ask it") == 1
    assert "'drop/lost_request': 7" in crawled.log
    assert "'frontier/unstorable': 7" in crawled.log


# -- state and delays --------------------------------------------------------------------------------------------

LISTING = """\
import scrapy


class {title}Spider(scrapy.Spider):
    name = "{name}"

    async def start(self):
        yield scrapy.Request(self.urls, callback=self.{name}_list)

    def {name}_list(self, response):
        for href in response.css("a::attr(href)").getall():
            yield response.follow(href, callback=self.{name}_item)

    def {name}_item(self, response):
        yield {{"by": self.name, "at": response.url}}
"""


@pytest.fixture
def listing(quick):
    for name in ("one", "two"):
        quick.spider(LISTING.format(name=name, title=name.title()))
    return quick


def test_a_second_run_of_a_spider_without_jobdir_begins_anew(listing, site):
    site.page("/", "/a", "/b")
    site.page("/a")
    site.page("/b")
    first = listing.crawl(site.url("/"), spider="one").check()
    second = listing.crawl(site.url("/"), spider="one").check()
    assert len(second.items) == 2
    assert sorted(second.items, key=str) == sorted(first.items, key=str)
    assert sorted(site.paths) == ["/", "/", "/a", "/a", "/b", "/b"]
    # Nothing but the items and the log of the crawl, which the test named itself.
    assert sorted(path.name for path in listing.state.rglob("*")) == ["crawl.log", "items.jl"]


@pytest.mark.slow
def test_spiders_with_one_jobdir_have_frontiers_of_their_own_and_each_goes_on_with_its_own(listing, site):
    listing.set(JOBDIR=str(listing.state / "job"))
    pages = [f"/{number}" for number in range(4)]
    site.page("/one", *pages)
    site.page("/two", "/0", "/other")
    site.page("/other")
    goes_on = [site.hold(path) for path in pages]
    listing.start(site.url("/one"), spider="one")
    try:
        site.until(lambda log: len(log) >= 2)
        listing.process.terminate()
        listing.until_logged("Received SIGTERM")
    finally:
        for event in goes_on:
            event.set()
        first = listing.wait()
    assert first.code == 0
    begun = list(site.paths)
    other = listing.crawl(site.url("/two"), spider="two").check()
    assert sorted(item["at"] for item in other.items) == [site.url("/0"), site.url("/other")]
    assert {item["by"] for item in other.items} == {"two"}
    assert "can be made" not in other.log
    second = listing.crawl(site.url("/one"), spider="one").check()
    assert {item["by"] for item in second.items} == {"one"}
    assert {item["at"] for item in [*first.items, *second.items]} == {site.url(path) for path in pages}
    # What was out when the crawl was stopped may be requested once more, and nothing else.
    assert len(second.items) <= len(pages) - len(begun) + 2
    folders = {path.parent.relative_to(listing.state) for path in listing.state.rglob("frontier.db")}
    assert {str(path) for path in folders} == {"job/spiders/one", "job/spiders/two"}


@pytest.mark.parametrize("name", ["../up", "..", "a/b", "log"])
def test_a_spiders_name_leads_to_no_other_folder(tmp_path, name):
    folder = spider_folder(tmp_path, name)
    assert folder.resolve().parent == tmp_path / "spiders"


@pytest.fixture
def learning(project):
    project.set(SCHEDULER=SCHEDULERS["ours"], JOBDIR=str(project.state / "job"))
    project.set(POLITENESS_FACTOR=2.0, POLITENESS_MIN_DELAY=0.05, POLITENESS_FIRST_DELAY=0.3)
    return project


def known(project, spider="links"):
    """The one site, as the frontier knows it after the crawl."""
    with FrontierReader(project.state / "job" / "spiders" / spider / "frontier.db") as reader:
        return reader.site("127.0.0.1", time.time())


@pytest.mark.slow
def test_the_delay_follows_the_times_of_the_answers(learning, site):
    pages = [f"/{number}" for number in range(6)]
    site.page("/", *pages)
    for path in pages:
        site.page(path, delay=0.1)
    crawled = learning.crawl(site.url("/")).check()
    told = known(learning)
    assert len(told.samples) == 5
    assert min(told.samples) >= 0.1 - CLOCK
    assert told.delay == pytest.approx(2.0 * sum(told.samples) / 5)
    assert min(site.gaps()) >= 0.2 - CLOCK
    said = (
        "for 2 times its mean response time, at least 0.05 and at most 1800 s; until 5 times are known, at least 0.3 s"
    )
    assert said in crawled.log


@pytest.mark.slow
def test_the_delay_of_the_user_is_never_undercut_and_the_log_says_so(learning, site):
    site.page("/", *(f"/{number}" for number in range(6)))
    for number in range(6):
        site.page(f"/{number}")
    learning.spider(
        LINKS.replace("LinksSpider", "SlowSpider").replace(
            'name = "links"', 'name = "slow"\n    custom_settings = {"DOWNLOAD_DELAY": 0.7}'
        )
    )
    crawled = learning.crawl(site.url("/"), spider="slow").check()
    assert min(site.gaps()) >= 0.7 - CLOCK
    assert known(learning, "slow").delay == 0.7
    assert "; never less than DOWNLOAD_DELAY, 0.7 s" in crawled.log
