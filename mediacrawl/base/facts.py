"""Facts about a media file from pages, feeds and lists: they travel with the URL and become evidence in the record.

A fact is one text with its source. In the frontier facts are a short JSON text (`pack`), in a record elements of
``tags`` whose source is one of `EXTERNAL_SOURCES`. What the file itself says takes precedence, but for the title and
the date of an episode, which its feed states.

Some texts describe an object, with attributes in their frames: `persons_of`, `transcripts_of`, `soundbites_of`.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Mapping
from typing import Any, NamedTuple

from mediacrawl.base.languages import bcp47
from mediacrawl.base.parts import Person, Soundbite, Transcript, as_object

PAGE, FEED, SITEMAP, PLAYLIST, ADAPTER, URL = "page", "feed", "sitemap", "playlist", "adapter", "url"
EXTERNAL_SOURCES = frozenset({PAGE, FEED, SITEMAP, PLAYLIST, ADAPTER, URL})
"""Sources of facts outside the file."""

KEYS = frozenset(
    {
        *("type", "title", "artist", "albumartist", "album", "composer", "genre", "date", "tracknumber", "language"),
        *("comment", "copyright", "description", "keywords", "license", "license_url", "isrc", "label", "duration"),
        *("width", "height", "size", "mime", "thumbnail_url", "upload_date", "embed_url", "player_url", "podcast"),
        *("episode", "season", "explicit", "transcript_url", "chapters_url", "hub_url", "views", "provider"),
        *("episode_type", "media_kind", "location", "is_live", "podcast_guid", "episode_guid", "person", "soundbite"),
        "bitrate",
    }
)
"""Keys of facts: Picard's names where a tagger has one, otherwise the record's own."""

MOST_FACTS = 100
"""Facts of one file that are kept; a page's own description of a file has some ten, a podcast with chapters fifty."""
LEAST_HEAD = 4096
"""Bytes of a head that identify a file, if it is not the whole file: shorter heads may be equal headers."""
OCTETS = "latin-1"
"""Value of `Fact.declared` for a text whose encoding is not known."""
LONGEST_TEXT = 500
"""Characters of one fact."""
_LONGEST_ALL = 8_000
"""Characters of all facts of one file: they wait in the frontier, one such text for each URL of media."""

_LONGEST_FRAME = 600
_is_chapter = re.compile(r"chapters\[\d{1,3}\]\.title", re.ASCII).fullmatch
"""Keys of chapters' titles: ``chapters[3].title`` is that of the fourth chapter."""

_is_reading = re.compile(
    r"[a-z0-9][a-z0-9_-]{1,39}+(?: (?:models|chardet|default) (?:-|[A-Za-z]{2,3}(?:-[A-Za-z]{4})?) [01]\.\d{4})?",
    re.ASCII,
).fullmatch

_CONTROLS = dict.fromkeys([*range(0x20), 0x7F], " ")


class Fact(NamedTuple):
    """One statement about a media file.

    Attributes:
        source: one of `EXTERNAL_SOURCES`.
        frame: its place there: ``og:title``, ``json-ld:name``, ``itunes:author``; attributes may follow, see
            `framed`.
        key: one of `KEYS`, or ``chapters[0].title``, ``chapters[1].title`` ...
        text: the value, white space folded.
        declared: ``latin-1`` for octets in an unknown encoding, each as the character of its number; the fixer decodes
            them. Otherwise the encoding of the page or list: ``utf-8``, ``cp1251``; or, where models decided, ``cp1251
            models ru 0.9941`` (see `base.charsets.DocumentReading`).
    """

    source: str
    frame: str
    key: str
    text: str
    declared: str = "utf-8"


def fact(source: str, frame: str, key: str, text: object, declared: str = "utf-8") -> Fact | None:
    """Make a fact; None if the value is none.

    Args:
        source: one of `EXTERNAL_SOURCES`.
        frame: its place there.
        key: one of `KEYS`.
        text: a text or a number; white space is folded, and the rest beyond `LONGEST_TEXT` characters is cut off.
        declared: see `Fact`.
    """
    if isinstance(text, bool) or not isinstance(text, (str, int, float)) or not _is_key(key):
        return None
    if isinstance(text, int) and text.bit_length() > 64:
        return None
    cut = str(text)[: 4 * LONGEST_TEXT].translate(_CONTROLS)
    if declared != "utf-8" and cut.isascii():
        declared = "utf-8"
    # An octet that is a space in Latin-1 may be half of a letter.
    words = cut.split(" ") if declared == OCTETS else cut.split()
    folded = " ".join(filter(None, words))[:LONGEST_TEXT]
    return Fact(source, frame, key, _unicode(folded), declared) if folded else None


def _is_key(key: str) -> bool:
    return key in KEYS or _is_chapter(key) is not None


_attributes = re.compile(r"\[@([a-z_]{1,20})='([^']*)'\]").findall


def framed(frame: str, **attributes: str | None) -> str:
    """A frame with attributes, as XPath writes them: ``podcast:person[@role='guest'][@href='https://…']``.

    Args:
        frame: name of the element.
        attributes: those without a value are left out. One that is too long together with the others is left out too.
    """
    for name, value in attributes.items():
        quoted = " ".join((value or "").split()).replace("'", "%27")
        if quoted and len(frame) + len(name) + len(quoted) + 6 <= _LONGEST_FRAME:
            frame += f"[@{name}='{quoted}']"
    return frame


def frame_attributes(frame: str) -> dict[str, str]:
    """The attributes of a frame that `framed` wrote; of any other text none."""
    return dict(_attributes(frame[:_LONGEST_FRAME])) if "[@" in frame else {}


def stated(found: Iterable[Fact | None]) -> list[Fact]:
    """Leave out None."""
    return [each for each in found if each is not None]


def read_as(facts: Iterable[Fact], reading: str) -> tuple[Fact, ...]:
    """Set the encoding of the page or list that facts come from; ASCII is the same in all.

    Args:
        facts: of one page or list; an encoding that was set before stays.
        reading: see `Fact.declared`.
    """
    return tuple(
        each._replace(declared=reading) if each.declared == "utf-8" and not each.text.isascii() else each
        for each in facts
    )


def pack(facts: Iterable[Fact]) -> str:
    """Write facts as a text for the frontier; of too many the first are kept."""
    kept: list[tuple[str, ...]] = []
    room = _LONGEST_ALL
    for each in dict.fromkeys(facts):
        room -= sum(map(len, each[:4]))
        if len(kept) == MOST_FACTS or room < 0:
            break
        kept.append(each[:4] if each.declared == "utf-8" else each)
    return json.dumps(kept, ensure_ascii=False, separators=(",", ":")) if kept else ""


def unpack(text: str) -> list[Fact]:
    """Read the text of `pack`. It may come from another program: what is no fact is left out."""
    if not text or len(text) > 4 * _LONGEST_ALL:
        return []
    try:
        found = json.loads(text)
    except (ValueError, RecursionError):
        return []
    return stated(map(_read, found[:MOST_FACTS] if isinstance(found, list) else []))


def is_external(element: Any) -> bool:
    """Whether something in a stored record's ``tags`` is an element whose source is one of `EXTERNAL_SOURCES`."""
    source = element.get("source") if isinstance(element, dict) else None
    return isinstance(source, str) and source in EXTERNAL_SOURCES


def of_tags(elements: Iterable[Any]) -> list[Fact]:
    """Find the facts among the elements of a record's ``tags``, with their original texts.

    Those with a ``page_url`` are left out: as evidence of a link they would be facts of the record's own page.
    """
    found = []
    for element in elements:
        if is_external(element) and not element.get("page_url"):
            told = element.get("text_declared") or element.get("text")
            read = [declared] if (declared := _reading_of(element)) != "utf-8" else []
            found.append(_read([element.get(name) for name in ("source", "frame", "key")] + [told, *read]))
    return stated(found)


def _read(entry: Any) -> Fact | None:
    if not isinstance(entry, list) or len(entry) not in {4, 5} or not all(isinstance(part, str) for part in entry):
        return None
    source, frame, key, text = entry[:4]
    declared = next(iter(entry[4:]), "utf-8")
    if not _is_reading(declared) or (declared == OCTETS and not all(character < "\u0100" for character in text)):
        declared = "utf-8"
    return fact(source, _unicode(frame[:_LONGEST_FRAME]), key, text, declared) if source in EXTERNAL_SOURCES else None


def _reading_of(element: Mapping[str, Any]) -> str:
    """The value of `Fact.declared` for an element of ``tags``."""
    declared, by = element.get("declared"), element.get("document")
    if not isinstance(declared, str):
        return "utf-8"
    if not isinstance(by, str) or declared == OCTETS:
        return declared
    encoding, confidence = element.get("encoding"), element.get("confidence")
    if not isinstance(encoding, str) or encoding.partition(">")[0] != declared:
        # The record was decoded otherwise, perhaps by chardet, which says nothing about the document.
        return f"{declared} {'models' if by == 'chardet' else by} - {0:.4f}"
    sure = confidence if isinstance(confidence, (int, float)) and 0 <= confidence <= 1 else 0.0
    return f"{declared} {by} {element.get('language') or '-'} {sure:.4f}"


def _unicode(text: str) -> str:
    """The text without lone surrogates, which no file in UTF-8 can hold."""
    return text.encode("utf-8", errors="replace").decode("utf-8")


ROLES = (
    "artist", "composer", "lyricist", "writer", "conductor", "performer", "arranger", "remixer", "producer", "engineer",
    "mixer", "djmixer", "director", "actor", "narrator",
)  # fmt: skip
"""Keys of tags that name people, by Picard's names; `Person.role` is the key."""
PERSON = "person"
"""Key of facts that name people; the role is an attribute of the frame."""
_WITH_OWN_DESCRIPTION = frozenset({"TXXX", "TXX"})
"""Frames whose description is the name of the field."""
_MOST_PERSONS = 50
_LONGEST_INSTRUMENT = 200
_MOST_PARTS = 20


def persons_of(
    named: Iterable[tuple[str, Mapping[str, Any]]], facts: Iterable[Mapping[str, Any]]
) -> list[dict[str, Any]]:
    """Return who took part, as objects of `Person`, from elements of ``tags``: with their roles, and of `PERSON`."""
    persons = [_person(role, element) for role, element in named]
    for element in facts:
        about = frame_attributes(element["frame"])
        persons.append(Person(about.get("role", "host"), element["text"], url=about.get("href")))
    return _distinct(map(as_object, persons))[:_MOST_PERSONS]


def _person(role: str, element: Mapping[str, Any]) -> Person:
    """Who a text names. A performer's instrument is its description, or stands in parentheses behind the name."""
    text, about = element["text"], element.get("desc") or None
    if not isinstance(about, str) or element["frame"] in _WITH_OWN_DESCRIPTION:
        about = None
    if role == "performer" and not about:
        text, about = _with_instrument(text)
    return Person(
        role, text, instrument=about if role == "performer" else None, character=about if role == "actor" else None
    )


def _with_instrument(text: str) -> tuple[str, str | None]:
    """Split ``Name (guitar)``; an instrument may have parentheses itself: ``Name (drums (drum set))``."""
    plain, depth = text.rstrip(), 0
    if not plain.endswith(")"):
        return text, None
    for at in range(len(plain) - 1, max(0, len(plain) - _LONGEST_INSTRUMENT), -1):
        depth += (plain[at] == ")") - (plain[at] == "(")
        if not depth:
            name, instrument = plain[:at].rstrip(), plain[at + 1 : -1].strip()
            return (name, instrument) if name and instrument else (text, None)
    return text, None


def transcripts_of(elements: Iterable[Mapping[str, Any]]) -> list[dict[str, Any]]:
    """Return the transcripts that elements of ``tags`` name, as objects of `Transcript`."""
    made = []
    for element in elements:
        about = frame_attributes(element["frame"])
        made.append(Transcript(element["text"], about.get("type"), bcp47(about.get("language"))))
    return _distinct(map(as_object, made))[:_MOST_PARTS]


def soundbites_of(elements: Iterable[Mapping[str, Any]]) -> list[dict[str, Any]]:
    """Return the clips that elements of ``tags`` describe, as objects of `Soundbite`."""
    made = []
    for element in elements:
        about = frame_attributes(element["frame"])
        start = _seconds(about.get("start"))
        if start is not None:
            made.append(Soundbite(start, _seconds(about.get("duration")), element["text"]))
    return _distinct(map(as_object, made))[:_MOST_PARTS]


def _distinct(parts: Iterable[dict[str, Any]]) -> list[dict[str, Any]]:
    return list({tuple(part.items()): part for part in parts}.values())


_decimal = re.compile(r"\d{1,7}(?:\.\d{1,9})?", re.ASCII).fullmatch


def _seconds(text: str | None) -> float | None:
    return float(text) if text and _decimal(text) else None
