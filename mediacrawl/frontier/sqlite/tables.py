"""The tables of the SQLite store together, their transaction, and the counts that are written with each commit."""

from __future__ import annotations

import sqlite3
from collections import Counter
from pathlib import Path
from typing import Any

from mediacrawl.frontier.byte_budget import on_disk
from mediacrawl.frontier.contract import FrontierPolicy
from mediacrawl.frontier.sqlite.classes import Queues
from mediacrawl.frontier.sqlite.database import move_times, update_ranks
from mediacrawl.frontier.sqlite.seen import PendingRevisits, SeenTable, open_bloom_filter
from mediacrawl.frontier.sqlite.sites import Site, SiteTable
from mediacrawl.sqlite_file import this_boot

ROW_SIZE = "length(CAST(url AS BLOB)) + length(facts) + coalesce(length(state), 0)"
"""Of a row of ``url`` or ``inbox``: the bytes of its values, see `rows.UrlRow.size`."""
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

    On disk: tables ``total`` and ``ending``. The row ``complete`` has the number of the last commit that wrote all of
    these totals. A program of an earlier version counts its commits, but does not know each total: if the two numbers
    differ, those that it does not know are out of date.

    Attributes:
        seen: URLs ever accepted.
        again: how often one of them was added again after it had ended.
        waiting: URLs that wait.
        bytes: that they take with all that is known of them, those that are out too.
        shelved: those of them whose site is paused or retired.
        resting: sites that have waiting URLs, and rest.
        most: the most sites that had waiting URLs at one time of this crawl.
        complete: whether this version wrote them last.
        commits: how many commits there were; `mark` keeps it beside the file, to see that none is missing.

    Args:
        db: the store's connection.
    """

    def __init__(self, db: sqlite3.Connection) -> None:
        self._db = db
        self.stored: dict[str, Any] = dict(db.execute("SELECT name, value FROM total"))
        self.complete = self.stored.get("complete") == self.stored.get("commits", 0)
        self.seen = self.stored.get("seen", 0)
        self.again = self.stored.get("again", 0)
        self.waiting: int = self.stored.get("waiting", 0)
        self.bytes = self.stored["bytes"] if self.complete else bytes_of_rows(db)
        self.shelved: int = self.stored.get("shelved", 0)
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
            active: sites that have waiting URLs.
            at: the time, seconds since the epoch.
        """
        for name, urls in self._new.items():
            self._db.execute("UPDATE ending SET urls = urls + ? WHERE code = ?", (urls, self._codes[name]))
        self._new.clear()
        self.most = max(self.most, active)
        self.commits += 1
        rows = {
            "commits": self.commits,
            "complete": self.commits,
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


class Tables:
    """All tables of a store with what memory holds of them, and the open transaction.

    Attributes:
        db: the connection.
        totals, queues, seen, sites: the tables of counts, of URLs and classes, of known URLs, of sites.
        revisits: URLs that wait for a visit after they have ended.

    Args:
        db: as attribute.
        path: the database file; the Bloom filter's file is beside it.
        policy: the frontier's numbers.
        now: seconds since the epoch.
        offset: see `SQLiteFrontier`.
    """

    def __init__(
        self, db: sqlite3.Connection, path: Path, policy: FrontierPolicy, now: float, offset: float | None
    ) -> None:
        self.db = db
        self.begin()
        self.totals = Totals(db)
        stored = self.totals.stored
        self.clock_shift = self._set_clock(now, offset)
        move_times(db, self.clock_shift, now)
        update_ranks(db, policy.order, str(stored.get("order", "")))
        self.queues = Queues(db, policy.order, stored.get("seq", 0), sieved=policy.bloom > 0)
        self._sieve = open_bloom_filter(db, path.with_suffix(".bloom"), policy.bloom)
        self.seen = SeenTable(db, self.queues.inbox, self._sieve)
        self.revisits = PendingRevisits(db)
        self.sites = SiteTable(db)

    def begin(self) -> None:
        """Open a transaction, if none is."""
        if not self.db.in_transaction:
            # Not deferred: SQLite waits for a lock of another program only where a transaction begins with writing.
            self.db.execute("BEGIN IMMEDIATE")

    def _set_clock(self, now: float, offset: float | None) -> float:
        """Return by how many seconds the clock was set forward since the last commit, as far as it can be known."""
        stored, boot = self.totals.stored, this_boot()
        before = str(stored.get("clock", "")).split()
        if offset is None:
            self.db.execute("DELETE FROM total WHERE name = 'clock'")
        else:
            self.set_total("clock", f"{boot} {offset!r}")
            if self.totals.complete and before[:1] == [boot]:
                return offset - float(before[1])
        return min(now - float(stored.get("at", now)), 0.0)

    def set_total(self, name: str, value: float | str) -> None:
        """Write a total that is set once in a process, into the open transaction."""
        self.db.execute("INSERT OR REPLACE INTO total VALUES (?, ?)", (name, value))
        self.totals.stored[name] = value

    def flush(self) -> None:
        """Write into the transaction what was gathered."""
        if self.queues.journal or self.sites or self.queues.classes:
            self.begin()
            self.queues.journal.flush()
            self.queues.classes.flush()
            self.sites.flush()

    def merge(self) -> None:
        """Move the rows of the inbox to their places."""
        self.begin()
        self.flush()
        if self._sieve is not None:
            self._sieve.merging()
        self.queues.inbox.merge(self.queues.last)
        if self._sieve is not None and self._sieve.due:
            self._sieve.save()

    def save_sieve(self) -> None:
        """Write the Bloom filter's file, if there is one."""
        if self._sieve is not None:
            self.begin()
            self._sieve.save()

    def commit(self, *, leased: int, active: int, at: float) -> bool:
        """Make everything durable; whether there was anything.

        Args:
            leased: URLs that are out.
            active: sites that have waiting URLs.
            at: the time, seconds since the epoch.
        """
        self.flush()
        if not self.db.in_transaction:
            return False
        if self.queues.inbox.full:
            self.merge()
        self.totals.write(leased=leased, seq=self.queues.last, active=active, at=at)
        self.db.execute("COMMIT")
        return True

    def rows_of(self, site: Site) -> int:
        """How many URLs wait on a site, the leased one not counted."""
        self.flush()
        return self.queues.count(site.id) - (site.lease is not None)
