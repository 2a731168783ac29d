"""Puts a new file in the place of an old one: a copy in its folder is changed, made safe on the disk, and renamed.

What a kill or a power cut leaves: the old file or the new one, whole; and, before the rename, a copy under a name that
begins with ``.demojibake-``, which the next run in that folder removes. In place nothing is ever written, not even
where the padding of a tag suffices, since half of a new tag over half of an old one is no tag.
"""

from __future__ import annotations

import os
import re
import secrets
import shutil
import stat
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path

if sys.platform != "win32":
    import fcntl

_BLOCK = 1 << 26
_DRAFT = re.compile(r"\.demojibake-[0-9a-f]{16}\.tmp")
_NO_ATTRIBUTES = frozenset({1, 22, 61, 95})
"""EPERM, EINVAL, ENODATA, EOPNOTSUPP: a disk without such attributes, or one that only the system may write."""


class RefusedError(Exception):
    """A file that is left as it is; the message says why, as the second half of a sentence."""


@dataclass(frozen=True, slots=True)
class Draft:
    """A copy of a file that is being changed.

    Attributes:
        path: of the copy.
        target: the file it was copied from.
        state: of that file when it was copied.
        descriptor: of the open copy; it holds the lock that tells other runs that this is no leftover.
    """

    path: Path
    target: Path
    state: os.stat_result
    descriptor: int

    def drop(self) -> None:
        """Remove the copy, unless it was renamed; one that the disk keeps is a leftover. To be called once."""
        os.close(self.descriptor)
        with suppress(OSError):
            self.path.unlink(missing_ok=True)


def refuse_unwritable(path: Path) -> os.stat_result:
    """See whether a file may be replaced.

    A file with several names (hard links) is not: a rename would part them, and the other name would keep the old file.

    Raises:
        RefusedError: it may not.
        OSError: it is gone.
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
def draft_of(path: Path, *, is_empty: bool = False) -> Iterator[Draft]:
    """Make a draft that is gone at the end. Arguments and errors are those of `make_draft`."""
    draft = make_draft(path, is_empty=is_empty)
    try:
        yield draft
    finally:
        draft.drop()


def make_draft(path: Path, *, is_empty: bool = False) -> Draft:
    """Copy a file within its folder, with its owner, permissions and attributes. The caller has to `drop` the copy.

    Args:
        path: of the file.
        is_empty: whether the contents are left out.

    Raises:
        RefusedError: it may not be replaced, or not by a file of the same owner.
        OSError: the disk is full, or gives an error.
    """
    state = refuse_unwritable(path)
    copy = path.with_name(f".demojibake-{secrets.token_hex(8)}.tmp")
    descriptor = os.open(copy, os.O_RDWR | os.O_CREAT | os.O_EXCL | getattr(os, "O_CLOEXEC", 0), 0o600)
    draft = Draft(copy, path, state, descriptor)
    try:
        # A kill takes the lock away.
        _lock(descriptor)
        if not is_empty:
            copy_contents(path, descriptor)
        _keep_owner(descriptor, state)
        _copy_attributes(path, copy)
        copy.chmod(stat.S_IMODE(state.st_mode))
    except BaseException:
        draft.drop()
        raise
    return draft


def copy_contents(path: Path, descriptor: int) -> None:
    """Copy a file into an open one; where the disk can, without moving its bytes through memory.

    Raises:
        OSError: the disk is full, or gives an error.
    """
    with path.open("rb") as source, os.fdopen(os.dup(descriptor), "wb") as copy:
        if sys.platform == "linux":
            with suppress(OSError):
                while os.copy_file_range(source.fileno(), descriptor, _BLOCK):
                    pass
                return
            # It knows no such call, or is full: the usual way says which.
            source.seek(0)
            os.ftruncate(descriptor, 0)
            copy.seek(0)
        shutil.copyfileobj(source, copy, 1 << 20)


def put(draft: Draft, *, keep_mtime: bool) -> None:
    """Rename a draft that `sync` made safe to its target. The caller makes that safe by `sync_folder`.

    Args:
        draft: of `draft_of`.
        keep_mtime: whether the new file has the old one's times.

    Raises:
        RefusedError: another program has changed the file meanwhile.
        OSError: the disk gives an error.
    """
    now = draft.target.lstat()
    was = draft.state
    if (now.st_ino, now.st_size, now.st_mtime_ns) != (was.st_ino, was.st_size, was.st_mtime_ns):
        raise RefusedError("another program changed it meanwhile")
    if keep_mtime:
        os.utime(draft.path, ns=(was.st_atime_ns, was.st_mtime_ns))
    draft.path.replace(draft.target)


def sync(path: Path) -> None:
    """Make the contents of a file safe from a power cut.

    Raises:
        OSError: the disk is full, or gives an error.
    """
    descriptor = os.open(path, os.O_RDWR | getattr(os, "O_BINARY", 0))
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def is_draft(name: str) -> bool:
    """Whether a file has the name of a draft."""
    return bool(_DRAFT.fullmatch(name))


def remove_leftover(path: Path) -> bool:
    """Remove a draft that a killed run left.

    Returns:
        Whether it is gone; not if a run that continues has it, or the folder is read-only.
    """
    try:
        descriptor = os.open(path, os.O_RDWR | getattr(os, "O_NOFOLLOW", 0))
    except OSError:
        return False
    try:
        _lock(descriptor)
        path.unlink()
    except OSError:
        return False
    finally:
        os.close(descriptor)
    return True


def _lock(descriptor: int) -> None:
    """Raises BlockingIOError if another process holds the lock."""
    if sys.platform != "win32":
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)


def _keep_owner(descriptor: int, state: os.stat_result) -> None:
    if sys.platform == "win32":
        return
    made = os.fstat(descriptor)
    if (made.st_uid, made.st_gid) == (state.st_uid, state.st_gid):
        return
    try:
        os.fchown(descriptor, state.st_uid, state.st_gid)
    except PermissionError as error:
        raise RefusedError("it belongs to another user, and would not after the change") from error


def _copy_attributes(source: Path, copy: Path) -> None:
    """Copies extended attributes, access control lists among them; Linux alone has the calls."""
    if sys.platform != "linux":
        return
    with suppress(OSError):
        for name in os.listxattr(source, follow_symlinks=False):
            try:
                os.setxattr(copy, name, os.getxattr(source, name))
            except OSError as error:
                if error.errno not in _NO_ATTRIBUTES:
                    raise
