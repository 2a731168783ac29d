"""A real crawl of pages as they are today: long ones, lists whose pages show the same, odd references."""

import gzip
import zlib
from importlib import import_module

import pytest
from crawling import Crawl, quick
from judging import Verdict, stat
from lists_web import ListsWeb

from mediacrawl.log.archive import read

TEXT = "<p>" + "Our programmes are there to be heard at any time. " * 15
PAGES, SHOWS = 6, 8
"""Pages of a list, and shows on each."""
ROWS = "".join(f"<p>Row {number * 7919 % 100_003}</p>" for number in range(20_000)).encode()
LONG = b'<a href="/first">1</a>' + ROWS + b'<a href="/within">2</a>' + ROWS * 110
"""Some 40 MB of page; its second link is within the first megabyte."""
CODINGS = {
    "identity": bytes,
    "gzip": lambda body: gzip.compress(body, 1),
    "deflate": lambda body: zlib.compress(body, 1),
    "br": lambda body: import_module("brotli").compress(body, quality=0, lgwin=16),
    "zstd": lambda body: import_module("backports.zstd").compress(body, level=1),
}
# How the pages of a list, and their shows, are named.
LISTS = {
    "paths": ("/shows/page/{}", "/show/{}"),
    "queries": ("/shows?page={}", "/show?id={}"),
    "sessions": ("/shows?page={}&visit={}x", "/show?id={}&visit={}x"),
}


class PagesWeb(ListsWeb):
    """A host for each kind."""

    def start(self):
        super().start()
        self.hosts["mirror.example"] = "127.0.0.1"
        for coding, pack in CODINGS.items():
            self.put(coding, "/", pack(LONG), headers=(("Content-Encoding", coding),) if coding != "identity" else ())
            for path in ("/first", "/within"):
                self.put(coding, path, f"<title>{path}</title>{path}")
        for host, (page, show) in LISTS.items():
            for number in range(1, PAGES + 1):
                shows = [show.format(PAGES * SHOWS + SHOWS * number + each, number) for each in range(SHOWS)]
                hrefs = [*shows, *(page.format(other, number) for other in range(1, PAGES + 1))]
                links = "".join(f"<a href='{href}'>Listen</a>" for href in hrefs)
                for visit in range(1, PAGES + 1):
                    self.put(host, page.format(number, visit), TEXT + links)
                for each in shows:
                    self.put(host, each, f"<title>{each}</title><h1>{each}</h1>")
            self.put(host, "/", f"<a href='{page.format(1, 1)}'>Shows</a>")
        hrefs = [
            "{{ url }}",
            "/${x}",
            "<%= y %>",
            "[object Object]",
            "undefined",
            "/calendar/2110/05/",
            "/a/docker.zip",
        ]
        hrefs += ["/articles/2110/05/news162.html", "/review/a.com", ""]
        links = "".join(f"<a href='{href}'>x</a>" for href in hrefs)
        self.put("odd", "/music/a", f"<base href='/x/../'><template><a href=/hidden>x</a></template>{links}")
        mirror = self.put("mirror", "/", "<title>Mirror</title>")
        links = "".join(f"<a href='{href}'>x</a>" for href in ("../", "/", "?C=N;O=D", mirror, "b/"))
        self.put("files", "/music/a/", f"<title>Index of /music/a</title>{links}")
        self.seeds = [self.url(host, "/") for host in (*CODINGS, *LISTS)]
        self.seeds += [self.url("odd", "/music/a"), self.url("files", "/music/a/")]


@pytest.fixture(scope="module")
def crawled(tmp_path_factory):
    with PagesWeb() as web:
        crawl = Crawl(web, tmp_path_factory.mktemp("pages"))
        crawl.run(**quick(0.01), FRONTIER_EXPLORE=0)
        yield crawl


@pytest.fixture(scope="module")
def verdict(crawled):
    return Verdict(crawled)


@pytest.mark.parametrize("coding", CODINGS)
def test_of_a_page_of_forty_megabytes_one_is_downloaded_and_read(crawled, verdict, coding):
    (page,) = (line for line in read(crawled.folder / "state" / "log") if line["url"] == crawled.web.url(coding, "/"))
    whole = len(crawled.web.resources[coding, "/"].body)
    assert page["bytes"] <= (1_000_000 + 65_536) * whole // len(LONG) + 2 * 65_536
    assert verdict.of_host(f"{coding}.example").keys() == {"/", "/first", "/within"}


def test_each_long_page_is_counted_and_named(crawled):
    assert stat(crawled, "limit/page") == len(CODINGS)
    assert crawled.text().count("longer than PAGE_MAX_BYTES") >= len(CODINGS)
    assert crawled.peak < 300 * 1024 * 1024


@pytest.mark.parametrize("host", LISTS)
def test_the_shows_of_all_pages_of_a_list_are_requested(crawled, verdict, host):
    shows = {url for url in verdict.asked if f"//{host}.example" in url and "/show" in url and "page" not in url}
    assert len({url.partition("&visit")[0] for url in shows}) == PAGES * SHOWS


def test_calendars_programs_and_templates_are_left_out_and_what_resembles_them_is_not(crawled, verdict):
    assert verdict.of_host("odd.example").keys() == {"/music/a", "/", "/articles/2110/05/news162.html", "/review/a.com"}
    assert stat(crawled, "drop/template") == 6
    assert [stat(crawled, f"drop/{reason}") for reason in ("trap_calendar", "extension")] == [1, 1]


def test_a_listing_has_its_parent_on_its_own_host(crawled, verdict):
    assert verdict.of_host("files.example").keys() == {"/music/a/", "/music/a/b/"}
    assert len(verdict.of_host("mirror.example")) == 1
    assert stat(crawled, "drop/index_link") == 3
