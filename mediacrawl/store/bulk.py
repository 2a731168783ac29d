"""Bulk access to a catalogue: read all records, write back changed ones."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from mediacrawl.base.text import plain
from mediacrawl.store import schema
from mediacrawl.store.catalogue import Catalogue
from mediacrawl.store.rows import MediaRow, as_record, as_row, bound, from_database

StoredRow = tuple[Any, ...]
"""A row of the file: its number, then the values of `schema.COLUMNS`. It can be pickled and compared."""

_REWRITE = f"UPDATE media SET {', '.join(f'{name} = :{name}' for name in schema.COLUMNS)} WHERE number = :number"  # noqa: S608


class BulkCatalogue(Catalogue):
    """A catalogue for a program that reads all of it, or writes many records back.

    On disk: as `Catalogue`, with many rows in one transaction. A kill leaves all rows of a call, or none.
    """

    fields = frozenset(schema.COLUMNS)
    """The names of the fields that have a column."""
    _alone = False
    """A program may read all of a catalogue, and write the changed records back meanwhile."""

    def last_number(self) -> int:
        """The number of the newest record; 0 if there is none."""
        with self._explained():
            return self._number("SELECT coalesce(max(number), 0) FROM media")

    def rows(self, after: int, until: int, limit: int) -> list[StoredRow]:
        """Return up to `limit` records between two numbers, in the order in which they were first stored."""
        sql = f"SELECT number, {self._fields} FROM media WHERE number > ? AND number <= ? ORDER BY number LIMIT ?"  # noqa: S608
        with self._explained():
            return [tuple(row) for row in self._database.execute(sql, (after, until, limit))]

    def rewrite(self, changes: Iterable[tuple[StoredRow, MediaRow]]) -> int:
        """Write back changed rows, in one transaction.

        Args:
            changes: each row as it was read, and the new one from `row_of`. A row that another program has changed or
                removed since stays.

        Returns:
            Number of rows that are the new ones now.
        """
        with self._explained(), self._transaction():
            return sum(self._rewritten(before, row) for before, row in changes)

    def _rewritten(self, before: StoredRow, row: MediaRow) -> bool:
        sql = f"SELECT number, {self._fields} FROM media WHERE number = ?"  # noqa: S608
        now = self._database.execute(sql, before[:1]).fetchone()
        if now is not None and tuple(now) == before:
            self._database.execute(_REWRITE, {**row, "number": before[0]})
            return True
        # An earlier call was killed after this row.
        return now is not None and tuple(now)[1:] == tuple(row[name] for name in schema.COLUMNS)

    @staticmethod
    def record_of(row: StoredRow) -> dict[str, Any]:
        """Return the record of a row from `rows`, with the fields of `extra` at its top level."""
        record = as_record(from_database(dict(zip(schema.COLUMNS, row[1:], strict=True))))
        extra = record.get("extra")
        if not isinstance(extra, dict):
            return record
        kept = {name: value for name, value in extra.items() if name in schema.COLUMNS}
        del record["extra"]
        return {
            **record,
            **{name: extra[name] for name in extra if name not in kept},
            **({"extra": kept} if kept else {}),
        }

    @staticmethod
    def row_of(record: dict[str, Any], now: float = 0.0) -> MediaRow:
        """Return the row of a record that was stored before: as `rows.as_row`, but without a new sighting.

        Args:
            record: from any store.
            now: seconds since the epoch, for a record that does not say when it was seen.

        Raises:
            ValueError: there is no `content_url`.
        """
        extra = record.get("extra")
        kept = extra if isinstance(extra, dict) else {}
        # A field of `extra` with the name of a column stays there.
        row = as_row({name: value for name, value in record.items() if name != "extra" or value is not kept}, now)
        row["extra"] = {**(row["extra"] or {}), **plain(kept)} or None
        seen = record.get("last_seen_at") or record.get("found_at")
        if isinstance(seen, str):
            row["last_seen_at"] = seen
        return bound(row)
