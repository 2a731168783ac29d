"""Makes the modules of this folder importable by their names, and fleets of stand-in workers."""

import json
import logging
import os
import re
import sys
import time
from pathlib import Path

import pytest

from mediacrawl.log.totals import summed
from mediacrawl.programs.fleet import Fleet, FleetContext, FleetPlan, WorkerCommand
from mediacrawl.programs.fleet.worker import RestartPolicy
from mediacrawl.watch.report import CrawlFacts
from mediacrawl.watch.status import states

HERE = Path(__file__).parent
# Commands are run as in the tests of the other doors.
if str(HERE) not in sys.path:
    sys.path.insert(0, str(HERE))

STAND_IN = HERE / "stand_in.py"
QUICKLY = RestartPolicy(first=0.02, longest=0.1, young=60.0, quick=30.0, deaths=3)


class Harbour:
    """A fleet of stand-ins under way, all that it said, and what its workers were told.

    Args:
        folder: of the fleet.
        lives: what each worker does, by its number, at each start; the last again and again.
        patience: how deaths are borne.
    """

    def __init__(self, folder, lives, patience=QUICKLY):
        self.folder = folder
        self.lives = lives
        self.patience = patience
        self.said = []
        self.shown = []
        self.handed_on = []
        self.has_begun = lambda first, others: self.handed_on.append((first.name, [each.name for each in others]))
        self.stop_when = lambda harbour: 0
        self.before_each_look = lambda harbour: time.sleep(0.01)
        self.arguments = {}
        self.settings = ()
        self.interval = 0.0
        self.ends = time.monotonic() + 60

    def run(self):
        """Run it to its end; answers its exit code."""
        program = (sys.executable, "-S", str(STAND_IN), json.dumps(self.lives))
        command = WorkerCommand(program, "media", self.arguments, self.settings)
        plan = FleetPlan(len(self.lives), self.folder, command, self.interval, self.patience)
        context = FleetContext(
            now=time.time,
            sleep=lambda _: self.before_each_look(self),
            log=lambda level, text: self.said.append((level, text)),
            show=lambda number, record: self.shown.append((number, record)),
            stop_requests=self._asked,
            environment=dict(os.environ),
            seeds_joined=self.has_begun,
            totals=self._left,
        )
        return Fleet(plan, context).run()

    def _left(self, began, before):
        """The facts of the summary, from the states of the workers."""
        whole = summed(states(self.folder / f"worker-{number}" for number in self.lives))
        return CrawlFacts(**whole.since(before).by_name())

    def _asked(self):
        if time.monotonic() > self.ends:
            return 2
        return self.stop_when(self)

    def told(self, number):
        """The words that a worker was started with, by start."""
        path = self.folder / f"worker-{number}" / "told.jl"
        return [json.loads(line) for line in path.read_text().splitlines()] if path.exists() else []

    def pids(self):
        """The numbers of the processes that were started."""
        return [int(number) for number in re.findall(r"process (\d+)", self.text())]

    def records(self, number):
        """What was shown of a worker's log."""
        return [record for who, record in self.shown if who == number]

    def text(self, least=logging.DEBUG):
        """What the fleet said itself."""
        return "\n".join(text for level, text in self.said if level >= least)

    def report(self):
        """Its report."""
        return json.loads((self.folder / "fleet.json").read_text(encoding="utf-8"))


@pytest.fixture
def harbour(tmp_path):
    """Makes a fleet from what its workers do."""
    return lambda *lives, **others: Harbour(tmp_path, {str(n): life for n, life in enumerate(lives, 1)}, **others)
