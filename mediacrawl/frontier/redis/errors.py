"""What a crawl is told when Redis cannot be worked with: each in one sentence, with what to do."""

from __future__ import annotations

import logging
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from redis import exceptions

from mediacrawl.frontier.contract import FrontierError, FrontierLostError

logger = logging.getLogger(__name__)

_ANEW = "begin anew with the seeds and -a fresh=1; the records and the request log are kept"


def failure(server: str, error: Exception) -> FrontierError:
    """The error that ends the crawl.

    Args:
        server: its URL without secrets.
        error: what was raised. Redis's own words hold no secret of the connection.
    """
    word = str(error).partition(" ")[0] if isinstance(error, exceptions.ResponseError) else ""
    if word == "EMPTIED":
        return FrontierLostError(
            f"the frontier at {server} was emptied while this crawl worked on it (FLUSHALL, a Redis that was started"
            " anew without its data, which appendonly yes keeps, or keys that Redis evicted when its memory was full):"
            f" what waited there is lost. Put the data of Redis back and start again, or {_ANEW}"
        )
    if word == "REPLACED":
        return FrontierLostError(
            f"the frontier at {server} was emptied and another crawl was begun there (-a fresh=1, or seeds after"
            " FLUSHALL), while this worker was still at the one before; start it again if it is to work on the new one"
        )
    return FrontierError(trouble(server, error))


def trouble(server: str, error: Exception) -> str:
    """The sentence for a Redis server that cannot be worked with.

    Args:
        server: its URL without secrets.
        error: what was raised.
    """
    words = str(error).splitlines()[0] if str(error) else type(error).__name__
    if isinstance(error, exceptions.AuthenticationError | exceptions.NoPermissionError) or "NOAUTH" in words:
        what = "set user and password in REDIS_URL, and let that user run scripts (+@all ~KEY:*)"
    elif isinstance(error, exceptions.ConnectionError | exceptions.TimeoutError | OSError):
        what = "see that it runs, and that REDIS_URL or SCHEDULER_STORE names it"
    else:
        what = (
            "what other programs wrote under the crawl's keys has to go, or another Redis database has to be named;"
            " what they have written over is lost: delete that key, see what mediacrawl frontier check says of the"
            f" rest, or {_ANEW}"
        )
    return f"the frontier at {server} cannot be used ({words}); {what}"


@dataclass(slots=True)
class Evictions:
    """Whether Redis deletes keys of its own accord.

    With ``maxmemory`` and a policy ``allkeys-...`` it deletes any key when its memory is full. Which keys went nobody
    can tell afterwards; how many did, all databases together, Redis counts from its start. No key of a frontier has a
    time to live, so the policies ``volatile-...`` leave it alone.

    Attributes:
        server: its URL without secrets.
    """

    server: str
    _run: bytes = b""
    _keys: int = 0

    def grew(self, run: bytes, keys: int) -> bool:
        """Whether keys were deleted since the last question.

        Args:
            run: which start of Redis it is that counts.
            keys: how many it has deleted since.
        """
        more = run == self._run and keys > self._keys
        self._run, self._keys = run, keys
        return more

    def warn(self, memory: Mapping[str, Any]) -> None:
        """Say at the start that it will delete keys, if it will.

        Args:
            memory: what Redis says by ``INFO memory``.
        """
        policy = _policy(memory)
        if policy and int(memory.get("maxmemory", 0)):
            logger.warning(
                "%s deletes any key when its memory is full (maxmemory-policy %s), and with it URLs of the frontier:"
                " set maxmemory-policy noeviction, with which a crawl waits for room",
                self.server,
                policy,
            )

    def judge(self, memory: Mapping[str, Any]) -> None:
        """See whether what was deleted may have been of the frontier.

        Args:
            memory: as in `warn`.

        Raises:
            FrontierLostError: it may.
        """
        policy = _policy(memory)
        if policy:
            raise FrontierLostError(
                f"{self.server} has evicted keys since its memory is full (maxmemory-policy {policy}), and nobody can"
                " tell whether they were the frontier's: URLs may be lost. Set maxmemory-policy noeviction or give it"
                " more memory, then see what mediacrawl frontier check says; if that finds no fault the same command"
                f" goes on, else {_ANEW}"
            )


def _policy(memory: Mapping[str, Any]) -> str:
    policy = str(memory.get("maxmemory_policy", ""))
    return policy if policy.startswith("allkeys") else ""
