"""How many bytes URLs take while they wait, and how many of them one answer may bring.

A link of ten bytes on a page becomes a row of a hundred or more: its whole URL, that of the page, and what is known of
both. With a base of 2 KB it becomes 4 KB. So what an answer brings is bounded by its own length.
"""

from __future__ import annotations

from collections.abc import Sequence

from mediacrawl.records import Candidate

PACKED = 20
"""Bytes of an unpacked body that count for each byte that was received: honest text is packed to a tenth."""

_PAGE = 4096
"""Bytes of a page of SQLite. What a row has beyond `_LOCAL` lies on pages of its own (sqlite.org/fileformat2.html, 1.6:
the figures are those of an index, which a table without rowid is)."""
_LOCAL = 1002
_LEAST_LOCAL = 489
_OF_OVERFLOW = _PAGE - 4
_ROW = 70
"""What a row takes beside its texts: its place, lengths, its key in the tables of what was seen and has ended."""
_SITE = 150
_CLASS = 60
"""The same of a site and of a link class, beside their names."""


def on_disk(size: int) -> int:
    """The bytes that a row takes in an SQLite table without rowid.

    Args:
        size: bytes of its values.
    """
    if size <= _LOCAL:
        return size
    local = _LEAST_LOCAL + (size - _LEAST_LOCAL) % _OF_OVERFLOW
    local = local if local <= _LOCAL else _LEAST_LOCAL
    return local + -(-(size - local) // _OF_OVERFLOW) * _PAGE


def text_bytes(candidate: Candidate) -> int:
    """The bytes of all that is known of a URL, as UTF-8."""
    found = candidate.evidence
    known = candidate.url + candidate.requested + candidate.parent + found.via + found.anchor + found.page_title
    known += found.feed_url + found.guid + found.requested_url + found.page_language + found.page_charset
    known += found.facts + found.path
    return len(known) if known.isascii() else len(known.encode("utf-8", "surrogatepass"))


def room(unpacked: int, received: int, least: int, factor: float) -> int:
    """The bytes of URLs that an answer may bring.

    Args:
        unpacked: bytes of its body as it was read; 0 if nobody read it.
        received: bytes of it that came; 0 if that is not known.
        least: bytes that any answer may bring.
        factor: bytes for each byte of the body.
    """
    return max(least, int(factor * min(unpacked, PACKED * (received or unpacked))))


def within(candidates: Sequence[Candidate], most: int) -> list[Candidate]:
    """Those URLs of an answer for which there is room, in their order; those of the best score go first.

    Args:
        candidates: with the first scores of their classes.
        most: bytes that they may take together in the file of a frontier.
    """
    kept = set[int]()
    sites, classes = set[str](), set[tuple[str, str]]()
    for number, found in sorted(enumerate(candidates), key=lambda each: -each[1].score):
        size = _ROW + on_disk(text_bytes(found))
        home = (found.site, found.link_class)
        size += 0 if found.site in sites else _SITE + 3 * len(found.site)
        size += 0 if home in classes else _CLASS + len(found.link_class)
        if size <= most:
            most -= size
            kept.add(number)
            sites.add(found.site)
            classes.add(home)
    return [found for number, found in enumerate(candidates) if number in kept]
