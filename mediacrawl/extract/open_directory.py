"""Directory listings of servers: Apache, nginx, lighttpd, IIS, Caddy and the like.

Special are the links that only sort the list, the link to the parent folder, and the size and date next to each file.
"""

from __future__ import annotations

import re
from itertools import islice
from typing import Any

from mediacrawl.base.facts import PAGE, Fact, fact, stated
from mediacrawl.base.urls import absolute, is_navigation

_LONGEST = 300
"""Characters next to a link that are examined."""
_MOST_CELLS = 10
names_directory = re.compile(
    r"(?:Index of|Directory listing (?:for|of)|Listing of|Directory:)\s*/|.+ - /(?:\S*/)?$", re.IGNORECASE
).match
"""Matches the title of a directory listing."""
_date = re.compile(r"\b(\d{4}-\d\d-\d\d)(?:[ T](\d\d:\d\d(?::\d\d)?))?", re.ASCII).search
_named_date = re.compile(
    r"\b(?:(\d\d)-([A-Z][a-z]{2})-(\d{4})|(\d{4})-([A-Z][a-z]{2})-(\d\d))(?: (\d\d:\d\d(?::\d\d)?))?", re.ASCII
).search
_size = re.compile(
    r"(?<![\w.:/-])(\d{1,15}(?:\.\d{1,3})?) ?([KMGT])?(?:i?B|bytes)?(?![\w.:/-])", re.ASCII | re.IGNORECASE
).search
_UNITS = {"": 1, "K": 1024, "M": 1024**2, "G": 1024**3, "T": 1024**4}
_MONTH_NAMES = ("Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec")
_MONTHS = {name: place for place, name in enumerate(_MONTH_NAMES, start=1)}


def steers(href: str, base: str, url: str) -> bool:
    """Whether a reference on the directory listing of a URL sorts it, or leads to a folder above."""
    written = href.rstrip()
    # Most are names of files, and joining them with the base costs time.
    may_steer = written.endswith(("/", ".")) or "?" in written or "#" in written
    return may_steer and is_navigation(absolute(base, href), url)


def facts_beside(element: Any) -> tuple[Fact, ...]:
    """Return the size, perhaps rounded, and the date, of unknown time zone, next to the link of a file."""
    text = _text_next_to(element)
    found, date = [], ""
    if plain := _date(text):
        date = "T".join(filter(None, plain.groups()))
        text = text.replace(plain[0], " ")
    elif named := _named_date(text):
        date = _iso_date(named)
        text = text.replace(named[0], " ")
    found.append(fact(PAGE, "index:date", "upload_date", date))
    if size := _size(text):
        number = float(size[1]) * _UNITS[(size[2] or "").upper()]
        found.append(fact(PAGE, "index:size", "size", int(number) if 0 < number < 10**15 else ""))
    return tuple(stated(found))


def _iso_date(named: re.Match[str]) -> str:
    day, month, year = (named[1], named[2], named[3]) if named[1] else (named[6], named[5], named[4])
    if month not in _MONTHS:
        return ""
    return "T".join(filter(None, (f"{year}-{_MONTHS[month]:02}-{day}", named[7])))


def _text_next_to(element: Any) -> str:
    """Return the text of the other cells of its row; without a table, the rest of its line."""
    cell = element
    for _ in range(3):
        row = cell.getparent()
        if row is None:
            break
        if row.tag == "tr":
            cells = list(islice(row, _MOST_CELLS + 1))
            # Longer rows are no rows of a listing.
            told = cells if len(cells) <= _MOST_CELLS else ()
            return " ".join(_cell(other) for other in told if other is not cell)[:_LONGEST]
        cell = row
    after = (element.tail or "")[:_LONGEST].strip("\r\n").splitlines()
    if after and after[0].strip():
        return after[0]
    # IIS writes them before the name.
    before = element.getprevious()
    return (before.tail or "")[-_LONGEST:] if before is not None else ""


def _cell(cell: Any) -> str:
    stamps = (each.get("datetime") for each in islice(cell.iter(), _MOST_CELLS) if each.tag == "time")
    return next(filter(None, stamps), "") or "".join(islice(cell.itertext(), _MOST_CELLS))[:_LONGEST].strip()
