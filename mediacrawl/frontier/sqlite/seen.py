"""Which URLs the SQLite store knows: the table of their keys, and a Bloom filter before it."""

from __future__ import annotations

import logging
import os
import sqlite3
import struct
import zlib
from collections.abc import Iterable, Sequence
from io import BytesIO
from itertools import islice
from pathlib import Path

from pybloom_live import BloomFilter

from mediacrawl.base.files import replacing
from mediacrawl.frontier.seen import RecentUrls

logger = logging.getLogger(__name__)

ERROR_RATE = 0.001
"""Share of new keys that the filter takes for perhaps known; 14.4 bits a key."""

SAVE_AT = 500_000
"""Keys after which the filter is written again: a start adds at most so many again, in a second."""

_MAGIC = b"mediacrawl bloom 1\n"
_HEAD = struct.Struct("<qqI")


class StoredBloomFilter:
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

    def __init__(self, db: sqlite3.Connection, inbox: set[int], sieve: StoredBloomFilter | None = None) -> None:
        self._db = db
        self._inbox = inbox
        self._sieve = sieve
        self.recent = RecentUrls()
        self._asked: dict[str, int] = {}

    def unknown(self, urls: Sequence[str]) -> list[str]:
        """Those of `urls` that were never accepted, in their order."""
        asked = self.recent.unknown_keys(urls)
        known = self.known(list(asked.values()))
        if known:
            self.recent.update(url for url, key in asked.items() if key in known)
        # What is unknown now stays unknown until it is added, so that `add` need not ask again.
        self._asked = {url: key for url, key in asked.items() if key not in known}
        return list(self._asked)

    def new_keys(self, urls: Iterable[str]) -> dict[str, int]:
        """Those of `urls` that were never accepted, with their keys. They count as known from now on."""
        met = dict.fromkeys(urls)
        new = {url: self._asked.pop(url) for url in met if url in self._asked}
        if len(new) < len(met):
            doubtful = self.recent.unknown_keys([url for url in met if url not in new])
            known = self.known(list(doubtful.values()))
            new |= {url: key for url, key in doubtful.items() if key not in known}
        self.recent.update(new)
        if self._sieve is not None:
            for key in new.values():
                self._sieve.add(key)
        return new

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
