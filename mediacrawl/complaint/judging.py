"""Whether we behaved: judged anew from the logs, whatever the crawl believed when it asked.

The judge knows what was asked, when, when each answer had come, and what robots.txt said. The only word of the crawl
that it takes is the delay it meant to keep, and that only as one more thing to hold it to.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from enum import StrEnum

from mediacrawl.complaint.lines import Asked
from mediacrawl.complaint.robots_then import RobotsThen
from mediacrawl.politeness.backoff import retry_after
from mediacrawl.politeness.freshness import robots_age
from mediacrawl.scope.canonical import canonical
from mediacrawl.scope.exclusions import Exclusion
from mediacrawl.scope.sites import authority_of

ROUNDING = 0.002
"""Seconds by which two lines may seem nearer than they were: times are written in whole milliseconds, cut."""
LEEWAY = 60.0
"""Seconds between the look at a robots.txt and the request: its name is looked up between the two."""
_STAY_AWAY = frozenset({429, 503})


class Fault(StrEnum):
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
    """One thing that we did wrong.

    Attributes:
        fault: what.
        line: the request that was wrong.
        before: the earlier request that makes it wrong; None if it is wrong alone.
        owed: seconds that had to be kept, or that a robots.txt may be old.
        kept: seconds that were.
        rule: the line that forbade it: of the robots.txt, or of a NeverCrawl list.
    """

    fault: Fault
    line: Asked
    before: Asked | None = None
    owed: float = 0.0
    kept: float = 0.0
    rule: str = ""


@dataclass(slots=True, frozen=True)
class Promises:
    """What we hold ourselves to.

    Attributes:
        min_delay: seconds between the end of an answer and the next request to the site.
        robots_age: seconds that a robots.txt counts.
        listed: the entry of NeverCrawl that covers a URL, if one does now.
        listing_takes: seconds until a new entry is in force.
    """

    min_delay: float = 15.0
    robots_age: float = 86_400.0
    listed: Callable[[str], Exclusion | None] = lambda _: None
    listing_takes: float = 900.0


@dataclass(slots=True)
class Judgement:
    """What the judge found.

    Attributes:
        breaches: what we did wrong, in the order of time.
        unproven: requests of which the log cannot show that robots.txt allowed them, since it does not go back so far.
        rules: of each request that robots.txt has a say in: the file's line that decided, empty if none did.
    """

    breaches: list[Breach] = field(default_factory=list)
    unproven: list[Asked] = field(default_factory=list)
    rules: dict[Asked, str] = field(default_factory=dict)

    @property
    def behaved(self) -> bool:
        """Whether there is nothing to apologize for."""
        return not self.breaches


def judge(asked: Iterable[Asked], robots: RobotsThen, promises: Promises, log_begins: float) -> Judgement:
    """Judge all requests to one site.

    Args:
        asked: lines of one site, in any order; those without a request do not count.
        robots: what its robots.txt said.
        promises: what is to be held.
        log_begins: when the logs begin, seconds since the epoch: what came before can not be proved.
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
    """Follows the requests to a site in time, and knows what each is owed."""

    def __init__(self, robots: RobotsThen, promises: Promises) -> None:
        self._robots = robots
        self._promises = promises
        self._last: Asked | None = None
        self._last_of: dict[str, Asked] = {}
        self._away_until = 0.0
        self._sent_away: Asked | None = None

    def next(self, line: Asked) -> Iterator[Breach]:
        """What is wrong about the time of the next request."""
        yield from self._since_last(line)
        yield from self._crawl_delay(line)
        if self._sent_away is not None and line.time < self._away_until - ROUNDING:
            owed, kept = self._away_until - self._sent_away.ended, line.time - self._sent_away.ended
            yield Breach(Fault.RETRY_AFTER, line, self._sent_away, owed, kept)
        self._note(line)

    def _since_last(self, line: Asked) -> Iterator[Breach]:
        if self._last is None:
            return
        kept = line.time - self._last.ended
        owed = max(self._promises.min_delay, line.delay or 0.0)
        if kept < -ROUNDING:
            yield Breach(Fault.AT_ONCE, line, self._last, owed, kept)
        elif kept < owed - ROUNDING:
            yield Breach(Fault.TOO_SOON, line, self._last, owed, kept)

    def _crawl_delay(self, line: Asked) -> Iterator[Breach]:
        before = self._last_of.get(_authority(line.url))
        state = self._robots.at(line.url, line.time)
        owed = (state.rules.crawl_delay if state and state.rules else None) or 0.0
        if before is not None and owed and line.time - before.ended < owed - ROUNDING:
            yield Breach(Fault.CRAWL_DELAY, line, before, owed, line.time - before.ended)

    def _note(self, line: Asked) -> None:
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


def _robots(line: Asked, robots: RobotsThen, promises: Promises, known_since: float, found: Judgement) -> None:
    state = robots.at(line.url, line.time)
    if state is None:
        if line.time < known_since or not robots.complete:
            found.unproven.append(line)
        else:
            found.breaches.append(Breach(Fault.ROBOTS_UNKNOWN, line))
        return
    if not state.held:
        found.unproven.append(line)
        return
    if state.rules is None:
        found.breaches.append(Breach(Fault.ROBOTS, line, rule="robots.txt could not be had, which forbids everything"))
        return
    verdict = state.rules.allowed(line.url)
    found.rules[line] = verdict.rule
    if not verdict:
        found.breaches.append(Breach(Fault.ROBOTS, line, rule=verdict.rule))
    age = line.time - state.tried
    counts = robots_age(promises.robots_age, state.rules.crawl_delay, line.delay or 0.0)
    if age > counts + LEEWAY:
        found.breaches.append(Breach(Fault.ROBOTS_OLD, line, owed=counts, kept=age))


def _listed(line: Asked, promises: Promises) -> Iterator[Breach]:
    """An entry binds from the end of its day on: it says no hour, and no time zone."""
    entry = promises.listed(line.url)
    if entry is None or not entry.date:
        return
    try:
        day = datetime.fromisoformat(entry.date).replace(tzinfo=UTC)
    except ValueError:
        return
    if line.time > (day + timedelta(days=1)).timestamp() + promises.listing_takes:
        yield Breach(Fault.NEVERCRAWL, line, rule=f"{entry.covers}, {entry.where}, of {entry.date}")
