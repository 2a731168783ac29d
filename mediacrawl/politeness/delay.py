"""The delay of a site, and its clocks after a visit.

The delay is the mean of the last five response times, times a factor, and at least 15 seconds: a slow response means a
busy or a small server, which is requested less often.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

from mediacrawl.base.terms import End, Outcome
from mediacrawl.politeness.backoff import GOOD, BackoffPolicy, Standing, after_answer, after_trouble, backed_off

DAY = 86_400.0
_HOUR = 3600.0
ANY_HOUR = (1.0,) * 24


def factors_by_hour(hours: Mapping[str, float]) -> tuple[float, ...]:
    """Return the factor of delays in each of the day's 24 hours.

    Args:
        hours: ``"8-18": 2.0``: from 8:00 until 18:00 UTC twice the delay. A span may pass midnight, ``"22-5"``; where
            spans overlap the greater factor counts, and a single hour is ``"3"``.

    Raises:
        ValueError: a span or a factor is invalid.
    """
    factors: list[float | None] = [None] * 24
    for span, factor in hours.items():
        for hour in _hours(str(span)):
            known = factors[hour]
            factors[hour] = _factor(factor) if known is None else max(known, _factor(factor))
    return tuple(1.0 if factor is None else factor for factor in factors)


def _factor(written: object) -> float:
    try:
        factor = float(str(written))
    except ValueError:
        factor = 0.0
    if not 0 < factor < 1_000:
        raise ValueError(f"POLITENESS_HOURS: {written!r} is no factor; use a number above 0, such as 0.5 or 2")
    return factor


def _hours(span: str) -> list[int]:
    first, dash, last = span.partition("-")
    try:
        start, stop = int(first), int(last) if dash else int(first) + 1
    except ValueError:
        start = stop = -1
    if not (0 <= start < 24 and 0 <= stop <= 24 and start != stop):
        raise ValueError(f"POLITENESS_HOURS: {span!r} is no span of hours (UTC); write it as '8-18' or '22-5'")
    return [hour % 24 for hour in range(start, stop if stop > start else stop + 24)]


@dataclass(frozen=True, slots=True)
class DelayPolicy:
    """Parameters of the delay after a request.

    Attributes:
        factor: delay per second of response time.
        minimum: seconds; the shortest delay.
        maximum: seconds; the longest delay made from response times. A Crawl-delay is not cut by it.
        first: seconds; the shortest delay until `window` response times are known.
        window: number of response times in the mean.
        tail_sites: with fewer sites left than this, of more, delays are stretched; 0 for never.
        tail_factor: the stretch when the last site is left.
        hours: factor of delays in each hour of the day, UTC. One below 1 makes no delay shorter than `minimum`, `first`
            and Crawl-delay.
        backoff: parameters for failing sites.
        floor: seconds; no delay is shorter (Scrapy's ``DOWNLOAD_DELAY``).

    Raises:
        ValueError: a value is negative, or `minimum` exceeds `maximum`.
    """

    factor: float = 30.0
    minimum: float = 15.0
    maximum: float = 1800.0
    first: float = 60.0
    window: int = 5
    tail_sites: int = 100
    tail_factor: float = 1.0
    hours: tuple[float, ...] = ANY_HOUR
    backoff: BackoffPolicy = field(default_factory=BackoffPolicy)
    floor: float = 0.0

    def __post_init__(self) -> None:
        if (
            min(self.factor, self.minimum, self.maximum, self.first, self.floor) < 0
            or self.window < 1
            or self.tail_factor < 1
        ):
            raise ValueError(f"politeness settings must not be negative, POLITENESS_TAIL_FACTOR not below 1: {self}")
        if self.minimum > self.maximum:
            raise ValueError(
                f"POLITENESS_MIN_DELAY, {self.minimum:g} s, is greater than POLITENESS_MAX_DELAY, {self.maximum:g} s"
            )

    def delay(self, samples: Sequence[float], crawl_delay: float = 0.0, hourly: float = 1.0) -> float:
        """Return the seconds to wait, counted from the end of the last response; the Crawl-delay is a lower bound."""
        recent = samples[-self.window :]
        mean = sum(recent) / len(recent) if recent else 0.0
        wanted = min(max(self.factor * mean, self.minimum), self.maximum)
        if hourly != 1.0:
            wanted = max(wanted * hourly, self.minimum)
        if len(recent) < self.window:
            wanted = max(wanted, self.first)
        return max(wanted, crawl_delay, self.floor)

    def told(self) -> str:
        """Return the formula in one sentence, for the log."""
        said = (
            f"A site is left alone after each answer for {self.factor:g} times its mean response time, at least"
            f" {self.minimum:g} and at most {self.maximum:g} s; until {self.window} times are known, at least"
            f" {self.first:g} s"
        )
        if self.floor in {0, self.minimum}:
            return said
        if self.floor < self.minimum:
            return f"{said}; DOWNLOAD_DELAY, {self.floor:g} s, is less"
        return f"{said}; never less than DOWNLOAD_DELAY, {self.floor:g} s"

    def hourly(self, now: float) -> float:
        """Return the factor of the hour of a time in seconds since the epoch."""
        return self.hours[int(now // _HOUR) % 24] if self.hours is not ANY_HOUR else 1.0

    def stretch(self, sites: int, most: int) -> float:
        """Return the factor of delays near the end of a crawl, with so many sites left of the most that waited; else 1.

        When few of thousands of sites are left they are the large ones, each requested as often as its delay
        allows, for days.
        """
        if sites >= self.tail_sites or most <= self.tail_sites:
            return 1.0
        return 1.0 + (self.tail_factor - 1.0) * (1.0 - sites / self.tail_sites)


@dataclass(frozen=True, slots=True)
class Clocks:
    """The times of a site. Kept with the site, on disk, in the write that ends a visit.

    Attributes:
        release: earliest time of the next request, seconds since the epoch.
        delay: seconds of the delay that led to `release`.
        crawl_delay: seconds of the Crawl-delay; 0 without one.
        samples: last response times in seconds, oldest first.
        visits: requests made so far.
        standing: the backoff state.
    """

    release: float = 0.0
    delay: float = 0.0
    crawl_delay: float = 0.0
    samples: tuple[float, ...] = ()
    visits: int = 0
    standing: Standing = GOOD

    @property
    def rests(self) -> bool:
        """Whether the site rests: it fails, or asked for more than a day.

        A site with a postponed request does not rest: a crawl that ended for it would find it postponed at each start.
        """
        return not self.standing.postponed and (self.standing.resting or self.delay > DAY)


def after_visit(clocks: Clocks, outcome: Outcome, now: float, policy: DelayPolicy, stretch: float = 1.0) -> Clocks:
    """Return a site's clocks after a visit that ended now; the delay counts from its end.

    Without a request (`Outcome.asked` false) only a longer Crawl-delay counts, from the next visit on, and the wait
    for something else (`Outcome.wait`).
    """
    if not outcome.asked:
        clocks = replace(clocks, crawl_delay=max(clocks.crawl_delay, outcome.crawl_delay or 0.0))
        if outcome.wait <= 0:
            return clocks
        standing = replace(clocks.standing, postponed=True) if clocks.rests else clocks.standing
        return replace(clocks, release=max(clocks.release, now + outcome.wait), standing=standing)
    samples = clocks.samples
    if outcome.response_time is not None:
        samples = (*samples, max(outcome.response_time, 0.0))[-policy.window :]
    crawl_delay = clocks.crawl_delay if outcome.crawl_delay is None else max(outcome.crawl_delay, 0.0)
    standing = _standing(_requested(clocks.standing), outcome, now, policy)
    delay = policy.delay(samples, crawl_delay, policy.hourly(now)) * stretch
    delay = max(backed_off(delay, standing, now, policy.backoff), outcome.retry_after)
    return Clocks(now + delay, delay, crawl_delay, samples, clocks.visits + 1, standing)


def unrecorded(outcome: Outcome) -> Outcome:
    """Return the outcome for a site of a visit whose lease was given to another worker meanwhile, or was forgotten.

    The site gets its delay and the wait that it asked for. Failures do not count: the URL has not been tried as far as
    the frontier knows, and a worker that stood still for longer than a lease has caused its timeouts itself.
    """
    return outcome if outcome.trouble is None else replace(outcome, trouble=None, response_time=None)


def _requested(standing: Standing) -> Standing:
    """Return the state of a site whose postponed request was made."""
    return replace(standing, postponed=False) if standing.postponed else standing


def _standing(before: Standing, outcome: Outcome, now: float, policy: DelayPolicy) -> Standing:
    if outcome.trouble is not None:
        return after_trouble(before, outcome.trouble, now, policy.backoff)
    if outcome.response_time is None:
        # We gave up before a response came.
        return before
    after = after_answer(before)
    # A readable robots.txt does not end a row of 403s.
    return replace(after, forbidden=before.forbidden) if outcome.end is End.CONTINUE and before.forbidden else after


def after_restart(clocks: Clocks, leased: bool, now: float, policy: DelayPolicy) -> Clocks:
    """Return a site's clocks when a stored frontier is opened again.

    A site that was leased when the process died may have been requested a moment ago: it gets its whole delay from now.
    A release time further away than the delay that made it means that the system clock was set back; it is counted from
    now as well.
    """
    owed = max(clocks.delay, policy.delay(clocks.samples, clocks.crawl_delay))
    if leased:
        return replace(clocks, release=max(clocks.release, now + owed), standing=_requested(clocks.standing))
    return replace(clocks, release=min(clocks.release, now + owed))
