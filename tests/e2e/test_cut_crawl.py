"""Answers that break off in transit: what came is read, the rest is requested, and nothing is counted twice."""

import gzip
import json
from collections import Counter

import pytest
from crawling import Crawl
from judging import Verdict, stat
from lists_web import ListsWeb

from mediacrawl.observe import read

ATTEMPTS = 3
FILLING = "<p>" + "Words between the halves of a page, each in its place. " * 40 + "</p>"
PLAYED = "http://never.example/e/1"
PLAYER = f'<script type="application/ld+json">{{"@type":"VideoObject","name":"A song","embedUrl":"{PLAYED}"}}</script>'
EPISODE = (
    '<item><title>{n}</title><guid>{n}</guid><enclosure url="{{base}}/{n}.mp3" length="1" type="audio/mpeg"/></item>'
)
FEED = (
    "<rss version='2.0'><channel><title>Show</title>"
    + EPISODE.format(n="first")
    + f"<description>{FILLING * 3}</description>"
    + EPISODE.format(n="last")
    + "</channel></rss>"
)
PLAYLIST = "#EXTM3U\n/first.mp3\n" + "# nothing but a comment\n" * 100 + "/last.mp3\n"
SITEMAP = (
    "<urlset><url><loc>{base}/first</loc></url>"
    + "<!-- nothing -->" * 200
    + "<url><loc>{base}/last</loc></url></urlset>"
)
ONCE, ALWAYS = 1, 10**6


class CutWeb(ListsWeb):
    """Some answers break off in their middle, so many times.

    Attributes:
        cuts: (host, path) -> how often its answer breaks off yet.
    """

    def __init__(self):
        super().__init__()
        self.cuts = Counter()

    async def _answer(self, exchange):
        at = exchange.request.host.removesuffix(".example"), exchange.request.target
        if not self.cuts[at]:
            await super()._answer(exchange)
            return
        self.cuts[at] -= 1
        found = self.resources[at]
        body = found.body if found.headers else found.body[: len(found.body) // 2]
        if at[0] == "nothing":
            body = b""
        lines = [("Content-Type", found.content_type), ("Content-Length", str(2 * len(found.body))), *found.headers]
        head = "".join(f"{name}: {value}\r\n" for name, value in lines)
        await exchange.raw(f"HTTP/1.1 200 OK\r\n{head}\r\n".encode() + body)


def page(host, first="<a href='/first'>1</a>", last="<a href='/last'>2</a>"):
    own = f"<title>{host}</title><h1>What stands at {host} stands nowhere else: {hash(host)}</h1>"
    return f"<html><head>{own}</head><body>{first}{FILLING}{last}</body></html>"


def build(web):
    put = web.put
    put("once", "/", page("once", f"{PLAYER}<a href='/first'>1</a>"))
    put("always", "/", page("always"))
    put("feed", "/", FEED, "application/rss+xml")
    put("playlist", "/", PLAYLIST, "audio/x-mpegurl")
    put("sitemap", "/", SITEMAP, "application/xml")
    put("nothing", "/", page("nothing"), "application/octet-stream")
    for host in ("once", "always", "sitemap", "nothing"):
        for path in ("/first", "/last"):
            put(host, path, f"<title>{path} of {host}</title><p>Here is {path} of {host}, and no link.</p>")
    for host in ("feed", "playlist"):
        for path in ("/first.mp3", "/last.mp3"):
            web.song(host, path)
    for host in ("once", "feed", "playlist", "sitemap", "nothing"):
        web.cuts[host, "/"] = ONCE
    web.cuts["always", "/"] = ALWAYS
    put("long", "/", page("long") + FILLING * 200)
    packed = gzip.compress(page("packed").encode() + bytes(range(256)) * 40)
    # Its length is true, and it has no end.
    coding = ("Content-Encoding", "gzip")
    put("packed", "/", packed[: len(packed) // 2], headers=(coding,))
    # It announces another length than that of what it sends, all of which it sends, as some servers do.
    put("announces", "/", gzip.compress(page("announces").encode()), headers=(coding,))
    web.cuts["announces", "/"] = ALWAYS
    web.never_crawl = "never.example\n"
    web.seeds = [web.url(host, "/") for host in sorted({host for host, _ in web.resources})]


@pytest.fixture(scope="module")
def crawled(tmp_path_factory):
    with CutWeb() as web:
        build(web)
        crawl = Crawl(web, tmp_path_factory.mktemp("cut"))
        crawl.start("-o", "items.jl", "-s", "POLITENESS_FACTOR=0", "-s", "PAGE_MAX_BYTES=20000")
        assert crawl.wait() == 0, crawl.text()[-3000:]
        crawl.lines = list(read(crawl.folder / "state" / "log"))
        crawl.items = list(map(json.loads, (crawl.folder / "items.jl").read_text(encoding="utf-8").splitlines()))
        yield crawl


@pytest.fixture(scope="module")
def verdict(crawled):
    return Verdict(crawled)


@pytest.mark.parametrize("host", ["once", "sitemap", "feed", "playlist", "nothing"])
def test_what_broke_off_is_asked_again_and_costs_no_link(crawled, verdict, host):
    web = crawled.web
    assert verdict.of(web.url(host, "/")) == ("done", 2)
    ending = ".mp3" if host in {"feed", "playlist"} else ""
    for path in ("/first", "/last"):
        end, times = verdict.of(web.url(host, path + ending))
        assert end in {"done", "complete"}, path
        assert times == 1, path


@pytest.mark.parametrize("host", ["always", "packed"])
def test_what_breaks_off_each_time_ends_as_done_with_what_was_read(crawled, verdict, host):
    assert verdict.of(crawled.web.url(host, "/")) == ("done", ATTEMPTS)
    if host == "always":
        assert verdict.of(crawled.web.url(host, "/first")) == ("done", 1)


@pytest.mark.parametrize("host", ["long", "announces"])
def test_what_we_ended_ourselves_and_what_has_its_end_is_asked_once(crawled, verdict, host):
    assert verdict.of(crawled.web.url(host, "/")) == ("done", 1)


def test_no_record_comes_twice(crawled):
    urls = Counter(item["content_url"] or item["embed_url"] for item in crawled.items)
    assert set(urls.values()) == {1}, urls
    assert PLAYED in urls
    assert len(urls) == 5


def broke_off(line):
    return line["error"] == "ResponseDataLossError" or " after " in str(line["error"])


def test_answers_that_broke_off_are_counted_and_logged(crawled):
    again = 5 * ONCE + 2 * (ATTEMPTS - 1)
    assert stat(crawled, "trouble/cut") == again
    assert stat(crawled, "cut/transit") == again + 2
    assert "frontier/end/again" in crawled.text()
    lines = crawled.lines
    told = Counter(str(line["error"]).partition(" after ")[0] for line in lines if broke_off(line))
    assert told.total() == again + 2
    # The packed answers are as long as announced, and have no end of their own.
    assert told == {
        "connection closed": told.total() - told["ResponseDataLossError"],
        "ResponseDataLossError": ATTEMPTS,
    }
    assert {line["error"] for line in lines if line["url"] == crawled.web.url("nothing", "/")} >= {
        "connection closed after 0 B"
    }
    assert f"connection closed {told['connection closed']}" in crawled.text()
