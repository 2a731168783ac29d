"""Which row belongs to which table of a frontier, told by its values: also for pages that no tree leads to any more.

The trees were made so that no two look alike: how they are keyed, how many columns, of which types. A `RowShape` says
whether values can be a row of its tree; that is also the proof that a row read from a damaged page is one.
"""

from __future__ import annotations

import re
import sqlite3
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from math import isfinite
from typing import Any

import msgpack

from mediacrawl.frontier.contract import SpoiledError
from mediacrawl.frontier.seen import url_key
from mediacrawl.frontier.site_state import ACTIVE, RETIRED
from mediacrawl.frontier.sqlite.classes import site_of_class
from mediacrawl.frontier.sqlite.database import TABLES
from mediacrawl.frontier.sqlite.rows import unpack_standing
from mediacrawl.frontier.tools.pages import Values
from mediacrawl.records import Kind

_FACTS = (str, int, int, str, int, *[str] * 10)
_LEAST_FACTS = 13
"""Fields that are in every row: those behind them are left out at its end if they say nothing."""
_KINDS = frozenset(Kind)
_CONTROLS = re.compile("[\\x00-\\x1f\\x7f]")
LATEST = 1e11
"""Seconds since the epoch, the year 5138: no time that we write is later."""
_CODES = 10_000
"""More names of ends than there are."""

HINTS = """
CREATE TEMP TABLE told (name TEXT PRIMARY KEY, value);
CREATE TEMP TABLE hint_name (id INTEGER PRIMARY KEY, name TEXT);
CREATE TEMP TABLE hint_due (id INTEGER PRIMARY KEY, due REAL);
CREATE TEMP TABLE hint_place (id INTEGER PRIMARY KEY, place INTEGER);
CREATE TEMP TABLE hint_end (code INTEGER PRIMARY KEY, name TEXT);
"""
"""Where what indexes say is kept, for rows whose table does not say it any more."""


def facts_fit(facts: object) -> bool:
    """Whether this is what `rows.UrlRow.of` packs."""
    try:
        fields = msgpack.unpackb(facts, use_list=False)
    except (ValueError, TypeError, msgpack.UnpackException):
        return False
    if type(fields) is not tuple or len(fields) < _LEAST_FACTS:
        return False
    return tuple(map(type, fields)) == _FACTS[: len(fields)] and fields[0] in _KINDS


def samples_fit(samples: object) -> bool:
    """Whether this is what `rows.pack_samples` packs."""
    try:
        times = msgpack.unpackb(samples)
    except (ValueError, TypeError, msgpack.UnpackException):
        return False
    return type(times) is list and all(_is_time(value) for value in times)


def standing_fits(standing: object) -> bool:
    """Whether this is what `rows.pack_standing` packs."""
    if type(standing) is not bytes:
        return False
    try:
        unpack_standing(standing)
    except SpoiledError:
        return False
    return True


@dataclass(frozen=True, slots=True)
class RowShape:
    """The rows of one tree.

    Attributes:
        tree: its name in the file.
        is_index: whether it is keyed by its first columns; else by rowid.
        columns: one judge for each value.
        into: the statement that keeps a row.
        fits: a last judge of the row as a whole.
        alone: whether a page that no tree leads to may be taken for one of this tree.
    """

    tree: str
    is_index: bool
    columns: tuple[Callable[[Any], bool], ...]
    into: str
    fits: Callable[[Values], bool] = bool
    alone: bool = True

    def row(self, rowid: int, values: Values) -> Values | None:
        """The row as it is kept, or None if it cannot be one of this tree."""
        if len(values) != len(self.columns) or not all(
            judge(value) for judge, value in zip(self.columns, values, strict=True)
        ):
            return None
        row = (rowid, *values[1:]) if self.columns[0] is _is_rowid else values
        return row if self.fits(row) else None


def tree_roots(schema: Iterable[Values]) -> dict[str, int]:
    """Tree -> its first page.

    Args:
        schema: what rows of ``sqlite_schema`` could be read. What is missing there is where a new file has it: all
            trees are made at once, in one order.
    """
    with sqlite3.connect(":memory:") as db:
        db.executescript(TABLES)
        roots = dict(db.execute("SELECT name, rootpage FROM sqlite_master"))
    db.close()
    for values in schema:
        if len(values) == 5 and values[1] in roots and type(values[3]) is int:
            roots[values[1]] = values[3]
    return {name: root for name, root in roots.items() if name in SHAPES}


def _is_rowid(value: Any) -> bool:
    return value is None


def _is_int(value: Any) -> bool:
    return type(value) is int


def _is_count(value: Any) -> bool:
    return type(value) is int and 0 <= value < 1 << 48


def _is_number(value: Any) -> bool:
    return type(value) in {int, float} and isfinite(value)


def _is_time(value: Any) -> bool:
    return _is_number(value) and 0 <= value < LATEST


def _is_due(value: Any) -> bool:
    return _is_number(value) and -LATEST < value < LATEST


def _is_text(value: Any) -> bool:
    return type(value) is str


def _is_name(value: Any) -> bool:
    # Zeros are text to SQLite; in none of our names and URLs is a control character.
    return type(value) is str and not _CONTROLS.search(value)


def _is_url(value: Any) -> bool:
    return _is_name(value) and value != ""


def _is_blob(value: Any) -> bool:
    return type(value) is bytes


def _is_state(value: Any) -> bool:
    return value is None or type(value) is bytes


def _is_class(value: Any) -> bool:
    return _is_count(value) and site_of_class(value) > 0


def _is_code(value: Any) -> bool:
    return type(value) is int and 0 < value < _CODES


def _is_place(value: Any) -> bool:
    return type(value) is int and 0 <= value <= RETIRED


def _is_bytes(value: Any) -> bool:
    # Facts that cannot be read cost what was known of a URL, not the URL.
    return type(value) is bytes


def _is_flag(value: Any) -> bool:
    return type(value) is int and value in {0, 1}


def _is_told(value: Any) -> bool:
    return type(value) in {int, float, str}


_TOTALS = frozenset(
    {
        "seen",
        "again",
        "waiting",
        "seq",
        "active",
        "shelved",
        "resting",
        "most",
        "at",
        "order",
        "store",
        "sieve",
        "commits",
    }
)
_ALL = (
    RowShape(
        "url",
        True,
        (_is_class, _is_count, _is_url, _is_bytes, _is_state),
        "INSERT OR IGNORE INTO url VALUES (?, ?, ?, ?, ?)",
    ),
    RowShape(
        "inbox",
        False,
        (_is_rowid, _is_class, _is_int, _is_url, _is_bytes, _is_state),
        "INSERT OR IGNORE INTO inbox VALUES (?, ?, ?, ?, ?, ?)",
        lambda row: row[0] >= 0 and row[2] == url_key(row[3]),
    ),
    RowShape("seen", False, (_is_rowid,), "INSERT OR IGNORE INTO seen VALUES (?)"),
    RowShape("ended", False, (_is_int, _is_code), "INSERT INTO ended VALUES (?, ?)"),
    RowShape(
        "ending",
        False,
        (_is_rowid, _is_name, _is_count),
        "INSERT OR IGNORE INTO ending VALUES (?, ?, ?)",
        lambda row: _is_code(row[0]),
    ),
    RowShape(
        "lease",
        False,
        (_is_rowid, _is_class, _is_count, _is_time),
        "INSERT OR IGNORE INTO lease VALUES (?, ?, ?, ?)",
        lambda row: site_of_class(row[1]) == row[2],
    ),
    RowShape(
        "class",
        False,
        (_is_rowid, _is_name, _is_number, _is_place, _is_time),
        "INSERT OR IGNORE INTO class VALUES (?, ?, ?, ?, ?)",
        lambda row: _is_class(row[0]),
    ),
    RowShape(
        "site",
        False,
        (
            *(_is_rowid, _is_name, _is_place, _is_int, _is_due, _is_time, _is_time, _is_time),
            *(samples_fit, _is_count, _is_count, _is_count, _is_flag, standing_fits),
        ),
        # A site that is in the file twice is an old page of it: it is owed the later time.
        "INSERT OR IGNORE INTO site VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)"
        " ON CONFLICT (id) DO UPDATE SET release = max(release, excluded.release)",
        lambda row: 0 < row[0] < 1 << 40,
    ),
    RowShape("note", True, (_is_text, _is_text, _is_blob), "INSERT OR IGNORE INTO note VALUES (?, ?, ?)"),
    RowShape(
        "total",
        True,
        (_is_name, _is_told),
        "INSERT INTO told VALUES (?, ?) ON CONFLICT DO UPDATE SET value = max(value, excluded.value)",
        lambda row: row[0] in _TOTALS,
    ),
    RowShape(
        "sqlite_autoindex_ending_1",
        True,
        (_is_name, _is_code),
        "INSERT OR IGNORE INTO hint_end VALUES (?2, ?1)",
        lambda row: "." not in row[0],
    ),
    RowShape("sqlite_autoindex_site_1", True, (_is_name, _is_count), "INSERT OR IGNORE INTO hint_name VALUES (?2, ?1)"),
    RowShape("site_due", True, (_is_int, _is_due, _is_count), "INSERT OR IGNORE INTO hint_due VALUES (?3, ?2)"),
    RowShape(
        "site_shelved",
        True,
        (_is_place, _is_count),
        "INSERT OR IGNORE INTO hint_place VALUES (?2, ?1)",
        lambda row: row[0] > ACTIVE,
        # Who is not paused must not be.
        alone=False,
    ),
)
SHAPES = {shape.tree: shape for shape in _ALL}
"""By tree, in the order in which they are read: of rows that exclude each other the first one stays."""
