"""Cells of a CSV row as they are written: of a row that changes, the cells that do not change stay byte for byte."""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import cache
from typing import Final

_CONTENT: Final = re.compile(rb'"((?:[^"]++|"")*+)"(.*)', re.DOTALL)


@cache
def _cell(delimiter: str) -> re.Pattern[bytes]:
    """One cell with its quotes, as the csv module splits: a quote counts at the beginning of a cell alone."""
    other = b"[^" + re.escape(delimiter.encode()) + b"]*+"
    return re.compile(rb'(?:"(?:[^"]++|"")*+"' + other + rb"|" + other + rb")", re.DOTALL)


def split(row: bytes, delimiter: str) -> list[bytes]:
    """The cells of a row as they stand, quotes included.

    Args:
        row: without the end of its line, in an encoding in which ASCII is as it is.
        delimiter: between two cells.
    """
    cells, at = [], 0
    pattern = _cell(delimiter)
    while True:
        found = pattern.match(row, at)
        # It matches always, if only an empty cell.
        end = found.end() if found else len(row)
        cells.append(row[at:end])
        if end >= len(row):
            return cells
        at = end + 1


def rendered(text: str, delimiter: str, *, quoted: bool = False) -> bytes:
    """A text as a cell.

    Args:
        text: that UTF-8 can hold.
        delimiter: between two cells.
        quoted: also where it would not be needed.
    """
    if quoted or delimiter in text or any(sign in text for sign in '"\r\n'):
        text = '"' + text.replace('"', '""') + '"'
    return text.encode()


def content(cell: bytes) -> bytes:
    """What a cell holds, as the csv module reads it."""
    found = _CONTENT.fullmatch(cell)
    return found[1].replace(b'""', b'"') + found[2] if found else cell


def is_quoted(cells: Sequence[bytes]) -> bool:
    """Whether a row has quotes around each of its cells, needed or not."""
    return all(cell.startswith(b'"') for cell in cells)
