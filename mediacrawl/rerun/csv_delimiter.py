"""Which delimiter stands between the cells of a table: the one by which its rows have as many cells as its header."""

from __future__ import annotations

import csv
import io
from itertools import islice
from typing import Final

_DELIMITERS: Final = (",", ";", "\t", "|")
"""The first one counts where nothing tells."""
_ROWS: Final = 50
"""Rows that are looked at."""


def delimiter_of(header: bytes, sample: bytes) -> str:
    """Find the delimiter of a table.

    Args:
        header: its first line, in an encoding in which ASCII is as it is.
        sample: whole lines behind it; may be empty, then the header alone tells.

    Returns:
        The delimiter that most of the rows agree with: outside of quotes they have it as often as the header. Of
        several the one after which the names in the header do not begin with a space, as the words behind a comma in a
        name do; then the one with the most columns.
    """
    scores = {}
    for delimiter in _DELIMITERS:
        names = _first([_characters(header)], delimiter)
        if len(names) > 1:
            spaced = sum(name.startswith(" ") for name in names)
            scores[delimiter] = (_agreeing(sample, delimiter, len(names)), -spaced, len(names))
    return max(scores, key=lambda delimiter: scores[delimiter], default=_DELIMITERS[0])


def _first(lines: list[str], delimiter: str) -> list[str]:
    try:
        return next(csv.reader(lines, delimiter=delimiter, strict=True), [])
    except csv.Error:
        return []


def _agreeing(sample: bytes, delimiter: str, width: int) -> int:
    """How many of the first rows have so many cells."""
    found = 0
    try:
        for row in islice(csv.reader(io.StringIO(_characters(sample), newline=""), delimiter=delimiter), _ROWS):
            found += len(row) == width
    except csv.Error:
        # A cell that is too long; the rows before it have told something.
        pass
    return found


def _characters(data: bytes) -> str:
    return data.decode("latin-1")
