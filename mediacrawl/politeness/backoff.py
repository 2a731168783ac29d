"""What a site is owed that fails, or says that we ask too much: its delay doubles, it rests, it is left alone.

Trouble belongs to the site and not to the URL that met it: 429 for one page is said to the crawler. So nothing is
retried on the spot; the site's delay grows, and the URL waits in its queue like any other. The ladder:

* each trouble doubles the site's delay, with jitter, up to `BackoffPolicy.maximum`;
* an answer that broke off doubles it once, however many there are, and is none of a row: the site does answer;
* after `BackoffPolicy.rest_after` in a row the site *rests*. Then one request goes out, the probe: if it fails the
  site rests again, twice as long;
* a site whose answers our own code fails at rests too, for `FAULT_REST` at most: the code may be mended by then;
* a site whose probes, three at least, fail for `BackoffPolicy.retire_after` is *gone*: it is retired, and so is one
  that has answered 403 to `BackoffPolicy.forbidden` requests in a row;
* each good answer ends the row, and takes back one doubling: forgiven is step by step, so that a site that is up again,
  and still weak, is not asked at full pace at once.
"""

from __future__ import annotations

import random
from collections.abc import Sequence
from dataclasses import dataclass, replace

from mediacrawl.politeness.freshness import http_time
from mediacrawl.records import Trouble

LONGEST_RETRY_AFTER = 366 * 86_400.0
"""Seconds; what a site asks for beyond a year is obeyed as a year."""

FAULT_REST = 900.0
"""Seconds that a site rests at most whose last visit met a fault of ours: the next start must not wait for hours."""

_LEVELS = 40
"""Doublings that are counted; no maximum is further away."""

_PROBES = 3
"""Probes that must fail before a site is given up: while the crawl stood still it was not tried."""


@dataclass(frozen=True, slots=True)
class BackoffPolicy:
    """The numbers of the ladder.

    Attributes:
        maximum: seconds; the most that doubling makes of a delay. What a site asks for itself is not cut by it.
        jitter: share of the delay, 0 to 1, by which it is lengthened at random, so that the sites of one server that
            fell in one moment do not come back in one.
        rest_after: troubles in a row after which a site rests; 0 for never.
        rest: seconds that it rests the first time; each probe that fails doubles it.
        rest_maximum: seconds that it rests at most.
        retire_after: seconds from the first trouble of a row, after which a probe that fails is the last; 0 for never.
        forbidden: 403s in a row that are understood as "go away"; 0 for never.

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
    """How a site stands with us. Kept with its clocks.

    Attributes:
        level: how often its delay is doubled.
        row: troubles in a row.
        since: when the first of them came, seconds since the epoch; 0 without one.
        trouble: what the last one was; None without one.
        forbidden: 403s in a row.
        resting: whether it rests, or is asked by a probe now.
        gone: whether it is not to be asked any more.
    """

    level: int = 0
    row: int = 0
    since: float = 0.0
    trouble: Trouble | None = None
    forbidden: int = 0
    resting: bool = False
    gone: bool = False


GOOD = Standing()
"""Nothing is held against the site."""


def after_answer(standing: Standing) -> Standing:
    """A site's standing after a good answer: the row is over, and one doubling is taken back."""
    if standing is GOOD or standing == GOOD:
        return GOOD
    return Standing(level=max(standing.level - 1, 0))


def after_trouble(standing: Standing, trouble: Trouble, now: float, policy: BackoffPolicy) -> Standing:
    """A site's standing after a visit that spoke against it.

    Args:
        standing: as it was before.
        trouble: what the visit said. One 403 is no trouble; it ends no row either.
        now: the end of the visit, seconds since the epoch.
        policy: the ladder's numbers.
    """
    if trouble is Trouble.FORBIDDEN:
        times = standing.forbidden + 1
        gone = 0 < policy.forbidden <= times
        return replace(standing, forbidden=times, gone=gone, trouble=trouble if gone else standing.trouble)
    if trouble is Trouble.CUT:
        # A server that announces more than it sends would not be asked any more: each of its answers is cut.
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
        # A fault of ours is mended some day.
        gone=trouble is not Trouble.FAULT
        and standing.resting
        and row >= policy.rest_after + _PROBES
        and 0 < policy.retire_after <= now - since,
    )


def backed_off(delay: float, standing: Standing, now: float, policy: BackoffPolicy) -> float:
    """The seconds that a site of this standing is left alone.

    Args:
        delay: seconds that it would be owed in good standing.
        standing: after the visit.
        now: the end of the visit, seconds since the epoch. Jitter is drawn from its digits, which no two sites share,
            so that the same visit always gives the same delay.
        policy: the ladder's numbers.
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
    """The seconds that a site asks to be left alone for (RFC 9110, section 10.2.3); 0 if it does not say.

    Args:
        values: of the header Retry-After: seconds, or an HTTP date. Of several the longest counts.
        now: when the answer came, seconds since the epoch.
        date: of the header Date. A date to retry at is read by the server's clock as well as by ours, and the longer
            wait of the two counts: one of them is wrong, and it is not known which.
    """
    return max((_seconds(value.strip(), now, date) for value in values), default=0.0)


def asked_to_wait(status: int, values: Sequence[str], now: float, date: str) -> float:
    """The seconds that an answer asks us to wait; 0 for a good one, to which Retry-After does not belong.

    Args:
        status: HTTP status; 0 if none came.
        values: see `retry_after`.
        now: see there.
        date: see there.
    """
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
"""A proxy's words for a server behind it that cannot be reached: 521 and 523 are no errors of an application."""


def trouble_of(status: int) -> Trouble | None:
    """What a status says against the site; None if it says nothing.

    Args:
        status: HTTP status; 0 if none came.
    """
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
