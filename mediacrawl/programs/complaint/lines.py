"""The lines of the logs as typed records, and the history of each robots.txt.

A line may be damaged: then a field is None.
"""

from __future__ import annotations

import math
from bisect import bisect_right
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from datetime import datetime
from functools import lru_cache
from typing import Any

from mediacrawl.politeness.robots import RobotsRules
from mediacrawl.scope.urls import authority_of, canonical

_UNCHANGED = 304


def authority(url: str) -> str:
    """Return the authority of a URL as it was written in a log."""
    return authority_of(canonical(url) or url)


@dataclass(slots=True, frozen=True, eq=False)
class LoggedRequest:
    """One line of the request log; equal only to itself.

    Attributes:
        time: when the request was sent, seconds since the epoch; if none was, when it was refused.
        address, bytes, delay, drop, duration, error, kind, retry_after, status, url: as in
            `log.request_log.RequestLine`; missing texts are empty.
    """

    time: float
    url: str
    status: int | None
    bytes: int
    duration: float | None
    delay: float | None
    kind: str
    drop: str
    error: str
    address: str
    retry_after: str

    @property
    def sent(self) -> bool:
        """Whether a request was sent."""
        return self.status is not None or self.duration is not None

    @property
    def ended(self) -> float:
        """When its response arrived or it failed, seconds since the epoch; `time` if the line does not say."""
        return self.time + (self.duration or 0.0)

    @property
    def is_robots(self) -> bool:
        """Whether it requests a robots.txt, which nothing forbids (RFC 9309, section 2.2.2)."""
        return self.kind == "robots" or self.url.partition("#")[0] == f"{authority_of(self.url)}/robots.txt"


def logged_request(record: Mapping[str, Any]) -> LoggedRequest | None:
    """Parse a line of the request log; None if it has no time or no URL."""
    time, url = _time(record.get("time")), record.get("url")
    if time is None or not isinstance(url, str):
        return None
    return LoggedRequest(
        time=time,
        url=url,
        status=_whole(record.get("status")),
        bytes=_whole(record.get("bytes")) or 0,
        duration=_seconds(record.get("duration")),
        delay=_seconds(record.get("delay")),
        **{name: str(record.get(name) or "") for name in ("kind", "drop", "error", "address", "retry_after")},
    )


@dataclass(slots=True, frozen=True)
class LoggedRobots:
    """One line of the robots log: a robots.txt as fetched.

    Attributes:
        time: when the response arrived, seconds since the epoch.
        url: the requested URL.
        authority: to which the rules apply.
        status: of the response; None without one.
        size: bytes received.
        body: what is kept of them; without a body, the rules of an older copy that stay in force.
    """

    time: float
    url: str
    authority: str
    status: int | None
    size: int
    body: bytes


def logged_robots(record: Mapping[str, Any]) -> LoggedRobots | None:
    """Parse a line of the robots log; None if it has no time or no URL."""
    time, url, text = _time(record.get("time")), record.get("url"), record.get("text")
    if time is None or not isinstance(url, str):
        return None
    encoding = "latin-1" if record.get("encoding") == "latin-1" else "utf-8"
    return LoggedRobots(
        time=time,
        url=url,
        authority=str(record.get("authority") or authority_of(url)),
        status=_whole(record.get("status")) or None,
        size=_whole(record.get("bytes")) or 0,
        body=text.encode(encoding, "replace") if isinstance(text, str) else b"",
    )


def _time(value: object) -> float | None:
    try:
        return datetime.fromisoformat(value).timestamp() if isinstance(value, str) else None
    except (ValueError, OverflowError, OSError):
        return None


def _whole(value: object) -> int | None:
    return value if isinstance(value, int) and not isinstance(value, bool) and 0 <= value < 1 << 63 else None


def _seconds(value: object) -> float | None:
    if isinstance(value, bool) or not isinstance(value, (int, float)):
        return None
    return float(value) if math.isfinite(value) and 0 <= value < 1e12 else None


@dataclass(slots=True, frozen=True)
class RobotsState:
    """The robots.txt in force at a time.

    Attributes:
        tried: time of the last attempt to fetch it, whatever its result, seconds since the epoch.
        rules: parsed; None if it was never reached, which forbids everything (RFC 9309, section 2.3.1.4).
        held: whether the log holds the text; False if an older text was in force whose day has been deleted.
    """

    tried: float
    rules: RobotsRules | None
    held: bool = True


class RobotsHistory:
    """The robots.txt of each authority of a site, over time.

    Attributes:
        fetches: all of them, oldest first.
        complete: whether no fetch can be missing.

    Args:
        fetches: in any order.
        token: our product token.
        requests: to the site. Requests for a robots.txt count as attempts, also if a redirect led to no file and the
            robots log has no line.
        complete: as the attribute.
    """

    def __init__(
        self,
        fetches: Iterable[LoggedRobots],
        token: str,
        requests: Iterable[LoggedRequest] = (),
        *,
        complete: bool = True,
    ) -> None:
        self.fetches = sorted(fetches, key=lambda fetch: fetch.time)
        self.complete = complete
        self.rules = lru_cache(maxsize=1_000)(lambda body: RobotsRules.parse(body, token))
        self._states: dict[str, list[RobotsState]] = {}
        for fetch in self.fetches:
            states = self._states.setdefault(fetch.authority, [])
            state = self._after(states[-1] if states else None, fetch)
            if state is not None:
                states.append(state)
        self._tries: dict[str, list[float]] = {}
        for line in sorted(requests, key=lambda line: line.ended):
            if line.sent and line.is_robots:
                self._tries.setdefault(authority(line.url), []).append(line.ended)

    def _after(self, before: RobotsState | None, fetch: LoggedRobots) -> RobotsState | None:
        """Return the state after a fetch; None if it was a redirect, a hop on the way to the file."""
        status, time = fetch.status or 0, fetch.time
        if 200 <= status < 300:
            return RobotsState(time, self.rules(fetch.body))
        if 300 <= status < 400 and status != _UNCHANGED:
            return None
        if 400 <= status < 500 and status != 429:
            return RobotsState(time, self.rules(b""))
        # Unchanged, or not to be had: the copy stays in force, and its text is in this line if its day was deleted.
        if before is not None and before.held and (before.rules is not None or status != _UNCHANGED):
            return replace(before, tried=time)
        if fetch.body or status == _UNCHANGED:
            return RobotsState(time, self.rules(fetch.body), held=bool(fetch.body))
        return RobotsState(time, None) if before is None else replace(before, tried=time)

    def at(self, url: str, when: float) -> RobotsState | None:
        """Return the robots.txt that applied to a request; None if the log holds none of its authority before that."""
        name = authority(url)
        states = self._states.get(name, [])
        place = bisect_right(states, when, key=lambda state: state.tried)
        if not place:
            return None
        state, tries = states[place - 1], self._tries.get(name, [])
        tried = bisect_right(tries, when)
        return replace(state, tried=max(state.tried, tries[tried - 1])) if tried else state
