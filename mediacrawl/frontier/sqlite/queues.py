"""The rows of URLs as the SQLite store moves them: in and out of the FIFOs of link classes."""

from __future__ import annotations

import sqlite3

from mediacrawl.frontier.contract import SpoiledError
from mediacrawl.frontier.order import Order
from mediacrawl.frontier.sqlite.classes import ClassTable, LinkClass, span
from mediacrawl.frontier.sqlite.inbox import Inbox
from mediacrawl.frontier.sqlite.journal import Journal
from mediacrawl.frontier.sqlite.rows import Row


class Queues:
    """One FIFO for each link class, on disk but for what joined in this moment.

    On disk: tables ``url``, ``inbox``, ``class``. What was gathered in the journal must be flushed before rows are read
    that it may have changed.

    Args:
        db: the store's connection.
        order: makes ranks of scores.
        last: the last place that was given to a row.
        sieved: whether a Bloom filter must hear of keys that join the table of seen keys.
    """

    def __init__(self, db: sqlite3.Connection, order: Order, last: int, *, sieved: bool) -> None:
        self._db = db
        self.last = last
        """The last place that was given to a row."""
        self.journal = Journal(db, sieved=sieved)
        self.inbox = Inbox(db, last)
        self.classes = ClassTable(db, self.inbox, order)

    def next_place(self) -> int:
        """A place behind all others."""
        self.last += 1
        return self.last

    def join(self, link_class: LinkClass, row: Row, key: int) -> None:
        """A row joins a class. An open transaction is needed."""
        if not link_class.filled:
            self.classes.change(link_class, filled=True)
        self.journal.url(link_class.id, row, key)
        self.inbox.note(row.seq, link_class.id, key, row.size)

    def read(self, link_class: LinkClass, seq: int) -> Row:
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
        return Row(seq, row[0], row[1], bytes(row[2] or b""))

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

    def change(self, link_class: LinkClass, row: Row) -> None:
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
