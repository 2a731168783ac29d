"""One round of a recheck: the records in doubt as they were stored, and what became of each. On disk, not in memory."""

from __future__ import annotations

import json
import sqlite3
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from mediacrawl.store import json_line

_FILE = "round.db"
_PROBED = ("sure", "doubtful")
_TABLES = """
CREATE TABLE IF NOT EXISTS fact (name TEXT PRIMARY KEY, value NOT NULL) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS doubtful (url TEXT PRIMARY KEY, record TEXT NOT NULL, came_to TEXT);
"""


class RoundError(Exception):
    """The file of the round cannot be used. The message is one sentence: what, where, what to do."""


class Round:
    """The records that one recheck takes.

    **On disk**: ``round.db`` (SQLite), beside the frontier of the recheck, holds the number of the round, which items
    were read to their end, and a row for each record in doubt: its URL, what is needed of the record (JSON), and what
    it came to. It may be deleted while no recheck runs; the next one then begins a new round.

    A kill leaves every row that `add` had answered for. What it can undo is the last ends: those files are requested
    once more. A round that ended is followed by a new one at the next start, which may ask every URL again.

    Raises:
        RoundError: it cannot be used.
    """

    def __init__(self, folder: Path, now: float) -> None:
        self._path = folder / _FILE
        with self._explained():
            folder.mkdir(parents=True, exist_ok=True)
            self._db = sqlite3.connect(self._path, isolation_level=None)
            self._db.execute("PRAGMA journal_mode = WAL")
            self._db.execute("PRAGMA synchronous = NORMAL")
            self._db.executescript(_TABLES)
            if self._fact("over", 1):
                # Two short rounds end within a second.
                self._renew(int(now * 1000))

    @property
    def number(self) -> int:
        """Names the round: larger than that of any before, also of those whose file was deleted."""
        return int(self._fact("number", 0))

    def was_read(self, items: str) -> bool:
        """Whether these items were read to their end in this round."""
        return bool(self._fact("items", "") == items)

    def read_up(self, items: str, records: int) -> None:
        """Note that these items were read to their end, and how many records they hold."""
        self._note(items=items, records=records)

    @property
    def records(self) -> int:
        """How many records the items hold, if they were read to their end."""
        return int(self._fact("records", 0))

    def add(self, doubtful: Iterable[tuple[str, Mapping[str, Any]]]) -> set[str]:
        """Keep records in doubt, by the canonical URL that is asked; the first of several with one URL stays.

        Returns:
            The URLs that have come to no end in this round.
        """
        rows = [(url, json_line(dict(record))) for url, record in doubtful]
        with self._explained():
            self._db.execute("BEGIN")
            self._db.executemany("INSERT OR IGNORE INTO doubtful (url, record) VALUES (?, ?)", rows)
            self._db.execute("COMMIT")
            return {url for url, _ in rows if self._waits(url)}

    def _waits(self, url: str) -> bool:
        sql = "SELECT 1 FROM doubtful WHERE url = ? AND came_to IS NULL"
        return self._db.execute(sql, (url,)).fetchone() is not None

    def record(self, url: str) -> dict[str, Any] | None:
        """What `add` kept of the record of a URL; None if it is none of this round."""
        with self._explained():
            row = self._db.execute("SELECT record FROM doubtful WHERE url = ?", (url,)).fetchone()
        found: dict[str, Any] | None = json.loads(row[0]) if row else None
        return found

    def end(self, url: str, came_to: str) -> bool:
        """Note what a record came to; answers whether it had no end before."""
        with self._explained():
            sql = "UPDATE doubtful SET came_to = ? WHERE url = ? AND came_to IS NULL"
            return self._db.execute(sql, (came_to, url)).rowcount > 0

    def tally(self) -> Counter[str]:
        """How many records came to what; ``waiting`` for those that have no end yet."""
        with self._explained():
            rows = self._db.execute("SELECT coalesce(came_to, 'waiting'), count(*) FROM doubtful GROUP BY 1")
            return Counter(dict(rows.fetchall()))

    def over(self) -> None:
        """End the round."""
        self._note(over=1)

    def close(self) -> None:
        """Let go of the file."""
        self._db.close()

    def _renew(self, now: int) -> None:
        number = max(self.number + 1, now)
        self._db.execute("BEGIN")
        self._db.execute("DELETE FROM doubtful")
        self._db.execute("DELETE FROM fact")
        self._db.executemany("INSERT INTO fact VALUES (?, ?)", [("number", number), ("over", 0)])
        self._db.execute("COMMIT")

    def _fact(self, name: str, default: Any) -> Any:
        with self._explained():
            row = self._db.execute("SELECT value FROM fact WHERE name = ?", (name,)).fetchone()
        return row[0] if row else default

    def _note(self, **facts: str | int) -> None:
        with self._explained():
            self._db.executemany("INSERT OR REPLACE INTO fact VALUES (?, ?)", facts.items())

    @contextmanager
    def _explained(self) -> Iterator[None]:
        try:
            yield
        except (sqlite3.Error, OSError) as error:
            raise RoundError(
                f"{self._path} cannot be used ({error}); make room, or start the recheck over with -a fresh=1"
            ) from error


def delete_round(folder: Path) -> list[Path]:
    """Delete the file of the round in `folder`; answers what went.

    Raises:
        RoundError: it cannot be deleted.
    """
    names = [folder / f"{_FILE}{suffix}" for suffix in ("", "-wal", "-shm")]
    found = [name for name in names if name.exists()]
    try:
        for name in found:
            name.unlink()
    except OSError as error:
        raise RoundError(f"{error.filename} cannot be deleted: {error.strerror}") from error
    return found


def report(name: str, read: int, tally: Mapping[str, int]) -> str:
    """Sum up a round in a sentence or two; `read` is 0 while the items are not read to their end."""
    count = Counter(tally)
    of = f" of {read:,}" if read else ""
    probed = sum(count[word] for word in _PROBED)
    doubts = f"{name}: {count.total():,}{of} records in doubt"
    told = [f"{doubts}, {probed:,} probed again: {count['sure']:,} now sure, {count['doubtful']:,} still in doubt"]
    others = {word: number for word, number in count.items() if word not in {*_PROBED, "waiting"} and number}
    if others:
        reasons = ", ".join(f"{word} {number:,}" for word, number in sorted(others.items()))
        told.append(f"{sum(others.values()):,} not had, their records stay as they were ({reasons})")
    if count["waiting"]:
        told.append(f"{count['waiting']:,} left for the next run")
    return "; ".join(told)
