"""Runs the workers of a fleet until all have ended."""

from __future__ import annotations

import json
import logging
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from mediacrawl.base.format import plural
from mediacrawl.base.text import printable
from mediacrawl.log.totals import Totals
from mediacrawl.log.totals import summed as summed_totals
from mediacrawl.programs.fleet.processes import describe_exit
from mediacrawl.programs.fleet.worker import FleetWorker, RestartPolicy, Restarts, WorkerCommand, WorkerState
from mediacrawl.watch.report import CrawlFacts, summary
from mediacrawl.watch.status import CrawlStatus, states
from mediacrawl.watch.worker_stats import LOST, WorkerStats, plain, put, summed

REPORT = "fleet.json"
BEGUN = "seeds/joined"
"""Stat of a worker whose seeds are all durable in the frontier."""
LOOK = 0.1
"""Seconds between two checks of the workers."""
SLOW = 60.0
"""Seconds of a clean stop after which the log names the workers that still run."""
SHOWN = 20
"""Lines that are shown of the log of a worker that is given up."""
KILLED = 130
"""Exit code after a Ctrl-C that killed the workers (128 and the number of the signal)."""


@dataclass(frozen=True, slots=True)
class FleetContext:
    """Time, signals and output of a fleet.

    Attributes:
        now: seconds since the epoch.
        sleep: waits for so many seconds.
        log: logs for the fleet itself: the level, as in `logging`, and the text.
        show: receives the number of a worker and a record of its log.
        stop_requests: how often the fleet was asked to stop.
        environment: of the workers.
        totals: returns the facts of the summary, from the begin of the fleet, seconds since the epoch, and what the
            states of the workers had counted then.
        fault: answers a sentence if no worker can continue, as without Redis, else nothing.
        inherited: file descriptors that the workers keep.
        seeds_joined: called once, before the other workers start, with the folders of the first and of the others. They
            do not start if it raises OSError.
    """

    now: Callable[[], float]
    sleep: Callable[[float], None]
    log: Callable[[int, str], None]
    show: Callable[[int, str], None]
    stop_requests: Callable[[], int]
    environment: Mapping[str, str]
    seeds_joined: Callable[[Path, list[Path]], None]
    totals: Callable[[float, Totals], CrawlFacts]
    fault: Callable[[], str] = str
    inherited: tuple[int, ...] = ()


@dataclass(frozen=True, slots=True)
class FleetPlan:
    """Settings of a fleet.

    Attributes:
        number: of workers.
        folder: where ``worker-1`` and so on are made.
        command: their command line.
        interval: seconds between two lines on its progress; 0 for none.
        restarts: when they are restarted.
    """

    number: int
    folder: Path
    command: WorkerCommand
    interval: float = 60.0
    restarts: RestartPolicy = field(default_factory=RestartPolicy)


class Fleet:
    """Runs workers until all have finished, or until it is asked to stop.

    The first worker deletes an earlier crawl, if that was requested, and adds the seeds. The others start when it has
    done both; after a restart it repeats what it had not finished.

    On disk: ``fleet.json``, the sums of all stats, at the start, every `FleetPlan.interval` and at the end, replaced by
    renaming: a kill leaves the last one. For the folder of each worker see `FleetWorker`.
    """

    def __init__(self, plan: FleetPlan, context: FleetContext) -> None:
        self._plan = plan
        self._context = context
        self._workers = [
            FleetWorker(number, plan.folder / f"worker-{number}", Restarts(plan.restarts))
            for number in range(1, plan.number + 1)
        ]
        self._first, *self._others = self._workers
        self._began = context.now()
        self._reported = self._began
        self._before = self._reported_totals = self._totals()
        self._opened = False
        self._begun = False
        self._stops = 0
        self._stopping = 0.0
        self._slow = self._killed = False
        self._failure: list[str] = []

    def run(self) -> int:
        """Run until the end.

        Returns:
            An exit code: 0, all have finished or were stopped; 1, a worker cannot continue; `LOST`, what the crawl kept
            in Redis is gone; 130, they were killed.
        """
        # Replaces an earlier fleet's report at once.
        self._write_report(WorkerStats(), self._began, "")
        self._start(self._first)
        while not self._over():
            self._context.sleep(LOOK)
            self._check_all()
        self._forward_logs()
        self._end()
        if any(worker.code == LOST for worker in self._workers):
            return LOST
        return 1 if self._failure else KILLED if self._killed else 0

    def _over(self) -> bool:
        waits = {WorkerState.RUNNING} if self._stopping else {WorkerState.RUNNING, WorkerState.DEAD}
        return not any(worker.state in waits for worker in self._workers)

    def _check_all(self) -> None:
        self._handle_stop_requests()
        if not self._stopping and (fault := self._context.fault()):
            self._fail(fault)
        for worker in self._workers:
            self._check(worker)
        self._forward_logs()
        if not self._begun and not self._stopping:
            self._start_others()
        if self._over():
            return
        if self._plan.interval > 0 and self._context.now() - self._reported >= self._plan.interval:
            self._log_progress()

    # -- starts ----------------------------------------------------------------------------------------------

    def _start(self, worker: FleetWorker) -> None:
        is_first = worker is self._first
        command = self._plan.command.line(
            worker.folder, fresh=is_first and not self._opened, seeds=is_first and not self._begun
        )
        try:
            worker.start(command, self._context.environment, self._context.now(), self._context.inherited)
        except OSError as error:
            self._log(logging.ERROR, f"worker {worker.number} cannot be started: {error}")
            self._died(worker)
            return
        times = f" for the {worker.starts}. time" if worker.starts > 1 else ""
        self._log(logging.INFO, f"worker {worker.number} is started{times}: process {worker.pid}, log {worker.log}")

    def _start_others(self) -> None:
        """Start the others once the first worker is ready: it deletes before its spider opens, and adds seeds after."""
        stats = self._first.stats()
        self._opened = self._opened or stats is not None
        if stats is None or BEGUN not in stats.stats:
            return
        self._begun = True
        try:
            self._context.seeds_joined(self._first.folder, [worker.folder for worker in self._others])
        except OSError as error:
            self._fail(f"the other workers cannot begin, {error}: the fleet stops. What waits is kept")
        for worker in self._others:
            # A crawl may be over by now, and needs no others.
            if not self._stopping and self._first.state is not WorkerState.FINISHED:
                self._start(worker)

    # -- ends ------------------------------------------------------------------------------------------------

    def _check(self, worker: FleetWorker) -> None:
        code = worker.poll()
        if code is not None:
            self._ended(worker, code)
        elif worker.state is WorkerState.DEAD and not self._stopping and self._context.now() >= worker.due:
            self._start(worker)

    def _ended(self, worker: FleetWorker, code: int) -> None:
        if self._stopping:
            worker.ended(WorkerState.STOPPED)
        elif code == 0:
            worker.ended(WorkerState.FINISHED)
            self._log(logging.INFO, f"worker {worker.number} has finished")
        else:
            worker.ended(WorkerState.DEAD)
            self._died(worker)

    def _died(self, worker: FleetWorker) -> None:
        now = self._context.now()
        pause = worker.restarts.died(now - worker.began)
        how = describe_exit(worker.code)
        if worker.code == LOST:
            lost = f"worker {worker.number} has lost the frontier: no worker is started again. {worker.log} says how"
            self._give_up(worker, lost)
        elif pause is None:
            why = (
                f"worker {worker.number} died {worker.restarts.in_a_row} times within seconds of its start, the last"
                f" time it {how}: the fleet stops. What waits is kept. {worker.log} ends:"
            )
            self._give_up(worker, why, *worker.last_lines(SHOWN))
        else:
            worker.state, worker.due = WorkerState.DEAD, now + pause
            self._log(logging.WARNING, f"worker {worker.number} {how}; it is started again in {pause:.0f} s")

    def _give_up(self, worker: FleetWorker, *lines: str) -> None:
        worker.state = WorkerState.GIVEN_UP
        self._fail(*lines)

    def _fail(self, *lines: str) -> None:
        self._failure = self._failure or list(lines)
        self._stop("the fleet stops")

    def _handle_stop_requests(self) -> None:
        requests = self._context.stop_requests()
        is_new = requests > self._stops
        # A fleet that stops by itself says after a while that Ctrl-C kills: then the first one does.
        kills = requests > 1 or (is_new and self._slow)
        if is_new and self._stopping and not kills:
            self._log(logging.INFO, "the workers are stopping already; once more kills them")
        if requests:
            self._stop("the workers are asked to stop; once more kills them")
        if kills and not self._killed:
            self._killed = True
            self._log(logging.WARNING, "the workers are killed; what they had leased comes back by its deadline")
            for worker in self._workers:
                worker.kill()
        self._stops = requests
        if self._stopping and not self._slow and self._context.now() - self._stopping > SLOW:
            self._slow = True
            late = ", ".join(str(worker.number) for worker in self._workers if worker.state is WorkerState.RUNNING)
            self._log(logging.WARNING, f"not stopped after {SLOW:.0f} s: worker {late}; Ctrl-C kills them")

    def _stop(self, sentence: str) -> None:
        if self._stopping:
            return
        self._stopping = self._context.now()
        self._log(logging.INFO, sentence)
        for worker in self._workers:
            if worker.state is WorkerState.RUNNING:
                worker.stop()

    # -- output -----------------------------------------------------------------------------------------------

    def _log(self, level: int, sentence: str) -> None:
        self._context.log(level, sentence)

    def _forward_logs(self) -> None:
        for worker in self._workers:
            for record in worker.records():
                if not is_routine(record):
                    self._context.show(worker.number, record)

    def _totals(self) -> Totals:
        """The totals of the crawl by the states of all its workers, also killed ones and those of a larger fleet."""
        return summed_totals(states(self._plan.folder.glob("worker-*")))

    def _stats(self) -> WorkerStats:
        return summed(stats for worker in self._workers if (stats := worker.stats()) is not None)

    def _log_progress(self) -> None:
        now, totals = self._context.now(), self._totals()
        workers = [worker.state for worker in self._workers]
        self._log(logging.INFO, progress(totals, self._reported_totals, now - self._reported, workers))
        self._reported, self._reported_totals = now, totals
        self._write_report(self._stats(), now, "")

    def _write_report(self, stats: WorkerStats, now: float, reason: str) -> None:
        written = report(self._workers, stats, self._began, now, reason)
        try:
            put(self._plan.folder / REPORT, json.dumps(written, indent=1, default=plain))
        except OSError as error:
            self._log(logging.ERROR, f"{REPORT} cannot be written: {error}")

    def _end(self) -> None:
        now, stats = self._context.now(), self._stats()
        reason = "failed" if self._failure else "stopped" if self._stops else "finished"
        facts = replace(
            self._context.totals(self._began, self._before),
            duration=now - self._began,
            finish_reason=reason,
        )
        self._write_report(stats, now, reason)
        self._log(logging.INFO, f"Summary of {ended(self._workers)}\n{summary(facts)}")
        if self._failure:
            self._log(logging.ERROR, "\n".join(self._failure))


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


def report(workers: Sequence[FleetWorker], stats: WorkerStats, began: float, now: float, reason: str) -> dict[str, Any]:
    """The content of ``fleet.json``."""
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
