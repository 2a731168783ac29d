"""What stands in pages, read: folded text, references, media types."""

from __future__ import annotations

import html
import re
from collections.abc import Iterable, Iterator
from functools import lru_cache
from itertools import islice
from typing import Any
from urllib.parse import urljoin, urlsplit

from lxml import etree

TEXT_LENGTH = 200
"""Characters of an anchor or a title that are kept."""
TEXT_PIECES = 200
"""Pieces of text that are looked at for one text: an element that is never closed holds the rest of the page."""

MEDIA_ENDINGS = (
    *(".mp3", ".m4a", ".m4b", ".ogg", ".oga", ".opus", ".flac", ".wav", ".aac", ".wma", ".weba"),
    *(".mp4", ".m4v", ".webm", ".mov", ".ogv", ".mkv", ".avi", ".wmv", ".mpg", ".flv", ".m3u8", ".mpd"),
)
"""Endings that tell a file from a page where nothing else does. Whether a URL may be asked is decided elsewhere."""
_LONGEST_REFERENCE = 8_000

_tags = re.compile(r"<[^<>]*+>").sub
_long_number = re.compile(r"&#([0-9]{8,}+)").sub


def fold(pieces: Iterable[str], longest: int = TEXT_LENGTH) -> str:
    """Join pieces of text, white space folded, and stop when there is enough.

    Args:
        pieces: of text, as they follow each other; each may be of any length.
        longest: characters that are kept.
    """
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
    """Walk through what is in an element; for each step the text that stands there, or None.

    `itertext` gives the same texts, but passes over any number of elements that have none.

    Args:
        element: its own text is left out.
        most: steps; an element takes two.
    """
    for event, inside in islice(etree.iterwalk(element, ("start", "end")), most):
        text = inside.text if event == "start" else inside.tail
        yield text if inside is not element else None


def without_tags(text: str) -> str:
    """Return a text that holds HTML without its tags; each leaves a space.

    Args:
        text: cut by the caller to what it is ready to read.
    """
    return _tags(" ", text)


def unescape(text: str) -> str:
    """Return a text with HTML's character references replaced. Never raises.

    A number of any length is read as the HTML standard says ("numeric character reference end state"): one beyond
    Unicode is U+FFFD. `html.unescape` raises ValueError for one of more than 4,300 digits.

    Args:
        text: cut by the caller to what it is ready to read.
    """
    return html.unescape(_long_number(_shortened, text)) if "&" in text else text


def _shortened(reference: re.Match[str]) -> str:
    digits = reference[1].lstrip("0")
    return f"&#{digits[:8] or 0}"


@lru_cache(maxsize=256)
def media_type(text: str | None) -> str:
    """Return a media type in lower case without its parameters; at most 100 characters.

    Args:
        text: as it stands in an attribute; None is none.
    """
    return (text or "").partition(";")[0].strip().lower()[:100]


_is_rooted = re.compile(r"(?:/[A-Za-z0-9_~-][A-Za-z0-9._~-]*+)++/?").fullmatch
"""Most references of a page are paths from the root without anything that has to be resolved."""


@lru_cache(maxsize=256)
def absolute(base: str, href: str) -> str:
    """Return what a reference leads to, or nothing if that is no http(s) URL.

    Args:
        base: URL that it is relative to.
        href: as it stands in a page; one of more than 8,000 characters leads nowhere.
    """
    if not href or len(href) > _LONGEST_REFERENCE:
        return ""
    if _is_rooted(href) and (origin := _origin(base)):
        return origin + href
    try:
        joined = urljoin(base, href.strip())
        parts = urlsplit(joined)
        # Reading the port raises for one that is none.
        usable = parts.scheme in ("http", "https") and parts.hostname and parts.port != 0
    except ValueError:
        return ""
    return joined if usable else ""


@lru_cache(maxsize=64)
def _origin(base: str) -> str:
    """What stands before the path of an http(s) URL; nothing if that is none."""
    root = absolute(base, "/.")
    return root.removesuffix("/")


def names_media(href: str) -> bool:
    """Whether a reference ends like a media file.

    Args:
        href: as it stands in a page.
    """
    path = href.partition("#")[0].partition("?")[0]
    return path[-10:].rstrip().lower().endswith(MEDIA_ENDINGS)
