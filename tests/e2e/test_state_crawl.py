"""What a running crawl does when its state is taken away or locked, and when its terminal is closed."""

import itertools
import os
import pty
import re
import shutil
import signal
import sqlite3
import subprocess
import sys
import threading
import time
from contextlib import closing, suppress

import pytest


def critical(crawl):
    return re.findall(r"(?m)^\S+ \S+ \[\S+\] CRITICAL: (.*)$", crawl.text())


def running(crawl):
    """The crawl, after some requests."""
    crawl.start(POLITENESS_MIN_DELAY=1)
    crawl.until(lambda log: len(log) > 30)
    return crawl.folder / "state"


TAKEN = {
    "removed": shutil.rmtree,
    "its lock removed": lambda state: (state / "frontier.lock").unlink(),
}


@pytest.mark.parametrize("how", TAKEN)
def test_a_crawl_whose_state_is_taken_away_ends_with_a_sentence(crawl, how):
    TAKEN[how](running(crawl))
    # By what it meets first: 1 is for the catalogue.
    assert crawl.wait(30) in ({1, 4} if how == "removed" else {4})
    assert all("was removed, moved or replaced while" in each for each in critical(crawl))
    assert critical(crawl)
    assert "Traceback" not in crawl.text()
    asked = len(crawl.web.log)
    time.sleep(1.5)
    assert len(crawl.web.log) == asked


def test_a_crawl_whose_catalogue_is_removed_ends_with_a_sentence_and_with_no_file_counted_as_done(crawl):
    state = running(crawl)
    (state / "media.db").unlink()
    assert crawl.wait(60) == 1
    assert all("media.db was removed, moved or replaced while it was open" in each for each in critical(crawl))
    assert "Traceback" not in crawl.text()
    crawl.run()


def test_a_crawl_whose_terminal_is_closed_stops_cleanly_and_resumes(crawl):
    running(crawl)
    crawl.process.send_signal(signal.SIGHUP)
    # The shell may send it again.
    with suppress(ProcessLookupError):
        crawl.process.send_signal(signal.SIGHUP)
    assert crawl.wait(30) == 0
    assert "Closing spider (shutdown)" in crawl.text()
    assert not (crawl.folder / "state" / "frontier.db-wal").exists()
    crawl.run(seed="")


def test_a_frontier_that_is_locked_while_a_crawl_runs_on_a_terminal_ends_it_without_a_traceback(crawl, monkeypatch):
    printed = bytearray()

    def on_terminal(arguments, environment, _printed, log):
        control, terminal = pty.openpty()
        threading.Thread(target=read, args=(control,), daemon=True).start()
        command = [sys.executable, "-m", "mediacrawl", *arguments]
        return subprocess.Popen(command, cwd=crawl.folder, env=environment, stdout=terminal, stderr=terminal)

    def read(control):
        with suppress(OSError):
            for _ in itertools.count():
                printed.extend(os.read(control, 65536))

    monkeypatch.setattr(crawl, "_launch", on_terminal)
    crawl.level = ""
    state = running(crawl)
    with closing(sqlite3.connect(state / "frontier.db", isolation_level=None)) as db:
        db.execute("BEGIN IMMEDIATE")
        assert crawl.wait(60) == 1
    time.sleep(0.5)
    text = printed.decode(errors="replace")
    assert "is locked by" in text
    assert f"(process {os.getpid()})" in text
    assert "Traceback" not in text
