"""CSV text split into rows and cells that stay byte for byte, and the delimiter of a file."""

from __future__ import annotations

import csv
import io
import re
from collections import deque
from collections.abc import Iterator, Sequence
from functools import cache
from itertools import islice
from typing import Final

from mediacrawl.rerun.blocks import LONGEST_RECORD, TOO_LONG

_CONTENT: Final = re.compile(rb'"((?:[^"]++|"")*+)"(.*)', re.DOTALL)


@cache
def _cell(delimiter: str) -> re.Pattern[bytes]:
    """One cell with its quotes, as the csv module splits: a quote only counts at the beginning of a cell."""
    other = b"[^" + re.escape(delimiter.encode()) + b"]*+"
    return re.compile(rb'(?:"(?:[^"]++|"")*+"' + other + rb"|" + other + rb")", re.DOTALL)


def split(row: bytes, delimiter: str) -> list[bytes]:
    """The cells of a row without its line end as they stand, quotes included."""
    cells, at = [], 0
    pattern = _cell(delimiter)
    while True:
        found = pattern.match(row, at)
        # The pattern always matches, at least an empty cell.
        end = found.end() if found else len(row)
        cells.append(row[at:end])
        if end >= len(row):
            return cells
        at = end + 1


def rendered(text: str, delimiter: str, *, quoted: bool = False) -> bytes:
    """A text as a cell."""
    if quoted or delimiter in text or any(sign in text for sign in '"\r\n'):
        text = '"' + text.replace('"', '""') + '"'
    return text.encode()


def content(cell: bytes) -> bytes:
    """The content of a cell, as the csv module reads it."""
    found = _CONTENT.fullmatch(cell)
    return found[1].replace(b'""', b'"') + found[2] if found else cell


def is_quoted(cells: Sequence[bytes]) -> bool:
    """Whether all cells of a row have quotes."""
    return all(cell.startswith(b'"') for cell in cells)


_DELIMITERS: Final = (",", ";", "\t", "|")
"""The first one is the default."""

_ROWS: Final = 50
"""Rows that are compared with the header."""


def delimiter_of(header: bytes, sample: bytes) -> str:
    """The delimiter of a table.

    Args:
        header: its first line, in a superset of ASCII.
        sample: whole lines after it; may be empty.

    Returns:
        The delimiter that most rows have as often as the header, outside of quotes. Of several, the one after which no
        name in the header begins with a space; then the one with the most columns.
    """
    scores = {}
    for delimiter in _DELIMITERS:
        names = _first([_characters(header)], delimiter)
        if len(names) > 1:
            spaced = sum(name.startswith(" ") for name in names)
            scores[delimiter] = (_agreeing(sample, delimiter, len(names)), -spaced, len(names))
    return max(scores, key=lambda delimiter: scores[delimiter], default=_DELIMITERS[0])


def _first(lines: list[str], delimiter: str) -> list[str]:
    try:
        return next(csv.reader(lines, delimiter=delimiter, strict=True), [])
    except csv.Error:
        return []


def _agreeing(sample: bytes, delimiter: str, width: int) -> int:
    """Number of the first rows with this many cells."""
    found = 0
    try:
        for row in islice(csv.reader(io.StringIO(_characters(sample), newline=""), delimiter=delimiter), _ROWS):
            found += len(row) == width
    except csv.Error:
        # A cell is too long; the rows before it count.
        pass
    return found


OPEN_QUOTE = "a quote is not closed"
_NOT_CSV = "not CSV"


class _Ahead:
    """Lookahead over lines, to find the end of a quote that is open.

    Between two lines of a row the csv module is in one state only, inside a quoted cell. So whether a line leaves an
    open quote open depends on that line alone, and each line is examined once.
    """

    def __init__(self, lines: Iterator[bytes], delimiter: str) -> None:
        self._lines = lines
        self._delimiter = delimiter
        self._ahead: deque[bytes] = deque()
        # All lines ahead leave an open quote open; or all but the last one, which may not be CSV after it.
        self._inside = self._inside_size = 0
        self._problem = ""

    def line(self) -> bytes:
        """The next line, empty at the end."""
        if not self._ahead:
            return next(self._lines, b"")
        line = self._ahead.popleft()
        if self._inside:
            self._inside -= 1
            self._inside_size -= len(line)
        else:
            self._problem = ""
        return line

    def find_end(self, room: int) -> None:
        """Checks that an open quote is closed within so many bytes.

        Raises:
            csv.Error: it is not, or the rest of its line is not CSV.
        """
        while True:
            line = self._first_unknown()
            if not line:
                raise csv.Error(OPEN_QUOTE)
            if self._inside_size + len(line) > room:
                raise csv.Error(TOO_LONG)
            if not self._stays_open(line):
                return
            self._inside += 1
            self._inside_size += len(line)

    def _first_unknown(self) -> bytes:
        if len(self._ahead) > self._inside:
            return self._ahead[-1]
        line = next(self._lines, b"")
        if line:
            self._ahead.append(line)
        return line

    def _stays_open(self, line: bytes) -> bool:
        if self._problem:
            raise csv.Error(self._problem)
        if b'"' not in line:
            return True
        reader = csv.reader(['"' + _characters(line), '"'], delimiter=self._delimiter)
        try:
            next(reader)
        except csv.Error as error:
            self._problem = str(error)
            raise
        return reader.line_num > 1


class _Lines:
    """Passes the lines of one row to the csv module and keeps them.

    A row continues only if it has an end. So an unreadable row has consumed one line.
    """

    def __init__(self, lines: Iterator[bytes], delimiter: str) -> None:
        self._ahead = _Ahead(lines, delimiter)
        self.taken: list[bytes] = []

    def __iter__(self) -> _Lines:
        return self

    def __next__(self) -> str:
        if len(self.taken) == 1:
            self._ahead.find_end(LONGEST_RECORD - len(self.taken[0]))
        line = self._ahead.line()
        if not line:
            raise StopIteration
        self.taken.append(line)
        if len(line) > LONGEST_RECORD:
            raise csv.Error(TOO_LONG)
        return _characters(line)

    def begin(self) -> None:
        """Starts the next row."""
        self.taken = []

    def give_up(self) -> Iterator[bytes]:
        """The first line of an unreadable row, in pieces if it is too long for one."""
        piece = self.taken[0]
        while piece:
            yield piece
            piece = b"" if piece.endswith(b"\n") else self._ahead.line()


def _characters(line: bytes) -> str:
    """Each byte as one character, so that quotes and delimiters keep their places."""
    return line.decode("latin-1")


def rows(lines: Iterator[bytes], delimiter: str) -> Iterator[tuple[bytes, list[str] | None, str]]:
    """Splits lines into rows; a row with a quoted line feed has several lines.

    Yields:
        A row as it stands; its cells, one character a byte, None for an unreadable row; and the problem. Of an
        unreadable row only the first line is consumed: a quote that is never closed costs one line, not the rest. A
        line that is too long comes in pieces, and only the first one has the problem. No line is read more than three
        times.
    """
    csv.field_size_limit(2 * LONGEST_RECORD)
    feed = _Lines(lines, delimiter)
    while True:
        feed.begin()
        try:
            # A new reader for each row: the last one may have stopped inside a cell.
            cells = next(csv.reader(feed, delimiter=delimiter))
        except StopIteration:
            return
        except csv.Error as error:
            problem = str(error) if str(error) in (TOO_LONG, OPEN_QUOTE) else _NOT_CSV
            for piece in feed.give_up():
                yield piece, None, problem
                problem = ""
        else:
            yield b"".join(feed.taken), cells, ""
