"""The judge: each promise has a log that keeps it and one that breaks it."""

from datetime import UTC, datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mediacrawl.log.request_log import UNFINISHED
from mediacrawl.programs.complaint import ConductPolicy
from mediacrawl.programs.complaint.judging import BreachKind, judge
from mediacrawl.programs.complaint.lines import RobotsHistory, logged_request, logged_robots
from mediacrawl.scope.exclusions import NeverCrawl

NOON = datetime(2026, 8, 1, 12, tzinfo=UTC).timestamp()
HOUR, DAY = 3600.0, 86_400.0
HOME, OTHER = "https://a.example", "https://b.a.example"
LONG_AGO = NOON - 20 * DAY
PRIVATE = "User-agent: mediacrawl\nDisallow: /private/\n"
SLOW = "User-agent: *\nCrawl-delay: 40"


def stamp(after):
    return datetime.fromtimestamp(NOON + after, UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")


def asked(after, path="/", **fields):
    """A request `after` seconds after noon that took half a second."""
    line = {"time": stamp(after), "url": f"{HOME}{path}", "status": 200, "duration": 0.5, "address": None, **fields}
    return logged_request(line)


def fetched(after, text="", status=200, authority=HOME, **fields):
    line = {"time": stamp(after), "url": f"{authority}/robots.txt", "authority": authority, "status": status}
    return logged_robots({**line, "text": text, "bytes": len(text), **fields})


FREE = fetched(-60.0)


def judged(lines, robots=(FREE,), begins=LONG_AGO, requests=(), **promises):
    history = RobotsHistory(robots, "mediacrawl", requests)
    judgement = judge(lines, history, ConductPolicy(**promises), begins)
    assert judgement.behaved is (not judgement.breaches)
    return judgement


def faults(lines, robots=(FREE,), begins=LONG_AGO, **promises):
    return [breach.fault.value for breach in judged(lines, robots, begins, **promises).breaches]


# -- delays --------------------------------------------------------------------------------------------------------

KILLED = asked(0, status=None, duration=0.0, error=UNFINISHED)
FAILED = asked(0, status=None, duration=30.0, error="TimeoutError")
REFUSED = asked(5.0, status=None, duration=None, drop="robots", error="RefusedRequest")
BUSY = asked(0, status=429, retry_after="120")
UNTIL = asked(0, status=503, retry_after="Sat, 01 Aug 2026 12:10:00 GMT")

GAPS = {
    "counts from the end of the answer": ([asked(0), asked(15.5)], []),
    "too soon": ([asked(0), asked(15.2)], ["too_soon"]),
    "too soon after a slow answer": ([asked(0, duration=10.0), asked(20.0)], ["too_soon"]),
    "milliseconds that were cut off": ([asked(0), asked(15.499)], []),
    "more than those": ([asked(0), asked(15.497)], ["too_soon"]),
    "what the crawl owed": ([asked(0), asked(60.5, delay=60.0)], []),
    "two at once": ([asked(0, duration=30.0), asked(10.0)], ["at_once"]),
    "three at once": ([asked(0, duration=90.0), asked(10.0), asked(40.0)], ["at_once"] * 2),
    "killed: its beginning counts": ([KILLED, asked(15.0)], []),
    "killed, and too soon after it": ([KILLED, asked(14.0)], ["too_soon"]),
    "killed, and too soon itself": ([asked(-10.0), KILLED], ["too_soon"]),
    "a refused URL is no request": ([asked(0), REFUSED, asked(16.0)], []),
    "without an answer until it failed": ([FAILED, asked(46.0)], []),
    "too soon after a failure": ([FAILED, asked(31.0)], ["too_soon"]),
    "Retry-After of all hosts": ([BUSY, asked(120.5, url=f"{OTHER}/robots.txt")], []),
    "too early for it": ([BUSY, asked(100.0, url=f"{OTHER}/robots.txt")], ["retry_after"]),
    "Retry-After as a date": ([UNTIL, asked(600.5)], []),
    "before the date": ([UNTIL, asked(599.0), asked(700.0)], ["retry_after"]),
    "two of them": ([asked(0, status=503, retry_after="10\n90"), asked(50.0)], ["retry_after"]),
    "of another answer": ([asked(0, status=301, retry_after="120"), asked(20)], []),
    "no time": ([asked(0, status=429, retry_after="\x1b[31msoon"), asked(20)], []),
}


@pytest.mark.parametrize("name", GAPS)
def test_gaps(name):
    lines, expected = GAPS[name]
    assert faults(lines) == expected


def test_the_delay_that_the_crawl_owed_is_held_against_it():
    (breach,) = judged([asked(0), asked(40.5, delay=60.0)]).breaches
    assert (breach.fault, breach.owed, round(breach.kept, 3)) == (BreachKind.TOO_SOON, 60.0, 40.0)
    assert breach.before.time == NOON


@given(st.lists(st.tuples(st.floats(0, 20), st.floats(0, 40)), min_size=1, max_size=20))
def test_the_judge_finds_the_gaps_that_a_plain_loop_finds(visits):
    """Durations and gaps, one request after the other."""
    at, lines, expected = 0.0, [], 0
    for number, (duration, gap) in enumerate(visits):
        if number:
            at += round(gap, 3)
            expected += round(gap, 3) < 15.0 - 0.002
        lines.append(asked(at, duration=round(duration, 3)))
        at += round(duration, 3)
    close = any(abs(gap - 14.998) < 0.003 for _, gap in visits)
    assert len(faults(lines)) == expected or close


# -- robots.txt ----------------------------------------------------------------------------------------------------

HOSTS = [asked(0), asked(20, url=f"{OTHER}/"), asked(41)]
ROBOTS = {
    # The Crawl-delay of one host does not bind the others of its site.
    "another host": (HOSTS, [fetched(-60, SLOW), fetched(-30, authority=OTHER)], []),
    "the same host": ([*HOSTS[:2], asked(36)], [fetched(-60, SLOW), fetched(-30, authority=OTHER)], ["crawl_delay"]),
    # The robots.txt itself may be asked for, whatever it says.
    "itself": ([asked(0, "/robots.txt", kind="robots")], [fetched(-60, "User-agent: *\nDisallow: /")], []),
    "itself, by its URL": ([asked(0, "/robots.txt")], [fetched(-60, "User-agent: *\nDisallow: /")], []),
    "no robots.txt": ([asked(0, "/a/robots.txt")], [fetched(-60, "User-agent: *\nDisallow: /")], ["robots"]),
    # Each authority has its own file, also when it was redirected.
    "redirected": ([asked(0, "/private/")], [fetched(-60, PRIVATE, url=f"{OTHER}/robots.txt")], ["robots"]),
    "of the target": (
        [asked(0, url=f"{OTHER}/private/")],
        [fetched(-60, PRIVATE, url=f"{OTHER}/robots.txt")],
        ["robots_unknown"],
    ),
    "a hop says nothing": ([asked(0, "/private/")], [fetched(-90, PRIVATE), fetched(-60, "", 301)], ["robots"]),
    # It counts for a day, and an unchanged one for another.
    "a day": ([asked(0)], [fetched(-DAY - 30)], []),
    "more than a day": ([asked(0)], [fetched(-DAY - 90)], ["robots_old"]),
    "unchanged": ([asked(0)], [fetched(-DAY - 90, PRIVATE), fetched(-90, "", 304)], []),
    "unchanged rules": ([asked(0, "/private/")], [fetched(-DAY - 90, PRIVATE), fetched(-90, "", 304)], ["robots"]),
    # Judged by its bytes.
    "no UTF-8": (
        [asked(0, "/m%FCsik")],
        [fetched(-60, "User-agent: *\nDisallow: /m\xfcsik\n", encoding="latin-1")],
        ["robots"],
    ),
    **{
        f"none: {status}": ([asked(0, "/private/")], [fetched(-DAY / 2, PRIVATE), fetched(-60, "", status)], [])
        for status in (404, 401, 410)
    },
    # What cannot be had forbids everything, but an older copy counts.
    **{f"{status}": ([asked(0)], [fetched(-60, "", status)], ["robots"]) for status in (None, 429, 500, 503)},
    **{
        f"{status} and a copy": ([asked(0)], [fetched(-3 * DAY, PRIVATE), fetched(-60, "", status)], [])
        for status in (None, 429, 500, 503)
    },
    **{
        f"{status} and its rules": (
            [asked(0, "/private/")],
            [fetched(-3 * DAY, PRIVATE), fetched(-60, "", status)],
            ["robots"],
        )
        for status in (None, 429, 500, 503)
    },
    # A copy whose day is deleted is judged by what later lines have of it.
    **{f"kept at {status}": ([asked(0)], [fetched(-60, PRIVATE, status)], []) for status in (304, 503)},
    **{
        f"its rules at {status}": ([asked(0, "/private/")], [fetched(-60, PRIVATE, status)], ["robots"])
        for status in (304, 503)
    },
}


@pytest.mark.parametrize("name", ROBOTS)
def test_robots_txt(name):
    lines, robots, expected = ROBOTS[name]
    assert faults(lines, robots) == expected


def test_a_crawl_delay_counts_from_the_fetch_that_brought_it():
    robots, first = [fetched(0.5, SLOW)], asked(0, "/robots.txt", kind="robots")
    assert faults([first, asked(41.0)], robots) == []
    assert faults([first, asked(30.0)], robots) == ["crawl_delay"]
    assert faults([first, asked(41.0), asked(60.0)], robots) == ["crawl_delay"]


def test_a_url_that_robots_txt_forbade_at_that_time_is_a_breach_and_names_the_rule():
    before, after, free = asked(50, "/private/x"), asked(150, "/private/x"), asked(200)
    judgement = judged([before, after, free], [fetched(-60), fetched(100.0, PRIVATE)])
    (breach,) = judgement.breaches
    assert (breach.fault, breach.line, breach.rule) == (BreachKind.ROBOTS, after, "Disallow: /private/")
    assert judgement.rules == {before: "", after: "Disallow: /private/", free: ""}


def test_only_some_lines_are_reported_and_measured_from_all():
    lines = [asked(0), asked(10, "/private/x"), asked(30, "/private/y")]
    judgement = judge(lines, RobotsHistory([FREE], "mediacrawl"), ConductPolicy(), LONG_AGO, only=lines[1:2])
    assert [(breach.fault, breach.line) for breach in judgement.breaches] == [(BreachKind.TOO_SOON, lines[1])]
    assert judgement.gaps == {lines[1]: 9.5}
    assert list(judgement.rules) == [lines[1]]


def test_a_copy_counts_on_while_the_file_is_tried_for_and_not_to_be_had():
    copy, redirected = fetched(-DAY - 90, PRIVATE), asked(-30, "/robots.txt", status=301, kind="robots")
    assert judged([asked(0)], [copy], requests=[redirected]).behaved
    (breach,) = judged([asked(0, "/private/")], [copy], requests=[redirected]).breaches
    assert breach.fault is BreachKind.ROBOTS


@pytest.mark.parametrize(
    "robots", [[fetched(-60, "", 304)], [fetched(-DAY, "", 304), fetched(-60, "", 503)]], ids=["304", "304, 503"]
)
def test_a_copy_that_no_line_has_any_more_proves_nothing_and_is_no_breach(robots):
    judgement = judged([asked(0)], robots)
    assert (judgement.behaved, len(judgement.unproven)) == (True, 1)


@pytest.mark.parametrize(
    ("text", "delay", "after"), [("User-agent: *\nCrawl-delay: 172800", 172_800.0, 50), ("", 46_000.0, 20)]
)
def test_a_site_that_is_left_alone_for_longer_than_a_copy_counts_gets_a_page_by_each(text, delay, after):
    first, robots = asked(0, "/robots.txt", kind="robots"), [fetched(0.5, text)]
    assert faults([first, asked(after * HOUR, delay=delay)], robots, robots_age=DAY / 2) == []
    assert faults([first, asked(100 * HOUR, delay=delay)], robots, robots_age=DAY / 2) == ["robots_old"]


def test_what_came_before_the_log_cannot_be_proved_and_is_no_breach():
    judgement = judged([asked(0)], [], begins=NOON - HOUR)
    assert (judgement.behaved, len(judgement.unproven)) == (True, 1)
    assert faults([asked(0)], [], begins=NOON - 2 * DAY) == ["robots_unknown"]
    assert judge([asked(0)], RobotsHistory([], "mediacrawl", complete=False), ConductPolicy(), LONG_AGO).behaved


# -- NeverCrawl ----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("entry", "expected"),
    [
        ("a.example  # asked by mail, 2026-07-31", ["nevercrawl"]),
        ("a.example  # asked by mail, 2026-08-01", []),
        ("a.example  # long ago", []),
        ("b.example  # 2026-07-31", []),
    ],
)
def test_after_the_day_of_its_entry_a_listed_domain_must_not_be_asked(entry, expected):
    assert faults([asked(0)], listed=NeverCrawl.of(entry).match_url) == expected


# -- hostile lines -------------------------------------------------------------------------------------------------

anything = st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=20) | st.lists(st.integers())


@given(
    st.dictionaries(
        st.sampled_from(["status", "bytes", "duration", "delay", "kind", "drop", "retry_after", "location", "error"]),
        anything,
    ),
    st.text(max_size=30) | st.sampled_from(["https://[", "//", "https://a.example/\ud800"]),
)
def test_a_damaged_line_is_read_or_passed_over_and_never_raises(fields, url):
    line = logged_request({**fields, "time": stamp(0), "url": url})
    faults([line, asked(20, retry_after=str(fields.get("retry_after")), status=429), asked(30)])
    assert logged_request({**fields, "time": [fields.get("kind")], "url": url}) is None
    assert logged_robots({**fields, "time": stamp(0), "url": url, "text": fields.get("kind")}) is not None
