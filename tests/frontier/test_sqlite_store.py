"""What is special to the store in a file."""

import os
import resource
import sqlite3
import subprocess
import sys
from contextlib import closing
from pathlib import Path

import msgpack
import pytest

from mediacrawl.base.terms import Candidate, Drop, End, Evidence, Outcome
from mediacrawl.frontier import FrontierError, FrontierPolicy
from mediacrawl.frontier.sqlite import tables
from mediacrawl.frontier.sqlite.reader import FrontierReader
from mediacrawl.frontier.stores import check_store, delete_store, open_store
from mediacrawl.politeness.delay import DelayPolicy
from mediacrawl.programs.frontier_tools.checking import check

POLICY = FrontierPolicy(delay=DelayPolicy(0, 10, 10, 10), explore=0.0)


def start(folder, now=1000.0):
    return open_store("sqlite", folder, POLICY, now)


def candidates(number, site="a.org"):
    return [Candidate(f"http://{site}/{n}", site, "pages") for n in range(number)]


def test_facts_that_are_empty_take_no_room_in_a_row(tmp_path):
    store = start(tmp_path)
    found = [Evidence("a", "Lied"), Evidence("a", "Lied", facts="{}"), Evidence("a", "Lied", path="main/a")]
    store.add([Candidate(f"http://{n}.org/", f"{n}.org", evidence=one) for n, one in enumerate(found)])
    store.commit()
    lengths = [len(msgpack.unpackb(facts)) for (facts,) in store._db.execute("SELECT facts FROM inbox ORDER BY seq")]
    assert lengths == [13, 14, 15]
    assert check(tmp_path / "frontier.db").problems == []
    assert [lease.evidence for lease in store.take(1000.0, 3)] == found
    store.close()


def test_a_second_crawl_in_the_same_folder_is_refused_with_a_sentence(tmp_path):
    first = start(tmp_path)
    with pytest.raises(FrontierError, match="another crawl is working"):
        start(tmp_path)
    with pytest.raises(FrontierError, match="another crawl is working"):
        check_store("sqlite", tmp_path)
    first.close()
    start(tmp_path).close()


@pytest.mark.parametrize("noise", [b"not a database at all" * 100, b"SQLite format 3\0" + b"\xff" * 5000])
def test_a_file_that_is_no_frontier_is_refused_with_a_way_out(tmp_path, noise):
    (tmp_path / "frontier.db").write_bytes(noise)
    with pytest.raises(FrontierError, match="fresh=1"):
        start(tmp_path)


def test_a_file_that_was_cut_short_is_refused_with_a_way_out(tmp_path):
    store = start(tmp_path)
    store.add(candidates(3000))
    store.close()
    path = tmp_path / "frontier.db"
    os.truncate(path, path.stat().st_size // 3)
    with pytest.raises(FrontierError, match="fresh=1"):
        start(tmp_path)


def test_another_program_s_database_is_left_alone(tmp_path):
    with sqlite3.connect(tmp_path / "frontier.db") as db:
        db.execute("CREATE TABLE precious (x)")
    db.close()
    with pytest.raises(FrontierError, match="not a frontier"):
        start(tmp_path)


def test_a_newer_layout_is_refused(tmp_path):
    start(tmp_path).close()
    with sqlite3.connect(tmp_path / "frontier.db") as db:
        db.execute("PRAGMA user_version = 99")
    db.close()
    with pytest.raises(FrontierError, match="another version"):
        start(tmp_path)


def test_a_folder_that_cannot_be_made_is_refused(tmp_path):
    (tmp_path / "file").touch()
    with pytest.raises(FrontierError, match="cannot be kept"):
        start(tmp_path / "file" / "state")


def test_deleting_names_what_went_and_refuses_what_is_in_use(tmp_path):
    store = start(tmp_path)
    with pytest.raises(FrontierError, match="another crawl"):
        delete_store(tmp_path)
    store.close()
    assert [path.name for path in delete_store(tmp_path)] == ["frontier.db"]
    assert delete_store(tmp_path) == []


def test_a_store_that_failed_answers_nothing_more_and_keeps_what_was_committed(tmp_path):
    store = start(tmp_path)
    store.add(candidates(10))
    store.commit()
    blocker = sqlite3.connect(tmp_path / "frontier.db", isolation_level=None)
    blocker.execute("BEGIN IMMEDIATE")
    store._db.execute("PRAGMA busy_timeout = 10")
    with pytest.raises(FrontierError, match="what was committed is safe"):
        store.take(1000.0, 1)
    blocker.execute("ROLLBACK")
    blocker.close()
    with pytest.raises(FrontierError):
        store.add(candidates(20))
    store.close()
    again = start(tmp_path)
    assert again.pending() == 10
    assert len(again.take(1000.0, 1)) == 1
    again.close()


@pytest.mark.parametrize("field", [-1, 1 << 50, float("nan")])
def test_a_standing_that_cannot_be_is_damage_and_not_a_crash(tmp_path, field):
    store = start(tmp_path)
    store.add(candidates(1))
    store.close()
    standing = [0, 0, 0.0, "", 0, False, False]
    standing[2 if isinstance(field, float) else 0] = field
    with closing(sqlite3.connect(tmp_path / "frontier.db")) as db:
        db.execute("UPDATE site SET standing = ?", (msgpack.packb(standing),))
        db.commit()
    assert "held against" in str(check(tmp_path / "frontier.db"))
    store = start(tmp_path)
    with pytest.raises(FrontierError, match="held against"):
        store.take(1000.0, 1)
    store.close()


FILL = """
import sys
from pathlib import Path
sys.path.insert(0, sys.argv[2])
from test_sqlite_store import candidates, start
from mediacrawl.frontier import FrontierError
store = start(Path(sys.argv[1]))
added = 0
try:
    for page in range(10_000):
        added += store.add(candidates(50, f"s{page}.org")).new
        store.commit()
        committed = added
except FrontierError as error:
    print(committed, "safe" in str(error))
store.close()
"""
OPEN = """
import sys
sys.path.insert(0, sys.argv[2])
from test_sqlite_store import FrontierError, start
from pathlib import Path
try:
    start(Path(sys.argv[1]))
except FrontierError as error:
    print(error)
"""


def test_a_full_disk_loses_nothing_that_was_committed(tmp_path):
    limit = 2_000_000

    def small_files():
        import signal

        signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
        resource.setrlimit(resource.RLIMIT_FSIZE, (limit, limit))

    command = [sys.executable, "-c", FILL, str(tmp_path), str(Path(__file__).parent)]
    environment = {**os.environ, "PYTHONPATH": str(Path.cwd())}
    done = subprocess.run(command, preexec_fn=small_files, capture_output=True, text=True, env=environment, check=True)
    committed, safe = done.stdout.split()
    assert safe == "True"
    store = start(tmp_path)
    assert store.pending() == int(committed) > 1000
    store.close()


@pytest.mark.parametrize("begun", [True, False])
def test_a_start_that_may_not_write_says_so_and_not_that_the_file_is_broken(tmp_path, begun):
    if begun:
        store = start(tmp_path)
        store.add(candidates(2))
        store.close()

    def full_disk():
        import signal

        signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
        resource.setrlimit(resource.RLIMIT_FSIZE, (100, 100))

    command = [sys.executable, "-B", "-c", OPEN, str(tmp_path), str(Path(__file__).parent)]
    environment = {**os.environ, "PYTHONPATH": str(Path.cwd())}
    done = subprocess.run(command, preexec_fn=full_disk, capture_output=True, text=True, env=environment, check=True)
    assert "the disk reports an error" in done.stdout
    assert "the limit on the size of a file" in done.stdout
    assert "make room" not in done.stdout
    assert "repair" not in done.stdout
    assert "fresh" not in done.stdout
    store = start(tmp_path)
    assert store.pending() == 2 * begun
    store.close()


@pytest.mark.parametrize("clean", [True, False])
def test_probe_states_and_clocks_outlive_the_process(tmp_path, clean):
    store = start(tmp_path)
    store.add(candidates(2))
    (lease,) = store.take(1000.0, 1)
    store.finish(lease, Outcome(End.CONTINUE, state=b"x" * 20_000, response_time=2.0), 1000.0)
    store.commit()
    if clean:
        store.close()
    else:
        # A kill: the files stay as they are, the lock goes with the process.
        os.close(store._lock)
    again = start(tmp_path, now=1001.0)
    assert again.take(1009.0, 1) == []
    (lease,) = again.take(1010.0, 1)
    assert lease.state == b"x" * 20_000
    assert again.site("a.org").samples == (2.0,)
    again.close()


def test_new_scores_of_a_site_at_hand_run_no_statement_before_the_next_flush(tmp_path):
    store = start(tmp_path)
    store.add(candidates(5) + candidates(5, "b.org"))
    store.commit()
    statements = []
    store._db.set_trace_callback(statements.append)
    for score in (0.9, 0.1, 0.5, 0.5):
        store.set_scores("a.org", {"pages": score, "nowhere": 1.0})
    assert statements == []
    store.commit()
    assert sum("UPDATE class" in statement for statement in statements) == 1
    statements.clear()
    store.set_scores("a.org", {"pages": 0.5})
    store.commit()
    assert statements == []
    store.close()


def test_scores_of_a_site_that_left_memory_are_not_forgotten(tmp_path, monkeypatch):
    for name in ("HELD_CLASSES", "HELD_SITES"):
        monkeypatch.setattr(tables, name, 1)
    store = start(tmp_path)
    store.add(candidates(1) + candidates(1, "b.org"))
    store.commit()
    store.set_scores("a.org", {"pages": 0.5})
    store.set_scores("b.org", {"pages": 0.25})
    store.set_scores("a.org", {"nowhere": 1.0})
    assert [lease.site for lease in store.take(1000.0, 2)] == ["a.org", "b.org"]
    assert [store.site(name).classes for name in ("a.org", "b.org")] == [(("pages", 0.5, 1),), (("pages", 0.25, 1),)]
    store.close()


def test_a_reader_finds_a_url_in_whatever_class_it_waits_and_tells_how_it_ended_last(tmp_path):
    store = start(tmp_path)
    store.add(candidates(2))
    now = 1000.0
    for end in (Outcome(End.DONE), Outcome(End.DROPPED, Drop.ROBOTS)):
        (lease,) = store.take(now, 1)
        store.finish(lease, end, now)
        store.rejoin(Candidate("http://a.org/0", "a.org", "again", score=0.5))
        store.commit()
        with FrontierReader(tmp_path / "frontier.db") as reader:
            where = reader.where("http://a.org/0", "a.org", "pages")
            assert (where.known, where.link_class, where.score, where.before) == (True, "again", 0.5, 0)
            assert reader.overview(now).again == store.counts().again
        now += 10
    (lease,) = store.take(now, 1)
    store.finish(lease, Outcome(End.DROPPED, Drop.HTTP_STATUS), now)
    store.commit()
    with FrontierReader(tmp_path / "frontier.db") as reader:
        where = reader.where("http://a.org/0", "a.org", "pages")
        assert (where.link_class, where.end) == ("", Drop.HTTP_STATUS)
        assert not reader.where("http://a.org/9", "a.org", "pages").known
    store.close()
