"""A URL on its way into the frontier: what can be worked out of the URL itself is worked out here, for all doors."""

from __future__ import annotations

from mediacrawl.priority import Scores, link_class
from mediacrawl.records import Candidate, Evidence, Kind
from mediacrawl.scope.canonical import Spelling
from mediacrawl.scope.extensions import MEDIA_EXTENSIONS, PLAYLIST_EXTENSIONS, extension_of
from mediacrawl.scope.sites import site_of


def candidate(
    url: str | Spelling,
    evidence: Evidence,
    scores: Scores,
    kind: Kind | None = None,
    *,
    depth: int = 0,
    hops: int = 0,
    parent: str = "",
) -> Candidate:
    """The candidate of a URL, with its site, its link class, and the first score of that.

    Args:
        url: in both forms; or the canonical one, which is requested then.
        evidence: where and how it was found.
        scores: the rules of the crawl.
        kind: what is expected there; None leaves it to the extension, and against that of a list nothing counts.
        depth: clicks from a seed.
        hops: redirects in a row that led there.
        parent: URL of the page it was found on, as it was requested; empty for a seed.
    """
    url, requested = url if isinstance(url, Spelling) else (url, url)
    extension = extension_of(url)
    expected = kind_of(url)
    kind = expected if expected is Kind.LIST else kind or expected
    return Candidate(
        url=url,
        site=site_of(url),
        link_class=link_class(url),
        kind=kind,
        depth=depth,
        hops=hops,
        parent=parent,
        score=scores.first(kind, evidence.via, depth, extension),
        evidence=evidence,
        requested="" if requested == url else requested,
    )


def kind_of(url: str) -> Kind:
    """What the extension of a URL says is there.

    Args:
        url: in canonical form.
    """
    extension = extension_of(url)
    if extension in PLAYLIST_EXTENSIONS or url.endswith(".xml.gz"):
        return Kind.LIST
    return Kind.MEDIA if extension in MEDIA_EXTENSIONS else Kind.PAGE
