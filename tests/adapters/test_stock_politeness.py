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


def test_two_sites_do_not_wait_for_each_other(project, site):
    hosts = ("slow.example", "fast.example")
    site.page("/", "/a", "/b")
    site.page("/a")
    site.page("/b")
    project.middleware("AdaptiveDelayMiddleware", 950)
    project.set(**DELAYS, **names(site, *hosts), CONCURRENT_REQUESTS=8)
    project.crawl(*(site.url("/", host) for host in hosts)).check()
    for host in hosts:
        assert min(site.gaps(host)) >= 0.5 - CLOCK
    assert [entry.host for entry in site.log[:2]] in (list(hosts), list(reversed(hosts)))


def test_a_download_delay_of_the_user_is_never_undercut(project, site):
    site.page("/", "/a", "/b")
    site.page("/a")
    site.page("/b")
    project.middleware("AdaptiveDelayMiddleware", 950)
    project.set(**{**DELAYS, "POLITENESS_FIRST_DELAY": 0.1, "POLITENESS_MIN_DELAY": 0.1}, DOWNLOAD_DELAY=0.7)
    project.crawl(site.url()).check()
    assert min(site.gaps()) >= 0.7 - CLOCK


@pytest.mark.slow
def test_a_crawl_delay_counts_where_robots_and_delay_are_switched_on(project, site):
    site.at("/robots.txt", Resource(b"User-agent: *\nCrawl-delay: 1.2\n", "text/plain"))
    site.page("/", "/a", "/b")
    site.page("/a")
    site.page("/b")
    project.set(
        **DELAYS,
        DOWNLOADER_MIDDLEWARES={
            "mediacrawl.middlewares.RobotsMiddleware": 60,
            "mediacrawl.middlewares.AdaptiveDelayMiddleware": 950,
        },
    )
    project.crawl(site.url()).check()
    assert site.log[0].path == "/robots.txt"
    assert len(site.log) == 4
    assert min(site.gaps()) >= 1.2 - CLOCK


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


def test_a_list_that_breaks_while_the_crawl_runs_stays_in_force(project, site):
    hosts = ("good.example", "bad.example")
    site.page("/", "/held", site.url("/", "bad.example"))
    goes_on = site.hold("/held", "/after", site.url("/held", "bad.example"))
    site.page("/after", site.url("/after", "bad.example"))
    never = project.state / "NeverCrawl.txt"
    never.write_text("bad.example\n", encoding="utf-8")
    project.middleware("NeverCrawlMiddleware", 40)
    project.set(NEVERCRAWL_FILES=[str(never)], NEVERCRAWL_RELOAD=0.1, DOWNLOAD_TIMEOUT=600, **names(site, *hosts))
    project.start(site.url("/", "good.example"))
    try:
        site.until(lambda log: any(entry.path == "/held" for entry in log))
        never.unlink()
        project.until_logged("NeverCrawl.txt can not be read")
    finally:
        goes_on.set()
        crawled = project.wait()
    assert crawled.code == 0
    assert [(entry.host, entry.path) for entry in site.log] == [
        ("good.example", path) for path in ("/", "/held", "/after")
    ]
    assert len(crawled.refused) == 3


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


def test_a_robots_txt_that_is_not_there_allows_everything(project, site):
    site.page("/", "/a")
    site.page("/a")
    project.middleware("RobotsMiddleware", 60)
    project.crawl(site.url("/")).check()
    assert site.paths == ["/", "/a"]


def test_each_authority_has_its_own_robots_txt_however_its_name_is_written(project, site):
    hosts = ("one.example", "two.example")
    site.at("one.example/robots.txt", Resource(b"User-agent: *\nDisallow: /\n", "text/plain"))
    site.page("/")
    project.middleware("RobotsMiddleware", 60)
    project.set(**names(site, *hosts))
    project.crawl(site.url("/", "ONE.example"), site.url("/x", "one.example"), site.url("/", "two.example")).check()
    asked = sorted((entry.host, entry.path) for entry in site.log)
    assert asked == [("one.example", "/robots.txt"), ("two.example", "/"), ("two.example", "/robots.txt")]


def test_a_robots_txt_on_another_host_is_followed_and_binds_the_first(project, site):
    hosts = ("one.example", "two.example")
    site.redirect("one.example/robots.txt", site.url("/hop", "two.example"), status=308)
    site.redirect("two.example/hop", site.url("/rules.txt", "two.example"))
    site.at("two.example/rules.txt", Resource(b"User-agent: *\nDisallow: /private\n", "text/plain"))
    for path in ("/", "/private"):
        site.page(path)
    project.set(
        **DELAYS,
        **names(site, *hosts),
        DOWNLOADER_MIDDLEWARES={
            "mediacrawl.middlewares.RobotsMiddleware": 60,
            "mediacrawl.middlewares.AdaptiveDelayMiddleware": 950,
        },
    )
    crawled = project.crawl(*(site.url(path, host) for host in hosts for path in ("/", "/private"))).check()
    one, two = ([entry.path for entry in site.log if entry.host == host] for host in hosts)
    assert one == ["/robots.txt", "/"]
    assert sorted(two) == ["/", "/hop", "/private", "/robots.txt", "/rules.txt"]
    assert crawled.refused == [site.url("/private", "one.example")]
    for host in hosts:
        assert min(site.gaps(host)) >= 0.3 - CLOCK


@pytest.mark.parametrize("target", ["/robots.txt", "/hop", "file:///etc/hosts", "ftp://127.0.0.1/"])
def test_a_redirect_of_robots_txt_that_leads_nowhere_forbids_everything(project, site, target):
    site.redirect("/robots.txt", target)
    site.redirect("/hop", "/robots.txt")
    site.page("/")
    project.middleware("RobotsMiddleware", 60)
    crawled = project.crawl(site.url("/")).check()
    assert site.paths.count("/") == 0
    assert len(site.log) <= 11
    assert crawled.refused == [site.url("/")]


@pytest.mark.slow
def test_with_our_scheduler_a_robots_txt_on_another_site_is_fetched_there_without_a_word_to_the_spider(project, site):
    hosts = ("one.example", "two.example")
    site.redirect("one.example/robots.txt", site.url("/rules.txt", "two.example"))
    site.at("two.example/rules.txt", Resource(b"User-agent: *\nDisallow: /private\n", "text/plain"))
    for path in ("/", "/private"):
        site.page(path)
    project.middleware("RobotsMiddleware", 60)
    project.set(
        **names(site, *hosts),
        SCHEDULER="mediacrawl.scheduler.PenaltyBoxScheduler",
        POLITENESS_MIN_DELAY=0.3,
        POLITENESS_FIRST_DELAY=0.3,
        POLITENESS_FACTOR=1.0,
        ROBOTS_RETRY=3.0,
    )
    crawled = project.crawl(*(site.url(path, host) for host in hosts for path in ("/", "/private"))).check()
    one, two = ([entry.path for entry in site.log if entry.host == host] for host in hosts)
    assert one == ["/robots.txt", "/"]
    assert sorted(two) == ["/", "/private", "/robots.txt", "/rules.txt"]
    assert crawled.refused == [site.url("/private", "one.example")]
    asked = [site.url("/", "one.example"), *(site.url(path, "two.example") for path in ("/", "/private"))]
    assert sorted(item["url"] for item in crawled.items) == asked
    for host in hosts:
        assert min(site.gaps(host)) >= 0.3 - CLOCK


@pytest.mark.slow
def test_an_old_robots_txt_is_asked_for_with_a_condition_and_counts_on_if_nothing_changed(project, site):
    site.at("/robots.txt", Resource(b"User-agent: *\nDisallow: /private\n", "text/plain", etag='"v1"'))
    pages = [f"/{number}" for number in range(8)]
    for path, following in zip(pages, [*pages[1:], "/private"], strict=True):
        site.page(path, following)
    project.middleware("RobotsMiddleware", 60)
    project.set(ROBOTS_MAX_AGE=0.5, DOWNLOAD_DELAY=0.2)
    crawled = project.crawl(site.url("/0")).check()
    robots = [entry for entry in site.log if entry.path == "/robots.txt"]
    assert [entry.status for entry in robots] == [200] + [304] * (len(robots) - 1)
    assert len(robots) > 1
    assert [entry.headers.get("if-none-match") for entry in robots] == [None] + ['"v1"'] * (len(robots) - 1)
    assert site.paths == pages
    assert crawled.refused == [site.url("/private")]


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
