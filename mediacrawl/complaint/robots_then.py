"""What robots.txt said at a time in the past, from the log of the files as they were fetched."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterable
from dataclasses import dataclass, replace
from functools import lru_cache

from mediacrawl.complaint.lines import Asked, Fetched
from mediacrawl.politeness.robots import RobotsRules
from mediacrawl.scope.canonical import canonical
from mediacrawl.scope.sites import authority_of

_SAME = 304


@dataclass(slots=True, frozen=True)
class InForce:
    """What bound us at a time.

    Attributes:
        since: when the text that counts was fetched, seconds since the epoch; None if it never could be had.
        tried: when it was last asked for, whatever came.
        rules: what it says; None if it could not be had, which forbids everything (RFC 9309, section 2.3.1.4).
        source: the fetch that gave the text.
        held: whether the log holds the text; else an older one counted, which was deleted with its day.
    """

    since: float | None
    tried: float
    rules: RobotsRules | None
    source: Fetched | None
    held: bool = True


class RobotsThen:
    """The robots.txt of each authority of a site, through time.

    Attributes:
        fetches: all of them, oldest first.
        complete: whether every line says whose rules it holds; older logs do not, and a redirect may hide it.

    Args:
        fetches: in any order.
        token: our product token.
        requests: to the site. Those for a robots.txt show that it was tried to have it, also where a redirect led on to
            nothing, of which the robots log holds no line.
    """

    def __init__(self, fetches: Iterable[Fetched], token: str, requests: Iterable[Asked] = ()) -> None:
        self.fetches = sorted(fetches, key=lambda fetch: fetch.time)
        self.complete = all(fetch.named for fetch in self.fetches)
        self.rules = lru_cache(maxsize=1_000)(lambda body: RobotsRules.parse(body, token))
        self._states: dict[str, list[InForce]] = {}
        for fetch in self.fetches:
            states = self._states.setdefault(fetch.authority, [])
            state = self._after(states[-1] if states else None, fetch)
            if state is not None:
                states.append(state)
        self._tries: dict[str, list[float]] = {}
        for line in requests:
            if line.sent and line.is_robots:
                self._tries.setdefault(_authority(line.url), []).append(line.ended)
        for tries in self._tries.values():
            tries.sort()

    def _after(self, before: InForce | None, fetch: Fetched) -> InForce | None:
        status = fetch.status or 0
        if 200 <= status < 300:
            return InForce(fetch.time, fetch.time, self.rules(fetch.body), fetch)
        if status == _SAME and before is not None and before.rules is not None and before.held:
            return replace(before, since=fetch.time, tried=fetch.time)
        if status == _SAME and fetch.named:
            return InForce(fetch.time, fetch.time, self.rules(fetch.body), fetch, held=bool(fetch.body))
        if 300 <= status < 400:
            # A hop on the way to the file.
            return None
        if 400 <= status < 500 and status != 429:
            return InForce(fetch.time, fetch.time, self.rules(b""), fetch)
        if before is not None and before.held:
            return replace(before, tried=fetch.time)
        if fetch.body:
            return InForce(fetch.time, fetch.time, self.rules(fetch.body), fetch)
        if before is None:
            return InForce(None, fetch.time, None, None)
        return replace(before, tried=fetch.time)

    def at(self, url: str, when: float) -> InForce | None:
        """What bound a request; None if the log holds no robots.txt of its authority from before.

        Args:
            url: what was asked.
            when: seconds since the epoch.
        """
        authority = _authority(url)
        states = self._states.get(authority, [])
        place = bisect_right(states, when, key=lambda state: state.tried)
        if not place:
            return None
        state, tries = states[place - 1], self._tries.get(authority, [])
        tried = bisect_right(tries, when)
        return replace(state, tried=max(state.tried, tries[tried - 1])) if tried else state

    def authorities(self) -> list[str]:
        """All whose robots.txt is here."""
        return sorted({fetch.authority for fetch in self.fetches})


def _authority(url: str) -> str:
    return authority_of(canonical(url) or url)
