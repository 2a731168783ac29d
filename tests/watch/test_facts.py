"""The facts of a report, from what a crawl leaves."""

import os
import re
import signal
import subprocess
import sys
from dataclasses import replace
from datetime import UTC, datetime

import pytest

from mediacrawl.base.terms import Drop, Limit, Trouble
from mediacrawl.frontier.sqlite.reader import FrontierOverview
from mediacrawl.log.messages import LIMITS, MEANINGS, TROUBLES
from mediacrawl.log.request_log import RequestLine, RequestLog
from mediacrawl.programs.report.page import report_page
from mediacrawl.store.figures import CatalogueFigures
from mediacrawl.watch.adapter_counts import AdapterCounts
from mediacrawl.watch.facts import Sources, make_report, totals_of
from mediacrawl.watch.log_digest import LogDigest, Visit, digest
from mediacrawl.watch.status import CrawlStatus, HistoryFile, Sample, estimate, process_start, sample_interval, samples

NOW = 1_790_000_000.0


def at(seconds):
    return datetime.fromtimestamp(seconds, UTC)


def sample(time, ended, waiting, began=NOW, requests=0):
    return Sample(NOW + time, began, requests, 0, 0, 0, 0, ended, waiting, 0, 0, 0)


def status(**fields):
    known = {"written": NOW, "began": NOW - 60, "first_began": NOW - 60, "pid": os.getpid(), "requests": 7}
    return CrawlStatus(**{**known, **fields})


def test_every_drop_trouble_and_limit_is_explained_by_a_sentence():
    assert set(map(str, Drop)) <= set(MEANINGS)
    assert set(map(str, Trouble)) == set(TROUBLES)
    assert set(map(str, Limit)) == set(LIMITS)
    assert all(text.endswith(".") for text in [*MEANINGS.values(), *TROUBLES.values(), *LIMITS.values()])


def test_what_becomes_less_gives_an_estimate_and_what_grows_a_lower_bound():
    falling = estimate([sample(0, 0, 1000), sample(100, 200, 900)])
    assert (falling.seconds, falling.at_least) == (900.0, False)
    growing = estimate([sample(0, 0, 1000), sample(100, 200, 1200)])
    assert (growing.seconds, growing.at_least) == (600.0, True)
    assert growing.sentence == "at least 10 min 00 s: what waits grows"


def test_only_the_last_half_hour_of_this_process_counts():
    old = [sample(place * 600, place, 5_000 + place, began=NOW - 1) for place in range(20)]
    now = [sample(12_000 + place * 60, 100 * place, 1000 - 10 * place, began=NOW + 12_000) for place in range(10)]
    assert estimate([*old, *now]).seconds == 910 * 540 / 90


def test_too_little_to_tell_and_nothing_left():
    assert estimate([]).seconds is None
    assert estimate([sample(0, 0, 10), sample(1, 1, 9)]).seconds is None
    assert estimate([sample(0, 0, 10), sample(60, 10, 0)]).seconds == 0.0


def test_a_crawl_runs_has_ended_or_was_killed():
    assert make_report(Sources([status()], now=NOW + 3)).state == "running"
    assert make_report(Sources([status(reason="finished")], now=NOW + 3)).state == "ended"
    assert make_report(Sources([status(pid=0)], now=NOW + 60)).state == "killed"
    assert make_report(Sources([status(pid=2**22 + 1)], now=NOW + 3)).state == "killed"
    assert make_report(Sources(now=NOW)).state == "unknown"


@pytest.fixture
def process():
    with subprocess.Popen([sys.executable, "-S", "-c", "import time; time.sleep(600)"]) as started:
        yield started
        started.kill()


def test_a_process_that_lives_and_stands_still_is_not_killed(process):
    began = process_start(process.pid)
    assert began.isdigit()
    process.send_signal(signal.SIGSTOP)
    stopped = status(pid=process.pid, pid_began=began)
    assert stopped.state(NOW + 3) == "running"
    assert stopped.state(NOW + 60) == "not responding"
    report = make_report(Sources([stopped], now=NOW + 60))
    assert report.state == "not responding"
    assert "not responding since" in report_page(report)
    # The number was given to another process.
    assert status(pid=process.pid, pid_began="1").state(NOW + 60) == "killed"
    process.kill()
    process.wait()
    assert process_start(process.pid) == ""
    assert stopped.state(NOW + 3) == stopped.state(NOW + 60) == "killed"


def test_one_worker_that_runs_is_enough_and_one_that_stands_still_is_named(process):
    began = process_start(process.pid)
    still, killed = status(pid=process.pid, pid_began=began), status(pid=2**22 + 1, written=NOW + 1)
    ended = status(reason="finished", written=NOW + 2)
    assert make_report(Sources([still, killed, ended], now=NOW + 60)).state == "not responding"
    assert make_report(Sources([still, killed, status(written=NOW + 59)], now=NOW + 60)).state == "running"
    assert make_report(Sources([killed, ended], now=NOW + 60)).state == "ended"


def test_a_pause_between_two_runs_is_a_break_in_the_curve_and_time_without_bars():
    runs = [[sample(start + n, 10 * n, 5, began=NOW + start, requests=n) for n in range(30)] for start in (0, 300)]
    report = make_report(Sources([status()], [[*runs[0], *runs[1]]], now=NOW))
    assert [time - NOW for time, done, _ in report.curve if done is None] == [29 + 271 / 2]
    assert max(row[1] for row in report.minutes) < 2
    # Bars have the place and the width of their time: the first run is the first tenth of the axis.
    bars = re.search(r'<path class="bars three" d="([^"]*)"', report_page(report))[1]
    lefts = [float(left) for left in re.findall(r"M([0-9.]+) ", bars)]
    assert len(lefts) > 30
    assert all(left < 100 or left > 900 for left in lefts)


def test_the_bars_of_several_processes_add_up_to_what_they_counted():
    workers = [[sample(start + 10 * n, n, 5, requests=3 * n) for n in range(50)] for start in (0, 7)]
    rows = make_report(Sources([status()], workers, now=NOW)).minutes
    assert sum(row[2] for row in rows) == 2 * 3 * 49
    assert rows[0][0] == NOW
    assert rows[-1][0] + rows[-1][1] == pytest.approx(NOW + 497)
    assert len({round(row[1], 6) for row in rows}) == 1
    # A state that began again at zero is no negative number.
    again = [sample(0, 0, 0, requests=9), sample(1, 0, 0, requests=2)]
    assert [row[2] for row in make_report(Sources([status()], [again], now=NOW)).minutes] == [0]


def test_the_axes_of_an_empty_crawl_have_no_numbers():
    samples = [sample(n, 0, 0) for n in range(30)]
    text = report_page(make_report(Sources([status()], [samples], now=NOW)))
    assert "URLs done and waiting" in text
    assert "0.0" not in text
    assert "<svg" not in text


def test_lines_before_and_after_the_crawl_are_of_others(tmp_path):
    with RequestLog(tmp_path) as log:
        for time in (-100, 0.5, 1, 50):
            log.write(RequestLine(NOW + time, "http://a.example/", 200, duration=0.1, site="a.example"))
    assert digest([tmp_path]).requests == 4
    assert digest([tmp_path], since=NOW).requests == 3
    assert digest([tmp_path], since=NOW, until=NOW + 2).requests == 2


def test_each_number_is_that_of_the_source_that_a_kill_leaves_whole():
    log = LogDigest()
    answers = [
        (200, "page", ""),
        (404, "page", ""),
        (404, "robots", ""),
        (0, "robots", "ConnectError"),
        (503, "media", ""),
    ]
    for number, (code, kind, error) in enumerate(answers):
        log.add(
            Visit(at(NOW + 60 * number), "http://a.example/", code, 0.1, 10, "a.example", 15.0, kind, "", error), 15.0
        )
    found = CatalogueFigures(records=3, media_sites=2, formats={"audio/mpeg": 3}, media_bytes_total=50)
    overview = FrontierOverview(seen=20, waiting=6, leased=1, sites={}, ends={}, first_due=None, bytes=1, again=2)
    late = status(requests=4, records=2, known=18, done=12, waiting=6, shelved=2, formats={"audio/mpeg": 2})
    killed = replace(late, pid=2**22 + 1)
    totals = totals_of(Sources([killed], log=log, found=found, overview=overview, now=NOW))
    assert (totals.requests, totals.bytes, totals.records, totals.formats) == (5, 50, 3, {"audio/mpeg": 3})
    assert totals.failures == {"404": 1, "ConnectError": 1, "503": 1}
    assert (totals.known, totals.done, totals.waiting, totals.shelved) == (20, 13, 5, 2)
    # Without a log and a catalogue the states are all there is; while it runs they are the newest.
    bare = totals_of(Sources([late], overview=overview, now=NOW))
    assert (bare.requests, bare.records, bare.known, bare.done) == (4, 2, 18, 12)


def test_the_site_adapters_of_all_workers_are_listed_once():
    counts = AdapterCounts("d", tried=5, hit=4, missed=1, example="http://a.example/<1>", why="answer 1: it is no JSON")
    off = replace(counts, tried=9, missed=5, off=True)
    told = [{"a": counts, "b": counts}, {"a": off, "c": replace(counts, tried=0)}]
    statuses = [status(adapters={name: each.dump().decode() for name, each in some.items()}) for some in told]
    report = make_report(Sources(statuses, now=NOW))
    assert [(each["name"], each["tried"], each["missed"], each["off"]) for each in report.adapters] == [
        ("a", 9, 5, True),
        ("b", 5, 1, False),
    ]
    text = report_page(report)
    assert "switched off" in text
    assert "http://a.example/&lt;1&gt;" in text
    assert "Site adapters" not in report_page(make_report(Sources(now=NOW)))
    broken = make_report(Sources([status(adapters={"x": "[", "y": "null"})], now=NOW))
    assert broken.adapters == []


def test_workers_are_added_up_and_share_their_frontier():
    report = make_report(
        Sources(
            [status(waiting=50, drops={"robots": 2}), status(written=NOW + 1, waiting=40, drops={"robots": 1})], now=NOW
        )
    )
    assert (report.requests, report.waiting, report.processes) == (14, 40, 2)
    assert [(each.name, each.count) for each in report.named] == [("robots", 3)]
    assert report.named[0].meaning == MEANINGS["robots"]


def test_the_log_is_believed_before_the_state_and_hosts_are_those_with_most_requests():
    log = LogDigest()
    for place in range(600):
        name = f"{place}.example"
        for visit in range(2 if place < 10 else 1):
            log.add(Visit(at(NOW + 60 * visit), f"http://{name}/", 200, 0.1, 10, name, 15.0, "page", "", ""), 15.0)
    report = make_report(Sources([status()], log=log, now=NOW))
    assert (report.requests, report.sites_asked, len(report.hosts)) == (610, 600, 250)
    assert {host["requests"] for host in report.hosts[:10]} == {2}
    assert report.politeness.judged == 10
    assert report.politeness.least == 3.95


def test_samples_survive_a_torn_line(tmp_path):
    history = HistoryFile(tmp_path)
    history.append(sample(0, 1, 2))
    with (tmp_path / "history.jl").open("ab") as file:
        file.write(b"\n[1, 2")
    history.append(sample(1, 2, 3))
    assert list(samples(tmp_path)) == [sample(0, 1, 2), sample(1, 2, 3)]


def test_a_month_of_samples_has_a_few_megabytes():
    elapsed = lines = 0
    while elapsed < 31 * 86_400:
        elapsed += sample_interval(elapsed)
        lines += 1
    assert lines < 46_000


def test_any_text_is_in_the_state_and_a_state_that_somebody_spoiled_is_none(tmp_path):
    status(finds=[(NOW, "half \ud83d a character", "http://a.example/", "a.example")]).save(tmp_path)
    assert CrawlStatus.load(tmp_path).finds[0][1] == "half \ufffd a character"
    # One of an earlier version.
    (tmp_path / "status.json").write_text('{"written": 5, "drops": {"robots": 1}, "gone": [1]}')
    assert CrawlStatus.load(tmp_path).drops == {"robots": 1}
    for text in ("", "[]", "{}", '{"written": null}', '{"written": 5, "finds": [1, [2]]}', "\xff"):
        (tmp_path / "status.json").write_text(text)
        assert CrawlStatus.load(tmp_path) is None
