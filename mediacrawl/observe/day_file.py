"""A log file for each day."""

from __future__ import annotations

import logging
import os
import time
from collections.abc import Callable
from datetime import UTC, date, datetime
from pathlib import Path

from mediacrawl.observe import archive
from mediacrawl.observe.format import plural

logger = logging.getLogger(__name__)

_DAY = 86400
_RETRY = 60.0
"""Seconds until a new day's file that could not be opened is tried again."""
_TRIES = 20


class LogError(Exception):
    """The log cannot be written. The message says what, where, and what to do."""


def utc_day(when: float) -> date:
    """The day in UTC of a time in seconds since the epoch."""
    return datetime.fromtimestamp(when, UTC).date()


class DayFile:
    """Appends lines to ``<folder>/<name>-YYYY-MM-DD.jsonl``, a new file from each midnight UTC on.

    **On disk.** Each line is written by one ``write`` on a descriptor opened with ``O_APPEND``, unbuffered. So lines of
    two processes never mix, and a process kill loses no line for which `write` has returned. A power cut loses what the
    system had not written back, usually the last 5 to 30 seconds, and may tear the last line; the next line then starts
    on a new line. This holds for local file systems, not for NFS.

    **Disk errors** do not stop the crawl: the line is counted in `lost`, an error is logged once, and a warning when
    lines can be written again.

    Not thread-safe.

    Args:
        folder: exists.
        name: one of `archive.NAMES`.
        clock: seconds since the epoch.
        on_new_day: called with the new day (UTC) after the file has changed.

    Raises:
        LogError: the file cannot be opened for writing.
    """

    def __init__(self, folder: Path, name: str, clock: Callable[[], float], on_new_day: Callable[[date], None]) -> None:
        self._folder = folder
        self._name = name
        self._clock = clock
        self._on_new_day = on_new_day
        self.failing = False
        """Whether the last line could not be written."""
        self.lost = 0
        try:
            self._open()
        except OSError as error:
            raise LogError(
                f"The request log cannot be written in {folder}: {error.strerror or error}. It is the proof"
                " of what was asked of whom; give it a folder that this user can write to."
            ) from error

    def _open(self) -> None:
        """Open the file of the current day; a failure changes nothing."""
        for _ in range(_TRIES):
            now = self._clock()
            path = self._folder / f"{self._name}-{utc_day(now).isoformat()}.jsonl"
            descriptor = os.open(path, os.O_WRONLY | os.O_APPEND | os.O_CREAT, 0o644)
            if archive.lock(descriptor, alone=False) and archive.is_at(descriptor, path):
                self._descriptor = descriptor
                self._day_ends = (now // _DAY + 1) * _DAY
                self._torn = archive.is_torn(path)
                return
            # Another process, whose clock is ahead, is packing this file.
            os.close(descriptor)
            time.sleep(0.05)
        raise BlockingIOError(f"{path} is being packed by another process")

    def write(self, line: bytes) -> None:
        """Append one line.

        Args:
            line: with its line feed at the end, and no other.
        """
        if self._clock() >= self._day_ends:
            self._rotate()
        if self._torn:
            line = b"\n" + line
        try:
            written = os.write(self._descriptor, line)
            while written < len(line):
                self._torn = True
                line = line[written:]
                written = os.write(self._descriptor, line)
        except OSError as error:
            self._lose(error)
            return
        self._torn = False
        if self.failing:
            self._recover()

    def _rotate(self) -> None:
        old = self._descriptor
        try:
            self._open()
        except OSError as error:
            # Lines continue into yesterday's file.
            logger.error("The request log cannot begin a new file in %s: %s.", self._folder, error)  # noqa: TRY400
            self._day_ends = self._clock() + _RETRY
            return
        os.close(old)
        self._on_new_day(utc_day(self._clock()))

    def _lose(self, error: OSError) -> None:
        self.lost += 1
        if not self.failing:
            logger.error(
                "The request log in %s cannot be written: %s. The crawl goes on, lines are lost until"
                " this is repaired; their number is counted.",
                self._folder,
                error.strerror or error,
            )
        self.failing = True

    def _recover(self) -> None:
        self.failing = False
        lost = plural(self.lost, "line", "was")
        logger.warning("The request log in %s is written again; %s lost.", self._folder, lost)

    def close(self) -> None:
        """Close the file."""
        if self._descriptor >= 0:
            os.close(self._descriptor)
            self._descriptor = -1
