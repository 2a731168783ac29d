"""When a worker that died is started again."""

from hypothesis import given
from hypothesis import strategies as st

from mediacrawl.fleet import RestartPolicy, Restarts


def test_a_worker_that_dies_young_waits_twice_as_long_each_time_up_to_a_minute():
    deaths = Restarts()
    assert [deaths.died(20.0) for _ in range(9)] == [1, 2, 4, 8, 16, 32, 60, 60, 60]


def test_a_worker_that_lived_long_starts_again_at_once():
    deaths = Restarts()
    for _ in range(5):
        deaths.died(20.0)
    assert deaths.died(301.0) == 1.0


def test_five_quick_deaths_in_a_row_are_the_end():
    deaths = Restarts()
    assert [deaths.died(0.5) for _ in range(5)] == [1, 2, 4, 8, None]


def test_a_longer_life_between_quick_deaths_begins_the_row_anew():
    deaths = Restarts()
    for _ in range(4):
        deaths.died(0.5)
    assert deaths.died(11.0) is not None
    assert [deaths.died(0.5) is None for _ in range(5)] == [False] * 4 + [True]


@given(st.lists(st.floats(0, 1e6), max_size=40))
def test_a_pause_is_never_shorter_than_the_first_nor_longer_than_the_longest(lives):
    deaths = Restarts(RestartPolicy())
    for lived in lives:
        pause = deaths.died(lived)
        assert pause is None or 1.0 <= pause <= 60.0
