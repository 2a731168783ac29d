"""Scrapy's own commands, and other people's spiders, in this project: as in any Scrapy project."""

import pytest
from command_line import SCRAPY, run
from harness import ROOT

from mediacrawl.programs.demo.answers import Resource

PAGE = b"<html><body><a href='/a'>a</a> <a href='http://localhost:9/'>elsewhere</a></body></html>"
SETTINGS = """\
from mediacrawl.settings import *

SPIDER_MODULES = ["mediacrawl.spiders", "added"]
POLITENESS_MIN_DELAY = POLITENESS_FIRST_DELAY = 0.05
POLITENESS_FACTOR = 0.0
POLITENESS_ADDRESS_MIN_DELAY = POLITENESS_ADDRESS_FACTOR = 0.0
"""
SPIDER = '''\
import scrapy


class AddedSpider(scrapy.Spider):
    name = "added"
    allowed_domains = ["127.0.0.1"]

    async def start(self):
        yield scrapy.Request(self.first)

    def parse(self, response):
        """As a user writes it.

        @url {url}
        @returns items 1 1
        @returns requests 2 2
        """
        yield {{"at": response.url, "depth": response.meta.get("depth", 0)}}
        for href in response.css("a::attr(href)").getall():
            yield response.follow(href, callback=self.parse)
'''


@pytest.fixture
def web(site):
    site.at("/robots.txt", Resource(b"User-agent: *\nDisallow: /private\n", "text/plain"))
    site.at("/", Resource(PAGE))
    site.redirect("/hop", "/")
    return site


@pytest.fixture
def added(tmp_path, web):
    """A project of ours with one spider more."""
    (tmp_path / "own_settings.py").write_text(SETTINGS, encoding="utf-8")
    (tmp_path / "added").mkdir()
    (tmp_path / "added" / "__init__.py").write_text(SPIDER.format(url=web.url("/")), encoding="utf-8")

    def command(*words):
        return run(tmp_path, *SCRAPY, *words, SCRAPY_SETTINGS_MODULE="own_settings")

    return command


@pytest.fixture
def scrapy(tmp_path):
    """``scrapy`` in the checkout."""

    def command(*words):
        return run(ROOT, *SCRAPY, *words, "-s", f"MEDIACRAWL_DIR={tmp_path / 'state'}")

    return command


@pytest.mark.slow
def test_fetch_prints_the_page_as_often_as_it_is_asked(scrapy, web, tmp_path):
    for _ in range(2):
        assert scrapy("fetch", web.url("/")).check().out.encode().strip() == PAGE
    assert scrapy("fetch", "--nolog", web.url("/hop")).check().out.encode().strip() == PAGE
    headers = scrapy("fetch", "--no-redirect", "--headers", web.url("/hop")).check().out
    assert "< Location: /" in headers
    agents = {entry.headers.get("user-agent") for entry in web.log}
    assert agents == {"mediacrawl/0.2.0 (+https://example.invalid/set-MEDIACRAWL_CONTACT)"}
    # Each request is in the log, and nothing else is kept.
    assert {path.name for path in (tmp_path / "state").iterdir()} == {"log"}


def test_fetch_asks_for_nothing_that_robots_txt_forbids_or_that_has_nobody_to_complain_to(scrapy, web):
    assert scrapy("fetch", web.url("/private")).check().out == ""
    assert [entry.path for entry in web.log] == ["/robots.txt"]
    for command in ("fetch", "shell", "parse", "view"):
        assert "set MEDIACRAWL_CONTACT" in scrapy(command, "http://www.example.com/").sentence


def test_a_file_of_this_machine_can_be_fetched(scrapy, tmp_path):
    page = tmp_path / "page.html"
    page.write_bytes(PAGE)
    assert scrapy("fetch", page.as_uri()).check().out.encode().strip() == PAGE
    assert scrapy("shell", "-c", "response.status", str(page)).check().out.strip() == "200"


def test_the_shell_has_the_answer_and_can_fetch_more(scrapy, web):
    asked = f"(response.status, fetch({web.url('/')!r}), response.css('a').getall()[0])"
    out = scrapy("shell", "-c", asked, web.url("/hop")).check().out
    assert out.strip().splitlines()[-1] == """(200, None, '<a href="/a">a</a>')"""
    assert scrapy("shell", "-c", "1 + 1").check().out.strip() == "2"


def test_parse_shows_what_the_media_spider_makes_of_a_page_and_of_a_file(scrapy, web, tmp_path):
    web.at("/kaze.mp3", Resource((ROOT / "mediacrawl/programs/demo/media/kaze.mp3").read_bytes(), "audio/mpeg"))
    web.at("/", Resource(b"<html><body><a href='/kaze.mp3'>song</a> <a href='/private'>no</a></body></html>"))
    parse = ("parse", "--spider", "media", "--nocolour")
    for path in ("/", "/hop"):
        out = scrapy(*parse, web.url(path)).check().out
        assert "# Scraped Items  ------------------------------------------------------------\n[]\n" in out
        assert f"[<GET {web.url('/kaze.mp3')}>, <GET {web.url('/private')}>]" in out
    assert web.paths == ["/", "/hop", "/"]
    out = scrapy(*parse, web.url("/kaze.mp3")).check().out
    assert f"'content_url': '{web.url('/kaze.mp3')}'" in out
    assert "'probe_status': 'complete'" in out
    # Deeper, robots.txt holds for what was found.
    out = scrapy(*parse, "-d", "2", "-s", "POLITENESS_MIN_DELAY=0.05", web.url("/")).check().out
    assert f"'content_url': '{web.url('/kaze.mp3')}'" in out
    assert "/private" not in web.paths
    assert {path.name for path in (tmp_path / "state").iterdir()} == {"log"}
    assert "use --spider media" in scrapy("parse", "--spider", "recheck", web.url("/")).sentence


def test_parse_and_check_of_a_spider_that_was_added(added, web):
    out = added("parse", "--spider", "added", "--nocolour", web.url("/")).check().out
    assert f"[{{'at': '{web.url('/')}', 'depth': 0}}]" in out
    assert f"<GET {web.url('/a')}>" in out
    done = added("check", "added").check()
    assert "Ran 2 contracts" in done.err
    assert "OK" in done.err
