"""Chapters of MP4, QuickTime and Matroska: times, titles in their encodings, what is shown, what it costs."""

import struct

import pytest
from harness import examples
from hypothesis import given, settings
from hypothesis import strategies as st
from probe_media import atom, run, sample
from probe_movie import movie, picture, sound, table, text, trak

from mediacrawl.encoding.records.fixer import Fixer
from mediacrawl.model.parts import as_object
from mediacrawl.probe import ProbePolicy, build_item, raw_bytes

URL = "http://example.org/book.m4b"
RUSSIAN = ("Первая глава", "Вторая глава и её продолжение", "Третья глава, последняя")


def chapters_of(data):
    return [as_object(chapter) for chapter in run(data).result.chapters]


def titles_of(data):
    return [chapter.title for chapter in run(data).result.chapters]


# The samples are made with two chapters, the first with a Russian title; ffprobe shows the same.


@pytest.mark.parametrize(("name", "frame"), [("book.m4b", "chap"), ("tracks.mkv", "ChapString")])
def test_the_samples_have_the_chapters_that_they_were_made_with(name, frame):
    probed = run(sample(name))
    assert [as_object(chapter) for chapter in probed.result.chapters] == [
        {"start": 0.0, "end": 1.0, "title": "Первая глава"},
        {"start": 1.0, "end": 1.8, "title": "Second"},
    ]
    evidence = [(tag.frame, tag.text, tag.declared) for tag in probed.result.tags if tag.key.startswith("chapters[")]
    assert evidence == [(frame, "Первая глава", "utf-8")]
    assert (probed.requests, probed.result.status) == (1, "complete")


def test_an_audiobook_is_one_and_its_chapters_are_no_track():
    probed = run(sample("book.m4b"))
    item = build_item(probed.result, probed.probe, url=URL)
    assert (item.media_kind, item.episode, item.language, item.type) == ("audiobook", "7", "de", "AudioObject")
    assert [track["kind"] for track in item.tracks] == ["audio"]
    assert [chapter["title"] for chapter in item.chapters] == ["Первая глава", "Second"]


# Nero's list.


def chpl(*entries, version=1, count=None):
    count = len(entries) if count is None else count
    head = struct.pack(">B3xBI", version, 0, count) if version else struct.pack(">4xB", count)
    return atom(b"chpl", head, *(struct.pack(">QB", start * 10_000_000, len(raw)) + raw for start, raw in entries))


def book(*parts, tracks=()):
    return movie(trak(1, b"soun", sound()), *tracks, atom(b"udta", *parts), brand=b"M4A ")


@pytest.mark.parametrize("version", [0, 1])
def test_a_list_of_chapters_has_times_and_titles(version):
    data = book(chpl((0, b"One"), (60, "Два".encode()), (90, b""), version=version))
    assert chapters_of(data) == [
        {"start": 0.0, "end": 60.0, "title": "One"},
        {"start": 60.0, "end": 90.0, "title": "Два"},
        {"start": 90.0},
    ]


def test_more_chapters_than_a_byte_counts_are_read_as_some_programs_write_them():
    data = book(chpl(*((n, b"Chapter %d" % n) for n in range(300))))
    assert titles_of(data) == [f"Chapter {n}" for n in range(300)]


def test_titles_in_an_old_encoding_are_repaired_in_the_record_with_their_evidence():
    data = book(chpl(*((60 * n, title.encode("cp1251")) for n, title in enumerate(RUSSIAN))))
    probed = run(data)
    item = build_item(probed.result, probed.probe, url=URL)
    assert item.chapters[0]["title"] != RUSSIAN[0]
    record = {"content_url": URL, "tags": item.tags, "chapters": item.chapters}
    Fixer().fix(record)
    assert [chapter["title"] for chapter in record["chapters"]] == list(RUSSIAN)
    for number, title in enumerate(RUSSIAN):
        (element,) = [tag for tag in record["tags"] if tag["key"] == f"chapters[{number}].title"]
        assert (element["text"], element["encoding"], element["decision"]) == (title, "cp1251", "fixed")
        assert raw_bytes(element) == title.encode("cp1251")


# Chapter tracks.


def spoken(raw, more=b""):
    return struct.pack(">H", len(raw)) + raw + more


def with_chapter_track(samples, *, at, seconds=10, chunk=None, offsets=b"stco", sizes=None, more=b"", media=b""):
    """A book whose sound names a text track its chapters.

    Args:
        samples: the text samples, in the order of time.
        at: offset of the first one; the others follow, or stand where `at`, if it is a list, says.
        seconds: length of each chapter.
        chunk: samples of a chunk; all in one unless it is given.
        offsets: the atom of the offsets.
        sizes: the atom of the sizes, if it is another one.
        more: in the movie's ``udta``.
        media: what stands before ``moov``.
    """
    places = at if isinstance(at, list) else [at]
    chunk = chunk or (1 if isinstance(at, list) else len(samples))
    rows = [(place,) if offsets == b"stco" else (place >> 32, place & 0xFFFFFFFF) for place in places]
    tables = [
        table(b"stts", [(len(samples), 1000 * seconds)]),
        table(b"stsc", [(1, chunk, 1)]),
        sizes or atom(b"stsz", struct.pack(">III", 0, 0, len(samples)), *(struct.pack(">I", len(s)) for s in samples)),
        table(offsets, rows),
    ]
    tref = atom(b"tref", atom(b"chap", struct.pack(">I", 2)))
    tracks = [trak(1, b"soun", sound(), before=tref), trak(2, b"text", text(), *tables, enabled=False)]
    return movie(*tracks, atom(b"udta", more), brand=b"M4A ", front=media)


def near_book(samples, **more):
    """A book whose chapters' texts stand in front."""
    return with_chapter_track(samples, at=24, media=atom(b"mdat", *samples), **more)


ENCD = atom(b"encd", struct.pack(">I", 0x08000100))


@pytest.mark.parametrize(
    ("raw", "more", "title", "declared"),
    [
        ("Глава".encode(), b"", "Глава", "utf-8"),
        ("Глава".encode(), ENCD, "Глава", "utf-8"),
        (b"\xfe\xff" + "Глава".encode("utf-16-be"), b"", "Глава", "utf-16"),
        (b"\xff\xfe" + "Глава".encode("utf-16-le"), ENCD, "Глава", "utf-16"),
        ("Глава".encode("mac-cyrillic"), atom(b"styl", bytes(4)) + atom(b"encd", struct.pack(">I", 7)), "Глава",
         "mac-cyrillic"),
        ("Café".encode("mac-roman"), atom(b"encd", bytes(4)), "Café", "mac-roman"),
        ("Глава".encode("cp1251"), b"", "\ufffd" * 5, "utf-8"),
        ("Глава".encode(), b"\0\0\0\2encd", "Глава", "utf-8"),
    ],
)  # fmt: skip
def test_titles_are_in_the_encoding_that_the_sample_names(raw, more, title, declared):
    samples = [spoken(raw, more), spoken(b"Two")]
    result = run(near_book(samples)).result
    assert [chapter.title for chapter in result.chapters] == [title, "Two"]
    assert [(tag.raw, tag.declared) for tag in result.tags] == [(raw, declared)]
    assert [as_object(chapter)["end"] for chapter in result.chapters] == [10, 20]


@pytest.mark.parametrize("offsets", [b"stco", b"co64"])
@pytest.mark.parametrize("chunk", [None, 1, 2])
def test_samples_are_found_in_one_chunk_or_in_several(offsets, chunk):
    samples = [spoken(b"Chapter %d" % n) for n in range(4)]
    places = [24 + sum(map(len, samples[:n])) for n in range(0, 4, chunk or 4)]
    media = atom(b"mdat", *samples)
    data = with_chapter_track(samples, at=places, chunk=chunk or 4, offsets=offsets, media=media)
    assert titles_of(data) == [f"Chapter {n}" for n in range(4)]


def test_samples_of_one_size_are_told_by_one_number():
    samples = [spoken(b"A"), spoken(b"B"), spoken(b"C")]
    sizes = atom(b"stsz", struct.pack(">III", 0, 3, 3))
    assert titles_of(near_book(samples, sizes=sizes)) == ["A", "B", "C"]


def test_a_text_without_letters_is_a_gap_unless_all_are():
    assert [chapter["start"] for chapter in chapters_of(near_book([spoken(b""), spoken(b"A"), spoken(b"B")]))] == [
        10, 20,
    ]  # fmt: skip
    assert [chapter["start"] for chapter in chapters_of(near_book([spoken(b""), spoken(b"")]))] == [0, 10]


def far(size):
    return atom(b"mdat", bytes(size))


def test_texts_that_are_near_each_other_cost_one_request():
    samples = [spoken(b"Chapter %d" % n) for n in range(9)]
    tail = b"".join(samples)
    plain = run(book() + far(1_000_000) + tail)
    data = with_chapter_track(samples, at=0, more=chpl((0, b"Other")))
    size = len(data) + len(far(1_000_000))
    data = with_chapter_track(samples, at=size, more=chpl((0, b"Other"))) + far(1_000_000) + tail
    probed = run(data)
    assert [chapter.title for chapter in probed.result.chapters] == [f"Chapter {n}" for n in range(9)]
    assert (probed.requests, probed.result.status) == (plain.requests + 1, "complete")


def test_texts_that_are_scattered_are_left_and_the_times_or_the_list_count():
    samples = [spoken(b"Chapter %d" % n) for n in range(3)]
    places = [100_000 * n for n in (1, 2, 3)]
    alone = with_chapter_track(samples, at=places) + far(1_000_000)
    probed = run(alone)
    assert [as_object(chapter) for chapter in probed.result.chapters] == [
        {"start": 0.0, "end": 10.0}, {"start": 10.0, "end": 20.0}, {"start": 20.0, "end": 30.0},
    ]  # fmt: skip
    assert (probed.requests, probed.result.status) == (run(book() + far(1_000_000)).requests, "complete")
    listed = with_chapter_track(samples, at=places, more=chpl((0, b"A"), (15, b"B"))) + far(1_000_000)
    assert chapters_of(listed) == [{"start": 0.0, "end": 15.0, "title": "A"}, {"start": 15.0, "title": "B"}]


def test_times_remain_where_the_budget_ends_before_the_texts():
    samples = [spoken(b"One"), spoken(b"Two")]
    data = with_chapter_track(samples, at=900_000) + far(1_000_000)
    result = run(data, ProbePolicy(max_requests=1)).result
    assert [as_object(chapter) for chapter in result.chapters] == [
        {"start": 0.0, "end": 10.0}, {"start": 10.0, "end": 20.0},
    ]  # fmt: skip
    assert (result.status, result.notes) == ("partial", ["budget"])


@pytest.mark.parametrize("more", [0, 3000])
def test_a_reference_behind_the_tables_of_a_long_book_is_looked_for_if_there_is_a_text_track(more):
    """It comes with what follows the track, or is worth a request if it is longer."""
    samples = [spoken(b"One"), spoken(b"Two")]
    tables = [
        table(b"stts", [(2, 10_000)]),
        table(b"stsc", [(1, 2, 1)]),
        atom(b"stsz", struct.pack(">III", 0, 5, 2)),
        table(b"stco", [(24,)]),
    ]
    stsz, tref = atom(b"stsz", bytes(600_000)), atom(b"tref", atom(b"chap", struct.pack(">I", 2)))
    media = atom(b"mdat", *samples)
    sounds = trak(1, b"soun", sound(), stsz, behind=tref + atom(b"free", bytes(more)))
    with_text = run(movie(sounds, trak(2, b"text", text(), *tables), brand=b"M4A ", front=media))
    assert [chapter.title for chapter in with_text.result.chapters] == ["One", "Two"]
    assert [track.kind for track in with_text.result.tracks] == ["audio"]
    assert with_text.result.status == "complete"
    alone = run(movie(sounds, brand=b"M4A ", front=media))
    assert with_text.requests == alone.requests + (2 if more else 1)


def test_pictures_of_chapters_are_neither_chapters_nor_a_track():
    tref = atom(b"tref", atom(b"chap", struct.pack(">I", 2)))
    # As many as a slow film has: by their number alone they would be one.
    times = table(b"stts", [(40, 100)])
    data = movie(trak(1, b"soun", sound(), before=tref), trak(2, b"vide", picture(b"jpeg"), times))
    result = run(data).result
    assert ([track.kind for track in result.tracks], result.chapters, result.is_video) == (["audio"], [], False)


# Hostile and broken tables.

MOST = 2**32 - 1


@pytest.mark.parametrize(
    "tables",
    [
        [table(b"stts", [(MOST, MOST)]), table(b"stsc", [(1, MOST, 1)]), atom(b"stsz", struct.pack(">III", 0, 9, MOST)),
         table(b"stco", [(0,)])],
        [table(b"stts", [(1, 1)], count=MOST), table(b"stsc", [], count=MOST), table(b"stco", [], count=MOST)],
        [table(b"stts", [(1, 1000)] * 4000), table(b"stsc", [(1, 1, 1)] * 4000), table(b"stco", [(0,)] * 4000),
         atom(b"stsz", struct.pack(">III", 0, 4096, MOST))],
        [table(b"stts", [(9, 0)]), table(b"stsc", [(9, 1, 1)]), table(b"stco", [(0,)])],
        [table(b"stts", [(2, 1)]), atom(b"stsz", struct.pack(">III", 0, 2**31, 2)), table(b"stsc", [(1, 1, 1)]),
         table(b"co64", [(MOST, MOST), (MOST, MOST)])],
        [atom(b"stts"), atom(b"stsz"), atom(b"stsc"), atom(b"stco")],
        [],
    ],
)  # fmt: skip
def test_hostile_tables_end_at_the_limits(tables):
    tref = atom(b"tref", atom(b"chap", struct.pack(">4I", 2, 1, 2, 0)))
    data = movie(trak(1, b"soun", sound(), before=tref), trak(2, b"text", text(), *tables, before=tref))
    probed = run(data, restart=False)
    assert len(probed.result.chapters) <= ProbePolicy().max_chapters
    assert len(probed.result.tracks) == 1


def test_a_track_that_names_itself_its_chapters_is_a_track():
    tref = atom(b"tref", atom(b"chap", struct.pack(">I", 1)))
    (track,) = run(movie(trak(1, b"text", text(), before=tref))).result.tracks
    assert track.kind == "subtitle"


@pytest.mark.parametrize("count", [MOST, 500, 501])
def test_a_list_that_claims_more_than_there_is_or_may_be_is_cut(count):
    entries = [(n, b"x") for n in range(min(count, 600))]
    result = run(book(chpl(*entries, count=count))).result
    assert len(result.chapters) == min(count, 500)
    assert ("limit:chapters" in result.notes) == (count > 500)


SMALL = near_book([spoken("Глава".encode(), ENCD), spoken(b"Two")], more=chpl((0, b"One"), (5, b"Two")))


def test_each_cut_of_a_small_book_ends_calmly():
    for stop in range(len(SMALL)):
        run(SMALL[:stop], restart=False)


@given(st.lists(st.tuples(st.integers(0, len(SMALL) - 1), st.integers(0, 255)), min_size=1, max_size=12))
@settings(max_examples=examples(200))
def test_damage_in_a_small_book_ends_calmly(changes):
    data = bytearray(SMALL)
    for at, value in changes:
        data[at] = value
    probed = run(bytes(data), restart=False)
    build_item(probed.result, probed.probe, url=URL)
