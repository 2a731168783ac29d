"""Parameters that never change a page."""

import random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mediacrawl.extract import Fingerprint
from mediacrawl.scope.duplicates import Parameters, Shown

SITE, HOST = "site.example", "https://site.example"


def shown(name, shape=0):
    return Fingerprint(
        random.Random(name).getrandbits(64), 0, 1000, shape or random.Random(f"{name} shape").getrandbits(64)
    )


def nothing(key):
    return None


def teach(parameters, *visits, known=nothing):
    for path, name in visits:
        parameters.learn(SITE, HOST + path, shown(name), known)


def reduced(parameters, path):
    return parameters.reduced(SITE, HOST + path).removeprefix(HOST)


def pairs(parameter, pages, *values):
    """Visits of pages that stay the same under several values, each page with its own, and then under some more."""
    several = [*values, *(f"{value}{more}" for value in values for more in "xy")]
    return [(f"/{page}?{parameter}={page}{value}", page) for page in pages for value in several]


LANGUAGES = ("", "?lang=de", "?lang=en", "?lang=fr", "?lang=ja")
LEARNED = {
    "changed nothing on two pages": (pairs("ref", "ab", 1, 2), "/z?ref=5", "/z?ref=5"),
    "changed nothing on three pages": (pairs("ref", "abc", 1, 2), "/z?ref=5", "/z"),
    "beside others": (pairs("ref", "abc", 1, 2), "/z?a=1&ref=5&x=2", "/z?a=1&x=2"),
    "one page that changes is enough for good": (
        [("/song?id=1", "one"), ("/song?id=2", "two"), *pairs("id", "abcdef", 1, 2)],
        "/z?id=5",
        "/z?id=5",
    ),
    "the first page of many lists does not speak for the others": (
        [(f"/{page}{query}", page) for page in "abcdef" for query in ("", "?page=1")],
        "/a?page=2",
        "/a?page=2",
    ),
    "pages that are not translated do not speak for those that are": (
        [(f"/{page}{query}", page) for page in "abcdef" for query in LANGUAGES],
        "/z?lang=de",
        "/z?lang=de",
    ),
    "a site that always says the same says nothing": (
        [(f"/{page}?id={value}", "please log in") for page in "abcdef" for value in range(5)],
        "/z?id=5",
        "/z?id=5",
    ),
    "the same page read again says nothing": (
        [("/a?ref=1", "a"), ("/a?ref=1", "a new text"), *pairs("ref", "bcd", 1, 2)],
        "/z?ref=5",
        "/z",
    ),
    "the ticket of a file stays": (pairs("t", "abc", 1, 2), "/song.mp3?t=5", "/song.mp3?t=5"),
}


@pytest.mark.parametrize(("visits", "path", "after"), LEARNED.values(), ids=LEARNED)
def test_a_parameter_that_changed_nothing_on_three_pages_is_taken_out(notes, visits, path, after):
    parameters = Parameters(notes)
    teach(parameters, *visits)
    assert reduced(parameters, path) == after
    assert parameters.reduced("other.example", HOST + path) == HOST + path


def test_a_page_without_the_parameter_is_evidence_too(notes):
    parameters = Parameters(notes)
    before = {"a": shown("a")}
    teach(parameters, ("/a?ref=1", "a"), known=lambda key: Shown.of(before["a"]))
    teach(parameters, ("/b?ref=2", "b"), ("/b", "b"), ("/c?ref=3", "c"), ("/c", "c"))
    assert reduced(parameters, "/z?ref=5") == "/z?ref=5"
    teach(parameters, *((f"/c?ref={value}", "c") for value in range(10, 16)))
    assert reduced(parameters, "/z?ref=5") == "/z"


def test_a_rule_that_proves_wrong_is_given_up(notes):
    parameters = Parameters(notes)
    teach(parameters, *pairs("id", "abc", 1, 2))
    assert reduced(parameters, "/z?id=5") == "/z"
    teach(parameters, ("/song?id=1", "one"), ("/song?id=2", "two"))
    assert reduced(parameters, "/z?id=5") == "/z?id=5"
    teach(parameters, *pairs("id", "defg", 1, 2))
    assert reduced(parameters, "/z?id=5") == "/z?id=5"


def test_a_page_with_a_clock_says_nothing(notes):
    parameters = Parameters(notes)
    for value in (1, 2):
        parameters.learn(SITE, f"{HOST}/clock?ref={value}", shown(f"clock {value}", 0xF0F0 + value), nothing)
    teach(parameters, *pairs("ref", "abc", 1, 2))
    assert reduced(parameters, "/z?ref=5") == "/z"


def test_what_was_learned_outlives_the_process_and_so_does_what_was_half_learned(notes):
    parameters = Parameters(notes)
    teach(parameters, *pairs("ref", "abc", 1, 2), *pairs("half", "de", 1, 2), ("/a?id=1", "x"), ("/a?id=2", "y"))
    parameters.save()
    again = Parameters(notes)
    assert reduced(again, "/z?ref=5") == "/z"
    teach(again, *pairs("half", "f", 1, 2), *pairs("id", "abc", 1, 2))
    assert reduced(again, "/z?half=5&id=1") == "/z?id=1"


def test_names_without_end_take_little_room(notes):
    parameters = Parameters(notes)
    for number in range(300):
        teach(parameters, (f"/a?n{number}={'v' * 500}&m{number}=2", "a"), (f"/{number}?common={number}", f"{number}"))
    assert sum(map(len, notes.values())) < 60_000


def test_a_broken_note_is_as_good_as_none(notes):
    for note in (b"", b"\xc1", b"\x93\x01\x02\x03", b"\x80", b"\x93\x81\xa1a\x01\x90\x90"):
        notes["parameters", SITE] = note
        assert reduced(Parameters(notes), "/z?ref=5") == "/z?ref=5"


@given(st.lists(st.tuples(st.text("ab/?&=1", max_size=12), st.sampled_from("xyz")), max_size=30))
def test_any_url_can_be_evidence(visits):
    from mediacrawl.base.notes import NoNotes

    parameters = Parameters(NoNotes(), enough=1)
    for path, name in visits:
        parameters.learn(SITE, f"{HOST}/{path}", shown(name), nothing)
    for path, _ in visits:
        plain = parameters.reduced(SITE, f"{HOST}/{path}")
        assert len(plain) <= len(f"{HOST}/{path}")
        assert parameters.reduced(SITE, plain) == plain
