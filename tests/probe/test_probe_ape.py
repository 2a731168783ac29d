"""Tags at the end of a file: APE, Lyrics3, ID3v1, ID3v2 with a footer, in the orders in which programs left them."""

import io
import struct

import pytest
from harness import examples
from hypothesis import given, settings
from hypothesis import strategies as st
from mutagen.apev2 import APEv2
from probe_media import audio, cover, frame, id3, id3v1, run, sample, saved, size7, texts

from mediacrawl.probe.formats.id3 import find_footer
from mediacrawl.probe.policy import ProbePolicy
from mediacrawl.probe.sparse import SparseFile

HAS_HEADER, IS_HEADER = 1 << 31, 1 << 29
SECONDS = run(audio()).result.duration


def item(key, value, kind=0):
    return struct.pack("<II", len(value), kind << 1) + key + b"\0" + value


def ape(*items, version=2000, header=True, front=False, claim=0):
    """An APE tag, written by hand; `claim` is added to the size that it states."""
    body = b"".join(items)
    flags = HAS_HEADER if header and version == 2000 else 0
    fields = version, len(body) + 32 + claim, len(items)
    head = b"APETAGEX" + struct.pack("<IIII", *fields, flags | IS_HEADER) + bytes(8)
    foot = b"APETAGEX" + struct.pack("<IIII", *fields, flags) + bytes(8)
    return (head if flags or front else b"") + body + foot


def lyrics3v2(*fields):
    body = b"LYRICSBEGIN" + b"".join(name + b"%05d" % len(text) + text for name, text in fields)
    return body + b"%06dLYRICS200" % len(body)


def lyrics3v1(text):
    return b"LYRICSBEGIN" + text + b"LYRICSEND"


def footed(*frames):
    """An ID3v2.4 tag that is at the end of a file."""
    tag = id3(*frames, version=4, flags=0x10)
    return tag + b"3DI" + tag[3:10]


TITLE = item(b"Title", b"Tone")
APE = ape(TITLE)
V1 = id3v1(b"Tone")
LYRICS = lyrics3v2((b"IND", b"00"), (b"LYR", b"La la"), (b"EAR", b"Sine"), (b"IMG", b"a.jpg"))
V2 = footed(frame("TIT2", b"\0Tone", version=4))


def sources(result):
    return [tag.source for tag in result.tags]


@pytest.mark.parametrize(
    ("tags", "found"),
    [
        (APE, ["ape"]),
        (APE + V1, ["ape", "id3v1"]),
        (V1 + APE, ["id3v1", "ape"]),
        (V1 + V1, ["id3v1", "id3v1"]),
        (LYRICS + V1, ["lyrics3", "lyrics3", "id3v1"]),
        (APE + LYRICS + V1, ["ape", "lyrics3", "lyrics3", "id3v1"]),
        (LYRICS + APE + V1, ["lyrics3", "lyrics3", "ape", "id3v1"]),
        (lyrics3v1(b"La la") + V1, ["lyrics3", "id3v1"]),
        (V2, ["id3v2.4"]),
        (V2 + APE + V1, ["id3v2.4", "ape", "id3v1"]),
        (ape(TITLE, header=False) + V1, ["ape", "id3v1"]),
        (ape(TITLE, version=1000) + V1, ["ape", "id3v1"]),
    ],
)
def test_tags_stand_in_any_order_and_are_not_played(tags, found):
    probed = run(audio() + tags)
    assert sources(probed.result) == found
    assert probed.result.duration == pytest.approx(SECONDS, abs=0.001)
    assert (probed.requests, probed.result.status) == (2, "complete")


def test_the_preamble_of_an_ape_tag_is_no_id3v1():
    # A tag of 131 bytes: what stands 128 bytes before the end are the last letters of its name.
    tag = ape(item(b"Title", b"x" * 53))
    assert tag[-128:].startswith(b"TAG")
    result = run(audio() + tag).result
    assert sources(result) == ["ape"]
    assert texts(result, "title") == ["x" * 53]


def test_texts_are_those_of_mutagen():
    tag = APEv2()
    tag.update({"Title": "Тон", "Artist": ["A", "B"], "Track": "3/12", "Year": "2004"})
    data = saved(tag, audio())
    known = APEv2(io.BytesIO(data))
    result = run(data).result
    for key, name in (("Title", "title"), ("Artist", "artist"), ("Track", "tracknumber"), ("Year", "date")):
        assert texts(result, name) == list(known[key])
    assert {tag.frame for tag in result.tags} == set(known.keys())


@pytest.mark.parametrize("order", [(0, 1, 2), (1, 0, 2), (0, 2, 1)])
def test_a_cover_is_stepped_over(order):
    items = TITLE, item(b"Cover Art (Front)", b"front.jpg\0" + cover(500_000), 1), item(b"Year", b"2004")
    probed = run(audio() + ape(*[items[place] for place in order]) + V1)
    result = probed.result
    assert (texts(result, "title"), texts(result, "date")) == (["Tone", "Tone"], ["2004"])
    assert (result.has_cover, result.cover_mime, result.cover_size) == (True, "image/jpeg", 500_000)
    assert result.duration == pytest.approx(SECONDS, abs=0.1)
    assert probed.requests <= 3
    assert probed.fetched <= 32 * 1024


def test_one_value_that_is_not_unicode_does_not_cost_the_others():
    items = item(b"Title", b"\xcf\xf0\xe8\xe2"), item(b"Artist", "Синус".encode()), item(b"A", b"x")
    result = run(audio() + ape(*items)).result
    found = [(tag.frame, tag.key, tag.raw, tag.declared) for tag in result.tags]
    assert found == [
        ("Title", "title", b"\xcf\xf0\xe8\xe2", "utf-8"),
        ("Artist", "artist", "Синус".encode(), "utf-8"),
        ("A", "a", b"x", "utf-8"),
    ]


def test_the_first_version_declares_no_unicode():
    (tag,) = run(audio() + ape(item(b"Title", b"\xd2\xee\xed\0", 1), version=1000)).result.tags
    assert (tag.raw, tag.declared) == (b"\xd2\xee\xed", "latin-1")


def test_binary_items_are_left_and_links_are_text():
    items = item(b"Blob", bytes(50), 1), item(b"Related", b"http://example.org/", 2), item(b"Artist", b"A\0B")
    result = run(audio() + ape(*items)).result
    assert [(tag.key, tag.index, tag.text) for tag in result.tags] == [
        ("website", 0, "http://example.org/"),
        ("artist", 0, "A"),
        ("artist", 1, "B"),
    ]


def test_a_tag_longer_than_the_tail_is_read_from_its_begin():
    probed = run(audio() + ape(TITLE, item(b"Lyrics", b"la " * 5000), item(b"Year", b"2004")) + V1)
    assert texts(probed.result, "title") == ["Tone", "Tone"]
    assert len(texts(probed.result, "lyrics")[0]) == 15_000
    assert probed.requests <= 4


def test_a_tag_at_the_front_is_read_and_not_played():
    picture = item(b"Cover Art (Front)", b"a.png\0\x89PNG" + bytes(90_000), 1)
    result = run(ape(TITLE, picture, front=True) + audio()).result
    assert (sources(result), result.container, result.status) == (["ape"], "mp3", "complete")
    assert (result.cover_mime, result.cover_size) == ("image/png", 90_004)
    assert result.duration == pytest.approx(SECONDS, abs=0.1)


def test_a_file_of_the_family_keeps_what_stands_at_both_ends():
    result = run(id3(frame("TIT2", b"\0Front")) + sample("tone.tta") + V1).result
    assert sources(result) == ["id3v2.3", "ape", "ape", "id3v1"]
    assert (result.container, result.duration, result.status) == ("tta", 1.0, "complete")


# Lyrics3.


def test_lyrics_have_their_fields_and_their_bytes():
    fields = (b"LYR", b"\xcb\xe0"), (b"INF", b"note"), (b"EAL", b"Album"), (b"ETT", b"Title"), (b"AUT", b"Poet")
    tags = run(audio() + lyrics3v2(*fields) + V1).result.tags[:-1]
    assert [(tag.frame, tag.key, tag.raw) for tag in tags] == [
        ("LYR", "lyrics", b"\xcb\xe0"),
        ("INF", "comment", b"note"),
        ("EAL", "album", b"Album"),
        ("ETT", "title", b"Title"),
        ("AUT", "lyricist", b"Poet"),
    ]


def test_lyrics_of_the_first_version_may_begin_before_the_tail():
    probed = run(audio() + lyrics3v1(b"la " * 1650) + V1)
    assert len(texts(probed.result, "lyrics")[0]) == 1650 * 3 - 1
    assert probed.result.duration == pytest.approx(SECONDS, abs=0.001)
    assert probed.requests == 3


@pytest.mark.parametrize("foot", [b"la la LYRICSEND", b"000004LYRICS200", b"99999xLYRICS200"])
def test_lyrics_without_a_begin_are_none(foot):
    result = run(audio() + foot + V1).result
    assert (sources(result), result.status) == (["id3v1"], "complete")


# Tags that contradict themselves.


@pytest.mark.parametrize("claim", [-40, 10_000_000, 2**31])
def test_a_size_that_does_not_fit_costs_the_tag_alone(claim):
    probed = run(audio() + ape(TITLE, header=False, claim=claim) + V1)
    assert sources(probed.result)[-1] == "id3v1"
    assert probed.result.notes == ["ape:BrokenError"]
    assert probed.result.duration == pytest.approx(SECONDS, abs=0.1)
    assert probed.requests <= 3


@pytest.mark.parametrize(
    ("bad", "notes"),
    [
        (struct.pack("<II", 2**32 - 1, 0) + b"Long\0x", ["ape:BrokenError"]),
        (struct.pack("<II", 1, 0) + b"k" * 300, ["ape:BrokenError"]),
        (bytes(40), []),
    ],
)
def test_an_item_that_does_not_fit_keeps_those_before(bad, notes):
    result = run(audio() + ape(TITLE, bad)).result
    assert texts(result, "title") == ["Tone"]
    assert result.notes == notes


def test_a_tag_that_begins_before_the_audio_is_none():
    result = run(id3(padding=5000) + audio() + ape(TITLE, header=False, claim=len(audio()) + 500)).result
    assert (sources(result), result.status) == ([], "complete")
    assert result.duration == pytest.approx(SECONDS, abs=0.1)


def test_many_items_and_many_values_end_at_their_limits():
    many = run(audio() + ape(*[item(b"k", b"")] * 9000), ProbePolicy(max_requests=50)).result
    assert "limit:parts" in many.notes
    values = run(audio() + ape(item(b"Artist", b"a\0" * 400))).result
    assert len(texts(values, "artist")) == ProbePolicy().max_values
    assert values.notes == ["limit:values"]


def test_a_hundred_tags_are_not_all_taken():
    result = run(audio() + V1 * 100).result
    assert 2 <= len(result.tags) <= 8


BITS = st.sampled_from([APE, V1, LYRICS, V2, b"LYRICS200", b"999999LYRICS200", b"APETAGEX" + b"\xff" * 24, bytes(32)])


@given(st.lists(BITS | st.binary(max_size=60), max_size=6), st.integers(0, 200))
@settings(max_examples=examples(60))
def test_any_tail_ends_calmly(parts, cut):
    data = audio(4) + b"".join(parts)
    result = run(data[: len(data) - cut], restart=False).result
    assert result.codec == "mp3"
    assert result.duration is None or result.duration <= SECONDS


def test_a_footer_names_its_header():
    body = frame("TIT2", b"\0Tone", version=4)
    wrong = b"ID3\4\0\x10" + size7(len(body)) + body + b"3DI\4\0\x10" + size7(2**27)
    assert run(audio() + wrong).result.tags == []
    file = SparseFile(len(wrong))
    file.put(0, wrong)
    assert find_footer(file, len(wrong)) is None
