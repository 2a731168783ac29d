"""Sites by release time, and ready sites by rank."""

import random

from hypothesis import given
from hypothesis import strategies as st

from mediacrawl.frontier.sqlite.front import PenaltyBox


def drain(box, now):
    box.release(now)
    picked = []
    while box.ready:
        picked.append(box.pick(max(box.ranks)))
    return picked


def test_a_site_is_let_go_when_its_release_time_has_come():
    box = PenaltyBox()
    box.put(1, 10.0, 0)
    assert drain(box, 9.9) == []
    assert box.next_release() == 10.0
    assert drain(box, 10.0) == [1]
    assert box.next_release() is None


def test_ready_sites_go_by_rank_then_by_how_long_they_have_been_due():
    box = PenaltyBox()
    for site, release, rank in [(1, 3.0, 0), (2, 1.0, 0), (3, 9.0, 5)]:
        box.put(site, release, rank)
    assert drain(box, 10.0) == [3, 2, 1]


def test_a_new_release_time_counts_and_the_old_one_does_not():
    box = PenaltyBox()
    box.put(1, 1.0, 0)
    box.put(1, 50.0, 0)
    assert drain(box, 10.0) == []
    assert box.next_release() == 50.0


def test_a_ready_site_can_get_another_rank_and_be_removed():
    box = PenaltyBox()
    for site in (1, 2, 3):
        box.put(site, 0.0, 0)
    box.release(1.0)
    box.put(2, 0.0, 7)
    box.remove(1)
    assert drain(box, 1.0) == [2, 3]


def test_many_new_ranks_do_not_let_the_heaps_grow():
    box = PenaltyBox()
    for turn in range(10_000):
        box.put(turn % 10, 0.0, turn % 3)
        box.release(1.0)
    box.put(0, 5.0, 0)
    assert sum(len(heap) for heap in box._ranked.values()) < 400
    for turn in range(10_000):
        box.put(0, 5.0 + turn, 0)
    assert len(box._penalty) < 200
    assert sorted(drain(box, 1e9)) == list(range(10))


def test_an_even_pick_may_be_any_ready_site():
    box = PenaltyBox(random.Random(0))
    picked = set()
    for _ in range(50):
        box.put(1, 0.0, 0)
        box.put(2, 0.0, 9)
        box.put(3, 5.0, 9)
        box.release(0.0)
        picked.add(box.pick_even())
    assert picked == {1, 2}
    assert PenaltyBox().pick_even() is None


def test_trimmed_to_the_best_that_are_due_first():
    box = PenaltyBox()
    for site, due, rank in [(1, 0.0, 0), (2, 9.0, 5), (3, 1.0, 5), (4, 2.0, 0)]:
        box.put(site, due, rank)
    box.release(1.0)
    box.trim(3)
    assert [site in box for site in (1, 2, 3, 4)] == [True, True, True, False]
    assert drain(box, 10.0) == [3, 2, 1]


@given(
    st.lists(
        st.tuples(
            st.sampled_from(["put", "remove", "release", "pick", "even", "trim"]),
            st.integers(0, 5),
            st.floats(0, 10),
            st.integers(0, 2),
        )
    )
)
def test_it_holds_what_a_plain_dictionary_holds(steps):
    box, model, ready, now = PenaltyBox(random.Random(1)), {}, set(), 0.0
    for step, site, number, rank in steps:
        if step == "put":
            box.put(site, number, rank)
            model[site] = number, rank
            ready.discard(site)
        elif step == "remove":
            box.remove(site)
            model.pop(site, None)
            ready.discard(site)
        elif step == "trim":
            box.trim(3)
            kept = sorted(model, key=lambda site: (-model[site][1], model[site][0]))[:3]
            assert sorted(model[site] for site in model if site in box) == sorted(model[site] for site in kept)
            model = {site: model[site] for site in model if site in box}
            ready = set()
        elif step == "release":
            now = max(now, number)
            box.release(now)
            ready |= {site for site, (due, _) in model.items() if due <= now}
        elif ready:
            picked = box.pick_even() if step == "even" else box.pick(max(box.ranks))
            assert picked in ready
            due, of_rank = model.pop(picked)
            ready.discard(picked)
            better = [model[site] for site in ready if (model[site][1], -model[site][0]) > (of_rank, -due)]
            assert step == "even" or not better
        assert len(box) == len(model)
        assert len(box.ready) == len(ready)
        assert set(box.ranks) == {model[site][1] for site in ready}
        expected = 0.0 if ready else min((due for due, _ in model.values()), default=None)
        assert box.next_release() == expected
