"""The tables of the SQLite store: rows and what memory holds of them, and the transaction in which they are written.

A row of a URL has what is requested in columns, the rest in one msgpack value. URLs found lately are in the inbox.
"""

from __future__ import annotations

import sqlite3
from collections import Counter, OrderedDict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from math import isfinite
from pathlib import Path
from typing import Any

import msgpack

from mediacrawl.base.sqlite_file import this_boot
from mediacrawl.base.terms import FINAL, Candidate, End, Evidence, Kind, Lease, Outcome
from mediacrawl.frontier.byte_budget import LOCAL, on_disk
from mediacrawl.frontier.contract import FrontierPolicy, SpoiledError
from mediacrawl.frontier.order import RankOrder
from mediacrawl.frontier.site_state import (
    ACTIVE,
    lease_of,
    pack_samples,
    pack_standing,
    unpack_samples,
    unpack_standing,
)
from mediacrawl.frontier.sqlite.database import CLASS_BITS
from mediacrawl.frontier.sqlite.seen import SeenTable, open_bloom_filter
from mediacrawl.politeness.delay import Clocks, DelayPolicy

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
        size = len(self.url.encode()) + len(self.facts) + len(self.state)
        return size if size <= LOCAL else on_disk(size)

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
        self.keys: set[int] = set()
        self._places: dict[int, list[int]] = {}
        self._size = self._bytes = 0
        first = last + 1
        for seq, link_class, key in db.execute("SELECT seq, class, key FROM inbox ORDER BY seq"):
            first = min(first, seq)
            self.note(seq, link_class, key)
        self._first = first

    @property
    def full(self) -> bool:
        """Whether it is time to merge."""
        return self._size >= MERGE_AT or self._bytes >= MERGE_BYTES

    def holds(self, seq: int) -> bool:
        """Whether the row at this place is here, or was when it ended."""
        return seq >= self._first

    def note(self, seq: int, link_class: int, key: int, size: int = 0) -> None:
        """A row was written here."""
        self.keys.add(key)
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
        self.keys.clear()
        self._places.clear()
        self._size = self._bytes = 0
        self._first = last + 1


HELD_SITES = 2_000
"""Sites that stay in memory, some 3 KB each with their classes: those that the pages of the hour link to."""

HELD_CLASSES = HELD_SITES
"""Sites whose classes stay in memory."""

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
        self.rescored: dict[int, dict[int, LinkClass]] = {}

    def of(self, site: int) -> dict[str, LinkClass]:
        """The classes of a site, by name."""
        classes = self._held.get(site)
        if classes is not None:
            self._held.move_to_end(site)
            return classes
        if site in self.rescored:
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

    def rescore(self, site: int, scores: Mapping[str, float]) -> list[LinkClass]:
        """Classes of a site have new scores; returns those that are scored otherwise than before.

        Unknown classes, and scores that are no finite number, are ignored.
        """
        classes = self.of(site)
        changed = [name for name in scores if name in classes and isfinite(scores[name])]
        changed = [name for name in changed if scores[name] != classes[name].score]
        ranks = [self._order.rank(scores[name]) for name in changed]
        for name, rank in zip(changed, ranks, strict=True):
            # A learner's number may be of a type that SQLite does not take.
            classes[name].score, classes[name].rank = float(scores[name]), rank
        found = [classes[name] for name in changed]
        if found:
            self.rescored.setdefault(site, {}).update((link_class.id, link_class) for link_class in found)
        return found

    def flush(self) -> None:
        """Write new scores into the open transaction, or open one."""
        if not self.rescored:
            return
        if not self._db.in_transaction:
            self._db.execute("BEGIN")
        changed = [(c.score, c.id) for classes in self.rescored.values() for c in classes.values()]
        self._db.executemany("UPDATE class SET score = ? WHERE id = ?", changed)
        self.rescored.clear()

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
        if len(self._held) > HELD_CLASSES:
            self._held.popitem(last=False)
        return classes


def span(site: int) -> tuple[int, int]:
    """The first and the last number that a class of this site can have."""
    return site << CLASS_BITS, (site + 1 << CLASS_BITS) - 1


def site_of_class(number: int) -> int:
    """The site that a class belongs to."""
    return number >> CLASS_BITS


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


class Queues:
    """One FIFO for each link class, on disk but for what was added in this moment.

    On disk: tables ``url``, ``inbox``, ``class``. Writes are gathered, and lost with the process as any write after the
    last commit. They must be flushed before rows are read that they may have changed. With `sieved` a Bloom filter
    hears of keys that are added to the table of seen keys here.
    """

    def __init__(self, db: sqlite3.Connection, order: RankOrder, last: int, *, sieved: bool) -> None:
        self._db = db
        self.last = last
        """The last place that was given to a row."""
        self._sieved = sieved
        self._writes: dict[str, list[tuple[Any, ...]]] = {statement: [] for statement in _WRITES}
        self.inbox = Inbox(db, last)
        self.classes = ClassTable(db, self.inbox, order)

    def next_place(self) -> int:
        """A place behind all others."""
        self.last += 1
        return self.last

    def join(self, link_class: LinkClass, row: UrlRow, key: int) -> int:
        """A row is added to a class; answers the bytes that it takes. An open transaction is needed."""
        if not link_class.filled:
            self.classes.change(link_class, filled=True)
        self._writes[_URL].append((row.seq, link_class.id, key, row.url, row.facts, row.state or None))
        size = row.size
        self.inbox.note(row.seq, link_class.id, key, size)
        return size

    def lease(self, link_class: LinkClass, heads: dict[int, int], site: int, now: float) -> UrlRow:
        """The first row of a class goes out: what is behind it is the head, if there is anything.

        Raises:
            SpoiledError: it is not there, though the class has it as its head.
        """
        seq = heads[link_class.id]
        row = self._db.execute(
            "SELECT url, facts, state FROM url WHERE class = ? AND seq = ? UNION ALL"
            " SELECT url, facts, state FROM inbox WHERE seq = ?",
            (link_class.id, seq, seq),
        ).fetchone()
        if row is None:
            raise SpoiledError("the first URL of a link class is gone")
        self._writes[_LEASED].append((seq, link_class.id, site, now))
        self.pass_over(link_class, seq, heads)
        return UrlRow(seq, row[0], row[1], bytes(row[2] or b""))

    def pass_over(self, link_class: LinkClass, seq: int, heads: dict[int, int]) -> None:
        """The head of a class is leased: what is behind it is the head, if there is anything."""
        following = self.classes.next(link_class.id, seq)
        if following is None:
            heads.pop(link_class.id, None)
        else:
            heads[link_class.id] = following

    def over(self, seq: int) -> None:
        """A row that was leased came back."""
        self._writes[_OVER].append((seq,))

    def change(self, link_class: LinkClass, row: UrlRow) -> None:
        """A row keeps its place with other facts or state."""
        if self.inbox.holds(row.seq):
            self._writes[_INBOX_CHANGED].append((row.facts, row.state or None, row.seq))
        else:
            self._writes[_CHANGED].append((row.facts, row.state or None, link_class.id, row.seq))

    def remove(self, link_class: int, seq: int) -> bool:
        """A row goes; answers whether it was in the inbox."""
        if not self.inbox.holds(seq):
            self._writes[_GONE].append((link_class, seq))
            return False
        self._writes[_INBOX_GONE].append((seq,))
        self.inbox.gone(seq, link_class)
        return True

    def end(self, link_class: int, seq: int, key: int, code: int) -> None:
        """A row goes since its URL has ended, named by `code`. If the row was in the inbox, so was its key."""
        self._writes[_ENDED].append((key, code))
        if self.remove(link_class, seq):
            self._writes[_KNOWN].append((key,))
            if self._sieved:
                self._writes[_UNSIEVED].append((key,))

    def forget(self, key: int) -> None:
        """A URL was pruned."""
        self._writes[_FORGOTTEN].append((key,))

    def count(self, site: int) -> int:
        """How many rows a site has, the leased one counted."""
        first, last = span(site)
        (rows,) = self._db.execute("SELECT count(*) FROM url WHERE class BETWEEN ? AND ?", (first, last)).fetchone()
        return int(rows) + self.inbox.count(first, last)

    @property
    def gathered(self) -> bool:
        """Whether there is anything to flush."""
        return any(self._writes.values()) or bool(self.classes.rescored)

    def flush(self) -> None:
        """Write what was gathered into the open transaction."""
        for statement, rows in self._writes.items():
            if rows:
                self._db.executemany(statement, rows)
                rows.clear()
        self.classes.flush()


_COLUMNS = "id, name, place, rank, due, release, delay, crawl_delay, samples, visits, earned, granted, rests, standing"
_UPDATE = (
    "UPDATE site SET place = ?, rank = ?, due = ?, release = ?, delay = ?, crawl_delay = ?, samples = ?, visits = ?,"
    " earned = ?, granted = ?, rests = ?, standing = ? WHERE id = ?"
)


@dataclass(slots=True, eq=False)
class Site:
    """One site.

    Attributes:
        id, name, place, rank, due: as in the table.
        clocks: what decides when it may be requested.
        earned: media files found here.
        granted: visits that do not count against its budget.
        rests: whether it counts as one that waits and rests.
        lease: what is out, and `row` its row, and `link_class` the class of that.
        heads: while it is leased: class -> place of its first row, for the classes that have any beside the leased.
    """

    id: int
    name: str
    place: int
    rank: int
    due: float
    clocks: Clocks = field(default_factory=Clocks)
    earned: int = 0
    granted: int = 0
    rests: bool = False
    lease: Lease | None = None
    link_class: LinkClass | None = None
    row: UrlRow | None = None
    heads: dict[int, int] = field(default_factory=dict)


class SiteTable:
    """The table of sites: some of them in memory, and of these what was changed and is not written yet.

    On disk: table ``site``. In memory: the `HELD_SITES` used last, and the changed ones until `flush`. There is never a
    second object for a site that is here; who holds one that may have left asks there first.
    """

    def __init__(self, db: sqlite3.Connection) -> None:
        self._db = db
        self._held: OrderedDict[int, Site] = OrderedDict()
        self._names: dict[str, Site] = {}
        self.changed: dict[int, Site] = {}

    def named(self, name: str) -> Site | None:
        """The site of this name, or None."""
        site = self._names.get(name)
        if site is None:
            return self._read("name", name)
        self._held.move_to_end(site.id)
        return site

    def numbered(self, number: int) -> Site:
        """The site of this number.

        Raises:
            SpoiledError: it is not there, though a row says so.
        """
        site = self._held.get(number) or self._read("id", number)
        if site is None:
            raise SpoiledError("a site that has something waiting is not in the table of sites")
        return site

    def make(self, name: str, place: int, rank: int = 0, due: float = 0.0) -> Site:
        """A new site."""
        row = (name, place, rank, due)
        cursor = self._db.execute("INSERT INTO site (name, place, rank, due) VALUES (?, ?, ?, ?)", row)
        assert cursor.lastrowid is not None
        return self._hold(Site(cursor.lastrowid, *row))

    def change(self, site: Site) -> None:
        """A site is to be written."""
        self.changed[site.id] = self._hold(site)

    def flush(self) -> None:
        """Write what changed, into the open transaction."""
        if self.changed:
            self._db.executemany(_UPDATE, [_row(site) for site in self.changed.values()])
            self.changed.clear()

    def among(self, place: int) -> Iterable[Site]:
        """The sites at a place that is not common: paused, retired. What changed must be written."""
        rows = self._db.execute(f"SELECT {_COLUMNS} FROM site WHERE place = ? AND place > 1", (place,)).fetchall()
        return [_site(row) for row in rows]

    def _read(self, column: str, value: str | int) -> Site | None:
        row = self._db.execute(f"SELECT {_COLUMNS} FROM site WHERE {column} = ?", (value,)).fetchone()
        return self._hold(_site(row)) if row else None

    def _hold(self, site: Site) -> Site:
        held = self._held
        held[site.id] = self._names[site.name] = site
        held.move_to_end(site.id)
        while len(held) > HELD_SITES and (oldest := next(iter(held))) not in self.changed:
            del self._names[held.pop(oldest).name]
        return site


def _site(row: tuple[Any, ...]) -> Site:
    site = Site(*row[:5])
    release, delay, crawl_delay, samples, visits, site.earned, site.granted, rests, standing = row[5:]
    site.rests = bool(rests)
    site.clocks = Clocks(release, delay, crawl_delay, unpack_samples(samples), visits, unpack_standing(standing))
    return site


def _row(site: Site) -> tuple[object, ...]:
    clocks = site.clocks
    return (
        site.place,
        site.rank,
        site.due,
        clocks.release,
        clocks.delay,
        clocks.crawl_delay,
        pack_samples(clocks.samples),
        clocks.visits,
        site.earned,
        site.granted,
        site.rests,
        pack_standing(clocks.standing),
        site.id,
    )


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
"""Of a row of ``url`` or ``inbox``: the bytes of its values, see `UrlRow.size`."""
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
        ends: how many URLs ended, by ``done`` or the reason of the drop.
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
        self.ends: Counter[str] = Counter(dict(db.execute("SELECT name, urls FROM ending WHERE urls > 0")))
        self._new: Counter[str] = Counter()

    def end(self, name: str) -> int:
        """Count an end; answers its code in the table of endings. An open transaction is needed."""
        self._new[name] += 1
        self.ends[name] += 1
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
        self.seen = SeenTable(db, self.queues.inbox.keys, self._sieve)
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
        if self.sites.changed or self.queues.gathered:
            self.begin()
            self.queues.flush()
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

    def end_lease(self, site: Site, link_class: LinkClass, key: int, outcome: Outcome) -> None:
        """The URL that is leased at a site has ended or waits again. An open transaction is needed."""
        queues, totals, row = self.queues, self.totals, site.row
        assert row is not None
        queues.over(row.seq)
        site.lease = site.row = site.link_class = None
        if outcome.end in FINAL:
            code = totals.end(outcome.reason or outcome.end)
            totals.bytes -= row.size
            self.revisits.over(key)
            queues.end(link_class.id, row.seq, key, code)
            return
        totals.waiting += 1
        totals.shelved += site.place > ACTIVE
        if outcome.end is End.AGAIN or (outcome.end is End.CONTINUE and outcome.trouble is not None):
            queues.remove(link_class.id, row.seq)
            later = row.later(outcome, queues.next_place())
            totals.bytes += queues.join(link_class, later, key) - row.size
            site.heads.setdefault(link_class.id, later.seq)
            return
        if outcome.end is End.CONTINUE:
            continued = row.continued(outcome)
            queues.change(link_class, continued)
            totals.bytes += continued.size - row.size
        site.heads[link_class.id] = row.seq

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
