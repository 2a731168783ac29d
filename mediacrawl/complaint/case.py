"""One complaint: all that the logs hold about one site, collected and judged."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, time, timedelta
from functools import cached_property
from pathlib import Path

from mediacrawl.complaint.errors import ComplaintError
from mediacrawl.complaint.judging import Judgement, Promises, judge
from mediacrawl.complaint.lines import Asked, Fetched, asked_of, fetched_of
from mediacrawl.complaint.robots_then import RobotsThen
from mediacrawl.complaint.subject import Subject, day_of
from mediacrawl.complaint.sums import Sums, gaps_of, sums_of
from mediacrawl.observe.archive import files
from mediacrawl.observe.log_search import Search
from mediacrawl.scope.sites import host_of


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
    lines: list[Asked]
    gaps: dict[Asked, float]
    robots: RobotsThen
    judgement: Judgement
    promises: Promises
    damaged: list[str]

    @cached_property
    def sums(self) -> Sums:
        """The requests that are told of, in numbers."""
        return sums_of(self.lines, self.gaps)

    @property
    def requests(self) -> list[Asked]:
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
    subject: Subject, logs: Logs, now: float, *, since: float | None = None, token: str, promises: Promises
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
        if (line := asked_of(record)) is not None
    ]
    found.sort(key=lambda line: (line.time, line.ended))
    robots_search = Search(subject.site, {host_of(line.url) for line in found})
    robots = RobotsThen(_fetches(robots_search, logs.folders), token, found)
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


def _fetches(search: Search, folders: Sequence[Path]) -> Iterator[Fetched]:
    for folder in folders:
        for record in search.lines(folder, "robots"):
            fetch = fetched_of(record)
            if fetch is not None:
                yield fetch


def _only(judgement: Judgement, told: list[Asked]) -> Judgement:
    """What was found about the lines that are told of. A wrong gap is told of with the later request."""
    lines = frozenset(told)
    return Judgement(
        [breach for breach in judgement.breaches if breach.line in lines],
        [line for line in judgement.unproven if line in lines],
        {line: rule for line, rule in judgement.rules.items() if line in lines},
    )
