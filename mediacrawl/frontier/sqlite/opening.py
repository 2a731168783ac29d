"""What is put right when an SQLite store is opened: the machine's clock, and the order of the sites."""

from __future__ import annotations

import sqlite3

from mediacrawl.frontier.order import Order
from mediacrawl.frontier.sqlite.schema import CLASS_BITS


def set_clock_back(db: sqlite3.Connection, back: float, now: float) -> None:
    """The machine's clock was set back since the last commit: times that lie ahead move with it.

    Args:
        db: in a transaction.
        back: seconds; nothing happens if it is not positive.
        now: seconds since the epoch.
    """
    if back <= 0:
        return
    row = (back, now)
    db.execute(
        "UPDATE site SET due = CASE WHEN due > ?2 THEN max(due - ?1, ?2) ELSE due END,"
        " release = CASE WHEN release > ?2 THEN max(release - ?1, ?2) ELSE release END WHERE due > ?2 OR release > ?2",
        row,
    )
    db.execute("UPDATE class SET held = max(held - ?1, ?2) WHERE held > ?2", row)


def order_anew(db: sqlite3.Connection, order: Order, before: str) -> None:
    """With another order than at the last start every site gets its rank of this one.

    Args:
        db: in a transaction.
        order: of today's settings.
        before: what the file says of the order of its ranks; empty if it is new.
    """
    name = repr(order)
    if before not in {"", name}:
        db.create_function("rank_of", 1, lambda score: order.rank(score or 0.0), deterministic=True)
        db.execute(
            "UPDATE site SET rank = rank_of((SELECT max(score) FROM class WHERE filled = 1 AND class.id"
            f" BETWEEN site.id << {CLASS_BITS} AND (site.id + 1 << {CLASS_BITS}) - 1)) WHERE place = 1"
        )
    db.execute("INSERT OR REPLACE INTO total VALUES ('order', ?)", (name,))
