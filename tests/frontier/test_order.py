"""Scores become ranks, and ranks take turns."""

import random
from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mediacrawl.frontier.order import BestFirst, Levels

SCORES = st.floats(allow_nan=False, allow_infinity=False)


@given(SCORES, SCORES)
def test_a_higher_score_never_has_a_lower_rank(one, other):
    for order in (BestFirst(), Levels(5)):
        low, high = sorted([one, other])
        assert order.rank(low) <= order.rank(high)


@given(st.floats(1e-6, 1.0))
def test_scores_an_eighth_apart_have_different_ranks_and_there_are_few(score):
    assert BestFirst().rank(score) < BestFirst().rank(score * 1.126)
    assert BestFirst().rank(1.0) - BestFirst().rank(1e-6) < 200


def test_what_is_no_number_ranks_as_nothing():
    assert BestFirst().rank(float("nan")) == BestFirst().rank(0.0) == Levels().rank(float("nan")) == 0


def test_each_level_is_chosen_twice_as_often_as_the_one_below():
    rng = random.Random(1)
    chosen = Counter(Levels(4).choose({0, 1, 3}, rng) for _ in range(11_000))
    assert 700 < chosen[0] < 1_300
    assert 1.6 < chosen[1] / chosen[0] < 2.4
    assert 3.4 < chosen[3] / chosen[1] < 4.6


def test_there_is_a_level_at_least():
    with pytest.raises(ValueError, match="number of levels"):
        Levels(0)
