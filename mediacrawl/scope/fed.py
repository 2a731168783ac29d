"""Entries that somebody put into ``media:start_urls``, on their way into a frontier."""

from __future__ import annotations

import re

from mediacrawl.frontier.redis.start_urls import StartUrlEntry
from mediacrawl.priority import Scores
from mediacrawl.records import Candidate, Drop
from mediacrawl.scope.canonical import Spelling
from mediacrawl.scope.gate import Scope
from mediacrawl.scope.joining import candidate
from mediacrawl.scope.reach import Reach
from mediacrawl.scope.seeds import parse_seeds
from mediacrawl.scope.sites import host_of

_LONGEST_DOMAIN = 2_048
_white_space = re.compile(r"\s").search


def fed(entry: StartUrlEntry, scope: Scope, reach: Reach, scores: Scores) -> Candidate | Drop:
    """The candidate of an entry, or why it may not join. Nothing in the entry widens the crawl's borders.

    Args:
        entry: of a stranger.
        scope: what decides whether a URL may join.
        reach: where a crawl with this contact may begin.
        scores: gives the first score of its class, if the entry does not.
    """
    url = _spelled(entry.url, scope)
    if isinstance(url, Drop):
        return url
    reason = scope.check(url.key, entry.depth)
    if reason is not None:
        return reason
    if not reach.covers(host_of(url.key)):
        return Drop.PLACEHOLDER_CONTACT
    parent = scope.spelled(entry.parent) if entry.parent else None
    found = candidate(
        url,
        entry.evidence,
        scores,
        entry.kind,
        depth=entry.depth,
        hops=entry.hops,
        parent=parent.requested if isinstance(parent, Spelling) else "",
    )
    if entry.score is not None:
        found.score = entry.score
    return found


def _spelled(written: str, scope: Scope) -> Spelling | Drop:
    """The URL of what was written; as in a list of seeds a bare domain will do."""
    if _white_space(written):
        return Drop.BAD_URL
    if "://" not in written and len(written) <= _LONGEST_DOMAIN:
        seeds, _ = parse_seeds(written, "")
        return scope.spelled(seeds[0][1]) if seeds else Drop.BAD_URL
    return scope.spelled(written)
