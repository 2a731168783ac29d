"""Files that are replaced whole, so that a reader, and the next process after a kill, finds the old one or the new one.

And whether a file or a folder is still the one that was opened.
"""

from __future__ import annotations

import contextlib
import errno
import os
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import IO
from weakref import finalize


def is_at(descriptor: int, path: Path) -> bool:
    """Return whether an open file is still the one at its path."""
    try:
        return os.path.samestat(os.fstat(descriptor), path.stat())
    except OSError:
        return False


class HeldFolder:
    """A folder that may be removed, moved or replaced while it is used; another crawl may then be in its place.

    Attributes:
        path: of the folder. One that did not exist is not watched.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        self._descriptor = -1
        # While it is open, no other folder has its number. Windows cannot open one.
        with contextlib.suppress(OSError):
            self._descriptor = os.open(path, os.O_RDONLY)
            finalize(self, os.close, self._descriptor)

    @property
    def is_in_place(self) -> bool:
        """Whether the path still leads to this folder."""
        return self._descriptor < 0 or is_at(self._descriptor, self.path)


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
