"""JSON lines: files of them, plain and gzip, and the standard input. A record is written in the style it came in."""

from __future__ import annotations

import io
import json
import re
from codecs import BOM_UTF8
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any, BinaryIO

from mediacrawl.model.declaration import declared_fields
from mediacrawl.model.item import MediaItem
from mediacrawl.rerun.blocks import (
    BLOCK_BYTES,
    LONGEST_RECORD,
    TOO_LONG,
    Block,
    BlockRecord,
    BlockWriter,
    Location,
    PackedBlock,
    Position,
)
from mediacrawl.rerun.input_file import InputFile
from mediacrawl.rerun.text_encoding import UTF8, TextEncoding, read_fields
from mediacrawl.store.rows import plain, safe

_FIRST_COLON = re.compile(rb'\s*\{\s*"(?:[^"\\]|\\.)*"\s*:(\s?)')
NOT_UTF8 = "not UTF-8"
_TEXT = re.compile(rb'[^"\\]++')

EVIDENCE = "mojibake"
"""The column of the evidence in records of other projects."""

_OURS = {each.name for each in declared_fields(MediaItem) if each.kind in (list, dict)}
NESTED = frozenset({*_OURS, EVIDENCE, "extra"})
"""Fields of ours with lists and objects; a table has them as JSON text."""


def parse(raw: bytes) -> tuple[dict[str, Any] | None, str]:
    """Parses one line.

    Args:
        raw: the line, with or without its end.

    Returns:
        The record, and no problem; or None, and the problem, which is empty for an empty line.
    """
    if len(raw) > LONGEST_RECORD:
        return None, TOO_LONG
    try:
        text = raw.decode("utf-8").removeprefix("\ufeff")
        found = json.loads(text) if text.strip() else None
    except UnicodeDecodeError:
        return None, NOT_UTF8
    except RecursionError:
        return None, "nested too deep"
    except ValueError:
        return None, "not JSON"
    if isinstance(found, dict):
        return found, ""
    return None, "not an object" if text.strip() else ""


def decided(raw: bytes, encoding: TextEncoding) -> tuple[bytes, str] | None:
    """Converts a line that is not UTF-8 to UTF-8.

    Returns:
        The line, and its encoding; None if that is unknown.
    """
    fields = [piece for piece in _TEXT.findall(raw) if not piece.isascii()]
    found = read_fields(fields, encoding)
    if found is None:
        return None
    texts = iter(found[0])
    return _TEXT.sub(lambda piece: piece[0] if piece[0].isascii() else next(texts).encode(), raw), found[1]


def dump(record: dict[str, Any], like: bytes | None = None) -> bytes:
    """Serializes one record, without a line feed.

    Args:
        record: of any project; values that JSON cannot hold become text.
        like: the line that it was read from, whose escapes and spaces are kept, so that a diff shows only repairs.
    """
    escaped, separators = False, (", ", ": ")
    if like is not None:
        escaped = like.isascii() and b"\\u" in like
        colon = _FIRST_COLON.match(like)
        separators = (",", ":") if colon and not colon[1] else separators
    try:
        return safe(_encoder(escaped, separators, like is not None).encode(record)).encode()
    except (TypeError, ValueError):
        # A type of another format, or half of a surrogate pair, which JSON can only hold escaped.
        found = record if like is not None else plain(record)
        return json.dumps(found, ensure_ascii=like is not None, separators=separators, default=plain).encode()


@cache
def _encoder(escaped: bool, separators: tuple[str, str], allow_nan: bool) -> json.JSONEncoder:
    # `json.dumps` makes an encoder for each record.
    return json.JSONEncoder(ensure_ascii=escaped, separators=separators, allow_nan=allow_nan)


def cell(value: Any) -> str:
    """A value as the text of one cell of a table."""
    if isinstance(value, str):
        return value
    return "" if value is None else dump_value(value)


def dump_value(value: Any) -> str:
    """Any value as JSON text."""
    return json.dumps(plain(value), ensure_ascii=False)


def loaded(name: str, value: Any) -> Any:
    """The value of a cell: text, or the parsed JSON of one of our nested fields."""
    if name not in NESTED or not isinstance(value, str) or value[:1] not in {"[", "{"}:
        return value
    try:
        return json.loads(value)
    except (ValueError, RecursionError):
        return value


_PIECE = 1 << 20
"""Bytes of a piece of a line that is too long to be parsed."""


def one_line(raw: bytes) -> bytes:
    """A record as one line with its end; one of several lines is serialized again."""
    if b"\n" not in raw.rstrip(b"\r\n"):
        return raw if raw.endswith(b"\n") else raw + b"\n"
    record, _ = parse(raw)
    return dump(record, raw) + b"\n" if record is not None else raw.replace(b"\n", b" ") + b"\n"


class LineSource(InputFile):
    """A file of JSON lines, read in pieces that end with a line."""

    def __init__(self, where: Location, encoding: str | None = None) -> None:
        super().__init__(where, encoding)
        self.reader = JsonReader(self.encoding)

    def blocks(self, after: Position | None, number: int) -> Iterator[Block]:
        """See `blocks.RecordSource`; a position is an offset in the decompressed file."""
        with self.reading():
            offset = after if isinstance(after, int) else 0
            stream = self.stream(offset)
            while data := stream.read(BLOCK_BYTES):
                tail = b"" if data.endswith(b"\n") else stream.readline(LONGEST_RECORD)
                parts: Iterator[tuple[bytes, str | None, bool]] = iter([(data + tail, None, False)])
                if len(tail) == LONGEST_RECORD and not tail.endswith(b"\n"):
                    parts = self._too_long(data + tail, stream)
                for part, problem, is_open in parts:
                    offset += len(part)
                    block = self.block(part, number, offset, problem, is_open=is_open)
                    number = block.next_number
                    yield block

    @staticmethod
    def _too_long(data: bytes, stream: BinaryIO) -> Iterator[tuple[bytes, str | None, bool]]:
        """The lines before one that is too long, then that line in pieces."""
        cut = data.rfind(b"\n") + 1
        if cut:
            yield data[:cut], None, False
        piece, problem = data[cut:], TOO_LONG
        while not piece.endswith(b"\n") and (following := stream.readline(_PIECE)):
            yield piece, problem, True
            piece, problem = following, ""
        yield piece, problem, False


@dataclass(frozen=True, slots=True)
class JsonReader:
    """Reads blocks of lines, and of records that are bytes of their own."""

    encoding: TextEncoding = UTF8

    def read(self, block: Block) -> Iterator[BlockRecord]:
        whole = isinstance(block.data, bytes)
        # Not splitlines(): it also ends a line at a lone carriage return.
        for place, raw in enumerate(io.BytesIO(block.data) if whole else block.data):
            record, problem = parse(raw)
            entry = BlockRecord(block.number + place, place, raw, record, problem)
            if problem == NOT_UTF8:
                self._decide(entry)
            yield entry

    def _decide(self, entry: BlockRecord) -> None:
        """Decides the encoding of a line that is not UTF-8."""
        found = decided(entry.raw or b"", self.encoding)
        if found is None:
            entry.problem = self.encoding.unread
        else:
            line, entry.recoded = found
            entry.record, entry.problem = parse(line)
            entry.changed = True


@dataclass(frozen=True, slots=True)
class JsonWriter(BlockWriter):
    """Serializes records as lines; an unchanged one that was JSON is copied.

    Attributes:
        repeats: whether raw records of the input are JSON lines.
        keeps: whether an unreadable record is written as well; else it is rejected.
        joins: whether raw records come one by one, without line ends.
    """

    repeats: bool = True
    keeps: bool = True
    joins: bool = False

    def pack(self, block: Block, entries: Sequence[BlockRecord]) -> PackedBlock:  # noqa: ARG002 - the protocol's
        lines: list[bytes] = []
        rejected: list[bytes] = []
        for entry in entries:
            (lines if entry.record is not None or self.keeps else rejected).append(self._line(entry))
        return PackedBlock(b"".join(lines), b"".join(rejected))

    def pass_on(self, data: bytes) -> PackedBlock:
        return PackedBlock(data) if self.keeps else PackedBlock(None, data)

    def _line(self, entry: BlockRecord) -> bytes:
        line = self._text(entry)
        return one_line(line) if self.joins and line else line

    def _text(self, entry: BlockRecord) -> bytes:
        like = entry.raw if self.repeats else None
        if entry.record is None or (like is not None and not entry.changed):
            return entry.raw or b""
        if like is None:
            return dump(entry.record) + b"\n"
        mark = BOM_UTF8 if like.startswith(BOM_UTF8) else b""
        return mark + dump(entry.record, like.removeprefix(mark)) + like[len(like.rstrip(b"\r\n")) :]
