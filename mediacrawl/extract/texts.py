"""Texts and values as pages, feeds and lists write them."""

from __future__ import annotations

import html
import re
from collections.abc import Iterable, Iterator
from itertools import islice
from typing import Any

from lxml import etree

from mediacrawl.base.facts import LONGEST_TEXT
from mediacrawl.base.times import moment, seconds
from mediacrawl.base.urls import absolute

TEXT_LENGTH = 200
"""Characters of an anchor or a title that are kept."""
TEXT_PIECES = 200
"""Pieces of text that are read for one text: an element that is never closed contains the rest of the page."""


_tags = re.compile(r"<[^<>]*+>").sub
_long_number = re.compile(r"&#([0-9]{8,}+)").sub


def fold(pieces: Iterable[str], longest: int = TEXT_LENGTH) -> str:
    """Join pieces of text, white space folded, up to `longest` characters."""
    words: list[str] = []
    length = 0
    for piece in pieces:
        for word in piece.split(None, longest):
            words.append(word[:longest])
            length += len(words[-1]) + 1
        if length > longest:
            break
    return " ".join(words)[:longest]


def walked(element: Any, most: int) -> Iterator[str | None]:
    """Yield the texts below an element, or None for a step without text.

    `itertext` yields the same texts, but takes unlimited steps over elements without text.
    """
    for event, inside in islice(etree.iterwalk(element, ("start", "end")), most):
        text = inside.text if event == "start" else inside.tail
        yield text if inside is not element else None


def without_tags(text: str) -> str:
    """Return a text that holds HTML without its tags; each leaves a space."""
    return _tags(" ", text)


def unescape(text: str) -> str:
    """Return a text with HTML's character references replaced. Never raises.

    A number of any length is read as the HTML standard says ("numeric character reference end state"): one beyond
    Unicode is U+FFFD. `html.unescape` raises ValueError for one of more than 4,300 digits.
    """
    return html.unescape(_long_number(_shortened, text)) if "&" in text else text


def unescape_url(text: str) -> str:
    """Return a URL with the character references replaced that end in a semicolon; ``&section=2`` is a parameter."""
    return _closed_reference(lambda reference: html.unescape(reference[0]), text)


_closed_reference = re.compile(r"&#?\w{1,31};").sub


def _shortened(reference: re.Match[str]) -> str:
    digits = reference[1].lstrip("0")
    return f"&#{digits[:8] or 0}"


def fact_link(base: str, href: str | None) -> str:
    """Resolve a reference that becomes a fact; empty if it is longer than one: a truncated URL is another URL."""
    url = absolute(base, (href or "").strip())
    return url if len(url) <= LONGEST_TEXT else ""


_YES = frozenset({"yes", "true", "explicit", "1"})
_NO = frozenset({"no", "false", "clean", "0"})


def value_of(key: str, text: str, base: str | None = None) -> str:
    """Return the text of a fact in the form that its key has: a duration, a date, an absolute URL; empty for none."""
    if key == "duration":
        return seconds(text)
    if key in ("date", "upload_date"):
        return moment(text)
    return absolute(base, text) if key == "thumbnail_url" and base is not None else text


def yes_or_no(text: str | None) -> str:
    """Return ``yes`` or ``no`` for the words that feeds have for them; empty for others."""
    word = (text or "").strip().lower()
    return "yes" if word in _YES else "no" if word in _NO else ""


def whole(text: str | None) -> int:
    """Return a whole number of at most 15 digits; 0 if it is none."""
    written = (text or "").strip()
    return int(written) if written.isascii() and written.isdigit() and len(written) < 16 else 0
