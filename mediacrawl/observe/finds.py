"""The records of a crawl in numbers, each record once."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from typing import Any

_SITES = 10_000


class Finds:
    """Counts what the catalogue stored.

    Attributes:
        formats: records by format; ``unknown`` for those without one, as in the summary of a catalogue.
        sites: records by the site of the file, of the first 10,000 sites.
    """

    def __init__(self) -> None:
        self.formats: Counter[str] = Counter()
        self.sites: Counter[str] = Counter()

    def add(self, record: Mapping[str, Any]) -> None:
        """Count a record that was stored for the first time in this crawl."""
        self.formats[str(record.get("encoding_format") or "unknown")] += 1
        site = str(record.get("site") or "")
        if site and (len(self.sites) < _SITES or site in self.sites):
            self.sites[site] += 1
