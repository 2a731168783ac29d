"""The stats of a worker, as a file that the fleet reads, and the sum of those of several workers."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from datetime import date
from functools import reduce
from pathlib import Path
from typing import Any

from mediacrawl.base.files import replacing

LOST = 4
"""Exit code of a crawl whose frontier was lost. A restart would begin a new crawl, which an operator has to decide."""

MOST_BYTES = 64 << 20
"""Bytes of a file that are read at most; one of ours has some hundred thousand."""

_MOST = 1e18
_WORD = re.compile(r"[^a-z]+")
_RATE = "_per_minute"
_BEGAN = "start_time"
_LAST = frozenset({"finish_time"})


@dataclass(frozen=True, slots=True)
class WorkerStats:
    """The latest stats of one process.

    On disk: one JSON object, ``{"written": ..., "stats": {...}}``, put in its place by renaming, so
    that a kill leaves the old or the new one. It may be read and deleted at any time.

    Attributes:
        written: when, seconds since the epoch.
        stats: Scrapy's, by name. Times are texts in the form of ISO 8601.
    """

    written: float = 0.0
    stats: Mapping[str, Any] = field(default_factory=dict)

    @classmethod
    def load(cls, path: Path) -> WorkerStats | None:
        """Read the file; None if there is none that can be read."""
        try:
            with path.open("rb") as file:
                kept = json.loads(file.read(MOST_BYTES))
            return cls(float(kept["written"]), dict(kept["stats"]))
        except (OSError, ValueError, KeyError, TypeError, RecursionError):
            return None

    def save(self, path: Path) -> None:
        """Write the file.

        Raises:
            OSError: the disk refuses it; the file is as it was.
        """
        content = {"written": self.written, "stats": dict(self.stats)}
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


def is_number(value: Any) -> bool:
    """Whether a value is a finite number that can be added without loss."""
    return isinstance(value, (int, float)) and not isinstance(value, bool) and abs(value) < _MOST


def summed(all_stats: Iterable[WorkerStats]) -> WorkerStats:
    """The stats of several processes as one, in any order.

    Numbers are added. Stats with ``max`` or ``min`` in their name keep the largest and the smallest, and so do
    ``elapsed_time_seconds``, ``finish_time`` and ``start_time``. Rates a minute are left out: those of processes that
    ran one after the other cannot be added. Other values that differ are listed.
    """
    ordered = sorted(all_stats, key=lambda stats: stats.written)
    if not ordered:
        return WorkerStats()
    nothing: dict[str, Any] = {}
    stats = reduce(_both, (each.stats for each in ordered), nothing)
    return WorkerStats(ordered[-1].written, stats)


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
