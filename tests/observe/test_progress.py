"""The progress line of a running crawl."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mediacrawl.observe import ProgressFacts, progress_line
from mediacrawl.observe.progress import Rates
from mediacrawl.observe.text import columns

numbers = st.integers(0, 10**9)


@given(
    media=numbers, pages=numbers, seconds=st.floats(0, 10**7), sites=numbers, ready=st.integers(0, 2),
    release=st.none() | st.floats(-10, 10**6), rate=st.none() | st.floats(0, 10**6), title=st.text(), left=st.text(),
    silent=st.lists(st.tuples(st.text(), st.text()), max_size=5), width=st.integers(1, 250),
)  # fmt: skip
def test_it_fits_every_terminal(
    media, pages, seconds, sites, ready, release, rate, title, left, silent, width
):  # fmt: skip
    facts = ProgressFacts(
        media, pages, seconds, rate, rate, sites, ready, 0, release, 60.0, silent, 3, title, left.replace("\n", "")
    )
    line = progress_line(facts, width)
    assert columns(line) <= width
    assert "\n" not in line


@pytest.mark.parametrize(
    ("width", "line"),
    [
        (20, "15 media files"),
        (30, "15 media files · 57 pages"),
        (80, "15 media files · 57 pages · 3 sites wait · next in 4.2 s · after 2 min 05 s"),
    ],
)
def test_a_narrow_terminal_loses_the_least_important_first(width, line):
    facts = ProgressFacts(15, 57, 125.0, 31.2, 4.0, sites_waiting=3, sites_ready=1, next_release=4.2)
    assert progress_line(facts, width) == line


def test_a_crawl_that_only_waits_says_so_and_why():
    line = progress_line(ProgressFacts(0, 0, 17.0, sites_waiting=12, next_release=43.0, new_site_delay=60.0), 200)
    assert "all 12 sites wait · next in 43.0 s · a new site gets a request every 1 min 00 s" in line
    busy = progress_line(ProgressFacts(0, 0, sites_waiting=12, requests_out=1, next_release=43.0), 200)
    assert "12 sites wait ·" in busy
    assert "all" not in busy


def test_sites_that_do_not_answer_are_named_with_the_reason():
    two = [("radio.example", "connection refused"), ("b.example", "timeout")]
    line = progress_line(ProgressFacts(3, 9, silent=two, errors=5), 200)
    assert (
        line == "3 media files · 9 pages · 2 sites do not answer: radio.example, connection refused; b.example, timeout"
    )
    assert "1 site does not answer: radio.example" in progress_line(ProgressFacts(3, 9, silent=two[:1]), 200)
    assert "and" not in progress_line(ProgressFacts(3, 9, silent=[*two, *two]), 200)
    assert progress_line(ProgressFacts(3, 9, silent=[*two, *two]), 200).endswith("; 2 more")


def test_rates_the_last_title_and_the_time_left_are_shown():
    line = progress_line(ProgressFacts(3, 9, 60, 1234.4, 0.25, title="Night Train", left="at least 4 h 00 min"), 200)
    assert "1,234 requests a minute · 0.2 files a minute" in line
    assert line.endswith("at least 4 h 00 min left · last: Night Train")


def test_rates_are_those_of_the_last_minute():
    rates = Rates()
    for second in range(0, 600, 5):
        rates.add(float(second), second if second < 500 else 500 + 3 * (second - 500), 0)
        assert (rates.a_minute() is None) == (second < 10)
    requests, records = rates.a_minute()
    assert round(requests) == 180
    assert records == 0
