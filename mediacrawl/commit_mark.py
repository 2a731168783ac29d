"""How far an SQLite file has come, noted in a file beside it. SQLite goes back without a word when it has lost its log.

The note is one line of ASCII: the number of commits, and the name of the time since the machine was started. It is
written after each commit, so it never says more than there was.
"""

from __future__ import annotations

import os
from functools import cache
from pathlib import Path


def write(descriptor: int, commits: int) -> None:
    """Note how many commits there were; 0 forgets the file.

    Args:
        descriptor: of the file with the note.
        commits: as a table of the SQLite file has it.
    """
    text = f"{commits} {_this_boot()}\n".encode("ascii") if commits else b""
    os.pwrite(descriptor, text, 0)
    os.ftruncate(descriptor, len(text))


def read(descriptor: int) -> tuple[int, bool]:
    """The number of commits, 0 if none was noted, and whether the machine went down since.

    Args:
        descriptor: of the file with the note.
    """
    commits, _, boot = os.pread(descriptor, 100, 0).decode("ascii", "replace").strip().partition(" ")
    return (int(commits), boot != _this_boot()) if commits.isdecimal() else (0, True)


@cache
def _this_boot() -> str:
    """Names the time since the machine was started: only when it goes down can commits be undone honestly."""
    try:
        return Path("/proc/sys/kernel/random/boot_id").read_text(encoding="ascii").strip()
    except OSError:
        return f"unknown-{os.getpid()}"
