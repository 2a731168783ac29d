"""The queue on disk: written beside its place, and moved there whole."""

from __future__ import annotations

import os
import shutil
from pathlib import Path
from typing import BinaryIO

from mediacrawl.observe.archive import sync_folder
from mediacrawl.segment.engine import Engine, sorted_table, text
from mediacrawl.segment.examine import SegmentError
from mediacrawl.segment.options import LinkFile, QueueTarget

_CHUNK = 1 << 20

ORDER = "site_score DESC, site, score DESC, url"
"""The order of the queue."""

_GROUP = 20_000
"""Rows of a row group: engines skip those whose sites they do not want, and one fits in a small memory."""

_FORMATS = {
    # One field a line; a canonical URL holds no line end.
    "list": "FORMAT csv, HEADER false, QUOTE '', ESCAPE '', DELIMITER E'\\n'",
    "lines": "FORMAT json",
    "parquet": f"FORMAT parquet, COMPRESSION zstd, ROW_GROUP_SIZE {_GROUP}",
}

PART = "substr(md5(site), 1, 2)"
"""The part of a data set that a site is in: the first two digits of its MD5, which every engine has."""


def check_target(target: QueueTarget, sources: tuple[LinkFile, ...], *, force: bool) -> None:
    """See that the queue may be written.

    Raises:
        SegmentError: something is there, or the folder is not.
    """
    if target.is_stream:
        return
    path = target.path
    if not path.absolute().parent.is_dir():
        raise SegmentError(f"There is no folder {path.absolute().parent} to write {path.name} in.")
    if any(path.exists() and source.path.exists() and path.samefile(source.path) for source in sources):
        raise SegmentError(f"{path} is an input and the output. Name another output.")
    if target.kind == "folder":
        _check_folder(path, force=force)
    elif path.exists() and not force:
        raise SegmentError(f"{path} is there already. Name another output, or replace it with --force.")


def _check_folder(path: Path, *, force: bool) -> None:
    if not path.exists():
        return
    if not path.is_dir():
        raise SegmentError(f"{path} is no folder. Name another output.")
    if not all(_is_ours(each) for each in path.iterdir()):
        raise SegmentError(f"{path} holds other things than a queue. Name another output.")
    if any(path.iterdir()) and not force:
        raise SegmentError(f"{path} is there already. Name another output, or replace it with --force.")


def _is_ours(path: Path) -> bool:
    names = {each.name for each in path.iterdir()} if path.is_dir() else {""}
    return path.name.startswith("part=") and names <= {"queue.parquet"}


class QueueWriter:
    """Writes the queue.

    Args:
        target: where to.
        stdout: the standard output.
        spool: folder for what has no place of its own yet.
    """

    def __init__(self, target: QueueTarget, stdout: BinaryIO, spool: Path) -> None:
        self._target = target
        self._stdout = stdout
        path = target.path.absolute()
        self._part = spool / "output" if target.is_stream else path.with_name(path.name + ".part")

    def write(self, engine: Engine, select: str) -> None:
        """Write the rows of a SELECT, in their order, and put them in their place.

        Raises:
            SegmentError: they cannot be written. Nothing is left behind.
        """
        try:
            self._remove(self._part)
            if self._target.kind == "folder":
                self._write_folder(engine, select)
            else:
                self._copy(engine, select, self._part, self._target.kind)
            self._place()
        except OSError as error:
            raise SegmentError(f"{self._target.path} cannot be written: {error.strerror or error}.") from error
        finally:
            self._remove(self._part)

    def _copy(self, engine: Engine, select: str, path: Path, kind: str) -> None:
        packed = ", COMPRESSION gzip" if self._target.packed else ""
        engine.run(f"COPY ({select}) TO {text(path)} ({_FORMATS[kind]}{packed})")
        _sync(path)

    def _write_folder(self, engine: Engine, select: str) -> None:
        """One file for each part: so each keeps the order, and one at a time is in memory."""
        self._part.mkdir()
        sorted_table(engine, "parted", f"SELECT *, {PART} AS part FROM ({select})\nORDER BY part, {ORDER}")
        for (part,) in engine.run("SELECT DISTINCT part FROM parted ORDER BY part"):
            folder = self._part / f"part={part}"
            folder.mkdir()
            rows = f"SELECT * EXCLUDE (part, best, site_score) FROM parted WHERE part = {text(part)}"
            self._copy(engine, rows, folder / "queue.parquet", "parquet")
            sync_folder(folder)
        sync_folder(self._part)

    def _place(self) -> None:
        if self._target.is_stream:
            with self._part.open("rb") as file:
                shutil.copyfileobj(file, self._stdout, _CHUNK)
            self._stdout.flush()
            return
        if self._target.kind == "folder" and self._target.path.exists():
            shutil.rmtree(self._target.path)
        self._part.replace(self._target.path.absolute())
        sync_folder(self._target.path.absolute().parent)

    @staticmethod
    def _remove(path: Path) -> None:
        if path.is_dir():
            shutil.rmtree(path)
        else:
            path.unlink(missing_ok=True)


def _sync(path: Path) -> None:
    with path.open("rb") as file:
        os.fsync(file.fileno())
