"""The requests that are out: what a kill leaves of them, and how they come into the request log."""

from __future__ import annotations

import contextlib
import os
import secrets
from collections.abc import Iterator
from pathlib import Path

from mediacrawl.observe.archive import is_at, lock

UNFINISHED = "Unfinished"
"""What the log says went wrong with a request whose end is not known: the crawl was killed, or it is out now."""
SLOT = 8_192
"""Bytes of a slot. A line with a URL of 2,048 bytes takes some 2,500; a longer one than this is left out."""
_NAMES = "out-*.slots"
_FREE = b"\0"
_TRIES = 5


class Unfinished:
    """A file with a slot for each request that is out, so that a kill leaves a line of it.

    **On disk.** ``<folder>/out-<process>-<random>.slots``, made for the first request and removed by `close`: slots of
    `SLOT` bytes, each a line as it is to stand in the log, or a zero byte if it is free. A line is written by one
    ``pwrite`` before its request goes out, with no buffer in this process: a process kill loses none, a power cut what
    the system had not yet written back. The process holds the file's lock; `recovered` takes the files of processes
    that are dead. On Windows, and on file systems without locks, there is no such file, or nobody takes it.

    Args:
        folder: where the log is.
    """

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._path: Path | None = None
        self._descriptor = -1
        self._unused: list[int] = []
        self._slots = 0

    def begin(self, line: bytes) -> int:
        """Keep a line until `end`; answers its slot, -1 if it could not be kept.

        Args:
            line: with its line feed at the end, and no other.
        """
        if len(line) > SLOT or not hasattr(os, "pwrite"):
            return -1
        try:
            if self._descriptor < 0:
                self._open()
            slot = self._unused[-1] if self._unused else self._slots
            os.pwrite(self._descriptor, line, slot * SLOT)
        except OSError:
            # The disk is full. The line that is written at the end says so.
            return -1
        if self._unused:
            self._unused.pop()
        else:
            self._slots += 1
        return slot

    def end(self, slot: int) -> None:
        """The line of a request stands in the log, or none went out.

        Args:
            slot: as `begin` answered.
        """
        if slot < 0 or self._descriptor < 0:
            return
        with contextlib.suppress(OSError):
            os.pwrite(self._descriptor, _FREE, slot * SLOT)
        self._unused.append(slot)

    def close(self) -> None:
        """Remove the file; nothing is out any more."""
        if self._path is not None:
            with contextlib.suppress(OSError):
                self._path.unlink()
            os.close(self._descriptor)
        self._path, self._descriptor = None, -1

    def _open(self) -> None:
        for _ in range(_TRIES):
            path = self._folder / f"out-{os.getpid()}-{secrets.token_hex(4)}.slots"
            descriptor = os.open(path, os.O_RDWR | os.O_CREAT | os.O_EXCL, 0o644)
            if lock(descriptor, alone=True) and is_at(descriptor, path):
                break
            # Another process starts at this moment, and has taken the file for one of the dead.
            os.close(descriptor)
            with contextlib.suppress(FileNotFoundError):
                path.unlink()
        else:
            raise OSError("no file of slots can be locked")
        self._path, self._descriptor = path, descriptor


def recovered(folder: Path) -> Iterator[tuple[Path, list[bytes]]]:
    """The lines that processes left which are dead. Each file is locked until the next is asked for.

    Args:
        folder: where the log is.

    Returns:
        Each file, which is to be removed when its lines stand in the log, and these.
    """
    for path in sorted(folder.glob(_NAMES)):
        try:
            descriptor = os.open(path, os.O_RDWR)
        except OSError:
            continue
        try:
            if lock(descriptor, alone=True) and is_at(descriptor, path):
                yield path, _lines(path)
        finally:
            os.close(descriptor)


def unfinished(folder: Path) -> list[bytes]:
    """The lines of all requests whose end is not in the log, of living processes and of dead ones; without a lock.

    Args:
        folder: where the log is.
    """
    found = []
    for path in sorted(folder.glob(_NAMES)):
        with contextlib.suppress(FileNotFoundError):
            found += _lines(path)
    return found


def _lines(path: Path) -> list[bytes]:
    found = []
    with path.open("rb") as slots:
        while slot := slots.read(SLOT):
            line, feed, _ = slot.partition(b"\n")
            if feed and not line.startswith(_FREE):
                found.append(line + feed)
    return found
