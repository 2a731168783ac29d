"""What a worker says of itself: its stats and the facts of its crawl, as a file that the fleet reads."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field, fields
from datetime import date
from pathlib import Path
from typing import Any

from mediacrawl.observe import CrawlFacts

MOST_BYTES = 64 << 20
"""Bytes of a file that are read at most; one of ours has some hundred thousand."""

_MOST = 1e18


@dataclass(frozen=True, slots=True)
class Account:
    """What one process has said last.

    On disk: one JSON object, ``{"written": ..., "stats": {...}, "facts": {...}}``, put in its place by renaming, so
    that a kill leaves the old or the new one. Anybody may read it, and delete it.

    Attributes:
        written: when, seconds since the epoch.
        stats: Scrapy's, by name. Times are texts in the form of ISO 8601.
        facts: what the summary is made from.
    """

    written: float = 0.0
    stats: Mapping[str, Any] = field(default_factory=dict)
    facts: CrawlFacts = field(default_factory=CrawlFacts)

    @classmethod
    def load(cls, path: Path) -> Account | None:
        """Read the file; None if there is none, or none that can be read."""
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
        told = {"written": self.written, "stats": dict(self.stats), "facts": asdict(self.facts)}
        put(path, json.dumps(told, default=plain))


def put(path: Path, text: str) -> None:
    """Write a file whole or not at all.

    Raises:
        OSError: the disk refuses it.
    """
    fresh = path.with_name(f"{path.name}.new")
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        fresh.write_text(text, encoding="utf-8")
        fresh.replace(path)
    except OSError:
        fresh.unlink(missing_ok=True)
        raise


def plain(value: Any) -> str:
    """A value that JSON does not know, as text."""
    return value.isoformat() if isinstance(value, date) else str(value)


def facts_of(kept: Any) -> CrawlFacts:
    """Facts as they stand in a file; what is missing or of another kind is as in a crawl that has not begun."""
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
    return type(blank)(value) if is_number(value) else blank


def is_number(value: Any) -> bool:
    """Whether a value can be added up, without end or loss."""
    return isinstance(value, (int, float)) and not isinstance(value, bool) and abs(value) < _MOST
