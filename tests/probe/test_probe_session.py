"""A probe over several visits: what it makes of servers that keep no promise."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mediacrawl.demo import grow_mp3, media_bytes
from mediacrawl.probe import ProbePolicy
from mediacrawl.probe.session import Session

POLICY = ProbePolicy()
SONG = grow_mp3(media_bytes("nachtzug.mp3"), 100)
SIZE = str(len(SONG))
HEAD = SONG[: POLICY.head_bytes]
HEAD_RANGE = f"bytes 0-{len(HEAD) - 1}/{SIZE}"


@pytest.fixture
def session():
    return Session.load(b"", POLICY)


def status_of(session):
    assert session.probe.finished
    return session.probe.result().status


def again(session):
    return Session.load(session.dump(), POLICY)


def test_ranges_that_are_given_are_read_over_a_restart_until_the_file_is_known(session):
    session.take(206, HEAD_RANGE, "", HEAD, ranged=True)
    session = again(session)
    start, stop = session.probe.next_range()
    session.take(206, f"bytes {start}-{stop - 1}/{SIZE}", "", SONG[start:stop], ranged=True)
    assert status_of(session) == "complete"
    assert session.first.ranges is True


def test_a_server_that_ignores_a_range_is_not_asked_for_another(session):
    session.take(200, "", SIZE, HEAD, ranged=True)
    assert status_of(session) == "partial"
    assert session.first.ranges is False
    assert session.probe.size == len(SONG)


def test_a_small_file_from_a_server_that_ignores_ranges_is_complete(session):
    small = media_bytes("nachtzug.mp3")[:12_000]
    session.take(200, "", str(len(small)), small, ranged=True)
    assert status_of(session) == "complete"


def test_a_file_that_was_first_asked_for_as_a_page_is_then_asked_for_ranges(session):
    session.take(200, "", SIZE, HEAD, ranged=False)
    assert session.probe.next_range() is not None
    assert session.first.ranges is None


def test_a_whole_answer_to_if_range_does_not_say_that_there_are_no_ranges(session):
    session.first.etag = '"one"'
    session.take(200, "", SIZE, HEAD, ranged=False)
    session.take(200, "", str(len(SONG) + 1), HEAD, ranged=True)
    assert status_of(session) == "partial"
    assert session.first.ranges is None


@pytest.mark.parametrize("place", ["", "bytes */300", "bytes 9-1/x", "items 0-1/2", f"bytes 0-1/{'9' * 5000}"])
def test_a_part_that_does_not_say_which_is_read_as_the_head_and_nothing_after_it(session, place):
    session.take(206, place, "", HEAD, ranged=True)
    assert status_of(session) == "partial"
    assert session.probe.head == HEAD


def test_a_later_part_that_does_not_say_which_is_not_put_anywhere(session):
    session.take(206, HEAD_RANGE, "", HEAD, ranged=True)
    session.take(206, "", "", b"\xff" * 100, ranged=True)
    assert status_of(session) == "partial"
    assert session.probe.bytes_fetched == len(HEAD)


@pytest.mark.parametrize("status", [302, 404, 416, 429, 500, 799])
def test_a_refusal_ends_the_probe_with_what_is_known(session, status):
    session.take(206, HEAD_RANGE, "", HEAD, ranged=True)
    session.take(status, "", "", b"gone", ranged=True)
    assert status_of(session) == "partial"


@given(
    st.integers(100, 999),
    st.text(max_size=40),
    st.text(alphabet="0123456789-+ _x", max_size=30),
    st.binary(max_size=99),
)
def test_no_header_breaks_a_probe(status, content_range, content_length, body):
    session = Session.load(b"", POLICY)
    for _ in range(POLICY.max_requests):
        session.take(status, content_range, content_length, body, ranged=True)
    assert session.probe.finished


@given(st.binary(max_size=200))
def test_a_state_that_cannot_be_read_begins_anew(state):
    assert Session.load(state, POLICY).probe.next_range() == (0, POLICY.head_bytes)
