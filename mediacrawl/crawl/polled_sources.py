"""The sources that the spider ``feeds`` polls, and when each is polled. On disk, not in memory."""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from dataclasses import astuple, dataclass, field, fields
from math import log
from typing import Self

from mediacrawl.base.sqlite_file import StateFile
from mediacrawl.scope import Spelling, spelling

REMEMBERED = 20
"""Polls of a source that count: the habits of last year say nothing."""
_SHARE = 0.5
"""Polls in the mean time between two changes: with two, a change is known a quarter of that time late, on average."""
_STEP = 2.0
"""How much longer or shorter than the last one an interval may be: one poll says little."""

_TABLE = """
CREATE TABLE IF NOT EXISTS source (
    url TEXT PRIMARY KEY, origin TEXT NOT NULL, listed INTEGER NOT NULL, location TEXT NOT NULL, title TEXT NOT NULL,
    hub TEXT NOT NULL, etag TEXT NOT NULL, modified TEXT NOT NULL, shown TEXT NOT NULL, polls TEXT NOT NULL,
    wait REAL NOT NULL, last REAL NOT NULL, due REAL NOT NULL, failures INTEGER NOT NULL, gone TEXT NOT NULL
) WITHOUT ROWID;
CREATE INDEX IF NOT EXISTS source_due ON source (due) WHERE listed AND gone = '';
"""


@dataclass(frozen=True, slots=True)
class PollPolicy:
    """The bounds of intervals, all in seconds.

    Attributes:
        least: between two polls of one source, at least.
        most: at most.
        first: to the second poll.
    """

    least: float = 900.0
    most: float = 604_800.0
    first: float = 3_600.0


def poll_interval(polls: Sequence[tuple[float, bool]], policy: PollPolicy, asked_for: float = 0.0) -> float:
    """Seconds from the last poll to the next.

    The rate of change is estimated as Cho and Garcia-Molina do ("Estimating frequency of change", ACM TOIT 3:3, 2003):
    of several changes between two polls only one is seen, so the share of polls that saw one is too low a rate, and
    -log of the share that saw none is not.

    Args:
        polls: seconds since the poll before, and whether the source had changed since; the oldest first. The very first
            poll of a source is none, since nothing was known to compare with.
        policy: the bounds.
        asked_for: seconds that the source wants to be left alone for (``ttl``, ``max-age``); beyond `PollPolicy.most`
            it is not believed.
    """
    known = [(max(elapsed, 0.0), changed) for elapsed, changed in polls[-REMEMBERED:]]
    interval = policy.first
    if known:
        last = min(max(known[-1][0], policy.least), policy.most)
        interval = min(max(_between_changes(known) * _SHARE, last / _STEP), last * _STEP)
    return min(max(interval, asked_for, policy.least), policy.most)


def _between_changes(polls: Sequence[tuple[float, bool]]) -> float:
    """Mean seconds between two changes; infinite if none was seen."""
    number, seen = len(polls), sum(changed for _, changed in polls)
    rate = -log((number - seen + 0.5) / (number + 0.5))
    total = sum(elapsed for elapsed, _ in polls)
    return total / number / rate if rate > 0 else float("inf")


def pause_after(failures: int, polls: Sequence[tuple[float, bool]], policy: PollPolicy) -> float:
    """Seconds to the next poll of a source that failed: doubled with each failure in a row."""
    return min(poll_interval(polls, policy) * 2.0 ** min(failures, 30), policy.most)


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


class Sources(StateFile):
    """All sources of a state folder.

    **On disk**: ``feeds.db`` (SQLite), next to the frontier of the spider ``feeds``: a row for each source (`Source`).
    It may be deleted while that spider does not run; then all sources are polled as if for the first time, and the
    frontier still knows their entries.

    A kill leaves the sources that `save` has written. A source is saved after its entries are durable in the frontier,
    so a kill repeats a poll but loses no entry.

    Raises:
        StateFileError: it cannot be used.
    """

    name = "feeds.db"
    tables = _TABLE

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
        """Return the source of a URL; None if there is none."""
        with self._explained():
            row = self._db.execute(f"SELECT {_COLUMNS} FROM source WHERE url = ?", (url,)).fetchone()  # noqa: S608
        return _source(row) if row else None

    def due(self, now: float, limit: int) -> list[Source]:
        """Return the due sources, the one due longest first.

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

    def _insert(self, source: Source) -> int:
        values = ", ".join("?" * len(fields(Source)))
        sql = f"INSERT OR IGNORE INTO source ({_COLUMNS}) VALUES ({values})"  # noqa: S608
        return self._db.execute(sql, _row(source)).rowcount


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
