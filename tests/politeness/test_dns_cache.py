"""For how long what DNS says is believed."""

from hypothesis import given
from hypothesis import strategies as st

from mediacrawl.politeness.dns import SHUNNED, DnsAnswer, DnsCache, DnsLimits

LIMITS = DnsLimits(least=60.0, most=3600.0, negative=600.0, failure=30.0, names=3)
ONE = ("192.0.2.1",)


def lives(answer, limits=LIMITS):
    """Seconds that an answer is believed."""
    return DnsCache(limits).put("a.example", answer, 1_000.0).until - 1_000.0


def test_an_address_lives_for_as_long_as_it_says_within_bounds():
    assert lives(DnsAnswer(ONE, 300)) == 300
    assert lives(DnsAnswer(ONE, 0)) == 60
    assert lives(DnsAnswer(ONE, 2**31 - 1)) == 3600


def test_no_lives_for_as_long_as_the_zone_says_within_bounds_of_its_own():
    assert lives(DnsAnswer(ttl=300)) == 300
    assert lives(DnsAnswer(ttl=0)) == 60
    assert lives(DnsAnswer(ttl=3000)) == 600
    assert lives(DnsAnswer()) == 60


def test_a_failure_lives_for_a_short_time():
    assert lives(None) == 30
    assert lives(None, DnsLimits(failure=0.0)) == 1
    assert lives(None, DnsLimits(failure=9_999.0)) == 300


def test_what_has_had_its_time_is_not_known():
    cache = DnsCache(LIMITS)
    cache.put("a.example", DnsAnswer(ONE, 100), 0.0)
    assert cache.get("a.example", 99.9).addresses == ONE
    assert cache.get("a.example", 100.0) is None
    assert len(cache) == 0


def test_a_failure_is_told_from_no_address():
    cache = DnsCache(LIMITS)
    assert not cache.put("a.example", DnsAnswer(), 0.0).failed
    assert cache.put("b.example", None, 0.0).failed


def test_the_names_not_asked_for_longest_are_forgotten():
    cache = DnsCache(LIMITS)
    for name in ("a", "b", "c"):
        cache.put(name, DnsAnswer(ONE, 300), 0.0)
    cache.get("a", 1.0)
    cache.put("d", DnsAnswer(ONE, 300), 2.0)
    assert [name for name in "abcd" if cache.get(name, 3.0)] == ["a", "c", "d"]


def test_an_address_that_did_not_answer_goes_behind_the_others_for_a_while():
    cache = DnsCache(LIMITS)
    three = ("192.0.2.1", "192.0.2.2", "192.0.2.3")
    assert cache.ordered(three, 0.0) == three
    cache.shun("192.0.2.1", 0.0)
    assert cache.ordered(three, 1.0) == ("192.0.2.2", "192.0.2.3", "192.0.2.1")
    cache.shun("192.0.2.2", 2.0)
    assert cache.ordered(three, 3.0) == ("192.0.2.3", "192.0.2.1", "192.0.2.2")
    assert cache.ordered(three, SHUNNED) == ("192.0.2.1", "192.0.2.3", "192.0.2.2")
    assert cache.ordered(three, SHUNNED + 2.0) == three


addresses = st.sampled_from([f"192.0.2.{number}" for number in range(9)])
answers = st.none() | st.builds(
    DnsAnswer, st.lists(addresses, max_size=3).map(tuple), st.none() | st.integers(0, 2**31 - 1)
)
steps = st.lists(st.tuples(st.sampled_from("abcdef"), answers, st.floats(0, 4_000), addresses), max_size=40)


@given(steps)
def test_memory_and_belief_stay_within_their_bounds(steps):
    cache, now = DnsCache(LIMITS), 0.0
    for name, answer, passed, address in steps:
        now += passed
        known = cache.put(name, answer, now)
        assert 1.0 <= round(known.until - now, 6) <= LIMITS.most
        cache.shun(address, now)
        assert sorted(cache.ordered(known.addresses, now)) == sorted(known.addresses)
        assert len(cache) <= LIMITS.names
        assert len(cache._shunned) <= LIMITS.names
