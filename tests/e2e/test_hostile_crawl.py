"""A real crawl of a web where more than half of the sites attack: the others are crawled whole, and at their pace."""

import pytest
from crawling import Crawl
from hostile_web import ATTACKS, HONEST, HostileWeb
from judging import Verdict, stat

pytestmark = pytest.mark.slow

DELAY = 0.3
SETTINGS = {
    "POLITENESS_MIN_DELAY": DELAY,
    "POLITENESS_FIRST_DELAY": DELAY,
    "DOWNLOAD_TIMEOUT": 6,
    "BACKOFF_MAX": 3,
    "BACKOFF_REST_AFTER": 3,
    "FRONTIER_ATTEMPTS": 2,
    "GUARD_ALLOW": "127.0.0.0/8",
    "CLOSESPIDER_TIMEOUT": 60,
}


@pytest.fixture(scope="module")
def web():
    with HostileWeb() as web:
        yield web


@pytest.fixture(scope="module")
def crawl(web, tmp_path_factory):
    crawl = Crawl(web, tmp_path_factory.mktemp("hostile"))
    crawl.start(*(word for name, value in SETTINGS.items() for word in ("-s", f"{name}={value}")))
    crawl.code = crawl.wait(240)
    return crawl


@pytest.fixture(scope="module")
def verdict(crawl):
    return Verdict(crawl)


def test_nothing_stops_the_crawl_before_its_time(crawl):
    assert crawl.code == 0, crawl.text()[-3000:]
    assert stat(crawl, "finish_reason") == "x"


def test_the_honest_sites_are_crawled_whole(verdict, web):
    assert len(ATTACKS) >= HONEST == 60
    assert web.honest_urls - verdict.asked.keys() == set()
    assert web.media - verdict.records.keys() == set()
