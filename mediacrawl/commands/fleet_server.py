"""Commands in the folder of a fleet that has its own Redis server."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from mediacrawl.fleet.server import server_url
from mediacrawl.parts import Parts


@contextmanager
def frontier_named(parts: Parts) -> Iterator[None]:
    """Point the settings at the frontier of such a fleet, if the state folder has one.

    While the fleet runs its server is used; else it is started for the block.

    Raises:
        FleetError: it cannot be started.
    """
    if not parts.is_of_fleet:
        yield
        return
    with server_url(parts.folder.resolve()) as url:
        parts.settings.set("SCHEDULER_STORE", url, "cmdline")
        yield
