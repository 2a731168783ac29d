"""The catalogue of media files: one SQLite file, and a mark file that reveals lost transactions."""

from __future__ import annotations

import os
import sqlite3
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager, suppress
from enum import StrEnum
from pathlib import Path
from types import TracebackType
from typing import Any, Self

from mediacrawl.base.sqlite_file import Mark, SQLiteFile, open_to_read, primary_code, this_boot, trouble
from mediacrawl.record import MediaItem
from mediacrawl.store import schema, works
from mediacrawl.store.figures import CatalogueFigures, figures, totals
from mediacrawl.store.rows import MediaRow, as_record, as_row, bound, from_database, merge, moment
from mediacrawl.store.schema import CatalogueFilters


class StoreError(Exception):
    """The catalogue cannot be opened, read or written. The message says what, where, and what to do."""


_WRONG = {
    sqlite3.SQLITE_NOTADB: "is no SQLite database. Name another file, or move this one away",
    sqlite3.SQLITE_CORRUPT: "is damaged. Stop the crawl, save what is whole with"
    " `sqlite3 FILE .recover`, and move the file away",
}


def explain(error: sqlite3.Error, path: Path) -> StoreError:
    """Converts an error of SQLite into one sentence."""
    what = _WRONG.get(primary_code(error)) or trouble(error, path) or "cannot be used"
    return StoreError(f"The catalogue {path} {what} ({error}).")


MARK_SUFFIX = ".mark"


class CatalogueMark:
    """Stores the number of a catalogue's transactions aside, so that lost ones are noticed.

    On disk: ``media.db.mark``, see `base.sqlite_file`. It may be deleted at any time, which disables the check. A
    number that is too low, because it could not be written, is harmless.
    """

    def __init__(self, path: Path) -> None:
        self._catalogue = path
        self._path = path.with_name(path.name + MARK_SUFFIX)
        self._descriptor = -1

    def read(self) -> int:
        """The stored number; 0 if the catalogue was deleted."""
        if not self._catalogue.exists():
            return 0
        try:
            with self._path.open("rb") as file:
                return Mark.read(file.fileno()).commits
        except OSError:
            return 0

    def write(self, commits: int) -> None:
        """Stores the number of a committed transaction."""
        with suppress(OSError):
            if self._descriptor < 0:
                self._descriptor = os.open(self._path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o644)
            Mark(commits, this_boot()).write(self._descriptor)

    def check(self, commits: int, noted: int) -> None:
        """Checks that no transaction is missing.

        Raises:
            StoreError: some are, with advice.
        """
        path = self._catalogue
        if commits >= noted:
            return
        lacks = f"has lost its last {noted - commits} changes" if commits else f"is empty, and had {noted} changes"
        raise StoreError(
            f"The catalogue {path} {lacks}: {path.name}-wal was removed, or the file was emptied, cut, or put back from"
            f" a copy. Put the right files back; or delete {self._path.name} to go on with the records that are there"
            " (those that are lost come back only in a crawl with -a fresh=1)."
        )

    def close(self) -> None:
        """Closes the file."""
        if self._descriptor >= 0:
            os.close(self._descriptor)
            self._descriptor = -1


_WAIT = 30
"""Seconds to wait for another writer."""

_WAL_LIMIT = 64 << 20
_EVERYTHING = CatalogueFilters()
_INSERT = f"INSERT INTO media ({', '.join(schema.COLUMNS)}) VALUES (:{', :'.join(schema.COLUMNS)})"  # noqa: S608
_UPDATE = f"UPDATE media SET {', '.join(f'{name} = :{name}' for name in schema.COLUMNS)} WHERE id = :id"  # noqa: S608


class UpsertOutcome(StrEnum):
    """The state of a record in the catalogue before it was stored."""

    NEW = "new"
    """It was unknown."""
    UPDATED = "updated"
    """It was stored before this crawl."""
    AGAIN = "again"
    """It was stored since, in this crawl, and is not counted again."""


class Catalogue:
    """Stores records by `id`, and finds them by words.

    **On disk.** `path` is a SQLite database, with ``-wal`` and ``-shm`` while it is open; they belong together: copy
    all three or none, or use ``sqlite3 media.db '.backup copy.db'`` while a crawl runs. One table, ``media``, with a
    column for each flat field, ``tags`` and ``extra`` as JSON, ``work`` (see `store.works`), and ``media_text``, its
    full-text index. Any SQLite tool may read it. Rows may be deleted with plain SQL, triggers keep the index right; the
    whole file may be deleted while no crawl runs, which loses the records and nothing else. The table ``written``
    counts the transactions, as does ``media.db.mark`` (`CatalogueMark`): a file that has lost its log, was emptied or
    restored from a copy is refused with a sentence.

    **What a crash leaves.** Each `upsert` is a transaction of its own, with a write-ahead log and ``synchronous=FULL``.
    Once `upsert` has returned, neither a kill nor a power cut loses the record; a crash before leaves the old record.
    FULL and not NORMAL, because the frontier marks a URL as done after its record was stored: with NORMAL a power cut
    could lose the record and keep the mark, and the file would never be visited again. It costs one fsync a record, 0.2
    ms on a good disk and 10 ms on a bad one.

    **Two programs** may use one file: readers never wait, writers wait for each other up to 30 seconds.

    Args:
        path: of the file; it and its folder are made if missing.
        clock: seconds since the epoch.
        began: when the crawl that stores records began, seconds since the epoch; 0 for now.
        read_only: True changes nothing, makes nothing, and needs the file to exist.

    Raises:
        StoreError: no database, another program's database, a newer file, a folder without rights, or stored changes
            are missing.
    """

    _alone = True
    """Whether nothing else in this process writes to a file that is opened read-only."""

    def __init__(
        self, path: str | Path, *, clock: Callable[[], float] = time.time, began: float = 0.0, read_only: bool = False
    ) -> None:
        self.path = Path(path)
        self._clock = clock
        self._mark = CatalogueMark(self.path)
        with self._explained(), ExitStack() as refused:
            refused.callback(self._mark.close)
            if self.path.is_file():
                # Nothing on the disk changes before it is known that the file is whole.
                noted = self._mark.read()
                self._database = open_to_read(self.path, alone=self._alone, timeout=_WAIT)
                refused.callback(self._database.close)
                self._database.row_factory = sqlite3.Row
                self._check(noted, read_only=read_only)
            elif read_only:
                raise StoreError(f"There is no catalogue at {path}. A crawl makes one; or name another file.")
            if not read_only:
                refused.close()
                _make_folder(self.path)
                self._database = SQLiteFile.open(self.path, timeout=_WAIT)
                refused.callback(self._mark.close)
                refused.callback(self._database.leave)
                self._database.row_factory = sqlite3.Row
                self._prepare()
            present = self._present()
            self._fields, self._knows_works = schema.selection(present), "work" in present
            self._last = self._number("SELECT coalesce(max(number), 0) FROM media") if present else 0
            self._began = moment(began or self._clock())
            refused.pop_all()

    def _check(self, noted: int, *, read_only: bool) -> None:
        # In this order, since a second process may be creating the tables.
        is_new = not self._number("SELECT count(*) FROM sqlite_master")
        counts = self._number("SELECT count(*) FROM sqlite_master WHERE name = 'written'")
        if is_new and read_only and not noted:
            raise StoreError(f"The catalogue {self.path} is empty: no crawl has written to it yet.")
        if not is_new and self._number("PRAGMA application_id") != schema.APPLICATION_ID:
            raise StoreError(f"{self.path} is a database of another program. Name another file for the catalogue.")
        version = self._number("PRAGMA user_version")
        if version > schema.VERSION:
            raise StoreError(
                f"The catalogue {self.path} was written by a newer mediacrawl (its format is {version}, this one"
                f" knows {schema.VERSION}). Update mediacrawl, or name another file."
            )
        self._mark.check(self._number("SELECT commits FROM written") if counts else 0, noted)

    def _prepare(self) -> None:
        self._database.execute("PRAGMA journal_mode = WAL")
        self._database.guard(self.path)
        self._database.execute("PRAGMA synchronous = FULL")
        self._database.execute(f"PRAGMA journal_size_limit = {_WAL_LIMIT}")
        with self._transaction():
            before = self._present()
            renew = bool(before) and self._is_index_old()
            if renew:
                self._drop_index()
            for statement in schema.missing_columns(before) if before else ():
                self._database.execute(statement)
            for statement in (*schema.statements(), *works.INDEXES, *works.TRIGGERS):
                self._database.execute(statement)
            if renew:
                # A million records take half a minute.
                self._database.execute("INSERT INTO media_text(media_text) VALUES ('rebuild')")
            if not self._number("SELECT count(*) FROM written"):
                self._database.execute("INSERT INTO written VALUES (0)")
            if before and "work" not in before:
                works.settle_all(self._database)
            self._database.execute(f"PRAGMA application_id = {schema.APPLICATION_ID}")
            self._database.execute(f"PRAGMA user_version = {schema.VERSION}")

    def _is_index_old(self) -> bool:
        """Whether the index is of an earlier version: with other columns, or unknown to other programs."""
        columns = [row["name"] for row in self._database.execute("PRAGMA table_info(media_text)")]
        unknown = self._number("SELECT count(*) FROM sqlite_master WHERE sql LIKE '%content=''media''%'")
        return columns != list(schema.SEARCHED) or bool(unknown)

    def _drop_index(self) -> None:
        for name in schema.TRIGGERS:
            self._database.execute(f"DROP TRIGGER IF EXISTS {name}")
        self._database.execute("DROP TABLE IF EXISTS media_text")

    def _present(self) -> set[str]:
        return {row["name"] for row in self._database.execute("PRAGMA table_info(media)")}

    def upsert(self, record: MediaItem | Mapping[str, Any]) -> UpsertOutcome:
        """Stores a record, merged with the one of the same `id`; see `rows.merge`.

        Args:
            record: with a `content_url`; see `rows.as_row` for unknown fields.

        Returns:
            The state before. Of two sightings within the first second after the start both may count as UPDATED.

        Raises:
            ValueError: there is no `content_url`.
            StoreError: it could not be written. Nothing was changed; the next record may be tried.
        """
        row = as_row(record, self._clock())
        with self._explained(), self._transaction():
            old = self._row(row["id"])
            if old is None:
                insert(self._database, row)
            else:
                update(self._database, merge(old, row))
            works.settle(self._database, row["id"])
            self._mend(row["id"])
            return UpsertOutcome.NEW if old is None else self._known(old)

    def _mend(self, media_id: str) -> None:
        """Gives the records of a work what their texts lost from each other."""
        rows = [from_database(row) for row in works.rows(self._database, media_id)]
        if len(rows) < 2:
            return
        # Their import takes 100 ms, and who only reads a catalogue mends nothing.
        from mediacrawl.record import may_have_lost, with_copies  # noqa: PLC0415

        records = [(row, as_record(row)) for row in rows]
        for row, record in records:
            others = (other for _, other in records if other is not record)
            mended = with_copies(record, others) if may_have_lost(record) else None
            if mended:
                update(self._database, {**as_row(mended, self._clock()), "last_seen_at": row["last_seen_at"]})

    def change(self, media_id: str, changed: Callable[[dict[str, Any]], dict[str, Any] | None]) -> bool | None:
        """Changes a stored record in one transaction.

        Args:
            media_id: of the record.
            changed: gets the record and returns the new one; None leaves it as it is.

        Returns:
            Whether the record was changed; None if there is no such record.

        Raises:
            StoreError: it could not be written. Nothing was changed.
        """
        with self._explained():
            # Most records stay as they are, and a transaction waits for the disk.
            row = self._row(media_id)
            if row is None:
                return None
            if changed(as_record(row)) is None:
                return False
            with self._transaction():
                row = self._row(media_id)
                record = changed(as_record(row)) if row else None
                if row is None or record is None:
                    return False
                update(self._database, {**as_row(record, self._clock()), "last_seen_at": row["last_seen_at"]})
            return True

    def _known(self, old: MediaRow) -> UpsertOutcome:
        number = self._database.execute("SELECT number FROM media WHERE id = ?", (old["id"],)).fetchone()[0]
        return (
            UpsertOutcome.AGAIN
            if number > self._last or str(old["last_seen_at"]) > self._began
            else UpsertOutcome.UPDATED
        )

    def get(self, media_id: str) -> dict[str, Any] | None:
        """The record of this id, or None."""
        with self._explained():
            row = self._row(media_id)
        return as_record(row) if row else None

    def search(
        self, words: str | Sequence[str], limit: int | None = None, filters: CatalogueFilters = _EVERYTHING
    ) -> Iterator[dict[str, Any]]:
        """Finds records that have all these words as beginnings of words, the best first.

        Accents and case are ignored. Words in scripts without spaces are found anywhere in a text, by a scan of all
        rows. No word is syntax.

        Args:
            words: as a person types them; no word finds everything, newest first.
            limit: most records to return; None for all.
            filters: see `CatalogueFilters`.
        """
        sql, values = schema.search_query(self._fields, schema.search_words(words), filters, limit)
        with self._explained():
            for row in self._database.execute(sql, values):
                yield as_record(from_database(row))

    def newest(self, limit: int | None = None, filters: CatalogueFilters = _EVERYTHING) -> Iterator[dict[str, Any]]:
        """The records in the reverse order in which they were first stored."""
        return self.search((), limit, filters)

    def works(
        self, words: str | Sequence[str], limit: int | None = None, filters: CatalogueFilters = _EVERYTHING
    ) -> Iterator[tuple[dict[str, Any], list[str]]]:
        """Finds works.

        The best match among several records of one file, with the URLs of the others; see `store.works`.
        """
        shown: set[str] = set()
        found = 0
        for record in self.search(words, None, filters):
            if limit is not None and found >= limit:
                return
            work = record["work"] or record["id"]
            if work in shown:
                continue
            with self._explained():
                others = works.sources(self._database, record["id"], record["work"]) if self._knows_works else []
            if others:
                shown.add(work)
            found += 1
            yield record, others

    def count(self) -> int:
        """Number of records."""
        with self._explained():
            return self._number("SELECT count(*) FROM media")

    def summary(self) -> CatalogueFigures:
        """Counts everything; reads the whole table."""
        with self._explained():
            return CatalogueFigures(
                **totals(self._database),
                median_bytes_fetched=self._median(),
                repeated=self._number("SELECT count(work) FROM media") if self._knows_works else 0,
            )

    def figures(self, since: float = 0.0) -> CatalogueFigures:
        """The counts for the report."""
        with self._explained():
            return figures(self._database, moment(since) if since else "")

    def _median(self) -> int:
        probed = "FROM media WHERE bytes_fetched > 0"
        half = self._number(f"SELECT count(*) {probed}") // 2
        sql = f"SELECT bytes_fetched {probed} ORDER BY bytes_fetched LIMIT 1 OFFSET {half}"
        row = self._database.execute(sql).fetchone()
        return int(row[0]) if row else 0

    def _row(self, media_id: str) -> MediaRow | None:
        sql = f"SELECT {self._fields} FROM media WHERE id = ?"  # noqa: S608
        row = self._database.execute(sql, (media_id,)).fetchone()
        return from_database(row) if row else None

    def _number(self, sql: str) -> int:
        return int(self._database.execute(sql).fetchone()[0])

    @contextmanager
    def _transaction(self) -> Iterator[None]:
        if not self._database.is_in_place:
            raise StoreError(
                f"The catalogue {self.path} was removed, moved or replaced while it was open. Nothing more is stored"
                " there. Start again to begin a new one, or put it back first."
            )
        # IMMEDIATE: rows that are read here must not change before they are written.
        self._database.execute("BEGIN IMMEDIATE")
        try:
            yield
            self._database.execute("UPDATE written SET commits = commits + 1")
            commits = self._number("SELECT commits FROM written")
            self._database.execute("COMMIT")
        except BaseException:
            # A full disk may have rolled it back already.
            if self._database.in_transaction:
                self._database.execute("ROLLBACK")
            raise
        self._mark.write(commits)

    @contextmanager
    def _explained(self) -> Iterator[None]:
        try:
            yield
        except sqlite3.Error as error:
            raise explain(error, self.path) from error

    def close(self) -> None:
        """Closes the file; SQLite merges the write-ahead log into it."""
        with self._explained():
            self._database.close()
        self._mark.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()


def insert(database: sqlite3.Connection, row: MediaRow) -> None:
    """Adds a row with a new `id`."""
    database.execute(_INSERT, bound(row))


def update(database: sqlite3.Connection, row: MediaRow) -> None:
    """Replaces the row with this `id`."""
    database.execute(_UPDATE, bound(row))


def _make_folder(path: Path) -> None:
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise StoreError(
            f"The folder of the catalogue {path} cannot be made: {error.strerror}. Name another file."
        ) from error
