"""One complaint: everything that the logs hold about one site, collected and judged."""

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
from mediacrawl.observe.archive import files
from mediacrawl.observe.log_search import Search
from mediacrawl.scope.canonical import canonical
from mediacrawl.scope.hosts import canonical_host
from mediacrawl.scope.sites import host_of, site_of


class ComplaintError(ValueError):
    """The question cannot be answered as it was put. The text is one whole sentence."""


_AGO = re.compile(r"([0-9]{1,5})\s*([dh])").fullmatch


@dataclass(slots=True, frozen=True)
class Subject:
    """What is looked for.

    Attributes:
        site: the registrable domain, as it stands in the log.
        host: the only host that is told of; empty for all of the site.
        prefix: the beginning of the URLs that are told of; empty for all.
    """

    site: str
    host: str = ""
    prefix: str = ""

    @property
    def is_narrow(self) -> bool:
        """Whether only a part of the site is told of."""
        return bool(self.host or self.prefix)

    def covers(self, url: str) -> bool:
        """Whether a URL is told of."""
        return url.startswith(self.prefix) and (not self.host or host_of(url) == self.host)


def subject_of(written: str, *, only_host: bool = False, prefix: str = "") -> Subject:
    """Understand a domain, a host or a URL.

    Args:
        written: as somebody wrote it in a mail: ``example.org``, ``www.example.org``, ``https://example.org/x?y``.
        only_host: tell of the host alone that stands there, not of the whole site.
        prefix: tell only of URLs that begin so; an absolute URL, or a path with a slash.

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
    """Understand ``2026-11-01``, ``2026-11-01T10:30`` (UTC), ``7d`` and ``12h``.

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
    """The day in UTC of a time in seconds since the epoch; years beyond a calendar's end are its end."""
    return datetime.fromtimestamp(min(max(when, 0.0), 253_402_300_799.0), UTC).date()


HOUR = 3600


@dataclass(slots=True)
class RequestTotals:
    """The numbers.

    Attributes:
        requests: how many went out.
        bytes: of all bodies, as they came.
        seconds: that the answers took, together.
        first, last: times of the first and the last request, seconds since the epoch; 0 without one.
        busiest: when the hour with most requests begins, of the clock and UTC, and how many they are.
        gaps: seconds between the end of an answer and the next request: least, median.
        delays: seconds that the crawl meant to keep before requests: least, median, most.
        statuses, kinds, hosts, addresses, errors: how often each.
        refused: lines without a request, by the reason why we did not ask.
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
    """Sum up.

    Args:
        lines: of one site, oldest first.
        gaps: see `gaps_of`; those of other lines are passed over.
    """
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
    """Seconds from the end of the latest answer before a request to that request; negative if they overlap.

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
    """Where the request logs lie.

    Attributes:
        folders: one of each crawl.
        begins: midnight UTC of their first day, seconds since the epoch.
    """

    folders: tuple[Path, ...]
    begins: float

    @classmethod
    def of(cls, folders: Iterable[Path]) -> Logs:
        """Look into the folders.

        Raises:
            ComplaintError: one is missing, or none holds a log.
        """
        folders = tuple(dict.fromkeys(folders))
        days = []
        for folder in folders:
            try:
                days += [day for day, _ in files(folder, "requests")]
            except OSError as error:
                raise ComplaintError(f"There is no request log in {folder}: {error.strerror}.") from error
        if not days:
            raise ComplaintError(f"There is no request log in {', '.join(map(str, folders))}: no crawl has run there.")
        return cls(folders, datetime.combine(min(days), time(), UTC).timestamp())


@dataclass
class Case:
    """A complaint, looked into.

    Attributes:
        subject: whom it is about.
        since: from when on is told, seconds since the epoch; None for all that there is.
        now: when the logs were read.
        begins: when the logs begin.
        lines: what is told of, oldest first: requests, and URLs that we refused to ask.
        gaps: see `sums.gaps_of`; of a line whose predecessor is not told of, too.
        robots: the site's robots.txt, from the beginning of the logs.
        judgement: on the requests that are told of.
        promises: what they were held to.
        damaged: names of log files of which a part could not be read.
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
    damaged: list[str]

    @cached_property
    def sums(self) -> RequestTotals:
        """The requests that are told of, in numbers."""
        return totals_of(self.lines, self.gaps)

    @property
    def requests(self) -> list[LoggedRequest]:
        """The lines of requests that went out."""
        return [line for line in self.lines if line.sent]

    @property
    def notes(self) -> list[str]:
        """Sentences on what could not be read, or only slowly."""
        notes = []
        if self.damaged:
            notes.append(f"Damaged, and read only in part: {', '.join(self.damaged)}. Requests may be missing here.")
        if self.since is not None and self.since < self.begins:
            notes.append("The logs do not go back so far.")
        return notes

    @property
    def authorities(self) -> list[str]:
        """Those with a robots.txt in the logs, of which is told."""
        host = self.subject.host
        return [each for each in self.robots.authorities() if not host or host_of(each) == host]


def open_case(
    subject: Subject, logs: Logs, now: float, *, since: float | None = None, token: str, promises: ConductPolicy
) -> Case:
    """Read the logs and judge.

    Args:
        subject: whom it is about.
        logs: see there.
        now: seconds since the epoch.
        since: from when on is told, seconds since the epoch. The day before it is read too, so that the first request
            is measured from the one before it.
        token: our product token, for robots.txt.
        promises: what is to be held.
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
    told = [line for line in found if subject.covers(line.url) and (since is None or line.time >= since)]
    judgement = _only(judge(found, robots, promises, logs.begins), told)
    return Case(
        subject=subject,
        since=since,
        now=now,
        begins=logs.begins,
        lines=told,
        gaps=gaps_of(found),
        robots=robots,
        judgement=judgement,
        promises=promises,
        damaged=[*search.damaged, *robots_search.damaged],
    )


def _fetches(search: Search, folders: Sequence[Path]) -> Iterator[LoggedRobots]:
    for folder in folders:
        for record in search.lines(folder, "robots"):
            fetch = logged_robots(record)
            if fetch is not None:
                yield fetch


def _only(judgement: Judgement, told: list[LoggedRequest]) -> Judgement:
    """What was found about the lines that are told of. A wrong gap is told of with the later request."""
    lines = frozenset(told)
    return Judgement(
        [breach for breach in judgement.breaches if breach.line in lines],
        [line for line in judgement.unproven if line in lines],
        {line: rule for line, rule in judgement.rules.items() if line in lines},
    )
