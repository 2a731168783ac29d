"""What becomes of a URL whose visit failed. Backoff of the whole site joins here with the politeness issue."""

from __future__ import annotations

from mediacrawl.records import Drop, End, Outcome

_PASSING = frozenset({408, 425, 429, 500, 502, 503, 504, 522, 524})
"""Statuses that say "not now" (RFC 9110 section 15; 522 and 524 are a proxy's)."""


def after_failure(attempt: int, attempts: int, reason: Drop) -> Outcome:
    """Again later, or given up.

    Args:
        attempt: failed visits before this one.
        attempts: visits that a URL gets.
        reason: what to call it when it is given up.
    """
    return Outcome(End.AGAIN) if attempt + 1 < attempts else Outcome(End.DROPPED, reason)


def is_passing(status: int) -> bool:
    """Whether a status says "not now"."""
    return status in _PASSING


def after_status(status: int, attempt: int, attempts: int) -> Outcome | None:
    """What an HTTP status decides by itself; None if the body may be read.

    Args:
        status: HTTP status.
        attempt: failed visits before this one.
        attempts: visits that a URL gets.
    """
    if 200 <= status < 300:
        return None
    if status in _PASSING:
        return after_failure(attempt, attempts, Drop.HTTP_STATUS)
    return Outcome(End.DROPPED, Drop.HTTP_STATUS)
