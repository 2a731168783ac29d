"""Four workers of one crawl on one Redis, to whom everything happens: kills, restarts, and pauses of all that runs.

The dice decide which act comes when and whom it hits. Afterwards the server's log, what Redis holds, and the workers'
files are judged.
"""

import itertools
import os
import signal
import time
from collections import Counter
from contextlib import suppress

import pytest
import redis
from crash_web import PATIENT
from fleet_evidence import Loss, gaps, leased_in, numbers_in, start_of, worker_of
from fleet_worker import LEASE, Worker

from mediacrawl.scope import canonical, site_of

WORKERS = 4
DECK = (
    *("kill", "kill", "trap", "early", "oversleep"),
    *("redis killed", "redis killed", "redis ended", "redis paused", "kill in a pause"),
)
"""What happens, as often verbatim, in any order; then again."""
MANY = 6
"""Leases that are out at a time only if many sites became due at once."""


class FleetOrdeal:
    """A crawl by several workers, to whom things happen.

    Args:
        web: what is crawled.
        folder: where each worker has a folder.
        server: the Redis server.
        dice: what happens, when, to whom.
    """

    def __init__(self, web, folder, server, dice):
        self.web = web
        self.server = server
        self.workers = [Worker(web, folder / f"w{number}", number, server.url) for number in range(WORKERS)]
        self.acts = []
        self.losses = []
        self.numbers = []
        self.forgot = []
        self._dice = dice
        self._client = redis.Redis.from_url(server.url)
        self._asleep = {}
        self._acts = {
            "kill": self._kill_one,
            "trap": self._trap_one,
            "early": self._kill_early,
            "oversleep": self._put_to_sleep,
            "redis killed": self._kill_redis,
            "redis ended": self._end_redis,
            "redis paused": self._pause_redis,
            "kill in a pause": self._kill_in_a_pause,
        }

    def suffer(self, acts):
        """So many acts, then end in peace; answers the workers' exit codes."""
        self.web.grows = True
        for worker in self.workers:
            self._begin(worker)
        deck = [act for _ in range(-(-acts // len(DECK))) for act in self._dice.sample(DECK, len(DECK))]
        for act in deck[:acts]:
            self._pass(self._dice.uniform(0.05, 1.2))
            self._settle()
            if self._is_over():
                break
            self._note("before")
            self._acts[act]()
            self.acts.append(act)
            self._note(act)
        # They are due together, so one worker may get all of them several times.
        self._pass(120, until=lambda: len(self._workers_on(PATIENT)) > 1)
        self.web.grows = False
        while self._asleep:
            self._pass(0.05)
        return [worker.wait(120 + 2 * acts) for worker in self.workers]

    def forget(self, times):
        """Redis is killed so many times, each time forgetting the last second; answers the workers' exit codes."""
        self.web.grows = True
        for worker in self.workers:
            self._begin(worker)
        self._pass(60, until=lambda: len(self.web.log) > 40)
        for _ in range(times):
            self._pass(self._dice.uniform(0.5, 2.0))
            self._settle()
            kept = self.server.written
            self._pass(1.0)
            self.server.kill()
            self.forgot.append(self.server.written - kept)
            self.server.forget(kept)
            self._pass(self._dice.uniform(0, 1.0))
            self._start_redis()
        self.web.grows = False
        return [worker.wait(120) for worker in self.workers]

    def stop(self):
        """End all that still runs."""
        for worker in self.workers:
            if worker.process and worker.process.poll() is None:
                worker.kill()
        self._client.close()

    # -- acts ------------------------------------------------------------------------------------------------

    def _kill_one(self):
        worker = self._at_work()
        self._kill(worker)
        self._begin(worker)

    def _trap_one(self):
        """The server kills who asks it, before or after it answers."""
        way, left, caught = self._dice.choice(("before", "after")), [self._dice.randrange(1, 15)], []

        def spring(now):
            if now == way and not caught:
                left[0] -= 1
                worker = self.workers[worker_of(self.web.log[-1])]
                if left[0] <= 0 and worker.number not in self._asleep:
                    caught.append((worker, time.monotonic()))
                    with suppress(ProcessLookupError):
                        os.kill(worker.pid, signal.SIGKILL)

        self.web.spring = spring
        self._pass(60, until=lambda: caught)
        self.web.spring = lambda moment: None
        for worker, moment in caught:
            worker.process.wait(30)
            self._lost(worker, moment)
            self._begin(worker)

    def _kill_early(self):
        worker = self._victim()
        self._kill(worker)
        self._begin(worker)
        self._pass(self._dice.uniform(0, 1.0))
        self._kill(worker)
        self._begin(worker)

    def _put_to_sleep(self):
        """It falls asleep over many leases, if there are many before long, and wakes up when others have taken them."""
        self._pass(30, until=lambda: self.web.log)
        self._pass(3, until=lambda: len(self.leased()) > MANY)
        last = self.workers[worker_of(self.web.log[-1])]
        worker = self._victim() if last.number in self._asleep else last
        moment = time.monotonic()
        worker.process.send_signal(signal.SIGSTOP)
        self._asleep[worker.number] = moment + LEASE + self._dice.uniform(0.5, 4.0)
        self._lost(worker, moment, LEASE)

    def _kill_redis(self):
        self.server.kill()
        self._pass(self._dice.uniform(0, 1.5))
        self._start_redis()

    def _end_redis(self):
        self.server.stop()
        self._pass(self._dice.uniform(0, 1.5))
        self._start_redis()

    def _pause_redis(self):
        # In a pause of nearly a lease those end that were renewed before it, if their workers are late behind it.
        self._pause(self._dice.uniform(0.5, LEASE - 2.5))

    def _kill_in_a_pause(self):
        worker = self._victim()
        self._pause(self._dice.uniform(0.5, 3.0), worker)
        self._begin(worker)

    def _pause(self, seconds, victim=None):
        self.server.signal(signal.SIGSTOP)
        self._pass(seconds)
        moment = time.monotonic()
        if victim:
            victim.kill()
        self.server.signal(signal.SIGCONT)
        if victim:
            self._lost(victim, moment)

    # -- what they are made of -------------------------------------------------------------------------------

    def _begin(self, worker):
        worker.begin(seeds=worker.number == 0 and not self._client.hget("media:frontier:total", "seen"))

    def _victim(self):
        return self._dice.choice([worker for worker in self.workers if worker.number not in self._asleep])

    def _at_work(self):
        """A worker that asked somebody a moment ago, if there is one before long."""
        worker, asked = self._victim(), len(self.web.log)
        # Redis that was started over gives out nothing for some seconds.
        self._pass(10, until=lambda: any(worker_of(entry) == worker.number for entry in self.web.log[asked:]))
        self._pass(self._dice.choice((0, 0, 0.05, 0.3)))
        return worker

    def _kill(self, worker):
        moment = time.monotonic()
        worker.kill()
        self._lost(worker, moment)

    def _lost(self, worker, moment, asleep=0.0):
        self.losses.append(Loss(worker.number, worker.starts, moment, self.leased(), asleep))

    def _start_redis(self):
        self.server.start()
        end = time.monotonic() + 60
        while time.monotonic() < end:
            with suppress(redis.BusyLoadingError):
                self._client.ping()
                return
            time.sleep(0.01)
        raise AssertionError("redis-server does not come to its senses")

    def _pass(self, seconds, until=lambda: False):
        """Let time pass, and wake who has slept enough."""
        end = time.monotonic() + seconds
        while (now := time.monotonic()) < end and not until():
            for number in [number for number, then in self._asleep.items() if then <= now]:
                del self._asleep[number]
                self.workers[number].process.send_signal(signal.SIGCONT)
            time.sleep(0.01)

    def _settle(self):
        """Wait until all workers were added that are awake: a start without Redis is another test's matter."""
        self._pass(120, until=lambda: all(self._works(worker) for worker in self.workers))

    def _works(self, worker):
        if worker.process.poll() not in (None, 0):
            pytest.fail(f"w{worker.number} ended by itself after {self.acts}:\n{worker.text()[-4000:]}")
        return worker.number in self._asleep or worker.has_joined()

    def _workers_on(self, hosts):
        pages = [entry for entry in self.web.log if entry.path != "/robots.txt"]
        return {worker_of(entry) for entry in pages if entry.host.removesuffix(".example") in hosts}

    def _is_over(self):
        return any(worker.process.poll() == 0 for worker in self.workers)

    # -- what Redis says -------------------------------------------------------------------------------------

    def _note(self, act):
        self.numbers.append(numbers_in(self.server, act))

    def note_end(self):
        """Note the numbers once more."""
        self._note("the end")

    def leased(self):
        """URLs that are out now."""
        return leased_in(self._client)

    def keys(self, pattern):
        """Names of the frontier's keys, without their prefix."""
        found = self._client.scan_iter(f"media:frontier:{pattern}", count=1000)
        return {key.decode().removeprefix("media:frontier:") for key in found}

    # -- what the server saw ---------------------------------------------------------------------------------

    def gaps(self):
        """Of all workers together."""
        return gaps(self.web.settled_log(), self.losses)

    def unexplained(self):
        """URL and range -> how often it was requested again, although the worker before had not lost its lease."""
        asked = {}
        for entry in sorted(self.web.settled_log(), key=lambda entry: entry.received_monotonic):
            asked.setdefault((canonical(entry.url), entry.range), []).append(entry)
        return Counter(
            {
                what: sum(not self._explained(what[0], *pair) for pair in itertools.pairwise(entries))
                for what, entries in asked.items()
            }
        )

    def _explained(self, url, before, after):
        return any(self._lost_between(loss, before, after) for loss in self.losses if loss.has(url))

    def _lost_between(self, loss, before, after):
        """Whether the worker that asked before lost the URL before it was requested after.

        The server may read a request after its sender was killed, or has fallen asleep.
        """
        is_his = (loss.worker, loss.start) == (worker_of(before), start_of(before))
        is_lost = not loss.asleep or before.received_monotonic < loss.moment + loss.asleep
        return is_his and is_lost and loss.moment < after.received_monotonic

    def story(self, url):
        """What befell a URL and its site."""
        site = site_of(url)
        entries = [entry for entry in self.web.settled_log() if site_of(entry.url) == site]
        lines = [
            (entry.received_monotonic, f"w{worker_of(entry)} asked {entry.path} {entry.range} -> {entry.status}")
            for entry in entries
        ]
        lines += [
            (loss.moment, f"w{loss.worker} lost {[one for one in loss.leased if site_of(one) == site]}")
            for loss in self.losses
        ]
        return "\n".join(f"{moment:12.3f} {what}" for moment, what in sorted(lines))
