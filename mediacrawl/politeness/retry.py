"""What becomes of a URL whose visit failed. What becomes of its site is told in `backoff`."""

from __future__ import annotations

from mediacrawl.politeness.backoff import trouble_of
from mediacrawl.records import Drop, End, Lease, Outcome, Trouble

_TOO_EARLY = 425
"""The one status that says "not now" (RFC 8470, 5.2) and nothing against the site."""

DOUBT = 5
"""Failures in a row of which it is in doubt whether the site or its URLs are to blame, so that no URL is."""

_OF_THE_SITE = frozenset({Trouble.DNS, Trouble.TLS})


def after_failure(lease: Lease, attempts: int, reason: Drop, trouble: Trouble | None = None) -> Outcome:
    """Again later, or given up.

    While the whole site fails a URL waits on: none is lost because its server was down for a night. It is to blame
    itself if the visit before was answered, whatever URL that was of: the site is up, and this one fails. For a name
    that cannot be looked up, or a failure of TLS, it is not. Of a URL that waits alone nothing tells whether it fails
    or its site does. So after `DOUBT` failures in a row each counts again: they are probes by then, hours apart. A
    fault of ours counts always: its site has answered, and other URLs of it may be read. So does a failure for which
    the site is not to blame, since it does not bring the site nearer to its rest.

    Args:
        lease: what was asked.
        attempts: visits that a URL gets.
        reason: what to call it when it is given up.
        trouble: what the visit says against the site.
    """
    in_doubt = trouble not in {None, Trouble.FAULT} and lease.troubles < DOUBT
    if in_doubt and (trouble in _OF_THE_SITE or lease.troubles):
        return Outcome(End.AGAIN, blamed=False)
    return Outcome(End.AGAIN) if lease.attempt + 1 < attempts else Outcome(End.DROPPED, reason)


def after_cut(lease: Lease, attempts: int) -> Outcome:
    """What becomes of a URL whose answer broke off, and was read as far as it came: asked again, at last done.

    Each counts, whatever else happens to the site: some servers announce more than they ever send, and what they send
    is all there is.

    Args:
        lease: what was asked.
        attempts: visits that a URL gets.
    """
    return Outcome(End.AGAIN) if lease.attempt + 1 < attempts else Outcome(End.DONE)


def is_passing(status: int) -> bool:
    """Whether a status says "not now": it speaks against the server, and not of the URL."""
    return status == _TOO_EARLY or trouble_of(status) not in {None, Trouble.FORBIDDEN}


def after_status(status: int, lease: Lease, attempts: int) -> Outcome | None:
    """What an HTTP status decides by itself; None if the body may be read.

    Args:
        status: HTTP status.
        lease: what was asked.
        attempts: visits that a URL gets.
    """
    if 200 <= status < 300:
        return None
    if is_passing(status):
        return after_failure(lease, attempts, Drop.HTTP_STATUS, trouble_of(status))
    return Outcome(End.DROPPED, Drop.HTTP_STATUS)
