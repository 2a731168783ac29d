"""Media files whose answers break off: the range is requested again, and what is read in the end is kept."""

from collections import Counter

import pytest
from crawling import Crawl
from judging import Verdict, stat
from lists_web import ListsWeb
from wire import respond

from mediacrawl.programs.demo.answers import Resource, strong_etag
from mediacrawl.programs.demo.library import media_bytes
from mediacrawl.settings import PROBE_MAX_REQUESTS

ATTEMPTS = 3
PATH = "/song.mp3"
SONG = media_bytes("folge-1.mp3") * 10
TITLE_ENDS = SONG.index(b"TIT2") + 200
"""Behind the title, and far from the end of the first range."""
HEAD, LATER = "head", "later"

# Host -> (which range breaks off, how, how often).
BROKEN = {
    "length-once": (HEAD, "length", 1),
    "length-twice": (HEAD, "length", 2),
    "reset-once": (HEAD, "reset", 1),
    "empty-once": (HEAD, "empty", 1),
    "chunked-once": (HEAD, "chunked", 1),
    "whole-once": (HEAD, "whole", 1),
    "bytes-once": (HEAD, "bytes", 1),
    "later-once": (LATER, "length", 1),
    "later-reset": (LATER, "reset", 1),
    "later-chunked": (LATER, "chunked", 1),
    "length-always": (HEAD, "length", 10**6),
    "chunked-always": (HEAD, "chunked", 10**6),
    "too-long-always": (HEAD, "too long", 10**6),
    "empty-always": (HEAD, "empty", 10**6),
    "later-always": (LATER, "length", 10**6),
}
ONCE = [host for host in BROKEN if not host.endswith("always")]


class BrokenFiles(ListsWeb):
    """Each host has a song, and breaks off some of its ranges."""

    def start(self):
        super().start()
        self.left = {}
        for host, (_, _, times) in BROKEN.items():
            self.put(host, PATH, SONG, "application/octet-stream" if host == "bytes-once" else "audio/mpeg")
            self.left[host] = times
        # Ignored ranges are cut off by the crawler, and a stream ends by itself: neither broke off.
        self.put("ignores", PATH, SONG * 8, "audio/mpeg")
        self.put("stream", PATH, SONG[:3_000], "audio/mpeg")
        self.seeds = [self.url(host, PATH) for host, path in self.resources if path == PATH]

    async def _answer(self, exchange):
        request = exchange.request
        host = request.host.removesuffix(".example")
        if request.target != PATH:
            await super()._answer(exchange)
        elif host == "ignores":
            found = self.resources[host, PATH]
            await exchange.raw(_head(200, found, [("Content-Length", str(len(found.body)))]) + found.body)
        elif host == "stream":
            found = self.resources[host, PATH]
            await exchange.raw(_head(200, found, [("icy-name", "A station"), ("Content-Length", "9" * 9)]) + found.body)
        else:
            await self._file(exchange, host)

    async def _file(self, exchange, host):
        which, how, _ = BROKEN[host]
        found = self.resources[host, PATH]
        answer = respond(found, exchange.request)
        is_head = exchange.request.headers.get("range", "").startswith("bytes=0-")
        if is_head != (which == HEAD) or not self.left[host]:
            await exchange.send(answer)
            return
        self.left[host] -= 1
        body = answer.body[: len(answer.body) // 2 if which == LATER else TITLE_ENDS]
        place = [(name, value) for name, value in answer.headers if name == "Content-Range"]
        status, fields = 206, [("Content-Length", str(len(answer.body))), *place]
        if how == "whole":
            status, fields, body = 200, [("Content-Length", str(len(SONG)))], SONG[:TITLE_ENDS]
        elif how == "bytes":
            # Before the first frame or tag can be recognised.
            body = body[:2]
        elif how == "empty":
            body = b""
        elif how == "too long":
            fields, body = [("Content-Length", str(len(answer.body) + 500)), *place], answer.body
        elif how == "chunked":
            fields = [("Transfer-Encoding", "chunked"), *place]
            body = f"{len(body):x}\r\n".encode() + body + b"\r\n"
        await exchange.raw(_head(status, found, fields) + body)
        if how == "reset":
            exchange.reset()


def _head(status, found: Resource, fields):
    fields = [("Content-Type", found.content_type), ("ETag", strong_etag(found.body)), *fields]
    lines = "".join(f"{name}: {value}\r\n" for name, value in fields)
    return f"HTTP/1.1 {status} X\r\n{lines}\r\n".encode()


@pytest.fixture(scope="module")
def crawled(tmp_path_factory):
    with BrokenFiles() as web:
        crawl = Crawl(web, tmp_path_factory.mktemp("cut"))
        crawl.run(POLITENESS_FACTOR=0, FRONTIER_ATTEMPTS=ATTEMPTS)
        yield crawl


@pytest.fixture(scope="module")
def verdict(crawled):
    return Verdict(crawled)


def ranges(crawled, host):
    return Counter(entry.range for entry in crawled.web.asked(host, PATH))


@pytest.mark.parametrize("host", ONCE)
def test_a_range_that_broke_off_is_requested_again_and_the_record_lacks_nothing(crawled, verdict, host):
    url, times = crawled.web.url(host, PATH), BROKEN[host][2]
    assert verdict.of(url) == ("complete", 2 + times)
    assert verdict.records[url]["title"]
    repeated = [number for number in ranges(crawled, host).values() if number > 1]
    assert repeated == [1 + times]


@pytest.mark.parametrize("host", ["length-always", "chunked-always", "too-long-always"])
def test_a_file_that_always_breaks_off_keeps_what_was_read_and_names_the_reason(crawled, verdict, host):
    url = crawled.web.url(host, PATH)
    assert verdict.of(url) == ("partial", ATTEMPTS)
    assert verdict.records[url]["title"]


def test_files_that_always_break_off_are_counted_by_the_reason(crawled):
    assert stat(crawled, "media/odd/broke_off") == 5


def test_a_later_range_that_always_breaks_off_ends_within_the_budget(crawled, verdict):
    url = crawled.web.url("later-always", PATH)
    assert verdict.of(url) == ("partial", PROBE_MAX_REQUESTS)
    assert verdict.records[url]["title"]


def test_a_file_of_which_never_a_byte_came_is_dropped_as_unreadable(crawled, verdict):
    assert verdict.of(crawled.web.url("empty-always", PATH)) == ("unreadable", ATTEMPTS)


def test_what_the_crawler_ended_itself_and_what_has_no_end_did_not_break_off(crawled, verdict):
    assert verdict.of(crawled.web.url("ignores", PATH))[1] == 1
    assert verdict.of(crawled.web.url("stream", PATH)) == ("stream", 1)


def test_each_range_that_is_requested_again_is_counted(crawled):
    finite = sum(times for _, _, times in BROKEN.values() if times < 10**6)
    assert stat(crawled, "trouble/cut") == finite + 4 * (ATTEMPTS - 1) + PROBE_MAX_REQUESTS - 2
