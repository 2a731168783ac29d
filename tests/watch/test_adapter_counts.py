"""What is counted of site adapters, and when one is switched off."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mediacrawl.watch.adapter_counts import AdapterCounts

MISSES = 3
NOTHING = AdapterCounts("d1")
PAGE, WHY = "http://a.example/1", "answer 1: it is no JSON"


def after(events, counts=NOTHING):
    """The counts after events: ``t`` tried, ``h`` hit, ``m`` missed; each is written at once."""
    for event in events:
        one = {"t": NOTHING.after_page, "h": NOTHING.after_hit, "m": lambda: NOTHING.after_miss(PAGE, WHY)}[event]()
        counts = AdapterCounts.load(counts.plus(one, MISSES).dump(), "d1")
    return counts


def test_so_many_misses_in_a_row_switch_an_adapter_off_with_the_last_as_the_example():
    assert not after("tmtmthtmtm").off
    off = after("tmtmthtmtmtm")
    assert (off.tried, off.hit, off.missed, off.row, off.off) == (6, 1, 5, 3, True)
    assert (off.example, off.why) == (PAGE, WHY)


def test_what_is_off_stays_off_whatever_is_hit_later():
    assert after("mmmhhh").off


def test_a_changed_file_begins_anew_and_is_on():
    off = after("mmm")
    assert AdapterCounts.load(off.dump(), "d2") == AdapterCounts("d2")
    assert AdapterCounts.load(off.dump()) == off


def test_what_one_worker_counted_is_added_to_what_others_did():
    ours, theirs = after("ttmm"), after("tm", NOTHING)
    assert ours.plus(theirs, MISSES).off
    again = ours.plus(after("hm"), MISSES)
    assert (again.tried, again.hit, again.missed, again.row, again.off) == (2, 1, 3, 1, False)


@pytest.mark.parametrize(
    "record",
    [
        None,
        b"",
        b"\xff",
        b"[]",
        b"null",
        b"[" * 100_000,
        json.dumps({"digest": "d1", "tried": -1, "hit": True, "missed": 1.5, "row": 1 << 60, "off": "yes"}),
    ],
)
def test_a_note_that_is_none_counts_nothing(record):
    assert AdapterCounts.load(record, "d1") == NOTHING


def test_a_long_url_and_a_long_reason_are_cut():
    long = NOTHING.after_miss("http://a.example/" + "x" * 5_000, "y" * 5_000)
    assert (len(long.example), len(long.why)) == (500, 500)
    assert AdapterCounts.load(long.dump(), "d1") == long


@given(st.text("thm", max_size=12), st.text("thm", max_size=12))
def test_the_counts_are_the_same_in_one_piece_and_in_two(first, second):
    whole, joined = after(first + second), after(first).plus(after(second), MISSES)
    assert (joined.tried, joined.hit, joined.missed, joined.row) == (whole.tried, whole.hit, whole.missed, whole.row)
