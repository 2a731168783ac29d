"""Sites by release time, and ready sites by score."""

import random

from hypothesis import given
from hypothesis import strategies as st

from mediacrawl.frontier.penalty_box import PenaltyBox


def drain(box, now):
    box.release(now)
    picked = []
    while (pick := box.pick()) is not None:
        picked.append(pick[0])
    return picked


def test_a_site_is_let_go_when_its_release_time_has_come():
    box = PenaltyBox()
    box.put(1, 10.0, 0.0)
    assert drain(box, 9.9) == []
    assert box.next_release() == 10.0
    assert drain(box, 10.0) == [1]
    assert box.next_release() is None


def test_ready_sites_go_by_score_then_by_how_long_they_have_been_due():
    box = PenaltyBox()
    for site, release, score in [(1, 3.0, 0.0), (2, 1.0, 0.0), (3, 9.0, 5.0)]:
        box.put(site, release, score)
    assert drain(box, 10.0) == [3, 2, 1]


def test_a_new_release_time_counts_and_the_old_one_does_not():
    box = PenaltyBox()
    box.put(1, 1.0, 0.0)
    box.put(1, 50.0, 0.0)
    assert drain(box, 10.0) == []
    assert box.next_release() == 50.0


def test_a_ready_site_can_be_rescored_and_removed():
    box = PenaltyBox()
    for site in (1, 2, 3):
        box.put(site, 0.0, 0.0)
    box.release(1.0)
    box.rescore(2, 7.0)
    box.remove(1)
    assert drain(box, 1.0) == [2, 3]


def test_many_new_scores_do_not_let_the_heap_grow():
    box = PenaltyBox()
    for site in range(10):
        box.put(site, 0.0, 0.0)
    box.release(1.0)
    for score in range(10_000):
        box.rescore(score % 10, float(score))
    assert len(box._ready) < 200
    assert drain(box, 1.0) == [9, 8, 7, 6, 5, 4, 3, 2, 1, 0]


def test_an_even_pick_says_that_it_is_one():
    box = PenaltyBox(random.Random(0))
    box.put(1, 0.0, 0.0)
    box.release(0.0)
    assert box.pick(explore=1.0) == (1, True)


@given(
    st.lists(
        st.tuples(
            st.sampled_from(["put", "remove", "release", "pick", "explore", "rescore"]),
            st.integers(0, 5),
            st.floats(0, 10),
        )
    )
)
def test_it_holds_what_a_plain_dictionary_holds(steps):
    box, model, ready, now = PenaltyBox(random.Random(1)), {}, set(), 0.0
    for step, site, number in steps:
        if step == "put":
            box.put(site, number, 0.0)
            model[site] = number
            ready.discard(site)
        elif step == "remove":
            box.remove(site)
            model.pop(site, None)
            ready.discard(site)
        elif step == "rescore":
            box.rescore(site, number)
        elif step == "release":
            now = max(now, number)
            box.release(now)
            ready |= {site for site, release in model.items() if release <= now}
        else:
            picked = box.pick(0.0 if step == "pick" else 1.0)
            assert (picked is None) == (not ready)
            if picked is not None:
                assert picked[0] in ready
                assert model.pop(picked[0]) <= now
                ready.discard(picked[0])
        assert len(box) == len(model)
        assert box.ready == len(ready)
        expected = 0.0 if ready else min(model.values(), default=None)
        assert box.next_release() == expected
