"""A frontier that an earlier version wrote goes on."""

import sqlite3
from contextlib import closing

import msgpack

from mediacrawl.frontier import FrontierPolicy
from mediacrawl.frontier.seen import url_key
from mediacrawl.frontier.stores import open_store
from mediacrawl.frontier.stores.check import check
from mediacrawl.frontier.stores.rebuild import Remake
from mediacrawl.frontier.stores.rows import Row
from mediacrawl.frontier.stores.salvage import repair
from mediacrawl.politeness.delay import DelayPolicy
from mediacrawl.priority import link_class
from mediacrawl.records import Candidate, End, Evidence, Kind, Outcome
from mediacrawl.scope import site_of

LAYOUT_1 = """
CREATE TABLE total (name TEXT PRIMARY KEY, value INTEGER NOT NULL) WITHOUT ROWID;
CREATE TABLE site (
    id INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE,
    release REAL NOT NULL DEFAULT 0, delay REAL NOT NULL DEFAULT 0, crawl_delay REAL NOT NULL DEFAULT 0,
    samples BLOB NOT NULL DEFAULT x'90', visits INTEGER NOT NULL DEFAULT 0,
    score REAL NOT NULL DEFAULT 0, active INTEGER NOT NULL DEFAULT 0
);
CREATE INDEX site_active ON site (id) WHERE active = 1;
CREATE TABLE class (
    id INTEGER PRIMARY KEY, site INTEGER NOT NULL, name TEXT NOT NULL, score REAL NOT NULL, UNIQUE (site, name)
);
CREATE TABLE url (
    class INTEGER NOT NULL, seq INTEGER NOT NULL, url TEXT NOT NULL, facts BLOB NOT NULL, state BLOB,
    PRIMARY KEY (class, seq)
) WITHOUT ROWID;
CREATE TABLE inbox (
    seq INTEGER PRIMARY KEY, class INTEGER NOT NULL, key INTEGER NOT NULL, url TEXT NOT NULL, facts BLOB NOT NULL,
    state BLOB
);
CREATE TABLE seen (key INTEGER PRIMARY KEY, ended INTEGER NOT NULL DEFAULT 0);
CREATE TABLE ending (code INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE, urls INTEGER NOT NULL DEFAULT 0);
CREATE TABLE lease (seq INTEGER PRIMARY KEY, class INTEGER NOT NULL, site INTEGER NOT NULL, taken REAL NOT NULL);
CREATE TABLE robots (authority TEXT PRIMARY KEY, record BLOB NOT NULL) WITHOUT ROWID;
PRAGMA user_version = 1;
"""
POLICY = FrontierPolicy(delay=DelayPolicy(0, 10, 10, 10), explore=0.0)
NOW = 1_000_000.0


def row(seq, site, path, kind=Kind.PAGE):
    return Row.of(Candidate(f"http://{site}/{path}", site, "c", kind), seq)


def write(folder):
    """One site with a page and a file that wait and one page that ended, one whose page is leased, one that is idle."""
    page, song, out, fresh = (
        row(1, "a.org", "1"),
        row(2, "a.org", "2.mp3", Kind.MEDIA),
        row(3, "b.org", "1"),
        row(5, "a.org", "3"),
    )
    ended = "http://a.org/0"
    with closing(sqlite3.connect(folder / "frontier.db")) as db:
        db.executescript(LAYOUT_1)
        db.executemany("INSERT INTO total VALUES (?, ?)", [("seen", 5), ("waiting", 4), ("seq", 5)])
        sites = [
            (1, "a.org", NOW - 5, 10.0, 0.0, 1),
            (2, "b.org", NOW - 90, 10.0, 0.0, 1),
            (3, "c.org", NOW + 9, 10.0, 0.3, 0),
        ]
        for number, name, release, delay, score, active in sites:
            db.execute(
                "INSERT INTO site VALUES (?, ?, ?, ?, 0, x'90', 3, ?, ?)", (number, name, release, delay, score, active)
            )
        db.executemany(
            "INSERT INTO class VALUES (?, ?, ?, ?)",
            [(7, 1, "pages", 0.0), (8, 2, "pages", 0.0), (9, 1, "songs", 1.0), (10, 3, "pages", 0.0)],
        )
        db.executemany(
            "INSERT INTO url VALUES (?, ?, ?, ?, ?)",
            [(c, r.seq, r.url, r.facts, s) for c, r, s in [(7, page, None), (9, song, b"head"), (8, out, None)]],
        )
        db.execute("INSERT INTO inbox VALUES (?, ?, ?, ?, ?, NULL)", (5, 7, url_key(fresh.url), fresh.url, fresh.facts))
        keys = [(url_key(r.url), 0) for r in (page, song, out)] + [(url_key(ended), 1)]
        db.executemany("INSERT INTO seen VALUES (?, ?)", keys)
        db.execute("INSERT INTO ending VALUES (1, 'done', 1)")
        db.execute("INSERT INTO lease VALUES (3, 8, 2, ?)", (NOW - 1,))
        db.execute("INSERT INTO robots VALUES ('http://a.org', x'01')")
        db.commit()


def test_nothing_is_lost_and_the_order_is_kept(tmp_path):
    write(tmp_path)
    store = open_store("sqlite", tmp_path, POLICY, NOW)
    counts = store.counts()
    assert (counts.seen, counts.waiting, counts.leased, counts.sites, counts.ends) == (5, 4, 0, 2, {"done": 1})
    assert store.note("robots", "http://a.org") == b"\x01"
    assert store.site("c.org").release == NOW + 9
    out, now = [], NOW
    while store.pending():
        for lease in store.take(now, 5):
            out.append((lease.url, lease.state))
            store.finish(lease, Outcome(End.DONE), now)
        now = max(store.next_release() or now, now)
    assert [entry for entry in out if "a.org" in entry[0]] == [
        ("http://a.org/2.mp3", b"head"),
        ("http://a.org/1", b""),
        ("http://a.org/3", b""),
    ]
    assert [entry for entry in out if "b.org" in entry[0]] == [("http://b.org/1", b"")]
    assert store.add([Candidate("http://a.org/0", "a.org", "pages"), Candidate("http://b.org/1", "b.org")]).known == 2
    store.close()
    open_store("sqlite", tmp_path, POLICY, now).close()


def test_rows_that_know_no_facts_or_no_path_are_sound_and_read(tmp_path):
    store = open_store("sqlite", tmp_path, POLICY, NOW)
    found = [Evidence("a", "Lied"), Evidence("a", "Lied", facts="{}"), Evidence("a", "Lied", path="main/a")]
    store.add([Candidate(f"http://{n}.org/", f"{n}.org", evidence=one) for n, one in enumerate(found)])
    store.commit()
    lengths = [len(msgpack.unpackb(facts)) for (facts,) in store._db.execute("SELECT facts FROM inbox ORDER BY seq")]
    assert lengths == [13, 14, 15], "the first two are as they were before"
    assert check(tmp_path / "frontier.db").problems == []
    assert [lease.evidence for lease in store.take(NOW, 3)] == found
    store.close()


def test_a_frontier_that_was_of_layout_2_can_be_repaired_like_any_other(tmp_path):
    path = tmp_path / "frontier.db"
    store = open_store("sqlite", tmp_path, POLICY, NOW)
    store.add([Candidate("http://a.org/1", "a.org", "c")])
    store.charge("a.org", Outcome(End.DONE, response_time=0.1, crawl_delay=300.0), NOW)
    store.close()
    _back_to_layout_2(path)
    open_store("sqlite", tmp_path, POLICY, NOW + 1).close()
    with closing(sqlite3.connect(path)) as db:
        db.execute("UPDATE total SET value = 9 WHERE name = 'waiting'")
        db.commit()
    repair(path, NOW + 2, Remake(site_of, link_class))
    store = open_store("sqlite", tmp_path, POLICY, NOW + 3)
    assert (store.site("a.org").release, store.site("a.org").crawl_delay) == (NOW + 300, 300.0)
    store.close()


def test_a_frontier_of_layout_2_holds_nothing_against_its_sites(tmp_path):
    store = open_store("sqlite", tmp_path, POLICY, NOW)
    store.add([Candidate(f"http://{name}.org/1", f"{name}.org", "c") for name in "ab"])
    store.charge("a.org", Outcome(End.DONE, response_time=0.1, crawl_delay=200_000.0), NOW)
    store.close()
    _back_to_layout_2(tmp_path / "frontier.db")
    store = open_store("sqlite", tmp_path, POLICY, NOW + 1)
    assert (store.counts().resting, store.counts().sites) == (1, 2)
    assert store.site("a.org").release == NOW + 200_000
    assert store.site("b.org").troubles == 0
    store.close()
    assert check(tmp_path / "frontier.db", order=POLICY.order).problems == []


def _back_to_layout_2(path):
    with closing(sqlite3.connect(path)) as db:
        for change in ("DROP COLUMN rests", "DROP COLUMN standing"):
            db.execute(f"ALTER TABLE site {change}")
        db.execute("DELETE FROM total WHERE name = 'resting'")
        db.execute("PRAGMA user_version = 2")
        db.commit()
