"""The parts of mediacrawl, each alone in a stock project with Scrapy's own scheduler, judged by what the server saw."""

import itertools
import json
import re
from datetime import datetime

import pytest
from stock_project import CLOCK

from mediacrawl.log.archive import read
from mediacrawl.programs.demo.answers import Resource, Response
from mediacrawl.watch.worker_stats import WorkerStats

DELAYS = {"POLITENESS_FACTOR": 2.0, "POLITENESS_MIN_DELAY": 0.3, "POLITENESS_FIRST_DELAY": 0.5}
LOGGED = {"mediacrawl.middlewares.RequestLogMiddleware": 960}


def names(*hosts):
    """Settings by which names lead to the server."""
    return {
        "TWISTED_DNS_RESOLVER": "mediacrawl.resolver.HostsResolver",
        "RESOLVER_HOSTS": json.dumps(dict.fromkeys(hosts, "127.0.0.1")),
    }


def logged(project):
    """The lines of the request log by their URL."""
    return {line["url"]: line for line in read(project.state / "state" / "log")}


async def reset(exchange):
    exchange.reset()


async def break_off(exchange):
    await exchange.raw(
        b"HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\nContent-Length: 99\r\n\r\nUser-agent: *\nAllow: /\n"
    )


# -- AdaptiveDelayMiddleware -------------------------------------------------------------------------------------


def test_a_site_that_answers_fast_gets_the_first_delay_and_then_the_least(project, site):
    pages = [f"/{number}" for number in range(7)]
    site.page("/", *pages)
    for path in pages:
        site.page(path)
    project.middleware("AdaptiveDelayMiddleware", 950)
    project.set(**DELAYS)
    project.crawl(site.url()).check()
    gaps = site.gaps()
    assert len(gaps) == 7
    assert min(gaps[:4]) >= 0.5 - CLOCK
    assert min(gaps) >= 0.3 - CLOCK


def test_a_site_that_answers_slowly_is_left_alone_for_a_multiple_from_the_end_of_its_answers(project, site):
    site.page("/", "/a", "/b", "/c", delay=0.4)
    for path in ("/a", "/b", "/c"):
        site.page(path, delay=0.4)
    project.middleware("AdaptiveDelayMiddleware", 950)
    project.set(**DELAYS)
    project.crawl(site.url()).check()
    assert len(site.gaps()) == 3
    assert min(site.gaps()) >= 2.0 * 0.4 - CLOCK


def test_a_site_that_fails_gets_its_delay_from_the_end_of_the_failure(project, site):
    site.at("/", reset)
    site.at("/next", reset)
    site.page("/last")
    orders = {"AdaptiveDelayMiddleware": 950, "RequestLogMiddleware": 960}
    project.set(DOWNLOADER_MIDDLEWARES={f"mediacrawl.middlewares.{name}": order for name, order in orders.items()})
    project.set(**DELAYS, RETRY_ENABLED=False)
    crawled = project.crawl(site.url(), site.url("/next"), site.url("/last"))
    assert crawled.code == 0
    assert all(f"FAILED {site.url(path)} " in crawled.log for path in ("/", "/next"))
    assert site.paths == ["/", "/next", "/last"]
    ends = [began + took for began, took in project.sent]
    gaps = [entry.received - end for entry, end in zip(site.log[1:], ends[:2], strict=True)]
    assert min(gaps) >= 0.5 - CLOCK


@pytest.mark.slow
def test_failures_and_wishes_of_a_server_make_the_delay_longer(project, site):
    def answering(status, *headers):
        async def answer(exchange):
            await exchange.send(Response(status, headers, b"later"))

        return answer

    paths = [f"/{number}" for number in range(7)]
    for path in paths[:3]:
        site.at(path, answering(500))
    site.at(paths[3], answering(429, ("Retry-After", "2")))
    for path in paths[4:]:
        site.page(path)
    project.middleware("AdaptiveDelayMiddleware", 950)
    quick = {"POLITENESS_FACTOR": 0.0, "POLITENESS_MIN_DELAY": 0.2, "POLITENESS_FIRST_DELAY": 0.2}
    project.set(**quick, **{"mediacrawl.politeness.delay.BackoffPolicy.jitter": 0.0}, RETRY_ENABLED=False)
    crawled = project.crawl(*map(site.url, paths)).check()
    # Doubled by each failure; each page takes one doubling back.
    owed = [0.4, 0.8, 1.6, 2.0, 1.6, 0.8]
    assert all(gap >= least - CLOCK for gap, least in zip(site.gaps(), owed, strict=True)), site.gaps()
    assert "'trouble/server_error': 3" in crawled.log
    assert "'trouble/throttled': 1" in crawled.log


@pytest.mark.slow
def test_a_site_that_rests_does_not_keep_the_crawl_waiting(project, site):
    """Scrapy's downloader has 16 places; requests that wait for hours must not hold all of them."""
    paths = [f"/{number}" for number in range(40)]
    for path in paths:
        site.status(path, 500)
    project.middleware("AdaptiveDelayMiddleware", 950)
    project.set(**DELAYS, BACKOFF_REST_AFTER=2, RETRY_ENABLED=False)
    crawled = project.crawl(*map(site.url, paths)).check()
    assert len(site.log) == 2
    assert "'drop/download_error': 38" in crawled.log


# -- NeverCrawlMiddleware ----------------------------------------------------------------------------------------


def test_a_domain_on_the_list_and_its_subdomains_get_no_request_and_the_log_says_why(project, site):
    hosts = ("good.example", "bad.example", "www.bad.example")
    site.page("/", *(site.url("/", host) for host in hosts))
    never = project.state / "NeverCrawl.txt"
    never.write_text("# They wrote to us.\nbad.example\n", encoding="utf-8")
    project.set(DOWNLOADER_MIDDLEWARES={"mediacrawl.middlewares.NeverCrawlMiddleware": 40, **LOGGED})
    project.set(NEVERCRAWL_FILES=[str(never)], **names(*hosts))
    crawled = project.crawl(site.url("/", "good.example")).check()
    assert {entry.host for entry in site.log} == {"good.example"}
    assert len(crawled.refused) == 2
    assert "'drop/nevercrawl': 2" in crawled.log
    line = logged(project)[site.url("/", "bad.example")]
    assert (line["drop"], line["status"]) == ("nevercrawl", None)


def test_a_domain_that_is_added_gets_no_request_any_more_though_many_wait_in_the_downloader(project, site):
    pages = [f"/{number}" for number in range(30)]
    site.page("/", *pages)
    for path in pages:
        site.page(path)
    never = project.state / "NeverCrawl.txt"
    never.write_text("# Nobody yet.\n", encoding="utf-8")
    project.middleware("NeverCrawlMiddleware", 40)
    # Scrapy lets sixteen requests wait in the downloader, here for sixteen times 0.4 seconds.
    project.set(NEVERCRAWL_FILES=[str(never)], NEVERCRAWL_RELOAD=0.2, **names("sorry.example"))
    project.set(DOWNLOAD_DELAY=0.4, DOWNLOAD_DELAY_JITTER=0.0)
    project.start(site.url("/", "sorry.example"))
    site.until(lambda log: len(log) >= 4)
    never.write_text("sorry.example  # complained\n", encoding="utf-8")
    asked = len(site.log)
    crawled = project.wait().check()
    # One may go out between the writing and the next look at the list.
    assert len(site.log) <= asked + 1
    assert len(crawled.refused) >= 30 - asked - 1


# -- RobotsMiddleware --------------------------------------------------------------------------------------------


def test_what_robots_txt_forbids_is_never_asked_and_the_file_itself_once(project, site):
    site.at("/robots.txt", Resource(b"User-agent: *\nDisallow: /private\n", "text/plain"))
    site.page("/", "/a", "/private/b", "/private", "/c", "/d")
    for path in ("/a", "/c", "/d"):
        site.page(path, "/private/c")
    project.set(DOWNLOADER_MIDDLEWARES={"mediacrawl.middlewares.RobotsMiddleware": 60, **LOGGED})
    # Several requests for one host at once, before the robots.txt has come.
    project.set(CONCURRENT_REQUESTS_PER_DOMAIN=8)
    crawled = project.crawl(site.url("/"), site.url("/a"), site.url("/c"), site.url("/private/x")).check()
    assert [entry.path for entry in site.log].count("/robots.txt") == 1
    assert site.log[0].path == "/robots.txt"
    assert sorted(site.paths) == ["/", "/a", "/c", "/d"]
    assert "'drop/robots': 4" in crawled.log
    (line,) = read(project.state / "state" / "log", name="robots")
    assert (line["url"], line["status"]) == (site.url("/robots.txt"), 200)


@pytest.mark.parametrize("answer", [Resource(b"", status=503), break_off])
def test_a_robots_txt_that_cannot_be_had_forbids_everything(project, site, answer):
    site.at("/robots.txt", answer)
    site.page("/", "/a")
    project.middleware("RobotsMiddleware", 60)
    project.set(RETRY_ENABLED=False, DOWNLOAD_FAIL_ON_DATALOSS=False)
    crawled = project.crawl(site.url("/"), site.url("/a")).check()
    assert site.paths == []
    assert len(crawled.refused) == 2
    assert crawled.items == []


def test_addresses_without_a_server_have_no_robots_txt(project, site):
    project.middleware("RobotsMiddleware", 60)
    page = project.state / "page.html"
    page.write_text("<a>", encoding="utf-8")
    assert len(project.crawl(page.as_uri()).check().items) == 1
    assert not (project.state / "state" / "log").exists()


# -- RedirectCapMiddleware ---------------------------------------------------------------------------------------

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


def redirects(project, more=(), **settings):
    ours = {"mediacrawl.middlewares.RedirectCapMiddleware": 605, **dict(more)}
    ours["scrapy.downloadermiddlewares.redirect.RedirectMiddleware"] = None
    project.set(DOWNLOADER_MIDDLEWARES=ours, **settings)


def distances(project):
    """Seconds from each request to the next; so Scrapy's own delay counts, however long an answer takes."""
    return [after - before for (before, _), (after, _) in itertools.pairwise(project.sent)]


def send(project, *asked):
    project.spider(FORM_SPIDER)
    return project.crawl(spider="raw", extra=["-a", f"asked={json.dumps(asked)}"])


def test_three_redirects_are_followed_as_any_request_is_and_the_fourth_is_refused(project, site):
    for hop in range(5):
        site.redirect(f"/{hop}", f"/{hop + 1}")
    chain = ["/a", "/loop", "/loop2", "/loop"]
    for path, to in [
        *itertools.pairwise(chain),
        ("/b", "/c"),
        ("/c", "/end"),
        ("/d", "/end"),
        ("/ftp", "ftp://a.example/"),
    ]:
        site.redirect(path, to)
    site.status("/bare", 301)
    site.page("/end")
    redirects(project, LOGGED, DOWNLOAD_DELAY=0.2, DOWNLOAD_DELAY_JITTER=0.0)
    crawled = project.crawl(*(site.url(path) for path in ("/0", "/a", "/b", "/d", "/bare", "/ftp"))).check()
    # The filter sees them: no page is asked twice, and a loop ends.
    asked = ["/0", "/1", "/2", "/3", "/a", "/b", "/bare", "/c", "/d", "/end", "/ftp", "/loop", "/loop2"]
    assert sorted(site.paths) == asked
    assert sorted(crawled.refused) == sorted(site.url(path) for path in ("/3", "/bare", "/ftp"))
    assert [item["url"] for item in crawled.items] == [site.url("/end")]
    assert "'drop/redirect_cap': 1" in crawled.log
    assert min(distances(project)) >= 0.2 - 0.05


def test_a_post_becomes_a_get_where_http_says_so_and_stays_a_post_where_it_says_so(project, site):
    for status in (301, 302, 303, 307, 308):
        site.redirect(f"/{status}", f"/to{status}", status)
    site.redirect("/put", "/toput", 302)
    redirects(project, HTTPERROR_ALLOW_ALL=True)
    form = {"body": "hello", "headers": {"Content-Type": "text/plain"}}
    asked = [{"url": site.url(f"/{status}"), "method": "POST", **form} for status in (301, 302, 303, 307, 308)]
    send(project, *asked, {"url": site.url("/put"), "method": "PUT", **form}).check()
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
    crawled = send(project, *({"url": site.url(path), "headers": headers} for path in ("/away", "/here"))).check()
    asked = {entry.path: entry.headers for entry in site.log}
    for path, secret in (("/away", True), ("/seen", False), ("/kept", True)):
        assert ("authorization" in asked[path], "cookie" in asked[path]) == (secret, secret), path
        assert asked[path]["x-mine"] == "1"
    assert [item["urls"] for item in crawled.items if item["url"].endswith("/seen")] == [[site.url("/away")]]


# -- RequestLogMiddleware, Breaker, StatsFile --------------------------------------------------------------------


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
    assert project.crawl(site.url("/")).code == 0
    lines = logged(project)
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


@pytest.fixture
def broken(project, site):
    """Run a crawl with the breaker; return it, and what is in the log of faults."""

    def crawl(*paths, **settings):
        project.spider(BROKEN)
        for path in paths:
            site.page(path)
        project.set(EXTENSIONS={"mediacrawl.extensions.Breaker": 0}, **settings)
        done = project.crawl(*map(site.url, paths), spider="broken")
        return done, (project.state / "state" / "log" / "critical.log").read_text(encoding="utf-8")

    return crawl


def test_faults_of_a_callback_are_written_down_and_stop_the_crawl(broken, site):
    done, text = broken(*(f"/{number}" for number in range(200)), BREAKER_ERRORS=5, CONCURRENT_REQUESTS=4)
    assert "Spider closed (breaker)" in done.log
    assert len(site.paths) < 50
    (line,) = re.findall(r"CRITICAL: (The crawl stops.*)", done.log)
    assert re.search(r"KeyError: 'href' \(spiders/broken_spider.py:\d+ in parse\), the last at http://127", line)
    assert text.count("Traceback (most recent call last)") == 1
    assert text.count(f"Z KeyError: 'href' (spiders/broken_spider.py:14 in parse) {site.url('/')}") >= 5


def test_a_fault_of_a_pipeline_is_told_with_the_url_of_its_item(broken, site):
    pipeline = {"theirs.spiders.broken_spider.FailingPipeline": 1}
    done, text = broken("/fine", ITEM_PIPELINES=pipeline, BREAKER_ERRORS=50)
    assert "Spider closed (finished)" in done.log
    assert "'errors/faults': 1" in done.log
    assert re.search(rf"TypeError: a bug in a pipeline \(.*\) {site.url('/fine')}\n", text)


@pytest.mark.parametrize("folder", ["told", "taken"])
def test_the_stats_of_a_crawl_are_in_the_file_or_a_sentence_says_that_it_cannot_be_written(project, site, folder):
    site.page("/")
    (project.state / "taken").write_text("a file")
    path = project.state / folder / "stats.json"
    project.set(EXTENSIONS={"mediacrawl.extensions.StatsFile": 0}, STATS_FILE=str(path))
    done = project.crawl(site.url("/")).check()
    assert len(done.items) == 1
    assert done.log.count("The stats cannot be written") == (folder == "taken")
    if folder == "told":
        account = WorkerStats.load(path)
        assert (account.stats["finish_reason"], account.stats["item_scraped_count"]) == ("finished", 1)
        assert re.match(r"\d{4}-\d\d-\d\dT", account.stats["start_time"])
        assert json.loads(path.read_text()).keys() == {"written", "stats"}
        assert [each.name for each in path.parent.iterdir()] == ["stats.json"]
