"""Dropping excluded URLs that wait in a frontier."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache

from mediacrawl.frontier import Frontier
from mediacrawl.records import Drop
from mediacrawl.scope.exclusions.entries import Exclusion
from mediacrawl.scope.exclusions.never import NeverCrawl
from mediacrawl.scope.hosts import canonical_host, is_address
from mediacrawl.scope.sites import is_network, public_suffixes, site_of

_PAGE = 500
"""Site names read at a time."""


def drop_excluded(frontier: Frontier, never: NeverCrawl) -> Iterator[int]:
    """Drop what waits and is on the list, in slices; gives the number of URLs dropped in each slice.

    An entry of a domain that somebody owns concerns one site, which is looked up. Networks, public suffixes and domains
    above public suffixes concern any number of sites: for all of these together the sites with waiting URLs are walked
    through once.

    Raises:
        FrontierError: the frontier cannot be used.
    """
    spans_sites = False
    for entry in never.entries():
        if _spans_sites(entry):
            spans_sites = True
            continue
        site = site_of(entry.domain)
        yield _drop(frontier, never, site, whole=site == entry.domain and not entry.path)
    names = frontier.sites_under(limit=_PAGE) if spans_sites else []
    while names:
        for name in names:
            whole = never.match(name) is not None
            some = is_network(name) or never.has_paths_on(name)
            yield _drop(frontier, never, name, whole=whole) if whole or some else 0
        names = frontier.sites_under(after=names[-1], limit=_PAGE)


def _spans_sites(entry: Exclusion) -> bool:
    domain = entry.domain
    if "/" in domain:
        return True
    # Of a public suffix each subdomain is a site of its own.
    return not is_address(domain) and (site_of(f"a.{domain}") != site_of(domain) or domain in _above_suffixes())


@cache
def _above_suffixes() -> frozenset[str]:
    """Domains with public suffixes below them, as ``amazonaws.com`` is to ``s3.amazonaws.com``."""
    suffixes = (rule.lstrip("!*.") for rule in public_suffixes())
    labels = [(canonical_host(suffix) or suffix).split(".") for suffix in suffixes]
    return frozenset(".".join(each[start:]) for each in labels for start in range(1, len(each)))


def _drop(frontier: Frontier, never: NeverCrawl, site: str, *, whole: bool) -> int:
    return frontier.drop(site, Drop.NEVERCRAWL, None if whole else lambda url: never.match_url(url) is not None)
