"""The link classes of sites, as the SQLite store keeps them."""

from __future__ import annotations

import sqlite3
from collections import OrderedDict
from math import isfinite

from mediacrawl.frontier.order import Order
from mediacrawl.frontier.sqlite.inbox import Inbox
from mediacrawl.frontier.sqlite.schema import CLASS_BITS
from mediacrawl.frontier.sqlite.sites import HELD_SITES

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
    last, and the classes that were scored anew since.

    Args:
        db: the store's connection.
        inbox: where rows are that are not at their place yet.
        order: makes ranks of scores.
    """

    def __init__(self, db: sqlite3.Connection, inbox: Inbox, order: Order) -> None:
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
