"""The `Frontier` in Redis."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterable, Mapping, Sequence
from math import isfinite
from typing import Any

from redis import exceptions

from mediacrawl.frontier.contract import Counts, FrontierError, FrontierPolicy
from mediacrawl.frontier.redis.errors import failure, raises_frontier_error
from mediacrawl.frontier.redis.leases import RedisLeases
from mediacrawl.frontier.redis.links import add_call, are_known, known_call
from mediacrawl.frontier.redis.notes import read_call, swap_call, write_call
from mediacrawl.frontier.redis.removal import TRIES, Removal
from mediacrawl.frontier.redis.scripts import Call
from mediacrawl.frontier.redis.session import RedisSession, StoreSettings
from mediacrawl.frontier.redis.sites import Sites, clocks_in
from mediacrawl.frontier.seen import RecentUrls
from mediacrawl.observe.format import plural
from mediacrawl.politeness.delay import DAY, Clocks, unrecorded
from mediacrawl.records import Added, Candidate, Drop, Lease, Outcome, SiteInfo

__all__ = ["RedisFrontier", "StoreSettings", "check_deletable", "delete_frontier"]

_KEYS = 1_000
"""Keys that are deleted at a time."""


class RedisFrontier:
    """A `Frontier` in Redis, for any number of workers at once. Each method takes one round trip or a few.

    In Redis, below ``<spider>:frontier``: the keys that ``lua/common.lua`` lists, in msgpack, numbers and text, never
    pickle. Each change of a site is one script. ``<spider>:start_urls`` and ``<spider>:items`` are scrapy-redis' own.
    `delete_frontier` deletes all of them, which starts the crawl again.

    A kill of a worker loses nothing that `add` and `finish` have returned for. Its leases have a deadline by Redis's
    clock (``FRONTIER_LEASE``), after which any other worker returns them: the URLs are requested again, the sites wait
    their whole delay from then. A kill of Redis loses what its append-only file did not have: nothing with
    ``appendfsync always``, about a second with ``everysec``, all without that file. So after each start of Redis
    nothing is leased for the first delay of a site, and a visit that ends without its lease still charges its site.

    Release times are Redis's clock. A time that is passed in counts only as the distance between two of the same
    caller.

    In memory: this worker's leases, and `RecentUrls`.

    Args:
        client: a `redis.Redis` that returns bytes.
        prefix: of the keys.
        policy: the frontier's numbers.
        now: seconds since the epoch.
        rng: source of the random picks.
        settings: of this store alone.
        server: the server's URL without secrets, for messages.

    Attributes:
        session, leases, sites, removal: the parts, for `RedisWorker`, which sends many calls in one round trip, and
            for operators' commands.

    Raises:
        FrontierError: the frontier cannot be used.
    """

    def __init__(
        self,
        client: Any,
        prefix: str,
        policy: FrontierPolicy,
        now: float,
        rng: random.Random | None = None,
        *,
        settings: StoreSettings | None = None,
        server: str = "Redis",
    ) -> None:
        self.server = server
        self.session = RedisSession(client, prefix, policy, now, settings=settings or StoreSettings(), server=server)
        self.leases = RedisLeases(self.session, rng or random.Random())
        self.sites = Sites(self.session.scripts)
        self._recent = RecentUrls()
        self.removal = Removal(self.session, self.sites, self._recent.difference_update)
        self._run = self.session.scripts.one
        self._closed = False

    @raises_frontier_error
    def add(self, candidates: Iterable[Candidate]) -> Added:
        found = list(candidates)
        fresh = self._recent.unknown([candidate.url for candidate in found])
        names = set(fresh)
        joining = [candidate for candidate in found if candidate.url in names]
        new = 0
        if joining:
            new, due = self._run(add_call(self.session, joining, self.session.now))
            self.session.due = float(due)
        for url in fresh:
            self._recent.add(url)
        return Added(int(new), len(found) - int(new))

    @raises_frontier_error
    def rejoin(self, candidate: Candidate) -> bool:
        joined, due = self._run(add_call(self.session, [candidate], self.session.now, again=True))
        self.session.due = float(due)
        return bool(joined)

    @property
    def recent(self) -> RecentUrls:
        return self._recent

    @raises_frontier_error
    def unknown(self, urls: Sequence[str]) -> list[str]:
        asked = self._recent.unknown(urls)
        if not asked:
            return []
        answers = list(zip(asked, are_known(self._run(known_call(self.session, asked))), strict=True))
        for url, known in answers:
            if known:
                self._recent.add(url)
        return [url for url, known in answers if not known]

    @raises_frontier_error
    def take(self, now: float, limit: int) -> list[Lease]:
        self.session.now = now
        if limit <= 0:
            return []
        answer = self._run(self.leases.take_call(now, limit))
        return [held.lease for held in self.leases.taken(answer, now)]

    @raises_frontier_error
    def finish(self, lease: Lease, outcome: Outcome, now: float) -> None:
        held = self.leases.held.get(lease.id)
        if held is None or held.lease is not lease:
            return
        self.session.now = now
        for _ in range(TRIES):
            answer = self._run(self.leases.finish_call(held, outcome, now))
            if not self.leases.refreshed(held, answer):
                break
        if not self.leases.finished(held, answer) and outcome.asked:
            # Another worker has the lease, or Redis lost it, and neither knows of this request.
            self.charge(lease.site, unrecorded(outcome), now)

    @raises_frontier_error
    def charge(self, site: str, outcome: Outcome, now: float) -> None:
        found = self.sites.state(site)
        clocks, version = (found.clocks, found.version) if found else (Clocks(), 0)
        for _ in range(TRIES):
            word, more = self._run(self.leases.charge_call(site, clocks, version, outcome, now))
            if word == b"done":
                self.session.due = float(more)
                return
            clocks, version = clocks_in(more)

    @raises_frontier_error
    def next_release(self) -> float | None:
        session = self.session
        session.renew(session.now)
        if session.due < 0:
            return None
        return 0.0 if session.due <= session.now else session.due

    @raises_frontier_error
    def pending(self) -> int:
        session = self.session
        session.renew(session.now)
        return session.counters.pending(later=session.due > session.now)

    @raises_frontier_error
    def counts(self) -> Counts:
        self.session.renew(self.session.now)
        return self.session.counters.counts()

    @raises_frontier_error
    def site(self, name: str) -> SiteInfo | None:
        state = self.sites.state(name)
        return None if state is None else state.info(self.session.now)

    @raises_frontier_error
    def sites_under(self, domain: str = "", after: str = "", limit: int = 1_000) -> list[str]:
        return self.sites.under(domain, after, limit)

    @raises_frontier_error
    def set_scores(self, site: str, scores: Mapping[str, float]) -> None:
        self._run(score_call(self.session, site, scores))

    @raises_frontier_error
    def pause(self, site: str) -> bool:
        return bool(self._run(self.session.call("steer", verb="pause", site=site)))

    @raises_frontier_error
    def resume(self, site: str) -> bool:
        return bool(self._run(self.session.call("steer", verb="resume", site=site, day=DAY, **self.session.budget)))

    @raises_frontier_error
    def drop(self, site: str, reason: Drop, which: Callable[[str], bool] | None = None) -> int:
        return self.removal.drop(site, reason, which)

    @raises_frontier_error
    def prune(self, limit: int) -> int:
        self.session.renew(self.session.now)
        return self.removal.prune(self.session.counters["waiting"] - limit)

    @property
    def shared(self) -> bool:
        return True

    @raises_frontier_error
    def note(self, namespace: str, key: str) -> bytes | None:
        found: bytes | None = self._run(read_call(self.session, namespace, key))
        return found

    @raises_frontier_error
    def set_note(self, namespace: str, key: str, record: bytes) -> None:
        self._run(write_call(self.session, namespace, key, record))

    @raises_frontier_error
    def update_note(self, namespace: str, key: str, change: Callable[[bytes | None], bytes]) -> bytes:
        old = self.note(namespace, key) or b""
        for _ in range(TRIES):
            new = change(old or None)
            swapped, *found = self._run(swap_call(self.session, namespace, key, old, new))
            if swapped:
                return new
            old = found[0]
        raise FrontierError(f"the note {namespace}/{key} is changed too fast by other workers")

    def holds(self, lease: Lease) -> bool:
        return lease.id in self.leases.held

    def commit(self) -> None:
        """Nothing to do: a method that has returned is durable in Redis."""

    @raises_frontier_error
    def close(self) -> None:
        if not self._closed:
            self._closed = True
            self.leases.held.clear()
            self.session.leave()


def score_call(session: RedisSession, site: str, scores: Mapping[str, float]) -> Call:
    """The call of `Frontier.set_scores`."""
    rank = session.policy.order.rank
    ranked = {name: (float(score), rank(score)) for name, score in scores.items() if isfinite(score)}
    return session.call("score", site=site, scores=ranked, **session.budget)


def check_deletable(client: Any, prefix: str, server: str) -> None:
    """See that no worker uses a frontier.

    Raises:
        FrontierError: workers use it, or Redis is away.
    """
    try:
        workers = f"{prefix}:workers"
        alive = client.zcount(workers, client.time()[0], "+inf") if client.type(workers) == b"zset" else 0
    except (exceptions.RedisError, OSError) as error:
        raise failure(server, error) from error
    if alive:
        raise FrontierError(
            f"{plural(alive, 'worker', 'is')} at work on the frontier at {server}: stop them first; one that was killed"
            " counts as dead after FRONTIER_LEASE"
        )


def delete_frontier(client: Any, prefix: str, server: str) -> int:
    """Delete a whole frontier, whoever wrote it; answers how many keys were deleted.

    Raises:
        FrontierError: workers use it, or Redis is away.
    """
    check_deletable(client, prefix, server)
    escaped = "".join(f"\\{letter}" if letter in "*?[]\\^-" else letter for letter in prefix)
    try:
        gone, keys = 0, list[bytes]()
        for key in client.scan_iter(f"{escaped}:*", count=_KEYS):
            keys.append(key)
            if len(keys) == _KEYS:
                gone += client.unlink(*keys)
                keys.clear()
        return gone + (client.unlink(*keys) if keys else 0)
    except (exceptions.RedisError, OSError) as error:
        raise failure(server, error) from error
