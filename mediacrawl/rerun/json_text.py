"""One record as JSON text, and back, in the style in which it came."""

from __future__ import annotations

import json
import re
from functools import cache
from typing import Any

from mediacrawl.rerun.shapes import LONGEST, TOO_LONG
from mediacrawl.rerun.text_encoding import TextEncoding, read_fields
from mediacrawl.store.export import safe
from mediacrawl.store.rows import plain

_FIRST_COLON = re.compile(rb'\s*\{\s*"(?:[^"\\]|\\.)*"\s*:(\s?)')
NOT_UTF8 = "not UTF-8"
_TEXT = re.compile(rb'[^"\\]++')
NESTED = frozenset({"tags", "mojibake", "extra"})
"""Fields of ours that hold lists and objects; a table has them as JSON text."""


def parse(raw: bytes) -> tuple[dict[str, Any] | None, str]:
    """Read one line.

    Args:
        raw: the line, with or without its end.

    Returns:
        The record, and no problem; or None, and what the problem is, which is empty for an empty line.
    """
    if len(raw) > LONGEST:
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
    """A line that is not UTF-8, as UTF-8.

    Args:
        raw: the line.
        encoding: of its file.

    Returns:
        The line, and the encoding that it was in; None if that is not known.
    """
    fields = [piece for piece in _TEXT.findall(raw) if not piece.isascii()]
    found = read_fields(fields, encoding)
    if found is None:
        return None
    texts = iter(found[0])
    return _TEXT.sub(lambda piece: piece[0] if piece[0].isascii() else next(texts).encode(), raw), found[1]


def dump(record: dict[str, Any], like: bytes | None = None) -> bytes:
    """Write one record, without a line feed.

    Args:
        record: of any project; what JSON cannot hold becomes text.
        like: the line that it was read from. Escapes and spaces are set as there, so that a comparison of both files
            shows what was repaired and nothing else.
    """
    escaped, separators = False, (", ", ": ")
    if like is not None:
        escaped = like.isascii() and b"\\u" in like
        colon = _FIRST_COLON.match(like)
        separators = (",", ":") if colon and not colon[1] else separators
    try:
        return safe(_encoder(escaped, separators, like is not None).encode(record)).encode()
    except (TypeError, ValueError):
        # A type of another format, or half of a surrogate pair, which JSON can hold as an escape only.
        found = record if like is not None else plain(record)
        return json.dumps(found, ensure_ascii=like is not None, separators=separators, default=plain).encode()


@cache
def _encoder(escaped: bool, separators: tuple[str, str], allow_nan: bool) -> json.JSONEncoder:
    # `json.dumps` makes one for each record.
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
    """The value of a cell: text, or what the JSON in one of our nested fields says."""
    if name not in NESTED or not isinstance(value, str) or value[:1] not in {"[", "{"}:
        return value
    try:
        return json.loads(value)
    except (ValueError, RecursionError):
        return value
