"""The scheduler alone in somebody else's project: it learns how long sites take, and no part of ours has to help it."""

import time

import pytest
from stock_project import CLOCK, SPIDER

from mediacrawl.frontier.sqlite.reader import FrontierReader

pytestmark = pytest.mark.slow


@pytest.fixture
def boxed(project):
    project.set(
        SCHEDULER="mediacrawl.scheduler.PenaltyBoxScheduler",
        JOBDIR=str(project.state / "job"),
        POLITENESS_FACTOR=2.0,
        POLITENESS_MIN_DELAY=0.05,
        POLITENESS_FIRST_DELAY=0.3,
    )
    return project


def known(project, spider="links"):
    """The one site, as the frontier knows it after the crawl."""
    with FrontierReader(project.state / "job" / "spiders" / spider / "frontier.db") as reader:
        return reader.site("127.0.0.1", time.time())


def test_the_delay_follows_the_times_of_the_answers(boxed, site):
    pages = [f"/{number}" for number in range(6)]
    site.page("/", *pages)
    for path in pages:
        site.page(path, delay=0.1)
    crawled = boxed.crawl(site.url("/")).check()
    told = known(boxed)
    assert len(told.samples) == 5
    assert min(told.samples) >= 0.1 - CLOCK
    assert told.delay == pytest.approx(2.0 * sum(told.samples) / 5)
    assert min(site.gaps()) >= 0.2 - CLOCK
    said = (
        "for 2 times its mean response time, at least 0.05 and at most 1800 s; until 5 times are known, at least 0.3 s"
    )
    assert said in crawled.log


@pytest.mark.parametrize("where", ["settings", "spider"])
def test_the_delay_of_the_user_is_never_undercut_and_the_log_says_so(boxed, site, where):
    site.page("/", *(f"/{number}" for number in range(6)))
    for number in range(6):
        site.page(f"/{number}")
    boxed.spider(
        SPIDER.replace("LinksSpider", "SlowSpider").replace(
            'name = "links"', 'name = "slow"\n    custom_settings = {"DOWNLOAD_DELAY": 0.7}'
        )
    )
    boxed.set(DOWNLOAD_DELAY=0.7 if where == "settings" else 0.1)
    name = "links" if where == "settings" else "slow"
    crawled = boxed.crawl(site.url("/"), spider=name).check()
    assert min(site.gaps()) >= 0.7 - CLOCK
    assert known(boxed, name).delay == 0.7
    assert "; never less than DOWNLOAD_DELAY, 0.7 s" in crawled.log
