"""The stats collector counts as Scrapy's does."""

from scrapy.statscollectors import MemoryStatsCollector
from scrapy.utils.test import get_crawler

from mediacrawl.crawl.stats import PlainStatsCollector
from mediacrawl.spiders.media import MediaSpider


def test_it_counts_as_scrapys_collector_does():
    counted = []
    for kind in (MemoryStatsCollector, PlainStatsCollector):
        crawler = get_crawler()
        stats = kind(crawler)
        stats.open_spider()
        stats.inc_value("a")
        stats.inc_value("a", 3)
        stats.inc_value("b", start=10)
        stats.max_value("c", 3)
        stats.max_value("c", 2)
        stats.min_value("d", 3)
        stats.min_value("d", 2)
        stats.set_value("e", "x")
        counted.append((stats.get_stats(), stats.get_value("a"), stats.get_value("none", 7)))
        stats.close_spider(reason="finished")
        stats.clear_stats()
        assert stats.get_stats() == {}
    assert counted[0] == counted[1]


def test_a_caller_may_still_give_the_spider():
    stats = PlainStatsCollector(get_crawler())
    stats.inc_value("a", spider=object())
    assert stats.get_value("a", spider=object()) == 1


def test_a_crawl_of_ours_has_it():
    # The event loop is not this test's matter, and a test before it in the same process may have started another one.
    crawler = get_crawler(MediaSpider, {"ADDONS": {"mediacrawl.MediaCrawl": 0}, "ASYNCIO_EVENT_LOOP": None})
    assert type(crawler.stats) is PlainStatsCollector
