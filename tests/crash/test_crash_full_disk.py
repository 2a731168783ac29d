"""A real crawl whose disk is full in the middle of it, and which continues when there is room again.

The disk is full by a limit on the size of a file, which the kernel enforces for any user on any machine. SQLite gets
"file too large" in place of "no space left", at the same calls, and tells the two apart. A small file system,
which only root can mount, is really full.
"""

import re
import resource
import sqlite3
import time
from collections import Counter
from contextlib import closing, contextmanager

import crash_patience
import crash_plan
import crawling
import pytest
from crash_evidence import WAL
from crash_web import ATTEMPTS, CrashWeb
from harness import slow
from ordeal import Ordeal
from small_disk import small_disk

from mediacrawl.store import Catalogue

SETTINGS = {"FRONTIER_ATTEMPTS": ATTEMPTS, "DOWNLOAD_TIMEOUT": 1.5, **crash_patience.SWITCHED_ON}
SWITCHES = [word for name, value in SETTINGS.items() for word in ("-s", f"{name}={value}")]


@pytest.fixture
def crawl(tmp_path):
    with CrashWeb(4, patient=False) as web:
        crawl = Ordeal(web, tmp_path, crash_plan.dice("disk"))
        yield crawl
        if crawl.process is not None and crawl.process.poll() is None:
            crawl.kill()


NO_ROOM = r"the frontier .*frontier\.db cannot be read or written: the disk reports an error; .*the limit on the size"
FULL = (
    r"the frontier .*frontier\.db (cannot grow: the disk is full; make room,|cannot be written).* start the crawl again"
)


def fill_disk(crawl, size):
    """From now on no file of the crawl can grow beyond so many bytes."""
    _, hard = resource.prlimit(crawl.process.pid, resource.RLIMIT_FSIZE)
    resource.prlimit(crawl.process.pid, resource.RLIMIT_FSIZE, (size, hard))


def critical(crawl):
    """What the crawl said before it gave up."""
    return re.findall(r"(?m)^\S+ \S+ \[\S+\] CRITICAL: (.*)$", crawl.text())


def goes_on(crawl):
    """There is room again: it continues, and ends complete."""
    crawl.start(*SWITCHES, seed="")
    assert crawl.wait() == 0
    assert "Resuming" in crawl.text()
    assert crawl.ends() == crawl.web.ends
    left = crawl.left()
    left.check()
    assert (left.waiting, left.leased) == (frozenset(), frozenset())
    assert Counter(row["content_url"] for row in crawl.records()) == Counter(dict.fromkeys(crawl.web.files, 1))
    assert {row["probe_status"] for row in crawl.records()} == {"complete"}
    assert [gap for gap in crawl.gaps() if gap[0] < crawling.MIN_DELAY - crawling.CLOCK] == []


@pytest.mark.slow
def test_a_crawl_whose_frontier_cannot_grow_stops_with_a_sentence_and_goes_on_when_there_is_room(crawl):
    crawl.start(*SWITCHES)
    crawl.until(lambda log: len(log) > 60)
    fill_disk(crawl, (crawl.folder / "state" / WAL).stat().st_size + 5000)
    began = time.monotonic()
    assert crawl.wait() == 1
    assert len(critical(crawl)) == 1
    assert re.match(NO_ROOM, critical(crawl)[0])
    crawl.note_kill(began)
    goes_on(crawl)
    tries, unexplained = crawl.web.tries, crawl.unexplained()
    assert {what: times for what, times in unexplained.items() if times > tries.get(what[0], 1) - 1} == {}


# SQLite, the mark, the scope and the state are what comes first to an end, in turn.
@pytest.mark.parametrize("kilobytes", [4, 76, 132, *slow(36, 116, 120, 124, 160)])
def test_a_start_on_a_full_disk_says_so_and_leaves_no_traceback(crawl, kilobytes):
    with small_disk(crawl.folder / "state", 2 << 20, kilobytes << 10):
        crawl.start("-s", f"MEDIACRAWL_DB={crawl.folder}/media/media.db", "-s", f"REQUEST_LOG_DIR={crawl.folder}/log")
        assert crawl.wait() == 1
        (said,) = critical(crawl)
        assert re.match(rf"{FULL}|the scope of the crawl cannot be written in .*: No space left on device", said)
        assert "Traceback" not in crawl.text()
        (crawl.folder / "state" / "filler").unlink()
        crawl.start(*SWITCHES)
        crawl.until(lambda log: len(log) > 20)
        crawl.kill()


@pytest.mark.slow
def test_answers_that_come_after_the_disk_was_full_leave_no_traceback(crawl):
    crawl.start(*SWITCHES)
    crawl.until(lambda log: len(log) > 40)
    crawl.web.held = True
    crawl.until(lambda log: sum(entry.finished is None for entry in log) > 10)
    fill_disk(crawl, (crawl.folder / "state" / WAL).stat().st_size)
    crawl.web.held = False
    assert crawl.wait() == 1
    assert re.match(NO_ROOM, critical(crawl)[0])
    assert "Traceback" not in crawl.text()


@pytest.mark.slow
def test_an_answer_that_moves_the_clock_of_its_address_leaves_no_traceback_either(crawl):
    # All hosts have one address here, so one is out at a time, and the others are leased and come back.
    crawl.start(*SWITCHES, "-s", "POLITENESS_ADDRESS_FACTOR=0.01", "-s", "POLITENESS_ADDRESS_MIN_DELAY=0.001")
    crawl.until(lambda log: len(log) > 40)
    crawl.web.held = True
    crawl.until(lambda log: any(entry.finished is None for entry in log))
    fill_disk(crawl, (crawl.folder / "state" / WAL).stat().st_size)
    crawl.until(lambda _: critical(crawl))
    crawl.web.held = False
    assert crawl.wait() == 1
    assert re.match(NO_ROOM, critical(crawl)[0])
    assert len(critical(crawl)) == 1
    assert "Traceback" not in crawl.text()


@contextmanager
def long_log(path):
    """Somebody reads the catalogue, so that its log only grows: it reaches the limit before the frontier's does."""
    path.parent.mkdir()
    Catalogue(path).close()
    with closing(sqlite3.connect(path)) as writer, closing(sqlite3.connect(path)) as reader:
        reader.execute("BEGIN")
        reader.execute("SELECT count(*) FROM media").fetchone()
        writer.execute("CREATE TABLE ballast (x)")
        writer.execute("INSERT INTO ballast VALUES (zeroblob(8000000))")
        writer.execute("DROP TABLE ballast")
        writer.commit()
        yield path.with_name(path.name + "-wal")


@pytest.mark.slow
def test_a_crawl_whose_catalogue_cannot_grow_stops_with_a_sentence_and_goes_on_when_there_is_room(crawl):
    with long_log(crawl.folder / "state" / "media.db") as log:
        crawl.start(*SWITCHES)
        crawl.until(lambda _: log.stat().st_size > 8_300_000)
        fill_disk(crawl, log.stat().st_size + 5000)
        assert crawl.wait() == 1
    # One for each file that was being looked at, with its record, and one for the end.
    told = r"The catalogue .*media\.db cannot be read or written: the disk reports an error; check the disk, .+"
    assert all(re.match(told, line) for line in critical(crawl))
    assert len(set(critical(crawl))) == len(critical(crawl)) >= 2
    assert "Traceback" not in crawl.text()
    assert "store_error" in crawl.text()
    goes_on(crawl)
