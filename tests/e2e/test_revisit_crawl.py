"""Crawls that continue: pages that led to media are requested again, judged by what the server saw."""

import sqlite3
import time
from contextlib import closing

import msgpack
import pytest
import redis
from judging import stat
from lists_web import ListsWeb
from sins_media import song

from mediacrawl.frontier.site_state import AGAIN
from mediacrawl.programs.demo.answers import Resource, strong_etag
from mediacrawl.programs.frontier_tools.checking import check

QUICK = (
    *("-s", "POLITENESS_FIRST_DELAY=0.05", "-s", "POLITENESS_MIN_DELAY=0.05", "-s", "POLITENESS_FACTOR=0"),
    *("-s", "REVISIT_WORTH=1e-30", "-s", "PRIORITY=adaptive"),
)
EVERY = 0.8
"""Seconds after which the page of shows has one more."""
BUSY = 50
"""Pages that wait meanwhile, at any time."""
LISTS = 6
"""Requests of the page of shows after which the other pages come to their end."""
MOST = 400
"""Other pages at most, however seldom the page of shows is asked."""
SHARE = 0.2


class LivelyWeb(ListsWeb):
    """A host whose page of shows gets a new one every now and then, and one with many pages and nothing else.

    The many do not end before the page of shows has been asked some times, however fast the machine is.
    """

    def __init__(self):
        super().__init__()
        self.began = time.monotonic()
        self.pages = BUSY

    def start(self):
        super().start()
        self.hosts["lively.example"] = "127.0.0.1"
        self.put("busy", "/", "".join(f"<p><a href='/{number}'>{number}</a>" for number in range(BUSY)))
        self.seeds = [self.url("lively", "/"), self.url("busy", "/")]

    @property
    def shows(self):
        return 2 + int((time.monotonic() - self.began) / EVERY)

    async def _answer(self, exchange):
        path = exchange.request.target
        if exchange.request.host == "lively.example":
            number = path.removeprefix("/").removesuffix(".mp3")
            if path == "/":
                links = "".join(f"<p><a href='/{each}.mp3'>show {each}</a>" for each in range(self.shows))
                self.resources["lively", path] = page(f"<title>Shows</title>{links}")
            elif number.isdecimal() and int(number) < self.shows:
                # Of another length each, and so another recording.
                self.resources["lively", path] = Resource(song(10 + int(number)), "audio/mpeg")
        elif exchange.request.host == "busy.example" and path.removeprefix("/").isdecimal():
            self.put("busy", path, f"<title>{path}</title>page {path}{self._one_more()}")
        await super()._answer(exchange)

    def _one_more(self):
        """A link to a page that nobody knows yet, as long as there are to be more."""
        if len(lists(self.log)) > LISTS or self.pages == MOST:
            return ""
        self.pages += 1
        return f"<p><a href='/{self.pages - 1}'>{self.pages - 1}</a>"


def page(text):
    return Resource(text.encode(), etag=strong_etag(text.encode()))


@pytest.fixture
def web():
    with LivelyWeb() as web:
        yield web


def heard(log):
    """Numbers of the shows that were asked."""
    return {entry.path for entry in log if entry.path.endswith(".mp3")}


def lists(log):
    """Requests of the page of shows."""
    return [entry for entry in log if entry.host == "lively.example" and entry.path == "/"]


def busy_places(log):
    """Places in the log of what was asked of the host with many pages."""
    return [place for place, entry in enumerate(log) if entry.host == "busy.example"]


def records_of(state, site):
    """Fetches and credit of the link classes of a site, as the order has written them down."""
    with closing(sqlite3.connect(state / "frontier.db")) as db:
        (packed,) = db.execute("SELECT record FROM note WHERE room = 'classes' AND key = ?", (site,)).fetchone()
    return {name: (fetches, credit) for name, fetches, credit, _ in msgpack.unpackb(packed)["classes"]}


@pytest.mark.slow
def test_what_is_new_is_found_at_little_cost_for_as_long_as_the_crawl_runs(web, crawl):
    state = crawl.folder / "state"
    crawl.start("-a", "revisit=yes", *QUICK, "-s", "REVISIT_SOONEST=0.4")
    # New shows after the first pages, and both kinds of answers, come sooner or later, however fast the machine is.
    crawl.until(
        lambda log: (
            len(busy_places(log)) == web.pages + 2
            and len(heard(log)) >= max(5, len(heard(log[: busy_places(log)[0] + 20])) + 1)
            and {entry.status for entry in lists(log)[1:]} >= {200, 304}
        )
    )
    log = web.settled_log()
    busy = busy_places(log)
    # While there were others to ask the share held, at any time.
    for place in busy:
        before = log[: place + 1]
        assert len(lists(before)) - 1 <= SHARE * len(before)
    assert len(lists(log[: busy[-1]])) >= LISTS
    # What had not changed was not sent.
    first, *again = lists(log)
    assert first.status == 200
    assert all("if-none-match" in entry.headers for entry in again)
    assert {entry.status for entry in again} == {200, 304}
    # Nothing else is left, and it continues.
    time.sleep(2 * EVERY)
    assert crawl.process.poll() is None
    crawl.kill()
    known = len(web.settled_log())

    crawl.start(*QUICK, "-s", "REVISIT_SOONEST=0.4", seed="")
    crawl.until(
        lambda log: (
            len(heard(log[known:]) - heard(log[:known])) >= 2
            and any(entry.status == 304 for entry in lists(log[known:]))
        )
    )
    assert crawl.interrupt() == 0
    log = web.settled_log()[known:]
    # What was known of it the kill has left.
    assert all("if-none-match" in entry.headers for entry in lists(log))
    assert not [entry for entry in log if entry.host == "busy.example"]
    assert check(state / "frontier.db").problems == []
    assert stat(crawl, "revisit/unchanged") > 0 < stat(crawl, "revisit/changed")
    assert stat(crawl, "revisit/hubs") == 1
    assert "known pages (1 so far) are requested again" in crawl.text()
    with closing(sqlite3.connect(state / "media.db")) as db:
        stored = {f"/{url.rpartition('/')[2]}" for (url,) in db.execute("SELECT content_url FROM media")}
    # The last may have been under way.
    assert len(heard(web.settled_log()) - stored) <= 1
    # That a page has nothing new yet says nothing of links.
    assert AGAIN not in records_of(state, "lively.example")


@pytest.mark.parametrize("store", ["memory", "redis"])
def test_pages_come_back_wherever_the_frontier_is(web, crawl, store, request):
    if store == "redis":
        store = f"{request.getfixturevalue('redis_server')}/9"
        with closing(redis.Redis.from_url(store)) as client:
            client.flushdb()
    # Redis is read a sixty-fourth at a look.
    settings = (*QUICK, "-s", "REVISIT_SOONEST=0.1", "-s", f"SCHEDULER_STORE={store}")
    crawl.start("-a", "revisit=0.5", *settings, seed=web.seeds[0])
    crawl.until(lambda log: len(heard(log)) >= 5 and any(entry.status == 304 for entry in lists(log)))
    assert crawl.interrupt() == 0
    assert "by at most 50 % of the requests" in crawl.text()
    assert stat(crawl, "revisit/joined") >= stat(crawl, "revisit/unchanged") > 0


def test_without_the_argument_the_crawl_ends_and_no_page_comes_back(web, crawl):
    crawl.run(*QUICK, "-s", "REVISIT_SOONEST=0.1", seed=web.seeds[0])
    assert len(lists(web.settled_log())) == 1
    # The crawl that continues says so, and the next one knows.
    crawl.start("-a", "revisit=yes", *QUICK, "-s", "REVISIT_SOONEST=0.1", seed="")
    crawl.until(lambda _: "known pages (0 so far)" in crawl.text())
    assert crawl.interrupt() == 0
    crawl.run("-a", "revisit=no", *QUICK, seed="")
    assert "known pages" not in crawl.text()
