"""The key from which a crawl takes URLs while it runs, as scrapy-redis has it, with nothing lost by a kill."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from importlib import resources
from typing import Any

import redis

from mediacrawl.frontier.redis.errors import is_away
from mediacrawl.frontier.redis.start_url_entry import LONGEST, FeedError, FeedKeyError
from mediacrawl.observe.text import cut, printable

LEASE = 60.0
"""Seconds, by Redis's clock, within which what was taken must have joined; then any worker takes it. A thousand URLs
join within a tenth of a second."""

BATCH_BYTES = 1 << 20
"""Bytes of entries taken at a time, one entry aside."""

REFUSED_KEPT = 10_000
"""Refused entries that are kept, the newest."""

_SCRIPTS = resources.files("mediacrawl.frontier.redis").joinpath("lua")


@dataclass(frozen=True, slots=True)
class Taken:
    """What one look found.

    Attributes:
        entries: as they lay there.
        too_long: how many more were refused unread.
        left: how many wait: of the next looks, or taken by other workers and not yet joined.
    """

    entries: Sequence[bytes]
    too_long: int = 0
    left: int = 0


class StartUrls:
    """Entries of one key, which is a list (first in, first out), a set, or a sorted set (the highest score first).

    In Redis: ``<key>`` is what others fill. ``<key>:taken``, a sorted set, holds what a worker has taken and not seen
    joined, by the deadline after which any worker takes it again. ``<key>:refused``, a list, holds the newest 10,000
    entries that did not join, each as the reason, a space, and the entry. An entry is always in one of the three or
    joined, whatever is killed; one that joined may be taken once more, and is known then.

    Every method waits for Redis, and is to be called in a thread.

    Args:
        client: a `redis.Redis` that speaks bytes.
        key: as it was named by a person.
    """

    def __init__(self, client: Any, key: str) -> None:
        self.key = key
        self.refused_key = f"{key}:refused"
        self._taken_key = f"{key}:taken"
        self._client = client
        self._take = client.register_script(_SCRIPTS.joinpath("feed_take.lua").read_bytes())
        self._done = client.register_script(_SCRIPTS.joinpath("feed_done.lua").read_bytes())

    def take(self, most: int) -> Taken:
        """Take entries, for `LEASE` seconds.

        Args:
            most: entries at most.

        Raises:
            FeedError: Redis is away.
            FeedKeyError: the key holds something else.
        """
        keys = [self.key, self._taken_key, self.refused_key]
        limits = [max(most, 1), BATCH_BYTES, LEASE, LONGEST, REFUSED_KEPT]
        left, too_long, entries = _asked(lambda: self._take(keys=keys, args=limits))
        return Taken(entries, too_long, left)

    def settle(self, ends: Iterable[tuple[str, bytes]]) -> None:
        """Let go of entries whose end is durable. Doing it twice is harmless.

        Args:
            ends: for each entry why it was refused, empty if it joined, and the entry.

        Raises:
            FeedError: Redis is away. They are taken again after their deadline, if this is not repeated.
        """
        flat = [part for end in ends for part in end]
        _asked(lambda: self._done(keys=[self._taken_key, self.refused_key], args=[REFUSED_KEPT, *flat]))

    def give_back(self, entries: Sequence[bytes]) -> None:
        """Let anybody take them at once: they will not join here.

        Raises:
            FeedError: Redis is away. They are taken again after their deadline.
        """
        if entries:
            _asked(lambda: self._client.zadd(self._taken_key, dict.fromkeys(entries, 0), xx=True))


def _asked(ask: Callable[[], Any]) -> Any:
    try:
        return ask()
    except (redis.RedisError, OSError) as error:
        kind = FeedError if is_away(error) else FeedKeyError
        raise kind(f"{type(error).__name__}: {cut(printable(str(error)), 200)}") from error
