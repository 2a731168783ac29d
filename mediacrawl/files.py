"""Finds the files that settings name."""

from __future__ import annotations

import atexit
from contextlib import ExitStack
from importlib import resources
from pathlib import Path

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
