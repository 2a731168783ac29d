"""What commands do in the folder of a fleet that has a Redis server of its own."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from mediacrawl.fleet.server import asked
from mediacrawl.parts import Parts


@contextmanager
def frontier_named(parts: Parts) -> Iterator[None]:
    """Let the settings name the frontier of such a fleet, if one lies in the state folder.

    Its server may run, while the fleet does; else it is started for the block.

    Raises:
        FleetError: it cannot be started.
    """
    if not parts.is_of_fleet:
        yield
        return
    with asked(parts.folder.resolve()) as url:
        parts.settings.set("SCHEDULER_STORE", url, "cmdline")
        yield
