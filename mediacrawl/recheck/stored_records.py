"""Stored records, one after the other: of a catalogue, or of a file of JSON lines. Never all of them in memory."""

from __future__ import annotations

import gzip
import io
import json
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, BinaryIO, cast

from mediacrawl.store import StoreError
from mediacrawl.store.bulk import BulkCatalogue

_SQLITE = b"SQLite format 3\0"
_GZIP = b"\x1f\x8b"
_LONGEST = 8 << 20
"""Bytes of a line. A record is a few KB; a longer line is passed over, a piece at a time."""
_LOOKED_AT = 1000
"""Lines of a file in which a record must stand, or it is no file of records."""


class ItemsError(ValueError):
    """The items cannot be read. The message is one sentence: what, where, what to do."""


def locate_items(name: str, folder: Path) -> Path:
    """Find the file that an argument names: as it stands, or, a bare name, in the state folder.

    Raises:
        ItemsError: there is none.
    """
    path = Path(name)
    if path.exists():
        return path
    if path.parent == Path() and (folder / path).exists():
        return folder / path
    also = f" nor in {folder.resolve()}" if path.parent == Path() else ""
    raise ItemsError(f"items={name}: there is no such file in {path.absolute().parent}{also}")


def is_catalogue(path: Path) -> bool:
    """Whether a file is an SQLite database.

    Raises:
        ItemsError: it cannot be read.
    """
    return _head(path) == _SQLITE


def check_items(path: Path) -> dict[str, Any] | None:
    """See that a file holds records of media files.

    Returns:
        The first of them; None for a catalogue without any.

    Raises:
        ItemsError: it does not, or cannot be read.
    """
    if is_catalogue(path):
        return next(iter(records(path)), None)
    with _explained(path), _opened(path) as lines:
        for _, line in zip(range(_LOOKED_AT), _lines(lines), strict=False):
            record = parse(line)
            if record is not None:
                return record
    raise ItemsError(f"items={path} is neither a catalogue nor a file of JSON lines with a content_url in each")


def records(path: Path) -> Iterator[dict[str, Any] | None]:
    """The records, a catalogue's newest first. None stands for a line that is no record.

    Raises:
        ItemsError: the file cannot be read, or cannot be read any further.
    """
    if is_catalogue(path):
        yield from _of_catalogue(path)
        return
    with _explained(path), _opened(path) as lines:
        for line in _lines(lines):
            if line.strip():
                yield parse(line)


def parse(line: bytes) -> dict[str, Any] | None:
    """The record of a line of JSON; None if it is none, or has no ``content_url``."""
    try:
        record = json.loads(line)
    except (ValueError, RecursionError):
        return None
    if not isinstance(record, dict):
        return None
    url = record.get("content_url")
    return record if isinstance(url, str) and url else None


def _of_catalogue(path: Path) -> Iterator[dict[str, Any]]:
    try:
        with BulkCatalogue(path, read_only=True) as catalogue:
            yield from catalogue.newest()
    except StoreError as error:
        raise ItemsError(f"items={path}: {error}") from error


def _head(path: Path) -> bytes:
    try:
        with path.open("rb") as file:
            return file.read(len(_SQLITE))
    except OSError as error:
        raise ItemsError(f"items={path} cannot be read: {error.strerror}") from error


def _opened(path: Path) -> BinaryIO:
    if _head(path).startswith(_GZIP):
        return cast("BinaryIO", io.BufferedReader(gzip.GzipFile(path)))
    return path.open("rb")


def _lines(file: BinaryIO) -> Iterator[bytes]:
    """The lines of a file; what stands for one that is too long is no record."""
    while line := file.readline(_LONGEST):
        whole = line
        while len(line) == _LONGEST and not line.endswith(b"\n"):
            line, whole = file.readline(_LONGEST), b"too long"
        yield whole


@contextmanager
def _explained(path: Path) -> Iterator[None]:
    try:
        yield
    except (gzip.BadGzipFile, EOFError, zlib.error) as error:
        raise ItemsError(f"items={path} is damaged or cut short: {error}") from error
    except OSError as error:
        raise ItemsError(f"items={path} cannot be read: {error.strerror or error}") from error
