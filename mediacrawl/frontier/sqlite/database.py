"""The file of the SQLite store: its tables, how it is locked, opened and put in order at a start."""

from __future__ import annotations

import fcntl
import logging
import os
import sqlite3
from contextlib import ExitStack, closing
from pathlib import Path

from mediacrawl.base.sqlite_file import Mark, SQLiteFile, has_log, open_to_read, primary_code, trouble
from mediacrawl.frontier.contract import FrontierBusyError, FrontierError


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
        raise FrontierError(folder_error(path, str(error.strerror))) from error
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError as error:
        os.close(descriptor)
        raise FrontierBusyError(
            f"another crawl is working on {path}; stop it first, or give this one its own folder with JOBDIR"
        ) from error
    return descriptor


def folder_error(path: Path, why: str) -> str:
    """The sentence for a folder in which no store can be kept."""
    return f"the frontier cannot be kept in {path.parent}: {why}; choose another folder with JOBDIR"


logger = logging.getLogger(__name__)

VERSION = 3

CLASS_BITS = 8
"""A link class has the number of its site, and in so many bits its own: the rows of a site lie side by side."""

TABLES = """
CREATE TABLE total (name TEXT PRIMARY KEY, value NOT NULL) WITHOUT ROWID;
-- place: 0 nothing waits, 1 something does, 2 paused by the operator, 3 retired. rank: of its best class.
-- due: when it may be asked: its release time, or later if all that waits is held.
-- rests: it is at place 1 and rests (site_state.py). standing: what is held against it (msgpack), empty for most sites.
CREATE TABLE site (
    id INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE,
    place INTEGER NOT NULL DEFAULT 0, rank INTEGER NOT NULL DEFAULT 0, due REAL NOT NULL DEFAULT 0,
    release REAL NOT NULL DEFAULT 0, delay REAL NOT NULL DEFAULT 0, crawl_delay REAL NOT NULL DEFAULT 0,
    samples BLOB NOT NULL DEFAULT x'90', visits INTEGER NOT NULL DEFAULT 0, earned INTEGER NOT NULL DEFAULT 0,
    granted INTEGER NOT NULL DEFAULT 0, rests INTEGER NOT NULL DEFAULT 0, standing BLOB NOT NULL DEFAULT x''
);
-- The order in which sites are asked; all that a start and a pick need.
CREATE INDEX site_due ON site (rank, due) WHERE place = 1;
CREATE INDEX site_shelved ON site (place) WHERE place > 1;
-- id: that of the site, and its number there. filled: whether rows may wait; cleared when none was found.
CREATE TABLE class (
    id INTEGER PRIMARY KEY, name TEXT NOT NULL, score REAL NOT NULL,
    filled INTEGER NOT NULL DEFAULT 1, held REAL NOT NULL DEFAULT 0
);
-- One tree: a class's FIFO is a range of it, its head is the first row of the range.
CREATE TABLE url (
    class INTEGER NOT NULL, seq INTEGER NOT NULL, url TEXT NOT NULL, facts BLOB NOT NULL, state BLOB,
    PRIMARY KEY (class, seq)
) WITHOUT ROWID;
-- Rows on their way to their places in url and seen, see `tables.Inbox`.
CREATE TABLE inbox (
    seq INTEGER PRIMARY KEY, class INTEGER NOT NULL, key INTEGER NOT NULL, url TEXT NOT NULL, facts BLOB NOT NULL,
    state BLOB
);
CREATE TABLE seen (key INTEGER PRIMARY KEY);
-- How URLs ended, in the order in which they did; code: of table ending. Only operators read it: to write the end
-- beside the key would dirty a page at a random place for each visit, a third of all that a visit costs.
CREATE TABLE ended (key INTEGER NOT NULL, code INTEGER NOT NULL);
-- Keys that the file of the Bloom filter does not have yet, see `seen.StoredBloomFilter`.
CREATE TABLE unsieved (key INTEGER NOT NULL);
CREATE TABLE ending (code INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE, urls INTEGER NOT NULL DEFAULT 0);
CREATE TABLE lease (seq INTEGER PRIMARY KEY, class INTEGER NOT NULL, site INTEGER NOT NULL, taken REAL NOT NULL);
-- Notes of other packages, in their own formats. The column room is the namespace.
CREATE TABLE note (room TEXT, key TEXT, record BLOB NOT NULL, PRIMARY KEY (room, key)) WITHOUT ROWID;
"""


def connect(path: Path, descriptor: int, cached: int = 16 * 1024 * 1024) -> tuple[SQLiteFile, bool]:
    """Open the file, make the tables if it is new, check it if it is not; also return what `check_file` does.

    Raises:
        FrontierError: as `check_file`, or the file cannot be written.
    """
    may_lack = check_file(path, descriptor)
    try:
        with ExitStack() as refused:
            db = SQLiteFile.open(path, statements=256)
            refused.callback(db.leave)
            db.execute("PRAGMA journal_mode = WAL")
            db.guard(path)
            db.execute("PRAGMA synchronous = NORMAL")
            db.execute(f"PRAGMA cache_size = -{max(cached // 1024, 1)}")
            # A checkpoint copies pages back and syncs them: rarely and much beats often and little.
            db.execute("PRAGMA wal_autocheckpoint = 24000")
            db.execute("PRAGMA temp_store = MEMORY")
            if not check_layout(db, path):
                db.executescript(f"BEGIN; {TABLES} PRAGMA user_version = {VERSION}; COMMIT")
            refused.pop_all()
    except (sqlite3.Error, UnicodeDecodeError) as error:
        raise FrontierError(explain(path, error)) from error
    return db, may_lack


def check_file(path: Path, descriptor: int) -> bool:
    """See that the file can be used, if there is one; return `Mark.may_lack`. Nothing on the disk changes.

    Raises:
        FrontierError: not our file, a newer one, one that cannot be read, or one that lacks its last commits.
    """
    noted = Mark.read(descriptor)
    if not (path.exists() and path.stat().st_size):
        if noted.commits or has_log(path):
            raise FrontierError(unusable_error(path, "it is empty or gone, though a crawl was here"))
        return False
    try:
        with closing(open_to_read(path)) as db:
            missing = missing_commits(db, noted) if check_layout(db, path) else noted.commits
    except (sqlite3.Error, UnicodeDecodeError) as error:
        # A sentence of SQLite's may quote noise, which is no text.
        raise FrontierError(explain(path, error)) from error
    if missing and not noted.may_lack:
        raise FrontierError(unusable_error(path, f"its {missing_commits_text(path, missing)}"))
    if noted.may_lack:
        logger.warning(
            "The machine went down: the last commits are undone (%d, or more). The pages that they ended are requested"
            " again, and every site first waits its whole delay",
            missing,
        )
    return noted.may_lack


def missing_commits(db: sqlite3.Connection, noted: Mark) -> int:
    """How many commits a file with our tables lacks."""
    (there,) = db.execute("SELECT coalesce(max(value), 0) FROM total WHERE name = 'commits'").fetchone()
    return max(noted.commits - int(there), 0)


def in_memory() -> SQLiteFile:
    """A new database without a file, with the tables of the store."""
    db = SQLiteFile(":memory:", isolation_level=None, check_same_thread=False, cached_statements=256)
    db.executescript(TABLES)
    return db


def explain(path: Path, error: Exception) -> str:
    """The sentence for an error of SQLite's, of the disk, or of what the file holds."""
    if primary_code(error) in {sqlite3.SQLITE_CANTOPEN, sqlite3.SQLITE_READONLY}:
        return folder_error(path, str(error))
    what = trouble(error, path) or ("cannot be written; mend that" if isinstance(error, OSError) else "")
    if what:
        return f"the frontier {path} {what}, and start the crawl again; what was committed is safe ({error})"
    return unusable_error(path, error)


def unusable_error(path: Path, error: Exception | str) -> str:
    """The sentence for a file that is not, or no longer, a frontier."""
    return (
        f"{path} cannot be used as a frontier ({error}); see what is wrong with mediacrawl frontier check, "
        "save what can be saved with mediacrawl frontier repair, or start over with -a fresh=1"
    )


def missing_commits_text(path: Path, missing: int) -> str:
    """What a file says that lacks its last commits, though the machine did not go down."""
    return f"last {missing} commits are missing: {path.name}-wal was lost or spoiled"


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
            "use that version, or start over with -a fresh=1"
        )
    if db.execute("SELECT 1 FROM sqlite_master").fetchone():
        raise FrontierError(f"{path} is an SQLite file, but not a frontier; choose another folder with JOBDIR")
    return False


def store_files(path: Path) -> list[Path]:
    """The files of a store that exist: the database and what SQLite keeps beside it."""
    names = (path, path.with_name(path.name + "-wal"), path.with_name(path.name + "-shm"))
    return [name for name in names if name.exists()]
