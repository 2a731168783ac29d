"""Many sites on one server: the address has a clock of its own."""

import msgpack
import pytest
from hypothesis import given
from hypothesis import strategies as st

from mediacrawl.politeness import address_clocks
from mediacrawl.politeness.address_clocks import AddressClocks, AddressPolicy

NOW = 1_750_000_000.0
HERE, THERE = "192.0.2.7", "2001:db8::7"


class Notes(dict):
    shared = False

    def note(self, room, key):
        return self.get((room, key))

    def set_note(self, room, key, record):
        self[room, key] = record


def clocks(notes=None, policy=None, **fields):
    return AddressClocks(
        policy or AddressPolicy(), Notes() if notes is None else notes, NOW, **{"resumes": False} | fields
    )


def test_an_address_is_asked_by_one_at_a_time():
    address = clocks()
    assert address.take(HERE, NOW) == 0.0
    assert address.take(HERE, NOW) > 0.0
    assert address.take(THERE, NOW) == 0.0


def test_after_an_answer_it_is_left_alone_for_five_times_its_response_time_at_least_a_second():
    address = clocks()
    address.take(HERE, NOW)
    address.end(HERE, NOW + 0.1, 0.1)
    assert address.take(HERE, NOW + 1.0) == pytest.approx(0.1)
    assert address.take(HERE, NOW + 1.1) == 0.0
    address.end(HERE, NOW + 9, 7.9)
    assert address.take(HERE, NOW + 9) == pytest.approx(5 * 4.0)


def test_a_request_that_never_went_out_costs_nothing():
    address = clocks()
    address.take(HERE, NOW)
    address.end(HERE, NOW, None, asked=False)
    assert address.take(HERE, NOW) == 0.0


def test_a_failure_costs_the_delay_and_is_no_sample():
    address = clocks()
    address.take(HERE, NOW)
    address.end(HERE, NOW, None)
    assert address.take(HERE, NOW) == 1.0


def test_a_thousand_sites_of_one_address_come_a_thousand_times_and_not_every_minute():
    address = clocks()
    address.take(HERE, NOW)
    address.end(HERE, NOW, 0.1)
    turns = [address.take(HERE, NOW) for _ in range(1_000)]
    assert turns == pytest.approx([1.0 + 1.1 * number for number in range(1_000)])


def test_turns_that_were_not_used_are_not_waited_for():
    address = clocks()
    address.take(HERE, NOW)
    address.end(HERE, NOW, 0.1)
    for _ in range(5_000):
        assert address.take(HERE, NOW) <= 1_801.0
    assert address.take(HERE, NOW + 1.0) == 0.0


def test_what_is_owed_outlives_the_process():
    notes = Notes()
    address = clocks(notes)
    address.take(HERE, NOW)
    address.end(HERE, NOW + 100, 4.0)
    again = AddressClocks(AddressPolicy(), notes, NOW + 101, resumes=True)
    assert again.take(HERE, NOW + 101) == 20.0


def test_after_a_kill_every_address_counts_as_asked_in_the_moment_before():
    notes = Notes()
    address = clocks(notes)
    address.take(HERE, NOW)
    address.end(HERE, NOW, 4.0)
    address.take(HERE, NOW + 20)
    again = AddressClocks(AddressPolicy(), notes, NOW + 50, resumes=True)
    assert again.take(HERE, NOW + 50) == 20.0
    assert again.take(THERE, NOW + 50) == 1.0
    assert again.take(THERE, NOW + 51) == 0.0


def test_a_clock_that_was_set_back_locks_nobody_out():
    notes = Notes()
    address = clocks(notes)
    address.take(HERE, NOW)
    address.end(HERE, NOW + 1e6, 0.1)
    assert address.take(HERE, NOW) <= 60.0


@pytest.mark.parametrize(
    "record", [b"", b"\xc1", b"\x93\x01\xa1x\x90", b"\x93\x63\x01\x90", b"\x01", b"\x93\x01\x01\x91\xc0"]
)
def test_a_note_that_cannot_be_read_is_an_address_never_met(record):
    assert clocks(Notes({("address", HERE): record})).take(HERE, NOW) == 0.0


def test_memory_is_bounded_but_what_is_owed_is_not_forgotten(monkeypatch):
    monkeypatch.setattr(address_clocks, "HELD", 100)
    address = clocks(policy=AddressPolicy(minimum=30.0))
    address.take(HERE, NOW)
    for number in range(1_000):
        other = f"198.51.100.{number}"
        assert address.take(other, NOW) == 0.0
        address.end(other, NOW, 0.1)
    assert len(address._clocks) <= 101
    assert address.take(HERE, NOW) > 0.0
    assert address.take("198.51.100.0", NOW + 5) == pytest.approx(25.0)


@pytest.mark.parametrize("wrong", [{"factor": -1.0}, {"minimum": -1.0}, {"minimum": 9.0, "maximum": 8.0}])
def test_numbers_that_make_no_sense_are_refused(wrong):
    with pytest.raises(ValueError, match="POLITENESS_ADDRESS"):
        AddressPolicy(**wrong)


def test_without_factor_and_minimum_there_are_no_clocks():
    assert not AddressPolicy(factor=0.0, minimum=0.0)
    assert AddressPolicy(factor=0.0)


@given(st.lists(st.tuples(st.integers(0, 2), st.floats(0, 30), st.one_of(st.none(), st.floats(0, 20))), max_size=80))
def test_whatever_happens_no_address_is_asked_early_or_by_two(happenings):
    address, policy = clocks(), AddressPolicy()
    now, out, free, samples = NOW, {}, {}, {}
    for number, later, took in happenings:
        now += later
        name = f"192.0.2.{number}"
        if name in out and took is not None:
            address.end(name, now, took)
            del out[name]
            samples[name] = (*samples.get(name, ()), took)[-5:]
            free[name] = now + policy.delay(samples[name])
            continue
        wait = address.take(name, now)
        assert (wait == 0.0) == (name not in out and free.get(name, 0.0) <= now)
        if not wait:
            out[name] = True


def barren(address, number, now=NOW, **end):
    """Make so many requests, each as soon as it may be; give the delay after the last."""
    for _ in range(number):
        while wait := address.take(HERE, now):
            now += wait
        address.end(HERE, now, 0.01, **end)
    return address.take(HERE, now)


@pytest.mark.parametrize(
    ("number", "delay"), [(99, 1.0), (100, 2.0), (199, 2.0), (200, 4.0), (1_000, 1_024.0), (9_000, 3_600.0)]
)
def test_the_delay_of_an_address_doubles_with_each_budget_without_a_find(number, delay):
    assert barren(clocks(policy=AddressPolicy(budget=100)), number) == pytest.approx(delay, abs=0.1)


def test_a_find_gives_an_address_its_budget_back():
    address = clocks(policy=AddressPolicy(budget=100))
    assert barren(address, 350) == pytest.approx(8.0, abs=0.1)
    assert barren(address, 1, NOW + 1e6, found=True) == pytest.approx(1.0, abs=0.1)
    assert barren(address, 99, NOW + 2e6) == pytest.approx(1.0, abs=0.1)


def test_an_address_without_a_budget_keeps_its_delay():
    assert barren(clocks(policy=AddressPolicy(budget=0)), 5_000) == pytest.approx(1.0, abs=0.1)


def test_a_restart_gives_no_budget_back():
    notes, policy = Notes(), AddressPolicy(budget=100)
    assert barren(clocks(notes, policy), 350) == pytest.approx(8.0, abs=0.1)
    assert barren(clocks(notes, policy), 1, NOW + 1e6) == pytest.approx(8.0, abs=0.1)


def test_a_note_of_an_earlier_version_is_read():
    notes = Notes()
    notes.set_note(address_clocks.NAMESPACE, HERE, msgpack.packb((1, NOW + 30.0, (2.0,))))
    assert clocks(notes).take(HERE, NOW) == pytest.approx(30.0)
