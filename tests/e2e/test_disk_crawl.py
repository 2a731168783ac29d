"""What a stranger's answers make a crawl write: a real crawl of hostile pages and files, and the size of its files."""

import sqlite3
import time
import zlib
from contextlib import closing

from crawling import Crawl, quick
from harness import until
from judging import Verdict, stat
from lists_web import SONG, ListsWeb

from mediacrawl.frontier.sqlite.tables import bytes_of_rows

PAGES, SONGS = 4, 4
LEFT_ASIDE = 300_000
"""Bytes of two databases with next to nothing in them."""


def hostile_page(number, links=5_000):
    """A page, of 75 KB or less, whose links are ten bytes long each, and 2 KB with their base."""
    base = f"<base href='/{'x' * 1_900}{number}/'>"
    return f"<html><title>{'t' * 200}</title>{base}" + "".join(f"<a href={link}>" for link in range(links))


def frame(name, body):
    """A compressed frame of ID3v2.4."""
    data = len(body).to_bytes(4, "big") + zlib.compress(body, 9)
    return name + synchsafe(len(data)) + b"\0\x09" + data


def synchsafe(size):
    return bytes(size >> shift & 0x7F for shift in (21, 14, 7, 0))


def hostile_song(number):
    """A tag of some kilobytes that unpacks to four megabytes of text."""
    tag = b"".join(frame(b"TXXX", b"\0%d-%d\0" % (number, part) + b"\xe9\xe8" * 30_000) for part in range(60))
    title = b"TIT2" + synchsafe(7) + b"\0\0\0title%d" % number
    return b"ID3\x04\0\0" + synchsafe(len(title + tag)) + title + tag + SONG


def until_something_waits(path, seconds=60):
    def waits():
        with closing(sqlite3.connect(path)) as db:
            return bytes_of_rows(db)

    until(waits, seconds)


def test_a_full_frontier_is_pruned_by_its_bytes(tmp_path):
    most = 60_000
    with ListsWeb() as web:
        pages = [web.put(f"page{number}", "/", hostile_page(number, 1_500)) for number in range(3)]
        # Each page is requested, and nothing of what it names, or nothing might be left to wait.
        settings = {"FRONTIER_MAX_BYTES": most, "ROBOTS_ENABLED": 0, **quick(60)}
        crawl = Crawl(web, tmp_path).start(**settings, seed="\n".join(pages))
        crawl.until(lambda log: set(pages) <= {entry.url for entry in log})
        # What joined is written within a second, and it looks at the bytes once a second.
        until_something_waits(tmp_path / "state" / "frontier.db")
        time.sleep(2.5)
        assert crawl.interrupt() == 0
    with closing(sqlite3.connect(tmp_path / "state" / "frontier.db")) as db:
        size = bytes_of_rows(db)
        assert db.execute("SELECT value FROM total WHERE name = 'bytes'").fetchone() == (size,)
    assert 0 < size <= most
    assert stat(crawl, "drop/pruned") >= 10


def test_a_byte_that_is_fetched_writes_five_at_most(tmp_path):
    with ListsWeb() as web:
        pages = [web.put(f"page{number}", "/", hostile_page(number)) for number in range(PAGES)]
        songs = [web.put(f"song{n}", f"/{n}.mp3", hostile_song(n), "audio/mpeg") for n in range(SONGS)]
        crawl = Crawl(web, tmp_path).start(seed="\n".join([*pages, *songs]))
        crawl.until(lambda log: {*pages, *songs} <= {entry.url for entry in log})
        # The links are requested from now on, too.
        assert crawl.interrupt() == 0
    state = tmp_path / "state"
    verdict = Verdict(crawl)
    records = [record for record in verdict.records.values() if record["texts_dropped"]]
    assert records
    assert {record["title"] for record in records} <= {f"title{n}" for n in range(SONGS)}
    assert stat(crawl, "media/texts_dropped") == sum(record["texts_dropped"] for record in records)
    assert stat(crawl, "drop/page_bytes") + stat(crawl, "drop/long_base") >= 4_000 * len(pages)
    assert len(verdict.waiting) >= 30 * len(pages)
    read = sum(len(hostile_page(number)) for number in range(PAGES))
    assert (state / "frontier.db").stat().st_size <= 5 * read + LEFT_ASIDE
    fetched = sum(record["bytes_fetched"] for record in records)
    assert (state / "media.db").stat().st_size <= 5 * fetched + LEFT_ASIDE
