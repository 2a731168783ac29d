"""Revisits: their form in the frontier, and the result of a visit for the revisited page.

Those of a site wait in one class of their own, `AGAIN`, which is also their link source: so they are compared with
new URLs, and a revisit in vain says nothing against links of the same shape. No class of a shape is called so: those
have a slash.
"""

from __future__ import annotations

import re
from dataclasses import replace
from enum import StrEnum

from mediacrawl.base.content_type import claim_of
from mediacrawl.base.queued import WAITS
from mediacrawl.base.terms import FINAL, Drop, End, Evidence, Kind, Lease, Outcome
from mediacrawl.base.visit import Visit
from mediacrawl.frontier.site_state import AGAIN

FRONT = "front"
"""The link source of front pages that no page linked to, see `hubs.Hubs.met`."""


class RevisitResult(StrEnum):
    """What a visit says of its page. The value is the word in the stats (``revisit/...``)."""

    CHANGED = "changed"
    """It was sent, whether or not it shows anything new."""
    UNCHANGED = "unchanged"
    """The conditional request was answered with 304."""
    FAILED = "failed"
    """The request failed; that may pass."""
    GONE = "gone"
    """It is gone (404, 410), has moved, is no page, or must not be requested."""


_GONE = frozenset({404, 410})
_PASSING = frozenset(
    {
        *(Drop.HTTP_STATUS, Drop.DOWNLOAD_ERROR, Drop.UNREADABLE, Drop.CALLBACK_ERROR),
        *(Drop.IGNORED, Drop.NOT_WORTH, Drop.NEAR_DUPLICATE),
    }
)
"""Drops that do not say that a page is gone."""
_OF_PAGES = frozenset({"oembed", WAITS})
"""Link sources of answers that belong to a page, which is revisited itself."""
_says_manifest = re.compile(r"mpegurl|application/dash\+xml").search


def is_revisit(lease: Lease) -> bool:
    """Whether a lease is for a revisit, and not for what one led to."""
    return lease.evidence.via == AGAIN and not lease.hops


def evidence_for_other(lease: Lease) -> Evidence:
    """Return the evidence for another URL in place of a lease's: that it is a revisit holds for its own URL only."""
    return replace(lease.evidence, via=Evidence().via) if lease.evidence.via == AGAIN else lease.evidence


def revisit_result(visit: Visit, outcome: Outcome) -> RevisitResult | None:
    """The result of a visit for its page; None if it was not for a page, was answered by a file, or is not over."""
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
    """Whether the response to a request for a page or list is a file, which has no news later."""
    if visit.lease.evidence.via in _OF_PAGES:
        return True
    mime, decision = visit.fetch.content_type.lower(), visit.decision
    if claim_of(mime) == "media":
        return True
    # The whole body is parsed of pages and lists only.
    is_one = not decision.parsed_bytes or _says_manifest(mime) is not None
    return is_one and decision.stored > 0 and not decision.found
