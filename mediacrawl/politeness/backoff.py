"""Backoff for failing sites, and what becomes of a URL whose visit failed.

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
from collections.abc import Sequence
from dataclasses import dataclass, replace

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
