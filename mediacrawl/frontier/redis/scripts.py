"""The scripts of the Redis store, and how they are run: many in one round trip, each of them whole or not at all."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from importlib import resources
from typing import Any

import msgpack
from redis import exceptions

from mediacrawl.frontier.contract import SpoiledError

NAMES = (
    *("hello", "renew", "bye", "add", "unknown", "take", "finish"),
    *("charge", "score", "steer", "sift", "swap", "strays", "learn", "note"),
)

_NEEDS = "-- needs: "
_BEFORE_7 = re.compile(r"Error running script \(call to \w+\): @\w+:\d+: (?:@\w+: \d+: -)?")
"""What Redis 6.2 puts before the error of a script, and of a command that a script ran."""

_MAIN = b"""
local function main()
check_crawl()
%b
end

-- An error that a script raises is told by each version of Redis in another form, and one that it answers in its own.
local fine, answer = pcall(main)
if fine then return answer end
if type(answer) == 'table' then answer = answer.err end
if string.find(answer, '^%%u%%u+ ') then return {err = answer} end
return {err = 'SPOILED one of the keys ' .. PREFIX .. '* does not hold what mediacrawl wrote there (' .. answer .. ')'}
"""

# In the older form of the format, which knows no kind of its own for bytes: the one that Redis reads.
_packer = msgpack.Packer(unicode_errors="surrogatepass", use_bin_type=False)


@dataclass(frozen=True, slots=True)
class Call:
    """One command: of a script its name and what it is about, else a plain command of Redis.

    Attributes:
        script: one of `NAMES`; empty for a plain command.
        what: what the script is about.
        told: the time that counts, seconds since the epoch; None for Redis's own clock.
        command: of a plain command its words.
    """

    script: str = ""
    what: Mapping[str, Any] | None = None
    told: float | None = None
    command: tuple[Any, ...] = ()


class Scripts:
    """Runs calls on one server.

    Args:
        client: a `redis.Redis` that gives bytes.
        prefix: of the frontier's keys.
    """

    def __init__(self, client: Any, prefix: str) -> None:
        self._client = client
        self._prefix = prefix
        self.missed: Callable[[], None] = _nothing
        """Is called when the server had forgotten the scripts, before what was asked of it is run."""

    def key(self, *parts: object) -> str:
        """The name of one of the frontier's keys."""
        return ":".join((self._prefix, *map(str, parts)))

    def load(self) -> None:
        """Hand the scripts over. A server that was started anew has forgotten them."""
        with self._client.pipeline(transaction=False) as pipe:
            for name in NAMES:
                pipe.script_load(_source(name))
            pipe.execute()

    def one(self, call: Call) -> Any:
        """Run one call; answers what it answers, and raises what it fails with."""
        answer = self.run([call])[0]
        if isinstance(answer, exceptions.ResponseError) and call.command and str(answer).startswith("WRONGTYPE"):
            # Redis does not say of which key it speaks.
            raise SpoiledError(f"SPOILED {call.command[1]} does not hold what mediacrawl wrote there ({answer})")
        if isinstance(answer, Exception):
            raise answer
        return answer

    def ask(self, *words: Any) -> Any:
        """Run one plain command, whose first argument is a key; answers what it answers.

        Raises:
            SpoiledError: the key is of another kind.
        """
        return self.one(Call(command=words))

    def run(self, calls: Sequence[Call]) -> list[Any]:
        """Run calls in their order, in one round trip; answers what each answers, or the error with which it failed.

        Raises:
            redis.exceptions.ConnectionError: the server is away; which of the calls were run is not known.
            redis.exceptions.TimeoutError: likewise.
        """
        answers = self._run(calls)
        # All or none are missing: nothing of the kind is ever unloaded alone.
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


def _nothing() -> None:
    """Nobody wants to know."""


def _as_since_7(answer: Any) -> Any:
    """An error of a script that begins with its word (``OOM``, ``SPOILED``), as Redis 7 and Valkey tell it."""
    if isinstance(answer, exceptions.ResponseError) and _BEFORE_7.match(str(answer)):
        return exceptions.ResponseError(_BEFORE_7.sub("", str(answer), count=1))
    return answer


@cache
def _source(name: str) -> bytes:
    """A script with what it needs: its first line says which files, beside the one that all need."""
    folder = resources.files("mediacrawl.frontier.redis").joinpath("lua")
    script = folder.joinpath(f"{name}.lua").read_bytes()
    first = script.partition(b"\n")[0].decode()
    parts = first.removeprefix(_NEEDS).split() if first.startswith(_NEEDS) else []
    shared = [folder.joinpath(f"{part}.lua").read_bytes() for part in parts]
    return folder.joinpath("common.lua").read_bytes() + _MAIN % b"\n".join([*shared, script])


@cache
def _sha(name: str) -> str:
    return hashlib.sha1(_source(name), usedforsecurity=False).hexdigest()
