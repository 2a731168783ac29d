"""CSV (RFC 4180, and its dialects with semicolons, tabs and bars), by the csv module.

The columns stay. The evidence is in one more column, ``mojibake``, as JSON; if the input has no such column, every row
gets an empty cell there. JSON in ``tags`` and ``extra`` is parsed. A changed cell gets an apostrophe before what a
spreadsheet would take for a formula, which is removed when it is read (`observe.text.to_cell`).

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
from itertools import chain, islice
from typing import Any, Literal

from mediacrawl.observe.text import clean, from_cell, to_cell
from mediacrawl.rerun.blocks import LONGEST_RECORD, Block, BlockRecord, Location, RerunError
from mediacrawl.rerun.input_file import HEAD, InputFile
from mediacrawl.rerun.json_lines import EVIDENCE, TextWriter, cell, loaded
from mediacrawl.rerun.text_encoding import as_utf8

_SEPARATOR = re.compile(rb"sep=([,;\t|])\r?\n", re.IGNORECASE)
"""A first line that declares the delimiter to Excel."""

_DELIMITERS = (",", ";", "\t", "|")
"""The first one is the default."""

_SAMPLE_ROWS = 50
"""Rows that are compared with the header, and with what the csv module makes of them."""

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
        """Return the dialect with a column for the evidence, and with a head."""
        columns, head = self.columns, self.head
        if EVIDENCE not in columns:
            columns = (*columns, EVIDENCE)
            if head:
                head = with_cell(head, self.delimiter, self.row([EVIDENCE], ""))
        head = head or self.row(map(to_cell, columns))
        return replace(self, columns=columns, head=head if head.endswith(b"\n") else head + b"\r\n")

    def gives(self, raw: bytes, cells: Iterable[str]) -> bool:
        """Return whether the csv module writes these cells as they are."""
        return self.row(cells, raw[len(raw.rstrip(b"\r\n")) :].decode()) == raw


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
        with self.reading():
            lines = self.lines(0)
            self.dialect, self.begin = self._read_head(lines.head())
            # A pipe goes on behind it.
            lines.skip(self.begin)
        self.lines_before = self.dialect.head.count(b"\n") or 1
        self.columns = self.dialect.columns
        self.token = re.compile(rb'[^"\r\n' + re.escape(self.dialect.delimiter.encode()) + rb"]++")
        if not self.dialect.is_exact:
            self.remark = (
                f"{where.name} sets quotes in a way of its own. A row with a repaired text is written with those that"
                " are needed; all other rows stay as they are."
            )

    def _read_head(self, text: bytes) -> tuple[Dialect, int]:
        """Return the form of a table by its beginning, and the offset of its first row. The header is one line."""
        before = BOM_UTF8 if text.startswith(BOM_UTF8) else b""
        first, *rest = io.BytesIO(text.removeprefix(BOM_UTF8)).readlines() or [b""]
        delimiter = ""
        if found := _SEPARATOR.fullmatch(first):
            before, delimiter = before + first, found[1].decode()
            first, *rest = rest or [b""]
        body = first.rstrip(b"\r\n")
        if b"\r" in body and not first.endswith(b"\n"):
            raise RerunError(
                f"{self.where.name} ends its lines with lone carriage returns. Write line feeds: tr '\\r' '\\n'."
            )
        rest = rest if len(text) < HEAD else rest[:-1]
        delimiter = delimiter or delimiter_of(body, rest)
        header, _ = self.utf8(body)
        _, names = next(_rows([header], delimiter, strict=True), (b"", None))
        columns = tuple(from_cell(name) if name.strip() else f"column {n}" for n, name in enumerate(names or (), 1))
        is_text = as_utf8(header) is not None and b"\0" not in header
        if not any(map(str.strip, names or ())) or not is_text or len(set(columns)) < len(columns):
            raise RerunError(
                f"{self.where.name} has no header: its first line must name each column, once, and be in"
                f" {self.text_encoding.name or 'UTF-8'} (--encoding NAME names another one)."
            )
        dialects = [Dialect(columns, delimiter, quotes_all=quotes_all) for quotes_all in (False, True)]
        rows = list(islice(_rows(chain([first], rest), delimiter), _SAMPLE_ROWS))
        if len(text) >= HEAD or _is_open(rows[-1][0], delimiter):
            rows.pop()
        exact = [each for each in dialects if all(cells is None or each.gives(raw, cells) for raw, cells in rows)]
        # The mark of UTF-16 is not in the text.
        mark = BOM_UTF8 if self.text_encoding.mark and not before.startswith(BOM_UTF8) else b""
        head = mark + before + header + first[len(body) :]
        return replace((exact or dialects)[0], head=head, is_exact=bool(exact)), len(before + first)

    def complete(self, data: bytes) -> int:
        lines = io.BytesIO(data).readlines()
        begins = ends = 0
        # The quote at the end is a row of its own, or closes the last one.
        for raw, _ in _rows(chain(lines, [b'"']), self.dialect.delimiter):
            begins, ends = ends, ends + len(raw)
        return begins

    def records(self, block: Block) -> Iterator[BlockRecord]:
        recoded: list[str] = []

        def lines() -> Iterator[bytes]:
            for line in io.BytesIO(block.data):
                text, encoding = self.utf8(line)
                recoded.append(encoding)
                yield text

        number, delimiter = block.number, self.dialect.delimiter
        rows = _rows(lines(), delimiter)
        if block.by_line:
            rows = ((line, next(_rows([line], delimiter))[1]) for line in lines())
        for place, (raw, cells) in enumerate(rows):
            entry = BlockRecord(number, place, raw, recoded="".join(dict.fromkeys(recoded)), origin=cells)
            if as_utf8(raw) is None:
                entry.problem = self.text_encoding.unread
            elif cells is None:
                entry.problem = "not CSV"
            elif block.by_line and _is_open(raw, delimiter):
                entry.problem = OPEN_QUOTE
            else:
                entry.record, entry.problem = self._record(cells)
            number += len(recoded)
            recoded.clear()
            yield entry

    def _record(self, cells: list[str]) -> tuple[dict[str, Any] | None, str]:
        if not cells:
            return None, ""
        if len(cells) > len(self.columns):
            return None, _TOO_MANY
        record = {name: loaded(name, from_cell(text)) for name, text in zip(self.columns, cells, strict=False)}
        evidence = record.get(EVIDENCE)
        if evidence == "":
            del record[EVIDENCE]
        elif evidence is not None and not isinstance(evidence, dict):
            # The column is ours, so the row had one cell too many before.
            return None, _TOO_MANY
        return record, ""


def _rows(lines: Iterable[bytes], delimiter: str, *, strict: bool = False) -> Iterator[tuple[bytes, list[str] | None]]:
    """Split lines into rows, as the csv module does.

    Yields:
        A row as it is, of several lines if line feeds are quoted, and its cells; None if it is not CSV.
    """
    csv.field_size_limit(2 * LONGEST_RECORD)
    taken: list[bytes] = []

    def fed() -> Iterator[str]:
        for line in lines:
            taken.append(line)
            yield line.decode("utf-8", "surrogateescape")

    reader = csv.reader(fed(), delimiter=delimiter, strict=strict)
    while True:
        try:
            cells: list[str] | None = next(reader)
        except StopIteration:
            return
        except csv.Error:
            cells = None
        yield b"".join(taken), cells
        taken.clear()


def _is_open(line: bytes, delimiter: str) -> bool:
    """Return whether a line ends inside of quotes: a further quote belongs to its row."""
    return next(_rows([line, b'"'], delimiter))[0] != line


def delimiter_of(header: bytes, lines: Sequence[bytes]) -> str:
    """Return the delimiter of a table, by its first line and some that follow.

    It is the one that most rows have as often as the header, outside of quotes. Of several, the one after which no name
    in the header begins with a space; then the one with the most columns.
    """
    scores = {}
    for delimiter in _DELIMITERS:
        _, names = next(_rows([header], delimiter, strict=True), (b"", None))
        if names and len(names) > 1:
            rows = islice(_rows(lines, delimiter), _SAMPLE_ROWS)
            alike = sum(cells is not None and len(cells) == len(names) for _, cells in rows)
            scores[delimiter] = (alike, -sum(name.startswith(" ") for name in names), len(names))
    return max(scores, key=lambda delimiter: scores[delimiter], default=_DELIMITERS[0])


@dataclass(frozen=True)
class CsvWriter(TextWriter):
    """Makes rows of records.

    Attributes:
        dialect: of the output, with a column for the evidence.
        repeats: columns of the input, if it is CSV in the same dialect, whose unchanged rows and cells are copied.
    """

    dialect: Dialect = Dialect(())
    repeats: int = 0

    @property
    def header(self) -> bytes:  # type: ignore[override]
        return self.dialect.head

    @property
    def keeps(self) -> bool:  # type: ignore[override]
        return bool(self.repeats)

    def packed(self, record: dict[str, Any], entry: BlockRecord) -> bytes:
        columns = self.dialect.columns
        if not self.repeats or entry.raw is None:
            return self.dialect.row(map(to_cell, self._texts(record)))
        if not entry.changed:
            is_whole = len(record) == self.repeats < len(columns)
            return with_cell(entry.raw, self.dialect.delimiter) if is_whole else entry.raw
        cells = [*entry.origin, *[""] * (len(columns) - len(entry.origin))]
        for place, (name, text) in enumerate(zip(columns, self._texts(record), strict=True)):
            if cell(loaded(name, from_cell(cells[place]))) != text:
                cells[place] = to_cell(text)
        if len(cells) > len(entry.origin) and cells[:-1] == entry.origin:
            return with_cell(entry.raw, self.dialect.delimiter, self.dialect.row(cells[-1:], ""))
        return self.dialect.row(cells, entry.raw[len(entry.raw.rstrip(b"\r\n")) :].decode())

    def _texts(self, record: dict[str, Any]) -> list[str]:
        """Return the texts of a record in the order of the columns; those without one go into ``extra``."""
        columns = self.dialect.columns
        more = {name: value for name, value in record.items() if name not in columns}
        if more and "extra" in columns:
            extra = record.get("extra") or {}
            record = {**record, "extra": {**(extra if isinstance(extra, dict) else {"extra": extra}), **more}}
        return [cell(record.get(name)) for name in columns]
