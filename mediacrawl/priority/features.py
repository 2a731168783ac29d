"""The features of a link, as numbers that a model learns weights for.

Each feature is a short text, hashed (CRC-32: the same in every process and version of Python) into a table of weights.
The lower half of the table is for what means the same on every site: words, patterns, extensions. The upper half is for
what has a host in it, so that a model can be taken to another crawl without it.

Words are letters of any language; there is no list of words. Anything else that was tried made it worse: bins of a
site's own record, the parent's reward and crosses repeat what the class record says, and delay the start.
"""

from __future__ import annotations

import re
from array import array
from collections.abc import Sequence
from functools import lru_cache
from urllib.parse import unquote
from zlib import crc32

import numpy as np
from numpy.typing import NDArray

from mediacrawl.base.terms import Candidate, Lease
from mediacrawl.priority.link_class import link_class

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

Rows = NDArray[np.uint32]
"""Features of several links, one row of `WIDTH` each."""


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


def packed(row: Sequence[int]) -> bytes:
    """Return the places of a row without what fills it up, 4 bytes each: a fourth of the memory of a list."""
    return array("I", [number for number in row if number != NOTHING]).tobytes()


def unpacked(row: bytes) -> list[int]:
    """Return the row that `packed` was given."""
    found = array("I", row).tolist()
    return found + [NOTHING] * (WIDTH - len(found))


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
