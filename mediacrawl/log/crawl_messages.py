"""Messages at the start of a crawl, and at the end of one that has read nothing."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping

from mediacrawl.base.format import count, counted_in_words, plural


def start_line(
    *,
    seeds: int,
    sites: int,
    border_sites: int | None,
    whitelist: str,
    minimum: float,
    factor: float,
    first: float,
    frontier: str,
    catalogue: str,
    waiting: int,
) -> str:
    """Return one line on how a crawl starts: seeds, scope, delays, storage, and what an earlier run left.

    Args:
        seeds: number given.
        sites: number of their sites.
        border_sites: sites that the crawl is limited to; None for the whole web.
        whitelist: path of the whitelist; may be empty.
        minimum: seconds; the least delay of a site.
        factor: delay per second of response time.
        first: seconds; the least delay of a new site.
        frontier: where it is.
        catalogue: where the records go; empty if no catalogue is written.
        waiting: URLs that an earlier run left.
    """
    given = f"{plural(seeds, 'seed')} on {plural(sites, 'site')}" if seeds else "No seeds"
    if border_sites is not None:
        scope = f"scope=site: only the {plural(border_sites, 'site')} of the seeds (-a scope=web for all)"
    else:
        those = "that site" if sites == 1 else f"those {count(sites)} sites" if seeds else "the sites of the seeds"
        scope = f"scope=web: links to other sites are followed (-a scope=site stays on {those})"
    new = f", {first:g} s while it is new" if first > minimum else ""
    return "; ".join(
        [
            f"Resuming: {plural(waiting, 'URL', 'waits')}. {given}" if waiting else f"Start: {given}",
            scope,
            f"only what {whitelist} names" if whitelist else "no whitelist (-a include=FILE)",
            f"a site is left alone for {factor:g} times its response time, at least {minimum:g} s{new}",
            f"frontier {frontier}",
            *([f"records {catalogue}"] if catalogue else []),
        ]
    )


_ADVICE = {
    "not_included": "-a include=FILE names another whitelist",
    "nevercrawl": "to see which NeverCrawl list names it: mediacrawl nevercrawl check URL (NEVERCRAWL_FILES)",
    "robots": "its robots.txt forbids it: mediacrawl frontier why URL says more",
    "address": "-s GUARD_ALLOW=... allows addresses that are not public; what was refused is added again",
    "placeholder_contact": "without an address to complain to only this machine is crawled: set MEDIACRAWL_CONTACT",
    "http_status": "to see what the server answered: mediacrawl frontier why URL",
    "dns": "look at the spelling of the names, and at the name servers of this machine",
}
"""What to do, by the reason of a drop. For others the request log has a line for each URL."""
_WAITING = "on sites that rest or were not reached; mediacrawl frontier show SITE shows when each can be requested"


def nothing_read(
    refused: Mapping[str, int], ends: Mapping[str, int], failures: Mapping[str, int], waiting: int, shelved: int
) -> str:
    """Explain why a crawl that ended by itself has read nothing; empty if nothing is known.

    Args:
        refused: seeds that the scope refused, by reason.
        ends: how URLs of the crawl ended, in earlier runs too.
        failures: of this run, see `log.totals.Totals`.
        waiting: URLs that wait on sites that may be requested.
        shelved: URLs that wait on paused and retired sites.
    """
    unreached = counted_in_words({name: number for name, number in failures.items() if not name.isdecimal()})
    clauses = [
        (sum(refused.values()), "seed", "was", f"refused: {_counts(refused)}"),
        (sum(ends.values()), "URL", "has", f"ended: {_counts(ends)}"),
        (sum(unreached.values()), "request", "", f"without an answer: {_counts(unreached)}"),
        (waiting, "URL", "waits", _WAITING),
        (shelved, "URL", "waits", "on paused or retired sites: mediacrawl frontier resume SITE"),
    ]
    if not (found := [f"{plural(number, noun, verb)} {how}" for number, noun, verb, how in clauses if number]):
        return ""
    reasons = {**refused, **ends, **({"dns": 1} if unreached["host name not found"] else {})}
    advice = [sentence for reason, sentence in _ADVICE.items() if reason in reasons]
    if ends:
        advice.append("-a seed=... adds seeds; -a fresh=1 starts over")
    return ". ".join([f"Nothing was read: {'; '.join(found)}", *(f"{text[0].upper()}{text[1:]}" for text in advice)])


def _counts(numbers: Mapping[str, int]) -> str:
    return ", ".join(f"{name} {number}" for name, number in Counter(numbers).most_common(6))
