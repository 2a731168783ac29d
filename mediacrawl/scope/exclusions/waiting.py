"""What waits in a frontier, and is never to be asked."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from mediacrawl.frontier import Frontier
from mediacrawl.records import Drop
from mediacrawl.scope.exclusions.lines import Entry
from mediacrawl.scope.exclusions.never import NeverCrawl
from mediacrawl.scope.exclusions.suffixes import is_above_suffix, is_suffix
from mediacrawl.scope.sites import is_network, site_of

_PAGE = 500
"""Names of sites read at a time."""


def drop_waiting(frontier: Frontier, never: NeverCrawl, entries: Iterable[Entry]) -> Iterator[int]:
    """Drop what waits for these entries, in slices; gives the number of URLs that each slice dropped.

    An entry of a domain that somebody owns concerns one site, which is looked up. Those of public suffixes, of what
    lies above them, and of networks may concern any: for all of them together the sites where something waits are
    walked through once.

    Args:
        frontier: where it waits.
        never: the list in force.
        entries: of it; the new ones.

    Raises:
        FrontierError: the frontier cannot be used.
    """
    wide = False
    for entry in entries:
        if entry.is_network or is_suffix(entry.domain) or is_above_suffix(entry.domain):
            wide = True
            continue
        site = site_of(entry.domain)
        yield _drop(frontier, never, site, whole=site == entry.domain and not entry.path)
    if wide:
        yield from drop_all(frontier, never)


def drop_all(frontier: Frontier, never: NeverCrawl) -> Iterator[int]:
    """As `drop_waiting` for the whole list: a walk over all sites where something waits."""
    names = frontier.sites_under(limit=_PAGE)
    while names:
        for name in names:
            whole = never.match(name) is not None
            # Of a network of addresses some may be forbidden.
            some = is_network(name) or never.has_paths_on(name)
            yield _drop(frontier, never, name, whole=whole) if whole or some else 0
        names = frontier.sites_under(after=names[-1], limit=_PAGE)


def _drop(frontier: Frontier, never: NeverCrawl, site: str, *, whole: bool) -> int:
    return frontier.drop(site, Drop.NEVERCRAWL, None if whole else lambda url: never.match_url(url) is not None)
