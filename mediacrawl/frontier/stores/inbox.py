"""The inbox: URLs that joined lately, in the order they came.

The URLs found on a page belong to ten classes and have ten scattered keys. Written where they belong at once, each of
them dirties two pages of the file, and a commit costs as much as all the rest of the frontier together. So they are
appended to one table first, and moved in one sorted pass when there are many: Mercator's sieve, on a B-tree.
"""

from __future__ import annotations

import sqlite3
from collections import deque
from itertools import islice

from mediacrawl.frontier.stores.rows import Row, stored_row

MERGE_AT = 20_000
"""Rows after which they are moved: 20 ms of standstill for 2,000 pages. In memory a row costs some 150 bytes."""


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
        self._waiting: dict[int, deque[int]] = {}
        self._size = 0
        first = last + 1
        for seq, link_class, key in db.execute("SELECT seq, class, key FROM inbox ORDER BY seq DESC"):
            first = seq
            self._keys.add(key)
            self._waiting.setdefault(link_class, deque()).appendleft(seq)
            self._size += 1
        self._first = first

    def __contains__(self, key: int) -> bool:
        return key in self._keys

    @property
    def full(self) -> bool:
        """Whether it is time to merge."""
        return self._size >= MERGE_AT

    def holds(self, seq: int) -> bool:
        """Whether the row at this place is still here."""
        return seq >= self._first

    def note(self, seq: int, link_class: int, key: int, *, beyond: bool) -> None:
        """A row was written here.

        Args:
            seq: its place.
            link_class: its class.
            key: its URL's key.
            beyond: it is not in the class's window, so it must be found here later.
        """
        self._keys.add(key)
        self._size += 1
        if beyond:
            self._waiting.setdefault(link_class, deque()).append(seq)

    def has(self, link_class: int) -> bool:
        """Whether rows of this class wait here for their turn in its window."""
        return link_class in self._waiting

    def draw(self, link_class: int, limit: int) -> list[Row]:
        """Up to `limit` rows of a class, oldest first; they count as being in its window from now on."""
        places = self._waiting.get(link_class)
        if places is None:
            return []
        drawn = [places.popleft() for _ in range(min(limit, len(places)))]
        if not places:
            del self._waiting[link_class]
        select = "SELECT seq, url, facts, state IS NOT NULL FROM inbox WHERE seq = ?"
        return [stored_row(*self._db.execute(select, (seq,)).fetchone()) for seq in drawn]

    def merge(self, last: int) -> None:
        """Move all rows to their places. What is written and not flushed must be flushed before.

        Args:
            last: the last place that was given to a row.
        """
        self._db.execute("INSERT INTO url SELECT class, seq, url, facts, state FROM inbox ORDER BY class, seq")
        self._db.execute("INSERT OR IGNORE INTO seen SELECT key, 0 FROM inbox ORDER BY key")
        self._db.execute("DELETE FROM inbox")
        self._keys.clear()
        self._waiting.clear()
        self._size = 0
        self._first = last + 1


def batches(keys: list[int], size: int) -> list[list[int]]:
    """`keys` in lists of exactly `size`, so that one prepared statement serves all; the last key fills up the last."""
    found = iter(keys)
    cut = iter(lambda: list(islice(found, size)), [])
    return [batch + batch[-1:] * (size - len(batch)) for batch in cut]
