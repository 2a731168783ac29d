"""The progress line of a running crawl."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mediacrawl.base.text import columns
from mediacrawl.log.totals import Totals
from mediacrawl.watch.progress import ProgressFacts, progress_line

numbers = st.integers(0, 10**9)


def line(width=200, *, records=3, pages=9, waiting=0, ready=0, release=None, failures=0, **facts):
    totals = Totals(records=records, pages=pages, sites={"waiting": waiting, "ready": ready}, next_release=release)
    totals.failures = {"timeout": failures}
    return progress_line(totals, ProgressFacts(**facts), width)


@given(
    records=numbers, pages=numbers, now=st.floats(0, 10**7), waiting=numbers, ready=st.integers(0, 2),
    release=st.none() | st.floats(-10, 10**6), rates=st.none() | st.tuples(*[st.floats(0, 10**6)] * 2), title=st.text(),
    silent=st.lists(st.tuples(st.text(), st.text()), max_size=5), width=st.integers(1, 250), left=st.text("ab "),
)  # fmt: skip
def test_it_fits_every_terminal(**facts):
    shown = line(**facts, new_site_delay=60.0, failures=3)
    assert columns(shown) <= facts["width"]
    assert "\n" not in shown


@pytest.mark.parametrize(
    ("width", "shown"),
    [
        (20, "15 media files"),
        (30, "15 media files · 57 pages"),
        (80, "15 media files · 57 pages · 3 sites wait · next in 4.2 s · after 2 min 05 s"),
    ],
)
def test_a_narrow_terminal_loses_the_least_important_first(width, shown):
    facts = {"records": 15, "pages": 57, "waiting": 3, "ready": 1, "release": 129.2, "rates": (31.2, 4.0)}
    assert line(width, **facts, now=125.0) == shown


def test_a_crawl_that_only_waits_says_so_and_why():
    shown = line(waiting=12, release=60.0, now=17.0, new_site_delay=60.0)
    assert "all 12 sites wait · next in 43.0 s · a new site gets a request every 1 min 00 s" in shown
    busy = line(waiting=12, requests_out=1, release=43.0)
    assert "12 sites wait ·" in busy
    assert "all" not in busy


def test_sites_that_do_not_answer_are_named_with_the_reason():
    two = [("radio.example", "connection refused"), ("b.example", "timeout")]
    assert line(silent=two, failures=5) == (
        "3 media files · 9 pages · 2 sites do not answer: radio.example, connection refused; b.example, timeout"
    )
    assert "1 site does not answer: radio.example" in line(silent=two[:1])
    assert line(silent=[*two, *two]).endswith("; 2 more")
    assert line(failures=5).endswith(" · 5 failures")


def test_rates_the_last_title_and_the_time_left_are_shown():
    shown = line(now=60, rates=(1234.4, 0.25), title="Night Train", left="at least 4 h 00 min")
    assert "1,234 requests a minute · 0.2 files a minute" in shown
    assert shown.endswith("at least 4 h 00 min left · last: Night Train")
