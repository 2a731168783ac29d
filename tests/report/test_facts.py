"""The facts of a report, from what a crawl leaves."""

import os
from dataclasses import replace

from mediacrawl.observe.meanings import LIMITS, MEANINGS, TROUBLES
from mediacrawl.observe.status import CrawlStatus, HistoryFile, Sample, sample_interval, samples
from mediacrawl.records import Drop, Limit, Trouble
from mediacrawl.report import LogDigest, Sources, make_report
from mediacrawl.report.adapters import adapters_section
from mediacrawl.report.estimate import estimate
from mediacrawl.report.log_digest import Visit
from mediacrawl.site_adapters.counts import AdapterCounts

NOW = 1_790_000_000.0


def sample(time, ended, waiting, began=NOW):
    return Sample(NOW + time, began, 0, 0, 0, 0, 0, ended, waiting, 0, 0, 0)


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


def test_the_site_adapters_of_all_workers_are_listed_once():
    counts = AdapterCounts("d", tried=5, hit=4, missed=1, example="http://a.example/<1>", why="answer 1: it is no JSON")
    off = replace(counts, tried=9, missed=5, off=True)
    told = [{"a": counts, "b": counts}, {"a": off, "c": replace(counts, tried=0)}]
    statuses = [status(adapters={name: each.dump().decode() for name, each in some.items()}) for some in told]
    report = make_report(Sources(statuses, now=NOW))
    assert [(each.name, each.tried, each.missed, each.off) for each in report.adapters] == [
        ("a", 9, 5, True),
        ("b", 5, 1, False),
    ]
    section = adapters_section(report.adapters)
    assert "switched off" in section
    assert "http://a.example/&lt;1&gt;" in section
    assert adapters_section([]) == ""
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
            log.add(Visit(NOW + 60 * visit, f"http://{name}/", 200, 0.1, 10, name, 15.0, "page", "", ""), 15.0)
    report = make_report(Sources([status()], log=log, now=NOW))
    assert (report.requests, report.sites_asked, len(report.hosts)) == (610, 600, 250)
    assert {host.requests for host in report.hosts[:10]} == {2}
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


def test_a_state_that_somebody_spoiled_is_read_as_far_as_it_makes_sense(tmp_path):
    (tmp_path / "status.json").write_text(
        '{"written": 5, "drops": {"robots": 1, "x": []}, "finds": [1, [2]], "pid": "no"}'
    )
    found = CrawlStatus.load(tmp_path)
    assert (found.written, found.drops, found.finds, found.pid) == (5.0, {"robots": 1}, [], 0)
    for text in ("", "[]", '{"written": null}', "\xff"):
        (tmp_path / "status.json").write_text(text)
        assert CrawlStatus.load(tmp_path) is None
