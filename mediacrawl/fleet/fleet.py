"""The fleet: starts the workers, looks after them, and ends when they have."""

from __future__ import annotations

import json
import logging
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path

from mediacrawl.fleet import telling
from mediacrawl.fleet.account import Account, plain, put
from mediacrawl.fleet.adding import added
from mediacrawl.fleet.orders import Orders
from mediacrawl.fleet.patience import Deaths, Patience
from mediacrawl.fleet.worker import LOST, State, Worker
from mediacrawl.observe import summary

REPORT = "fleet.json"
BEGUN = "seeds/joined"
"""The stat of a worker whose seeds are all in the frontier, safe from a kill."""
LOOK = 0.1
"""Seconds between two looks at the workers."""
SLOW = 60.0
"""Seconds that a clean stop may take without a word."""
SHOWN = 20
"""Lines of the log of a worker that the fleet has given up."""
KILLED = 130
"""Exit code after the second Ctrl-C (128 and the number of the signal)."""


@dataclass(frozen=True, slots=True)
class World:
    """What a fleet has from outside.

    Attributes:
        now: seconds since the epoch.
        sleep: waits for so many seconds.
        say: is told what the fleet itself says: the level, as in `logging`, and the text.
        show: is told the number of a worker and a record of its log.
        asked: how often the fleet was asked to stop.
        environment: of the workers.
        trouble: answers a sentence if the workers cannot go on whatever is done for them, else nothing.
        inherited: file descriptors that the workers get as well.
        has_begun: called once, with the folders of the first worker and of the others, when the seeds have joined and
            before the others start. If it raises OSError, they must not start.
    """

    now: Callable[[], float]
    sleep: Callable[[float], None]
    say: Callable[[int, str], None]
    show: Callable[[int, str], None]
    asked: Callable[[], int]
    environment: Mapping[str, str]
    has_begun: Callable[[Path, list[Path]], None]
    trouble: Callable[[], str] = str
    inherited: tuple[int, ...] = ()


@dataclass(frozen=True, slots=True)
class Plan:
    """What a fleet is to do.

    Attributes:
        number: of workers.
        folder: where ``worker-1`` and so on are made.
        orders: what they are told.
        interval: seconds between two lines on its progress; 0 for none.
        patience: how deaths are borne.
    """

    number: int
    folder: Path
    orders: Orders
    interval: float = 60.0
    patience: Patience = field(default_factory=Patience)


class Fleet:
    """Runs workers until all have finished, or until it is asked to stop.

    The first worker hands in the seeds, and forgets an earlier crawl if told so. The others start when it has done
    both; started again before, it does again what it had not finished.

    On disk: ``fleet.json``, the sums of all stats, at once, every `Plan.interval` and at the end, put in its place by
    renaming: a kill leaves the last one. In the folder of each worker see `Worker`.

    Args:
        plan: what to do.
        world: by what means.
    """

    def __init__(self, plan: Plan, world: World) -> None:
        self._plan = plan
        self._world = world
        self._workers = [
            Worker(number, plan.folder / f"worker-{number}", Deaths(plan.patience))
            for number in range(1, plan.number + 1)
        ]
        self._first, *self._others = self._workers
        self._began = world.now()
        self._told = self._began
        self._told_account = Account()
        self._opened = False
        self._begun = False
        self._stops = 0
        self._stopping = 0.0
        self._slow = False
        self._failure: list[str] = []

    def run(self) -> int:
        """Run until the end.

        Returns:
            An exit code: 0, all have finished or were stopped; 1, a worker cannot go on; `LOST`, what the crawl kept
            in Redis is gone; 130, they were killed.
        """
        # Nobody shall take an earlier fleet's for this one's.
        self._write_report(Account(), self._began, "")
        self._start(self._first)
        while not self._over():
            self._world.sleep(LOOK)
            self._look()
        self._forward_logs()
        self._end()
        if any(worker.code == LOST for worker in self._workers):
            return LOST
        return 1 if self._failure else KILLED if self._stops > 1 else 0

    def _over(self) -> bool:
        waits = {State.RUNNING} if self._stopping else {State.RUNNING, State.DEAD}
        return not any(worker.state in waits for worker in self._workers)

    def _look(self) -> None:
        self._obey()
        if not self._stopping and (trouble := self._world.trouble()):
            self._fail(trouble)
        for worker in self._workers:
            self._look_after(worker)
        self._forward_logs()
        if not self._begun and not self._stopping:
            self._see_beginning()
        if self._over():
            return
        if self._plan.interval > 0 and self._world.now() - self._told >= self._plan.interval:
            self._tell_progress()

    # -- starts ----------------------------------------------------------------------------------------------

    def _start(self, worker: Worker) -> None:
        is_first = worker is self._first
        command = self._plan.orders.command(
            worker.folder, fresh=is_first and not self._opened, seeds=is_first and not self._begun
        )
        try:
            worker.start(command, self._world.environment, self._world.now(), self._world.inherited)
        except OSError as error:
            self._say(logging.ERROR, f"worker {worker.number} cannot be started: {error}")
            self._died(worker)
            return
        times = f" for the {worker.starts}. time" if worker.starts > 1 else ""
        self._say(logging.INFO, f"worker {worker.number} is started{times}: process {worker.pid}, log {worker.log}")

    def _see_beginning(self) -> None:
        """See how far the first worker is: forgetting comes before its spider opens, the seeds after."""
        account = self._first.account()
        self._opened = self._opened or account is not None
        if account is None or BEGUN not in account.stats:
            return
        self._begun = True
        try:
            self._world.has_begun(self._first.folder, [worker.folder for worker in self._others])
        except OSError as error:
            self._fail(f"the other workers cannot begin, {error}: the fleet stops. What waits is kept")
        for worker in self._others:
            # A crawl may be over by now, and needs no others.
            if not self._stopping and self._first.state is not State.FINISHED:
                self._start(worker)

    # -- ends ------------------------------------------------------------------------------------------------

    def _look_after(self, worker: Worker) -> None:
        code = worker.poll()
        if code is not None:
            self._ended(worker, code)
        elif worker.state is State.DEAD and not self._stopping and self._world.now() >= worker.due:
            self._start(worker)

    def _ended(self, worker: Worker, code: int) -> None:
        if self._stopping:
            worker.ended(State.STOPPED)
        elif code == 0:
            worker.ended(State.FINISHED)
            self._say(logging.INFO, f"worker {worker.number} has finished")
        else:
            worker.ended(State.DEAD)
            self._died(worker)

    def _died(self, worker: Worker) -> None:
        now = self._world.now()
        pause = worker.deaths.died(now - worker.began)
        if worker.code == LOST:
            self._give_up(worker, telling.sentence_of_loss(worker))
            return
        if pause is None:
            self._give_up(worker, telling.sentence_of_giving_up(worker), *worker.last_lines(SHOWN))
            return
        worker.state, worker.due = State.DEAD, now + pause
        self._say(
            logging.WARNING, f"worker {worker.number} {telling.how(worker.code)}; it is started again in {pause:.0f} s"
        )

    def _give_up(self, worker: Worker, *lines: str) -> None:
        worker.state = State.GIVEN_UP
        self._fail(*lines)

    def _fail(self, *lines: str) -> None:
        self._failure = self._failure or list(lines)
        self._stop("the fleet stops")

    def _obey(self) -> None:
        asked = self._world.asked()
        if asked:
            self._stop("the workers are asked to stop; once more kills them")
        if asked > 1 and self._stops < 2:
            self._say(logging.WARNING, "the workers are killed; what they had leased comes back by its deadline")
            for worker in self._workers:
                worker.kill()
        self._stops = asked
        if self._stopping and not self._slow and self._world.now() - self._stopping > SLOW:
            self._slow = True
            late = ", ".join(str(worker.number) for worker in self._workers if worker.state is State.RUNNING)
            self._say(logging.WARNING, f"not stopped after {SLOW:.0f} s: worker {late}; Ctrl-C kills them")

    def _stop(self, sentence: str) -> None:
        if self._stopping:
            return
        self._stopping = self._world.now()
        self._say(logging.INFO, sentence)
        for worker in self._workers:
            if worker.state is State.RUNNING:
                worker.stop()

    # -- words -----------------------------------------------------------------------------------------------

    def _say(self, level: int, sentence: str) -> None:
        self._world.say(level, sentence)

    def _forward_logs(self) -> None:
        for worker in self._workers:
            for record in worker.records():
                if not telling.is_of_each(record):
                    self._world.show(worker.number, record)

    def _account(self) -> Account:
        return added(account for worker in self._workers if (account := worker.account()) is not None)

    def _tell_progress(self) -> None:
        now, account = self._world.now(), self._account()
        states = [worker.state for worker in self._workers]
        self._say(logging.INFO, telling.progress(account, self._told_account, now - self._told, states))
        self._told, self._told_account = now, account
        self._write_report(account, now, "")

    def _write_report(self, account: Account, now: float, reason: str) -> None:
        told = telling.report(self._workers, account, self._began, now, reason)
        try:
            put(self._plan.folder / REPORT, json.dumps(told, indent=1, default=plain))
        except OSError as error:
            self._say(logging.ERROR, f"{REPORT} cannot be written: {error}")

    def _end(self) -> None:
        now, account = self._world.now(), self._account()
        reason = "failed" if self._failure else "stopped" if self._stops else "finished"
        facts = replace(account.facts, duration=now - self._began, finish_reason=reason)
        self._write_report(account, now, reason)
        self._say(logging.INFO, f"Summary of {telling.ended(self._workers)}\n{summary(facts)}")
        if self._failure:
            self._say(logging.ERROR, "\n".join(self._failure))
