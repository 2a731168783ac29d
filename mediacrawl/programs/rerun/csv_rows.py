"""CSV (RFC 4180, and its dialects with semicolons, tabs and bars), by the csv module.

The columns stay. The evidence is in one more column, ``mojibake``, as JSON; if the input has no such column, every row
gets an empty cell there. JSON in ``tags`` and ``extra`` is parsed. A changed cell gets an apostrophe before what a
spreadsheet would take for a formula, which is removed when it is read (`base.text.to_cell`).

The byte order mark, a first line ``sep=;``, the delimiter, the line ends and unchanged rows stay. A row that changes is
written with quotes around all cells, if the table has them there, and else around those that need them.
"""

from __future__ import annotations

import csv
import io
import re
from codecs import BOM_UTF8
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import islice
from typing import Any, Literal

from mediacrawl.base.text import clean, from_cell, to_cell
from mediacrawl.programs.rerun.blocks import LONGEST_RECORD, TOO_LONG, Block, BlockRecord, Location, RerunError
from mediacrawl.programs.rerun.input_file import HEAD, InputFile
from mediacrawl.programs.rerun.json_lines import EVIDENCE, TextWriter, cell, loaded
from mediacrawl.programs.rerun.text_encoding import as_utf8

_SEPARATOR = re.compile(rb"sep=([,;\t|])\r?\n", re.IGNORECASE)
"""A first line that declares the delimiter to Excel."""

_LINE = re.compile(r"[^\n]*+\n|[^\n]++")

_DELIMITERS = (",", ";", "\t", "|")
"""The first one is the default."""

_SAMPLE_ROWS = 50
"""Rows that are compared with the header, and with what the csv module makes of them."""

_LONGEST_ROW = 1 << 20
"""Bytes in which a quote must be closed."""

OPEN_QUOTE = "a quote is not closed"
_TOO_MANY = "more cells than columns"


@dataclass(frozen=True, slots=True)
class Dialect:
    """The form of a table.

    Attributes:
        columns: unique names of the columns; a missing name is replaced by one with the column's number.
        delimiter: between two cells.
        quotes_all: whether each cell has quotes.
        head: the bytes before the first row: a byte order mark, a line that declares the delimiter, the header.
        is_exact: whether rows that the csv module writes are those of the table, byte for byte.
    """

    columns: tuple[str, ...]
    delimiter: str = ","
    quotes_all: bool = False
    head: bytes = b""
    is_exact: bool = True

    def row(self, cells: Iterable[str], ending: str = "\r\n") -> bytes:
        """Return a row as bytes, with its end."""
        text = io.StringIO(newline="")
        quoting: Literal[0, 1] = csv.QUOTE_ALL if self.quotes_all else csv.QUOTE_MINIMAL
        csv.writer(text, delimiter=self.delimiter, lineterminator=ending, quoting=quoting).writerow(map(clean, cells))
        return text.getvalue().encode()

    def with_evidence(self) -> Dialect:
        """Return the dialect with a column for the evidence."""
        columns, head = self.columns, self.head
        if EVIDENCE not in columns:
            columns = (*columns, EVIDENCE)
            head = with_cell(head, self.delimiter, self.row([EVIDENCE], ""))
        return replace(self, columns=columns, head=head if head.endswith(b"\n") else head + b"\r\n")

    def gives(self, row: bytes) -> bool:
        """Return whether the csv module writes a row as it is; of one that is not CSV nothing is written."""
        cells, is_open = _parsed(row, self.delimiter)
        return cells is None or is_open or self.row(cells, row[len(row.rstrip(b"\r\n")) :].decode()) == row


def with_cell(row: bytes, delimiter: str, last: bytes = b"") -> bytes:
    """Return a row with one more cell before its end."""
    body = row.rstrip(b"\r\n")
    return body + delimiter.encode() + last + row[len(body) :]


class CsvReader(InputFile):
    """A CSV file with a header; blocks end with a row.

    A quote that is not closed within a megabyte, or not at all, makes its line unreadable; the lines that were searched
    for its end are rows of their own each.
    """

    def __init__(self, where: Location, encoding: str | None = None) -> None:
        super().__init__(where, encoding)
        if not self.can_resume:
            raise RerunError(f"{where.name} is a pipe, out of which a table cannot be read. Store it as a file first.")
        with self.reading():
            self.dialect = self._found_dialect()
        self.columns = self.dialect.columns
        self.token = re.compile(rb'[^"\r\n' + re.escape(self.dialect.delimiter.encode()) + rb"]++")
        if not self.dialect.is_exact:
            self.remark = (
                f"{where.name} sets quotes in a way of its own. A row with a repaired text is written with those that"
                " are needed; all other rows stay as they are."
            )

    def _found_dialect(self) -> Dialect:
        """Return the form of the table by its beginning, and skip its header, which is one line."""
        self._open.seek(self.begin)
        lines = []
        for line in self.lines():
            lines.append(line)
            if len(lines) > 1 and self._open.tell() > HEAD:
                break
        texts = [self.utf8(line)[0] for line in lines]
        # The mark of UTF-16 is not in the text.
        mark = BOM_UTF8 if self.begin or (texts and texts[0].startswith(BOM_UTF8)) else b""
        texts[:1] = [text.removeprefix(BOM_UTF8) for text in texts[:1]]
        separator = _SEPARATOR.fullmatch(texts[0]) if texts else None
        self.lines_before = 2 if separator else 1
        self.begin += sum(map(len, lines[: self.lines_before]))
        head = b"".join(texts[: self.lines_before])
        header = texts[self.lines_before - 1] if len(texts) >= self.lines_before else b""
        if b"\r" in header.rstrip(b"\r\n") and b'"' not in header:
            raise RerunError(
                f"{self.where.name} ends its lines with lone carriage returns. Write line feeds: tr '\\r' '\\n'."
            )
        delimiter = (
            separator[1].decode()
            if separator
            else delimiter_of(header, [text for text in texts[1:] if len(text) <= HEAD])
        )
        names, is_open = _parsed(header, delimiter, strict=True)
        columns = tuple(from_cell(name) if name.strip() else f"column {n}" for n, name in enumerate(names or (), 1))
        is_text = as_utf8(header) is not None and b"\0" not in header and not is_open
        if not any(map(str.strip, names or ())) or not is_text or len(set(columns)) < len(columns):
            raise RerunError(
                f"{self.where.name} has no header: its first line must name each column, once, and be in"
                f" {self.text_encoding.name or 'UTF-8'} (--encoding NAME names another one)."
            )
        dialects = [Dialect(columns, delimiter, quotes_all=quotes_all) for quotes_all in (False, True)]
        self._open.seek(self.begin)
        self.dialect = dialects[0]
        rows = [
            self.utf8(row)[0] for group, _ in islice(self.groups(), _SAMPLE_ROWS) for row in group if len(row) <= HEAD
        ]
        exact = [each for each in dialects if all(map(each.gives, [header, *rows]))]
        return replace((exact or dialects)[0], head=mark + head, is_exact=bool(exact))

    def groups(self) -> Iterator[tuple[Sequence[bytes], int]]:
        """Return each row, or the lines behind a quote that is not closed; see `InputFile.groups`."""
        held: list[bytes] = []
        size, is_open = 0, False
        for line in self.lines():
            held.append(line)
            size, lines = size + len(line), len(held)
            if size <= _LONGEST_ROW:
                text = self.text_encoding.in_utf8(line)
                _, is_open = _parsed(b'"' * is_open + text, self.dialect.delimiter)
                if is_open:
                    continue
                held = [b"".join(held)]
            yield held, lines
            held, size, is_open = [], 0, False
        if held:
            yield held, len(held)

    def records(self, block: Block) -> Iterator[BlockRecord]:
        number = block.number
        for place, row in enumerate(block.data):
            raw, recoded = self.utf8(row)
            entry = BlockRecord(number, place, raw, recoded=recoded)
            entry.record, entry.problem = self._parsed_row(entry, raw)
            number += raw.count(b"\n")
            yield entry

    def _parsed_row(self, entry: BlockRecord, raw: bytes) -> tuple[dict[str, Any] | None, str]:
        if len(raw) > LONGEST_RECORD:
            return None, TOO_LONG
        if as_utf8(raw) is None:
            return None, self.text_encoding.unread
        cells, is_open = _parsed(raw, self.dialect.delimiter)
        if cells is None or is_open:
            return None, OPEN_QUOTE if is_open else "not CSV"
        if len(cells) > len(self.columns):
            return None, _TOO_MANY
        if not cells:
            return None, ""
        entry.origin = cells
        record = {name: loaded(name, from_cell(text)) for name, text in zip(self.columns, cells, strict=False)}
        evidence = record.get(EVIDENCE)
        if evidence == "":
            del record[EVIDENCE]
        elif evidence is not None and not isinstance(evidence, dict):
            # The column is ours, so the row had one cell too many before.
            return None, _TOO_MANY
        return record, ""


def _parsed(row: bytes, delimiter: str, *, strict: bool = False) -> tuple[list[str] | None, bool]:
    """Return the cells of a row, None if it is not CSV; and whether it ends inside of quotes."""
    csv.field_size_limit(2 * LONGEST_RECORD)
    lines = _LINE.findall(row.decode("utf-8", "surrogateescape"))
    reader = csv.reader([*lines, '"'], delimiter=delimiter, strict=strict)
    try:
        cells = next(reader) if lines else []
    except csv.Error:
        return None, False
    return cells, reader.line_num > len(lines)


def delimiter_of(header: bytes, lines: Sequence[bytes]) -> str:
    """Return the delimiter of a table, by its first line and some that follow.

    It is the one that most rows have as often as the header, outside of quotes. Of several, the one after which no name
    in the header begins with a space; then the one with the most columns.
    """
    scores = {}
    for delimiter in _DELIMITERS:
        names, _ = _parsed(header, delimiter, strict=True)
        if names and len(names) > 1:
            alike = sum(len(_parsed(line, delimiter)[0] or ()) == len(names) for line in lines[:_SAMPLE_ROWS])
            scores[delimiter] = (alike, -sum(name.startswith(" ") for name in names), len(names))
    return max(scores, key=lambda delimiter: scores[delimiter], default=_DELIMITERS[0])


@dataclass(frozen=True)
class CsvWriter(TextWriter):
    """Makes rows of records. Unchanged rows and cells are copied.

    Attributes:
        dialect: of the input, with a column for the evidence.
        width: number of columns of the input.
    """

    dialect: Dialect = Dialect(())
    width: int = 0

    def packed(self, record: dict[str, Any], entry: BlockRecord) -> bytes:
        columns, raw = self.dialect.columns, entry.raw or b""
        if not entry.changed:
            is_whole = len(record) == self.width < len(columns)
            return with_cell(raw, self.dialect.delimiter) if is_whole else raw
        cells = [*entry.origin, *[""] * (len(columns) - len(entry.origin))]
        for place, name in enumerate(columns):
            text = cell(record.get(name))
            if cell(loaded(name, from_cell(cells[place]))) != text:
                cells[place] = to_cell(text)
        if len(cells) > len(entry.origin) and cells[:-1] == entry.origin:
            return with_cell(raw, self.dialect.delimiter, self.dialect.row(cells[-1:], ""))
        return self.dialect.row(cells, raw[len(raw.rstrip(b"\r\n")) :].decode())
