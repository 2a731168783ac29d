"""Request logs as counts, whole or in pieces, plain or packed."""

import gzip
import json
from datetime import UTC, date, datetime

import pytest

from mediacrawl.log.request_log import RequestLine, RequestLog
from mediacrawl.watch import log_digest
from mediacrawl.watch.log_digest import digest

NOON = datetime(2026, 3, 11, 12, tzinfo=UTC).timestamp()


def line(time, site="a.example", **fields):
    known = {"status": 200, "duration": 0.5, "bytes": 1000, "delay": 15.0, "kind": "page", **fields}
    return RequestLine(time=time, url=f"https://{site}/{time}", site=site, **known)


def write(folder, *lines):
    with RequestLog(folder, clock=lambda: NOON) as log:
        for each in lines:
            log.write(each)
    return folder


def test_requests_are_counted_by_site_minute_status_and_drop(tmp_path):
    found = digest(
        [
            write(
                tmp_path,
                line(NOON),
                line(NOON + 61, "b.example", status=404, drop="http_status"),
                line(NOON + 62, "c.example", status=None, error="TimeoutError", bytes=0),
                line(NOON + 63, "d.example", status=None, duration=None, drop="robots"),
            )
        ]
    )
    assert (found.lines, found.requests) == (4, 3)
    assert found.failures == {"404": 1, "TimeoutError": 1}
    assert found.drops == {"http_status": 1, "robots": 1}
    assert found.examples["robots"] == f"https://d.example/{NOON + 63}"
    assert {name: site.failures for name, site in found.sites.items()} == {
        "a.example": 0,
        "b.example": 1,
        "c.example": 1,
    }


def test_a_request_before_its_delay_was_over_is_left_of_one_and_named(tmp_path):
    found = digest([write(tmp_path, line(NOON), line(NOON + 15.5), line(NOON + 16.0 + 14.9))])
    assert found.too_soon == 1
    assert sorted(found.gaps) == [log_digest.PARTS - 1, log_digest.PARTS]
    kept, owed, url = found.worst
    assert (round(kept, 3), owed) == (14.9, 15.0)
    assert url.endswith(str(NOON + 30.9))


def test_the_least_delay_of_the_crawl_is_owed_even_if_a_line_says_less(tmp_path):
    folder = write(tmp_path, line(NOON), line(NOON + 5, delay=1.0))
    assert digest([folder]).too_soon == 0
    assert digest([folder], least=15.0).too_soon == 1


def test_packed_days_torn_lines_and_strange_ones_are_read_as_far_as_they_go(tmp_path):
    day = date(2026, 3, 10).isoformat()
    old = json.dumps(
        {"time": f"{day}T12:00:00+00:00", "url": "https://old.example/", "duration": 1, "site": "old.example"}
    )
    with gzip.open(tmp_path / f"requests-{day}.jsonl.gz", "wb") as file:
        file.write(f'{old}\n[1]\n"x"\n{{"time":5,"url":"u"}}\n{old[:40]}'.encode())
    found = digest([write(tmp_path, line(NOON)), tmp_path / "nowhere"])
    assert set(found.sites) == {"old.example", "a.example"}
    assert found.lines == 2


def test_a_damaged_packed_file_is_named(tmp_path):
    day = tmp_path / "requests-2026-03-10.jsonl.gz"
    day.write_bytes(gzip.compress(b"{}\n" * 100)[:-9])
    assert digest([tmp_path]).damaged == [day.name]


def test_escapes_are_read_as_json_reads_them(tmp_path):
    found = digest([write(tmp_path, line(NOON, 'quo"te\\.example', status=500))])
    assert list(found.sites) == ['quo"te\\.example']


def test_the_lines_of_several_processes_are_judged_in_the_order_of_time(tmp_path):
    folders = [tmp_path / "worker-1", tmp_path / "worker-2"]
    for number, folder in enumerate(folders):
        write(folder, *(line(NOON + 40 * place + 20 * number) for place in range(5)))
    found = digest(folders)
    assert (found.requests, sum(found.gaps.values()), found.too_soon) == (10, 9, 0)


@pytest.mark.parametrize("name", ["requests-2026-03-11.jsonl", "out-1-x.slots"])
def test_lines_that_were_lost_before_the_crawl_are_not_its_own(tmp_path, name):
    gap = {"time": "2026-03-11T12:00:00.000Z", "url": "", "error": "LinesLost", "lost": 7}
    (tmp_path / name).write_text(json.dumps(gap, separators=(",", ":")) + "\n")
    assert digest([tmp_path], since=NOON - 60).lost == 7
    assert digest([tmp_path], since=NOON + 60).lost == digest([tmp_path], until=NOON - 60).lost == 0
