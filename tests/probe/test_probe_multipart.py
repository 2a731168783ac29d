"""Answers with their ranges in parts."""

import pytest
from harness import examples
from hypothesis import given, settings
from hypothesis import strategies as st
from probe_media import audio, frame, id3, id3v1

from mediacrawl.probe import Odd, ProbePolicy, Reply, Session
from mediacrawl.probe.multipart import ContentRange, is_multipart, read_content_range, read_parts

POLICY = ProbePolicy()
SONG = id3(frame("TIT2", b"\0Nachtzug")) + audio(72) + id3v1(b"Nachtzug")
TYPE = "multipart/byteranges; boundary=EDGE"


def body(*ranges, data=SONG, edge=b"EDGE", gap=b"\r\n"):
    parts = [
        b"--%s%sContent-Type: audio/mpeg%sContent-range: bytes %d-%d/%d%s%s%s%s"
        % (edge, gap, gap, start, stop - 1, len(data), gap, gap, data[start:stop], gap)
        for start, stop in ranges
    ]
    return gap + b"".join(parts) + b"--" + edge + b"--" + gap


def places(content_type, answer):
    return [(place.start, place.stop, data) for place, data in read_parts(content_type, answer)]


def test_a_file_that_comes_in_parts_of_one_is_complete():
    session = Session.load(b"", POLICY)
    while session.probe.next_range():
        start, stop = session.probe.next_range()
        assert session.take(Reply(206, body((start, stop)), content_type=TYPE)) is Odd.MULTIPART
    assert session.probe.result().status == "complete"
    assert session.first.ranges is True


def test_of_several_parts_the_one_that_was_asked_for_is_taken():
    session = Session.load(b"", POLICY)
    session.take(Reply(206, body((90_000, 90_100), (0, 16_384)), content_type=TYPE))
    assert session.probe.head == SONG[:16_384]


def test_parts_without_the_one_that_was_asked_for_end_the_probe():
    session = Session.load(b"", POLICY)
    assert session.take(Reply(206, body((90_000, 90_100)), content_type=TYPE)) is Odd.WRONG_PLACE
    assert session.probe.result().status == "error:NoData"


@pytest.mark.parametrize("content_type", [TYPE, TYPE.upper().replace("EDGE", '"EDGE"'), TYPE + "; charset=x"])
@pytest.mark.parametrize("gap", [b"\r\n", b"\n"])
def test_boundaries_in_quotes_and_bare_line_feeds_are_understood(content_type, gap):
    answer = body((0, 10), (20, 25), gap=gap)
    assert places(content_type, answer) == [(0, 10, SONG[:10]), (20, 25, SONG[20:25])]


def test_a_boundary_inside_the_bytes_ends_nothing():
    data = b"ab\r\n--EDGE\r\nContent-Range: bytes 0-1/2\r\n\r\ncd"
    assert places(TYPE, body((0, len(data)), data=data)) == [(0, len(data), data)]


def test_a_part_that_is_cut_off_gives_what_came():
    assert places(TYPE, body((0, 5000))[:1000])[0][2] == SONG[: 1000 - body((0, 5000)).index(SONG[:20])]


@pytest.mark.parametrize(
    "content_type", ["multipart/byteranges", "multipart/byteranges; boundary=", "multipart/byteranges; boundary=é"]
)
def test_parts_without_a_boundary_are_none(content_type):
    assert places(content_type, body((0, 10))) == []


def test_no_more_than_some_parts_are_read():
    assert len(places(TYPE, body(*[(0, 1)] * 100))) == 16


@pytest.mark.parametrize(
    ("text", "place"),
    [
        ("bytes 0-9/10", ContentRange(0, 10, 10)),
        (" BYTES 0-9/* ", ContentRange(0, 10, None)),
        ("bytes=0-9/10", ContentRange(0, 10, 10)),
        ("bytes 0-10/10", None),
        ("bytes 9-8/10", None),
        ("bytes 0-9", None),
        ("bytes */10", None),
        ("bytes 0-9/10 x", None),
        ("bytes ０-９/10", None),  # noqa: RUF001 - digits that are none
    ],
)
def test_a_content_range_is_read_or_is_none(text, place):
    assert read_content_range(text) == place


@settings(max_examples=examples(50))
@given(st.binary(max_size=300), st.text(max_size=60))
def test_no_bytes_break_the_reader(answer, content_type):
    for kind in (TYPE, content_type):
        is_multipart(kind)
        for place, data in read_parts(kind, b"--EDGE\r\nContent-Range: bytes 0-9/10\r\n\r\n" + answer):
            assert len(data) <= place.stop - place.start
