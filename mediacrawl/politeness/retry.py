"""What becomes of a URL whose visit failed. What becomes of its site is told in `backoff`."""

from __future__ import annotations

from mediacrawl.records import Drop, End, Lease, Outcome, Trouble

_PASSING = frozenset({408, 425, 429, 500, 502, 503, 504, 522, 524})
"""Statuses that say "not now" (RFC 9110 section 15; 522 and 524 are a proxy's)."""

_OF_THE_SITE = frozenset({Trouble.DNS, Trouble.TLS})


def after_failure(lease: Lease, attempts: int, reason: Drop, trouble: Trouble | None = None) -> Outcome:
    """Again later, or given up.

    While the whole site fails a URL waits on: none is lost because its server was down for a night. It is to blame
    itself if all visits that failed in a row were its own; a name that cannot be looked up, and a certificate that
    cannot be trusted, are always the site's.

    Args:
        lease: what was asked.
        attempts: visits that a URL gets.
        reason: what to call it when it is given up.
        trouble: what the visit says against the site.
    """
    if trouble in _OF_THE_SITE or lease.troubles > lease.attempt:
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
