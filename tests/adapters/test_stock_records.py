"""The parts that follow redirects and write things down, each alone in a stock project."""

import itertools
import json
from datetime import datetime

from stock_project import CLOCK

from mediacrawl.observe import read

SCRAPYS_OWN = {"scrapy.downloadermiddlewares.redirect.RedirectMiddleware": None}

FORM_SPIDER = '''\
import json

import scrapy


class RawSpider(scrapy.Spider):
    """Sends the requests it is told."""

    name = "raw"

    async def start(self):
        for asked in json.loads(self.asked):
            yield scrapy.Request(**asked, callback=self.parse, errback=self.failed)

    def parse(self, response):
        yield {"url": response.url, "method": response.request.method, "urls": response.meta.get("redirect_urls")}

    def failed(self, failure):
        self.logger.info("FAILED %s %s", failure.request.url, type(failure.value).__name__)
'''


LOGGED = {"mediacrawl.middlewares.RequestLogMiddleware": 960}


def redirects(project, more=(), **settings):
    ours = {"mediacrawl.middlewares.RedirectCapMiddleware": 605, **dict(more)}
    project.set(DOWNLOADER_MIDDLEWARES={**ours, **SCRAPYS_OWN}, **settings)


def distances(project):
    """Seconds from each request to the next; so Scrapy's own delay counts, however long an answer takes."""
    return [after - before for (before, _), (after, _) in itertools.pairwise(project.sent)]


def send(project, *asked):
    project.spider(FORM_SPIDER)
    return project.crawl(spider="raw", extra=["-a", f"asked={json.dumps(asked)}"])


# -- RedirectCapMiddleware ---------------------------------------------------------------------------------------


def test_three_redirects_are_followed_and_the_fourth_is_never_requested(project, site):
    for hop in range(5):
        site.redirect(f"/{hop}", f"/{hop + 1}")
    site.redirect("/b1", "/b2")
    site.redirect("/b2", "/b3")
    site.redirect("/b3", "/end")
    site.page("/end")
    redirects(project)
    crawled = project.crawl(site.url("/0"), site.url("/b1")).check()
    assert sorted(site.paths) == ["/0", "/1", "/2", "/3", "/b1", "/b2", "/b3", "/end"]
    assert crawled.refused == [site.url("/3")]
    assert [item["url"] for item in crawled.items] == [site.url("/end")]
    assert "'drop/redirect_cap': 1" in crawled.log
    assert "'redirect/followed': 6" in crawled.log


def test_a_redirect_is_scheduled_like_any_request_so_that_the_filter_and_the_delay_see_it(project, site):
    site.redirect("/a", "/end")
    site.redirect("/b", "/end")
    site.redirect("/loop", "/loop2")
    site.redirect("/loop2", "/loop")
    site.page("/end")
    redirects(project, LOGGED, DOWNLOAD_DELAY=0.3, DOWNLOAD_DELAY_JITTER=0.0)
    project.crawl(site.url("/a"), site.url("/b"), site.url("/loop")).check()
    assert sorted(site.paths) == ["/a", "/b", "/end", "/loop", "/loop2"]
    assert min(distances(project)) >= 0.3 - 0.05


def test_a_post_becomes_a_get_where_http_says_so_and_stays_a_post_where_it_says_so(project, site):
    for status in (301, 302, 303, 307, 308):
        site.redirect(f"/{status}", f"/to{status}", status)
    site.redirect("/put", "/toput", 302)
    redirects(project, HTTPERROR_ALLOW_ALL=True)
    headers = {"Content-Type": "text/plain"}
    asked = [
        {"url": site.url(f"/{status}"), "method": "POST", "body": "hello", "headers": headers}
        for status in (301, 302, 303, 307, 308)
    ]
    send(project, *asked, {"url": site.url("/put"), "method": "PUT", "body": "hello", "headers": headers}).check()
    answered = {entry.path: entry for entry in site.log if entry.path.startswith("/to")}
    assert {path: entry.method for path, entry in answered.items()} == {
        "/to301": "GET", "/to302": "GET", "/to303": "GET", "/to307": "POST", "/to308": "POST", "/toput": "PUT",
    }  # fmt: skip
    assert {path for path, entry in answered.items() if entry.headers.get("content-length") == "5"} == {
        "/to307", "/to308", "/toput",
    }  # fmt: skip
    assert "content-type" not in answered["/to303"].headers


def test_credentials_stay_with_the_server_they_were_meant_for(project, site):
    site.redirect("/away", site.url("/seen", "localhost"))
    site.redirect("/here", "/kept")
    headers = {"Authorization": "Basic c2VjcmV0", "Cookie": "session=secret", "X-Mine": "1"}
    # Scrapy's cookie jar would look up public suffixes in the network.
    redirects(project, HTTPERROR_ALLOW_ALL=True, COOKIES_ENABLED=False)
    crawled = send(
        project,
        {"url": site.url("/away"), "headers": headers},
        {"url": site.url("/here"), "headers": headers},
    ).check()
    asked = {entry.path: entry for entry in site.log}
    assert asked["/away"].headers["cookie"] == "session=secret"
    assert "authorization" not in asked["/seen"].headers
    assert "cookie" not in asked["/seen"].headers
    assert asked["/seen"].headers["x-mine"] == "1"
    assert asked["/kept"].headers["authorization"] == "Basic c2VjcmV0"
    assert asked["/kept"].headers["cookie"] == "session=secret"
    assert [item["urls"] for item in crawled.items if item["url"].endswith("/seen")] == [[site.url("/away")]]


# -- RequestLogMiddleware ----------------------------------------------------------------------------------------


async def reset(exchange):
    exchange.reset()


def test_every_request_has_a_line_with_the_time_at_which_it_went_out(project, site):
    site.page("/", "/a", "/gone", "/hop")
    site.page("/a", delay=0.3)
    site.redirect("/hop", "/b?2")
    # The last: of a request that fails only the slot knows when it was sent.
    site.page("/b", "/broken")
    site.at("/broken", reset)
    project.middleware("RequestLogMiddleware", 960)
    # All but the first wait in the downloader before they go out.
    project.set(DOWNLOAD_DELAY=0.5, DOWNLOAD_DELAY_JITTER=0.0, RETRY_ENABLED=False)
    crawled = project.crawl(site.url("/"))
    assert crawled.code == 0
    lines = {line["url"]: line for line in read(project.state / "state" / "log")}
    seen = {entry.url: entry for entry in site.log}
    assert lines.keys() == seen.keys()
    for url, entry in seen.items():
        sent = datetime.fromisoformat(lines[url]["time"]).timestamp()
        assert sent <= entry.received + CLOCK, url
        assert lines[url]["status"] == (entry.status or None)
        assert lines[url]["site"] == "127.0.0.1"
        assert lines[url]["bytes"] == entry.bytes_sent
    # Links of one page have been requested at one time.
    assert min(distances(project)) >= 0.5 / 2
    assert lines[site.url("/hop")]["location"] == "/b?2"
    assert lines[site.url("/")]["content_type"].startswith("text/html")
    assert lines[site.url("/broken")]["error"]
    assert 0.3 - CLOCK <= lines[site.url("/a")]["duration"] < 5.0


def test_a_request_that_was_refused_has_a_line_that_says_why(project, site):
    never = project.state / "NeverCrawl.txt"
    never.write_text("bad.example\n", encoding="utf-8")
    site.page("/")
    project.set(
        NEVERCRAWL_FILES=[str(never)],
        DOWNLOADER_MIDDLEWARES={
            "mediacrawl.middlewares.NeverCrawlMiddleware": 40,
            "mediacrawl.middlewares.RequestLogMiddleware": 960,
        },
    )
    project.crawl(site.url("/"), "http://bad.example/").check()
    lines = {line["url"]: line for line in read(project.state / "state" / "log")}
    assert lines[site.url("/")]["status"] == 200
    assert lines["http://bad.example/"]["drop"] == "nevercrawl"
    assert lines["http://bad.example/"]["status"] is None
