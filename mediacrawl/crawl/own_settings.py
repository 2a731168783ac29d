"""Reads the settings of mediacrawl, and finds the files and folders that they name.

A setting that is set nowhere has the default that `mediacrawl.settings` declares.
"""

from __future__ import annotations

import atexit
from contextlib import ExitStack
from importlib import resources
from pathlib import Path
from typing import Any
from urllib.parse import quote

from scrapy.settings import SETTINGS_PRIORITIES, BaseSettings
from scrapy.utils.conf import closest_scrapy_cfg

import mediacrawl.settings as declared
from mediacrawl.base.setting_types import list_setting
from mediacrawl.crawl.connection import redis_url
from mediacrawl.frontier.stores import SQLITE_FILE, has_server


class OwnSettings:
    """The settings of a crawl, as mediacrawl reads them.

    In a project whose settings module does not begin with ``from mediacrawl.settings import *`` most of our settings
    are not set. Their defaults are declared once, in ``mediacrawl/settings.py``, and come from there.
    """

    def __init__(self, settings: BaseSettings) -> None:
        self._settings = settings

    def get(self, name: str) -> Any:
        """The value of a setting, or its declared default."""
        return self._settings.get(name, getattr(declared, name))

    def getstr(self, name: str) -> str:
        """The value of a setting as text; empty text stands for the declared default."""
        return str(self._settings.get(name) or getattr(declared, name))

    def getbool(self, name: str) -> bool:
        """The same, as Scrapy reads a truth value."""
        return self._settings.getbool(name, getattr(declared, name))

    def getint(self, name: str) -> int:
        """The same, as a whole number."""
        return self._settings.getint(name, getattr(declared, name))

    def getfloat(self, name: str) -> float:
        """The same, as a number."""
        return self._settings.getfloat(name, getattr(declared, name))

    def getlist(self, name: str) -> list[Any]:
        """The same, as a list; text is split at commas, or read as JSON."""
        return list_setting(self._settings, name, getattr(declared, name))

    def getdict(self, name: str) -> dict[Any, Any]:
        """The same, as a mapping; text is read as JSON."""
        return self._settings.getdict(name, getattr(declared, name))


def state_folder(settings: BaseSettings) -> Path:
    """The folder of frontier, log and catalogue: ``JOBDIR`` if set, else ``MEDIACRAWL_DIR``."""
    return Path(settings.get("JOBDIR") or OwnSettings(settings).getstr("MEDIACRAWL_DIR"))


def spider_folder(folder: Path, name: str) -> Path:
    """The folder of the frontier of one of several spiders."""
    written = quote(name, safe=" ")
    return folder / "spiders" / (written.replace(".", "%2E") if written in {".", ".."} else written)


def log_folder(settings: BaseSettings) -> Path:
    """The folder of the request log, which several crawls may share: ``REQUEST_LOG_DIR``, else ``log`` in the state."""
    return Path(OwnSettings(settings).get("REQUEST_LOG_DIR") or state_folder(settings) / "log")


def catalogue_path(settings: BaseSettings) -> Path:
    """Where the catalogue is: ``MEDIACRAWL_DB``, by default ``media.db``.

    A name without a folder is in the state folder (`state_folder`).
    """
    path = Path(OwnSettings(settings).getstr("MEDIACRAWL_DB"))
    if path.parent != Path():
        return path
    return state_folder(settings) / path


def models_of(settings: BaseSettings) -> tuple[Path, ...]:
    """``MOJIBAKE_MODELS``: absolute paths, for other processes may have another folder."""
    return tuple(locate(name.strip()).absolute() for name in OwnSettings(settings).getlist("MOJIBAKE_MODELS"))


REDIS = "redis"


def store_of(settings: BaseSettings, *, is_ours: bool = True) -> str:
    """The kind of the frontier's store: ``sqlite``, ``memory``, or ``redis``, also if that is named by a URL.

    Args:
        settings: of the crawl.
        is_ours: whether the spider is one of ours. The frontier of another one is on disk only with JOBDIR: without it
            a second run starts afresh, as with Scrapy's own scheduler.
    """
    name = OwnSettings(settings).getstr("SCHEDULER_STORE").strip()
    if name == "sqlite" and not is_ours and not settings.get("JOBDIR"):
        return "memory"
    return REDIS if "://" in name else name


def is_of_fleet(settings: BaseSettings) -> bool:
    """Whether the state folder holds the frontier of a fleet with its own Redis server, and no other one is named."""
    folder = state_folder(settings)
    return (
        store_of(settings) == "sqlite"
        and (settings.getpriority("SCHEDULER_STORE") or 0) < SETTINGS_PRIORITIES["cmdline"]
        and redis_url(settings) is None
        and has_server(folder)
        and not (folder / SQLITE_FILE).exists()
    )


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
