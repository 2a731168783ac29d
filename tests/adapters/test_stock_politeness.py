"""The parts that keep a crawl polite, each alone in a stock project, judged by what the server saw."""

import json

import pytest
from stock_project import CLOCK

from mediacrawl.demo import Resource
from mediacrawl.observe import read

DELAYS = {"POLITENESS_FACTOR": 2.0, "POLITENESS_MIN_DELAY": 0.3, "POLITENESS_FIRST_DELAY": 0.5}


def names(site, *hosts):
    """Settings by which names lead to the server."""
    return {
        "TWISTED_DNS_RESOLVER": "mediacrawl.net.resolver.HostsResolver",
        "RESOLVER_HOSTS": json.dumps(dict.fromkeys(hosts, "127.0.0.1")),
    }


# -- AdaptiveDelayMiddleware -------------------------------------------------------------------------------------


def test_a_site_that_answers_fast_gets_the_first_delay_and_then_the_least(project, site):
    site.page("/", *(f"/{number}" for number in range(7)))
    for number in range(7):
        site.page(f"/{number}")
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
    gaps = site.gaps()
    assert len(gaps) == 3
    assert min(gaps) >= 2.0 * 0.4 - CLOCK


async def hang(exchange):
    await exchange.until_gone()


async def reset(exchange):
    exchange.reset()


@pytest.mark.parametrize(("sin", "least"), [pytest.param(hang, 2.0, marks=pytest.mark.slow), (reset, 0.5)])
def test_a_site_that_fails_gets_its_delay_from_the_end_of_the_failure(project, site, sin, least):
    site.at("/", sin)
    site.at("/next", sin)
    site.page("/last")
    orders = {"AdaptiveDelayMiddleware": 950, "RequestLogMiddleware": 960}
    project.set(DOWNLOADER_MIDDLEWARES={f"mediacrawl.middlewares.{name}": order for name, order in orders.items()})
    project.set(**DELAYS, DOWNLOAD_TIMEOUT=1, RETRY_ENABLED=False)
    crawled = project.crawl(site.url(), site.url("/next"), site.url("/last"))
    assert crawled.code == 0
    assert all(f"FAILED {site.url(path)} " in crawled.log for path in ("/", "/next"))
    assert site.paths == ["/", "/next", "/last"]
    ends = [began + took for began, took in project.sent]
    gaps = [entry.received - end for entry, end in zip(site.log[1:], ends[:2], strict=True)]
    assert min(gaps) >= least - CLOCK


# -- NeverCrawlMiddleware ----------------------------------------------------------------------------------------


def test_a_domain_on_the_list_and_its_subdomains_get_no_request(project, site):
    hosts = ("good.example", "bad.example", "www.bad.example")
    site.page("/", *(site.url("/", host) for host in hosts))
    never = project.state / "NeverCrawl.txt"
    never.write_text("# They wrote to us.\nbad.example\n", encoding="utf-8")
    project.middleware("NeverCrawlMiddleware", 40)
    project.set(NEVERCRAWL_FILES=[str(never)], **names(site, *hosts))
    crawled = project.crawl(site.url("/", "good.example")).check()
    assert {entry.host for entry in site.log} == {"good.example"}
    assert len(crawled.refused) == 2
    assert "'drop/nevercrawl': 2" in crawled.log


def test_a_domain_that_is_added_gets_no_request_any_more_though_many_wait_in_the_downloader(project, site):
    pages = [f"/{number}" for number in range(30)]
    site.page("/", *pages)
    for path in pages:
        site.page(path)
    never = project.state / "NeverCrawl.txt"
    never.write_text("# Nobody yet.\n", encoding="utf-8")
    project.middleware("NeverCrawlMiddleware", 40)
    # Scrapy lets sixteen requests wait in the downloader, here for sixteen times 0.4 seconds.
    project.set(
        NEVERCRAWL_FILES=[str(never)],
        NEVERCRAWL_RELOAD=0.2,
        DOWNLOAD_DELAY=0.4,
        DOWNLOAD_DELAY_JITTER=0.0,
        **names(site, "sorry.example"),
    )
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
    project.middleware("RobotsMiddleware", 60)
    # Several requests for one host at once, before the robots.txt has come.
    project.set(CONCURRENT_REQUESTS_PER_DOMAIN=8)
    crawled = project.crawl(site.url("/"), site.url("/a"), site.url("/c"), site.url("/private/x")).check()
    assert [entry.path for entry in site.log].count("/robots.txt") == 1
    assert site.log[0].path == "/robots.txt"
    assert sorted(site.paths) == ["/", "/a", "/c", "/d"]
    assert "'drop/robots': 4" in crawled.log


async def break_off(exchange):
    await exchange.raw(
        b"HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\nContent-Length: 99\r\n\r\nUser-agent: *\nAllow: /\n"
    )


@pytest.mark.parametrize("answer", [Resource(b"", status=503), Resource(b"", status=429), hang, reset, break_off])
def test_a_robots_txt_that_cannot_be_had_forbids_everything(project, site, answer):
    site.at("/robots.txt", answer)
    site.page("/", "/a")
    project.middleware("RobotsMiddleware", 60)
    project.set(DOWNLOAD_TIMEOUT=1, RETRY_ENABLED=False, DOWNLOAD_FAIL_ON_DATALOSS=False)
    crawled = project.crawl(site.url("/"), site.url("/a")).check()
    assert site.paths == []
    assert len(crawled.refused) == 2
    assert crawled.items == []


def test_addresses_without_a_server_have_no_robots_txt(project, site):
    project.middleware("RobotsMiddleware", 60)
    page = project.state / "page.html"
    page.write_text("<a>", encoding="utf-8")
    crawled = project.crawl(page.as_uri()).check()
    assert len(crawled.items) == 1
    assert site.log == []


def test_robots_txt_is_logged_beside_the_requests_and_not_without_them(project, site):
    site.page("/")
    log = project.state / "state" / "log"
    project.middleware("RobotsMiddleware", 60)
    project.crawl(site.url("/")).check()
    assert not log.exists()
    names = {f"mediacrawl.middlewares.{name}": 60 for name in ("RobotsMiddleware", "RequestLogMiddleware")}
    project.set(DOWNLOADER_MIDDLEWARES=names)
    project.crawl(site.url("/")).check()
    (line,) = read(log, name="robots")
    assert (line["url"], line["status"]) == (site.url("/robots.txt"), 404)
