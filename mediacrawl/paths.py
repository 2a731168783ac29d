"""Paths of a crawl's state and of the files that its settings name. Imports no other package of mediacrawl."""

from __future__ import annotations

import atexit
from contextlib import ExitStack
from importlib import resources
from pathlib import Path
from urllib.parse import quote

from scrapy.settings import BaseSettings
from scrapy.utils.conf import closest_scrapy_cfg

from mediacrawl.own_settings import OwnSettings

_UNPACKED = ExitStack()
atexit.register(_UNPACKED.close)


def state_folder(settings: BaseSettings) -> Path:
    """The folder of frontier, log and catalogue: ``JOBDIR`` if set, else ``MEDIACRAWL_DIR``."""
    return Path(settings.get("JOBDIR") or OwnSettings(settings).getstr("MEDIACRAWL_DIR"))


def spider_folder(folder: Path, name: str) -> Path:
    """The folder of the frontier of one of several spiders.

    Args:
        folder: the state folder.
        name: of the spider.
    """
    written = quote(name, safe=" ")
    return folder / "spiders" / (written.replace(".", "%2E") if written in {".", ".."} else written)


def log_folder(settings: BaseSettings) -> Path:
    """The folder of the request log, which several crawls may share: ``REQUEST_LOG_DIR``, else ``log`` in the state."""
    return Path(OwnSettings(settings).get("REQUEST_LOG_DIR") or state_folder(settings) / "log")


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
