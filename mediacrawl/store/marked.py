"""The file beside a catalogue that says how far it has come."""

from __future__ import annotations

import os
from contextlib import suppress
from pathlib import Path

from mediacrawl import commit_mark
from mediacrawl.store.errors import StoreError

SUFFIX = ".mark"


class Mark:
    """Notes how many transactions a catalogue has had, so that it is seen when some are gone.

    On disk: ``media.db.mark``, see `commit_mark`. It may be deleted at any time, and then nothing is looked for. Where
    it cannot be written it says less than there was, which does no harm.

    Args:
        path: of the catalogue.
    """

    def __init__(self, path: Path) -> None:
        self._catalogue = path
        self._path = path.with_name(path.name + SUFFIX)
        self._descriptor = -1

    def read(self) -> int:
        """The number that was noted. A catalogue that was deleted is a new one, whatever was noted of the old."""
        if not self._catalogue.exists():
            return 0
        try:
            with self._path.open("rb") as file:
                return commit_mark.read(file.fileno())[0]
        except OSError:
            return 0

    def write(self, commits: int) -> None:
        """Note the number. It stands in the catalogue already."""
        with suppress(OSError):
            if self._descriptor < 0:
                self._descriptor = os.open(self._path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o644)
            commit_mark.write(self._descriptor, commits)

    def check(self, commits: int, noted: int) -> None:
        """See that nothing is gone.

        Args:
            commits: as the catalogue has it.
            noted: as `read` answered before the catalogue was read.

        Raises:
            StoreError: something is, with what to do.
        """
        path = self._catalogue
        if commits >= noted:
            return
        lacks = f"has lost its last {noted - commits} changes" if commits else f"is empty, and had {noted} changes"
        raise StoreError(
            f"The catalogue {path} {lacks}: {path.name}-wal was removed, or the file was emptied, cut, or put back from"
            f" a copy. Put the right files back; or delete {self._path.name} to go on with the records that are there"
            " (those that are lost come back only in a crawl with -a fresh=1)."
        )

    def close(self) -> None:
        """Let go of the file."""
        if self._descriptor >= 0:
            os.close(self._descriptor)
            self._descriptor = -1
