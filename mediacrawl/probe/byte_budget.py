"""How much text a record may hold. A file of a kilobyte can unpack to megabytes of tags, each kept with its proof."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from typing import Any

from mediacrawl.encoding.records.evidence import FILE_FIELDS
from mediacrawl.records import MediaItem

LEAST = 8 * 1024
"""Bytes of text that every record may hold, however little was fetched: thirty short texts."""
FACTOR = 4
"""Bytes of text for each byte that was fetched. With what else a record takes, five reach the disk."""
PLAYERS = 16 * 1024
"""Bytes that the records of players on one page or list may take, however short it is: some eight."""
_RECORD = 1_200
"""What a record takes beside its texts and URLs."""
_PROOF = 200
"""Bytes of what the fixer notes of a text that is not ASCII."""


def within(elements: Iterable[dict[str, Any]], fetched: int, most: int) -> tuple[list[dict[str, Any]], int]:
    """Keep as many texts of a record as there is room for. Those that fill a field of the record go first.

    Args:
        elements: as `encoding.evidence.tag_element` makes them.
        fetched: bytes of the file that were fetched.
        most: bytes that the texts of any record may take.

    Returns:
        Those that are kept, in their order, and how many are not.
    """
    found = list(elements)
    room = min(max(FACTOR * fetched, LEAST), most)
    kept = set[int]()
    for number, element in sorted(enumerate(found), key=lambda each: each[1]["key"] not in FILE_FIELDS):
        size = stored_bytes(element)
        if size <= room:
            room -= size
            kept.add(number)
    return [element for number, element in enumerate(found) if number in kept], len(found) - len(kept)


def first_records(items: Iterable[MediaItem], most: int) -> list[MediaItem]:
    """The first records of an answer, as many as there is room for: a player of 50 bytes makes a record of 2 KB.

    Args:
        items: records of what the answer names and nobody can probe, in its order.
        most: bytes that they may take together.
    """
    kept = []
    for item in items:
        urls = (item.content_url, item.page_url, item.feed_url)
        most -= _RECORD + 2 * sum(len(url or "") for url in urls) + sum(map(stored_bytes, item.tags))
        if most < 0:
            break
        kept.append(item)
    return kept


def stored_bytes(element: Mapping[str, Any]) -> int:
    """The bytes that a text takes in the catalogue at most, rounded: its element, its column, and the search index.

    Args:
        element: as `encoding.evidence.tag_element` makes it, before the fixer has seen it.
    """
    text = element["text"]
    size = len(text.encode())
    # The fixer keeps the text as it was declared beside the one that it finds.
    decided = 0 if text.isascii() else size + _PROOF
    shown = 2 * size if element["key"] in FILE_FIELDS else 0
    return len(json.dumps(element, ensure_ascii=False).encode()) + decided + shown
