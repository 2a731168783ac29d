"""The inbox: URLs that joined lately, in the order they came.

The URLs found on a page belong to ten classes and have ten scattered keys. Written where they belong at once, each of
them dirties two pages of the file, and a commit costs as much as all the rest of the frontier together. So they are
appended to one table first, and moved in one sorted pass when there are many: Mercator's sieve, on a B-tree.
"""

from __future__ import annotations

import sqlite3

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
        """A row was written here.

        Args:
            seq: its place.
            link_class: its class.
            key: its URL's key.
            size: its bytes.
        """
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
