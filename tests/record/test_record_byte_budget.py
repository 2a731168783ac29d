"""A record holds no more text than the file was worth fetching."""

import json
import sqlite3
import zlib
from contextlib import closing

import pytest
from harness import slow
from hypothesis import given
from hypothesis import strategies as st
from itemadapter import ItemAdapter

from mediacrawl.base.evidence import tag_element
from mediacrawl.base.facts import fact, pack
from mediacrawl.base.parts import Chapter, Track
from mediacrawl.base.terms import Evidence, Tag
from mediacrawl.probe import Probe, ProbePolicy
from mediacrawl.probe.context import ParseContext, SparseFile
from mediacrawl.probe.text import Value
from mediacrawl.programs.demo.library import media_bytes
from mediacrawl.reading.list_reader import players_within
from mediacrawl.record import Fixer, MediaItem, build_item, build_page_item
from mediacrawl.record.build import FACTOR, LEAST, within
from mediacrawl.record.item import stored_bytes
from mediacrawl.store import Catalogue

LETTERS = {
    "ascii": b"ordinary words ",
    "latin-1": b"\xe9\xe8 \xfc\xe0\xf1 ",
    "escaped": b"\x01\x02",
    "not utf-8": b"\xff\xfe\xfd",
}


def frame(name, body, *, packed=True):
    """A frame of ID3v2.4, compressed (4.1.2: the flag k, and the length before it, p)."""
    data = len(body).to_bytes(4, "big") + zlib.compress(body, 9) if packed else body
    size = bytes(len(data) >> shift & 0x7F for shift in (21, 14, 7, 0))
    return name + size + (b"\0\x09" if packed else b"\0\0") + data


def song(frames):
    """An MP3 with a tag of these frames before its audio."""
    tag = b"".join(frames)
    size = bytes(len(tag) >> shift & 0x7F for shift in (21, 14, 7, 0))
    return b"ID3\x04\0\0" + size + tag + media_bytes("folge-1.mp3")[-20_000:]


def probed(data, policy):
    """A file's record, as a crawl makes it."""
    probe = Probe(policy)
    while found := probe.next_range():
        start, stop = found
        probe.feed(start, data[start:stop], len(data))
    item = build_item(probe.result(), probe, url=f"http://a.example/{len(data)}.mp3", site="a.example")
    Fixer().fix(ItemAdapter(item))
    return item


def elements(*tags):
    return [tag_element(Tag("id3v2.4", "TXXX", key, "latin-1", raw, raw.decode("latin-1"))) for key, raw in tags]


@pytest.mark.parametrize("letters", LETTERS.values(), ids=LETTERS)
@pytest.mark.parametrize("name", [b"TXXX", *slow(b"COMM", b"TIT2")])
def test_the_catalogue_takes_five_bytes_for_one_that_was_fetched(tmp_path, letters, name):
    lead = {b"TXXX": b"\0d\0", b"COMM": b"\0engd\0", b"TIT2": b"\0"}[name]
    records = []
    for number in range(6):
        body = lead + b"%d" % number + letters * (20_000 // len(letters))
        short = [frame(name, lead + letters * 20, packed=False) for _ in range(100)]
        records.append(
            probed(
                song([frame(b"TALB", b"\0An album", packed=False), *short, *[frame(name, body)] * 60]), ProbePolicy()
            )
        )
    path = tmp_path / "media.db"
    with Catalogue(path) as catalogue:
        empty = path.stat().st_size
        for number, record in enumerate(records):
            record.id, record.content_url = f"{number:032x}", f"http://a.example/{number}.mp3"
            catalogue.upsert(record)
    with closing(sqlite3.connect(path)) as db:
        db.execute("VACUUM")
    fetched = sum(record.bytes_fetched for record in records)
    assert path.stat().st_size - empty <= 5 * fetched
    for record in records:
        assert record.album == "An album"
        assert len(record.tags) >= 10
        assert record.texts_dropped >= 60


def test_an_honest_file_keeps_all_its_texts():
    lyrics = "\n".join(["Ночной поезд идёт в тишине"] * 60).encode("utf-8")
    frames = [
        frame(b"USLT", b"\3rusd\0" + lyrics, packed=False),
        frame(b"TIT2", b"\3\xd0\x96\xd1\x83\xd0\xba", packed=False),
    ]
    item = probed(
        song([*frames, *(frame(b"TXXX", b"\0n%d\0value" % n, packed=False) for n in range(40))]), ProbePolicy()
    )
    assert item.texts_dropped is None
    assert item.title == "\u0416\u0443\u043a"
    # The song has five texts in a tag of its own.
    assert len(item.tags) == 42 + 5


def test_what_fills_a_field_goes_first_and_the_order_stays():
    found = elements(("x", b"a" * 5_000), ("y", b"b" * 2_000), ("title", b"c" * 1_000), ("z", b"d" * 50))
    kept, dropped = within(found, 0, LEAST)
    assert [element["key"] for element in kept] == ["y", "title", "z"] or [e["key"] for e in kept][-2:] == [
        "title",
        "z",
    ]
    assert dropped == len(found) - len(kept) == 1


def test_a_short_page_gives_few_records_of_players(tmp_path):
    facts = pack([fact("page", "json-ld:name", "title", "A film"), fact("page", "json-ld:d", "description", "d" * 60)])
    players = [
        build_page_item(
            Evidence("json-ld", page_title="t" * 150, facts=facts),
            page_url=f"http://a.example/{'p' * 100}",
            site="a.example",
            found_at="2026-01-01T00:00:00Z",
            url=f"http://a.example/e/{number}",
        )
        for number in range(200)
    ]
    path = tmp_path / "media.db"
    with Catalogue(path) as catalogue:
        before = path.stat().st_size
        kept = players_within(players, 50_000, 50_000)
        for item in kept:
            catalogue.upsert(item)
    assert 80 <= len(kept) < 200
    assert kept == players[: len(kept)]
    assert path.stat().st_size - before <= 5 * 50_000
    assert 5 <= len(players_within(players, 0, 0)) <= 10


@given(
    st.lists(
        st.tuples(st.sampled_from([*MediaItem.FILE_FIELDS, *MediaItem.LINK_FIELDS, "x"]), st.binary(max_size=3_000)),
        max_size=30,
    ),
    st.integers(0, 20_000),
    st.integers(0, 50_000),
)
def test_no_record_has_more_than_its_room(tags, fetched, most):
    found = elements(*tags)
    kept, dropped = within(found, fetched, most)
    assert len(kept) + dropped == len(found)
    assert sum(map(stored_bytes, kept)) <= min(max(FACTOR * fetched, LEAST), most)


def with_parts(chapters, tracks):
    """A result of 16 KB that has many parts, each with a title that is not ASCII."""
    context = ParseContext(SparseFile(), ProbePolicy())
    title = Value("Ðåêà è áåðåã".encode("latin-1"), "latin-1")
    for _ in range(tracks):
        context.add_track("x", "Name", Track("audio", "aac", "de"), title)
    with context.stage("chapters"):
        context.add_chapters("x", "Title", [(Chapter(float(at)), title) for at in range(chapters)])
    return context.result


@pytest.mark.parametrize(("chapters", "tracks"), [(12, 3), (500, 64), (100_000, 1_000)])
def test_parts_and_texts_share_the_room_of_a_record(chapters, tracks):
    policy = ProbePolicy()
    result, probe = with_parts(chapters, tracks), Probe(policy)
    probe.feed(0, bytes(16 * 1024), 10**6)
    item = build_item(result, probe, url="http://a.example/a.m4b", site="a.example")
    parts = [*item.tracks, *item.chapters]
    taken = sum(len(json.dumps(part, ensure_ascii=False).encode()) for part in parts)
    assert taken + sum(map(stored_bytes, item.tags)) <= FACTOR * 16 * 1024
    shown = (min(tracks, policy.max_tracks), min(chapters, policy.max_chapters))
    if chapters == 12:
        assert (len(item.tracks), len(item.chapters), item.texts_dropped) == (*shown, None)
    else:
        assert item.chapters
        assert item.texts_dropped
        assert len(parts) + len(item.tags) + item.texts_dropped >= sum(shown)
