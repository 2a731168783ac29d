"""What SQLite says, as a sentence for the person who runs the crawl."""

from __future__ import annotations

import sqlite3
from pathlib import Path


class StoreError(Exception):
    """The catalogue cannot be opened, read or written. The message says what, where, and what to do."""


_ADVICE = {
    sqlite3.SQLITE_NOTADB: "is no SQLite database. Name another file, or move this one away",
    sqlite3.SQLITE_CORRUPT: "is damaged. Stop the crawl, save what is whole with"
    " `sqlite3 FILE .recover`, and move the file away",
    sqlite3.SQLITE_CANTOPEN: "cannot be opened. Check that its folder exists and that this user may write there",
    sqlite3.SQLITE_PERM: "cannot be opened. Check that this user may write there",
    sqlite3.SQLITE_READONLY: "cannot be written: the file or its folder is read-only for this user",
    sqlite3.SQLITE_FULL: "cannot grow: the disk is full. Make room; the records stored so far are safe",
    sqlite3.SQLITE_IOERR: "cannot be read or written: the disk reports an error. Check the disk and its space",
    sqlite3.SQLITE_BUSY: "is locked: another program has been writing to it for long. End that program",
    sqlite3.SQLITE_LOCKED: "is locked by another program. End that program",
}
_ANY_ADVICE = "cannot be used"


def explain(error: sqlite3.Error, path: Path) -> StoreError:
    """Turn an error of SQLite into one clear sentence.

    Args:
        error: as it was raised; the primary result code decides (sqlite.org/rescode.html).
        path: of the catalogue.
    """
    code = getattr(error, "sqlite_errorcode", 0) & 0xFF
    return StoreError(f"The catalogue {path} {_ADVICE.get(code, _ANY_ADVICE)} ({error}).")
