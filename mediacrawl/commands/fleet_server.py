"""Commands in the folder of a fleet that has its own Redis server."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from scrapy.settings import BaseSettings

from mediacrawl.config.paths import state_folder
from mediacrawl.config.store_names import is_of_fleet
from mediacrawl.fleet.server import server_url


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
