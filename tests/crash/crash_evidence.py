"""What the files of a crawl say, read from a copy of them, by SQLite alone: no code of the frontier looks at them.

This is the one place of the crash tests that knows the tables.
"""

import shutil
import sqlite3
import tempfile
from collections import Counter
from contextlib import closing
from dataclasses import dataclass, field
from pathlib import Path

from mediacrawl.frontier.seen import url_key

STORE = "frontier.db"
WAL = "frontier.db-wal"
MARK = "frontier.lock"
FILTER = "frontier.bloom"
CATALOGUE = "media.db"


@dataclass(frozen=True)
class Snapshot:
    """A frontier at one moment.

    Attributes:
        leased: URLs that are out.
        waiting: URLs that wait, those that are out among them.
        keys: of all URLs ever accepted.
        ends: key of each URL that has ended -> how.
        counted: how ends were counted: name -> URLs.
        seen: URLs ever accepted, as counted.
    """

    leased: frozenset = frozenset()
    waiting: frozenset = frozenset()
    keys: frozenset = frozenset()
    ends: dict = field(default_factory=dict)
    counted: dict = field(default_factory=dict)
    seen: int = 0

    def knows(self, url):
        """Whether a canonical URL was accepted."""
        return url in self.waiting or self.has_ended(url)

    def has_ended(self, url):
        """Whether a canonical URL ended."""
        return url_key(url) in self.ends

    def check(self):
        """Every URL is in exactly one place, and the counts say the same."""
        assert self.leased <= self.waiting
        waiting = {url_key(url) for url in self.waiting}
        assert not waiting & self.ends.keys()
        assert waiting | self.ends.keys() == self.keys
        assert len(self.keys) == self.seen
        assert Counter(self.ends.values()) == self.counted

    def check_after(self, before):
        """Nothing that an earlier snapshot knew is lost, and no end is taken back."""
        assert self.ends.items() >= before.ends.items()
        assert [url for url in before.waiting if not self.knows(url)] == []


def snapshot(state):
    """The frontier in a state folder whose process is dead. Nothing there is touched."""
    with tempfile.TemporaryDirectory() as folder:
        copy(state, Path(folder))
        if not (Path(folder) / STORE).exists():
            return Snapshot()
        with closing(sqlite3.connect(Path(folder) / STORE)) as db:
            assert db.execute("PRAGMA integrity_check").fetchall() == [("ok",)]
            return _read(db)


def stored(state):
    """URLs of the records in the catalogue of a state folder whose process is dead."""
    with tempfile.TemporaryDirectory() as folder:
        for path in state.glob("media.db*"):
            shutil.copyfile(path, Path(folder) / path.name)
        if not (Path(folder) / CATALOGUE).exists():
            return frozenset()
        with closing(sqlite3.connect(Path(folder) / CATALOGUE)) as db:
            if not db.execute("SELECT 1 FROM sqlite_master WHERE name = 'media'").fetchone():
                return frozenset()
            return frozenset(url for (url,) in db.execute("SELECT content_url FROM media"))


def copy(state, folder):
    """Copy what a kill left: the database, its log, the filter. SQLite makes the index of its log again."""
    for name in (STORE, WAL, MARK, FILTER):
        if (state / name).exists():
            shutil.copyfile(state / name, folder / name)


def _read(db):
    if not db.execute("SELECT 1 FROM sqlite_master WHERE name = 'seen'").fetchone():
        return Snapshot()
    rows = dict(db.execute("SELECT seq, url FROM url UNION ALL SELECT seq, url FROM inbox"))
    ends = db.execute("SELECT key, name FROM ended JOIN ending USING (code)").fetchall()
    assert len(dict(ends)) == len(ends), "a URL ended twice"
    return Snapshot(
        leased=frozenset(rows[seq] for (seq,) in db.execute("SELECT seq FROM lease")),
        waiting=frozenset(rows.values()),
        keys=frozenset(key for (key,) in db.execute("SELECT key FROM seen UNION SELECT key FROM inbox")),
        ends=dict(ends),
        counted=dict(db.execute("SELECT name, urls FROM ending WHERE urls > 0")),
        seen=sum(value for (value,) in db.execute("SELECT value FROM total WHERE name = 'seen'")),
    )
