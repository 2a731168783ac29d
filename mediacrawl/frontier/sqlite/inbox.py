"""Writes that are gathered before they reach their tables: URLs found lately in the inbox, and rows in the journal."""

from __future__ import annotations

import sqlite3
from typing import Any

from mediacrawl.frontier.sqlite.rows import UrlRow

MERGE_AT = 20_000
"""Rows after which they are moved: 20 ms of standstill for 2,000 pages. In memory a row costs some 150 bytes."""


MERGE_BYTES = 16 * 1024 * 1024
"""Bytes of rows after which they are moved: they leave as many free ones in the file."""


class Inbox:
    """The rows that are not at their place yet.

    On disk: table ``inbox``. In memory: their keys, and for each class the places of its rows.

    Args:
        db: the store's connection.
        last: the last place that was given to a row.
    """

    def __init__(self, db: sqlite3.Connection, last: int) -> None:
        self._db = db
        self._keys: set[int] = set()
        self._places: dict[int, list[int]] = {}
        self._size = self._bytes = 0
        first = last + 1
        for seq, link_class, key in db.execute("SELECT seq, class, key FROM inbox ORDER BY seq"):
            first = min(first, seq)
            self.note(seq, link_class, key)
        self._first = first

    def __contains__(self, key: int) -> bool:
        return key in self._keys

    @property
    def full(self) -> bool:
        """Whether it is time to merge."""
        return self._size >= MERGE_AT or self._bytes >= MERGE_BYTES

    def holds(self, seq: int) -> bool:
        """Whether the row at this place is here, or was when it ended."""
        return seq >= self._first

    def note(self, seq: int, link_class: int, key: int, size: int = 0) -> None:
        """A row was written here."""
        self._keys.add(key)
        self._size += 1
        self._bytes += size
        self._places.setdefault(link_class, []).append(seq)

    def gone(self, seq: int, link_class: int) -> None:
        """A row was deleted here. Its key stays until the merge, which is when the table of keys learns it."""
        places = self._places[link_class]
        places.remove(seq)
        if not places:
            del self._places[link_class]

    def first(self, link_class: int, after: int = -1) -> int | None:
        """The place of a class's first row here behind another, or None."""
        return next((seq for seq in self._places.get(link_class, ()) if seq > after), None)

    def count(self, first: int, last: int) -> int:
        """How many rows of the classes from `first` to `last` are here."""
        return sum(len(places) for number, places in self._places.items() if first <= number <= last)

    def merge(self, last: int) -> None:
        """Move all rows to their places. What is written and not flushed must be flushed before.

        Args:
            last: the last place that was given to a row.
        """
        self._db.execute("INSERT INTO url SELECT class, seq, url, facts, state FROM inbox ORDER BY class, seq")
        self._db.execute("INSERT OR IGNORE INTO seen SELECT key FROM inbox ORDER BY key")
        self._db.execute("DELETE FROM inbox")
        self._keys.clear()
        self._places.clear()
        self._size = self._bytes = 0
        self._first = last + 1


class WriteJournal:
    """The gathered writes. In memory only; lost with the process, as any write after the last commit.

    Args:
        db: the store's connection.
        sieved: whether a Bloom filter must hear of keys that are added to the table of seen keys here.
    """

    def __init__(self, db: sqlite3.Connection, *, sieved: bool = False) -> None:
        self._db = db
        self._sieved = sieved
        self._urls: list[tuple[int, int, int, str, bytes, bytes | None]] = []
        self._changes: list[tuple[bytes, bytes | None, int, int]] = []
        self._inbox_changes: list[tuple[bytes, bytes | None, int]] = []
        self._gone: list[tuple[int, int]] = []
        self._inbox_gone: list[tuple[int]] = []
        self._ended: list[tuple[int, int]] = []
        self._known: list[tuple[int]] = []
        self._forgotten: list[tuple[int]] = []
        self._leased: list[tuple[int, int, int, float]] = []
        self._over: list[tuple[int]] = []

    def __bool__(self) -> bool:
        return bool(
            self._urls
            or self._leased
            or self._over
            or self._gone
            or self._inbox_gone
            or self._changes
            or self._inbox_changes
            or self._ended
            or self._known
            or self._forgotten
        )

    def url(self, link_class: int, row: UrlRow, key: int) -> None:
        """A URL is added to a class, by way of the inbox."""
        self._urls.append((row.seq, link_class, key, row.url, row.facts, row.state or None))

    def changed(self, link_class: int, row: UrlRow, *, inbox: bool) -> None:
        """A URL keeps its place with other facts or state."""
        if inbox:
            self._inbox_changes.append((row.facts, row.state or None, row.seq))
        else:
            self._changes.append((row.facts, row.state or None, link_class, row.seq))

    def gone(self, link_class: int, seq: int, *, inbox: bool) -> None:
        """A URL leaves its place."""
        if inbox:
            self._inbox_gone.append((seq,))
        else:
            self._gone.append((link_class, seq))

    def ended(self, key: int, code: int, *, inbox: bool) -> None:
        """A URL has ended, named by `code`. If its row was in the inbox, so was its key."""
        self._ended.append((key, code))
        if inbox:
            self._known.append((key,))

    def pruned(self, link_class: int, seq: int, key: int) -> None:
        """A URL is forgotten."""
        self._gone.append((link_class, seq))
        self._forgotten.append((key,))

    def leased(self, seq: int, link_class: int, site: int, now: float) -> None:
        """A URL goes out."""
        self._leased.append((seq, link_class, site, now))

    def lease_over(self, seq: int) -> None:
        """A URL came back."""
        self._over.append((seq,))

    def flush(self) -> None:
        """Write all of it into the open transaction, or open one."""
        if not self:
            return
        if not self._db.in_transaction:
            self._db.execute("BEGIN")
        # The order matters: a lease that is over may go out again, and a URL may be added and leave between two
        # flushes.
        self._write("DELETE FROM lease WHERE seq = ?", self._over)
        self._write("INSERT INTO inbox VALUES (?, ?, ?, ?, ?, ?)", self._urls)
        self._write("UPDATE inbox SET facts = ?, state = ? WHERE seq = ?", self._inbox_changes)
        self._write("UPDATE url SET facts = ?, state = ? WHERE class = ? AND seq = ?", self._changes)
        self._write("DELETE FROM url WHERE class = ? AND seq = ?", self._gone)
        self._write("DELETE FROM inbox WHERE seq = ?", self._inbox_gone)
        self._write("INSERT INTO ended VALUES (?, ?)", self._ended)
        if self._sieved and self._known:
            self._db.executemany("INSERT INTO unsieved VALUES (?)", self._known)
        self._write("INSERT OR IGNORE INTO seen VALUES (?)", self._known)
        self._write("DELETE FROM seen WHERE key = ?", self._forgotten)
        self._write("INSERT INTO lease VALUES (?, ?, ?, ?)", self._leased)

    def _write(self, statement: str, rows: list[Any]) -> None:
        if rows:
            self._db.executemany(statement, rows)
            rows.clear()
