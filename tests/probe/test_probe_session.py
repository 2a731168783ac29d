"""A probe over several visits: what it makes of servers that keep no promise."""

import gzip

import pytest
from harness import examples
from hypothesis import given, settings
from hypothesis import strategies as st
from probe_media import audio, frame, id3, id3v1, sample

from mediacrawl.probe import Odd, Probe, ProbePolicy, Reply, Session

POLICY = ProbePolicy()
TITLE = id3(frame("TIT2", b"\0Nachtzug"))
SMALL = TITLE + sample("cbr.mp3")[:6000] + id3v1(b"Nachtzug")
SONG, LONGER = (TITLE + audio(seconds) + id3v1(b"Nachtzug") for seconds in (72, 88))
SIZE = str(len(SONG))
HEAD = SONG[: POLICY.head_bytes]
HEAD_RANGE = f"bytes 0-{len(HEAD) - 1}/{SIZE}"
NEW, OLD = "Mon, 02 Nov 2026 10:00:00 GMT", "Mon, 02 Nov 2026 09:00:00 GMT"


@pytest.fixture
def session():
    return Session.load(b"", POLICY)


def again(session):
    return Session.load(session.dump(), POLICY)


def part(start, stop, body=SONG, **headers):
    place = f"bytes {start}-{stop - 1}/{len(body)}"
    return Reply(206, body[start:stop], **{"content_range": place, **headers})


def whole(body=SONG, cut=65_536, **headers):
    return Reply(200, body[:cut], **{"content_length": str(len(body)), **headers})


def the_rest(session, body=SONG, **headers):
    """Answer as an honest server would, until the probe is over."""
    while session.probe.next_range():
        session.take(part(*session.probe.next_range(), body, **headers))
    return session.probe.result().status


FIRST, FIRST_ONE = part(0, len(HEAD)), part(0, len(HEAD), etag='"one"')
ENDS = {
    # Name: replies, what was odd about the last one, status and notes of the result.
    "a server that ignores a range": ([whole()], Odd.IGNORED_RANGE, "partial", ["no ranges"]),
    "a small file from such a server": ([whole(SMALL)], Odd.IGNORED_RANGE, "complete", []),
    "a file without a length that came whole": ([Reply(200, SMALL, whole=True)], Odd.IGNORED_RANGE, "complete", []),
    "no later range without a condition either": ([FIRST, whole()], Odd.IGNORED_RANGE, "partial", ["no ranges"]),
    "a range of another version": (
        [FIRST_ONE, lambda asked: part(*asked, etag='"two"')], Odd.CHANGED, "partial", ["file changed"]
    ),
    "a range of a file of another size": (
        [FIRST, lambda asked: part(*asked, LONGER)], Odd.CHANGED, "partial", ["file changed"]
    ),
    "a later part that does not say which": (
        [FIRST, Reply(206, b"\xff" * 100)], Odd.WRONG_PLACE, "partial", ["206 without a range"]
    ),
    **{
        f"a part that begins at {first}": (
            [part(first, first + 9000)], Odd.WRONG_PLACE, "error:NoData", ["wrong Content-Range"]
        )
        for first in (1, 1000, 200_000)
    },
    **{
        f"the head with Content-Range: {place[:20]}": (
            [Reply(206, HEAD, content_range=place)], Odd.WRONG_PLACE, "partial", ["size unknown", "206 without a range"]
        )
        for place in ("", "bytes */300", "bytes 9-1/x", "items 0-1/2", f"bytes 0-1/{'9' * 5000}", f"bytes 5-4/{SIZE}",
                      f"bytes 0-{SIZE}/{SIZE}", "bytes 0-0/0")
    },
    "an empty file": ([Reply(416, content_range="bytes */0")], Odd.NOT_SATISFIABLE, "error:NoData", ["empty file"]),
    "a later range that does not exist": (
        [FIRST, Reply(416, content_range=f"bytes */{SIZE}")], Odd.NOT_SATISFIABLE, "partial", ["status 416"]
    ),
    "a file that is shorter now": (
        [FIRST, Reply(416, content_range="bytes */100")], Odd.NOT_SATISFIABLE, "partial", ["file changed"]
    ),
    **{
        f"status {status}": ([FIRST, Reply(status, b"gone")], Odd.STATUS, "partial", [f"status {status}"])
        for status in (204, 302, 404, 429, 500, 799)
    },
    "a compressed file that came whole": (
        [Reply(200, SMALL, is_coded=True, content_length="99", whole=True)], Odd.PACKED, "complete", []
    ),
    "a later range that is compressed": (
        [FIRST, lambda asked: part(*asked, is_coded=True)], Odd.PACKED, "partial", ["compressed"]
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", ENDS)
def test_an_odd_answer_ends_the_probe_with_what_is_known(session, name):
    replies, odd, status, notes = ENDS[name]
    for each in replies:
        asked, fetched = session.probe.next_range(), session.probe.bytes_fetched
        reply = each(asked) if callable(each) else each
        found = session.take(reply)
    assert (found, session.probe.finished) == (odd, True)
    result = session.probe.result()
    assert (result.status, result.notes) == (status, notes)
    # What was known stays, whatever the last answer was; and it was counted.
    assert bool(result.tags) is (status != "error:NoData")
    assert session.probe.requests == len(replies)
    assert session.probe.bytes_fetched == fetched + (0 if reply.status == 416 else len(reply.body))
    assert session.probe.head in {b"", HEAD, SMALL}


def test_ranges_that_are_given_are_read_over_a_restart_until_the_file_is_known(session):
    assert session.take(FIRST) is None
    session = again(session)
    assert the_rest(session) == "complete"
    assert session.first.ranges is True


def test_what_an_answer_says_of_its_server_and_of_the_size_of_the_file(session):
    session.take(whole())
    assert (session.first.ranges, session.probe.size) == (False, len(SONG))
    session = Session.load(b"", POLICY)
    assert session.take(whole(cut=16_384, ranged=False)) is None
    assert (session.probe.next_range() is not None, session.first.ranges) == (True, None)
    session = Session.load(b"", POLICY)
    assert session.take(Reply(200, HEAD, ranged=False)) is Odd.NO_LENGTH
    assert session.probe.size is None


def test_a_file_that_changed_before_its_first_range_says_nothing_of_its_server(session):
    session.take(whole(cut=16_384, ranged=False, etag='"one"'))
    session = again(session)
    assert session.take(whole(LONGER, etag='"two"')) is Odd.CHANGED
    assert (session.first.ranges, session.asks_range) == (None, True)
    assert the_rest(again(session), LONGER) == "complete"


def test_a_file_of_a_server_that_is_known_to_ignore_ranges_is_read_once():
    session = Session.load(b"", POLICY, once=True)
    assert session.probe.next_range() == (0, POLICY.single_bytes)
    session.take(whole(ranged=False))
    assert session.probe.finished
    assert session.probe.result().notes == ["no ranges"]


# -- If-Range and versions


@pytest.mark.parametrize(
    ("headers", "validator"),
    [
        ({"etag": '"one"', "last_modified": OLD, "date": NEW}, '"one"'),
        ({"etag": 'W/"one"', "last_modified": OLD, "date": NEW}, OLD),
        ({"last_modified": OLD, "date": NEW}, OLD),
        # Such a date may stand for two versions of one second.
        ({"last_modified": NEW, "date": NEW}, ""),
        ({"last_modified": OLD}, ""),
        ({"last_modified": "yesterday", "date": NEW}, ""),
        ({"last_modified": "Mon, 02 Nov 2026 09:00:00", "date": NEW}, ""),
        ({"last_modified": "1" * 5000, "date": "9" * 5000}, ""),
        ({}, ""),
    ],
)
def test_if_range_has_a_strong_etag_or_a_strong_date_or_is_not_sent(session, headers, validator):
    session.take(part(0, len(HEAD), **headers))
    assert again(session).first.validator == validator


@pytest.mark.parametrize("etag", ['"two"', '"one"'])
def test_another_version_in_place_of_a_range_is_read_from_its_beginning(session, etag):
    session.take(FIRST_ONE)
    session = again(session)
    assert session.take(whole(LONGER, etag=etag)) is Odd.CHANGED
    assert session.first.validator == etag
    assert the_rest(again(session), LONGER) == "complete"
    assert (session.probe.size, session.probe.requests) == (len(LONGER), 2)


def test_another_version_of_the_same_size_is_not_glued_to_the_first(session):
    other = bytes(reversed(SONG))
    session.take(FIRST_ONE)
    session.take(whole(other, etag='"two"'))
    assert session.probe.head == other[: POLICY.head_bytes]


def test_a_file_that_changes_at_each_visit_is_begun_anew_once(session):
    session.take(FIRST_ONE)
    session.take(whole(LONGER, etag='"two"'))
    session = again(session)
    assert session.take(whole(etag='"three"')) is Odd.CHANGED
    assert (session.probe.result().status, session.probe.size) == ("partial", len(LONGER))


def test_a_server_that_takes_if_range_wrong_is_asked_without_it(session):
    session.take(FIRST_ONE)
    assert session.take(whole(etag='"one"')) is Odd.IGNORED_IF_RANGE
    session = again(session)
    assert session.first.validator == ""
    assert (the_rest(session), session.first.ranges) == ("complete", True)


def test_machines_that_give_one_version_several_etags_are_believed_by_its_date(session):
    session.take(part(0, len(HEAD), etag='"one"', last_modified=OLD))
    assert the_rest(session, etag='"two"', last_modified=OLD) == "complete"


# -- places of parts


def test_more_bytes_than_the_place_holds_are_left_out(session):
    session.take(Reply(206, SONG[:20_000], content_range=HEAD_RANGE))
    assert session.probe.bytes_fetched == len(HEAD)


def test_a_larger_part_than_was_asked_for_is_used_whole(session):
    session.take(FIRST)
    start, stop = session.probe.next_range()
    assert session.take(part(start - 5000, stop)) is None
    assert the_rest(session) == "complete"


@pytest.mark.parametrize("place", [f"bytes */{SIZE}", "", "bytes */x"])
def test_a_server_that_refuses_the_first_bytes_is_asked_without_a_range_and_only_once(session, place):
    session.take(Reply(416, b"sorry", content_range=place))
    session = again(session)
    assert (session.asks_range, session.probe.finished) == (False, False)
    assert session.take(whole(ranged=False)) is None
    assert session.probe.result().notes == ["no ranges"]
    assert (session.first.status, session.first.ranges, session.probe.requests) == (200, False, 2)


def test_a_refused_range_tells_the_size_that_was_not_known():
    probe = Probe(POLICY)
    # A head of ID3 leads far behind the end of what there is.
    probe.feed(0, b"ID3\4\0\0\0\x7f\x7f\x7f" + HEAD[10:], None)
    assert probe.next_range()[0] > 0
    probe.unsatisfied(len(SONG))
    assert (probe.size, probe.requests) == (len(SONG), 2)


# -- compression that nobody asked for


def test_a_compressed_file_gives_its_head_and_its_packed_length_is_not_believed(session):
    packed = str(len(gzip.compress(SONG)))
    reply = Reply(200, SONG[:50_000], is_coded=True, content_length=packed)
    assert session.take(reply) is Odd.PACKED
    assert (session.probe.size, session.probe.head) == (None, HEAD)
    assert session.probe.result().status == "partial"


@pytest.mark.parametrize(
    ("reply", "head"),
    [
        (Reply(206, HEAD, is_coded=True, content_range="bytes 0-99/500"), HEAD),
        (Reply(206, b"\x1f", is_coded=True, content_range="bytes 0-99/500", undecodable=True), b""),
        (Reply(206, HEAD, is_coded=True, content_range="bytes 100-199/500"), b""),
    ],
)
def test_ranges_of_a_compressed_file_say_nothing_of_its_size(session, reply, head):
    assert session.take(reply) is Odd.PACKED
    assert (session.probe.finished, session.probe.size, session.probe.head) == (True, None, head)


# -- Whatever comes

HEADERS = st.text(alphabet='0123456789-+/* _xbytes"W', max_size=30)


@settings(max_examples=examples(60))
@given(st.data())
def test_no_answer_breaks_a_probe_and_it_ends_within_its_budget(data):
    session = Session.load(b"", POLICY)
    for _ in range(2 * POLICY.max_requests + 3):
        if session.probe.finished:
            break
        asked = session.probe.next_range()
        reply = Reply(
            data.draw(st.sampled_from([200, 204, 206, 206, 206, 304, 404, 416, 500])),
            data.draw(st.sampled_from([b"", HEAD, SONG[asked[0] : asked[1]], LONGER[:70_000]])),
            ranged=session.asks_range,
            content_type=data.draw(st.sampled_from(["audio/mpeg", "multipart/byteranges; boundary=x", ""])),
            content_range=data.draw(
                st.sampled_from([HEAD_RANGE, f"bytes {asked[0]}-{asked[1] - 1}/{SIZE}", "bytes */9"]) | HEADERS
            ),
            content_length=data.draw(HEADERS),
            is_coded=data.draw(st.sampled_from([False, False, True])),
            etag=data.draw(st.sampled_from(["", '"a"', '"b"', 'W/"a"'])),
            last_modified=data.draw(st.sampled_from(["", OLD, NEW, "x"])),
            date=NEW,
            undecodable=data.draw(st.booleans()),
            whole=data.draw(st.booleans()),
        )
        session.take(reply)
        session = again(session)
    assert session.probe.finished
    assert session.probe.requests <= POLICY.max_requests + 1
    session.probe.result()


@given(st.binary(max_size=200))
def test_a_state_that_cannot_be_read_begins_anew(state):
    assert Session.load(state, POLICY).probe.next_range() == (0, POLICY.head_bytes)
