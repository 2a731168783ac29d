"""The interval between polls of a source, estimated from how often it had changed at earlier polls."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import log

REMEMBERED = 20
"""Polls of a source that count: the habits of last year say nothing."""
_SHARE = 0.5
"""Polls in the mean time between two changes: with two, a change is known a quarter of that time late, on average."""
_STEP = 2.0
"""How much longer or shorter than the last one an interval may be: one poll says little."""


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
    """Seconds to the next poll of a source that failed: doubled with each failure in a row.

    Args:
        failures: in a row, at least one.
        polls: see `poll_interval`.
        policy: the bounds.
    """
    return min(poll_interval(polls, policy) * 2.0 ** min(failures, 30), policy.most)
