"""Text of the fleet's log, and the content of ``fleet.json``."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from typing import Any

from mediacrawl.fleet.processes import describe_exit
from mediacrawl.fleet.worker import FleetWorker, WorkerState
from mediacrawl.fleet.worker_stats import WorkerStats
from mediacrawl.observe.format import plural
from mediacrawl.observe.status import CrawlStatus
from mediacrawl.observe.text import printable
from mediacrawl.observe.totals import Totals

FLEET = "fleet"

_ROUTINE = re.compile(
    r"\S+ \S+ \[(?:mediacrawl\.extensions\.progress|scrapy\.(?:extensions\.logstats|statscollectors|middleware|crawler|"
    r"addons|core\.engine|utils\.log))\] INFO: "
)
"""Settings, progress, summary, stats, start and end of one worker, in Scrapy's LOG_FORMAT. They are the same for all
workers, or the fleet logs the sum."""


def prefixed(who: str | int, record: str) -> str:
    """A record in the common log: its origin before each line, harmless to a terminal."""
    return "\n".join(f"[{who}] {printable(line)}" for line in record.split("\n"))


def is_routine(record: str) -> bool:
    """Whether a record stays in the worker's own log, since every worker logs the same."""
    return _ROUTINE.match(record) is not None


def progress(now: Totals, before: Totals, seconds: float, states: Iterable[WorkerState]) -> str:
    """One line: progress of all workers, and their speed since the line before."""
    states = list(states)
    running, dead = states.count(WorkerState.RUNNING), states.count(WorkerState.DEAD)
    rate = max(now.requests - before.requests, 0) / seconds if seconds > 0 else 0.0
    parts = [f"{plural(running, 'worker')}{f' and {dead} to start again' if dead else ''}: "]
    parts += [f"{plural(now.records, 'media file')} · {plural(now.pages, 'page')} · {rate:.1f} requests a second"]
    if now.waiting:
        parts += [f" · {plural(now.waiting, 'URL')} waiting"]
    return "".join(parts)


def ended(workers: Sequence[FleetWorker]) -> str:
    """One line: how the workers ended."""
    restarts = sum(max(worker.starts - 1, 0) for worker in workers)
    started = sum(worker.starts > 0 for worker in workers)
    again = f", {plural(restarts, 'restart')}" if restarts else ""
    return f"{plural(started, 'worker')}{again}"


def gave_up(worker: FleetWorker) -> str:
    """Why the fleet stops after a worker that cannot continue."""
    return (
        f"worker {worker.number} died {worker.restarts.in_a_row} times within seconds of its start, the last time it"
        f" {describe_exit(worker.code)}: the fleet stops. What waits is kept. {worker.log} ends:"
    )


def lost_frontier(worker: FleetWorker) -> str:
    """Why the fleet stops after the frontier was lost."""
    return f"worker {worker.number} has lost the frontier: no worker is started again. {worker.log} says how"


def report(workers: Sequence[FleetWorker], stats: WorkerStats, began: float, now: float, reason: str) -> dict[str, Any]:
    """The content of ``fleet.json``.

    Args:
        workers: of the fleet.
        stats: of all of them.
        began: when the fleet began, seconds since the epoch.
        now: of this report.
        reason: why it ended; empty while it runs.
    """
    return {
        "began": began,
        "written": now,
        "reason": reason,
        "workers": [_row(worker) for worker in workers],
        "stats": dict(stats.stats),
    }


def _row(worker: FleetWorker) -> dict[str, Any]:
    status = CrawlStatus.load(worker.folder) or CrawlStatus()
    return {
        "number": worker.number,
        "state": str(worker.state),
        "starts": worker.starts,
        "last_code": worker.code,
        "requests": status.requests,
        "pages": status.pages,
        "media": status.records,
        "folder": str(worker.folder),
    }
