"""The values of a record that come from the texts of its ``tags``: fields, people, identifiers, loudness, the language.

They are computed again whenever the fixer has changed a text.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from itertools import pairwise
from typing import Any, cast

from mediacrawl.base.charsets import clean_all
from mediacrawl.base.evidence import chapter_number, decision_of, is_better, is_lost, number, read_place, whole_elements
from mediacrawl.base.facts import (
    EXTERNAL_SOURCES,
    FEED,
    PERSON,
    ROLES,
    frame_attributes,
    persons_of,
    soundbites_of,
    transcripts_of,
)
from mediacrawl.base.languages import bcp47
from mediacrawl.base.parts import Chapter, as_object
from mediacrawl.record.item import EPISODE_TYPES, MEDIA_KINDS, MediaItem
from mediacrawl.record.structured import IDENTIFIER_KEYS, LOUDNESS_KEYS, PLAYING, identifiers_of, loudness_of

_SEVERAL = frozenset({"artist", "albumartist", "composer", "genre", "keywords"})

_SHORT = frozenset({"id3v1", "lyrics3"})
"""Sources that cut long texts."""

_OF_PLACES = frozenset({*MediaItem.LINK_FIELDS, "filename"})
"""Keys of texts about the link, whose language may differ from the file's."""

_MAX_JOINED = 10

_MAX_GENRE = 200
"""Characters of a genre that is parsed as a number; Python rejects more than 4,300 digits."""

_SURE = 0.9
"""Least confidence of a text that counts for the guessed language."""

_ADVICE = {
    "yes": "yes", "1": "yes", "4": "yes", "true": "yes", "explicit": "yes",
    "no": "no", "0": "no", "2": "no", "false": "no", "clean": "no",
}  # fmt: skip
"""What feeds and tags say of explicit content; iTunes' numbers are 1 and 4 for explicit, 2 for a clean version."""

_FORMS: dict[str, Callable[[str], str | None]] = {
    "language": bcp47,
    "media_kind": lambda text: text if text in MEDIA_KINDS else None,
    "episode_type": lambda text: text if text in EPISODE_TYPES else None,
    "explicit": lambda text: _ADVICE.get(text.strip("\0 ").lower()),
}
"""Fields with a vocabulary; a text outside it stays in the evidence only."""


def fill_values(item: MediaItem) -> None:
    """Set the item's fields that come from its tags; to be called again after the tags' text was repaired."""
    for key, value in best_values(item.tags).items():
        # `MediaItem.LINK_FIELDS` have elements only for text beyond ASCII, so an empty value means unchanged.
        if value or key not in MediaItem.LINK_FIELDS:
            setattr(item, key, value)
    for key, value in structured_values(item.tags).items():
        setattr(item, key, value)
    titles = placed_texts(item.tags)
    for name in MediaItem.LISTS_WITH_TEXTS:
        setattr(item, name, with_texts(name, getattr(item, name), titles))


def best_values(tags: Iterable[Mapping[str, Any]]) -> dict[str, str | None]:
    """Give each of `MediaItem.FILE_FIELDS` the value of the first source that has one; None where no source has.

    Those of `MediaItem.LINK_FIELDS` that have evidence are there too.

    Texts that lost characters (`is_lost`) come last. Otherwise the file's own texts come before those of
    `base.facts.EXTERNAL_SOURCES`; but the title and the date that the entry of a feed states come first, since an
    episode has the name that its publisher gives it. Of its own sources those that cut long texts (ID3v1, Lyrics3)
    come last, and the others in the order of `tags`: readers put the tag that counts first in a format (ID3v2 or APE,
    see `probe.formats.outer_tags`) before the others.
    """
    found = _by_key(tags)
    values = {key: _best(found[key], key) if key in found else None for key in MediaItem.FILE_FIELDS}
    playing = (_best(found[key], key) for key in PLAYING if key in found)
    values["now_playing"] = " - ".join(filter(None, playing)) or None
    return values | {key: _best(found[key], key) for key in MediaItem.LINK_FIELDS if key in found}


def structured_values(tags: Iterable[Mapping[str, Any]]) -> dict[str, Any]:
    """Return the values of a record that have a structure and come from texts, and the guessed language.

    Returns:
        ``persons``, ``identifiers``, ``loudness``, ``transcripts``, ``soundbites``, ``guessed_language`` and
        ``guessed_language_confidence``; empty lists and objects, and None, for what no text states.
    """
    elements = list(tags)
    found = _by_key(elements)
    language, confidence = guessed_language(elements)
    named = [(role, element) for role in ROLES if role in found for element in _of_best_place(found[role])]
    persons, transcripts, soundbites = found.get(PERSON), found.get("transcript_url"), found.get("soundbite")
    return {
        "persons": persons_of(named, persons or ()) if named or persons else [],
        "identifiers": {} if IDENTIFIER_KEYS.isdisjoint(found) else identifiers_of(elements),
        "loudness": {} if LOUDNESS_KEYS.isdisjoint(found) else loudness_of(elements),
        "transcripts": transcripts_of(transcripts) if transcripts else [],
        "soundbites": soundbites_of(soundbites) if soundbites else [],
        "guessed_language": language,
        "guessed_language_confidence": confidence,
    }


def derived_values(record: Mapping[str, Any]) -> dict[str, Any]:
    """Return the values of a stored record that come from its ``tags``: fields of the file, structures, lists."""
    elements = whole_elements(record.get("tags"))
    values, titles = best_values(elements), placed_texts(elements)
    lists = {name: with_texts(name, record[name], titles) for name in MediaItem.LISTS_WITH_TEXTS if name in record}
    return {name: values[name] for name in MediaItem.FILE_FIELDS} | structured_values(elements) | lists


def derived_again(
    record: Mapping[str, Any], before: Iterable[Mapping[str, Any]], after: Iterable[Mapping[str, Any]]
) -> dict[str, Any]:
    """Return the structured values that follow a change of a record's evidence (`whole_elements`), by their fields.

    A value that differs from what the evidence gave before was set otherwise, and is left out.
    """
    return followed(record, structured_values(before), structured_values(after))


def followed(record: Mapping[str, Any], given: Mapping[str, Any], now: Mapping[str, Any]) -> dict[str, Any]:
    """Return the values that changed with the evidence.

    One that was another before was set otherwise, unless it has lost what the new one has.
    """
    return {
        name: value
        for name, value in now.items()
        if (value != given[name] and (record.get(name) or None) == (given[name] or None))
        or is_better(value, record.get(name))
    }


def _by_key(tags: Iterable[Mapping[str, Any]]) -> dict[str, list[Mapping[str, Any]]]:
    found: dict[str, list[Mapping[str, Any]]] = {}
    for element in tags:
        if element["text"]:
            found.setdefault(element["key"], []).append(element)
    return found


def placed_texts(tags: Iterable[Mapping[str, Any]]) -> dict[str, str]:
    """The titles in lists of the record that the evidence has, by their places; of one place the first counts."""
    found: dict[str, str] = {}
    for element in tags:
        if element["text"] and "[" in element["key"] and read_place(element["key"]):
            found.setdefault(element["key"], element["text"])
    return found


def with_texts(name: str, parts: Any, texts: Mapping[str, str], before: Mapping[str, str] | None = None) -> Any:
    """Return a list of objects with the titles that the evidence (`placed_texts`) has for them now.

    A title that differs from what the evidence gave before was set otherwise, and stays; without `before` all are
    replaced. What is no list of objects is returned as it is.
    """
    if not isinstance(parts, list):
        return parts
    made = list(parts)
    for key, text in texts.items():
        place = read_place(key)
        if not place or place[0] != name or place[1] >= len(made):
            continue
        _, number, of_part = place
        part = made[number]
        if isinstance(part, dict) and (before is None or part.get(of_part) == before.get(key)):
            made[number] = {**part, of_part: text}
    return made


def _best(found: Sequence[Mapping[str, Any]], key: str) -> str | None:
    texts = [element["text"] for element in _of_best_place(found)]
    if key in _FORMS:
        texts = list(filter(None, map(_FORMS[key], texts)))
    if key == "genre":
        texts = [name for text in texts for name in _genre_names(text)]
    several = list(dict.fromkeys(texts))[: _MAX_JOINED if key in _SEVERAL else 1]
    return "; ".join(several) or None


def _of_best_place(found: Sequence[Mapping[str, Any]]) -> list[Mapping[str, Any]]:
    """Return the elements of the source that counts, as many as it has in one frame."""
    texts = [element["text"] for element in found]
    lost = {_place_of(element) for element in found if is_lost(element, texts)}

    def rank(element: Mapping[str, Any]) -> tuple[bool, int]:
        source = element["source"]
        of_copy = bool(element.get("copy_url"))
        by = -1 if _names_episode(element) else 2 * (source in EXTERNAL_SOURCES) + (source in _SHORT)
        return _place_of(element) in lost, 3 * of_copy + by

    best = _place_of(min(found, key=rank))
    return [element for element in found if _place_of(element) == best]


def _names_episode(element: Mapping[str, Any]) -> bool:
    """Whether the entry of a feed states it of one file: frames of a channel have a slash, those of attributes an @."""
    is_first = element["source"] == FEED and element["key"] in {"title", "date"}
    return is_first and not ("/" in element["frame"] or "@" in element["frame"])


def _place_of(element: Mapping[str, Any]) -> tuple[Any, ...]:
    return element["source"], element["frame"], element.get("page_url"), element.get("copy_url")


def _genre_names(text: str) -> Iterable[str]:
    """Write out ID3's codes of genres: ``(17)`` and ``17`` are Rock, ``RX`` is Remix, ``CR`` Cover."""
    if len(text) <= _MAX_GENRE and (text.isdecimal() or text.startswith("(") or text in {"RX", "CR"}):
        # Its import takes 120 ms, and few genres are written so.
        from mutagen.id3 import TCON  # noqa: PLC0415

        names: list[str] = cast("Any", TCON)(encoding=3, text=[text]).genres
        return names or [text]
    return [text]


def guessed_language(elements: Sequence[Mapping[str, Any]]) -> tuple[str | None, float | None]:
    """The language that most surely read texts are in, and how sure that is: their mean confidence times their share.

    What is said of the file elsewhere counts only if the file has no title of its own and none of its texts is surely
    read; titles of pages, texts of links and names in URLs never count. Of several languages that are equally
    frequent the first one met counts.

    Returns:
        The language and a number from 0 to 1; both None if no text is surely read.
    """
    own = [element for element in elements if element["source"] not in EXTERNAL_SOURCES]
    votes = _votes(own)
    if not votes and not any(element["key"] == "title" and element["text"] for element in own):
        votes = _votes(
            element
            for element in elements
            if element["source"] in EXTERNAL_SOURCES and element["key"] not in _OF_PLACES
        )
    if not votes:
        return None, None
    language = Counter(found for found, _ in votes).most_common(1)[0][0]
    return language, round(sum(sure for found, sure in votes if found == language) / len(votes), 4)


def _votes(elements: Iterable[Mapping[str, Any]]) -> list[tuple[str, float]]:
    votes = []
    for element in elements:
        language, confidence = element.get("language"), number(element.get("confidence"))
        is_sure = confidence >= _SURE and decision_of(element) in {"declared", "fixed"}
        if is_sure and language and isinstance(language, str):
            votes.append((language, min(confidence, 1.0)))
    return votes


_NUMBER = re.compile(r"\d{1,7}(?:\.\d{1,6})?", re.ASCII)


def chapters_of(elements: Iterable[dict[str, Any]]) -> list[dict[str, Any]]:
    """The chapters that a feed states: beginning, link and picture are attributes of the frame (`base.facts.framed`).

    A chapter that is missing ends them, since the keys of those behind it are not their places.

    Args:
        elements: of ``tags``, the titles of the chapters; of one key the first counts.
    """
    titles: dict[int, dict[str, Any]] = {}
    for each in elements:
        number = chapter_number(each["key"])
        if number is not None:
            titles.setdefault(number, each)
    found = list[Chapter]()
    while (element := titles.get(len(found))) is not None:
        about = frame_attributes(element["frame"])
        start = number_in(about.get("start"))
        found.append(Chapter(start or 0.0, None, element["text"], about.get("href"), about.get("image")))
    for chapter, following in pairwise(found):
        chapter.end = following.start if following.start > chapter.start else None
    made: list[dict[str, Any]] = clean_all(list(map(as_object, found)))
    return made


def number_in(text: str | None) -> float | None:
    """Return the number that a fact states; None if it states none."""
    if text is None or not _NUMBER.fullmatch(text):
        return None
    return float(text)
