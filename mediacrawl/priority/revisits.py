"""Revisits: how they stand in the frontier, and what a visit says of the page that may come back.

Those of a site wait in one class of their own, `AGAIN`, which is also the name of their door: so they are compared with
new URLs, and a revisit in vain says nothing against links of the same shape. No class of a shape is called so: those
have a slash.
"""

from __future__ import annotations

from dataclasses import replace
from enum import StrEnum

from mediacrawl.frontier.site_state import AGAIN
from mediacrawl.priority.hub import HubPage, Revisit
from mediacrawl.probe.response import ResponseKind, response_kind
from mediacrawl.records import FINAL, Candidate, Drop, End, Evidence, Kind, Lease, Outcome
from mediacrawl.visit import Visit

FRONT = "front"
"""The door of front pages that nobody had found, see `hubs.Hubs.met`."""

__all__ = [
    "AGAIN",
    "FRONT",
    "RevisitResult",
    "candidate_of",
    "evidence_for_other",
    "is_revisit",
    "page_of",
    "revisit_result",
]


class RevisitResult(StrEnum):
    """What a visit says of its page. The value is the word in the stats (``revisit/...``)."""

    CHANGED = "changed"
    """It was sent, whether or not it shows anything new."""
    UNCHANGED = "unchanged"
    """It was asked under a condition, and is what it was (304)."""
    FAILED = "failed"
    """It could not be had; that may pass."""
    GONE = "gone"
    """It is not there any more (404, 410), is elsewhere, is no page, or may not be asked."""


_GONE = frozenset({404, 410})
_PASSING = frozenset(
    {
        *(Drop.HTTP_STATUS, Drop.DOWNLOAD_ERROR, Drop.UNREADABLE, Drop.CALLBACK_ERROR),
        *(Drop.IGNORED, Drop.NOT_WORTH, Drop.NEAR_DUPLICATE),
    }
)
"""Drops that do not say that a page is gone."""
_OEMBED = "oembed"
_MANIFESTS = frozenset(
    {
        *("application/vnd.apple.mpegurl", "application/x-mpegurl", "application/mpegurl", "application/dash+xml"),
        *("audio/mpegurl", "audio/x-mpegurl"),
    }
)


def is_revisit(lease: Lease) -> bool:
    """Whether a lease is for a revisit, and not for what one led to.

    Args:
        lease: any.
    """
    return lease.evidence.via == AGAIN and not lease.hops


def evidence_for_other(lease: Lease) -> Evidence:
    """The evidence for another URL that takes the place of a lease's: that it is a revisit holds for its own URL only.

    Args:
        lease: any.
    """
    return replace(lease.evidence, via=Evidence().via) if lease.evidence.via == AGAIN else lease.evidence


def candidate_of(again: Revisit) -> Candidate:
    """A hub on its way into the frontier.

    Args:
        again: which.
    """
    return Candidate(
        url=again.url,
        site=again.site,
        link_class=AGAIN,
        kind=again.kind,
        depth=again.depth,
        score=again.score,
        evidence=Evidence(AGAIN),
        requested=again.requested,
    )


def page_of(lease: Lease, parent: str = "") -> HubPage:
    """What was visited, as hubs have it.

    Args:
        lease: of the visit.
        parent: the canonical form of its parent's URL.
    """
    return HubPage(lease.url, lease.site, lease.kind, lease.link_class, lease.depth, parent, lease.requested)


def revisit_result(visit: Visit, outcome: Outcome) -> RevisitResult | None:
    """What a visit says of its page; None if it asked for none, was answered by a file, or is not over.

    Args:
        visit: any.
        outcome: what it told the frontier.
    """
    lease, status = visit.lease, visit.fetch.status
    if outcome.end not in FINAL or lease.kind not in {Kind.PAGE, Kind.LIST} or _is_file(visit):
        return None
    if status == 304 and outcome.end is End.DONE:
        return RevisitResult.UNCHANGED
    if status in _GONE or (300 <= status < 400 and status != 304):
        return RevisitResult.GONE
    if outcome.reason in {None, Drop.NEAR_DUPLICATE}:
        return RevisitResult.CHANGED
    return RevisitResult.FAILED if outcome.reason in _PASSING else RevisitResult.GONE


def _is_file(visit: Visit) -> bool:
    """Whether what was asked as a page or list is a file that is named once, and has nothing new to say later."""
    if visit.lease.evidence.via == _OEMBED:
        return True
    answer = response_kind(visit.fetch.content_type)
    if answer == ResponseKind.MEDIA:
        return True
    mime = visit.fetch.content_type.partition(";")[0].strip().lower()
    return (
        visit.decision.stored > 0
        and not visit.decision.found
        and (answer == ResponseKind.ANYTHING or mime in _MANIFESTS)
    )
