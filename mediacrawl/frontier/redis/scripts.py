"""Lua scripts of the Redis store. Many calls go out in one round trip; each script is atomic."""

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

from mediacrawl.frontier.redis.errors import spoiled

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
        self.missed: Callable[[], object] = _nothing
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


def _nothing() -> None:
    """The default of `Scripts.missed`."""


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
