"""The spiders that crawl beside the media crawl, where its frontier is in Redis and they cannot see what it asks."""

import pytest
from command_line import crawl_command, run
from scrapy.settings import Settings

from mediacrawl.crawl.arguments import ArgumentError
from mediacrawl.crawl.context import CrawlContext
from mediacrawl.programs.recheck.spider import RecheckSpider
from mediacrawl.spiders.feeds import FeedsSpider

STORES = ["redis", "redis://127.0.0.1:9/0"]


@pytest.mark.parametrize("store", STORES)
@pytest.mark.parametrize(("spider", "given"), [("feeds", {"feeds": "http://one.example/"}), ("recheck", {})])
def test_a_user_is_told_in_one_sentence_that_they_do_not_start(tmp_path, spider, given, store):
    settings = {"SCHEDULER_STORE": store, "MEDIACRAWL_DIR": tmp_path / "state", "LOG_LEVEL": "INFO"}
    done = run(tmp_path, *crawl_command(given, settings, spider))
    assert "SCHEDULER_STORE = 'redis' it cannot see what the workers request" in done.sentence
    assert not (tmp_path / "state" / spider).exists()


@pytest.mark.parametrize("store", STORES)
@pytest.mark.parametrize("spider", [FeedsSpider, RecheckSpider])
def test_a_program_that_starts_them_without_the_command_is_told_too(tmp_path, spider, store):
    context = CrawlContext(Settings({"SCHEDULER_STORE": store, "MEDIACRAWL_DIR": str(tmp_path)}))
    with pytest.raises(ArgumentError, match=f"^{spider.name} shares the delays of sites"):
        spider.own_folder(context.settings)
