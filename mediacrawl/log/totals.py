"""The totals of a crawl: one class, which its state, summary, report and metrics share, and what counts them."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, fields
from math import sqrt
from typing import Any

from mediacrawl.base.terms import FINAL, Kind, Outcome
from mediacrawl.base.visit import Visit

MOST_SITES = 10_000
"""Sites whose counts a process keeps."""
_MOST_URLS = 100_000
_FRONTIER = ("known", "done", "waiting", "shelved", "sites", "next_release")
"""Totals of the frontier, which all processes share."""
_REMEMBERED = 10_000
"""Randomly picked URLs that continue at a later visit; with 2 % of the picks, those of 500,000 under way. The oldest
are forgotten first, and then count as picked by score."""
_ENOUGH = 3
"""Finds of random picks before they are compared with: with three, the true rate is between a fifth of it and three
times as much (95 %)."""
_NORMAL = 1.6449
"""The one-sided 95 % point of the normal distribution."""


@dataclass(slots=True)
class Totals:
    """The totals of a crawl, or of one run of it. Whatever shows one of these numbers takes it from here.

    The site of a media file is the registrable domain of its own URL, not that of the page that links to it.

    Attributes:
        requests: sent, robots.txt included.
        pages: HTML pages read.
        records: media files that were stored, each once; without a catalogue, those that were described.
        updated: those of them that were stored before this crawl.
        bytes: received.
        media_bytes_read, media_bytes_total: bytes that were read of these files, and their sizes.
        faults: exceptions that nobody expected.
        lost_lines: of the request log that the disk refused.
        ended: URLs that have ended, also of revisits; those of robots.txt are left out.
        nuggets: the finds there: what `NUGGET_FUNCTION` counts, each once.
        picked: URLs that have ended and were picked at random (`FRONTIER_EXPLORE`): a free control group, which shows
            what chance finds in the same queue. That has more good links than a random one, so `ratio` is rather low.
        picked_nuggets: the finds of these.
        failures: requests without an answer by the name of the error, and answers by their status of 400 or more. The
            status of a robots.txt is left out: one that is missing allows all (RFC 9309, section 2.3.1.3).
        formats: media files by format; ``unknown`` for none.
        drops, troubles, limits: counts by name.
        fault_sites: faults by the site whose answer caused them.
        known: URLs that were accepted, each once. Always `done`, `waiting` and `shelved` together.
        done: URLs that have ended, each once, however often they were visited.
        waiting: URLs that wait or are being requested, those of paused and retired sites left out.
        shelved: URLs that wait on paused and retired sites.
        sites: sites by state: ``ready``, ``waiting``, ``resting``, ``paused``, ``retired``.
        next_release: when the next site may be requested, seconds since the epoch; None if none waits.
    """

    requests: int = 0
    pages: int = 0
    records: int = 0
    updated: int = 0
    bytes: int = 0
    media_bytes_read: int = 0
    media_bytes_total: int = 0
    faults: int = 0
    lost_lines: int = 0
    ended: int = 0
    nuggets: int = 0
    picked: int = 0
    picked_nuggets: int = 0
    failures: dict[str, int] = field(default_factory=dict)
    formats: dict[str, int] = field(default_factory=dict)
    drops: dict[str, int] = field(default_factory=dict)
    troubles: dict[str, int] = field(default_factory=dict)
    limits: dict[str, int] = field(default_factory=dict)
    fault_sites: dict[str, int] = field(default_factory=dict)
    known: int = 0
    done: int = 0
    waiting: int = 0
    shelved: int = 0
    sites: dict[str, int] = field(default_factory=dict)
    next_release: float | None = None

    @property
    def failed(self) -> int:
        """All failures together."""
        return sum(self.failures.values())

    @property
    def rate(self) -> float | None:
        """Finds per 1,000 URLs that have ended; None without one."""
        return 1_000 * self.nuggets / self.ended if self.ended else None

    @property
    def ratio(self) -> float | None:
        """The rate divided by that of random picks; None while those have given too few finds."""
        return self._times(self.picked_nuggets) if self.picked_nuggets >= _ENOUGH else None

    @property
    def ratio_at_least(self) -> float | None:
        """The lower 95 % confidence bound of the ratio; None without random picks.

        For the finds of these the upper bound of a Poisson mean is taken (Wilson and Hilferty's approximation, 1931).
        """
        most = self.picked_nuggets + 1
        return self._times(most * (1 - 1 / (9 * most) + _NORMAL / (3 * sqrt(most))) ** 3)

    def _times(self, picked_nuggets: float) -> float | None:
        return self.nuggets * self.picked / (picked_nuggets * self.ended) if self.ended and self.picked else None

    def by_name(self) -> dict[str, Any]:
        """The totals by name, for a class that extends this one."""
        return {each.name: getattr(self, each.name) for each in fields(Totals)}

    def since(self, earlier: Totals) -> Totals:
        """Return what was counted after `earlier`; the numbers of the frontier are those of now."""
        found = self.by_name()
        for name in found.keys() - set(_FRONTIER):
            now, then = found[name], getattr(earlier, name)
            found[name] = dict(Counter(now) - Counter(then)) if isinstance(now, dict) else max(now - then, 0)
        return Totals(**found)


def summed(all_totals: Iterable[Totals]) -> Totals:
    """Return the totals of several processes together.

    Args:
        all_totals: of each process, the oldest first: the numbers of the frontier are those of the last.
    """
    whole = Totals()
    for totals in all_totals:
        for name, value in totals.by_name().items():
            known = getattr(whole, name)
            if name in _FRONTIER:
                setattr(whole, name, value)
            elif isinstance(value, dict):
                setattr(whole, name, dict(Counter(known) + Counter(value)))
            else:
                setattr(whole, name, known + value)
    return whole


def failure(error: str, status: int, *, robots: bool) -> str:
    """Return the name of a failure in `Totals.failures`; empty for none.

    Args:
        error: of the request log; empty for none. After how many bytes it came does not count.
        status: of the answer; 0 without one.
        robots: whether a robots.txt was requested.
    """
    if error:
        return error.partition(" after ")[0]
    return "" if robots or status < 400 else str(status) if status < 600 else "other status"


def failure_of(visit: Visit) -> str:
    """Return the name of the failure of a visit in `Totals.failures`; empty for none."""
    fetch = visit.fetch
    if fetch.status < 400 and not (fetch.error or fetch.broke_off or visit.decision.error):
        return ""
    return failure(visit.error or fetch.failure, fetch.status, robots=fetch.kind is Kind.ROBOTS)


class Tally:
    """Counts the requests, the ends of URLs and the records of one process. In memory only.

    Attributes:
        totals: those of the counts that are no stats, such as `Totals.requests`, `Totals.ended` and `Totals.formats`.
        asked: requests by site, of the first 10,000 sites.
        seconds: seconds of all answers of these sites.
        media_sites: records by the site of the file, of the first 10,000 sites.
    """

    def __init__(self) -> None:
        self.totals = Totals(failures=Counter(), formats=Counter())
        self.asked = Counter[str]()
        self.seconds = defaultdict[str, float](float)
        self.media_sites = Counter[str]()
        self._urls = dict[int, None]()
        self._picked = dict[str, None]()

    def visit_ended(self, visit: Visit, outcome: Outcome) -> None:
        """Count a visit: its request, if one was sent, and the end of its URL."""
        self._count_end(visit, outcome)
        if not outcome.asked:
            return
        totals, fetch, site = self.totals, visit.fetch, visit.lease.site
        totals.requests += 1
        totals.bytes += fetch.bytes
        if len(self.asked) < MOST_SITES or site in self.asked:
            self.asked[site] += 1
            self.seconds[site] += fetch.response_time or 0.0
        if name := failure_of(visit):
            totals.failures[name] += 1

    def _count_end(self, visit: Visit, outcome: Outcome) -> None:
        """Count a URL that has ended.

        The first visit that requests the URL itself decides whether it was picked at random. One for its robots.txt, or
        a postponed one, does not: whether such a URL is taken again depends on its score.
        """
        lease, totals = visit.lease, self.totals
        picked = (lease.even and not lease.attempt and not lease.state) or lease.url in self._picked
        if outcome.end not in FINAL:
            if picked and outcome.asked and visit.fetch.kind is not Kind.ROBOTS:
                self._picked[lease.url] = None
                if len(self._picked) > _REMEMBERED:
                    del self._picked[next(iter(self._picked))]
            return
        self._picked.pop(lease.url, None)
        # A robots.txt on another site, to which a redirect led, has a lease of its own.
        if lease.kind is Kind.ROBOTS:
            return
        totals.ended += 1
        totals.nuggets += visit.decision.earned
        if picked:
            totals.picked += 1
            totals.picked_nuggets += visit.decision.earned

    def add_fault(self, site: str) -> None:
        """Count a fault for the site whose answer caused it; empty for none."""
        sites = self.totals.fault_sites
        if site and (site in sites or len(sites) < MOST_SITES):
            sites[site] = sites.get(site, 0) + 1

    def add_once(self, record: Mapping[str, Any], url: str) -> None:
        """Count a record that no catalogue keeps, unless its file is one of the last `_MOST_URLS` that were counted."""
        if (key := hash(url)) not in self._urls:
            self._urls[key] = None
            self.add(record)
        if len(self._urls) > _MOST_URLS:
            del self._urls[next(iter(self._urls))]

    def add(self, record: Mapping[str, Any]) -> None:
        """Count a record that was stored for the first time in this crawl."""
        totals, site = self.totals, str(record.get("site") or "")
        totals.records += 1
        totals.media_bytes_read += _bytes(record.get("bytes_fetched"))
        totals.media_bytes_total += _bytes(record.get("content_size"))
        totals.formats[str(record.get("encoding_format") or "unknown")] += 1
        if site and (len(self.media_sites) < MOST_SITES or site in self.media_sites):
            self.media_sites[site] += 1


def _bytes(value: Any) -> int:
    """A number of bytes in the record of any project."""
    return value if isinstance(value, int) else 0
