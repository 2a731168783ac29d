"""What is known of the rate of new nuggets on a page, and how many revisits there may be."""

from itertools import accumulate
from math import exp
from random import Random
from unittest.mock import patch

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mediacrawl.extensions import revisiting
from mediacrawl.extensions.revisiting import Share
from mediacrawl.priority.hubs import DAY, FLOOR, LEAST, Hub, Posterior

VISITS = st.lists(st.tuples(st.floats(-1e3, 1e5), st.floats(0, 1e4)), max_size=30)
"""Days since the visit before, and what was new."""


def rate(known, rng):
    """A likely rate, nuggets a day: what a visit is worth after a day."""
    return Hub("https://a.example/", "a.example", posterior=known).worth(DAY, rng)


def known_after(visits):
    return list(accumulate(visits, lambda known, visit: known.after(*visit), initial=Posterior()))


def test_what_was_seen_two_months_ago_counts_a_third():
    known = Posterior(a=9.0, b=30.0).after(60.0, new=2.0)
    assert known.a == pytest.approx(9.0 * exp(-1) + 2.0)
    assert known.b == pytest.approx(30.0 * exp(-1) + 60.0)


def test_a_page_that_brings_one_a_day_is_known_as_such_within_weeks_and_forgotten_within_months():
    lively = known_after([(1.0, 1.0)] * 30)[-1]
    assert lively.mean == pytest.approx(1.0, rel=0.25)
    assert known_after([(1.0, 1.0)] * 30 + [(10.0, 0.0)] * 24)[-1].mean < 0.03


def test_what_is_found_behind_its_links_counts_as_if_it_had_stood_there():
    assert Posterior().after(5.0).with_nuggets(3.0) == Posterior().after(5.0, new=3.0)
    assert Posterior().with_nuggets(-1.0) == Posterior()


def test_a_clock_that_was_set_back_undoes_nothing():
    assert Posterior(3.0, 20.0).after(-5.0, new=1.0) == Posterior(4.0, 20.0)


@given(VISITS)
def test_any_visits_leave_a_rate_that_can_be_drawn(visits):
    for known in known_after(visits):
        assert known.a >= LEAST
        assert known.b > 0
        assert 0 <= rate(known, Random(1)) < float("inf")


@given(VISITS, st.floats(0, 1e4))
def test_a_visit_in_vain_never_makes_a_page_more_promising_than_the_least_that_is_believed(visits, days):
    known = known_after(visits)[-1]
    after = known.after(days)
    assert after.mean <= max(known.mean, LEAST / after.b) * (1 + 1e-9)


@pytest.mark.parametrize("known", [Posterior(), Posterior(20.0, 5.0), Posterior(0.5, 80.0)])
def test_rates_are_drawn_around_the_mean(known):
    rng = Random(1)
    rates = [rate(known, rng) for _ in range(20_000)]
    assert sum(rates) / len(rates) == pytest.approx(known.mean, rel=0.06)
    assert len(set(rates)) > 10_000


def test_a_page_that_brings_nothing_is_owed_some_visits_and_then_none():
    known, owed = Posterior(3.0, 30.0), 0
    while known.is_owed(FLOOR) and owed < 100:
        known, owed = known.after(FLOOR), owed + 1
    assert 2 <= owed <= 5
    assert not known.is_owed(10 * FLOOR)
    assert known.with_nuggets(1.0).is_owed(FLOOR)
    assert not Posterior().is_owed(FLOOR - 1)


SPELLS = st.lists(st.tuples(st.integers(0, 30), st.lists(st.integers(0, 9), max_size=5)), max_size=5)
"""Fetches after which nothing wants to join, and how many do after each fetch that follows."""


@given(SPELLS, st.sampled_from([0.05, 0.2, 0.5, 1.0]), st.sampled_from([1.0, 7.5]))
def test_of_any_fetches_in_a_row_no_more_than_the_share_are_for_revisits(spells, most, kept):
    share, joined = Share(most), []
    with patch.object(revisiting, "KEPT", kept):
        for wish in (wish for quiet, wishes in spells for wish in [0] * quiet + wishes):
            share.fetched()
            joined.append(min(wish, share.allowed()))
            share.added(joined[-1])
    for first in range(len(joined)):
        for number, total in enumerate(accumulate(joined[first:]), 1):
            assert total <= most * number + kept + 1e-6


def test_the_whole_share_is_given():
    share, joined = Share(0.2), 0
    for _ in range(1_000):
        share.fetched()
        joined += (room := share.allowed())
        share.added(room)
    assert joined in {199, 200}


def test_where_nothing_else_waits_the_share_does_not_bind_and_nothing_is_owed_for_it_later():
    share = Share(0.2)
    assert (share.allowed(), share.allowed(idle=True)) == (0, 20)
    share.added(20)
    share.fetched(5)
    assert share.allowed() == 1


def test_a_share_of_nothing_is_no_revisits():
    share = Share(0.0)
    share.fetched(1_000)
    assert share.allowed() == share.allowed(idle=True) == 0


@pytest.mark.parametrize("most", [-0.1, 1.1, float("nan")])
def test_what_is_no_share_is_refused_in_one_sentence(most):
    with pytest.raises(ValueError, match="REVISIT_SHARE needs a number from 0 to 1"):
        Share(most)
