"""What the SQLite store counts: how many URLs there are, and how they ended."""

from __future__ import annotations

import sqlite3
from collections import Counter

from mediacrawl.frontier.byte_budget import on_disk

ROW_SIZE = "length(CAST(url AS BLOB)) + length(facts) + coalesce(length(state), 0)"
"""Of a row of ``url`` or ``inbox``: the bytes of its values, see `rows.Row.size`."""
_ROWS = "SELECT url, facts, state FROM main.url UNION ALL SELECT url, facts, state FROM main.inbox"
BYTES = f"SELECT sum(on_disk({ROW_SIZE})) FROM ({_ROWS})"
"""Of all rows; the connection must have the function `byte_budget.on_disk`."""


def bytes_of_rows(db: sqlite3.Connection) -> int:
    """The bytes that all rows take, read one by one: a second for some hundred thousand."""
    db.create_function("on_disk", 1, on_disk, deterministic=True)
    (size,) = db.execute(BYTES).fetchone()
    return size or 0


class Totals:
    """The counts of a frontier. They are written with each commit, so they always agree with its rows.

    On disk: tables ``total`` and ``ending``.

    Attributes:
        seen: URLs ever accepted.
        again: how often one of them joined once more after it had ended.
        waiting: URLs that wait.
        bytes: that they take with all that is known of them, those that are out too.
        shelved: those of them whose site is paused or retired.
        resting: sites that have something waiting, and rest.
        most: the most sites that had something waiting at one time of this crawl.
        commits: how many commits there were; `mark` keeps it beside the file, to see that none is missing.

    Args:
        db: the store's connection.
    """

    def __init__(self, db: sqlite3.Connection) -> None:
        self._db = db
        self.stored: dict[str, int] = dict(db.execute("SELECT name, value FROM total"))
        self.seen = self.stored.get("seen", 0)
        self.again = self.stored.get("again", 0)
        self.waiting = self.stored.get("waiting", 0)
        # A file of an earlier version does not say it.
        self.bytes = self.stored["bytes"] if "bytes" in self.stored else bytes_of_rows(db)
        self.shelved = self.stored.get("shelved", 0)
        self.resting = self.stored.get("resting", 0)
        # With nothing left the last crawl is over, and what begins now is another.
        self.most = self.stored.get("most", 0) if self.waiting else 0
        self.commits = self.stored.get("commits", 0)
        self._codes: dict[str, int] = dict(db.execute("SELECT name, code FROM ending"))
        self._new: Counter[str] = Counter()

    @property
    def ends(self) -> dict[str, int]:
        """How many URLs ended, by ``done`` or the reason of the drop."""
        ends = Counter(dict(self._db.execute("SELECT name, urls FROM ending WHERE urls > 0")))
        ends.update(self._new)
        return dict(ends)

    def end(self, name: str) -> int:
        """Count an end; answers its code in the table of endings. An open transaction is needed."""
        self._new[name] += 1
        code = self._codes.get(name)
        if code is None:
            cursor = self._db.execute("INSERT INTO ending (name) VALUES (?)", (name,))
            assert cursor.lastrowid is not None
            code = self._codes[name] = cursor.lastrowid
        return code

    def write(self, *, leased: int, seq: int, active: int, at: float) -> None:
        """Write them into the open transaction.

        Args:
            leased: URLs that are out; for the file they wait.
            seq: the last place that was given to a row.
            active: sites that have something waiting.
            at: the time, seconds since the epoch.
        """
        for name, urls in self._new.items():
            self._db.execute("UPDATE ending SET urls = urls + ? WHERE code = ?", (urls, self._codes[name]))
        self._new.clear()
        self.most = max(self.most, active)
        self.commits += 1
        rows = {
            "commits": self.commits,
            "seen": self.seen,
            "again": self.again,
            "waiting": self.waiting + leased,
            "bytes": self.bytes,
            "shelved": self.shelved,
            "resting": self.resting,
            "most": self.most,
            "seq": seq,
            "active": active,
            "at": at,
        }
        self._db.executemany("INSERT OR REPLACE INTO total VALUES (?, ?)", rows.items())
