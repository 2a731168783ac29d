"""URLs that are taken out of the frontier in Redis: dropped with a reason, or pruned."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from heapq import nsmallest
from itertools import islice
from typing import Any

import msgpack

from mediacrawl.frontier.contract import FrontierError
from mediacrawl.frontier.redis.rows import read_element, read_row
from mediacrawl.frontier.redis.session import RedisSession
from mediacrawl.frontier.redis.sites import Promise, Sites
from mediacrawl.frontier.seen import url_key
from mediacrawl.records import Drop

NOTED = 20_000
"""Worst classes that one walk over all sites finds."""
NOTED_FOR = 60.0
"""Seconds after which they are found again, since others may be worse then."""
TRIES = 50
"""Attempts at a change that other workers interrupt."""

_SLICE = 200
"""Elements of a list that are read at a time."""
_SITES = 1_000
"""Sites that are read at a time."""


class Removal:
    """Takes waiting URLs out of the frontier.

    It reads a class's list in slices and replaces elements that lose rows. The script refuses the change if a worker
    has changed the list since it was read; then the class is read again.

    Args:
        session: of the worker.
        sites: that are read.
        forget: told the URLs that were pruned, which may be added again.
    """

    def __init__(self, session: RedisSession, sites: Sites, forget: Callable[[Iterable[str]], None]) -> None:
        self.forget = forget
        self._session = session
        self._sites = sites
        self._worst = WorstClasses()

    def drop(self, site: str, reason: Drop, which: Callable[[str], bool] | None = None) -> int:
        """As `Frontier.drop`."""
        classes = range(self._sites.class_count(site))
        return sum(self._remove(site, number, which or _every, reason) for number in classes)

    def prune(self, excess: int) -> int:
        """Forget URLs of the worst classes.

        Returns:
            How many were forgotten.
        """
        gone = vain = 0
        for site, number in self._worst.classes(self._promises, self._session.now):
            if gone >= excess or vain > NOTED:
                break
            pruned = self._prune_class(site, number, excess - gone)
            gone, vain = gone + pruned, 0 if pruned else vain + 1
        return gone

    def _promises(self) -> Iterator[Promise]:
        """Every class where URLs wait."""
        walk = self._sites.names()
        while names := list(islice(walk, _SITES)):
            self._session.breathe()
            for site in self._sites.read_many(names):
                yield from site.promises()

    def _prune_class(self, site: str, number: int, most: int) -> int:
        """Forget up to `most` URLs of a class, newest first."""
        state = self._sites.state(site)
        if state is None or number >= len(state.classes):
            return 0
        stays = max(state.classes[number].waiting - most, 0)
        met = 0

        def is_late(_: str) -> bool:
            nonlocal met
            met += 1
            return met > stays

        def restart() -> None:
            nonlocal met
            met = 0

        return self._remove(site, number, is_late, None, restart)

    def _remove(
        self,
        site: str,
        number: int,
        which: Callable[[str], bool],
        reason: Drop | None,
        restart: Callable[[], None] = lambda: None,
    ) -> int:
        """End the matching URLs of a class, or forget them if there is no reason; answers how many."""
        gone = 0
        for _ in range(TRIES):
            restart()
            self._session.breathe()
            rows, whole = self._remove_once(site, number, which, reason)
            gone += rows
            if whole:
                return gone
        raise FrontierError(f"what waits on {site} is changed too fast by other workers; try again later")

    def _remove_once(
        self, site: str, number: int, which: Callable[[str], bool], reason: Drop | None
    ) -> tuple[int, bool]:
        """As `_remove`, until another worker changes the list; answers how many, and whether all was read."""
        state = self._sites.state(site)
        if state is None:
            return 0, True
        session, found = self._session, state.classes[number]
        queue, gone, start, off = session.scripts.key("q", number + 1, site), 0, 0, found.off
        while elements := session.scripts.ask("LRANGE", queue, start, start + _SLICE - 1):
            changes, urls = [], list[str]()
            for place, element in enumerate(elements, start):
                left, out = _split((queue, site, found.name), element, which, off if place == 0 else 0)
                if out:
                    changes.append((place, element, left))
                    urls += out
            if changes:
                message: dict[str, Any] = {"site": site, "class": number + 1, "off": off, "changes": changes}
                message["keys"] = [str(url_key(url)) for url in urls]
                if reason is not None:
                    message["name"] = str(reason)
                if session.scripts.one(session.call("sift", **message, **session.budget)) < 0:
                    return gone, False
                if reason is None:
                    self.forget(urls)
                off = 0 if changes[0][0] == 0 else off
            gone += len(urls)
            start += len(elements) - sum(not left for _, _, left in changes)
        return gone, True


class WorstClasses:
    """The least promising classes, those of retired sites first. In memory, since finding them walks over all sites."""

    def __init__(self) -> None:
        self._noted: list[tuple[str, int]] = []
        self._until = 0.0

    def classes(self, promises: Callable[[], Iterable[Promise]], now: float) -> Iterator[tuple[str, int]]:
        """Sites and numbers of classes, the worst first, until nothing is left."""
        if now > self._until:
            self._noted = []
        while self._noted or self._note(promises, now):
            yield self._noted[-1]
            self._noted.pop()

    def _note(self, promises: Callable[[], Iterable[Promise]], now: float) -> bool:
        found = nsmallest(NOTED, promises())
        self._noted = [(site, number) for _, _, site, number, _ in found][::-1]
        self._until = now + NOTED_FOR
        return bool(found)


def _every(_: str) -> bool:
    return True


def _split(
    home: tuple[str, str, str], element: bytes, which: Callable[[str], bool], off: int
) -> tuple[bytes, list[str]]:
    """The rest of an element of a list, and the URLs that leave it.

    Args:
        home: key of the list, site, class.
        element: as read.
        which: whether a URL leaves.
        off: rows at the element's start that were taken already.
    """
    key, site, link_class = home
    shared, rows = read_element(key, element)
    urls, left = list[str](), list[bytes]()
    for row in rows[off:]:
        url = read_row(site, link_class, shared, row).url
        if which(url):
            urls.append(url)
        else:
            left.append(row)
    return (element[:8] + msgpack.packb([shared, *left], use_bin_type=False) if left else b""), urls
