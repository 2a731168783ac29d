"""Several workers of one crawl, on one Redis: what the servers saw of all of them together."""

import asyncio
import itertools
import json
import sqlite3
import threading
from contextlib import ExitStack, closing

import pytest
import redis
from crawling import CLOCK, MIN_DELAY, Crawl
from demo_web import DemoWeb
from judging import stat

from mediacrawl.scope import canonical, site_of

EXPECTED = {"done": 177, "robots": 4, "content_type": 2, "http_status": 3, "redirect_cap": 1}
"""How the URLs of the demo's web end, as in a crawl of one process."""
TWICE = 1
"""Pages that end twice: when a site adapter asks for their data instead, and when they are requested after all."""


class Worker(Crawl):
    """One worker; its state folder is its own."""

    def __init__(self, web, folder, url):
        folder.mkdir()
        super().__init__(web, folder)
        self.url = url

    def start(self, *extra, seed="", **settings):
        """Without seeds unless some are given."""
        short = {"DOWNLOAD_TIMEOUT": 5, "RESOLVER_TIMEOUT": 2, "FRONTIER_LEASE": 12, "SCHEDULER_STORE": self.url}
        return super().start(*extra, seed=seed, **{**short, **settings})

    def records(self):
        with closing(sqlite3.connect(self.folder / "state" / "media.db")) as db:
            return {canonical(url) for (url,) in db.execute("SELECT content_url FROM media")}


@pytest.fixture
def web(request):
    with getattr(request, "param", DemoWeb)() as web:
        yield web


@pytest.fixture
def server(redis_server):
    """A database of the tests' own; its client and its URL."""
    url = f"{redis_server}/7"
    with closing(redis.Redis.from_url(url, decode_responses=True)) as client:
        client.flushdb()
        yield client, url


@pytest.fixture
def hire(web, tmp_path, server):
    """Makes workers, and sees that none stays."""
    names = (tmp_path / f"worker-{number}" for number in itertools.count())
    with ExitStack() as hired:
        yield lambda: hired.enter_context(Worker(web, next(names), server[1]))


class HeldWeb(DemoWeb):
    """The demo's web, which answers no more than `EARLY` requests until it is `open`."""

    EARLY = 20

    def __init__(self):
        super().__init__()
        self.open = threading.Event()

    async def _answer(self, exchange):
        while len(self.log) > self.EARLY and not self.open.is_set():
            await asyncio.sleep(0.02)
        await super()._answer(exchange)


def ends(client):
    return {name: int(number) for name, number in client.hgetall("media:frontier:ends").items()}


@pytest.mark.slow
@pytest.mark.parametrize("web", [HeldWeb], indirect=True)
def test_workers_that_join_late_share_the_crawl_and_end_with_it(web, hire, server):
    client, _ = server
    # How long the web holds its answers back must neither break requests off nor make the delays longer.
    patient = {"DOWNLOAD_TIMEOUT": 90, "FRONTIER_LEASE": 120, "POLITENESS_FACTOR": 0}
    # Before the one that has seeds, together with it, and while it is at work.
    early, first = hire().start(**patient), hire().start(**patient, seed=None)
    first.until(lambda log: len(log) > web.EARLY)
    late = hire().start(**patient)
    workers = [early, first, late]
    # Most of the crawl is left for three of them.
    first.until(lambda _: client.zcard("media:frontier:workers") == len(workers))
    web.open.set()
    assert [worker.wait() for worker in workers] == [0, 0, 0]
    assert ends(client) == EXPECTED
    assert int(client.hget("media:frontier:total", "seen")) == sum(EXPECTED.values()) - TWICE
    assert all(stat(worker, "frontier/end/done") > 0 for worker in workers)
    assert len(set.union(*(worker.records() for worker in workers))) == len(web.expected_records)
    for gap, site, before, after in first.gaps():
        assert gap >= MIN_DELAY - CLOCK, (site, before, after)
    # Nothing is left, and a start without seeds ends at once.
    again = hire().start()
    assert again.wait() == 0
    assert "0 URLs wait there or at a worker" in again.text()


def test_all_workers_keep_to_the_borders_of_the_one_with_the_seeds(web, hire, server):
    home = site_of(web.seeds[0])
    early = hire().start()
    first = hire().start("-a", "scope=site", seed=web.seeds[0])
    assert [worker.wait() for worker in (early, first)] == [0, 0]
    # One that brings seeds and says nothing of scope opens nothing.
    late = hire().start(seed=web.seeds[0])
    assert late.wait() == 0
    assert "scope=site, as this crawl began; -a scope=web" in late.text()
    assert {site_of(entry.url) for entry in web.settled_log()} == {home}
    assert json.loads((late.folder / "state" / "borders.json").read_text())["sites"] == [home]


@pytest.mark.slow
def test_a_killed_workers_urls_come_back_to_the_others(web, hire, server):
    client, _ = server
    doomed, other = hire().start(seed=None), hire().start()
    doomed.until(lambda log: len(log) > 30)
    doomed.kill()
    assert other.wait() == 0
    assert ends(client) == EXPECTED
    assert int(client.hget("media:frontier:total", "leased")) == 0
    for gap, site, before, after in other.gaps():
        assert gap >= MIN_DELAY - CLOCK, (site, before, after)
