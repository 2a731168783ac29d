"""X-Robots-Tag and meta robots."""

from datetime import UTC, datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mediacrawl.politeness.robots import RobotsDirectives, directives_of

JUNE = datetime(2030, 6, 25, 15, tzinfo=UTC).timestamp()


@pytest.mark.parametrize(
    ("values", "nofollow", "noindex"),
    [
        ([], False, False),
        (["all"], False, False),
        (["index, follow"], False, False),
        (["nofollow"], True, False),
        (["NOINDEX"], False, True),
        (["none"], True, True),
        (["noindex, nofollow"], True, True),
        (["noindex nofollow"], True, True),
        (["noindex;nofollow"], True, True),
        (["noindex,nofollow,"], True, True),
        (["noindex", "nofollow"], True, True),
        (["all, noindex"], False, True),
        (["noarchive", "nofollow"], True, False),
        (["mediacrawl: nofollow"], True, False),
        (["MediaCrawl: noindex,nofollow"], True, True),
        (["*: noindex"], False, True),
        (["otherbot: noindex, nofollow"], False, False),
        (["otherbot: noindex", "nofollow"], True, False),
        (["otherbot: noindex, mediacrawl: nofollow"], True, False),
        (["mediacrawl: nofollow, otherbot: noindex"], True, False),
        (["otherbot: unavailable_after: 25 Jun 2010 15:00:00 UTC, noindex"], False, False),
        (["unavailable_after: 25 Jun 2030 15:00:00 PST, nofollow"], True, False),
        # So many words are nobody's wish.
        (["," * 8_000, "," * 8_000, "nofollow"], False, False),
        (["unavailable_after: Tue, 25 Jun 2030 15:00:00 PST, nofollow"], True, False),
        (["max-snippet:10, noindex"], False, True),
        (["max-snippet: -1, max-image-preview: large, noindex"], False, True),
        (["future-rule: 10, noindex"], False, True),
        (["mediacrawl-news: none"], False, False),
        (["nofollowing"], False, False),
        (["noindexed, none-such"], False, False),
    ],
)
def test_a_wish_is_read_as_it_is_meant(values, nofollow, noindex):
    wishes = directives_of(values, "mediacrawl")
    assert (wishes.nofollow, wishes.noindex) == (nofollow, noindex)


@pytest.mark.parametrize(
    "date",
    [
        "25 Jun 2030 15:00:00 GMT",
        "Tue, 25 Jun 2030 15:00:00 GMT",
        "25 Jun 2030 08:00:00 PDT",
        "Tuesday, 25-Jun-30 15:00:00 UTC",
        "2030-06-25T15:00:00Z",
        "2030-06-25T15:00:00",
        "2030-06-25T17:00:00+02:00",
    ],
)
def test_a_file_that_is_unavailable_after_a_time_is_listed_until_then(date):
    for value in (f"unavailable_after: {date}", f"noarchive, unavailable_after:{date}, nosnippet"):
        wishes = directives_of([value], "mediacrawl")
        assert wishes.until == JUNE
        assert not wishes.unlisted(JUNE - 1)
        assert wishes.unlisted(JUNE)


@pytest.mark.parametrize(
    "date", ["", "soon", "99 Jun 2030", "2030-99-99", "25 Jun 99999999 00:00:00 GMT", "," * 9, "0"]
)
def test_a_time_that_is_none_sets_no_time(date):
    assert directives_of([f"unavailable_after: {date}"], "mediacrawl") == RobotsDirectives()


def test_a_time_as_old_as_the_clock_is_long_past():
    assert directives_of(["unavailable_after: 1970-01-01"], "mediacrawl").unlisted(1.0)


def test_of_two_times_the_earlier_counts():
    values = ["unavailable_after: 2031-01-01", "unavailable_after: 2030-06-25T15:00:00Z"]
    assert directives_of(values, "mediacrawl").until == JUNE


@given(st.lists(st.text()))
def test_no_value_makes_it_raise(values):
    assert isinstance(directives_of(values, "mediacrawl"), RobotsDirectives)


WORDS = st.sampled_from(
    ["noindex", "nofollow", "none", "all", "otherbot: noindex", "mediacrawl: nofollow", "unavailable_after: ", "2030",
     "Tue", "25 Jun 2030 15:00:00 GMT", "max-snippet: 3", ":", "", "*:", "robots: none", "-0001-01-01T00:00"]
)  # fmt: skip


@given(st.lists(st.lists(WORDS, max_size=6).map(", ".join), max_size=4))
def test_a_wish_more_never_frees_from_another(values):
    fewer, more = directives_of(values[:-1], "mediacrawl"), directives_of(values, "mediacrawl")
    assert more == more | fewer
