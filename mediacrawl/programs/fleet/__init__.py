"""Several workers of one crawl on one machine.

A `Fleet` starts the workers, each a process (`processes`, `parent_watch`) in a folder of its own (`worker`), and
restarts those that die, with pauses, until a restart is useless. It stops a worker once by SIGTERM, and kills it only
when the operator insists; no worker outlives a fleet that is killed. It joins their logs to one and writes
``fleet.json`` with the sums of their stats (`worker_stats`, `formatting`). Where no Redis server is configured the
fleet has its own (`server`).
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from mediacrawl.base.lazy import late_names

if TYPE_CHECKING:
    from mediacrawl.programs.fleet.fleet import FLEET, Fleet, FleetContext, FleetPlan, prefixed
    from mediacrawl.programs.fleet.processes import MODULE, FleetError, lock_folder
    from mediacrawl.programs.fleet.server import RedisServer, running_server, server_url
    from mediacrawl.programs.fleet.worker import WorkerCommand
else:
    __getattr__ = late_names(
        __name__,
        {
            **dict.fromkeys(("FLEET", "Fleet", "FleetContext", "FleetPlan", "prefixed"), "fleet"),
            **dict.fromkeys(("FleetError", "MODULE", "lock_folder"), "processes"),
            **dict.fromkeys(("RedisServer", "running_server", "server_url"), "server"),
            "WorkerCommand": "worker",
        },
    )

__all__ = [
    "FLEET",
    "MODULE",
    "Fleet",
    "FleetContext",
    "FleetError",
    "FleetPlan",
    "RedisServer",
    "WorkerCommand",
    "lock_folder",
    "prefixed",
    "running_server",
    "server_url",
]
