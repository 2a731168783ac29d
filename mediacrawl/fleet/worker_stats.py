"""The stats of a worker, as a file that the fleet reads, and the sum of those of several workers."""

from __future__ import annotations

import json
import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, field, fields, replace
from datetime import date
from functools import reduce
from pathlib import Path
from typing import Any

from mediacrawl.observe import CrawlFacts
from mediacrawl.observe.archive import replacing

MOST_BYTES = 64 << 20
"""Bytes of a file that are read at most; one of ours has some hundred thousand."""

_MOST = 1e18
_SUMS = (
    *("pages", "new_records", "updated_records", "requests", "bytes_received", "media_bytes_read"),
    *("media_bytes_total", "faults", "lost_lines"),
    *("ended_pages", "new_nuggets", "even_pages", "even_nuggets", "last_pages", "last_nuggets"),
)
_BY_NAME = ("media", "media_sites", "sites", "refusals", "errors", "fault_sites")
_WORD = re.compile(r"[^a-z]+")
_RATE = "_per_minute"
_BEGAN = "start_time"
_LAST = frozenset({"finish_time"})


@dataclass(frozen=True, slots=True)
class WorkerStats:
    """The latest stats of one process.

    On disk: one JSON object, ``{"written": ..., "stats": {...}, "facts": {...}}``, put in its place by renaming, so
    that a kill leaves the old or the new one. It may be read and deleted at any time.

    Attributes:
        written: when, seconds since the epoch.
        stats: Scrapy's, by name. Times are texts in the form of ISO 8601.
        facts: of the crawl's summary.
    """

    written: float = 0.0
    stats: Mapping[str, Any] = field(default_factory=dict)
    facts: CrawlFacts = field(default_factory=CrawlFacts)

    @classmethod
    def load(cls, path: Path) -> WorkerStats | None:
        """Read the file; None if there is none that can be read."""
        try:
            with path.open("rb") as file:
                kept = json.loads(file.read(MOST_BYTES))
            return cls(float(kept["written"]), dict(kept["stats"]), facts_of(kept["facts"]))
        except (OSError, ValueError, KeyError, TypeError, RecursionError):
            return None

    def save(self, path: Path) -> None:
        """Write the file.

        Raises:
            OSError: the disk refuses it; the file is as it was.
        """
        content = {"written": self.written, "stats": dict(self.stats), "facts": asdict(self.facts)}
        put(path, json.dumps(content, default=plain))


def put(path: Path, text: str) -> None:
    """Write a file whole or not at all.

    Raises:
        OSError: the disk refuses it.
    """
    path.parent.mkdir(parents=True, exist_ok=True)
    with replacing(path) as file:
        file.write(text.encode())


def plain(value: Any) -> str:
    """A value that JSON has no type for, as text."""
    return value.isoformat() if isinstance(value, date) else str(value)


def facts_of(kept: Any) -> CrawlFacts:
    """Facts from a file. Missing fields, and those of another type, have their defaults."""
    if not isinstance(kept, dict):
        return CrawlFacts()
    blank = CrawlFacts()
    found = {each.name: _like(getattr(blank, each.name), kept.get(each.name)) for each in fields(CrawlFacts)}
    return CrawlFacts(**found)


def _like(blank: Any, value: Any) -> Any:
    if isinstance(blank, dict):
        pairs = value.items() if isinstance(value, dict) else ()
        return {name: number for name, number in pairs if is_number(number)}
    if isinstance(blank, str):
        return value if isinstance(value, str) else blank
    if isinstance(blank, tuple):
        return tuple(line for line in value if isinstance(line, str)) if isinstance(value, list) else blank
    return type(blank)(value) if is_number(value) else blank


def is_number(value: Any) -> bool:
    """Whether a value is a finite number that can be added without loss."""
    return isinstance(value, (int, float)) and not isinstance(value, bool) and abs(value) < _MOST


def summed(all_stats: Iterable[WorkerStats]) -> WorkerStats:
    """The stats of several processes as one, in any order.

    Numbers are added. Stats with ``max`` or ``min`` in their name keep the largest and the smallest, and so do
    ``elapsed_time_seconds``, ``finish_time`` and ``start_time``. Rates a minute are left out: those of processes that
    ran one after the other cannot be added. Other values that differ are listed. Each line about a limit is kept once.
    Facts about the frontier, which the workers share, are those written last.
    """
    ordered = sorted(all_stats, key=lambda stats: stats.written)
    if not ordered:
        return WorkerStats()
    nothing: dict[str, Any] = {}
    stats = reduce(_both, (each.stats for each in ordered), nothing)
    return WorkerStats(ordered[-1].written, stats, _facts([each.facts for each in ordered]))


def _both(these: dict[str, Any], those: Mapping[str, Any]) -> dict[str, Any]:
    both = dict(these)
    for name, value in those.items():
        if not name.endswith(_RATE):
            both[name] = _merged(name, both[name], value) if name in both else value
    return both


def _merged(name: str, one: Any, other: Any) -> Any:
    words = _WORD.split(name)
    if is_number(one) and is_number(other):
        if "max" in words or name == "elapsed_time_seconds":
            return max(one, other)
        return min(one, other) if "min" in words else one + other
    if name == _BEGAN:
        return min(str(one), str(other))
    if name in _LAST:
        return max(str(one), str(other))
    return one if one == other else ", ".join(sorted({*str(one).split(", "), *str(other).split(", ")}))


def _facts(all_facts: Sequence[CrawlFacts]) -> CrawlFacts:
    counted: dict[str, Any] = {name: sum(getattr(facts, name) for facts in all_facts) for name in _SUMS}
    counted |= {name: _by_name(getattr(facts, name) for facts in all_facts) for name in _BY_NAME}
    over_limits = tuple(dict.fromkeys(line for facts in all_facts for line in facts.over_limits))
    return replace(all_facts[-1], **counted, over_limits=over_limits, response_times=_means(all_facts))


def _by_name(all_counts: Iterable[Mapping[str, int]]) -> dict[str, int]:
    total: Counter[str] = Counter()
    for counts in all_counts:
        total.update(counts)
    return dict(total)


def _means(all_facts: Iterable[CrawlFacts]) -> dict[str, float]:
    """Mean response times by site, each worker's by the number of its requests there."""
    seconds: defaultdict[str, float] = defaultdict(float)
    requests: Counter[str] = Counter()
    for facts in all_facts:
        for site, mean in facts.response_times.items():
            number = facts.sites.get(site, 0)
            seconds[site] += mean * number
            requests[site] += number
    return {site: seconds[site] / number for site, number in requests.items() if number}
