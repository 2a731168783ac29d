"""A page with links to many addresses that never answer: the sites that do answer are crawled all the same."""

import socket
from contextlib import ExitStack, contextmanager
from datetime import datetime

import pytest
from crawling import Crawl
from judging import Verdict, stat
from lists_web import ListsWeb

from mediacrawl.log.archive import read

SILENT, SLOTS = 60, 16
SOUND = [f"sound-{number}" for number in range(3)]
SETTINGS = {
    "CONCURRENT_REQUESTS": SLOTS,
    "UNTRIED_SHARE": 0.25,
    "CONNECT_TIMEOUT": 0.2,
    # Without a limit for the connection each silent address would take so long.
    "DOWNLOAD_TIMEOUT": 60,
    "BACKOFF_REST_AFTER": 1,
    "BREAKER_SITES": 20,
    "mediacrawl.extensions.breaker.SILENCE": 0,
    # The sound sites answer seldom: the silent ones are many in a row.
    "POLITENESS_FIRST_DELAY": 1.5,
    "GUARD_ALLOW": "127.0.0.0/8",
}


@contextmanager
def nobody_answers():
    """A port where, on every address of loopback, connections are neither accepted nor refused.

    Its queue is full, and on Linux the kernel then drops what comes.
    """
    with ExitStack() as held:
        full = held.enter_context(socket.socket())
        full.bind(("0.0.0.0", 0))
        full.listen(0)
        port = full.getsockname()[1]
        for number in range(16):
            caller = held.enter_context(socket.socket())
            caller.settimeout(0.2)
            try:
                caller.connect((f"127.9.9.{number}", port))
            except TimeoutError:
                yield port
                return
        pytest.fail("the kernel accepts what nobody takes")


class LinkingWeb(ListsWeb):
    """Sites that answer; the first page links to addresses that do not."""

    def __init__(self, silent_port):
        super().__init__()
        self.silent = [f"http://127.1.{number}.1:{silent_port}/" for number in range(SILENT)]

    def start(self):
        super().start()
        own = [(host, f"/{host}/{number}") for host in SOUND for number in range(2)]
        for host, path in [*own, (SOUND[0], "/")]:
            links = [self.url(*place) for place in own] + (self.silent if path == "/" else [])
            self.put(host, path, f"<p>{host}{path}</p>" + "".join(f'<a href="{link}">{link}</a> ' for link in links))
        self.seeds = [self.url(SOUND[0], "/")]


@pytest.fixture(scope="module")
def crawl(tmp_path_factory):
    with nobody_answers() as port, LinkingWeb(port) as web:
        crawl = Crawl(web, tmp_path_factory.mktemp("silent"))
        crawl.start(**SETTINGS)
        crawl.code = crawl.wait(60)
        yield crawl


def test_silent_addresses_do_not_mean_that_our_network_is_down(crawl):
    assert crawl.code == 0, crawl.text()[-3000:]
    assert "Spider closed (finished)" in crawl.text()
    assert stat(crawl, "trouble/timeout") == SILENT


def test_the_sites_that_answer_are_crawled_whole_and_the_silent_ones_rest(crawl):
    verdict = Verdict(crawl)
    assert verdict.ended == {"done": 1 + 2 * len(SOUND)}
    assert sorted(verdict.waiting) == sorted(crawl.web.silent)


def test_silent_addresses_get_their_share_of_the_requests_and_no_more(crawl):
    lines = [line for line in read(crawl.folder / "state" / "log") if line["site"].startswith("127.1.")]
    assert len(lines) == SILENT
    moments = []
    for line in lines:
        began = datetime.fromisoformat(line["time"]).timestamp()
        # The log rounds to milliseconds; one that ended makes room for the next at once.
        moments += [(began + 0.002, 1), (began + line["duration"] - 0.002, -1)]
    out = most = 0
    for _, step in sorted(moments):
        out += step
        most = max(most, out)
    assert most == SLOTS // 4
    assert stat(crawl, "address/untried_waits") > 0
