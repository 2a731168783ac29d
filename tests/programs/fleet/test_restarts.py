"""When a worker that died is started again."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mediacrawl.programs.fleet.worker import RestartPolicy, Restarts

PAUSES = {
    "young deaths double the pause up to a minute": ([20.0] * 9, [1, 2, 4, 8, 16, 32, 60, 60, 60]),
    "a long life ends it": ([20.0] * 5 + [301.0], [1, 2, 4, 8, 16, 1]),
    "five quick deaths in a row are the end": ([0.5] * 5, [1, 2, 4, 8, None]),
    "a longer life between them begins the row anew": (
        [*[0.5] * 4, 11.0, *[0.5] * 5],
        [1, 2, 4, 8, 16, 32, 60, 60, 60, None],
    ),
}


@pytest.mark.parametrize(("lives", "pauses"), PAUSES.values(), ids=PAUSES)
def test_a_worker_that_dies_is_started_again_after_a_pause(lives, pauses):
    deaths = Restarts()
    assert [deaths.died(lived) for lived in lives] == pauses


@given(st.lists(st.floats(0, 1e6), max_size=40))
def test_a_pause_is_never_shorter_than_the_first_nor_longer_than_the_longest(lives):
    deaths = Restarts(RestartPolicy())
    for lived in lives:
        pause = deaths.died(lived)
        assert pause is None or 1.0 <= pause <= 60.0
