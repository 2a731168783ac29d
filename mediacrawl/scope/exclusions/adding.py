"""One line more in a list, written so that no reader ever sees half of it."""

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

from mediacrawl.scope.exclusions.content import Content
from mediacrawl.scope.exclusions.errors import NeverCrawlError
from mediacrawl.scope.exclusions.files import read_whole
from mediacrawl.scope.exclusions.lines import Entry, Line, read_line
from mediacrawl.scope.exclusions.never import NeverCrawl

_LONGEST_REASON = 1_000
"""Characters of a reason; the rest is cut off."""
_IN_PLACE = frozenset({errno.EPERM, errno.EACCES, errno.EBUSY})
"""Errors of replacing a file that may be written all the same."""


@dataclass(slots=True, frozen=True)
class Addition:
    """What became of a wish.

    Attributes:
        entry: the line that fulfils it.
        new: whether that line was added; else it was there before.
    """

    entry: Entry
    new: bool

    @property
    def path(self) -> Path:
        """The file in which the line stands."""
        return Path(self.entry.file)


def add_entry(paths: Sequence[Path], written: str, reason: str, today: date) -> Addition:
    """Add a line to the first of some lists that can be written: ``DOMAIN  # REASON, 2026-11-02``.

    On disk: the list, text in UTF-8. It is written anew beside itself and renamed, with its owner and mode; if that is
    not permitted, or the list is mounted by itself, the line is appended in place. A link is followed, and its target
    written. A kill leaves the old list or the new one, at worst with a file beside it that begins with a dot; of a line
    that was being appended it may leave a part, without its end. Two that add at once wait for each other.

    Args:
        paths: the lists that count together. If one of them covers it already nothing is written.
        written: domain, domain with path, address or network, as people write them.
        reason: why, for those who come later; line ends become blanks.
        today: when.

    Raises:
        NeverCrawlError: this is no entry, or no list can be written, or the one that can is broken.
    """
    line = entry_line(written)
    text = f"{written.strip()}  # {_comment(reason, today)}"
    problems = []
    for path in paths:
        try:
            target = path.resolve(strict=True)
            if not os.access(target, os.W_OK):
                problems.append(f"{path} may not be written")
                continue
            with _alone(target.parent):
                return _covering(paths, line) or _append(path, target, line, text)
        except OSError as error:
            problems.append(f"{path}: {error.strerror or error}")
    raise NeverCrawlError(f"no list can be written: {'; '.join(problems) or 'NEVERCRAWL_FILES names none'}.")


def covering(paths: Sequence[Path], domain: str, path: str = "") -> Entry | None:
    """The line that covers all that an entry would; lists that cannot be read are passed over.

    Args:
        paths: the lists.
        domain: see `Entry`.
        path: see `Entry`.
    """
    contents = []
    for file in paths:
        with suppress(OSError, NeverCrawlError):
            contents.append(Content.of(read_whole(file), str(file)))
    return NeverCrawl(contents).covers(domain, path)


def entry_line(written: str) -> Line:
    """What an entry says.

    Args:
        written: as people write it, without a comment.

    Raises:
        NeverCrawlError: it is no entry.
    """
    line = read_line(written) if "#" not in written else "has a # in it, which begins a comment"
    if not isinstance(line, Line):
        raise NeverCrawlError(f"{written[:80]!r} {line or 'is no domain'}.")
    return line


def copy_list(source: Path, target: Path) -> None:
    """Make a list of one's own out of another one. On disk: the new list, by way of another name beside it.

    Args:
        source: what is copied.
        target: its folder is made if need be; a file that is there, made by another one at the same time, is kept.

    Raises:
        NeverCrawlError: it cannot be written.
    """
    try:
        target.parent.mkdir(parents=True, exist_ok=True)
        with _alone(target.parent):
            if not target.exists():
                beside = target.with_name(f".{target.name}.new")
                beside.write_bytes(read_whole(source))
                beside.replace(target)
    except OSError as error:
        raise NeverCrawlError(f"{target} can not be written: {error.strerror or error}.") from error


def _comment(reason: str, today: date) -> str:
    plain = "".join(c if c.isprintable() else " " for c in reason[:_LONGEST_REASON])
    return ", ".join(filter(None, [" ".join(plain.split()), today.isoformat()]))


def _covering(paths: Sequence[Path], line: Line) -> Addition | None:
    entry = covering(paths, line.domain, line.path)
    return None if entry is None else Addition(entry, new=False)


def _append(path: Path, target: Path, line: Line, text: str) -> Addition:
    data = read_whole(target)
    end = _line_end(data)
    before = end if data and not data.endswith(end[-1:]) else b""
    more = before + text.encode("utf-8", "replace") + end
    # A list that is broken stays out of force; what is added to it would, too.
    added = Content.of(data + more, str(path)).find(line.key)
    if added is None:
        raise NeverCrawlError(f"{text[:80]!r} would not be read again from {path}.")
    _write(target, data, more)
    return Addition(added, new=True)


def _line_end(data: bytes) -> bytes:
    if b"\n" not in data:
        return b"\r" if b"\r" in data else b"\n"
    return b"\r\n" if b"\r\n" in data else b"\n"


def _write(target: Path, data: bytes, more: bytes) -> None:
    try:
        _replace(target, data + more)
    except OSError as error:
        if error.errno not in _IN_PLACE:
            raise
        with target.open("ab") as file:
            file.write(more)
            file.flush()
            os.fsync(file.fileno())


def _replace(target: Path, data: bytes) -> None:
    """Write a file beside it, as its owner, and put that in its place.

    Raises:
        OSError: with a number of `_IN_PLACE`: the folder may not be written, the owner cannot be kept, or the file is
            a mount of its own, as a container's list is.
    """
    was = target.stat()
    descriptor, beside = tempfile.mkstemp(prefix=f".{target.name}.", dir=target.parent)
    try:
        with os.fdopen(descriptor, "wb") as file:
            os.fchown(descriptor, was.st_uid, was.st_gid)
            os.fchmod(descriptor, S_IMODE(was.st_mode))
            file.write(data)
            file.flush()
            os.fsync(descriptor)
        Path(beside).replace(target)
    except BaseException:
        Path(beside).unlink(missing_ok=True)
        raise


@contextmanager
def _alone(folder: Path) -> Iterator[None]:
    """Hold the folder's lock. It is the folder's own, so that no further file lies there."""
    descriptor = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    try:
        # Some network file systems cannot lock a folder: there, of two at once, one line may be lost.
        with suppress(OSError):
            fcntl.flock(descriptor, fcntl.LOCK_EX)
        yield
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
