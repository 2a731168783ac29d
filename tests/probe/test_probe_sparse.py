"""SparseFile: what is here reads like a file, what is not says so."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mediacrawl.probe.context import NeedBytes, SparseFile

WHOLE = bytes(range(256))


def file_of(*ranges, size=256):
    file = SparseFile(size)
    for start, stop in ranges:
        file.put(start, WHOLE[start:stop])
    return file


def test_a_missing_byte_says_where_it_starts_and_what_was_wanted():
    file = file_of((0, 10))
    with pytest.raises(NeedBytes) as need:
        file.get(5, 20)
    assert (need.value.start, need.value.stop) == (10, 20)


def test_the_signal_passes_an_except_exception():
    assert not issubclass(NeedBytes, Exception)


def test_reading_past_the_end_gives_what_there_is():
    assert file_of((200, 256)).get(250, 300) == WHOLE[250:]


def test_while_the_size_is_unknown_no_byte_is_past_the_end():
    file = SparseFile()
    file.put(0, b"abc")
    with pytest.raises(NeedBytes):
        file.get(0, 4)


def test_run_ends_at_the_first_gap():
    assert file_of((0, 10), (12, 20)).run(2, 100) == WHOLE[2:10]


def test_what_stands_before_an_offset_begins_at_the_last_gap():
    file = file_of((0, 10), (12, 20))
    assert file.before(18, 100) == WHOLE[12:18]
    assert file.before(20, 3) == WHOLE[17:20]
    assert file.before(11, 100) == b""


RANGES = st.lists(st.tuples(st.integers(0, 256), st.integers(0, 256)).map(sorted), max_size=8)


@given(RANGES)
def test_segments_are_sorted_apart_and_true(ranges):
    segments = file_of(*ranges).segments()
    for at, data in segments:
        assert data == WHOLE[at : at + len(data)]
    ends = [at + len(data) for at, data in segments]
    assert all(end < at for end, (at, _) in zip(ends, segments[1:], strict=False))
    assert {i for at, data in segments for i in range(at, at + len(data))} == {
        i for start, stop in ranges for i in range(start, stop)
    }


@given(RANGES, st.integers(0, 300), st.integers(0, 300))
def test_it_reads_like_the_file_wherever_the_bytes_are_here(ranges, start, stop):
    file, here = file_of(*ranges), {i for first, last in ranges for i in range(first, last)}
    if here.issuperset(range(start, min(stop, 256))):
        assert file.get(start, stop) == file.at_hand(start, stop) == WHOLE[start:stop]
        return
    assert file.at_hand(start, stop) is None
    with pytest.raises(NeedBytes) as need:
        file.get(start, stop)
    assert need.value.start not in here
