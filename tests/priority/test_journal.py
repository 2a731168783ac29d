"""What was visited outlives the process, and a spoiled record is no record."""

import msgpack
import pytest
from hypothesis import given
from hypothesis import strategies as st

from mediacrawl.frontier.contract import FrontierPolicy
from mediacrawl.frontier.sqlite.store import MemoryFrontier
from mediacrawl.priority.links import NOTHING, SIZE, WIDTH
from mediacrawl.priority.visits import NAMESPACE, VisitEntry, VisitJournal

KEYS = st.integers(-(2**63), 2**63 - 1)
ROWS = st.lists(st.integers(1, SIZE - 1), max_size=WIDTH).map(lambda used: used + [NOTHING] * (WIDTH - len(used)))


def entry(number):
    return VisitEntry(number, number - 1, "a.example", "a.example/x", [number % SIZE] + [NOTHING] * (WIDTH - 1), 0.0)


def read(notes, most=1000):
    return list(VisitJournal(notes, most).read())


@pytest.fixture
def notes():
    return MemoryFrontier(FrontierPolicy())


@given(st.builds(VisitEntry, KEYS, KEYS, st.text(max_size=20), st.text(max_size=40), ROWS, st.floats(0, 1)))
def test_an_entry_is_read_as_it_was_written(found):
    again = VisitEntry.load(found.dump())
    clean = str.maketrans({chr(code): "?" for code in range(0xD800, 0xE000)})
    assert again is not None
    assert (again.key, again.parent, again.row, again.reward) == (found.key, found.parent, found.row, found.reward)
    assert (again.site, again.link_class) == (found.site.translate(clean), found.link_class.translate(clean))


@given(st.binary(max_size=60))
def test_no_bytes_are_too_bad(packed):
    VisitEntry.load(packed)


def test_a_number_without_end_is_none_of_ours():
    assert VisitEntry.load(msgpack.packb((float("inf"), 0, "a.example", "x", b"", 0.0))) is None


@pytest.mark.parametrize("number", [0, 1, 99, 100, 101, 350])
def test_all_that_was_saved_is_read_in_its_order(notes, number):
    journal = VisitJournal(notes, 1000)
    for key in range(1, number + 1):
        journal.add(entry(key))
        if key % 7 == 0:
            journal.save()
    journal.save()
    assert [(place, found.key) for place, found in read(notes)] == [(key, key) for key in range(1, number + 1)]


def test_it_goes_on_where_it_ended(notes):
    for start in (1, 131, 180):
        journal = VisitJournal(notes, 1000)
        list(journal.read())
        for key in range(start, start + 130 if start == 1 else start + 49):
            journal.add(entry(key))
        journal.save()
    assert [found.key for _, found in read(notes)] == list(range(1, 229))


def test_the_oldest_are_overwritten(notes):
    journal = VisitJournal(notes, 300)
    for key in range(1, 1051):
        journal.add(entry(key))
    journal.save()
    kept = [found.key for _, found in read(notes, 300)]
    assert kept == list(range(701, 1051))


def test_with_another_number_to_keep_it_begins_anew_and_goes_on_counting(notes):
    journal = VisitJournal(notes, 1000)
    for key in range(1, 351):
        journal.add(entry(key))
    journal.save()
    again = VisitJournal(notes, 500)
    assert list(again.read()) == []
    again.add(entry(351))
    again.save()
    assert read(notes, 500) == [(351, entry(351))]


def test_of_few_that_are_kept_none_is_lost_when_a_page_is_full(notes):
    journal = VisitJournal(notes, 50)
    for key in range(1, 101):
        journal.add(entry(key))
    journal.save()
    assert len(read(notes, 50)) == 100


@pytest.mark.parametrize("record", [b"", b"\xc1", msgpack.packb({"a": 1}), msgpack.packb([1, "x", None])])
def test_a_spoiled_page_is_passed_over(notes, record):
    journal = VisitJournal(notes, 1000)
    for key in range(1, 251):
        journal.add(entry(key))
    journal.save()
    notes.set_note(NAMESPACE, "11:1", record)
    assert [found.key for _, found in read(notes)] == [*range(1, 101), *range(201, 251)]


def test_a_spoiled_beginning_is_none(notes):
    journal = VisitJournal(notes, 1000)
    journal.add(entry(1))
    journal.save()
    notes.set_note(NAMESPACE, "head", b"\xc1")
    assert read(notes) == []
