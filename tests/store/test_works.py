"""One work, many sources: which records are of the same file."""

import sqlite3
import tempfile
from contextlib import closing
from pathlib import Path

import pytest
from harness import examples
from hypothesis import given, settings
from hypothesis import strategies as st

from mediacrawl.record import MediaItem
from mediacrawl.store import Catalogue

MD5, HEAD = "d41d8cd98f00b204e9800998ecf8427e", "a" * 64
SAME_HEAD = {"head_sha256": HEAD, "head_bytes": 16_384, "content_size": 5_000_000, "codec": "mp3"}


@pytest.fixture
def catalogue(tmp_path):
    with Catalogue(tmp_path / "media.db") as made:
        yield made


def url(name):
    return f"https://{name}.example/song.mp3"


def put(catalogue, name, **facts):
    catalogue.upsert({"content_url": url(name), "probe_status": "complete", **facts})


def title(text, source="id3v2.3"):
    return [{"source": source, "frame": "TIT2", "key": "title", "index": 0, "text": text}]


def works(catalogue):
    """Names of hosts whose records are of one work, the first one first."""
    found = {}
    for record in sorted(catalogue.newest(), key=lambda record: record["work"] is not None):
        name = record["content_url"].split("//")[1].split(".")[0]
        found.setdefault(record["work"] or record["id"], []).append(name)
    return sorted([first, *sorted(others)] for first, *others in found.values())


RAW = {"raw_b64": "z/Do4uXy"}
SAMPLES = {"codec": "pcm_s16le"}
FILES = {
    "of one audio, whatever stands around it": (
        [(name, {"audio_md5": MD5 if name < "d" else "1" * 32, "content_size": ord(name)}) for name in "abcd"],
        "abc d",
    ),
    "whose MD5 was not computed": ([(name, {"audio_md5": "0" * 32, "head_sha256": None}) for name in "ab"], "a b"),
    "of one head and size": (
        [("a", {}), ("b", {}), ("c", {"content_size": 5_000_001}), ("d", {"head_bytes": 8192})],
        "ab c d",
    ),
    "that are short and were read whole": ([(name, {"head_bytes": 2000, "content_size": 2000}) for name in "ab"], "ab"),
    "without a head": ([(name, {"head_bytes": 0}) for name in "ab"], "a b"),
    "of a short head": ([(name, {"head_bytes": 2000}) for name in "ab"], "a b"),
    "without a size": ([(name, {"content_size": None}) for name in "ab"], "a b"),
    "without a hash": ([(name, {"head_sha256": None}) for name in "ab"], "a b"),
    "of samples, which may begin with silence": ([(name, SAMPLES) for name in "ab"], "a b"),
    "of samples that were read whole": ([(name, {**SAMPLES, "content_size": 16_384}) for name in "ab"], "ab"),
    "with other texts behind one head": (
        [("a", {"tags": title("six")}), ("b", {"tags": title("seven")}), ("c", {"tags": title("six")})],
        "ac b",
    ),
    "with the texts of the second of one head": (
        [("a", {"tags": title("one")}), ("b", {"tags": title("two")}), ("c", {"tags": title("two")})],
        "a bc",
    ),
    "of which pages say other things, or whose texts were decided in other ways": (
        [
            ("a", {"tags": [{**title("Привет")[0], **RAW}, *title("One page", "page")]}),
            ("b", {"tags": [{**title("Ïðèâåò")[0], **RAW}, *title("Another", "page")]}),
        ],
        "ab",
    ),
    "that the last makes one work of two": (
        [("a", {"audio_md5": MD5, "head_sha256": None}), ("b", {}), ("c", {}), ("d", {"audio_md5": MD5})],
        "abcd",
    ),
    "that are seen again": ([(name, {}) for name in "abcabc"], "abc"),
    "that claim a work": ([("a", {"work": "f" * 32})], "a"),
}


@pytest.mark.parametrize(("records", "found"), FILES.values(), ids=FILES)
def test_files_are_of_one_work_or_not(catalogue, records, found):
    for name, facts in records:
        put(catalogue, name, **{**SAME_HEAD, **facts})
    assert works(catalogue) == [list(names) for names in found.split()]


def test_a_file_that_was_replaced_leaves_its_work_and_the_next_one_is_its_first(catalogue):
    for name in "abc":
        put(catalogue, name, **SAME_HEAD)
    put(catalogue, "a", **{**SAME_HEAD, "head_sha256": "b" * 64})
    assert works(catalogue) == [["a"], ["b", "c"]]
    put(catalogue, "a", **SAME_HEAD)
    assert works(catalogue) == [["a", "b", "c"]]


def test_rows_that_a_person_deletes_leave_the_others_in_their_work(tmp_path, catalogue):
    for name in "abc":
        put(catalogue, name, audio_md5=MD5)
    with closing(sqlite3.connect(tmp_path / "media.db")) as db, db:
        db.execute("DELETE FROM media WHERE content_url = ?", (url("a"),))
    assert works(catalogue) == [["b", "c"]]
    put(catalogue, "a", audio_md5=MD5)
    assert works(catalogue) == [["b", "a", "c"]]


PLAYER = {"probe_status": "page", "content_url": "https://player.example/7"}


def test_a_player_and_the_files_that_were_found_in_it_are_one_work(catalogue):
    catalogue.upsert(PLAYER)
    for name in ("one", "two"):
        put(catalogue, name, page_url="https://player.example/7", player_url="https://player.example/7")
    assert works(catalogue) == [["player", "one", "two"]]
    # Seen again nothing changes, whichever it is.
    for record in (PLAYER, {"content_url": url("one")}, PLAYER):
        catalogue.upsert(record)
        assert works(catalogue) == [["player", "one", "two"]]


def test_a_file_that_came_before_its_player_is_of_its_work(catalogue):
    put(catalogue, "one", page_url="https://player.example/7", embed_url="https://player.example/7")
    catalogue.upsert(PLAYER)
    assert works(catalogue) == [["one", "player"]]


@pytest.mark.parametrize(
    "facts",
    [
        {"page_url": "https://player.example/7"},
        {"player_url": "https://player.example/7"},
        {"page_url": "https://elsewhere.example/", "embed_url": "https://player.example/7"},
        {"page_url": "https://player.example/7", "player_url": "https://player.example/7", "probe_status": "page"},
    ],
)
def test_a_file_that_only_stands_on_the_same_page_or_is_claimed_elsewhere_is_not_of_the_player(catalogue, facts):
    catalogue.upsert(PLAYER)
    put(catalogue, "one", **facts)
    assert works(catalogue) == [["one"], ["player"]]


def test_a_search_shows_a_work_once_with_all_its_sources(catalogue):
    for name, page in (("a", "Concert"), ("b", "Mirror of the concert"), ("c", "Concert")):
        put(catalogue, name, audio_md5=MD5 if name != "c" else None, page_title=page)
    found = {record["content_url"]: sources for record, sources in catalogue.works("concert")}
    assert sorted(map(len, found.values())) == [0, 1]
    assert found[url("c")] == []
    ((record, sources),) = catalogue.works("mirror")
    assert (record["content_url"], sources) == (url("b"), [url("a")])
    assert len(list(catalogue.works((), limit=1))) == 1
    assert catalogue.summary().repeated == 1


def test_a_catalogue_from_before_gets_its_works_when_it_is_opened(tmp_path):
    path = tmp_path / "media.db"
    with Catalogue(path) as made:
        for name, facts in (("a", {"audio_md5": MD5}), ("b", SAME_HEAD), ("c", {"audio_md5": MD5}), ("d", SAME_HEAD)):
            put(made, name, **facts)
    with closing(sqlite3.connect(path)) as db, db:
        for statement in ("TRIGGER media_work_removed", "INDEX media_work", "INDEX media_audio"):
            db.execute(f"DROP {statement}")
        db.execute("ALTER TABLE media DROP COLUMN work")
    with Catalogue(path, read_only=True) as old:
        assert {record["work"] for record in old.newest()} == {None}
        assert [sources for _, sources in old.works(())] == [[], [], [], []]
        assert old.summary().repeated == 0
    with Catalogue(path) as new:
        assert works(new) == [["a", "c"], ["b", "d"]]


CHANGES = st.tuples(
    st.sampled_from("abcde"), st.sampled_from([None, "1" * 32, "2" * 32]), st.sampled_from([None, "8" * 64, "9" * 64])
)


@settings(max_examples=examples(25), deadline=None)
@given(st.lists(CHANGES, max_size=14), st.sets(st.sampled_from("abcde"), max_size=2))
def test_whatever_is_stored_and_deleted_each_work_has_a_first_record_and_like_files_one_work(changes, deleted):
    with tempfile.TemporaryDirectory() as folder, Catalogue(Path(folder) / "media.db") as made:
        for name, audio, head in changes:
            put(made, name, **{**SAME_HEAD, "audio_md5": audio, "head_sha256": head})
        for name in deleted:
            made._database.execute("DELETE FROM media WHERE content_url = ?", (url(name),))
        rows = list(made._database.execute("SELECT number, id, work, audio_md5 FROM media ORDER BY number"))
        firsts = {row["id"]: row["number"] for row in rows if row["work"] is None}
        assert {row["work"] for row in rows} - {None} <= firsts.keys()
        assert all(firsts[row["work"]] < row["number"] for row in rows if row["work"])
        by_audio = {}
        for row in rows:
            if row["audio_md5"]:
                by_audio.setdefault(row["audio_md5"], set()).add(row["work"] or row["id"])
        assert all(len(found) == 1 for found in by_audio.values())


LOST = [("????", "夜の電車"), ("Beyonc?", "Beyoncé"), ("Caf\ufffd", "Café")]


@pytest.mark.parametrize(("lost", "whole"), LOST)
@pytest.mark.parametrize("order", ["ab", "ba"])
def test_what_a_record_lost_comes_from_another_of_its_work(catalogue, lost, whole, order):
    told = {"a": title(lost), "b": [*title(lost), *title(whole, "feed")]}
    for name in order:
        put(catalogue, name, **SAME_HEAD, tags=told[name], title=whole if name == "b" else lost)
    records = {record["content_url"]: record for record in catalogue.newest()}
    assert [record["title"] for record in records.values()] == [whole, whole]
    assert records[url("a")]["tags"] == [*title(lost), {**title(whole, "feed")[0], "copy_url": url("b")}]
    assert records[url("b")]["tags"] == told["b"]
    before = list(catalogue.newest())
    put(catalogue, "b", **SAME_HEAD, tags=told["b"], title=whole)
    assert [record["tags"] for record in catalogue.newest()] == [record["tags"] for record in before]


@pytest.mark.parametrize(
    "facts",
    [
        {"title": "Why?", "tags": title("Why?")},
        {"title": "???", "tags": title("???"), "fixed_by_user": ["title"]},
        {"title": "Low Water", "tags": title("Low Water")},
        {"title": "????", "tags": title("????"), "content_size": 7},
    ],
)
def test_what_is_whole_or_a_persons_or_of_another_file_stays(catalogue, facts):
    put(catalogue, "a", **{**SAME_HEAD, **facts})
    put(catalogue, "b", **SAME_HEAD, tags=[*facts["tags"], *title("夜の電車", "feed")], title="夜の電車")
    assert catalogue.get(MediaItem.id_of(url("a")))["title"] == facts["title"]
