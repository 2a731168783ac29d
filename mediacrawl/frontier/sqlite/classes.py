"""The link classes of sites and their FIFOs, as the SQLite store keeps them."""

from __future__ import annotations

import sqlite3
from collections import OrderedDict
from math import isfinite

from mediacrawl.frontier.contract import SpoiledError
from mediacrawl.frontier.order import RankOrder
from mediacrawl.frontier.sqlite.database import CLASS_BITS
from mediacrawl.frontier.sqlite.inbox import Inbox, WriteJournal
from mediacrawl.frontier.sqlite.rows import UrlRow

HELD_SITES = 2_000
"""Sites that stay in memory with their classes, some 3 KB each: those that the pages of the hour link to."""

_OF_SITE = "SELECT id, name, score, filled, held FROM class WHERE id BETWEEN ? AND ?"
_HEADS = (
    "SELECT id, (SELECT seq FROM url WHERE class = class.id ORDER BY seq LIMIT 1) FROM class"
    " WHERE id BETWEEN ? AND ? AND filled = 1"
)


class LinkClass:
    """A link class. `filled` says that rows may wait; `held` until when it is not looked at."""

    __slots__ = ("filled", "held", "id", "name", "rank", "score")

    def __init__(self, number: int, name: str, score: float, rank: int) -> None:
        self.id = number
        self.name = name
        self.score = score
        self.rank = rank
        self.filled = True
        self.held = 0.0


class ClassTable:
    """The table of link classes, the classes of some sites in memory.

    On disk: table ``class``, written at each change, new scores with `flush`. In memory: a copy for the sites used
    last, and the classes that were scored again since.

    Args:
        db: the store's connection.
        inbox: where rows are that are not at their place yet.
        order: makes ranks of scores.
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

    Args:
        db: the store's connection.
        order: makes ranks of scores.
        last: the last place that was given to a row.
        sieved: whether a Bloom filter must hear of keys that are added to the table of seen keys.
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
        """The head of a class is leased: what is behind it is the head, if there is anything.

        Args:
            link_class: the class.
            seq: place of the leased row.
            heads: class -> place of its first row; changed.
        """
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
