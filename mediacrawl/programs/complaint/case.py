"""One complaint: everything that the logs hold about one site, collected and checked."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import UTC, date, datetime, time, timedelta
from pathlib import Path

from mediacrawl.base.format import plural
from mediacrawl.log.archive import files, missing_days
from mediacrawl.log.request_log import unfinished
from mediacrawl.log.search import Search
from mediacrawl.programs.complaint.judging import ConductPolicy, Judgement, judge
from mediacrawl.programs.complaint.lines import (
    LoggedRequest,
    LoggedRobots,
    RobotsHistory,
    logged_request,
    logged_robots,
)
from mediacrawl.scope.urls import canonical, host_of, site_of
from mediacrawl.watch.status import CrawlStatus

_LAST_TIME = 253_402_300_799.0
"""The end of the calendar, seconds since the epoch."""
_MISSING_SHOWN = 3


class ComplaintError(ValueError):
    """The question cannot be answered. The text is one whole sentence."""


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
        """Return whether a URL belongs to it."""
        return url.startswith(self.prefix) and (not self.host or host_of(url) == self.host)

    def __str__(self) -> str:
        return self.prefix or self.host or f"{self.site} and its hosts"


def subject_of(written: str, *, only_host: bool = False, prefix: str = "") -> Subject:
    """Parse a domain, a host or a URL.

    Args:
        written: as in a mail: ``example.org``, ``*.example.org``, ``https://example.org/x?y``, ``192.0.2.7``.
        only_host: only this host, not its whole site.
        prefix: only URLs that begin with this absolute URL.

    Raises:
        ComplaintError: it is none of these.
    """
    name = written.strip().removeprefix("*.")
    if name.count(":") > 1 and not ("[" in name or "://" in name):
        name = f"[{name}]"
    host = host_of(canonical(name if "://" in name else f"http://{name}") or "")
    if not host:
        raise ComplaintError(f"{written[:100]!r} is no domain, host or URL; write it as example.org.")
    site, begins = site_of(host), canonical(prefix) if prefix else ""
    if begins is None or (begins and site_of(begins) != site):
        raise ComplaintError(f"{prefix[:100]!r} is no URL of {site}; write it as https://{site}/path.")
    return Subject(site, host if only_host else "", begins)


def day_of(when: float) -> date:
    """Return the day (UTC) of a time in seconds since the epoch, within the calendar's range."""
    return datetime.fromtimestamp(min(max(when, 0.0), _LAST_TIME), UTC).date()


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
        names = ", ".join(map(str, folders))
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
            raise ComplaintError(f"There is no request log in {names}: no crawl has run there, or it was removed.")
        if is_empty and not lost:
            # As on a disk that was full from the start: a letter would deny requests that were made.
            raise ComplaintError(
                f"The request log in {names} has no line, so nothing can be said of any site: no request was made, or"
                " its lines are missing because the disk was full."
            )
        return cls(folders, datetime.combine(min(days), time(), UTC).timestamp(), frozenset(missing), lost)

    def flaws(self, since: float | None, *, names_gaps: bool) -> list[str]:
        """Return a sentence for each reason why lines of a period are missing, which the log may name itself."""
        flaws = []
        if self.lost and not names_gaps:
            flaws.append(f"{plural(self.lost, 'line')} could not be written. Requests may be missing here.")
        missing = sorted(day for day in self.missing if since is None or day >= day_of(since))
        if missing:
            days, rest = ", ".join(map(str, missing[:_MISSING_SHOWN])), len(missing) - _MISSING_SHOWN
            more = f" and {plural(rest, 'other day')}" if rest > 0 else ""
            flaws.append(f"There is no log of {days}{more}: nothing was requested then, or it was removed.")
        if since is not None and since < self.begins:
            flaws.append("The logs do not go back so far.")
        return flaws


@dataclass(slots=True, frozen=True)
class Case:
    """A complaint with everything that the logs say about it.

    Attributes:
        subject: what it is about.
        since: start of the period, seconds since the epoch; None for the whole log.
        begins: when the logs begin.
        lines: of the subject and the period, oldest first: requests, and URLs that were refused before a request.
        robots: the history of the site's robots.txt, from the beginning of the logs.
        judgement: on the requests of `lines`.
        promises: the rules that they were checked against.
        notes: sentences on what the logs do not hold; without one they have every request of the period.
    """

    subject: Subject
    since: float | None
    begins: float
    lines: list[LoggedRequest]
    robots: RobotsHistory
    judgement: Judgement
    promises: ConductPolicy
    notes: list[str]

    @property
    def requests(self) -> list[LoggedRequest]:
        """The lines of requests that were sent."""
        return [line for line in self.lines if line.sent]

    @property
    def fetches(self) -> list[LoggedRobots]:
        """The answers with a robots.txt of the subject, oldest first."""
        host = self.subject.host
        return [each for each in self.robots.fetches if not host or host_of(each.authority) == host]


def open_case(subject: Subject, logs: Logs, *, since: float | None = None, token: str, promises: ConductPolicy) -> Case:
    """Read the logs and judge.

    Args:
        subject: what it is about.
        logs: where to look.
        since: start of the period, seconds since the epoch. The day before is read too, so that the first request is
            measured from the one before it.
        token: our product token in robots.txt.
        promises: the rules to judge by.
    """
    first = day_of(since) - timedelta(days=1) if since is not None and since > logs.begins else None
    search = Search(subject.site)
    records = (record for folder in logs.folders for record in search.lines(folder, "requests", first))
    found = sorted(filter(None, map(logged_request, records)), key=lambda line: (line.time, line.ended))
    robots_search = Search(subject.site, {host_of(line.url) for line in found})
    records = (record for folder in logs.folders for record in robots_search.lines(folder, "robots"))
    fetches = list(filter(None, map(logged_robots, records)))
    notes = list(dict.fromkeys([*search.flaws, *robots_search.flaws, *logs.flaws(since, names_gaps=bool(search.gaps))]))
    # A robots.txt may have been read, and its line is missing.
    robots = RobotsHistory(fetches, token, found, complete=not notes)
    lines = [line for line in found if subject.covers(line.url) and (since is None or line.time >= since)]
    judgement = judge(found, robots, promises, logs.begins, only=lines)
    return Case(subject, since, logs.begins, lines, robots, judgement, promises, notes)
