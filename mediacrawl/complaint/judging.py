"""Judging from the logs whether every request was polite.

The judge uses the times of requests and responses, and the robots.txt at each time. The crawl's own statement counts in
one point: the delay that it applied is one more lower bound.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from enum import StrEnum

from mediacrawl.complaint.lines import LoggedRequest, RobotsHistory
from mediacrawl.politeness.backoff import retry_after
from mediacrawl.politeness.caching import robots_age
from mediacrawl.scope.canonical import canonical
from mediacrawl.scope.exclusions import Exclusion
from mediacrawl.scope.sites import authority_of

ROUNDING = 0.002
"""Seconds of tolerance: times are cut to whole milliseconds."""
LEEWAY = 60.0
"""Seconds between the check of a robots.txt and the request, in which the host name is resolved."""
_STAY_AWAY = frozenset({429, 503})


class BreachKind(StrEnum):
    """What a crawler can do wrong. The value is the word in the JSON."""

    AT_ONCE = "at_once"
    TOO_SOON = "too_soon"
    CRAWL_DELAY = "crawl_delay"
    RETRY_AFTER = "retry_after"
    ROBOTS = "robots"
    ROBOTS_UNKNOWN = "robots_unknown"
    ROBOTS_OLD = "robots_old"
    NEVERCRAWL = "nevercrawl"


@dataclass(slots=True, frozen=True)
class Breach:
    """One request that was wrong.

    Attributes:
        fault: in what way.
        line: the request.
        before: the earlier request that makes it wrong; None if there is none.
        owed: seconds that had to pass, or the greatest age of a robots.txt.
        kept: seconds that did.
        rule: the line that forbade it, of the robots.txt or of a NeverCrawl list.
    """

    fault: BreachKind
    line: LoggedRequest
    before: LoggedRequest | None = None
    owed: float = 0.0
    kept: float = 0.0
    rule: str = ""


@dataclass(slots=True, frozen=True)
class ConductPolicy:
    """The rules that requests are checked against.

    Attributes:
        min_delay: seconds between the end of a response and the next request to the site.
        robots_age: seconds that a robots.txt counts.
        listed: gives the entry of NeverCrawl that covers a URL now, or None.
        listing_takes: seconds until a new entry is in force.
    """

    min_delay: float = 15.0
    robots_age: float = 86_400.0
    listed: Callable[[str], Exclusion | None] = lambda _: None
    listing_takes: float = 900.0


@dataclass(slots=True)
class Judgement:
    """The result of `judge`.

    Attributes:
        breaches: in the order of time.
        unproven: requests before the first robots.txt in the log, so that it cannot show whether they were allowed.
        rules: for each request subject to robots.txt the line that decided; empty if none did.
    """

    breaches: list[Breach] = field(default_factory=list)
    unproven: list[LoggedRequest] = field(default_factory=list)
    rules: dict[LoggedRequest, str] = field(default_factory=dict)

    @property
    def behaved(self) -> bool:
        """Whether there are no breaches."""
        return not self.breaches


def judge(
    asked: Iterable[LoggedRequest], robots: RobotsHistory, promises: ConductPolicy, log_begins: float
) -> Judgement:
    """Judge all requests to one site.

    Args:
        asked: lines of one site, in any order; those without a request do not count.
        robots: the history of its robots.txt.
        promises: the rules.
        log_begins: when the logs begin, seconds since the epoch; nothing before can be proved.
    """
    found = Judgement()
    sent = sorted((line for line in asked if line.sent), key=lambda line: (line.time, line.ended))
    gaps, known_since = _Gaps(robots, promises), log_begins + promises.robots_age + LEEWAY
    for line in sent:
        found.breaches += gaps.next(line)
        found.breaches += _listed(line, promises)
        if not line.is_robots:
            _robots(line, robots, promises, known_since, found)
    return found


class _Gaps:
    """Checks the time of each request against the ones before it."""

    def __init__(self, robots: RobotsHistory, promises: ConductPolicy) -> None:
        self._robots = robots
        self._promises = promises
        self._last: LoggedRequest | None = None
        self._last_of: dict[str, LoggedRequest] = {}
        self._away_until = 0.0
        self._sent_away: LoggedRequest | None = None

    def next(self, line: LoggedRequest) -> Iterator[Breach]:
        """The breaches of the next request in the order of time."""
        yield from self._since_last(line)
        yield from self._crawl_delay(line)
        if self._sent_away is not None and line.time < self._away_until - ROUNDING:
            owed, kept = self._away_until - self._sent_away.ended, line.time - self._sent_away.ended
            yield Breach(BreachKind.RETRY_AFTER, line, self._sent_away, owed, kept)
        self._note(line)

    def _since_last(self, line: LoggedRequest) -> Iterator[Breach]:
        if self._last is None:
            return
        kept = line.time - self._last.ended
        owed = max(self._promises.min_delay, line.delay or 0.0)
        if kept < -ROUNDING:
            yield Breach(BreachKind.AT_ONCE, line, self._last, owed, kept)
        elif kept < owed - ROUNDING:
            yield Breach(BreachKind.TOO_SOON, line, self._last, owed, kept)

    def _crawl_delay(self, line: LoggedRequest) -> Iterator[Breach]:
        before = self._last_of.get(_authority(line.url))
        state = self._robots.at(line.url, line.time)
        owed = (state.rules.crawl_delay if state and state.rules else None) or 0.0
        if before is not None and owed and line.time - before.ended < owed - ROUNDING:
            yield Breach(BreachKind.CRAWL_DELAY, line, before, owed, line.time - before.ended)

    def _note(self, line: LoggedRequest) -> None:
        authority = _authority(line.url)
        if self._last is None or line.ended >= self._last.ended:
            self._last = line
        if authority not in self._last_of or line.ended >= self._last_of[authority].ended:
            self._last_of[authority] = line
        wait = retry_after(line.retry_after.split("\n"), line.ended) if line.status in _STAY_AWAY else 0.0
        if wait and line.ended + wait > self._away_until:
            self._away_until, self._sent_away = line.ended + wait, line


def _authority(url: str) -> str:
    return authority_of(canonical(url) or url)


def _robots(
    line: LoggedRequest, robots: RobotsHistory, promises: ConductPolicy, known_since: float, found: Judgement
) -> None:
    state = robots.at(line.url, line.time)
    if state is None:
        if line.time < known_since or not robots.complete:
            found.unproven.append(line)
        else:
            found.breaches.append(Breach(BreachKind.ROBOTS_UNKNOWN, line))
        return
    if not state.held:
        found.unproven.append(line)
        return
    if state.rules is None:
        found.breaches.append(
            Breach(BreachKind.ROBOTS, line, rule="robots.txt could not be had, which forbids everything")
        )
        return
    verdict = state.rules.allowed(line.url)
    found.rules[line] = verdict.rule
    if not verdict:
        found.breaches.append(Breach(BreachKind.ROBOTS, line, rule=verdict.rule))
    age = line.time - state.tried
    counts = robots_age(promises.robots_age, state.rules.crawl_delay, line.delay or 0.0)
    if age > counts + LEEWAY and robots.complete:
        found.breaches.append(Breach(BreachKind.ROBOTS_OLD, line, owed=counts, kept=age))


def _listed(line: LoggedRequest, promises: ConductPolicy) -> Iterator[Breach]:
    """An entry binds from the end of its day on: it says no hour, and no time zone."""
    entry = promises.listed(line.url)
    if entry is None or not entry.date:
        return
    try:
        day = datetime.fromisoformat(entry.date).replace(tzinfo=UTC)
    except ValueError:
        return
    if line.time > (day + timedelta(days=1)).timestamp() + promises.listing_takes:
        yield Breach(BreachKind.NEVERCRAWL, line, rule=f"{entry.covers}, {entry.where}, of {entry.date}")
