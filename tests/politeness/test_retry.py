"""What becomes of a URL whose visit failed."""

from dataclasses import replace

import pytest

from mediacrawl.base.terms import Drop, End, Evidence, Kind, Lease, Outcome, Trouble
from mediacrawl.politeness.delay import (
    DAY,
    DOUBT,
    BackoffPolicy,
    Clocks,
    DelayPolicy,
    after_cut,
    after_failure,
    after_status,
    after_visit,
)


def lease(attempt, troubles=0):
    return Lease(1, "http://a.org/", "a.org", "c", Kind.PAGE, 0, 0, "", Evidence(), attempt, b"", 15.0, 0.0, troubles)


@pytest.mark.parametrize("status", [200, 204, 206])
def test_a_success_is_read(status):
    assert after_status(status, lease(0), 3) is None


@pytest.mark.parametrize("status", [408, 425, 429, 500, 503, 520, 523, 529])
def test_not_now_is_asked_again_until_the_attempts_are_used_up(status):
    assert [after_status(status, lease(attempt), 3).end for attempt in range(3)] == [End.AGAIN, End.AGAIN, End.DROPPED]


@pytest.mark.parametrize("status", [400, 403, 404, 410, 501])
def test_no_is_not_asked_again(status):
    outcome = after_status(status, lease(0), 3)
    assert (outcome.end, outcome.reason) == (End.DROPPED, Drop.HTTP_STATUS)


GIVEN_UP = [End.AGAIN, End.AGAIN, End.DROPPED]


@pytest.mark.parametrize(
    ("trouble", "standing"),
    [
        pytest.param(None, [4, 4, 4], id="by no fault of its site, also while the site fails"),
        pytest.param(None, [5, 6, 7], id="by probes, or a site with two bad URLs would be probed for ever"),
        pytest.param(Trouble.TIMEOUT, [0, 0, 0], id="while others of its site answer"),
    ],
)
def test_a_url_that_fails_is_given_up_after_its_attempts(trouble, standing):
    failures = [
        after_failure(lease(attempt, troubles=troubles), 3, Drop.DOWNLOAD_ERROR, trouble)
        for attempt, troubles in enumerate(standing)
    ]
    assert [failure.end for failure in failures] == GIVEN_UP
    assert failures[2].reason is Drop.DOWNLOAD_ERROR


def test_a_probe_counts_as_an_attempt():
    assert after_failure(lease(0, troubles=5), 3, Drop.DOWNLOAD_ERROR, Trouble.DNS).blamed


@pytest.mark.parametrize(("trouble", "troubles"), [(Trouble.TIMEOUT, 3), (Trouble.DNS, 2), (Trouble.TLS, 2)])
def test_no_url_is_to_blame_while_its_site_or_the_name_or_certificate_of_it_fails(trouble, troubles):
    outcome = after_failure(lease(2, troubles=troubles), 3, Drop.DOWNLOAD_ERROR, trouble)
    assert (outcome.end, outcome.blamed) == (End.AGAIN, False)


@pytest.mark.parametrize("status", [500, 502, 503, 520, 521, 523, 525, 526, 530])
def test_no_url_is_lost_because_its_server_or_the_one_behind_it_is_down(status):
    outcome = after_status(status, lease(2, troubles=3), 3)
    assert (outcome.end, outcome.blamed) == (End.AGAIN, False)


def asked_alone(up, attempts=3):
    """Ask for the only URL of a site as the frontier would; answers when, and how each visit ended.

    Args:
        up: tells of a time, in seconds from the first visit, whether the site answers.
        attempts: visits that a URL gets.
    """
    policy = DelayPolicy(backoff=BackoffPolicy(jitter=0.0))
    clocks, attempt, found = Clocks(samples=(0.01,) * 5), 0, []
    while not found or found[-1][1] is End.AGAIN:
        now = clocks.release
        if up(now):
            outcome = Outcome(End.DONE, response_time=0.01)
        else:
            trouble = Trouble.CONNECTION
            asked = lease(attempt, clocks.standing.row)
            outcome = after_failure(asked, attempts, Drop.DOWNLOAD_ERROR, trouble)
            outcome = replace(outcome, trouble=trouble)
        attempt += outcome.blamed
        clocks = after_visit(clocks, outcome, now, policy)
        found.append((now, outcome.end))
    return found


@pytest.mark.parametrize("hours", [0.001, 0.1, 1, 8, 12])
def test_no_url_is_given_up_because_its_server_was_down_for_a_night(hours):
    visits = asked_alone(lambda now: now >= hours * 3600)
    assert visits[-1][1] is End.DONE
    assert visits[-1][0] < hours * 3600 + DAY


def test_a_url_that_waits_alone_and_always_fails_is_given_up_by_probes():
    visits = asked_alone(lambda _: False)
    assert visits[-1][1] is End.DROPPED
    assert len(visits) == DOUBT + 2
    assert visits[-1][0] > DAY / 2


def test_what_broke_off_is_asked_again_whatever_happens_to_the_site_and_is_done_at_last():
    ends = [after_cut(lease(attempt, troubles=attempt % 2 * 3), 3) for attempt in range(3)]
    assert [(outcome.end, outcome.blamed) for outcome in ends] == [
        (End.AGAIN, True),
        (End.AGAIN, True),
        (End.DONE, True),
    ]
    assert after_cut(lease(0), 1).end is End.DONE
