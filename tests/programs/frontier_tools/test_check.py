"""What the check of a frontier's file finds, and what it leaves alone."""

import os
import random
import shutil
import sqlite3
from contextlib import closing

import pytest
from harness import examples
from hypothesis import given, settings
from hypothesis import strategies as st

from mediacrawl.base.terms import Candidate, Drop, End, Evidence, Outcome
from mediacrawl.frontier import FrontierError, FrontierPolicy
from mediacrawl.frontier.order import Levels
from mediacrawl.frontier.stores import delete_store, open_store
from mediacrawl.politeness.delay import DelayPolicy
from mediacrawl.priority import link_class
from mediacrawl.programs.frontier_tools.checking import check
from mediacrawl.programs.frontier_tools.repairing import UrlNaming, repair
from mediacrawl.scope import site_of

POLICY = FrontierPolicy(delay=DelayPolicy(0, 10, 10, 10), explore=0.1, front_least=5, front_most=10)
NOW = 1_000_000.0
ANEW = 30
"""URLs that are added again; most of them end once more."""


def candidates(rng, number, sites=40):
    for _ in range(number):
        site, name = f"s{rng.randrange(sites)}.example", rng.choice("xyz")
        yield Candidate(f"http://{site}/{name}/{rng.randrange(10_000)}", site, name, score=rng.random())


def finish(store, rng, lease, now):
    """End a lease in any way; answers whether its URL has ended."""
    end = rng.choice(list(End))
    reason = Drop.HTTP_STATUS if end is End.DROPPED else None
    asked = end is not End.RETURNED
    store.finish(lease, Outcome(end, reason, rng.random() if asked else None, asked=asked, state=b"state"), now)
    return end in {End.DONE, End.DROPPED}


def rejoin(store, lease):
    """Add a URL again that has ended."""
    return store.rejoin(Candidate(lease.url, lease.site, "again", score=0.5))


@pytest.fixture(scope="module")
def written(tmp_path_factory):
    """The folder of a file with rows at their places and in the inbox, leases, ends, revisits, and a paused site."""
    folder = tmp_path_factory.mktemp("written")
    rng = random.Random(5)
    store = open_store("sqlite", folder, POLICY, NOW, random.Random(1))
    store.add(candidates(rng, 1500))
    store._tables.merge()
    ended = []
    for number in range(20):
        for lease in store.take(NOW + 11 * number, 20):
            if finish(store, rng, lease, NOW + 11 * number):
                ended.append(lease)
        if number == 10:
            assert all(rejoin(store, lease) for lease in ended[:ANEW])
    store.add(candidates(rng, 300))
    store.pause("s1.example")
    store.take(NOW + 500, 5)
    store.commit()
    os.close(store._lock)
    store._db.close()
    return folder


@pytest.fixture
def path(written, tmp_path):
    """A copy of it, for one test."""
    shutil.copytree(written, tmp_path, dirs_exist_ok=True)
    return tmp_path / "frontier.db"


def spoil(path, *statements):
    with closing(sqlite3.connect(path, isolation_level=None)) as db:
        for statement in statements:
            assert db.execute(statement).rowcount, "the file was spoiled"


def test_a_file_that_lost_all_its_log_is_told_of_as_the_crawl_tells_of_it(tmp_path):
    """A kill before the first checkpoint, and somebody took the log away: no table was ever in the file."""
    live, path = tmp_path / "live", tmp_path / "killed" / "frontier.db"
    path.parent.mkdir()
    store = open_store("sqlite", live, POLICY, NOW)
    store.add(candidates(random.Random(5), 10))
    store.commit()
    for name in ("frontier.db", "frontier.lock"):
        shutil.copy(live / name, path.parent)
    store.close()
    before = path.read_bytes()
    (problem,) = check(path).problems
    assert "commits are missing: frontier.db-wal was lost or spoiled" in problem
    for _ in range(2):
        with pytest.raises(FrontierError, match=r"commits are missing: frontier\.db-wal was") as refused:
            open_store("sqlite", path.parent, POLICY, NOW)
        assert problem.removeprefix("the ") in str(refused.value)
        assert check(path).problems == [problem]
    assert path.read_bytes() == before
    # Nothing is left of it to be repaired, and that is said.
    with pytest.raises(FrontierError, match=r"nothing of a frontier can be read .* -a fresh=1"):
        repair(path, NOW, UrlNaming(site_of, link_class), policy=POLICY.delay, order=POLICY.order)
    delete_store(path.parent)
    open_store("sqlite", path.parent, POLICY, NOW).close()


def test_a_sound_file_is_told_in_numbers_and_not_touched(path):
    before = path.read_bytes()
    steps = []
    report = check(path, progress=steps.append)
    assert report.sound
    assert report.problems == []
    assert report.facts["leased"] == 5
    assert report.facts["seen"] + ANEW == report.facts["waiting"] + report.facts["ended"]
    assert not report.live
    assert "It is sound." in str(report)
    assert len(steps) > 10
    assert path.read_bytes() == before


SPOILED = {
    "the total of seen says 5": "UPDATE total SET value = 5 WHERE name = 'seen'",
    "the total of waiting says 5": "UPDATE total SET value = 5 WHERE name = 'waiting'",
    "the total of active says 5000": "UPDATE total SET value = 5000 WHERE name = 'active'",
    "the total of shelved says 5000": "UPDATE total SET value = 5000 WHERE name = 'shelved'",
    "the last place given is 1,": "UPDATE total SET value = 1 WHERE name = 'seq'",
    "1 URLs wait in a class that is not there": "DELETE FROM class WHERE id = (SELECT max(class) FROM url)",
    "1 URLs wait on a site that is not there": "DELETE FROM site WHERE place = 2",
    "1 link classes belong to a site that is not there": "INSERT INTO class (id, name, score) VALUES (999999, 'x', 1)",
    "1 sites have gaps in the numbers of their classes": "INSERT INTO class (id, name, score) VALUES (355, 'n', 1)",
    "2 sites have gaps in the numbers of their classes, or a name twice": "UPDATE class SET name = 'x'"
    " WHERE id IN (256, 257, 512, 513)",
    "1 URLs wait twice": "INSERT INTO url SELECT class, 0, url, facts, state FROM url LIMIT 1",
    "waiting URLs are not known as seen": "DELETE FROM seen",
    "1 rows of the inbox have the key of another URL": "UPDATE inbox SET url = 'http://else.example/'"
    " WHERE seq = (SELECT min(seq) FROM inbox)",
    "1 rows of the inbox are older": "UPDATE inbox SET seq = 0 WHERE seq = (SELECT max(seq) FROM inbox)",
    "1 URLs wait that have ended": "INSERT INTO ended SELECT key, 1 FROM inbox LIMIT 1",
    "1 URLs that are to be revisited do not wait": "INSERT INTO note VALUES ('again', '12345', x'')",
    "and 77 times one joined once more, but": "UPDATE total SET value = 77 WHERE name = 'again'",
    "1 URLs have ended that are not known": "DELETE FROM seen WHERE key = (SELECT key FROM ended LIMIT 1)",
    "1 waiting URLs have facts that cannot be read": "UPDATE inbox SET facts = x'93c0c0'"
    " WHERE seq = (SELECT min(seq) FROM inbox)",
    "1 leases have no waiting URL": "UPDATE lease SET seq = 987654 WHERE seq = (SELECT min(seq) FROM lease)",
    "1 leases name another site": "UPDATE lease SET site = site + 1 WHERE seq = (SELECT min(seq) FROM lease)",
    "1 sites are leased twice": "INSERT INTO lease SELECT seq + 100000, class, site, taken FROM lease LIMIT 1",
    "sites count as active, but nothing waits there": "INSERT INTO site (name, place) VALUES ('new.example', 1)",
    "1 sites count as idle, but something waits there (s1.example)": "UPDATE site SET place = 0 WHERE place = 2",
    "1 sites are at a place that there is not": "UPDATE site SET place = 7 WHERE name = 's3.example'",
    "sites would be asked before their release time": "UPDATE site SET due = release - 1 WHERE place = 1",
    "1 sites have times or numbers that cannot be": "UPDATE site SET release = 9e300, due = 9e300"
    " WHERE name = 's3.example'",
    "1 sites have response times that cannot be read": "UPDATE site SET samples = x'ffff' WHERE name = 's3.example'",
    "1 link classes count as empty": "UPDATE class SET filled = 0 WHERE id = (SELECT class FROM inbox LIMIT 1)",
    "1 names of ends count other URLs than ended so (done)": "UPDATE ending SET urls = urls + 1 WHERE name = 'done'",
    "1 ends have no name": "DELETE FROM ending WHERE name = 'done'",
    "sites have a rank that no score has": "UPDATE site SET rank = 30000 WHERE place = 1",
    "1801 URLs are known and 30 times one joined once more, but": "INSERT INTO seen VALUES (12345)",
}


@pytest.mark.parametrize(("sentence", "statement"), SPOILED.items(), ids=range(len(SPOILED)))
def test_what_does_not_fit_together_is_named(path, sentence, statement):
    spoil(path, statement)
    report = check(path)
    assert not report.sound
    assert any(sentence in problem for problem in report.problems), report.problems
    assert "frontier repair" in str(report)


@pytest.mark.parametrize("tree", ["url", "inbox", "seen", "site_due", "class"])
def test_a_page_that_makes_no_sense_is_named(path, tree):
    with closing(sqlite3.connect(path)) as db:
        db.execute("PRAGMA wal_checkpoint(TRUNCATE)")
        (page,) = db.execute("SELECT max(pageno) FROM dbstat WHERE name = ?", (tree,)).fetchone()
    with path.open("r+b") as file:
        file.seek(4096 * (page - 1))
        file.write(random.Random(1).randbytes(4096))
    assert "SQLite finds the file damaged" in check(path).problems[0]


def test_many_offenders_are_counted_and_three_are_named(path):
    spoil(path, "UPDATE site SET samples = x'ffff'")
    (problem,) = check(path).problems
    assert problem.startswith("40 sites have response times that cannot be read (s")
    assert problem.count("example") == 3


def test_ranks_of_another_order_are_not_judged(path):
    assert check(path, order=Levels(4)).sound


def test_a_file_that_a_crawl_writes_to_is_read_as_of_its_last_commit(tmp_path):
    rng = random.Random(1)
    store = open_store("sqlite", tmp_path, POLICY, NOW)
    store.add(candidates(rng, 500))
    store.commit()
    store.add(candidates(rng, 500))
    store._tables.flush()
    report = check(tmp_path / "frontier.db")
    assert report.sound, report.problems
    assert report.live
    assert 0 < report.facts["seen"] < store.counts().seen
    assert "a crawl is working on it" in str(report)
    store.commit()
    assert check(tmp_path / "frontier.db").facts["seen"] == store.counts().seen
    store.close()


def test_a_folder_that_cannot_be_written_is_read_all_the_same(path, tmp_path, monkeypatch):
    # Who is root may write everywhere, so the answer of the system is replaced, not the system.
    with closing(sqlite3.connect(path)) as db:
        db.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    monkeypatch.setattr(os, "access", lambda *_, **__: False)
    before = sorted(tmp_path.iterdir())
    assert check(path).sound
    assert sorted(tmp_path.iterdir()) == before


def test_what_is_no_frontier_is_refused(tmp_path):
    path = tmp_path / "frontier.db"
    with pytest.raises(FrontierError, match="there is no frontier"):
        check(path)
    assert not path.exists()
    path.touch()
    with pytest.raises(FrontierError, match="is empty"):
        check(path)
    path.unlink()
    with closing(sqlite3.connect(path)) as db:
        db.execute("CREATE TABLE precious (x)")
    with pytest.raises(FrontierError, match="not a frontier"):
        check(path)


def test_noise_in_sqlite_s_own_sentence_is_a_problem_like_another(path):
    with closing(sqlite3.connect(path)) as db:
        db.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    content = path.read_bytes()
    path.write_bytes(content.replace(b"CREATE TABLE url", b"CREATE \xff\xfe\xff\xfe\xff url"))
    assert "SQLite cannot read the file" in check(path).problems[0]


@pytest.mark.parametrize("content", [b"something else" * 1000, b"SQLite format 3\0" + b"\xff" * 5000])
def test_a_file_of_noise_is_told_as_one(tmp_path, content):
    path = tmp_path / "frontier.db"
    path.write_bytes(content)
    report = check(path)
    assert not report.sound
    assert report.facts == {}
    assert "not a database" in str(report)


def test_a_header_that_tells_a_layout_that_cannot_be_is_damage(path):
    with closing(sqlite3.connect(path)) as db:
        db.execute("PRAGMA user_version = -77777")
    assert check(path).problems == ["its header is damaged: it says layout -77777"]


def test_a_file_cut_short_by_less_than_sqlite_notices_is_named(path):
    with closing(sqlite3.connect(path)) as db:
        db.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    os.truncate(path, path.stat().st_size - 1)
    assert any("cut short" in problem for problem in check(path).problems)


@pytest.mark.parametrize("requested", ["", "http://s1.example/x/%7e?b=%e4"])
@pytest.mark.parametrize("path_there", ["", "main/ul/li/a"])
def test_a_url_that_is_requested_as_it_was_written_is_sound(tmp_path, requested, path_there):
    store = open_store("sqlite", tmp_path, POLICY, NOW)
    evidence = Evidence(path=path_there, facts="{}" if requested else "")
    store.add([Candidate("http://s1.example/x/~?b=%E4", "s1.example", "x", evidence=evidence, requested=requested)])
    store.close()
    assert check(tmp_path / "frontier.db").problems == []


@settings(max_examples=examples(12), deadline=None)
@given(seed=st.integers(0, 10_000))
def test_whatever_the_store_writes_is_sound(tmp_path_factory, seed):
    """Random work, with stops and kills between; after each commit the file is checked."""
    rng = random.Random(seed)
    folder = tmp_path_factory.mktemp("work")
    path = folder / "frontier.db"
    store = open_store("sqlite", folder, POLICY, NOW, rng)
    now, leases, ended = NOW, [], []
    for _ in range(40):
        now += rng.random() * 20
        site = f"s{rng.randrange(8)}.example"
        work = rng.choice(
            ["add", "add", "take", "take", "finish", "finish", "pause", "resume", "score", "prune", "drop", "rejoin"]
        )
        if work == "add":
            store.add(candidates(rng, 20, sites=8))
        elif work == "take":
            leases += store.take(now, 4)
        elif work == "finish" and leases:
            lease = leases.pop()
            ended += [lease] * finish(store, rng, lease, now)
        elif work == "rejoin" and ended:
            assert rejoin(store, ended.pop())
        elif work == "score":
            store.set_scores(site, {name: rng.random() for name in rng.choices("xyz", k=2)})
        elif work == "prune":
            store.prune(100)
        elif work == "drop":
            store.drop(site, Drop.OPERATOR)
        elif work in {"pause", "resume"} and site not in store._lifecycle.leased:
            getattr(store, work)(site)
        if rng.random() < 0.1:
            store._tables.merge()
        if rng.random() < 0.3:
            store.commit()
            report = check(path)
            assert report.sound, report.problems
        if rng.random() < 0.1:
            if rng.random() < 0.5:
                store.close()
            else:
                os.close(store._lock)
                store._db.close()
            store, leases, ended = open_store("sqlite", folder, POLICY, now, rng), [], []
    store.close()
    report = check(path)
    assert report.sound, report.problems
