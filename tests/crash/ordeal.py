"""A crawl that is killed at random moments again and again, and the notes that are taken at each kill."""

import itertools
import os
import signal
import sqlite3
import subprocess
import sys
import time
from collections import Counter
from contextlib import closing, suppress
from dataclasses import dataclass
from pathlib import Path

import crash_patience
import pytest
from crash_evidence import Snapshot, snapshot, stored
from crash_web import ATTEMPTS
from crawling import Crawl

from mediacrawl.frontier.seen import url_key
from mediacrawl.scope import canonical

DELAY = 0.9
FIRST = 1.1
"""Seconds of the least delay, and of that of a site's first visits: as long as a restart takes."""
SETTINGS = {
    "POLITENESS_MIN_DELAY": DELAY,
    # All hosts of this web have one address.
    "POLITENESS_ADDRESS_FACTOR": 0.0,
    "POLITENESS_ADDRESS_MIN_DELAY": 0.0,
    "POLITENESS_FIRST_DELAY": FIRST,
    "FRONTIER_ATTEMPTS": ATTEMPTS,
    "FRONTIER_EXPLORE": 0.05,
    "SCOPE_MAX_DEPTH": 10_000,
    # Of what hangs.
    "DOWNLOAD_TIMEOUT": 4,
    **crash_patience.SWITCHED_ON,
}
SWITCHES = [word for name, value in SETTINGS.items() for word in ("-s", f"{name}={value}")]
WAYS = ("start-up", "a while", "a while", "before", "after")
"""When it is killed: at start-up, a while after its first request, when a request has come in, when it was answered.
Each as often verbatim, in any order; then again."""


def start_of(entry):
    """The number of the start, from 1 on, that a request of the server's log came from."""
    return int(entry.user_agent.rpartition(" s")[2])


@dataclass(frozen=True)
class Kill:
    """One kill.

    Attributes:
        asked: requests that the server had seen since the beginning.
        before: the moment before it, seconds of `time.monotonic`.
        left: what the frontier's files said.
        stored: URLs of the records in the catalogue.
    """

    asked: int
    before: float
    left: Snapshot
    stored: frozenset

    def has(self, url):
        """Whether the URL, or if it is a robots.txt any URL of its host, was leased."""
        if not url.endswith("/robots.txt"):
            return url in self.left.leased
        return any(leased.startswith(url.removesuffix("robots.txt")) for leased in self.left.leased)


class Ordeal(Crawl):
    """A crawl under kills.

    Args:
        web: what is crawled.
        folder: where.
        dice: when it is killed.
    """

    def __init__(self, web, folder, dice):
        super().__init__(web, folder)
        self.imports.append(Path(__file__).parent)
        self.kills = []
        self.begins = []
        self._dice = dice
        self._seeds = list(web.seeds)
        self._is_cold = True

    def suffer(self, kills):
        """Be killed so many times, then end in peace; answers the exit code."""
        self.web.grows = True
        ways = [way for _ in range(-(-kills // len(WAYS))) for way in self._dice.sample(WAYS, len(WAYS))]
        ways = ["a while", *ways[1:kills]]
        for way in ways:
            self._is_cold = way == "start-up"
            self.resume()
            self._die(way)
        self.web.grows = False
        self.resume()
        return self.wait(120 + 2 * kills)

    def start(self, *extra, **how):
        """As any crawl; note when. Each request tells the number of the start."""
        self.begins.append(time.monotonic())
        agent = f"mediacrawl/0.1 (+http://localhost/tests) s{len(self.begins)}"
        return super().start(*extra, "-s", f"USER_AGENT={agent}", **how)

    def _launch(self, arguments, environment, printed, log):
        """In an interpreter of its own where it is killed at start-up, so that kills meet all of it."""
        if not self._is_cold:
            return super()._launch(arguments, environment, printed, log)
        command = [sys.executable, "-m", "mediacrawl", *arguments]
        return subprocess.Popen(command, cwd=self.folder, env=environment, stdout=printed, stderr=log)

    def resume(self):
        """Start as a user would: with the seeds until they are known, then without."""
        known = bool(self.kills) and all(self.kills[-1].left.knows(canonical(url)) for url in self._seeds)
        self.start(*SWITCHES, seed="" if known else None)

    def _die(self, way):
        asked = len(self.web.log)
        if way == "start-up":
            time.sleep(self._dice.uniform(0, 1.2))
        elif way == "a while":
            self.until(lambda log: len(log) > asked)
            time.sleep(self._dice.uniform(0.05, 2.0))
        else:
            self._trap(way, self._dice.randrange(1, 25))
        self._gone_already()
        before = time.monotonic()
        self.kill()
        self.note_kill(before)

    def note_kill(self, before):
        """Note that the process died since that moment, and what it left."""
        state = self.folder / "state"
        self.kills.append(Kill(len(self.web.log), before, snapshot(state), stored(state)))

    def _trap(self, moment, count):
        """Wait for the server to kill it: at so many requests from now, before or after the answer."""
        pid, left = self.process.pid, itertools.count(count, -1)

        def spring(now):
            if now == moment and next(left) == 0:
                with suppress(ProcessLookupError):
                    os.kill(pid, signal.SIGKILL)

        self.web.spring = spring
        self._wait(120)
        self.web.spring = lambda moment: None

    def _wait(self, seconds):
        """Wait until the process is dead, or so many seconds."""
        end = time.monotonic() + seconds
        while self.process.poll() is None and time.monotonic() < end:
            time.sleep(0.005)

    def _gone_already(self):
        code = self.process.poll()
        if code not in (None, -signal.SIGKILL):
            pytest.fail(f"ended by itself, exit code {code}, after {len(self.kills)} kills:\n{self.text()[-4000:]}")

    # -- what its files say -----------------------------------------------------------------------------------

    def left(self):
        """The frontier, when no process works on it."""
        return snapshot(self.folder / "state")

    def ends(self):
        """Every reachable URL, and how it ended."""
        left = self.left()
        return {url: left.ends.get(url_key(url), "not at all") for url in self.web.ends}

    def records(self):
        """The records of the web's own media files."""
        with closing(sqlite3.connect(self.folder / "state" / "media.db")) as db:
            db.row_factory = sqlite3.Row
            assert [tuple(row) for row in db.execute("PRAGMA integrity_check")] == [("ok",)]
            db.execute("INSERT INTO media_text (media_text) VALUES ('integrity-check')")
            rows = [dict(row) for row in db.execute("SELECT * FROM media")]
        assert len({row["id"] for row in rows}) == len(rows)
        return [row for row in rows if row["content_url"] in self.web.files]

    # -- what the server saw ---------------------------------------------------------------------------------

    def gaps(self):
        """As of any crawl; an answer that was under way at a kill ended with it, and what the server read later."""
        for _, site, before, after in super().gaps():
            end = before.finished_monotonic or before.received_monotonic
            for kill in self.killed_between(before, after)[:1]:
                end = min(end, kill.before)
            yield after.received_monotonic - end, site, before, after

    def asked(self):
        """Canonical URL and range -> the requests for them, in their order."""
        found = {}
        for entry in sorted(self.web.settled_log(), key=lambda entry: (start_of(entry), entry.received_monotonic)):
            found.setdefault((canonical(entry.url), entry.range), []).append(entry)
        return found

    def unexplained(self):
        """How often a URL and range was requested again, although it was not leased at a kill in between."""
        return Counter(
            {
                what: sum(
                    not any(kill.has(what[0]) for kill in self.killed_between(*pair))
                    for pair in itertools.pairwise(entries)
                )
                for what, entries in self.asked().items()
            }
        )

    def story(self, url):
        """The story of a URL: when it was requested, killed (and whether it was leased then), started."""
        asked = [entry for what, entries in self.asked().items() if what[0] == url for entry in entries]
        lines = [(entry.received_monotonic, f"asked {entry.range}") for entry in asked]
        lines += [(kill.before, "killed, leased" if kill.has(url) else "killed") for kill in self.kills]
        lines += [(begin, "started") for begin in self.begins]
        return [f"{moment - self.begins[0]:8.3f} {what}" for moment, what in sorted(lines)]

    def killed_between(self, before, after):
        """The kills between two requests, by who sent them: the server may read one after the death of its sender."""
        return self.kills[start_of(before) - 1 : start_of(after) - 1]

    def leased(self, url):
        """At how many kills a URL was leased."""
        return sum(kill.has(url) for kill in self.kills)
