"""Request logs as counts, whole or in pieces, plain or packed."""

import gzip
import json
from datetime import UTC, date, datetime
from itertools import pairwise

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from mediacrawl.observe import RequestLine, RequestLog
from mediacrawl.report import digest, log_digest

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


@settings(max_examples=30, deadline=None)
@given(
    st.lists(st.tuples(st.integers(0, 2), st.integers(0, 60), st.sampled_from([200, 404, 503])), max_size=40),
    st.integers(100, 900),
)
def test_pieces_of_a_file_say_what_the_whole_file_says(tmp_path_factory, visits, size):
    folder = tmp_path_factory.mktemp("log")
    time, lines = NOON, []
    for site, step, status in visits:
        time += step
        lines.append(line(time, f"{site}.example", status=status))
    write(folder, *lines)
    whole = digest([folder], processes=1)
    (path,) = folder.glob("requests-*.jsonl")
    parts = log_digest.LogDigest()
    length = path.stat().st_size
    # Some pieces end exactly with a line.
    ends = {place + 1 for place, byte in enumerate(path.read_bytes()) if byte == 10 and place % 2}
    places = sorted({*range(0, length, size), *ends, length})
    for start, end in pairwise(places):
        parts.extend(log_digest._read(0.0, (0.0, 1e12), (path, start, end)))
    for name in ("lines", "requests", "sites", "failures", "gaps", "too_soon"):
        assert getattr(parts, name) == getattr(whole, name), name
    assert [each and each[:2] for each in (parts.worst,)] == [each and each[:2] for each in (whole.worst,)]


@pytest.mark.slow
def test_several_processes_say_what_one_says(tmp_path):
    lines = [line(NOON + place / 10, f"{place % 977}.example") for place in range(90_000)]
    write(tmp_path, *lines)
    assert digest([tmp_path], processes=2) == digest([tmp_path], processes=1)


@pytest.mark.parametrize("name", ["requests-2026-03-11.jsonl", "out-1-x.slots"])
def test_lines_that_were_lost_before_the_crawl_are_not_its_own(tmp_path, name):
    gap = {"time": "2026-03-11T12:00:00.000Z", "url": "", "error": "LinesLost", "lost": 7}
    (tmp_path / name).write_text(json.dumps(gap, separators=(",", ":")) + "\n")
    assert digest([tmp_path], since=NOON - 60).lost == 7
    assert digest([tmp_path], since=NOON + 60).lost == digest([tmp_path], until=NOON - 60).lost == 0
