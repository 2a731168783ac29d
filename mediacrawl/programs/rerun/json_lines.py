"""JSON lines: files of them, plain and gzip, and the standard streams. A record is written in the style it came in."""

from __future__ import annotations

import gzip
import json
import re
import shutil
from codecs import BOM_UTF8
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

from mediacrawl.base.declaration import declared_fields
from mediacrawl.base.files import replacing
from mediacrawl.base.text import json_safe, plain
from mediacrawl.programs.rerun.blocks import LONGEST_RECORD, TOO_LONG, Block, BlockRecord, Writer
from mediacrawl.programs.rerun.input_file import InputFile
from mediacrawl.programs.rerun.text_encoding import TextEncoding, line_as_utf8
from mediacrawl.record import MediaItem

_FIRST_COLON = re.compile(rb'\s*\{\s*"(?:[^"\\]|\\.)*"\s*:(\s?)')

NOT_UTF8 = "not UTF-8"
_UTF8 = TextEncoding()

EVIDENCE = "mojibake"
"""The column of the evidence in records of other projects."""

NESTED = frozenset(
    {each.name for each in declared_fields(MediaItem) if each.kind in (list, dict)} | {EVIDENCE, "extra"}
)
"""Fields of ours with lists and objects; a table has them as JSON text."""


def parse(raw: bytes) -> tuple[dict[str, Any] | None, str]:
    """Parse one line.

    Args:
        raw: the line in UTF-8, with or without its end.

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


def dump(record: dict[str, Any], like: bytes | None = None) -> bytes:
    """Serialize one record, without a line feed.

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
        return json_safe(_encoder(escaped, separators, like is not None).encode(record)).encode()
    except (TypeError, ValueError):
        # A type of another format, or half of a surrogate pair, which JSON can only hold escaped.
        found = record if like is not None else plain(record)
        return json.dumps(found, ensure_ascii=like is not None, separators=separators, default=plain).encode()


@cache
def _encoder(escaped: bool, separators: tuple[str, str], allow_nan: bool) -> json.JSONEncoder:
    # `json.dumps` makes an encoder for each record.
    return json.JSONEncoder(ensure_ascii=escaped, separators=separators, allow_nan=allow_nan)


def cell(value: Any) -> str:
    """Return a value as the text of one cell of a table."""
    if isinstance(value, str):
        return value
    return "" if value is None else dump_value(value)


def dump_value(value: Any) -> str:
    """Return any value as JSON text."""
    return json.dumps(plain(value), ensure_ascii=False)


def loaded(name: str, value: Any) -> Any:
    """Return the value of a cell: text, or the parsed JSON of one of our nested fields."""
    if name not in NESTED or not isinstance(value, str) or value[:1] not in {"[", "{"}:
        return value
    try:
        return json.loads(value)
    except (ValueError, RecursionError):
        return value


def line_of(record: dict[str, Any], entry: BlockRecord, *, is_json: bool = True) -> bytes:
    """Return a record as it is written: copied if it was JSON and has not changed, else serialized in its style."""
    if not is_json or entry.raw is None:
        return dump(record) + b"\n"
    if not entry.changed:
        return entry.raw
    mark = BOM_UTF8 if entry.raw.startswith(BOM_UTF8) else b""
    return mark + dump(record, entry.raw.removeprefix(mark)) + entry.raw[len(entry.raw.rstrip(b"\r\n")) :]


def parsed_line(line: bytes, first: int, place: int, encoding: TextEncoding = _UTF8) -> BlockRecord:
    """Return the record of a line; its number is that of the first one of the block plus its place there."""
    raw, recoded = line_as_utf8(line, InputFile.token, encoding)
    record, problem = parse(raw)
    if problem == NOT_UTF8:
        problem = encoding.unread
    return BlockRecord(first + place, place, raw, record, problem, recoded=recoded)


class LineReader(InputFile):
    """A file of JSON lines."""

    def records(self, block: Block) -> Iterator[BlockRecord]:
        lines = enumerate(block.data)
        return (parsed_line(line, block.number, place, self.text_encoding) for place, line in lines)

    def may_name(self, block: Block, name: str) -> bool:
        # Other encodings may have two bytes a letter.
        quoted = json.dumps(name).encode()
        return bool(self.encoding) or any(quoted in line for line in block.data)


@dataclass(frozen=True)
class TextWriter(Writer):
    """Writes lines to a file, plain or gzip, or to the standard output."""

    def place(self, part: Path) -> int:
        if not self.where.packed:
            part.replace(self.where.root)
            return 0
        with (
            part.open("rb") as lines,
            replacing(self.where.root, sync=True) as new,
            # Without name and time, so that the same lines are the same bytes.
            gzip.GzipFile("", "wb", 6, new, mtime=0) as packed,
        ):
            shutil.copyfileobj(lines, packed, 1 << 20)
        return 0


@dataclass(frozen=True)
class LineWriter(TextWriter):
    """Serializes records as JSON lines.

    Attributes:
        joins: records and unreadable elements come without line ends.
    """

    joins: bool = False

    def packed(self, record: dict[str, Any], entry: BlockRecord) -> bytes:
        return self.kept(line_of(record, entry, is_json=self.copies))

    def kept(self, raw: bytes) -> bytes:
        # In JSON a line feed is as good as a space.
        return raw.rstrip(b"\r\n").replace(b"\n", b" ") + b"\n" if self.joins and raw else raw
