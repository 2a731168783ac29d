"""Finds the files that settings name, and watches the folder of a crawl."""

from __future__ import annotations

import atexit
import os
from contextlib import ExitStack, suppress
from importlib import resources
from pathlib import Path
from weakref import finalize

from scrapy.utils.conf import closest_scrapy_cfg

_UNPACKED = ExitStack()
atexit.register(_UNPACKED.close)


def locate(name: str | Path) -> Path:
    """Find a file that a setting names: as it stands, in the folder of ``scrapy.cfg``, or in the package.

    Args:
        name: a path. If the file is nowhere the path comes back as it is.
    """
    path = Path(name)
    if path.is_absolute() or path.exists():
        return path
    if cfg := closest_scrapy_cfg():
        in_project = Path(cfg).parent / path
        if in_project.exists():
            return in_project
    return _packaged(path) or path


def _packaged(path: Path) -> Path | None:
    """The package's copy of a file. In a zipped egg it is unpacked until the process ends."""
    packaged = resources.files("mediacrawl").joinpath(*path.parts)
    if path.is_absolute() or not packaged.is_file():
        return None
    return packaged if isinstance(packaged, Path) else _UNPACKED.enter_context(resources.as_file(packaged))


class HeldFolder:
    """A folder that may be removed, moved or replaced while it is used; another crawl may then be in its place.

    Attributes:
        path: of the folder. One that did not exist is not watched.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        self._descriptor = -1
        # While it is open, no other folder has its number. Windows cannot open one.
        with suppress(OSError):
            self._descriptor = os.open(path, os.O_RDONLY)
            finalize(self, os.close, self._descriptor)

    @property
    def is_in_place(self) -> bool:
        """Whether the path still leads to this folder."""
        try:
            return self._descriptor < 0 or os.path.samestat(os.fstat(self._descriptor), self.path.stat())
        except OSError:
            return False
