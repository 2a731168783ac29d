"""The tables of the SQLite store: their transaction, the known URLs, and the counts written with each commit."""

from __future__ import annotations

import logging
import os
import sqlite3
import struct
import zlib
from collections import Counter
from collections.abc import Iterable, Sequence
from io import BytesIO
from itertools import islice
from pathlib import Path
from typing import Any

from pybloom_live import BloomFilter

from mediacrawl.base.files import replacing
from mediacrawl.base.sqlite_file import this_boot
from mediacrawl.frontier.byte_budget import on_disk
from mediacrawl.frontier.contract import FrontierPolicy
from mediacrawl.frontier.order import RankOrder
from mediacrawl.frontier.seen import RecentUrls, SeenFilter, url_key
from mediacrawl.frontier.sqlite.database import CLASS_BITS
from mediacrawl.frontier.sqlite.queues import Inbox, Queues, unpack_samples
from mediacrawl.frontier.sqlite.sites import Site, SiteTable
from mediacrawl.politeness.delay import DelayPolicy

logger = logging.getLogger(__name__)

ERROR_RATE = 0.001
"""Share of new keys that the filter takes for perhaps known; 14.4 bits a key."""

SAVE_AT = 500_000
"""Keys after which the filter is written again: a start adds at most so many again, in a second."""

_MAGIC = b"mediacrawl bloom 1\n"
_HEAD = struct.Struct("<qqI")


class StoredBloomFilter(SeenFilter):
    """The filter of one store (pybloom-live).

    On disk: ``frontier.bloom`` (store, generation, checksum, the filter's own format; written to another name and
    renamed), and in the database the keys that were added since then, table ``unsieved``. A kill loses nothing: the
    file and those keys together have every known key. If the file is missing, spoiled or of another store, the filter
    is made again from the table of seen keys, once, which takes some 3 s a million.
    """

    def __init__(self, db: sqlite3.Connection, path: Path, capacity: int) -> None:
        self._db = db
        self._path = path
        self._capacity = capacity
        self._store = _number(db, "store", int.from_bytes(os.urandom(7), "big"))
        self._generation = _number(db, "sieve", 0)
        self._full = False
        self._unsaved: int
        (self._unsaved,) = db.execute("SELECT count(*) FROM unsieved").fetchone()
        filter_ = self._load()
        self._filter = filter_ or BloomFilter(capacity, ERROR_RATE)
        # One that was full when it was saved lacks the keys that came later.
        self._full = self._filter.count > capacity
        if filter_ is None:
            self._make()
        self._add_all(key for (key,) in db.execute("SELECT key FROM unsieved UNION ALL SELECT key FROM inbox"))

    def __contains__(self, key: object) -> bool:
        return self._full or bool(key in self._filter)

    def add(self, key: int) -> None:
        """A key is known from now on."""
        if self._full:
            return
        try:
            self._filter.add(key)
        except IndexError:
            self._full = True
            logger.warning(
                "The Bloom filter is full at %d URLs and of no more use; set FRONTIER_BLOOM higher at the next start",
                self._capacity,
            )

    def merging(self) -> None:
        """The keys of the inbox are about to join the table: they are noted until the filter's file has them."""
        self._unsaved += self._db.execute("INSERT INTO unsieved SELECT key FROM inbox").rowcount

    @property
    def due(self) -> bool:
        """Whether it is time to save."""
        return self._unsaved >= SAVE_AT

    def save(self) -> None:
        """Write the file, and then forget the noted keys in the open transaction, so that none is missed."""
        self._generation += 1
        body = BytesIO()
        self._filter.tofile(body)
        packed = body.getbuffer()
        with replacing(self._path, "-part", sync=True) as file:
            file.write(_MAGIC + _HEAD.pack(self._store, self._generation, zlib.crc32(packed)))
            file.write(packed)
        self._db.execute("DELETE FROM unsieved")
        self._db.execute("INSERT OR REPLACE INTO total VALUES ('sieve', ?)", (self._generation,))
        self._unsaved = 0

    def _load(self) -> BloomFilter | None:
        try:
            content = self._path.read_bytes()
        except OSError:
            return None
        head = len(_MAGIC) + _HEAD.size
        if not content.startswith(_MAGIC) or len(content) < head:
            return None
        store, generation, checksum = _HEAD.unpack(content[len(_MAGIC) : head])
        packed = memoryview(content)[head:]
        if store != self._store or generation < self._generation or zlib.crc32(packed) != checksum:
            return None
        loaded = BloomFilter.fromfile(BytesIO(packed))
        return loaded if loaded.capacity == self._capacity else None

    def _make(self) -> None:
        (known,) = self._db.execute("SELECT count(*) FROM seen").fetchone()
        if known:
            logger.info("Making the Bloom filter of %d URLs", known)
        self._add_all(key for (key,) in self._db.execute("SELECT key FROM seen"))

    def _add_all(self, keys: Iterable[int]) -> None:
        for key in keys:
            self.add(key)


def open_bloom_filter(db: sqlite3.Connection, path: Path, capacity: int) -> StoredBloomFilter | None:
    """The filter of a store, or None without a capacity: then a file of an earlier run is good for nothing any more."""
    if capacity > 0:
        return StoredBloomFilter(db, path, capacity)
    db.execute("DELETE FROM unsieved")
    db.execute("DELETE FROM total WHERE name IN ('store', 'sieve')")
    path.unlink(missing_ok=True)
    return None


def _number(db: sqlite3.Connection, name: str, first: int) -> int:
    db.execute("INSERT OR IGNORE INTO total VALUES (?, ?)", (name, first))
    (value,) = db.execute("SELECT value FROM total WHERE name = ?", (name,)).fetchone()
    return int(value)


_ASK = 16
"""Keys of one question: a page has about ten links that are not among the recent ones."""
_KNOWN = f"SELECT key FROM seen WHERE key IN ({', '.join('?' * _ASK)})"


class SeenTable:
    """The table of 64-bit keys, and before it the URLs met lately, the inbox, and, where it pays, a Bloom filter.

    On disk: table ``seen``; a key joins by way of the inbox. In memory: `RecentUrls`.
    """

    def __init__(self, db: sqlite3.Connection, inbox: Inbox, sieve: SeenFilter | None = None) -> None:
        self._db = db
        self._inbox = inbox
        self._sieve = sieve
        self.recent = RecentUrls()
        self._asked: dict[str, int] = {}

    def unknown(self, urls: Sequence[str]) -> list[str]:
        """Those of `urls` that were never accepted, in their order."""
        asked = {url: url_key(url) for url in self.recent.unknown(urls)}
        known = self.known(list(asked.values()))
        for url, key in asked.items():
            if key in known:
                self.recent.add(url)
        # What is unknown now stays unknown until it is added, so that `add` need not ask again.
        self._asked = {url: key for url, key in asked.items() if key not in known}
        return list(self._asked)

    def new_key(self, url: str) -> int | None:
        """The key of a URL that was never accepted, which counts as known from now on; None if it was."""
        key = self._asked.pop(url, None)
        if key is None:
            if url in self.recent:
                return None
            key = url_key(url)
            if self.known([key]):
                return None
        self.recent.add(url)
        if self._sieve is not None:
            self._sieve.add(key)
        return key

    def known(self, keys: Sequence[int]) -> set[int]:
        """Those of `keys` that were accepted."""
        known = {key for key in keys if key in self._inbox}
        doubtful = [key for key in keys if key not in known and (self._sieve is None or key in self._sieve)]
        for batch in batches(doubtful, _ASK):
            known.update(row[0] for row in self._db.execute(_KNOWN, batch))
        return known

    def forget(self, url: str) -> None:
        """A URL was pruned: it may be added again. The filter continues saying "perhaps"."""
        self.recent.discard(url)
        self._asked.pop(url, None)


def batches(keys: list[int], size: int) -> list[list[int]]:
    """`keys` in lists of exactly `size`, so that one prepared statement serves all; the last key fills up the last."""
    found = iter(keys)
    cut = iter(lambda: list(islice(found, size)), [])
    return [batch + batch[-1:] * (size - len(batch)) for batch in cut]


NAMESPACE = "again"
"""The namespace of their notes: the text of a key, and nothing more."""


class PendingRevisits:
    """The keys of URLs that wait, or are out, for a visit after they had ended.

    On disk: table ``note``, written with the rows that it tells of. In memory: the keys, some 60 bytes each; a crawl
    that makes a fifth of its revisits has some thousands waiting.
    """

    def __init__(self, db: sqlite3.Connection) -> None:
        self._db = db
        self._keys = {int(key) for (key,) in db.execute("SELECT key FROM note WHERE room = ?", (NAMESPACE,))}

    def __contains__(self, key: object) -> bool:
        return key in self._keys

    def add(self, key: int) -> None:
        """A URL is added again. An open transaction is needed."""
        self._keys.add(key)
        self._db.execute("INSERT OR REPLACE INTO note VALUES (?, ?, x'')", (NAMESPACE, str(key)))

    def over(self, key: int) -> bool:
        """A URL has ended, or was pruned; answers whether it had been added again. An open transaction is needed."""
        if key not in self._keys:
            return False
        self._keys.discard(key)
        self._db.execute("DELETE FROM note WHERE room = ? AND key = ?", (NAMESPACE, str(key)))
        return True


ROW_SIZE = "length(CAST(url AS BLOB)) + length(facts) + coalesce(length(state), 0)"
"""Of a row of ``url`` or ``inbox``: the bytes of its values, see `queues.UrlRow.size`."""
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
        """Write them into the open transaction."""
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
        """Make everything durable; whether there was anything."""
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


_SAME_CLOCK = 0.001
"""Seconds; two readings of one clock differ by less."""


def move_times(db: sqlite3.Connection, shift: float, now: float) -> None:
    """The clock was set forward by `shift` seconds since the last commit: times that had not come move with it."""
    if abs(shift) < _SAME_CLOCK:
        return
    row = (shift, now, now - max(shift, 0.0))
    for table, column in (("site", "due"), ("site", "release"), ("class", "held")):
        db.execute(f"UPDATE {table} SET {column} = max({column} + ?1, ?2) WHERE {column} > ?3", row)


def hold_all(db: sqlite3.Connection, policy: DelayPolicy, now: float) -> None:
    """Let every site wait its whole delay: any may have been requested a moment ago, which the file does not say."""

    def owed(delay: float, samples: bytes, crawl_delay: float) -> float:
        return max(delay, policy.delay(unpack_samples(samples), crawl_delay))

    db.create_function("owed", 3, owed, deterministic=True)
    db.execute("UPDATE site SET release = max(release, ? + owed(delay, samples, crawl_delay))", (now,))
    db.execute("UPDATE site SET due = max(due, release)")


def update_ranks(db: sqlite3.Connection, order: RankOrder, before: str) -> None:
    """With another order than at the last start every site gets its rank of this one."""
    name = repr(order)
    if before not in {"", name}:
        db.create_function("rank_of", 1, lambda score: order.rank(score or 0.0), deterministic=True)
        db.execute(
            "UPDATE site SET rank = rank_of((SELECT max(score) FROM class WHERE filled = 1 AND class.id"
            f" BETWEEN site.id << {CLASS_BITS} AND (site.id + 1 << {CLASS_BITS}) - 1)) WHERE place = 1"
        )
    db.execute("INSERT OR REPLACE INTO total VALUES ('order', ?)", (name,))
