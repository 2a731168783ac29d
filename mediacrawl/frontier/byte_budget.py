"""How many bytes URLs take while they wait, and how many of them one answer may bring.

A link of ten bytes on a page becomes a row of a hundred or more: its whole URL, that of the page, and what is known of
both. With a base of 2 KB it becomes 4 KB. So what an answer brings is bounded by its own length.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass, replace

from mediacrawl.base.terms import Candidate

PAGE_BYTES = 32_768
"""Bytes that the URLs of any answer may take: 160 titles of a playlist that names no more than their files."""

PAGE_FACTOR = 4.5
"""Bytes that the URLs of an answer may take on disk, with what is known of them, for each byte of its body. Links of
real pages take up to 3, playlists 4. Without a limit a page of 200 KB with a base of 2 KB made 3 MB."""

PACKED = 20
"""Bytes of an unpacked body that count for each byte that was received: honest text is packed to a tenth."""

_PAGE = 4096
"""Bytes of a page of SQLite. What a row has beyond `LOCAL` is on pages of its own (sqlite.org/fileformat2.html, 1.6:
the figures are those of an index, which a table without rowid is)."""
LOCAL = 1002
"""Bytes of a row that takes no more than these."""
_LEAST_LOCAL = 489
_OF_OVERFLOW = _PAGE - 4
_ROW = 90
"""What a row takes beside its texts: its place, lengths, its key in the tables of what was seen and has ended."""
_SITE = 150
_CLASS = 60
"""The same of a site and of a link class, beside their names."""


def on_disk(size: int) -> int:
    """The bytes that a row takes in an SQLite table without rowid."""
    if size <= LOCAL:
        return size
    local = _LEAST_LOCAL + (size - _LEAST_LOCAL) % _OF_OVERFLOW
    local = local if local <= LOCAL else _LEAST_LOCAL
    return local + -(-(size - local) // _OF_OVERFLOW) * _PAGE


def text_bytes(candidate: Candidate) -> int:
    """The bytes of all that is known of a URL, as UTF-8."""
    found = candidate.evidence
    known = candidate.url + candidate.requested + candidate.parent + found.via + found.anchor + found.page_title
    known += found.feed_url + found.guid + found.requested_url + found.page_language + found.page_charset
    return _utf8(known + found.facts + found.path)


def _utf8(text: str) -> int:
    return len(text) if text.isascii() else len(text.encode("utf-8", "surrogatepass"))


def byte_budget(unpacked: int, received: int, least: int, factor: float) -> int:
    """The bytes of URLs that an answer may bring.

    Args:
        unpacked: bytes of its body as it was read; 0 if nobody read it.
        received: bytes of it that came; 0 if that is not known.
        least: bytes that any answer may bring.
        factor: bytes for each byte of the body.
    """
    return max(least, int(factor * min(unpacked, PACKED * (received or unpacked))))


@dataclass(frozen=True, slots=True)
class FittedCandidates:
    """What an answer may let join.

    Attributes:
        candidates: in their order.
        bare: how many of them go without some of what is known of them: anchor, title and tag path, or facts too.
        dropped: how many more there were.
    """

    candidates: list[Candidate]
    bare: int = 0
    dropped: int = 0


def fit_candidates(candidates: Sequence[Candidate], most: int) -> FittedCandidates:
    """Those URLs of an answer for which there is room, the best scores first. A URL goes before what is known of URLs.

    Args:
        candidates: with the first scores of their classes.
        most: bytes that they may take together in the file of a frontier.
    """
    order = sorted(range(len(candidates)), key=lambda number: -candidates[number].score)
    around = _around(candidates, order)
    whole = [text_bytes(found) for found in candidates]
    if sum(around) + sum(map(on_disk, whole)) <= most:
        return FittedCandidates(list(candidates))
    # Bytes of each URL alone, with its facts, which may be all that is known of a file, and with its words too.
    sizes = list(map(_sizes, candidates, whole))
    kept = dict[int, int]()
    for number in order:
        size = around[number] + sizes[number][_ALONE]
        if size <= most:
            most -= size
            kept[number] = _ALONE
    for fuller in (_WITH_FACTS, _WHOLE):
        for number, now in kept.items():
            more = sizes[number][fuller] - sizes[number][now]
            if more <= most:
                most -= more
                kept[number] = fuller
    chosen = [_with_less(candidates[number], kept[number]) for number in sorted(kept)]
    bare = sum(found is not candidates[number] for found, number in zip(chosen, sorted(kept), strict=True))
    return FittedCandidates(chosen, bare, len(candidates) - len(kept))


_ALONE, _WITH_FACTS, _WHOLE = range(3)


def _sizes(candidate: Candidate, whole: int) -> tuple[int, int, int]:
    found = candidate.evidence
    with_facts = whole - _utf8(found.anchor + found.page_title + found.path)
    return on_disk(with_facts - _utf8(found.facts)), on_disk(with_facts), on_disk(whole)


def _with_less(candidate: Candidate, level: int) -> Candidate:
    """A URL with what there is room for; itself, if that is all."""
    found = candidate.evidence
    facts = found.facts if level >= _WITH_FACTS else ""
    if level == _WHOLE or (facts == found.facts and not (found.anchor or found.page_title or found.path)):
        return candidate
    return replace(candidate, evidence=replace(found, anchor="", page_title="", path="", facts=facts))


def _around(candidates: Sequence[Candidate], order: Sequence[int]) -> list[int]:
    """For each URL the bytes beside its texts: of its row, and of its site and its class if it is the first there."""
    around = [_ROW] * len(candidates)
    homes = defaultdict[str, set[str]](set)
    for number in order:
        found = candidates[number]
        classes = homes[found.site]
        if not classes:
            around[number] += _SITE + 3 * len(found.site)
        if found.link_class not in classes:
            classes.add(found.link_class)
            around[number] += _CLASS + len(found.link_class)
    return around
