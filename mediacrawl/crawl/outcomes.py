"""Decides the outcome of a visit from what is known when it ends. Pure functions, without Scrapy."""

from __future__ import annotations

from math import ceil

from mediacrawl.politeness.backoff import after_failure, asked_to_wait, trouble_of
from mediacrawl.records import Drop, End, Kind, Outcome, Trouble
from mediacrawl.visit import Visit

PRUNED_AT_ONCE = 5_000
"""URLs that one call prunes; it takes a tenth of a second."""
_PRUNED_TO = 0.9
"""Share of FRONTIER_MAX_URLS and FRONTIER_MAX_BYTES at which pruning stops."""


def outcome_of(visit: Visit, *, closing: bool, attempts: int, now: float) -> Outcome:
    """The outcome of an ended visit, completed with what the site's clocks are computed from.

    Args:
        visit: decided or not.
        closing: whether the crawl is closing.
        attempts: the number of visits that a URL gets.
        now: seconds since the epoch.
    """
    fetch = visit.fetch
    outcome = visit.decision.outcome
    if outcome is None:
        outcome = _of_undecided(visit, closing=closing, attempts=attempts)
    # A request that a middleware exchanged before it was sent counts too: nothing else would slow it down or end it.
    outcome.asked = fetch.sent is not None or (outcome.end is End.AGAIN and not outcome.hold)
    outcome.response_time = fetch.response_time
    outcome.earned = visit.decision.earned
    if fetch.sent is not None:
        outcome.trouble = _trouble_of_site(visit)
        outcome.retry_after = asked_to_wait(fetch.status, fetch.retry_after.split("\n"), now, fetch.date)
    if fetch.crawl_delay is not None:
        outcome.crawl_delay = fetch.crawl_delay
    return outcome


def evidence(visit: Visit) -> Trouble | None:
    """The evidence of a visit against its site; None if no request went out."""
    return (visit.trouble or trouble_of(visit.fetch.status)) if visit.fetch.sent is not None else None


def prune_to(waiting: int, stored_bytes: int, most_urls: int, most_bytes: int, *, pruning: bool) -> int | None:
    """The number of waiting URLs to keep in the next slice of pruning; None if nothing is to be pruned.

    Args:
        waiting: URLs in the frontier.
        stored_bytes: their bytes.
        most_urls: FRONTIER_MAX_URLS; 0 is no limit.
        most_bytes: FRONTIER_MAX_BYTES; 0 is no limit.
        pruning: whether the last slice left URLs to be pruned.
    """
    full = max(_share(waiting, most_urls), _share(stored_bytes, most_bytes))
    if full <= (_PRUNED_TO if pruning else 1.0):
        return None
    # Computed as if all URLs took equally many bytes; the next slice corrects it.
    excess = ceil(waiting * (1.0 - _PRUNED_TO / full))
    return waiting - min(excess, PRUNED_AT_ONCE)


def _share(number: int, most: int) -> float:
    return number / most if most else 0.0


def _of_undecided(visit: Visit, *, closing: bool, attempts: int) -> Outcome:
    """The outcome of a visit that ended without a decision."""
    fetch = visit.fetch
    if visit.trouble is Trouble.LOCAL:
        return Outcome(End.CONTINUE, state=visit.lease.state)
    if visit.error and fetch.kind is not Kind.ROBOTS:
        return after_failure(visit.lease, attempts, Drop.DOWNLOAD_ERROR, evidence(visit))
    if fetch.sent is None:
        return Outcome(End.RETURNED) if closing else Outcome(End.DROPPED, Drop.IGNORED)
    if fetch.kind is Kind.ROBOTS or (closing and fetch.response_time is None):
        return Outcome(End.CONTINUE, state=visit.lease.state)
    return Outcome(End.DONE)


def _trouble_of_site(visit: Visit) -> Trouble | None:
    """The evidence of a visit, without the statuses that are normal for the requested resource."""
    trouble = evidence(visit)
    if trouble is Trouble.LOCAL:
        return None
    if trouble is Trouble.FORBIDDEN and visit.fetch.kind is Kind.ROBOTS:
        # A 403 for robots.txt means that there are no rules (RFC 9309, 2.3.1.3).
        return None
    if trouble is Trouble.SERVER_ERROR and visit.lease.state:
        # The server sent the head of this file; its error means that it does not support this range.
        return None
    return trouble
