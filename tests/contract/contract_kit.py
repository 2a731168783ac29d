"""What the tests of the contract share: stores, times, and how a URL is written down and visited."""

import os
import random
from dataclasses import replace

import redis
from harness import slow
from redis_server import PROGRAMS
from settled import SettledWorker

from mediacrawl.base.terms import Candidate, End, Outcome
from mediacrawl.frontier import FrontierPolicy
from mediacrawl.frontier.redis.store import RedisFrontier, StoreSettings
from mediacrawl.frontier.stores import open_store
from mediacrawl.politeness.delay import DelayPolicy

DELAY = 10.0
NOW = 1_000_000.0
TOLD = StoreSettings(lease=1e9, told=True)
POLICY = FrontierPolicy(delay=DelayPolicy(factor=0, minimum=DELAY, maximum=DELAY, first=DELAY), explore=0.0)
STORES = ["memory", "sqlite", "sqlite-on-disk", "redis", "redis-worker"]
"""``sqlite-on-disk`` holds one site in memory, so that all others come from the disk."""
if "oldest" in PROGRAMS:
    STORES += slow("redis-oldest")


def opened(name, folder, policy, now, server=None):
    """A store, open.

    Args:
        name: one of `STORES`.
        folder: where a file may lie.
        policy: the frontier's numbers.
        now: seconds since the epoch.
        server: URL of the Redis server.
    """
    if name.startswith("redis"):
        store = RedisFrontier(client_of(server), "t:frontier", policy, now, random.Random(1), settings=TOLD)
        return SettledWorker(store, now) if name == "redis-worker" else store
    kind, _, small = name.partition("-")
    policy = replace(policy, front_least=1, front_most=1) if small else policy
    return open_store(kind, folder, policy, now, random.Random(1))


def server_of(name, request):
    """URL of the Redis server of a store, if it has one; ``redis-oldest`` has the oldest that is promised."""
    if not name.startswith("redis"):
        return None
    return request.getfixturevalue("oldest_redis_server" if name == "redis-oldest" else "redis_server")


def client_of(server):
    """A client of a Redis server."""
    return redis.Redis.from_url(server)


def page(url, site=None, **fields):
    """A page that was found."""
    host = url.split("/")[2]
    return Candidate(url, site or host, link_class=fields.pop("link_class", f"{host}/"), **fields)


def done(asked=True, response_time=0.1):
    """The outcome of a visit that all is stored of."""
    return Outcome(End.DONE, response_time=response_time, asked=asked)


def visit(frontier, now, limit=5):
    """Take what may be requested, and end it; answers the leases."""
    leases = frontier.take(now, limit)
    for lease in leases:
        frontier.finish(lease, done(), now)
    return leases


def balances(frontier):
    """Whether every URL is counted where it is."""
    counts = frontier.counts()
    return counts.seen + counts.again == counts.waiting + counts.leased + sum(counts.ends.values())


def kill(frontier):
    """What a kill of the process leaves: the last commit."""
    if isinstance(frontier, RedisFrontier | SettledWorker):
        return
    frontier._db.close()
    os.close(frontier._lock)
    frontier._closed = True
