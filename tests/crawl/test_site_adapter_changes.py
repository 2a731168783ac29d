"""What becomes of data requests when site adapters, or the rules of a crawl, change while they wait."""

import asyncio
import json

import pytest
from data_crawl import CLIP, DATA, GIVEN, KEYED, PAGE, CrawlSpider, DataCrawl, crawls
from reactor_thread import wait_for
from scrapy.exceptions import NotConfigured
from scrapy.utils.test import get_crawler

from mediacrawl.base.queued import LINK_CLASS, WAITS, QueuedRequest
from mediacrawl.base.terms import Drop, Evidence, Kind
from mediacrawl.crawl.adapters import CrawlAdapters
from mediacrawl.crawl.context import CrawlContext
from mediacrawl.scope.candidates import candidate
from mediacrawl.scope.exclusions.never import drop_excluded
from mediacrawl.watch.adapter_counts import NAMESPACE, AdapterCounts


@pytest.fixture
def crawl(tmp_path):
    yield from crawls(tmp_path)


def test_after_so_many_misses_an_adapter_is_off_for_what_waits_and_what_comes(crawl, caplog):
    pages = [f"http://clip.example/v/{number}-a" for number in range(5)]
    told = crawl(CLIP, pages=pages, ADAPTER_MISSES=2)
    for _ in pages:
        # All their data requests wait.
        told.frontier.set_scores("clip.example", {"clip.example/v/#-a": 2.0})
        told.step()
    assert told.frontier.site("api.example").waiting == 5
    told.run()
    asked = [url for url in told.urls if "api.example" in url]
    assert len(asked) == 2
    assert sorted(url for url in told.urls if "clip.example" in url) == pages
    assert (told.ends()[Drop.ADAPTER_OFF], told.counts().off) == (3, True)
    (line,) = [each.getMessage() for each in caplog.records if "switched off" in each.getMessage()]
    assert "clip is switched off after 2 misses in a row, the last one at http://clip.example/v/" in line
    told.add("http://clip.example/v/9-a")
    told.run()
    assert told.urls[-1] == "http://clip.example/v/9-a"
    assert (told.stat("adapter/off"), told.stat("adapter/clip/off")) == (1, 1)


def test_an_adapter_that_is_off_stays_it_at_the_next_start_until_its_file_is_changed(crawl, caplog):
    told = crawl(CLIP, pages=[PAGE], ADAPTER_MISSES=1)
    told.run()
    told.close()
    page = "http://clip.example/v/7-a"
    told = crawl(CLIP, pages=[page], ADAPTER_MISSES=1)
    told.run()
    assert told.urls == [page]
    told.close()
    told = crawl({**CLIP, "comment": "changed"}, pages=["http://clip.example/v/8-a"], ADAPTER_MISSES=1)
    told.step()
    assert told.step().link_class == LINK_CLASS


def test_a_data_request_of_a_changed_adapter_is_made_anew(crawl):
    told = crawl(CLIP, pages=[PAGE])
    told.step()
    told.close()
    moved = {**CLIP, "requests": [{"url": "http://new.example/{id}", "read": "json"}]}
    told = crawl(moved)
    told.answers["http://new.example/1"] = 200, GIVEN
    told.run()
    assert told.urls == ["http://new.example/1"]
    assert told.ends()[Drop.ADAPTER_OFF] == 1
    assert told.counts().hit == 1


def test_without_its_adapter_a_data_request_that_waits_becomes_its_page(crawl):
    told = crawl(CLIP, pages=[PAGE])
    told.step()
    told.close()
    told = crawl(ADAPTERS_DIR="")
    told.answers[PAGE] = 200, "<title>Seite</title>"
    told.run()
    assert told.urls == [PAGE]


def test_a_data_url_that_the_scope_refuses_is_not_asked_and_the_page_is(crawl, tmp_path):
    never = tmp_path / "never.txt"
    never.write_text("api.example\n")
    told = crawl(CLIP, pages=[PAGE], NEVERCRAWL_FILES=[str(never)])
    told.answers[PAGE] = 200, "<title>Seite</title>"
    told.run()
    assert told.urls == [PAGE]
    assert (told.stat("adapter/refused"), told.stat("drop/nevercrawl"), told.stat("adapter/tried")) == (1, 1, 0)


@pytest.mark.parametrize("listed", ["api.example", "clip.example"])
def test_what_comes_to_nevercrawl_while_data_wait_holds_for_the_data_and_the_page(crawl, tmp_path, listed):
    told = crawl(CLIP, pages=[PAGE])
    told.step()
    told.close()
    never = tmp_path / "never.txt"
    never.write_text(f"{listed}\n")
    told = crawl(CLIP, NEVERCRAWL_FILES=[str(never)])
    told.answers[PAGE] = 200, "<title>Seite</title>"
    # As at the start of a crawl, and at each change of the list.
    assert sum(drop_excluded(told.frontier, told.context.nevercrawl)) == 0
    told.run()
    assert told.urls == ([PAGE] if listed == "api.example" else [])
    assert told.counts().missed == 0
    assert told.ends()[Drop.NEVERCRAWL] == (1 if listed == "api.example" else 2)


def test_a_chain_that_is_the_same_for_all_pages_is_a_miss_and_loses_none(crawl):
    chain = {
        **KEYED,
        "page": {"host": "clip.example", "path": "/play/{id}"},
        "slots": {"id": {"in": "url"}, "token": {"in": "answer 1", "json": "token"}},
        "requests": [
            {"url": "http://api.example/token/{id}", "read": "json"},
            {"url": "http://api.example/data/{token}", "read": "json"},
        ],
        "records": {"media": [{"json": "file"}]},
    }
    pages = [f"http://clip.example/play/{number}" for number in range(5)]
    told = crawl(chain, pages=pages, ADAPTER_MISSES=3)
    for number in range(5):
        told.answers[f"http://api.example/token/{number}"] = 200, {"token": "none"}
    told.run()
    assert sorted(url for url in told.urls if "/play/" in url) == pages
    assert told.urls.count("http://api.example/data/none") == 1
    counts = told.counts("keyed")
    assert (counts.off, counts.why) == (True, "request 2: it was made for another page")


def test_a_data_request_that_another_program_wrote_is_not_asked(crawl):
    told = crawl(CLIP)
    told.scheduler.add([candidate(DATA, Evidence(WAITS, guid="{"), told.context.scores, Kind.LIST)])
    told.run()
    assert (told.urls, told.ends()) == ([], {Drop.ADAPTER_OFF: 1})


def test_a_data_request_of_a_step_that_the_adapter_does_not_have_is_dropped(crawl):
    told = crawl(CLIP)
    digest = told.context.adapters._adapters.named("clip").digest
    evidence = Evidence(WAITS, guid=QueuedRequest("clip", digest, 3).dump())
    told.scheduler.add([candidate(DATA, evidence, told.context.scores, Kind.LIST)])
    told.answers[DATA] = 200, GIVEN
    told.run()
    assert (told.media, told.ends()) == ([], {Drop.ADAPTER_OFF: 1})


@pytest.mark.parametrize("store", ["memory", "sqlite"])
def test_data_requests_wait_in_a_class_whose_score_is_not_learned(tmp_path, store):
    settings = {"SCHEDULER_STORE": store, "PRIORITY": "adaptive"}
    told = DataCrawl(tmp_path, CLIP, pages=[f"http://clip.example/v/{number}-a" for number in range(9)], **settings)
    told.run()
    ((name, score, _),) = [each for each in told.frontier.site("api.example").classes if each[0] == LINK_CLASS]
    assert (name, score) == (LINK_CLASS, 1.0)
    told.close()


def test_without_our_scheduler_it_is_off(tmp_path):
    with pytest.raises(NotConfigured):
        DataCrawl(tmp_path, CLIP, SCHEDULER="scrapy.core.scheduler.Scheduler")


def test_a_file_with_a_fault_is_told_in_one_error_that_lists_all(tmp_path):
    folder = tmp_path / "adapters"
    folder.mkdir()
    (folder / "a.json").write_text(json.dumps({**CLIP, "name": "A B"}))
    (folder / "b.json").write_text("{")
    with pytest.raises(ValueError, match="ADAPTERS_DIR") as error:
        CrawlContext.of(get_crawler(CrawlSpider, {"ADAPTERS_DIR": str(folder)}))
    assert "a.json:1: name" in str(error.value)
    assert "b.json:1" in str(error.value)


def test_what_waits_to_be_counted_is_sent_when_the_crawl_ends(tmp_path):
    """As with Redis, whose answer to the first change has not come."""
    from concurrent.futures import Future

    from mediacrawl.base.visit import AdapterUse
    from mediacrawl.site_adapters.registry import SiteAdapters

    (tmp_path / "clip.json").write_text(json.dumps(CLIP))
    record = b""

    def later(namespace, key, change):
        nonlocal record
        record = change(record)
        return Future()

    worker = CrawlAdapters(SiteAdapters.load(tmp_path), None, later)
    for _ in range(3):
        worker.note(AdapterUse("clip", tried=True, hit=True), PAGE)
    worker.save_all()
    worker.save_all()
    assert (AdapterCounts.load(record).tried, AdapterCounts.load(record).hit) == (3, 3)


def test_what_workers_count_at_one_time_comes_together(tmp_path):
    """As with Redis: the answer to a change of a note comes later, and one change is made at a time."""
    from concurrent.futures import Future

    from mediacrawl.base.visit import AdapterUse
    from mediacrawl.site_adapters.registry import SiteAdapters

    (tmp_path / "clip.json").write_text(json.dumps(CLIP))
    registry = SiteAdapters.load(tmp_path)
    records, waiting = {}, []

    def later(namespace, key, change):
        waiting.append((namespace, key, change, Future()))
        return waiting[-1][3]

    def answer():
        namespace, key, change, future = waiting.pop(0)
        records[namespace, key] = change(records.get((namespace, key)))
        future.set_result(records[namespace, key])

    async def count():
        workers = [CrawlAdapters(registry, None, later, misses=3) for _ in range(2)]
        assert all(each.match(PAGE) for each in workers)
        for worker in workers:
            for _ in range(2):
                worker.note(AdapterUse("clip", tried=True, missed="why"), PAGE)
        while waiting:
            answer()
            await asyncio.sleep(0.01)
        return workers

    workers = wait_for(count)
    known = AdapterCounts.load(records[NAMESPACE, "clip"])
    assert (known.tried, known.missed, known.off) == (4, 4, True)
    assert [each.match(PAGE) for each in workers][-1] is None
