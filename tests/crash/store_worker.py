"""A process that writes to a frontier without pause, until it is killed, and says on its output what it did.

    python store_worker.py FOLDER FIRST NOW BLOOM

Lines, each written before the next thing is done:

=================== ==================================================================
``add A B NOW``     it is NOW; URLs A to B - 1 are about to be added
``leased A B ...``  these were leased; all that was said before is durable
``end A HOW NOW``   A is about to be finished
``committed``       all that was said before is durable
=================== ==================================================================

URL number n is of site n modulo `SITES`. With BLOOM, a number of URLs, there is a Bloom filter for so many. The store
merges its inbox, writes its filter and copies its log back much more often than a crawl does, so that kills meet these.
"""

import os
import random
import resource
import signal
import sys
from pathlib import Path

from mediacrawl.base.terms import Candidate, End, Outcome
from mediacrawl.frontier import FrontierPolicy
from mediacrawl.frontier.sqlite import seen, tables
from mediacrawl.frontier.stores import open_store
from mediacrawl.politeness.delay import DelayPolicy

SITES = 37
DELAY = 10.0
STEP = 4.0
"""Seconds by which the clock continues between two rounds."""
MERGE_AT, SAVE_AT = 60, 300
CHECKPOINT = 8
"""Pages of the log after which they are copied back."""


def policy(bloom):
    return FrontierPolicy(delay=DelayPolicy(0, DELAY, DELAY, DELAY), explore=0.1, bloom=int(bloom))


def url(number):
    return f"http://{site(number)}/{number}"


def site(number):
    return f"s{number % SITES}.example"


def candidates(first, stop):
    return [Candidate(url(n), site(n), f"class-{n % 5}") for n in range(first, stop)]


def say(*words):
    os.write(1, (" ".join(map(str, words)) + "\n").encode())


def work(store, first, now):
    """Add, take, finish, commit."""
    dice = random.Random()
    while True:
        now += STEP
        stop = first + dice.randrange(1, 12)
        say("add", first, stop, now)
        # Those of the round before are added again: they are known.
        store.add(candidates(max(first - 5, 0), stop))
        first = stop
        leases = store.take(now, 8)
        if leases:
            say("leased", *(lease.url.rpartition("/")[2] for lease in leases))
        for lease in leases:
            end = dice.choice((End.DONE, End.DONE, End.AGAIN, End.CONTINUE))
            say("end", lease.url.rpartition("/")[2], end, now)
            store.finish(lease, Outcome(end, state=b"x" * 50 if end is End.CONTINUE else b""), now)
        if dice.random() < 0.5:
            store.commit()
            say("committed")


def main(folder, first, now, bloom):
    # A write beyond the size that the parent sets ends the process in the middle of it.
    signal.signal(signal.SIGXFSZ, signal.SIG_DFL)
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    tables.MERGE_AT, seen.SAVE_AT = MERGE_AT, SAVE_AT
    store = open_store("sqlite", Path(folder), policy(bloom), float(now))
    store._db.execute(f"PRAGMA wal_autocheckpoint = {CHECKPOINT}")
    say("committed")
    work(store, int(first), float(now))


if __name__ == "__main__":
    main(*sys.argv[1:])
