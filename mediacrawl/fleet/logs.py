"""Reads logs while they are written, record by record."""

from __future__ import annotations

from pathlib import Path

from mediacrawl.observe.text import BEGINS_RECORD

LOOK = 1 << 20
"""Bytes of one read; the rest of a log that grows faster comes with the next ones."""

RECORD = 1 << 16
"""Bytes after which a record is split."""


class LogTail:
    """Reads what is appended to a file.

    Args:
        path: of a file that is only appended to.
        start: byte at which to begin.
    """

    def __init__(self, path: Path, start: int = 0) -> None:
        self._path = path
        self._place = start

    def read(self) -> bytes:
        """The bytes since the last call, at most `LOOK`; none if the file cannot be read now."""
        try:
            with self._path.open("rb") as file:
                file.seek(self._place)
                found = file.read(LOOK)
        except OSError:
            return b""
        self._place += len(found)
        return found


class LogRecords:
    """Joins lines to records: a line that does not begin with a time continues the record before, as in tracebacks."""

    def __init__(self) -> None:
        self._unfinished = b""
        self._lines: list[str] = []
        self._size = 0

    def take(self, read: bytes) -> list[str]:
        """Parse more of a log; answers the complete records.

        A record is complete when the next one begins, or when nothing was appended since the last call.

        Args:
            read: the bytes; none if nothing was appended.
        """
        if not read:
            return self._end()
        *lines, self._unfinished = (self._unfinished + read).split(b"\n")
        if len(self._unfinished) > RECORD:
            lines, self._unfinished = [*lines, self._unfinished], b""
        return [record for line in lines for record in self._add(line.decode("utf-8", "replace").rstrip("\r"))]

    def rest(self) -> list[str]:
        """The rest after the end of the process, with a last line that has no line feed."""
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
    """The last lines of a log, without blank ones; none if it cannot be read."""
    try:
        with path.open("rb") as file:
            size = file.seek(0, 2)
            file.seek(max(size - RECORD, 0))
            text = file.read(RECORD).decode("utf-8", "replace")
    except OSError:
        return []
    return [line for line in text.splitlines() if line.strip()][-most:]
