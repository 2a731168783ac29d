"""The table of records, derived from `record.MediaItem`, its full-text index, and searches as SQL."""

from __future__ import annotations

import dataclasses
import re
from collections.abc import Sequence
from dataclasses import dataclass

from mediacrawl.base.declaration import declared_fields
from mediacrawl.base.text import clean
from mediacrawl.record import MediaItem

APPLICATION_ID = 0x6D637277
"""SQLite's ``application_id`` of a catalogue, so that no other program's database is written to."""

VERSION = 1
"""Raised when older programs cannot use the file. A new field of `MediaItem` needs no new version: it becomes a column
when the file is next opened, and older programs ignore it. So does a column of the index: its triggers fill it, whoever
writes the row."""

SEARCHED: dict[str, float] = {
    "title": 10.0,
    "artist": 8.0,
    "albumartist": 6.0,
    "album": 6.0,
    "comment": 2.0,
    "page_title": 3.0,
    "anchor_text": 3.0,
    "content_url": 1.0,
    # Of version 0.3. The weights of an older file that is opened read-only stay right if new columns come last.
    "podcast": 6.0,
    "composer": 5.0,
    "description": 2.0,
    "keywords": 3.0,
}
"""The columns of the full-text index, and the weight of a hit in each."""


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


def _columns() -> dict[str, Column]:
    columns: dict[str, Column] = {}
    for field in declared_fields(MediaItem):
        columns[field.name] = Column(field.name, field.kind)
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
    """The statements that create a catalogue.

    The index holds no second copy of the text (an external-content table), so it needs the old text at each change.
    Triggers pass it, so the index stays right when a person deletes rows by hand.
    """
    table = ", ".join(["number INTEGER PRIMARY KEY", *map(_definition, COLUMNS.values())])
    texts = ", ".join(SEARCHED)
    # Datasette and sqlite-utils find the index by content="media", in these quotes.
    options = 'content="media", content_rowid="number", tokenize=\'unicode61 remove_diacritics 2\''
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


TRIGGERS = ("media_added", "media_removed", "media_changed")
"""Names of the triggers that keep the index right."""


def _of(which: str) -> str:
    return ", ".join(f"{which}.{name}" for name in SEARCHED)


def selection(present: set[str]) -> str:
    """The columns of a SELECT, in the order of `COLUMNS`, with NULL for those that the file does not have."""
    return ", ".join(f'media."{name}"' if name in present else f'NULL AS "{name}"' for name in COLUMNS)


def missing_columns(present: set[str]) -> list[str]:
    """The statements that add the columns which a file of an earlier `MediaItem` lacks."""
    return [
        f"ALTER TABLE media ADD COLUMN {_definition(column)}" for name, column in COLUMNS.items() if name not in present
    ]


_MOST_WORDS = 32

_LONGEST_WORD = 200
"""Characters; SQLite rejects a LIKE pattern beyond 50,000 bytes."""

# Thai, Lao, Tibetan, Burmese, Khmer, kana and Han: written without spaces, so that the index, which
# splits at spaces, sees whole sentences as one word.
_UNSPACED = re.compile(
    "[\u0e00-\u0fff\u1000-\u109f\u1780-\u17ff\u3040-\u30ff\u3400-\u9fff\uf900-\ufaff\U00020000-\U0003ffff]"
)

_FORMAT_COLUMNS = ("encoding_format", "container", "codec", "video_codec", "audio_codec")


@dataclass(frozen=True, slots=True)
class CatalogueFilters:
    """Conditions on the records; None is no condition.

    Attributes:
        site: registrable domain.
        format: ``audio/flac``, or only ``flac``: format, container or codec.
        kind: prefix of the type: ``audio``, ``VideoObject`` ...
        since: only records that were found then or later, see `since`.
    """

    site: str | None = None
    format: str | None = None
    kind: str | None = None
    since: str | None = None


def search_words(words: str | Sequence[str]) -> list[str]:
    """Splits a search at white space into at most 32 words of 200 characters."""
    text = words if isinstance(words, str) else " ".join(words)
    return [word[:_LONGEST_WORD] for word in clean(text).replace("\0", " ").split()[:_MOST_WORDS]]


def _in_index(word: str) -> bool:
    """Whether the full-text index can find a word: it has letters or digits, of a script with spaces."""
    return not _UNSPACED.search(word) and any(map(str.isalnum, word))


def _match(words: Sequence[str]) -> str:
    """The FTS5 expression for all of these words, each as the beginning of a word.

    Quoted words have no syntax; a quote inside is doubled (sqlite.org/fts5.html, section 3.1).
    """
    return " ".join('"' + word.replace('"', '""') + '"*' for word in words)


def search_query(
    fields: str, words: Sequence[str], filters: CatalogueFilters, limit: int | None
) -> tuple[str, dict[str, str | int]]:
    """Build the query for rows that have all words from `search_words`; the index cannot find some, a scan does.

    Returns:
        The SQL, and its values by name.
    """
    values: dict[str, str | int] = {"limit": -1 if limit is None else limit}
    conditions = _filtered(filters, values)
    for place, word in enumerate(word for word in words if not _in_index(word)):
        values[f"word{place}"] = "%" + re.sub(r"([\\%_])", r"\\\1", word) + "%"
        conditions.append(_anywhere(f":word{place}"))
    source, order = "media", "number DESC"
    if indexed := [word for word in words if _in_index(word)]:
        values["match"] = _match(indexed)
        conditions.append("media_text MATCH :match")
        source = "media_text JOIN media ON media.number = media_text.rowid"
        order = f"bm25(media_text, {', '.join(map(str, SEARCHED.values()))}), number DESC"
    where = f"WHERE {' AND '.join(conditions)} " if conditions else ""
    return f"SELECT {fields} FROM {source} {where}ORDER BY {order} LIMIT :limit", values  # noqa: S608


def _anywhere(pattern: str) -> str:
    likes = (f"media.{name} LIKE {pattern} ESCAPE '\\'" for name in SEARCHED)
    return f"({' OR '.join(likes)})"


def _filtered(filters: CatalogueFilters, values: dict[str, str | int]) -> list[str]:
    conditions = []
    if filters.site:
        values["site"] = clean(filters.site).lower()
        conditions.append("site = :site")
    if filters.format:
        values["format"] = clean(filters.format).lower()
        conditions.append(f"({' OR '.join(map(_is_format, _FORMAT_COLUMNS))})")
    if filters.since:
        values["since"] = filters.since
        conditions.append("found_at >= :since")
    if filters.kind:
        values["kind"] = clean(filters.kind).lower()
        conditions.append("substr(lower(type), 1, length(:kind)) = :kind")
    return conditions


def _is_format(column: str) -> str:
    """The whole name, or the subtype of a MIME type."""
    return f"lower({column}) = :format OR lower({column}) LIKE '%/' || :format"
