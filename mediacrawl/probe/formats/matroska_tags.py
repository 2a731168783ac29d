"""Tags of Matroska and WebM (RFC 9559, 5.1.8): texts about the file, a part of it, or what it belongs to.

What a tag is about is its target: a number from 10 to 70, where in music 30 is the song and 50 the album and in
films 50 is the film, or the identity of a track, chapter, edition or attachment. Most writers set none.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from mediacrawl.base.charsets import decode
from mediacrawl.probe.context import LimitError, ParseContext
from mediacrawl.probe.formats import ebml
from mediacrawl.probe.formats.ebml import Element
from mediacrawl.probe.formats.keys import matroska_key
from mediacrawl.probe.text import UTF8, Value

SOURCE = "matroska"
_TAG, _TARGETS, _SIMPLE = 0x7373, 0x63C0, 0x67C8
_NAME, _STRING, _LANGUAGE, _LANGUAGE_BCP47 = 0x45A3, 0x4487, 0x447A, 0x447B
_LEVEL = 0x68CA
_PARTS = {0x63C5: "track", 0x63C9: "edition", 0x63C4: "chapter", 0x63C6: "attachment"}
_SONG, _DISC, _WHOLE = 30, 40, 50
"""Levels of a song, of a disc, and of an album or a film."""
_MAX_DEPTH = 8
_MAX_NAME = 64
_COUNTS = frozenset({"BPS", "DURATION", "NUMBER_OF_FRAMES", "NUMBER_OF_BYTES"})
"""Statistics of each track, which are no texts."""


_ABOUT_PEOPLE = {"actor": "CHARACTER", "performer": "INSTRUMENTS"}
"""What nests in a person's name and describes it, by the key of the name."""


@dataclass(frozen=True, slots=True)
class TagTarget:
    """The target of a tag.

    Attributes:
        level: 10 to 70, 0 if the file does not say.
        part: ``track``, ``chapter``, ``edition``, ``attachment``, or empty: the file.
        uid: which one.
    """

    level: int = 0
    part: str = ""
    uid: int = 0


@dataclass(frozen=True, slots=True)
class SimpleTag:
    """One text: what it is about, its name with those it is nested in, its language, its bytes."""

    target: TagTarget
    name: str
    lang: str
    raw: bytes


def read_tags(context: ParseContext, parent: Element, texts: list[SimpleTag]) -> None:
    """Reads all tags and adds their texts to `texts`; one that is broken does not hide the others."""
    for tag in ebml.children(context, parent):
        if tag.name == _TAG:
            with context.stage("tag"):
                target = TagTarget()
                for part in ebml.children(context, tag):
                    if part.name == _TARGETS:
                        target = _read_target(context, part)
                    elif part.name == _SIMPLE:
                        # Reads a text and those nested in it, which say more about it: a
                        # sort form, a role, the original's.
                        waiting: list[tuple[Element, tuple[str, ...]]] = [(part, ())]
                        while waiting:
                            element, outer = waiting.pop()
                            name, lang, raw, nested = _read_fields(context, element)
                            path = (*outer, name)
                            if raw:
                                if len(texts) >= context.policy.max_tags:
                                    raise LimitError("tags")
                                texts.append(SimpleTag(target, "/".join(path), lang, raw))
                            if nested and len(path) == _MAX_DEPTH:
                                raise LimitError("depth")
                            waiting.extend((inner, path) for inner in reversed(nested))


def _read_target(context: ParseContext, targets: Element) -> TagTarget:
    level, part, uid = 0, "", 0
    for field in ebml.children(context, targets):
        if field.name == _LEVEL:
            level = ebml.unsigned(context, field)
        elif field.name in _PARTS and (number := ebml.unsigned(context, field)):
            part, uid = _PARTS[field.name], number
    return TagTarget(level, part, uid)


def _read_fields(context: ParseContext, simple: Element) -> tuple[str, str, bytes, list[Element]]:
    name, lang, raw, nested = "", "", b"", []
    for field in ebml.children(context, simple):
        if field.name == _NAME:
            name = ebml.text(context, field)[:_MAX_NAME].decode("utf-8", errors="replace")
        elif field.name == _STRING:
            raw = ebml.text(context, field)
        elif field.name == _LANGUAGE_BCP47 or (field.name == _LANGUAGE and not lang):
            lang = ebml.text(context, field)[:_MAX_NAME].decode("latin-1")
        elif field.name == _SIMPLE:
            nested.append(field)
    return name, lang, raw, nested


def add_texts(context: ParseContext, texts: Sequence[SimpleTag], *, video: bool, tracks: int) -> None:
    """Adds the texts to the result, each with its common name.

    An actor's description is the character, a performer's the instruments; that of other texts is their target.
    """
    song = not video and any(text.target.level == _SONG and text.name == "TITLE" for text in texts)
    # The artist of an album is that of a song for which none is stated.
    with_artist = any(text.name == "ARTIST" and text.target.level <= _SONG for text in texts)
    for place, text in enumerate(texts):
        part = text.target.part
        if part == "track" and (text.name in _COUNTS or text.name.startswith("_STATISTICS")):
            continue
        if part == "track" and tracks == 1:
            part = ""
        level = text.target.level
        key = matroska_key(text.name, part or _place(level, video=video, song=song))
        desc = part or (str(level) if level else "")
        if key in _ABOUT_PEOPLE:
            desc = _nested(texts, place, _ABOUT_PEOPLE[key])
        lang = "" if text.lang == "und" else text.lang
        context.add(SOURCE, text.name, key, Value(text.raw, UTF8), lang=lang, desc=desc)
        if key == "albumartist" and text.name == "ARTIST" and not with_artist:
            context.add(SOURCE, text.name, "artist", Value(text.raw, UTF8), lang=lang, desc=desc)


def _nested(texts: Sequence[SimpleTag], place: int, name: str) -> str:
    """The text of a name that nests in the one at a place, which follows it; empty without one."""
    outer = texts[place].name + "/"
    for text in texts[place + 1 :]:
        if not text.name.startswith(outer):
            return ""
        if text.name == outer + name:
            return decode(text.raw, UTF8).strip("\0")
    return ""


def _place(level: int, *, video: bool, song: bool) -> str:
    """The meaning of a level in this file: the file itself, the album, a part, or a collection."""
    if level > _WHOLE:
        return "collection"
    if video:
        return "part" if 0 < level < _WHOLE else ""
    if level == _DISC:
        return "disc"
    if level == _WHOLE:
        return "album" if song else ""
    return "part" if 0 < level < _SONG else ""


def bit_rate(texts: Sequence[SimpleTag], uid: int) -> int | None:
    """Returns the bits per second that the writer counted for a track, if it did."""
    for text in texts:
        if text.name == "BPS" and text.target.uid == uid and len(text.raw) <= 12 and text.raw.isdigit():
            return int(text.raw) or None
    return None
