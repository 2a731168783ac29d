"""What the server saw of several workers, and what Redis counts."""

import itertools
from collections import Counter
from dataclasses import dataclass, field

import msgpack
import ordeal
import redis

from mediacrawl.frontier.redis.rows import read_row
from mediacrawl.scope import site_of

BESIDE = Counter(duplicate=2)
"""How the URLs end that are no part of the plan: two sins' pages link to others that show the same."""


@dataclass(frozen=True)
class Loss:
    """A moment at which a worker lost its leases: it was killed, or slept longer than they lasted.

    Attributes:
        worker: its number.
        start: number of its start, from 1 on.
        moment: seconds of `time.monotonic`.
        leased: URLs that were out then, at any worker.
        asleep: seconds for which it slept at least; 0 if it was killed.
    """

    worker: int
    start: int
    moment: float
    leased: frozenset
    asleep: float = 0.0

    def has(self, url):
        """Whether the URL, or if it is a robots.txt any URL of its host, was leased."""
        if not url.endswith("/robots.txt"):
            return url in self.leased
        return any(leased.startswith(url.removesuffix("robots.txt")) for leased in self.leased)


@dataclass(frozen=True)
class Numbers:
    """What Redis counts, at one moment.

    Attributes:
        act: what had happened just before.
        ends: how URLs ended -> how many.
        total: all other counters.
    """

    act: str
    ends: Counter
    total: Counter = field(default_factory=Counter)


def worker_of(entry):
    """The number of the worker that asked."""
    return _asker(entry)[0]


def start_of(entry):
    """The number of that worker's start, from 1 on."""
    return _asker(entry)[1]


def _asker(entry):
    worker, _, start = entry.user_agent.rpartition(" w")[2].partition(".")
    return int(worker), int(start)


def gaps(entries, losses=()):
    """Seconds between the end of each answer and the next request to the same site: (gap, site, before, after).

    Args:
        entries: of the server's log.
        losses: an answer that was under way when its worker died, or fell asleep for too long, ended with that.
    """
    by_site = {}
    for entry in sorted(entries, key=lambda entry: entry.received_monotonic):
        by_site.setdefault(site_of(entry.url), []).append(entry)
    for site, several in by_site.items():
        for before, after in itertools.pairwise(several):
            end = before.finished_monotonic or before.received_monotonic
            for loss in losses:
                if loss.worker == worker_of(before) and before.received_monotonic < loss.moment < end:
                    end = loss.moment
            yield after.received_monotonic - end, site, before, after


def too_soon(found, clock):
    """Those of the gaps that are shorter than their site's delay."""
    visits, early = Counter(), []
    for gap, site, before, after in found:
        visits[site] += 1
        owed = ordeal.FIRST if visits[site] < 5 else ordeal.DELAY
        if gap < owed - clock:
            early.append((gap, site, before, after))
    return early


def numbers_in(server, act=""):
    """What a Redis server counts now."""
    with redis.Redis.from_url(server.url) as client, client.pipeline() as pipe:
        ends, total = pipe.hgetall("media:frontier:ends").hgetall("media:frontier:total").execute()
    return Numbers(act, _counter(ends), _counter(total))


def _counter(fields):
    return Counter({name.decode(): int(value) for name, value in fields.items() if value.isdigit() and value != b"0"})


def leased_in(client):
    """URLs that are out now, as the client of a Redis server sees it."""
    found = set()
    for key in client.scan_iter("media:frontier:leases:*", count=1000):
        for packed in client.hvals(key):
            site, _, _, shared, row, _ = msgpack.unpackb(packed, raw=True)
            found.add(read_row(site.decode(), "", shared, row).url)
    return frozenset(found)
