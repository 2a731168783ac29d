"""Reads request logs into counts: by site, status, reason of a drop, and kept delay."""

from __future__ import annotations

import math
import os
import re
from collections import Counter
from collections.abc import Iterable, Iterator
from concurrent.futures import ProcessPoolExecutor
from contextlib import nullcontext
from dataclasses import dataclass, field
from datetime import UTC, datetime
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple

from mediacrawl.observe.archive import DAMAGE, files, is_damaged, is_packed, is_packed_already, parse, read_lines
from mediacrawl.observe.totals import failure
from mediacrawl.observe.unfinished import LINES_LOST, gap_of, unfinished
from mediacrawl.records import Kind

ROUNDING = 0.002
"""Seconds of tolerance: times in the log are cut to whole milliseconds."""

PARTS = 20
"""Bars of the histogram for one time the owed delay."""
LAST_PART = 5 * PARTS
"""The last bar: five times the owed delay and more."""

_PIECE = 256 << 20
"""Most bytes of a plain file that are one task of a process: a million lines. What is found in a task has to be carried
to the parent, which takes as long as reading some thousand lines."""
_SMALL = 8 << 20
"""Fewest bytes of a task; with less to read than that, one process is faster than several."""
_CHUNK = 4 << 20
"""Bytes that are read at a time."""

# A line as `RequestLog` writes it. `json.loads` takes as long, and leaves the fields to be looked up. Lines that are
# written otherwise (by earlier versions, with escapes) are read with json.
_TEXT = rb'(?:null|"[^"\\]*+")'
_LINE = re.compile(
    rb'\{"time":"([0-9T:-]{16}):([0-9.]+)Z","url":"([^"\\]*+)","status":(\w+),"content_type":'
    + _TEXT
    + rb',"content_length":[^,]*+,"location":'
    + _TEXT
    + rb',"response_url":'
    + _TEXT
    + rb',"duration":([0-9.]+|null),"bytes":(\d+),"site":"([^"\\]*+)","delay":([0-9.]+|null),"kind":"(\w*)"'
    rb',"drop":(?:null|"(\w+)"),"error":(?:null|"([^"\\]*)")'
)


class Visit(NamedTuple):
    """What the digest uses of one line; times are seconds."""

    time: float
    url: str
    status: int
    duration: float | None
    bytes: int
    site: str
    delay: float
    kind: str
    drop: str
    error: str


@dataclass(slots=True)
class SiteDigest:
    """The requests to one site.

    Attributes:
        first, owed: time of the first request, and the delay that its line names, seconds.
        ended: when the last response arrived, seconds since the epoch.
        requests: sent.
        bytes: received.
        seconds: of all responses together.
        failures: see `observe.totals.failure`.
        delay: that the last line names, seconds.
        error: the last failure: its status, or the name of the error.
    """

    first: float = 0.0
    owed: float = 0.0
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
        failures: see `observe.totals.Totals`.
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
        failed = failure(visit.error, visit.status, robots=visit.kind == Kind.ROBOTS)
        if failed:
            self.failures[failed] += 1
            self.examples.setdefault(failed, visit.url)
        self._add_to_site(visit, failed, least)

    def _add_to_site(self, visit: Visit, failure: str, least: float) -> None:
        owed = max(least, visit.delay)
        site = self.sites.get(visit.site)
        if site is None:
            site = self.sites[visit.site] = SiteDigest(visit.time, owed)
        else:
            self._gap(visit.time - site.ended, owed, visit.url)
        site.ended = max(site.ended, visit.time + (visit.duration or 0.0))
        site.requests += 1
        site.bytes += visit.bytes
        site.seconds += visit.duration or 0.0
        site.delay = owed
        if failure:
            site.failures += 1
            site.error = failure

    def _gap(self, kept: float, owed: float, url: str) -> None:
        if owed <= 0:
            return
        ratio = (kept + ROUNDING) / owed
        self.gaps[min(max(int(ratio * PARTS), 0), LAST_PART)] += 1
        if ratio < 1:
            self.too_soon += 1
            if self.worst is None or kept - owed < self.worst[0] - self.worst[1]:
                self.worst = kept, owed, url

    def extend(self, later: LogDigest) -> None:
        """Add the counts of later lines, and judge the time between the two parts."""
        self.lines += later.lines
        self.requests += later.requests
        for name in ("failures", "drops", "gaps"):
            getattr(self, name).update(getattr(later, name))
        self.examples = {**later.examples, **self.examples}
        self.too_soon += later.too_soon
        self.worst = min((each for each in (self.worst, later.worst) if each), key=_how_late, default=None)
        self.damaged += [name for name in later.damaged if name not in self.damaged]
        self.lost += later.lost
        for name, site in later.sites.items():
            known = self.sites.get(name)
            if known is None:
                self.sites[name] = site
                continue
            self._gap(site.first - known.ended, site.owed, f"a request to {name}")
            known.ended = max(known.ended, site.ended)
            known.requests += site.requests
            known.bytes += site.bytes
            known.seconds += site.seconds
            known.failures += site.failures
            known.delay, known.error = site.delay, site.error or known.error


def _how_late(worst: tuple[float, float, str]) -> float:
    return worst[0] - worst[1]


def digest(
    folders: Iterable[Path],
    least: float = 0.0,
    processes: int | None = None,
    *,
    since: float = 0.0,
    until: float = math.inf,
) -> LogDigest:
    """Read all request logs of some folders, plain and packed. Folders that do not exist are left out.

    Args:
        folders: of the logs, each once.
        least: seconds of delay that are owed between two requests to a site at least.
        processes: that share the work; None for one a core. One is used if there is little to read.
        since: seconds since the epoch; earlier lines are not counted.
        until: the same of later lines.

    Returns:
        The counts of all lines. A million lines take 3 to 4 s on two cores.
    """
    whole = LogDigest()
    for folder in folders:
        if not folder.is_dir():
            continue
        pieces = list(_pieces(folder, processes or os.cpu_count() or 1))
        read = partial(_read, least, (since - ROUNDING, until))
        workers = min(processes or os.cpu_count() or 1, len(pieces))
        with ProcessPoolExecutor(workers) if workers > 1 else nullcontext() as pool:
            for part in pool.map(read, pieces) if pool else map(read, pieces):
                whole.extend(part)
        for line in unfinished(folder):
            visit = _visit(line, {})
            if visit is not None and since - ROUNDING <= visit.time <= until:
                whole.lost += gap_of(parse(line))
    return whole


Piece = tuple[Path, int, int]
"""A file, and the bytes of it that are read: from the first whole line there to the end of the last one begun."""


def _pieces(folder: Path, workers: int) -> Iterator[Piece]:
    """The parts of the logs, the oldest first. A packed file is one part, and small ones are not divided."""
    for _, path in files(folder, "requests"):
        packed = path.with_name(path.name + ".gz")
        if packed.exists() and is_packed_already(path, packed):
            continue
        size = path.stat().st_size
        step = (size or 1) if is_packed(path) else min(max(-(-size // (3 * workers)), _SMALL), _PIECE)
        yield from ((path, start, min(start + step, size)) for start in range(0, size, step))


def _read(least: float, between: tuple[float, float], piece: Piece) -> LogDigest:
    path, start, end = piece
    found = LogDigest()
    minutes = dict[bytes, float]()
    try:
        for lines in read_lines(path) if is_packed(path) else _lines_between(path, start, end):
            for line in lines.splitlines():
                visit = _visit(line, minutes)
                if visit is not None and between[0] <= visit.time <= between[1]:
                    found.add(visit, least)
                    if visit.error == LINES_LOST:
                        found.lost += gap_of(parse(line))
            if is_damaged(lines) and path.name not in found.damaged:
                found.damaged.append(path.name)
    except FileNotFoundError:
        # A running crawl has packed or removed it meanwhile.
        return found
    except DAMAGE:
        found.damaged.append(path.name)
    return found


def _lines_between(path: Path, start: int, end: int) -> Iterator[bytes]:
    """The lines that begin between two places of a file, several at a time."""
    with path.open("rb") as file:
        if start:
            file.seek(start - 1)
            # The rest of a line that began before; nothing if one begins here.
            file.readline()
        while (place := file.tell()) < end:
            lines = file.read(min(_CHUNK, end - place))
            yield lines if lines.endswith(b"\n") else lines + file.readline()


def _visit(line: bytes, minutes: dict[bytes, float]) -> Visit | None:
    match = _LINE.match(line)
    if match is None:
        return _visit_of(parse(line))
    minute, second, url, status, duration, size, site, delay, kind, drop, error = match.groups()
    began = minutes.get(minute)
    if began is None:
        try:
            began = minutes[minute] = datetime.fromisoformat(minute.decode()).replace(tzinfo=UTC).timestamp()
        except ValueError:
            return None
    return Visit(
        began + float(second),
        url.decode(),
        0 if status == b"null" else int(status),
        None if duration == b"null" else float(duration),
        int(size),
        site.decode(),
        0.0 if delay == b"null" else float(delay),
        kind.decode(),
        drop.decode() if drop else "",
        error.decode() if error else "",
    )


def _visit_of(record: dict[str, Any] | None) -> Visit | None:
    """A line that was read as JSON; None if it has no time or no URL. Values of another type count as missing."""
    if record is None:
        return None
    time, url = record.get("time"), record.get("url")
    try:
        began = datetime.fromisoformat(time).timestamp() if isinstance(time, str) else None
    except (ValueError, OverflowError):
        began = None
    if began is None or not isinstance(url, str):
        return None
    duration = record.get("duration")
    return Visit(
        began,
        url,
        int(_number(record.get("status"))),
        None if duration is None else _number(duration),
        int(_number(record.get("bytes"))),
        str(record.get("site") or ""),
        _number(record.get("delay")),
        str(record.get("kind") or ""),
        str(record.get("drop") or ""),
        str(record.get("error") or ""),
    )


def _number(value: Any) -> float:
    is_number = isinstance(value, (int, float)) and not isinstance(value, bool) and math.isfinite(value)
    return float(value) if is_number and 0 <= value < 1e12 else 0.0
