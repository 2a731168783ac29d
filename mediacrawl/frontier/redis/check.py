"""Whether a frontier in Redis is sound: everything is counted once more, and compared with the counters."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable

from redis import exceptions

from mediacrawl.frontier.contract import SpoiledError
from mediacrawl.frontier.redis.errors import failure
from mediacrawl.frontier.redis.rows import read_element, read_row
from mediacrawl.frontier.redis.store import RedisFrontier
from mediacrawl.frontier.site_state import ACTIVE
from mediacrawl.observe.format import plural

_MOST = 20
"""Problems that are told."""
_PROGRESS = 10_000


def check_redis(store: RedisFrontier, progress: Callable[[str], None]) -> tuple[list[str], str]:
    """Read the whole frontier; answers what is wrong, and a sentence on what was read.

    While workers are at it the counters move on, so then only what cannot be read is told.

    Args:
        store: opened without becoming a worker.
        progress: is told what it is at.

    Raises:
        FrontierError: it cannot be read any further.
    """
    try:
        return _check(store, progress)
    except (exceptions.RedisError, SpoiledError, OSError) as error:
        raise failure(store.server, error) from error


def _check(store: RedisFrontier, progress: Callable[[str], None]) -> tuple[list[str], str]:
    store.renew(store.numbers.time)
    key, ask = store.scripts.key, store.scripts.ask
    at_work = int(ask("ZCARD", key("workers")))
    found, problems = Counter[str](), list[str]()
    for number, name in enumerate(store.names(), 1):
        try:
            _count(store, name, found)
        except SpoiledError as error:
            problems.append(str(error))
        if number % _PROGRESS == 0:
            progress(f"{number:,} sites read")
    for bucket in range(max(store.numbers["buckets"], 1)):
        found["seen"] += ask("SCARD", key("seen", bucket))
    for worker in [*ask("ZRANGE", key("workers"), 0, -1), *ask("SMEMBERS", key("dead"))]:
        found["leased"] += ask("HLEN", key("leases", worker.decode("utf-8", "replace")))
    if not at_work:
        problems += _differences(store, found)
    shown = problems[:_MOST] + ([f"and {len(problems) - _MOST} more"] if len(problems) > _MOST else [])
    workers = f", {plural(at_work, 'worker', 'is')} at it" if at_work else ""
    waiting = f"{plural(found['waiting'], 'URL', 'waits')} on {plural(found['sites'], 'site')}"
    return shown, f"{waiting}, {plural(found['seen'], '', 'is')} known{workers}"


def _count(store: RedisFrontier, name: str, found: Counter[str]) -> None:
    state = store.state(name)
    if state is None:
        raise SpoiledError(f"the site {name} is gone")
    rows = 0
    for number, one in enumerate(state.classes):
        taken = one.off
        queue = store.scripts.key("q", number + 1, state.name)
        for element in store.scripts.ask("LRANGE", queue, 0, -1):
            found["bytes"] += len(element)
            shared, packed = read_element(queue, element)
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
        for name in ("waiting", "bytes", "leased", "seen", "active", "shelved")
        if found[name] != numbers[name]
    ]
    ended = sum(numbers.ends.values())
    if numbers["seen"] + numbers["again"] != numbers["waiting"] + numbers["leased"] + ended:
        problems.append(
            f"{numbers['seen']:,} are known and {numbers['again']:,} times one joined once more, but"
            f" {numbers['waiting']:,} wait, {ended:,} have ended"
        )
    return problems
