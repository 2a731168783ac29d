"""The file beside a store that says who works on it, and how far it has come."""

from __future__ import annotations

import fcntl
import os
import sqlite3
from pathlib import Path

from mediacrawl import commit_mark
from mediacrawl.frontier.contract import FrontierBusyError, FrontierError


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
        raise FrontierError(unkept(path, str(error.strerror))) from error
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError as error:
        os.close(descriptor)
        raise FrontierBusyError(
            f"another crawl is working on {path}; stop it first, or give this one its own folder with JOBDIR"
        ) from error
    return descriptor


def unkept(path: Path, why: str) -> str:
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
