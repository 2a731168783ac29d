"""Reads request logs into counts: by site, status, reason of a drop, and kept delay."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from datetime import UTC, datetime
from heapq import merge
from operator import attrgetter
from pathlib import Path

import msgspec

from mediacrawl.base.terms import Kind
from mediacrawl.log.archive import days, read_day
from mediacrawl.log.request_log import unfinished
from mediacrawl.log.totals import failure

ROUNDING = 0.002
"""Seconds of tolerance: times in the log are cut to whole milliseconds."""

PARTS = 20
"""Bars of the histogram for one time the owed delay."""
LAST_PART = 5 * PARTS
"""The last bar: five times the owed delay and more."""


class Visit(msgspec.Struct):
    """What the digest uses of one line, see `log.request_log.RequestLine`.

    Attributes:
        lost: lines that the disk refused, see `log.request_log.UnfinishedRequests`.
    """

    time: datetime
    url: str
    status: int | None = None
    duration: float | None = None
    bytes: int = 0
    site: str = ""
    delay: float | None = None
    kind: str = ""
    drop: str | None = None
    error: str | None = None
    lost: int = 0


_decode = msgspec.json.Decoder(Visit).decode


@dataclass(slots=True)
class SiteDigest:
    """The requests to one site.

    Attributes:
        first: when the first request was sent, seconds since the epoch.
        ended: when the last response arrived, seconds since the epoch.
        requests: sent.
        bytes: received.
        seconds: of all responses together.
        failures: see `log.totals.failure`.
        delay: that the last line names, seconds.
        error: the last failure: its status, or the name of the error.
    """

    first: float = 0.0
    ended: float = 0.0
    requests: int = 0
    bytes: int = 0
    seconds: float = 0.0
    failures: int = 0
    delay: float = 0.0
    error: str = ""


@dataclass(slots=True)
class LogDigest:
    """The counts of some lines of the request log.

    Attributes:
        lines: read.
        requests: of them, those that were sent.
        sites: by name.
        failures: see `log.totals.Totals`.
        drops: reason -> lines.
        examples: reason of a drop, status or name of an error -> the first URL with it.
        gaps: the histogram of the time between the end of a response and the next request to its site, divided by the
            delay that was owed; the key is the number of the bar, `PARTS` for one time the delay.
        too_soon: requests before the delay was over, and the worst of them: its URL, the seconds kept and owed.
        damaged: names of files that could be read in part only.
        lost: lines that the disk refused.
    """

    lines: int = 0
    requests: int = 0
    sites: dict[str, SiteDigest] = field(default_factory=dict)
    failures: Counter[str] = field(default_factory=Counter)
    drops: Counter[str] = field(default_factory=Counter)
    examples: dict[str, str] = field(default_factory=dict)
    gaps: Counter[int] = field(default_factory=Counter)
    too_soon: int = 0
    worst: tuple[float, float, str] | None = None
    damaged: list[str] = field(default_factory=list)
    lost: int = 0

    def add(self, visit: Visit, least: float) -> None:
        """Count a line. Those of one site come in the order of time.

        Args:
            visit: the line.
            least: seconds of delay that are owed at least.
        """
        self.lines += 1
        if visit.drop:
            self.drops[visit.drop] += 1
            self.examples.setdefault(visit.drop, visit.url)
        if visit.duration is None:
            return
        self.requests += 1
        failed = failure(visit.error or "", visit.status or 0, robots=visit.kind == Kind.ROBOTS)
        if failed:
            self.failures[failed] += 1
            self.examples.setdefault(failed, visit.url)
        owed, began = max(least, visit.delay or 0.0), visit.time.timestamp()
        site = self.sites.get(visit.site)
        if site is None:
            site = self.sites[visit.site] = SiteDigest(began)
        else:
            self._gap(began - site.ended, owed, visit.url)
        site.ended = max(site.ended, began + (visit.duration or 0.0))
        site.requests += 1
        site.bytes += visit.bytes
        site.seconds += visit.duration or 0.0
        site.delay = owed
        if failed:
            site.failures += 1
            site.error = failed

    def _gap(self, kept: float, owed: float, url: str) -> None:
        if owed <= 0:
            return
        ratio = (kept + ROUNDING) / owed
        self.gaps[min(max(int(ratio * PARTS), 0), LAST_PART)] += 1
        if ratio < 1:
            self.too_soon += 1
            if self.worst is None or kept - owed < self.worst[0] - self.worst[1]:
                self.worst = kept, owed, url


def digest(folders: Iterable[Path], least: float = 0.0, *, since: float = 0.0, until: float = math.inf) -> LogDigest:
    """Read all request logs of some folders, in one pass. Folders that do not exist are left out.

    Args:
        folders: of the logs, each once.
        least: seconds of delay that are owed between two requests to a site at least.
        since: seconds since the epoch; earlier lines are not counted.
        until: the same of later lines.

    Returns:
        The counts of all lines. A million lines take some 5 s.
    """
    found = LogDigest()
    first, last = _utc(since - ROUNDING), _utc(until)
    logs = [folder for folder in folders if folder.is_dir()]
    # Of a site that several processes have visited the lines come in the order of time.
    for visit in merge(*(_visits(folder, found) for folder in logs), key=attrgetter("time")):
        if first <= visit.time <= last:
            found.lost += visit.lost
            found.add(visit, least)
    for line in (line for folder in logs for line in unfinished(folder)):
        if (gap := _visit(line)) is not None and first <= gap.time <= last:
            found.lost += gap.lost
    return found


def _utc(when: float) -> datetime:
    try:
        return datetime.fromtimestamp(when, UTC)
    except (ValueError, OverflowError):
        return datetime.max.replace(tzinfo=UTC)


def _visits(folder: Path, found: LogDigest) -> Iterator[Visit]:
    def note(name: str) -> None:
        if name not in found.damaged:
            found.damaged.append(name)

    for day in days(folder, "requests"):
        for lines in read_day(folder, "requests", day, note):
            yield from filter(None, map(_visit, lines.splitlines()))


def _visit(line: bytes) -> Visit | None:
    """Return a line of the log; None if it is torn or none of ours."""
    try:
        visit = _decode(line)
    except (msgspec.MsgspecError, ValueError):
        return None
    # An earlier version may have left the zone out.
    return visit if visit.time.tzinfo is not None else None
