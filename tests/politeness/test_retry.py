"""What becomes of a URL whose visit failed."""

import pytest

from mediacrawl.politeness.retry import after_failure, after_status
from mediacrawl.records import Drop, End, Evidence, Kind, Lease, Trouble


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


def test_a_failure_is_given_up_by_its_name():
    assert after_failure(lease(2), 3, Drop.DOWNLOAD_ERROR).reason is Drop.DOWNLOAD_ERROR


def test_while_the_whole_site_fails_no_url_is_given_up():
    outcome = after_failure(lease(2, troubles=3), 3, Drop.DOWNLOAD_ERROR, Trouble.TIMEOUT)
    assert (outcome.end, outcome.blamed) == (End.AGAIN, False)


@pytest.mark.parametrize("status", [500, 502, 503, 520, 521, 523, 525, 526, 530])
def test_no_url_is_lost_because_its_server_or_the_one_behind_it_is_down(status):
    outcome = after_status(status, lease(2, troubles=3), 3)
    assert (outcome.end, outcome.blamed) == (End.AGAIN, False)


def test_what_fails_by_no_fault_of_its_site_is_given_up_also_while_the_site_fails():
    ends = [after_failure(lease(attempt, troubles=4), 3, Drop.DOWNLOAD_ERROR).end for attempt in range(3)]
    assert ends == [End.AGAIN, End.AGAIN, End.DROPPED]


def test_a_url_that_alone_fails_is_given_up():
    ends = [after_failure(lease(n, troubles=n), 3, Drop.DOWNLOAD_ERROR, Trouble.TIMEOUT).end for n in range(3)]
    assert ends == [End.AGAIN, End.AGAIN, End.DROPPED]


def test_probes_count_or_a_site_with_two_bad_urls_would_be_probed_for_ever():
    assert [after_failure(lease(n, troubles=n + 5), 3, Drop.DOWNLOAD_ERROR).end for n in range(3)] == [
        End.AGAIN,
        End.AGAIN,
        End.DROPPED,
    ]
    assert after_failure(lease(0, troubles=5), 3, Drop.DOWNLOAD_ERROR, Trouble.DNS).blamed


@pytest.mark.parametrize("trouble", [Trouble.DNS, Trouble.TLS])
def test_no_url_is_to_blame_for_the_name_or_the_certificate_of_its_site(trouble):
    assert after_failure(lease(2, troubles=2), 3, Drop.DOWNLOAD_ERROR, trouble).end is End.AGAIN
