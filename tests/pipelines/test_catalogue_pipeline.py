"""CataloguePipeline as others use it: switched on by one line in a stock Scrapy project."""

import json
import sqlite3
import sys
from dataclasses import dataclass

import pytest
import scrapy
from command_line import run
from scrapy.settings import Settings
from scrapy.utils.test import get_crawler

from mediacrawl.base.facts import PAGE, fact
from mediacrawl.crawl.own_settings import catalogue_path
from mediacrawl.pipelines import CataloguePipeline
from mediacrawl.record import Description, MediaItem
from mediacrawl.store import Catalogue, StoreError

URL = "https://a.example/x.mp3"

PROGRAM = """
import sys
import warnings
from dataclasses import dataclass
import scrapy
from scrapy.crawler import CrawlerProcess
from scrapy.exceptions import ScrapyDeprecationWarning

warnings.simplefilter("error", ScrapyDeprecationWarning)

@dataclass
class Song:
    content_url: str
    title: str

class Track(scrapy.Item):
    content_url = scrapy.Field()
    title = scrapy.Field()

class MusicSpider(scrapy.Spider):
    name = "music"
    start_urls = ["data:text/plain,x"]

    def parse(self, response):
        yield {"content_url": "https://a.example/1.mp3", "title": "a dict"}
        yield Song("https://a.example/2.mp3", "a dataclass")
        yield Track(content_url="https://a.example/3.mp3", title="an item")
        yield {"title": "no address"}

process = CrawlerProcess({
    "ITEM_PIPELINES": {"mediacrawl.pipelines.CataloguePipeline": 300},
    "MEDIACRAWL_DB": sys.argv[1],
    "TELNETCONSOLE_ENABLED": False,
})
crawler = process.create_crawler(MusicSpider)
process.crawl(crawler)
process.start()
stats = crawler.stats.get_stats()
print(stats.get("item_scraped_count"), *(stats.get("catalogue/" + name) for name in ("new", "updated", "skipped")))
"""


def run_stock_crawl(database, folder):
    (folder / "program.py").write_text(PROGRAM, encoding="utf-8")
    return run(folder, sys.executable, "program.py", str(database))


def test_a_stock_project_stores_items_of_every_kind(tmp_path):
    path = tmp_path / "found" / "media.db"
    for numbers in ("4 3 None 1", "4 None 3 1"):
        done = run_stock_crawl(path, tmp_path)
        assert done.out.split("\n")[-2] == numbers, done.err
    assert "Traceback" not in done.err
    with Catalogue(path, read_only=True) as catalogue:
        assert {record["title"] for record in catalogue.newest()} == {"a dict", "a dataclass", "an item"}


def test_a_crawl_whose_catalogue_cannot_be_opened_fetches_nothing(tmp_path):
    path = tmp_path / "notes.txt"
    path.write_text("These are my notes.")
    done = run_stock_crawl(path, tmp_path)
    assert "is no SQLite database" in done.err
    assert done.out.split("\n")[-2] == "None None None None"


@pytest.fixture
def crawler(tmp_path):
    return get_crawler(settings_dict={"MEDIACRAWL_DB": str(tmp_path / "media.db")})


@pytest.fixture
def pipeline(crawler):
    pipeline = CataloguePipeline.from_crawler(crawler)
    pipeline.open_spider()
    yield pipeline
    pipeline.close_spider()


class Track(scrapy.Item):
    content_url = scrapy.Field()


@dataclass
class Song:
    content_url: str


@pytest.mark.parametrize("item", [MediaItem(content_url=URL), Song(URL), Track(content_url=URL), {"content_url": URL}])
def test_an_item_is_passed_on_unchanged_and_is_in_the_file_at_once(pipeline, crawler, tmp_path, item):
    assert pipeline.process_item(item) is item
    assert pipeline.process_item(item) is item
    with Catalogue(tmp_path / "media.db", read_only=True) as other:
        assert [record["content_url"] for record in other.newest()] == [URL]
    assert crawler.stats.get_value("catalogue/new") == 1
    assert crawler.stats.get_value("catalogue/again") == 1


@pytest.mark.parametrize("item", [{"title": "x"}, {"content_url": ""}, {"content_url": ["a list"]}, object(), None])
def test_an_item_without_an_address_is_passed_on_and_counted(pipeline, crawler, item):
    assert pipeline.process_item(item) is item
    assert crawler.stats.get_value("catalogue/skipped") == 1
    assert crawler.stats.get_value("catalogue/new") is None


def test_an_item_that_cannot_be_stored_stands_whole_in_the_log(pipeline, crawler, tmp_path, caplog):
    with sqlite3.connect(tmp_path / "media.db") as raw:
        raw.execute("DROP TABLE media_text")
    raw.close()
    with pytest.raises(StoreError):
        pipeline.process_item({"content_url": URL, "title": "夜 \ud800", "bytes": b"\xff"})
    (record,) = [record for record in caplog.records if record.levelname == "CRITICAL"]
    replayed = json.loads(record.getMessage()[record.getMessage().index("{") :])
    assert replayed == {"content_url": URL, "title": "夜 \ufffd", "bytes": "/w=="}
    assert crawler.stats.get_value("catalogue/error") == 1


@pytest.mark.parametrize(
    ("settings", "path"),
    [
        ({}, ".mediacrawl/media.db"),
        ({"MEDIACRAWL_DIR": "/var/crawl"}, "/var/crawl/media.db"),
        ({"MEDIACRAWL_DIR": "/var/crawl", "JOBDIR": "job"}, "job/media.db"),
        ({"JOBDIR": "job", "MEDIACRAWL_DB": "music.db"}, "job/music.db"),
        ({"JOBDIR": "job", "MEDIACRAWL_DB": "./music.db"}, "job/music.db"),
        ({"JOBDIR": "job", "MEDIACRAWL_DB": "found/music.db"}, "found/music.db"),
        ({"JOBDIR": "job", "MEDIACRAWL_DB": "/srv/music.db"}, "/srv/music.db"),
    ],
)
def test_the_catalogue_is_in_the_state_folder_unless_a_folder_is_named(settings, path):
    assert str(catalogue_path(Settings(settings))) == path


def described(number, text):
    told = fact(PAGE, "json-ld:license", "license_url", f"https://b.example/{text}")
    return Description(f"https://a.example/{number}.mp3", f"https://b.example/page-{text}", [told])


def record_of(number):
    url = f"https://a.example/{number}.mp3"
    return MediaItem(content_url=url, id=MediaItem.id_of(url), probe_status="complete")


def test_what_is_said_of_a_file_before_it_has_a_record_waits_for_it(pipeline, crawler, tmp_path):
    for text in ("one", "two", "three", "four"):
        pipeline.describe(described(1, text))
    assert crawler.stats.get_value("catalogue/described") is None
    pipeline.process_item(record_of(1))
    pipeline.describe(described(1, "two"))
    with Catalogue(tmp_path / "media.db", read_only=True) as other:
        (found,) = other.newest()
    assert found["license_url"] == "https://b.example/one"
    pages = [f"https://b.example/page-{text}" for text in ("one", "two", "three")]
    assert [tag["page_url"] for tag in found["tags"]] == pages


# A description of these has 34 characters.
@pytest.mark.parametrize(("limit", "most"), [("_MOST_WAITING", 2), ("_MOST_CHARACTERS", 68), ("_MOST_CHARACTERS", 101)])
def test_of_too_much_that_waits_the_oldest_is_forgotten(pipeline, tmp_path, monkeypatch, limit, most):
    monkeypatch.setattr(f"mediacrawl.pipelines.store.{limit}", most)
    for number in range(3):
        pipeline.describe(described(number, "x"))
    for number in range(3):
        pipeline.process_item(record_of(number))
    with Catalogue(tmp_path / "media.db", read_only=True) as other:
        assert [found["license_url"] is not None for found in other.newest()] == [True, True, False]
