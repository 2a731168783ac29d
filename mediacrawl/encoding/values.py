"""From the evidence to the values at the top of a record: of several texts with one meaning, the best one."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, cast

from mediacrawl.encoding.evidence import decision_of
from mediacrawl.facts import EXTERNAL_SOURCES

FILE_FIELDS = (
    "title",
    "artist",
    "albumartist",
    "album",
    "composer",
    "genre",
    "date",
    "tracknumber",
    "discnumber",
    "comment",
    "copyright",
    "language",
    "encodedby",
    "description",
    "keywords",
    "license",
    "license_url",
    "upload_date",
    "thumbnail_url",
    "embed_url",
    "player_url",
    "podcast",
    "episode",
    "season",
    "explicit",
    "transcript_url",
    "chapters_url",
    "hub_url",
)
"""Fields of a `MediaItem` that describe its file."""
SIGHTED_FIELDS = ("page_title", "anchor_text")
"""Fields of a `MediaItem` that tell where its file was found. They have evidence only if they are not plain ASCII."""
TEXT_FIELDS = (*FILE_FIELDS, *SIGHTED_FIELDS)
"""Fields of a `MediaItem` that come from its tags."""

_SEVERAL = frozenset({"artist", "albumartist", "composer", "genre"})
_SHORT = frozenset({"id3v1", "lyrics3"})
"""Sources that cut long texts."""
_OF_PLACES = frozenset({*SIGHTED_FIELDS, "filename"})
"""Keys of texts on where a file was found: a shop for records has a title in its own language, whatever it sells."""
_MAX_JOINED = 10
_MAX_GENRE = 200
"""Characters of a genre that is looked at for numbers; Python reads none of more than 4,300 digits."""
_SURE = 0.9
"""Confidence of a reading from which on its language may stand in the record: nothing is guessed into a field."""


def best_values(tags: Iterable[Mapping[str, Any]]) -> dict[str, str | None]:
    """Gives each of `FILE_FIELDS` the value of the first source that has one; None where no source has.

    Those of `SIGHTED_FIELDS` that have evidence are there too.

    The file itself goes before what is said of it elsewhere (`facts.EXTERNAL_SOURCES`); of its own sources those that
    cut long texts (ID3v1, Lyrics3) are the last. The language is what the file declares; if it declares none, the one
    that most of its surely read texts are in. What is said of the file elsewhere counts for that only if the file
    has no title of its own and none of its texts is surely read; titles of pages, texts of links and names in URLs
    never count.

    Args:
        tags: elements as in `MediaItem.tags`, each with texts under ``source``, ``frame``, ``key`` and ``text``.
    """
    found: dict[str, list[Mapping[str, Any]]] = {}
    elements = list(tags)
    for element in elements:
        if element["text"]:
            found.setdefault(element["key"], []).append(element)
    values = {key: _best(found[key], key) if key in found else None for key in FILE_FIELDS}
    values |= {key: _best(found[key], key) for key in SIGHTED_FIELDS if key in found}
    values["language"] = values["language"] or _language_read(elements)
    return values


def _best(found: Sequence[Mapping[str, Any]], key: str) -> str | None:
    best = min(found, key=_rank)
    place = (best["source"], best["frame"])
    texts = [element["text"] for element in found if (element["source"], element["frame"]) == place]
    if key == "genre":
        texts = [name for text in texts for name in _genre_names(text)]
    several = list(dict.fromkeys(texts))[: _MAX_JOINED if key in _SEVERAL else 1]
    return "; ".join(several) or None


def _rank(element: Mapping[str, Any]) -> int:
    source = element["source"]
    return 2 if source in EXTERNAL_SOURCES else 1 if source in _SHORT else 0


def _genre_names(text: str) -> Iterable[str]:
    """Writes out ID3's numbers of genres: ``(17)`` and ``17`` are Rock."""
    if len(text) <= _MAX_GENRE and (text.isdecimal() or text.startswith("(")):
        # Its import takes 120 ms, and few genres are written so.
        from mutagen.id3 import TCON  # noqa: PLC0415

        names: list[str] = cast("Any", TCON)(encoding=3, text=[text]).genres
        return names or [text]
    return [text]


def _language_read(elements: Sequence[Mapping[str, Any]]) -> str | None:
    """The language of most texts; the first one met of several that are equally frequent."""
    own = [element for element in elements if element["source"] not in EXTERNAL_SOURCES]
    votes = _votes(own)
    if not votes and not any(element["key"] == "title" and element["text"] for element in own):
        votes = _votes(
            element
            for element in elements
            if element["source"] in EXTERNAL_SOURCES and element["key"] not in _OF_PLACES
        )
    return votes.most_common(1)[0][0] if votes else None


def _votes(elements: Iterable[Mapping[str, Any]]) -> Counter[str]:
    votes: Counter[str] = Counter()
    for element in elements:
        language, confidence = element.get("language"), element.get("confidence")
        sure = isinstance(confidence, (int, float)) and confidence >= _SURE
        if sure and language and isinstance(language, str) and decision_of(element) in {"declared", "fixed"}:
            votes[language] += 1
    return votes
