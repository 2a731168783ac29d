"""MojibakePipeline as others use it: switched on by one line in a stock Scrapy project, with items of every kind."""

import asyncio
import copy
import json
import threading
from dataclasses import dataclass, field, replace

import attrs
import pydantic
import pytest
import scrapy
from misreading import stripped
from reactor_thread import wait_for
from scrapy.exceptions import CloseSpider
from scrapy.utils.defer import ensure_awaitable
from scrapy.utils.test import get_crawler

from mediacrawl.base.charsets import decode
from mediacrawl.base.evidence import tag_element
from mediacrawl.base.terms import Tag
from mediacrawl.encoding import Substitutions, detect
from mediacrawl.pipelines import MojibakePipeline, mojibake
from mediacrawl.programs.demo.answers import Resource
from mediacrawl.record import MediaItem
from mediacrawl.record.fixer import MOST_FIELDS
from mediacrawl.record.values import best_values

TITLE = "Подмосковные вечера и тихая песня"
ARTIST = "Ансамбль народной музыки"
URL = "http://music.example.ru/a.mp3"


def mangled(text):
    return text.encode("cp1251").decode("latin-1")


def element(text, key, frame):
    raw = text.encode("cp1251")
    return tag_element(Tag("id3v2.3", frame, key, "latin-1", raw, decode(raw, "latin-1")))


def process(pipeline, *items):
    """What the pipeline makes of items that come at once, in the order in which they are done."""
    done = []

    async def one(item):
        done.append(await ensure_awaitable(pipeline.process_item(item)))

    async def every():
        await asyncio.gather(*map(one, items))

    wait_for(every)
    return done


def our_item(url=URL):
    tags = [element(TITLE, "title", "TIT2"), element(ARTIST, "artist", "TPE1")]
    return MediaItem(content_url=url, tags=tags, **best_values(tags))


class Track(scrapy.Item):
    title = scrapy.Field()


class ProvenTrack(Track):
    mojibake = scrapy.Field()


@dataclass
class Song:
    title: str


@dataclass
class ProvenSong:
    title: str
    mojibake: dict = field(default_factory=dict)


@attrs.define
class Tune:
    title: str


class Melody(pydantic.BaseModel):
    title: str


@attrs.frozen
class FrozenTune:
    title: str


@pytest.fixture
def opened(tmp_path):
    """Makes the pipeline with settings of a project; closes it at the end."""
    made = []

    def make(**settings):
        crawler = get_crawler(settings_dict={"MEDIACRAWL_DIR": str(tmp_path / "state"), **settings})
        pipeline = MojibakePipeline.from_crawler(crawler)
        if refused := pipeline.open_spider():
            asyncio.run(refused)
        made.append(pipeline)
        return pipeline, crawler.stats

    yield make
    for pipeline in made:
        pipeline.close_spider()


def test_our_record_is_corrected_and_counted(opened):
    pipeline, stats = opened()
    item = our_item()
    assert process(pipeline, item) == [item]
    assert (item.title, item.artist) == (TITLE, ARTIST)
    assert item.tags[0]["decision"] == "fixed"
    assert stats.get_value("mojibake/fields") == 2
    assert stats.get_value("mojibake/fixed") == 2
    named = {name: value for name, value in stats.get_stats().items() if name.startswith("mojibake/encoding/")}
    assert sum(named.values()) == 2
    assert stats.get_value("mojibake/error") is None


KINDS = [dict, Track, ProvenTrack, Song, ProvenSong, Tune, Melody]


@pytest.mark.parametrize("kind", KINDS)
def test_an_item_of_any_kind_is_corrected_in_place(opened, kind):
    pipeline, stats = opened()
    item = kind(title=mangled(TITLE))
    assert pipeline.process_item(item) is item
    title = item["title"] if isinstance(item, (dict, scrapy.Item)) else item.title
    assert title == TITLE
    assert stats.get_value("mojibake/fixed") == 1


def test_an_item_that_cannot_be_changed_passes_untouched_and_is_told_once(opened, caplog):
    pipeline, stats = opened()
    for _ in range(3):
        item = FrozenTune(mangled(TITLE))
        assert pipeline.process_item(item) is item
        assert item == FrozenTune(mangled(TITLE))
    assert stats.get_value("mojibake/error") == 3
    assert len([line for line in caplog.messages if "FrozenTune" in line]) == 1


@pytest.mark.parametrize("item", [None, 7, object(), "text", {}, {"title": None}, {"tags": [{"declared": 7}]}])
def test_what_is_no_text_passes_untouched(opened, item):
    pipeline, _ = opened()
    before = copy.copy(item)
    assert pipeline.process_item(item) is item
    if isinstance(item, dict):
        assert item == before


@pytest.mark.parametrize(
    "fields",
    [["headline"], {"headline": ""}, {"headline": "raw"}, "x, headline", '{"headline": "raw"}', '["headline"]'],
)
def test_a_setting_says_which_fields_are_text(opened, fields):
    pipeline, _ = opened(MOJIBAKE_FIELDS=fields)
    item = {"headline": mangled(TITLE), "title": mangled(TITLE), "raw": TITLE.encode("cp1251")}
    pipeline.process_item(item)
    assert (item["headline"], item["title"]) == (TITLE, mangled(TITLE))


@pytest.mark.parametrize("fields", [7, "{broken"])
def test_a_setting_that_cannot_be_read_ends_the_crawl_with_one_sentence(opened, caplog, fields):
    with pytest.raises(CloseSpider):
        opened(MOJIBAKE_FIELDS=fields)
    (line,) = [line for line in caplog.messages if "MOJIBAKE_FIELDS" in line]
    assert "\n" not in line


@pytest.mark.usefixtures("bundled_models")
def test_models_of_ones_own_decide_and_those_of_another_crawl_do_not(opened, breton):
    for models, language in (([], ""), ([str(breton)], "br"), (str(breton), "br"), ([], "")):
        pipeline, _ = opened(MOJIBAKE_MODELS=models)
        item = pipeline.process_item({"title": "Homañ vras".encode("cp850").decode("latin-1")})
        assert (item["title"] == "Homañ vras") is (language == "br")
        assert (item["mojibake"]["title"]["language"] == "br") is (language == "br")


@pytest.mark.parametrize("name", ["none.bin", "br.txt"])
def test_a_model_that_cannot_be_used_ends_the_crawl_with_one_sentence(opened, caplog, tmp_path, name):
    (tmp_path / "br.txt").write_text("no model")
    with pytest.raises(CloseSpider):
        opened(MOJIBAKE_MODELS=[str(tmp_path / name)])
    (line,) = [line for line in caplog.messages if "MOJIBAKE_MODELS" in line]
    assert name in line
    assert "\n" not in line


def test_what_was_learned_is_kept_for_the_next_crawl(opened, tmp_path, monkeypatch):
    priors = []

    def surely(fields, hints, **_):
        priors.append(dict(hints.seen))
        return replace(detect(fields, hints), encoding="cp1251", language="ru", margin=9.0)

    monkeypatch.setattr("mediacrawl.record.fixer.detect", surely)
    pipeline, _ = opened()
    process(pipeline, our_item())
    pipeline.close_spider()
    assert "music.example.ru" in json.loads((tmp_path / "state" / "encodings.json").read_bytes())["hosts"]
    again, _ = opened()
    process(again, our_item("http://music.example.ru/other.mp3"))
    assert priors == [{}, {("cp1251", "ru"): 1.0}]


def test_what_rechecks_learned_of_damage_is_used_where_the_models_are_unsure(opened, tmp_path):
    right = "Океан Ельзи"
    lost = stripped(right)
    alone, _ = opened()
    assert alone.process_item({"artist": lost})["artist"] != right
    learned = Substitutions()
    for _ in range(2):
        learned.learn(lost, right, "utf-8")
    learned.save(tmp_path / "state" / "substitutions.json")
    taught, _ = opened()
    assert taught.process_item({"artist": lost})["artist"] == right


# -- the thread ----------------------------------------------------------------------------------------------------


class Slow:
    """Takes the place of a fixer: the first record is decided when `go` is set."""

    def __init__(self, pipeline):
        self.fixer, pipeline._fixer = pipeline._fixer, self
        self.began, self.go = threading.Event(), threading.Event()
        self.threads, self.order = set(), []

    def fix(self, item):
        self.threads.add(threading.current_thread())
        self.order.append(item["content_url"])
        self.began.set()
        assert self.go.wait(10)
        return self.fixer.fix(item)


def test_our_records_are_decided_one_at_a_time_in_their_order_while_the_reactor_goes_on(opened):
    pipeline, _ = opened()
    slow = Slow(pipeline)
    # The last is an item of another project: it waits for its turn, since what was learned is in a thread's hands.
    items = [*(our_item(f"http://{number}.example/a.mp3") for number in range(4)), {"content_url": "x"}]

    async def meanwhile():
        def begin(item):
            return asyncio.ensure_future(ensure_awaitable(pipeline.process_item(item)))

        waiting = [begin(item) for item in items[:4]]
        while not slow.began.is_set():
            await asyncio.sleep(0.01)
        waiting.append(begin(items[4]))
        await asyncio.sleep(0.05)
        assert slow.order == [items[0].content_url]
        assert not any(task.done() for task in waiting)
        slow.go.set()
        return threading.current_thread(), await asyncio.gather(*waiting)

    reactor, given = wait_for(meanwhile)
    assert given == items
    assert slow.order == [*(item.content_url for item in items[:4]), "x"]
    assert reactor not in slow.threads


def test_a_full_disk_fails_one_record_and_those_that_wait_are_decided(opened, monkeypatch):
    pipeline, _ = opened()
    full = [OSError("No space left on device")]

    def save(*_):
        if full:
            raise full.pop()

    monkeypatch.setattr(mojibake, "_SAVE_EVERY", 2)
    monkeypatch.setattr(pipeline, "_save", save)
    items = [our_item(f"http://{number}.example/a.mp3") for number in range(4)]

    async def meanwhile():
        waiting = (ensure_awaitable(pipeline.process_item(item)) for item in items)
        return await asyncio.gather(*waiting, return_exceptions=True)

    given = wait_for(meanwhile)
    assert [type(each) for each in given].count(OSError) == 1
    assert [item.title for item in items].count(TITLE) == 4
    assert not pipeline._waiting


def test_texts_that_are_too_many_are_counted(opened):
    pipeline, stats = opened()
    item = replace(our_item(), tags=[element(f"{TITLE} {number}", "comment", "COMM") for number in range(300)])
    process(pipeline, item)
    assert stats.get_value("mojibake/fields") == MOST_FIELDS
    assert stats.get_value("mojibake/left") == 300 - MOST_FIELDS


TITLES_SPIDER = '''\
import scrapy


class TitlesSpider(scrapy.Spider):
    """Reads a page the way many do: as Latin-1, whatever it is."""

    name = "titles"

    async def start(self):
        for url in self.urls.split(","):
            yield scrapy.Request(url)

    def parse(self, response):
        for line in response.body.decode("latin-1").splitlines():
            yield {"content_url": response.url + "#" + str(len(line)), "title": line}
'''


def test_a_stock_project_with_only_this_pipeline_gets_right_titles(project, site):
    project.spider(TITLES_SPIDER)
    site.at("/", Resource(f"{TITLE}\n{ARTIST}\nPlain words".encode("cp1251"), "text/plain"))
    project.set(ITEM_PIPELINES={"mediacrawl.pipelines.MojibakePipeline": 200})
    crawled = project.crawl(site.url("/"), spider="titles").check()
    assert [item["title"] for item in crawled.items] == [TITLE, ARTIST, "Plain words"]
    assert crawled.items[0]["mojibake"]["title"]["before"] == mangled(TITLE)
    assert "'mojibake/fixed': 2" in crawled.log
