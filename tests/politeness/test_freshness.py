"""How long an answer may be used, and what the bounded cache of names forgets."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mediacrawl.base.last_used import LastUsed
from mediacrawl.politeness.caching import lifetime

NOW = 1_795_255_200.0  # Sat, 21 Nov 2026 10:00:00 GMT
TEN = "Sat, 21 Nov 2026 10:00:00 GMT"
ELEVEN = "Sat, 21 Nov 2026 11:00:00 GMT"


@pytest.mark.parametrize(
    ("headers", "seconds"),
    [
        ({}, None),
        ({"cache_control": "public"}, None),
        ({"cache_control": "max-age=600"}, 600.0),
        ({"cache_control": 'public , Max-Age="600"'}, 600.0),
        ({"cache_control": "max-age=600, max-age=9"}, 600.0),
        ({"cache_control": "max-age=600", "age": "200"}, 400.0),
        ({"cache_control": "max-age=600", "age": "900"}, 0.0),
        ({"cache_control": "max-age=600", "age": "soon"}, 600.0),
        ({"cache_control": "max-age=-1"}, 0.0),
        ({"cache_control": "max-age"}, 0.0),
        ({"cache_control": "s-maxage=600"}, None),
        ({"cache_control": "max-age=600, no-cache"}, 0.0),
        ({"cache_control": "no-store"}, 0.0),
        ({"cache_control": "max-age=" + "9" * 400}, 9_999_999_999.0),
        ({"expires": ELEVEN, "date": TEN}, 3_600.0),
        ({"expires": ELEVEN}, 3_600.0),
        ({"expires": ELEVEN, "date": "now"}, 3_600.0),
        ({"expires": TEN, "date": ELEVEN}, 0.0),
        ({"expires": "0"}, 0.0),
        ({"expires": "-1"}, 0.0),
        ({"expires": ELEVEN, "cache_control": "max-age=60"}, 60.0),
    ],
)
def test_a_server_says_how_long_its_answer_counts(headers, seconds):
    named = {"cache_control": "", "expires": "", "date": "", "age": ""} | headers
    assert lifetime(**named, now=NOW) == seconds


@given(st.text(max_size=80), st.text(max_size=80), st.text(max_size=80), st.text(max_size=20))
def test_whatever_the_headers_are_there_is_an_answer_that_is_not_negative(control, expires, date, age):
    seconds = lifetime(f"max-age={control}", expires, date, age, NOW)
    assert seconds is not None
    assert seconds >= 0
    assert (lifetime("", expires, date, age, NOW) or 0) >= 0


def test_what_was_not_used_for_longest_goes_first():
    kept = LastUsed(3, 100)
    for name in "abc":
        kept.put(name, name, 1)
    assert kept.get("a") == "a"
    kept.put("d", "d", 1)
    assert [kept.get(name) for name in "abcd"] == ["a", None, "c", "d"]


def test_what_weighs_too_much_stays_alone():
    kept = LastUsed(3, 100)
    kept.put("a", "a", 1)
    kept.put("b", "b", 500)
    assert (len(kept), kept.get("a"), kept.get("b")) == (1, None, "b")
    kept.put("b", "less", 1)
    kept.put("c", "c", 99)
    assert (kept.get("b"), kept.get("c")) == ("less", "c")


@given(st.lists(st.tuples(st.sampled_from("abcdefgh"), st.integers(0, 60))))
def test_it_never_holds_more_than_it_may(puts):
    kept = LastUsed(4, 100)
    weights = {}
    for name, weight in puts:
        kept.put(name, weight, weight)
        weights[name] = weight
        held = [name for name in weights if kept.get(name) is not None]
        assert name in held
        assert len(held) == len(kept) <= 4
        assert len(held) == 1 or sum(weights[name] for name in held) <= 100
