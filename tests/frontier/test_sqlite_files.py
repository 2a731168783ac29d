"""The files of the SQLite store: what a refused start, a reader, a power cut, a set clock and another program leave."""

import os
import random
import shutil
import sqlite3
import subprocess
import sys
from contextlib import closing, suppress

import pytest

from mediacrawl.base.terms import Candidate, End, Outcome
from mediacrawl.frontier import FrontierError, FrontierPolicy
from mediacrawl.frontier.contract import FrontierLostError
from mediacrawl.frontier.sqlite.reader import FrontierReader
from mediacrawl.frontier.stores import check_store, delete_store, open_store
from mediacrawl.politeness.delay import DelayPolicy
from mediacrawl.programs.frontier_tools.checking import check
from mediacrawl.programs.frontier_tools.repairing import UrlNaming, repair

DELAY, FIRST = 10.0, 60.0
POLICY = FrontierPolicy(delay=DelayPolicy(0, DELAY, 1_000, FIRST, window=1), explore=0.0)
NAMING = UrlNaming(lambda url: url.split("/")[2], lambda _: "pages")
OFFSET = 500.0
"""Of the clock of these stores."""


def start(folder, now=1_000.0, **options):
    return open_store("sqlite", folder, POLICY, now, **options)


def candidates(number, site="a.org"):
    return [Candidate(f"http://{site}/{n}", site, "pages") for n in range(number)]


def visit(store, now, site, **outcome):
    """Ask one URL of a site."""
    store.add(candidates(5, site))
    for lease in store.take(now, 100):
        asked = lease.site == site
        store.finish(
            lease, Outcome(End.DONE if asked else End.RETURNED, response_time=0.1, asked=asked, **outcome), now
        )
    store.commit()


def killed(folder, store):
    """The files as a kill would leave them at this moment."""
    folder.mkdir()
    for path in store._path.parent.iterdir():
        shutil.copy(path, folder)
    return folder


def contents(folder):
    return {path.name: path.read_bytes() for path in folder.iterdir()}


@pytest.fixture
def state(tmp_path):
    """The folder of a killed crawl: many commits, the later of them in the WAL only."""
    store = start(tmp_path / "running")
    for number in range(40):
        store.add(candidates(40, f"s{number}.org"))
        store.commit()
        if number == 9:
            store._db.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    yield killed(tmp_path / "state", store)
    store.close()


# -- what is refused, or only read ----------------------------------------------------------------------------------


def flipped(path, place):
    """One bit of the file is wrong."""
    content = bytearray(path.read_bytes())
    content[int(len(content) * place)] ^= 1
    path.write_bytes(content)


DAMAGE = {
    "a bit near the start": lambda state: flipped(state / "frontier.db-wal", 0.1),
    "a bit in the middle": lambda state: flipped(state / "frontier.db-wal", 0.5),
    "a bit at the end": lambda state: flipped(state / "frontier.db-wal", 0.99),
    "the header of the WAL": lambda state: flipped(state / "frontier.db-wal", 0.0),
    "half of the WAL": lambda state: os.truncate(state / "frontier.db-wal", 60_000),
    "no -shm": lambda state: (flipped(state / "frontier.db-wal", 0.5), (state / "frontier.db-shm").unlink()),
    "an emptied file": lambda state: os.truncate(state / "frontier.db", 0),
    "an emptied file without a mark": lambda state: (
        os.truncate(state / "frontier.db", 0),
        os.truncate(state / "frontier.lock", 0),
    ),
    "the file is gone": lambda state: (state / "frontier.db").unlink(),
}


@pytest.fixture(params=DAMAGE)
def damaged(request, state):
    DAMAGE[request.param](state)
    return state


def saved(folder):
    """What a repair saves, or the end of its sentence if that is nothing."""
    try:
        return repair(folder / "frontier.db", 2_000.0, NAMING).saved
    except FrontierError as error:
        return str(error).replace(str(folder), "")


def test_a_refused_start_and_every_reader_leave_what_a_repair_can_save(damaged, tmp_path, request):
    expected = saved(shutil.copytree(damaged, tmp_path / "first"))
    before = contents(damaged)
    for use in (start, lambda folder: check_store("sqlite", folder), lambda folder: check(folder / "frontier.db")):
        with suppress(FrontierError):
            assert not use(damaged).sound
    with suppress(FrontierError), FrontierReader(damaged / "frontier.db") as reader:
        reader.overview(2_000.0)
    after = contents(damaged)
    if "frontier.db-shm" not in before or request.node.callspec.params["damaged"] == "the header of the WAL":
        # SQLite makes its index of the WAL to read that, and makes it anew if it is the index of another one.
        assert after.pop("frontier.db-shm", None) != before.pop("frontier.db-shm", b"")
    assert after == before
    with pytest.raises(FrontierError):
        start(damaged)
    assert saved(damaged) == expected
    if isinstance(expected, str):
        assert "-a fresh=1" in expected
        kept = contents(damaged)
        assert {name: kept[name] for name in before} == before
        delete_store(damaged)
    else:
        assert expected["waiting"] >= 400
    start(damaged).close()


def test_a_start_that_is_refused_after_it_was_opened_to_write_changes_neither_file_nor_wal(state):
    with closing(sqlite3.connect(state / "frontier.db")) as db:
        (root,) = db.execute("SELECT rootpage FROM sqlite_master WHERE name = 'lease'").fetchone()
        db.execute("PRAGMA wal_checkpoint(TRUNCATE)")
        db.execute("INSERT OR REPLACE INTO total VALUES ('x', 1)")
        db.commit()
        killed_again = contents(state)
    for name, content in killed_again.items():
        (state / name).write_bytes(content)
    with (state / "frontier.db").open("r+b") as file:
        file.seek((root - 1) * 4096)
        file.write(random.Random(1).randbytes(4096))
    before = contents(state)
    assert before["frontier.db-wal"]
    with pytest.raises(FrontierError, match="repair"):
        start(state)
    after = contents(state)
    assert {name: after[name] for name in ("frontier.db", "frontier.db-wal")} == {
        name: before[name] for name in ("frontier.db", "frontier.db-wal")
    }


def test_a_sound_file_is_read_without_a_trace(state):
    before = contents(state)
    assert check(state / "frontier.db").problems == []
    with FrontierReader(state / "frontier.db") as reader:
        assert reader.overview(2_000.0).waiting == 1_600
    check_store("sqlite", state)
    assert contents(state) == before
    start(state).close()
    before = contents(state)
    assert check(state / "frontier.db").problems == []
    with FrontierReader(state / "frontier.db") as reader:
        assert reader.overview(2_000.0).waiting == 1_600
    assert contents(state) == before


# -- clocks ---------------------------------------------------------------------------------------------------------


def reboot(folder):
    """The machine was restarted."""
    mark = folder / "frontier.lock"
    commits, _, *closed = mark.read_text().split()
    mark.write_text(" ".join([commits, "an-earlier-boot", *closed]) + "\n")


@pytest.mark.parametrize("jump", [3_600.0, 30.0, -30.0, -900.0, 0.0])
@pytest.mark.parametrize("way", ["killed", "closed"])
def test_a_clock_that_was_set_between_two_processes_makes_no_site_early_or_late(tmp_path, jump, way):
    store = start(tmp_path / "first", 1_000.0, offset=OFFSET)
    visit(store, 1_000.0, "a.org", crawl_delay=120.0)
    folder = killed(tmp_path / "killed", store)
    store.close()
    # Four seconds later.
    again = start(folder if way == "killed" else tmp_path / "first", 1_004.0 + jump, offset=OFFSET + jump)
    assert again.site("a.org").release == pytest.approx(1_120.0 + jump)
    assert again.take(1_119.0 + jump, 9) == []
    assert len(again.take(1_120.1 + jump, 9)) == 1
    again.close()


def test_after_a_restart_of_the_machine_only_a_clock_that_was_set_back_counts(tmp_path, monkeypatch):
    store = start(tmp_path, 1_000.0, offset=OFFSET)
    visit(store, 1_000.0, "a.org")
    store.close()
    reboot(tmp_path)
    monkeypatch.setattr("mediacrawl.frontier.sqlite.tables.this_boot", lambda: "another")
    store = start(tmp_path, 1_005.0, offset=1_003.0)
    assert store.site("a.org").release == 1_010.0
    store.close()


@pytest.mark.parametrize("lost", ["nothing", "the WAL"])
def test_after_a_power_cut_every_site_waits_its_whole_delay(tmp_path, lost):
    store = start(tmp_path / "first", 1_000.0)
    visit(store, 1_000.0, "a.org")
    visit(store, 1_001.0, "patient.org", crawl_delay=120.0)
    visit(store, 1_002.0, "busy.org", retry_after=300.0)
    visit(store, 1_015.0, "a.org")
    visit(store, 1_016.0, "new.org")
    folder = killed(tmp_path / "cut", store)
    store.close()
    reboot(folder)
    if lost == "the WAL":
        os.truncate(folder / "frontier.db-wal", 0)
    store = start(folder, 1_017.0)
    store.add(candidates(1, "new.org") + candidates(9, "a.org"))
    assert store.take(1_026.9, 9) == []
    assert store.site("a.org").release == 1_017.0 + DELAY
    assert store.site("patient.org").release == 1_017.0 + 120.0
    assert store.site("busy.org").release == 1_017.0 + 300.0
    # Known or not: it may have been asked a moment ago, for the first time.
    assert store.site("new.org").release >= 1_017.0 + DELAY
    if lost == "the WAL":
        assert store.site("new.org").release == 1_017.0 + FIRST
        again = start(killed(tmp_path / "killed", store), 1_018.0)
        again.add(candidates(1, "newer.org"))
        assert again.site("newer.org").release == 1_017.0 + FIRST
        again.close()
    assert check(folder / "frontier.db").problems == []
    store.close()


def test_a_repair_after_a_power_cut_lets_every_site_wait_too(tmp_path):
    store = start(tmp_path / "first", 1_000.0)
    visit(store, 1_000.0, "a.org")
    store._db.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    visit(store, 1_011.0, "a.org")
    folder = killed(tmp_path / "cut", store)
    store.close()
    reboot(folder)
    flipped(folder / "frontier.db-wal", 0.5)
    repair(folder / "frontier.db", 1_012.0, NAMING, policy=POLICY.delay)
    assert check(folder / "frontier.db").sound
    store = start(folder, 1_012.0)
    store.add(candidates(9) + candidates(1, "new.org"))
    assert store.take(1_021.9, 9) == []
    store.close()


def test_a_damaged_log_of_which_there_is_an_index_is_no_lock_of_another_program(state):
    """The index of a killed crawl, or of the last look at the file, does not fit the log any more."""
    flipped(state / "frontier.db-wal", 0.0)
    for _ in range(2):
        with pytest.raises(FrontierError, match="commits are missing"):
            start(state)
        assert "commits are missing" in str(check(state / "frontier.db"))


def test_a_frontier_that_was_closed_before_the_machine_was_restarted_waits_for_nothing(tmp_path):
    store = start(tmp_path, 1_000.0)
    visit(store, 1_000.0, "a.org")
    store.close()
    reboot(tmp_path)
    store = start(tmp_path, 1_011.0)
    assert len(store.take(1_011.0, 9)) == 1
    store.close()


# -- the files at their place ---------------------------------------------------------------------------------------


def replaced(path):
    shutil.copy(path, path.with_suffix(".copy"))
    path.with_suffix(".copy").replace(path)


LOST = {
    "the folder is gone": shutil.rmtree,
    "the folder was renamed": lambda folder: folder.rename(folder.with_name("renamed")),
    "the file is gone": lambda folder: (folder / "frontier.db").unlink(),
    "the file was replaced": lambda folder: replaced(folder / "frontier.db"),
    "the lock is gone": lambda folder: (folder / "frontier.lock").unlink(),
    "the lock was replaced": lambda folder: replaced(folder / "frontier.lock"),
}


@pytest.mark.parametrize("how", LOST)
def test_a_store_whose_files_are_no_longer_in_their_place_gives_no_lease(tmp_path, how):
    store = start(tmp_path / "state")
    store.add(candidates(3))
    store.commit()
    LOST[how](tmp_path / "state")
    with pytest.raises(FrontierLostError, match="was removed, moved or replaced"):
        store.take(1_000.0, 1)
    with pytest.raises(FrontierError, match="was removed, moved or replaced"):
        store.add(candidates(9))
    store.close()


@pytest.mark.parametrize("notices", [True, False])
def test_a_store_that_ends_leaves_the_files_of_the_one_in_its_place(tmp_path, notices):
    old = start(tmp_path / "state")
    old.add(candidates(3))
    old.commit()
    shutil.rmtree(tmp_path / "state")
    new = start(tmp_path / "state")
    new.add(candidates(50, "b.org"))
    new.commit()
    if notices:
        with pytest.raises(FrontierLostError):
            old.commit()
    with suppress(FrontierLostError):
        old.close()
    left = start(killed(tmp_path / "killed", new))
    assert left.pending() == 50
    left.close()
    new.close()


# -- other programs, and earlier versions ---------------------------------------------------------------------------

HOLD = """
import sqlite3, sys
db = sqlite3.connect(sys.argv[1], isolation_level=None)
db.execute(f"PRAGMA locking_mode = {sys.argv[2]}")
db.execute("BEGIN IMMEDIATE")
db.execute("CREATE TABLE IF NOT EXISTS held (x)")
print("held", flush=True)
sys.stdin.read()
"""


@pytest.mark.parametrize("mode", ["NORMAL", "EXCLUSIVE"])
def test_a_locked_file_is_named_with_who_holds_it_and_is_not_given_up(tmp_path, mode):
    store = start(tmp_path)
    store.add(candidates(3))
    store.close()
    words = [sys.executable, "-c", HOLD, str(tmp_path / "frontier.db"), mode]
    with subprocess.Popen(words, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as holder:
        holder.stdout.readline()
        with pytest.raises(FrontierError, match=rf"is locked by .*\(process {holder.pid}\); wait") as refused:
            start(tmp_path)
        holder.stdin.close()
    assert "repair" not in str(refused.value)
    assert "fresh" not in str(refused.value)
    with closing(sqlite3.connect(tmp_path / "frontier.db")) as db:
        db.execute("DROP TABLE IF EXISTS held")
    store = start(tmp_path)
    assert store.pending() == 3
    store.close()


def test_totals_that_an_earlier_version_does_not_keep_are_counted_again(tmp_path):
    store = start(tmp_path)
    store.add(candidates(30))
    store.commit()
    size = store.counts().bytes
    store.close()
    # An earlier version adds and ends URLs and counts its commits, and leaves alone what it does not know.
    with closing(sqlite3.connect(tmp_path / "frontier.db")) as db:
        db.execute("UPDATE total SET value = value + 7 WHERE name = 'commits'")
        db.execute("UPDATE total SET value = 12 WHERE name = 'bytes'")
        db.commit()
    assert check(tmp_path / "frontier.db").problems == []
    store = start(tmp_path)
    assert store.counts().bytes == size
    store.close()
    assert check(tmp_path / "frontier.db").problems == []
    with closing(sqlite3.connect(tmp_path / "frontier.db")) as db:
        db.execute("UPDATE total SET value = 12 WHERE name = 'bytes'")
        db.commit()
    assert "the total of bytes says 12" in str(check(tmp_path / "frontier.db"))
