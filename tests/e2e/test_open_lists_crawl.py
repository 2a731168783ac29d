"""Many sites send long lists at the same time: few are held at once, the others wait, and all are read."""

import asyncio
import contextlib
import time

import pytest
from crawling import MIN_DELAY
from judging import Verdict, stat
from wire import HttpServer, Resource, respond

SITES = 8
LIST_BYTES = 900_000
AT_ONCE = 3
HELD = 0.3
"""Seconds for which the server holds the last byte of each list back."""


class LongFeeds(HttpServer):
    """Each site has a feed of 900 KB. Half of their URLs look like lists, of the others only the answers say so.

    Attributes:
        sent: when the body of each list began and ended that was taken to its end.
    """

    never_crawl = "# nobody\n"

    def __init__(self):
        super().__init__(self._answer)
        self.hosts = {f"feed{number}.example": "127.0.0.1" for number in range(SITES)}
        self.sent = []

    @property
    def seeds(self):
        paths = ["/map.xml.gz", "/feed"]
        return [f"http://{host}:{self.port}{paths[place % 2]}" for place, host in enumerate(self.hosts)]

    async def _answer(self, exchange):
        request, path = exchange.request, exchange.request.path
        if path == "/robots.txt":
            await exchange.send(respond(Resource(b"User-agent: *\nAllow: /\n", "text/plain"), request))
            return
        if path == "/page":
            await exchange.send(respond(Resource(request.host.encode(), "text/html"), request))
            return
        begin = b"<rss><channel><title>%s</title><item><link>/page</link></item>" % request.host.encode()
        body = begin + b"<!-- nothing -->" * ((LIST_BYTES - len(begin)) // 16)
        # One half tells its length; that of the others ends with the connection.
        length = b"Content-Length: %d\r\n" % len(body) if path == "/feed" else b""
        began = time.monotonic()
        await exchange.raw(b"HTTP/1.1 200 OK\r\nContent-Type: application/rss+xml\r\n%s" % length)
        await exchange.raw(b"Connection: close\r\n\r\n")
        await exchange.raw(body[:-1])
        with contextlib.suppress(TimeoutError):
            await asyncio.wait_for(exchange.until_gone(), HELD)
            return
        await exchange.raw(body[-1:])
        self.sent.append((began, time.monotonic()))

    def most_at_once(self):
        """How many lists were on their way at the same time."""
        return max(sum(one <= began < end for one, end in self.sent) for began, _ in self.sent)


def is_late(_, __, before, after):
    """Whether the server noticed late that the crawler had left a list: it waited long enough since the request."""
    is_whole = before.path in {"/page", "/robots.txt"} or before.bytes_sent > LIST_BYTES - 32
    return not is_whole and after.received_monotonic - before.received_monotonic >= MIN_DELAY


@pytest.fixture
def web():
    with LongFeeds() as web:
        yield web


def test_lists_wait_for_those_that_are_open_and_all_are_read(crawl, web):
    switches = {"LIST_MAX_BYTES": 1_000_000, "POLITENESS_FACTOR": 0}
    switches["mediacrawl.middlewares.lists.OPEN_BYTES"] = AT_ONCE * 1_000_000
    crawl.start(*(word for name, value in switches.items() for word in ("-s", f"{name}={value}")))
    assert crawl.wait() == 0, crawl.text()[-3000:]
    assert len(web.sent) == SITES
    assert web.most_at_once() <= AT_ONCE
    assert stat(crawl, "feed/read") == SITES
    assert stat(crawl, "list/waits") + stat(crawl, "list/again") > 0
    # None was lost or counted as its site's trouble, and none was requested before its time.
    verdict = Verdict(crawl)
    assert (verdict.waiting, verdict.ended) == ([], {"done": 2 * SITES})
    assert "'trouble/" not in crawl.text()
    assert [gap for gap in crawl.gaps() if gap[0] < MIN_DELAY - 0.01 and not is_late(*gap)] == []
