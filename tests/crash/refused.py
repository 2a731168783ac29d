"""A real ``mediacrawl crawl media`` in a state folder with something wrong, and what its user sees."""

import os
import re
import tempfile
from dataclasses import dataclass
from pathlib import Path

import harness
from crash_evidence import copy
from harness import ROOT

from mediacrawl.base.terms import Candidate
from mediacrawl.frontier import FrontierPolicy
from mediacrawl.frontier.stores import open_store

SEED = "http://127.0.0.1:2/"
"""Nobody listens there. Each address of loopback is a site of its own."""
BOUND = str(Path(__file__).with_name("bound_by_permissions.py"))
"""Is the program mediacrawl without what lets root write everywhere."""


@dataclass(frozen=True)
class Seen:
    """What a user sees of a crawl: the exit code, and all that it printed."""

    code: int
    text: str

    @property
    def complaints(self):
        """The sentences that say what is wrong: those before the log begins, or the log's errors."""
        if self.code == 2:
            return re.findall(r"(?m)^.*: error: (.*)$", self.text) or [self.text.strip()]
        return re.findall(r"(?m)^\S+ \S+ \[\S+\] (?:ERROR|CRITICAL): (.*)$", self.text)

    def says(self, sentence):
        """See that it is one sentence, as a pattern."""
        assert len(self.complaints) == 1, self.text[-4000:]
        assert re.search(rf"{sentence}$", self.complaints[0]), self.complaints


def crawl(folder, *extra, seconds=1, bound=False):
    """Run it until it ends, so many seconds after its start at the latest; bound by permissions, also for root."""
    words = ["crawl", "media", *extra, "-s", f"CLOSESPIDER_TIMEOUT={seconds}"]
    return _run(folder, words, BOUND if bound else "mediacrawl")


def frontier(folder, verb):
    """Run ``scrapy frontier``."""
    return _run(folder, ["frontier", verb])


def run(folder, *words):
    """Run any command."""
    return _run(folder, words)


def _run(folder, words, program="mediacrawl"):
    settings = {"MEDIACRAWL_DIR": folder, "MEDIACRAWL_CONTACT": "http://localhost/tests"}
    words = [*words, *(word for name, value in settings.items() for word in ("-s", f"{name}={value}"))]
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    with tempfile.TemporaryFile("w+", encoding="utf-8") as text:
        code = harness.start(program, words, folder.parent, environment, text, text).wait(60)
        text.seek(0)
        return Seen(code, text.read())


def killed_crawl(folder):
    """Make the state of a crawl that was killed: most of it in the database, the last of it in the log."""
    work = folder / "work"
    store = open_store("sqlite", work, FrontierPolicy(), 1000.0)
    store.add(_candidates(0, 12_000))
    store._tables.merge()
    store.commit()
    store._db.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    store.add(_candidates(12_000, 12_500))
    store.take(1000.0, 8)
    state = folder / "state"
    state.mkdir()
    copy(work, state)
    store.close()
    return state


def _candidates(first, stop):
    sites = [f"127.0.{n % 3}.{n % 89 + 1}" for n in range(first, stop)]
    return [Candidate(f"http://{site}:2/{n}", site, f"c{n % 3}") for n, site in enumerate(sites, first)]
