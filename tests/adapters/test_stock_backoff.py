"""Backoff of AdaptiveDelayMiddleware alone, with Scrapy's own scheduler, judged by what the server saw."""

from email.utils import formatdate
from time import time

import pytest
from stock_project import CLOCK

from mediacrawl.demo import Resource, Response

pytestmark = pytest.mark.slow

DELAYS = {
    "POLITENESS_FACTOR": 0.0,
    "POLITENESS_MIN_DELAY": 0.2,
    "POLITENESS_FIRST_DELAY": 0.2,
    "mediacrawl.politeness.backoff.BackoffPolicy.jitter": 0.0,
}


def answering(status, wish=lambda: ""):
    async def answer(exchange):
        headers = (("Retry-After", wish()),) if wish() else ()
        await exchange.send(Response(status, headers, b"later"))

    return answer


def test_each_failure_doubles_the_delay_and_each_answer_takes_one_doubling_back(project, site):
    paths = [f"/{number}" for number in range(7)]
    for path in paths[:3]:
        site.at(path, answering(500))
    for path in paths[3:]:
        site.page(path)
    project.middleware("AdaptiveDelayMiddleware", 950)
    project.set(**DELAYS, RETRY_ENABLED=False)
    crawled = project.crawl(*map(site.url, paths)).check()
    owed = [0.4, 0.8, 1.6, 0.8, 0.4, 0.2]
    assert all(gap >= least - CLOCK for gap, least in zip(site.gaps(), owed, strict=True)), site.gaps()
    assert sum(site.gaps()) < 2 * sum(owed) + 3
    assert "'trouble/server_error': 3" in crawled.log


def test_retry_after_is_waited_for_in_seconds_and_as_a_date(project, site):
    site.at("/a", answering(429, lambda: "2"))
    site.at("/b", answering(503, lambda: formatdate(time() + 3, usegmt=True)), Resource(b"<p>b"))
    site.page("/c")
    project.middleware("AdaptiveDelayMiddleware", 950)
    project.set(**DELAYS, RETRY_ENABLED=False)
    crawled = project.crawl(*map(site.url, ("/a", "/b", "/c"))).check()
    first, second = site.gaps()
    assert first >= 2.0 - CLOCK
    # A date has no fractions: of three seconds two are left at least.
    assert second >= 2.0 - CLOCK
    assert "'trouble/throttled': 2" in crawled.log


def test_scrapys_own_retries_wait_as_well(project, site):
    site.at("/a", answering(429, lambda: "1"), answering(429, lambda: "1"), Resource(b"<p>a"))
    project.middleware("AdaptiveDelayMiddleware", 950)
    project.set(**DELAYS)
    project.crawl(site.url("/a")).check()
    assert len(site.log) == 3
    assert min(site.gaps()) >= 1.0 - CLOCK


def test_a_site_that_rests_does_not_keep_the_crawl_waiting(project, site):
    """Scrapy's downloader has 16 places; requests that wait for hours must not hold all of them."""
    paths = [f"/{number}" for number in range(40)]
    for path in paths:
        site.at(path, answering(500))
    project.middleware("AdaptiveDelayMiddleware", 950)
    project.set(**{**DELAYS, "BACKOFF_REST_AFTER": 2}, RETRY_ENABLED=False)
    crawled = project.crawl(*map(site.url, paths)).check()
    assert len(site.log) == 2
    assert "'drop/download_error': 38" in crawled.log


def test_a_site_that_asks_for_a_day_is_not_asked_again(project, site):
    site.at("/a", answering(429, lambda: "86400"))
    site.page("/b")
    project.middleware("AdaptiveDelayMiddleware", 950)
    project.set(**DELAYS)
    assert "'drop/download_error': 2" in project.crawl(*map(site.url, ("/a", "/b"))).check().log
    assert [entry.path for entry in site.log] == ["/a"]
