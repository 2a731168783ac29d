"""What is kept of each authority's robots.txt: in memory, on disk, and how little of it."""

import random
import string

import pytest
from hypothesis import given
from hypothesis import strategies as st
from robots_asking import DAY, ELSEWHERE, HOUR, RULES, TIMES, A, learn, say

from mediacrawl.politeness import robots_book
from mediacrawl.politeness.robots_book import (
    MOST_KEPT,
    FetchFailures,
    RobotsAction,
    RobotsBook,
    RobotsCopy,
    RobotsNote,
    RobotsRedirect,
    RobotsTimes,
    pack,
    unpack,
)


def test_rules_failures_and_redirects_outlive_the_process(book, store):
    learn(book, 200, RULES, etag='"v1"')
    again = RobotsBook("mediacrawl", TIMES, store)
    assert say(again, "/private/") is RobotsAction.DENIED
    assert again.ask(A, f"{A}/x", 1.0).crawl_delay == 40.0
    assert again.ask(A, f"{A}/x", DAY).etag == '"v1"'
    learn(again, 500, now=DAY)
    learn(again, 500, now=DAY + 300)
    again = RobotsBook("mediacrawl", TIMES, store)
    assert say(again, now=DAY + 899) is RobotsAction.ALLOWED
    assert say(again, now=DAY + 900) is RobotsAction.FETCH
    again.follow(A, ELSEWHERE, DAY + 900, onto="carrier")
    assert RobotsBook("mediacrawl", TIMES, store).carried(A, "carrier").url == ELSEWHERE


def test_a_settings_change_shortens_what_is_kept_already(store):
    learn(RobotsBook("mediacrawl", TIMES, store), 200, RULES)
    book = RobotsBook("mediacrawl", RobotsTimes(max_age=HOUR), store)
    assert say(book, now=HOUR) is RobotsAction.FETCH


RECORDS = [
    b"",
    b"\xc1",
    b"\x93\x01\x02\x03",
    b"\x95\x02\xa0\x00\x00\x00",
    b"cos\nsystem\n",
    b"\x94\x03\x93\x01\x01\x01\xc0\xc0",
]


@pytest.mark.parametrize("record", [*RECORDS, pack(RobotsNote(RobotsCopy("x" * 400, 200, 0.0, DAY)))[:-30]])
def test_a_note_that_cannot_be_read_is_fetched_anew(store, record):
    store.kept[A] = record
    assert say(RobotsBook("mediacrawl", TIMES, store)) is RobotsAction.FETCH


@given(st.binary(max_size=60) | st.builds(lambda tail: b"\x94\x03" + tail, st.binary(max_size=60)))
def test_any_bytes_are_a_note_or_none(record):
    note = unpack(record)
    assert note is None or unpack(pack(note)) is not None


times = st.floats(0, 4e9)
words = st.text(st.characters(min_codepoint=32, max_codepoint=126), max_size=40)
notes = st.builds(
    RobotsNote,
    st.none()
    | st.builds(RobotsCopy, st.text("aD:/ \n%", max_size=600), st.integers(0, 999), times, times, words, words, words),
    st.none() | st.builds(FetchFailures, times, times, st.integers(1, 99), st.integers(0, 999)),
    st.none() | st.builds(RobotsRedirect, words, st.integers(0, 10), times, words),
)


@given(notes)
def test_what_is_kept_is_what_is_read(note):
    assert unpack(pack(note)) == note


def test_a_file_made_to_fill_the_disk_is_kept_without_its_rules_and_obeyed_as_long_as_memory_has_it(store):
    letters = random.Random(1)
    paths = ["".join(letters.choices(string.ascii_letters + string.digits, k=60)) for _ in range(6_000)]
    book = RobotsBook("mediacrawl", TIMES, store)
    learn(book, 200, "\n".join(["User-agent: *", *(f"Disallow: /{path}" for path in paths)]).encode())
    assert say(book, f"/{paths[5_000]}") is RobotsAction.DENIED
    assert len(store.kept[A]) < 1_000 < MOST_KEPT
    assert say(RobotsBook("mediacrawl", TIMES, store)) is RobotsAction.FETCH


def test_octets_beyond_ascii_do_not_push_the_last_rules_out(store):
    rules = b"".join(b"Disallow: /" + b"\xe9" * 300 + b"%d\n" % number for number in range(1_500))
    learn(RobotsBook("mediacrawl", TIMES, store), 200, b"User-agent: *\n" + rules + b"Disallow: /last\n")
    again = RobotsBook("mediacrawl", TIMES, store)
    assert say(again, "/last") is RobotsAction.DENIED


def test_memory_holds_few_files_and_the_store_has_the_others(store, monkeypatch):
    monkeypatch.setattr(robots_book, "READ", 3)
    monkeypatch.setattr(robots_book, "HELD", 5)
    book = RobotsBook("mediacrawl", TIMES, store)
    authorities = [f"http://{number}.example" for number in range(20)]
    for authority in authorities:
        learn(book, 200, f"User-agent: *\nDisallow: /{authority[7:]}\n".encode(), authority=authority)
    assert (len(book._read), len(book._held)) == (3, 5)
    for authority in authorities * 2:
        assert say(book, f"/{authority[7:]}", authority=authority) is RobotsAction.DENIED
        assert say(book, "/x", authority=authority) is RobotsAction.ALLOWED
    assert (len(book._read), len(book._held)) == (3, 5)


def test_what_is_counted_of_a_file(book):
    ambiguous = b"User-agent: *\nCrawl-delay: 5\nUser-agent: x\nDisallow: /\nSitemap: /a\nSitemap: /b\n"
    learned = learn(book, 200, ambiguous, etag='"1"')
    assert (learned.ambiguous, learned.sitemaps) == (True, ("/a", "/b"))
    for status in (304, 500):
        again = learn(book, status, now=DAY, conditional=True)
        assert (again.ambiguous, again.sitemaps) == (False, ())
