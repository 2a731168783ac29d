"""The files of the request log: locking, compression, retention, reading.

A file is named ``<name>-YYYY-MM-DD.jsonl`` while it is written, and ``<name>-YYYY-MM-DD.jsonl.gz`` afterwards. Other
files in the folder are never touched.
"""

from __future__ import annotations

import contextlib
import gzip
import json
import logging
import os
import re
import sys
import time
import zlib
from collections.abc import Callable, Iterable, Iterator
from datetime import date, timedelta
from pathlib import Path
from typing import Any, BinaryIO

from mediacrawl.base.files import is_at, replacing

if sys.platform != "win32":
    import fcntl

logger = logging.getLogger(__name__)

NAMES = ("requests", "robots")
_FILE = re.compile(r"(?P<name>requests|robots)-(?P<day>\d{4}-\d\d-\d\d)\.jsonl(?:\.gz)?")
DAMAGE = (OSError, EOFError, zlib.error)
"""Errors of reading a damaged gzip file."""
_CHUNK = 1 << 20
_STILL = 0.05
"""Seconds after which a last line without line end that has not grown is torn."""
_LEVEL = 6
"""Compression level: 1.5 s of processor time to read a million lines, 63 MB."""


def lock(descriptor: int, *, alone: bool) -> bool:
    """Take the advisory lock of an open file, without waiting.

    Writers of a day's file hold a shared lock, and packing it takes an exclusive one, so that no process removes a file
    that another one writes to. The lock ends with the descriptor, also by a kill.

    Returns:
        False if another process holds it, or if it is exclusive and the file system has no locks.
    """
    if sys.platform == "win32":
        return True
    try:
        fcntl.flock(descriptor, (fcntl.LOCK_EX if alone else fcntl.LOCK_SH) | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    except OSError:
        return not alone
    return True


def files(folder: Path, name: str | None = None) -> list[tuple[date, Path]]:
    """Return the log files of a folder with their days, oldest first; of a day the packed file first."""
    found = []
    for path in folder.iterdir():
        match = _FILE.fullmatch(path.name)
        if match and name in {None, match["name"]}:
            with contextlib.suppress(ValueError):
                found.append((date.fromisoformat(match["day"]), path))
    return sorted(found, key=lambda entry: (entry[0], entry[1].suffix != ".gz", entry[1].name))


def missing_days(folder: Path, last: date) -> set[date]:
    """The days from the first request log of a folder on that have none: nothing was requested, or it was removed.

    Args:
        folder: of the logs.
        last: the last day that is looked for, if no file is of a later one.
    """
    known = {day for day, _ in files(folder, "requests")}
    first = min(known, default=last)
    return {first + timedelta(days=number) for number in range((max([last, *known]) - first).days + 1)} - known


def tidy(folder: Path, today: date, keep_days: int) -> None:
    """Pack the files of past days, and remove those that are too old.

    A file that cannot be packed (another process writes it, the disk is full) stays plain and readable, and is tried
    again the next time.

    Args:
        folder: of the logs.
        today: the day (UTC) that is being written.
        keep_days: a file is removed when its day is more than so many days ago.
    """
    with contextlib.suppress(FileNotFoundError):
        for day, path in files(folder):
            if day >= today:
                continue
            try:
                packed = path if path.suffix == ".gz" else pack(path)
                if packed and day < today - timedelta(days=keep_days):
                    packed.unlink(missing_ok=True)
            except FileNotFoundError:
                # Another process has tidied it.
                continue
            except DAMAGE as error:
                logger.warning("Cannot tidy the log file %s: %s. It stays as it is.", path, error)


def pack(path: Path) -> Path | None:
    """Compress a file and remove the plain one.

    The packed file is written under a temporary name, synced and renamed; then the plain one is removed. A crash leaves
    at least one whole copy. If there is a packed file of that day already, its content is written first.

    Returns:
        Path of the packed file; None if another process uses the plain one.

    Raises:
        OSError: the disk refused; the plain file is untouched.
        EOFError, zlib.error: the packed file of that day is damaged; the plain file is untouched.
    """
    packed = path.with_name(path.name + ".gz")
    with path.open("rb") as plain, contextlib.ExitStack() as opened:
        if not lock(plain.fileno(), alone=True) or not is_at(plain.fileno(), path):
            return None
        earlier = opened.enter_context(packed.open("rb")) if packed.exists() else None
        if earlier is None or not _ends_with(earlier, plain):
            with (
                replacing(packed, ".tmp", sync=True) as draft,
                gzip.GzipFile(fileobj=draft, mode="wb", compresslevel=_LEVEL) as zipped,
            ):
                for file in (gzip.GzipFile(fileobj=earlier), plain) if earlier else (plain,):
                    for chunk in _chunks(file):
                        zipped.write(chunk)
        path.unlink()
    return packed


def _ends_with(packed: BinaryIO, plain: BinaryIO) -> bool:
    """Return whether a packed file ends with the content of the plain one, as after a crash before its removal.

    Both files are at their beginning again.
    """
    try:
        length = plain.seek(0, os.SEEK_END)
        plain.seek(0)
        with gzip.GzipFile(fileobj=packed) as unpacked:
            if unpacked.seek(0, os.SEEK_END) < length:
                return False
            unpacked.seek(-length, os.SEEK_END)
            return all(chunk == unpacked.read(len(chunk)) for chunk in _chunks(plain))
    except DAMAGE:
        return False
    finally:
        plain.seek(0)
        packed.seek(0)


def days(folder: Path, name: str) -> list[date]:
    """Return the days of which a folder has a log, oldest first."""
    return list(dict.fromkeys(day for day, _ in files(folder, name)))


def read(folder: Path, day: date | None = None, name: str = "requests") -> Iterator[dict[str, Any]]:
    """Read the lines of a log, oldest day first; torn lines are left out.

    Args:
        folder: of the logs.
        day: only this day (UTC); None reads all.
        name: ``requests`` or ``robots``.
    """
    for each in days(folder, name):
        if day in {None, each}:
            for lines in read_day(folder, name, each):
                yield from filter(None, map(parse, lines.splitlines()))


def read_day(folder: Path, name: str, day: date, damaged: Callable[[str], object] = lambda _: None) -> Iterator[bytes]:
    """Yield the lines of a day in their order, in pieces of whole lines of about a megabyte.

    A crawl may write, pack and remove the files meanwhile: they are opened before anything is read. A damaged file ends
    at the damage.

    Args:
        folder: of the logs.
        name: ``requests`` or ``robots``.
        day: in UTC.
        damaged: called with the name of a file of which a part cannot be read, perhaps more than once.
    """
    plain = folder / f"{name}-{day.isoformat()}.jsonl"
    packed = plain.with_name(plain.name + ".gz")
    with contextlib.ExitStack() as opened:
        found = dict[Path, BinaryIO]()
        # In this order, since packing makes the packed file before it removes the plain one.
        for path in (plain, packed):
            with contextlib.suppress(FileNotFoundError):
                found[path] = opened.enter_context(path.open("rb"))
        if len(found) > 1 and _ends_with(found[packed], found[plain]):
            del found[plain]
        for path in reversed(found):
            try:
                file = gzip.GzipFile(fileobj=found[path]) if path is packed else found[path]
                for lines in _whole_lines(_chunks(file)):
                    # A last line without its end may be under way.
                    if b"\0" in lines or lines.count(b"\n") != lines.count(b"}\n"):
                        damaged(path.name)
                    yield lines
                if path is plain and is_torn(path):
                    damaged(path.name)
            except FileNotFoundError:
                # A running crawl has packed it by now, after it was read.
                continue
            except DAMAGE:
                damaged(path.name)


def parse(line: bytes) -> dict[str, Any] | None:
    """Return a line of a log as an object; None if it is torn."""
    try:
        record = json.loads(line)
    except (ValueError, RecursionError):
        return None
    return record if isinstance(record, dict) else None


def is_torn(path: Path) -> bool:
    """Return whether the last line is torn, and is not being written by another process."""
    seen = -1
    with path.open("rb", buffering=0) as file:
        while (size := file.seek(0, os.SEEK_END)) != seen:
            if not size:
                return False
            file.seek(size - 1)
            if file.read(1) == b"\n":
                return False
            # The size grows page by page while a write is under way: a line that grows is not torn.
            seen = size
            time.sleep(_STILL)
    return True


def _chunks(file: Any) -> Iterator[bytes]:
    # Not `read`, which gives nothing of a damaged file's last megabyte.
    while chunk := file.read1(_CHUNK):
        yield chunk


def _whole_lines(pieces: Iterable[bytes]) -> Iterator[bytes]:
    rest = b""
    for chunk in pieces:
        end = chunk.rfind(b"\n") + 1
        if end:
            yield rest + chunk[:end]
            rest = chunk[end:]
        else:
            rest += chunk
    if rest:
        yield rest
