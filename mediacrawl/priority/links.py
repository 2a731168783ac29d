"""What a link says by itself: its class, the score with which the class starts, and its features for the model.

Link classes are "links of this shape on this host". URLs are queued by class, and only classes have scores, so new
knowledge changes one number and not a row for each URL. Scoring class heads beat re-scoring every URL at a hundredth of
the work (425 against 373 new media files per 1,000 pages in a synthetic web of 8,000 sites).

The first score comes from fixed rules, before the crawl has learned anything about the class.

Each feature is a short text, hashed (CRC-32: the same in every process and version of Python) into a table of weights.
The lower half of the table is for what means the same on every site: words, patterns, extensions. The upper half is for
what has a host in it, so that a model can be taken to another crawl without it. Words are letters of any language;
there is no list of words. Anything else that was tried made it worse: bins of a site's own record, the parent's reward
and crosses repeat what the class record says, and delay the start.
"""

from __future__ import annotations

import re
from array import array
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import lru_cache
from math import isfinite
from urllib.parse import unquote
from zlib import crc32

from mediacrawl.base.terms import Candidate, Kind, Lease

_DIGITS = re.compile(r"[0-9]+")
# A run of letters is tried once, from its first letter on; at each letter it would cost the square of its length.
_LETTERS_BESIDE_DIGITS = re.compile(r"(?<![A-Za-z])[A-Za-z]+(?=#)|(?<=#)[A-Za-z]+")
_WORD = re.compile(r"[A-Za-z]{3,}")
_ID = re.compile(r"\*?(?:#\*){2,}#?|\*#\*#")
_NAMES = re.compile(r"(?:^|[&;])([^=&;]*)")
_LONGEST = 120

_SEPARATORS = re.compile(r"[-_+~%]")
_SLUG, _SLUG_AT_END = 2, 1
"""Separators of words that make a segment a slug, and the last segment."""
_LONG = 24
"""Characters beyond which a segment is a slug without them: so long is no name of a section."""
_LONGEST_EXTENSION = 5
_CACHED = 4_000
"""Segments: names of folders come back, those of pages do not."""


def link_class(url: str) -> str:
    """Return the name of a URL's class: its host, and its path with what differs from page to page taken out.

    Titles and numbers of pages are taken out, and the names of sections are kept. Otherwise each page would be a class
    of its own, and a class with one link says nothing about the next one.

    * Runs of digits become ``#``: ``/2024/05/`` is ``/#/#/``. An id such as ``k3x9a2q`` is ``*#``.
    * In a segment with digits, runs of three letters and more, or of letters beside digits, become ``*``:
      ``/12-kalo.html`` is ``/#-*.html``, ``/f97-kalo.mp3`` is ``/*#-*.mp3``.
    * A segment of several words becomes ``*``, or one of two words if it is the last: ``/news/what-came-of-it.html``
      is ``/news/*.html``.
    * The last segment behind one that is a number becomes ``*``: ``/episodes/123/kalo/`` is ``/episodes/#/*/``.
    * The extension stays. A query is reduced to its sorted names: ``?v=dQw4w9`` is ``?v``.

    Measured on four webs whose sites spell their URLs otherwise than the web that the order was developed on
    (``benchmarks/harvest.py``), with the coarse classes of `frontier.site_state.coarse_class` and tag paths from the
    31st link of a shape on: 194 new media files per 1,000 pages at 10,000 pages; 133 with the names of before.

    Args:
        url: in canonical form, so it has a scheme, a host and a path.
    """
    rest, _, query = url.partition("://")[2].partition("?")
    host, _, path = rest.partition("/")
    folder, slash, name = path.rpartition("/")
    stem, dot, extension = name.rpartition(".")
    if not dot or len(extension) > _LONGEST_EXTENSION:
        stem, dot, extension = name, "", ""
    folders = [_segment(segment, _SLUG) for segment in folder.split("/")] if folder else []
    stem = _segment(stem, _SLUG_AT_END)
    if "#" in folders:
        if stem:
            stem = stem if "#" in stem else "*"
        elif "#" not in folders[-1]:
            folders[-1] = "*"
    extension = "#" if extension.isdigit() else extension.lower()
    named = f"{host}/{'/'.join(folders)}{slash}{stem}{dot}{extension}"
    if query:
        named += f"?{'&'.join(sorted(set(_NAMES.findall(query))))}"
    return named[:_LONGEST]


@lru_cache(_CACHED)
def _segment(text: str, slug: int) -> str:
    """Return the shape of a segment, without an extension.

    Args:
        text: of the segment.
        slug: separators that make it a slug if it has no digits.
    """
    shaped = _DIGITS.sub("#", text)
    if shaped != text:
        slug = _SLUG
    if len(text) > _LONG or len(_SEPARATORS.findall(text)) >= slug:
        return "*"
    if shaped == text:
        return text
    return _ID.sub("*#", _WORD.sub("*", _LETTERS_BESIDE_DIGITS.sub("*", shaped)))


def shape(url: str) -> str:
    """Return a URL's host, and its path with what counts taken out.

    Runs of digits become ``#``, runs of letters beside digits ``*``, the extension stays, the query is
    reduced to its sorted names: ``http://a.org/2024/song12b.mp3?id=7&x=1`` is ``a.org/#/*#*.mp3?id&x``.

    Args:
        url: in canonical form, so it has a scheme, a host and a path.
    """
    rest = url.partition("://")[2]
    path, _, query = rest.partition("?")
    host, _, path = path.partition("/")
    return _named(host, path, query)


def _named(host: str, path: str, query: str) -> str:
    folder, slash, name = path.rpartition("/")
    stem, dot, extension = name.rpartition(".")
    shape = f"{_shape(folder)}{slash}{_shape(stem) if dot else _shape(extension)}"
    if dot:
        shape = f"{shape}.{extension.lower() if len(extension) <= 5 else _shape(extension)}"
    if query:
        shape = f"{shape}?{'&'.join(sorted(set(_NAMES.findall(query))))}"
    return f"{host}/{shape}"[:_LONGEST]


def _shape(text: str) -> str:
    return _LETTERS_BESIDE_DIGITS.sub("*", _DIGITS.sub("#", text)) if text else ""


RULES: Mapping[str, float] = {"media": 1.0, "feed": 0.7, "seed": 0.6, "page": 0.3, "depth": -0.02}
"""Media before pages: with nothing else known this alone found 16 times what chance found at 10,000 pages. Seeds before
what they link to, and the near before the far, as breadth-first does, which finds the pages that many link to early."""

_LEAST = 0.0
_FEEDS = frozenset({"feed", "enclosure"})
_NAMED = "named"
"""Files that scripts, attributes and texts name are worth what a page is: some belong to the page's own program."""
_AS_PAGES = frozenset({"sitemap", "robots_sitemap", "oembed", _NAMED})
"""Lists of pages, and what a site says of one page: they are worth what a page is."""


@dataclass(frozen=True, slots=True)
class Scores:
    """The rules of one crawl.

    Attributes:
        rules: ``media``, ``feed``, ``seed`` and ``page`` give the score of what they name; ``depth`` is added for each
            click from a seed; a name that begins with a point (``.pls``) gives that of URLs with this extension.

    Raises:
        ValueError: a rule has an unknown name, or no number.
    """

    rules: Mapping[str, float] = field(default_factory=lambda: RULES)

    def __post_init__(self) -> None:
        for name, score in self.rules.items():
            if name not in RULES and not name.startswith("."):
                raise ValueError(
                    f"PRIORITY_SCORES: {name!r} is no rule; use {', '.join(RULES)}, or an extension: '.pls'"
                )
            if not isinstance(score, int | float) or not isfinite(score):
                raise ValueError(f"PRIORITY_SCORES: {name!r} needs a number, not {score!r}")

    def first(self, kind: Kind, via: str = "a", depth: int = 0, extension: str = "") -> float:
        """Return the score of a class whose first URL this is; 0 at least.

        Args:
            kind: what the URL is expected to be.
            via: the link source, see `base.terms.Evidence`.
            depth: clicks from a seed.
            extension: of its path, in lower case and without the point; empty if it has none.
        """
        score = self.rules.get(f".{extension}") if extension else None
        if score is None:
            score = self._of(_name(kind, via))
        return max(score + self._of("depth") * depth, _LEAST)

    def _of(self, name: str) -> float:
        return self.rules.get(name, RULES[name])


def _name(kind: Kind, via: str) -> str:
    if kind is Kind.MEDIA and via != _NAMED:
        return "media"
    if via in _FEEDS or (kind is Kind.LIST and via not in _AS_PAGES):
        return "feed"
    return "seed" if via == "seed" else "page"


BITS = 20
"""Of the table of weights: a million, 8 MB with what AdaGrad keeps. 200,000 fetches used some 60,000 of them."""
SIZE = 1 << BITS
HALF = SIZE >> 1
"""From here on features have a host in them."""
WIDTH = 32
"""Features of a link at most; a row of them is filled up with `NOTHING`."""
NOTHING = 0
"""The place in the table that no feature has: its weight is 0 and stays it."""

_MOST_WORDS = 7
"""Words of a path, and of an anchor, that count: the first ones, which say what it is."""
_GRAMS = 5
_MOST_GRAMS = 8
_WORDS = re.compile(r"[^\W\d_]{2,24}")
_OF_HOSTS = 20_000
"""Hosts whose pieces are cached, 0.2 KB each."""
_OF_WORDS = 10_000
"""Texts of features whose place is cached: words and patterns come back. It takes some 1.5 MB."""


Found = Candidate | Lease
"""A link with its evidence."""


def features(found: Found) -> list[tuple[str, int]]:
    """Return the features of a link, as text and as places in the table; at most `WIDTH`.

    Args:
        found: as it was found; a seed has no parent.
    """
    general, own, host = _texts(found)
    listed = [(text, place(text)) for text in general]
    listed += [(text, place(text) | HALF) for text in own]
    listed += [(text, place(text)) for text in _grams(host)]
    return listed[:WIDTH]


def places(found: Found) -> list[int]:
    """Return the places in the table that belong to a link's features, filled up to `WIDTH`."""
    general, own, host = _texts(found)
    row = [*map(place, general), *(place(text) | HALF for text in own), *_places_of_grams(host)]
    return row[:WIDTH] + [NOTHING] * (WIDTH - len(row))


def _texts(found: Found) -> tuple[list[str], list[str], str]:
    """Return the features of a link as text: those of every site, and those of its own; and its host."""
    evidence = found.evidence
    named = link_class(found.url)
    host, _, pattern = named.partition("/")
    source = found.parent.partition("://")[2].partition("/")[0]
    there = "own" if source == host or source.endswith(f".{found.site}") or source == found.site else "other"
    if not found.parent:
        there = "seed"
    general = [f"from {there}", f"kind {found.kind}", f"via {evidence.via}", f"pattern /{pattern}"]
    extension = pattern.partition("?")[0].rpartition(".")[2] if "." in pattern.rpartition("/")[2] else ""
    if extension:
        general.append(f"extension {extension}")
    if evidence.path:
        general.append(f"tags {evidence.path}")
    path = found.url.partition("://")[2].partition("/")[2]
    general += [f"word {word}" for word in _words(path)]
    general += [f"anchor {word}" for word in _words(evidence.anchor, quoted=False)]
    own = [f"class {named}"]
    if evidence.path and there == "own":
        own.append(f"tags {host} {evidence.path}")
    if there == "other":
        own.append(f"source {source}")
    return general, own, host


@lru_cache(_OF_WORDS)
def place(text: str) -> int:
    """Return the place of a general feature: in the lower half of the table, and not `NOTHING`."""
    return crc32(text.encode("utf-8", "surrogatepass")) % (HALF - 1) + 1


def _words(text: str, *, quoted: bool = True) -> list[str]:
    if quoted and "%" in text:
        text = unquote(text, errors="replace")
    words = dict.fromkeys(_WORDS.findall(text.lower()))
    return list(words)[:_MOST_WORDS]


@lru_cache(_OF_HOSTS)
def _places_of_grams(host: str) -> array[int]:
    # Numbers alone: with their texts, which are seldom shown, a host takes 1.2 KB and not 0.1.
    return array("I", map(place, _grams(host)))


def _grams(host: str) -> list[str]:
    """Pieces of the name of a host: half of those with media say so in their names."""
    name = host.partition(":")[0].removeprefix("www.").rpartition(".")[0]
    pieces = [name[start : start + _GRAMS] for start in range(max(len(name) - _GRAMS + 1, 1))]
    return [f"name {piece}" for piece in dict.fromkeys(pieces) if len(piece) > 2][:_MOST_GRAMS]
