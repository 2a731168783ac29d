"""A probe over several visits: what it makes of servers that keep no promise."""

import gzip

import pytest
from harness import examples
from hypothesis import given, settings
from hypothesis import strategies as st

from mediacrawl.demo import grow_mp3, media_bytes
from mediacrawl.notes import NoNotes
from mediacrawl.probe import ProbePolicy
from mediacrawl.probe.range_support import RangeSupport
from mediacrawl.probe.session import Odd, Reply, Session, advance

POLICY = ProbePolicy()
SONG = grow_mp3(media_bytes("nachtzug.mp3"), 100)
LONGER = grow_mp3(media_bytes("nachtzug.mp3"), 120)
SIZE = str(len(SONG))
HEAD = SONG[: POLICY.head_bytes]
HEAD_RANGE = f"bytes 0-{len(HEAD) - 1}/{SIZE}"
NEW, OLD = "Mon, 02 Nov 2026 10:00:00 GMT", "Mon, 02 Nov 2026 09:00:00 GMT"


@pytest.fixture
def session():
    return Session.load(b"", POLICY)


def status_of(session):
    assert session.probe.finished
    return session.probe.result().status


def notes_of(session):
    return session.probe.result().notes


def again(session):
    return Session.load(session.dump(), POLICY)


def part(start, stop, body=SONG, **headers):
    place = f"bytes {start}-{stop - 1}/{len(body)}"
    return Reply(206, body[start:stop], **{"content_range": place, **headers})


def the_rest(session, body=SONG, **headers):
    """Answer as an honest server would, until the probe is over."""
    while session.probe.next_range():
        session.take(part(*session.probe.next_range(), body, **headers))
    return status_of(session)


def whole(body=SONG, cut=65_536, **headers):
    return Reply(200, body[:cut], **{"content_length": str(len(body)), **headers})


def test_ranges_that_are_given_are_read_over_a_restart_until_the_file_is_known(session):
    assert session.take(part(0, len(HEAD))) is None
    session = again(session)
    assert the_rest(session) == "complete"
    assert session.first.ranges is True


def test_a_server_that_ignores_a_range_is_not_asked_for_another(session):
    assert session.take(whole()) is Odd.IGNORED_RANGE
    assert status_of(session) == "partial"
    assert notes_of(session) == ["no ranges"]
    assert session.first.ranges is False
    assert session.probe.size == len(SONG)
    assert len(session.probe.head) == POLICY.head_bytes


def test_a_small_file_from_a_server_that_ignores_ranges_is_complete(session):
    small = media_bytes("nachtzug.mp3")
    session.take(whole(small))
    assert status_of(session) == "complete"


def test_a_file_that_was_first_asked_for_as_a_page_is_then_asked_for_ranges(session):
    assert session.take(whole(cut=16_384, ranged=False)) is None
    assert session.probe.next_range() is not None
    assert session.first.ranges is None


def test_a_file_that_changed_before_its_first_range_says_nothing_of_its_server(session):
    session.take(whole(cut=16_384, ranged=False, etag='"one"'))
    session = again(session)
    assert session.take(whole(LONGER, etag='"two"')) is Odd.CHANGED
    assert (session.first.ranges, session.asks_range) == (None, True)
    assert the_rest(again(session), LONGER) == "complete"


def test_a_file_of_a_server_that_is_known_to_ignore_ranges_is_read_once():
    step = advance(b"", POLICY, whole(ranged=False), once=True)
    assert step.result.notes == ["no ranges"]
    assert step.state == b""
    assert Session.load(b"", POLICY, once=True).probe.next_range() == (0, POLICY.single_bytes)


def test_a_file_without_a_length_that_came_whole_is_complete(session):
    small = media_bytes("nachtzug.mp3")
    assert session.take(Reply(200, small, whole=True)) is Odd.IGNORED_RANGE
    assert (session.probe.size, status_of(session)) == (len(small), "complete")


def test_a_file_without_a_length_that_was_cut_off_has_no_size(session):
    assert session.take(Reply(200, HEAD, ranged=False)) is Odd.NO_LENGTH
    assert session.probe.size is None


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


def test_another_version_in_place_of_a_range_is_read_from_its_beginning(session):
    session.take(part(0, len(HEAD), etag='"one"'))
    session = again(session)
    assert session.take(whole(LONGER, etag='"two"')) is Odd.CHANGED
    assert session.first.validator == '"two"'
    assert the_rest(again(session), LONGER) == "complete"
    assert session.probe.size == len(LONGER)
    assert session.probe.requests == 2


def test_another_version_of_the_same_size_is_not_glued_to_the_first(session):
    other = bytes(reversed(SONG))
    session.take(part(0, len(HEAD), etag='"one"'))
    session.take(whole(other, etag='"two"'))
    assert session.probe.head == other[: POLICY.head_bytes]


def test_one_etag_for_two_sizes_is_another_version(session):
    session.take(part(0, len(HEAD), etag='"one"'))
    assert session.take(whole(LONGER, etag='"one"')) is Odd.CHANGED
    assert session.probe.size == len(LONGER)


def test_a_file_that_changes_at_each_visit_is_begun_anew_once(session):
    session.take(part(0, len(HEAD), etag='"one"'))
    session.take(whole(LONGER, etag='"two"'))
    session = again(session)
    assert session.take(whole(etag='"three"')) is Odd.CHANGED
    assert (status_of(session), session.probe.size) == ("partial", len(LONGER))


def test_a_server_that_takes_if_range_wrong_is_asked_without_it(session):
    session.take(part(0, len(HEAD), etag='"one"'))
    assert session.take(whole(etag='"one"')) is Odd.IGNORED_IF_RANGE
    session = again(session)
    assert session.first.validator == ""
    assert the_rest(session) == "complete"
    assert session.first.ranges is True


def test_a_server_that_gives_no_later_range_without_a_condition_either_is_given_up(session):
    session.take(part(0, len(HEAD)))
    assert session.take(whole()) is Odd.IGNORED_RANGE
    assert notes_of(session) == ["no ranges"]


def test_a_range_of_another_version_is_not_put_beside_the_first(session):
    session.take(part(0, len(HEAD), etag='"one"'))
    start, stop = session.probe.next_range()
    assert session.take(part(start, stop, etag='"two"')) is Odd.CHANGED
    assert notes_of(session) == ["file changed"]
    assert session.probe.bytes_fetched == len(HEAD) + stop - start


def test_machines_that_give_one_version_several_etags_are_believed_by_its_date(session):
    session.take(part(0, len(HEAD), etag='"one"', last_modified=OLD))
    assert the_rest(session, etag='"two"', last_modified=OLD) == "complete"


def test_a_file_of_another_size_is_another_file(session):
    session.take(part(0, len(HEAD)))
    start, stop = session.probe.next_range()
    assert session.take(part(start, stop, LONGER)) is Odd.CHANGED
    assert (notes_of(session), session.probe.size) == (["file changed"], len(SONG))


# -- Content-Range


@pytest.mark.parametrize("place", ["", "bytes */300", "bytes 9-1/x", "items 0-1/2", f"bytes 0-1/{'9' * 5000}"])
def test_a_part_that_does_not_say_which_is_read_as_the_head_and_nothing_after_it(session, place):
    assert session.take(Reply(206, HEAD, content_range=place)) is Odd.WRONG_PLACE
    assert status_of(session) == "partial"
    assert session.probe.head == HEAD


def test_a_later_part_that_does_not_say_which_is_not_put_anywhere(session):
    session.take(part(0, len(HEAD)))
    assert session.take(Reply(206, b"\xff" * 100)) is Odd.WRONG_PLACE
    assert status_of(session) == "partial"
    assert session.probe.result().tags
    assert session.probe.bytes_fetched == len(HEAD) + 100


@pytest.mark.parametrize("first", [1, 1000, 200_000])
def test_a_part_that_does_not_begin_where_it_was_asked_for_is_not_believed(session, first):
    assert session.take(part(first, first + 9000)) is Odd.WRONG_PLACE
    assert (status_of(session), session.probe.head) == ("error:NoData", b"")


@pytest.mark.parametrize("place", [f"bytes 5-4/{SIZE}", f"bytes 0-{SIZE}/{SIZE}", "bytes 0-0/0"])
def test_a_place_that_contradicts_itself_is_none(session, place):
    assert session.take(Reply(206, HEAD, content_range=place)) is Odd.WRONG_PLACE
    assert session.probe.size is None


def test_more_bytes_than_the_place_holds_are_left_out(session):
    session.take(Reply(206, SONG[:20_000], content_range=HEAD_RANGE))
    assert session.probe.bytes_fetched == len(HEAD)


def test_a_larger_part_than_was_asked_for_is_used_whole(session):
    session.take(part(0, len(HEAD)))
    start, stop = session.probe.next_range()
    assert session.take(part(start - 5000, stop)) is None
    assert the_rest(session) == "complete"


# -- 416


def test_an_empty_file_is_an_empty_file(session):
    assert session.take(Reply(416, content_range="bytes */0")) is Odd.NOT_SATISFIABLE
    assert (status_of(session), notes_of(session)) == ("error:NoData", ["empty file"])


@pytest.mark.parametrize("place", [f"bytes */{SIZE}", "", "bytes */x"])
def test_a_server_that_refuses_the_first_bytes_is_asked_without_a_range_and_only_once(session, place):
    session.take(Reply(416, b"sorry", content_range=place))
    session = again(session)
    assert (session.asks_range, session.probe.finished) == (False, False)
    assert session.take(whole(ranged=False)) is None
    assert notes_of(session) == ["no ranges"]
    assert (session.first.status, session.first.ranges, session.probe.requests) == (200, False, 2)


def test_a_later_range_that_does_not_exist_ends_the_probe_with_what_is_known(session):
    session.take(part(0, len(HEAD)))
    session.take(Reply(416, content_range=f"bytes */{SIZE}"))
    assert (status_of(session), notes_of(session)) == ("partial", ["status 416"])


def test_a_shorter_file_is_another_file(session):
    session.take(part(0, len(HEAD)))
    session.take(Reply(416, content_range="bytes */100"))
    assert notes_of(session) == ["file changed"]


def test_a_refused_range_tells_the_size_that_was_not_known():
    from mediacrawl.probe import Probe

    probe = Probe(POLICY)
    probe.feed(0, HEAD, None)
    probe._next = (len(SONG) + 10, len(SONG) + 20)
    probe.unsatisfied(len(SONG))
    assert (probe.size, probe.requests) == (len(SONG), 2)
    assert probe.next_range() == (len(SONG) - POLICY.tail_bytes, len(SONG)) or probe.next_range()[1] == len(SONG)


@pytest.mark.parametrize("status", [204, 302, 404, 429, 500, 799])
def test_a_refusal_ends_the_probe_with_what_is_known(session, status):
    session.take(part(0, len(HEAD)))
    assert session.take(Reply(status, b"gone")) is Odd.STATUS
    assert status_of(session) == "partial"
    assert (session.probe.requests, session.probe.bytes_fetched) == (2, len(HEAD) + 4)


# -- Compression that nobody asked for


def test_a_compressed_file_gives_its_head_and_its_packed_length_is_not_believed(session):
    packed = str(len(gzip.compress(SONG)))
    reply = Reply(200, SONG[:50_000], content_encoding="gzip", content_length=packed)
    assert session.take(reply) is Odd.PACKED
    assert session.probe.size is None
    assert session.probe.head == HEAD
    assert status_of(session) == "partial"


def test_a_compressed_file_that_came_whole_is_complete(session):
    small = media_bytes("nachtzug.mp3")
    session.take(Reply(200, small, content_encoding="gzip", content_length="99", whole=True))
    assert (session.probe.size, status_of(session)) == (len(small), "complete")


@pytest.mark.parametrize(
    "reply",
    [
        Reply(206, HEAD, content_encoding="gzip", content_range="bytes 0-99/500"),
        Reply(206, b"\x1f\x8b", content_encoding="br", content_range="bytes 0-99/500", undecodable=True),
        Reply(206, HEAD, content_encoding="gzip", content_range="bytes 100-199/500"),
    ],
)
def test_ranges_of_a_compressed_file_say_nothing_of_its_size(session, reply):
    assert session.take(reply) is Odd.PACKED
    assert session.probe.finished
    assert session.probe.size is None
    assert session.probe.head == (HEAD if "0-" in reply.content_range[:8] and not reply.undecodable else b"")


def test_a_later_range_that_is_compressed_is_not_put_into_the_file(session):
    session.take(part(0, len(HEAD)))
    start, stop = session.probe.next_range()
    session.take(part(start, stop, content_encoding="gzip"))
    assert notes_of(session)[-1] == "compressed"


def test_identity_is_no_compression(session):
    session.take(part(0, len(HEAD), content_encoding="identity"))
    assert the_rest(session) == "complete"


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
            content_encoding=data.draw(st.sampled_from(["", "", "gzip", "x"])),
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


# -- What is remembered of servers


class Notes(NoNotes):
    shared = False

    def __init__(self):
        self.kept = {}
        self.looks = 0

    def note(self, room, key):
        self.looks += 1
        return self.kept.get((room, key))

    def set_note(self, room, key, record):
        self.kept[room, key] = record


def test_a_server_that_ignored_a_range_is_remembered_over_a_restart_until_it_gives_one():
    notes = Notes()
    habits = RangeSupport(notes)
    assert not habits.ignores("http://a.example")
    habits.learn("http://a.example", obeys=False)
    assert RangeSupport(notes).ignores("http://a.example")
    assert not RangeSupport(notes).ignores("https://a.example")
    habits.learn("http://a.example", obeys=True)
    assert not RangeSupport(notes).ignores("http://a.example")


def test_of_servers_that_give_ranges_nothing_is_written_and_few_are_held():
    notes = Notes()
    habits = RangeSupport(notes, size=2)
    for _ in range(3):
        for name in "abc":
            habits.learn(name, obeys=True)
    assert not notes.kept
    assert len(habits._held) == 2
    habits.ignores("c")
    looks = notes.looks
    habits.ignores("c")
    assert notes.looks == looks


def test_what_other_workers_learn_of_a_server_is_seen():
    notes = Notes()
    notes.shared = True
    habits = RangeSupport(notes)
    assert not habits.ignores("http://a.example")
    RangeSupport(notes).learn("http://a.example", obeys=False)
    assert habits.ignores("http://a.example")
