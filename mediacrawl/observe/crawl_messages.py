"""Messages at the start of a crawl, and at the end of one that has read nothing."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, field

from mediacrawl.observe.format import count, in_words, plural


@dataclass(frozen=True, slots=True)
class StartFacts:
    """How a crawl starts.

    Attributes:
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


def start_line(outset: StartFacts) -> str:
    """One line: seeds, scope, delays, storage, and what an earlier run left."""
    seeds = f"{plural(outset.seeds, 'seed')} on {plural(outset.sites, 'site')}" if outset.seeds else "No seeds"
    first = f", {outset.first:g} s while it is new" if outset.first > outset.minimum else ""
    return "; ".join(
        [
            f"Resuming: {plural(outset.waiting, 'URL', 'waits')}. {seeds}" if outset.waiting else f"Start: {seeds}",
            _scope(outset),
            f"only what {outset.whitelist} names" if outset.whitelist else "no whitelist (-a include=FILE)",
            f"a site is left alone for {outset.factor:g} times its response time, at least {outset.minimum:g} s{first}",
            f"frontier {outset.frontier}",
            *([f"records {outset.catalogue}"] if outset.catalogue else []),
        ]
    )


def _scope(outset: StartFacts) -> str:
    if outset.border_sites is not None:
        return f"scope=site: only the {plural(outset.border_sites, 'site')} of the seeds (-a scope=web for all)"
    sites = "that site" if outset.sites == 1 else f"those {count(outset.sites)} sites"
    given = sites if outset.seeds else "the sites of the seeds"
    return f"scope=web: links to other sites are followed (-a scope=site stays on {given})"


_MOST = 10_000

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


@dataclass(slots=True)
class SeedOutcomes:
    """What became of the seeds of one crawl, and of its requests.

    Attributes:
        given: number of seeds.
        refused: seeds that scope refused, by reason.
        known: seeds that an earlier run added.
        known_urls: the first 10,000 of them.
        earlier: how URLs ended in earlier runs: those seeds, or all URLs of the crawl if no seed was given.
        waiting: URLs waiting at the end.
        shelved: those of them on paused and retired sites.
        answered: responses with content, other than for a robots.txt.
        ended: how URLs ended in this run without such a response.
        unreached: sites that could not be reached, with the name of the error.
    """

    given: int = 0
    refused: Counter[str] = field(default_factory=Counter)
    known: int = 0
    known_urls: list[str] = field(default_factory=list)
    earlier: Counter[str] = field(default_factory=Counter)
    waiting: int = 0
    shelved: int = 0
    answered: int = 0
    ended: Counter[str] = field(default_factory=Counter)
    unreached: dict[str, str] = field(default_factory=dict)

    def knows(self, url: str) -> None:
        """Note a seed that an earlier run added."""
        self.known += 1
        if self.known <= _MOST:
            self.known_urls.append(url)

    def cannot_reach(self, site: str, error: str) -> None:
        """Note that a site could not be reached."""
        if len(self.unreached) < _MOST:
            self.unreached[site] = error


def nothing_read(fates: SeedOutcomes) -> str:
    """Explain why a crawl that ended by itself has read nothing; empty if it has, or if nothing is known."""
    if fates.answered:
        return ""
    if not fates.given and not fates.waiting and not fates.ended:
        return _nothing_left(fates) if fates.earlier else ""
    seeds, sites = _clauses(fates), [*_unreached(fates), *_waiting(fates)]
    if not seeds and not sites:
        return ""
    if len(seeds) == 1 and not sites and seeds[0][0] == fates.given:
        all_of_them = {1: "the seed", 2: "both seeds"}.get(fates.given, f"all {plural(fates.given, 'seed')}")
        said = f"{all_of_them} {seeds[0][1]}"
    else:
        kind = "of the seeds" if fates.given else "of what was left"
        said = "; ".join([*(f"{count(number)} {kind} {how}" for number, how in seeds), *sites])
    return ". ".join([f"Nothing was read: {said}", *(f"{text[0].upper()}{text[1:]}" for text in _advice(fates))])


def _nothing_left(fates: SeedOutcomes) -> str:
    ends = sum(fates.earlier.values())
    return (
        f"Nothing was left to read: {plural(ends, 'URL')} of this crawl ended in earlier runs:"
        f" {_counts(fates.earlier)}. -a seed=... adds seeds; -a fresh=1 starts over"
    )


def _clauses(fates: SeedOutcomes) -> list[tuple[int, str]]:
    """What became of the seeds: numbers and predicates."""
    reasons = []
    if refused := sum(fates.refused.values()):
        reasons.append((refused, f"{'was' if refused == 1 else 'were'} refused: {_counts(fates.refused)}"))
    if fates.known:
        ends, how = sum(fates.earlier.values()), _counts(fates.earlier)
        some = f"were added by an earlier run{f', {count(ends)} ended: {how}' if ends else ''}"
        reasons.append((fates.known, f"ended in an earlier run: {how}" if ends == fates.known else some))
    if fates.ended:
        reasons.append((sum(fates.ended.values()), f"ended in this run: {_counts(fates.ended)}"))
    return reasons


def _unreached(fates: SeedOutcomes) -> list[str]:
    errors = Counter(in_words(error) for error in fates.unreached.values())
    return [f"{plural(len(fates.unreached), 'site')} could not be reached: {_counts(errors)}"] if errors else []


def _waiting(fates: SeedOutcomes) -> list[str]:
    reasons, rest = [], fates.waiting - fates.shelved
    if rest:
        reasons.append(
            f"{plural(rest, 'URL', 'waits')} on sites that rest or were not reached;"
            " mediacrawl frontier show SITE shows when each can be requested"
        )
    if fates.shelved:
        reasons.append(
            f"{plural(fates.shelved, 'URL', 'waits')} on paused or retired sites: mediacrawl frontier resume SITE"
        )
    return reasons


def _advice(fates: SeedOutcomes) -> Iterable[str]:
    reasons = Counter({**fates.refused}) + fates.ended + (fates.earlier if fates.known else Counter())
    if any(in_words(error) == "host name not found" for error in fates.unreached.values()):
        reasons["dns"] += 1
    for reason, advice in _ADVICE.items():
        if reasons[reason]:
            yield advice
    if fates.known:
        yield "-a fresh=1 starts over"


def _counts(numbers: Counter[str]) -> str:
    return ", ".join(f"{name} {number}" for name, number in numbers.most_common(6))
