"""What each authority's robots.txt said, and how long that counts."""

import pytest

from mediacrawl.politeness.robots_book import RobotsBook, Say

A = "http://a.example"
DAY = 86_400.0
RULES = b"User-agent: mediacrawl\nDisallow: /private/\nCrawl-delay: 40\n"


class Store:
    def __init__(self):
        self.kept = {}

    def note(self, room, authority):
        return self.kept.get(authority)

    def set_note(self, room, authority, record):
        self.kept[authority] = record


@pytest.fixture
def store():
    return Store()


@pytest.fixture
def book(store):
    return RobotsBook("mediacrawl", DAY, 3600.0, store)


def say(book, path="/x", now=0.0, authority=A):
    return book.ask(authority, authority + path, now).say


def test_an_authority_we_do_not_know_is_asked_for_its_robots_txt_first(book):
    saying = book.ask(A, f"{A}/x", 0.0)
    assert (saying.say, saying.url) == (Say.FETCH, f"{A}/robots.txt")


def test_its_rules_decide_and_are_named(book):
    book.learn(A, 200, RULES, 0.0)
    assert say(book) is Say.ALLOWED
    denied = book.ask(A, f"{A}/private/song.mp3", 0.0)
    assert denied.say is Say.DENIED
    assert "/private/" in denied.rule


def test_its_crawl_delay_comes_with_every_answer(book):
    assert book.learn(A, 200, RULES, 0.0) == 40.0
    assert book.ask(A, f"{A}/x", 1.0).crawl_delay == 40.0
    assert book.ask(A, f"{A}/private/", 1.0).crawl_delay == 40.0


def test_a_copy_counts_for_a_day(book):
    book.learn(A, 200, RULES, 0.0)
    assert say(book, now=DAY - 1) is Say.ALLOWED
    assert say(book, now=DAY) is Say.FETCH


@pytest.mark.parametrize("status", [400, 401, 403, 404, 410])
def test_a_file_that_is_not_there_allows_everything(book, status):
    book.learn(A, status, b"User-agent: *\nDisallow: /\n", 0.0)
    assert say(book) is Say.ALLOWED


@pytest.mark.parametrize("status", [0, 429, 500, 503])
def test_a_file_that_cannot_be_had_forbids_everything_for_a_while(book, status):
    book.learn(A, status, b"", 0.0)
    assert say(book, now=3599.0) is Say.WAIT
    assert say(book, now=3600.0) is Say.FETCH


def test_an_older_copy_goes_on_to_count_while_the_file_cannot_be_had(book):
    book.learn(A, 200, RULES, 0.0)
    book.learn(A, 503, b"", DAY)
    assert say(book, now=DAY + 1) is Say.ALLOWED
    assert say(book, "/private/", now=DAY + 1) is Say.DENIED
    assert say(book, now=DAY + 3600) is Say.FETCH


def test_http_and_https_are_two_authorities(book):
    book.learn(A, 200, RULES, 0.0)
    assert say(book, authority="https://a.example") is Say.FETCH


def test_rules_outlive_the_process(book, store):
    book.learn(A, 200, RULES, 0.0)
    again = RobotsBook("mediacrawl", DAY, 3600.0, store)
    assert say(again, "/private/") is Say.DENIED
    assert again.ask(A, f"{A}/x", 1.0).crawl_delay == 40.0


@pytest.mark.parametrize("record", [b"", b"\xc1", b"\x93\x01\x02\x03", b"\x95\x02\xa0\x00\x00\x00", b"cos\nsystem\n"])
def test_a_record_that_cannot_be_read_is_fetched_anew(store, record):
    store.kept[A] = record
    assert say(RobotsBook("mediacrawl", DAY, 3600.0, store)) is Say.FETCH


def test_a_redirected_file_is_asked_at_its_target_and_binds_the_first_authority(book):
    assert book.follow(A, "http://www.a.example/robots.txt")
    assert book.ask(A, f"{A}/x", 0.0).url == "http://www.a.example/robots.txt"
    book.learn(A, 200, RULES, 0.0)
    assert say(book, "/private/") is Say.DENIED


def test_the_sixth_redirect_of_a_robots_txt_is_not_followed(book):
    assert [book.follow(A, f"{A}/robots-{hop}.txt") for hop in range(6)] == [True] * 5 + [False]


def test_a_file_that_was_never_had_counts_as_a_refusal_after_so_many_attempts_for_as_long_as_an_answer_would(store):
    book = RobotsBook("mediacrawl", DAY, 3600.0, store, attempts=2)
    book.learn(A, 500, b"", 0.0)
    assert book.ask(A, f"{A}/x", 600.0).wait == 3000.0
    book.learn(A, 0, b"", 3600.0)
    denied = book.ask(A, f"{A}/x", 3600.0)
    assert denied.say is Say.DENIED
    assert "could not be had" in denied.rule
    assert say(book, now=3600.0 + DAY - 1) is Say.DENIED
    assert say(book, now=3600.0 + DAY) is Say.FETCH


def test_an_answer_ends_the_count_of_failures(store):
    book = RobotsBook("mediacrawl", DAY, 3600.0, store, attempts=2)
    book.learn(A, 500, b"", 0.0)
    book.learn(A, 404, b"", 3600.0)
    book.learn(A, 500, b"", 3600.0 + DAY)
    assert say(book, now=3601.0 + DAY) is Say.ALLOWED


def test_failures_outlive_the_process(store):
    RobotsBook("mediacrawl", DAY, 3600.0, store, attempts=2).learn(A, 500, b"", 0.0)
    book = RobotsBook("mediacrawl", DAY, 3600.0, store, attempts=2)
    book.learn(A, 500, b"", 3600.0)
    assert say(book, now=3601.0) is Say.DENIED
