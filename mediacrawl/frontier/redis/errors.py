"""Errors of Redis: which pass by themselves, which end the crawl, and the sentence that says what to do."""

from __future__ import annotations

import logging
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import wraps
from time import monotonic
from typing import Any, Concatenate, ParamSpec, Protocol, TypeVar

from redis import exceptions

from mediacrawl.base.format import plural
from mediacrawl.frontier.contract import FrontierError, FrontierLostError, SpoiledError

logger = logging.getLogger(__name__)

LONGEST_PAUSE = 2.0
"""Seconds between two attempts at most, so a crawl continues this soon after Redis is back."""
REMIND = 60.0
"""Seconds after which the log repeats that Redis is away."""

_PASSING = (
    *("LOADING", "MASTERDOWN", "READONLY", "CLUSTERDOWN", "TRYAGAIN", "NOREPLICAS", "BUSY ", "UNBLOCKED"),
    # Redis refuses writes because its memory or its disk is full; its operator has to make room.
    *("OOM", "MISCONF"),
)
# The client removes the first word of an error for which it has a class.
_PASSING_CLASSES = (
    exceptions.OutOfMemoryError,
    *(exceptions.ReadOnlyError, exceptions.ClusterDownError, exceptions.MasterDownError, exceptions.TryAgainError),
)
_PERMANENT = (exceptions.AuthenticationError, exceptions.NoPermissionError)
_RESTART = "start over with the seeds and -a fresh=1; the records and the request log are kept"


class _HasServer(Protocol):
    @property
    def server(self) -> str: ...


_S = TypeVar("_S", bound=_HasServer)
_P = ParamSpec("_P")
_R = TypeVar("_R")


def raises_frontier_error(method: Callable[Concatenate[_S, _P], _R]) -> Callable[Concatenate[_S, _P], _R]:
    """Decorates a method so that errors of Redis and spoiled keys become one `FrontierError`."""

    @wraps(method)
    def guarded(self: _S, *args: _P.args, **kwargs: _P.kwargs) -> _R:
        try:
            return method(self, *args, **kwargs)
        except (exceptions.RedisError, SpoiledError, OSError) as error:
            raise failure(self.server, error) from error

    return guarded  # type: ignore[return-value]  # mypy wants the name of self, too


def is_away(error: BaseException | None) -> bool:
    """Whether an error means that Redis cannot answer now but may answer later."""
    if isinstance(error, FrontierError):
        error = error.__cause__
    if isinstance(error, _PERMANENT):
        return False
    if isinstance(error, (exceptions.ConnectionError, exceptions.TimeoutError, OSError, *_PASSING_CLASSES)):
        return True
    return isinstance(error, exceptions.ResponseError) and str(error).startswith(_PASSING)


def spoiled(key: str, detail: object = "") -> SpoiledError:
    """The error for a key that holds something else than mediacrawl wrote."""
    return SpoiledError(f"SPOILED {key} does not hold what mediacrawl wrote there{detail and f' ({detail})'}")


def failure(server: str, error: Exception) -> FrontierError:
    """Return the error that ends the crawl. Redis's own words hold no secret of the connection."""
    word = str(error).partition(" ")[0] if isinstance(error, exceptions.ResponseError) else ""
    if word == "EMPTIED":
        return FrontierLostError(
            f"the frontier at {server} was emptied while this crawl worked on it (FLUSHALL, a Redis that was started"
            " without its data, which appendonly yes keeps, or keys that Redis evicted when its memory was full):"
            f" what waited there is lost. Put the data of Redis back and start again, or {_RESTART}"
        )
    if word == "REPLACED":
        return FrontierLostError(
            f"the frontier at {server} was emptied and another crawl was begun there (-a fresh=1, or seeds after"
            " FLUSHALL), while this worker was still at the one before; start it again if it is to work on the new one"
        )
    return FrontierError(_sentence(server, error))


def _sentence(server: str, error: Exception) -> str:
    words = str(error).splitlines()[0] if str(error) else type(error).__name__
    if isinstance(error, _PERMANENT) or "NOAUTH" in words:
        advice = "set user and password in REDIS_URL, and let that user run scripts (+@all ~KEY:*)"
    elif isinstance(error, exceptions.ConnectionError | exceptions.TimeoutError | OSError):
        advice = "see that it runs, and that REDIS_URL or SCHEDULER_STORE names it"
    else:
        advice = (
            "what other programs wrote under the crawl's keys has to go, or another Redis database has to be named;"
            " what they have written over is lost: delete that key, see what mediacrawl frontier check says of the"
            f" rest, or {_RESTART}"
        )
    return f"the frontier at {server} cannot be used ({words}); {advice}"


@dataclass(slots=True)
class Outage:
    """A time in which Redis is away.

    Attributes:
        server: its URL without secrets.
        since: when it began, by the steady clock.
        words: the last error, in the client's words.
    """

    server: str
    since: float = field(default_factory=monotonic)
    words: str = ""
    _pause: float = 0.1
    _logged: float = 0.0

    def pause(self, error: BaseException, waiting: int) -> float:
        """Log the outage now and then, with the number of messages that wait.

        Returns:
            Seconds to wait before the next attempt.
        """
        cause = error.__cause__ if isinstance(error, FrontierError) else error
        self.words = str(cause).splitlines()[0] if str(cause) else type(cause).__name__
        if monotonic() - self._logged > REMIND:
            self._logged = monotonic()
            kept = plural(waiting, "message", "is")
            logger.warning("%s is away (%s): the crawl waits, %s kept", self.server, self.words, kept)
        pause, self._pause = self._pause, min(2 * self._pause, LONGEST_PAUSE)
        return pause

    @property
    def seconds(self) -> float:
        """How long Redis has been away."""
        return monotonic() - self.since

    def over(self) -> float:
        """Log that Redis is back; answers the seconds that it was away."""
        seconds = self.seconds
        logger.warning("%s is back after %.1f s: the crawl goes on", self.server, seconds)
        return seconds


@dataclass(slots=True)
class Evictions:
    """Detects that Redis evicts keys.

    With ``maxmemory`` and a policy ``allkeys-...`` Redis deletes any key when its memory is full. Which keys it deleted
    is not recorded; how many, over all databases, it counts from its start. No key of a frontier has a time to live,
    so the policies ``volatile-...`` leave it alone.

    Attributes:
        server: its URL without secrets.
    """

    server: str
    _run: bytes = b""
    _keys: int = 0

    def grew(self, run: bytes, keys: int) -> bool:
        """Whether keys were evicted since the last call. Redis counts them from its start, which has the id `run`."""
        more = run == self._run and keys > self._keys
        self._run, self._keys = run, keys
        return more

    def warn(self, memory: Mapping[str, Any]) -> None:
        """Warn at the start of the crawl if Redis is configured to evict."""
        policy = _policy(memory)
        if policy and int(memory.get("maxmemory", 0)):
            logger.warning(
                "%s deletes any key when its memory is full (maxmemory-policy %s), and with it URLs of the frontier:"
                " set maxmemory-policy noeviction, with which a crawl waits for room",
                self.server,
                policy,
            )

    def check(self, memory: Mapping[str, Any]) -> None:
        """Raise if the evicted keys may have been the frontier's.

        Raises:
            FrontierLostError: they may.
        """
        policy = _policy(memory)
        if policy:
            raise FrontierLostError(
                f"{self.server} has evicted keys since its memory is full (maxmemory-policy {policy}), and nobody can"
                " tell whether they were the frontier's: URLs may be lost. Set maxmemory-policy noeviction or give it"
                " more memory, then see what mediacrawl frontier check says; if that finds no fault the same command"
                f" goes on, else {_RESTART}"
            )


def _policy(memory: Mapping[str, Any]) -> str:
    policy = str(memory.get("maxmemory_policy", ""))
    return policy if policy.startswith("allkeys") else ""
