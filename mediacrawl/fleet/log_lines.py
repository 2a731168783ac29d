"""Logs of several processes in one stream: what each file got since the last look, record by record."""

from __future__ import annotations

from pathlib import Path

from mediacrawl.observe.text import BEGINS_RECORD

LOOK = 1 << 20
"""Bytes that are read at a look; a log that grows faster is caught up with at the next ones."""

RECORD = 1 << 16
"""Bytes after which a record is told in pieces."""


class Tail:
    """Reads what a file gets.

    Args:
        path: of a file that is only appended to.
        start: byte at which to begin.
    """

    def __init__(self, path: Path, start: int = 0) -> None:
        self._path = path
        self._place = start

    def read(self) -> bytes:
        """What came since the last look, at most `LOOK` bytes; nothing if the file cannot be read now."""
        try:
            with self._path.open("rb") as file:
                file.seek(self._place)
                found = file.read(LOOK)
        except OSError:
            return b""
        self._place += len(found)
        return found


class Records:
    """Joins lines to records: a line that does not begin with a time belongs to the one before, as in tracebacks."""

    def __init__(self) -> None:
        self._unfinished = b""
        self._lines: list[str] = []
        self._size = 0

    def take(self, read: bytes) -> list[str]:
        """Take in what was read from a log; answers the records that are whole.

        A record is whole when the next one begins, or when nothing came since the last look.

        Args:
            read: the bytes; none, if nothing came.
        """
        if not read:
            return self._end()
        *lines, self._unfinished = (self._unfinished + read).split(b"\n")
        if len(self._unfinished) > RECORD:
            lines, self._unfinished = [*lines, self._unfinished], b""
        return [record for line in lines for record in self._add(line.decode("utf-8", "replace").rstrip("\r"))]

    def rest(self) -> list[str]:
        """What is left when the process has ended, a last line without its end too."""
        line, self._unfinished = self._unfinished.decode("utf-8", "replace"), b""
        return [*(self._add(line) if line else []), *self._end()]

    def _add(self, line: str) -> list[str]:
        whole = self._end() if BEGINS_RECORD.match(line) or self._size > RECORD else []
        self._lines.append(line)
        self._size += len(line)
        return whole

    def _end(self) -> list[str]:
        record = "\n".join(self._lines)
        self._lines, self._size = [], 0
        return [record] if record else []


def last_lines(path: Path, most: int) -> list[str]:
    """The last lines of a log, those without text left out; none if it cannot be read.

    Args:
        path: of the file.
        most: lines at most.
    """
    try:
        with path.open("rb") as file:
            size = file.seek(0, 2)
            file.seek(max(size - RECORD, 0))
            text = file.read(RECORD).decode("utf-8", "replace")
    except OSError:
        return []
    return [line for line in text.splitlines() if line.strip()][-most:]
