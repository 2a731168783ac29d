"""Records on their way out: plain dictionaries, JSON lines."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator
from typing import Any

from mediacrawl.store.rows import Row, plain

# Control and format characters that JSON does not escape by itself: an 8-bit escape sequence, or a mark that turns
# the reading direction, must not reach a terminal by way of `| less`. They occur inside strings only.
_UNSAFE = re.compile("[\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069\ufeff]")


def as_record(row: Row) -> dict[str, Any]:
    """The record of a row: all fields in the order of the schema, `tags` as a list, `extra` only if there is one.

    Stored again, it gives the same row.
    """
    record = dict(row)
    record["tags"] = record["tags"] or []
    if not record["extra"]:
        del record["extra"]
    return record


def json_line(record: dict[str, Any]) -> str:
    """One line of JSON, readable in every script, without a line feed at its end.

    Args:
        record: from `as_record`; what another program wrote into the file and JSON cannot hold becomes text.
    """
    try:
        line = json.dumps(record, ensure_ascii=False, allow_nan=False)
        line.encode()
    except (TypeError, ValueError):
        line = json.dumps(plain(record), ensure_ascii=False)
    return safe(line)


def safe(text: str) -> str:
    """Escape, in JSON text, what would command a terminal that shows it."""
    # Nothing that is printable needs it; this look is three times as fast as the pattern's.
    return text if text.isprintable() else _UNSAFE.sub(_escape, text)


def _escape(match: re.Match[str]) -> str:
    return f"\\u{ord(match[0]):04x}"


def json_lines(records: Iterable[dict[str, Any]]) -> Iterator[bytes]:
    """JSON lines (jsonlines.org) in UTF-8, each with its line feed."""
    for record in records:
        yield json_line(record).encode() + b"\n"
