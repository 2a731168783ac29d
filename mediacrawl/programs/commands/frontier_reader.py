"""Opens the frontier of a command: to be read, and that of a fleet that has its own Redis server."""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from scrapy.settings import BaseSettings

from mediacrawl.crawl.own_settings import REDIS, is_of_fleet, state_folder, store_of
from mediacrawl.frontier.sqlite.reader import FrontierReader
from mediacrawl.frontier.stores import SQLITE_FILE
from mediacrawl.programs.fleet import server_url

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


@contextmanager
def frontier_named(settings: BaseSettings) -> Iterator[None]:
    """Let the settings name the frontier of such a fleet, if one is in the state folder.

    While the fleet runs its server is used; else it is started for the block.

    Raises:
        FleetError: it cannot be started.
    """
    if not is_of_fleet(settings):
        yield
        return
    with server_url(state_folder(settings).resolve()) as url:
        settings.set("SCHEDULER_STORE", url, "cmdline")
        yield
