"""Addresses that have not answered yet get a part of the requests that may be out."""

import pytest

from mediacrawl.politeness import address_clocks as untried
from mediacrawl.politeness.address_clocks import UntriedAddresses


def send(places, numbers, now=0.0):
    """Ask for a place for each number, at an address of its own; the seconds that each must wait."""
    return [places.take(number, f"192.0.2.{number}", now) for number in numbers]


def test_untried_addresses_get_so_many_places_and_the_others_come_back_one_after_the_other():
    places = UntriedAddresses(4)
    assert send(places, range(4)) == [0.0] * 4
    waits = send(places, range(4, 12))
    assert waits == sorted(waits)
    assert waits[0] > 0
    assert waits == pytest.approx([0.25 * turn for turn in range(1, 9)])


def test_an_address_that_has_answered_needs_no_place():
    places = UntriedAddresses(1)
    send(places, [0])
    places.end(0, 0.1, answered=True)
    send(places, [1])
    assert places.take(2, "192.0.2.2", 1.0) > 0
    assert [places.take(number, "192.0.2.0", 1.0) for number in range(3, 100)] == [0.0] * 97


def test_an_address_that_is_silent_again_is_untried_again():
    places = UntriedAddresses(1)
    send(places, [0])
    places.end(0, 0.1, answered=True)
    places.take(1, "192.0.2.0", 1.0)
    places.end(1, 11.0, answered=False)
    send(places, [2], 12.0)
    assert places.take(3, "192.0.2.0", 12.0) > 0


def test_a_request_that_was_never_sent_says_nothing_and_gives_its_place_back():
    places = UntriedAddresses(1)
    send(places, [0])
    places.end(0, 0.1, answered=None)
    places.end(0, 0.2, answered=True)
    places.end(77, 0.2, answered=True)
    assert send(places, [1], 0.3) == [0.0]
    assert places.take(2, "192.0.2.0", 0.3) > 0


def test_those_that_wait_come_back_as_late_as_places_become_free():
    places = UntriedAddresses(2)
    send(places, range(2))
    # None has ended for 8 s: it takes that long at least.
    assert places.take(9, "192.0.2.9", 8.0) == pytest.approx(4.0)
    quick = UntriedAddresses(2)
    for number in range(100):
        quick.take(number, f"192.0.2.{number}", float(number))
        quick.end(number, number + 0.1, answered=True)
    send(quick, (200, 201), 100.0)
    assert quick.take(202, "192.0.2.202", 100.0) == pytest.approx(0.05, abs=0.01)


def test_turns_are_given_away_for_some_minutes_at_most():
    places = UntriedAddresses(1)
    send(places, [0])
    waits = [places.take(number, f"a{number}", 0.0) for number in range(1, 5_000)]
    assert min(waits) > 0
    assert max(waits) <= 602.0


def test_addresses_are_remembered_in_bounds(monkeypatch):
    monkeypatch.setattr(untried, "HELD_ANSWERED", 2)
    places = UntriedAddresses(1)
    for number in range(3):
        send(places, [number])
        places.end(number, 0.0, answered=True)
    send(places, [9])
    assert places.take(10, "192.0.2.2", 0.0) == 0.0
    assert places.take(11, "192.0.2.0", 0.0) > 0
