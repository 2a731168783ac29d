"""A real crawl of podcasts whose enclosures are behind prefixes that count downloads."""

import pytest
from crawling import Crawl, quick
from lists_web import ListsWeb
from wire import respond

from mediacrawl.programs.demo.answers import Resource
from mediacrawl.programs.demo.library import media_bytes

TRACKERS = 8


class Podcasts(ListsWeb):
    """Hosts ``t0`` to ``t7`` redirect to what follows in their path; all others have what was put there."""

    async def _answer(self, exchange):
        request = exchange.request
        word, _, inner = request.target.removeprefix("/").partition("/")
        if not request.host.startswith("t") or word not in {"e", "track"}:
            await super()._answer(exchange)
            return
        inner = inner.replace("%3A", ":").replace("%2F", "/").removeprefix("http://")
        moved = {"moved.example": "real.example"}.get(inner.partition(":")[0])
        target = f"http://{inner}" if moved is None else f"http://{inner}".replace("moved.example", moved)
        await exchange.send(respond(Resource(b"", "text/plain", status=302, headers=(("Location", target),)), request))


def entry(number, url):
    return f'<item><title>Episode {number}</title><enclosure url="{url}" type="audio/mpeg" length="1"/></item>'


def put_feed(web, published):
    items = "".join(entry(number, url) for number, url in published.items())
    web.put("start", "/feed", f"<rss><channel><title>Show</title>{items}</channel></rss>", "application/rss+xml")


def build(web):
    for name in [*(f"t{number}" for number in range(TRACKERS)), "cdn", "moved", "real", "band", "t9"]:
        web.hosts[f"{name}.example"] = "127.0.0.1"
    at, port = "http://t0.example:", web.port
    deep = "".join(f"/e/t{number}.example:{port}" for number in range(1, TRACKERS))
    published = {
        1: f"{at}{port}{deep}/e/cdn.example:{port}/1.mp3?x=1",
        2: f"{at}{port}/track/cdn.example:{port}/2.mp3",
        3: f"{at}{port}/track/http%3A%2F%2Fcdn.example:{port}%2F3.mp3",
        4: f"{at}{port}/e/http://moved.example:{port}/4.mp3",
        5: f"{at}{port}/e/moved.example:{port}/5.mp3",
        7: f"http://band.example:{port}/e/cdn.example:{port}/7.mp3",
        8: f"http://t1.example:{port}/track/cdn.example:{port}/2.mp3",
        9: f"http://t9.example:{port}/e/cdn.example:{port}/2.mp3",
        10: f"http://band.example:{port}/music/cdn.example:{port}/10.mp3",
    }
    put_feed(web, published)
    for path in ("/1.mp3?x=1", "/2.mp3", "/3.mp3"):
        web.song("cdn", path)
    web.put("moved", "/5.mp3", "<html><title>Gone</title><p>We have moved", "text/html")
    for path in ("/4.mp3", "/5.mp3"):
        web.song("real", path)
    web.song("band", f"/e/cdn.example:{port}/7.mp3")
    web.song("band", f"/music/cdn.example:{port}/10.mp3")
    return published


@pytest.fixture(scope="module")
def crawled(tmp_path_factory):
    with Podcasts() as web:
        published = build(web)
        crawl = Crawl(web, tmp_path_factory.mktemp("wrapped"))
        crawl.run("-o", "items.jl", **quick(0.05), seed=web.url("start", "/feed"))
        crawl.published = published
        crawl.by_url = {item["content_url"]: item for item in crawl.items()}
        yield crawl


@pytest.mark.parametrize(("number", "path"), [(1, "/1.mp3?x=1"), (2, "/2.mp3"), (3, "/3.mp3")])
def test_the_innermost_file_is_requested_directly_and_recorded_with_the_enclosure(crawled, number, path):
    item = crawled.by_url[crawled.web.url("cdn", path)]
    assert item["requested_url"] == crawled.published[number]
    assert item["title"] == f"Episode {number}"
    assert item["feed_url"] == crawled.web.url("start", "/feed")


@pytest.mark.parametrize("host", [*(f"t{number}" for number in range(1, TRACKERS)), "t9"])
def test_prefixes_are_not_requested(crawled, host):
    assert not [each for each in crawled.web.settled_log() if f"//{host}.example" in each.url]


@pytest.mark.parametrize("number", [4, 5])
def test_the_published_url_is_requested_where_the_file_is_not_found(crawled, number):
    item = crawled.by_url[crawled.web.url("real", f"/{number}.mp3")]
    assert item["requested_url"] == crawled.published[number]
    assert item["title"] == f"Episode {number}"


@pytest.mark.parametrize("number", [7, 10])
def test_a_folder_that_is_named_like_a_host_loses_nothing(crawled, number):
    assert crawled.by_url[crawled.published[number]]["title"] == f"Episode {number}"


def test_the_published_url_is_requested_at_once_where_no_such_host_exists(tmp_path):
    with Podcasts() as web:
        web.song("band", f"/e/away.example:{web.port}/6.mp3")
        put_feed(web, {6: web.url("band", f"/e/away.example:{web.port}/6.mp3")})
        crawl = Crawl(web, tmp_path).start("-o", "items.jl", **quick(0.05), seed=web.url("start", "/feed"))
        crawl.until(lambda _: web.asked("band", f"/e/away.example:{web.port}/6.mp3"))
        crawl.interrupt()
        (item,) = crawl.items()
    assert item["title"] == "Episode 6"


def test_one_file_behind_several_prefixes_is_one_record(crawled):
    assert len(crawled.by_url) == 7


class Shortener(ListsWeb):
    """Hosts ``s1`` and ``s2``: the first redirects to the second, and that to the file."""

    async def _answer(self, exchange):
        request = exchange.request
        to = {"s1": "s2", "s2": "cdn"}.get(request.host.removesuffix(".example"))
        if to is None or request.target == "/robots.txt":
            await super()._answer(exchange)
            return
        headers = (("Location", self.url(to, request.target)),)
        await exchange.send(respond(Resource(b"", "text/plain", status=302, headers=headers), request))


def test_redirects_that_lead_to_finds_do_not_spend_the_budget_of_the_redirecting_site(tmp_path):
    with Shortener() as web:
        web.hosts |= {"s1.example": "127.0.0.1", "s2.example": "127.0.0.1"}
        put_feed(web, {number: web.url("s1", f"/{number}") for number in range(20)})
        for number in range(20):
            song = media_bytes("folge-1.mp3").replace(b"Folge 1", b"Folge %c" % (ord("A") + number))
            web.put("cdn", f"/{number}", song, "audio/mpeg")
        crawl = Crawl(web, tmp_path)
        crawl.run("-o", "items.jl", **quick(0.05), seed=web.url("start", "/feed"), FRONTIER_SITE_BUDGET=6)
        assert {item["title"] for item in crawl.items()} == {f"Episode {number}" for number in range(20)}
