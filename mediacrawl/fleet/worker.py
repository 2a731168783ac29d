"""One worker: a process, its folder, and what became of it."""

from __future__ import annotations

import subprocess
from collections.abc import Collection, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from datetime import UTC, datetime
from enum import StrEnum
from pathlib import Path
from typing import BinaryIO

from mediacrawl.fleet.account import Account
from mediacrawl.fleet.adding import added
from mediacrawl.fleet.log_lines import Records, Tail, last_lines
from mediacrawl.fleet.patience import Deaths

LOG = "crawl.log"
STATS = "stats.json"
LOG_BYTES = 10_000_000
"""Bytes of a log after which the next start begins a new one; one old log is kept."""


LOST = 4
"""Exit code of a crawl whose frontier was lost: started again it would begin anew, which a person has to decide."""


class State(StrEnum):
    """What a worker is at."""

    IDLE = "idle"
    """Not started yet."""
    RUNNING = "running"
    DEAD = "dead"
    """It is started again when its pause is over."""
    FINISHED = "finished"
    """It ended by itself, and had nothing more to do."""
    STOPPED = "stopped"
    """It ended because it was told to."""
    GIVEN_UP = "given up"


@dataclass(slots=True)
class Worker:
    """A worker. It is told what to do, and decides nothing.

    On disk, in its folder: ``crawl.log``, all that the process printed, each start under a line of its own, and
    ``crawl.log.1``, the one before; what a kill leaves is what was printed. ``stats.json``, see `Account`: the
    process writes it, and it is deleted when its end has been taken note of.

    Attributes:
        number: from 1 on.
        folder: its own, made if missing.
        deaths: how often it has died, and how long it waits.
        state: what it is at.
        starts: how often it was started.
        began: when it was started last, seconds since the epoch.
        due: when it is to be started again, if it is dead.
        code: of its last end: an exit code, or the number of a signal below zero; None if it has not ended yet.
        past: what its processes that ended have said.
    """

    number: int
    folder: Path
    deaths: Deaths = field(default_factory=Deaths)
    state: State = State.IDLE
    starts: int = 0
    began: float = 0.0
    due: float = 0.0
    code: int | None = None
    past: Account | None = None
    _process: subprocess.Popen[bytes] | None = None
    _tail: Tail | None = None
    _records: Records = field(default_factory=Records)

    @property
    def log(self) -> Path:
        """What its processes have printed."""
        return self.folder / LOG

    @property
    def stats(self) -> Path:
        """What its process says of itself."""
        return self.folder / STATS

    @property
    def pid(self) -> int:
        """The number of its process; 0 if none was started."""
        return self._process.pid if self._process else 0

    def start(
        self, command: Sequence[str], environment: Mapping[str, str], now: float, inherited: Collection[int] = ()
    ) -> None:
        """Start its process, in a session of its own: Ctrl-C in a terminal is the fleet's alone.

        Args:
            command: the command line. Its input is a pipe that ends with this process.
            environment: of the process.
            now: seconds since the epoch.
            inherited: file descriptors that it gets as well.

        Raises:
            OSError: it cannot be started, or its log not be written.
        """
        self.starts += 1
        self.began, self.code = now, None
        self.folder.mkdir(parents=True, exist_ok=True)
        self.stats.unlink(missing_ok=True)
        with self._open_log() as log:
            when = datetime.fromtimestamp(now, UTC).strftime("%Y-%m-%d %H:%M:%SZ")
            log.write(f"{when} ---- worker {self.number}, start {self.starts} ----\n".encode())
            log.flush()
            self._tail, self._records = Tail(self.log, log.tell()), Records()
            self._process = subprocess.Popen(
                command,
                stdin=subprocess.PIPE,
                stdout=log,
                stderr=subprocess.STDOUT,
                env=dict(environment),
                start_new_session=True,
                pass_fds=tuple(inherited),
            )
        self.state = State.RUNNING

    def _open_log(self) -> BinaryIO:
        with suppress(FileNotFoundError):
            if self.log.stat().st_size > LOG_BYTES:
                self.log.replace(self.log.with_name(f"{LOG}.1"))
        return self.log.open("ab")

    def poll(self) -> int | None:
        """Look whether its process has ended; answers how, as in `code`, and None if it has not."""
        if self._process is None or self.state is not State.RUNNING:
            return None
        code = self._process.poll()
        if code is not None:
            self.code = code
            if self._process.stdin:
                self._process.stdin.close()
        return code

    def ended(self, state: State) -> None:
        """Take note of the end of its process: what it said of itself is kept."""
        self.state = state
        last = Account.load(self.stats)
        if last is not None:
            self.past = added([self.past, last] if self.past else [last])
        self.stats.unlink(missing_ok=True)

    def account(self) -> Account | None:
        """What all its processes have said; None if none has said anything."""
        # A file that lies there before its first start is an earlier fleet's.
        present = Account.load(self.stats) if self.state is State.RUNNING else None
        said = [account for account in (self.past, present) if account is not None]
        return added(said) if said else None

    def records(self) -> list[str]:
        """What it has printed since the last look, record by record."""
        if self._tail is None:
            return []
        if self.state is State.RUNNING:
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
        """Ask its process to end: Scrapy then gives back what is leased.

        By SIGTERM, which Scrapy takes as it does SIGINT; but before Scrapy listens, it ends Python without a traceback.
        """
        if self._process:
            self._process.terminate()

    def kill(self) -> None:
        """End its process at once."""
        if self._process:
            self._process.kill()
