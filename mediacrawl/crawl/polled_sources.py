"""The sources that are polled, and the state of each. On disk, not in memory."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import astuple, dataclass, field, fields
from pathlib import Path
from typing import Self

from mediacrawl.priority.revisit_schedule import REMEMBERED, PollPolicy, pause_after, poll_interval
from mediacrawl.scope import Spelling, spelling

FILE = "feeds.db"
_TABLE = """
CREATE TABLE IF NOT EXISTS source (
    url TEXT PRIMARY KEY, origin TEXT NOT NULL, listed INTEGER NOT NULL, location TEXT NOT NULL, title TEXT NOT NULL,
    hub TEXT NOT NULL, etag TEXT NOT NULL, modified TEXT NOT NULL, shown TEXT NOT NULL, polls TEXT NOT NULL,
    wait REAL NOT NULL, last REAL NOT NULL, due REAL NOT NULL, failures INTEGER NOT NULL, gone TEXT NOT NULL
) WITHOUT ROWID;
CREATE INDEX IF NOT EXISTS source_due ON source (due) WHERE listed AND gone = '';
"""


class SourcesError(Exception):
    """The file of the sources cannot be used. The message is one sentence: what, where, what to do."""


@dataclass(slots=True)
class Source:
    """A feed or list that is polled.

    Attributes:
        url: in canonical form, as it was given.
        origin: URL of the list that named it; empty if the user did.
        listed: whether it is to be polled.
        location: the URL to request if that is not `url`: the URL as it was written, or where it has moved
            permanently.
        title: its own.
        hub: URL of its WebSub hub; it is stored, and not requested.
        etag, modified: validators of the last response; empty if it had none.
        shown: a hash of its last entries; empty before.
        polls: for each poll the seconds since the one before, and whether it had changed; at most `REMEMBERED`.
        wait: seconds that it asks for between polls.
        last: time of the last successful poll, seconds since the epoch; 0 before.
        due: time of the next poll, seconds since the epoch.
        failures: failed polls in a row.
        gone: why it is polled no more; empty if it is polled.
    """

    url: str
    origin: str = ""
    listed: bool = True
    location: str = ""
    title: str = ""
    hub: str = ""
    etag: str = ""
    modified: str = ""
    shown: str = ""
    polls: list[tuple[float, bool]] = field(default_factory=list)
    wait: float = 0.0
    last: float = 0.0
    due: float = 0.0
    failures: int = 0
    gone: str = ""

    @classmethod
    def of(cls, url: Spelling, origin: str = "") -> Self:
        """A new source."""
        return cls(url.key, origin, location="" if url.requested == url.key else url.requested)

    @property
    def asked(self) -> str:
        """The URL to request."""
        return self.location or self.url

    def answered(self, shown: str | None, now: float, policy: PollPolicy, asked_for: float = 0.0) -> bool:
        """Note a response; return whether the source had changed.

        Args:
            shown: hash of its entries; None for 304.
            now: seconds since the epoch.
            policy: bounds of the interval.
            asked_for: seconds of freshness by the response's headers.
        """
        changed = shown is not None and shown != self.shown
        if self.last:
            self.polls = [*self.polls, (round(now - self.last, 1), changed)][-REMEMBERED:]
        self.shown = self.shown if shown is None else shown
        self.last, self.failures = now, 0
        self.due = now + poll_interval(self.polls, policy, max(asked_for, self.wait))
        return changed

    def failed(self, now: float, policy: PollPolicy) -> None:
        """Note a failed poll."""
        self.failures += 1
        self.due = now + pause_after(self.failures, self.polls, policy)


_COLUMNS = ", ".join(each.name for each in fields(Source))


class Sources:
    """All sources of a state folder.

    **On disk**: ``feeds.db`` (SQLite), next to the frontier of the spider ``feeds``: a row for each source (`Source`).
    It may be deleted while that spider does not run; then all sources are polled as if for the first time, and the
    frontier still knows their entries.

    A kill leaves the sources that `save` has written. A source is saved after its entries are durable in the frontier,
    so a kill repeats a poll but loses no entry.

    Args:
        folder: of the file; made if missing.

    Raises:
        SourcesError: it cannot be used.
    """

    def __init__(self, folder: Path) -> None:
        self._path = folder / FILE
        with self._explained():
            folder.mkdir(parents=True, exist_ok=True)
            self._db = sqlite3.connect(self._path, isolation_level=None)
            self._db.execute("PRAGMA journal_mode = WAL")
            self._db.execute("PRAGMA synchronous = NORMAL")
            self._db.executescript(_TABLE)

    def listing(self, urls: Iterable[str]) -> None:
        """Poll these sources, the sources that they list, directly or not, and no others."""
        with self._explained():
            self._db.execute("BEGIN")
            self._db.execute("UPDATE source SET listed = 0")
            for url in filter(None, map(spelling, urls)):
                self._insert(Source.of(url))
                self._db.execute("UPDATE source SET listed = 1 WHERE url = ?", (url.key,))
            named = "UPDATE source SET listed = 1 WHERE NOT listed AND origin IN (SELECT url FROM source WHERE listed)"
            while self._db.execute(named).rowcount:
                pass
            self._db.execute("COMMIT")

    def add(self, sources: Iterable[Source]) -> int:
        """Poll sources that another one lists; return the number of new ones.

        Args:
            sources: the state of a known one is kept.
        """
        known = "UPDATE source SET listed = 1, origin = ? WHERE url = ? AND (origin = '' OR NOT listed)"
        added = 0
        with self._explained():
            self._db.execute("BEGIN")
            for source in sources:
                if self._insert(source):
                    added += 1
                else:
                    self._db.execute(known, (source.origin, source.url))
            self._db.execute("COMMIT")
            return added

    def get(self, url: str) -> Source | None:
        """The source of a URL; None if there is none."""
        with self._explained():
            row = self._db.execute(f"SELECT {_COLUMNS} FROM source WHERE url = ?", (url,)).fetchone()  # noqa: S608
        return _source(row) if row else None

    def due(self, now: float, limit: int) -> list[Source]:
        """The due sources, the one due longest first.

        Args:
            now: seconds since the epoch.
            limit: most sources.
        """
        sql = f"SELECT {_COLUMNS} FROM source WHERE listed AND gone = '' AND due <= ? ORDER BY due LIMIT ?"  # noqa: S608
        with self._explained():
            return [_source(row) for row in self._db.execute(sql, (now, limit))]

    def polled(self) -> list[str]:
        """URLs of all sources that are polled."""
        with self._explained():
            return [url for (url,) in self._db.execute("SELECT url FROM source WHERE listed AND gone = ''")]

    def save(self, source: Source) -> None:
        """Store a source."""
        values = ", ".join("?" * len(fields(Source)))
        with self._explained():
            self._db.execute(f"INSERT OR REPLACE INTO source ({_COLUMNS}) VALUES ({values})", _row(source))  # noqa: S608

    def close(self) -> None:
        """Close the file."""
        self._db.close()

    def _insert(self, source: Source) -> int:
        values = ", ".join("?" * len(fields(Source)))
        sql = f"INSERT OR IGNORE INTO source ({_COLUMNS}) VALUES ({values})"  # noqa: S608
        return self._db.execute(sql, _row(source)).rowcount

    @contextmanager
    def _explained(self) -> Iterator[None]:
        try:
            yield
        except (sqlite3.Error, OSError) as error:
            raise SourcesError(
                f"{self._path} cannot be used ({error}); make room, or start over with -a fresh=1"
            ) from error


def _row(source: Source) -> list[str | float | int]:
    return [json.dumps(value) if isinstance(value, list) else value for value in astuple(source)]


def _source(row: tuple[object, ...]) -> Source:
    found = Source(*row)  # type: ignore[arg-type]
    found.listed = bool(found.listed)
    # A file that somebody else wrote to must not stop the crawl.
    try:
        found.polls = [(float(elapsed), bool(changed)) for elapsed, changed in json.loads(str(found.polls))]
    except (ValueError, TypeError):
        found.polls = []
    return found


def delete_sources(folder: Path) -> list[Path]:
    """Delete the file of the sources in `folder`; return the deleted paths.

    Raises:
        SourcesError: it cannot be deleted.
    """
    found = [folder / f"{FILE}{suffix}" for suffix in ("", "-wal", "-shm") if (folder / f"{FILE}{suffix}").exists()]
    try:
        for name in found:
            name.unlink()
    except OSError as error:
        raise SourcesError(f"{error.filename} cannot be deleted: {error.strerror}") from error
    return found
