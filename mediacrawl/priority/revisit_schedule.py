"""When a page or feed is requested again.

A page competes with new links: its expected news is compared with their scores. The rate of new nuggets is uncertain,
so one rate is sampled from what is likely, and kept for a day: a page that was misjudged gets another chance on some
day, however often pages are checked. By the mean rate it would never come back (Thompson sampling).

The sources of the spider ``feeds`` compete with nothing: their interval follows from how often they had changed at
earlier polls.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import exp, isfinite, log
from random import Random

DAY = 86_400.0
"""Seconds of a day: rates are nuggets a day, and times are seconds."""
MEMORY = 60.0
"""Days after which what was seen of a page counts a third (e^-1). A programme changes with the season."""
LEAST = 0.02
"""Least nuggets that are assumed of a page. With none no draw would ever give it a rate above 0."""
FLOOR = 90.0
"""Days after which a page is owed a visit, whatever was drawn, as long as it is not known to bring nothing."""
_LEAST_TIME = 1e-3
"""Days that a page is taken to have been watched at least, so that a rate can be drawn."""

REMEMBERED = 20
"""Polls of a source that count: the habits of last year say nothing."""
_SHARE = 0.5
"""Polls in the mean time between two changes: with two, a change is known a quarter of that time late, on average."""
_STEP = 2.0
"""How much longer or shorter than the last one an interval may be: one poll says little."""


@dataclass(frozen=True, slots=True)
class Posterior:
    """What is known of the rate of new nuggets on a page: a gamma distribution, the conjugate of Poisson counts.

    The first values expect one nugget in a month, and believe that no more than ten days of watching would.

    Attributes:
        a: nuggets seen, the older ones counting less.
        b: days watched, likewise.
    """

    a: float = 0.3
    b: float = 10.0

    @property
    def mean(self) -> float:
        """Expected new nuggets a day."""
        return self.a / self.b

    def after(self, days: float, new: float = 0.0) -> Posterior:
        """What is known after a visit.

        Args:
            days: since the visit before; what is negative (a clock was set back) counts as none.
            new: nuggets that were new on it.
        """
        days = max(days, 0.0)
        kept = exp(-days / MEMORY)
        return Posterior(max(self.a * kept + new, LEAST), max(self.b * kept + days, _LEAST_TIME))

    def with_nuggets(self, number: float) -> Posterior:
        """What is known when more was found behind the links of the last visit; no more days have passed for that."""
        return Posterior(self.a + max(number, 0.0), self.b)

    def draw(self, rng: Random) -> float:
        """One likely rate, nuggets a day."""
        return rng.gammavariate(self.a, 1.0 / self.b)


def expected(rate: float, days: float) -> float:
    """New nuggets that a visit is expected to find. Among revisits this number decides, and not its `score`.

    With the capped one all lively pages are alike, and some of them are never chosen: 300 pages gave 1.1 new nuggets a
    visit in place of 3.2, where there were visits for too few of them.
    """
    return max(rate * days, 0.0)


def score(nuggets: float) -> float:
    """The score of a visit, comparable with that of a link class: 1 at most."""
    return min(nuggets, 1.0)


def is_owed(posterior: Posterior, days: float) -> bool:
    """Whether a page is to be visited whatever was drawn."""
    return days >= FLOOR and posterior.a > LEAST


class Share:
    """The number of revisits that may be added now, so that they are at most a share of all fetches.

    Each fetch earns the share of a revisit, and each added revisit costs one. The unused rest is kept, but only
    `kept` of it: of any `n` fetches in a row, at most ``most * n + kept`` are for revisits that were added meanwhile.

    In memory only: after a restart it begins with nothing.

    Args:
        most: share of the fetches, 0 to 1; 0 for no revisits.
        kept: revisits that may be added at once.

    Raises:
        ValueError: `most` is no share, or `kept` is less than one revisit.
    """

    def __init__(self, most: float = 0.2, kept: float = 20.0) -> None:
        if not (isfinite(most) and 0.0 <= most <= 1.0):
            raise ValueError(f"REVISIT_SHARE needs a number from 0 to 1, not {most!r}")
        if not kept >= 1.0:
            raise ValueError(f"at least one revisit must be allowed at once, not {kept!r}")
        self._most = most
        self._kept = kept
        self._earned = 0.0

    def fetched(self, number: int = 1) -> None:
        """Something was fetched, a revisit or not."""
        self._earned = min(self._earned + self._most * number, self._kept)

    def allowed(self, *, idle: bool = False) -> int:
        """The number of revisits that may be added now.

        Args:
            idle: whether no other URL may be requested; then the share does not apply.
        """
        if not self._most:
            return 0
        return int(self._kept if idle else self._earned)

    def added(self, number: int = 1) -> None:
        """Count added revisits."""
        self._earned = max(self._earned - number, 0.0)


@dataclass(frozen=True, slots=True)
class PollPolicy:
    """The bounds of intervals, all in seconds.

    Attributes:
        least: between two polls of one source, at least.
        most: at most.
        first: to the second poll.
    """

    least: float = 900.0
    most: float = 604_800.0
    first: float = 3_600.0


def poll_interval(polls: Sequence[tuple[float, bool]], policy: PollPolicy, asked_for: float = 0.0) -> float:
    """Seconds from the last poll to the next.

    The rate of change is estimated as Cho and Garcia-Molina do ("Estimating frequency of change", ACM TOIT 3:3, 2003):
    of several changes between two polls only one is seen, so the share of polls that saw one is too low a rate, and
    -log of the share that saw none is not.

    Args:
        polls: seconds since the poll before, and whether the source had changed since; the oldest first. The very first
            poll of a source is none, since nothing was known to compare with.
        policy: the bounds.
        asked_for: seconds that the source wants to be left alone for (``ttl``, ``max-age``); beyond `PollPolicy.most`
            it is not believed.
    """
    known = [(max(elapsed, 0.0), changed) for elapsed, changed in polls[-REMEMBERED:]]
    interval = policy.first
    if known:
        last = min(max(known[-1][0], policy.least), policy.most)
        interval = min(max(_between_changes(known) * _SHARE, last / _STEP), last * _STEP)
    return min(max(interval, asked_for, policy.least), policy.most)


def _between_changes(polls: Sequence[tuple[float, bool]]) -> float:
    """Mean seconds between two changes; infinite if none was seen."""
    number, seen = len(polls), sum(changed for _, changed in polls)
    rate = -log((number - seen + 0.5) / (number + 0.5))
    total = sum(elapsed for elapsed, _ in polls)
    return total / number / rate if rate > 0 else float("inf")


def pause_after(failures: int, polls: Sequence[tuple[float, bool]], policy: PollPolicy) -> float:
    """Seconds to the next poll of a source that failed: doubled with each failure in a row."""
    return min(poll_interval(polls, policy) * 2.0 ** min(failures, 30), policy.most)
