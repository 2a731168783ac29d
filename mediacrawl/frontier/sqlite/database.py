"""The file of the SQLite store: its tables, how it is locked, opened and put in order at a start."""

from __future__ import annotations

import fcntl
import logging
import os
import sqlite3
from pathlib import Path

from mediacrawl import commit_mark
from mediacrawl.frontier.contract import FrontierBusyError, FrontierError, SpoiledError
from mediacrawl.frontier.order import RankOrder


def lock(path: Path) -> int:
    """Take the store's lock file; the descriptor holds it, so a killed process leaves it free.

    Args:
        path: the database file; the lock file is beside it.

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


def mark(descriptor: int, commits: int) -> None:
    """Note how far the store has come.

    Args:
        descriptor: of the lock file.
        commits: how many there were, as the table of totals has it; 0 forgets the store.
    """
    commit_mark.write(descriptor, commits)


def marked(descriptor: int) -> int:
    """The number of commits that was noted; 0 if there was no store."""
    return commit_mark.read(descriptor)[0]


def missing_commits(db: sqlite3.Connection, descriptor: int) -> tuple[int, bool]:
    """How many commits the file lacks, and whether the machine went down since, which explains it.

    Args:
        db: the store's connection.
        descriptor: of the lock file.
    """
    commits, excused = noted_commits(descriptor)
    (there,) = db.execute("SELECT coalesce(max(value), 0) FROM total WHERE name = 'commits'").fetchone()
    return max(commits - there, 0), excused


def noted_commits(descriptor: int) -> tuple[int, bool]:
    """How many commits there were, and whether the machine went down since: what a file without tables lacks.

    Args:
        descriptor: of the lock file.
    """
    return commit_mark.read(descriptor)


logger = logging.getLogger(__name__)

VERSION = 3

_SHUT = frozenset({sqlite3.SQLITE_CANTOPEN, sqlite3.SQLITE_READONLY})
"""The file, or the folder that SQLite needs as well, cannot be opened or written."""
_NO_ROOM = frozenset({sqlite3.SQLITE_FULL, sqlite3.SQLITE_IOERR, sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED})
"""Nothing is wrong with the file: the disk is full, or another program holds it."""

CLASS_BITS = 8
"""A link class has the number of its site, and in so many bits its own: the rows of a site lie side by side."""

TABLES = """
CREATE TABLE total (name TEXT PRIMARY KEY, value NOT NULL) WITHOUT ROWID;
-- place: 0 nothing waits, 1 something does, 2 paused by the operator, 3 retired. rank: of its best class.
-- due: when it may be asked: its release time, or later if all that waits is held.
-- rests: it is at place 1 and rests (rules.py). standing: what is held against it (msgpack), empty for most sites.
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
-- Notes of other packages, in their own formats. The column room is the namespace.
CREATE TABLE note (room TEXT, key TEXT, record BLOB NOT NULL, PRIMARY KEY (room, key)) WITHOUT ROWID;
"""


def connect(path: Path, descriptor: int, cached: int = 16 * 1024 * 1024) -> sqlite3.Connection:
    """Open the file, make the tables if it is new, check it if it is not.

    Args:
        path: the database file.
        descriptor: of its lock file.
        cached: bytes of it that may be held in memory.

    Raises:
        FrontierError: not our file, a newer one, one that cannot be read, or one that lacks its last commits.
    """
    if marked(descriptor) and not (path.exists() and path.stat().st_size):
        raise FrontierError(unusable_error(path, "it is empty or gone, though a crawl was here"))
    try:
        db = sqlite3.connect(path, isolation_level=None, check_same_thread=False, cached_statements=256)
        _prepare(db, path, descriptor, cached)
        missing, excused = missing_commits(db, descriptor)
    except (sqlite3.Error, UnicodeDecodeError) as error:
        # A sentence of SQLite's may quote noise, which is no text.
        if _has(error, _SHUT):
            raise FrontierError(folder_error(path, str(error))) from error
        raise FrontierError(
            write_error(path, error) if _has(error, _NO_ROOM) else unusable_error(path, error)
        ) from error
    if missing and not excused:
        db.close()
        raise FrontierError(unusable_error(path, f"its {missing_commits_text(path, missing)}"))
    if missing:
        logger.warning("The machine went down: the last %d commits are undone, what they found is found again", missing)
    return db


def in_memory() -> sqlite3.Connection:
    """A new database without a file, with the tables of the store."""
    db = sqlite3.connect(":memory:", isolation_level=None, check_same_thread=False, cached_statements=256)
    db.executescript(TABLES)
    return db


def is_spoiled(error: Exception) -> bool:
    """Whether an error says that the file is not what the store wrote."""
    code = getattr(error, "sqlite_errorcode", None) or 0
    # SQLite's own codes have kinds above the lowest byte; Python's error for bytes that are no UTF-8 has none.
    corrupt = code & 0xFF in {sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB}
    return corrupt or isinstance(error, SpoiledError) or str(error).startswith("Could not decode")


def write_error(path: Path, error: Exception) -> str:
    """The sentence for a file that cannot be written now."""
    return (
        f"the frontier {path} cannot be written ({error}); what was committed is safe: "
        "make room, or end the program that holds it, and start the crawl again"
    )


def unusable_error(path: Path, error: Exception | str) -> str:
    """The sentence for a file that is not, or no longer, a frontier."""
    return (
        f"{path} cannot be used as a frontier ({error}); see what is wrong with mediacrawl frontier check, "
        "save what can be saved with mediacrawl frontier repair, or start over with -a fresh=1"
    )


def _has(error: Exception, codes: frozenset[int]) -> bool:
    return (getattr(error, "sqlite_errorcode", None) or 0) & 0xFF in codes


def missing_commits_text(path: Path, missing: int) -> str:
    """What a file says that lacks its last commits, though the machine did not go down."""
    return f"last {missing} commits are missing: {path.name}-wal was lost or spoiled"


def _prepare(db: sqlite3.Connection, path: Path, descriptor: int, cached: int) -> None:
    db.execute("PRAGMA journal_mode = WAL")
    db.execute("PRAGMA synchronous = NORMAL")
    db.execute(f"PRAGMA cache_size = -{max(cached // 1024, 1)}")
    # A checkpoint copies pages back and syncs them: rarely and much beats often and little.
    db.execute("PRAGMA wal_autocheckpoint = 24000")
    db.execute("PRAGMA temp_store = MEMORY")
    if not check_layout(db, path):
        # A file that never had a checkpoint has nothing without its log: what is left of it is not written over.
        missing, excused = noted_commits(descriptor)
        if missing and not excused:
            db.close()
            raise FrontierError(unusable_error(path, f"its {missing_commits_text(path, missing)}"))
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
            "use that version, or start over with -a fresh=1"
        )
    if db.execute("SELECT 1 FROM sqlite_master").fetchone():
        raise FrontierError(f"{path} is an SQLite file, but not a frontier; choose another folder with JOBDIR")
    return False


def store_files(path: Path) -> list[Path]:
    """The files of a store that exist: the database and what SQLite keeps beside it."""
    names = (path, path.with_name(path.name + "-wal"), path.with_name(path.name + "-shm"))
    return [name for name in names if name.exists()]


def set_clock_back(db: sqlite3.Connection, back: float, now: float) -> None:
    """The machine's clock was set back since the last commit: times that lie ahead move with it.

    Args:
        db: in a transaction.
        back: seconds; nothing happens if it is not positive.
        now: seconds since the epoch.
    """
    if back <= 0:
        return
    row = (back, now)
    db.execute(
        "UPDATE site SET due = CASE WHEN due > ?2 THEN max(due - ?1, ?2) ELSE due END,"
        " release = CASE WHEN release > ?2 THEN max(release - ?1, ?2) ELSE release END WHERE due > ?2 OR release > ?2",
        row,
    )
    db.execute("UPDATE class SET held = max(held - ?1, ?2) WHERE held > ?2", row)


def update_ranks(db: sqlite3.Connection, order: RankOrder, before: str) -> None:
    """With another order than at the last start every site gets its rank of this one.

    Args:
        db: in a transaction.
        order: of today's settings.
        before: what the file says of the order of its ranks; empty if it is new.
    """
    name = repr(order)
    if before not in {"", name}:
        db.create_function("rank_of", 1, lambda score: order.rank(score or 0.0), deterministic=True)
        db.execute(
            "UPDATE site SET rank = rank_of((SELECT max(score) FROM class WHERE filled = 1 AND class.id"
            f" BETWEEN site.id << {CLASS_BITS} AND (site.id + 1 << {CLASS_BITS}) - 1)) WHERE place = 1"
        )
    db.execute("INSERT OR REPLACE INTO total VALUES ('order', ?)", (name,))
