"""One complaint: everything that the logs hold about one site, collected and checked."""

from __future__ import annotations

import math
import re
import statistics
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from datetime import UTC, date, datetime, time, timedelta
from functools import cached_property
from pathlib import Path

from mediacrawl.complaint.judging import ConductPolicy, Judgement, judge
from mediacrawl.complaint.lines import LoggedRequest, LoggedRobots, RobotsHistory, logged_request, logged_robots
from mediacrawl.observe.archive import files, missing_days
from mediacrawl.observe.format import plural
from mediacrawl.observe.log_search import Search
from mediacrawl.observe.status import CrawlStatus
from mediacrawl.observe.unfinished import unfinished
from mediacrawl.scope.canonical import canonical
from mediacrawl.scope.hosts import canonical_host
from mediacrawl.scope.sites import host_of, site_of


class ComplaintError(ValueError):
    """The question cannot be answered. The text is one whole sentence."""


_AGO = re.compile(r"([0-9]{1,5})\s*([dh])").fullmatch


@dataclass(slots=True, frozen=True)
class Subject:
    """What a complaint is about.

    Attributes:
        site: the registrable domain, as in the log.
        host: only this host; empty for the whole site.
        prefix: only URLs that begin with this; empty for all.
    """

    site: str
    host: str = ""
    prefix: str = ""

    def covers(self, url: str) -> bool:
        """Whether a URL belongs to it."""
        return url.startswith(self.prefix) and (not self.host or host_of(url) == self.host)


def subject_of(written: str, *, only_host: bool = False, prefix: str = "") -> Subject:
    """Parse a domain, a host or a URL.

    Args:
        written: as in a mail: ``example.org``, ``www.example.org``, ``https://example.org/x?y``.
        only_host: only this host, not its whole site.
        prefix: only URLs that begin with this absolute URL.

    Raises:
        ComplaintError: it is none of these.
    """
    host = _host(written.strip())
    if not host:
        raise ComplaintError(f"{written[:100]!r} is no domain, host or URL; write it as example.org.")
    site = site_of(host)
    return Subject(site, host if only_host else "", _prefix(prefix, site))


def _host(written: str) -> str:
    if "://" in written:
        return host_of(canonical(written) or "")
    name = re.split(r"[/?#]", written, maxsplit=1)[0].rpartition("@")[2].removeprefix("*.")
    if name.count(":") > 1 and not name.startswith("["):
        name = f"[{name}]"
    if not name.startswith("-") and not name.endswith("]"):
        name = name.partition(":")[0] if not name.startswith("[") else name[: name.find("]") + 1]
    return canonical_host(name) or "" if name and not name.startswith("-") else ""


def _prefix(written: str, site: str) -> str:
    if not written:
        return ""
    url = canonical(written)
    if url is None or site_of(url) != site:
        raise ComplaintError(f"{written[:100]!r} is no URL of {site}; write it as https://{site}/path.")
    return url


def since_when(written: str, now: float) -> float:
    """Parse ``2026-11-01``, ``2026-11-01T10:30`` (UTC), ``7d`` or ``12h``.

    Args:
        written: as above.
        now: seconds since the epoch.

    Returns:
        Seconds since the epoch.

    Raises:
        ComplaintError: it is none of these.
    """
    ago = _AGO(written.strip())
    if ago:
        return now - timedelta(**{{"d": "days", "h": "hours"}[ago[2]]: int(ago[1])}).total_seconds()
    try:
        when = datetime.fromisoformat(written.strip())
    except ValueError:
        raise ComplaintError(f"--since {written[:40]} is no time; write it as 2026-11-01 or 7d.") from None
    return (when if when.tzinfo else when.replace(tzinfo=UTC)).timestamp()


def day_of(when: float) -> date:
    """The day (UTC) of a time in seconds since the epoch, within the calendar's range."""
    return datetime.fromtimestamp(min(max(when, 0.0), 253_402_300_799.0), UTC).date()


HOUR = 3600


@dataclass(slots=True)
class RequestTotals:
    """The requests to a site in numbers.

    Attributes:
        requests: number sent.
        bytes: of all bodies, as received.
        seconds: duration of all responses together.
        first, last: times of the first and the last request, seconds since the epoch; 0 without one.
        busiest: start of the hour (UTC) with most requests, and their number.
        gaps: seconds between the end of a response and the next request: least, median.
        delays: seconds of delay that the crawl applied: least, median, most.
        statuses, kinds, hosts, addresses, errors: number of requests by each.
        refused: lines without a request, by reason.
    """

    requests: int = 0
    bytes: int = 0
    seconds: float = 0.0
    first: float = 0.0
    last: float = 0.0
    busiest: tuple[float, int] | None = None
    gaps: tuple[float, float] | None = None
    delays: tuple[float, float, float] | None = None
    statuses: Counter[str] = field(default_factory=Counter)
    kinds: Counter[str] = field(default_factory=Counter)
    hosts: Counter[str] = field(default_factory=Counter)
    addresses: Counter[str] = field(default_factory=Counter)
    errors: Counter[str] = field(default_factory=Counter)
    refused: Counter[str] = field(default_factory=Counter)


def totals_of(lines: Iterable[LoggedRequest], gaps: dict[LoggedRequest, float]) -> RequestTotals:
    """Sum up the lines of one site."""
    lines = list(lines)
    sent = [line for line in lines if line.sent]
    sums = RequestTotals(requests=len(sent), refused=Counter(_reason(line) for line in lines if not line.sent))
    if not sent:
        return sums
    sums.bytes = sum(line.bytes for line in sent)
    sums.seconds = sum(line.duration or 0.0 for line in sent)
    sums.first, sums.last = sent[0].time, max(line.time for line in sent)
    sums.busiest = _busiest(sent)
    between = [gaps[line] for line in sent if line in gaps]
    sums.gaps = (min(between), statistics.median(between)) if between else None
    delays = [line.delay for line in sent if line.delay]
    sums.delays = (min(delays), statistics.median(delays), max(delays)) if delays else None
    for line in sent:
        _count(sums, line)
    return sums


def gaps_of(lines: Iterable[LoggedRequest]) -> dict[LoggedRequest, float]:
    """Seconds from the end of the latest response before a request to that request; negative if they overlap.

    Args:
        lines: of one site, oldest first. The first request has no gap.
    """
    gaps: dict[LoggedRequest, float] = {}
    ended = None
    for line in lines:
        if not line.sent:
            continue
        if ended is not None:
            gaps[line] = line.time - ended
        ended = line.ended if ended is None else max(ended, line.ended)
    return gaps


def _busiest(sent: list[LoggedRequest]) -> tuple[float, int]:
    hours = Counter(math.floor(line.time / HOUR) for line in sent)
    hour, number = max(hours.items(), key=lambda entry: (entry[1], -entry[0]))
    return float(hour * HOUR), number


def _reason(line: LoggedRequest) -> str:
    return line.drop or line.error or "put off"


def _count(sums: RequestTotals, line: LoggedRequest) -> None:
    sums.statuses[str(line.status) if line.status is not None else "no answer"] += 1
    sums.kinds[line.kind or "request"] += 1
    sums.hosts[line.url.partition("//")[2].partition("/")[0]] += 1
    if line.address:
        sums.addresses[line.address] += 1
    if line.error:
        sums.errors[line.error] += 1


@dataclass(slots=True, frozen=True)
class Logs:
    """The folders of the request logs.

    Attributes:
        folders: one for each crawl.
        begins: midnight UTC of the first day, seconds since the epoch.
        missing: days since then of which there is no log.
        lost: lines that the disk refused, by the states of the crawls, which survive a log that was removed.
    """

    folders: tuple[Path, ...]
    begins: float
    missing: frozenset[date] = frozenset()
    lost: int = 0

    @classmethod
    def of(cls, folders: Iterable[Path]) -> Logs:
        """Look into the folders.

        Raises:
            ComplaintError: one is missing, or none holds a log.
        """
        folders = tuple(dict.fromkeys(folders))
        days, missing, lost, is_empty = [], set[date](), 0, True
        for folder in folders:
            state = CrawlStatus.load(folder.parent) or CrawlStatus()
            lost += state.lost_lines
            try:
                found = files(folder, "requests")
                days += [day for day, _ in found]
                is_empty &= not unfinished(folder) and not any(path.stat().st_size for _, path in found)
                missing |= missing_days(folder, day_of(state.written))
            except OSError as error:
                raise ComplaintError(f"There is no request log in {folder}: {error.strerror}.") from error
        if not days:
            raise ComplaintError(
                f"There is no request log in {', '.join(map(str, folders))}: no crawl has run there, or it was removed."
            )
        if is_empty and not lost:
            # As on a disk that was full from the start: a letter would deny requests that were made.
            raise ComplaintError(
                f"The request log in {', '.join(map(str, folders))} has no line, so nothing can be said of any site:"
                " no request was made, or its lines are missing because the disk was full."
            )
        return cls(folders, datetime.combine(min(days), time(), UTC).timestamp(), frozenset(missing), lost)


@dataclass
class Case:
    """A complaint with everything that the logs say about it.

    Attributes:
        subject: what it is about.
        since: start of the period, seconds since the epoch; None for the whole log.
        now: when the logs were read.
        begins: when the logs begin.
        lines: of the subject and the period, oldest first: requests, and URLs that were refused before a request.
        gaps: see `gaps_of`; measured over all lines of the site.
        robots: the history of the site's robots.txt, from the beginning of the logs.
        judgement: on the requests of `lines`.
        promises: the rules that they were checked against.
        notes: sentences on what the logs do not hold; without one they have every request of the period.
    """

    subject: Subject
    since: float | None
    now: float
    begins: float
    lines: list[LoggedRequest]
    gaps: dict[LoggedRequest, float]
    robots: RobotsHistory
    judgement: Judgement
    promises: ConductPolicy
    notes: list[str]

    @cached_property
    def sums(self) -> RequestTotals:
        """The requests in numbers."""
        return totals_of(self.lines, self.gaps)

    @property
    def requests(self) -> list[LoggedRequest]:
        """The lines of requests that were sent."""
        return [line for line in self.lines if line.sent]

    @property
    def authorities(self) -> list[str]:
        """The authorities of the subject whose robots.txt is in the logs."""
        host = self.subject.host
        return [each for each in self.robots.authorities() if not host or host_of(each) == host]


def open_case(
    subject: Subject, logs: Logs, now: float, *, since: float | None = None, token: str, promises: ConductPolicy
) -> Case:
    """Read the logs and judge.

    Args:
        subject: what it is about.
        logs: where to look.
        now: seconds since the epoch.
        since: start of the period, seconds since the epoch. The day before is read too, so that the first request is
            measured from the one before it.
        token: our product token in robots.txt.
        promises: the rules to judge by.
    """
    first = day_of(since) - timedelta(days=1) if since is not None and since > logs.begins else None
    search = Search(subject.site)
    found = [
        line
        for folder in logs.folders
        for record in search.lines(folder, "requests", first)
        if (line := logged_request(record)) is not None
    ]
    found.sort(key=lambda line: (line.time, line.ended))
    robots_search = Search(subject.site, {host_of(line.url) for line in found})
    robots = RobotsHistory(_fetches(robots_search, logs.folders), token, found)
    notes = _notes(logs, search, robots_search, since)
    if notes:
        # A robots.txt may have been read, and its line is missing.
        robots.complete = False
    shown = [line for line in found if subject.covers(line.url) and (since is None or line.time >= since)]
    judgement = _only(judge(found, robots, promises, logs.begins), shown)
    return Case(
        subject=subject,
        since=since,
        now=now,
        begins=logs.begins,
        lines=shown,
        gaps=gaps_of(found),
        robots=robots,
        judgement=judgement,
        promises=promises,
        notes=notes,
    )


def _notes(logs: Logs, search: Search, robots_search: Search, since: float | None) -> list[str]:
    """Sentences on what the logs do not hold of a period."""
    notes = [*search.flaws, *(flaw for flaw in robots_search.flaws if flaw not in search.flaws)]
    if logs.lost and not search.gaps:
        notes.append(f"{plural(logs.lost, 'line')} could not be written. Requests may be missing here.")
    missing = sorted(day for day in logs.missing if since is None or day >= day_of(since))
    if missing:
        more = f" and {plural(len(missing) - 3, 'other day')}" if len(missing) > 3 else ""
        days = ", ".join(day.isoformat() for day in missing[:3])
        notes.append(f"There is no log of {days}{more}: nothing was requested then, or it was removed.")
    if since is not None and since < logs.begins:
        notes.append("The logs do not go back so far.")
    return notes


def _fetches(search: Search, folders: Sequence[Path]) -> Iterator[LoggedRobots]:
    for folder in folders:
        for record in search.lines(folder, "robots"):
            fetch = logged_robots(record)
            if fetch is not None:
                yield fetch


def _only(judgement: Judgement, shown: list[LoggedRequest]) -> Judgement:
    """The part of a judgement that concerns some lines. A wrong gap belongs to the later request."""
    lines = frozenset(shown)
    return Judgement(
        [breach for breach in judgement.breaches if breach.line in lines],
        [line for line in judgement.unproven if line in lines],
        {line: rule for line, rule in judgement.rules.items() if line in lines},
    )
