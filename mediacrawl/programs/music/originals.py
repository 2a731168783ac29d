"""Puts a new file in the place of an old one, and keeps the old one.

A copy in the folder of the file is changed, synced, and renamed. In place nothing is ever written, since half of a new
tag over half of an old one is no tag.
"""

from __future__ import annotations

import json
import os
import re
import secrets
import shutil
import stat
import threading
from collections.abc import Callable, Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from mediacrawl.base.files import sync_folder

LIST = "originals.jsonl"
"""Name of the list in a folder of originals."""
_DRAFT = re.compile(r"\.demojibake-[0-9a-f]{16}\..*")


class RefusedError(Exception):
    """A file that stays as it is; the message is the second half of a sentence."""


class OriginalsError(Exception):
    """A folder of originals cannot be written or read; the message is a sentence."""


def is_draft(name: str) -> bool:
    """Return whether a file has the name of a copy that is being changed."""
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


def replace_file(
    path: Path, change: Callable[[Path], object], originals: Originals | None, *, keep_mtime: bool = False
) -> None:
    """Change a copy of a file, which has its owner, permissions and attributes, and rename it to the file.

    A kill leaves the old file or the new one, and maybe the copy; its name begins with ``.demojibake-``, and the next
    run in that folder removes it.

    Args:
        path: of the file.
        change: called with the path of the copy.
        originals: keeps the file before the copy takes its name; None to keep nothing.
        keep_mtime: whether the new file has the modification time of the old one.

    Raises:
        RefusedError: the file may not be replaced, or another program has changed it meanwhile.
        OriginalsError: the original cannot be kept.
        OSError: the disk is full, or gives an error.
    """
    was = refuse_unwritable(path)
    draft = path.with_name(f".demojibake-{secrets.token_hex(8)}{path.suffix or '.tmp'}")
    try:
        shutil.copy2(path, draft)
        made = draft.stat()
        if (made.st_uid, made.st_gid) != (was.st_uid, was.st_gid):
            try:
                os.chown(draft, was.st_uid, was.st_gid)
            except PermissionError as error:
                raise RefusedError("it belongs to another user, and would not after the change") from error
        change(draft)
        with draft.open("r+b") as file:
            os.fsync(file.fileno())
        now = path.lstat()
        if (now.st_ino, now.st_size, now.st_mtime_ns) != (was.st_ino, was.st_size, was.st_mtime_ns):
            raise RefusedError("another program changed it meanwhile")
        if keep_mtime:
            os.utime(draft, ns=(was.st_atime_ns, was.st_mtime_ns))
        kept = originals.keep(path, draft) if originals else None
        try:
            draft.replace(path)
        except OSError:
            if kept:
                kept.unlink(missing_ok=True)
            raise
        sync_folder(path.parent)
    finally:
        with suppress(OSError):
            draft.unlink(missing_ok=True)


class Originals:
    """Keeps the original of each file before the new one takes its name. Several threads may call it.

    On disk: a folder with one file for each original (a hard link where the disk has them, else a copy), and
    ``originals.jsonl``. That has a line of JSON for each file, synced before the original is linked: ``path``,
    ``original`` (a name in the folder), ``old`` and ``new`` (size in bytes and time of modification in nanoseconds).
    A kill leaves a line of a file that is still the old one, or an original of it, which the next run and ``--undo``
    see. A last line that was cut off is removed.

    Args:
        folder: made with the first original. One that has a list is continued.
    """

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self._is_ready = False
        self._lock = threading.Lock()
        for each in {folder, *folder.absolute().parent.glob("demojibake-*")}:
            # The link to a file that a killed run did not replace: with two names it would not be written.
            with suppress(OSError, OriginalsError):
                for line in _lines(each)[-64:]:
                    if line and (each / line["original"]).samefile(line["path"]):
                        (each / line["original"]).unlink()

    def keep(self, path: Path, draft: Path) -> Path:
        """Keep the file that a draft will replace. Return the path of the original.

        Raises:
            OriginalsError: the disk is full or gives an error, or the folder is another's.
        """
        target = path.absolute()
        kept = self.folder / f"{secrets.token_hex(8)}{target.suffix}.original"
        try:
            # Bytes of a name that is no UTF-8 are lone surrogates, which JSON escapes.
            line = {"path": str(target), "original": kept.name, "old": _state(target), "new": _state(draft)}
            with self._lock:
                if not self._is_ready:
                    self._prepare()
                with (self.folder / LIST).open("ab") as file:
                    file.write(json.dumps(line).encode() + b"\n")
                    file.flush()
                    os.fsync(file.fileno())
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

    def _prepare(self) -> None:
        """Make the folder, and remove a last line of the list that a kill cut off."""
        path = self.folder / LIST
        if self.folder.is_dir() and any(self.folder.iterdir()) and not path.is_file():
            raise OriginalsError(f"{self.folder} is no folder of originals; name one that is empty or not there.")
        self.folder.mkdir(exist_ok=True)
        with path.open("a+b") as file:
            file.seek(0)
            found = file.read()
            if not found.endswith(b"\n"):
                file.truncate(found.rfind(b"\n") + 1)
        sync_folder(self.folder.absolute().parent)
        self._is_ready = True


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
            path = Path(line["path"])
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
    found = _state(path)
    if original.exists() and original.samefile(path):
        original.unlink()
    elif original.exists():
        if found != line["new"]:
            raise RefusedError(f"it was changed since by another program; its original is {original}")
        try:
            original.replace(path)
        except OSError:
            # Another disk.
            replace_file(path, lambda draft: shutil.copy2(original, draft), None)
            original.unlink()
        sync_folder(path.parent)
        return ""
    elif found != line["old"]:
        raise RefusedError(f"its original {original} is gone")
    return "it is as it was before"


def _state(path: Path) -> list[int]:
    state = path.lstat()
    return [state.st_size, state.st_mtime_ns]


def _lines(folder: Path) -> list[dict[str, Any] | None]:
    """Return the lines of a list; None for one that cannot be read."""
    try:
        *texts, _ = (folder / LIST).read_bytes().split(b"\n")
    except OSError as error:
        raise OriginalsError(f"{folder} is no folder of originals: {error.strerror or error}.") from error
    lines: list[dict[str, Any] | None] = []
    for text in texts:
        try:
            line = json.loads(text)
            is_inside = os.sep not in line["original"] and Path(line["path"]).is_absolute()
            lines.append(line if is_inside and line["old"] and line["new"] else None)
        except (ValueError, TypeError, KeyError, RecursionError):
            lines.append(None)
    return lines
