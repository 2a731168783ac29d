"""Real crawls of the demo web, in a process of their own, judged by what the *server* saw."""

import itertools
import json
import os
import re
import signal
import subprocess
import time
from pathlib import Path

import harness
import pytest
from demo_web import DemoWeb
from harness import ROOT, environment, switches

from mediacrawl.scope import site_of

MIN_DELAY = 0.15
FIRST_DELAY = 0.2
CLOCK = 0.002
"""Seconds by which the clocks of two processes, read one after the other, may seem to differ."""


def quick(delay):
    """Settings of a crawl that waits so many seconds before each request, however long the answers take."""
    return {"POLITENESS_FIRST_DELAY": delay, "POLITENESS_MIN_DELAY": delay, "POLITENESS_FACTOR": 0}


class Crawl:
    """One crawl of a web, that can be stopped and started again in the same folder.

    Attributes:
        adapters: folder of the site adapters that go with the demo web.
        imports: folders of modules that it shall be able to import.
        level: LOG_LEVEL. By default it is given, so that all stats are at the end of the log; empty leaves it out.
        process: the one that it runs in, or ran in last.
        output: what that printed on its standard output.
        peak: bytes of memory that it took at most.
        killed_at: when it was killed, on the clock that does not jump.
    """

    def __init__(self, web, folder):
        self.web = web
        self.folder = folder
        self.nevercrawl = folder / "NeverCrawl.txt"
        self.nevercrawl.write_text(web.never_crawl, encoding="utf-8")
        self.adapters = folder / "adapters"
        self.adapters.mkdir(exist_ok=True)
        for name, body in web.adapters.items() if isinstance(web, DemoWeb) else ():
            (self.adapters / name).write_bytes(body)
        self.level = "INFO"
        self.imports = []
        self.process = None
        self.starts = 0
        self.peak = 0
        self.killed_at = []

    def __enter__(self):
        return self

    def __exit__(self, *_):
        if self.process is not None and self.process.poll() is None:
            self.kill()

    def start(self, *extra, seed=None, spider="media", **settings):
        """Start ``scrapy crawl`` in the crawl's folder; seeds are for the spider ``media`` only."""
        settings = {
            "POLITENESS_FACTOR": 1.0,
            "POLITENESS_MIN_DELAY": MIN_DELAY,
            # All hosts of this web have one address.
            "POLITENESS_ADDRESS_FACTOR": 0.0,
            "POLITENESS_ADDRESS_MIN_DELAY": 0.0,
            "POLITENESS_FIRST_DELAY": FIRST_DELAY,
            "MEDIACRAWL_CONTACT": "http://localhost/tests",
            "MEDIACRAWL_DIR": str(self.folder / "state"),
            "NEVERCRAWL_FILES": str(self.nevercrawl),
            "NEVERCRAWL_RELOAD": 0.5,
            "SCOPE_MAX_DEPTH": 12,
            # What is learned depends on who answers first; what these crawls are about must not.
            "PRIORITY": "rules",
            "RESOLVER_HOSTS": self.web.hosts,
            **({"ADAPTERS_DIR": self.adapters} if any(self.adapters.iterdir()) else {}),
            **({"LOG_LEVEL": self.level} if self.level else {}),
            **settings,
        }
        command = ["crawl", spider, *switches(settings)]
        seeds = "\n".join(self.web.seeds) if seed is None else seed
        if seeds and spider == "media":
            command += ["-a", f"seed={seeds}"]
        self.starts += 1
        self.log = self.folder / f"crawl-{self.starts}.log"
        environment = {**os.environ, "PYTHONPATH": os.pathsep.join(map(str, [ROOT, *self.imports]))}
        with self.log.open("wb") as log, self._printed.open("wb") as printed:
            self.process = self._launch([*command, *extra], environment, printed, log)
        return self

    def run(self, *extra, **settings):
        """Start it, and wait for its good end."""
        self.start(*extra, **settings)
        assert self.wait() == 0, self.text()[-3000:]
        return self

    def _launch(self, arguments, environment, printed, log):
        return harness.start("mediacrawl", arguments, self.folder, environment, printed, log)

    def command(self, *words, **settings):
        """Run ``mediacrawl`` on the crawl's state until it ends; answers what ``subprocess.run`` does."""
        words = [*words, *switches({"MEDIACRAWL_DIR": self.folder / "state", **settings})]
        return harness.run("mediacrawl", words, self.folder, environment(), seconds=90)

    @property
    def _printed(self):
        return self.folder / f"crawl-{self.starts}.out"

    @property
    def output(self):
        return self._printed.read_text(encoding="utf-8")

    def wait(self, seconds=120):
        """Wait for its end; answers its exit code."""
        end = time.monotonic() + seconds
        while True:
            self.peak = max(self.peak, peak_memory(self.process.pid))
            try:
                return self.process.wait(0.1)
            except subprocess.TimeoutExpired:
                if time.monotonic() < end:
                    continue
                self.kill()
                pytest.fail(f"the crawl did not end within {seconds} s:\n{self.text()[-4000:]}")

    def interrupt(self):
        """Ctrl-C."""
        self.process.send_signal(signal.SIGINT)
        return self.wait(60)

    def kill(self):
        """kill -9."""
        self.killed_at.append(time.monotonic())
        self.process.kill()
        self.process.wait()

    def items(self):
        """The lines of its output ``items.jl``."""
        return list(map(json.loads, (self.folder / "items.jl").read_text(encoding="utf-8").splitlines()))

    def text(self):
        """What it logged."""
        return self.log.read_text(encoding="utf-8", errors="replace")

    def until(self, seen, seconds=60):
        """Wait until a condition on the server's log holds."""
        end = time.monotonic() + seconds
        while not seen(self.web.log):
            # It may have been seen just before the end of the crawl, and since it was looked for.
            if time.monotonic() > end or (self.process.poll() is not None and not seen(self.web.log)):
                pytest.fail(f"never seen:\n{self.text()[-4000:]}")
            time.sleep(0.02)

    def gaps(self):
        """Seconds between the end of each answer and the next request to the same site: (gap, site, before, after).

        An answer that was under way at a kill ended with it, whatever the server sent afterwards.
        """
        by_site = {}
        for entry in self.web.settled_log():
            by_site.setdefault(site_of(entry.url), []).append(entry)
        for site, entries in by_site.items():
            entries.sort(key=lambda e: e.received_monotonic)
            for before, after in itertools.pairwise(entries):
                finished = before.finished_monotonic or before.received_monotonic
                kills = [at for at in self.killed_at if before.received_monotonic < at < after.received_monotonic]
                finished = min([finished, *kills])
                yield after.received_monotonic - finished, site, before, after


def peak_memory(pid):
    """Bytes that a process has had in memory at most; 0 if it is gone.

    Not getrusage: there a child begins with the peak of the process that started it.
    """
    try:
        status = Path(f"/proc/{pid}/status").read_text(encoding="ascii")
    except OSError:
        return 0
    kilobytes = re.search(r"^VmHWM:\s+(\d+) kB", status, re.MULTILINE)
    return int(kilobytes[1]) * 1024 if kilobytes else 0
