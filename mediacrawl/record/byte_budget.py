"""Limits on the text of a record. A kilobyte can decompress to megabytes of tags, each kept with its bytes."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from typing import Any

from mediacrawl.base.facts import PERSON, ROLES
from mediacrawl.record.item import MediaItem
from mediacrawl.record.values import FILE_FIELDS, IDENTIFIER_KEYS, LOUDNESS_KEYS, PLAYING

LEAST = 8 * 1024
"""Bytes of text that every record may hold, however little was fetched: thirty short texts."""
FACTOR = 4
"""Bytes of text for each byte that was fetched. With what else a record takes, five reach the disk."""
PLAYERS = 16 * 1024
"""Bytes that the records of players on one page or list may take, however short it is: some eight."""
_RECORD = 1_200
"""Bytes of a record without its texts and URLs."""
_PROOF = 200
"""Bytes that the fixer adds to a text beyond ASCII."""
_PART = 30
"""Bytes of a person or identifier beside its text."""
_STRUCTURED = frozenset({*IDENTIFIER_KEYS, *LOUDNESS_KEYS, *ROLES, *PLAYING, PERSON, "soundbite"})
_OF_FIELDS = frozenset({*FILE_FIELDS, *_STRUCTURED})


def parts_within(lists: Mapping[str, list[dict[str, Any]]], fetched: int, most: int) -> tuple[int, int]:
    """Cut the lists of a record (tracks, chapters, covers) to half of the record's budget, in place.

    Returns:
        The bytes that they take, and the number of objects that were cut off.
    """
    room, cut = _room(fetched, most) // 2, 0
    taken = 0
    for parts in lists.values():
        for number, part in enumerate(parts):
            size = len(json.dumps(part, ensure_ascii=False).encode())
            if taken + size > room:
                cut += len(parts) - number
                del parts[number:]
                break
            taken += size
    return taken, cut


def _room(fetched: int, most: int) -> int:
    return min(max(FACTOR * fetched, LEAST), most)


def within(
    elements: Iterable[dict[str, Any]], fetched: int, most: int, taken: int = 0
) -> tuple[list[dict[str, Any]], int]:
    """Keep as many texts of a record as its budget allows, those of the record's own fields first.

    Returns:
        The texts that are kept, in their order, and the number of the others.
    """
    found = list(elements)
    room = _room(fetched, most) - taken
    kept = set[int]()
    for number, element in sorted(enumerate(found), key=lambda each: each[1]["key"] not in _OF_FIELDS):
        size = stored_bytes(element)
        if size <= room:
            room -= size
            kept.add(number)
    return [element for number, element in enumerate(found) if number in kept], len(found) - len(kept)


def first_records(items: Iterable[MediaItem], most: int) -> list[MediaItem]:
    """The first records of an answer, up to a limit of bytes: a player of 50 bytes makes a record of 2 KB."""
    kept = []
    for item in items:
        urls = (item.content_url, item.page_url, item.feed_url)
        most -= _RECORD + 2 * sum(len(url or "") for url in urls) + sum(map(stored_bytes, item.tags))
        if most < 0:
            break
        kept.append(item)
    return kept


def stored_bytes(element: Mapping[str, Any]) -> int:
    """Upper estimate of the bytes of a text in the catalogue: its element, its column, and the search index."""
    text = element["text"]
    size = len(text.encode())
    # The fixer stores the declared text together with the repaired one.
    decided = 0 if text.isascii() else size + _PROOF
    shown = 2 * size if element["key"] in FILE_FIELDS else size + _PART if element["key"] in _STRUCTURED else 0
    return len(json.dumps(element, ensure_ascii=False).encode()) + decided + shown
