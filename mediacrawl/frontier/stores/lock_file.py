"""The file beside a store that says who works on it, and how far it has come."""

from __future__ import annotations

import fcntl
import os
import sqlite3
from functools import cache
from pathlib import Path

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
    """Note how far the store has come. SQLite goes back without a word when it has lost its log; this shows it.

    Args:
        descriptor: of the lock file.
        commits: how many there were, as the table of totals has it; 0 forgets the store.
    """
    text = f"{commits} {_this_boot()}\n".encode("ascii") if commits else b""
    os.pwrite(descriptor, text, 0)
    os.ftruncate(descriptor, len(text))


def marked(descriptor: int) -> int:
    """The number of commits that was noted; 0 if there was no store."""
    return _read(descriptor)[0]


def missing_commits(db: sqlite3.Connection, descriptor: int) -> tuple[int, bool]:
    """How many commits the file lacks, and whether the machine went down since, which explains it.

    Args:
        db: the store's connection.
        descriptor: of the lock file.
    """
    commits, boot = _read(descriptor)
    (there,) = db.execute("SELECT coalesce(max(value), 0) FROM total WHERE name = 'commits'").fetchone()
    return max(commits - there, 0), boot != _this_boot()


def _read(descriptor: int) -> tuple[int, str]:
    commits, _, boot = os.pread(descriptor, 100, 0).decode("ascii", "replace").strip().partition(" ")
    return (int(commits), boot) if commits.isdecimal() else (0, "")


@cache
def _this_boot() -> str:
    """Names the time since the machine was started: only when it goes down can commits be undone honestly."""
    try:
        return Path("/proc/sys/kernel/random/boot_id").read_text(encoding="ascii").strip()
    except OSError:
        return f"unknown-{os.getpid()}"
