"""Logs that are read while they are written."""

from hypothesis import given
from hypothesis import strategies as st

from mediacrawl.programs.fleet.worker import RECORD, LogRecords, LogTail, last_lines

TRACE = "2026-01-01 00:00:01 [x] ERROR: broken\nTraceback:\n  File\n\nValueError: no"


def read_in_pieces(content, cuts):
    records, found, start = LogRecords(), [], 0
    for cut in [*sorted({cut for cut in cuts if 0 < cut < len(content)}), len(content)]:
        found += records.take(content[start:cut]) if cut > start else []
        start = cut
    return found + records.rest()


@given(st.lists(st.integers(0, 400), max_size=20))
def test_a_traceback_is_one_record_however_it_is_read(cuts):
    records = ["2026-01-01 00:00:00 [x] INFO: Größe", TRACE, "2026-01-01 00:00:02 [x] INFO: after"]
    content = ("\n".join(records) + "\n").encode()
    assert read_in_pieces(content, cuts) == records


def test_a_record_is_told_when_nothing_follows():
    records = LogRecords()
    assert records.take(b"2026-01-01 00:00:00 one\n") == []
    assert records.take(b"") == ["2026-01-01 00:00:00 one"]
    assert records.take(b"") == []


def test_the_half_of_a_line_waits_for_the_other():
    records = LogRecords()
    assert records.take(b"2026-01-01 00:00:00 on") == []
    assert records.take(b"") == []
    assert records.take(b"e\n") == []
    assert records.rest() == ["2026-01-01 00:00:00 one"]


@given(st.binary(max_size=300), st.lists(st.integers(0, 300), max_size=5))
def test_noise_is_told_and_nothing_of_it_twice(noise, cuts):
    told = "\n".join(read_in_pieces(noise, cuts))
    assert told.count("\n") <= noise.count(b"\n") + 1


def test_a_line_without_end_takes_no_more_memory_than_a_record():
    records, told = LogRecords(), 0
    for _ in range(40):
        told += sum(map(len, records.take(b"x" * 10_000)))
        assert len(records._unfinished) <= RECORD + 10_000
        assert records._size <= 2 * RECORD + 20_000
    assert told + sum(map(len, records.rest())) == 400_000


def test_a_log_is_read_from_where_it_was_left(tmp_path):
    path = tmp_path / "log"
    path.write_bytes(b"before")
    tail = LogTail(path, 6)
    assert tail.read() == b""
    with path.open("ab") as log:
        log.write(b"after")
    assert (tail.read(), tail.read()) == (b"after", b"")


def test_the_last_lines_of_a_long_log_are_its_last(tmp_path):
    path = tmp_path / "log"
    path.write_text("".join(f"line {number}\n\n" for number in range(50_000)))
    assert last_lines(path, 2) == ["line 49998", "line 49999"]
