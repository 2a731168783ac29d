"""Site adapters in a crawl without a network: what is requested, counted and requested after all."""

import asyncio
import json

import pytest
from data_crawl import CLIP, DATA, GIVEN, KEYED, PAGE, PLAY, CrawlSpider, DataCrawl
from reactor_thread import wait_for
from scrapy.exceptions import NotConfigured
from scrapy.utils.test import get_crawler

from mediacrawl.crawl.adapters import CrawlAdapters
from mediacrawl.crawl.context import CrawlContext
from mediacrawl.facts import ADAPTER, fact, pack, unpack
from mediacrawl.priority.revisits import AGAIN
from mediacrawl.records import Drop, Evidence, Kind
from mediacrawl.scope.candidates import candidate
from mediacrawl.scope.exclusions.never import drop_excluded
from mediacrawl.site_adapters.counts import NAMESPACE, AdapterCounts
from mediacrawl.site_adapters.queued import LINK_CLASS, MISSED, WAITS


@pytest.fixture
def crawl(tmp_path):
    made = []

    def make(*adapters, **more):
        made.append(DataCrawl(tmp_path, *adapters, **more))
        return made[-1]

    yield make
    for each in made:
        each.close()


def test_a_page_costs_its_data_request_alone(crawl):
    told = crawl(CLIP, pages=[PAGE])
    told.answers[DATA] = 200, GIVEN
    told.run()
    assert told.urls == [DATA]
    assert told.asked[0][1]["Accept"] == "application/json"
    assert told.frontier.site("clip.example").visits == 0
    (medium,) = told.media
    assert (medium.url, medium.parent, medium.depth) == ("http://cdn.example/1.mp3", PAGE, 1)
    assert (medium.evidence.via, medium.evidence.anchor, medium.evidence.page_title) == (ADAPTER, "Käse", "")
    assert [each[:4] for each in unpack(medium.evidence.facts)] == [
        (ADAPTER, "$.about.title", "title", "Käse"),
        (ADAPTER, "$.about.ms", "duration", "61"),
    ]
    assert (told.counts().tried, told.counts().hit, told.counts().missed) == (1, 1, 0)
    assert (told.stat("adapter/clip/hit"), told.stat("adapter/hit"), told.stat("adapter/read")) == (1, 1, 1)


def test_a_data_request_waits_with_the_evidence_of_its_page_under_the_rules_of_any_url(crawl):
    told = crawl(CLIP)
    told.add(PAGE, depth=3, parent="http://a.example/")
    told.step()
    told.answers[DATA] = 200, GIVEN
    lease = told.step()
    assert (lease.url, lease.request_url) == ("http://api.example/1.json?a=2&b=1#adapter:clip", DATA)
    assert (lease.parent, lease.depth, lease.kind, lease.link_class) == (PAGE, 3, Kind.LIST, LINK_CLASS)
    assert (lease.evidence.via, lease.evidence.anchor) == (WAITS, "Lied")


def test_what_was_said_of_a_player_goes_to_its_only_medium(crawl):
    said = [fact("page", "json-ld:name", "title", "Gesagt")]
    told = crawl(CLIP)
    told.add(PAGE, "http://clip.example/v/2-b", evidence=Evidence("iframe", facts=pack(said)))
    told.answers[DATA] = 200, GIVEN
    told.answers[DATA.replace("1.json", "2.json")] = 200, {"files": ["/a.mp3"]}
    told.run()
    titles = {each.url: [one.text for one in unpack(each.evidence.facts) if one.key == "title"] for each in told.media}
    assert titles == {"http://cdn.example/1.mp3": ["Käse", "Gesagt"], "http://api.example/a.mp3": ["Gesagt"]}


def test_two_urls_of_one_page_have_one_data_request(crawl):
    told = crawl(CLIP, pages=[PAGE, "http://clip.example/v/1-other"])
    told.answers[DATA] = 200, GIVEN
    told.run()
    assert told.urls == [DATA]
    assert (told.counts().tried, told.stat("adapter/known")) == (1, 1)


def test_a_data_url_that_a_page_links_to_is_asked_for_all_the_same(crawl):
    told = crawl(CLIP, pages=[DATA])
    told.answers[DATA] = 200, GIVEN
    told.run()
    assert told.media == []
    told.add(PAGE)
    told.run()
    assert (told.urls, len(told.media)) == ([DATA, DATA], 1)


@pytest.mark.parametrize(
    ("answer", "reason", "why"),
    [
        ((404, ""), Drop.HTTP_STATUS, "answer 1: its status is 404"),
        ((403, ""), Drop.HTTP_STATUS, "answer 1: its status is 403"),
        ((200, "<html>"), Drop.ADAPTER_MISSED, "answer 1: it is no JSON"),
        ((200, {"files": []}), Drop.ADAPTER_MISSED, "records: the answer names no media at $.files[*]"),
        ((302, "", {"Location": "ftp://a.example/"}), Drop.REDIRECT_BROKEN, "answer 1: it is a redirect"),
        ((302, "", {"Location": "http://a.example:25/"}), None, "answer 1: it is a redirect"),
    ],
)
def test_after_a_miss_the_page_is_requested_as_an_ordinary_one(crawl, answer, reason, why):
    told = crawl(CLIP)
    told.add(PAGE, depth=3, hops=2, parent="http://a.example/")
    told.answers |= {DATA: answer, PAGE: (200, "<title>Seite</title><a href=/about>x</a>")}
    leases = [told.step() for _ in range(3)]
    assert told.urls == [DATA, PAGE]
    page = leases[2]
    assert (page.url, page.parent, page.depth, page.hops) == (PAGE, "http://a.example/", 3, 2)
    assert (page.kind, page.evidence) == (Kind.PAGE, Evidence(MISSED, "Lied"))
    counts = told.counts()
    assert (counts.tried, counts.hit, counts.missed, counts.row, counts.off) == (1, 0, 1, 1, False)
    assert counts.example == PAGE
    assert counts.why.startswith(why)
    assert reason is None or told.ends()[reason] == 1
    assert told.stat("adapter/page_again") == 1


@pytest.mark.parametrize("status", [429, 503, 500])
def test_trouble_of_the_server_is_no_miss_and_at_last_the_page_is_requested(crawl, status):
    told = crawl(CLIP, pages=[PAGE], FRONTIER_ATTEMPTS=1)
    told.answers |= {DATA: (status, ""), PAGE: (200, "<title>Seite</title>")}
    told.run()
    assert (told.urls[0], told.urls[-1]) == (DATA, PAGE)
    assert set(told.urls) == {DATA, PAGE}
    assert (told.counts().tried, told.counts().missed) == (1, 0)


def test_a_redirect_of_a_data_request_keeps_what_it_is(crawl):
    told = crawl(CLIP, pages=[PAGE, "http://clip.example/v/2-b"])
    there = "http://other.example/all.json"
    told.answers |= {DATA: (301, "", {"Location": there}), there: (200, GIVEN)}
    told.answers[DATA.replace("1.json", "2.json")] = 301, "", {"Location": there}
    told.run()
    # The target is asked for each page: it may answer for none of them.
    assert sorted(told.urls) == sorted([DATA, DATA.replace("1.json", "2.json"), there, there])
    assert {each.parent for each in told.media} == {PAGE}
    assert (told.counts().tried, told.counts().hit) == (2, 2)


def test_redirects_that_meet_are_followed_for_each_page(crawl):
    other = DATA.replace("1.json", "2.json")
    told = crawl(CLIP, pages=[PAGE, "http://clip.example/v/2-b"])
    first, last = "http://api.example/404", "http://api.example/404/"
    told.answers |= {DATA: (302, "", {"Location": first}), other: (302, "", {"Location": first})}
    told.answers[first] = 301, "", {"Location": last}
    told.run()
    assert sorted(told.urls) == sorted([DATA, other, first, first, last, last, PAGE, "http://clip.example/v/2-b"])
    assert (told.counts().missed, told.stat("adapter/page_again")) == (2, 2)


def test_redirects_of_a_data_request_are_capped(crawl):
    told = crawl(CLIP, pages=[PAGE])
    for number in range(9):
        url = DATA if not number else f"http://api.example/{number}"
        told.answers[url] = 302, "", {"Location": f"http://api.example/{number + 1}"}
    told.answers[PAGE] = 200, "<title>Seite</title>"
    told.run()
    assert told.urls == [DATA, *(f"http://api.example/{number}" for number in (1, 2, 3)), PAGE]
    assert told.counts().missed == 1


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


def test_a_data_request_of_a_changed_adapter_is_made_anew_also_if_its_url_is_the_same(crawl):
    told = crawl(CLIP, pages=[PAGE])
    told.step()
    told.close()
    told = crawl({**CLIP, "comment": "changed"})
    told.answers[DATA] = 200, GIVEN
    told.run()
    assert told.urls == [DATA]
    assert [each.url for each in told.media] == ["http://cdn.example/1.mp3"]
    assert (told.counts().tried, told.counts().hit) == (1, 1)


def test_a_data_request_of_a_renamed_adapter_is_made_anew(crawl):
    told = crawl(CLIP, pages=[PAGE])
    told.step()
    told.close()
    told = crawl({**CLIP, "name": "renamed"})
    told.answers[DATA] = 200, GIVEN
    told.run()
    assert (told.urls, told.counts("renamed").hit) == ([DATA], 1)


def test_a_page_is_not_lost_while_one_worker_has_not_heard_that_an_adapter_is_off(crawl):
    """It is dropped by the worker that knows, and its page is taken by the one that does not."""
    told = crawl(CLIP, pages=[PAGE])
    told.answers[DATA] = 200, GIVEN
    told.step()
    known, told.context.adapters._counts = told.context.adapters._counts, {"clip": AdapterCounts(off=True)}
    told.step()
    assert told.ends()[Drop.ADAPTER_OFF] == 1
    told.context.adapters._counts = known
    told.run()
    assert (told.urls, told.counts().hit) == ([DATA], 1)


def test_where_an_adapter_is_off_the_next_one_of_the_page_is_applied(crawl):
    second = {**CLIP, "name": "clip2", "requests": [{"url": "http://api.example/v2/{id}", "read": "json"}]}
    told = crawl(CLIP, second, pages=[PAGE], ADAPTER_MISSES=1)
    told.run()
    assert told.counts().off
    told.add("http://clip.example/v/2-b")
    told.answers["http://api.example/v2/2"] = 200, GIVEN
    told.run()
    assert told.urls == [DATA, PAGE, "http://api.example/v2/2"]
    assert told.counts("clip2").hit == 1


def test_without_its_adapter_a_data_request_that_waits_becomes_its_page(crawl):
    told = crawl(CLIP, pages=[PAGE])
    told.step()
    told.close()
    told = crawl(ADAPTERS_DIR="")
    told.answers[PAGE] = 200, "<title>Seite</title>"
    told.run()
    assert told.urls == [PAGE]


def test_a_page_that_is_needed_is_requested_and_its_key_leads_on(crawl):
    told = crawl(KEYED, pages=[PLAY, PLAY.replace("/1", "/2")])
    for number in (1, 2):
        told.answers[f"http://clip.example/play/{number}"] = 200, f"<title>T</title><div data-key=k{number}></div>"
        told.answers[f"http://api.example/data/k{number}"] = 200, {"file": f"{number}.mp3"}
    told.answers["http://api.example/config"] = 200, {"cdn": "http://cdn.example/"}
    told.run()
    # Both pages have one text; and the first answer is needed for each of them.
    assert sorted(each.url for each in told.media) == ["http://cdn.example/1.mp3", "http://cdn.example/2.mp3"]
    assert told.urls.count("http://api.example/config") == 2
    assert {each.evidence.page_title for each in told.media} == {"T"}
    assert (told.counts("keyed").tried, told.counts("keyed").hit) == (2, 2)


@pytest.mark.parametrize("head", ["<meta name=robots content=nofollow>", "<meta name=robots content=noindex>"])
def test_the_directives_of_a_page_hold_for_its_data(crawl, head):
    told = crawl(KEYED, pages=[PLAY])
    told.answers[PLAY] = 200, f"{head}<title>T</title><div data-key=k></div>"
    told.answers |= {"http://api.example/data/k": (200, {"file": "1.mp3"})}
    told.answers["http://api.example/config"] = 200, {"cdn": "http://cdn.example/"}
    told.run()
    if "nofollow" in head:
        assert told.urls == [PLAY]
    else:
        (medium,) = told.media
        assert medium.evidence == Evidence(ADAPTER)


@pytest.mark.parametrize("directive", ["nofollow", "noindex"])
def test_the_directives_of_an_answer_are_obeyed(crawl, directive):
    told = crawl(CLIP, pages=[PAGE])
    told.answers |= {DATA: (200, GIVEN, {"X-Robots-Tag": directive}), PAGE: (200, "<title>Seite</title>")}
    told.run()
    if directive == "nofollow":
        assert (told.media, told.urls, told.counts().missed) == ([], [DATA, PAGE], 0)
    else:
        assert [each.evidence for each in told.media] == [Evidence(ADAPTER)]


def test_a_page_without_the_slot_is_an_ordinary_page_and_a_miss(crawl):
    told = crawl(KEYED, pages=[PLAY])
    told.answers[PLAY] = 200, "<title>T</title><audio src=/x.mp3></audio>"
    told.run()
    assert (told.urls, [each.url for each in told.media]) == ([PLAY], ["http://clip.example/x.mp3"])
    counts = told.counts("keyed")
    assert (counts.tried, counts.missed, counts.example) == (1, 1, PLAY)
    assert counts.why.startswith("page: there is no value for the slot key")
    assert told.stat("adapter/page_again") == 0


def test_a_page_that_was_read_is_not_requested_again_after_a_miss(crawl):
    told = crawl(KEYED, pages=[PLAY])
    told.answers |= {PLAY: (200, "<div data-key=k></div>"), "http://api.example/config": (200, {"cdn": ""})}
    told.run()
    assert told.urls == [PLAY, "http://api.example/config"]
    assert told.counts("keyed").missed == 1


def test_a_list_is_followed_page_by_page_up_to_a_limit(crawl):
    told = crawl(CLIP, pages=[PAGE], ADAPTER_PAGES=3)
    urls = [DATA, *(f"http://api.example/page/{number}" for number in range(2, 9))]
    for number, url in enumerate(urls[:-1]):
        told.answers[url] = 200, {"files": [f"/{number}.mp3"], "next": urls[number + 1]}
    told.run()
    assert told.urls == urls[:3]
    assert len(told.media) == 3
    assert (told.counts().tried, told.counts().hit) == (1, 1)


@pytest.mark.parametrize("answer", [(404, ""), (200, "<html>"), (200, {"files": []})])
def test_what_a_list_has_after_its_last_page_is_no_miss(crawl, answer):
    told = crawl(CLIP, pages=[PAGE])
    told.answers |= {DATA: (200, {**GIVEN, "next": "/gone"}), "http://api.example/gone": answer}
    told.run()
    assert told.urls == [DATA, "http://api.example/gone"]
    assert (told.counts().hit, told.counts().missed, told.stat("adapter/missed")) == (1, 0, 0)


def test_a_list_that_leads_to_itself_ends(crawl):
    told = crawl(CLIP, pages=[PAGE])
    told.answers |= {DATA: (200, {**GIVEN, "next": "/b"}), "http://api.example/b": (200, {**GIVEN, "next": DATA})}
    told.run()
    assert told.urls == [DATA, "http://api.example/b"]


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


def test_data_that_wait_are_not_lost_if_their_site_is_listed_and_the_adapters_are_gone(crawl, tmp_path):
    told = crawl(CLIP, pages=[PAGE])
    told.step()
    told.close()
    never = tmp_path / "never.txt"
    never.write_text("api.example\n")
    told = crawl(ADAPTERS_DIR="", NEVERCRAWL_FILES=[str(never)])
    told.answers[PAGE] = 200, "<title>Seite</title>"
    assert sum(drop_excluded(told.frontier, told.context.nevercrawl)) == 0
    told.run()
    assert told.urls == [PAGE]


def test_media_of_an_answer_are_as_deep_as_those_of_their_page(crawl):
    told = crawl(CLIP, pages=[PAGE], SCOPE_MAX_DEPTH=1)
    told.answers[DATA] = 200, GIVEN
    told.run()
    assert [each.depth for each in told.media] == [1]


def test_a_chain_that_is_the_same_for_all_pages_is_a_miss_and_loses_none(crawl):
    chain = {
        **KEYED,
        "page": {"host": "clip.example", "path": "/play/{id}"},
        "slots": {"id": {"in": "url"}, "token": {"in": "answer 1", "json": "$.token"}},
        "requests": [
            {"url": "http://api.example/token/{id}", "read": "json"},
            {"url": "http://api.example/data/{token}", "read": "json"},
        ],
        "records": {"media": [{"json": "$.file"}]},
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


def test_an_answer_that_names_new_media_raises_the_budget_of_its_site(crawl):
    told = crawl(CLIP, pages=[PAGE, "http://clip.example/v/2-b"])
    told.answers |= {DATA: (200, GIVEN), DATA.replace("1.json", "2.json"): (200, GIVEN)}
    told.run()
    assert told.frontier.site("api.example").earned == 1


def test_slots_that_are_too_long_to_be_kept_leave_the_page_an_ordinary_one(crawl):
    told = crawl({**CLIP, "requests": [{"url": "http://api.example/{title}", "read": "json"}]})
    page, before = "http://clip.example/v/1-" + "%C3%BC" * 300, "http://clip.example/" + "x" * 1_500
    told.add(page, parent=before, evidence=Evidence(requested_url=before))
    told.run()
    assert told.urls == [page]
    assert (told.stat("adapter/refused"), told.stat("adapter/tried")) == (1, 0)


def test_a_revisit_asks_for_the_data_again(crawl):
    told = crawl(CLIP, pages=[PAGE])
    told.answers[DATA] = 200, GIVEN
    told.run()
    told.now += 86_400
    told.scheduler.add_again(candidate(PAGE, Evidence(AGAIN), told.context.scores, Kind.PAGE))
    told.answers[DATA] = 200, {**GIVEN, "files": [*GIVEN["files"], "/new.mp3"]}
    told.run()
    assert told.urls == [DATA, DATA]
    assert [each.url for each in told.media] == ["http://cdn.example/1.mp3", "http://api.example/new.mp3"]


def test_what_an_answer_says_of_a_known_file_is_added_to_its_record(crawl):
    told, described = crawl(CLIP), []
    told.scheduler.add([candidate("http://cdn.example/1.mp3", Evidence(), told.context.scores, Kind.MEDIA)])
    told.run()
    told.context.describe = described.append
    told.add(PAGE)
    told.answers[DATA] = 200, GIVEN
    told.run()
    (found,) = described
    assert (found.url, found.page_url) == ("http://cdn.example/1.mp3", PAGE)
    assert [(each.source, each.key) for each in found.facts] == [(ADAPTER, "title"), (ADAPTER, "duration")]


def test_a_data_request_that_another_program_wrote_is_not_asked(crawl):
    told = crawl(CLIP)
    told.scheduler.add([candidate(DATA, Evidence(WAITS, guid="{"), told.context.scores, Kind.LIST)])
    told.run()
    assert (told.urls, told.ends()) == ([], {Drop.ADAPTER_OFF: 1})


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


@pytest.mark.parametrize(("files", "told"), [([CLIP, KEYED], "2 site adapters (*.json) in "), ([], "0 site adapters")])
def test_the_log_says_how_many_adapters_a_crawl_has(crawl, caplog, files, told):
    caplog.set_level("INFO")
    crawl(*files)
    (line,) = [each for each in caplog.records if "site adapter" in each.getMessage()]
    assert line.getMessage().startswith(told)
    assert line.levelname == ("INFO" if files else "WARNING")


def test_a_file_with_a_fault_is_told_in_one_error_that_lists_all(tmp_path):
    folder = tmp_path / "adapters"
    folder.mkdir()
    (folder / "a.json").write_text(json.dumps({**CLIP, "name": "A B"}))
    (folder / "b.json").write_text("{")
    with pytest.raises(ValueError, match="ADAPTERS_DIR") as error:
        CrawlContext.of(get_crawler(CrawlSpider, {"ADAPTERS_DIR": str(folder)}))
    assert "a.json:1: name" in str(error.value)
    assert "b.json:1" in str(error.value)


def test_of_an_answer_with_very_many_media_the_first_are_queued_and_the_others_counted(crawl):
    told = crawl({**CLIP, "records": {"each": "$[*]", "media": [{"json": "$[*]"}]}}, pages=[PAGE])
    told.answers[DATA] = 200, json.dumps([[f"/{n}/{quality}" for quality in range(2)] for n in range(5_100)])
    told.step()
    told.step()
    assert 3_000 < told.frontier.site("api.example").waiting <= 5_000
    assert told.stat("adapter/cut") == 100 + 5_000


def test_slots_are_looked_for_in_as_much_of_a_page_as_is_read(crawl):
    told = crawl(KEYED, pages=[PLAY], PAGE_MAX_BYTES=2_000)
    told.answers[PLAY] = 200, f"<p>{'x' * 3_000}</p><div data-key=k></div>"
    told.run()
    assert told.urls == [PLAY]
    assert told.counts("keyed").missed == 1


def test_what_waits_to_be_counted_is_sent_when_the_crawl_ends(tmp_path):
    """As with Redis, whose answer to the first change has not come."""
    from concurrent.futures import Future

    from mediacrawl.site_adapters.registry import SiteAdapters
    from mediacrawl.visit import AdapterUse

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

    from mediacrawl.site_adapters.registry import SiteAdapters
    from mediacrawl.visit import AdapterUse

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
