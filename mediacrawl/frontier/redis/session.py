"""A worker's membership of a crawl in Redis: its number, its signs of life, the crawl's counters, and the Lua scripts.

Many calls go out in one round trip; each script is atomic.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from importlib import resources
from typing import Any
from uuid import uuid4

import msgpack
from redis import exceptions

from mediacrawl.frontier.contract import Counts, FrontierError, FrontierPolicy
from mediacrawl.frontier.redis.errors import LONGEST_PAUSE, Evictions, raises_frontier_error, spoiled

NAMES = (
    *("hello", "renew", "bye", "add", "unknown", "take", "finish"),
    *("charge", "score", "steer", "sift", "swap", "strays", "learn", "note"),
)

_NEEDS = "-- needs: "
_BEFORE_7 = re.compile(r"Error running script \(call to \w+\): @\w+:\d+: (?:@\w+: \d+: -)?")
"""Prefix that Redis 6.2 puts before the error of a script, and of a command in a script."""

_MAIN = b"""
local function main()
check_crawl()
%b
end

-- Each version of Redis formats an error that a script raises differently; one that it returns stays as it is.
local fine, answer = pcall(main)
if fine then return answer end
if type(answer) == 'table' then answer = answer.err end
if string.find(answer, '^%%u%%u+ ') then return {err = answer} end
return {err = 'SPOILED one of the keys ' .. PREFIX .. '* does not hold what mediacrawl wrote there (' .. answer .. ')'}
"""

# The older form of msgpack, without a type for bytes: cmsgpack in Redis reads no other.
_packer = msgpack.Packer(unicode_errors="surrogatepass", use_bin_type=False)


@dataclass(frozen=True, slots=True)
class Call:
    """A call of a script, or a plain command of Redis.

    Attributes:
        script: one of `NAMES`; empty for a plain command.
        what: the script's arguments.
        told: the time that counts, seconds since the epoch; None for Redis's own clock.
        command: the words of a plain command.
    """

    script: str = ""
    what: Mapping[str, Any] | None = None
    told: float | None = None
    command: tuple[Any, ...] = ()


class Scripts:
    """Runs calls on one server."""

    def __init__(self, client: Any, prefix: str) -> None:
        self._client = client
        self._prefix = prefix
        self.missed: Callable[[], object] = lambda: None
        """Called when the server has lost the scripts, before the calls are repeated."""

    def key(self, *parts: object) -> str:
        """The name of one of the frontier's keys."""
        return ":".join((self._prefix, *map(str, parts)))

    def load(self) -> None:
        """Load the scripts into the server. A restart discards them."""
        with self._client.pipeline(transaction=False) as pipe:
            for name in NAMES:
                pipe.script_load(_source(name))
            pipe.execute()

    def one(self, call: Call) -> Any:
        """Run one call; returns its answer or raises its error."""
        answer = self.run([call])[0]
        if isinstance(answer, exceptions.ResponseError) and call.command and str(answer).startswith("WRONGTYPE"):
            # Redis does not name the key.
            raise spoiled(call.command[1], answer)
        if isinstance(answer, Exception):
            raise answer
        return answer

    def ask(self, *words: Any) -> Any:
        """Run one plain command whose first argument is a key; returns its answer.

        Raises:
            SpoiledError: the key is of another type.
        """
        return self.one(Call(command=words))

    def run(self, calls: Sequence[Call]) -> list[Any]:
        """Run calls in their order in one round trip; returns the answer or the error of each.

        Raises:
            redis.exceptions.ConnectionError: Redis is away; which of the calls it ran is unknown.
            redis.exceptions.TimeoutError: likewise.
        """
        answers = self._run(calls)
        missing = [i for i, answer in enumerate(answers) if isinstance(answer, exceptions.NoScriptError)]
        if missing:
            self.load()
            self.missed()
            for i, answer in zip(missing, self._run([calls[i] for i in missing]), strict=True):
                answers[i] = answer
        return answers

    def _run(self, calls: Sequence[Call]) -> list[Any]:
        with self._client.pipeline(transaction=False) as pipe:
            for call in calls:
                if call.script:
                    told = "" if call.told is None else repr(float(call.told))
                    pipe.evalsha(_sha(call.script), 1, self._prefix, told, _packer.pack(call.what))
                else:
                    pipe.execute_command(*call.command)
            answers: list[Any] = pipe.execute(raise_on_error=False)
        return [_as_since_7(answer) for answer in answers]


def _as_since_7(answer: Any) -> Any:
    """The error of a script in the form of Redis 7 and Valkey, which begins with its code (``OOM``, ``SPOILED``)."""
    if isinstance(answer, exceptions.ResponseError) and _BEFORE_7.match(str(answer)):
        return exceptions.ResponseError(_BEFORE_7.sub("", str(answer), count=1))
    return answer


@cache
def _source(name: str) -> bytes:
    """A script with the files it needs: those that its first line names, and ``common.lua``."""
    folder = resources.files("mediacrawl.frontier.redis").joinpath("lua")
    script = folder.joinpath(f"{name}.lua").read_bytes()
    first = script.partition(b"\n")[0].decode()
    parts = first.removeprefix(_NEEDS).split() if first.startswith(_NEEDS) else []
    shared = [folder.joinpath(f"{part}.lua").read_bytes() for part in parts]
    return folder.joinpath("common.lua").read_bytes() + _MAIN % b"\n".join([*shared, script])


@cache
def _sha(name: str) -> str:
    return hashlib.sha1(_source(name), usedforsecurity=False).hexdigest()


LAYOUT = "1"
"""Version of the keys in Redis. Workers of different layouts must not work on one crawl."""

_NOTICED = LONGEST_PAUSE + 1.0
"""Seconds within which every live worker has noticed that Redis was restarted."""


@dataclass(frozen=True, slots=True)
class StoreSettings:
    """Settings of the Redis store alone.

    Attributes:
        lease: seconds without a sign of life after which a worker counts as dead.
        told: whether the times passed to methods count in place of Redis's clock, for tests and simulations.
        works: whether leases are taken; an operator's command takes none.
        scored: name of the ``PRIORITY``, which all workers must share; empty to skip that check.
        begun: whether the crawl must have begun already, so that an empty frontier is a lost one.
    """

    lease: float = 120.0
    told: bool = False
    works: bool = True
    scored: str = ""
    begun: bool = False


@dataclass(frozen=True, slots=True)
class Counters:
    """The crawl's counters as Redis answered them last.

    Attributes:
        totals: the hash ``total``.
        ends: URLs by how they ended.
        ready: sites that were due.
        time: of the answer, by Redis's clock.
    """

    totals: Mapping[str, int] = field(default_factory=dict)
    ends: Mapping[str, int] = field(default_factory=dict)
    ready: int = 0
    time: float = 0.0

    def __getitem__(self, name: str) -> int:
        return self.totals.get(name, 0)

    def pending(self, *, later: bool) -> int:
        """As `Frontier.pending`."""
        if not self["leased"] and 0 < self["active"] == self["resting"] and later:
            return 0
        return self["waiting"] - self["shelved"] + self["leased"]

    def counts(self) -> Counts:
        """As `Frontier.counts`."""
        active, leased = self["active"], self["leased"]
        return Counts(
            seen=self["seen"],
            waiting=self["waiting"],
            leased=leased,
            ready=self.ready,
            penalty=max(active - self.ready - leased, 0),
            ends=dict(self.ends),
            sites=active,
            most=max(self["most"], active),
            shelved=self["shelved"],
            shelved_sites=(self["paused"], self["retired"]),
            resting=self["resting"],
            again=self["again"],
            bytes=self["bytes"],
        )


class RedisSession:
    """One worker of a crawl, as Redis knows it.

    Attributes:
        worker: number of this worker; 0 for an operator's command.
        crawl: number of the crawl, which every script checks; empty for a command where none was begun.
        now: the latest time that the caller passed.
        due: when the next site is due, by Redis's clock; -1 if none waits.
        run: Redis's ``run_id`` at its last answer: another one means a restart.
        counters: of the crawl, as of the last sign of life.
        breathe: called in long operations, so that a worker can renew its leases meanwhile.

    Raises:
        FrontierError: the frontier cannot be used.
    """

    def __init__(
        self, client: Any, prefix: str, policy: FrontierPolicy, now: float, *, settings: StoreSettings, server: str
    ) -> None:
        self.client = client
        self.policy = policy
        self.settings = settings
        self.server = server
        self.scripts = Scripts(client, prefix)
        self.worker = 0
        self.crawl = ""
        self.now = now
        self.due = -1.0
        self.run = b""
        self.counters = Counters()
        self.breathe: Callable[[], None] = lambda: None
        self._evictions = Evictions(server)
        self.join(now)
        # After a restart of Redis nothing may be leased before `renew` has noted it.
        self.scripts.missed = lambda: self._renew(self.now)

    def call(self, script: str, now: float | None = None, **message: Any) -> Call:
        """A call of a script, with the number of the crawl."""
        told = self.now if now is None else now
        return Call(script, {**message, "crawl": self.crawl}, told if self.settings.told else None)

    @property
    def budget(self) -> dict[str, int]:
        """Arguments of every script that may retire a site."""
        return {"budget": self.policy.budget, "earns": self.policy.earns, "most": self.policy.most}

    @property
    def _lifetimes(self) -> dict[str, Any]:
        owed = self.policy.delay.delay(())
        return {"lease": self.settings.lease, "quiet": owed + _NOTICED, "owed": owed, "worker": self.worker}

    @raises_frontier_error
    def join(self, now: float) -> None:
        """Become a worker of the crawl; again, under a new number, after this one counted as dead.

        Raises:
            FrontierError: workers of another version, order or ``PRIORITY`` work there.
            FrontierLostError: the frontier was emptied since the crawl began.
        """
        self.now = now
        settings, order = self.settings, repr(self.policy.order)
        self.scripts.load()
        told = {"layout": LAYOUT, "order": order, "scored": settings.scored, "new": uuid4().hex}
        flags = {"works": settings.works, "begun": settings.begun}
        word, found, *crawl = self.scripts.one(self.call("hello", now, **told, **flags, **self._lifetimes))
        if word == b"emptied":
            raise exceptions.ResponseError("EMPTIED before this worker came")
        if word == b"layout":
            raise FrontierError(
                f"the frontier at {self.server} has the layout {_quoted(found)}, and this version of mediacrawl works"
                f" with {LAYOUT}; use that version for all workers, or start over with -a fresh=1"
            )
        if word == b"order":
            raise FrontierError(
                f"the crawl at {self.server} was begun with the order {_quoted(found)}, and this worker has"
                f" {order!r}; use one PRIORITY for all workers, or start over with -a fresh=1"
            )
        if word == b"scored":
            raise FrontierError(
                f"the crawl at {self.server} was begun with PRIORITY = {_quoted(found)}, and this worker has"
                f" {settings.scored!r}; use one for all workers, or start over with -a fresh=1"
            )
        self.worker, self.crawl = int(found), crawl[0].decode("latin-1")
        if settings.works:
            self._evictions.warn(self.client.info("memory"))
            self._reconsider_retired()
        self._renew(now)

    def _reconsider_retired(self) -> None:
        """Reactivate retired sites whose budget is larger by today's settings. Done once for each budget."""
        today = f"{self.policy.budget} {self.policy.earns} {self.policy.most}"
        total = self.scripts.key("total")
        before = self.scripts.ask("HGET", total, "budget")
        if before == today.encode():
            return
        if before is not None:
            for name in self.scripts.ask("SMEMBERS", self.scripts.key("retired")):
                self.scripts.one(self.call("steer", verb="reconsider", site=name, **self.budget))
        self.scripts.ask("HSET", total, "budget", today)

    @raises_frontier_error
    def renew(self, now: float) -> bool:
        """Give a sign of life, read the counters, and return leases of dead workers.

        Returns:
            False if this worker counted as dead.

        Raises:
            FrontierLostError: Redis evicted keys that may be the frontier's.
        """
        return self._renew(now)

    def _renew(self, now: float) -> bool:
        answer = self.scripts.one(self.call("renew", now, **self._lifetimes, **self.budget))
        known, _, found, ends, ready, time, due, evicted = answer
        totals = dict(_pairs(found))
        self.run = totals[b"run"]
        if self._evictions.grew(self.run, int(evicted)) and self.settings.works:
            self._evictions.check(self.client.info("memory"))
        self.counters = Counters(
            totals={name.decode("utf-8", "replace"): _number(value) for name, value in totals.items()},
            ends={name.decode("utf-8", "replace"): self._ended(name, value) for name, value in _pairs(ends)},
            ready=int(ready),
            time=float(time),
        )
        self.due = float(due)
        self.now = now
        return bool(known) or not self.settings.works

    def _ended(self, name: bytes, value: bytes) -> int:
        try:
            return int(value)
        except ValueError:
            where = f"{self.scripts.key('ends')} ({_quoted(name)} is {_quoted(value)}, and no number)"
            raise spoiled(where) from None

    @raises_frontier_error
    def return_strays(self, known: Sequence[int], *, asked: bool = False) -> int:
        """Return leases that Redis holds for this worker and the worker does not have.

        Args:
            known: the leases that it has.
            asked: whether their sites may have been requested, as when Redis forgot how the leases ended; else the
                answer that announced the leases was lost.

        Returns:
            How many were returned.
        """
        message = {**self._lifetimes, "known": list(known), "asked": asked, **self.budget}
        found: int = self.scripts.one(self.call("strays", **message))
        return found

    @raises_frontier_error
    def claim(self, task: str, seconds: float) -> bool:
        """Reserve a task for this worker; answers whether no other worker has reserved it."""
        return bool(self.client.set(self.scripts.key("alone", task), self.worker, nx=True, px=int(seconds * 1000)))

    def leave(self) -> None:
        """Return this worker's leases and close the connection."""
        try:
            if self.worker:
                self.scripts.one(self.call("bye", worker=self.worker, **self.budget))
        finally:
            self.client.close()


def _number(value: bytes) -> int:
    return int(value) if value.isdigit() else 0


def _pairs(flat: Sequence[bytes]) -> Iterator[tuple[bytes, bytes]]:
    return zip(flat[::2], flat[1::2], strict=True)


def _quoted(value: bytes) -> str:
    """A value of unknown origin, short and harmless to a terminal."""
    return ascii(value[:40].decode("latin-1"))
