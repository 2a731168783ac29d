"""Whether a frontier in Redis is sound: everything is counted once more, and compared with the counters."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable

import msgpack

from mediacrawl.frontier.contract import SpoiledError
from mediacrawl.frontier.stores.redis import RedisFrontier
from mediacrawl.frontier.stores.redis_rows import read_row
from mediacrawl.frontier.stores.sites import ACTIVE

_MOST = 20
"""Problems that are told."""
_PROGRESS = 10_000


def check_redis(store: RedisFrontier, progress: Callable[[str], None]) -> tuple[list[str], str]:
    """Read the whole frontier; answers what is wrong, and a sentence on what was read.

    While workers are at it the counters move on, so then only what cannot be read is told.

    Args:
        store: opened without becoming a worker.
        progress: is told what it is at.
    """
    store.renew(store.numbers.time)
    key, client = store.scripts.key, store.client
    at_work = int(client.zcard(key("workers")))
    found, problems = Counter[str](), list[str]()
    for number, name in enumerate(store.names(), 1):
        try:
            _count(store, name, found)
        except SpoiledError as error:
            problems.append(str(error))
        if number % _PROGRESS == 0:
            progress(f"{number:,} sites read")
    for bucket in range(max(store.numbers["buckets"], 1)):
        found["seen"] += client.scard(key("seen", bucket))
    for worker in [*client.zrange(key("workers"), 0, -1), *client.smembers(key("dead"))]:
        found["leased"] += client.hlen(key("leases", worker.decode()))
    if not at_work:
        problems += _differences(store, found)
    shown = problems[:_MOST] + ([f"and {len(problems) - _MOST} more"] if len(problems) > _MOST else [])
    workers = f", {at_work} workers are at it" if at_work else ""
    return shown, f"{found['waiting']:,} URLs wait on {found['sites']:,} sites, {found['seen']:,} are known{workers}"


def _count(store: RedisFrontier, name: str, found: Counter[str]) -> None:
    state = store.state(name)
    if state is None:
        raise SpoiledError(f"the site {name} is gone")
    rows = 0
    for number, one in enumerate(state.classes):
        taken = one.off
        for element in store.client.lrange(store.scripts.key("q", number + 1, state.name), 0, -1):
            shared, *packed = msgpack.unpackb(element[8:], raw=True)
            for row in packed[taken:]:
                read_row(state.name, one.name, shared, row)
                rows += 1
            taken = 0
    found["waiting"] += rows
    found["sites"] += 1
    found["active"] += state.place == ACTIVE
    if state.place > ACTIVE:
        found["shelved"] += rows


def _differences(store: RedisFrontier, found: Counter[str]) -> list[str]:
    numbers = store.numbers
    problems = [
        f"{found[name]:,} are {name}, and the counter says {numbers[name]:,}"
        for name in ("waiting", "leased", "seen", "active", "shelved")
        if found[name] != numbers[name]
    ]
    ended = sum(numbers.ends.values())
    if numbers["seen"] + numbers["again"] != numbers["waiting"] + numbers["leased"] + ended:
        problems.append(
            f"{numbers['seen']:,} are known and {numbers['again']:,} times one joined once more, but"
            f" {numbers['waiting']:,} wait, {ended:,} have ended"
        )
    return problems
