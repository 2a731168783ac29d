"""Chapters in Vorbis comments: ``CHAPTER001=00:05:00.000``, with ``CHAPTER001NAME`` and ``CHAPTER001URL``.

Source: "Chapter Extension" (wiki.xiph.org). Its first draft had the end behind an arrow, which some files still have.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from mediacrawl.encoding.records.values import text_place
from mediacrawl.model.parts import Chapter
from mediacrawl.probe.context import ParseContext, is_plain
from mediacrawl.probe.web_address import address_in
from mediacrawl.records import Tag

_field = re.compile(r"CHAPTER(\d{2,4})(NAME|URL|)", re.ASCII).fullmatch
_times = re.compile(r"\s*([\d:.,]+)\s*(?:-->\s*([\d:.,]+)\s*)?", re.ASCII).fullmatch
_time = re.compile(r"(\d{1,5}):(\d{1,2}):(\d{1,2}(?:[.,]\d{1,9})?)", re.ASCII).fullmatch


@dataclass(slots=True)
class _Fields:
    """The comments of one chapter; of several of one kind the first counts."""

    time: Tag | None = None
    name: Tag | None = None
    url: Tag | None = None

    def put(self, kind: str, tag: Tag) -> None:
        """Takes a comment by the end of its name."""
        if kind == "NAME":
            self.name = self.name or tag
        elif kind == "URL":
            self.url = self.url or tag
        else:
            self.time = self.time or tag

    def chapter(self) -> Chapter | None:
        """The chapter without its title; None if no time is stated."""
        times = _times(self.time.text) if self.time else None
        start = _seconds(times[1]) if times else None
        if times is None or start is None:
            return None
        return Chapter(start, _seconds(times[2] or ""), url=address_in(self.url.text) if self.url else None)


def take_chapters(context: ParseContext) -> None:
    """Makes chapters of the comments that state them, which are no texts of their own then.

    A title beyond ASCII stays as a tag, whose key is its place among the chapters.
    """
    result = context.result
    found: dict[str, _Fields] = {}
    for tag in result.tags:
        field = _field(tag.frame) if tag.source == "vorbis" else None
        if field:
            found.setdefault(field[1], _Fields()).put(field[2], tag)
    made = [(chapter, fields) for fields in found.values() if (chapter := fields.chapter())]
    if not made or any(chapter.title for chapter in result.chapters):
        return
    # Those of a cue sheet have no titles.
    result.chapters.clear()
    context.add_chapters("vorbis", "", [(chapter, None) for chapter, _ in made])
    places = {id(chapter): place for place, chapter in enumerate(result.chapters)}
    gone: set[int] = set()
    for chapter, fields in made:
        if id(chapter) in places:
            gone |= _settle(chapter, fields, places[id(chapter)])
    result.tags = [tag for tag in result.tags if id(tag) not in gone]


def _settle(chapter: Chapter, fields: _Fields, place: int) -> set[int]:
    """Gives a chapter its title; returns the identities of the comments that are not needed any more."""
    gone = {id(fields.time)}
    if chapter.url:
        gone.add(id(fields.url))
    if fields.name:
        chapter.title, fields.name.key = fields.name.text, text_place("chapters", place)
        if is_plain(fields.name.text, fields.name.raw):
            gone.add(id(fields.name))
    return gone


def _seconds(text: str) -> float | None:
    time = _time(text)
    return int(time[1]) * 3600 + int(time[2]) * 60 + float(time[3].replace(",", ".")) if time else None
