"""The totals of a crawl, and what counts them."""

from math import exp, factorial

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mediacrawl.base.terms import Drop, End, Evidence, Kind, Lease, Outcome
from mediacrawl.base.visit import FetchFacts, Visit, VisitDecision
from mediacrawl.log.totals import MOST_SITES, Tally, Totals, failure, summed

CONTINUE, DONE = Outcome(End.CONTINUE), Outcome(End.DONE)

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
        tally.add_fault(f"{number}.example")
    tally.add({"site": "7.example"})
    tally.add_fault("7.example")
    assert len(tally.media_sites) == len(tally.totals.fault_sites) == MOST_SITES
    assert tally.totals.fault_sites["7.example"] == 2
    assert tally.media_sites["7.example"] == 2
    assert tally.totals.records == MOST_SITES + 6


# -- the ends of URLs, and random picks ---------------------------------------------------------------------------


def visit(url="http://a.example/", kind=Kind.PAGE, *, even=False, attempt=0, state=b"", **came):
    """A visit, as it is when it ends."""
    lease = Lease(1, url, "a.example", "", kind, 1, 0, "", Evidence(), attempt, state, 15.0, 0.0, even=even)
    fetch = FetchFacts(url, came.pop("asks", kind), status=came.pop("status", 0))
    return Visit(lease, fetch, VisitDecision(**came))


def test_a_url_ends_once_and_requests_are_all_that_were_sent():
    tally = Tally()
    tally.visit_ended(visit(asks=Kind.ROBOTS, status=200), CONTINUE)
    tally.visit_ended(visit(status=503), Outcome(End.AGAIN))
    tally.visit_ended(visit(), Outcome(End.RETURNED, asked=False))
    tally.visit_ended(visit(kind=Kind.ROBOTS, status=200), DONE)
    assert (tally.totals.ended, tally.totals.requests) == (0, 3)
    tally.visit_ended(visit(status=200, earned=2), DONE)
    tally.visit_ended(visit(), Outcome(End.DROPPED, Drop.ROBOTS, asked=False))
    assert (tally.totals.ended, tally.totals.requests, tally.totals.nuggets) == (2, 4, 2)


@pytest.mark.parametrize(
    ("first", "then", "last", "picked"),
    [
        # A file of two ranges, and a URL that failed at first, were picked as their first visit was.
        (visit(kind=Kind.MEDIA, even=True), CONTINUE, visit(kind=Kind.MEDIA, state=b"head", earned=1), True),
        (visit(kind=Kind.MEDIA), CONTINUE, visit(kind=Kind.MEDIA, even=True, state=b"head", earned=1), False),
        (visit(even=True), Outcome(End.AGAIN), visit(attempt=1, earned=1), True),
        (visit(), Outcome(End.AGAIN), visit(even=True, attempt=1, earned=1), False),
        # A visit that did not request the URL says nothing of how it was picked.
        (visit(even=True, asks=Kind.ROBOTS), CONTINUE, visit(earned=1), False),
        (visit(even=True), Outcome(End.RETURNED, asked=False, wait=3.0), visit(earned=1), False),
    ],
)
def test_a_url_was_picked_at_random_if_its_first_request_was(first, then, last, picked):
    tally = Tally()
    tally.visit_ended(first, then)
    tally.visit_ended(last, DONE)
    assert (tally.totals.nuggets, tally.totals.picked, tally.totals.picked_nuggets) == (1, picked, picked)


def test_of_random_picks_under_way_only_so_many_are_remembered():
    tally = Tally()
    urls = [f"http://a.example/{number}.mp3" for number in range(10_100)]
    for url in urls:
        tally.visit_ended(visit(url, Kind.MEDIA, even=True), CONTINUE)
    for url in urls:
        tally.visit_ended(visit(url, Kind.MEDIA, state=b"head"), DONE)
    assert tally.totals.picked == 10_000


def poisson(most, mean):
    """How likely at most so many events are."""
    return sum(exp(-mean) * mean**number / factorial(number) for number in range(most + 1))


@pytest.mark.parametrize("found", range(13))
def test_the_least_ratio_is_that_to_a_rate_which_gives_so_few_in_one_of_twenty_cases(found):
    totals = Totals(ended=100_000, nuggets=8_000, picked=2_000, picked_nuggets=found)
    rate_of_picks = totals.rate / totals.ratio_at_least
    assert poisson(found, 2_000 * rate_of_picks / 1_000) == pytest.approx(0.05, rel=0.03)


def test_the_ratio_is_known_from_three_finds_of_random_picks_on():
    nothing = Totals(ended=50_000, nuggets=5_000, picked=1_000)
    assert nothing.ratio is None
    assert nothing.ratio_at_least == pytest.approx(100 / 3, rel=0.02)
    assert Totals(ended=1_000, nuggets=90, picked=100, picked_nuggets=2).ratio is None
    assert Totals(ended=1_000, nuggets=90, picked=100, picked_nuggets=3).ratio == pytest.approx(3.0)
    assert Totals(ended=10).ratio_at_least is None
    assert Totals().rate is None
