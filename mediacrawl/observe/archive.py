"""Yesterday's log files: pack them, remove the old ones, read them back.

The files of one folder are named ``<name>-YYYY-MM-DD.jsonl`` while they are written and
``<name>-YYYY-MM-DD.jsonl.gz`` afterwards, with an index ``<name>-YYYY-MM-DD.sites`` beside them. Nothing else in the
folder is ever touched.
"""

from __future__ import annotations

import contextlib
import gzip
import json
import logging
import os
import re
import sys
import zlib
from collections.abc import Callable, Iterator
from datetime import date, timedelta
from pathlib import Path
from typing import Any, BinaryIO, cast

from mediacrawl.observe.packing import CHUNK, Packer, chunks, index_of
from mediacrawl.observe.site_index import NoIndexError, SiteIndex, index_path

if sys.platform != "win32":
    import fcntl

logger = logging.getLogger(__name__)

NAMES = ("requests", "robots")
_FILE = re.compile(r"(?:requests|robots)-(\d{4}-\d\d-\d\d)\.jsonl(?:\.gz)?")
DAMAGE = (OSError, EOFError, zlib.error)
"""What reading a packed file may raise: gzip names a file cut short, and one with wrong bytes, differently."""


def lock(descriptor: int, *, alone: bool) -> bool:
    """Ask for the advisory lock of an open file, without waiting.

    Whoever writes a day's file shares its lock; whoever packs it must have it alone. So no process packs and
    removes a file that another one still writes to. The lock ends with the descriptor, also by a kill.

    Args:
        descriptor: of the open file.
        alone: False to share it, True to have it alone.

    Returns:
        False if someone else holds it, or if it was wanted alone on a file system without locks.
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
    """Whether an open file still stands at its path, and was not removed since it was opened."""
    try:
        return os.path.samestat(os.fstat(descriptor), path.stat())
    except FileNotFoundError:
        return False


def files(folder: Path, name: str | None = None) -> list[tuple[date, Path]]:
    """List the log files of a folder, oldest day first, the packed one before the plain one of a day."""
    found = []
    for path in folder.iterdir():
        day = _day(path)
        if day and (name is None or path.name.startswith(f"{name}-")):
            found.append((day, path))
    return sorted(found, key=lambda entry: (entry[0], not is_packed(entry[1]), entry[1].name))


def _day(path: Path) -> date | None:
    match = _FILE.fullmatch(path.name)
    if not match:
        return None
    try:
        return date.fromisoformat(match[1])
    except ValueError:
        return None


def is_packed(path: Path) -> bool:
    """Whether a log file is compressed, by its name."""
    return path.suffix == ".gz"


def tidy(folder: Path, today: date, keep_days: int, stop: Callable[[], bool] = lambda: False) -> None:
    """Pack the files of past days, see to their indexes, and remove those that are too old.

    A file that cannot be packed (still written by another process, no space) stays plain and is tried again
    the next time; it is readable as it is.

    Args:
        folder: where the logs are.
        today: the day (UTC) that is still being written.
        keep_days: a file is removed when its day is more than so many days ago.
        stop: asked once a megabyte; True ends the work early and leaves everything as it was.
    """
    with contextlib.suppress(FileNotFoundError):
        _forget_orphans(folder)
        for day, path in files(folder):
            if day >= today or stop():
                continue
            try:
                _tidy(path, stop, old=day < today - timedelta(days=keep_days))
            except DAMAGE as error:
                logger.warning("Cannot tidy the log file %s: %s. It stays as it is.", path, error)


def _tidy(path: Path, stop: Callable[[], bool], *, old: bool) -> None:
    packed = path if is_packed(path) else pack(path, stop)
    if packed and old:
        _forget(packed, index_path(packed))
    elif packed and not packed.with_suffix("").exists():
        reindex(packed, stop)


def _forget_orphans(folder: Path) -> None:
    """Remove the indexes of packed files that somebody deleted."""
    for path in folder.glob("*.sites"):
        packed = path.with_suffix(".jsonl.gz")
        if _FILE.fullmatch(packed.name) and not packed.exists():
            _forget(path)


def pack(path: Path, stop: Callable[[], bool] = lambda: False) -> Path | None:
    """Compress one file, with an index of its sites beside it, and remove the plain one.

    The packed file is written under a temporary name, forced to the disk, and renamed; only then the plain
    one goes. A crash at any point leaves at least one whole copy; the index, which is renamed after it, may be missing
    then, and `tidy` makes it anew. If there is a packed file of that day already, its content is kept in front.

    Args:
        path: the plain file.
        stop: asked once a megabyte; True gives up.

    Returns:
        Path of the packed file; None if another process uses the plain one, or if it was told to stop.

    Raises:
        OSError: the disk said no; the plain file is untouched.
        EOFError, zlib.error: there is a damaged packed file of that day; the plain file is untouched.
    """
    packed = path.with_name(path.name + ".gz")
    with path.open("rb") as plain:
        if not lock(plain.fileno(), alone=True) or not is_at(plain.fileno(), path):
            return None
        if not is_packed_already(path, packed):
            draft, index = _draft(packed), _draft(index_path(packed))
            try:
                whole = _write_packed(plain, packed, stop)
            except DAMAGE:
                _forget(draft, index)
                raise
            if not whole:
                _forget(draft, index)
                return None
            draft.replace(packed)
            index.replace(index_path(packed))
            sync_folder(path.parent)
        path.unlink()
    return packed


def _write_packed(plain: BinaryIO, packed: Path, stop: Callable[[], bool]) -> bool:
    with _draft(packed).open("w+b") as out, _draft(index_path(packed)).open("wb") as index:
        packer = Packer(out, index)
        if packed.exists():
            with gzip.open(packed) as earlier:
                for chunk in chunks(cast("BinaryIO", earlier)):
                    packer.write(chunk)
        while chunk := plain.read(CHUNK):
            if stop():
                return False
            packer.write(chunk)
        packer.finish()
        out.flush()
        os.fsync(out.fileno())
    return True


def _draft(path: Path) -> Path:
    return path.with_name(path.name + ".tmp")


def _forget(*paths: Path) -> None:
    for path in paths:
        path.unlink(missing_ok=True)


def reindex(packed: Path, stop: Callable[[], bool] = lambda: False) -> None:
    """Make the index of a packed file if it has none that fits.

    Args:
        packed: the file.
        stop: asked once a megabyte; True gives up.

    Raises:
        OSError, EOFError, zlib.error: the file is damaged, or the disk said no.
    """
    path = index_path(packed)
    with packed.open("rb") as file:
        if has_index(packed, file) or not lock(file.fileno(), alone=True):
            return
        try:
            with _draft(path).open("wb") as out:
                whole = index_of(file, out, stop)
            if whole:
                _draft(path).replace(path)
        finally:
            _forget(_draft(path))


def has_index(packed: Path, file: BinaryIO) -> bool:
    """Whether a packed file, open for reading, has an index that fits."""
    try:
        SiteIndex(index_path(packed), file).close()
    except NoIndexError:
        return False
    return True


def is_packed_already(plain: Path, packed: Path) -> bool:
    """Whether a packed file ends with the whole content of the plain one.

    That is what a crash leaves that came after the renaming and before the removal.
    """
    try:
        length = plain.stat().st_size
        with gzip.open(packed) as unpacked, plain.open("rb") as lines:
            if unpacked.seek(0, os.SEEK_END) < length:
                return False
            unpacked.seek(-length, os.SEEK_END)
            return all(chunk == unpacked.read(len(chunk)) for chunk in chunks(lines))
    except DAMAGE:
        return False


def sync_folder(folder: Path) -> None:
    """Make renames in a folder safe from a power cut; Windows has no such call."""
    if sys.platform == "win32":
        return
    descriptor = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def read(folder: Path, day: date | None = None, name: str = "requests") -> Iterator[dict[str, Any]]:
    """Read the lines of a log back, plain and packed files alike, oldest file first.

    A line that a power cut tore is passed over; a packed file that is damaged ends where the damage begins,
    and the log says so.

    Args:
        folder: where the logs are.
        day: only the file of this day (UTC); None reads all.
        name: ``requests`` or ``robots``.
    """
    for file_day, path in files(folder, name):
        if day is not None and day != file_day:
            continue
        packed = path.with_name(path.name + ".gz")
        if packed.exists() and is_packed_already(path, packed):
            continue
        yield from _read_file(path)


def _read_file(path: Path) -> Iterator[dict[str, Any]]:
    opener = cast("Callable[[Path], BinaryIO]", gzip.open) if is_packed(path) else _open_plain
    try:
        with opener(path) as lines:
            for line in lines:
                record = parse(line)
                if record is not None:
                    yield record
    except FileNotFoundError:
        # Packed by a running crawl between the listing and now.
        if not is_packed(path):
            yield from _read_file(path.with_name(path.name + ".gz"))
    except DAMAGE as error:
        logger.warning("The log file %s is damaged and was read only in part: %s", path, error)


def _open_plain(path: Path) -> BinaryIO:
    return path.open("rb")


def parse(line: bytes) -> dict[str, Any] | None:
    """A line of a log; None if it is none, as a power cut leaves it."""
    try:
        record = json.loads(line)
    except (ValueError, RecursionError):
        return None
    return record if isinstance(record, dict) else None
