"""Files that are replaced whole: a reader, and the next process after a kill, finds the old one or the new one."""

from __future__ import annotations

import contextlib
import errno
import os
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import IO


def is_at(descriptor: int, path: Path) -> bool:
    """Return whether an open file is still the one at its path."""
    try:
        return os.path.samestat(os.fstat(descriptor), path.stat())
    except OSError:
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
