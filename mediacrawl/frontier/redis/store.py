"""The `Frontier` in Redis, and how URLs are taken out of it: dropped with a reason, or pruned."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from heapq import nsmallest
from itertools import compress, count, islice
from math import isfinite
from typing import Any

import msgpack
from redis import exceptions

from mediacrawl.base.format import plural
from mediacrawl.base.terms import Added, Candidate, Drop, Lease, Outcome, SiteInfo
from mediacrawl.frontier.contract import Counts, FrontierError, FrontierPolicy
from mediacrawl.frontier.redis.errors import failure, raises_frontier_error
from mediacrawl.frontier.redis.leases import RedisLeases, read_call, swap_call, write_call
from mediacrawl.frontier.redis.rows import add_call, are_known, known_call, read_element, read_row
from mediacrawl.frontier.redis.session import Call, RedisSession, StoreSettings
from mediacrawl.frontier.redis.sites import Promise, Sites, clocks_in
from mediacrawl.frontier.seen import RecentUrls, url_key
from mediacrawl.politeness.delay import DAY, Clocks, unrecorded

__all__ = ["RedisFrontier", "StoreSettings", "check_deletable", "delete_frontier"]

NOTED = 20_000
"""Worst classes that one walk over all sites finds."""
NOTED_FOR = 60.0
"""Seconds after which they are found again, since others may be worse then."""
TRIES = 50
"""Attempts at a change that other workers interrupt."""

_SLICE = 200
"""Elements of a list that are read at a time."""
_SITES = 1_000
"""Sites that are read at a time."""


_Which = Callable[[int, str], bool]
"""Whether a URL leaves: gets its number in the list of its class, and the URL."""


class Removal:
    """Takes waiting URLs out of the frontier.

    It reads a class's list in slices and replaces elements that lose rows. The script refuses the change if a worker
    has changed the list since it was read; then the class is read again.
    """

    def __init__(self, session: RedisSession, sites: Sites, forget: Callable[[Iterable[str]], None]) -> None:
        self.forget = forget
        self._session = session
        self._sites = sites
        self._worst: list[tuple[str, int]] = []
        self._noted = 0.0

    def drop(self, site: str, reason: Drop, which: Callable[[str], bool] | None = None) -> int:
        """As `Frontier.drop`."""
        state = self._sites.state(site)
        return sum(
            self._remove(site, number, lambda _, url: which is None or which(url), reason)
            for number in range(len(state.classes) if state else 0)
        )

    def prune(self, excess: int) -> int:
        """Forget URLs of the worst classes.

        Returns:
            How many were forgotten.
        """
        gone = vain = 0
        if self._session.now > self._noted + NOTED_FOR:
            self._worst = []
        while gone < excess and vain <= NOTED and (self._worst or self._note_worst()):
            pruned = self._prune_class(*self._worst[-1], excess - gone)
            gone, vain = gone + pruned, 0 if pruned else vain + 1
            if gone < excess:
                self._worst.pop()
        return gone

    def _note_worst(self) -> bool:
        """Note the least promising classes, the worst at the end of the list; whether there are any.

        Those of retired sites come first. In memory, since finding them walks over all sites.
        """

        def promises() -> Iterator[Promise]:
            walk = self._sites.names()
            while names := list(islice(walk, _SITES)):
                self._session.breathe()
                for site in self._sites.read_many(names):
                    yield from site.promises()

        self._worst = [(site, number) for _, _, site, number, _ in nsmallest(NOTED, promises())][::-1]
        self._noted = self._session.now
        return bool(self._worst)

    def _prune_class(self, site: str, number: int, most: int) -> int:
        """Forget up to `most` URLs of a class, newest first."""
        state = self._sites.state(site)
        if state is None or number >= len(state.classes):
            return 0
        stays = max(state.classes[number].waiting - most, 0)
        return self._remove(site, number, lambda place, _: place >= stays, None)

    def _remove(self, site: str, number: int, which: _Which, reason: Drop | None) -> int:
        """End the matching URLs of a class, or forget them if there is no reason; return how many."""
        gone = 0
        for _ in range(TRIES):
            self._session.breathe()
            rows, whole = self._remove_once(site, number, which, reason)
            gone += rows
            if whole:
                return gone
        raise FrontierError(f"what waits on {site} is changed too fast by other workers; try again later")

    def _remove_once(self, site: str, number: int, which: _Which, reason: Drop | None) -> tuple[int, bool]:
        """As `_remove`, until another worker changes the list; answers how many, and whether all was read."""
        state = self._sites.state(site)
        if state is None:
            return 0, True
        session, found = self._session, state.classes[number]
        queue, gone, start, off = session.scripts.key("q", number + 1, site), 0, 0, found.off
        met = count()
        while elements := session.scripts.ask("LRANGE", queue, start, start + _SLICE - 1):
            changes, urls = [], list[str]()
            for place, element in enumerate(elements, start):
                shared, rows = read_element(queue, element)
                rows = rows[off if place == 0 else 0 :]
                reads = [read_row(site, found.name, shared, row).url for row in rows]
                goes = [which(next(met), url) for url in reads]
                if any(goes):
                    left = [row for row, leaves in zip(rows, goes, strict=True) if not leaves]
                    rest = element[:8] + msgpack.packb([shared, *left], use_bin_type=False) if left else b""
                    changes.append((place, element, rest))
                    urls += compress(reads, goes)
            if changes:
                message: dict[str, Any] = {"site": site, "class": number + 1, "off": off, "changes": changes}
                message["keys"] = [str(url_key(url)) for url in urls]
                if reason is not None:
                    message["name"] = str(reason)
                if session.scripts.one(session.call("sift", **message, **session.budget)) < 0:
                    return gone, False
                if reason is None:
                    self.forget(urls)
                off = 0 if changes[0][0] == 0 else off
            gone += len(urls)
            start += len(elements) - sum(not left for _, _, left in changes)
        return gone, True


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

    shared = True

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
        self.recent = RecentUrls()
        self.removal = Removal(self.session, self.sites, self.recent.difference_update)
        self._run = self.session.scripts.one
        self._closed = False

    @raises_frontier_error
    def add(self, candidates: Iterable[Candidate]) -> Added:
        found = list(candidates)
        fresh = self.recent.unknown([candidate.url for candidate in found])
        names = set(fresh)
        joining = [candidate for candidate in found if candidate.url in names]
        new = 0
        if joining:
            new, due = self._run(add_call(self.session, joining, self.session.now))
            self.session.due = float(due)
        self.recent.update(fresh)
        return Added(int(new), len(found) - int(new))

    @raises_frontier_error
    def rejoin(self, candidate: Candidate) -> bool:
        joined, due = self._run(add_call(self.session, [candidate], self.session.now, again=True))
        self.session.due = float(due)
        return bool(joined)

    @raises_frontier_error
    def unknown(self, urls: Sequence[str]) -> list[str]:
        asked = self.recent.unknown(urls)
        if not asked:
            return []
        answers = are_known(self._run(known_call(self.session, asked)))
        self.recent.update(compress(asked, answers))
        return [url for url, known in zip(asked, answers, strict=True) if not known]

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
