"""Matroska whose tracks, info, tags or seek heads are behind the clusters."""

import struct

import pytest
from harness import examples
from hypothesis import given, settings
from hypothesis import strategies as st
from probe_media import run, sample, texts

from mediacrawl.probe.formats.matroska_tail import find_parts

SEGMENT, CLUSTER, SEEK_HEAD, VOID, CUES = 0x18538067, 0x1F43B675, 0x114D9B74, 0xEC, 0x1C53BB6B
INFO, TRACKS, TAGS, CHAPTERS = 0x1549A966, 0x1654AE6B, 0x1254C367, 0x1043A770
UNKNOWN = b"\x01\xff\xff\xff\xff\xff\xff\xff"


def number(data, at, *, marked):
    """A number of EBML, and where it ends."""
    length = 9 - data[at].bit_length()
    value = int.from_bytes(data[at : at + length], "big")
    return (value if marked else value & (1 << 7 * length) - 1), at + length


def elements(data, at=0):
    """The elements of some bytes: (name, body)."""
    while at < len(data):
        name, at = number(data, at, marked=True)
        size, at = number(data, at, marked=False)
        yield name, data[at : at + size]
        at += size


def element(name, body, size=None):
    head = name.to_bytes((name.bit_length() + 7) // 8, "big")
    return head + (size or struct.pack(">Q", len(body) | 1 << 56)) + body


def uint(name, value):
    return element(name, value.to_bytes(8, "big"))


class Parts:
    """The parts of a sample, to be put together in another order."""

    def __init__(self, name):
        (header, self.head), (segment, body) = elements(sample(name))
        assert segment == SEGMENT
        self.header = element(header, self.head)
        self.parts = [(kind, part) for kind, part in elements(body) if kind not in {SEEK_HEAD, VOID, CUES}]

    def of(self, *kinds):
        return [(kind, part) for kind, part in self.parts if kind in kinds]

    def but(self, *kinds):
        return [(kind, part) for kind, part in self.parts if kind not in kinds]


def segment(parts, *, size=None):
    return element(SEGMENT, b"".join(element(kind, part) for kind, part in parts), size)


def seek_head(places):
    """A seek head of one size, whatever it tells."""
    entry = [element(0x4DBB, element(0x53AB, kind.to_bytes(4, "big")) + uint(0x53AC, at)) for kind, at in places]
    return b"".join(entry)


def listed(front, behind):
    """A segment that begins with a seek head of the parts that come last."""
    at = len(element(SEEK_HEAD, seek_head((kind, 0) for kind, _ in behind)))
    at += sum(len(element(*part)) for part in front)
    places = []
    for kind, part in behind:
        places.append((kind, at))
        at += len(element(kind, part))
    return segment([(SEEK_HEAD, seek_head(places)), *front, *behind])


LONG = (CLUSTER, bytes(400_000))
"""A cluster that nobody reads: those of the samples say where they end."""
FACTS = ("container", "encoding_format", "is_video", "codec", "audio_codec", "sample_rate", "channels", "width")


def check(result, name, *, duration=True, title=True):
    known = run(sample(name)).result
    assert [getattr(result, fact) for fact in FACTS] == [getattr(known, fact) for fact in FACTS]
    if duration:
        assert result.duration == pytest.approx(known.duration)
    if title:
        assert texts(result, "title") == texts(known, "title")
    assert result.status == "complete"


@pytest.mark.parametrize("name", ["film.mkv", "tone.weba"])
@pytest.mark.parametrize("behind", [(TRACKS,), (TRACKS, TAGS), (INFO, TRACKS, TAGS), (INFO, TRACKS, TAGS, CHAPTERS)])
def test_without_a_seek_head_the_end_is_searched(name, behind):
    made = Parts(name)
    data = made.header + segment([*made.but(*behind), LONG, *made.of(*behind)])
    probed = run(data)
    check(probed.result, name)
    assert (probed.requests, probed.fetched <= 40 * 1024) == (2, True)


def test_parts_before_a_long_index_cost_one_request_more():
    made = Parts("film.mkv")
    data = made.header + segment([LONG, *made.but(CLUSTER), (CUES, b"\xbb" * 60_000)])
    probed = run(data)
    check(probed.result, "film.mkv")
    assert (probed.requests, probed.fetched <= 160 * 1024) == (3, True)


@pytest.mark.parametrize("size", [None, UNKNOWN])
def test_a_stream_that_ends_with_its_tracks_is_read(size):
    made = Parts("film.mkv")
    check(run(made.header + segment([LONG, *made.but(CLUSTER)], size=size)).result, "film.mkv")


def test_parts_that_a_seek_head_lists_are_read_wherever_they_are():
    made = Parts("film.mkv")
    probed = run(made.header + listed([LONG], made.but(CLUSTER)))
    check(probed.result, "film.mkv")
    assert probed.requests == 2


@pytest.mark.parametrize("tags", [[], [(TAGS, b"")]], ids=["no tags", "tags"])
def test_a_seek_head_at_the_end_that_the_first_one_lists_is_read(tags):
    made = Parts("film.mkv")
    parts = made.but(CLUSTER)
    first = len(element(SEEK_HEAD, seek_head([(SEEK_HEAD, 0), *((kind, 0) for kind, _ in tags)])))
    at, places = first + len(element(*LONG)), []
    for kind, part in parts:
        places.append((kind, at))
        at += len(element(kind, part))
    behind = seek_head(places)
    end = at + len(element(SEEK_HEAD, behind))
    front = (SEEK_HEAD, seek_head([(SEEK_HEAD, at), *((kind, end) for kind, _ in tags)]))
    # Free space at the end keeps it from being found by searching.
    free = (VOID, bytes(200_000))
    data = made.header + segment([front, LONG, *parts, (SEEK_HEAD, behind), *tags, free])
    check(run(data).result, "film.mkv")


def test_a_seek_head_at_the_end_alone_is_found_and_followed():
    made = Parts("film.mkv")
    parts = made.but(CLUSTER)
    # The parts are in the middle, where only the seek head finds them.
    at, places = len(element(*LONG)), []
    for kind, part in parts:
        places.append((kind, at))
        at += len(element(kind, part))
    probed = run(made.header + segment([LONG, *parts, LONG, (SEEK_HEAD, seek_head(places))]))
    check(probed.result, "film.mkv")
    assert probed.requests <= 4


def test_a_seek_head_that_leads_elsewhere_does_not_hide_the_end():
    made = Parts("film.mkv")
    wrong = (SEEK_HEAD, seek_head([(TRACKS, 5000), (INFO, 9000)]))
    result = run(made.header + segment([wrong, LONG, *made.but(CLUSTER)])).result
    assert (result.video_codec, result.audio_codec, texts(result, "title")) == ("h264", "aac", ["Tone"])
    assert result.duration == pytest.approx(1.023)
    assert result.notes == ["seek:BrokenError"]


def test_tags_at_the_end_cost_no_request_of_their_own():
    made = Parts("live.webm")
    tags = element(0x7373, element(0x67C8, element(0x45A3, b"ARTIST") + element(0x4487, b"Sine")))
    plain = run(made.header + segment(made.parts, size=UNKNOWN))
    # A stream without a length is asked for its last cluster.
    probed = run(made.header + segment([*made.parts, (TAGS, tags)], size=UNKNOWN))
    assert texts(probed.result, "artist") == ["Sine"]
    assert (probed.result.duration, probed.requests) == (plain.result.duration, plain.requests)
    # One with a length is not asked for it.
    film = Parts("film.mkv")
    assert run(film.header + segment([*film.but(TAGS), LONG, (TAGS, tags)])).requests == 1


def test_a_file_without_tracks_says_so():
    made = Parts("film.mkv")
    probed = run(made.header + segment([*made.of(INFO), LONG]))
    assert (probed.result.notes, probed.result.status) == (["matroska:no tracks"], "partial")
    assert probed.requests <= 3


def test_names_of_parts_in_the_clusters_are_none():
    made = Parts("film.mkv")
    names = b"".join(kind.to_bytes(4, "big") + bytes([0x80 + kind % 50]) for kind in (TRACKS, INFO, TAGS)) * 50
    inner = seek_head([(TRACKS, 1), (INFO, 2)])
    data = made.header + segment([LONG, (CLUSTER, bytes(900) + names + inner), *made.but(CLUSTER)])
    check(run(data).result, "film.mkv")


def test_only_parts_that_something_known_follows_are_found():
    track = element(TRACKS, b"x" * 20)
    tags, void = element(TAGS, b""), element(VOID, b"")
    for rest, count in ((b"", 1), (tags, 2), (void, 1), (void + tags, 2), (tags + b"xyz", 1), (b"xyz", 0)):
        data = b"junk" + track + rest
        found = find_parts(data, 1000, 1000 + len(data))
        assert (len(found), found[:1]) == (count, [1004][:count])


FILM = Parts("film.mkv")
WHOLE = FILM.header + segment([(CLUSTER, bytes(300)), *FILM.but(CLUSTER)])


@given(
    st.lists(st.tuples(st.integers(0, len(WHOLE) - 1), st.integers(0, 255)), max_size=12),
    st.integers(0, len(WHOLE)),
    st.binary(max_size=60),
)
@settings(max_examples=examples(80))
def test_a_damaged_end_ends_calmly(changes, cut, more):
    data = bytearray(WHOLE)
    for at, value in changes:
        data[at] = value
    result = run(bytes(data[: len(data) - cut]) + more, restart=False).result
    assert result.status.startswith(("complete", "partial", "unsupported", "error:"))
