"""Several workers of one crawl on one machine.

A `Fleet` starts the workers, each a process (`processes`, `parent_watch`) in a folder of its own (`worker`), and
restarts those that die, with pauses, until a restart is useless. It stops a worker once by SIGTERM, and kills it only
when the operator insists; no worker outlives a fleet that is killed. It joins their logs to one and writes
``fleet.json`` with the sums of their stats (`worker_stats`, `formatting`). Where no Redis server is configured the
fleet has its own (`server`).
"""

from mediacrawl.programs.fleet.fleet import Fleet, FleetContext, FleetPlan
from mediacrawl.programs.fleet.processes import FleetError, lock_folder
from mediacrawl.programs.fleet.worker import RestartPolicy, Restarts, WorkerCommand
from mediacrawl.watch.worker_stats import LOST, WorkerStats

__all__ = [
    "LOST",
    "Fleet",
    "FleetContext",
    "FleetError",
    "FleetPlan",
    "RestartPolicy",
    "Restarts",
    "WorkerCommand",
    "WorkerStats",
    "lock_folder",
]
