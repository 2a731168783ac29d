"""A user's own middlewares and pipelines, at their worst: each request's lease ends all the same, exactly once."""

from pathlib import Path

import crawling
import pytest
from crawling import Crawl
from judging import Verdict
from lists_web import ListsWeb

from mediacrawl.programs.demo.library import grow_mp3, media_bytes

ATTEMPTS = 2

# Path of the URL, which says what happens to it -> how it ends, and how often the server is requested it.
CASES = {
    "/untouched": ("done", 1),
    "/untouched.mp3": ("complete", 2),
    # A downloader middleware, before the request goes out
    "/ignored-on-the-way": ("ignored", 0),
    "/raises-on-the-way": ("download_error", 0),
    "/answered": ("done", 0),
    "/replaced-once": ("done", 1),
    "/replaced-for-ever": ("download_error", 0),
    "/sent-elsewhere": ("done", 0),
    "/renewed-on-the-way": ("ignored", 0),
    "/renewed-elsewhere": ("ignored", 0),
    # ... and when the answer has come
    "/ignored-on-the-way-back": ("ignored", 1),
    "/raises-on-the-way-back": ("download_error", ATTEMPTS),
    "/retried-for-ever": ("download_error", ATTEMPTS),
    "/moved-elsewhere": ("done", 1),
    "/renewed-on-the-way-back": ("done", 1),
    "/rescued": ("done", 1),
    # A spider middleware
    "/raises-before-the-spider": ("download_error", ATTEMPTS),
    "/raises-behind-the-spider.mp3": ("callback_error", 2),
    "/swallowed.mp3": ("done", 2),
    "/doubled.mp3": ("complete", 2),
    # A pipeline
    "/raises.mp3": ("callback_error", 2 * ATTEMPTS),
    "/dropped.mp3": ("done", 2),
    "/replaced.mp3": ("complete", 2),
    "/slow.mp3": ("complete", 2),
}
ELSEWHERE = {"/sent-elsewhere", "/moved-elsewhere", "/renewed-elsewhere"}
SONG = grow_mp3(media_bytes("nachtzug.mp3"), 30)


class DecentWeb(ListsWeb):
    """Each case has a host of its own, so that none slows another down."""

    def start(self):
        super().start()
        self.urls = {}
        for path in CASES:
            name = path.strip("/").replace(".", "-")
            body = (SONG, "audio/mpeg") if path.endswith(".mp3") else ("<p>decent</p>",)
            self.urls[path] = self.put(name, path, *body)
            self.put(f"elsewhere-{name}", "/elsewhere", "<p>decent</p>")
        self.seeds = list(self.urls.values())

    async def _answer(self, exchange):
        if exchange.request.path == "/rescued":
            exchange.reset()
        else:
            await super()._answer(exchange)


@pytest.fixture(scope="module")
def crawl(tmp_path_factory):
    with DecentWeb() as web:
        crawl = Crawl(web, tmp_path_factory.mktemp("meddling"))
        crawl.imports.append(Path(__file__).parent)
        from mediacrawl import settings

        parts = {
            "DOWNLOADER_MIDDLEWARES": {**settings.DOWNLOADER_MIDDLEWARES, "meddling.Meddler": 500},
            "SPIDER_MIDDLEWARES": {**settings.SPIDER_MIDDLEWARES, "meddling.SpiderMeddler": 500},
            "ITEM_PIPELINES": {**settings.ITEM_PIPELINES, "meddling.MeddlingPipeline": 100},
        }
        crawl.start(**parts, FRONTIER_ATTEMPTS=ATTEMPTS)
        crawl.code = crawl.wait(60)
        yield crawl


@pytest.fixture(scope="module")
def verdict(crawl):
    return Verdict(crawl)


def test_the_crawl_ends_by_itself(crawl):
    assert crawl.code == 0, crawl.text()[-3000:]


def test_no_url_waits_and_none_is_leased(verdict):
    assert (verdict.waiting, verdict.leased) == ([], 0)
    assert len(verdict.ends) == sum(verdict.ended.values()) == len(CASES) + len(ELSEWHERE)


@pytest.mark.parametrize("path", CASES)
def test_a_request_that_was_meddled_with_ends_in_one_way(crawl, verdict, path):
    assert verdict.of(crawl.web.urls[path]) == CASES[path]


@pytest.mark.parametrize("path", sorted(ELSEWHERE))
def test_a_request_for_another_url_is_crawled_as_that_urls_own_site_may_be(crawl, verdict, path):
    url = crawl.web.urls[path].replace("://", "://elsewhere-").replace(path, "/elsewhere")
    assert verdict.of(url) == ("done", 1)
    first = min(
        (entry for entries in verdict.asked.values() for entry in entries if entry.host.startswith("elsewhere-")),
        key=lambda entry: entry.received_monotonic,
    )
    assert first.path == "/robots.txt"


def test_what_a_pipeline_makes_of_an_item_is_stored(crawl, verdict):
    assert verdict.records[crawl.web.urls["/replaced.mp3"]]["title"] == "replaced"
    assert verdict.records[crawl.web.urls["/untouched.mp3"]]["title"] not in (None, "replaced")


def test_no_site_was_asked_sooner_than_its_delay(crawl):
    gaps = list(crawl.gaps())
    assert len(gaps) > 20
    assert [gap for gap in gaps if gap[0] < crawling.MIN_DELAY - crawling.CLOCK] == []
