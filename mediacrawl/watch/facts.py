"""The facts of a report: everything that the page shows, as plain values that JSON holds."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import pairwise
from typing import Any

from mediacrawl.base.format import in_words, plural
from mediacrawl.base.terms import SiteInfo
from mediacrawl.frontier.sqlite.reader import FrontierOverview
from mediacrawl.log.messages import LIMITS, MEANINGS, TROUBLES
from mediacrawl.log.totals import Totals, summed
from mediacrawl.store import CatalogueFigures
from mediacrawl.watch.adapter_counts import AdapterCounts, ranked, summary_lines
from mediacrawl.watch.log_digest import LAST_PART, PARTS, LogDigest
from mediacrawl.watch.report import CrawlFacts
from mediacrawl.watch.status import SHOWN, CrawlStatus, Estimate, Row, Sample, crawl_state, estimate, sample_interval

HOSTS = 250
"""Sites in the table of hosts, those with most requests: 60 KB of the page."""
POINTS = 240
"""Points of a curve: more cannot be told apart."""
MINUTES = ("requests", "pages", "records", "bytes", "visited", "nuggets", "picked", "picked_nuggets")
"""What is counted in a span of `CrawlReport.minutes`, see `Sample`."""
_PAUSE = 3.0
"""Times the interval of samples without one, after which no process was running."""
_LISTED = 10
"""Sites in a list."""
_LONGEST = 300
"""Characters of a URL."""


@dataclass(frozen=True, slots=True)
class Named:
    """A drop, a trouble, a limit or a failure with its count.

    Attributes:
        kind: ``drop``, ``trouble``, ``limit`` or ``failure``.
        name: in log and stats.
        count: how often.
        example: a URL; empty if none was kept.
        meaning: a sentence.
    """

    kind: str
    name: str
    count: int
    example: str
    meaning: str


@dataclass(frozen=True, slots=True)
class Politeness:
    """The proof from the log.

    Attributes:
        judged: requests with an earlier one to the same site.
        bars: requests by the time since the end of the last response, divided by the owed delay: the beginning of the
            bar, and the number.
        too_soon: requests before the delay was over.
        least: of all the quotients the least bar with a request; None without one.
        worst: a sentence on the earliest of them; empty without one.
    """

    judged: int
    bars: list[tuple[float, int]]
    too_soon: int
    least: float | None
    worst: str


@dataclass(slots=True)
class CrawlReport(Totals):
    """The facts of one crawl, of one process or several.

    Attributes:
        made: when, seconds since the epoch.
        state: ``running``, ``ended``, ``not responding``, ``killed`` or ``unknown``.
        reason: Scrapy's finish reason.
        began, last: when the first process began, and when the last state was written.
        processes: whose states were found.
        media_sites: number of the sites of the media files.
        sites_asked: sites with a request.
        estimate: of the time that is left.
        curve: time, URLs done, URLs waiting; None and None where no process was running.
        minutes: time, seconds, and what was counted in them, see `MINUTES`.
        found: what is in the catalogue.
        named: drops, troubles, limits and failures.
        adapters: the site adapters that were applied, those that are switched off first: see `AdapterCounts`.
        hosts: the sites with most requests: the name of each, requests and failures in the log, records in the
            catalogue, mean seconds of a response, seconds of delay before the next request, bytes received, URLs that
            wait and state in the frontier (None and empty if it was not read), and the last failure.
        slowest, biggest: sites with the longest mean time of a response, and with most bytes, as in `hosts`.
        listed: some of the sites that are ``resting``, ``retired`` and ``paused``, by state.
        politeness: the proof.
        finds, recent_failures, settings: see `CrawlStatus`.
        places: name -> path.
        notes: sentences on what could not be read.
    """

    made: float = 0.0
    state: str = "unknown"
    reason: str = ""
    began: float = 0.0
    last: float = 0.0
    processes: int = 0
    version: str = ""
    spider: str = ""
    media_sites: int = 0
    sites_asked: int = 0
    estimate: Estimate = field(default_factory=lambda: Estimate(None, at_least=False, sentence=""))
    curve: list[tuple[float, int | None, int | None]] = field(default_factory=list)
    minutes: list[tuple[float, ...]] = field(default_factory=list)
    found: CatalogueFigures = field(default_factory=CatalogueFigures)
    named: list[Named] = field(default_factory=list)
    adapters: list[dict[str, Any]] = field(default_factory=list)
    hosts: list[dict[str, Any]] = field(default_factory=list)
    slowest: list[dict[str, Any]] = field(default_factory=list)
    biggest: list[dict[str, Any]] = field(default_factory=list)
    listed: Mapping[str, Sequence[str]] = field(default_factory=dict)
    politeness: Politeness = field(default_factory=lambda: Politeness(0, [], 0, None, ""))
    finds: list[Row] = field(default_factory=list)
    recent_failures: list[Row] = field(default_factory=list)
    settings: Mapping[str, str] = field(default_factory=dict)
    places: dict[str, str] = field(default_factory=dict)
    notes: list[str] = field(default_factory=list)


@dataclass(frozen=True, slots=True)
class Sources:
    """What a crawl has left.

    Attributes:
        statuses: of its processes, the newest last.
        samples: of each folder, the oldest first.
        log: of all request logs.
        found: of the catalogues; None if there is none.
        overview: of the frontier; None if it could not be read.
        known: sites of the table of hosts, as the frontier knows them.
        listed: some of the sites that are ``resting``, ``retired`` and ``paused``, by state.
        now: when it was read, seconds since the epoch.
        since: when the crawl began, or the run of which the totals are; what `log` and `found` have is later.
        before: what the states had counted at that time.
    """

    statuses: Sequence[CrawlStatus] = ()
    samples: Sequence[Sequence[Sample]] = ()
    log: LogDigest = field(default_factory=LogDigest)
    found: CatalogueFigures | None = None
    overview: FrontierOverview | None = None
    known: Mapping[str, SiteInfo] = field(default_factory=dict)
    listed: Mapping[str, Sequence[str]] = field(default_factory=dict)
    now: float = 0.0
    since: float = 0.0
    before: Totals = field(default_factory=Totals)


def totals_of(sources: Sources) -> Totals:
    """Return the totals of a crawl from what its processes have left.

    A kill may take the last tenth of a second from a state. So what is in the log, the catalogue and the frontier as
    well is counted there, if they have it.
    """
    log, found, overview = sources.log, sources.found, sources.overview
    totals = summed(sources.statuses).since(sources.before)
    if log.requests >= totals.requests:
        totals.requests, totals.failures = log.requests, dict(log.failures.most_common())
        totals.bytes = sum(site.bytes for site in log.sites.values())
    totals.drops = {name: max(totals.drops.get(name, 0), log.drops[name]) for name in {**totals.drops, **log.drops}}
    totals.lost_lines = max(totals.lost_lines, log.lost)
    if found is not None:
        for name in ("records", "formats", "media_bytes_read", "media_bytes_total"):
            setattr(totals, name, getattr(found, name))
    # The states of a running crawl are newer than the last commit of its frontier.
    if overview is not None and crawl_state(sources.statuses, sources.now) != "running":
        waiting = overview.waiting + overview.leased
        totals.known, totals.done = overview.seen, overview.seen - waiting
        totals.waiting, totals.sites = max(waiting - totals.shelved, 0), overview.sites
        totals.shelved = waiting - totals.waiting
    return totals


def make_report(sources: Sources) -> CrawlReport:
    """Put the facts together."""
    log, found = sources.log, sources.found or CatalogueFigures()
    ordered, totals = sources.statuses, totals_of(sources)
    report = CrawlReport(
        **totals.by_name(),
        made=sources.now,
        processes=len(ordered),
        sites_asked=len(log.sites),
        media_sites=found.media_sites,
        found=found,
        curve=_curve(sources.samples),
        minutes=_minutes(sources.samples),
        named=_named(ordered, totals, log),
        adapters=[
            {"name": name, **{key: getattr(each, key) for key in ("tried", "hit", "missed", "off", "why")}}
            | {"example": each.example[:_LONGEST]}
            for name, each in ranked(_adapter_counts(ordered))
        ],
        listed=sources.listed,
        politeness=_politeness(log),
        notes=[f"{name} is damaged and was read in part" for name in log.damaged],
    )
    if ordered:
        _add_status(report, ordered)
    if sites := log.sites.values():
        first = min(site.first for site in sites)
        report.began = min(report.began or first, first)
        report.last = max(report.last, *(site.ended for site in sites))
    if report.state in {"running", "unknown"} or not report.waiting:
        report.estimate = estimate(max(sources.samples, key=lambda one: one[-1].time if one else 0.0, default=()))
    _add_hosts(report, log, found, sources.known)
    if totals.lost_lines:
        report.notes.append(f"the request log has gaps: its disk refused {plural(totals.lost_lines, 'line')}")
    return report


def _add_status(report: CrawlReport, ordered: Sequence[CrawlStatus]) -> None:
    last, report.state = ordered[-1], crawl_state(ordered, report.made)
    report.reason = last.reason if report.state == "ended" else ""
    report.began = min(status.first_began for status in ordered)
    report.last = last.written
    report.version, report.spider = last.version, last.spider
    report.finds = sorted((row for status in ordered for row in status.finds), reverse=True)[:SHOWN]
    failures = (row for status in ordered for row in status.recent_failures)
    report.recent_failures = sorted(failures, reverse=True)[:SHOWN]
    report.settings = last.settings
    places = {"frontier": last.frontier, "catalogue": last.catalogue, "request log": last.log}
    report.places = {name: place for name, place in places.items() if place}


def run_facts(sources: Sources) -> CrawlFacts:
    """Return the facts of the summary of a run of several processes."""
    log, ordered, found = sources.log, sources.statuses, sources.found or CatalogueFigures()
    return CrawlFacts(
        **totals_of(sources).by_name(),
        before=sources.before,
        media_sites=found.by_site,
        asked={name: site.requests for name, site in log.sites.items()},
        response_times={name: site.seconds / site.requests for name, site in log.sites.items()},
        examples={name: url for one in ordered for name, url in one.examples.items()},
        adapters=summary_lines(_adapter_counts(ordered)),
    )


def _curve(samples: Sequence[Sequence[Sample]]) -> list[tuple[float, int | None, int | None]]:
    """Time, URLs done and URLs waiting, thinned out, with a break wherever no process has written a sample.

    Workers share a frontier: the newest sample of any counts.
    """
    merged = sorted((one for each in samples for one in each), key=lambda one: one.time)
    points: list[tuple[float, int | None, int | None]] = []
    for one in merged:
        if points and one.time - points[-1][0] > _PAUSE * sample_interval(max(points[-1][0] - one.began, 0.0)):
            points.append(((points[-1][0] + one.time) / 2, None, None))
        points.append((one.time, one.ended, one.waiting))
    step = -(-len(points) // POINTS) or 1
    return [each for place, each in enumerate(points) if each[1] is None or not place % step or each is points[-1]]


def _minutes(samples: Sequence[Sequence[Sample]]) -> list[tuple[float, ...]]:
    """What all processes counted between their samples, in equal spans of time, at most `POINTS`."""
    times = [one.time for each in samples for one in each]
    if not times or max(times) == min(times):
        return []
    first, length = min(times), max(times) - min(times)
    longest = max(one.time - one.began for each in samples for one in each)
    number = max(min(POINTS, int(length / sample_interval(longest))), 1)
    rows = [[0] * len(MINUTES) for _ in range(number)]
    for one, after in (pair for each in samples for pair in pairwise(each)):
        if after.began == one.began:
            place = min(int(((one.time + after.time) / 2 - first) * number / length), number - 1)
            for column, name in enumerate(MINUTES):
                rows[place][column] += max(getattr(after, name) - getattr(one, name), 0)
    span = length / number
    return [(first + place * span, span, *row) for place, row in enumerate(rows)]


def _adapter_counts(ordered: Sequence[CrawlStatus]) -> dict[str, AdapterCounts]:
    """Return the counts of each adapter from the states of all processes, the newest last.

    Each process knows what all have counted, and the one that counted longest the most.
    """
    known: dict[str, AdapterCounts] = {}
    for status in ordered:
        for name, kept in status.adapters.items():
            counts, before = AdapterCounts.load(kept), known.get(name)
            if before is None or counts.digest != before.digest or counts.tried >= before.tried:
                known[name] = counts
    return known


def _named(ordered: Sequence[CrawlStatus], totals: Totals, log: LogDigest) -> list[Named]:
    """Drops, troubles, limits and failures, each kind with the most frequent first."""
    examples = dict(log.examples)
    for status in ordered:
        examples |= status.examples
    return [
        *_rows("drop", totals.drops, MEANINGS, examples),
        *_rows("trouble", totals.troubles, TROUBLES, examples),
        *_rows("limit", totals.limits, LIMITS, examples),
        *(replace(each, name=in_words(each.name)) for each in _rows("failure", totals.failures, {}, log.examples)),
    ]


def _rows(
    kind: str, counts: Mapping[str, int], meanings: Mapping[str, str], examples: Mapping[str, str]
) -> list[Named]:
    ranked = sorted(counts.items(), key=lambda entry: (-entry[1], entry[0]))
    return [
        Named(kind, name, times, examples.get(name, "")[:_LONGEST], meanings.get(name, ""))
        for name, times in ranked
        if times > 0
    ]


def _add_hosts(report: CrawlReport, log: LogDigest, found: CatalogueFigures, known: Mapping[str, SiteInfo]) -> None:
    def host(name: str) -> dict[str, Any]:
        site, info = log.sites[name], known.get(name)
        delay = max(info.delay, info.crawl_delay or 0.0) if info else site.delay
        return {
            "site": name,
            "requests": site.requests,
            "records": found.by_site.get(name, 0),
            "seconds": round(site.seconds / site.requests, 3),
            "delay": round(delay, 1),
            "bytes": site.bytes,
            "failures": site.failures,
            "waiting": info.waiting if info else None,
            "state": str(info.state) if info else "",
            "error": in_words(site.error),
        }

    sites = log.sites
    report.hosts = [host(name) for name in busiest(log)]
    slow = sorted(sites, key=lambda name: -sites[name].seconds / sites[name].requests)[:_LISTED]
    report.slowest = [host(name) for name in slow]
    report.biggest = [host(name) for name in sorted(sites, key=lambda name: -sites[name].bytes)[:_LISTED]]


def busiest(log: LogDigest) -> list[str]:
    """The sites with most requests, for the table of hosts."""
    return sorted(log.sites, key=lambda name: (-log.sites[name].requests, name))[:HOSTS]


def _politeness(log: LogDigest) -> Politeness:
    bars = [(number / PARTS, log.gaps[number]) for number in range(LAST_PART + 1) if log.gaps[number]]
    worst = ""
    if log.worst is not None:
        kept, owed, url = log.worst
        worst = f"{url[:_LONGEST]} was requested {kept:.3f} s after the last response, and {owed:.3f} s were owed."
    return Politeness(sum(log.gaps.values()), bars, log.too_soon, bars[0][0] if bars else None, worst)
