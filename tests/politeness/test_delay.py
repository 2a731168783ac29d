"""The delay a site is owed."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mediacrawl.base.terms import End, Outcome, Trouble
from mediacrawl.frontier.site_state import pack_standing, unpack_standing
from mediacrawl.politeness.delay import Clocks, DelayPolicy, Standing, after_restart, after_visit, unrecorded

POLICY = DelayPolicy()
FIVE = (1.0, 1.0, 1.0, 1.0, 1.0)


def visited(response_time=1.0, **fields):
    return Outcome(End.DONE, response_time=response_time, **fields)


DELAYS = {
    "the mean of the last five response times, times the factor": ((9.0, 1.0, 2.0, 3.0, 4.0, 5.0), 0.0, 90.0),
    "a fast site is left alone for fifteen seconds": ((0.01,) * 5, 0.0, 15.0),
    "a slow site is not left alone for ever": ((600.0,) * 5, 0.0, 1800.0),
    "a site that was never met gets a minute": ((), 0.0, 60.0),
    "a site we hardly know gets a minute": ((0.1,) * 4, 0.0, 60.0),
    "or more, if it is slow": ((4.0,) * 4, 0.0, 120.0),
    "a Crawl-delay raises the delay": (FIVE, 40.0, 40.0),
    "it is not cut": (FIVE, 7200.0, 7200.0),
    "it does not lower the delay": ((2.0,) * 5, 40.0, 60.0),
}


@pytest.mark.parametrize(("samples", "crawl_delay", "delay"), DELAYS.values(), ids=DELAYS)
def test_the_delay_follows_the_response_times_and_the_crawl_delay(samples, crawl_delay, delay):
    assert POLICY.delay(samples, crawl_delay) == delay


def test_a_delay_of_the_user_is_the_least_whatever_the_formula_says():
    policy = DelayPolicy(floor=90.0)
    assert [policy.delay(()), policy.delay(FIVE), policy.delay((4.0,) * 5)] == [90.0, 90.0, 120.0]
    assert DelayPolicy(floor=3000.0).delay((100.0,) * 5) == 3000.0
    assert policy.told().endswith("; never less than DOWNLOAD_DELAY, 90 s")
    assert DelayPolicy(floor=1.0).told().endswith("; DOWNLOAD_DELAY, 1 s, is less")
    assert "DOWNLOAD_DELAY" not in POLICY.told()
    assert "DOWNLOAD_DELAY" not in DelayPolicy(floor=15.0).told()


@pytest.mark.parametrize("wrong", [{"floor": -1}, {"factor": -1}, {"minimum": 2000.0}, {"window": 0}])
def test_numbers_that_make_no_sense_are_refused(wrong):
    with pytest.raises(ValueError, match=r"politeness|POLITENESS"):
        DelayPolicy(**wrong)


def test_the_delay_counts_from_the_end_of_the_visit():
    clocks = after_visit(Clocks(samples=FIVE), visited(), now=1000.0, policy=POLICY)
    assert (clocks.release, clocks.delay, clocks.visits) == (1030.0, 30.0, 1)


def test_only_the_last_five_response_times_are_kept():
    clocks = Clocks()
    for number in range(9):
        clocks = after_visit(clocks, visited(float(number)), now=0.0, policy=POLICY)
    assert clocks.samples == (4.0, 5.0, 6.0, 7.0, 8.0)


def test_a_visit_without_an_answer_costs_the_delay_and_brings_no_sample():
    clocks = after_visit(Clocks(samples=FIVE), visited(None), now=0.0, policy=POLICY)
    assert (clocks.release, clocks.samples) == (30.0, FIVE)


def test_an_end_without_a_request_changes_nothing():
    clocks = Clocks(release=5.0, samples=FIVE)
    assert after_visit(clocks, visited(None, asked=False), now=100.0, policy=POLICY) == clocks


def test_a_crawl_delay_stays_until_robots_txt_says_otherwise():
    clocks = after_visit(Clocks(samples=FIVE), visited(crawl_delay=99.0), now=0.0, policy=POLICY)
    clocks = after_visit(clocks, visited(), now=0.0, policy=POLICY)
    assert clocks.release == 99.0
    clocks = after_visit(clocks, visited(crawl_delay=0.0), now=0.0, policy=POLICY)
    assert clocks.release == 30.0


def test_a_site_that_was_leased_when_the_process_died_waits_its_whole_delay():
    assert after_restart(Clocks(release=10.0, samples=FIVE), True, now=1000.0, policy=POLICY).release == 1030.0
    assert after_restart(Clocks(), True, now=1000.0, policy=POLICY).release == 1060.0


def test_a_clock_that_was_set_back_does_not_make_a_site_wait_for_years():
    clocks = Clocks(release=9e9, delay=30.0, samples=FIVE)
    assert after_restart(clocks, False, now=1000.0, policy=POLICY).release == 1030.0


@given(
    samples=st.lists(st.floats(0, 1e6), max_size=8),
    crawl_delay=st.floats(0, 1e6),
    now=st.floats(0, 2e9),
    response_time=st.one_of(st.none(), st.floats(-5, 1e6)),
)
def test_no_visit_ever_makes_a_site_wait_less_than_the_minimum(samples, crawl_delay, now, response_time):
    before = Clocks(samples=tuple(samples[-5:]), crawl_delay=crawl_delay)
    after = after_visit(before, visited(response_time), now, POLICY)
    assert after.release >= now + max(15.0, crawl_delay) - 1e-6 * now
    assert all(sample >= 0 for sample in after.samples)


def test_trouble_of_a_visit_that_is_not_recorded_is_neither_a_trouble_nor_a_good_answer():
    bad = after_visit(Clocks(), visited(0.5, trouble=Trouble.SERVER_ERROR), 100.0, POLICY)
    late = unrecorded(visited(0.5, trouble=Trouble.THROTTLED, retry_after=500.0))
    after = after_visit(bad, late, 200.0, POLICY)
    assert (after.standing, after.samples, after.visits) == (bad.standing, bad.samples, 2)
    assert after.release == 700.0
    assert unrecorded(visited(0.5)) == visited(0.5)


@pytest.mark.parametrize("then", [{}, {"trouble": Trouble.FORBIDDEN}, {"trouble": Trouble.CUT}])
def test_a_postponed_site_rests_no_more_until_it_is_requested(then):
    resting = Clocks(0.0, 60.0, standing=Standing(level=3, row=3, trouble=Trouble.TIMEOUT, resting=True))
    postponed = after_visit(resting, Outcome(End.AGAIN, asked=False, wait=30.0), 1.0, POLICY)
    assert resting.rests
    assert not postponed.rests
    assert unpack_standing(pack_standing(postponed.standing)) == postponed.standing
    assert not after_visit(postponed, visited(None, **then), 40.0, POLICY).standing.postponed
