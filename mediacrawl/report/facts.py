"""The facts of a report: everything that the page shows, as plain values that JSON holds."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import pairwise
from typing import Any, TypeVar

from mediacrawl.observe.format import in_words, plural
from mediacrawl.observe.meanings import LIMITS, MEANINGS, TROUBLES
from mediacrawl.observe.status import CrawlStatus, Sample
from mediacrawl.records import SiteInfo
from mediacrawl.report.adapters import AdapterRow, adapter_rows
from mediacrawl.report.estimate import Estimate, estimate
from mediacrawl.report.log_digest import LAST_PART, PARTS, LogDigest
from mediacrawl.store.figures import CatalogueFigures

_Point = TypeVar("_Point")

HOSTS = 250
"""Sites in the table of hosts, those with most requests: 60 KB of the page."""
POINTS = 240
"""Points of a curve: more cannot be told apart."""
_SHORT = 10
"""Minutes of a crawl below which its samples show more than its minutes."""
_LISTED = 10
"""Sites in a list."""
_LONGEST = 300
"""Characters of a URL."""


@dataclass(frozen=True, slots=True)
class Named:
    """A drop, a trouble, a limit or an error with its count.

    Attributes:
        kind: ``drop``, ``trouble``, ``limit`` or ``answer``.
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
class Host:
    """A site in the table of hosts.

    Attributes:
        site: its name.
        requests: in the log.
        records: in the catalogue.
        seconds: mean time of a response.
        delay: seconds that are kept before the next request.
        bytes: received.
        failures: requests that failed.
        waiting: URLs that wait; None if the frontier was not read.
        state: of the site in the frontier; empty if that is not known.
        error: the last failure; empty without one.
    """

    site: str
    requests: int
    records: int
    seconds: float
    delay: float
    bytes: int
    failures: int
    waiting: int | None
    state: str
    error: str


@dataclass(frozen=True, slots=True)
class FrontierFacts:
    """What the report reads of a frontier.

    Attributes:
        waiting, leased, seen: URLs.
        sites: sites by state.
        ends: how URLs ended.
        known: sites of the table of hosts.
        resting, retired, paused: some of these sites.
    """

    waiting: int = 0
    leased: int = 0
    seen: int = 0
    sites: Mapping[str, int] = field(default_factory=dict)
    ends: Mapping[str, int] = field(default_factory=dict)
    known: Mapping[str, SiteInfo] = field(default_factory=dict)
    resting: Sequence[str] = ()
    retired: Sequence[str] = ()
    paused: Sequence[str] = ()


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
class CrawlReport:
    """The facts of one crawl, of one process or several.

    Attributes:
        made: when, seconds since the epoch.
        state: ``running``, ``ended``, ``killed`` or ``unknown``.
        reason: Scrapy's finish reason.
        began, last: when the first process began, and when the last state was written.
        processes: whose states were found.
        requests, pages, records, updated, bytes, failures: totals, see `CrawlStatus`.
        ended, waiting, shelved, seen: URLs.
        sites: sites by state.
        sites_asked: sites with a request.
        estimate: of the time that is left.
        curve: time, URLs ended, URLs waiting.
        minutes: time, seconds, and requests, pages, records and bytes in them.
        harvest: the lines of ``harvest.jl``: URLs ended, new finds per 1,000 of them, and the same of random picks.
        ratio, ratio_at_least: finds per URL as a multiple of random picks; None if that is not known.
        found: what is in the catalogue.
        named: drops, troubles, limits and failed answers.
        adapters: the site adapters that were applied.
        statuses: answers by status, or name of the error.
        hosts: the sites with most requests.
        slowest, biggest: sites with the longest mean time of a response, and with most bytes.
        resting, retired, paused: some of these sites.
        politeness: the proof.
        finds, failures_last: the last ones, see `CrawlStatus`.
        settings: those that differ from their defaults.
        places: name -> path.
        notes: sentences on what could not be read.
    """

    made: float
    state: str = "unknown"
    reason: str = ""
    began: float = 0.0
    last: float = 0.0
    processes: int = 0
    version: str = ""
    spider: str = ""
    requests: int = 0
    pages: int = 0
    records: int = 0
    updated: int = 0
    bytes: int = 0
    failures: int = 0
    ended: int = 0
    waiting: int = 0
    shelved: int = 0
    seen: int = 0
    sites: dict[str, int] = field(default_factory=dict)
    sites_asked: int = 0
    estimate: Estimate = field(default_factory=lambda: Estimate(None, at_least=False, sentence=""))
    curve: list[tuple[float, int, int]] = field(default_factory=list)
    minutes: list[tuple[float, float, int, int, int, int]] = field(default_factory=list)
    harvest: list[tuple[int, float, float | None]] = field(default_factory=list)
    ratio: float | None = None
    ratio_at_least: float | None = None
    found: CatalogueFigures = field(default_factory=CatalogueFigures)
    named: list[Named] = field(default_factory=list)
    adapters: list[AdapterRow] = field(default_factory=list)
    statuses: dict[str, int] = field(default_factory=dict)
    hosts: list[Host] = field(default_factory=list)
    slowest: list[Host] = field(default_factory=list)
    biggest: list[Host] = field(default_factory=list)
    resting: list[str] = field(default_factory=list)
    retired: list[str] = field(default_factory=list)
    paused: list[str] = field(default_factory=list)
    politeness: Politeness = field(default_factory=lambda: Politeness(0, [], 0, None, ""))
    finds: list[list[Any]] = field(default_factory=list)
    failures_last: list[list[Any]] = field(default_factory=list)
    settings: dict[str, str] = field(default_factory=dict)
    places: dict[str, str] = field(default_factory=dict)
    notes: list[str] = field(default_factory=list)


@dataclass(frozen=True, slots=True)
class Sources:
    """What a report is made of.

    Attributes:
        statuses: of the processes of the crawl, in any order.
        samples: of each folder, the oldest first.
        log: of all request logs.
        found: of the catalogues.
        frontier: None if it could not be read.
        harvest: lines of ``harvest.jl``, the oldest first.
    """

    statuses: Sequence[CrawlStatus] = ()
    samples: Sequence[Sequence[Sample]] = ()
    log: LogDigest = field(default_factory=LogDigest)
    found: CatalogueFigures = field(default_factory=CatalogueFigures)
    frontier: FrontierFacts | None = None
    harvest: Sequence[Mapping[str, Any]] = ()


def make_report(sources: Sources, now: float) -> CrawlReport:
    """Put the facts together.

    Args:
        sources: what is known.
        now: seconds since the epoch.

    Returns:
        The report. Requests, bytes and failures are those of the log if it has any, because it also has those of
        processes without a state.
    """
    log, found, frontier = sources.log, sources.found, sources.frontier
    ordered = sorted(sources.statuses, key=lambda status: status.written)
    report = CrawlReport(now, processes=len(ordered), sites_asked=len(log.sites), found=found)
    if ordered:
        _add_status(report, ordered, now)
    if log.requests:
        _add_log(report, log)
    report.records = max(report.records, found.records)
    if frontier is not None:
        _add_frontier(report, frontier)
    report.statuses = dict(log.statuses.most_common())
    report.curve = _curve(sources.samples)
    report.estimate = estimate([_sample_of(*point) for point in report.curve])
    report.minutes = _minutes(log, found)
    if len(report.minutes) < _SHORT:
        report.minutes = _seconds(sources.samples) or report.minutes
    _add_harvest(report, sources.harvest)
    report.named = _named(ordered, log)
    report.adapters = adapter_rows(ordered)
    _add_hosts(report, log, found, frontier)
    report.politeness = _politeness(log)
    report.notes += [f"{name} is damaged and was read in part" for name in log.damaged]
    if lost := max(log.lost, sum(status.lost_lines for status in ordered)):
        report.notes.append(f"the request log has gaps: its disk refused {plural(lost, 'line')}")
    return report


def _add_status(report: CrawlReport, ordered: Sequence[CrawlStatus], now: float) -> None:
    last = ordered[-1]
    running = any(status.runs(now) for status in ordered)
    report.state = "running" if running else "ended" if last.reason else "killed"
    report.reason = "" if running else last.reason
    report.began = min(status.first_began for status in ordered)
    report.last = last.written
    report.version, report.spider = last.version, last.spider
    for name in ("requests", "pages", "records", "updated", "bytes"):
        setattr(report, name, max(getattr(report, name), sum(getattr(status, name) for status in ordered)))
    report.ended, report.waiting, report.shelved = last.ended, last.waiting, last.shelved
    report.sites = dict(last.sites)
    report.failures = sum(status.errors for status in ordered)
    report.finds = sorted((row for status in ordered for row in status.finds), key=_newest)[:12]
    report.failures_last = sorted((row for status in ordered for row in status.failures), key=_newest)[:12]
    report.settings = dict(last.settings)
    report.places = {"frontier": last.frontier, "catalogue": last.catalogue, "request log": last.log}


def _add_log(report: CrawlReport, log: LogDigest) -> None:
    sites = log.sites.values()
    report.requests = log.requests
    report.bytes = sum(site.bytes for site in sites)
    report.failures = sum(site.failures for site in sites)
    report.pages = report.pages or sum(minute.pages for minute in log.minutes.values())
    first = min(site.first for site in sites)
    report.began = min(report.began or first, first)
    report.last = max(report.last, *(site.ended for site in sites))


def _newest(row: Sequence[Any]) -> float:
    return -float(row[0])


def _add_frontier(report: CrawlReport, frontier: FrontierFacts) -> None:
    report.seen = frontier.seen
    report.ended = sum(frontier.ends.values())
    # The states of a running crawl are newer than the last commit of its frontier, and count what is shelved.
    if report.state != "running":
        report.waiting = frontier.waiting + frontier.leased - report.shelved
    report.sites = dict(frontier.sites)
    report.resting, report.retired = list(frontier.resting), list(frontier.retired)
    report.paused = list(frontier.paused)


def _curve(samples: Sequence[Sequence[Sample]]) -> list[tuple[float, int, int]]:
    """Time, URLs ended and URLs waiting, thinned out. Workers share a frontier: the newest sample of any counts."""
    merged = sorted((one for each in samples for one in each), key=lambda one: one.time)
    return [(one.time, one.ended, one.waiting) for one in thinned(merged, POINTS)]


def _sample_of(time: float, ended: int, waiting: int) -> Sample:
    return Sample(time, 0.0, 0, 0, 0, 0, 0, ended, waiting, 0, 0, 0)


def thinned(points: Sequence[_Point], most: int) -> list[_Point]:
    """At most so many of the points, evenly, with the first and the last."""
    if len(points) <= most:
        return list(points)
    return [points[round(place * (len(points) - 1) / (most - 1))] for place in range(most)]


def _minutes(log: LogDigest, found: CatalogueFigures) -> list[tuple[float, float, int, int, int, int]]:
    """Counts in equal spans of whole minutes, at most `POINTS`, without gaps."""
    if not log.minutes:
        return []
    first, last = min(log.minutes), max(log.minutes)
    span = -(-(last - first + 1) // POINTS)
    rows = [[60.0 * start, 60.0 * span, 0, 0, 0, 0] for start in range(first, last + 1, span)]
    for number, minute in log.minutes.items():
        row = rows[(number - first) // span]
        row[2] += minute.requests
        row[3] += minute.pages
        row[5] += minute.bytes
    for number, records in found.minutes.items():
        if first <= number <= last:
            rows[(number - first) // span][4] += records
    return [(row[0], row[1], int(row[2]), int(row[3]), int(row[4]), int(row[5])) for row in rows]


def _seconds(samples: Sequence[Sequence[Sample]]) -> list[tuple[float, float, int, int, int, int]]:
    """The same as `_minutes`, between the samples of a short crawl of one process."""
    if len(samples) != 1:
        return []
    return [
        (
            one.time,
            after.time - one.time,
            max(after.requests - one.requests, 0),
            max(after.pages - one.pages, 0),
            max(after.records - one.records, 0),
            max(after.bytes - one.bytes, 0),
        )
        for one, after in pairwise(thinned(samples[0], POINTS))
        if after.time > one.time and after.began == one.began
    ]


def _add_harvest(report: CrawlReport, lines: Sequence[Mapping[str, Any]]) -> None:
    rows = []
    for line in lines:
        even = line.get("even")
        pages, rate = line.get("pages"), line.get("rate")
        chance = even.get("rate") if isinstance(even, dict) else None
        if isinstance(pages, int) and isinstance(rate, (int, float)):
            rows.append((pages, float(rate), float(chance) if isinstance(chance, (int, float)) else None))
    report.harvest = thinned(rows, POINTS)
    if lines:
        ratios = [lines[-1].get(name) for name in ("ratio", "ratio_at_least")]
        report.ratio, report.ratio_at_least = (
            float(one) if isinstance(one, (int, float)) and not isinstance(one, bool) else None for one in ratios
        )


def _named(ordered: Sequence[CrawlStatus], log: LogDigest) -> list[Named]:
    """Drops, troubles, limits and failed answers, each kind with the most frequent first."""
    examples = dict(log.examples)
    for status in ordered:
        examples |= status.examples
    rows = [
        *_rows("drop", _most(log.drops, (status.drops for status in ordered)), MEANINGS, examples),
        *_rows("trouble", _most({}, (status.troubles for status in ordered)), TROUBLES, examples),
        *_rows("limit", _most({}, (status.limits for status in ordered)), LIMITS, examples),
    ]
    failed = {name: times for name, times in log.statuses.items() if not name.isdigit() or int(name) >= 400}
    answers = _rows("answer", failed, {}, log.examples)
    return rows + [replace(each, name=in_words(each.name)) for each in answers if each.example]


def _most(logged: Mapping[str, int], counted: Iterable[Mapping[str, int]]) -> dict[str, int]:
    """Counts of the processes; those of the log if they are more, as after the loss of the states."""
    total: Counter[str] = Counter()
    for counts in counted:
        total.update(counts)
    return {name: max(total[name], logged.get(name, 0)) for name in {**logged, **total}}


def _rows(
    kind: str, counts: Mapping[str, int], meanings: Mapping[str, str], examples: Mapping[str, str]
) -> list[Named]:
    ranked = sorted(counts.items(), key=lambda entry: (-entry[1], entry[0]))
    return [
        Named(kind, name, times, examples.get(name, "")[:_LONGEST], meanings.get(name, ""))
        for name, times in ranked
        if times > 0
    ]


def _add_hosts(report: CrawlReport, log: LogDigest, found: CatalogueFigures, frontier: FrontierFacts | None) -> None:
    known = frontier.known if frontier else {}

    def host(name: str) -> Host:
        site, info = log.sites[name], known.get(name)
        return Host(
            name,
            site.requests,
            found.sites.get(name, 0),
            round(site.seconds / site.requests, 3),
            round(max(info.delay, info.crawl_delay or 0.0) if info else site.delay, 1),
            site.bytes,
            site.failures,
            info.waiting if info else None,
            str(info.state) if info else "",
            in_words(site.error) if site.error else "",
        )

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
