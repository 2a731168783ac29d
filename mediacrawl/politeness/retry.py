"""What becomes of a URL whose visit failed. What becomes of its site is told in `backoff`."""

from __future__ import annotations

from mediacrawl.records import Drop, End, Lease, Outcome

_PASSING = frozenset({408, 425, 429, 500, 502, 503, 504, 522, 524})
"""Statuses that say "not now" (RFC 9110 section 15; 522 and 524 are a proxy's)."""


def after_failure(lease: Lease, attempts: int, reason: Drop) -> Outcome:
    """Again later, or given up.

    A URL is given up that failed where others of its site did not. While the whole site fails it waits on: no URL is
    lost because its server was down for a night.

    Args:
        lease: what was asked.
        attempts: visits that a URL gets.
        reason: what to call it when it is given up.
    """
    if lease.troubles:
        return Outcome(End.AGAIN, blamed=False)
    return Outcome(End.AGAIN) if lease.attempt + 1 < attempts else Outcome(End.DROPPED, reason)


def is_passing(status: int) -> bool:
    """Whether a status says "not now"."""
    return status in _PASSING


def after_status(status: int, lease: Lease, attempts: int) -> Outcome | None:
    """What an HTTP status decides by itself; None if the body may be read.

    Args:
        status: HTTP status.
        lease: what was asked.
        attempts: visits that a URL gets.
    """
    if 200 <= status < 300:
        return None
    if status in _PASSING:
        return after_failure(lease, attempts, Drop.HTTP_STATUS)
    return Outcome(End.DROPPED, Drop.HTTP_STATUS)
