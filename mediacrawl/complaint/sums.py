"""The requests to a site in numbers."""

from __future__ import annotations

import math
import statistics
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, field

from mediacrawl.complaint.lines import Asked

HOUR = 3600


@dataclass(slots=True)
class Sums:
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


def sums_of(lines: Iterable[Asked], gaps: dict[Asked, float]) -> Sums:
    """Sum up.

    Args:
        lines: of one site, oldest first.
        gaps: see `gaps_of`; those of other lines are passed over.
    """
    lines = list(lines)
    sent = [line for line in lines if line.sent]
    sums = Sums(requests=len(sent), refused=Counter(_reason(line) for line in lines if not line.sent))
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


def gaps_of(lines: Iterable[Asked]) -> dict[Asked, float]:
    """Seconds from the end of the latest answer before a request to that request; negative if they overlap.

    Args:
        lines: of one site, oldest first. The first request has no gap.
    """
    gaps: dict[Asked, float] = {}
    ended = None
    for line in lines:
        if not line.sent:
            continue
        if ended is not None:
            gaps[line] = line.time - ended
        ended = line.ended if ended is None else max(ended, line.ended)
    return gaps


def _busiest(sent: list[Asked]) -> tuple[float, int]:
    hours = Counter(math.floor(line.time / HOUR) for line in sent)
    hour, number = max(hours.items(), key=lambda entry: (entry[1], -entry[0]))
    return float(hour * HOUR), number


def _reason(line: Asked) -> str:
    return line.drop or line.error or "put off"


def _count(sums: Sums, line: Asked) -> None:
    sums.statuses[str(line.status) if line.status is not None else "no answer"] += 1
    sums.kinds[line.kind or "request"] += 1
    sums.hosts[line.url.partition("//")[2].partition("/")[0]] += 1
    if line.address:
        sums.addresses[line.address] += 1
    if line.error:
        sums.errors[line.error] += 1
