"""What somebody put into ``media:start_urls``: a URL, or a JSON object with one. Whoever can write there is a stranger.

An entry says where to go and what is known of the place. How to ask is the crawl's business: scrapy-redis' ``meta``,
``method`` and form data are not obeyed, and nothing is ever unpickled.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import StrEnum
from math import isfinite
from typing import Any

from mediacrawl.frontier.exchange import kind_of, read_json
from mediacrawl.observe.text import clean
from mediacrawl.records import Evidence, Kind

LONGEST = 65_536
"""Bytes of an entry. A URL has 2,048 characters at most; the rest is room for titles."""

_LONG_TEXT = 200
_LONG_PATH = 120
_LONG_URL = 2_048
_LONG_FACTS = 16_000
_MOST_CLICKS = 1_000_000

_TEXTS = {
    "via": ("via",),
    "anchor": ("anchor", "title"),
    "page_title": ("page_title",),
    "feed_url": ("feed_url",),
    "guid": ("guid",),
    "requested_url": ("requested_url",),
    "page_language": ("page_language",),
    "page_charset": ("page_charset",),
    "facts": ("facts",),
    "path": ("path",),
}
"""Fields of the evidence, and how an entry may name them."""
_PARENT = ("parent", "page_url")
_WORKED_OUT = frozenset({"site", "link_class"})
"""Stand in an exported frontier, and are worked out anew."""
_KNOWN = _WORKED_OUT.union({"url", "kind", "depth", "hops", "score", "method"}, _PARENT, *_TEXTS.values())


class FeedError(Exception):
    """Redis does not do what is needed. The message is one sentence, without any secret."""


class FeedKeyError(FeedError):
    """The key cannot be used, and time alone will not mend it: it is of another kind, or forbidden."""


class Unreadable(StrEnum):
    """Why an entry is none. Stats count it as ``start_urls/refused/<value>``, beside the reasons of `records.Drop`."""

    TOO_LONG = "too_long"
    NOT_TEXT = "not_text"
    """It is no UTF-8: a pickle, say."""
    BAD_JSON = "bad_json"
    """It begins as a JSON object, and is none with a ``url``."""
    METHOD = "method"
    """It asks for another method than GET."""
    FAULT = "fault"
    """It made our own code fail; the log has the traceback."""


@dataclass(frozen=True, slots=True)
class Entry:
    """An entry, read.

    Attributes:
        url: as it was written; a bare domain will do.
        kind: what is expected there; None leaves it to the extension.
        depth, hops, parent, evidence: as in `records.Candidate`; the parent as it was written.
        score: 0 to 1, of its class if this URL is the first of it; None leaves it to the rules.
        passed_over: names of the fields that are not known here, in their order.
    """

    url: str
    kind: Kind | None = None
    depth: int = 0
    hops: int = 0
    parent: str = ""
    score: float | None = None
    evidence: Evidence = field(default_factory=lambda: Evidence("seed"))
    passed_over: tuple[str, ...] = ()


def read_entry(raw: bytes) -> Entry | Unreadable:
    """Read an entry.

    Args:
        raw: as it lay in Redis: a URL or a domain; or a JSON object with ``url`` and, if they are known, ``kind``
            (``page`` or ``media``), ``title`` or ``anchor``, ``page_url`` or ``parent``, ``page_title``, ``feed_url``,
            ``guid``, ``via``, ``requested_url``, ``page_language``, ``page_charset``, ``facts`` (see `facts.pack`),
            ``path`` (of tags), ``score`` (0 to 1), ``depth``, ``hops``. A line of an exported frontier is one.
    """
    if len(raw) > LONGEST:
        return Unreadable.TOO_LONG
    try:
        text = raw.decode("utf-8-sig").strip()
    except UnicodeDecodeError:
        return Unreadable.NOT_TEXT
    if "\0" in text:
        return Unreadable.NOT_TEXT
    return _of_json(text) if text.startswith("{") else Entry(text)


def _of_json(text: str) -> Entry | Unreadable:
    try:
        found = read_json(text)
    except ValueError:
        return Unreadable.BAD_JSON
    if str(found.get("method") or "GET").upper() != "GET":
        return Unreadable.METHOD
    texts = {name: _text(found, names, _longest(name)) for name, names in _TEXTS.items()}
    return Entry(
        url=clean(found["url"]).strip(),
        kind=kind_of(found),
        depth=_whole(found.get("depth")),
        hops=_whole(found.get("hops")),
        parent=_text(found, _PARENT, _LONG_URL),
        score=_share(found.get("score")),
        evidence=Evidence(**{**texts, "via": texts["via"] or "seed"}),
        passed_over=tuple(clean(name) for name in found if name not in _KNOWN),
    )


def _text(found: dict[str, Any], names: tuple[str, ...], longest: int) -> str:
    """The first text under one of these names; empty if there is none."""
    texts = (value for name in names if isinstance(value := found.get(name), str) and value)
    return clean(next(texts, ""))[:longest]


def _longest(name: str) -> int:
    if name == "facts":
        # One that was cut could not be read.
        return _LONG_FACTS
    if name == "path":
        return _LONG_PATH
    return _LONG_URL if "url" in name else _LONG_TEXT


def _whole(value: object) -> int:
    return value if type(value) is int and 0 <= value < _MOST_CLICKS else 0


def _share(value: object) -> float | None:
    if type(value) is int:
        # Cut before it becomes a float: a JSON number may have more digits than a float has room for.
        return float(min(max(value, 0), 1))
    return min(max(value, 0.0), 1.0) if isinstance(value, float) and isfinite(value) else None
