"""Sentences for the operator: how a crawl starts, why one has read nothing, and what the names of ends mean."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping

from mediacrawl.base.format import count, counted_in_words, plural
from mediacrawl.base.terms import Drop, End, Limit, Trouble


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


MEANINGS: dict[str, str] = {
    End.DONE: "The URL was visited, and what it gave is stored.",
    Drop.BAD_URL: "The link is not a URL that can be requested.",
    Drop.SCHEME: "The link is not http or https: a mail address, a script, a telephone number.",
    Drop.LENGTH: "The URL is longer than any page of a site should need (SCOPE_MAX_URL_LENGTH).",
    Drop.EXTENSION: "The name ends as files do that are neither pages nor media: images, archives, programs.",
    Drop.DEPTH: "The URL is more clicks away from a seed than SCOPE_MAX_DEPTH allows.",
    Drop.TRAP_REPEAT: "The path repeats its own parts, as in a crawler trap.",
    Drop.TRAP_CALENDAR: "The URL is a calendar page far in the past or the future.",
    Drop.TRAP_SEGMENTS: "The path has more parts than any site should need.",
    Drop.TRAP_FACETS: "The URL is one more combination of filters of a list that was read already.",
    Drop.SESSION: "Without its session id the URL is one that is known.",
    Drop.DUST: "Without parameters that never change the page the URL is one that is known.",
    Drop.LONG_BASE: "The page has so many links relative to a long address that not all were read.",
    Drop.NEVERCRAWL: "A NeverCrawl list names the domain, the path or the network.",
    Drop.OFFSITE: "The URL is on another site than the seeds, and the crawl stays on theirs (-a scope=site).",
    Drop.NOT_INCLUDED: "The whitelist (-a include=) does not have the URL.",
    Drop.PLACEHOLDER_CONTACT: "Without MEDIACRAWL_CONTACT only this machine is crawled.",
    Drop.PORT: "The port belongs to another protocol, such as mail or a database.",
    Drop.ADDRESS: "The name leads to a private or reserved address. GUARD_ALLOW makes exceptions.",
    Drop.PAGE_BYTES: "The page had as many bytes of links as its length allows.",
    Drop.INDEX_LINK: "The link sorts a list of files, or leads to the folder above.",
    Drop.TEMPLATE: "The link is part of a template that scripts fill in: {{ url }}, or in a <template>.",
    Drop.NOFOLLOW: "The page asks crawlers not to follow the link (rel=nofollow, meta robots or X-Robots-Tag).",
    Drop.NOINDEX: "The page asks crawlers not to list it (meta robots or X-Robots-Tag).",
    Drop.ROBOTS: "The robots.txt of the host forbids the URL, or could not be read.",
    Drop.REDIRECT_CAP: "More than three redirects in a row led to the URL.",
    Drop.REDIRECT_BROKEN: "The redirect names no URL that can be requested.",
    Drop.HTTP_STATUS: "The server answered with an error, as often as the URL was tried.",
    Drop.CONTENT_TYPE: "The answer is neither a page, nor a list, nor media.",
    Drop.DUPLICATE: "The page shows what another page of the site shows; its links were not followed.",
    Drop.NEAR_DUPLICATE: "The page nearly shows what another page shows; only its links to media were followed.",
    Drop.SOFT_404: "The page says in words that there is nothing, with a status of success.",
    Drop.NOT_WORTH: "NUGGET_WORTH_OPENING decided from status and headers not to read the body.",
    Drop.DOWNLOAD_ERROR: "No answer came, as often as the URL was tried.",
    Drop.UNREADABLE: "The body broke off at each attempt, or cannot be unpacked.",
    Drop.ADAPTER_MISSED: "The answer to a data request is not as its site adapter says; its page was requested.",
    Drop.ADAPTER_OFF: "The site adapter of a data request was switched off, changed or removed; its page is requested.",
    Drop.CALLBACK_ERROR: "A part of this program failed at the answer; log/critical.log has the traceback.",
    Drop.IGNORED: "A middleware of the project refused the request.",
    Drop.LOST_REQUEST: "The request of another project's spider was held in the memory of a process that has ended.",
    Drop.PRUNED: "The frontier was full (FRONTIER_MAX_URLS, FRONTIER_MAX_BYTES); the least promising URLs were pruned.",
    Drop.OPERATOR: "The operator dropped it (scrapy frontier drop).",
}
"""Reason of a drop, or ``done`` -> a sentence."""

TROUBLES: dict[str, str] = {
    Trouble.THROTTLED: "The site says that it is asked too much (429 or 503). Its delay grows.",
    Trouble.SERVER_ERROR: "The server failed (5xx). The delay of the site grows.",
    Trouble.TIMEOUT: "No answer came in time.",
    Trouble.CONNECTION: "The connection was refused or lost.",
    Trouble.TLS: "The connection could not be encrypted, or the certificate is not valid.",
    Trouble.DNS: "The name of the host was not found.",
    Trouble.CUT: "The answer broke off before its end.",
    Trouble.FAULT: "A part of this program failed at answers of the site; log/critical.log has the traceback.",
    Trouble.LOCAL: "This machine failed or stood still, or a kept connection was closed; local/NAME counts it.",
    Trouble.FORBIDDEN: "The server refuses the request (403). Many of these mean: stay away.",
}
"""What a visit says against its site -> a sentence."""

LIMITS: dict[str, str] = {
    Limit.PAGE: "The page is longer than PAGE_MAX_BYTES; its beginning was read.",
    Limit.LINKS: "The page has more links than are read.",
    Limit.TEXT: "The file has more text than a record may hold.",
    Limit.SLOW: "Reading the answer held up the crawl.",
    Limit.UNREADABLE: "The answer is not what it says it is.",
    Limit.SIZE: "Unpacked, the answer, no page, is larger than DOWNLOAD_MAXSIZE.",
    Limit.FAULT: "The answer met an error in this program that nobody expected.",
}
"""A limit that an answer exceeded -> a sentence."""
