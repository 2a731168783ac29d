"""Entries come to NeverCrawl while a crawl runs: what the servers saw, and what the frontier says of it."""

import re
import time
from collections import Counter

import pytest
from harness import until
from judging import Verdict, stat
from wire import HttpServer, Resource, respond

RELOAD = 0.5
SLACK = 0.5
"""Seconds that a machine that does much else may take for what it would do at once."""
PAGES = 4_000
DELAY = 0.03
QUICK = {"POLITENESS_MIN_DELAY": DELAY, "POLITENESS_FIRST_DELAY": DELAY}
ADDED = "many.example\nkept.example/private/  # 2026-11-02\n127.0.0.4/30  # his network\n"
LISTED = '<a href="/to-listed">moved</a> <a href="http://sub.listed.example/1">never</a>'
OTHER_ADDRESS = "127.0.0.5"


class GrowingWeb:
    """Hosts whose pages link to ten more, and to one that is never requested; one of them at another address."""

    never_crawl = "# from the start\nlisted.example\n"

    def __init__(self):
        self.servers = [HttpServer(self.answer)]
        self.servers[0].start()
        self.port = self.servers[0].port
        self.servers.append(HttpServer(self.answer, OTHER_ADDRESS, self.port))
        self.servers[1].start()
        here = ("www.many.example", "kept.example", "www.kept.example", "open.example", "listed.example")
        self.hosts = {
            **dict.fromkeys(here, "127.0.0.1"),
            "net.example": OTHER_ADDRESS,
            "sub.listed.example": "127.0.0.1",
        }
        names = ("www.many.example", "www.kept.example", "net.example", "open.example")
        self.seeds = [f"http://{name}:{self.port}/" for name in names]

    @property
    def log(self):
        return [entry for server in self.servers for entry in server.log]

    def settled_log(self):
        return [entry for server in self.servers for entry in server.settled_log()]

    def stop(self):
        for server in self.servers:
            server.stop()

    async def answer(self, exchange):
        path = exchange.request.path
        if path == "/robots.txt":
            page = Resource(b"User-agent: *\nDisallow:\n", "text/plain")
        elif path == "/to-listed":
            page = Resource(status=302, headers=(("Location", f"http://listed.example:{self.port}/redirected"),))
        else:
            number = int(path.rpartition("/")[2] or 0)
            paths = [f"/{kind}/{n}" for n in range(number * 5 + 1, number * 5 + 6) for kind in ("public", "private")]
            links = "".join(f'<a href="{path}">{path}</a> ' for path in paths if number < PAGES // 5)
            page = Resource(f"<p>{exchange.request.host} {path}</p>{links}{LISTED}".encode(), "text/html")
        await exchange.send(respond(page, exchange.request))


@pytest.fixture
def web():
    web = GrowingWeb()
    yield web
    web.stop()


def kind(entry):
    """What an entry of the log is, by what the list says of it."""
    return f"{entry.host}/private" if entry.path.startswith("/private/") else entry.host


def asked(entries):
    return Counter(kind(entry) for entry in entries)


def replace(path, text):
    beside = path.with_name("beside.txt")
    beside.write_text(text, "utf-8")
    beside.replace(path)


def waiting(verdict):
    """The waiting URLs in a frontier, by what the list says of it."""
    return {url.split("/")[2].partition(":")[0] + "/private" * ("/private/" in url) for url in verdict.waiting}


def logged(crawl, sentence):
    """Wait until the crawl has said something."""
    return until(lambda: re.search(sentence, crawl.text()))


def test_entries_that_come_while_it_runs_are_asked_no_more_and_what_waits_for_them_is_dropped(crawl):
    web = crawl.web
    crawl.start(**QUICK)
    wanted = {"www.many.example": 6, "www.kept.example/private": 4, "net.example": 4, "open.example": 6}
    crawl.until(lambda log: all(asked(log)[name] >= least for name, least in wanted.items()))
    replace(crawl.nevercrawl, web.never_crawl + ADDED)
    written = time.monotonic()
    gone = int(logged(crawl, r"NeverCrawl: (\d+) URLs that waited are dropped")[1])
    # What went out before may be read by the server after the line is read here.
    in_force = time.monotonic() + SLACK
    left = {"open.example": 20, "open.example/private": 1, "www.kept.example": 1}

    def late(log):
        return asked(entry for entry in log if entry.received_monotonic > in_force)

    crawl.until(lambda log: all(late(log)[name] >= least for name, least in left.items()))
    # A network is no name of a site: what leads there is refused when its turn comes.
    crawl.until(lambda _: waiting(Verdict(crawl)) == left.keys())

    # The file goes away: that is no empty list.
    crawl.nevercrawl.unlink()
    logged(crawl, r"ERROR: NeverCrawl: NeverCrawl.txt can not be read in .* The last good list stays in force")
    before = len(web.log)
    crawl.until(lambda log: asked(log[before:])["open.example"] >= 10)
    assert crawl.interrupt() == 0

    assert late(web.settled_log()).keys() == left.keys()
    # One was on its way; the others had their delay between them while the time to reload went by.
    last = asked(entry for entry in web.settled_log() if entry.received_monotonic > written)
    assert last["www.many.example"] + last["www.many.example/private"] <= 1 + (1 + RELOAD / DELAY)
    assert not any("listed.example" in entry.host for entry in web.settled_log())

    verdict = Verdict(crawl)
    assert waiting(verdict) == left.keys()
    assert gone > 10
    assert verdict.ended["nevercrawl"] >= gone
    assert stat(crawl, "drop/nevercrawl") >= verdict.ended["nevercrawl"]
    assert stat(crawl, "nevercrawl/reloaded") == 1
    assert stat(crawl, "nevercrawl/entries") == 4
    assert stat(crawl, "nevercrawl/unreadable") == 1
    assert stat(crawl, "guard/nevercrawl") >= 1


def test_what_was_added_while_no_crawl_ran_is_dropped_at_the_start(crawl):
    web = crawl.web
    crawl.start(**QUICK)
    crawl.until(lambda log: len(log) > 30)
    assert crawl.interrupt() == 0
    waiting = len(Verdict(crawl).waiting)
    before = len(web.settled_log())
    replace(crawl.nevercrawl, "# all\nexample\n")
    crawl.start(**QUICK, seed="")
    assert crawl.wait(60) == 0
    # On a busy machine some are leased before it is their turn, and refused on their way out.
    assert re.search(r"NeverCrawl: \d+ URLs that waited are dropped", crawl.text())
    assert "WARNING: NeverCrawl: NeverCrawl.txt:2: example is a public suffix" in crawl.text()
    verdict = Verdict(crawl)
    assert (verdict.waiting, len(web.settled_log())) == ([], before)
    assert verdict.ended["nevercrawl"] == waiting
    assert stat(crawl, "drop/nevercrawl") == waiting


def test_nothing_of_a_listed_site_is_asked_neither_its_robots_txt_nor_a_list_of_seeds(crawl):
    crawl.start(seed=f"http://listed.example:{crawl.web.port}/seeds.txt")
    crawl.wait(60)
    assert "The seed list http://listed.example" in crawl.text()
    crawl.start(seed=f"http://listed.example:{crawl.web.port}/")
    assert crawl.wait(60) == 0
    assert crawl.web.settled_log() == []
