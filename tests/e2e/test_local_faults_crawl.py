"""Faults and standstills of this machine are never held against a site."""

import asyncio
import itertools
import resource
import signal
import time
from contextlib import contextmanager
from pathlib import Path

import pytest
from crawling import Crawl
from judging import Verdict
from lists_web import SONG, ListsWeb

from mediacrawl.log.archive import read
from mediacrawl.programs.demo.library import media_bytes

SITES = 12
SETTINGS = {"POLITENESS_FACTOR": 0, "POLITENESS_FIRST_DELAY": 2}


class Sites(ListsWeb):
    """Sites with a page and a song each, and a connection for each request.

    Attributes:
        pause: seconds before each answer.
    """

    pause = 0.0

    def start(self):
        super().start()
        for number in range(SITES):
            host = f"site{number}"
            self.put(host, "/", f"<title>{host}</title><p>Here is {host}</p><a href='/song.mp3'>song</a>")
            self.put(host, "/song.mp3", media_bytes("folge-1.mp3") + SONG, "audio/mpeg")
        self.seeds = [self.url(f"site{number}", "/") for number in range(SITES)]

    async def _answer(self, exchange):
        exchange.keep_alive = False
        await asyncio.sleep(self.pause)
        await super()._answer(exchange)


@pytest.fixture
def crawl(tmp_path):
    with Sites() as web, Crawl(web, tmp_path) as crawl:
        yield crawl


def whole(crawl):
    verdict = Verdict(crawl)
    for number in range(SITES):
        for path in ("/", "/song.mp3"):
            end, _ = verdict.of(crawl.web.url(f"site{number}", path))
            assert end in {"done", "complete"}, (number, path, end)
    assert len(verdict.records) == SITES
    assert all(record["title"] for record in verdict.records.values())


@contextmanager
def no_file_descriptor(crawl):
    """The process cannot open another file or socket; yields a function that takes what it has closed since, too."""
    pid = crawl.process.pid
    before = resource.prlimit(pid, resource.RLIMIT_NOFILE)

    def limit():
        taken = {int(entry.name) for entry in Path(f"/proc/{pid}/fd").iterdir()}
        free = next(number for number in itertools.count() if number not in taken)
        resource.prlimit(pid, resource.RLIMIT_NOFILE, (free, before[1]))
        return True

    limit()
    yield limit
    resource.prlimit(pid, resource.RLIMIT_NOFILE, before)


def test_without_file_descriptors_the_urls_wait_and_nothing_is_held_against_their_sites(crawl):
    crawl.start(**SETTINGS)
    # While no request is out: a connection that is closed gives its descriptor back.
    crawl.until(lambda log: len(log) > 3 and all(entry.finished for entry in log))
    with no_file_descriptor(crawl) as limit:
        # The connections of answers that the server has just sent may still be open.
        crawl.until(lambda _: limit() and "Too many open files" in crawl.text())
        time.sleep(2)
    assert crawl.wait() == 0
    assert "raise `ulimit -n`" in crawl.text()
    assert "trouble/" not in crawl.text()
    assert "Traceback" not in crawl.text()
    assert "refuse corrected text" not in crawl.text()
    whole(crawl)
    assert {line["error"] for line in read(crawl.folder / "state" / "log")} == {None}


def test_without_a_local_address_nothing_is_held_against_a_site(crawl):
    # No interface has this address (RFC 5737), so connect fails as it does when all ports are taken.
    crawl.start(**SETTINGS, DOWNLOAD_BIND_ADDRESS="192.0.2.1")
    crawl.until(lambda _: "check DOWNLOAD_BIND_ADDRESS" in crawl.text())
    crawl.interrupt()
    assert crawl.web.log == []
    assert "trouble/" not in crawl.text()
    assert list(read(crawl.folder / "state" / "log")) == []
    crawl.run(**SETTINGS, seed="")
    whole(crawl)


STANDSTILL = 4.0
"""Seconds, longer than both timeouts."""
IMPATIENT = {"DOWNLOAD_TIMEOUT": 3, "CONNECT_TIMEOUT": 3, "POLITENESS_FACTOR": 5}


def longest_delay(crawl):
    return max(line["delay"] or 0.0 for line in read(crawl.folder / "state" / "log"))


def test_a_process_that_was_stopped_takes_its_standstill_for_no_response_time(crawl):
    crawl.web.pause = 0.2
    crawl.start(**{**SETTINGS, **IMPATIENT})
    crawl.until(lambda log: len(log) > SITES)
    crawl.until(lambda log: any(entry.finished is None for entry in log))
    crawl.process.send_signal(signal.SIGSTOP)
    time.sleep(STANDSTILL)
    crawl.process.send_signal(signal.SIGCONT)
    assert crawl.wait() == 0
    assert "trouble/" not in crawl.text()
    # One such time among five would make it four seconds more.
    assert longest_delay(crawl) < STANDSTILL
    whole(crawl)
