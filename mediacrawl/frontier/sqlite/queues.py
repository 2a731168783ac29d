"""What waits in the SQLite store: rows of URLs, the inbox and the journal on their way there, and link classes.

A row has what is requested in columns, the rest in one msgpack value. URLs found lately are in the inbox.
"""

from __future__ import annotations

import sqlite3
from collections import OrderedDict
from dataclasses import dataclass
from math import isfinite
from typing import Any

import msgpack

from mediacrawl.base.terms import Candidate, End, Evidence, Kind, Lease, Outcome, Trouble
from mediacrawl.frontier.byte_budget import on_disk
from mediacrawl.frontier.contract import SpoiledError
from mediacrawl.frontier.order import RankOrder
from mediacrawl.frontier.site_state import lease_of
from mediacrawl.frontier.sqlite.database import CLASS_BITS
from mediacrawl.politeness.delay import GOOD, Clocks, Standing

Facts = tuple[str, int, int, str, int, str, str, str, str, str, str, str, str, str, str, str]


@dataclass(slots=True, eq=False)
class UrlRow:
    """One waiting URL. `facts` stays packed until the URL is leased, since most rows only wait.

    Attributes:
        seq: place in its class; grows with time, unique in the store.
        url: canonical URL.
        facts: msgpack of kind, depth, hops, parent, attempt, the evidence's fields, and the URL as it is requested if
            that is another.
        state: what an earlier visit left, or empty.
    """

    seq: int
    url: str
    facts: bytes
    state: bytes = b""

    @classmethod
    def of(cls, candidate: Candidate, seq: int) -> UrlRow:
        """Return the row of a URL that is added."""
        found = candidate.evidence
        facts: Facts = (
            candidate.kind.value,
            candidate.depth,
            candidate.hops,
            candidate.parent,
            0,
            found.via,
            found.anchor,
            found.page_title,
            found.feed_url,
            found.guid,
            found.requested_url,
            found.page_language,
            found.page_charset,
            found.facts,
            found.path,
            candidate.requested,
        )
        return cls(seq, candidate.url, _pack(facts))

    def lease(self, site: str, link_class: str, clocks: Clocks, now: float, *, even: bool) -> Lease:
        """The lease of this row."""
        found, attempt = self.read(site, link_class, 0.0)
        return lease_of(found, self.seq, clocks, now, attempt=attempt, state=self.state, even=even)

    @property
    def size(self) -> int:
        """The bytes that it takes in the file, its place aside."""
        return on_disk(len(self.url.encode()) + len(self.facts) + len(self.state))

    def read(self, site: str, link_class: str, score: float) -> tuple[Candidate, int]:
        """Return the URL as it would join another frontier, and how often it was requested and failed."""
        kind, depth, hops, parent, attempt, *evidence, requested = _unpack(self.facts)
        known = Evidence(*evidence)
        found = Candidate(self.url, site, link_class, Kind(kind), depth, hops, parent, score, known, requested)
        return found, attempt

    def later(self, outcome: Outcome, seq: int) -> UrlRow:
        """The row after a failed visit, at a new place: it continues, or starts over, one attempt older if to blame."""
        if outcome.end is End.CONTINUE:
            row = self.continued(outcome)
            return UrlRow(seq, row.url, row.facts, row.state)
        facts = _unpack(self.facts)
        attempt = facts[4] + (outcome.asked and outcome.blamed)
        return UrlRow(seq, self.url, _pack((*facts[:4], attempt, *facts[5:])))

    def continued(self, outcome: Outcome) -> UrlRow:
        """The row after a visit that continues: same place, with what the next visit needs."""
        if outcome.kind is None:
            return UrlRow(self.seq, self.url, self.facts, outcome.state)
        return UrlRow(self.seq, self.url, _pack((outcome.kind.value, *_unpack(self.facts)[1:])), outcome.state)


# One packer for all: making one costs three times what packing a row does. Text of a hostile page can hold lone
# surrogates; they must not stop the URL from being kept.
_packer = msgpack.Packer(unicode_errors="replace")


def pack_samples(samples: tuple[float, ...]) -> bytes:
    """Response times in seconds, as stored with their site."""
    packed: bytes = _packer.pack(samples)
    return packed


def unpack_samples(packed: bytes) -> tuple[float, ...]:
    """What `pack_samples` made.

    Raises:
        SpoiledError: it did not make this.
    """
    try:
        samples = tuple(msgpack.unpackb(packed))
        if all(isinstance(sample, int | float) for sample in samples):
            return samples
    except (ValueError, TypeError, msgpack.exceptions.UnpackException):
        pass
    raise SpoiledError("the response times of a site cannot be read")


def pack_standing(standing: Standing) -> bytes:
    """What is held against a site, as stored with it; nothing for a site in good standing."""
    if standing == GOOD:
        return b""
    trouble = standing.trouble.value if standing.trouble else ""
    fields = (
        standing.level,
        standing.row,
        standing.since,
        trouble,
        standing.forbidden,
        standing.resting,
        standing.gone,
    )
    # As versions without it wrote and read.
    packed: bytes = _packer.pack((*fields, True) if standing.postponed else fields)
    return packed


def unpack_standing(packed: bytes) -> Standing:
    """What `pack_standing` made.

    Raises:
        SpoiledError: it did not make this.
    """
    if not packed:
        return GOOD
    try:
        fields = tuple(msgpack.unpackb(packed))
        if tuple(map(type, fields)) in {_STANDING, (*_STANDING, bool)}:
            level, row, since, trouble, forbidden, resting, gone, *postponed = fields
            if all(0 <= number < _MOST for number in (level, row, since, forbidden)):
                why = Trouble(trouble) if trouble else None
                return Standing(level, row, since, why, forbidden, resting, gone, *postponed)
    except (ValueError, TypeError, msgpack.exceptions.UnpackException):
        pass
    raise SpoiledError("what is held against a site cannot be read")


def _pack(facts: Facts) -> bytes:
    # Most URLs are no media, what was not found on a page has no path, and nine of ten are requested as they are kept.
    kept = _FACTS
    while kept > _FACTS - len(_OPTIONAL) and not facts[kept - 1]:
        kept -= 1
    packed: bytes = _packer.pack(facts[:kept])
    return packed


def _unpack(facts: bytes) -> Facts:
    try:
        known = msgpack.unpackb(facts, use_list=False)
        fields: Facts = known if len(known) == _FACTS else (*known, *_OPTIONAL[len(known) - _FACTS :])
        if len(fields) == _FACTS and fields[0] in _KINDS and type(fields[4]) is int:
            return fields
    except (ValueError, TypeError, msgpack.exceptions.UnpackException):
        pass
    raise SpoiledError("what is known of a URL cannot be read")


_FACTS = 16
_OPTIONAL = ("", "", "")
_STANDING = (int, int, float, str, int, bool, bool)
_MOST = 1e11
"""No time, in seconds since the epoch, is later, and nothing is counted so far."""
_KINDS = frozenset(kind.value for kind in Kind)


MERGE_AT = 20_000
"""Rows after which they are moved: 20 ms of standstill for 2,000 pages. In memory a row costs some 150 bytes."""


MERGE_BYTES = 16 * 1024 * 1024
"""Bytes of rows after which they are moved: they leave as many free ones in the file."""


class Inbox:
    """The rows that are not at their place yet.

    On disk: table ``inbox``. In memory: their keys, and for each class the places of its rows.
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
        """A row was written here."""
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
        """Move all rows to their places. What is written and not flushed must be flushed before."""
        self._db.execute("INSERT INTO url SELECT class, seq, url, facts, state FROM inbox ORDER BY class, seq")
        self._db.execute("INSERT OR IGNORE INTO seen SELECT key FROM inbox ORDER BY key")
        self._db.execute("DELETE FROM inbox")
        self._keys.clear()
        self._places.clear()
        self._size = self._bytes = 0
        self._first = last + 1


_OVER = "DELETE FROM lease WHERE seq = ?"
_URL = "INSERT INTO inbox VALUES (?, ?, ?, ?, ?, ?)"
_INBOX_CHANGED = "UPDATE inbox SET facts = ?, state = ? WHERE seq = ?"
_CHANGED = "UPDATE url SET facts = ?, state = ? WHERE class = ? AND seq = ?"
_GONE = "DELETE FROM url WHERE class = ? AND seq = ?"
_INBOX_GONE = "DELETE FROM inbox WHERE seq = ?"
_ENDED = "INSERT INTO ended VALUES (?, ?)"
_UNSIEVED = "INSERT INTO unsieved VALUES (?)"
_KNOWN = "INSERT OR IGNORE INTO seen VALUES (?)"
_FORGOTTEN = "DELETE FROM seen WHERE key = ?"
_LEASED = "INSERT INTO lease VALUES (?, ?, ?, ?)"
# The order matters: a lease that is over may go out again, and a URL may be added and leave between two flushes.
_WRITES = (
    *(_OVER, _URL, _INBOX_CHANGED, _CHANGED, _GONE, _INBOX_GONE),
    *(_ENDED, _UNSIEVED, _KNOWN, _FORGOTTEN, _LEASED),
)


class WriteJournal:
    """The gathered writes. In memory only; lost with the process, as any write after the last commit.

    With `sieved` a Bloom filter hears of keys that are added to the table of seen keys here.
    """

    def __init__(self, db: sqlite3.Connection, *, sieved: bool) -> None:
        self._db = db
        self._sieved = sieved
        self._rows: dict[str, list[tuple[Any, ...]]] = {statement: [] for statement in _WRITES}

    def __bool__(self) -> bool:
        return any(self._rows.values())

    def url(self, link_class: int, row: UrlRow, key: int) -> None:
        """A URL is added to a class, by way of the inbox."""
        self._rows[_URL].append((row.seq, link_class, key, row.url, row.facts, row.state or None))

    def changed(self, link_class: int, row: UrlRow, *, inbox: bool) -> None:
        """A URL keeps its place with other facts or state."""
        if inbox:
            self._rows[_INBOX_CHANGED].append((row.facts, row.state or None, row.seq))
        else:
            self._rows[_CHANGED].append((row.facts, row.state or None, link_class, row.seq))

    def gone(self, link_class: int, seq: int, *, inbox: bool) -> None:
        """A URL leaves its place."""
        if inbox:
            self._rows[_INBOX_GONE].append((seq,))
        else:
            self._rows[_GONE].append((link_class, seq))

    def ended(self, key: int, code: int, *, inbox: bool) -> None:
        """A URL has ended, named by `code`. If its row was in the inbox, so was its key."""
        self._rows[_ENDED].append((key, code))
        if inbox:
            self._rows[_KNOWN].append((key,))
            if self._sieved:
                self._rows[_UNSIEVED].append((key,))

    def pruned(self, link_class: int, seq: int, key: int) -> None:
        """A URL is forgotten."""
        self._rows[_GONE].append((link_class, seq))
        self._rows[_FORGOTTEN].append((key,))

    def leased(self, seq: int, link_class: int, site: int, now: float) -> None:
        """A URL goes out."""
        self._rows[_LEASED].append((seq, link_class, site, now))

    def lease_over(self, seq: int) -> None:
        """A URL came back."""
        self._rows[_OVER].append((seq,))

    def flush(self) -> None:
        """Write all of it into the open transaction, or open one."""
        if self and not self._db.in_transaction:
            self._db.execute("BEGIN")
        for statement, rows in self._rows.items():
            if rows:
                self._db.executemany(statement, rows)
                rows.clear()


HELD_SITES = 2_000
"""Sites that stay in memory with their classes, some 3 KB each: those that the pages of the hour link to."""

_OF_SITE = "SELECT id, name, score, filled, held FROM class WHERE id BETWEEN ? AND ?"
_HEADS = (
    "SELECT id, (SELECT seq FROM url WHERE class = class.id ORDER BY seq LIMIT 1) FROM class"
    " WHERE id BETWEEN ? AND ? AND filled = 1"
)


@dataclass(slots=True, eq=False)
class LinkClass:
    """A link class. `filled` says that rows may wait; `held` until when it is not looked at."""

    id: int
    name: str
    score: float
    rank: int
    filled: bool = True
    held: float = 0.0


class ClassTable:
    """The table of link classes, the classes of some sites in memory.

    On disk: table ``class``, written at each change, new scores with `flush`. In memory: a copy for the sites used
    last, and the classes that were scored again since.
    """

    def __init__(self, db: sqlite3.Connection, inbox: Inbox, order: RankOrder) -> None:
        self._db = db
        self._inbox = inbox
        self._order = order
        self._held: OrderedDict[int, dict[str, LinkClass]] = OrderedDict()
        self._rescored: dict[int, dict[int, LinkClass]] = {}

    def __bool__(self) -> bool:
        return bool(self._rescored)

    def of(self, site: int) -> dict[str, LinkClass]:
        """The classes of a site, by name."""
        classes = self._held.get(site)
        if classes is not None:
            self._held.move_to_end(site)
            return classes
        if site in self._rescored:
            self.flush()
        classes = {}
        for number, name, score, filled, held in self._db.execute(_OF_SITE, span(site)):
            link_class = classes[name] = LinkClass(number, name, score, self._order.rank(score))
            link_class.filled, link_class.held = bool(filled), held
        return self._hold(site, classes)

    def begin(self, site: int) -> None:
        """A site is new: it has none."""
        self._hold(site, {})

    def make(self, site: int, name: str, score: float) -> LinkClass:
        """A new class of a site."""
        classes = self.of(site)
        score = score if isfinite(score) else 0.0
        link_class = LinkClass(span(site)[0] + len(classes), name, score, self._order.rank(score))
        self._db.execute("INSERT INTO class (id, name, score) VALUES (?, ?, ?)", (link_class.id, name, score))
        classes[name] = link_class
        return link_class

    def rescore(self, link_class: LinkClass, score: float) -> None:
        """A class has a new score, which is a finite number."""
        # A learner's number may be of a type that SQLite does not take.
        link_class.score, link_class.rank = float(score), self._order.rank(score)
        self._rescored.setdefault(site_of_class(link_class.id), {})[link_class.id] = link_class

    def flush(self) -> None:
        """Write new scores into the open transaction, or open one."""
        if not self._rescored:
            return
        if not self._db.in_transaction:
            self._db.execute("BEGIN")
        changed = [(c.score, c.id) for classes in self._rescored.values() for c in classes.values()]
        self._db.executemany("UPDATE class SET score = ? WHERE id = ?", changed)
        self._rescored.clear()

    def change(self, link_class: LinkClass, *, filled: bool | None = None, held: float | None = None) -> None:
        """Change a class. An open transaction is needed."""
        if filled is not None:
            link_class.filled = filled
        if held is not None:
            link_class.held = held
        row = (link_class.filled, link_class.held, link_class.id)
        self._db.execute("UPDATE class SET filled = ?, held = ? WHERE id = ?", row)

    def emptied(self, number: int) -> None:
        """No row waits in the class of this number."""
        for link_class in self.of(site_of_class(number)).values():
            if link_class.id == number:
                self.change(link_class, filled=False)

    def heads(self, site: int) -> dict[int, int]:
        """Class -> place of its first row, for the classes of a site that have one. All rows must be written."""
        heads: dict[int, int] = {}
        for number, seq in self._db.execute(_HEADS, span(site)).fetchall():
            head = seq if seq is not None else self._inbox.first(number)
            if head is not None:
                heads[number] = head
                continue
            # Cleared here and not when the last row went: most classes fill again before anyone looks.
            self.emptied(number)
        return heads

    def next(self, number: int, seq: int) -> int | None:
        """The place of a class's first row behind another, or None."""
        row = self._db.execute("SELECT seq FROM url WHERE class = ? AND seq > ? ORDER BY seq LIMIT 1", (number, seq))
        found: tuple[int] | None = row.fetchone()
        return found[0] if found else self._inbox.first(number, seq)

    def _hold(self, site: int, classes: dict[str, LinkClass]) -> dict[str, LinkClass]:
        self._held[site] = classes
        if len(self._held) > HELD_SITES:
            self._held.popitem(last=False)
        return classes


def span(site: int) -> tuple[int, int]:
    """The first and the last number that a class of this site can have."""
    return site << CLASS_BITS, (site + 1 << CLASS_BITS) - 1


def site_of_class(number: int) -> int:
    """The site that a class belongs to."""
    return number >> CLASS_BITS


class Queues:
    """One FIFO for each link class, on disk but for what was added in this moment.

    On disk: tables ``url``, ``inbox``, ``class``. What was gathered in the journal must be flushed before rows are read
    that it may have changed.
    """

    def __init__(self, db: sqlite3.Connection, order: RankOrder, last: int, *, sieved: bool) -> None:
        self._db = db
        self.last = last
        """The last place that was given to a row."""
        self.journal = WriteJournal(db, sieved=sieved)
        self.inbox = Inbox(db, last)
        self.classes = ClassTable(db, self.inbox, order)

    def next_place(self) -> int:
        """A place behind all others."""
        self.last += 1
        return self.last

    def join(self, link_class: LinkClass, row: UrlRow, key: int) -> None:
        """A row is added to a class. An open transaction is needed."""
        if not link_class.filled:
            self.classes.change(link_class, filled=True)
        self.journal.url(link_class.id, row, key)
        self.inbox.note(row.seq, link_class.id, key, row.size)

    def read(self, link_class: LinkClass, seq: int) -> UrlRow:
        """The row at a place of a class.

        Raises:
            SpoiledError: it is not there, though the class has it as its head.
        """
        row = self._db.execute(
            "SELECT url, facts, state FROM url WHERE class = ? AND seq = ? UNION ALL"
            " SELECT url, facts, state FROM inbox WHERE seq = ?",
            (link_class.id, seq, seq),
        ).fetchone()
        if row is None:
            raise SpoiledError("the first URL of a link class is gone")
        return UrlRow(seq, row[0], row[1], bytes(row[2] or b""))

    def pass_over(self, link_class: LinkClass, seq: int, heads: dict[int, int]) -> None:
        """The head of a class is leased: what is behind it is the head, if there is anything."""
        following = self.classes.next(link_class.id, seq)
        if following is None:
            heads.pop(link_class.id, None)
        else:
            heads[link_class.id] = following

    def change(self, link_class: LinkClass, row: UrlRow) -> None:
        """A row keeps its place with other facts or state."""
        self.journal.changed(link_class.id, row, inbox=self.inbox.holds(row.seq))

    def remove(self, link_class: LinkClass, seq: int) -> bool:
        """A row goes; answers whether it was in the inbox."""
        here = self.inbox.holds(seq)
        self.journal.gone(link_class.id, seq, inbox=here)
        if here:
            self.inbox.gone(seq, link_class.id)
        return here

    def count(self, site: int) -> int:
        """How many rows a site has, the leased one counted."""
        first, last = span(site)
        (rows,) = self._db.execute("SELECT count(*) FROM url WHERE class BETWEEN ? AND ?", (first, last)).fetchone()
        return int(rows) + self.inbox.count(first, last)
