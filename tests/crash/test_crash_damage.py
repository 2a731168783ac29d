"""What the user of a real ``mediacrawl crawl media`` sees when the state folder cannot be used, or was damaged."""

import os
import random
import re
import shutil
import sqlite3
from contextlib import closing

import crash_plan
import pytest
import refused
from crash_evidence import CATALOGUE, STORE, WAL
from harness import slow

from mediacrawl.frontier import FrontierPolicy
from mediacrawl.frontier.stores import open_store
from mediacrawl.store import Catalogue

PAGE = 4096
UNUSABLE = (
    r"frontier\.db cannot be used as a frontier \(.+\); see what is wrong with (scrapy|mediacrawl) frontier check, "
    r"save what can be saved with (scrapy|mediacrawl) frontier repair, or start over with -a fresh=1"
)

UNKEPT = r"the frontier cannot be kept in .*state: .+; choose another folder with JOBDIR"


@pytest.fixture(scope="module")
def killed(tmp_path_factory):
    """The state folder of a crawl that was killed."""
    return refused.killed_crawl(tmp_path_factory.mktemp("killed"))


@pytest.fixture
def state(killed, tmp_path):
    """A copy of it."""
    return shutil.copytree(killed, tmp_path / "state")


# -- damage: one function each, which gets the database and its log ------------------------------------------


def at_rest(database, log):
    """Put the log back into the database, as a crawl does that ends in peace."""
    with closing(sqlite3.connect(database)) as db:
        db.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    log.unlink(missing_ok=True)


def noise(path, start, length):
    with path.open("r+b") as file:
        file.seek(start)
        file.write(random.Random(7).randbytes(length))


def whole(database, log):
    pass


def noise_in_header(database, log):
    at_rest(database, log)
    noise(database, 0, 100)


def noise_in_first_page(database, log):
    at_rest(database, log)
    noise(database, 100, PAGE - 100)


def noise_in_the_middle(database, log):
    pages = database.stat().st_size // PAGE
    noise(database, pages // 3 * PAGE, pages // 3 * PAGE)


def noise_in_pages_read_later(database, log):
    for start in range(0, database.stat().st_size, PAGE):
        if database.read_bytes()[start : start + PAGE].count(b"http://127.0.") > 10:
            noise(database, start, PAGE)


def noise_in_what_is_known_of_urls(database, log):
    """The tables are whole; the packed columns are not."""
    at_rest(database, log)
    with closing(sqlite3.connect(database)) as db:
        for table in ("url", "inbox"):
            db.execute(f"UPDATE {table} SET facts = randomblob(40)")
        db.commit()


def cut_short(database, log):
    os.truncate(database, database.stat().st_size // 3)


def cut_short_at_rest(database, log):
    at_rest(database, log)
    os.truncate(database, database.stat().st_size // 3)


def last_page_gone(database, log):
    at_rest(database, log)
    os.truncate(database, database.stat().st_size - PAGE)


def empty(database, log):
    at_rest(database, log)
    os.truncate(database, 0)


def empty_beside_its_log(database, log):
    os.truncate(database, 0)


def noise_in_log(database, log):
    noise(log, 0, log.stat().st_size)


def log_deleted(database, log):
    log.unlink()


def log_cut_short(database, log):
    os.truncate(log, log.stat().st_size // 2)


def log_cut_short_by_a_power_cut(database, log):
    """The lock file names another start of the machine."""
    log_cut_short(database, log)
    mark = database.with_suffix(".lock")
    mark.write_text(f"{mark.read_text().split()[0]} an-earlier-boot\n")


def folder_in_its_place(database, log):
    log.unlink()
    database.unlink()
    database.mkdir()


FINE, REFUSED, SOON_OR_LATER = {0}, {2}, {1, 2}
"""Exit codes: the crawl continues; it is refused before the log begins; or, if that cannot be seen, it stops."""

# The one place to say what a user sees.
SEEN = [
    (whole, FINE, None),
    (noise_in_header, REFUSED, UNUSABLE),
    (noise_in_first_page, REFUSED, UNUSABLE),
    (noise_in_the_middle, SOON_OR_LATER, UNUSABLE),
    (noise_in_pages_read_later, SOON_OR_LATER, UNUSABLE),
    (noise_in_what_is_known_of_urls, SOON_OR_LATER, UNUSABLE),
    (cut_short, SOON_OR_LATER, UNUSABLE),
    (cut_short_at_rest, REFUSED, UNUSABLE),
    (last_page_gone, REFUSED, UNUSABLE),
    (folder_in_its_place, REFUSED, UNKEPT),
    # The lock file knows how many commits there were.
    (log_cut_short, REFUSED, UNUSABLE),
    (noise_in_log, REFUSED, UNUSABLE),
    (log_deleted, REFUSED, UNUSABLE),
    (empty, REFUSED, UNUSABLE),
    (empty_beside_its_log, REFUSED, UNUSABLE),
    # A power cut may end the log early: SQLite goes back to the last whole commit.
    (log_cut_short_by_a_power_cut, FINE, None),
]


@pytest.mark.parametrize(("damage", "codes", "sentence"), SEEN, ids=lambda value: getattr(value, "__name__", "-"))
def test_a_damaged_store_is_refused_with_one_sentence_and_a_way_out(state, damage, codes, sentence):
    damage(state / STORE, state / WAL)
    # One that is to stop by itself has all the time to come upon the damage, also if the machine is busy.
    seen = refused.crawl(state, seconds=1 if codes is FINE else 45)
    assert "Traceback" not in seen.text
    assert seen.code in codes
    if sentence is None:
        assert seen.complaints == []
        assert "Resuming" in seen.text
    else:
        seen.says(sentence)


# tests/programs/frontier_tools/test_repair.py has more of each kind.
REPAIRED = [
    noise_in_the_middle,
    noise_in_pages_read_later,
    noise_in_what_is_known_of_urls,
    cut_short,
    noise_in_log,
    log_cut_short_by_a_power_cut,
]
LOST = [noise_in_header, cut_short_at_rest, last_page_gone, empty, empty_beside_its_log]
"""SQLite opens none of these."""

# All of them with 200 kills; make test has one of the file and one of its log.
TRIED = REPAIRED if crash_plan.LONG else [noise_in_pages_read_later, *slow(cut_short), noise_in_log]


@pytest.mark.parametrize("damage", TRIED, ids=lambda damage: damage.__name__)
def test_what_is_refused_can_be_checked_and_repaired_and_the_crawl_goes_on(state, damage):
    damage(state / STORE, state / WAL)
    found = refused.frontier(state, "check")
    assert (found.code, found.text.count("Traceback")) == (1, 0)
    assert "frontier repair" in found.text
    mended = refused.frontier(state, "repair")
    assert (mended.code, mended.text.count("Traceback")) == (0, 0), mended.text
    assert re.search(r"saved: \d+ seen, \d+ waiting", mended.text)
    assert "It is sound" in refused.frontier(state, "check").text
    again = refused.crawl(state)
    assert (again.code, again.complaints) == (0, [])
    assert "Resuming" in again.text


@pytest.mark.parametrize("damage", LOST if crash_plan.LONG else LOST[::4], ids=lambda damage: damage.__name__)
def test_what_cannot_be_repaired_stays_and_the_last_way_is_named(state, damage):
    Catalogue(state / CATALOGUE).close()
    damage(state / STORE, state / WAL)
    before = files(state)
    assert refused.frontier(state, "check").code == 1
    done = refused.frontier(state, "repair")
    assert (done.code, done.text.count("Traceback"), done.text.count("\n")) == (1, 0, 1)
    assert "start over from your seeds with -a fresh=1, which keeps the catalogue" in done.text
    assert files(state) == before
    seen = refused.crawl(state, "-a", "fresh=1", "-a", f"seed={refused.SEED}")
    assert (seen.code, seen.complaints) == (0, [])
    assert (state / CATALOGUE).exists()


def flipped(path):
    content = bytearray(path.read_bytes())
    content[len(content) // 2] ^= 1
    path.write_bytes(content)


def files(folder):
    """Of both databases; -shm is SQLite's index of the log, without content of its own."""
    return {path.name: path.read_bytes() for path in folder.glob("*.db*") if not path.name.endswith("-shm")}


def test_a_refused_start_leaves_a_repair_all_that_it_could_save_before(state, tmp_path):
    flipped(state / WAL)
    first = shutil.copytree(state, tmp_path / "first" / "state")
    before = files(state)
    assert refused.crawl(state).code == 2
    assert refused.frontier(state, "check").code == 1
    assert refused.frontier(state, "stats").code == 0
    assert files(state) == before
    told = [refused.frontier(folder, "repair").text.replace(str(folder), "") for folder in (first, state)]
    assert told[0] == told[1]
    assert "12500 waiting" not in told[0]
    assert "It is sound" in refused.frontier(state, "check").text


def test_a_refused_catalogue_keeps_its_log_whoever_looks_at_it(state):
    path = state / CATALOGUE
    with Catalogue(path) as catalogue:
        for number in range(50):
            catalogue.upsert({"content_url": f"https://a.example/{number}.mp3", "title": "x" * 500})
        left = files(state)
    for name, content in left.items():
        (state / name).write_bytes(content)
    flipped(path.with_name(f"{CATALOGUE}-wal"))
    before = files(state)
    for words in (("catalogue",), ("catalogue", "--export", str(state / "all.csv")), ("report",)):
        seen = refused.run(state, *words)
        assert (words[0] == "report") or (seen.code == 1 and "has lost its last" in seen.text)
        assert "Traceback" not in seen.text
    assert "has lost its last" in refused.crawl(state, seconds=20).text
    after = files(state)
    assert {name: after[name] for name in before if name.startswith(CATALOGUE)} == {
        name: content for name, content in before.items() if name.startswith(CATALOGUE)
    }


def test_a_damaged_catalogue_ends_the_crawl_before_anything_is_asked(state):
    Catalogue(state / CATALOGUE).close()
    noise(state / CATALOGUE, 0, 100)
    seen = refused.crawl(state, seconds=45)
    assert seen.code in SOON_OR_LATER
    assert "Traceback" not in seen.text
    seen.says(r"The catalogue .*media\.db is no SQLite database\. Name another file, or move this one away .*")


# -- folders -------------------------------------------------------------------------------------------------


@pytest.fixture
def read_only(state):
    """The state folder, in which nothing can be made or deleted."""
    state.chmod(0o555)
    yield state
    state.chmod(0o755)


def test_a_read_only_folder_is_refused_before_anything_is_asked(read_only):
    before = {path.name: path.read_bytes() for path in read_only.iterdir()}
    seen = refused.crawl(read_only, bound=True)
    assert seen.code == 2
    seen.says(UNKEPT)
    assert {path.name: path.read_bytes() for path in read_only.iterdir()} == before


def test_a_state_folder_that_cannot_be_made_is_refused(read_only):
    seen = refused.crawl(read_only / "more", "-a", f"seed={refused.SEED}", bound=True)
    assert seen.code == 2
    seen.says(r"the frontier cannot be kept in .*more: Permission denied; choose another folder with JOBDIR")


def test_a_file_in_place_of_the_state_folder_is_refused(tmp_path):
    (tmp_path / "state").touch()
    seen = refused.crawl(tmp_path / "state", "-a", f"seed={refused.SEED}")
    assert seen.code == 2
    seen.says(r"the frontier cannot be kept in .*state: .+; choose another folder with JOBDIR")


def test_read_only_files_in_a_folder_that_can_be_written_are_refused(state):
    for path in state.iterdir():
        path.chmod(0o444)
    seen = refused.crawl(state, bound=True)
    assert seen.code in {1, 2}
    assert "Traceback" not in seen.text
    seen.says(UNKEPT)


def test_a_second_crawl_on_the_same_folder_is_refused_and_harms_nothing(state):
    store = open_store("sqlite", state, FrontierPolicy(), 1000.0)
    waiting = store.pending()
    for extra in ([], ["-a", "fresh=1", "-a", f"seed={refused.SEED}"]):
        seen = refused.crawl(state, *extra)
        assert seen.code == 2
        seen.says(r"another crawl is working on .*frontier\.db; stop it first, or give this one its own folder .*")
    assert store.pending() == waiting
    assert store.take(2000.0, 4)
    store.close()
