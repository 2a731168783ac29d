"""The totals of a crawl, and what counts them."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mediacrawl.observe.totals import MOST_SITES, Tally, Totals, failure, summed

COUNTS = st.dictionaries(st.sampled_from(["404", "timeout", "audio/mpeg"]), st.integers(1, 99))
TOTALS = st.builds(
    Totals,
    requests=st.integers(0, 99),
    records=st.integers(0, 99),
    failures=COUNTS,
    formats=COUNTS,
    known=st.integers(0, 99),
    sites=COUNTS,
)


@given(st.lists(TOTALS, max_size=4), TOTALS)
def test_processes_are_added_up_and_the_frontier_is_that_of_the_last(earlier, last):
    whole = summed([*earlier, last])
    assert whole.requests == sum(one.requests for one in [*earlier, last])
    assert whole.failed == sum(one.failed for one in [*earlier, last])
    assert (whole.known, whole.sites) == (last.known, last.sites)
    # What was counted after the earlier ones is what the last one has counted.
    assert whole.since(summed(earlier)) == last


@pytest.mark.parametrize(
    ("error", "status", "robots", "name"),
    [
        *(("", 200, False, ""), ("", 302, False, ""), ("", 0, False, "")),
        *(("", 404, False, "404"), ("", 404, True, ""), ("", 503, True, "")),
        *(("TimeoutError", 0, False, "TimeoutError"), ("TimeoutError", 0, True, "TimeoutError")),
        ("", 799, False, "other status"),
    ],
)
def test_the_status_of_a_robots_txt_is_no_failure_and_none_at_all_is_one(error, status, robots, name):
    assert failure(error, status, robots=robots) == name


def test_a_file_that_no_catalogue_keeps_is_counted_once():
    tally = Tally()
    for number in (1, 2, 1, 3, 2):
        record = {"site": f"{number % 2}.example", "content_size": 10 * number, "bytes_fetched": None}
        tally.add_once(record, f"http://a.example/{number}.mp3")
    totals = tally.totals
    assert (totals.records, totals.media_bytes_total, totals.media_bytes_read) == (3, 60, 0)
    assert totals.formats == {"unknown": 3}
    assert tally.media_sites == {"1.example": 2, "0.example": 1}


def test_the_sites_that_are_kept_are_limited_and_the_records_are_not():
    tally = Tally()
    for number in range(MOST_SITES + 5):
        tally.add({"site": f"{number}.example"})
    tally.add({"site": "7.example"})
    assert len(tally.media_sites) == MOST_SITES
    assert tally.media_sites["7.example"] == 2
    assert tally.totals.records == MOST_SITES + 6
