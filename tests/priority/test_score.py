"""The score with which a link class starts."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mediacrawl.base.terms import Kind
from mediacrawl.priority import Scores


def test_media_come_before_feeds_feeds_before_seeds_and_seeds_before_pages():
    first = Scores().first
    scores = [first(Kind.MEDIA), first(Kind.PAGE, "feed"), first(Kind.PAGE, "seed"), first(Kind.PAGE)]
    assert scores == sorted(scores, reverse=True)
    assert len(set(scores)) == 4


def test_a_file_that_only_a_script_or_a_text_names_is_worth_what_a_page_is():
    named = [Scores().first(kind, "named") for kind in (Kind.MEDIA, Kind.LIST, Kind.PAGE)]
    assert named == [Scores().first(Kind.PAGE)] * 3 < [Scores().first(Kind.MEDIA, "data-src")] * 3


def test_the_near_comes_before_the_far_and_nothing_is_below_zero():
    scores = [Scores().first(Kind.PAGE, depth=depth) for depth in range(100)]
    assert scores == sorted(scores, reverse=True)
    assert scores[0] > scores[1] > scores[-1] == 0


def test_a_rule_for_an_extension_comes_before_that_for_the_kind():
    scores = Scores({".pls": 0.8, "media": 0.5})
    assert scores.first(Kind.MEDIA, extension="pls") == 0.8
    assert scores.first(Kind.MEDIA, extension="mp3") == scores.first(Kind.MEDIA) == 0.5
    assert scores.first(Kind.PAGE) == Scores().first(Kind.PAGE)


@pytest.mark.parametrize("rules", [{"nice": 1}, {"media": "much"}, {"page": float("nan")}, {".mp3": None}])
def test_a_rule_that_cannot_be_used_is_refused(rules):
    with pytest.raises(ValueError, match="PRIORITY_SCORES"):
        Scores(rules)


@given(st.sampled_from(Kind), st.text(), st.integers(0, 10**6), st.text())
def test_any_url_has_a_score(kind, via, depth, extension):
    assert 0 <= Scores().first(kind, via, depth, extension) <= 1
