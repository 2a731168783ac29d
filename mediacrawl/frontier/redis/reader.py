"""An operator's view of a frontier in Redis, also while workers use it: overview, one URL, all that waits, a check."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator
from itertools import islice
from types import TracebackType
from typing import TYPE_CHECKING

import msgpack
from redis import exceptions

from mediacrawl.base.format import plural
from mediacrawl.base.terms import Candidate, SiteInfo
from mediacrawl.frontier.contract import SpoiledError
from mediacrawl.frontier.redis.errors import failure, raises_frontier_error, spoiled
from mediacrawl.frontier.redis.rows import Row, are_known, known_call, read_element, read_row
from mediacrawl.frontier.redis.sites import StoredClass, StoredSite
from mediacrawl.frontier.redis.store import RedisFrontier
from mediacrawl.frontier.site_state import ACTIVE, OTHER, coarse_class
from mediacrawl.frontier.sqlite.reader import FrontierOverview, UrlStatus, listed

if TYPE_CHECKING:
    from typing import Self

_SLICE = 500
"""Elements of a list that are read at a time."""
_PROBLEMS = 20
"""Problems of a check that are shown."""
_LOOKED_AT = 20_000
"""Sites that are read to find those in a state: Redis keeps no list of them, and a site takes some 0.1 ms."""
_PROGRESS = 10_000
"""Sites between two reports on progress."""


class RedisReader:
    """Reads a frontier in Redis, as `sqlite.reader.FrontierReader` reads one in a file. Its answers are as of now."""

    def __init__(self, store: RedisFrontier) -> None:
        self._store = store
        self._session = store.session
        self._key, self._ask = store.session.scripts.key, store.session.scripts.ask

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._store.close()
        if isinstance(error, exceptions.RedisError | SpoiledError | OSError):
            raise failure(self._store.server, error) from error

    @property
    def now(self) -> float:
        """Redis's clock, by which all release times are."""
        return self._session.counters.time

    def overview(self, now: float) -> FrontierOverview:  # noqa: ARG002
        """The numbers of the whole frontier, as of now."""
        numbers = self._session.counters
        leased, ready, resting = numbers["leased"], numbers.ready, numbers["resting"]
        sites = {
            "ready": ready,
            "leased": leased,
            "waiting": max(numbers["active"] - leased - ready - resting, 0),
            "resting": resting,
            "paused": numbers["paused"],
            "retired": numbers["retired"],
        }
        sites["idle"] = max(numbers["sites"] - sum(sites.values()), 0)
        return FrontierOverview(
            seen=numbers["seen"],
            waiting=numbers["waiting"],
            leased=leased,
            sites=sites,
            ends=dict(sorted(numbers.ends.items(), key=lambda end: -end[1])),
            first_due=self._session.due if self._session.due >= 0 else None,
            bytes=self._session.client.info("memory")["used_memory"],
            medium="memory",
            again=numbers["again"],
        )

    def note(self, namespace: str, key: str) -> bytes | None:
        """A note, or None."""
        return self._store.note(namespace, key)

    def site(self, name: str, now: float) -> SiteInfo | None:
        """A site, or None if it was never met."""
        state = self._store.sites.state(name)
        return None if state is None else state.info(now)

    def site_names(self, state: str, now: float, limit: int, order: str = "requests") -> list[str]:
        """Names of sites in a state, in an order, of the first `_LOOKED_AT` sites."""
        known = (self.site(name, now) for name in islice(self._store.sites.names(), _LOOKED_AT))
        sites = (site for site in known if site is not None and (site.visits or state != "without finds"))
        return [site.name for site in listed(sites, state, order)[:limit]]

    def rank(self, name: str) -> int:
        """The number of sites that go before this one once they are ready."""
        state = self._store.sites.state(name)
        if state is None or state.place != ACTIVE:
            return 0
        key, ask = self._key, self._ask
        try:
            ranks = [int(rank) for rank in ask("ZRANGE", key("firsts"), 0, -1)]
        except ValueError as error:
            raise spoiled(key("firsts")) from error
        better = sum(ask("ZCARD", key("due", rank)) for rank in ranks if rank > state.rank)
        return int(better + ask("ZCOUNT", key("due", state.rank), "-inf", f"({state.due!r}"))

    def where(self, url: str, site: str, link_class: str) -> UrlStatus:
        """Where a URL is. How it ended is not stored: that would take as much memory as the set of known URLs."""
        if not are_known(self._session.scripts.one(known_call(self._session, [url])))[0]:
            return UrlStatus(known=False)
        state = self._store.sites.state(site)
        # Its page's facts decide on its class too, so it may wait in another one.
        classes = enumerate(state.classes if state else ())
        for number, found in sorted(
            classes, key=lambda pair: pair[1].name not in {link_class, coarse_class(link_class), OTHER}
        ):
            for before, row in enumerate(self._rows(state, number, found) if state else ()):
                if row.url == url:
                    return _waits(row, found, before)
        leased = self._leased(site) if state and state.leased else None
        if state is not None and leased is not None and leased[0].url == url:
            return _waits(leased[0], leased[1], 0, leased=True)
        return UrlStatus(known=True)

    def waiting(self, only: str | None = None, *, shelved: bool = True) -> Iterator[Candidate]:
        """Yield all that waits or is leased (on the site `only`), sorted by site, in each the best class first."""
        for name in [only] if only else self._store.sites.names():
            state = self._store.sites.state(name)
            if state is None or (state.place > ACTIVE and not shelved):
                continue
            leased = self._leased(name) if state.leased else None
            if leased is not None:
                yield leased[0].found
            for number, found in sorted(enumerate(state.classes), key=lambda pair: -pair[1].score):
                yield from (row.found for row in self._rows(state, number, found))

    def _rows(self, state: StoredSite, number: int, found: StoredClass) -> Iterator[Row]:
        for _, shared, rows in _elements(self._store, state, number, found):
            yield from (read_row(state.name, found.name, shared, row) for row in rows)

    def _leased(self, site: str) -> tuple[Row, StoredClass] | None:
        """The leased URL of a site, and its class."""
        state = self._store.sites.state(site)
        for leases in _lease_keys(self._store):
            for packed in self._ask("HVALS", leases):
                try:
                    name, number, _, shared, row, _ = msgpack.unpackb(packed, raw=True)
                except (ValueError, TypeError, msgpack.exceptions.UnpackException) as error:
                    raise spoiled(leases) from error
                if state is not None and name == site.encode():
                    found = state.classes[number - 1]
                    return read_row(site, found.name, shared, row), found
        return None


def _elements(
    store: RedisFrontier, state: StoredSite, number: int, found: StoredClass
) -> Iterator[tuple[bytes, bytes, list[bytes]]]:
    """Yield each element of a class's list, its shared facts, and those of its rows that wait."""
    queue, start, taken = store.session.scripts.key("q", number + 1, state.name), 0, found.off
    while elements := store.session.scripts.ask("LRANGE", queue, start, start + _SLICE - 1):
        for element in elements:
            shared, rows = read_element(queue, element)
            yield element, shared, rows[taken:]
            taken = 0
        start += len(elements)


def _waits(row: Row, found: StoredClass, before: int, *, leased: bool = False) -> UrlStatus:
    return UrlStatus(
        known=True,
        leased=leased,
        link_class=found.name,
        score=found.score,
        before=before,
        attempt=row.attempt,
        candidate=row.found,
    )


def _lease_keys(store: RedisFrontier) -> list[str]:
    """The keys of the leases of all workers, dead ones included."""
    key, ask = store.session.scripts.key, store.session.scripts.ask
    workers = [*ask("ZRANGE", key("workers"), 0, -1), *ask("SMEMBERS", key("dead"))]
    return [key("leases", worker.decode("utf-8", "replace")) for worker in workers]


@raises_frontier_error
def check_redis(store: RedisFrontier, progress: Callable[[str], None]) -> tuple[list[str], str]:
    """Read the whole frontier, count everything again and compare with the counters.

    While workers change the counters only unreadable values are reported.

    Returns:
        The problems, and a sentence on what was read.

    Raises:
        FrontierError: it cannot be read any further.
    """
    session = store.session
    session.renew(session.counters.time)
    key, ask = session.scripts.key, session.scripts.ask
    at_work = int(ask("ZCARD", key("workers")))
    found, problems = Counter[str](), list[str]()
    for number, name in enumerate(store.sites.names(), 1):
        try:
            _count(store, name, found)
        except SpoiledError as error:
            problems.append(str(error))
        if number % _PROGRESS == 0:
            progress(f"{number:,} sites read")
    for bucket in range(max(session.counters["buckets"], 1)):
        found["seen"] += ask("SCARD", key("seen", bucket))
    for leases in _lease_keys(store):
        found["leased"] += ask("HLEN", leases)
    if not at_work:
        problems += _differences(store, found)
    shown = problems[:_PROBLEMS] + ([f"and {len(problems) - _PROBLEMS} more"] if len(problems) > _PROBLEMS else [])
    workers = f", {plural(at_work, 'worker', 'is')} at it" if at_work else ""
    waiting = f"{plural(found['waiting'], 'URL', 'waits')} on {plural(found['sites'], 'site')}"
    return shown, f"{waiting}, {plural(found['seen'], '', 'is')} known{workers}"


def _count(store: RedisFrontier, name: str, found: Counter[str]) -> None:
    state = store.sites.state(name)
    if state is None:
        raise SpoiledError(f"the site {name} is gone")
    rows = 0
    for number, one in enumerate(state.classes):
        for element, shared, packed in _elements(store, state, number, one):
            found["bytes"] += len(element)
            for row in packed:
                read_row(state.name, one.name, shared, row)
            rows += len(packed)
    found["waiting"] += rows
    found["sites"] += 1
    found["active"] += state.place == ACTIVE
    if state.place > ACTIVE:
        found["shelved"] += rows


def _differences(store: RedisFrontier, found: Counter[str]) -> list[str]:
    numbers = store.session.counters
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
