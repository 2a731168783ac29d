"""CSV (RFC 4180, and its dialects with semicolons and tabs), byte for byte except for changed rows.

The columns stay. The evidence is in one more column, ``mojibake``, as JSON; if the input has no such column, every row
gets an empty cell there. JSON in ``tags`` and ``extra`` is parsed. A changed cell gets an apostrophe before what a
spreadsheet would take for a formula, which is removed when it is read (`observe.text.to_cell`).

What a spreadsheet needs to open the file stays: the byte order mark, a first line ``sep=;``, the delimiter, line ends,
and the quotes of unchanged cells.
"""

from __future__ import annotations

import csv
import io
import re
from codecs import BOM_UTF8
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any, BinaryIO

from mediacrawl.observe.text import clean, from_cell, to_cell
from mediacrawl.rerun import csv_cells, json_lines
from mediacrawl.rerun.blocks import (
    BLOCK_BYTES,
    LONGEST_RECORD,
    Block,
    BlockRecord,
    BlockWriter,
    Location,
    PackedBlock,
    Position,
    RerunError,
)
from mediacrawl.rerun.csv_cells import delimiter_of, rows
from mediacrawl.rerun.input_file import InputFile, whole_lines
from mediacrawl.rerun.json_lines import EVIDENCE
from mediacrawl.rerun.text_encoding import UTF8, TextEncoding, as_utf8, read_fields

_SAMPLE = 64 << 10
"""Bytes after the header that determine the delimiter."""

_SEPARATOR = re.compile(rb"sep=([,;\t|])\r?\n", re.IGNORECASE)
"""A first line that declares the delimiter to Excel."""


@dataclass(frozen=True, slots=True)
class Dialect:
    """The form of a file's rows.

    Attributes:
        columns: unique names of the columns; a missing or repeated name is replaced by one with the column's number.
        delimiter: between two cells.
        before: bytes before the header: a byte order mark, a line that declares the delimiter.
        header: the header in UTF-8, with its end; empty for a new file.
    """

    columns: tuple[str, ...]
    delimiter: str = ","
    before: bytes = b""
    header: bytes = b""

    def text(self, cells: Iterable[str], ending: str = "\r\n") -> bytes:
        """A row as bytes, with its end."""
        row = io.StringIO(newline="")
        csv.writer(row, delimiter=self.delimiter, lineterminator=ending).writerow(map(clean, cells))
        return row.getvalue().encode()

    @property
    def with_evidence(self) -> Dialect:
        """The dialect with a column for the evidence."""
        if EVIDENCE in self.columns:
            return self
        header = self.header
        if header:
            body = header.rstrip(b"\r\n")
            quoted = csv_cells.is_quoted(csv_cells.split(body, self.delimiter))
            name = csv_cells.rendered(EVIDENCE, self.delimiter, quoted=quoted)
            header = body + self.delimiter.encode() + name + header[len(body) :]
        return replace(self, columns=(*self.columns, EVIDENCE), header=header)

    @property
    def head(self) -> bytes:
        """The bytes before the first row."""
        header = self.header or self.text(map(to_cell, self.columns))
        return self.before + header + (b"" if header.endswith(b"\n") else b"\r\n")


class CsvSource(InputFile):
    """A CSV file with a header; blocks end with a row."""

    def __init__(self, where: Location, encoding: str | None = None) -> None:
        super().__init__(where, encoding)
        with self.opening():
            stream = self.stream(0)
            self._head = header = stream.readline(LONGEST_RECORD)
            before = BOM_UTF8 if self.encoding.mark or header.startswith(BOM_UTF8) else b""
            header = header.removeprefix(BOM_UTF8)
            delimiter = ""
            if found := _SEPARATOR.fullmatch(header):
                before, delimiter, header = before + header, found[1].decode(), stream.readline(LONGEST_RECORD)
                self._head += header
            delimiter = delimiter or delimiter_of(header, self._rows_ahead(stream))
            self.dialect = self._dialect(before, header, delimiter)
        self.reader = CsvReader(self.dialect, self.encoding)

    def _rows_ahead(self, stream: BinaryIO) -> bytes:
        """Whole lines after the header, without consuming them from a pipe."""
        if self.can_resume:
            return whole_lines(stream.read(_SAMPLE))
        peek = getattr(stream, "peek", None)
        return whole_lines(bytes(peek(1))) if peek is not None else b""

    def _dialect(self, before: bytes, header: bytes, delimiter: str) -> Dialect:
        """The dialect by the header, which must be a single line."""
        body = header.rstrip(b"\r\n")
        if b"\r" in body and b"\n" not in header:
            raise RerunError(
                f"{self.where.name} ends its lines with lone carriage returns. Write line feeds: tr '\\r' '\\n'."
            )
        if as_utf8(body) is None and (read := read_fields([body], self.encoding)):
            body, header = read[0][0].encode(), read[0][0].encode() + header[len(body) :]
        try:
            text = body.decode()
            names = next(csv.reader([text], delimiter=delimiter, strict=True))
        except (UnicodeDecodeError, csv.Error, StopIteration):
            names = []
        columns = tuple(from_cell(name) if name.strip() else f"column {place}" for place, name in enumerate(names, 1))
        if not any(map(str.strip, names)) or "\0" in "".join(names) or len(set(columns)) < len(columns):
            raise RerunError(
                f"{self.where.name} has no header: its first line must name each column, once, and be in"
                f" {self.encoding.name or 'UTF-8'} (--encoding NAME names another one)."
            )
        return Dialect(columns, delimiter, before, header)

    def blocks(self, after: Position | None, number: int) -> Iterator[Block]:
        """See `blocks.RecordSource`; a position is an offset in the unpacked file, numbers are those of lines."""
        with self.reading():
            offset = after if isinstance(after, int) else len(self._head)
            number += self._head.count(b"\n") or 1 if after is None else 0
            stream = self.stream(offset)
            held: list[bytes] = []
            size = 0
            for row, cells, problem in rows(_lines(stream), self.dialect.delimiter):
                if held and (cells is None or size + len(row) > BLOCK_BYTES):
                    offset += size
                    block = self.block(b"".join(held), number, offset)
                    number, held, size = block.next_number, [], 0
                    yield block
                if cells is not None:
                    held.append(row)
                    size += len(row)
                    continue
                offset += len(row)
                block = self.block(row, number, offset, problem, is_open=not row.endswith(b"\n"))
                number = block.next_number
                yield block
            if held:
                yield self.block(b"".join(held), number, offset + size)


def _lines(stream: BinaryIO) -> Iterator[bytes]:
    return iter(lambda: stream.readline(LONGEST_RECORD + 1), b"")


@dataclass(frozen=True, slots=True)
class CsvReader:
    """Reads blocks of rows."""

    dialect: Dialect
    encoding: TextEncoding = UTF8

    def read(self, block: Block) -> Iterator[BlockRecord]:
        number = block.number
        found = rows(_lines(io.BytesIO(block.data)), self.dialect.delimiter)
        for place, (raw, cells, unread) in enumerate(found):
            entry = BlockRecord(number, place, raw, problem=unread)
            if cells is not None:
                texts, entry.recoded = self._texts(cells)
                entry.changed = bool(entry.recoded)
                entry.record, entry.problem = self._record(texts) if texts is not None else (None, self.encoding.unread)
            yield entry
            number += raw.count(b"\n")

    def _texts(self, cells: list[str]) -> tuple[list[str] | None, str]:
        """The cells as text, None if they cannot be decoded, and their encoding if it differs from the file's."""
        try:
            return [text if text.isascii() else text.encode("latin-1").decode() for text in cells], ""
        except UnicodeDecodeError:
            found = read_fields([text.encode("latin-1") for text in cells], self.encoding)
            return found or (None, "")

    def _record(self, texts: list[str]) -> tuple[dict[str, Any] | None, str]:
        if not texts:
            return None, ""
        if len(texts) > len(self.dialect.columns):
            return None, "more cells than columns"
        texts = list(map(from_cell, texts))
        record = {name: json_lines.loaded(name, text) for name, text in zip(self.dialect.columns, texts, strict=False)}
        evidence = record.get(EVIDENCE)
        if evidence == "":
            del record[EVIDENCE]
        elif evidence is not None and not isinstance(evidence, dict):
            # The column is ours, so the row had one cell too many before.
            return None, "more cells than columns"
        return record, ""


@dataclass(frozen=True, slots=True)
class CsvWriter(BlockWriter):
    """Makes rows of records.

    Attributes:
        dialect: of the output; has a column for the evidence.
        repeats: columns of the input, if it is CSV in the same dialect: unchanged rows are copied.
    """

    dialect: Dialect
    repeats: int = 0

    @property
    def header(self) -> bytes:
        """The beginning of the file."""
        return self.dialect.head

    def pack(self, block: Block, entries: Sequence[BlockRecord]) -> PackedBlock:  # noqa: ARG002 - the protocol's
        made: list[bytes] = []
        rejected: list[bytes] = []
        for entry in entries:
            (made if entry.record is not None or self.repeats else rejected).append(self._row(entry))
        return PackedBlock(b"".join(made), b"".join(rejected))

    def pass_on(self, data: bytes) -> PackedBlock:
        return PackedBlock(data) if self.repeats else PackedBlock(None, data)

    def _row(self, entry: BlockRecord) -> bytes:
        if entry.record is None:
            return entry.raw or b""
        raw = entry.raw if self.repeats else None
        if raw is None:
            return self.dialect.text(map(to_cell, self._cells(entry.record)))
        body = raw.rstrip(b"\r\n")
        ending = raw[len(body) :]
        if entry.changed:
            return self._changed(body, self._cells(entry.record)) + ending
        whole = len(entry.record) == self.repeats < len(self.dialect.columns)
        return body + self.dialect.delimiter.encode() + ending if whole else raw

    def _changed(self, body: bytes, texts: list[str]) -> bytes:
        """A row in which changed cells are replaced, with quotes if they had some."""
        delimiter = self.dialect.delimiter
        stood = csv_cells.split(body, delimiter)
        row_is_quoted = csv_cells.is_quoted(stood)
        cells = []
        for place, text in enumerate(map(clean, texts)):
            raw = stood[place] if place < len(stood) else None
            if raw is not None and self._read(self.dialect.columns[place], raw) == text:
                cells.append(raw)
                continue
            quoted = bool(text) and (row_is_quoted if raw is None else raw.startswith(b'"'))
            cells.append(csv_cells.rendered(to_cell(text), delimiter, quoted=quoted))
        return delimiter.encode().join(cells)

    @staticmethod
    def _read(name: str, raw: bytes) -> str | None:
        """The value of `_cells` for an existing cell; None if it is not UTF-8."""
        text = as_utf8(csv_cells.content(raw))
        return None if text is None else json_lines.cell(json_lines.loaded(name, from_cell(text)))

    def _cells(self, record: dict[str, Any]) -> list[str]:
        """The texts of the cells; fields without a column go into ``extra``, if there is one."""
        if "extra" in self.dialect.columns and not record.keys() <= set(self.dialect.columns):
            record = _with_extra(record, self.dialect.columns)
        return [json_lines.cell(record.get(name)) for name in self.dialect.columns]


def _with_extra(record: dict[str, Any], columns: tuple[str, ...]) -> dict[str, Any]:
    more = {name: value for name, value in record.items() if name not in columns}
    extra = record.get("extra") or {}
    joined = {**extra, **more} if isinstance(extra, dict) else {"extra": extra, **more}
    return {**record, "extra": joined}
