"""Opens a frontier to be read, for the commands."""

from __future__ import annotations

import time
from pathlib import Path
from typing import TYPE_CHECKING

from scrapy.settings import BaseSettings

from mediacrawl.config.paths import state_folder
from mediacrawl.config.store_names import REDIS, store_of
from mediacrawl.frontier.sqlite.reader import FrontierReader
from mediacrawl.frontier.stores import SQLITE_FILE

if TYPE_CHECKING:
    from mediacrawl.frontier.redis.reader import RedisReader


def open_reader(settings: BaseSettings, folder: Path | None = None) -> FrontierReader | RedisReader:
    """Open the frontier that the settings name, or the one in a folder.

    Args:
        settings: of the command.
        folder: a state folder; None for the frontier of the settings, which may be in Redis.

    Raises:
        FrontierError: it is not there, or cannot be read.
    """
    if folder is None and store_of(settings) == REDIS:
        from mediacrawl.crawl.storage import open_redis  # noqa: PLC0415 - both take a tenth of a second
        from mediacrawl.frontier.redis.reader import RedisReader  # noqa: PLC0415

        return RedisReader(open_redis(settings, works=False, now=time.time()))
    return FrontierReader((folder or state_folder(settings)) / SQLITE_FILE)
