"""Rows in order, also when they are wide and memory is small.

The engine sorts on disk, but rows of a KB or more come back from there one block each, and a few thousand blocks at a
time do not fit into a small memory (DuckDB 2.0). Then only the numbers of the rows are sorted, and the rows follow
piece by piece, in pieces that fit.
"""

from __future__ import annotations

from mediacrawl.segment.engine import Engine
from mediacrawl.segment.errors import MemoryShortError

_PIECE = 8
"""A piece of rows may take one part in so many of the memory: it is held twice, and the engine needs its buffers."""
_ROW = 64
"""Bytes of a row beside its text."""


def sorted_table(engine: Engine, name: str, select: str) -> None:
    """Keep the result of a SELECT, in its order.

    Args:
        engine: with the tables.
        name: of the table that is made.
        select: ends with ``ORDER BY`` and columns of its result; ``best`` is one of them, and no two rows have the
            same.

    Raises:
        SegmentError: memory is too small even so.
    """
    try:
        engine.table(name, select)
    except MemoryShortError:
        rows, _, order = select.rpartition("\nORDER BY ")
        in_pieces(engine, name, rows, order)


def in_pieces(engine: Engine, name: str, rows: str, order: str) -> None:
    """Do what `sorted_table` does when rows are wide and memory is small.

    Args:
        engine: with the tables.
        name: of the table that is made.
        rows: a SELECT without order.
        order: columns of its result.
    """
    keys = ", ".join(["best", *(term.split()[0] for term in order.split(", "))])
    engine.table("ordered", f"SELECT best FROM (SELECT {keys} FROM ({rows})) ORDER BY {order}")
    engine.table("placed_row", f"SELECT r.*, o.rowid AS place FROM ({rows}) r JOIN ordered o ON o.best = r.best")
    engine.drop("ordered")
    engine.table(name, "SELECT * EXCLUDE (place) FROM placed_row LIMIT 0")
    ((number, length),) = engine.run("SELECT count(*), avg(strlen(r::VARCHAR)) FROM placed_row r")
    size = max(int(engine.memory / _PIECE / (length + _ROW)), 1) if number else 1
    for first in range(0, number, size):
        engine.run(
            f"INSERT INTO {name} SELECT * EXCLUDE (place) FROM placed_row WHERE place BETWEEN $1 AND $2 ORDER BY place",
            [first, first + size - 1],
        )
    engine.drop("placed_row")
