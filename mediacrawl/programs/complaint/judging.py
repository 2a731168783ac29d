"""Judging from the logs whether every request was polite.

The judge uses the times of requests and responses, and the robots.txt at each time. The crawl's own statement counts in
one point: the delay that it applied is one more lower bound.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from enum import StrEnum

from mediacrawl.politeness.delay import retry_after
from mediacrawl.politeness.robots_book import robots_age
from mediacrawl.programs.complaint.lines import LoggedRequest, RobotsHistory, authority
from mediacrawl.scope.exclusions import Exclusion

ROUNDING = 0.002
"""Seconds of tolerance: times are cut to whole milliseconds."""
LEEWAY = 60.0
"""Seconds between the check of a robots.txt and the request, in which the host name is resolved."""
_STAY_AWAY = frozenset({429, 503})


class BreachKind(StrEnum):
    """What a crawler can do wrong. The value is the word in the verdict."""

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
        gaps: for each request but the first, seconds since the end of the latest response before it; negative if they
            overlap.
    """

    breaches: list[Breach] = field(default_factory=list)
    unproven: list[LoggedRequest] = field(default_factory=list)
    rules: dict[LoggedRequest, str] = field(default_factory=dict)
    gaps: dict[LoggedRequest, float] = field(default_factory=dict)

    @property
    def behaved(self) -> bool:
        """Whether there are no breaches."""
        return not self.breaches


def judge(
    asked: Iterable[LoggedRequest],
    robots: RobotsHistory,
    promises: ConductPolicy,
    log_begins: float,
    only: Collection[LoggedRequest] | None = None,
) -> Judgement:
    """Judge all requests to one site.

    Args:
        asked: lines of one site, in any order; those without a request do not count.
        robots: the history of its robots.txt.
        promises: the rules.
        log_begins: when the logs begin, seconds since the epoch; nothing before can be proved.
        only: those of them to report; None for all. A wrong gap belongs to the later request.
    """
    found, gaps = Judgement(), _Gaps(robots, promises)
    reported = None if only is None else frozenset(only)
    known_since = log_begins + promises.robots_age + LEEWAY
    for line in sorted((line for line in asked if line.sent), key=lambda line: (line.time, line.ended)):
        gap, breaches = gaps.since_last(line), list(gaps.breaches(line))
        gaps.note(line)
        if reported is not None and line not in reported:
            continue
        if gap is not None:
            found.gaps[line] = gap
        found.breaches += [*breaches, *_listed(line, promises)]
        if not line.is_robots:
            _judge_by_robots(line, robots, promises, known_since, found)
    return found


class _Gaps:
    """Checks the time of each request against the ones before it, in the order of time."""

    def __init__(self, robots: RobotsHistory, promises: ConductPolicy) -> None:
        self._robots = robots
        self._promises = promises
        self._last: LoggedRequest | None = None
        self._last_of: dict[str, LoggedRequest] = {}
        self._away_until = 0.0
        self._sent_away: LoggedRequest | None = None

    def since_last(self, line: LoggedRequest) -> float | None:
        """Return the seconds since the end of the latest response; None for the first request."""
        return None if self._last is None else line.time - self._last.ended

    def breaches(self, line: LoggedRequest) -> Iterator[Breach]:
        """Yield what is wrong with the time of the next request."""
        kept = self.since_last(line)
        owed = max(self._promises.min_delay, line.delay or 0.0)
        if kept is not None and kept < owed - ROUNDING:
            fault = BreachKind.AT_ONCE if kept < -ROUNDING else BreachKind.TOO_SOON
            yield Breach(fault, line, self._last, owed, kept)
        before, state = self._last_of.get(authority(line.url)), self._robots.at(line.url, line.time)
        asked_for = (state.rules.crawl_delay if state and state.rules else None) or 0.0
        if before is not None and asked_for and line.time - before.ended < asked_for - ROUNDING:
            yield Breach(BreachKind.CRAWL_DELAY, line, before, asked_for, line.time - before.ended)
        away = self._sent_away
        if away is not None and line.time < self._away_until - ROUNDING:
            yield Breach(BreachKind.RETRY_AFTER, line, away, self._away_until - away.ended, line.time - away.ended)

    def note(self, line: LoggedRequest) -> None:
        """Remember a request for those that follow."""
        name = authority(line.url)
        if self._last is None or line.ended >= self._last.ended:
            self._last = line
        if name not in self._last_of or line.ended >= self._last_of[name].ended:
            self._last_of[name] = line
        wait = retry_after(line.retry_after.split("\n"), line.ended) if line.status in _STAY_AWAY else 0.0
        if wait and line.ended + wait > self._away_until:
            self._away_until, self._sent_away = line.ended + wait, line


def _judge_by_robots(
    line: LoggedRequest, robots: RobotsHistory, promises: ConductPolicy, known_since: float, found: Judgement
) -> None:
    state = robots.at(line.url, line.time)
    if state is None and line.time >= known_since and robots.complete:
        found.breaches.append(Breach(BreachKind.ROBOTS_UNKNOWN, line))
    elif state is None or not state.held:
        found.unproven.append(line)
    elif state.rules is None:
        rule = "robots.txt could not be had, which forbids everything"
        found.breaches.append(Breach(BreachKind.ROBOTS, line, rule=rule))
    else:
        verdict = state.rules.allowed(line.url)
        found.rules[line] = verdict.rule
        if not verdict:
            found.breaches.append(Breach(BreachKind.ROBOTS, line, rule=verdict.rule))
        age = line.time - state.tried
        counts = robots_age(promises.robots_age, state.rules.crawl_delay, line.delay or 0.0)
        if age > counts + LEEWAY and robots.complete:
            found.breaches.append(Breach(BreachKind.ROBOTS_OLD, line, owed=counts, kept=age))


def _listed(line: LoggedRequest, promises: ConductPolicy) -> Iterator[Breach]:
    """Yield the breach of an entry. It binds from the end of its day on: it says no hour, and no time zone."""
    entry = promises.listed(line.url)
    if entry is None or not entry.date:
        return
    try:
        day = datetime.fromisoformat(entry.date).replace(tzinfo=UTC)
    except ValueError:
        return
    if line.time > (day + timedelta(days=1)).timestamp() + promises.listing_takes:
        yield Breach(BreachKind.NEVERCRAWL, line, rule=f"{entry.covers}, {entry.where}, of {entry.date}")
