"""Requests under way, and the lines that are lost, so that a kill leaves a line of each in the request log."""

from __future__ import annotations

import contextlib
import errno
import os
import secrets
from collections.abc import Iterator
from pathlib import Path

from mediacrawl.base.files import is_at
from mediacrawl.log.archive import lock

UNFINISHED = "Unfinished"
"""Value of ``error`` in the log for a request whose end is not known: the crawl was killed, or it is under way."""
SLOT = 8_192
"""Bytes of a slot. A line with a URL of 2,048 bytes takes some 2,500; a line that does not fit is left out."""
LINES_LOST = "LinesLost"
"""Value of ``error`` in the log for a gap: lines that the disk refused."""
LOST = b'"lost":'
"""The key of the number in the line of a gap. In no other line it is a key, and within a value quotes are escaped."""
_NAMES = "out-*.slots"
_FREE = b"\0"
_GAP = 512
"""Bytes that are reserved for the line of a gap."""
_TRIES = 5


class UnfinishedRequests:
    """A file with a slot for each request under way, and one for the lines that a full disk refuses.

    **On disk.** ``<folder>/out-<process>-<random>.slots``, made by `reserve` and removed by `close`: slots of `SLOT`
    bytes, each with a line as it is to be in the log, or a zero byte if free. A line is written by one unbuffered
    ``pwrite`` before its request is sent: a process kill loses none, a power cut what the system has not
    written back. The process holds the file's lock; `recovered` takes the files of dead processes. Without ``pwrite``
    (Windows) there is no such file, and without file locks nobody takes it.
    """

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._path: Path | None = None
        self._descriptor = -1
        self._unused: list[int] = []
        self._slots = 1
        self._is_marked = False

    def reserve(self) -> None:
        """Take the space on the disk for `mark`, the first slot, if there is any."""
        with contextlib.suppress(OSError):
            if hasattr(os, "pwrite"):
                self._open()
                self._put(_FREE * _GAP, 0)

    def mark(self, line: bytes) -> None:
        """Keep the line of a gap in the log, also on a full disk; it stays there after `close`.

        Args:
            line: replaces the one before; empty if it is in the log.
        """
        if self._descriptor >= 0:
            with contextlib.suppress(OSError):
                self._put(line or _FREE, 0)
            self._is_marked = bool(line)

    def _put(self, data: bytes, slot: int) -> None:
        if os.pwrite(self._descriptor, data, slot * SLOT) < len(data):
            # What is torn has no line feed, and counts as free.
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    def begin(self, line: bytes) -> int:
        """Keep a line until `end`; returns its slot, -1 if it could not be kept."""
        if len(line) > SLOT or not hasattr(os, "pwrite"):
            return -1
        try:
            if self._descriptor < 0:
                self._open()
            slot = self._unused[-1] if self._unused else self._slots
            self._put(line, slot)
        except OSError:
            return -1
        if self._unused:
            self._unused.pop()
        else:
            self._slots += 1
        return slot

    def end(self, slot: int) -> None:
        """Free a slot: the line of the request is in the log, or it was not sent."""
        if slot < 0 or self._descriptor < 0:
            return
        with contextlib.suppress(OSError):
            self._put(_FREE, slot)
        self._unused.append(slot)

    def close(self) -> None:
        """Remove the file, unless lines are lost."""
        if self._path is not None:
            with contextlib.suppress(OSError):
                if not self._is_marked:
                    self._path.unlink()
            os.close(self._descriptor)
        self._path, self._descriptor = None, -1

    def _open(self) -> None:
        for _ in range(_TRIES):
            path = self._folder / f"out-{os.getpid()}-{secrets.token_hex(4)}.slots"
            descriptor = os.open(path, os.O_RDWR | os.O_CREAT | os.O_EXCL, 0o644)
            if lock(descriptor, alone=True) and is_at(descriptor, path):
                break
            # Another process starts, and has locked the file as a dead process's.
            os.close(descriptor)
            with contextlib.suppress(FileNotFoundError):
                path.unlink()
        else:
            raise OSError("no file of slots can be locked")
        self._path, self._descriptor = path, descriptor


def recovered(folder: Path) -> Iterator[tuple[Path, list[bytes]]]:
    """The lines that dead processes left. Each file is locked until the next is requested.

    Returns:
        Each file with its lines; it is to be removed when they are in the log.
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
    """The lines of all requests whose end is not in the log, of living processes and dead ones; without a lock."""
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
