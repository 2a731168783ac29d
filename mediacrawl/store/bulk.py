"""Bulk access to a catalogue: read all records, write back changed ones, fill a new file."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from mediacrawl.store import schema, works
from mediacrawl.store.catalogue import Catalogue, StoreError, insert, update
from mediacrawl.store.rows import MediaRow, as_record, as_row, bound, from_database, merge, plain

StoredRow = tuple[Any, ...]
"""A row of the file: its number, then the values of `schema.COLUMNS`. It can be pickled and compared."""

_NOTE = "CREATE TABLE IF NOT EXISTS rerun_note (text TEXT)"
_REWRITE = f"UPDATE media SET {', '.join(f'{name} = :{name}' for name in schema.COLUMNS)} WHERE number = :number"  # noqa: S608


class BulkCatalogue(Catalogue):
    """A catalogue for a program that reads all of it, or fills it.

    **The note.** The state from which such a program resumes after a kill is a text, the note, which is written in the
    same transaction as the rows: the file never holds rows without their note, or the reverse. Its table exists only
    while there is a note. Each write passes the note that it read last; if the stored one differs, another program is
    at work, and the write is refused.
    """

    _marks = False
    """The note counts progress, and a new file is moved to its place when it is complete, so there is no mark."""
    _alone = False
    """A program may read all of a catalogue, and write the changed records back meanwhile."""

    def last_number(self) -> int:
        """The number of the newest record; 0 if there is none."""
        with self._explained():
            return self._number("SELECT coalesce(max(number), 0) FROM media")

    def rows(self, after: int, until: int, limit: int) -> list[StoredRow]:
        """The next records in the order in which they were first stored.

        Args:
            after: number of the last record that was read.
            until: number of the last one to read.
            limit: most records to return.
        """
        sql = f"SELECT number, {self._fields} FROM media WHERE number > ? AND number <= ? ORDER BY number LIMIT ?"  # noqa: S608
        with self._explained():
            return [tuple(row) for row in self._database.execute(sql, (after, until, limit))]

    def rewrite(self, changes: Iterable[tuple[StoredRow, MediaRow]], was: str | None, note: str) -> int:
        """Writes back changed rows, in one transaction.

        Args:
            changes: each row as it was read, and the new one. A row that another program has changed or removed since
                stays.
            was: the note as it was read.
            note: the new note.

        Returns:
            Number of rows that were written.
        """
        with self._explained(), self._transaction():
            self._note(was, note)
            return sum(self._rewritten(before, row) for before, row in changes)

    def _rewritten(self, before: StoredRow, row: MediaRow) -> bool:
        sql = f"SELECT number, {self._fields} FROM media WHERE number = ?"  # noqa: S608
        now = self._database.execute(sql, before[:1]).fetchone()
        if now is None or tuple(now) != before:
            return False
        self._database.execute(_REWRITE, {**bound(row), "number": before[0]})
        return True

    def fill(self, rows: Iterable[MediaRow], was: str | None, note: str) -> None:
        """Stores rows in one transaction; rows with the same `id` are merged, see `rows.merge`."""
        with self._explained(), self._transaction():
            self._note(was, note)
            for row in rows:
                old = self._row(row["id"])
                if old is None:
                    insert(self._database, row)
                else:
                    update(self._database, merge(old, row))
                works.settle(self._database, row["id"])

    def note(self) -> str | None:
        """The note, None if there is none."""
        with self._explained():
            if not self._number("SELECT count(*) FROM sqlite_master WHERE name = 'rerun_note'"):
                return None
            row = self._database.execute("SELECT text FROM rerun_note").fetchone()
            return str(row[0]) if row else None

    def drop_note(self) -> None:
        """Removes the note."""
        with self._explained():
            self._database.execute("DROP TABLE IF EXISTS rerun_note")

    def _note(self, was: str | None, note: str) -> None:
        if self.note() != was:
            raise StoreError(f"Another run is writing {self.path}. Wait for it to end.")
        self._database.execute(_NOTE)
        self._database.execute("DELETE FROM rerun_note")
        self._database.execute("INSERT INTO rerun_note VALUES (?)", (note,))


def stored_record(row: StoredRow) -> dict[str, Any]:
    """The record of a row from `BulkCatalogue.rows`, with the fields of `extra` at its top level."""
    record = as_record(from_database(dict(zip(schema.COLUMNS, row[1:], strict=True))))
    extra = record.get("extra")
    if not isinstance(extra, dict):
        return record
    kept = {name: value for name, value in extra.items() if name in schema.COLUMNS}
    del record["extra"]
    return {**record, **{name: extra[name] for name in extra if name not in kept}, **({"extra": kept} if kept else {})}


def kept_row(record: dict[str, Any], now: float) -> MediaRow:
    """The row of a record that was stored before: as `rows.as_row`, but without a new sighting.

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
    return row


def typed(record: dict[str, Any]) -> dict[str, Any]:
    """Parses numbers in a record of texts, where the catalogue has columns of numbers.

    Args:
        record: from a table of texts. Invalid numbers stay texts.
    """
    return {name: _typed(schema.COLUMNS.get(name), value) for name, value in record.items()}


def _typed(column: schema.Column | None, value: Any) -> Any:
    if column is None or not isinstance(value, str) or len(value) > 40:
        return value
    if column.kind is bool:
        return {"true": True, "false": False}.get(value.lower(), value)
    if column.kind not in {int, float}:
        return value
    try:
        return column.kind(value)
    except ValueError:
        return value
