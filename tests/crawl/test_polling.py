"""How often a source is requested again."""

from hypothesis import given
from hypothesis import strategies as st

from mediacrawl.crawl.polled_sources import REMEMBERED, PollPolicy, pause_after, poll_interval

HOUR = 3600.0
POLICY = PollPolicy(least=600.0, most=7 * 24 * HOUR, first=HOUR)


def polled(source, hours=24 * 60):
    """The intervals that come of a source that changes whenever `source` says, as the polling continues."""
    now, last, polls, intervals = 0.0, 0.0, [], []
    while now < hours * HOUR:
        interval = poll_interval(polls, POLICY)
        now += interval
        intervals.append(interval)
        polls.append((interval, source(now) != source(last)))
        last = now
    return intervals


def test_nothing_known_is_asked_again_after_the_first_interval():
    assert poll_interval([], POLICY) == HOUR


def test_a_source_that_changes_daily_is_asked_some_times_a_day():
    late = polled(lambda now: int(now / (24 * HOUR)))[-10:]
    assert all(4 * HOUR < interval < 30 * HOUR for interval in late)


def test_a_source_that_changes_each_quarter_of_an_hour_is_asked_nearly_as_often():
    late = polled(lambda now: int(now / 900), hours=48)[-10:]
    assert all(600 <= interval < 1800 for interval in late)


def test_a_source_that_never_changes_is_asked_once_a_week_and_no_sooner_than_doubling_allows():
    intervals = polled(lambda now: 0)
    assert intervals[-1] == POLICY.most
    assert intervals[:4] == [HOUR, 2 * HOUR, 4 * HOUR, 8 * HOUR]


def test_what_a_source_asks_for_is_waited_for_but_not_for_ever():
    assert poll_interval([(HOUR, True)], POLICY, asked_for=5 * HOUR) == 5 * HOUR
    assert poll_interval([(HOUR, True)], POLICY, asked_for=1e9) == POLICY.most


def test_each_failure_doubles_the_pause():
    pauses = [pause_after(number, [], POLICY) for number in (1, 2, 3, 1000)]
    assert pauses == [2 * HOUR, 4 * HOUR, 8 * HOUR, POLICY.most]


@given(
    st.lists(st.tuples(st.floats(-1e6, 1e12), st.booleans()), max_size=REMEMBERED + 5),
    st.floats(0, 1e12),
)
def test_an_interval_is_within_its_bounds_and_more_changes_never_make_it_longer(polls, asked_for):
    interval = poll_interval(polls, POLICY, asked_for)
    assert POLICY.least <= interval <= POLICY.most
    livelier = [(elapsed, True) for elapsed, _ in polls]
    assert poll_interval(livelier, POLICY, asked_for) <= interval
