"""Adding an entry to a NeverCrawl list, so that no reader sees half a line."""

from __future__ import annotations

import errno
import fcntl
import os
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from datetime import date
from pathlib import Path
from stat import S_IMODE

from mediacrawl.base.files import replacing
from mediacrawl.scope.exclusions.never import Exclusion, ListContent, NeverCrawl, NeverCrawlError, read_line, read_whole

_LONGEST_REASON = 1_000
"""Characters of a reason; the rest is cut off."""
_CANNOT_REPLACE = frozenset({errno.EPERM, errno.EACCES, errno.EBUSY})
"""Errors of replacing a file that may still be appended to: the folder may not be written, the owner cannot be kept, or
the file is a mount of its own, as a container's list is."""


@dataclass(slots=True, frozen=True)
class Addition:
    """The result of `add_entry`.

    Attributes:
        entry: the entry that covers what was to be added.
        new: whether it was added; False if it was there before.
    """

    entry: Exclusion
    new: bool

    @property
    def path(self) -> Path:
        """The file of the entry."""
        return Path(self.entry.file)


def add_entry(paths: Sequence[Path], written: str, reason: str, today: date) -> Addition:
    """Add a line to the first list that can be written, unless one covers it: ``DOMAIN # REASON, 2026-11-02``.

    On disk: the list, text in UTF-8. It is written to a temporary file in its folder and renamed, with owner and
    mode kept; if that is not permitted, the line is appended in place. A symbolic link is followed. A kill leaves
    the old list or the new one, and at worst a temporary file whose name begins with a dot; of a line appended in
    place a part without line end may be left. Concurrent calls wait for each other.

    Raises:
        NeverCrawlError: this is no entry, or no list can be written, or the one that can is broken.
    """
    entry = parse_entry(written)
    comment = ", ".join(filter(None, [_one_line(reason), today.isoformat()]))
    problems = []
    for path in paths:
        try:
            target = path.resolve(strict=True)
            if not os.access(target, os.W_OK):
                problems.append(f"{path} may not be written")
                continue
            with _locked(target.parent):
                found = covering(paths, entry)
                return (
                    Addition(found, new=False)
                    if found
                    else _append(path, target, entry, f"{written.strip()}  # {comment}")
                )
        except OSError as error:
            problems.append(f"{path}: {error.strerror or error}")
    raise NeverCrawlError(f"no list can be written: {'; '.join(problems) or 'NEVERCRAWL_FILES names none'}.")


def covering(paths: Sequence[Path], entry: Exclusion) -> Exclusion | None:
    """Return the entry of some lists that covers all that another one would; lists that cannot be read are skipped."""
    contents = []
    for file in paths:
        with suppress(OSError, NeverCrawlError):
            contents.append(ListContent.of(read_whole(file), str(file)))
    return NeverCrawl(contents).covers(entry.domain, entry.path)


def parse_entry(written: str) -> Exclusion:
    """Parse an entry without a comment.

    Raises:
        NeverCrawlError: it is no entry.
    """
    entry = read_line(written) if "#" not in written else "has a # in it, which begins a comment"
    if not isinstance(entry, Exclusion):
        raise NeverCrawlError(f"{written[:80]!r} {entry or 'is no domain'}.")
    return entry


def copy_list(source: Path, target: Path) -> None:
    """Copy a list, whose folder is made if need be. A file that another process made meanwhile is kept.

    On disk: the new list, by way of a temporary file in its folder.

    Raises:
        NeverCrawlError: it cannot be written.
    """
    try:
        target.parent.mkdir(parents=True, exist_ok=True)
        with _locked(target.parent):
            if not target.exists():
                with replacing(target) as file:
                    file.write(read_whole(source))
    except OSError as error:
        raise NeverCrawlError(f"{target} can not be written: {error.strerror or error}.") from error


def _one_line(reason: str) -> str:
    return " ".join("".join(c if c.isprintable() else " " for c in reason[:_LONGEST_REASON]).split())


def _append(path: Path, target: Path, entry: Exclusion, text: str) -> Addition:
    data = read_whole(target)
    end = _line_end(data)
    before = end if data and not data.endswith(end[-1:]) else b""
    more = before + text.encode("utf-8", "replace") + end
    # A broken list is not in force, and nor would be what is added to it.
    added = ListContent.of(data + more, str(path)).find(entry.key)
    if added is None:
        raise NeverCrawlError(f"{text[:80]!r} would not be read again from {path}.")
    try:
        _replace(target, data + more)
    except OSError as error:
        if error.errno not in _CANNOT_REPLACE:
            raise
        with target.open("ab") as file:
            file.write(more)
            file.flush()
            os.fsync(file.fileno())
    return Addition(added, new=True)


def _line_end(data: bytes) -> bytes:
    if b"\n" not in data:
        return b"\r" if b"\r" in data else b"\n"
    return b"\r\n" if b"\r\n" in data else b"\n"


def _replace(target: Path, data: bytes) -> None:
    was = target.stat()
    descriptor, name = tempfile.mkstemp(prefix=f".{target.name}.", dir=target.parent)
    draft = Path(name)
    try:
        with os.fdopen(descriptor, "wb") as file:
            os.fchown(descriptor, was.st_uid, was.st_gid)
            os.fchmod(descriptor, S_IMODE(was.st_mode))
            file.write(data)
            file.flush()
            os.fsync(descriptor)
        draft.replace(target)
    except BaseException:
        draft.unlink(missing_ok=True)
        raise


@contextmanager
def _locked(folder: Path) -> Iterator[None]:
    """Hold a lock on the folder itself, so that no lock file is needed."""
    descriptor = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    try:
        # Some network file systems cannot lock a folder: there, of two concurrent additions, one may be lost.
        with suppress(OSError):
            fcntl.flock(descriptor, fcntl.LOCK_EX)
        yield
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
