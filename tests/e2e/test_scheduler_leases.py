"""A lease of which no request can be made ends too."""

import pytest
from scrapy import Request, Spider
from scrapy.utils.test import get_crawler

from mediacrawl.base.terms import Candidate
from mediacrawl.crawl.context import CrawlContext
from mediacrawl.frontier import Frontier
from mediacrawl.scheduler import PenaltyBoxScheduler
from mediacrawl.scope import site_of


class ChoosySpider(Spider):
    """Its own code fails for one kind of URL, as after an update between two runs."""

    name = "choosy"
    makes_requests_of_leases = True

    def make_request(self, visit):
        if "old" in visit.fetch.url:
            raise ValueError("this spider has no callback 'parse_old' any more")
        return Request(visit.fetch.url)


@pytest.fixture
def scheduler(tmp_path):
    crawler = get_crawler(
        ChoosySpider,
        {
            "SCHEDULER": "mediacrawl.scheduler.PenaltyBoxScheduler",
            "MEDIACRAWL_DIR": str(tmp_path),
            "FRONTIER_EXPLORE": 0,
        },
        prevent_warnings=False,
    )
    crawler.spider = ChoosySpider()
    scheduler = PenaltyBoxScheduler.from_crawler(crawler)
    CrawlContext.of(crawler).open()
    yield scheduler
    CrawlContext.of(crawler).close()


def join(frontier: Frontier, *urls):
    frontier.add([Candidate(url, site_of(url)) for url in urls])


def test_a_lease_of_which_the_spider_makes_no_request_ends_and_the_next_goes_out(scheduler, caplog):
    join(scheduler.frontier, "http://a.example/old", "http://b.example/old", "http://c.example/new")
    request = scheduler.next_request()
    assert request.url == "http://c.example/new"
    assert scheduler.frontier.counts().ends == {"callback_error": 2}
    assert scheduler.frontier.pending() == 1
    assert [record.levelname for record in caplog.records] == ["ERROR", "ERROR"]


def test_when_no_request_can_be_made_of_any_lease_there_is_none(scheduler):
    join(scheduler.frontier, "http://a.example/old")
    assert scheduler.next_request() is None
    assert not scheduler.has_pending_requests()
