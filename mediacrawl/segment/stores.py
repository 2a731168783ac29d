"""What our own databases say of URLs; they are opened read-only, also while a crawl works on them."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any

from mediacrawl.segment.errors import SegmentError
from mediacrawl.segment.options import ITEM_FIELDS

_ROWS = 50_000


def keys_of_frontier(path: Path) -> Iterator[list[int]] | None:
    """The keys of all URLs that a frontier ever knew, those that wait included; None if it is another database.

    Raises:
        SegmentError: from the iteration too, if the file cannot be read.
    """
    if not {"seen", "inbox"} <= _tables(path):
        return None
    # What came last lies in the inbox alone.
    return ([key for (key,) in rows] for rows in _rows(path, "SELECT key FROM seen UNION ALL SELECT key FROM inbox"))


def urls_of_catalogue(path: Path) -> Iterator[list[str | None]]:
    """The URLs of media files and of their pages in a catalogue.

    Raises:
        SegmentError: from the iteration too, if the file cannot be read, or is another database.
    """
    tables = _tables(path)
    if "media" not in tables:
        hint = " What waits in a frontier comes from: scrapy frontier export." if "seen" in tables else ""
        raise SegmentError(f"{path} is no catalogue of media files.{hint}")
    fields = ", ".join(ITEM_FIELDS)
    found = _rows(path, f"SELECT {fields} FROM media")
    return ([url for row in rows for url in row if url] for rows in found)


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
