"""What our own databases say of URLs; they are opened read-only, also while a crawl works on them."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from contextlib import closing, contextmanager
from itertools import islice
from operator import attrgetter
from pathlib import Path
from typing import Any

from mediacrawl.frontier import FrontierError
from mediacrawl.frontier.sqlite.reader import FrontierReader
from mediacrawl.segment.errors import SegmentError
from mediacrawl.segment.options import ITEM_FIELDS

Columns = dict[str, list[Any]]
"""Rows by the names of their columns, ``url`` among them."""

_ROWS = 50_000
_WAITING = {
    **{name: name for name in ("url", "kind", "score", "depth", "hops", "parent")},
    **{name: f"evidence.{name}" for name in ("via", "anchor")},
}
"""Columns of a link, and where a candidate has them."""


def is_frontier(path: Path) -> bool:
    """Whether a database is a frontier.

    Raises:
        SegmentError: the file cannot be read.
    """
    return {"seen", "inbox"} <= _tables(path)


def keys_of_frontier(path: Path) -> Iterator[list[int]]:
    """The keys of all URLs that a frontier ever knew, those that wait included.

    Raises:
        SegmentError: the file cannot be read.
    """
    # What came last lies in the inbox alone.
    return ([key for (key,) in rows] for rows in _rows(path, "SELECT key FROM seen UNION ALL SELECT key FROM inbox"))


def links_of(path: Path) -> Iterator[Columns]:
    """What waits in a frontier, or the URLs of media files and of their pages in a catalogue.

    Raises:
        SegmentError: from the iteration too, if the file cannot be read, or is another database.
    """
    if is_frontier(path):
        return _waiting(path)
    if "media" not in _tables(path):
        raise SegmentError(f"{path} is neither a frontier nor a catalogue of media files.")
    found = _rows(path, f"SELECT {', '.join(ITEM_FIELDS)} FROM media")
    return ({"url": [url for row in rows for url in row if url]} for rows in found)


def _waiting(path: Path) -> Iterator[Columns]:
    with _explained(path), FrontierReader(path) as reader:
        waiting = reader.waiting()
        while batch := list(islice(waiting, _ROWS)):
            yield {name: list(map(attrgetter(place), batch)) for name, place in _WAITING.items()}


def _tables(path: Path) -> set[str]:
    with _explained(path), closing(_connect(path)) as db:
        return {name for (name,) in db.execute("SELECT name FROM sqlite_master WHERE type = 'table'")}


def _rows(path: Path, select: str) -> Iterator[list[tuple[Any, ...]]]:
    with _explained(path), closing(_connect(path)) as db:
        found = db.execute(select)
        while rows := found.fetchmany(_ROWS):
            yield rows


def _connect(path: Path) -> sqlite3.Connection:
    return sqlite3.connect(f"{path.absolute().as_uri()}?mode=ro", uri=True)


@contextmanager
def _explained(path: Path) -> Iterator[None]:
    try:
        yield
    except sqlite3.Error as error:
        raise SegmentError(f"{path} cannot be read as a database: {error}.") from error
    except FrontierError as error:
        raise SegmentError(f"{str(error).rstrip('.')}.") from error
