"""The file of the harvest: one line of JSON for each window of pages."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

TAIL = 256 * 1024
"""Bytes at the end of the file that are read back. A line has at most 100,000: twenty classes whose names and sites are
written in characters of twelve bytes."""


class HarvestLines:
    """Appends lines to a file, and reads the last one back.

    On disk: one JSON object a line, ASCII, some 3 KB each, written by one ``write`` on a file that is opened for it.
    So it may be moved away or deleted at any time. A kill loses what was counted since the last line, and may leave
    half of one; the next line then begins on a line of its own.

    Args:
        path: of the file; its folder is made if it is missing.
    """

    def __init__(self, path: Path) -> None:
        self._path = path

    def append(self, line: Mapping[str, Any]) -> None:
        """Append a line.

        Args:
            line: what JSON can say.

        Raises:
            OSError: the disk refuses it.
        """
        written = json.dumps(line, separators=(",", ":"), allow_nan=False).encode("ascii") + b"\n"
        self._path.parent.mkdir(parents=True, exist_ok=True)
        with self._path.open("ab+", buffering=0) as file:
            if _is_torn(file.fileno()):
                written = b"\n" + written
            if file.write(written) != len(written):
                raise OSError(f"only a part of a line could be written to {self._path}")

    def last(self) -> dict[str, Any]:
        """The last whole line that can be read, in the last `TAIL` bytes; empty if there is none.

        Raises:
            OSError: the file cannot be read.
        """
        try:
            with self._path.open("rb") as file:
                file.seek(max(file.seek(0, os.SEEK_END) - TAIL, 0))
                tail = file.read(TAIL)
        except FileNotFoundError:
            return {}
        return next(_read(tail), {})


def _is_torn(descriptor: int) -> bool:
    size = os.fstat(descriptor).st_size
    return size > 0 and os.pread(descriptor, 1, size - 1) != b"\n"


def _read(tail: bytes) -> Iterator[dict[str, Any]]:
    """The objects of whole lines, the last one first. What stands behind the last line feed is no whole line."""
    for line in reversed(tail.split(b"\n")[:-1]):
        try:
            found = json.loads(line)
        except (ValueError, RecursionError):
            continue
        if isinstance(found, dict):
            yield found
