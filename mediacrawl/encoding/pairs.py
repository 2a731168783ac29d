"""Pairs of stored and right texts, as ``scrapy crawl recheck`` writes them, one JSON object a line."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import BinaryIO, Final

from mediacrawl.encoding.substitutions import Substitutions

_LONGEST_LINE: Final = 64 * 1024
"""Bytes; longer lines hold no title."""
_MOST_NAMED: Final = 5


@dataclass(slots=True)
class Taught:
    """What a file of pairs taught.

    Attributes:
        substitutions: what was learned.
        pairs: how many were read.
        bad: how many lines hold none.
        named: numbers of the first of those, from 1.
    """

    substitutions: Substitutions = field(default_factory=Substitutions)
    pairs: int = 0
    bad: int = 0
    named: list[int] = field(default_factory=list)

    def told(self, name: str) -> str:
        """One sentence on the lines that were passed over; empty without any.

        Args:
            name: of the file.
        """
        if not self.bad:
            return ""
        lines = ", ".join(map(str, self.named)) + (", …" if self.bad > len(self.named) else "")
        return f"{name}: {self.bad:,} of {self.pairs + self.bad:,} lines are no pairs and were passed over ({lines})."


def read_pairs(path: Path) -> Taught:
    """Learn from a file of pairs.

    Args:
        path: of the file, plain text in UTF-8.

    Raises:
        OSError: it cannot be read.
    """
    with path.open("rb") as file:
        return learn_pairs(_lines(file))


def learn_pairs(lines: Iterable[bytes]) -> Taught:
    """Learn from pairs; what is none is counted.

    Args:
        lines: ``{"before": …, "after": …, "encoding": …}``; the encoding may be missing, and any other name stand there
            as well. Empty lines are nothing.
    """
    taught = Taught()
    for number, line in enumerate(lines, 1):
        if not line.strip():
            continue
        pair = _pair(line)
        if pair is None:
            taught.bad += 1
            taught.named += [number] * (len(taught.named) < _MOST_NAMED)
            continue
        taught.pairs += 1
        taught.substitutions.learn(*pair)
    return taught


def _lines(file: BinaryIO) -> Iterator[bytes]:
    """The lines; of one that is too long only so much that it is no pair."""
    while line := file.readline(_LONGEST_LINE):
        yield line
        while line and not line.endswith(b"\n"):
            line = file.readline(_LONGEST_LINE)


def _pair(line: bytes) -> tuple[str, str, str] | None:
    try:
        pair = json.loads(line)
    except (ValueError, RecursionError):
        return None
    if not isinstance(pair, dict):
        return None
    before, after, encoding = pair.get("before"), pair.get("after"), pair.get("encoding", "")
    if not isinstance(before, str) or not isinstance(after, str) or not isinstance(encoding, str):
        return None
    return before, after, encoding
