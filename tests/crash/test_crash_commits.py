"""The store alone, killed while it writes: in commits, in merges, and on the log's way back into the file."""

import os
import resource
import signal
import subprocess
import sys
import time
from collections import Counter
from pathlib import Path

import crash_plan
import pytest
import store_worker
from crash_evidence import STORE, WAL, copy, snapshot
from harness import slow

from mediacrawl.base.terms import End, Outcome
from mediacrawl.frontier.stores import open_store

ROOT = Path(__file__).resolve().parents[2]
KILLS = 2 * crash_plan.KILLS
BLOOM = 100_000


class Story:
    """What the workers said, in the order in which they said it, over all kills.

    Attributes:
        first: number of the first URL that was not submitted yet.
        added: URLs that must be there; those up to `first` may be.
        done, maybe_done: those that must have ended, and those that may have.
        releases: site -> release time that must be known.
        now: the workers' clock.
    """

    def __init__(self):
        self.first = self.added = 0
        self.done, self.maybe_done = set(), set()
        self.releases = {}
        self.now = 1000.0
        self.acknowledged = Counter()
        self._forget_unacknowledged()

    def _forget_unacknowledged(self):
        self._submitted, self._ended, self._owed = self.added, set(), {}

    def hear(self, text):
        """Read what one worker said; its last line may be cut off.

        What it acknowledges is its own: what the worker before it had submitted last may have died with that one.
        """
        self._forget_unacknowledged()
        for line in text.split("\n")[:-1]:
            word, *rest = line.split()
            getattr(self, f"_{word}")(*rest)

    def _add(self, first, stop, now):
        self.now = float(now)
        self._submitted = int(stop)
        self.first = max(self.first, self._submitted)

    def _leased(self, *numbers):
        self._committed()
        # Each may have been asked by now.
        self.releases.update((store_worker.site(int(number)), self.now + store_worker.DELAY) for number in numbers)

    def _end(self, number, how, now):
        self._owed[store_worker.site(int(number))] = float(now) + store_worker.DELAY
        if how == "done":
            self._ended.add(int(number))
            self.maybe_done.add(int(number))

    def _committed(self):
        self.acknowledged["commits"] += 1
        self.added = self._submitted
        self.done |= self._ended
        self.releases.update(self._owed)

    def check(self, left):
        """Hold the files against it."""
        left.check()
        present = {number for number in range(self.first) if left.knows(store_worker.url(number))}
        assert present >= set(range(self.added))
        assert left.seen == len(present)
        waiting = {int(url.rpartition("/")[2]) for url in left.waiting}
        assert not waiting & self.done
        assert waiting >= set(range(self.added)) - self.maybe_done

    def check_opened(self, store):
        """Hold what an opened store says against it."""
        assert store.unknown([store_worker.url(number) for number in range(self.added)]) == []
        assert store.unknown([store_worker.url(self.first)]) == [store_worker.url(self.first)]
        counts = store.counts()
        assert counts.seen == counts.waiting + counts.leased + sum(counts.ends.values())
        assert (counts.leased, counts.waiting) == (0, store.pending())
        for site, release in self.releases.items():
            assert store.site(site).release >= release, site


class Worker:
    """One run of `store_worker`, which continues from what is known of those before."""

    def __init__(self, folder, story, bloom=0):
        command = [sys.executable, store_worker.__file__, str(folder), str(story.added), str(story.now), str(bloom)]
        self._said = folder.parent / "said.txt"
        with self._said.open("wb") as said:
            self.process = subprocess.Popen(command, stdout=said, env={**os.environ, "PYTHONPATH": str(ROOT)})

    def until_said(self, size):
        """Let it work until it has said so many bytes; a busy machine takes longer over the same work."""
        while self._said.stat().st_size < size:
            assert self.process.poll() is None, "it ended by itself"
            time.sleep(0.002)

    def ended(self, code):
        """Wait for its end, which is to be of this kind; answers what it said."""
        assert self.process.wait(30) == code
        return self._said.read_text()


def kill_anywhere(worker, folder, dice):
    """SIGKILL, wherever it is."""
    worker.until_said(dice.randrange(1, 60_000))
    worker.process.kill()
    return worker.ended(-signal.SIGKILL)


def kill_in_write(worker, folder, dice):
    """The kernel kills it in the middle of the first write beyond some place of the log or of the database."""
    worker.until_said(dice.randrange(10_000, 40_000))
    files = [path for path in (folder / STORE, folder / WAL) if path.exists()]
    limit = dice.randrange(33_000, 33_000 + max(path.stat().st_size for path in files))
    resource.prlimit(worker.process.pid, resource.RLIMIT_FSIZE, (limit, limit))
    return worker.ended(-signal.SIGXFSZ)


@pytest.mark.parametrize("bloom", [0, *slow(BLOOM)], ids=["table", "filter"])
@pytest.mark.parametrize("kill", [*slow(kill_anywhere), kill_in_write])
def test_a_store_killed_while_it_writes_keeps_what_it_had_answered_for_and_no_more(tmp_path, kill, bloom):
    dice = crash_plan.dice(f"{kill.__name__}/{bloom}")
    folder, story = tmp_path / "state", Story()
    for number in range(KILLS // 4):
        story.hear(kill(Worker(folder, story, bloom), folder, dice))
        story.check(snapshot(folder))
        (tmp_path / str(number)).mkdir()
        copy(folder, tmp_path / str(number))
        store = open_store("sqlite", tmp_path / str(number), store_worker.policy(bloom), story.now)
        story.check_opened(store)
        store.close()
    assert story.acknowledged["commits"] > KILLS
    assert len(story.done) > KILLS


def test_a_store_killed_while_it_opens_opens_again(tmp_path):
    dice, story, state = crash_plan.dice("opening"), Story(), tmp_path / "state"
    for _ in range(KILLS // 4):
        worker = Worker(state, story)
        time.sleep(dice.uniform(0.05, 0.25))
        worker.process.kill()
        story.hear(worker.ended(-signal.SIGKILL))
        story.check(snapshot(state))


def test_a_url_that_ended_soon_after_it_joined_is_known_to_the_filter_after_a_kill(tmp_path):
    def start():
        return open_store("sqlite", tmp_path, store_worker.policy(BLOOM), 1000.0)

    # The filter's file is there, and newer than nothing.
    start().close()
    store = start()
    store.add(store_worker.candidates(0, 1))
    (lease,) = store.take(1000.0, 1)
    store.finish(lease, Outcome(End.DONE), 1000.0)
    store.commit()
    # A kill: the files stay as they are, the lock goes with the process.
    os.close(store._lock)
    again = start()
    assert again.unknown([store_worker.url(0)]) == []
    again.close()
