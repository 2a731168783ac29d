"""What the frontier's and the catalogue's SQLite files share: how they are opened and closed, and their errors.

With each file there is a mark: the number of its commits, in a second file, to detect a lost WAL, which SQLite passes
over silently. On disk: one line of ASCII, the number of commits, the boot id of the machine, and ``closed`` if the
file was closed since, so that nothing is left in the WAL. It is written after each commit, so it is never ahead of the
database.
"""

from __future__ import annotations

import errno
import os
import shutil
import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from functools import cache
from pathlib import Path
from typing import Any, ClassVar, NamedTuple

from mediacrawl.base.text import printable


class Mark(NamedTuple):
    """The content of a mark: the number of commits, the boot id, and whether the database was closed since."""

    commits: int = 0
    boot: str = ""
    closed: bool = False

    @property
    def may_lack(self) -> bool:
        """Whether the machine went down while the database was open: only that may legitimately undo commits."""
        return self.commits > 0 and self.boot != this_boot() and not self.closed

    def write(self, descriptor: int) -> None:
        """Write it to the file of a descriptor, which is empty if there are no commits."""
        text = f"{self.commits} {self.boot}{' closed' * self.closed}\n".encode("ascii") if self.commits else b""
        os.pwrite(descriptor, text, 0)
        os.ftruncate(descriptor, len(text))

    @classmethod
    def read(cls, descriptor: int) -> Mark:
        """Return what the file of a descriptor has."""
        commits, *rest = os.pread(descriptor, 100, 0).decode("ascii", "replace").split() or [""]
        return cls(int(commits), rest[0] if rest else "", "closed" in rest) if commits.isdecimal() else cls()


@cache
def this_boot() -> str:
    """The boot id of the machine; where there is none, an id that no other process has."""
    try:
        return Path("/proc/sys/kernel/random/boot_id").read_text(encoding="ascii").strip()
    except OSError:
        return f"unknown-{os.getpid()}"


def has_log(path: Path) -> bool:
    """Whether a database has a WAL with content: it is open, or was when its process or machine died."""
    with suppress(OSError):
        return path.with_name(path.name + "-wal").stat().st_size > 0
    return False


def open_to_read(path: Path, *, alone: bool = True, timeout: float = 5.0) -> SQLiteFile:
    """Open a database so that nothing on the disk changes, whatever its state.

    A connection that may write merges the WAL into the database and deletes it when it is the last to close, and all
    that follows a damaged byte is lost. So a database with a WAL is opened with ``mode=ro``, which does neither. SQLite
    also writes to ``-shm``, its index of the WAL, unless that is opened read-only, too; one that is missing, or is the
    index of another WAL, it makes anew. A database without a WAL has nothing to lose: SQLite makes both files, and
    deletes them at the end.

    Args:
        path: of a file that exists.
        alone: whether no other connection of this process may write to it, as all of them share ``-shm``.
        timeout: seconds to wait for a lock.
    """
    if not has_log(path):
        modes = ["mode=rw" if _is_writable(path) and _is_writable(path.parent) else "mode=ro&immutable=1"]
    elif not path.stat().st_size:
        # SQLite deletes the WAL of an empty file.
        modes = ["mode=ro&immutable=1"]
    else:
        modes = [*["mode=ro&readonly_shm=1"] * (alone and _has_index(path)), "mode=ro"]
    while True:
        db = _connect(path, modes.pop(0), timeout=timeout)
        try:
            db.execute("PRAGMA schema_version").fetchone()
        except sqlite3.Error as error:
            db.close()
            # There is no -shm yet, or it must be mended.
            remade = {sqlite3.SQLITE_CANTOPEN, sqlite3.SQLITE_READONLY, sqlite3.SQLITE_PROTOCOL}
            if not modes or primary_code(error) not in remade:
                raise
            continue
        db.execute("PRAGMA query_only = ON")
        return db


def _has_index(path: Path) -> bool:
    """Whether ``-shm`` is the index of the WAL (sqlite.org/walformat.html).

    Else SQLite waits ten seconds for a writer to mend it, and then gives an error of the locking protocol.
    """
    try:
        with (
            path.with_name(f"{path.name}-wal").open("rb") as log,
            path.with_name(f"{path.name}-shm").open("rb") as index,
        ):
            head = log.read(24)
            return head[:3] == b"\x37\x7f\x06" and head[16:] == index.read(40)[32:]
    except OSError:
        return False


class SQLiteFile(sqlite3.Connection):
    """A connection that can be closed without a change on the disk."""

    _path: Path
    _status: os.stat_result
    _second: sqlite3.Connection | None = None

    @classmethod
    def open(cls, path: Path, *, timeout: float = 5.0, statements: int = 128) -> SQLiteFile:
        """Open a database, or make it. Raises `sqlite3.Error` if that fails."""
        return _connect(path, "mode=rwc", timeout=timeout, cached_statements=statements)

    def guard(self, path: Path) -> None:
        """Remember which file this is, and open a second connection, so that in `leave` this is not the last to close.

        The database has a WAL by now.
        """
        self._path, self._status = path, path.stat()
        self._second = _connect(path, "mode=ro")
        self._second.execute("PRAGMA schema_version").fetchone()

    @property
    def is_in_place(self) -> bool:
        """Whether the path still leads to this file: it was not removed, moved or replaced."""
        try:
            return self._second is None or os.path.samestat(self._path.stat(), self._status)
        except OSError:
            return False

    def leave(self) -> None:
        """Close it and leave the files as they are."""
        super().close()
        if self._second is not None:
            self._second.close()

    def close(self) -> None:
        """Close it; SQLite merges the WAL into the file and deletes it, by its name.

        If the file is no longer in its place that may be the WAL of another process, so all is left as it is.
        """
        if self._second is not None and self.is_in_place:
            self._second.close()
        self.leave()


def _connect(path: Path, mode: str, **options: Any) -> SQLiteFile:
    uri = f"{path.absolute().as_uri()}?{mode}"
    return SQLiteFile(uri, uri=True, isolation_level=None, check_same_thread=False, **options)


def _is_writable(path: Path) -> bool:
    return os.access(path, os.W_OK, effective_ids=os.access in os.supports_effective_ids)


_ADVICE = {
    sqlite3.SQLITE_CANTOPEN: "cannot be opened: check that its folder exists and that this user may write there",
    sqlite3.SQLITE_PERM: "cannot be opened: check that this user may write there",
    sqlite3.SQLITE_READONLY: "cannot be written: the file or its folder is read-only for this user",
    sqlite3.SQLITE_FULL: "cannot grow: the disk is full; make room",
    sqlite3.SQLITE_IOERR: "cannot be read or written: the disk reports an error; check the disk, the user's quota,"
    " and the limit on the size of a file (ulimit -f)",
    **dict.fromkeys(
        (sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED, sqlite3.SQLITE_PROTOCOL),
        "is locked by {holder}; wait until that has ended, or end it",
    ),
}


_NO_ROOM = 1 << 20
"""Bytes; with less a disk is full."""


def primary_code(error: BaseException) -> int:
    """The class of an error of SQLite (sqlite.org/rescode.html); 0 if it has none."""
    return (getattr(error, "sqlite_errorcode", None) or 0) & 0xFF


def trouble(error: BaseException, path: Path) -> str:
    """Return the end of a sentence: what keeps a sound file from being used, and what to do; empty for other errors."""
    code = primary_code(error)
    with suppress(OSError):
        is_full = code == sqlite3.SQLITE_IOERR and shutil.disk_usage(path.parent).free < _NO_ROOM
        if is_full or getattr(error, "errno", None) == errno.ENOSPC:
            # The first is what SQLite says if -shm cannot grow.
            code = sqlite3.SQLITE_FULL
    return _ADVICE.get(code, "").format(holder=_holder(path))


def _holder(path: Path) -> str:
    """The process that has locked a database, if the system tells (Linux)."""
    with suppress(OSError, ValueError):
        files = {str(each.stat().st_ino) for each in (path, path.with_name(path.name + "-shm")) if each.exists()}
        for line in Path("/proc/locks").read_text(encoding="ascii").splitlines():
            # Such as 1: POSIX  ADVISORY  WRITE 4711 fe:01:262148 120 120
            words = line.split()
            if words[3] == "WRITE" and words[5].rpartition(":")[2] in files and int(words[4]) not in {0, os.getpid()}:
                name = Path(f"/proc/{words[4]}/comm").read_text(encoding="utf-8", errors="replace").strip()
                return f"{printable(name)} (process {words[4]})"
    return "another program"


class StateFileError(Exception):
    """A file of the state folder cannot be used. The message is one sentence: what, where, what to do."""


class StateFile:
    """Base class of small databases beside a frontier, whose loss costs work but no URL. So they have no mark.

    Raises:
        StateFileError: the file cannot be used.
    """

    name: ClassVar[str]
    tables: ClassVar[str]
    """SQL that makes the tables where they are missing."""

    def __init__(self, folder: Path) -> None:
        self._path = folder / self.name
        with self._explained():
            folder.mkdir(parents=True, exist_ok=True)
            self._db = sqlite3.connect(self._path, isolation_level=None)
            self._db.execute("PRAGMA journal_mode = WAL")
            self._db.execute("PRAGMA synchronous = NORMAL")
            self._db.executescript(self.tables)

    def close(self) -> None:
        """Close the file."""
        self._db.close()

    @contextmanager
    def _explained(self) -> Iterator[None]:
        try:
            yield
        except (sqlite3.Error, OSError) as error:
            raise StateFileError(
                f"{self._path} cannot be used ({error}); make room, or start over with -a fresh=1"
            ) from error

    @classmethod
    def delete(cls, folder: Path) -> list[Path]:
        """Delete the file in a folder; return the deleted paths.

        Raises:
            StateFileError: it cannot be deleted.
        """
        found = [path for suffix in ("", "-wal", "-shm") if (path := folder / f"{cls.name}{suffix}").exists()]
        try:
            for path in found:
                path.unlink()
        except OSError as error:
            raise StateFileError(f"{error.filename} cannot be deleted: {error.strerror}") from error
        return found
