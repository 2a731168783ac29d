"""Where the frontiers of other people's spiders lie, and what a second run finds there."""

import pytest

pytestmark = pytest.mark.slow

DELAY = 0.05

LISTING = """\
import scrapy


class {title}Spider(scrapy.Spider):
    name = "{name}"

    async def start(self):
        yield scrapy.Request(self.urls, callback=self.{name}_list)

    def {name}_list(self, response):
        for href in response.css("a::attr(href)").getall():
            yield response.follow(href, callback=self.{name}_item)

    def {name}_item(self, response):
        yield {{"by": self.name, "at": response.url}}
"""


@pytest.fixture
def boxed(project):
    project.set(
        SCHEDULER="mediacrawl.scheduler.PenaltyBoxScheduler",
        POLITENESS_FACTOR=0.0,
        POLITENESS_MIN_DELAY=DELAY,
        POLITENESS_FIRST_DELAY=DELAY,
        POLITENESS_ADDRESS_FACTOR=0.0,
        POLITENESS_ADDRESS_MIN_DELAY=0.0,
    )
    for name in ("one", "two"):
        project.spider(LISTING.format(name=name, title=name.title()))
    return project


def test_a_second_run_of_a_spider_without_jobdir_begins_anew(boxed, site):
    site.page("/", "/a", "/b")
    site.page("/a")
    site.page("/b")
    first = boxed.crawl(site.url("/"), spider="one").check()
    second = boxed.crawl(site.url("/"), spider="one").check()
    assert len(second.items) == 2
    assert sorted(second.items, key=str) == sorted(first.items, key=str)
    assert sorted(site.paths) == ["/", "/", "/a", "/a", "/b", "/b"]
    # Nothing but the items and the log of the crawl, which the test named itself.
    assert sorted(path.name for path in boxed.state.rglob("*")) == ["crawl.log", "items.jl"]


def test_spiders_with_one_jobdir_have_frontiers_of_their_own_and_each_goes_on_with_its_own(boxed, site):
    boxed.set(JOBDIR=str(boxed.state / "job"))
    pages = [f"/{number}" for number in range(4)]
    site.page("/one", *pages)
    site.page("/two", "/0", "/other")
    site.page("/other")
    goes_on = [site.hold(path) for path in pages]
    boxed.start(site.url("/one"), spider="one")
    try:
        site.until(lambda log: len(log) >= 2)
        boxed.process.terminate()
        boxed.until_logged("Received SIGTERM")
    finally:
        for event in goes_on:
            event.set()
        first = boxed.wait()
    assert first.code == 0
    begun = list(site.paths)
    other = boxed.crawl(site.url("/two"), spider="two").check()
    assert sorted(item["at"] for item in other.items) == [site.url("/0"), site.url("/other")]
    assert {item["by"] for item in other.items} == {"two"}
    assert "can be made" not in other.log
    second = boxed.crawl(site.url("/one"), spider="one").check()
    assert {item["by"] for item in second.items} == {"one"}
    assert {item["at"] for item in [*first.items, *second.items]} == {site.url(path) for path in pages}
    # What was out when the crawl was stopped may be requested once more, and nothing else.
    assert len(second.items) <= len(pages) - len(begun) + 2
    folders = {path.parent.relative_to(boxed.state) for path in boxed.state.rglob("frontier.db")}
    assert {str(path) for path in folders} == {"job/spiders/one", "job/spiders/two"}


@pytest.mark.parametrize("name", ["../up", "..", "a/b", "log"])
def test_a_spiders_name_leads_to_no_other_folder(tmp_path, name):
    from mediacrawl.config.own_settings import spider_folder

    folder = spider_folder(tmp_path, name)
    assert folder.resolve().parent == tmp_path / "spiders"
