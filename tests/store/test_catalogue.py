"""The catalogue: what is stored stays, what is asked is found, and no text breaks it."""

import gzip
import multiprocessing
import os
import random
import shutil
import signal
import sqlite3
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import closing, contextmanager
from dataclasses import asdict
from pathlib import Path

import pytest
from harness import examples
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from mediacrawl.record import MediaItem
from mediacrawl.store import Catalogue, CatalogueFilters, StoreError, UpsertOutcome, json_line, schema

NOON = 1_785_585_600.0  # 2026-08-01 12:00:00 UTC


class Clock:
    def __init__(self, now=NOON):
        self.now = now

    def __call__(self):
        return self.now


@pytest.fixture
def clock():
    return Clock()


@pytest.fixture
def catalogue(tmp_path, clock) -> Iterator[Catalogue]:
    with Catalogue(tmp_path / "media.db", clock=clock) as opened:
        yield opened


def item(name="1", **changes):
    url = f"https://media.tonspur.example/{name}.mp3"
    known = {"id": MediaItem.id_of(url), "content_url": url, "site": "tonspur.example", "encoding_format": "audio/mpeg"}
    return MediaItem(**{**known, **changes})


def titles(records):
    return [record["title"] for record in records]


# -- Storing


def test_a_record_comes_back_as_it_was_stored(catalogue):
    tags = [{"source": "id3v2.3", "frame": "TIT2", "key": "title", "text": "Привет", "raw_b64": "z/Do4uXy", "index": 0}]
    stored = item(title="Привет", duration=12.5, duration_estimated=False, content_size=2**40, tags=tags)
    assert catalogue.upsert(stored) is UpsertOutcome.NEW
    got = catalogue.get(stored.id)
    times = {"found_at": "2026-08-01T12:00:00Z", "last_seen_at": "2026-08-01T12:00:00Z"}
    assert got == {**asdict(stored), **times, "work": None}
    assert got["duration_estimated"] is False


def test_a_file_seen_again_is_one_record_with_its_first_sighting(catalogue, clock):
    assert catalogue.upsert(item(title="old")) is UpsertOutcome.NEW
    clock.now += 86_400
    assert catalogue.upsert(item(title="new")) is UpsertOutcome.AGAIN
    (got,) = catalogue.newest()
    assert (got["title"], got["found_at"], got["last_seen_at"]) == (
        "new",
        "2026-08-01T12:00:00Z",
        "2026-08-02T12:00:00Z",
    )


def test_a_foreign_dict_needs_only_a_url_and_keeps_what_we_do_not_know(catalogue):
    catalogue.upsert({"content_url": "https://a.example/x.ogg", "price": 3, "title": ["a", "list"], "id": 17})
    (got,) = catalogue.newest()
    assert got["id"] == MediaItem.id_of("https://a.example/x.ogg")
    assert got["title"] is None
    assert got["extra"] == {"price": 3, "title": ["a", "list"], "id": 17}


def test_an_exported_record_can_be_stored_again_and_is_the_same(tmp_path, catalogue, clock):
    catalogue.upsert({"content_url": "https://a.example/x.ogg", "price": 3, "title": "x", "tags": [{"text": "x"}]})
    (first,) = catalogue.newest()
    with Catalogue(tmp_path / "other.db", clock=clock) as other:
        other.upsert(first)
        assert list(other.newest()) == [first]


def test_a_record_without_a_url_is_refused(catalogue):
    with pytest.raises(ValueError, match="content_url"):
        catalogue.upsert({"title": "x"})
    assert catalogue.count() == 0


def test_halves_of_characters_do_not_lose_the_record(catalogue):
    catalogue.upsert(item(title="a\ud83d", artist="\ud83d\ude00", comment="nul\0", tags=[{"text": "\udfff"}]))
    (got,) = catalogue.newest()
    assert (got["title"], got["artist"], got["comment"]) == ("a\ufffd", "😀", "nul\ufffd")
    assert got["tags"] == [{"text": "\ufffd"}]
    json_line(got).encode()


nested = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(st.characters(codec=None, exclude_categories=()))
    | st.binary() | st.datetimes(),
    lambda inner: st.lists(inner) | st.dictionaries(st.text() | st.integers(), inner) | st.sets(st.integers()),
    max_leaves=10,
)  # fmt: skip
fields = st.sampled_from([*asdict(MediaItem()), "last_seen_at", "extra", "price", "\ud800", ""])


@settings(max_examples=examples(40), suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None)
@given(st.dictionaries(fields, nested))
def test_any_mapping_with_a_url_is_stored_and_comes_back_as_valid_json(catalogue, record):
    catalogue.upsert({**record, "content_url": "https://a.example/x"})
    for got in catalogue.newest():
        json_line(got).encode()


def test_a_nest_without_a_bottom_is_cut_off(catalogue):
    deep: list = []
    for _ in range(100_000):
        deep = [deep]
    catalogue.upsert({"content_url": "https://a.example/x", "nest": deep, "number": 10**5000})
    (got,) = catalogue.newest()
    assert json_line(got).count("[") < 50


# -- Finding


@pytest.mark.parametrize(
    ("words", "found"),
    [
        ("grosse", ["Größe"]), ("GRÖßE", ["Größe"]), ("gr", ["Größe"]), ("mull gro", ["Größe"]),
        ("駆け", ["夜に駆ける"]), ("yoru 駆け", []), ("100%", ["100% _x_"]), ("%", ["100% _x_"]), ("_x_", ["100% _x_"]),
        ("___", []), ("ac/dc", ["Thunder"]), ("ac dc", ["Thunder"]), ("привет", ["Привет"]), ("ivet", []),
        ("😀", []),
    ],
)  # fmt: skip
def test_words_are_found_as_a_person_means_them(catalogue, words, found):
    for number, (title, artist) in enumerate(
        [("Größe", "Müller grosse"), ("夜に駆ける", "YOASOBI"), ("Thunder", "AC/DC"), ("Привет", ""), ("100% _x_", "")]
    ):
        catalogue.upsert(item(str(number), title=title, artist=artist or None))
    assert titles(catalogue.search(words)) == found


def test_a_title_counts_more_than_a_comment(catalogue):
    catalogue.upsert(item("1", title="Ocean"))
    catalogue.upsert(item("2", title="Sea", comment="about the ocean"))
    assert titles(catalogue.search("ocean")) == ["Ocean", "Sea"]


@pytest.mark.parametrize(
    "words",
    ['"', '""', "'", "*", "a*b", "NEAR(", "AND", "a OR", "title:x", "-x", "^a", "(", ")", "\0", "\ud800", "a\0b",
     '"unfinished', "{title artist}: x", "\\", "%", "_", "x" * 100_000, "夜" * 100_000, "%" * 60_000, "x " * 5_000,
     "夜 " * 5_000, "\u0301", "\U0001fae8"],
)  # fmt: skip
def test_no_search_is_a_syntax_error(catalogue, words):
    catalogue.upsert(item(title="x"))
    list(catalogue.search(words))
    list(catalogue.search([words, "x"]))
    list(catalogue.search(words, filters=CatalogueFilters(site=words, format=words, kind=words)))


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None)
@given(st.text(st.characters(codec=None, exclude_categories=())))
def test_a_stranger_may_type_anything(catalogue, words):
    list(catalogue.search(words, limit=1))


def test_records_are_filtered_by_site_format_and_kind(catalogue):
    catalogue.upsert(item("1", title="a", container="mp3"))
    catalogue.upsert(item("2", title="b", site="b.example", encoding_format="audio/flac"))
    catalogue.upsert(item("3", title="c", type="VideoObject", encoding_format="video/mp4", audio_codec="AAC"))
    assert titles(catalogue.newest(filters=CatalogueFilters(site="B.example"))) == ["b"]
    assert titles(catalogue.newest(filters=CatalogueFilters(format="flac"))) == ["b"]
    assert titles(catalogue.newest(filters=CatalogueFilters(format="audio/mpeg"))) == ["a"]
    assert titles(catalogue.newest(filters=CatalogueFilters(format="MP3"))) == ["a"]
    assert titles(catalogue.newest(filters=CatalogueFilters(format="aac"))) == ["c"]
    assert titles(catalogue.newest(filters=CatalogueFilters(kind="video"))) == ["c"]
    assert titles(catalogue.search("tonspur", filters=CatalogueFilters(kind="audio"))) == ["b", "a"]


def test_the_newest_come_first_and_the_limit_holds(catalogue):
    for number in range(5):
        catalogue.upsert(item(str(number), title=str(number)))
    catalogue.upsert(item("0", title="0"))
    assert titles(catalogue.newest(2)) == ["4", "3"]
    assert len(list(catalogue.newest())) == 5


words = st.sampled_from(["alpha", "beta", "gamma", "delta", "größe"])
texts = st.none() | st.lists(words, min_size=1, max_size=3).map(" ".join)


@settings(max_examples=examples(25), suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None)
@given(
    st.lists(st.tuples(st.integers(0, 4), texts, texts, texts, st.sampled_from(["complete", "partial"])), max_size=25)
)
def test_the_index_knows_exactly_what_the_table_holds(tmp_path_factory, changes):
    path = tmp_path_factory.mktemp("index") / "media.db"
    with Catalogue(path) as catalogue:
        for number, title, artist, page_title, status in changes:
            catalogue.upsert(item(str(number), title=title, artist=artist, page_title=page_title, probe_status=status))
        for word in ("alpha", "beta", "gamma", "delta", "größe"):
            expected = {
                got["id"]
                for got in catalogue.newest()
                if any(word in (got[field] or "").split() for field in ("title", "artist", "page_title"))
            }
            assert {got["id"] for got in catalogue.search(word)} == expected
    with sqlite3.connect(path) as raw:
        raw.execute("INSERT INTO media_text (media_text, rank) VALUES ('integrity-check', 1)")
        raw.execute("DELETE FROM media WHERE site = 'tonspur.example'")
        raw.execute("INSERT INTO media_text (media_text, rank) VALUES ('integrity-check', 1)")
    raw.close()


def test_copies_are_hinted_at_by_head_and_size(catalogue):
    same = {"head_sha256": "a" * 64, "head_bytes": 16384, "content_size": 5}
    catalogue.upsert(item("1", **same))
    catalogue.upsert(item("2", **same))
    catalogue.upsert(item("3", **{**same, "content_size": 6}))
    assert catalogue.summary().repeated == 1


def test_the_summary_counts_sizes_formats_and_what_they_cost(catalogue):
    for number, fetched in enumerate([16_384, 24_576, 200_000]):
        catalogue.upsert(item(str(number), bytes_fetched=fetched, content_size=5_000_000, duration=60.0))
    catalogue.upsert({"content_url": "https://b.example/x"})
    got = catalogue.summary()
    assert got.formats == {"audio/mpeg": 3, "unknown": 1}
    assert (got.records, got.media_sites, got.media_bytes_total, got.seconds) == (4, 1, 15_000_000, 180.0)
    assert (got.media_bytes_read, got.median_bytes_fetched) == (240_960, 24_576)


def test_what_a_crawl_stored_before_it_was_interrupted_is_not_known_before_it(tmp_path):
    clock = [1_000.0]
    for began, outcome in ((0.0, "new"), (1_000.0, "again"), (1_250.0, "updated")):
        with Catalogue(tmp_path / "x.db", clock=lambda: clock[0], began=began) as catalogue:
            clock[0] += 100
            assert catalogue.upsert(item("1")) == outcome
            assert catalogue.upsert(item("1")) == "again"


def test_the_figures_of_a_crawl_leave_out_what_only_earlier_ones_have_seen(tmp_path):
    clock = [1_000.0]
    with Catalogue(tmp_path / "x.db", clock=lambda: clock[0]) as catalogue:
        for number in range(4):
            clock[0] = 1_000.0 + 100 * number
            catalogue.upsert(item(str(number), site=f"{number % 2}.example", content_size=10, bytes_fetched=2))
        figures = catalogue.figures(1_200.0)
        assert (figures.records, figures.media_sites, figures.counted) == (2, 2, 2)
        assert (figures.media_bytes_total, figures.media_bytes_read, figures.formats) == (20, 4, {"audio/mpeg": 2})
        assert catalogue.figures().records == catalogue.summary().records == 4


def test_an_empty_catalogue_has_a_summary_too(catalogue):
    assert catalogue.summary().median_bytes_fetched == 0
    assert catalogue.get("nothing") is None


# -- Files that are not as they should be


def test_a_file_that_is_no_database_is_named_and_left_alone(tmp_path):
    path = tmp_path / "media.db"
    path.write_text("These are my notes. " * 100)
    with pytest.raises(StoreError, match=r"media\.db is no SQLite database\. Name another file"):
        Catalogue(path)
    assert path.read_text() == "These are my notes. " * 100


def test_the_database_of_another_program_is_not_written_to(tmp_path):
    path = tmp_path / "places.sqlite"
    with sqlite3.connect(path) as other:
        other.execute("CREATE TABLE bookmarks (url)")
    other.close()
    before = path.read_bytes()
    for read_only in (False, True):
        with pytest.raises(StoreError, match="another program"):
            Catalogue(path, read_only=read_only)
    assert path.read_bytes() == before


def test_a_newer_file_is_refused_with_its_version(tmp_path):
    path = tmp_path / "media.db"
    Catalogue(path).close()
    with sqlite3.connect(path) as raw:
        raw.execute("PRAGMA user_version = 99")
    raw.close()
    with pytest.raises(StoreError, match=r"newer mediacrawl.*99"):
        Catalogue(path)


def test_a_catalogue_of_version_0_2_is_upgraded_in_place(tmp_path):
    """The file was written by version 0.2. Its index has neither podcast nor composer, description and keywords."""
    path = tmp_path / "media.db"
    path.write_bytes(gzip.decompress((Path(__file__).parent / "catalogue-0.2.db.gz").read_bytes()))
    words = ("nachtzug", "meier", "bergen", "bahn", "folge")
    with Catalogue(path, read_only=True) as catalogue:
        assert [len(list(catalogue.search(word))) for word in words] == [0, 0, 0, 0, 1]
    with Catalogue(path) as catalogue:
        assert [len(list(catalogue.search(word))) for word in words] == [1] * 5
        (found,) = catalogue.search("nachtzug")
        assert (found["title"], found["language"], found["chapters"], found["identifiers"]) == ("Folge 1", "de", [], {})
        chapters = [{"start": 0.0, "title": "Anfang"}]
        catalogue.upsert({**found, "chapters": chapters, "podcast": "Morgenzug"})
        (found,) = catalogue.search("morgenzug")
        assert (found["chapters"], list(catalogue.search("nachtzug"))) == (chapters, [])
        assert catalogue.count() == 2
    with Catalogue(path) as catalogue:
        assert len(list(catalogue.search("morgenzug"))) == 1


def test_a_file_of_an_earlier_schema_gets_the_new_columns_and_can_be_read_without_them(tmp_path):
    path = tmp_path / "media.db"
    with Catalogue(path) as catalogue:
        catalogue.upsert(item(title="old"))
    with sqlite3.connect(path) as raw:
        raw.execute("ALTER TABLE media DROP COLUMN cover_mime")
    raw.close()
    with Catalogue(path, read_only=True) as catalogue:
        assert [(got["title"], got["cover_mime"]) for got in catalogue.newest()] == [("old", None)]
    with Catalogue(path) as catalogue:
        catalogue.upsert(item("2", cover_mime="image/png"))
        assert [got["cover_mime"] for got in catalogue.newest()] == ["image/png", None]


def test_reading_needs_a_catalogue_and_makes_none(tmp_path):
    with pytest.raises(StoreError, match="There is no catalogue at"):
        Catalogue(tmp_path / "media.db", read_only=True)
    (tmp_path / "empty.db").touch()
    with pytest.raises(StoreError, match="is empty"):
        Catalogue(tmp_path / "empty.db", read_only=True)
    assert [path.name for path in tmp_path.iterdir()] == ["empty.db"]


@pytest.fixture
def killed(tmp_path):
    """What a kill leaves of a catalogue of three records: all of them in the log."""
    path = tmp_path / "killed" / "media.db"
    path.parent.mkdir()
    with Catalogue(tmp_path / "media.db") as catalogue:
        for number in range(3):
            catalogue.upsert({"content_url": f"https://a.example/{number}.mp3"})
        for name in ("media.db", "media.db-wal", "media.db.mark"):
            shutil.copy(tmp_path / name, path.parent)
    return path


def emptied(path):
    path.write_bytes(b"")


def without_its_log(path):
    path.with_name("media.db-wal").unlink()


def put_back_from_a_copy(path):
    with Catalogue(path) as catalogue:
        catalogue.upsert({"content_url": "https://a.example/0.mp3"})
    copy = path.read_bytes()
    with Catalogue(path) as catalogue:
        catalogue.upsert({"content_url": "https://a.example/new.mp3"})
    path.write_bytes(copy)


@pytest.mark.parametrize("fault", [emptied, without_its_log, put_back_from_a_copy])
@pytest.mark.parametrize("read_only", [True, False])
def test_a_catalogue_that_has_lost_changes_is_refused_until_that_is_wished(killed, fault, read_only):
    fault(killed)
    left = {path.name: path.read_bytes() for path in killed.parent.iterdir() if not path.name.endswith("-shm")}
    for _ in range(2):
        with pytest.raises(StoreError, match=r"changes: media\.db-wal was removed.*delete media\.db\.mark"):
            Catalogue(killed, read_only=read_only)
    # SQLite itself would delete the log of a file that is empty, and with it what may be saved.
    now = {path.name: path.read_bytes() for path in killed.parent.iterdir() if path.name in left}
    assert {name: content for name, content in left.items() if content} == {
        name: content for name, content in now.items() if content
    }
    killed.with_name("media.db.mark").unlink()
    with Catalogue(killed) as catalogue:
        catalogue.upsert({"content_url": "https://a.example/again.mp3"})
    with Catalogue(killed, read_only=True) as catalogue:
        assert "https://a.example/again.mp3" in {record["content_url"] for record in catalogue.newest()}


def test_a_catalogue_that_was_killed_or_deleted_is_no_loss(killed):
    with Catalogue(killed) as catalogue:
        assert catalogue.summary().records == 3
    for path in killed.parent.glob("media.db*"):
        if not path.name.endswith(".mark"):
            path.unlink()
    with Catalogue(killed) as catalogue:
        assert catalogue.summary().records == 0
    Catalogue(killed).close()


def test_two_programs_that_write_a_catalogue_note_never_more_than_there_is(tmp_path):
    path = tmp_path / "media.db"
    with Catalogue(path) as first, Catalogue(path) as second:
        for number in range(20):
            (first, second)[number % 2].upsert({"content_url": f"https://a.example/{number}.mp3"})
            Catalogue(path, read_only=True).close()
    Catalogue(path).close()


def test_reading_leaves_no_file_behind_and_cannot_write(tmp_path):
    Catalogue(tmp_path / "media.db").close()
    with Catalogue(tmp_path / "media.db", read_only=True) as catalogue, pytest.raises(StoreError, match="read-only"):
        catalogue.upsert(item())
    assert sorted(path.name for path in tmp_path.iterdir()) == ["media.db", "media.db.mark"]


@contextmanager
def without_rights():
    """Root may write everywhere; the tests of rights act as a user who may not."""
    if os.geteuid():
        yield
        return
    os.seteuid(65534)
    try:
        yield
    finally:
        os.seteuid(0)


@pytest.fixture
def locked_folder():
    """A folder with a catalogue in which this user may only read."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        with Catalogue(folder / "media.db") as catalogue:
            catalogue.upsert(item(title="kept"))
        folder.chmod(0o555)
        (folder / "media.db").chmod(0o444)
        yield folder
        folder.chmod(0o755)


def test_a_folder_without_rights_is_told_in_a_sentence(locked_folder):
    with without_rights():
        with pytest.raises(StoreError, match=r"new\.db cannot be opened: check that"):
            Catalogue(locked_folder / "new.db")
        with pytest.raises(StoreError, match="read-only for this user"):
            Catalogue(locked_folder / "media.db")
        with pytest.raises(StoreError, match="cannot be made"):
            Catalogue(locked_folder / "deeper" / "media.db")


def test_a_catalogue_in_a_folder_without_rights_can_be_read(locked_folder):
    with without_rights(), Catalogue(locked_folder / "media.db", read_only=True) as catalogue:
        assert titles(catalogue.search("kept")) == ["kept"]


def test_a_full_disk_loses_the_new_record_only_and_says_so(tmp_path):
    with Catalogue(tmp_path / "media.db") as catalogue:
        catalogue.upsert(item("1", title="safe"))
        pages = catalogue._number("PRAGMA page_count")
        catalogue._number(f"PRAGMA max_page_count = {pages}")
        with pytest.raises(StoreError, match="the disk is full"):
            catalogue.upsert(item("2", title="lost", comment="x" * 1_000_000))
        catalogue._number("PRAGMA max_page_count = 1000000")
        catalogue.upsert(item("3", title="after"))
        assert titles(catalogue.newest()) == ["after", "safe"]
        assert list(catalogue.search("lost")) == []


# -- Crashes and company


def test_a_kill_leaves_every_record_that_was_stored(tmp_path):
    program = (
        "import sys\n"
        "from mediacrawl.store import Catalogue\n"
        "catalogue = Catalogue(sys.argv[1])\n"
        "for number in range(10_000):\n"
        "    catalogue.upsert({'content_url': f'https://a.example/{number}', 'title': f'number{number}'})\n"
        "    print(number, flush=True)\n"
    )
    path = tmp_path / "media.db"
    process = subprocess.Popen([sys.executable, "-c", program, str(path)], stdout=subprocess.PIPE, text=True)
    assert process.stdout
    last = random.Random(7).randrange(20, 200)
    told = 0
    for text in process.stdout:
        told = int(text)
        if told == last:
            process.send_signal(signal.SIGKILL)
    process.wait()
    process.stdout.close()
    with Catalogue(path) as catalogue:
        stored = catalogue.count()
        assert told + 1 <= stored <= told + 2
        assert titles(catalogue.search(f"number{told}", 1)) == [f"number{told}"]


def _store_many(path, letter):
    with Catalogue(path) as catalogue:
        for number in range(60):
            catalogue.upsert({"content_url": f"https://a.example/{number}", letter: number})


def test_two_processes_may_open_and_fill_one_catalogue_at_once(tmp_path):
    context = multiprocessing.get_context("spawn")
    path = tmp_path / "media.db"
    processes = [context.Process(target=_store_many, args=(path, letter)) for letter in "ab"]
    for process in processes:
        process.start()
    for process in processes:
        process.join()
    assert [process.exitcode for process in processes] == [0, 0]
    with Catalogue(path) as catalogue:
        assert catalogue.count() == 60
        assert all(got["extra"]["a"] == got["extra"]["b"] for got in catalogue.newest())


def test_a_record_counts_once_in_a_crawl_and_as_updated_if_an_earlier_one_had_it(tmp_path, clock):
    with Catalogue(tmp_path / "media.db", clock=clock) as first:
        assert [first.upsert(item("1")), first.upsert(item("1"))] == [UpsertOutcome.NEW, UpsertOutcome.AGAIN]
    clock.now += 10
    with Catalogue(tmp_path / "media.db", clock=clock) as second:
        clock.now += 10
        told = [second.upsert(item(name)) for name in ("1", "1", "2", "2")]
    assert told == [UpsertOutcome.UPDATED, UpsertOutcome.AGAIN, UpsertOutcome.NEW, UpsertOutcome.AGAIN]


def test_other_programs_find_the_index_also_in_a_file_of_an_earlier_version(tmp_path):
    path = tmp_path / "media.db"
    with Catalogue(path) as catalogue:
        catalogue.upsert({"id": "1", "content_url": "http://a.example/1.mp3", "title": "Night Train"})
    columns = ", ".join(schema.SEARCHED)
    with closing(sqlite3.connect(path)) as database, database:
        database.execute("DROP TABLE media_text")
        database.execute(
            f"CREATE VIRTUAL TABLE media_text USING fts5({columns}, content='media', content_rowid='number')"
        )
        database.execute("INSERT INTO media_text(media_text) VALUES ('rebuild')")
    with Catalogue(path, read_only=True) as catalogue:
        assert [each["title"] for each in catalogue.search("night")] == ["Night Train"]
    for _ in range(2):
        with Catalogue(path) as catalogue:
            assert [each["title"] for each in catalogue.search("night")] == ["Night Train"]
            catalogue.upsert({"id": "2", "content_url": "http://a.example/2.mp3", "title": "Day Train"})
            assert len(list(catalogue.search("train"))) == 2
    # What Datasette and sqlite-utils ask.
    sql = """SELECT name FROM sqlite_master WHERE rootpage = 0
        AND sql LIKE '%VIRTUAL TABLE%USING FTS%content="media"%'"""
    with closing(sqlite3.connect(path)) as database:
        assert database.execute(sql).fetchall() == [("media_text",)]


@pytest.mark.parametrize("moved", ["removed", "renamed", "replaced"])
def test_a_catalogue_that_is_taken_away_stores_nothing_more_and_leaves_what_is_in_its_place(tmp_path, moved):
    path = tmp_path / "state" / "media.db"
    catalogue = Catalogue(path)
    catalogue.upsert({"content_url": "https://a.example/1.mp3"})
    if moved == "replaced":
        shutil.copy(path, path.with_suffix(".copy"))
        path.with_suffix(".copy").replace(path)
    elif moved == "renamed":
        path.parent.rename(tmp_path / "renamed")
    else:
        shutil.rmtree(path.parent)
    with pytest.raises(StoreError, match="was removed, moved or replaced"):
        catalogue.upsert({"content_url": "https://a.example/2.mp3"})
    if moved == "replaced":
        catalogue.close()
        return
    with Catalogue(path) as new:
        new.upsert({"content_url": "https://a.example/3.mp3"})
        catalogue.close()
        kept = shutil.copytree(path.parent, tmp_path / "killed")
    with Catalogue(kept / "media.db", read_only=True) as left:
        assert [record["content_url"] for record in left.newest()] == ["https://a.example/3.mp3"]


def test_a_killed_catalogue_is_read_without_a_trace(killed):
    before = {path.name: path.read_bytes() for path in killed.parent.iterdir()}
    with Catalogue(killed, read_only=True) as catalogue:
        assert catalogue.summary().records == 3
    after = {path.name: path.read_bytes() for path in killed.parent.iterdir()}
    if "media.db-shm" not in before:
        after.pop("media.db-shm", None)
    assert after == before
