"""What is fetched is what the page says: a real crawl, told by the request lines that the server read."""

import json

import pytest
from crawling import Crawl
from harness import slow
from lists_web import SONG, ListsWeb

from mediacrawl.store import Catalogue

QUERIES = {
    "acceptancetest": "acceptancetest",
    "w=//833069": "w=//833069",
    "b=1&a=2": "b=1&a=2",
    "a=1&&c=3&": "a=1&&c=3&",
    "q=Привет": "q=%CF%F0%E8%E2%E5%F2",
    "": "",
    "r=%7ex": "r=%7ex",
}
"""The query as the page has it, and as it goes out: the page is written in windows-1251."""
SONGS = {"/%7esong;.mp3?z=1&y": "/%7esong;.mp3?z=1&y", "/moved?z&y": "/there.mp3?d=1&c"}
"""What the page refers to as media, and where that leads."""


def page():
    links = "".join(f"<a href='/wiki?{query.replace('&', '&amp;')}'>x</a>" for query in QUERIES)
    songs = "".join(f"<audio src='{reference.replace('&', '&amp;')}'></audio>" for reference in SONGS)
    again = "<a href='/wiki?a=2&amp;b=1'>the same in another order</a>"
    return f"<html><title>Страница</title><body>{links}{songs}{again}".encode("cp1251")


def build(web):
    web.put("start", "/?home", page(), "text/html; charset=windows-1251")
    for query in QUERIES.values():
        web.put("start", f"/wiki?{query}", f"<html><title>{query}</title>{query}")
    web.put("start", "/%7esong;.mp3?z=1&y", SONG, "audio/mpeg")
    web.put("start", "/there.mp3?d=1&c", SONG[:-1000], "audio/mpeg")
    web.put("start", "/moved?z&y", b"", status=302, headers=(("Location", "/there.mp3?d=1&c"),))
    web.put("start", "/robots.txt", "User-agent: *\nDisallow: /*?w=%2F%2F8\n", "text/plain")


def logged(state):
    """The lines of the request log."""
    return [
        json.loads(line) for file in (state / "log").glob("requests-*.jsonl") for line in file.read_bytes().splitlines()
    ]


@pytest.fixture(params=["sqlite", *slow("memory"), "redis"])
def store(request):
    if request.param != "redis":
        return ("-s", f"SCHEDULER_STORE={request.param}")
    return ("-s", "SCHEDULER_STORE=redis", "-s", f"REDIS_URL={request.getfixturevalue('server').url}/0")


def test_requests_carry_the_urls_as_they_were_written(tmp_path, store):
    with ListsWeb() as web:
        build(web)
        crawl = Crawl(web, tmp_path)
        assert crawl.start(*store, "-o", "items.jl", seed=web.url("start", "/?home")).wait() == 0
        log = web.settled_log()
        start = web.url("start", "")
    asked = [entry.url.removeprefix(start) for entry in log]
    wanted = {"/robots.txt", "/?home", "/moved?z&y", *(f"/wiki?{query}" for query in QUERIES.values()), *SONGS.values()}
    assert set(asked) == wanted
    # The one that came first stands for all spellings of a URL.
    assert len([url for url in asked if url.startswith("/wiki")]) == len(QUERIES)

    records = [json.loads(line) for line in (tmp_path / "items.jl").read_text("utf-8").splitlines()]
    assert {record["content_url"] for record in records} == {start + song for song in SONGS.values()}
    assert {record["page_url"] for record in records} == {start + "/?home"}
    (moved,) = [record for record in records if "there" in record["content_url"]]
    assert moved["requested_url"] == start + "/moved?z&y"
    with Catalogue(tmp_path / "state" / "media.db") as catalogue:
        assert {record["content_url"] for record in catalogue.newest()} == {start + song for song in SONGS.values()}
    assert {line["url"].removeprefix(start) for line in logged(tmp_path / "state")} == wanted
