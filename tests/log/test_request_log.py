"""The request log: valid lines, whole days, nothing lost."""

import errno
import gzip
import json
import logging
import multiprocessing
import os
import resource
import signal
import subprocess
import sys
from datetime import date
from pathlib import Path
from types import SimpleNamespace

import pytest
from harness import examples
from hypothesis import given, settings
from hypothesis import strategies as st

from mediacrawl.log import archive
from mediacrawl.log.archive import read
from mediacrawl.log.request_log import MAX_ROBOTS, MAX_TEXT, LogError, RequestLine, RequestLog

NOON = 1_785_585_600.0  # 2026-08-01 12:00:00 UTC
DAY = 86_400.0


class Clock:
    def __init__(self, now=NOON):
        self.now = now

    def __call__(self):
        return self.now


def line(number=0, **changes):
    return RequestLine(**{"time": NOON, "url": f"https://a.example/{number}", **changes})


def names(folder):
    return sorted(path.name for path in folder.iterdir() if path.suffix != ".slots")


def test_a_line_holds_all_that_a_complaint_asks_for(tmp_path):
    with RequestLog(tmp_path, clock=Clock()) as log:
        log.write(
            RequestLine(
                time=NOON + 0.0425,
                url="https://a.example/x",
                status=301,
                content_type="text/html",
                content_length="0123",
                location="https://b.example/",
                duration=0.12345,
                bytes=17,
                site="a.example",
                delay=15.0,
                kind="page",
                drop="redirect_cap",
                address="192.0.2.7",
                retry_after="120",
            )
        )
    (text,) = (tmp_path / "requests-2026-08-01.jsonl").read_text("ascii").splitlines()
    assert json.loads(text) == {
        "time": "2026-08-01T12:00:00.042Z",
        "url": "https://a.example/x",
        "status": 301,
        "content_type": "text/html",
        "content_length": 123,
        "location": "https://b.example/",
        "response_url": None,
        "duration": 0.123,
        "bytes": 17,
        "site": "a.example",
        "delay": 15.0,
        "kind": "page",
        "drop": "redirect_cap",
        "error": None,
        "address": "192.0.2.7",
        "retry_after": "120",
    }


hostile_text = st.text(st.characters(codec=None, exclude_categories=()))
hostile = st.none() | hostile_text
numbers = st.none() | st.floats()


@settings(max_examples=examples(80))
@given(hostile_text, hostile, hostile, hostile, hostile, numbers, numbers)
def test_no_header_can_break_a_line(tmp_path_factory, url, header, length, location, error, duration, delay):
    folder = tmp_path_factory.mktemp("log")
    with RequestLog(folder, clock=Clock()) as log:
        log.write(line(url=url, content_type=header, content_length=length, location=location, error=error,
                       response_url=location, site=url, duration=duration, delay=delay))  # fmt: skip
        log.write(line(1))
    raw = (folder / "requests-2026-08-01.jsonl").read_bytes()
    assert raw.count(b"\n") == 2
    first, second = [json.loads(text) for text in raw.splitlines()]
    json.dumps(first, ensure_ascii=False).encode()
    assert second["url"] == "https://a.example/1"


def test_bytes_that_are_no_text_and_a_header_with_a_line_feed_come_back_as_they_were(tmp_path):
    evil = b'text/html\r\n{"url": "forged"}\x00\xff'.decode("latin-1")
    with RequestLog(tmp_path, clock=Clock()) as log:
        log.write(line(content_type=evil, location="https://a.example/😀"))
    (record,) = read(tmp_path)
    assert record["content_type"] == evil
    assert record["location"] == "https://a.example/😀"


def test_a_huge_header_is_cut(tmp_path):
    with RequestLog(tmp_path, clock=Clock()) as log:
        log.write(line(location="x" * 1_000_000, content_length="9" * 100_000))
    assert (tmp_path / "requests-2026-08-01.jsonl").stat().st_size < 3 * MAX_TEXT


def test_a_content_length_that_is_no_number_stays_the_text_that_was_sent(tmp_path):
    with RequestLog(tmp_path, clock=Clock()) as log:
        for value in ("12, 12", "-1", "٣", 7, None):
            log.write(line(content_length=value))
    assert [record["content_length"] for record in read(tmp_path)] == ["12, 12", "-1", "٣", 7, None]


def test_a_robots_txt_is_kept_as_text_up_to_what_is_obeyed(tmp_path):
    with RequestLog(tmp_path, clock=Clock()) as log:
        log.write_robots(NOON, "https://a.example/robots.txt", 200, "User-agent: *\nDisallow: /ü".encode() + b"\xff")
        log.write_robots(NOON, "https://b.example/robots.txt", 200, b"#" * 700_000)
        log.write_robots(NOON, "https://c.example/robots.txt", None, b"")
    first, second, third = read(tmp_path, name="robots")
    assert first["text"].encode(first["encoding"]) == "User-agent: *\nDisallow: /ü".encode() + b"\xff"
    assert (len(second["text"]), second["bytes"]) == (MAX_ROBOTS, 700_000)
    assert third["status"] is None


def test_of_a_large_robots_txt_the_log_has_the_lines_that_are_obeyed(tmp_path):
    body = b"User-agent: *\nDisallow: /x\n" * 40_000
    with RequestLog(tmp_path, clock=Clock()) as log:
        log.write_robots(
            NOON, "https://a.example/robots.txt", 200, body, authority="https://a.example", site="a.example"
        )
    (record,) = read(tmp_path, name="robots")
    kept = record["text"].encode()
    assert (record["bytes"], record["authority"], record["site"]) == (len(body), "https://a.example", "a.example")
    assert MAX_ROBOTS - 20 < len(kept) <= MAX_ROBOTS + 1
    assert body.startswith(kept)
    assert kept.endswith(b"\n")


def test_midnight_begins_a_new_file_and_packs_the_old_one(tmp_path):
    clock = Clock(NOON + DAY / 2 - 0.001)
    with RequestLog(tmp_path, clock=clock) as log:
        log.write(line(1))
        clock.now = NOON + DAY / 2
        log.write(line(2))
        log.wait()
        assert names(tmp_path) == [
            "requests-2026-08-01.jsonl.gz",
            "requests-2026-08-02.jsonl",
            "robots-2026-08-01.jsonl",
        ]
        log.write_robots(NOON, "https://a.example/robots.txt", 200, b"")
        log.wait()
        assert "robots-2026-08-01.jsonl.gz" in names(tmp_path)
    assert [record["url"][-1] for record in read(tmp_path)] == ["1", "2"]
    assert [record["url"][-1] for record in read(tmp_path, date(2026, 8, 2))] == ["2"]


def test_what_an_earlier_run_left_is_packed_at_the_start_and_only_old_logs_are_removed(tmp_path):
    for name in ("requests-2026-07-30.jsonl", "requests-2026-07-01.jsonl", "requests-2026-06-30.jsonl", "notes.txt",
                 "requests-2026-13-77.jsonl", "other-2020-01-01.jsonl"):  # fmt: skip
        (tmp_path / name).write_text('{"url":"x"}\n')
    with RequestLog(tmp_path, keep_days=31, clock=Clock()) as log:
        log.wait()
    assert names(tmp_path) == [
        "notes.txt",
        "other-2020-01-01.jsonl",
        "requests-2026-07-01.jsonl.gz",
        "requests-2026-07-30.jsonl.gz",
        "requests-2026-08-01.jsonl",
        "requests-2026-13-77.jsonl",
        "robots-2026-08-01.jsonl",
    ]


def test_a_file_that_another_process_still_writes_is_not_packed(tmp_path):
    early, late = Clock(NOON), Clock(NOON + DAY)
    with RequestLog(tmp_path, clock=early) as idle:
        with RequestLog(tmp_path, clock=late) as busy:
            busy.wait()
            idle.write(line(7))
        assert "requests-2026-08-01.jsonl" in names(tmp_path)
    with RequestLog(tmp_path, clock=late) as busy:
        busy.wait()
    assert "requests-2026-08-01.jsonl.gz" in names(tmp_path)
    assert [record["url"][-1] for record in read(tmp_path)] == ["7"]


def test_a_crash_between_renaming_and_removing_neither_loses_nor_doubles_a_line(tmp_path):
    plain = tmp_path / "requests-2026-07-30.jsonl"
    plain.write_text('{"url":"x"}\n')
    (tmp_path / "requests-2026-07-30.jsonl.gz").write_bytes(gzip.compress(plain.read_bytes()))
    assert len(list(read(tmp_path))) == 1
    archive.tidy(tmp_path, date(2026, 8, 1), 31)
    assert names(tmp_path) == ["requests-2026-07-30.jsonl.gz"]
    assert len(list(read(tmp_path))) == 1


def test_a_crash_during_packing_leaves_a_draft_that_the_next_start_replaces(tmp_path):
    (tmp_path / "requests-2026-07-30.jsonl").write_text('{"url":"x"}\n')
    (tmp_path / "requests-2026-07-30.jsonl.gz.tmp").write_bytes(b"\x1f\x8bhalf")
    assert len(list(read(tmp_path))) == 1
    archive.tidy(tmp_path, date(2026, 8, 1), 31)
    assert names(tmp_path) == ["requests-2026-07-30.jsonl.gz"]
    assert [record["url"] for record in read(tmp_path)] == ["x"]


def test_lines_that_come_after_a_day_was_packed_are_added_to_it(tmp_path):
    plain = tmp_path / "requests-2026-07-30.jsonl"
    for url in ("first", "second"):
        plain.write_text(f'{{"url":"{url}"}}\n')
        archive.tidy(tmp_path, date(2026, 8, 1), 31)
    assert names(tmp_path) == ["requests-2026-07-30.jsonl.gz"]
    assert [record["url"] for record in read(tmp_path)] == ["first", "second"]


def test_a_damaged_packed_file_is_kept_and_so_is_the_plain_one(tmp_path, caplog):
    plain, packed = tmp_path / "requests-2026-07-30.jsonl", tmp_path / "requests-2026-07-30.jsonl.gz"
    plain.write_text('{"url":"plain"}\n')
    damaged = gzip.compress(b'{"url":"packed"}\n' * 50_000)[:-40]
    packed.write_bytes(damaged)
    archive.tidy(tmp_path, date(2026, 8, 1), 31)
    assert packed.read_bytes() == damaged
    assert {record["url"] for record in read(tmp_path)} == {"plain", "packed"}
    assert "Cannot tidy" in caplog.text


def test_a_line_that_a_power_cut_tore_costs_no_other_line(tmp_path):
    (tmp_path / "requests-2026-08-01.jsonl").write_bytes(b'{"url":"whole"}\n{"url":"to')
    with RequestLog(tmp_path, clock=Clock()) as log:
        log.write(line(1))
        log.write(line(2))
    assert [record["url"] for record in read(tmp_path)] == ["whole", "https://a.example/1", "https://a.example/2"]


def _write_many(folder, letter, start):
    start.wait()
    with RequestLog(folder, clock=Clock()) as log:
        for number in range(500):
            log.write(line(number, site=letter, error=letter * 3000))


def test_lines_of_two_processes_never_mix(tmp_path):
    context = multiprocessing.get_context("spawn")
    start = context.Barrier(2)
    processes = [context.Process(target=_write_many, args=(tmp_path, letter, start)) for letter in "ab"]
    for process in processes:
        process.start()
    for process in processes:
        process.join()
    assert [process.exitcode for process in processes] == [0, 0]
    raw = (tmp_path / "requests-2026-08-01.jsonl").read_bytes().splitlines()
    records = [json.loads(text) for text in raw]
    assert len(records) == 1000
    assert all(set(record["error"]) == {record["site"]} for record in records)


def test_a_line_that_another_process_is_writing_is_no_wreck(tmp_path, monkeypatch):
    path = tmp_path / "requests-2026-08-01.jsonl"
    path.write_bytes(b'{"url":"fir')

    def finish(_seconds):
        with path.open("ab") as file:
            file.write(b'st"}\n')

    # The name in that file and not the one in `time`: other threads of the tests sleep too.
    monkeypatch.setattr(archive, "time", SimpleNamespace(sleep=finish))
    with RequestLog(tmp_path, clock=Clock()) as log:
        log.write(line(2))
    assert [json.loads(text)["url"] for text in path.read_bytes().splitlines()] == ["first", line(2).url]


def test_a_kill_loses_no_line(tmp_path):
    program = (
        "import os, signal, sys\n"
        "from mediacrawl.log.request_log import RequestLine, RequestLog\n"
        "log = RequestLog(sys.argv[1])\n"
        "for number in range(1000):\n"
        "    log.write(RequestLine(time=0.0, url=str(number)))\n"
        "os.kill(os.getpid(), signal.SIGKILL)\n"
    )
    done = subprocess.run([sys.executable, "-c", program, str(tmp_path)], check=False)
    assert done.returncode == -signal.SIGKILL
    assert [record["url"] for record in read(tmp_path)] == [str(number) for number in range(1000)]


@pytest.fixture
def small_disk():
    """Lets files grow to 2000 bytes and no further; the system then answers EFBIG, as it answers ENOSPC."""
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    handler = signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    resource.setrlimit(resource.RLIMIT_FSIZE, (2000, before[1]))

    def grow():
        resource.setrlimit(resource.RLIMIT_FSIZE, before)

    yield grow
    grow()
    signal.signal(signal.SIGXFSZ, handler)


def test_a_full_disk_is_told_once_counted_and_survived(tmp_path, small_disk, caplog):
    caplog.set_level(logging.WARNING)
    with RequestLog(tmp_path, clock=Clock()) as log:
        for number in range(20):
            log.write(line(number))
        lost = log.lost
        assert 0 < lost < 20
        assert [record.levelname for record in caplog.records] == ["ERROR"]
        assert os.strerror(errno.EFBIG) in caplog.text
        small_disk()
        log.write(line(99))
        assert log.lost == lost
    assert f"{lost} lines were lost" in caplog.text
    urls = [record["url"] for record in read(tmp_path)]
    assert urls == [*(f"https://a.example/{number}" for number in range(20 - lost)), "https://a.example/99", ""]
    assert list(read(tmp_path))[-1]["lost"] == lost


def test_a_folder_that_is_a_file_stops_the_crawl_before_it_begins(tmp_path):
    (tmp_path / "log").write_text("")
    with pytest.raises(LogError, match="cannot be made"):
        RequestLog(tmp_path / "log")


def test_a_log_that_cannot_be_opened_stops_the_crawl_before_it_begins(tmp_path):
    (tmp_path / "robots-2026-08-01.jsonl").mkdir()
    with pytest.raises(LogError, match="cannot be written"):
        RequestLog(tmp_path, clock=Clock())


def test_a_new_day_that_cannot_be_opened_goes_on_in_the_old_file_and_is_tried_again(tmp_path, caplog):
    clock = Clock()
    blocked = tmp_path / "requests-2026-08-02.jsonl"
    with RequestLog(tmp_path, clock=clock) as log:
        blocked.mkdir()
        clock.now += DAY
        log.write(line(1))
        log.write(line(2))
        assert caplog.text.count("cannot begin a new file") == 1
        blocked.rmdir()
        clock.now += 61
        log.write(line(3))
        assert log.lost == 0
    assert [record["url"][-1] for record in read(tmp_path)] == ["1", "2", "3"]


def test_keeping_a_log_for_less_than_a_day_is_refused(tmp_path):
    with pytest.raises(ValueError, match="one day"):
        RequestLog(tmp_path, keep_days=0)


def test_reading_a_folder_without_logs_gives_nothing(tmp_path):
    assert list(read(Path(tmp_path))) == []
