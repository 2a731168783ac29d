"""Requests that were out when a process was killed are in the request log, once each."""

import json
import os
import resource
import signal
import subprocess
import sys

import pytest

from mediacrawl.log.archive import read
from mediacrawl.log.request_log import SLOT, UNFINISHED, RequestLine, RequestLog, UnfinishedRequests, unfinished
from mediacrawl.log.search import Search

NOON = 1_785_585_600.0  # 2026-08-01 12:00:00 UTC
SITE = "a.example"
KILLED = """
import os, signal, sys
from mediacrawl.log.request_log import RequestLine, RequestLog

def line(number):
    return RequestLine(time=1_785_585_600.0 + number, url=f"https://a.example/{number}", site="a.example", kind="page")

log = RequestLog(sys.argv[1])
out = [log.begin(line(number)) for number in range(40)]
for number in range(0, 40, 2):
    log.write(line(number), out[number])
log.forget(out[1])
for number in range(40, 45):
    log.begin(line(number))
print("out", flush=True)
if len(sys.argv) > 2:
    sys.stdin.read()
os.kill(os.getpid(), signal.SIGKILL)
"""
OUT = {f"https://a.example/{number}" for number in [*range(3, 40, 2), *range(40, 45)]}


def line(number=0, **changes):
    return RequestLine(**{"time": NOON + number, "url": f"https://a.example/{number}", "site": SITE, **changes})


def slots(folder):
    return sorted(folder.glob("out-*.slots"))


def told(folder):
    """What a complaint is answered from: (URL, error)."""
    return [(record["url"], record["error"]) for record in Search(SITE).lines(folder, "requests")]


@pytest.fixture
def killed(tmp_path):
    done = subprocess.run([sys.executable, "-c", KILLED, str(tmp_path)], stdout=subprocess.PIPE, check=False)
    assert done.returncode == -signal.SIGKILL
    return tmp_path


def test_the_next_start_writes_down_what_was_out_at_a_kill(killed):
    assert len(list(read(killed))) == 20
    with RequestLog(killed) as log:
        assert log.recovered == len(OUT)
    records = list(read(killed))
    lost = [record for record in records if record["error"] == UNFINISHED]
    assert {record["url"] for record in lost} == OUT
    assert len(records) == 20 + len(OUT)
    # It was sent, and of its end nothing is known.
    assert {(record["duration"], record["status"], record["kind"]) for record in lost} == {(0.0, None, "page")}
    assert min(record["time"] for record in lost) == "2026-08-01T12:00:03.000Z"
    assert slots(killed) == []
    with RequestLog(killed) as log:
        assert log.recovered == 0


def test_a_complaint_is_answered_with_them_though_no_crawl_has_started_since(killed):
    before = told(killed)
    assert {url for url, error in before if error == UNFINISHED} == OUT
    RequestLog(killed).close()
    assert sorted(told(killed)) == sorted(before)


def test_what_is_out_at_a_living_process_is_not_taken_and_shown_as_such(tmp_path):
    process = subprocess.Popen(
        [sys.executable, "-c", KILLED, str(tmp_path), "wait"], stdin=subprocess.PIPE, stdout=subprocess.PIPE
    )
    assert process.stdout.readline() == b"out\n"
    with RequestLog(tmp_path) as log:
        assert log.recovered == 0
    assert {url for url, error in told(tmp_path) if error == UNFINISHED} == OUT
    process.communicate()
    with RequestLog(tmp_path) as log:
        assert log.recovered == len(OUT)


def test_a_log_that_is_closed_leaves_nothing_but_its_lines(tmp_path):
    with RequestLog(tmp_path) as log:
        log.write(line(1), log.begin(line(1)))
        log.forget(log.begin(line(2)))
        assert len(slots(tmp_path)) == 1
    assert slots(tmp_path) == []
    assert [record["url"] for record in read(tmp_path)] == [line(1).url]


def test_a_request_that_was_told_at_its_end_is_not_told_twice(tmp_path):
    with RequestLog(tmp_path) as log:
        log.begin(line(1))
        # A kill between the line and the slot leaves both.
        log.write(line(1, status=200))
        assert told(tmp_path) == [(line(1).url, None)]


def test_slots_are_used_again(tmp_path):
    out = UnfinishedRequests(tmp_path)
    for number in range(1_000):
        out.end(out.begin(b'{"n":%d}\n' % number))
    first, second = out.begin(b'{"n":1}\n'), out.begin(b'{"n":22}\n')
    out.end(first)
    assert unfinished(tmp_path) == [b'{"n":22}\n']
    # The first slot is that of lines that are lost.
    assert slots(tmp_path)[0].stat().st_size <= 3 * SLOT
    out.begin(b'{"n":3}\n')
    assert unfinished(tmp_path) == [b'{"n":3}\n', b'{"n":22}\n']
    out.end(second)
    out.close()


def test_a_line_that_finds_no_room_costs_nothing_but_itself(tmp_path):
    with RequestLog(tmp_path) as log:
        huge = log.begin(line(url="https://a.example/" + "é" * SLOT))
        assert huge == -1
        log.write(line(1), huge)
        log.forget(huge)
    assert len(list(read(tmp_path))) == 1


def test_a_full_disk_stops_nothing(tmp_path):
    before, handler = resource.getrlimit(resource.RLIMIT_FSIZE), signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    resource.setrlimit(resource.RLIMIT_FSIZE, (2 * SLOT, before[1]))
    try:
        with RequestLog(tmp_path) as log:
            assert [log.begin(line(number)) for number in range(3)] == [1, -1, -1]
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)
        signal.signal(signal.SIGXFSZ, handler)


def test_what_is_no_line_in_a_file_of_slots_hurts_nobody(tmp_path):
    (tmp_path / "out-1-dead.slots").write_bytes(os.urandom(SLOT * 2 + 100).replace(b"\n", b" "))
    (tmp_path / "out-2-dead.slots").write_bytes(b"")
    (tmp_path / "out-3-dead.slots").write_bytes(json.dumps({"url": "half"}).encode())
    with RequestLog(tmp_path) as log:
        assert log.recovered == 0
    assert slots(tmp_path) == []
