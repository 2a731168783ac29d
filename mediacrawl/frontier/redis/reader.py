"""What an operator asks of a frontier in Redis, also while workers are at it. What it answers is as of now."""

from __future__ import annotations

from collections.abc import Iterator
from types import TracebackType
from typing import TYPE_CHECKING

import msgpack
from redis import exceptions

from mediacrawl.frontier.contract import SpoiledError
from mediacrawl.frontier.redis.errors import failure
from mediacrawl.frontier.redis.rows import Row, read_element, read_row
from mediacrawl.frontier.redis.sites import ClassState, State
from mediacrawl.frontier.redis.store import KNOWN, RedisFrontier
from mediacrawl.frontier.site_state import ACTIVE, OTHER
from mediacrawl.frontier.sqlite.reader import FrontierOverview, UrlStatus
from mediacrawl.records import Candidate, SiteInfo

if TYPE_CHECKING:
    from typing import Self

_SLICE = 500
"""Elements of a list that are read at a time."""


class RedisReader:
    """A frontier in Redis, as `reading.FrontierReader` reads one in a file.

    Args:
        store: opened without becoming a worker.
    """

    def __init__(self, store: RedisFrontier) -> None:
        self._store = store
        self._client = store.client

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
        """Redis's clock, which all release times mean."""
        return self._store.numbers.time

    def overview(self, now: float) -> FrontierOverview:  # noqa: ARG002
        """The numbers of the whole frontier, as of now."""
        numbers = self._store.numbers
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
            first_due=self._store.due if self._store.due >= 0 else None,
            bytes=self._client.info("memory")["used_memory"],
            medium="memory",
            again=numbers["again"],
        )

    def note(self, room: str, key: str) -> bytes | None:
        """What another room keeps, or None.

        Args:
            room: who keeps it.
            key: what it is about.
        """
        return self._store.note(room, key)

    def site(self, name: str, now: float) -> SiteInfo | None:
        """A site, or None if it was never met.

        Args:
            name: registrable domain.
            now: seconds since the epoch.
        """
        state = self._store.state(name)
        return None if state is None else state.info(now)

    def rank(self, name: str) -> int:
        """How many sites go before this one once they are ready."""
        state = self._store.state(name)
        if state is None or state.place != ACTIVE:
            return 0
        key = self._store.scripts.key
        ask = self._store.scripts.ask
        try:
            ranks = [int(rank) for rank in ask("ZRANGE", key("firsts"), 0, -1)]
        except ValueError as error:
            raise SpoiledError(f"SPOILED {key('firsts')} does not hold what mediacrawl wrote there") from error
        better = sum(ask("ZCARD", key("due", rank)) for rank in ranks if rank > state.rank)
        return int(better + ask("ZCOUNT", key("due", state.rank), "-inf", f"({state.due!r}"))

    def where(self, url: str, site: str, link_class: str) -> UrlStatus:
        """Where a URL is. How it ended is not kept for each URL: that would cost as much memory as to know it.

        Args:
            url: in canonical form.
            site: its site.
            link_class: name of the class that its shape asks for.
        """
        if self._store.scripts.one(self._store.question([url]))[0] != KNOWN:
            return UrlStatus(known=False)
        state = self._store.state(site)
        # It may wait in another class: the page tells it, too.
        classes = enumerate(state.classes if state else ())
        for number, found in sorted(classes, key=lambda pair: pair[1].name not in {link_class, OTHER}):
            for before, row in enumerate(self._rows(state, number, found) if state else ()):
                if row.url == url:
                    return _waits(row, found, before)
        leased = self._leased(site) if state and state.leased else None
        if state is not None and leased is not None and leased[0].url == url:
            return _waits(leased[0], leased[1], 0, leased=True)
        return UrlStatus(known=True)

    def waiting(self, only: str | None = None, *, shelved: bool = True) -> Iterator[Candidate]:
        """All that waits or is leased, sorted by site, in each the best class first.

        Args:
            only: the site, if only one is wanted.
            shelved: whether that of paused and retired sites, too.
        """
        for name in [only] if only else self._store.names():
            state = self._store.state(name)
            if state is None or (state.place > ACTIVE and not shelved):
                continue
            leased = self._leased(name) if state.leased else None
            if leased is not None:
                yield leased[0].found
            for number, found in sorted(enumerate(state.classes), key=lambda pair: -pair[1].score):
                yield from (row.found for row in self._rows(state, number, found))

    def _rows(self, state: State, number: int, found: ClassState) -> Iterator[Row]:
        queue, start, taken = self._store.scripts.key("q", number + 1, state.name), 0, found.off
        while elements := self._store.scripts.ask("LRANGE", queue, start, start + _SLICE - 1):
            for element in elements:
                shared, rows = read_element(queue, element)
                yield from (read_row(state.name, found.name, shared, row) for row in rows[taken:])
                taken = 0
            start += len(elements)

    def _leased(self, site: str) -> tuple[Row, ClassState] | None:
        """The URL of a site that is out, and its class."""
        key, ask, state = self._store.scripts.key, self._store.scripts.ask, self._store.state(site)
        workers = [*ask("ZRANGE", key("workers"), 0, -1), *ask("SMEMBERS", key("dead"))]
        for worker in workers:
            leases = key("leases", worker.decode("utf-8", "replace"))
            for packed in ask("HVALS", leases):
                try:
                    name, number, _, shared, row, _ = msgpack.unpackb(packed, raw=True)
                except (ValueError, TypeError, msgpack.exceptions.UnpackException) as error:
                    raise SpoiledError(f"SPOILED {leases} does not hold what mediacrawl wrote there") from error
                if state is not None and name == site.encode():
                    found = state.classes[number - 1]
                    return read_row(site, found.name, shared, row), found
        return None


def _waits(row: Row, found: ClassState, before: int, *, leased: bool = False) -> UrlStatus:
    return UrlStatus(
        known=True,
        leased=leased,
        link_class=found.name,
        score=found.score,
        before=before,
        attempt=row.attempt,
        candidate=row.found,
    )
