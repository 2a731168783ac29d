"""When a site is requested again: its delay, and backoff for failing sites.

The delay is the mean of the last five response times, times a factor, and at least 15 seconds: a slow response means a
busy or a small server, which is requested less often.

Failures count against the site, not the URL: a 429 for one page is meant for the crawler. So nothing is retried at
once; the site's delay grows, and the URL waits in its queue.

* Each failure doubles the site's delay, with jitter, up to `BackoffPolicy.maximum`.
* A truncated response doubles it once, and does not count as a failure in a row: the site does answer.
* After `BackoffPolicy.rest_after` failures in a row the site *rests*. Then one request is sent as a probe: if it fails,
  the site rests again, twice as long.
* If our own code fails at its responses, a site rests for `FAULT_REST` at most, since the code may be fixed by then.
* If at least three probes fail over `BackoffPolicy.retire_after`, the site is *gone* and retired. So is a site that
  answers 403 to `BackoffPolicy.forbidden` requests in a row.
* Each good response ends the row of failures and takes back one doubling, so that a recovering site is not requested at
  full pace at once.
"""

from __future__ import annotations

import random
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

from mediacrawl.base.terms import Drop, End, Lease, Outcome, Trouble
from mediacrawl.politeness.caching import http_time

LONGEST_RETRY_AFTER = 366 * 86_400.0
"""Seconds; a longer Retry-After is obeyed as a year."""

FAULT_REST = 900.0
"""Seconds that a site rests at most after a failure of our own code."""

_LEVELS = 40
"""Doublings that are counted; every maximum is reached before."""

_PROBES = 3
"""Probes that must fail before a site is retired; while no crawl runs, none is sent."""


@dataclass(frozen=True, slots=True)
class BackoffPolicy:
    """Parameters of the backoff.

    Attributes:
        maximum: seconds; the longest delay made by doubling. A Retry-After is not cut by it.
        jitter: share of the delay, 0 to 1, by which it is lengthened at random, so that the sites of one server that
            failed together do not come back together.
        rest_after: failures in a row after which a site rests; 0 for never.
        rest: seconds of the first rest; each failed probe doubles it.
        rest_maximum: seconds of the longest rest.
        retire_after: seconds from the first failure of a row, after which a failed probe retires the site; 0 for never.
        forbidden: 403s in a row that retire a site; 0 for never.

    Raises:
        ValueError: a number is out of its range.
    """

    maximum: float = 21_600.0
    jitter: float = 0.25
    rest_after: int = 5
    rest: float = 21_600.0
    rest_maximum: float = 86_400.0
    retire_after: float = 7 * 86_400.0
    forbidden: int = 20

    def __post_init__(self) -> None:
        numbers = (self.maximum, self.rest_after, self.rest, self.rest_maximum, self.retire_after, self.forbidden)
        if min(numbers) < 0 or not 0 <= self.jitter <= 1:
            raise ValueError(f"the BACKOFF settings must not be negative, jitter is 0 to 1: {self}")
        if self.rest > self.rest_maximum:
            raise ValueError(f"BACKOFF_REST, {self.rest:g} s, is above the longest rest, {self.rest_maximum:g} s")


@dataclass(frozen=True, slots=True)
class Standing:
    """The backoff state of a site. Kept with its clocks.

    Attributes:
        level: number of doublings.
        row: failures in a row.
        since: time of the first of them, seconds since the epoch; 0 without one.
        trouble: kind of the last failure; None without one.
        forbidden: 403s in a row.
        resting: whether it rests, or a probe is under way.
        gone: whether it is to be retired.
        postponed: whether its rest is over, and its next request waits for something else, such as the clock of its
            address.
    """

    level: int = 0
    row: int = 0
    since: float = 0.0
    trouble: Trouble | None = None
    forbidden: int = 0
    resting: bool = False
    gone: bool = False
    postponed: bool = False


GOOD = Standing()
"""The state of a site without failures."""


def after_answer(standing: Standing) -> Standing:
    """Return the state after a good response: the row ends, and one doubling is taken back."""
    if standing is GOOD or standing == GOOD:
        return GOOD
    return Standing(level=max(standing.level - 1, 0))


def after_trouble(standing: Standing, trouble: Trouble, now: float, policy: BackoffPolicy) -> Standing:
    """Return the state after a failed visit. A single 403 is no failure; it ends no row either."""
    if trouble is Trouble.FORBIDDEN:
        times = standing.forbidden + 1
        gone = 0 < policy.forbidden <= times
        return replace(standing, forbidden=times, gone=gone, trouble=trouble if gone else standing.trouble)
    if trouble is Trouble.CUT:
        # Of a server that always announces more than it sends every response is truncated.
        return replace(standing, level=max(standing.level, 1))
    row = standing.row + 1
    # A clock that was set back must not make a row begin in the future.
    since = min(standing.since, now) if standing.row else now
    return Standing(
        level=min(standing.level + 1, _LEVELS),
        row=row,
        since=since,
        trouble=trouble,
        forbidden=standing.forbidden,
        resting=0 < policy.rest_after <= row,
        # Our code may be fixed.
        gone=trouble is not Trouble.FAULT
        and standing.resting
        and row >= policy.rest_after + _PROBES
        and 0 < policy.retire_after <= now - since,
    )


def backed_off(delay: float, standing: Standing, now: float, policy: BackoffPolicy) -> float:
    """Return the delay of a site in this state, from that without backoff, in seconds.

    The end of the visit seeds the jitter, so that the same visit always gives the same delay.
    """
    if not standing.level:
        return delay
    if standing.resting:
        grown = min(policy.rest * 2.0 ** min(standing.row - policy.rest_after, _LEVELS), policy.rest_maximum)
        if standing.trouble is Trouble.FAULT:
            grown = min(grown, FAULT_REST)
    else:
        grown = min(delay * 2.0 ** min(standing.level, _LEVELS), policy.maximum)
    return max(grown, delay) * (1.0 + policy.jitter * random.Random(now).random())


def retry_after(values: Sequence[str], now: float, date: str = "") -> float:
    """Return the seconds of Retry-After headers (RFC 9110, section 10.2.3), of several the longest; 0 without one.

    An HTTP date is read by the server's clock (the header Date) and by ours, and the longer wait counts.
    """
    return max((_seconds(value.strip(), now, date) for value in values), default=0.0)


def asked_to_wait(status: int, values: Sequence[str], now: float, date: str) -> float:
    """Return the seconds of `retry_after`; 0 for a successful response, to which the header does not belong."""
    return retry_after(values, now, date) if status >= 300 else 0.0


def _seconds(value: str, now: float, date: str) -> float:
    if value.isascii() and value.isdigit():
        return min(float(value[:12]), LONGEST_RETRY_AFTER)
    then = http_time(value)
    if then is None:
        return 0.0
    sent = http_time(date)
    wait = max(then - now, then - sent if sent is not None else 0.0)
    return min(wait, LONGEST_RETRY_AFTER) if wait > 0 else 0.0


_OVERLOADED = frozenset({429, 503})
_BEYOND_HTTP = frozenset({520, 521, 523, 526, 530})
"""A proxy's statuses for an unreachable origin server."""


def trouble_of(status: int) -> Trouble | None:
    """Return the failure that a status stands for; None if it is none."""
    if status in _OVERLOADED:
        return Trouble.THROTTLED
    if status in {522, 524, 504, 408}:
        return Trouble.TIMEOUT
    if status in _BEYOND_HTTP:
        return Trouble.CONNECTION
    if status == 525:
        return Trouble.TLS
    if 500 <= status < 600 and status != 501:
        return Trouble.SERVER_ERROR
    return Trouble.FORBIDDEN if status == 403 else None


_TOO_EARLY = 425
"""425 Too Early (RFC 8470, 5.2): try later, no failure of the site."""

DOUBT = 5
"""Failures in a row up to which a failure may be the whole site's, so that no attempt of a URL is counted."""

_OF_THE_SITE = frozenset({Trouble.DNS, Trouble.TLS})


def after_failure(lease: Lease, attempts: int, reason: Drop, trouble: Trouble | None = None) -> Outcome:
    """Return the outcome of a failed visit: try again later, or give up.

    While a whole site fails, its URLs wait on, so that none is lost because a server was down for a night. An
    attempt counts if the last visit of the site was answered, whatever URL that was: the site is up, and this URL
    fails. It does not count if the host name cannot be resolved or TLS fails. A URL that waits alone cannot be told
    from its site, so after `DOUBT` failures in a row, which are hours apart, each attempt counts. A failure of our
    own code always counts, since the site has answered; so does a failure without `trouble`.
    """
    in_doubt = trouble not in {None, Trouble.FAULT} and lease.troubles < DOUBT
    if in_doubt and (trouble in _OF_THE_SITE or lease.troubles):
        return Outcome(End.AGAIN, blamed=False)
    return Outcome(End.AGAIN) if lease.attempt + 1 < attempts else Outcome(End.DROPPED, reason)


def after_cut(lease: Lease, attempts: int) -> Outcome:
    """Return the outcome of a visit whose response was truncated and read as far as it came: try again, at last done.

    Each attempt counts: some servers announce more than they ever send.
    """
    return Outcome(End.AGAIN) if lease.attempt + 1 < attempts else Outcome(End.DONE)


def is_passing(status: int) -> bool:
    """Whether a status is temporary: it concerns the server, not the URL."""
    return status == _TOO_EARLY or trouble_of(status) not in {None, Trouble.FORBIDDEN}


def after_status(status: int, lease: Lease, attempts: int) -> Outcome | None:
    """Return the outcome that an HTTP status decides by itself; None if the body may be read."""
    if 200 <= status < 300:
        return None
    if is_passing(status):
        return after_failure(lease, attempts, Drop.HTTP_STATUS, trouble_of(status))
    return Outcome(End.DROPPED, Drop.HTTP_STATUS)


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
