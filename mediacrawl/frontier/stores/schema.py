"""The tables of the SQLite store, and how its file is opened."""

from __future__ import annotations

import fcntl
import logging
import os
import sqlite3
from pathlib import Path

from mediacrawl.frontier.contract import FrontierBusyError, FrontierError
from mediacrawl.frontier.stores.upgrade import upgrade

logger = logging.getLogger(__name__)

VERSION = 2

CLASS_BITS = 8
"""A link class has the number of its site, and in so many bits its own: the rows of a site lie side by side."""

TABLES = """
CREATE TABLE total (name TEXT PRIMARY KEY, value NOT NULL) WITHOUT ROWID;
-- place: 0 nothing waits, 1 something does, 2 paused by the operator, 3 retired. rank: of its best class.
-- due: when it may be asked: its release time, or later if all that waits is held.
CREATE TABLE site (
    id INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE,
    place INTEGER NOT NULL DEFAULT 0, rank INTEGER NOT NULL DEFAULT 0, due REAL NOT NULL DEFAULT 0,
    release REAL NOT NULL DEFAULT 0, delay REAL NOT NULL DEFAULT 0, crawl_delay REAL NOT NULL DEFAULT 0,
    samples BLOB NOT NULL DEFAULT x'90', visits INTEGER NOT NULL DEFAULT 0, earned INTEGER NOT NULL DEFAULT 0,
    granted INTEGER NOT NULL DEFAULT 0
);
-- The order in which sites are asked; all that a start and a pick need.
CREATE INDEX site_due ON site (rank, due) WHERE place = 1;
CREATE INDEX site_shelved ON site (place) WHERE place > 1;
-- id: that of the site, and its number there. filled: whether rows may wait; cleared when none was found.
CREATE TABLE class (
    id INTEGER PRIMARY KEY, name TEXT NOT NULL, score REAL NOT NULL,
    filled INTEGER NOT NULL DEFAULT 1, held REAL NOT NULL DEFAULT 0
);
CREATE INDEX class_worst ON class (score) WHERE filled = 1;
-- One tree: a class's FIFO is a range of it, its head is the first row of the range.
CREATE TABLE url (
    class INTEGER NOT NULL, seq INTEGER NOT NULL, url TEXT NOT NULL, facts BLOB NOT NULL, state BLOB,
    PRIMARY KEY (class, seq)
) WITHOUT ROWID;
-- Rows on their way to their places in url and seen, see inbox.py.
CREATE TABLE inbox (
    seq INTEGER PRIMARY KEY, class INTEGER NOT NULL, key INTEGER NOT NULL, url TEXT NOT NULL, facts BLOB NOT NULL,
    state BLOB
);
CREATE TABLE seen (key INTEGER PRIMARY KEY);
-- How URLs ended, in the order in which they did; code: of table ending. Only operators read it: to write the end
-- beside the key would dirty a page at a random place for each visit, a third of all that a visit costs.
CREATE TABLE ended (key INTEGER NOT NULL, code INTEGER NOT NULL);
-- Keys that the file of the Bloom filter does not have yet, see sieve.py.
CREATE TABLE unsieved (key INTEGER NOT NULL);
CREATE TABLE ending (code INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE, urls INTEGER NOT NULL DEFAULT 0);
CREATE TABLE lease (seq INTEGER PRIMARY KEY, class INTEGER NOT NULL, site INTEGER NOT NULL, taken REAL NOT NULL);
-- What other rooms keep, in their own formats.
CREATE TABLE note (room TEXT, key TEXT, record BLOB NOT NULL, PRIMARY KEY (room, key)) WITHOUT ROWID;
"""


def lock(path: Path) -> int:
    """Take the store's lock file; the descriptor holds it, so a killed process leaves it free.

    Raises:
        FrontierBusyError: another process works on this store.
        FrontierError: the folder cannot be written.
    """
    name = path.with_suffix(".lock")
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        descriptor = os.open(name, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o644)
    except OSError as error:
        raise FrontierError(
            f"the frontier cannot be kept in {path.parent}: {error.strerror}; choose another folder with JOBDIR"
        ) from error
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError as error:
        os.close(descriptor)
        raise FrontierBusyError(
            f"another crawl is working on {path}; stop it first, or give this one its own folder with JOBDIR"
        ) from error
    return descriptor


def connect(path: Path, cache: int = 64 * 1024 * 1024) -> sqlite3.Connection:
    """Open the file, make the tables if it is new, check it if it is not.

    Args:
        path: the database file.
        cache: bytes of it that may be held in memory.

    Raises:
        FrontierError: not our file, a newer one, or one that cannot be read.
    """
    try:
        db = sqlite3.connect(path, isolation_level=None, check_same_thread=False, cached_statements=256)
        _prepare(db, path, cache)
    except sqlite3.Error as error:
        raise FrontierError(unusable(path, error)) from error
    return db


def unusable(path: Path, error: Exception) -> str:
    """The sentence for a file that is not, or no longer, a frontier."""
    return (
        f"{path} cannot be used as a frontier ({error}); see what is wrong with scrapy frontier check, "
        "save what can be saved with scrapy frontier repair, or start anew with -a fresh=1"
    )


def _prepare(db: sqlite3.Connection, path: Path, cache: int) -> None:
    db.execute("PRAGMA journal_mode = WAL")
    db.execute("PRAGMA synchronous = NORMAL")
    db.execute(f"PRAGMA cache_size = -{max(cache // 1024, 1)}")
    # A checkpoint copies pages back and syncs them: rarely and much beats often and little.
    db.execute("PRAGMA wal_autocheckpoint = 8000")
    db.execute("PRAGMA temp_store = MEMORY")
    (version,) = db.execute("PRAGMA user_version").fetchone()
    if version == 1:
        logger.info("%s is rewritten in the layout of this version", path)
        upgrade(db, TABLES, VERSION)
    elif not check_layout(db, path):
        db.executescript(f"BEGIN; {TABLES} PRAGMA user_version = {VERSION}; COMMIT")


def check_layout(db: sqlite3.Connection, path: Path) -> bool:
    """Whether the file has our tables; False if it is empty.

    Raises:
        FrontierError: it has another layout, or is another program's.
    """
    (version,) = db.execute("PRAGMA user_version").fetchone()
    if version == VERSION:
        return True
    if version:
        raise FrontierError(
            f"{path} was written by another version of mediacrawl (layout {version}, this one reads {VERSION}); "
            "use that version, or start anew with -a fresh=1"
        )
    if db.execute("SELECT 1 FROM sqlite_master").fetchone():
        raise FrontierError(f"{path} is an SQLite file, but not a frontier; choose another folder with JOBDIR")
    return False


def store_files(path: Path) -> list[Path]:
    """The files of a store that exist: the database and what SQLite keeps beside it."""
    names = (path, path.with_name(path.name + "-wal"), path.with_name(path.name + "-shm"))
    return [name for name in names if name.exists()]
