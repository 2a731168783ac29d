"""Real crawls with site adapters: what the servers saw, and what the records say."""

import json
from collections import Counter

import pytest
from adapter_web import DELAY, QUICK, AdapterWeb, counts
from crawling import CLOCK, Crawl
from judging import Verdict, stat

from mediacrawl.scope import canonical

KILLED = 0.2
"""Seconds of the delay of a crawl that is killed."""
PAGES = 6
"""Pages of each kind."""
FORBIDDEN = 5
"""The page of ``clip`` whose data its robots.txt forbids."""
MISSES = 4
"""Pages of the site that has changed, before its adapter is off; and as many after."""


class PlayerWeb(AdapterWeb):
    """Sites whose pages show their media by scripts only.

    ``clip``: one data request, made of the page's URL. ``keyed``: the page has a key, and the data come in two steps.
    ``channel``: lists with further pages. ``changed``: its answers are not as its adapter says. ``listed``: its data
    are on a host that is never to be requested.
    """

    never_crawl = "never-data.example\n"

    def build(self):
        kinds = [self.clip, self.keyed, self.channel, self.changed, self.listed]
        links = [link for kind in kinds for link in kind()]
        self.put("start", "/", f"<title>Start</title><p>Seiten</p>{''.join(f'<a href={url}>x</a>' for url in links)}")
        return self

    def clip(self):
        self.adapter(
            "clip",
            {"path": "/watch/{id}-{title}.html"},
            {"id": {"in": "url", "like": "digits"}, "title": {"in": "url"}},
            [
                {
                    "url": self.url("api.clip-data", "/v2/{id}.json?lang=de"),
                    "headers": {"Accept": "application/json", "X-Requested-With": "XMLHttpRequest"},
                    "read": "json",
                }
            ],
            {
                "media": [{"json": "video.files[*].src"}],
                "title": {"json": "video.title"},
                "duration": {"json": "video.ms", "unit": "ms"},
                "date": {"json": "video.published"},
                "thumbnail": {"json": "video.poster"},
            },
        )
        self.robots("api.clip-data", f"User-agent: *\nDisallow: /v2/{FORBIDDEN}.json\n")
        for number in range(PAGES):
            told = {"title": f"Käse {number}", "ms": 61_000, "published": "2026-01-02T03:04:05Z", "poster": "/p.jpg"}
            self.json(
                "api.clip-data",
                f"/v2/{number}.json?lang=de",
                {"video": {**told, "files": [{"src": f"/f/{number}.mp3"}]}},
            )
            self.song("api.clip-data", f"/f/{number}.mp3")
            yield self.put("clip", f"/watch/{number}-a.html", f"<title>{number}</title><script src=player.js></script>")
        # The same page under another name.
        yield self.url("clip", "/watch/0-b.html")

    def keyed(self):
        self.adapter(
            "keyed",
            {"path": "/play", "query": {"v": "{id}"}},
            {
                "id": {"in": "url"},
                "key": {"in": "page", "css": "div.player", "attribute": "data-key"},
                "cdn": {"in": "answer 1", "json": "cdn"},
            },
            [
                {"url": self.url("keyed", "/config?for=web"), "read": "json"},
                {"url": self.url("keyed", "/data/{key}"), "read": "json"},
            ],
            {"media": [{"json": "file", "url": "{!cdn}{value}?id={id}"}], "title": {"json": "name"}},
        )
        self.json("keyed", "/config?for=web", {"cdn": self.url("keyed", "/cdn/")})
        for number in range(PAGES):
            shell = f"<title>Play</title><div class=player data-key=k{number}></div><script src=app.js></script>"
            self.json("keyed", f"/data/k{number}", {"file": f"{number}.mp3", "name": f"Lied {number}"})
            self.song("keyed", f"/cdn/{number}.mp3?id={number}")
            yield self.put("keyed", f"/play?v={number}", shell + ('<a href="/about">about</a>' if not number else ""))
        self.put("keyed", "/about", "<title>About</title><p>Wer wir sind und was wir senden, seit langer Zeit.</p>")
        self.put("keyed", "/play?v=none", "<title>Play</title><p>Dieses Video gibt es nicht mehr.</p>")
        yield self.url("keyed", "/play?v=none")

    def channel(self):
        self.adapter(
            "channel",
            {"path": "/c/{name}"},
            {"name": {"in": "url", "like": "word"}},
            [{"url": self.url("channel", "/list/{name}?page=1"), "read": "json"}],
            {
                "each": "items[*]",
                "media": [{"json": "url"}],
                "title": {"json": "title"},
                "next": {"parameter": "page", "step": 1, "first": 1},
            },
        )
        for page in range(1, 4):
            items = [{"url": f"/e/{page}-{n}.mp3", "title": f"Folge {page}-{n}"} for n in range(2)]
            self.json("channel", f"/list/news?page={page}", {"items": items})
            for item in items:
                self.song("channel", item["url"])
        self.json("channel", "/list/news?page=4", {"items": []})
        yield self.put("channel", "/c/news", "<title>News</title><script src=list.js></script>")

    def changed(self):
        self.adapter(
            "changed",
            {"path": "/v/{id}"},
            {"id": {"in": "url"}},
            [{"url": self.url("changed", "/old/{id}"), "read": "json"}],
            {"media": [{"json": "file"}]},
        )
        for number in range(2 * MISSES):
            if number % 2:
                self.json("changed", f"/old/{number}", {"gone": True})
            self.song("changed", f"/{number}.mp3")
            body = f"<title>Seite {number}</title><p>Nummer {number} {'abcdefghij'[number] * 40}</p>"
            yield self.put("changed", f"/v/{number}", f"{body}<audio src=/{number}.mp3></audio>")

    def listed(self):
        self.adapter(
            "listed",
            {"path": "/v/{id}"},
            {"id": {"in": "url"}},
            [{"url": self.url("never-data", "/{id}"), "read": "json"}],
            {"media": [{"json": "file"}]},
        )
        self.json("never-data", "/1", {"file": "/1.mp3"})
        yield self.put("listed", "/v/1", "<title>Gelistet</title><audio src=/own.mp3></audio>")
        self.song("listed", "/own.mp3")

    @property
    def media(self):
        """URLs of all media that a crawl finds."""
        urls = [self.url("api.clip-data", f"/f/{number}.mp3") for number in range(PAGES) if number != FORBIDDEN]
        urls += [self.url("keyed", f"/cdn/{number}.mp3?id={number}") for number in range(PAGES)]
        urls += [self.url("channel", f"/e/{page}-{n}.mp3") for page in range(1, 4) for n in range(2)]
        urls += [self.url("changed", f"/{number}.mp3") for number in range(2 * MISSES)]
        return {canonical(url) for url in [*urls, self.url("listed", "/own.mp3")]}


@pytest.fixture(scope="module")
def crawled(tmp_path_factory):
    with PlayerWeb() as web:
        crawl = Crawl(web.build(), tmp_path_factory.mktemp("adapters"))
        crawl.adapters = web.save(crawl.folder / "adapters")
        crawl.run("-o", "items.jl", *QUICK, *switches(crawl.adapters), seed=web.url("start", "/"))
        lines = (crawl.folder / "items.jl").read_text(encoding="utf-8").splitlines()
        crawl.items = {item["content_url"]: item for item in map(json.loads, lines)}
        crawl.verdict = Verdict(crawl)
        yield crawl


def switches(folder):
    return ("-s", f"ADAPTERS_DIR={folder}", "-s", f"ADAPTER_MISSES={MISSES}")


def record(crawled, host, path):
    return crawled.items[crawled.web.url(host, path)]


def test_all_media_are_found_and_nothing_is_asked_twice(crawled):
    assert set(map(canonical, crawled.items)) == crawled.web.media
    asked = Counter((entry.url, entry.range) for entry in crawled.web.settled_log())
    assert {url for (url, _), times in asked.items() if times > 1} == {crawled.web.url("keyed", "/config?for=web")}


def test_a_page_that_is_mapped_costs_one_request_and_none_of_it_goes_to_the_page(crawled):
    asked = crawled.web.paths("api.clip-data")
    assert asked == {
        **{f"/v2/{number}.json?lang=de": 1 for number in range(PAGES) if number != FORBIDDEN},
        **{f"/f/{number}.mp3": 1 for number in range(PAGES) if number != FORBIDDEN},
    }
    # The data of one page are not to be requested.
    assert crawled.web.paths("clip") == {f"/watch/{FORBIDDEN}-a.html": 1}
    assert stat(crawled, "adapter/known") == 1


def test_its_record_has_the_page_and_what_the_answer_says(crawled):
    found = record(crawled, "api.clip-data", "/f/3.mp3")
    assert found["page_url"] == crawled.web.url("clip", "/watch/3-a.html")
    assert (found["discovered_via"], found["title"], found["page_title"]) == ("adapter", "Käse 3", None)
    assert (found["upload_date"], found["thumbnail_url"]) == (
        "2026-01-02T03:04:05Z",
        crawled.web.url("api.clip-data", "/p.jpg"),
    )
    told = {(each["source"], each["frame"], each["key"]) for each in found["tags"]}
    assert ("adapter", "video.title", "title") in told
    assert {source for source, _, _ in told} == {"adapter"}


def test_a_page_with_a_key_is_read_and_its_links_followed(crawled):
    asked = crawled.web.paths("keyed")
    assert asked["/config?for=web"] == PAGES
    assert asked["/about"] == asked["/play?v=none"] == 1
    found = record(crawled, "keyed", "/cdn/2.mp3?id=2")
    assert (found["page_url"], found["title"]) == (crawled.web.url("keyed", "/play?v=2"), "Lied 2")
    assert found["page_title"] == "Play"
    told = counts(crawled, "keyed")
    assert (told.tried, told.hit, told.missed, told.off) == (PAGES + 1, PAGES, 1, False)
    assert told.example == crawled.web.url("keyed", "/play?v=none")


def test_a_list_is_read_to_its_end(crawled):
    assert [f"/list/news?page={page}" in crawled.web.paths("channel") for page in range(1, 6)] == [True] * 4 + [False]
    found = record(crawled, "channel", "/e/3-1.mp3")
    assert (found["page_url"], found["title"]) == (crawled.web.url("channel", "/c/news"), "Folge 3-1")
    assert "/c/news" not in crawled.web.paths("channel")


def test_an_adapter_that_misses_is_switched_off_and_all_its_pages_are_requested(crawled):
    asked = crawled.web.paths("changed")
    assert sum(times for path, times in asked.items() if path.startswith("/old/")) == MISSES
    assert {path for path in asked if path.startswith("/v/")} == {f"/v/{number}" for number in range(2 * MISSES)}
    told = counts(crawled, "changed")
    assert (told.hit, told.missed, told.off) == (0, MISSES, True)
    assert f"The site adapter changed.example is switched off after {MISSES} misses in a row" in crawled.text()
    assert crawled.text().count("is switched off after") == 1


def test_robots_txt_is_asked_first_and_no_site_too_early(crawled):
    first = {}
    for entry in crawled.web.settled_log():
        first.setdefault(entry.host, entry.path)
    assert set(first.values()) == {"/robots.txt"}
    assert {"clip.example", "api.clip-data.example"} <= set(first)
    assert [gap for gap in crawled.gaps() if gap[0] < DELAY - CLOCK] == []


def test_each_url_has_one_end(crawled):
    verdict = crawled.verdict
    assert (verdict.waiting, verdict.leased) == ([], 0)
    assert "open" not in verdict.ends.values()
    assert verdict.of(crawled.web.url("clip", "/watch/1-a.html")) == ("done", 0)
    assert verdict.of(crawled.web.url("changed", "/v/0")) == ("done", 1)
    assert verdict.ended["adapter_missed"] + verdict.ended["http_status"] == MISSES
    assert verdict.ended["robots"] == 1


def test_summary_and_report_have_a_line_for_each_adapter(crawled):
    assert "adapters   changed.example" in crawled.text()
    assert "switched off, as http://changed.example" in " ".join(crawled.text().split())
    done = crawled.command("report", "--json")
    rows = {row["name"]: row for row in json.loads(done.stdout)["adapters"]}
    assert (rows["clip.example"]["tried"], rows["clip.example"]["hit"], rows["clip.example"]["off"]) == (6, 5, False)
    assert rows["changed.example"]["off"]
    assert rows["changed.example"]["example"].startswith(crawled.web.url("changed", "/v/"))


@pytest.mark.slow
def test_kills_lose_no_page_and_no_count(tmp_path):
    with PlayerWeb() as web:
        crawl = Crawl(web.build(), tmp_path)
        delays = {"POLITENESS_FIRST_DELAY": KILLED, "POLITENESS_MIN_DELAY": KILLED, "POLITENESS_FACTOR": 0}
        options = [word for name, value in delays.items() for word in ("-s", f"{name}={value}")]
        adapters = switches(web.save(tmp_path / "adapters"))
        for kill in range(5):
            crawl.start(*options, *adapters, seed=web.url("start", "/") if not kill else "")
            seen = len(web.log)
            crawl.until(lambda log, seen=seen: len(log) > seen + 7)
            crawl.kill()
        crawl.run(*options, *adapters, seed="")
        verdict = Verdict(crawl)
        assert set(verdict.records) == web.media
        assert (verdict.waiting, verdict.leased) == ([], 0)
        told = counts(crawl, "clip")
        assert (told.tried, told.hit, told.missed) == (PAGES, PAGES - 1, 0)
        told = counts(crawl, "changed")
        assert (told.hit, told.missed, told.off) == (0, MISSES, True)
        assert [gap for gap in crawl.gaps() if gap[0] < KILLED - CLOCK] == []
