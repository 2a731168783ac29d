"""The table of records, derived from `records.MediaItem`, and its full-text index."""

from __future__ import annotations

import dataclasses
from typing import Any, get_args, get_origin, get_type_hints

from mediacrawl.records import MediaItem

APPLICATION_ID = 0x6D637277
"""Marks the file as ours (SQLite's ``application_id``), so that no other program's database is written to."""

VERSION = 1
"""Rises when an older program could no longer use the file. A new field of `MediaItem` is no such change: it
becomes a column when the file is next opened, and an older program leaves the column alone."""

SEARCHED: dict[str, float] = {
    "title": 10.0,
    "artist": 8.0,
    "albumartist": 6.0,
    "album": 6.0,
    "comment": 2.0,
    "page_title": 3.0,
    "anchor_text": 3.0,
    "content_url": 1.0,
}
"""The columns of the full-text index, and how much a hit there counts: the file's own words before the page's."""


@dataclasses.dataclass(frozen=True, slots=True)
class Column:
    """One column.

    Attributes:
        name: as in the record.
        kind: ``str``, ``int``, ``float``, ``bool``, or ``list`` and ``dict``, which are stored as JSON.
    """

    name: str
    kind: type

    @property
    def is_json(self) -> bool:
        """Whether the value is stored as JSON text."""
        return self.kind in (list, dict)

    @property
    def affinity(self) -> str:
        """The column's type in SQLite."""
        return {int: "INTEGER", bool: "INTEGER", float: "REAL"}.get(self.kind, "TEXT")


def _kind(hint: Any) -> type:
    """``str | None`` is ``str``, ``list[dict[str, Any]]`` is ``list``."""
    choices = [choice for choice in get_args(hint) if choice is not type(None)]
    if type(None) in get_args(hint):
        hint = choices[0]
    kind = get_origin(hint) or hint
    if kind not in (str, int, float, bool, list, dict):
        raise TypeError(f"the catalogue has no column for a field of type {hint}")
    return kind  # type: ignore[no-any-return]


def _columns() -> dict[str, Column]:
    hints = get_type_hints(MediaItem)
    columns: dict[str, Column] = {}
    for field in dataclasses.fields(MediaItem):
        columns[field.name] = Column(field.name, _kind(hints[field.name]))
        if field.name == "checked_at":
            columns["last_seen_at"] = Column("last_seen_at", str)
            columns["work"] = Column("work", str)
    columns["extra"] = Column("extra", dict)
    return columns


COLUMNS: dict[str, Column] = _columns()
"""By name, in the order of the export: the fields of `MediaItem`, after `checked_at` `last_seen_at` and `work` (see
`store.works`), and `extra`."""


def _definition(column: Column) -> str:
    needs = {"id": " NOT NULL UNIQUE", "content_url": " NOT NULL"}.get(column.name, "")
    return f'"{column.name}" {column.affinity}{needs}'


def _trigger(name: str, event: str, *changes: str) -> str:
    body = "".join(f"INSERT INTO media_text {change}; " for change in changes)
    return f"CREATE TRIGGER IF NOT EXISTS {name} AFTER {event} BEGIN {body}END"


def statements() -> list[str]:
    """The statements that make a new catalogue.

    The index holds no second copy of the text (an external-content table), so it must be told
    the old text at each change. Triggers do that, and so it also stays right when a person deletes rows by hand.
    """
    table = ", ".join(["number INTEGER PRIMARY KEY", *map(_definition, COLUMNS.values())])
    texts = ", ".join(SEARCHED)
    options = "content='media', content_rowid='number', tokenize='unicode61 remove_diacritics 2'"
    put = f"(rowid, {texts}) VALUES (new.number, {_of('new')})"
    drop = f"(media_text, rowid, {texts}) VALUES ('delete', old.number, {_of('old')})"
    differs = " OR ".join(f"old.{name} IS NOT new.{name}" for name in SEARCHED)
    return [
        f"CREATE TABLE IF NOT EXISTS media ({table})",
        "CREATE TABLE IF NOT EXISTS written (commits INTEGER NOT NULL)",
        "CREATE INDEX IF NOT EXISTS media_head ON media (head_sha256) WHERE head_sha256 IS NOT NULL",
        "CREATE INDEX IF NOT EXISTS media_site ON media (site)",
        f"CREATE VIRTUAL TABLE IF NOT EXISTS media_text USING fts5({texts}, {options})",
        _trigger("media_added", "INSERT ON media", put),
        _trigger("media_removed", "DELETE ON media", drop),
        _trigger("media_changed", f"UPDATE ON media WHEN {differs}", drop, put),
    ]


def _of(which: str) -> str:
    return ", ".join(f"{which}.{name}" for name in SEARCHED)


def selection(present: set[str]) -> str:
    """The columns of a SELECT, in the order of `COLUMNS`, with NULL for those that the file does not have.

    Args:
        present: names of the columns that the table has.
    """
    return ", ".join(f'media."{name}"' if name in present else f'NULL AS "{name}"' for name in COLUMNS)


def missing_columns(present: set[str]) -> list[str]:
    """The statements that add what a file of an earlier `MediaItem` lacks.

    Args:
        present: names of the columns that the table has.
    """
    return [
        f"ALTER TABLE media ADD COLUMN {_definition(column)}" for name, column in COLUMNS.items() if name not in present
    ]
