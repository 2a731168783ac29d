"""X-Robots-Tag."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mediacrawl.politeness.wishes import Wishes, robots_tag


@pytest.mark.parametrize(
    ("values", "nofollow", "noindex"),
    [
        ([], False, False),
        (["all"], False, False),
        (["nofollow"], True, False),
        (["NOINDEX"], False, True),
        (["none"], True, True),
        (["noindex, nofollow"], True, True),
        (["noarchive", "nofollow"], True, False),
        (["mediacrawl: nofollow"], True, False),
        (["MediaCrawl: noindex,nofollow"], True, True),
        (["otherbot: noindex, nofollow"], False, False),
        (["otherbot: noindex, mediacrawl: nofollow"], True, False),
        (["unavailable_after: 25 Jun 2030 15:00:00 PST, nofollow"], True, False),
        (["max-snippet:10, noindex"], False, True),
        (["mediacrawl-news: none"], False, False),
        (["nofollowing"], False, False),
    ],
)
def test_a_header_is_read_as_it_is_meant(values, nofollow, noindex):
    assert robots_tag(values, "mediacrawl") == Wishes(nofollow, noindex)


@given(st.lists(st.text()))
def test_no_header_makes_it_raise(values):
    assert isinstance(robots_tag(values, "mediacrawl"), Wishes)
