"""What is held against a site, and what it is owed for it."""

from email.utils import formatdate

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mediacrawl.base.terms import End, Outcome, Trouble
from mediacrawl.politeness.delay import (
    GOOD,
    LONGEST_RETRY_AFTER,
    BackoffPolicy,
    Clocks,
    DelayPolicy,
    Standing,
    after_answer,
    after_trouble,
    after_visit,
    backed_off,
    factors_by_hour,
    retry_after,
    trouble_of,
)

DAY = 86_400.0
EXACT = BackoffPolicy(jitter=0.0)
POLICY = DelayPolicy(backoff=EXACT)
FAST = (0.1,) * 5
NOW = 1_750_000_000.0


def visit(clocks, trouble=None, now=None, policy=POLICY, **fields):
    """The clocks after one more visit; it takes place when it may."""
    now = max(clocks.release, NOW) if now is None else now
    return after_visit(clocks, Outcome(End.AGAIN, response_time=0.1, trouble=trouble, **fields), now, policy)


def ladder(clocks, troubles, policy=POLICY):
    steps = []
    for trouble in troubles:
        clocks = visit(clocks, trouble, policy=policy)
        steps.append(clocks.delay)
    return clocks, steps


def test_each_trouble_doubles_the_delay_until_the_site_rests():
    clocks, steps = ladder(Clocks(samples=FAST), [Trouble.TIMEOUT] * 8)
    assert steps == [30.0, 60.0, 120.0, 240.0, 21_600.0, 43_200.0, DAY, DAY]
    assert clocks.rests
    assert clocks.standing.row == 8


def test_forgiveness_comes_step_by_step():
    clocks, _ = ladder(Clocks(samples=FAST), [Trouble.SERVER_ERROR] * 3)
    _, steps = ladder(clocks, [None] * 4)
    assert steps == [60.0, 30.0, 15.0, 15.0]


def test_a_probe_that_succeeds_ends_the_rest_but_not_the_caution():
    clocks, _ = ladder(Clocks(samples=FAST), [Trouble.CONNECTION] * 6)
    clocks = visit(clocks)
    assert not clocks.rests
    assert (clocks.standing, clocks.delay) == (Standing(level=5), 15.0 * 2**5)


def test_a_site_that_is_fine_again_is_as_one_that_never_failed():
    clocks, _ = ladder(Clocks(samples=FAST), [Trouble.DNS] * 5 + [None] * 5)
    assert clocks.standing == GOOD


def test_a_week_of_failed_probes_is_the_end_but_not_one_failure_after_a_week_without_a_crawl():
    clocks, _ = ladder(Clocks(samples=FAST), [Trouble.TIMEOUT] * 2)
    later = visit(clocks, Trouble.TIMEOUT, now=NOW + 30 * DAY)
    assert not later.standing.gone
    clocks, _ = ladder(clocks, [Trouble.TIMEOUT] * 4)
    while not clocks.standing.gone:
        assert clocks.release - clocks.standing.since < 9 * DAY
        clocks = visit(clocks, Trouble.TIMEOUT)
    assert clocks.release - clocks.delay - clocks.standing.since >= 7 * DAY


def test_a_site_whose_answers_cause_faults_rests_for_a_quarter_of_an_hour_at_most():
    clocks, _ = ladder(Clocks(samples=FAST), [Trouble.FAULT] * 5)
    assert clocks.standing.resting
    assert 900.0 <= clocks.delay <= 900.0 * (1 + POLICY.backoff.jitter)
    clocks, _ = ladder(clocks, [Trouble.FAULT] * 3)
    assert clocks.delay <= 900.0 * (1 + POLICY.backoff.jitter)
    clocks, _ = ladder(clocks, [Trouble.TIMEOUT])
    assert clocks.delay >= 6 * 3600


def test_a_site_is_not_given_up_for_a_fault_of_ours_however_long_it_lasts():
    clocks, _ = ladder(Clocks(samples=FAST), [Trouble.FAULT] * 5)
    for days in range(1, 60):
        clocks = visit(clocks, Trouble.FAULT, now=NOW + days * DAY)
    assert (clocks.standing.resting, clocks.standing.gone) == (True, False)


def test_a_site_that_rested_while_no_crawl_ran_is_not_given_up_at_its_first_probe():
    clocks, _ = ladder(Clocks(samples=FAST), [Trouble.TIMEOUT] * 5)
    clocks = visit(clocks, Trouble.TIMEOUT, now=NOW + 30 * DAY)
    assert (clocks.standing.resting, clocks.standing.gone) == (True, False)
    clocks, _ = ladder(clocks, [Trouble.TIMEOUT] * 2)
    assert clocks.standing.gone


def test_a_robots_txt_between_pages_does_not_hide_that_all_of_them_are_forbidden():
    clocks = Clocks(samples=FAST)
    for _ in range(20):
        clocks = after_visit(clocks, Outcome(End.CONTINUE, response_time=0.1), clocks.release, POLICY)
        clocks = visit(clocks, Trouble.FORBIDDEN)
    assert clocks.standing.gone


def test_a_403_is_no_trouble_but_twenty_in_a_row_are_an_answer():
    clocks, steps = ladder(Clocks(samples=FAST), [Trouble.FORBIDDEN] * 19)
    assert set(steps) == {15.0}
    assert not clocks.standing.gone
    assert visit(clocks, Trouble.FORBIDDEN).standing.gone
    assert not visit(visit(clocks), Trouble.FORBIDDEN).standing.gone


def test_a_403_neither_ends_a_row_of_troubles_nor_forgives():
    clocks, _ = ladder(Clocks(samples=FAST), [Trouble.TIMEOUT, Trouble.FORBIDDEN, Trouble.TIMEOUT])
    assert (clocks.standing.row, clocks.standing.level, clocks.delay) == (2, 2, 60.0)


def test_answers_that_break_off_double_the_delay_once_and_make_no_site_rest():
    clocks, steps = ladder(Clocks(samples=FAST), [Trouble.CUT] * 50)
    assert set(steps) == {30.0}
    assert not clocks.rests
    assert (clocks.standing.row, clocks.standing.gone) == (0, False)
    assert visit(clocks).delay == 15.0
    broken, _ = ladder(Clocks(samples=FAST), [Trouble.TIMEOUT] * 3)
    assert visit(broken, Trouble.CUT).standing == broken.standing, "it forgives nothing either"


def test_switched_off_it_only_doubles():
    policy = DelayPolicy(backoff=BackoffPolicy(jitter=0.0, rest_after=0, retire_after=0, forbidden=0, maximum=100.0))
    clocks, steps = ladder(Clocks(samples=FAST), [Trouble.TIMEOUT] * 50, policy)
    assert steps[-1] == 100.0
    assert not clocks.rests
    assert not ladder(clocks, [Trouble.FORBIDDEN] * 50, policy)[0].standing.gone


def test_what_the_site_asks_for_is_never_cut():
    clocks = visit(Clocks(samples=FAST), Trouble.THROTTLED, retry_after=3 * DAY)
    assert clocks.delay == 3 * DAY
    assert clocks.rests
    crawl_delay = Clocks(samples=FAST, crawl_delay=7 * DAY)
    assert ladder(crawl_delay, [Trouble.TIMEOUT] * 7)[0].delay == 7 * DAY


def test_jitter_only_lengthens_and_tells_sites_apart():
    policy = DelayPolicy(backoff=BackoffPolicy())
    delays = {visit(Clocks(samples=FAST), Trouble.TIMEOUT, NOW + n / 1000, policy).delay for n in range(100)}
    assert len(delays) == 100
    assert 30.0 <= min(delays) < max(delays) <= 30.0 * 1.25


def test_a_visit_that_was_given_up_here_says_nothing_of_the_site():
    clocks, _ = ladder(Clocks(samples=FAST), [Trouble.TIMEOUT] * 2)
    after = after_visit(clocks, Outcome(End.AGAIN), NOW, POLICY)
    assert after.standing == clocks.standing


def test_waiting_for_something_else_moves_only_the_release_time():
    clocks = Clocks(release=NOW - 5, delay=15.0, samples=FAST, visits=7)
    held = after_visit(clocks, Outcome(End.RETURNED, asked=False, wait=2.5), NOW, POLICY)
    assert held == Clocks(release=NOW + 2.5, delay=15.0, samples=FAST, visits=7)
    assert after_visit(held, Outcome(End.RETURNED, asked=False, wait=1.0), NOW, POLICY) == held


@pytest.mark.parametrize(
    ("status", "trouble"),
    [
        (429, Trouble.THROTTLED),
        (503, Trouble.THROTTLED),
        (500, Trouble.SERVER_ERROR),
        (599, Trouble.SERVER_ERROR),
        (504, Trouble.TIMEOUT),
        (521, Trouble.CONNECTION),
        (525, Trouble.TLS),
        (403, Trouble.FORBIDDEN),
        (501, None),
        (404, None),
        (410, None),
        (200, None),
        (301, None),
        (0, None),
        (999, None),
    ],
)
def test_a_status_says_what_it_says_of_the_site(status, trouble):
    assert trouble_of(status) is trouble


# -- Retry-After --------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("values", "now", "date", "seconds"),
    [
        (["120"], NOW, "", 120.0),
        ([" 0 "], NOW, "", 0.0),
        ([formatdate(NOW + 90, usegmt=True)], NOW, "", 90.0),
        ([formatdate(NOW - 90, usegmt=True)], NOW, "", 0.0),
        (["Sunday, 15-Jun-25 15:10:00 GMT"], 1_750_000_000.0, "", 200.0),
        # Of two clocks the one that makes us wait longer counts.
        ([formatdate(NOW + 100, usegmt=True)], NOW, formatdate(NOW - 3600, usegmt=True), 3700.0),
        ([formatdate(NOW + 100, usegmt=True)], NOW, formatdate(NOW + 3600, usegmt=True), 100.0),
        ([formatdate(NOW + 100, usegmt=True)], NOW, "yesterday", 100.0),
        (["5", "60", "soon"], NOW, "", 60.0),
        ([], NOW, "", 0.0),
    ],
)
def test_retry_after_is_seconds_or_a_date_and_the_longest_counts(values, now, date, seconds):
    assert retry_after(values, now, date) == seconds


@pytest.mark.parametrize("odd", ["", "soon", "-5", "1.5", "1e9", "١٢", "12 s", "Wed, 99 Foo", "\x00", "9" * 5000])
def test_a_retry_after_that_means_nothing_is_none_and_a_huge_one_is_a_year(odd):
    assert retry_after([odd], NOW) in {0.0, LONGEST_RETRY_AFTER}


@given(st.lists(st.text(), max_size=3), st.text())
def test_any_retry_after_gives_seconds(values, date):
    assert 0.0 <= retry_after(values, NOW, date) <= LONGEST_RETRY_AFTER


# -- the hours ----------------------------------------------------------------------------------------------------


def test_by_day_twice_the_delay_by_night_half_but_never_less_than_the_least():
    hours = factors_by_hour({"8-18": 2.0, "22-5": 0.5, "3": 4.0})
    policy = DelayPolicy(hours=hours)
    at = {hour: NOW - NOW % DAY + hour * 3600.0 for hour in range(24)}
    slow = (1.0,) * 5
    delays = {hour: policy.delay(slow, hourly=policy.hourly(at[hour])) for hour in range(24)}
    assert (delays[7], delays[8], delays[17], delays[18]) == (30.0, 60.0, 60.0, 30.0)
    assert (delays[21], delays[22], delays[0], delays[4], delays[5]) == (30.0, 15.0, 15.0, 15.0, 30.0)
    assert delays[3] == 120.0
    assert policy.delay(FAST, hourly=0.5) == 15.0
    assert policy.delay(FAST, hourly=2.0) == 30.0
    assert policy.delay(slow, 40.0, hourly=0.5) == 40.0


NO_HOURS = [
    {"8": None},
    {"8": "twice"},
    {"8 to 18": 2},
    {"24": 1},
    {"5-5": 1},
    {"8-25": 1},
    {"": 1},
    {"8": 0},
    {"8": -1},
]


@pytest.mark.parametrize("wrong", NO_HOURS)
def test_hours_that_make_no_sense_are_refused(wrong):
    with pytest.raises(ValueError, match="POLITENESS_HOURS"):
        factors_by_hour(wrong)


@pytest.mark.parametrize("wrong", [{"rest": -1.0}, {"jitter": 2.0}, {"rest": 9.0, "rest_maximum": 8.0}])
def test_numbers_that_make_no_sense_are_refused(wrong):
    with pytest.raises(ValueError, match="BACKOFF"):
        BackoffPolicy(**wrong)


# -- whatever happens ---------------------------------------------------------------------------------------------

_HAPPENINGS = st.lists(
    st.tuples(st.one_of(st.none(), st.sampled_from(Trouble)), st.floats(0, 1e5), st.floats(0, 1e6)), max_size=60
)


@given(_HAPPENINGS)
def test_trouble_never_shortens_a_delay_and_goodness_ends_every_row(happenings):
    policy = DelayPolicy()
    clocks = Clocks(samples=FAST)
    for trouble, late, asked in happenings:
        now = clocks.release + late
        before = clocks.standing
        clocks = visit(clocks, trouble, now, policy, retry_after=asked)
        assert clocks.delay >= max(policy.delay(clocks.samples, clocks.crawl_delay), asked)
        assert clocks.release >= now + asked
        if trouble is None:
            assert (clocks.standing.row, clocks.standing.forbidden) == (0, 0)
            assert clocks.standing.level <= max(before.level - 1, 0)
        elif trouble not in {Trouble.FORBIDDEN, Trouble.CUT}:
            assert clocks.standing.row == before.row + 1
            assert clocks.standing.since <= now


@given(st.integers(0, 10**6), st.integers(0, 10**6), st.floats(0, 1e12))
def test_any_standing_gives_a_delay_that_can_be_waited_for(level, row, now):
    standing = Standing(level=level, row=row, resting=row >= EXACT.rest_after)
    delay = backed_off(15.0, standing, now, BackoffPolicy())
    assert 15.0 <= delay <= DAY * 1.25


def test_goodness_is_quick_for_sites_that_never_failed():
    assert after_answer(GOOD) is GOOD
    assert after_trouble(GOOD, Trouble.DNS, NOW, EXACT).since == NOW
