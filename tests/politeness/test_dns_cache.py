"""For how long what DNS says is believed."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mediacrawl.politeness.addresses import FAILURE, LEAST, MOST, NEGATIVE, SHUNNED, DnsAnswer, DnsCache, join

ONE = ("192.0.2.1",)


def test_families_are_joined_in_order_and_one_is_enough():
    four, six = DnsAnswer(ONE, 60), DnsAnswer(("2001:db8::1",), 30)
    assert join([four, six]) == DnsAnswer(("192.0.2.1", "2001:db8::1"), 30)
    assert join([None, six]) == six
    assert join([four, DnsAnswer((), 5)]) == four


def test_no_address_is_known_only_if_both_families_have_answered():
    assert join([DnsAnswer((), 300), DnsAnswer((), 60)]) == DnsAnswer((), 60)
    assert join([DnsAnswer((), 300), None]) is None
    assert join([None, None]) is None


@pytest.mark.parametrize(
    ("answer", "seconds"),
    [
        (DnsAnswer(ONE, 300), 300),
        (DnsAnswer(ONE, 0), LEAST),
        (DnsAnswer(ONE, 2**31 - 1), MOST),
        (DnsAnswer((), 300), 300),
        (DnsAnswer((), 0), LEAST),
        (DnsAnswer((), 100_000), NEGATIVE),
        (None, FAILURE),
    ],
)
def test_an_answer_lives_for_as_long_as_it_says_within_bounds(answer, seconds):
    cache = DnsCache()
    known = cache.put("a.example", answer, 1_000.0)
    assert (known.until, known.failed) == (1_000.0 + seconds, answer is None)
    assert cache.get("a.example", known.until - 0.1) == known
    assert cache.get("a.example", known.until) is None


def test_the_names_not_asked_for_longest_are_forgotten(monkeypatch):
    monkeypatch.setattr("mediacrawl.politeness.addresses.NAMES", 3)
    cache = DnsCache()
    for name in ("a", "b", "c"):
        cache.put(name, DnsAnswer(ONE, 300), 0.0)
    cache.get("a", 1.0)
    cache.put("d", DnsAnswer(ONE, 300), 2.0)
    assert [name for name in "abcd" if cache.get(name, 3.0)] == ["a", "c", "d"]


def test_an_address_that_did_not_answer_goes_behind_the_others_for_a_while():
    cache = DnsCache()
    three = ("192.0.2.1", "192.0.2.2", "192.0.2.3")
    assert cache.ordered(three, 0.0) == three
    cache.shun("192.0.2.1", 0.0)
    assert cache.ordered(three, 1.0) == ("192.0.2.2", "192.0.2.3", "192.0.2.1")
    cache.shun("192.0.2.2", 2.0)
    assert cache.ordered(three, 3.0) == ("192.0.2.3", "192.0.2.1", "192.0.2.2")
    assert cache.ordered(three, SHUNNED) == ("192.0.2.1", "192.0.2.3", "192.0.2.2")
    assert cache.ordered(three, SHUNNED + 2.0) == three


addresses = st.sampled_from([f"192.0.2.{number}" for number in range(9)])
answers = st.none() | st.builds(DnsAnswer, st.lists(addresses, max_size=3).map(tuple), st.integers(0, 2**31 - 1))
steps = st.lists(st.tuples(st.sampled_from("abcdef"), answers, st.floats(0, 4_000), addresses), max_size=40)


@given(steps)
def test_belief_stays_within_its_bounds_and_no_address_is_lost(steps):
    cache, now = DnsCache(), 0.0
    for name, answer, passed, address in steps:
        now += passed
        known = cache.put(name, answer, now)
        assert FAILURE <= round(known.until - now, 6) <= MOST
        cache.shun(address, now)
        assert sorted(cache.ordered(known.addresses, now)) == sorted(known.addresses)
