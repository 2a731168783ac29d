"""What a crawl says of itself at its start, in one line."""

from __future__ import annotations

from dataclasses import dataclass

from mediacrawl.observe.format import count, plural


@dataclass(frozen=True, slots=True)
class Outset:
    """How a crawl begins.

    Attributes:
        seeds: that were given.
        sites: that they are on.
        border_sites: sites that the crawl keeps to; None for the whole web.
        whitelist: path of the whitelist; empty if there is none.
        minimum: seconds; the least delay of a site.
        factor: delay of a site per second of its response time.
        first: seconds; the least delay of a site that is new.
        frontier: where it is.
        catalogue: where the records go.
        waiting: URLs that an earlier run left.
    """

    seeds: int
    sites: int
    border_sites: int | None
    whitelist: str
    minimum: float
    factor: float
    first: float
    frontier: str
    catalogue: str
    waiting: int


def start_line(outset: Outset) -> str:
    """One line: the seeds, where the crawl may go, how often it asks, where things are, and what it goes on with.

    Args:
        outset: see there.
    """
    seeds = f"{plural(outset.seeds, 'seed')} on {plural(outset.sites, 'site')}" if outset.seeds else "No seeds"
    first = f", {outset.first:g} s while it is new" if outset.first > outset.minimum else ""
    return "; ".join(
        [
            f"Resuming: {plural(outset.waiting, 'URL', 'waits')}. {seeds}" if outset.waiting else f"Start: {seeds}",
            _scope(outset),
            f"only what {outset.whitelist} names" if outset.whitelist else "no whitelist (-a include=FILE)",
            f"a site is left alone for {outset.factor:g} times its response time, at least {outset.minimum:g} s{first}",
            f"frontier {outset.frontier}",
            f"records {outset.catalogue}",
        ]
    )


def _scope(outset: Outset) -> str:
    if outset.border_sites is not None:
        return f"scope=site: only the {plural(outset.border_sites, 'site')} of the seeds (-a scope=web for all)"
    sites = "that site" if outset.sites == 1 else f"those {count(outset.sites)} sites"
    given = sites if outset.seeds else "the sites of the seeds"
    return f"scope=web: links to other sites are followed (-a scope=site stays on {given})"
