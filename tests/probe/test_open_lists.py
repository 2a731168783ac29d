"""How many lists are held at a time."""

from itertools import pairwise

from mediacrawl.probe.open_lists import OpenLists


def test_lists_are_open_up_to_so_many_bytes():
    lists = OpenLists(1_000, 300)
    assert [lists.take(lease, 400) for lease in range(4)] == [True, True, False, False]
    assert lists.take(4, 200)
    assert [lists.has(lease) for lease in range(5)] == [True, True, False, False, True]
    lists.close(0)
    lists.close(0)
    assert lists.take(5, 400)


def test_it_is_full_while_a_whole_list_does_not_fit():
    lists = OpenLists(1_000, 300)
    assert not lists.is_full
    lists.take(1, 700)
    assert not lists.is_full
    lists.take(2, 1)
    assert lists.is_full
    lists.close(2)
    assert not lists.is_full


def test_one_list_alone_fits_however_long_it_is():
    lists = OpenLists(1_000, 3_000)
    assert not lists.is_full
    assert lists.take(1, 3_000)
    assert not lists.take(2, 1)
    assert lists.is_full


def test_those_that_wait_are_looked_at_one_after_the_other():
    lists = OpenLists(1_000, 300)
    waits = [lists.wait(100.0) for _ in range(500)]
    assert waits[0] == 1
    assert all(0.019 < later - sooner < 0.021 for sooner, later in pairwise(waits))
    assert lists.wait(1_000.0) == 1
