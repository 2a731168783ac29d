"""The lines of the logs as typed records, and the history of each robots.txt.

A line may be of an earlier version, or damaged: then a field is None.
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
from mediacrawl.scope.canonical import canonical
from mediacrawl.scope.sites import authority_of


@dataclass(slots=True, frozen=True, eq=False)
class LoggedRequest:
    """One line of the request log; equal only to itself.

    Attributes:
        time: when the request was sent, seconds since the epoch; if none was, when it was refused.
        sent: whether a request was sent.
        ended: when its response arrived or it failed; `time` if the line does not say.
        address, bytes, content_type, delay, drop, duration, error, kind, location, retry_after, status, url: as in
            `observe.RequestLine`; missing texts are empty.
    """

    time: float
    url: str
    sent: bool
    status: int | None
    bytes: int
    duration: float | None
    delay: float | None
    kind: str
    drop: str
    error: str
    address: str
    retry_after: str
    content_type: str
    location: str

    @property
    def ended(self) -> float:
        """See above."""
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
    status, duration = _whole(record.get("status")), _seconds(record.get("duration"))
    return LoggedRequest(
        time=time,
        url=url,
        sent=_was_sent(record, status, duration),
        status=status,
        bytes=_whole(record.get("bytes")) or 0,
        duration=duration,
        delay=_seconds(record.get("delay")),
        **{
            name: str(record.get(name) or "")
            for name in ("kind", "drop", "error", "address", "retry_after", "content_type", "location")
        },
    )


def _was_sent(record: Mapping[str, Any], status: int | None, duration: float | None) -> bool:
    if status is not None or duration is not None:
        return True
    # Before the log had addresses a failure had no duration: it counts as a request, whatever it was.
    return bool(record.get("error")) and "address" not in record


@dataclass(slots=True, frozen=True)
class LoggedRobots:
    """One line of the robots log: a robots.txt as fetched.

    Attributes:
        time: when the response arrived, seconds since the epoch.
        url: the requested URL.
        authority: to which the rules apply.
        named: whether the line names the authority; older logs have only the URL, also of a redirect.
        status: of the response; None without one.
        size: bytes received.
        body: what is kept of them; without a body, the rules of an older copy that stay in force.
    """

    time: float
    url: str
    authority: str
    named: bool
    status: int | None
    size: int
    body: bytes


def logged_robots(record: Mapping[str, Any]) -> LoggedRobots | None:
    """Parse a line of the robots log; None if it has no time or no URL."""
    time, url, text = _time(record.get("time")), record.get("url"), record.get("text")
    if time is None or not isinstance(url, str):
        return None
    authority = str(record.get("authority") or "")
    encoding = "latin-1" if record.get("encoding") == "latin-1" else "utf-8"
    return LoggedRobots(
        time=time,
        url=url,
        authority=authority or authority_of(url),
        named=bool(authority),
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


_SAME = 304


@dataclass(slots=True, frozen=True)
class RobotsState:
    """The robots.txt in force at a time.

    Attributes:
        since: when the text in force was fetched, seconds since the epoch; None if it never could be.
        tried: time of the last attempt, whatever its result.
        rules: parsed; None if it was unreachable, which forbids everything (RFC 9309, section 2.3.1.4).
        source: the fetch of the text.
        held: whether the log holds the text; False if an older text was in force whose day has been deleted.
    """

    since: float | None
    tried: float
    rules: RobotsRules | None
    source: LoggedRobots | None
    held: bool = True


class RobotsHistory:
    """The robots.txt of each authority of a site, over time.

    Attributes:
        fetches: all of them, oldest first.
        complete: whether every line names its authority; older logs do not, and a redirect may hide it.

    Args:
        fetches: in any order.
        token: our product token.
        requests: to the site. Requests for a robots.txt count as attempts, also if a redirect led to no file and the
            robots log has no line.
    """

    def __init__(self, fetches: Iterable[LoggedRobots], token: str, requests: Iterable[LoggedRequest] = ()) -> None:
        self.fetches = sorted(fetches, key=lambda fetch: fetch.time)
        self.complete = all(fetch.named for fetch in self.fetches)
        self.rules = lru_cache(maxsize=1_000)(lambda body: RobotsRules.parse(body, token))
        self._states: dict[str, list[RobotsState]] = {}
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

    def _after(self, before: RobotsState | None, fetch: LoggedRobots) -> RobotsState | None:
        status = fetch.status or 0
        if 200 <= status < 300:
            return RobotsState(fetch.time, fetch.time, self.rules(fetch.body), fetch)
        if status == _SAME and before is not None and before.rules is not None and before.held:
            return replace(before, since=fetch.time, tried=fetch.time)
        if status == _SAME and fetch.named:
            return RobotsState(fetch.time, fetch.time, self.rules(fetch.body), fetch, held=bool(fetch.body))
        if 300 <= status < 400:
            # A hop on the way to the file.
            return None
        if 400 <= status < 500 and status != 429:
            return RobotsState(fetch.time, fetch.time, self.rules(b""), fetch)
        if before is not None and before.held:
            return replace(before, tried=fetch.time)
        if fetch.body:
            return RobotsState(fetch.time, fetch.time, self.rules(fetch.body), fetch)
        if before is None:
            return RobotsState(None, fetch.time, None, None)
        return replace(before, tried=fetch.time)

    def at(self, url: str, when: float) -> RobotsState | None:
        """The robots.txt that applied to a request; None if the log holds none of its authority before that."""
        authority = _authority(url)
        states = self._states.get(authority, [])
        place = bisect_right(states, when, key=lambda state: state.tried)
        if not place:
            return None
        state, tries = states[place - 1], self._tries.get(authority, [])
        tried = bisect_right(tries, when)
        return replace(state, tried=max(state.tried, tries[tried - 1])) if tried else state

    def authorities(self) -> list[str]:
        """All authorities with a robots.txt in the log, sorted."""
        return sorted({fetch.authority for fetch in self.fetches})


def _authority(url: str) -> str:
    return authority_of(canonical(url) or url)
