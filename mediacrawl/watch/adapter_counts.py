"""How often each site adapter found what it should, and whether it is switched off.

In the notes of the frontier (namespace ``adapter``, key the name of the adapter): one JSON object with the attributes
of `AdapterCounts`. It is written in the commit that ends the visit that it counts, so a kill leaves neither without the
other. With several workers each adds what it counted, some milliseconds later; a kill of a worker loses the counts of
those. A note of another file than the adapter's (`AdapterCounts.digest`) counts for nothing: a changed adapter begins
anew, and is on.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass, replace
from typing import Any

from mediacrawl.base.format import plural

NAMESPACE = "adapter"
"""Of the notes."""
_LONGEST = 500
"""Characters of an example and of a reason that are kept."""


@dataclass(frozen=True, slots=True)
class AdapterCounts:
    """What is known of a site adapter, by the digest of its file.

    It was tried for so many pages. It hit those whose answer named media, and missed those where a page or an answer
    was not as it says; what is neither waits, or met trouble that says nothing of the adapter. `row` counts misses in a
    row, `example` is the URL of the page of the last miss, and `why` what was missed there.
    """

    digest: str = ""
    tried: int = 0
    hit: int = 0
    missed: int = 0
    row: int = 0
    off: bool = False
    example: str = ""
    why: str = ""

    @classmethod
    def load(cls, record: bytes | str | None, digest: str | None = None) -> AdapterCounts:
        """Read a note of the adapter's file; nothing is counted in one that is none. The digest None takes any file."""
        blank = cls(digest or "")
        try:
            told = json.loads(record) if record else None
        except (ValueError, RecursionError):
            return blank
        if not isinstance(told, dict):
            return blank
        read = cls(**{name: _like(value, told.get(name)) for name, value in asdict(cls()).items()})
        return blank if digest is not None and read.digest != digest else read

    def dump(self) -> bytes:
        """Return the note."""
        return json.dumps(asdict(self), separators=(",", ":")).encode("ascii")

    def after_page(self) -> AdapterCounts:
        """Return the counts after the adapter was applied to a page."""
        return replace(self, tried=self.tried + 1)

    def after_hit(self) -> AdapterCounts:
        """Return the counts after an answer named media."""
        return replace(self, hit=self.hit + 1, row=0)

    def after_miss(self, page: str, why: str) -> AdapterCounts:
        """Return the counts after a miss on a page; `why` is a sentence without its full stop."""
        return replace(self, missed=self.missed + 1, row=self.row + 1, example=page[:_LONGEST], why=why[:_LONGEST])

    def plus(self, later: AdapterCounts, misses: int) -> AdapterCounts:
        """Return the counts with those that were counted from nothing after them.

        After `misses` in a row the adapter is switched off. With several workers those of one count together: a hit
        among them ends the row, whatever came before it.
        """
        row = later.row + (0 if later.hit else self.row)
        return AdapterCounts(
            self.digest,
            tried=self.tried + later.tried,
            hit=self.hit + later.hit,
            missed=self.missed + later.missed,
            row=row,
            off=self.off or later.off or row >= misses,
            example=later.example or self.example,
            why=later.why or self.why,
        )


def _like(blank: Any, value: Any) -> Any:
    """A value of a note, if it has the type of the default; a number of bounded length that is not negative."""
    if type(value) is not type(blank):
        return blank
    if isinstance(value, str):
        return value[:_LONGEST]
    return value if value is True or value is False or 0 <= value < 1 << 53 else blank


def figures(counts: AdapterCounts) -> str:
    """Return the counts of an adapter in words."""
    missed = f", {plural(counts.row, 'miss')} in a row" if counts.row > 1 else ""
    return f"{counts.tried:,} tried, {counts.hit:,} hit, {counts.missed:,} missed{missed}"


def summary_lines(counts: Mapping[str, AdapterCounts], most: int = 4) -> list[str]:
    """Return a line for each adapter that was applied, those that are switched off first."""
    lines = [
        f"{name} {figures(each)}{f'; switched off, as {each.example} ({each.why})' if each.off else ''}"
        for name, each in ranked(counts)
    ]
    return lines[:most] + ([f"and {len(lines) - most:,} more"] if len(lines) > most else [])


def ranked(counts: Mapping[str, AdapterCounts]) -> list[tuple[str, AdapterCounts]]:
    """Return the adapters that were applied: those that are switched off, then those that were applied most."""
    used = [(name, each) for name, each in counts.items() if each.tried or each.off]
    return sorted(used, key=lambda pair: (not pair[1].off, -pair[1].tried, pair[0]))
