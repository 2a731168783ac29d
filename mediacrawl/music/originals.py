"""Puts a new file in the place of an old one, and keeps the old one.

A copy in the folder of the file is changed, synced, and renamed. In place nothing is ever written, since half of a new
tag over half of an old one is no tag.
"""

from __future__ import annotations

import base64
import json
import os
import re
import secrets
import shutil
import stat
import sys
import threading
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any, BinaryIO

from mediacrawl.observe.archive import sync_folder

if sys.platform != "win32":
    import fcntl

LIST = "originals.jsonl"
"""Name of the list in a folder of originals."""
_DRAFT = re.compile(r"\.demojibake-[0-9a-f]{16}\..*")


class RefusedError(Exception):
    """A file that stays as it is; the message is the second half of a sentence."""


class OriginalsError(Exception):
    """A folder of originals cannot be written or read; the message is a sentence."""


@dataclass(frozen=True, slots=True)
class Draft:
    """A copy of a file that is being changed; `state` is that of the file when it was copied."""

    path: Path
    target: Path
    state: os.stat_result


def is_draft(name: str) -> bool:
    """Return whether a file has the name of a draft."""
    return bool(_DRAFT.fullmatch(name))


def refuse_unwritable(path: Path) -> os.stat_result:
    """Raise RefusedError if a file may not be replaced, OSError if it is gone.

    A file with several hard links may not: the other name would keep the old file.
    """
    state = path.lstat()
    if not stat.S_ISREG(state.st_mode):
        raise RefusedError("it is no regular file")
    if state.st_nlink > 1:
        raise RefusedError(f"it has {state.st_nlink} names (hard links), and only this one would change; copy it first")
    if not state.st_mode & 0o222 or not os.access(path, os.W_OK):
        raise RefusedError("it is read-only")
    if not path.parent.stat().st_mode & 0o222 or not os.access(path.parent, os.W_OK | os.X_OK):
        raise RefusedError("its folder is read-only")
    return state


@contextmanager
def draft_of(path: Path) -> Iterator[Draft]:
    """Yield a copy of a file, with its owner, permissions and attributes. It is removed unless it was renamed.

    A kill leaves the copy; its name begins with ``.demojibake-``, and the next run in that folder removes it.

    Raises:
        RefusedError: the file may not be replaced, or not by a file of the same owner.
        OSError: the disk is full, or gives an error.
    """
    state = refuse_unwritable(path)
    copy = path.with_name(f".demojibake-{secrets.token_hex(8)}{path.suffix or '.tmp'}")
    with copy.open("xb") as file:
        try:
            # A kill takes the lock away; so a draft without one is a leftover.
            _lock(file.fileno())
            shutil.copy2(path, copy)
            made = copy.stat()
            if (made.st_uid, made.st_gid) != (state.st_uid, state.st_gid):
                try:
                    os.chown(copy, state.st_uid, state.st_gid)
                except PermissionError as error:
                    raise RefusedError("it belongs to another user, and would not after the change") from error
            yield Draft(copy, path, state)
        finally:
            with suppress(OSError):
                copy.unlink(missing_ok=True)


def remove_leftover(path: Path) -> bool:
    """Remove a draft that a killed run left. Return whether it is gone; a run that continues keeps its own."""
    with suppress(OSError):
        descriptor = os.open(path, os.O_RDWR | getattr(os, "O_NOFOLLOW", 0))
        try:
            _lock(descriptor)
            path.unlink()
        finally:
            os.close(descriptor)
        return True
    return False


def put(draft: Draft, originals: Originals | None, *, keep_mtime: bool) -> None:
    """Sync a draft and rename it to its target, after the original was kept.

    Raises:
        RefusedError: another program has changed the file meanwhile.
        OriginalsError: the original cannot be kept.
        OSError: the disk is full, or gives an error.
    """
    with draft.path.open("r+b") as file:
        os.fsync(file.fileno())
    was, now = draft.state, draft.target.lstat()
    if (now.st_ino, now.st_size, now.st_mtime_ns) != (was.st_ino, was.st_size, was.st_mtime_ns):
        raise RefusedError("another program changed it meanwhile")
    if keep_mtime:
        os.utime(draft.path, ns=(was.st_atime_ns, was.st_mtime_ns))
    kept = originals.keep(draft) if originals else None
    try:
        draft.path.replace(draft.target)
    except OSError:
        if kept:
            kept.unlink(missing_ok=True)
        raise
    sync_folder(draft.target.parent)


class Originals:
    """Keeps the original of each file before the new one takes its name. Several threads may call it.

    On disk: a folder with one file for each original (a hard link where the disk has them, else a copy), and
    ``originals.jsonl``. That has a line of JSON for each file, synced before the original is linked: ``path`` (or
    ``path_b64``, where the name is no UTF-8), ``original`` (a name in the folder), ``old`` and ``new`` (size in bytes
    and time of modification in nanoseconds). A kill leaves a line of a file that is still the old one, or an original
    of it, which the next run and ``--undo`` see. A last line that was cut off is removed.

    Args:
        folder: made with the first original. One that has a list is continued.
    """

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self._file: BinaryIO | None = None
        self._lock = threading.Lock()
        for each in {folder, *folder.absolute().parent.glob("demojibake-*")}:
            _unlink_unreplaced(each)

    def close(self) -> None:
        """Close the list."""
        if self._file is not None:
            self._file.close()

    def keep(self, draft: Draft) -> Path:
        """Keep the file that a draft will replace. Return the path of the original.

        Raises:
            OriginalsError: the disk is full or gives an error, or the folder is another's.
        """
        target, new = draft.target.absolute(), draft.path.stat()
        kept = self.folder / f"{secrets.token_hex(8)}{target.suffix}.original"
        line = {
            **_named(target),
            "original": kept.name,
            "old": [draft.state.st_size, draft.state.st_mtime_ns],
            "new": [new.st_size, new.st_mtime_ns],
        }
        try:
            with self._lock:
                if self._file is None:
                    self._file = self._opened()
                self._file.write(json.dumps(line).encode() + b"\n")
                self._file.flush()
                os.fsync(self._file.fileno())
            try:
                os.link(target, kept, follow_symlinks=False)
            except OSError:
                # Another disk, or one without hard links.
                shutil.copy2(target, kept)
                with kept.open("r+b") as copy:
                    os.fsync(copy.fileno())
            sync_folder(self.folder)
        except OSError as error:
            raise OriginalsError(f"{self.folder} cannot be written: {error.strerror or error}.") from error
        return kept

    def _opened(self) -> BinaryIO:
        """Open the list, lock it, and remove a last line that a kill cut off."""
        if self.folder.is_dir() and any(self.folder.iterdir()) and not (self.folder / LIST).is_file():
            raise OriginalsError(f"{self.folder} is no folder of originals; name one that is empty or not there.")
        self.folder.mkdir(exist_ok=True)
        file = (self.folder / LIST).open("a+b")
        try:
            _lock(file.fileno())
            file.seek(0)
            file.truncate(file.read().rfind(b"\n") + 1)
            sync_folder(self.folder.absolute().parent)
        except BlockingIOError as error:
            file.close()
            raise OriginalsError(f"Another run writes {self.folder}.") from error
        return file


@dataclass(frozen=True, slots=True)
class Undone:
    """What became of one file; `why` it stays as it is, empty if its original is back; `failed` if that is an error."""

    path: Path
    why: str = ""
    failed: bool = False


def undo(folder: Path) -> Iterator[Undone]:
    """Bring the originals of a run back, the last one first. Errors of one file do not end it.

    The folder is removed if all are back.

    Raises:
        OriginalsError: the list cannot be read.
    """
    complete = True
    for line in reversed(_lines(folder)):
        if line is None:
            done = Undone(folder / LIST, "a line of it cannot be read", failed=True)
        else:
            path = _path(line)
            try:
                done = Undone(path, _bring_back(path, folder / line["original"], line))
            except (RefusedError, OSError) as error:
                done = Undone(path, getattr(error, "strerror", None) or str(error), failed=True)
        complete &= not done.failed
        yield done
    if complete:
        with suppress(OSError):
            (folder / LIST).unlink()
            folder.rmdir()


def _bring_back(path: Path, original: Path, line: Mapping[str, Any]) -> str:
    """Put an original back. Return why there is nothing to do; empty if there was."""
    now = path.lstat()
    found, unchanged = [now.st_size, now.st_mtime_ns], "it is as it was before"
    if not original.exists():
        if found == line["old"]:
            return unchanged
        raise RefusedError(f"its original {original} is gone")
    if original.samefile(path):
        original.unlink()
        return unchanged
    if found != line["new"]:
        raise RefusedError(f"it was changed since by another program; its original is {original}")
    try:
        original.replace(path)
    except OSError:
        # Another disk.
        with draft_of(path) as draft:
            shutil.copy2(original, draft.path)
            draft.path.replace(path)
        original.unlink()
    sync_folder(path.parent)
    return ""


def _unlink_unreplaced(folder: Path) -> None:
    """Remove the link to a file that a killed run did not replace; with two names it would not be written."""
    with suppress(OSError, OriginalsError):
        for line in _lines(folder, 64):
            if line and (folder / line["original"]).samefile(_path(line)):
                (folder / line["original"]).unlink()


def _lines(folder: Path, last: int = 0) -> list[dict[str, Any] | None]:
    """Return the lines of a list, or the last ones of it; None for one that cannot be read."""
    try:
        *texts, _ = (folder / LIST).read_bytes().split(b"\n")
    except OSError as error:
        raise OriginalsError(f"{folder} is no folder of originals: {error.strerror or error}.") from error
    return [_line(text) for text in texts[-last:]]


def _line(text: bytes) -> dict[str, Any] | None:
    try:
        line: dict[str, Any] = json.loads(text)
        if os.sep in line["original"] or not _path(line).is_absolute() or not line["old"] or not line["new"]:
            return None
    except (ValueError, TypeError, KeyError, RecursionError):
        return None
    return line


def _named(path: Path) -> dict[str, str]:
    try:
        os.fspath(path).encode()
    except UnicodeEncodeError:
        return {"path_b64": base64.b64encode(os.fsencode(path)).decode()}
    return {"path": str(path)}


def _path(line: Mapping[str, Any]) -> Path:
    return Path(line["path"] if "path" in line else os.fsdecode(base64.b64decode(line["path_b64"])))


def _lock(descriptor: int) -> None:
    """Raise BlockingIOError if another process holds the lock."""
    if sys.platform != "win32":
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
