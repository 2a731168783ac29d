"""The store for many machines: one Redis server that all workers of a crawl ask."""

from __future__ import annotations

import random
from collections.abc import Callable, Container, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import wraps
from itertools import islice
from math import isfinite
from typing import Any, Concatenate, ParamSpec, TypeVar
from uuid import uuid4

import msgpack
from redis import exceptions

from mediacrawl.frontier.contract import Counts, FrontierError, FrontierPolicy, SpoiledError
from mediacrawl.frontier.redis.away import LONGEST_PAUSE
from mediacrawl.frontier.redis.counters import Numbered
from mediacrawl.frontier.redis.errors import Evictions, failure
from mediacrawl.frontier.redis.rows import ELEMENT_ROWS, Row, after, pack_rows, page_of, read_element, read_row
from mediacrawl.frontier.redis.scripts import Call, Scripts
from mediacrawl.frontier.redis.sites import State, pack_clocks, read_clocks, read_site
from mediacrawl.frontier.redis.worst import NOTED, Worst
from mediacrawl.frontier.seen import RecentUrls, url_key
from mediacrawl.observe.format import plural
from mediacrawl.politeness.delay import DAY, Clocks, after_visit, unrecorded
from mediacrawl.records import FINAL, Added, Candidate, Drop, End, Lease, Outcome, SiteInfo

LAYOUT = "1"
"""Of what lies in Redis. Workers of different layouts must not work on one crawl."""

_SLICE = 200
"""Elements of a list that are read at a time."""
_NAMES = 1_000
"""Names of sites that are read at a time."""
_NOTICED = LONGEST_PAUSE + 1.0
"""Seconds in which each worker that lives has noticed that Redis was started anew."""
_TRIES = 50
"""How often a list is read anew that other workers change meanwhile."""
_UNENDING = 1e9
"""Seconds. A lease of a store that has no worker behind it."""

Exchanged = tuple[int, list[tuple[int, bytes]]]
"""Number of the last visit of all workers, and batches with the number of the last visit of each, in their order."""

_P = ParamSpec("_P")
_R = TypeVar("_R")


@dataclass(slots=True)
class Out:
    """A lease that is out, and what its end will be made of.

    Attributes:
        lease: as it was handed out.
        row: as it was read.
        clocks: of its site when it was leased.
        version: of these clocks.
        worker: number of the worker that leased it.
        before: number of the worker that had the site before; 0 for none.
    """

    lease: Lease
    row: Row
    clocks: Clocks
    version: int
    worker: int = 0
    before: int = 0


def _guarded(method: Callable[Concatenate[RedisFrontier, _P], _R]) -> Callable[Concatenate[RedisFrontier, _P], _R]:
    """A method whose failure is told in one sentence."""

    @wraps(method)
    def guarded(self: RedisFrontier, *args: _P.args, **kwargs: _P.kwargs) -> _R:
        try:
            return method(self, *args, **kwargs)
        except (exceptions.RedisError, SpoiledError, OSError) as error:
            raise failure(self.server, error) from error

    return guarded  # type: ignore[return-value]  # mypy wants the name of self, too


@dataclass(frozen=True, slots=True)
class StoreSettings:
    """What is set for the store alone.

    Attributes:
        lease: seconds after which a worker that was not heard counts as dead.
        told: whether the times that methods are told count, and not Redis's clock: for tests and simulations.
        works: whether leases are taken; an operator's command takes none.
        scored: name of what scores the classes, in which all workers must agree; empty if that is not to be looked at.
        begun: whether the crawl must have begun: an empty frontier is one that was lost.
    """

    lease: float = 120.0
    told: bool = False
    works: bool = True
    scored: str = ""
    begun: bool = False


class RedisFrontier:
    """A `Frontier` in Redis, for any number of workers at once. Each method is one round trip or a few.

    In Redis, below ``<spider>:frontier``: the keys that ``lua/common.lua`` lists, in msgpack, numbers and text, never
    pickle. All that concerns a site changes in one script. Beside them ``<spider>:start_urls`` and ``<spider>:items``
    are scrapy-redis' own. `delete_frontier` deletes them; that starts the crawl anew.

    A kill of a worker loses nothing that `add` and `finish` have returned for. Its leases have a deadline by Redis's
    clock (``FRONTIER_LEASE``), after which any other worker gives them back: the URLs are asked again, the sites wait
    their whole delay from then. A kill of Redis loses what its append-only file did not have: nothing with
    ``appendfsync always``, about a second with ``everysec``, all without that file. So after each start of Redis
    nothing is leased for as long as a site is owed at first, and a visit that ends without its lease still charges its
    site.

    Release times are Redis's clock. A time that is told counts only as the distance between two of the same caller.

    In memory: what this worker has leased, and `RecentUrls`.

    Args:
        client: a `redis.Redis` that gives bytes.
        prefix: of the keys.
        policy: the frontier's numbers.
        now: seconds since the epoch.
        rng: source of chance.
        settings: what is set for this store alone.
        server: the server's URL without secrets, for messages.

    Raises:
        FrontierError: it cannot be used.
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
        self.policy = policy
        self.server = server
        self.scripts = Scripts(client, prefix)
        self.out: dict[int, Out] = {}
        self.worker = 0
        self.crawl = ""
        """The number of the crawl, which each script looks at; empty for an operator's command where none was begun."""
        self.client = client
        self._rng = rng or random.Random()
        self._settings = settings or StoreSettings()
        self._recent = RecentUrls()
        self.forget: Callable[[Iterable[str]], None] = self._recent.difference_update
        self.breathe: Callable[[], None] = _nothing
        """Is called now and then in what takes long, so that a worker can say that it lives."""
        self._now = now
        self.due = -1.0
        """When the next site is due, by Redis's clock; -1 if none waits."""
        self.numbers = Numbered()
        self.run = b""
        """Which start of Redis it was that answered last."""
        self._worst = Worst()
        self._evictions = Evictions(server)
        self._closed = False
        self.join(now)
        # It was started anew, and nothing may be leased before that is noted.
        self.scripts.missed = self._notice

    def _notice(self) -> None:
        self.renewed(self.scripts.one(self.renewal(self._now)), self._now)

    @_guarded
    def join(self, now: float) -> None:
        """Become a worker of the crawl; also anew, after this one was taken for dead.

        Args:
            now: seconds since the epoch.

        Raises:
            FrontierError: another version of the program, or another order of URLs, is at work there.
            FrontierLostError: it was emptied since the crawl began.
        """
        self._now = now
        self.scripts.load()
        word, found, *crawl = self.scripts.one(self._call("hello", now, **self._hello()))
        if word == b"emptied":
            raise exceptions.ResponseError("EMPTIED before this worker came")
        if word == b"layout":
            raise FrontierError(
                f"the frontier at {self.server} has the layout {_shown(found)}, and this version of mediacrawl works"
                f" with {LAYOUT}; use that version for all workers, or start anew with -a fresh=1"
            )
        if word == b"order":
            raise FrontierError(
                f"the crawl at {self.server} was begun with the order {_shown(found)}, and this worker has"
                f" {self.policy.order!r}; use one PRIORITY for all workers, or start anew with -a fresh=1"
            )
        if word == b"scored":
            raise FrontierError(
                f"the crawl at {self.server} was begun with PRIORITY = {_shown(found)}, and this worker has"
                f" {self._settings.scored!r}; use one for all workers, or start anew with -a fresh=1"
            )
        self.worker, self.crawl = int(found), crawl[0].decode("latin-1")
        if self._settings.works:
            self._evictions.warn(self.client.info("memory"))
            self._count_bytes()
        self._budget_anew()
        self.renew(now)

    def _hello(self) -> dict[str, Any]:
        return {
            "layout": LAYOUT,
            "order": repr(self.policy.order),
            "scored": self._settings.scored,
            "works": self._settings.works,
            "begun": self._settings.begun,
            "new": uuid4().hex,
            **self._lives,
        }

    @property
    def _lives(self) -> dict[str, Any]:
        policy = self.policy.delay
        owed = policy.delay(())
        return {"lease": self._settings.lease, "quiet": owed + _NOTICED, "owed": owed, "worker": self.worker}

    def _count_bytes(self) -> None:
        """Count the bytes of what waits, once, by reading all of it: an earlier version did not."""
        total = self.scripts.key("total")
        if self.scripts.ask("HEXISTS", total, "bytes"):
            return
        size = 0
        for name in self.names():
            for number in range(self._class_count(name)):
                queue = self.scripts.key("q", number + 1, name)
                size += sum(map(len, self.scripts.ask("LRANGE", queue, 0, -1)))
        self.scripts.ask("HSETNX", total, "bytes", size)

    def _budget_anew(self) -> None:
        """Retired sites that have not spent the budget of today's settings are asked again. Asked once a budget."""
        today = f"{self.policy.budget} {self.policy.earns} {self.policy.most}"
        total = self.scripts.key("total")
        before = self.scripts.ask("HGET", total, "budget")
        if not self._settings.works or before == today.encode():
            return
        if before is not None:
            for name in self.scripts.ask("SMEMBERS", self.scripts.key("retired")):
                self.scripts.one(self._call("steer", self._now, verb="reconsider", site=name, **self._budget))
        self.scripts.ask("HSET", total, "budget", today)

    @_guarded
    def renew(self, now: float) -> bool:
        """Say that this worker lives, and give back what dead ones held; False if this one was taken for dead.

        Args:
            now: seconds since the epoch.
        """
        return self.renewed(self.scripts.one(self.renewal(now)), now)

    def renewal(self, now: float) -> Call:
        """The call of `renew`."""
        return self._call("renew", now, **self._lives, **self._budget)

    def renewed(self, answer: Sequence[Any], now: float) -> bool:
        """What `renewal` answered.

        Raises:
            FrontierLostError: Redis has deleted keys that may be the frontier's.
        """
        known, _, found, ends, ready, time, due, evicted = answer
        totals = dict(_pairs(found))
        self.run = totals[b"run"]
        if self._evictions.grew(self.run, int(evicted)) and self._settings.works:
            self._evictions.judge(self.client.info("memory"))
        self.numbers = Numbered(
            totals={name.decode("utf-8", "replace"): _number(value) for name, value in totals.items()},
            ends={name.decode("utf-8", "replace"): self._counted(name, value) for name, value in _pairs(ends)},
            ready=int(ready),
            time=float(time),
        )
        self.due = float(due)
        self._now = now
        return bool(known) or not self._settings.works

    def _counted(self, name: bytes, value: bytes) -> int:
        try:
            return int(value)
        except ValueError:
            where = f"{self.scripts.key('ends')} ({_shown(name)} is {_shown(value)}, and no number)"
            raise SpoiledError(f"SPOILED {where} does not hold what mediacrawl wrote there") from None

    # -- joining ---------------------------------------------------------------------------------------------

    @_guarded
    def add(self, candidates: Iterable[Candidate]) -> Added:
        found = list(candidates)
        fresh = self._recent.unknown([candidate.url for candidate in found])
        names = set(fresh)
        joining = [candidate for candidate in found if candidate.url in names]
        new = 0
        if joining:
            new, due = self.scripts.one(self.addition(joining, self._now))
            self.due = float(due)
        for url in fresh:
            self._recent.add(url)
        return Added(int(new), len(found) - int(new))

    @_guarded
    def rejoin(self, candidate: Candidate) -> bool:
        joined, due = self.scripts.one(self.addition([candidate], self._now, again=True))
        self.due = float(due)
        return bool(joined)

    def addition(self, candidates: Iterable[Candidate], now: float, *, again: bool = False) -> Call:
        """The call of `add`. Of URLs that come twice one joins.

        Args:
            candidates: what is to join.
            now: seconds since the epoch.
            again: whether it is the call of `rejoin`.
        """
        groups = []
        order = self.policy.order
        elements = dict[object, list[Candidate]]()
        for candidate in candidates:
            elements.setdefault(_of_one_element(candidate), []).append(candidate)
        for group in elements.values():
            for start in range(0, len(group), ELEMENT_ROWS):
                part = group[start : start + ELEMENT_ROWS]
                shared, rows = pack_rows(part)
                keys = [url_key(candidate.url) for candidate in part]
                flat = [field for key, row in zip(keys, rows, strict=True) for field in (str(key), row)]
                first = part[0]
                score = first.score if isfinite(first.score) else 0.0
                groups.append((first.site, first.link_class, score, order.rank(score), shared, flat))
        joining = {"again": True, **self._budget} if again else {}
        return self._call("add", now, groups=groups, classes=self.policy.classes, **joining)

    @property
    def recent(self) -> Container[str]:
        return self._recent

    @_guarded
    def unknown(self, urls: Sequence[str]) -> list[str]:
        asked = self._recent.unknown(urls)
        if not asked:
            return []
        known = self.scripts.one(self.question(asked))
        for url, answer in zip(asked, known, strict=True):
            if answer == KNOWN:
                self._recent.add(url)
        return [url for url, answer in zip(asked, known, strict=True) if answer != KNOWN]

    def question(self, urls: Iterable[str]) -> Call:
        """The call of `unknown`; it answers a byte for each URL, ``1`` if it is known."""
        return self._call("unknown", self._now, keys=[str(url_key(url)) for url in urls])

    # -- going out -------------------------------------------------------------------------------------------

    @_guarded
    def take(self, now: float, limit: int) -> list[Lease]:
        self._now = now
        if limit <= 0:
            return []
        return [out.lease for out in self.taken(self.scripts.one(self.request(now, limit)), now)]

    def request(self, now: float, limit: int) -> Call:
        """The call of `take`."""
        order, rng, explore = self.policy.order, self._rng, self.policy.explore
        draws = list[tuple[object, ...]]()
        for _ in range(limit):
            if explore > 0 and rng.random() < explore:
                draws.append((rng.random(), (), (), rng.random()))
            else:
                draws.append((-1, order.preferred(rng), order.preferred(rng), 0))
        return self._call("take", now, worker=self.worker, draws=draws, **self._budget)

    def taken(self, answer: Sequence[Any], now: float) -> list[Out]:
        """The leases that `request` answered."""
        leases, _, due = answer
        self.due = float(due)
        found = []
        for number, site, link_class, shared, row, clocks, even, before in msgpack.unpackb(leases, raw=True):
            known, version = read_clocks(clocks)
            read = read_row(site.decode(), link_class.decode("utf-8", "surrogatepass"), shared, row)
            out = Out(read.lease(number, known, now, even=even), read, known, version, self.worker, before)
            self.out[number] = out
            found.append(out)
        return found

    @_guarded
    def finish(self, lease: Lease, outcome: Outcome, now: float) -> None:
        out = self.out.get(lease.id)
        if out is None or out.lease is not lease:
            return
        self._now = now
        for _ in range(_TRIES):
            answer = self.scripts.one(self.ending(out, outcome, now))
            if answer[0] != b"changed":
                break
            self.refresh(out, answer)
        if not self.finished(out, answer) and outcome.asked:
            # Others have it by now, or Redis forgot it, and neither knows that the site was asked.
            self.charge(lease.site, unrecorded(outcome), now)

    def ending(self, out: Out, outcome: Outcome, now: float) -> Call:
        """The call of `finish`."""
        final = outcome.end in FINAL
        changed = None if final else after(out.row, outcome)
        shared, row = changed or (None, None)
        back = outcome.end is End.AGAIN or (outcome.end is End.CONTINUE and outcome.trouble is not None)
        return self._call(
            "finish",
            now,
            worker=out.worker,
            lease=out.lease.id,
            version=out.version,
            clocks=self._clocks(out.clocks, outcome, now),
            hold=outcome.hold,
            earned=outcome.earned,
            **({"name": str(outcome.reason or outcome.end), "key": str(url_key(out.lease.url))} if final else {}),
            **({"back": True} if back else {}),
            **({"shared": shared, "row": row} if row is not None else {}),
            **self._budget,
        )

    def refresh(self, out: Out, answer: Sequence[bytes]) -> None:
        """The clocks of a site were changed while it was leased: its visit's end is to be made of these."""
        out.clocks, out.version = read_clocks(msgpack.unpackb(answer[1], raw=True))

    def finished(self, out: Out, answer: Sequence[bytes]) -> bool:
        """What `ending` answered, if the clocks were not changed: whether the visit ended by it."""
        self.out.pop(out.lease.id, None)
        if answer[0] == b"done":
            self.due = float(answer[1])
        return answer[0] == b"done"

    @_guarded
    def charge(self, site: str, outcome: Outcome, now: float) -> None:
        found = self.state(site)
        clocks, version = (found.clocks, found.version) if found else (Clocks(), 0)
        for _ in range(_TRIES):
            word, more = self.scripts.one(self.charging(site, clocks, version, outcome, now))
            if word == b"done":
                self.due = float(more)
                return
            clocks, version = read_clocks(msgpack.unpackb(more, raw=True))

    def charging(self, site: str, clocks: Clocks, version: int, outcome: Outcome, now: float) -> Call:
        """The call of `charge`."""
        new = self._clocks(clocks, outcome, now, stretched=False)
        return self._call("charge", now, site=site, version=version, clocks=new, **self._budget)

    def _clocks(self, clocks: Clocks, outcome: Outcome, now: float, *, stretched: bool = True) -> dict[str, Any]:
        policy = self.policy.delay
        numbers = self.numbers
        stretch = policy.stretch(numbers["active"], numbers["most"]) if stretched else 1.0
        return pack_clocks(after_visit(clocks, outcome, now, policy, stretch), clocks, now, policy)

    @_guarded
    def next_release(self) -> float | None:
        self.renew(self._now)
        due = self.due
        if due < 0:
            return None
        return 0.0 if due <= self._now else due

    # -- looking ---------------------------------------------------------------------------------------------

    @_guarded
    def pending(self) -> int:
        self.renew(self._now)
        return self.numbers.pending(later=self.due > self._now)

    @_guarded
    def counts(self) -> Counts:
        self.renew(self._now)
        return self.numbers.counts()

    def state(self, name: str) -> State | None:
        """A site as it is kept, or None if it was never met."""
        packed = self.scripts.ask("GET", self.scripts.key("site", name))
        return None if packed is None else self._read(name, packed)

    def _read(self, name: str, packed: bytes) -> State:
        try:
            return read_site(name, packed)
        except SpoiledError as error:
            raise SpoiledError(f"{self.scripts.key('site', name)}: {error}") from error

    @_guarded
    def site(self, name: str) -> SiteInfo | None:
        state = self.state(name)
        return None if state is None else state.info(self._now)

    @_guarded
    def sites_under(self, domain: str = "", after: str = "", limit: int = 1_000) -> list[str]:
        below, found = f".{domain}", list[str]()
        for name in self.names(after):
            if not domain or name == domain or name.endswith(below):
                found.append(name)
            if len(found) >= limit:
                break
        return found

    def names(self, after: str = "") -> Iterator[str]:
        """Sites where something waits, in the order of their names."""
        key, low = self.scripts.key("names"), f"({after}" if after else "-"
        while names := self.scripts.ask("ZRANGEBYLEX", key, low, "+", "LIMIT", 0, _NAMES):
            try:
                yield from [name.decode() for name in names]
            except UnicodeDecodeError as error:
                raise SpoiledError(f"SPOILED {key} does not hold what mediacrawl wrote there") from error
            low = b"(" + names[-1]

    # -- steering --------------------------------------------------------------------------------------------

    @_guarded
    def set_scores(self, site: str, scores: Mapping[str, float]) -> None:
        self.scripts.one(self.scoring(site, scores))

    def scoring(self, site: str, scores: Mapping[str, float]) -> Call:
        """The call of `set_scores`."""
        rank = self.policy.order.rank
        told = {name: (float(score), rank(score)) for name, score in scores.items() if isfinite(score)}
        return self._call("score", self._now, site=site, scores=told, **self._budget)

    @_guarded
    def pause(self, site: str) -> bool:
        return bool(self.scripts.one(self._call("steer", self._now, verb="pause", site=site)))

    @_guarded
    def resume(self, site: str) -> bool:
        return bool(self.scripts.one(self._call("steer", self._now, verb="resume", site=site, day=DAY, **self._budget)))

    @_guarded
    def drop(self, site: str, reason: Drop, which: Callable[[str], bool] | None = None) -> int:
        return sum(self._sift(site, number, which or _every, reason) for number in range(self._class_count(site)))

    def _class_count(self, site: str) -> int:
        state = self.state(site)
        return len(state.classes) if state else 0

    @_guarded
    def prune(self, limit: int) -> int:
        self.renew(self._now)
        excess = self.numbers["waiting"] - limit
        gone = vain = 0
        for site, number in self._worst.classes(self._promises, self._now):
            if gone >= excess or vain > NOTED:
                break
            pruned = self._prune_class(site, number, excess - gone)
            gone, vain = gone + pruned, 0 if pruned else vain + 1
        return gone

    def _promises(self) -> Iterator[tuple[bool, float, str, int, int]]:
        """Every class with something waiting: whether its site is asked, its score, site, number and URLs."""
        walk = self.names()
        while names := list(islice(walk, _NAMES)):
            self.breathe()
            packed_sites = self.client.mget([self.scripts.key("site", name) for name in names])
            for name, packed in zip(names, packed_sites, strict=True):
                if packed is not None:
                    yield from self._read(name, packed).promises()

    def _prune_class(self, site: str, number: int, most: int) -> int:
        """Forget up to so many URLs of a class, newest first."""
        state = self.state(site)
        if state is None or number >= len(state.classes):
            return 0
        stays = max(state.classes[number].waiting - most, 0)
        met = 0

        def is_late(_: str) -> bool:
            nonlocal met
            met += 1
            return met > stays

        def again() -> None:
            nonlocal met
            met = 0

        return self._sift(site, number, is_late, None, again)

    def _sift(
        self,
        site: str,
        number: int,
        which: Callable[[str], bool],
        reason: Drop | None,
        again: Callable[[], None] = lambda: None,
    ) -> int:
        """End the waiting URLs of a class that are meant, or without a reason forget them; answers how many."""
        gone = 0
        for _ in range(_TRIES):
            again()
            self.breathe()
            rows, whole = self._sift_once(site, number, which, reason)
            gone += rows
            if whole:
                return gone
        raise FrontierError(f"what waits on {site} is changed too fast by other workers; try again later")

    def _sift_once(self, site: str, number: int, which: Callable[[str], bool], reason: Drop | None) -> tuple[int, bool]:
        """As `_sift`, until another worker changes the list; answers how many, and whether all was read."""
        state = self.state(site)
        if state is None:
            return 0, True
        found = state.classes[number]
        queue, gone, start, off = self.scripts.key("q", number + 1, site), 0, 0, found.off
        while elements := self.scripts.ask("LRANGE", queue, start, start + _SLICE - 1):
            changes, urls = [], list[str]()
            for place, element in enumerate(elements, start):
                left, out = _sifted((queue, site, found.name), element, which, off if place == 0 else 0)
                if out:
                    changes.append((place, element, left))
                    urls += out
            if changes:
                what = {"site": site, "class": number + 1, "off": off, "changes": changes}
                what["keys"] = [str(url_key(url)) for url in urls]
                if reason is not None:
                    what["name"] = str(reason)
                if self.scripts.one(self._call("sift", self._now, **what, **self._budget)) < 0:
                    return gone, False
                if reason is None:
                    self.forget(urls)
                off = 0 if changes[0][0] == 0 else off
            gone += len(urls)
            start += len(elements) - sum(not left for _, _, left in changes)
        return gone, True

    # -- notes of other rooms --------------------------------------------------------------------------------

    @property
    def shared(self) -> bool:
        return True

    @_guarded
    def note(self, room: str, key: str) -> bytes | None:
        found: bytes | None = self.scripts.one(self.noted(room, key))
        return found

    @_guarded
    def set_note(self, room: str, key: str, record: bytes) -> None:
        self.scripts.one(self.noting(room, key, record))

    def noted(self, room: str, key: str) -> Call:
        """The call of `note`."""
        return Call(command=("HGET", self.scripts.key("note", room), key))

    def noting(self, room: str, key: str, record: bytes) -> Call:
        """The call of `set_note`."""
        return self._call("note", self._now, room=room, key=key, record=record)

    @_guarded
    def update_note(self, room: str, key: str, change: Callable[[bytes | None], bytes]) -> bytes:
        old = self.note(room, key) or b""
        for _ in range(_TRIES):
            new = change(old or None)
            answer = self.scripts.one(self.swapping(room, key, old, new))
            if answer[0]:
                return new
            old = answer[1]
        raise FrontierError(f"the note {room}/{key} is changed too fast by other workers")

    def swapping(self, room: str, key: str, old: bytes, new: bytes) -> Call:
        """The call of `update_note`, for a note that is taken for `old`."""
        return self._call("swap", self._now, room=room, key=key, old=old, new=new)

    # -- what workers learn ----------------------------------------------------------------------------------

    def exchanging(self, batch: bytes, visits: int, after: int, *, keep: int, most: int) -> Call:
        """The call by which a worker tells of visits, and hears of those of all.

        Args:
            batch: what is told, in the teller's format; it is handed on as it is.
            visits: how many it tells of; 0 for none.
            after: number of the last visit that was heard of; visits of all workers are numbered from 1.
            keep: visits that are kept for workers that join later; the oldest of more are forgotten.
            most: visits that are heard of at most, or those of one batch if it has more.
        """
        return self._call("learn", self._now, batch=batch, visits=visits, after=after, keep=keep, most=most)

    def exchanged(self, answer: Sequence[Any]) -> Exchanged:
        """What `exchanging` answered."""
        last, found = answer
        return int(last), [(int(number), batch) for number, batch in zip(found[::2], found[1::2], strict=True)]

    # -- the worker ------------------------------------------------------------------------------------------

    def holds(self, lease: Lease) -> bool:
        return lease.id in self.out

    def commit(self) -> None:
        """Nothing to do: what returned is in Redis."""

    @_guarded
    def close(self) -> None:
        if self._closed:
            return
        self._closed = True
        try:
            if self.worker:
                self.out.clear()
                self.scripts.one(self.leaving())
        finally:
            self.client.close()

    @_guarded
    def return_strays(self, *, asked: bool = False) -> int:
        """Give back leases of which this worker does not know; answers how many.

        Args:
            asked: whether their sites may have been asked, since Redis forgot how the leases ended; else the answer
                that told of them was lost.
        """
        what = {**self._lives, "known": list(self.out), "asked": asked, **self._budget}
        found: int = self.scripts.one(self._call("strays", self._now, **what))
        return found

    @_guarded
    def alone(self, what: str, seconds: float) -> bool:
        """Whether this worker is the one that does something, for so many seconds."""
        return bool(self.client.set(self.scripts.key("alone", what), self.worker, nx=True, px=int(seconds * 1000)))

    def leaving(self) -> Call:
        """The call that gives back what this worker has leased, and takes it from the list of workers."""
        return self._call("bye", self._now, worker=self.worker, **self._budget)

    @property
    def _budget(self) -> dict[str, int]:
        return {"budget": self.policy.budget, "earns": self.policy.earns, "most": self.policy.most}

    def _call(self, script: str, now: float, **what: Any) -> Call:
        return Call(script, {**what, "crawl": self.crawl}, now if self._settings.told else None)


def check_deletable(client: Any, prefix: str, server: str) -> None:
    """See that no worker is at a frontier.

    Args:
        client: a `redis.Redis` that gives bytes.
        prefix: of its keys.
        server: the server's URL without secrets, for messages.

    Raises:
        FrontierError: workers are at it, or Redis is away.
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
    """Delete a whole frontier, whoever wrote it; answers how many keys went.

    Args:
        client: see `check_deletable`.
        prefix: see there.
        server: see there.

    Raises:
        FrontierError: workers are at it, or Redis is away.
    """
    check_deletable(client, prefix, server)
    try:
        gone, keys = 0, list[bytes]()
        for key in client.scan_iter(f"{_escaped(prefix)}:*", count=_NAMES):
            keys.append(key)
            if len(keys) == _NAMES:
                gone += client.unlink(*keys)
                keys.clear()
        return gone + (client.unlink(*keys) if keys else 0)
    except (exceptions.RedisError, OSError) as error:
        raise failure(server, error) from error


KNOWN = ord("1")


def _nothing() -> None:
    """Nobody has to say anything."""


def _every(_: str) -> bool:
    return True


def _of_one_element(candidate: Candidate) -> tuple[object, ...]:
    return candidate.site, candidate.link_class, *page_of(candidate)


def _number(value: bytes) -> int:
    return int(value) if value.isdigit() else 0


def _pairs(flat: Sequence[bytes]) -> Iterator[tuple[bytes, bytes]]:
    return zip(flat[::2], flat[1::2], strict=True)


def _shown(value: bytes) -> str:
    """What stands where we expect a word of ours."""
    return ascii(value[:40].decode("latin-1"))


def _escaped(prefix: str) -> str:
    return "".join(f"\\{letter}" if letter in "*?[]\\^-" else letter for letter in prefix)


def _sifted(
    home: tuple[str, str, str], element: bytes, which: Callable[[str], bool], off: int
) -> tuple[bytes, list[str]]:
    """What is left of an element of a list, and the URLs that go.

    Args:
        home: where it stands: the key of its list, its site, its class.
        element: as read.
        which: tells of a URL whether it goes.
        off: rows of it that were taken already.
    """
    key, site, link_class = home
    shared, rows = read_element(key, element)
    urls, left = list[str](), list[bytes]()
    for row in rows[off:]:
        url = read_row(site, link_class, shared, row).url
        if which(url):
            urls.append(url)
        else:
            left.append(row)
    return (element[:8] + msgpack.packb([shared, *left], use_bin_type=False) if left else b""), urls
