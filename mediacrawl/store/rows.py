"""Records and rows of the catalogue, and the merging of two sightings of one file."""

from __future__ import annotations

import dataclasses
import json
import math
import re
import sqlite3
from collections.abc import Iterable, Iterator, Mapping
from datetime import UTC, datetime
from typing import Any

from mediacrawl.base.text import json_safe, plain
from mediacrawl.record import MediaItem
from mediacrawl.store.schema import COLUMNS, Column

MediaRow = dict[str, Any]
"""A value for each column of `schema.COLUMNS`, None if unknown."""

_OUR_ID = re.compile(r"[0-9a-f]{32}")
_INT64 = range(-(2**63), 2**63)


def moment(now: float) -> str:
    """Seconds since the epoch as records have a time: RFC 3339 in UTC, whole seconds."""
    return datetime.fromtimestamp(now, UTC).strftime("%Y-%m-%dT%H:%M:%SZ")


def as_row(record: MediaItem | Mapping[str, Any], now: float) -> MediaRow:
    """Converts a record to columns, without loss.

    A value that a column cannot hold (an unknown key, a list in place of a text, a number beyond 64 bits) goes to
    `extra` under its name. Empty texts and lists count as unknown. An `id` in another form is another project's number;
    it goes to `extra`, and ours is derived from the URL.

    Args:
        record: with a `content_url`; keys of a mapping are names of fields.
        now: seconds since the epoch.

    Returns:
        The row, with `found_at` and `last_seen_at`.

    Raises:
        ValueError: there is no `content_url`.
    """
    values = _values(record)
    found, other = _sort_out(values)
    # In one call: a record has hundreds of texts, of any project.
    stored, extra = plain([list(found.values()), other], depth=-2)
    row: MediaRow = dict.fromkeys(COLUMNS) | dict(zip(found, stored, strict=True))
    if not row["content_url"]:
        raise ValueError("a record without a content_url cannot be stored")
    if not _OUR_ID.fullmatch(row["id"] or ""):
        if row["id"]:
            extra["id"] = row["id"]
        row["id"] = MediaItem.id_of(row["content_url"])
    seen = moment(now)
    row["found_at"] = row["found_at"] or seen
    row["last_seen_at"] = seen
    row["extra"] = extra or None
    return row


def _values(record: MediaItem | Mapping[str, Any]) -> dict[str, Any]:
    if isinstance(record, MediaItem):
        return {field.name: getattr(record, field.name) for field in dataclasses.fields(record)}
    values = {str(key): value for key, value in record.items()}
    # An exported record has its extra fields in one object.
    packed = values.get("extra")
    if isinstance(packed, Mapping):
        del values["extra"]
        values = {**{str(key): value for key, value in packed.items()}, **values}
    return values


def _sort_out(values: Mapping[str, Any]) -> tuple[MediaRow, dict[str, Any]]:
    row: MediaRow = {}
    extra: dict[str, Any] = {}
    for name, value in values.items():
        column = COLUMNS.get(name)
        if value is None or (isinstance(value, (str, list, dict)) and not value):
            continue
        if column and name != "extra" and _fits(column, value):
            row[name] = float(value) if column.kind is float else _whole(str(value)) if column.kind is str else value
        else:
            extra[name] = value
    return row, extra


def _whole(text: str) -> str:
    """Return a text that SQLite keeps whole: its own functions end it at NUL."""
    return text.replace("\0", "\ufffd") if "\0" in text else text


def _fits(column: Column, value: Any) -> bool:
    kind = column.kind
    if kind is bool or isinstance(value, bool):
        return kind is bool and isinstance(value, bool)
    if kind is int:
        return isinstance(value, int) and value in _INT64
    if kind is float:
        return (isinstance(value, float) and math.isfinite(value)) or (isinstance(value, int) and value in _INT64)
    return isinstance(value, kind)


def bound(row: MediaRow) -> MediaRow:
    """The values as SQLite takes them: lists and objects as JSON text."""
    return {
        name: json.dumps(value, ensure_ascii=False) if isinstance(value, (list, dict)) else value
        for name, value in row.items()
    }


def from_database(values: sqlite3.Row | Mapping[str, Any]) -> MediaRow:
    """The inverse of `bound`; values that another program wrote are returned unchanged."""
    return {name: _loaded(COLUMNS[name], values[name]) for name in COLUMNS}


def _loaded(column: Column, value: Any) -> Any:
    if value is None:
        return None
    if column.kind is bool:
        return bool(value)
    if column.is_json:
        return _parsed(value)
    return value


def _parsed(value: Any) -> Any:
    try:
        return json.loads(value)
    except (TypeError, ValueError, RecursionError):
        return value


_COLLECTIONS = {name: column.kind for name, column in COLUMNS.items() if column.is_json}


def as_record(row: MediaRow) -> dict[str, Any]:
    """The record of a row: all fields in the order of the schema, lists and objects also if empty, but not `extra`.

    Stored again, it gives the same row.
    """
    record = dict(row)
    for name, kind in _COLLECTIONS.items():
        record[name] = record[name] or kind()
    if not record["extra"]:
        del record["extra"]
    return record


def json_line(record: dict[str, Any]) -> str:
    """One line of JSON with unescaped letters, without a line feed."""
    try:
        line = json.dumps(record, ensure_ascii=False, allow_nan=False)
        line.encode()
    except (TypeError, ValueError):
        line = json.dumps(plain(record), ensure_ascii=False)
    return json_safe(line)


def json_lines(records: Iterable[dict[str, Any]]) -> Iterator[bytes]:
    """JSON lines (jsonlines.org) in UTF-8, each with its line feed."""
    for record in records:
        yield json_line(record).encode() + b"\n"


SIGHTING = frozenset((
    "content_url", "requested_url", "page_url", "page_title", "page_language", "page_charset", "anchor_text",
    "discovered_via", "feed_url", "guid", "site", "checked_at", "last_seen_at", "http_status", "content_type", "etag",
    "last_modified", "server_accepts_ranges",
))  # fmt: skip
"""Fields of the link and of the server's answer. All others describe the file itself, or the cost of the probe."""

_FIRST = frozenset({"id", "found_at"})

_IDENTITY = frozenset({"head_sha256", "head_bytes", "content_size"})
"""Fields that distinguish another file. They must come from the probe that gave the description: a size that a feed
declares would make the next probe look like another file."""


def merge(old: MediaRow, new: MediaRow) -> MediaRow:
    """Merges the stored record with a new sighting.

    * `id` and `found_at` stay, and so does `work`, which the catalogue derives.
    * Of the link and the answer the newest known value wins; None never erases.
    * The description of the file is taken as a whole from a complete probe, unknown fields included, and from any probe
      of another file than before.
    * Otherwise a complete description stays and only its gaps are filled; an incomplete one takes the newest
      known values.
    * Facts from pages and feeds (`base.facts.EXTERNAL_SOURCES`) stay until their place has a new one, unless it is
      another file.
    * `extra` is merged key by key, the newest wins.
    """
    whole = new["probe_status"] == "complete" or shows_another_file(old, new)
    keep = old["probe_status"] == "complete"
    row: MediaRow = {}
    for name, was in old.items():
        now = new[name]
        if name == "work":
            row[name] = was
        elif name in _FIRST:
            row[name] = was if was is not None else now
        elif name == "extra":
            row[name] = {**(was or {}), **(now or {})} or None
        elif name in SIGHTING or not keep or whole:
            row[name] = now if now is not None or (whole and name not in SIGHTING) else was
        elif name in _IDENTITY:
            row[name] = was
        else:
            row[name] = was if was is not None else now
    if not shows_another_file(old, new):
        # Its import takes 100 ms, and who only reads a catalogue merges nothing.
        from mediacrawl.record import keep_facts  # noqa: PLC0415

        keep_facts(old, row)
    return row


def shows_another_file(old: MediaRow, new: MediaRow) -> bool:
    """Whether a probe read other bytes than the earlier one did.

    Only bytes that were read count: the length that a feed or a header declares may be wrong.
    """
    if new["head_sha256"] is None or old["head_sha256"] is None:
        return False
    if new["head_bytes"] == old["head_bytes"] and new["head_sha256"] != old["head_sha256"]:
        return True
    sizes = (old["content_size"], new["content_size"])
    return None not in sizes and sizes[0] != sizes[1]
