"""The files of the request log: locking, compression, retention, reading.

A file is named ``<name>-YYYY-MM-DD.jsonl`` while it is written, and ``<name>-YYYY-MM-DD.jsonl.gz`` afterwards. Other
files in the folder are never touched.
"""

from __future__ import annotations

import contextlib
import errno
import gzip
import json
import logging
import os
import re
import sys
import zlib
from collections.abc import Callable, Iterable, Iterator
from datetime import date, timedelta
from io import BufferedIOBase
from pathlib import Path
from typing import IO, Any

if sys.platform != "win32":
    import fcntl

logger = logging.getLogger(__name__)

NAMES = ("requests", "robots")
_FILE = re.compile(r"(?:requests|robots)-(\d{4}-\d\d-\d\d)\.jsonl(?:\.gz)?")
DAMAGE = (OSError, EOFError, zlib.error)
"""Errors of reading a damaged gzip file."""
_CHUNK = 1 << 20
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


def is_at(descriptor: int, path: Path) -> bool:
    """Return whether an open file is still the one at its path."""
    try:
        return os.path.samestat(os.fstat(descriptor), path.stat())
    except OSError:
        return False


def files(folder: Path, name: str | None = None) -> list[tuple[date, Path]]:
    """The log files of a folder with their days, oldest first; of a day the packed file first."""
    found = []
    for path in folder.iterdir():
        day = _day(path)
        if day and (name is None or path.name.startswith(f"{name}-")):
            found.append((day, path))
    return sorted(found, key=lambda entry: (entry[0], not is_packed(entry[1]), entry[1].name))


def missing_days(folder: Path, last: date) -> set[date]:
    """The days from the first request log of a folder on that have none: nothing was requested, or it was removed.

    Args:
        folder: of the logs.
        last: the last day that is looked for, if no file is of a later one.
    """
    known = {day for day, _ in files(folder, "requests")}
    first = min(known, default=last)
    return {first + timedelta(days=number) for number in range((max([last, *known]) - first).days + 1)} - known


def _day(path: Path) -> date | None:
    match = _FILE.fullmatch(path.name)
    if not match:
        return None
    try:
        return date.fromisoformat(match[1])
    except ValueError:
        return None


def is_packed(path: Path) -> bool:
    """Tell by its name whether a log file is compressed."""
    return path.suffix == ".gz"


def tidy(folder: Path, today: date, keep_days: int, stop: Callable[[], bool] = lambda: False) -> None:
    """Pack the files of past days, and remove those that are too old.

    A file that cannot be packed (another process writes it, the disk is full) stays plain and readable, and is tried
    again the next time.

    Args:
        folder: of the logs.
        today: the day (UTC) that is being written.
        keep_days: a file is removed when its day is more than so many days ago.
        stop: called once a megabyte; True ends the work early and leaves everything as it was.
    """
    with contextlib.suppress(FileNotFoundError):
        for day, path in files(folder):
            if day >= today or stop():
                continue
            try:
                packed = path if is_packed(path) else pack(path, stop)
                if packed and day < today - timedelta(days=keep_days):
                    packed.unlink(missing_ok=True)
            except DAMAGE as error:
                logger.warning("Cannot tidy the log file %s: %s. It stays as it is.", path, error)


def pack(path: Path, stop: Callable[[], bool] = lambda: False) -> Path | None:
    """Compress a file and remove the plain one.

    The packed file is written under a temporary name, synced and renamed; then the plain one is removed. A crash leaves
    at least one whole copy. If there is a packed file of that day already, its content is written first.

    Args:
        path: the plain file.
        stop: called once a megabyte; True gives up.

    Returns:
        Path of the packed file; None if another process uses the plain one, or if `stop` said so.

    Raises:
        OSError: the disk refused; the plain file is untouched.
        EOFError, zlib.error: the packed file of that day is damaged; the plain file is untouched.
    """
    packed = path.with_name(path.name + ".gz")
    with path.open("rb") as plain:
        if not lock(plain.fileno(), alone=True) or not is_at(plain.fileno(), path):
            return None
        if not is_packed_already(path, packed):
            try:
                with (
                    replacing(packed, ".tmp", sync=True) as draft,
                    gzip.GzipFile(fileobj=draft, mode="wb", compresslevel=_LEVEL) as zipped,
                ):
                    _write_packed(plain, packed, zipped, stop)
            except _StoppedError:
                return None
        path.unlink()
    return packed


class _StoppedError(Exception):
    """The work was given up."""


def _write_packed(plain: BufferedIOBase, packed: Path, zipped: gzip.GzipFile, stop: Callable[[], bool]) -> None:
    if packed.exists():
        with gzip.open(packed) as earlier:
            for chunk in _chunks(earlier):
                zipped.write(chunk)
    for chunk in _chunks(plain):
        if stop():
            raise _StoppedError
        zipped.write(chunk)


def is_packed_already(plain: Path, packed: Path) -> bool:
    """Tell whether a packed file ends with the content of the plain one, as after a crash before its removal."""
    try:
        length = plain.stat().st_size
        with gzip.open(packed) as unpacked, plain.open("rb") as lines:
            if unpacked.seek(0, os.SEEK_END) < length:
                return False
            unpacked.seek(-length, os.SEEK_END)
            return all(chunk == unpacked.read(len(chunk)) for chunk in _chunks(lines))
    except DAMAGE:
        return False


@contextlib.contextmanager
def replacing(path: Path, ending: str = ".new", *, sync: bool = False) -> Iterator[IO[bytes]]:
    """Open a new file that takes the place of the one at `path` when it is whole.

    On disk: until then its name has the `ending`; what is there, such as a link, is removed and never followed. A kill
    leaves it, an error does not, and the file at `path` is as it was. With `sync` it survives a power cut, too.

    Raises:
        OSError: it cannot be written.
    """
    draft = path.with_name(path.name + ending)
    draft.unlink(missing_ok=True)
    try:
        # The mode fails if another process has put something there meanwhile.
        with draft.open("xb") as file:
            yield file
            file.flush()
            if sync:
                os.fsync(file.fileno())
            if not is_at(file.fileno(), draft):
                raise FileExistsError(errno.EEXIST, "Another process writes it", str(draft))  # noqa: TRY301
        draft.replace(path)
    except BaseException:
        draft.unlink(missing_ok=True)
        raise
    if sync:
        sync_folder(path.parent)


def sync_folder(folder: Path) -> None:
    """Make renames in a folder survive a power cut; Windows has no such call."""
    if sys.platform == "win32":
        return
    descriptor = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def read(folder: Path, day: date | None = None, name: str = "requests") -> Iterator[dict[str, Any]]:
    """Read the lines of a log, plain and packed, oldest file first.

    A torn line is skipped; a damaged packed file ends at the damage, with a warning in the log.

    Args:
        folder: of the logs.
        day: only the file of this day (UTC); None reads all.
        name: ``requests`` or ``robots``.
    """
    for file_day, path in files(folder, name):
        if day is not None and day != file_day:
            continue
        packed = path.with_name(path.name + ".gz")
        if packed.exists() and is_packed_already(path, packed):
            continue
        try:
            for lines in read_lines(path if path.exists() else packed):
                yield from filter(None, map(parse, lines.splitlines()))
        except DAMAGE as error:
            logger.warning("The log file %s is damaged and was read only in part: %s", path, error)


def read_lines(path: Path) -> Iterator[bytes]:
    """The content of a log file, plain or packed, in pieces of at most a megabyte that end with a line.

    Raises:
        OSError, EOFError, zlib.error: see `DAMAGE`.
    """
    with gzip.open(path) if is_packed(path) else path.open("rb") as file:
        yield from _whole_lines(_chunks(file))


def parse(line: bytes) -> dict[str, Any] | None:
    """A line of a log; None if it is torn."""
    try:
        record = json.loads(line)
    except (ValueError, RecursionError):
        return None
    return record if isinstance(record, dict) else None


def is_damaged(lines: bytes) -> bool:
    """Whether some of these lines are torn or overwritten; a last line without its end may be under way."""
    return b"\0" in lines or lines.count(b"\n") != lines.count(b"}\n")


def _chunks(file: BufferedIOBase) -> Iterator[bytes]:
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
