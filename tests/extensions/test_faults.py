"""Errors of both kinds, and when they are too many."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mediacrawl.extensions import breaker
from mediacrawl.extensions.breaker import CriticalLog, Fault, Faults, UnreachableSites


def raised(error):
    """An exception as it was caught."""
    try:
        raise error
    except type(error) as caught:
        return caught


def fault(error, url="http://a.example/"):
    caught = raised(error)
    return Fault.of(caught, caught.__traceback__, url)


class UnspeakableError(Exception):
    def __str__(self):
        raise RuntimeError("not even this")


# -- faults ------------------------------------------------------------------------------------------------------


def test_a_fault_is_told_with_its_place_and_without_what_commands_a_terminal():
    told = fault(KeyError("title"), "http://a.example/\x1b[2J")
    assert told.error == "KeyError: 'title'"
    assert told.place.startswith("extensions/test_faults.py:")
    assert told.place.endswith(" in raised")
    assert told.url == "http://a.example/\\x1b[2J"
    assert str(fault(ValueError("\x1b]0;x\x07")))[:30] == "ValueError: \\x1b]0;x\\x07 (exte"


def test_the_place_is_the_innermost_line_that_is_no_librarys():
    with pytest.raises(ValueError, match="Expecting") as caught:
        json.loads("{")
    told = Fault.of(caught.value, caught.value.__traceback__, "")
    assert told.place.endswith("in test_the_place_is_the_innermost_line_that_is_no_librarys")


def test_an_exception_without_a_traceback_or_a_text_is_told_as_far_as_it_can_be():
    assert str(Fault.of(ValueError(), None, "")) == "ValueError"
    assert Fault.of(UnspeakableError(), None, "").error == "UnspeakableError: (it cannot be written)"


def test_a_fault_is_told_whole_then_short_then_counted():
    faults = Faults(0, 60.0)
    assert [faults.take(fault(KeyError(number)), 0.0) for number in range(300)] == [*range(1, 301)]
    assert faults.take(fault(ValueError("another")), 0.0) == 1
    assert [times for times, _ in faults.table()] == [300, 1]
    assert faults.total == 301


def test_faults_of_endlessly_many_kinds_take_a_bounded_table():
    faults = Faults(5, 60.0)
    for number in range(5_000):
        assert faults.take(Fault("E", str(number), ""), 0.0) == 1
    assert len(faults.table()) == 1_000
    assert faults.total == 5_000


def test_too_many_faults_are_those_that_come_within_the_window():
    slow, quick, never = Faults(3, 60.0), Faults(3, 60.0), Faults(0, 60.0)
    for number in range(30):
        slow.take(fault(KeyError()), number * 31.0)
        never.take(fault(KeyError()), 0.0)
    assert not slow.too_many
    assert not never.too_many
    for number in range(3):
        assert not quick.too_many
        quick.take(fault(KeyError()), number * 30.0)
    assert quick.too_many


def test_the_verdict_names_the_commonest_and_its_last_url():
    faults = Faults(4, 60.0)
    for number, error in enumerate((KeyError("a"), ValueError("v"), KeyError("b"))):
        faults.take(fault(error, f"http://a.example/{number}"), float(number))
    faults.take(fault(ValueError("w"), ""), 4.0)
    faults.take(fault(KeyError("c"), "http://a.example/9"), 5.0)
    verdict = faults.verdict()
    assert verdict.startswith("4 faults came within 4.0 s (sites: 0, places in the code: 2); 2 of them: ")
    assert "KeyError: 'c' (extensions/test_faults.py:" in verdict or "ValueError: w" in verdict


@given(st.integers(1, 5), st.lists(st.floats(0, 100), min_size=1, max_size=40).map(sorted))
def test_the_breaker_trips_if_and_only_if_so_many_came_in_time(most, times):
    faults = Faults(most, 10.0)
    for number, time in enumerate(times, 1):
        faults.take(Fault("E", "p", ""), time)
        assert faults.too_many is (number >= most and time - times[number - most] <= 10.0)


def at(site, address="", place="p"):
    return Fault("E", place, f"http://{site}/" if site else "", site, address)


def trips(faults, given):
    for number, each in enumerate(given, 1):
        faults.take(each, 0.0)
        if faults.too_many:
            return number
    return None


def test_the_faults_of_one_site_or_one_address_never_are_too_many():
    assert trips(Faults(50, 60.0, 5), [at("a.example", "192.0.2.1", str(n)) for n in range(1_000)]) is None
    of_a_host = [at(f"{n}.example", "192.0.2.1") for n in range(1_000)]
    assert trips(Faults(50, 60.0, 5), of_a_host) is None
    of_a_prefix = [at(f"{n}.example", f"2001:db8::{n:x}") for n in range(1_000)]
    assert trips(Faults(50, 60.0, 5), of_a_prefix) is None
    many_addresses = [at("a.example", f"192.0.2.{n}") for n in range(250)]
    assert trips(Faults(50, 60.0, 5), many_addresses) is None


def test_faults_of_many_sites_at_many_addresses_are_too_many_and_so_are_those_of_no_answer():
    everywhere = [at(f"{n}.example", f"2001:db8:0:{n:x}::1") for n in range(1_000)]
    assert trips(Faults(50, 60.0, 5), everywhere) == 50
    assert trips(Faults(50, 60.0, 5), [at("") for _ in range(100)]) == 50
    behind_a_proxy = [at(f"{n}.example") for n in range(1_000)]
    assert trips(Faults(50, 60.0, 5), behind_a_proxy) == 50
    # Those of one site hide nothing.
    mixed = [each for n in range(200) for each in (at("a.example", "192.0.2.1"), at(f"{n}.example", f"192.0.3.{n}"))]
    assert trips(Faults(50, 60.0, 5), mixed) == 90
    ten = [at(f"{n % 10}.example", f"192.0.2.{n % 10}") for n in range(1_000)]
    assert trips(Faults(50, 60.0, 5), ten) == 50
    assert trips(Faults(50, 60.0, 5), ten[:9] * 100) is None


def test_the_faults_of_a_site_count_again_once_the_window_is_over():
    faults = Faults(2, 60.0, 1)
    faults.take(at("a.example", "192.0.2.1"), 0.0)
    faults.take(at("a.example", "192.0.2.1"), 30.0)
    faults.take(at("b.example", "192.0.2.2"), 61.0)
    assert not faults.too_many
    faults.take(at("a.example", "192.0.2.1"), 62.0)
    assert faults.too_many


def test_where_nothing_sets_a_site_aside_the_faults_of_the_only_one_count_until_another_answers():
    only = Faults(50, 60.0, 5, alone=True)
    only.answered("a.example")
    assert trips(only, [at("a.example")] * 100) == 50
    of_two = Faults(50, 60.0, 5, alone=True)
    of_two.answered("b.example")
    assert trips(of_two, [at("a.example")] * 100) is None


# -- silence -----------------------------------------------------------------------------------------------------


def test_sites_in_a_row_that_cannot_be_reached_are_too_many_after_a_while():
    silence = UnreachableSites(3, 30.0)
    for number in range(3):
        silence.failed(f"{number}.example", "dns", float(number))
        assert not silence.too_long
    silence.failed("2.example", "dns", 31.0)
    assert silence.too_long
    assert silence.verdict() == (
        "the last 3 sites could not be reached (dns 3), nor any other for 31.0 s: "
        "the resolver of this machine seems to be down"
    )


def test_one_answer_ends_the_row_and_one_site_alone_makes_none():
    silence = UnreachableSites(3, 0.0)
    for number in range(100):
        silence.failed(f"{number % 2}.example", "timeout", float(number))
        assert not silence.too_long
    silence.failed("2.example", "connection", 100.0)
    assert silence.too_long
    assert "the network" in silence.verdict()
    silence.answered("a.example")
    assert not silence.too_long
    silence.failed("3.example", "connection", 200.0)
    assert not silence.too_long


def test_sites_that_failed_while_others_answered_count_no_more_until_they_answer():
    silence = UnreachableSites(3, 30.0)
    dead = [f"{number}.example" for number in range(3)]
    for site in dead:
        silence.failed(site, "connection", 0.0)
    silence.answered("alive.example")
    for time in (60.0, 120.0):
        for site in dead:
            silence.failed(site, "connection", time)
    assert not silence.too_long
    silence.answered(dead[0])
    for time in (200.0, 240.0):
        for site in (dead[0], "alive.example", "another.example"):
            silence.failed(site, "connection", time)
    assert silence.too_long


def test_dead_sites_are_remembered_in_bounds(monkeypatch):
    monkeypatch.setattr(breaker, "_KEPT", 2)
    silence = UnreachableSites(2, 0.0)
    for site in ("a", "b", "c"):
        silence.failed(site, "dns", 0.0)
        silence.answered("alive")
    silence.failed("alive", "dns", 1.0)
    silence.failed("c", "dns", 1.0)
    assert not silence.too_long
    silence.failed("a", "dns", 2.0)
    assert silence.too_long


def test_sites_that_never_answered_do_not_say_that_the_network_is_down():
    silence = UnreachableSites(10, 30.0)
    for number in range(3):
        silence.answered(f"known-{number}.example")
    for number in range(450):
        silence.failed(f"192.0.2.{number}", "timeout", number * 0.2)
    assert not silence.too_long
    silence.failed("known-0.example", "timeout", 91.0)
    assert not silence.too_long
    silence.failed("known-0.example", "timeout", 92.0)
    assert not silence.too_long
    silence.failed("known-1.example", "timeout", 93.0)
    assert silence.too_long
    silence.answered("known-2.example")
    assert not silence.too_long


def test_where_fewer_sites_have_answered_all_of_them_must_be_silent():
    silence = UnreachableSites(10, 0.0)
    silence.answered("known.example")
    for number in range(50):
        silence.failed(f"192.0.2.{number}", "timeout", float(number))
    assert not silence.too_long
    silence.failed("known.example", "timeout", 60.0)
    assert silence.too_long


def test_silence_is_never_too_long_if_the_operator_says_so():
    silence = UnreachableSites(0, 0.0)
    silence.failed("a.example", "dns", 0.0)
    assert not silence.too_long


# -- the file ----------------------------------------------------------------------------------------------------


def test_the_file_begins_with_the_first_fault_and_has_its_traceback(tmp_path):
    log = CriticalLog(tmp_path / "log")
    assert not (tmp_path / "log").exists()
    error = raised(ValueError("bad \x1b[2J thing"))
    told = Fault.of(error, error.__traceback__, "http://a.example/")
    log.write(0.0, told, "Spider error processing\n<GET http://a.example/>", error)
    log.write(1.0, told, "never shown")
    log.close()
    lines = (tmp_path / "log" / "critical.log").read_text(encoding="utf-8").splitlines()
    assert lines[0] == f"1970-01-01 00:00:00Z {told} http://a.example/"
    assert lines[1] == "  Spider error processing <GET http://a.example/>"
    assert lines[2] == "Traceback (most recent call last):"
    assert lines[-3:] == [r"ValueError: bad \x1b[2J thing", "", f"1970-01-01 00:00:01Z {told} http://a.example/"]


def test_the_file_is_bounded_whatever_is_written(tmp_path, monkeypatch):
    monkeypatch.setattr(breaker, "BYTES", 50_000)
    log = CriticalLog(tmp_path)
    for number in range(200):
        log.write(float(number), Fault("E", "p", ""), "said", ValueError("x" * 100_000 + "\udcff"))
    log.close()
    sizes = {path.name: path.stat().st_size for path in tmp_path.iterdir()}
    assert sizes.keys() == {"critical.log", "critical.log.1"}
    assert max(sizes.values()) < 75_000
    assert log.lost == 0


def test_what_the_disk_refuses_is_counted_and_raises_nothing(tmp_path, capsys):
    (tmp_path / "log").write_text("a file where the folder should be", encoding="utf-8")
    log = CriticalLog(tmp_path / "log")
    log.write(0.0, Fault("E", "p", ""), "said", ValueError())
    log.write(0.0, Fault("E", "p", ""), "said")
    log.close()
    assert log.lost == 2
    assert capsys.readouterr() == ("", "")
