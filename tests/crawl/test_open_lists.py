"""How many bytes of lists are held at a time."""

from itertools import count, pairwise, takewhile

from mediacrawl.crawl.open_lists import OpenLists


def test_lists_grow_up_to_so_many_bytes_together():
    lists = OpenLists(1_000)
    assert lists.grow(0, 400)
    assert lists.grow(1, 400)
    assert lists.grow(0, 600)
    assert not lists.grow(1, 401)
    # It counts no more.
    assert lists.grow(2, 400)
    lists.close(0)
    lists.close(0)
    assert lists.grow(3, 600)


def test_one_list_alone_fits_however_long_it_is():
    lists = OpenLists(1_000)
    assert lists.begin(1)
    assert lists.grow(1, 3_000_000)
    assert lists.begin(1)
    assert not lists.begin(2)
    assert not lists.grow(2, 1)


def test_what_a_list_unpacks_to_counts_although_it_does_not_fit():
    lists = OpenLists(1_000)
    lists.grow(1, 100)
    assert not lists.unpack(2, 5_000)
    assert lists.unpack(1, 5_000)
    assert not lists.grow(3, 1)
    lists.close(1)
    assert lists.grow(3, 1_000)


def begun(lists):
    """How many lists begin before there is no place; all are closed again."""
    leases = list(takewhile(lists.begin, count()))
    for lease in leases:
        lists.close(lease)
    return len(leases)


def test_as_many_begin_as_there_is_place_for_lists_of_the_length_that_they_had_lately():
    lists = OpenLists(30_000_000)
    assert begun(lists) == 300
    for size, least, most in ((3_000_000, 10, 11), (50_000, 500, 600)):
        for lease in range(80):
            lists.begin(lease)
            lists.unpack(lease, size)
            lists.close(lease)
        assert least <= begun(lists) <= most
    # Those that were ended for want of place teach too.
    lists.grow(-1, 29_000_000)
    assert not any(lists.grow(lease, 3_000_000) for lease in range(40))
    lists.close(-1)
    assert 10 <= begun(lists) <= 11


def test_those_that_wait_are_looked_at_one_after_the_other():
    lists = OpenLists(1_000)
    waits = [lists.wait(100.0) for _ in range(500)]
    assert waits[0] == 1
    assert all(0.019 < later - sooner < 0.021 for sooner, later in pairwise(waits))
    assert lists.wait(1_000.0) == 1
