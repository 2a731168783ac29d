"""One worker of a fleet: its command line, its process, its folder, and its restarts."""

from __future__ import annotations

import subprocess
from collections.abc import Collection, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from datetime import UTC, datetime
from enum import StrEnum
from pathlib import Path
from typing import BinaryIO

from mediacrawl.base.text import BEGINS_RECORD
from mediacrawl.programs.fleet.processes import start
from mediacrawl.watch.worker_stats import WorkerStats, summed

LOOK = 1 << 20
"""Bytes of one read; the rest of a log that grows faster comes with the next ones."""

RECORD = 1 << 16
"""Bytes after which a record is split."""


class LogTail:
    """Reads what is appended to a file."""

    def __init__(self, path: Path, start: int = 0) -> None:
        self._path = path
        self._place = start

    def read(self) -> bytes:
        """The bytes since the last call, at most `LOOK`; none if the file cannot be read now."""
        try:
            with self._path.open("rb") as file:
                file.seek(self._place)
                found = file.read(LOOK)
        except OSError:
            return b""
        self._place += len(found)
        return found


class LogRecords:
    """Joins lines to records: a line that does not begin with a time continues the record before, as in tracebacks."""

    def __init__(self) -> None:
        self._unfinished = b""
        self._lines: list[str] = []
        self._size = 0

    def take(self, read: bytes) -> list[str]:
        """Parse more of a log; answers the complete records.

        A record is complete when the next one begins, or when nothing was appended since the last call.
        """
        if not read:
            return self._end()
        *lines, self._unfinished = (self._unfinished + read).split(b"\n")
        if len(self._unfinished) > RECORD:
            lines, self._unfinished = [*lines, self._unfinished], b""
        return [record for line in lines for record in self._add(line.decode("utf-8", "replace").rstrip("\r"))]

    def rest(self) -> list[str]:
        """The rest after the end of the process, with a last line that has no line feed."""
        line, self._unfinished = self._unfinished.decode("utf-8", "replace"), b""
        return [*(self._add(line) if line else []), *self._end()]

    def _add(self, line: str) -> list[str]:
        whole = self._end() if BEGINS_RECORD.match(line) or self._size > RECORD else []
        self._lines.append(line)
        self._size += len(line)
        return whole

    def _end(self) -> list[str]:
        record = "\n".join(self._lines)
        self._lines, self._size = [], 0
        return [record] if record else []


def last_lines(path: Path, most: int) -> list[str]:
    """The last lines of a log, without blank ones; none if it cannot be read."""
    try:
        with path.open("rb") as file:
            size = file.seek(0, 2)
            file.seek(max(size - RECORD, 0))
            text = file.read(RECORD).decode("utf-8", "replace")
    except OSError:
        return []
    return [line for line in text.splitlines() if line.strip()][-most:]


LOG = "crawl.log"
STATS = "stats.json"
LOG_BYTES = 10_000_000
"""Bytes of a log after which the next start begins a new one; one old log is kept."""
FRESH = "fresh"
SEED = "seed"


@dataclass(frozen=True, slots=True)
class WorkerCommand:
    """The command line of all workers.

    Attributes:
        program: begins the command line: an interpreter, and what it runs.
        spider: its name.
        arguments: of the spider.
        settings: each ``NAME=VALUE``, as the user wrote them. Ours follow, and the last one counts.
    """

    program: tuple[str, ...]
    spider: str = "media"
    arguments: Mapping[str, str] = field(default_factory=dict)
    settings: tuple[str, ...] = ()

    def line(self, folder: Path, *, fresh: bool, seeds: bool) -> list[str]:
        """Return the command line of one start.

        With `fresh` it deletes an earlier crawl, with `seeds` it adds the seeds, if the user asked for that.
        """
        left_out = {name for name, given in ((FRESH, fresh), (SEED, seeds)) if not given}
        # After the seeds were added an empty frontier is a lost one, for which a worker would wait forever.
        begun = f"FRONTIER_BEGUN={not seeds}"
        own = (f"MEDIACRAWL_DIR={folder}", "JOBDIR=", "LOG_FILE=", f"STATS_FILE={folder / STATS}", begun)
        arguments = [f"{name}={value}" for name, value in self.arguments.items() if name not in left_out]
        return [
            *(*self.program, "crawl", self.spider),
            *(word for argument in arguments for word in ("-a", argument)),
            *(word for setting in (*self.settings, *own) for word in ("-s", setting)),
        ]


@dataclass(frozen=True, slots=True)
class RestartPolicy:
    """When a worker that died is restarted. All times are seconds.

    Attributes:
        first: pause after a death.
        longest: upper limit of the pause, which doubles with each death of a young worker.
        young: age above which the pause starts again at `first`, since the cause is rare.
        quick: age below which a worker has done no work; Python's start and a failing connection take some seconds.
        deaths: quick ones in a row after which it is not restarted.
    """

    first: float = 1.0
    longest: float = 60.0
    young: float = 300.0
    quick: float = 10.0
    deaths: int = 5


@dataclass(slots=True)
class Restarts:
    """The deaths and restarts of one worker.

    Attributes:
        policy: when it is restarted.
        pause: seconds after its last death.
        in_a_row: quick deaths since the last one that was not quick.
    """

    policy: RestartPolicy = field(default_factory=RestartPolicy)
    pause: float = 0.0
    in_a_row: int = 0

    def died(self, lived: float) -> float | None:
        """Note a death after so many seconds.

        Returns:
            Seconds until its restart; None to give up.
        """
        policy = self.policy
        self.in_a_row = self.in_a_row + 1 if lived < policy.quick else 0
        if self.in_a_row >= policy.deaths:
            return None
        doubled = 2 * self.pause if lived < policy.young else 0.0
        self.pause = min(max(doubled, policy.first), policy.longest)
        return self.pause


class WorkerState(StrEnum):
    """WorkerState of a worker's process."""

    IDLE = "idle"
    """Not started yet."""
    RUNNING = "running"
    DEAD = "dead"
    """Restarted when its pause is over."""
    FINISHED = "finished"
    """Ended by itself, with nothing left to do."""
    STOPPED = "stopped"
    """Ended on request."""
    GIVEN_UP = "given up"


@dataclass(slots=True)
class FleetWorker:
    """A worker. `Fleet` decides when it starts and stops.

    On disk, in its folder: ``crawl.log``, the output of its processes, each start under a line of its own, and
    ``crawl.log.1``, the one before; a kill leaves what was printed. ``stats.json``, see `WorkerStats`: the process
    writes it, and `ended` deletes it.

    Attributes:
        number: from 1 on.
        folder: its own, made if missing.
        restarts: how often it has died, and how long it waits.
        state: of its process.
        starts: how often it was started.
        began: when it was started last, seconds since the epoch.
        due: time of its restart, if it is dead.
        code: of its last end: an exit code, or the number of a signal below zero; None if it has not ended yet.
        past: stats of its processes that have ended.
    """

    number: int
    folder: Path
    restarts: Restarts = field(default_factory=Restarts)
    state: WorkerState = WorkerState.IDLE
    starts: int = 0
    began: float = 0.0
    due: float = 0.0
    code: int | None = None
    past: WorkerStats | None = None
    _process: subprocess.Popen[bytes] | None = None
    _tail: LogTail | None = None
    _records: LogRecords = field(default_factory=LogRecords)

    @property
    def log(self) -> Path:
        """The output of its processes."""
        return self.folder / LOG

    @property
    def stats_file(self) -> Path:
        """The stats of its process."""
        return self.folder / STATS

    @property
    def pid(self) -> int:
        """The number of its process; 0 if none was started."""
        return self._process.pid if self._process else 0

    def start(
        self, command: Sequence[str], environment: Mapping[str, str], now: float, inherited: Collection[int] = ()
    ) -> None:
        """Start its process.

        Raises:
            OSError: it cannot be started, or its log not be written.
        """
        self.starts += 1
        self.began, self.code = now, None
        self.folder.mkdir(parents=True, exist_ok=True)
        self.stats_file.unlink(missing_ok=True)
        with self._open_log() as log:
            when = datetime.fromtimestamp(now, UTC).strftime("%Y-%m-%d %H:%M:%SZ")
            log.write(f"{when} ---- worker {self.number}, start {self.starts} ----\n".encode())
            log.flush()
            self._tail, self._records = LogTail(self.log, log.tell()), LogRecords()
            self._process = start(command, log, environment=environment, inherited=inherited)
        self.state = WorkerState.RUNNING

    def _open_log(self) -> BinaryIO:
        with suppress(FileNotFoundError):
            if self.log.stat().st_size > LOG_BYTES:
                self.log.replace(self.log.with_name(f"{LOG}.1"))
        return self.log.open("ab")

    def poll(self) -> int | None:
        """The `code` of its process if that has just ended, else None."""
        if self._process is None or self.state is not WorkerState.RUNNING:
            return None
        code = self._process.poll()
        if code is not None:
            self.code = code
            if self._process.stdin:
                self._process.stdin.close()
        return code

    def ended(self, state: WorkerState) -> None:
        """Note the end of its process, and keep its stats."""
        self.state = state
        last = WorkerStats.load(self.stats_file)
        if last is not None:
            self.past = summed([self.past, last] if self.past else [last])
        self.stats_file.unlink(missing_ok=True)

    def stats(self) -> WorkerStats | None:
        """The sum of the stats of its processes; None if there are none yet."""
        # Before its first start the file is an earlier fleet's.
        present = WorkerStats.load(self.stats_file) if self.state is WorkerState.RUNNING else None
        known = [stats for stats in (self.past, present) if stats is not None]
        return summed(known) if known else None

    def records(self) -> list[str]:
        """The records in its log since the last call."""
        if self._tail is None:
            return []
        if self.state is WorkerState.RUNNING:
            return self._records.take(self._tail.read())
        found = []
        while read := self._tail.read():
            found += self._records.take(read)
        self._tail = None
        return found + self._records.rest()

    def last_lines(self, most: int) -> list[str]:
        """The last lines of its log."""
        return last_lines(self.log, most)

    def stop(self) -> None:
        """Ask its process to end, by SIGTERM: Scrapy then returns its leases.

        Before Scrapy handles signals, SIGTERM ends Python without the traceback of SIGINT.
        """
        if self._process:
            self._process.terminate()

    def kill(self) -> None:
        """End its process at once."""
        if self._process:
            self._process.kill()
