"""What the fleet says: to the stream of all logs, and to ``fleet.json``."""

from __future__ import annotations

import re
import signal
from collections.abc import Iterable, Sequence
from typing import Any

from mediacrawl.fleet.account import Account
from mediacrawl.fleet.worker import State, Worker
from mediacrawl.observe.format import plural
from mediacrawl.observe.text import printable

FLEET = "fleet"

_OF_EACH = re.compile(
    r"\S+ \S+ \[(?:mediacrawl\.extensions\.progress|scrapy\.(?:extensions\.logstats|statscollectors|middleware|crawler|"
    r"addons|core\.engine|utils\.log))\] INFO: "
)
"""Settings, progress, summary, stats, beginning and end of one worker, in Scrapy's LOG_FORMAT: they are the same for
all, or the fleet has those of all in their place."""


def prefixed(who: str | int, record: str) -> str:
    """A record as it stands in the stream of all: who said it before each of its lines, harmless to a terminal."""
    return "\n".join(f"[{who}] {printable(line)}" for line in record.split("\n"))


def is_of_each(record: str) -> bool:
    """Whether a record of a worker is left to its own log, since each worker says it."""
    return _OF_EACH.match(record) is not None


def how(code: int | None) -> str:
    """How a process ended, from its exit code, or the number of a signal below zero; None if there was no process."""
    if code is None:
        return "could not be started"
    if code >= 0:
        return f"ended with exit code {code}"
    try:
        return f"was ended by {signal.Signals(-code).name}"
    except ValueError:
        return f"was ended by signal {-code}"


def progress(now: Account, before: Account, seconds: float, states: Iterable[State]) -> str:
    """One line: how far all are, and how fast they were since the line before.

    Args:
        now: what all have said.
        before: what they had said at the line before.
        seconds: between the two.
        states: of the workers.
    """
    states = list(states)
    running, dead = states.count(State.RUNNING), states.count(State.DEAD)
    files, pages = _files(now), now.facts.pages
    rate = max(now.facts.requests - before.facts.requests, 0) / seconds if seconds > 0 else 0.0
    parts = [f"{plural(running, 'worker')}{f' and {dead} to start again' if dead else ''}: "]
    parts += [f"{plural(files, 'media file')} · {plural(pages, 'page')} · {rate:.1f} requests a second"]
    if waiting := now.facts.waiting_urls:
        parts += [f" · {plural(waiting, 'URL')} on {plural(now.facts.waiting_sites, 'site')} waiting"]
    return "".join(parts)


def _files(account: Account) -> int:
    return sum(account.facts.media.values())


def ended(workers: Sequence[Worker]) -> str:
    """One line: how the workers ended."""
    restarts = sum(max(worker.starts - 1, 0) for worker in workers)
    started = sum(worker.starts > 0 for worker in workers)
    again = f", {plural(restarts, 'restart')}" if restarts else ""
    return f"{plural(started, 'worker')}{again}"


def sentence_of_giving_up(worker: Worker) -> str:
    """Why the fleet stops when one of its workers cannot go on."""
    return (
        f"worker {worker.number} died {worker.deaths.in_a_row} times within seconds of its start, the last time it"
        f" {how(worker.code)}: the fleet stops. What waits is kept. {worker.log} ends:"
    )


def sentence_of_loss(worker: Worker) -> str:
    """Why the fleet stops when the frontier was lost."""
    return f"worker {worker.number} has lost the frontier: no worker is started again. {worker.log} says how"


def report(workers: Sequence[Worker], account: Account, began: float, now: float, reason: str) -> dict[str, Any]:
    """All of it, for other programs.

    Args:
        workers: of the fleet.
        account: of all of them.
        began: when the fleet began, seconds since the epoch.
        now: of this report.
        reason: why it ended; empty while it runs.
    """
    return {
        "began": began,
        "written": now,
        "reason": reason,
        "workers": [_row(worker) for worker in workers],
        "stats": dict(account.stats),
    }


def _row(worker: Worker) -> dict[str, Any]:
    facts = (worker.account() or Account()).facts
    return {
        "number": worker.number,
        "state": str(worker.state),
        "starts": worker.starts,
        "last_code": worker.code,
        "requests": facts.requests,
        "pages": facts.pages,
        "media": sum(facts.media.values()),
        "folder": str(worker.folder),
    }
