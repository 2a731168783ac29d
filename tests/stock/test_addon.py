"""The add-on in a stock project: one line in its settings.py switches everything on, and its own settings win."""

import re
import sqlite3

import pytest
from harness import ROOT
from scrapy import Spider
from scrapy.crawler import Crawler
from scrapy.settings import Settings
from stock_project import refused

import mediacrawl.settings as declared
from mediacrawl.addon import leave_out_disabled
from mediacrawl.programs.demo.answers import Resource
from mediacrawl.spiders.media import MediaSpider

ADDONS = {"mediacrawl.MediaCrawl": 100}
QUICK = {"POLITENESS_FACTOR": 0.0, "POLITENESS_MIN_DELAY": 0.05, "POLITENESS_FIRST_DELAY": 0.05}
QUICK |= {"POLITENESS_ADDRESS_FACTOR": 0.0, "POLITENESS_ADDRESS_MIN_DELAY": 0.0}
ON_COMMAND_LINE = [word for name, value in QUICK.items() for word in ("-s", f"{name}={value}")]
COOKIES = """\
import logging

import scrapy

# Scrapy's cookies look for a newer public suffix list on the network, and log if there is none.
logging.getLogger("tldextract").setLevel(logging.CRITICAL)


class CookiesSpider(scrapy.Spider):
    name = "cookies"

    async def start(self):
        yield scrapy.Request(self.urls)

    def parse(self, response):
        yield {"url": response.url, "cookie": response.request.headers.get("Cookie", b"").decode()}
        for href in response.css("a::attr(href)").getall():
            yield response.follow(href)
"""


def settings_of(spider, **project):
    """The settings of a crawl in a project with the add-on, once Scrapy has applied it."""
    crawler = Crawler(spider, {"ADDONS": ADDONS, **project})
    crawler.addons.load_settings(crawler.settings)
    return crawler.settings


class TheirSpider(Spider):
    name = "theirs"


MISTAKES = {
    "media -a seed=nolist.txt": "the seed list 'nolist.txt' can not be read",
    "media -a seed=http://localhost:1/ -a scoop=site": "-a scoop= is no argument of the spider media",
    "media -a seed=http://site.example/": "http://site.example/ is somebody's server",
    "feeds -a feeds=nolist.txt": "the seed list 'nolist.txt' can not be read",
    "recheck -a items=none.jl": "items=none.jl: there is no such file",
    "media -a seed=http://localhost:1/ -s POLITENESS_FACTOR=x": "POLITENESS_FACTOR = 'x' cannot be used",
    "links -a urls=http://localhost:1/ -s POLITENESS_FACTOR=x": "POLITENESS_FACTOR = 'x' cannot be used",
    "links -a urls=http://localhost:1/ -s PRIORITY=sideways": "PRIORITY = 'sideways' cannot be used",
    "links -a urls=http://localhost:1/ -s NEVERCRAWL_FILES=none.txt": "none.txt can not be read in ",
}


@pytest.mark.parametrize("words", MISTAKES)
def test_under_scrapys_own_command_a_mistake_is_one_sentence(project, words):
    project.set(ADDONS=ADDONS)
    spider, *extra = words.split()
    crawled = project.crawl(spider=spider, extra=extra)
    assert crawled.code == 1
    assert len(re.findall(" CRITICAL: ", crawled.log)) == crawled.log.count(MISTAKES[words]) == 1, crawled.log
    assert "Traceback" not in crawled.log, crawled.log


def test_one_line_in_settings_py_crawls_and_finds_media(project, site):
    site.page("/", "/shows")
    site.page("/shows", "/kaze.mp3")
    site.at("/kaze.mp3", Resource((ROOT / "mediacrawl/programs/demo/media/kaze.mp3").read_bytes(), "audio/mpeg"))
    project.added = ""
    project.set(ADDONS=ADDONS)
    state = ["-s", f"MEDIACRAWL_DIR={project.state / 'state'}", "-s", "DOWNLOAD_DELAY=0"]
    seed = ["-a", f"seed={site.url()}"]
    crawled = project.crawl(spider="media", extra=[*seed, *state, *ON_COMMAND_LINE])
    assert crawled.code == 0, crawled.log
    assert "Traceback" not in crawled.log, crawled.log
    (item,) = crawled.items
    assert item["content_url"] == site.url("/kaze.mp3")
    assert item["artist"]
    with sqlite3.connect(project.state / "state" / "media.db") as stored:
        assert stored.execute("SELECT count(*) FROM media").fetchone() == (1,)
    assert site.paths == ["/", "/shows", "/kaze.mp3"]
    # What is decided when the spider is made is decided by the add-on's settings.
    for name in ("checks.AddressMiddleware", "answers.ListsMiddleware"):
        assert f"mediacrawl.middlewares.{name}" in crawled.log
    assert {entry.user_agent for entry in site.log} == {
        declared.USER_AGENT.replace("{contact}", declared.MEDIACRAWL_CONTACT)
    }


def test_a_spider_of_the_project_has_our_scheduler_and_robots_and_its_cookies(project, site):
    project.set(ADDONS=ADDONS, **QUICK)
    project.spider(COOKIES)
    site.at("/robots.txt", Resource(b"User-agent: *\nDisallow: /private\n", "text/plain"))
    page = b'<a href="/open">open</a> <a href="/private">private</a>'
    site.at("/", Resource(page, headers=(("Set-Cookie", "seen=yes"),)))
    site.page("/open")
    crawled = project.crawl(site.url(), spider="cookies").check()
    assert [(item["url"], item["cookie"]) for item in crawled.items] == [
        (site.url(), ""),
        (site.url("/open"), "seen=yes"),
    ]
    assert site.paths == ["/", "/open"]
    assert "'drop/robots': 1" in crawled.log


def test_what_the_project_switches_off_stays_off(project, site):
    off = {"mediacrawl.middlewares.RobotsMiddleware": None, "mediacrawl.pipelines.CataloguePipeline": None}
    project.set(ADDONS=ADDONS, DOWNLOADER_MIDDLEWARES=off, ITEM_PIPELINES=off, **QUICK)
    site.page("/")
    crawled = project.crawl(site.url()).check()
    assert len(crawled.items) == 1
    assert [entry.path for entry in site.log] == ["/"]
    assert not (project.state / "state" / "media.db").exists()


@pytest.mark.parametrize("name", ["DOWNLOADER_MIDDLEWARES", "SPIDER_MIDDLEWARES", "ITEM_PIPELINES", "EXTENSIONS"])
def test_a_spider_of_ours_gets_the_components_of_our_settings(name):
    ours = Settings({name: getattr(declared, name), "TELNETCONSOLE_ENABLED": False, "REMOTE_CONTROL_ENABLED": False})
    leave_out_disabled(ours)
    added = settings_of(MediaSpider).get_component_priority_dict_with_base(name)
    wanted = ours.get_component_priority_dict_with_base(name)
    assert components(added) == components(wanted)


def components(setting):
    from scrapy.utils.misc import load_object

    return {load_object(key): order for key, order in setting.items() if order is not None}


def test_scrapys_settings_are_those_of_ours_unless_the_project_or_the_spider_sets_them():
    class Hasty(Spider):
        name = "hasty"
        custom_settings = {"DOWNLOAD_TIMEOUT": 7}  # noqa: RUF012 - as Scrapy declares it

    settings = settings_of(Hasty, CONCURRENT_REQUESTS=3)
    assert settings["SCHEDULER"] == "mediacrawl.scheduler.PenaltyBoxScheduler"
    assert settings.getint("CONCURRENT_REQUESTS") == 3
    assert settings.getint("DOWNLOAD_TIMEOUT") == 7
    assert settings.getint("DOWNLOAD_MAXSIZE") == declared.DOWNLOAD_MAXSIZE
    assert settings["BOT_NAME"] != "mediacrawl"
    handlers = settings.getdict("DOWNLOAD_HANDLERS")
    assert (handlers["https"], handlers["file"]) == (declared.DOWNLOAD_HANDLERS["https"], None)


def test_our_spiders_are_listed_after_those_of_the_project_are_loaded():
    from mediacrawl import MediaCrawl

    settings = Settings({"SPIDER_MODULES": ["theirs.spiders"]})
    MediaCrawl.update_pre_crawler_settings(settings)
    MediaCrawl.update_pre_crawler_settings(settings)
    assert settings.getlist("SPIDER_MODULES") == ["mediacrawl.spiders", "mediacrawl.programs.recheck", "theirs.spiders"]
    assert settings["TWISTED_DNS_RESOLVER"] == declared.TWISTED_DNS_RESOLVER


@pytest.mark.parametrize("addon", ["mediacrawl.MediaCrawl", "mediacrawl.addon.OtherSpiders"])
@pytest.mark.parametrize("spider", [MediaSpider, TheirSpider])
@pytest.mark.parametrize(
    ("switch", "extension"),
    [
        ("TELNETCONSOLE_ENABLED", "scrapy.extensions.telnet.TelnetConsole"),
        ("REMOTE_CONTROL_ENABLED", "scrapy.extensions.remote_control.RemoteControl"),
    ],
)
def test_an_extension_that_opens_a_port_is_imported_only_if_it_is_enabled(spider, addon, switch, extension):
    off = settings_of(spider, ADDONS={addon: 0}, **{switch: False})
    assert extension not in off.getdict("EXTENSIONS_BASE")
    assert "scrapy.extensions.corestats.CoreStats" in off.getdict("EXTENSIONS_BASE")
    on = settings_of(spider, ADDONS={addon: 0}, **{switch: True})
    assert extension in on.getdict("EXTENSIONS_BASE")


# -- a site that does not answer ---------------------------------------------------------------------------------

DEAD = {"GUARD_ALLOW": ["127.0.0.0/8"], "MEDIACRAWL_CONTACT": "http://localhost/tests", "RETRY_TIMES": 1}


def failures(crawled):
    return sorted(re.findall(r"FAILED (\S+) (\w+)", crawled.log))


@pytest.mark.parametrize(("more", "robots"), [({"RETRY_ENABLED": False}, True), ({"RETRY_TIMES": 3}, False)])
def test_the_errback_is_called_once_after_as_many_requests_as_the_settings_say(project, more, robots):
    settings = {**DEAD, "ROBOTS_ENABLED": robots, **more}
    project.set(ADDONS=ADDONS, **QUICK, **settings)
    with refused() as port:
        crawled = project.crawl(f"http://127.0.0.1:{port}/").check()
    assert failures(crawled) == [(f"http://127.0.0.1:{port}/", "DownloadConnectionRefusedError")]
    assert f"'downloader/exception_count': {1 + more.get('RETRY_TIMES', 0)}," in crawled.log


@pytest.mark.parametrize("status", [503, 418])
def test_a_robots_txt_that_fails_is_tried_as_often_as_retry_times_says(project, site, status):
    project.set(ADDONS=ADDONS, **QUICK, **DEAD)
    site.status("/robots.txt", status)
    site.page("/")
    crawled = project.crawl(site.url()).check()
    robots = [entry.path for entry in site.log].count("/robots.txt")
    # 4xx allows everything (RFC 9309).
    assert (robots, failures(crawled)) == ((1, []) if status == 418 else (2, [(site.url(), "RefusedRequest")]))
    assert len(crawled.items) == (status == 418)


# -- the same as alone -------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("address", "least"),
    [((0.0, 1.0), "at least 1 and"), ((0.0, 0.1), "at least 0.2 and")],
)
def test_the_start_line_says_the_delay_that_applies_of_all_clocks(project, site, address, least):
    site.page("/")
    factor, minimum = address
    own = {"POLITENESS_FACTOR": 0.0, "POLITENESS_MIN_DELAY": 0.2, "POLITENESS_FIRST_DELAY": 0.2, "DOWNLOAD_DELAY": 0}
    project.set(ADDONS=ADDONS, POLITENESS_ADDRESS_FACTOR=factor, POLITENESS_ADDRESS_MIN_DELAY=minimum, **own)
    crawled = project.crawl(site.url()).check()
    (line,) = [line for line in crawled.log.splitlines() if "A site is left alone" in line]
    assert least in line
    # The middleware of these clocks is off.
    project.set(DOWNLOADER_MIDDLEWARES={"mediacrawl.middlewares.AddressMiddleware": None})
    (line,) = [line for line in project.crawl(site.url()).check().log.splitlines() if "A site is left alone" in line]
    assert "at least 0.2 and" in line
