"""Sites that broke and came back: the crawl, or its next starts, ask them, counted by the server."""

import time
from collections import Counter

import pytest
from crawling import Crawl
from judging import Verdict
from wire import HttpServer, Resource, Response, respond

SITES = 2
PAGES = 2
SETTINGS = {
    "BACKOFF_REST_AFTER": 2,
    "BACKOFF_REST": 4,
    "mediacrawl.politeness.backoff.BackoffPolicy.rest_maximum": 4,
    "mediacrawl.politeness.backoff.BackoffPolicy.jitter": 0,
    "POLITENESS_FACTOR": 0,
    "ROBOTS_RETRY": 0.1,
    "BREAKER_SITES": 0,
    # As they are by default: after each start an address is left alone for a second.
    "POLITENESS_ADDRESS_FACTOR": 5.0,
    "POLITENESS_ADDRESS_MIN_DELAY": 1.0,
}


class MendedWeb(HttpServer):
    """Sites on one address. As long as `broken` is set, each answers 503 to everything."""

    never_crawl = "# nobody\n"

    def __init__(self):
        super().__init__(self._answer)
        self.broken = True
        self.hosts = {f"site{n}.example": "127.0.0.1" for n in range(SITES)}

    @property
    def seeds(self):
        return [f"http://{host}:{self.port}/page{n}" for host in self.hosts for n in range(PAGES)]

    async def _answer(self, exchange):
        path = exchange.request.path
        if self.broken:
            await exchange.send(Response(503, (), b"later\n"))
        elif path == "/robots.txt":
            await exchange.send(Response(404, (), b"none\n"))
        else:
            text = f"<title>{exchange.request.host}{path}</title><p>Here is {path} of {exchange.request.host}.</p>"
            await exchange.send(respond(Resource(text.encode(), "text/html"), exchange.request))


@pytest.fixture
def web():
    with MendedWeb() as web:
        yield web


@pytest.mark.slow
def test_sites_that_rested_are_asked_again_by_the_next_starts(web, tmp_path):
    crawl = Crawl(web, tmp_path)
    options = [word for name, value in SETTINGS.items() for word in ("-s", f"{name}={value}")]
    assert crawl.start(*options).wait() == 0
    assert "Spider closed (finished)" in crawl.text()
    assert len(Verdict(crawl).waiting) == SITES * PAGES, "all rest, and nothing is lost"
    web.broken = False
    begun = len(web.settled_log())
    for _ in range(2):
        # No site rests for longer, and a rest is nothing but time.
        time.sleep(SETTINGS["BACKOFF_REST"])
        asked = len(web.settled_log())
        assert crawl.start(*options, seed="").wait() == 0
        if len(web.settled_log()) == asked:
            pytest.fail(f"this start asked nobody:\n{crawl.text()[-3000:]}")
        verdict = Verdict(crawl)
        if not verdict.waiting:
            break
    assert verdict.waiting == []
    assert verdict.ended == {"done": SITES * PAGES}
    paths = [(entry.host, entry.path) for entry in web.settled_log()[begun:] if entry.path != "/robots.txt"]
    assert len(paths) == len(set(paths)) == SITES * PAGES


class AwayWeb(HttpServer):
    """Sites with one page each, which is away for its first `OUTAGE` requests. Its robots.txt is not."""

    OUTAGE = 4
    never_crawl = "# nobody\n"

    def __init__(self):
        super().__init__(self._answer)
        self.hosts = {f"{name}.example": "127.0.0.1" for name in ("reset", "silent", "error", "busy")}
        self._asked = Counter()

    @property
    def seeds(self):
        return [f"http://{host}:{self.port}/only" for host in self.hosts]

    async def _answer(self, exchange):
        host, path = exchange.request.host, exchange.request.path
        self._asked[host] += path != "/robots.txt"
        if path == "/robots.txt":
            await exchange.send(Response(404, (), b"none\n"))
        elif self._asked[host] > self.OUTAGE:
            await exchange.send(respond(Resource(f"<p>{host} is back.</p>".encode(), "text/html"), exchange.request))
        elif host == "reset.example":
            exchange.reset()
        elif host == "silent.example":
            exchange.keep_alive = False
        else:
            await exchange.send(Response(500 if host == "error.example" else 503, (), b"later\n"))


def test_the_only_url_of_a_site_survives_an_outage_that_is_longer_than_its_attempts(tmp_path):
    with AwayWeb() as web:
        crawl = Crawl(web, tmp_path)
        crawl.start("-s", "POLITENESS_FACTOR=0", "-s", "POLITENESS_MIN_DELAY=0.05", "-s", "POLITENESS_FIRST_DELAY=0.05")
        assert crawl.wait() == 0, crawl.text()[-3000:]
        verdict = Verdict(crawl)
        assert verdict.ended == {"done": len(web.hosts)}
        asked = Counter(entry.host for entry in web.settled_log() if entry.path == "/only")
        assert set(asked.values()) == {web.OUTAGE + 1}
