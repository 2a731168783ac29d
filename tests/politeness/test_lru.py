"""What was used last stays."""

from hypothesis import given
from hypothesis import strategies as st

from mediacrawl.politeness.caching import LastUsed


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
