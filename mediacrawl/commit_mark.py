"""The number of commits to an SQLite file, in a second file, to detect a lost WAL: SQLite then rolls back silently.

On disk: one line of ASCII, the number of commits and the boot id of the machine. It is written after each commit, so it
is never ahead of the database.
"""

from __future__ import annotations

import os
from functools import cache
from pathlib import Path


def write(descriptor: int, commits: int) -> None:
    """Store the number of commits; 0 clears the file.

    Args:
        descriptor: of the file.
        commits: as in the database.
    """
    text = f"{commits} {_this_boot()}\n".encode("ascii") if commits else b""
    os.pwrite(descriptor, text, 0)
    os.ftruncate(descriptor, len(text))


def read(descriptor: int) -> tuple[int, bool]:
    """The number of commits, 0 if there is none, and whether the machine was restarted since.

    Args:
        descriptor: of the file.
    """
    commits, _, boot = os.pread(descriptor, 100, 0).decode("ascii", "replace").strip().partition(" ")
    return (int(commits), boot != _this_boot()) if commits.isdecimal() else (0, True)


@cache
def _this_boot() -> str:
    """The boot id: only a crash of the machine may legitimately undo commits."""
    try:
        return Path("/proc/sys/kernel/random/boot_id").read_text(encoding="ascii").strip()
    except OSError:
        return f"unknown-{os.getpid()}"
