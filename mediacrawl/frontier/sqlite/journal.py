"""Writes of the SQLite store that nobody reads back at once, gathered and written table by table.

One statement for many rows costs a third of as many statements. What is gathered here is not durable; the store
flushes it before it commits, and before it reads what it may have changed.
"""

from __future__ import annotations

import sqlite3
from typing import Any

from mediacrawl.frontier.sqlite.rows import Row


class Journal:
    """The gathered writes. In memory only; lost with the process, as any write after the last commit.

    Args:
        db: the store's connection.
        sieved: whether a Bloom filter must hear of keys that join the table of seen keys here.
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

    def url(self, link_class: int, row: Row, key: int) -> None:
        """A URL joins a class, by way of the inbox."""
        self._urls.append((row.seq, link_class, key, row.url, row.facts, row.state or None))

    def changed(self, link_class: int, row: Row, *, inbox: bool) -> None:
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
        """A URL has come to its end, named by `code`. If its row was in the inbox, so was its key."""
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
        # The order matters: a lease that is over may go out anew, and a URL may join and leave between two flushes.
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
