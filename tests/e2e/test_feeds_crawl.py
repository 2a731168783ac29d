"""Polls of feeds that change, move, break and go; each crawl in a process of its own, judged by what the server saw."""

import json
import sqlite3
import time
from contextlib import closing

import pytest
from crawling import quick
from lists_web import SONG, ListsWeb

QUICK = {
    **quick(0.05),
    "FEEDS_MIN_INTERVAL": 0.1,
    "FEEDS_MAX_INTERVAL": 0.2,
    "mediacrawl.crawl.polled_sources.PollPolicy.first": 0.1,
}


def rss(*names, hub=""):
    # The page of an entry is no business of this spider.
    items = "".join(
        f"<item><title>{name}</title><link>/page/{name}</link><enclosure url='/{name}.mp3'/></item>" for name in names
    )
    link = f"<link rel='hub' href='{hub}'/>" if hub else ""
    return (
        f"<rss><channel><title>Wandel</title>{link}<lastBuildDate>{time.time()}</lastBuildDate>{items}</channel></rss>"
    )


def poll(crawl, feeds, rounds=1, **settings):
    """One run; answers how often each URL was requested in it, robots.txt not counted."""
    before = len(crawl.web.settled_log())
    words = ("-a", f"feeds={feeds}", "-a", f"rounds={rounds}", "-o", "items.jl")
    crawl.run(*words, spider="feeds", **{**QUICK, **settings})
    log = crawl.web.settled_log()[before:]
    return [(entry.path, entry.status) for entry in log if entry.path != "/robots.txt"]


def sources(crawl):
    with closing(sqlite3.connect(crawl.folder / "state" / "feeds" / "feeds.db")) as db:
        db.row_factory = sqlite3.Row
        return {row["url"]: row for row in db.execute("SELECT * FROM source")}


def items(crawl):
    path = crawl.folder / "items.jl"
    lines = path.read_text(encoding="utf-8").splitlines() if path.exists() else []
    return {item["content_url"]: item for item in map(json.loads, lines)}


@pytest.fixture
def web():
    with ListsWeb() as web:
        yield web


def test_a_feed_is_asked_with_a_condition_and_only_what_is_new_is_probed(web, crawl):
    feed = web.put("wandel", "/feed", rss("eins", hub="http://hub.example/"), "application/rss+xml")
    for name in ("eins", "zwei"):
        web.song("wandel", f"/{name}.mp3")
    (crawl.folder / "list.txt").write_text(f"# mine\n{feed}\n", encoding="utf-8")
    assert poll(crawl, "list.txt") == [("/feed", 200), ("/eins.mp3", 206)]
    assert poll(crawl, "list.txt") == [("/feed", 304)]
    web.put("wandel", "/feed", rss("eins", "zwei"), "application/rss+xml")
    assert poll(crawl, "list.txt") == [("/feed", 200), ("/zwei.mp3", 206)]
    assert {item["title"] for item in items(crawl).values()} == {"eins", "zwei"}
    known = sources(crawl)[feed]
    assert (known["title"], [changed for _, changed in json.loads(known["polls"])]) == ("Wandel", [False, True])
    # The same entries with another date are no change.
    web.put("wandel", "/feed", rss("eins", "zwei") + "<!-- -->", "application/rss+xml")
    assert poll(crawl, "list.txt") == [("/feed", 200)]
    assert json.loads(sources(crawl)[feed]["polls"])[-1][1] is False


def test_what_is_gone_moved_or_broken_is_treated_as_such(web, crawl):
    gone = web.put("gone", "/feed", rss(), "text/xml")
    web.remove("gone", "/feed", 410)
    moved = web.put("moved", "/feed", "", status=301, headers=(("Location", web.url("new", "/feed")),))
    web.put("new", "/feed", rss("da", hub="http://hub.example/"), "application/rss+xml")
    web.song("new", "/da.mp3")
    broken = web.put("broken", "/feed", "<rss><channel><item><title>a <b>b</title><enclosure url='/x.mp3'", "text/xml")
    page = web.put("page", "/feed", "<html><a href='/other'>no feed</a>")
    away = web.put("away", "/feed", "", status=302, headers=(("Location", web.url("guest", "/feed")),))
    web.put("guest", "/feed", rss(), "application/rss+xml")
    feeds = f"{gone},{moved},{broken},{page},{away}"
    first = poll(crawl, feeds)
    assert sorted(first) == [
        ("/da.mp3", 206),
        ("/feed", 200),
        ("/feed", 200),
        ("/feed", 200),
        ("/feed", 200),
        ("/feed", 301),
        ("/feed", 302),
        ("/feed", 410),
    ]
    assert f"{gone} is gone" in crawl.text()
    known = sources(crawl)
    assert (known[gone]["gone"], known[page]["failures"]) == ("410", 1)
    assert (known[moved]["location"], known[moved]["hub"]) == (web.url("new", "/feed"), "http://hub.example/")
    poll(crawl, feeds, FEEDS_MAX_INTERVAL=0.1)
    assert [len(web.asked(host, "/feed")) for host in ("gone", "moved", "new")] == [1, 1, 2]
    # Who is elsewhere for now is asked local first, each time.
    assert [len(web.asked(host, "/feed")) for host in ("away", "guest")] == [2, 2]
    assert sources(crawl)[away]["failures"] == 0
    # Its new place has its own validators.
    assert [entry.status for entry in web.asked("new", "/feed")] == [200, 304]


def test_an_opml_on_the_web_names_sources_and_a_robots_txt_binds(web, crawl):
    web.put("one", "/feed", rss("a"), "text/xml")
    web.song("one", "/a.mp3")
    web.put("shut", "/feed", rss("b"), "text/xml")
    web.put("shut", "/robots.txt", "User-agent: *\nDisallow: /feed\n", "text/plain")
    outlines = "".join(f"<outline text='x' xmlUrl='{web.url(host, '/feed')}'/>" for host in ("one", "shut"))
    opml = web.put("lists", "/all", f"<opml><body>{outlines}</body></opml>", "text/x-opml")
    poll(crawl, opml, rounds=2)
    assert web.url("one", "/a.mp3") in items(crawl)
    assert not web.asked("shut", "/feed")
    assert sources(crawl)[web.url("shut", "/feed")]["failures"] >= 1
    assert sources(crawl)[web.url("one", "/feed")]["origin"] == opml


def test_a_killed_run_goes_on_and_loses_nothing(web, crawl):
    names = [f"n{number}" for number in range(12)]
    feed = web.put("wandel", "/feed", rss(*names), "application/rss+xml")
    for name in names:
        web.put("wandel", f"/{name}.mp3", SONG + name.encode(), "audio/mpeg")
    slow = {**QUICK, "POLITENESS_MIN_DELAY": 0.3}
    crawl.start("-a", f"feeds={feed}", "-o", "items.jl", spider="feeds", **slow)
    crawl.until(lambda log: sum(entry.path.endswith(".mp3") for entry in log) >= 3)
    crawl.kill()
    # It polls for ever: what is requested again comes after what waited, and the interrupt ends it.
    crawl.start("-o", "items.jl", spider="feeds", **QUICK)
    crawl.until(lambda log: len({entry.path for entry in log if entry.path.endswith(".mp3")}) == 12)
    polls = len(web.asked("wandel", "/feed"))
    crawl.until(lambda log: sum(entry.path == "/feed" for entry in log) > polls + 1)
    assert crawl.interrupt() == 0
    with closing(sqlite3.connect(crawl.folder / "state" / "media.db")) as db:
        stored = {title for (title,) in db.execute("SELECT title FROM media")}
    assert stored == set(names)
    asked = [entry.path for entry in web.settled_log() if entry.path.endswith(".mp3")]
    assert len(asked) <= len(names) + 2
