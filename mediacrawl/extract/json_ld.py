"""The objects of JSON-LD scripts, as people write them: each script is read by itself, and mended if need be.

What is mended is what was found on pages: HTML comments and CDATA marks around the JSON, comments inside, semicolons
and commas too many, several objects one after the other, the whole text escaped as HTML.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable
from typing import Any

from mediacrawl.extract.texts import unescape

MOST_SCRIPTS = 50
"""Scripts of a page that are read."""
LONGEST = 500_000
"""Characters of all scripts of a page that are read. A parsed object takes some ten times as much memory."""
_MOST_OBJECTS = 100
"""Objects in one script, one after the other."""

_decode = json.JSONDecoder(strict=False).raw_decode
_opening = re.compile(r"[\s\ufeff]*+(?:(?:<!--|//|/\*|<!\[CDATA\[|\*/)[\s]*+)*+").match
_between = re.compile(r"(?:[\s;,]|/?\*/|//|\]\]>|-->|<!--)*+").match
# One that never ends goes on to the end of the text, else it would be looked for again behind each of its quotes.
_STRING = r'"(?:[^"\\]|\\.)*+(?:"|\\?\Z)'
_comments = re.compile(rf"({_STRING})|/\*(?:[^*]|\*(?!/))*+(?:\*/|\Z)|//[^\n]*+", re.DOTALL).sub
_commas = re.compile(rf"({_STRING})|,(?=\s*+[}}\]])", re.DOTALL).sub


def read_scripts(texts: Iterable[str]) -> list[Any]:
    """Read the scripts of a page: their objects, or lists of objects, in their order. Never raises.

    Args:
        texts: content of each ``script`` of type ``application/ld+json``.
    """
    found: list[Any] = []
    room = LONGEST
    for number, text in enumerate(texts):
        room -= len(text)
        if number == MOST_SCRIPTS or room < 0:
            break
        found += _read(text)
    return found


def _read(text: str) -> list[Any]:
    found, whole = _objects(text)
    if whole:
        return found
    plain = unescape(text) if "&quot;" in text and '"' not in text else text
    mended, _ = _objects(_commas(_kept, _comments(_kept, plain)))
    return mended if len(mended) >= len(found) else found


def _kept(match: re.Match[str]) -> str:
    return match[1] or ""


def _objects(text: str) -> tuple[list[Any], bool]:
    """The objects at the beginning of a text, and whether nothing else follows."""
    found: list[Any] = []
    opening = _opening(text)
    place = opening.end() if opening else 0
    while place < len(text) and len(found) < _MOST_OBJECTS:
        try:
            read, place = _decode(text, place)
        except (ValueError, RecursionError):
            return found, False
        if isinstance(read, (dict, list)):
            found.append(read)
        between = _between(text, place)
        place = between.end() if between else place
    return found, True
