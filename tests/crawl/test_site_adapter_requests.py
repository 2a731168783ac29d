"""Site adapters in a crawl without a network: what is requested, counted and requested after all."""

import json

import pytest
from data_crawl import CLIP, DATA, GIVEN, KEYED, PAGE, PLAY, CrawlSpider, crawls

from mediacrawl.base.facts import ADAPTER, unpack
from mediacrawl.base.queued import LINK_CLASS, MISSED, WAITS
from mediacrawl.base.terms import Drop, Evidence, Kind
from mediacrawl.base.visit import VISIT, Visit
from mediacrawl.frontier.site_state import AGAIN
from mediacrawl.scope.candidates import candidate


@pytest.fixture
def crawl(tmp_path):
    yield from crawls(tmp_path)


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
        (ADAPTER, "about.title", "title", "Käse"),
        (ADAPTER, "about.ms", "duration", "61"),
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
        ((200, {"files": []}), Drop.ADAPTER_MISSED, "records: the answer names no media at files[*]"),
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


def test_redirects_of_a_data_request_are_capped(crawl):
    told = crawl(CLIP, pages=[PAGE])
    for number in range(9):
        url = DATA if not number else f"http://api.example/{number}"
        told.answers[url] = 302, "", {"Location": f"http://api.example/{number + 1}"}
    told.answers[PAGE] = 200, "<title>Seite</title>"
    told.run()
    assert told.urls == [DATA, *(f"http://api.example/{number}" for number in (1, 2, 3)), PAGE]
    assert told.counts().missed == 1


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


@pytest.mark.parametrize("kind", [Kind.LIST, Kind.PAGE])
def test_only_pages_that_are_found_as_pages_are_mapped(crawl, kind):
    told = crawl(CLIP)
    told.scheduler.add([candidate(PAGE, Evidence(), told.context.scores, kind)])
    told.run()
    assert told.urls[0] == (DATA if kind is Kind.PAGE else PAGE)


def test_a_spider_that_follows_no_links_maps_no_pages(crawl, monkeypatch):
    told = crawl(CLIP, pages=[PAGE])
    monkeypatch.setattr(CrawlSpider, "follows", False)
    told.run()
    assert told.urls == [PAGE]


def test_the_robots_txt_of_a_page_is_requested_all_the_same(crawl):
    told = crawl(CLIP, pages=[PAGE])
    (lease,) = told.frontier.take(told.now + 1.0, 1)
    request = told.spider.make_request(Visit.of(lease))
    request.meta[VISIT].fetch.kind = Kind.ROBOTS
    for middleware in told.middlewares:
        assert middleware.process_request(request) is None


def test_an_answer_that_breaks_off_is_requested_again_and_at_last_its_page(crawl):
    told = crawl(CLIP, pages=[PAGE], FRONTIER_ATTEMPTS=2)
    told.answers |= {DATA: (200, '{"files": ['), PAGE: (200, "<title>Seite</title>")}
    told.broken.add(DATA)
    told.run()
    assert told.urls == [DATA, DATA, PAGE]
    assert (told.counts().missed, told.ends()[Drop.UNREADABLE]) == (0, 1)


def test_a_list_that_is_not_to_be_followed_is_not(crawl):
    told = crawl(CLIP, pages=[PAGE])
    told.answers[DATA] = 200, {**GIVEN, "next": "/b"}, {"X-Robots-Tag": "nofollow"}
    told.run()
    assert told.urls == [DATA, PAGE]


def test_of_an_answer_with_very_many_media_the_first_are_queued_and_the_others_counted(crawl):
    told = crawl({**CLIP, "records": {"each": "[*]", "media": [{"json": "m[*]"}]}}, pages=[PAGE])
    told.answers[DATA] = 200, json.dumps([{"m": [f"/{n}/{k}" for k in range(2)]} for n in range(5_100)])
    told.step()
    told.step()
    assert 3_000 < told.frontier.site("api.example").waiting <= 5_000
    assert told.stat("adapter/cut") == 100 + 5_000
