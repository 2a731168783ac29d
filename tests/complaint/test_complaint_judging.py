"""The judge: each promise has a log that keeps it and one that breaks it."""

from datetime import UTC, datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mediacrawl.complaint import BreachKind, ConductPolicy, judge
from mediacrawl.complaint.lines import RobotsHistory, logged_request, logged_robots
from mediacrawl.observe.unfinished import UNFINISHED
from mediacrawl.scope.exclusions import NeverCrawl

NOON = datetime(2026, 8, 1, 12, tzinfo=UTC).timestamp()
HOUR, DAY = 3600.0, 86_400.0
HOME = "https://a.example"
LONG_AGO = NOON - 20 * DAY


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


def faults(lines, robots=(FREE,), begins=LONG_AGO, **promises):
    judgement = judge(lines, RobotsHistory(robots, "mediacrawl"), ConductPolicy(**promises), begins)
    assert judgement.behaved is (not judgement.breaches)
    return [breach.fault for breach in judgement.breaches]


# -- delays --------------------------------------------------------------------------------------------------------


def test_the_delay_counts_from_the_end_of_the_answer():
    assert faults([asked(0), asked(15.5)]) == []
    assert faults([asked(0), asked(15.2)]) == [BreachKind.TOO_SOON]
    assert faults([asked(0, duration=10.0), asked(20.0)]) == [BreachKind.TOO_SOON]


def test_milliseconds_that_were_cut_off_are_no_breach():
    assert faults([asked(0, duration=0.5), asked(15.499)]) == []
    assert faults([asked(0, duration=0.5), asked(15.497)]) == [BreachKind.TOO_SOON]


def test_the_delay_that_the_crawl_owed_is_held_against_it():
    assert faults([asked(0), asked(60.5, delay=60.0)]) == []
    judgement = judge(
        [asked(0), asked(40.5, delay=60.0)], RobotsHistory([FREE], "mediacrawl"), ConductPolicy(), LONG_AGO
    )
    (breach,) = judgement.breaches
    assert (breach.fault, breach.owed, round(breach.kept, 3)) == (BreachKind.TOO_SOON, 60.0, 40.0)
    assert breach.before.time == NOON


def test_two_requests_at_once_are_told_once():
    assert faults([asked(0, duration=30.0), asked(10.0)]) == [BreachKind.AT_ONCE]
    assert faults([asked(0, duration=90.0), asked(10.0), asked(40.0)]) == [BreachKind.AT_ONCE, BreachKind.AT_ONCE]


def test_of_a_request_that_a_kill_ended_only_its_beginning_counts():
    killed = asked(0, status=None, duration=0.0, error=UNFINISHED)
    assert killed.sent
    assert faults([killed, asked(15.0)]) == []
    assert faults([killed, asked(14.0)]) == [BreachKind.TOO_SOON]
    assert faults([asked(-10.0), killed]) == [BreachKind.TOO_SOON]


def test_a_url_that_we_refused_to_ask_is_no_request():
    refused = asked(5.0, status=None, duration=None, drop="robots", error="RefusedRequest")
    assert not refused.sent
    assert faults([asked(0), refused, asked(16.0)]) == []


def test_a_request_without_an_answer_counts_with_the_time_until_it_failed():
    failed = asked(0, status=None, duration=30.0, error="TimeoutError")
    assert failed.sent
    assert faults([failed, asked(31.0)]) == [BreachKind.TOO_SOON]
    assert faults([failed, asked(46.0)]) == []


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


# -- what the site asked for ---------------------------------------------------------------------------------------


def test_a_crawl_delay_counts_from_the_fetch_that_brought_it():
    robots = [fetched(0.5, "User-agent: *\nCrawl-delay: 40")]
    first = asked(0, "/robots.txt", kind="robots")
    assert faults([first, asked(41.0)], robots) == []
    assert faults([first, asked(30.0)], robots) == [BreachKind.CRAWL_DELAY]
    assert faults([first, asked(41.0), asked(60.0)], robots) == [BreachKind.CRAWL_DELAY]


def test_the_crawl_delay_of_one_host_does_not_bind_the_others_of_its_site():
    robots = [fetched(-60, "User-agent: *\nCrawl-delay: 40"), fetched(-30, authority="https://b.a.example")]
    lines = [asked(0), asked(20, url="https://b.a.example/"), asked(41)]
    assert faults(lines, robots) == []
    assert faults([*lines[:2], asked(36)], robots) == [BreachKind.CRAWL_DELAY]


def test_retry_after_is_kept_by_all_hosts_of_the_site_in_seconds_and_as_a_date():
    busy = asked(0, status=429, retry_after="120")
    other = {"url": "https://b.a.example/robots.txt"}
    assert faults([busy, asked(120.5, **other)]) == []
    assert faults([busy, asked(100.0, **other)]) == [BreachKind.RETRY_AFTER]
    until = asked(0, status=503, retry_after="Sat, 01 Aug 2026 12:10:00 GMT")
    assert faults([until, asked(600.5)]) == []
    assert faults([until, asked(599.0), asked(700.0)]) == [BreachKind.RETRY_AFTER]
    assert faults([asked(0, status=503, retry_after="10\n90"), asked(50.0)]) == [BreachKind.RETRY_AFTER]


def test_retry_after_of_another_answer_and_one_that_is_no_time_ask_for_nothing():
    assert faults([asked(0, status=301, retry_after="120"), asked(20)]) == []
    assert faults([asked(0, status=429, retry_after="\x1b[31msoon"), asked(20)]) == []


# -- robots.txt ----------------------------------------------------------------------------------------------------

PRIVATE = "User-agent: mediacrawl\nDisallow: /private/\n"


def test_a_url_that_robots_txt_forbade_at_that_time_is_a_breach_and_names_the_rule():
    robots = RobotsHistory([fetched(-60), fetched(100.0, PRIVATE)], "mediacrawl")
    before, after, free = asked(50, "/private/x"), asked(150, "/private/x"), asked(200)
    judgement = judge([before, after, free], robots, ConductPolicy(), LONG_AGO)
    (breach,) = judgement.breaches
    assert (breach.fault, breach.line, breach.rule) == (BreachKind.ROBOTS, after, "Disallow: /private/")
    assert judgement.rules == {before: "", after: "Disallow: /private/", free: ""}


def test_the_robots_txt_itself_may_be_asked_whatever_it_says():
    robots = [fetched(-60, "User-agent: *\nDisallow: /")]
    assert faults([asked(0, "/robots.txt", kind="robots")], robots) == []
    assert faults([asked(0, "/robots.txt")], robots) == []
    assert faults([asked(0, "/a/robots.txt")], robots) == [BreachKind.ROBOTS]


def test_each_authority_has_its_own_file_also_when_it_was_redirected():
    robots = [fetched(-60, PRIVATE, url="https://www.a.example/robots.txt")]
    assert faults([asked(0, "/private/")], robots) == [BreachKind.ROBOTS]
    assert faults([asked(0, url="https://www.a.example/private/")], robots) == [BreachKind.ROBOTS_UNKNOWN]


@pytest.mark.parametrize("status", [404, 401, 410])
def test_where_there_is_no_robots_txt_everything_is_allowed(status):
    assert faults([asked(0, "/private/")], [fetched(-DAY / 2, PRIVATE), fetched(-60, "", status)]) == []


@pytest.mark.parametrize("status", [None, 429, 500, 503])
def test_a_robots_txt_that_was_not_to_be_had_forbids_everything_but_an_older_copy_counts(status):
    assert faults([asked(0)], [fetched(-60, "", status)]) == [BreachKind.ROBOTS]
    copy = fetched(-3 * DAY, PRIVATE)
    assert faults([asked(0)], [copy, fetched(-60, "", status)]) == []
    assert faults([asked(0, "/private/")], [copy, fetched(-60, "", status)]) == [BreachKind.ROBOTS]


def test_a_robots_txt_counts_for_a_day_and_an_unchanged_one_for_another():
    assert faults([asked(0)], [fetched(-DAY - 30)]) == []
    assert faults([asked(0)], [fetched(-DAY - 90)]) == [BreachKind.ROBOTS_OLD]
    again = [fetched(-DAY - 90, PRIVATE), fetched(-90, "", 304)]
    assert faults([asked(0)], again) == []
    assert faults([asked(0, "/private/")], again) == [BreachKind.ROBOTS]


def test_a_copy_counts_on_while_the_file_is_tried_for_and_not_to_be_had():
    copy, redirected = fetched(-DAY - 90, PRIVATE), asked(-30, "/robots.txt", status=301, kind="robots")
    robots = RobotsHistory([copy], "mediacrawl", [redirected])
    assert judge([asked(0)], robots, ConductPolicy(), LONG_AGO).behaved
    (breach,) = judge([asked(0, "/private/")], robots, ConductPolicy(), LONG_AGO).breaches
    assert breach.fault is BreachKind.ROBOTS


@pytest.mark.parametrize("status", [304, 503])
def test_a_copy_whose_day_is_deleted_is_judged_by_what_later_lines_say_of_it(status):
    robots = [fetched(-60, PRIVATE, status)]
    assert faults([asked(0)], robots) == []
    assert faults([asked(0, "/private/")], robots) == [BreachKind.ROBOTS]


def test_a_copy_that_no_line_tells_of_any_more_proves_nothing_and_is_no_breach():
    for robots in ([fetched(-60, "", 304)], [fetched(-DAY, "", 304), fetched(-60, "", 503)]):
        judgement = judge([asked(0)], RobotsHistory(robots, "mediacrawl"), ConductPolicy(), LONG_AGO)
        assert (judgement.behaved, len(judgement.unproven)) == (True, 1)


@pytest.mark.parametrize(
    ("text", "delay", "after"), [("User-agent: *\nCrawl-delay: 172800", 172_800.0, 50), ("", 46_000.0, 20)]
)
def test_a_site_that_is_left_alone_for_longer_than_a_copy_counts_gets_a_page_by_each(text, delay, after):
    first = asked(0, "/robots.txt", kind="robots")
    assert faults([first, asked(after * HOUR, delay=delay)], [fetched(0.5, text)], robots_age=DAY / 2) == []
    assert faults([first, asked(100 * HOUR, delay=delay)], [fetched(0.5, text)], robots_age=DAY / 2) == [
        BreachKind.ROBOTS_OLD
    ]


def test_a_redirect_of_a_robots_txt_says_nothing_by_itself():
    assert faults([asked(0, "/private/")], [fetched(-90, PRIVATE), fetched(-60, "", 301)]) == [BreachKind.ROBOTS]


def test_what_came_before_the_log_cannot_be_proved_and_is_no_breach():
    judgement = judge([asked(0)], RobotsHistory([], "mediacrawl"), ConductPolicy(), NOON - HOUR)
    assert judgement.behaved
    assert len(judgement.unproven) == 1
    assert faults([asked(0)], [], begins=NOON - 2 * DAY) == [BreachKind.ROBOTS_UNKNOWN]


def test_a_robots_txt_that_is_no_utf_8_is_judged_by_its_bytes():
    text = "User-agent: *\nDisallow: /m\xfcsik\n"
    line = fetched(-60, text, encoding="latin-1")
    assert line.body == text.encode("latin-1")
    assert faults([asked(0, "/m%FCsik")], [line]) == [BreachKind.ROBOTS]


# -- NeverCrawl ----------------------------------------------------------------------------------------------------


def test_after_the_day_of_its_entry_a_listed_domain_must_not_be_asked():
    never = NeverCrawl.of("a.example  # asked by mail, 2026-07-31")
    assert faults([asked(0)], listed=never.match_url) == [BreachKind.NEVERCRAWL]
    today = NeverCrawl.of("a.example  # asked by mail, 2026-08-01")
    assert faults([asked(0)], listed=today.match_url) == []
    assert faults([asked(0)], listed=NeverCrawl.of("a.example  # long ago").match_url) == []
    assert faults([asked(0)], listed=NeverCrawl.of("b.example  # 2026-07-31").match_url) == []


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
