"""How much of an answer is read, by what is known of its server."""

import pytest
from scrapy import Request
from scrapy.exceptions import StopDownload
from scrapy.http import Headers
from scrapy.utils.test import get_crawler

from mediacrawl.crawl.context import CrawlContext
from mediacrawl.frontier import FrontierError
from mediacrawl.middlewares import CutMiddleware
from mediacrawl.records import Evidence, Kind, Lease
from mediacrawl.visit import VISIT, FetchFacts, Visit

URL = "http://music.example/song"
LIMITS = {"PROBE_HEAD_BYTES": 1000, "PAGE_MAX_BYTES": 9000}


@pytest.fixture
def crawler():
    return get_crawler(settings_dict=LIMITS)


@pytest.fixture
def cut(crawler):
    return CutMiddleware.from_crawler(crawler)


def asked(cut, kind=Kind.PAGE, *, by_range=0, **told):
    """The limit of a visit whose answer has these headers."""
    lease = Lease(1, URL, "music.example", "", kind, 0, 0, "", Evidence(), 0, b"", 0.0, 0.0)
    visit = Visit(lease, FetchFacts(URL, kind, sent=1.0, range_bytes=by_range))
    cut._headers_received(Headers({name.replace("_", "-"): value for name, value in told.items()}), request(visit))
    return visit


def request(visit):
    return Request(URL, meta={VISIT: visit})


def test_a_page_that_turns_out_to_be_media_is_read_as_its_server_is_known(cut, crawler):
    assert asked(cut, Content_Type="audio/mpeg").fetch.body_limit == 1000
    CrawlContext.of(crawler).habits.learn("http://music.example", obeys=False)
    assert asked(cut, Content_Type="audio/mpeg").fetch.body_limit == 65_536


def test_of_a_frontier_that_has_failed_nobody_asks_what_servers_do(cut, crawler, monkeypatch):
    def fail(authority):
        raise FrontierError(f"the disk is full: {authority}")

    monkeypatch.setattr(CrawlContext.of(crawler).habits, "ignores", fail)
    assert asked(cut, Content_Type="audio/mpeg").fetch.body_limit == 1000


def test_an_answer_ends_with_the_read_that_reaches_its_limit(cut):
    visit = asked(cut, Kind.MEDIA, by_range=1000, Content_Type="audio/mpeg")
    cut._bytes_received(bytes(65_535), request(visit))
    with pytest.raises(StopDownload) as stop:
        cut._bytes_received(b"x", request(visit))
    assert not stop.value.fail
    assert visit.fetch.bytes == 65_536


def test_what_is_no_media_and_no_page_ends_before_its_body(cut):
    with pytest.raises(StopDownload):
        asked(cut, Content_Type="image/png")
