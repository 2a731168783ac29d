"""Folders of a crawl's state."""

from __future__ import annotations

from pathlib import Path
from urllib.parse import quote

from scrapy.settings import BaseSettings

from mediacrawl.config.own_settings import OwnSettings


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
