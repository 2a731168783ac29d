"""Where a crawl's state lies. Light to import, since the catalogue works in projects that use nothing else of ours."""

from __future__ import annotations

from pathlib import Path

from scrapy.settings import BaseSettings


def state_folder(settings: BaseSettings) -> Path:
    """The folder of frontier, log and catalogue: ``JOBDIR`` if set, else ``MEDIACRAWL_DIR``, else ``.mediacrawl``."""
    return Path(settings.get("JOBDIR") or settings.get("MEDIACRAWL_DIR") or ".mediacrawl")
