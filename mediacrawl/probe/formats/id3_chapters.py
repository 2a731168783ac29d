"""Chapters of ID3v2: the frames CHAP and CTOC, with the frames inside them. Their pictures are never fetched.

Source: "ID3v2 Chapter Frame Addendum" 1.0 (id3.org).
"""

from __future__ import annotations

from typing import NamedTuple

from mediacrawl.model.parts import Chapter
from mediacrawl.probe.context import LimitError, ParseContext
from mediacrawl.probe.formats.id3_frame import FrameReader, Id3Frame, Part
from mediacrawl.probe.formats.pictures import LINK
from mediacrawl.probe.text import LATIN1, Value, cut, decode
from mediacrawl.probe.web_address import address_in

CHAPTER, CONTENTS = "CHAP", "CTOC"
FRAMES = frozenset({CHAPTER, CONTENTS})
_ID_WINDOW = 256
"""Bytes in which the id of an element and what follows it must end; programs write a few letters."""
_TIMES = 16
"""Bytes of start and end: times, then offsets."""
_UNKNOWN = 0xFFFFFFFF
_CONTENTS_WINDOW = 8192
"""A table of contents has at most 255 entries."""
_TOP_LEVEL, _ORDERED = 2, 1
_MAX_DEPTH = 8
_TITLES = ("TIT2", "TIT3")
_LINK_WINDOW = 2048


class _Found(NamedTuple):
    name: bytes
    chapter: Chapter
    title: Value | None


class _Contents(NamedTuple):
    flags: int
    entries: list[bytes]


class ChapterFrames:
    """The chapters and tables of contents of one tag.

    Args:
        context: takes the chapters.
        source: name of the tag, as in `ParseContext.add`.
    """

    def __init__(self, context: ParseContext, source: str) -> None:
        self._context = context
        self._source = source
        self._chapters: list[_Found] = []
        self._contents: dict[bytes, _Contents] = {}
        self._limit = ""

    def take(self, reader: FrameReader, frame: Id3Frame) -> None:
        """Reads one of `FRAMES`; what is broken or not at hand does not hide the others.

        Raises:
            LimitError: the tag exceeds a limit, so that nothing more of it may be read.
        """
        with self._context.stage("chapter"):
            try:
                if frame.name == CHAPTER:
                    self._read_chapter(reader, frame)
                else:
                    self._read_contents(reader, frame)
            except LimitError as limit:
                self._limit = str(limit)
                raise
        if self._limit:
            raise LimitError(self._limit)

    def commit(self) -> None:
        """Gives the chapters to the result.

        They are in the order of the table of contents that is marked as the top one and as ordered, if that is another
        one than that of their times. What no table names and has no title is there for its picture.
        """
        order = self._order()
        shown = self._chapters
        if order:
            shown = [each for each in shown if each.name in order or each.title or each.chapter.url]
        shown = sorted(shown, key=lambda each: order.get(each.name, len(order)))
        named = [each.chapter.start for each in shown if each.name in order]
        chapters = [(each.chapter, each.title) for each in shown]
        self._context.add_chapters(self._source, CHAPTER, chapters, in_order=named != sorted(named))

    def _read_chapter(self, reader: FrameReader, frame: Id3Frame) -> None:
        part = reader.part(frame)
        if part is None or len(self._chapters) > self._context.policy.max_chapters:
            return
        window = part.source.get(part.start, min(part.start + _ID_WINDOW, part.stop))
        name, rest = cut(window, LATIN1)
        if rest is None or len(rest) < _TIMES:
            self._context.note("chapter:broken")
            return
        start, end = int.from_bytes(rest[:4], "big"), int.from_bytes(rest[4:8], "big")
        if start == _UNKNOWN:
            return
        chapter = Chapter(start / 1000, None if end == _UNKNOWN else end / 1000)
        inner = reader.inside(Part(part.source, part.start + len(name) + 1 + _TIMES, part.stop))
        # What was read of the frames inside counts, even where the rest is not at hand.
        titles: dict[str, Value] = {}
        try:
            self._read_inside(inner, chapter, titles)
        finally:
            title = next((titles[each] for each in _TITLES if each in titles), None)
            self._chapters.append(_Found(name, chapter, title))

    def _read_inside(self, reader: FrameReader, chapter: Chapter, titles: dict[str, Value]) -> None:
        for frame in reader.frames():
            if frame.name in _TITLES and self._context.fits(frame.size):
                titles.update((frame.name, value) for value in reader.values(frame)[:1])
            elif frame.name == "WXXX" and not chapter.url and self._context.fits(frame.size):
                texts = (decode(*value) for value in reader.values(frame)[:1])
                chapter.url = next((address_in(text) for text in texts), None)
            elif frame.name == "APIC" and frame.size <= _LINK_WINDOW:
                chapter.image = chapter.image or _linked_picture(reader.part(frame))

    def _read_contents(self, reader: FrameReader, frame: Id3Frame) -> None:
        part = reader.part(frame)
        if part is None or len(self._contents) > self._context.policy.max_chapters:
            return
        window = part.source.get(part.start, min(part.start + _CONTENTS_WINDOW, part.stop))
        name, rest = cut(window, LATIN1)
        if rest is None or len(rest) < 2:
            self._context.note("chapter:broken")
            return
        entries, left = [], rest[2:]
        for _ in range(rest[1]):
            entry, more = cut(left, LATIN1)
            if more is None:
                break
            entries.append(entry)
            left = more
        self._contents.setdefault(name, _Contents(rest[0], entries))

    def _order(self) -> dict[bytes, int]:
        """Place of each chapter in the top table of contents, by name; empty without one that is ordered."""
        top = next((each for each in self._contents.values() if each.flags & _TOP_LEVEL), None)
        if top is None or not top.flags & _ORDERED:
            return {}
        known = {each.name for each in self._chapters}
        return {name: place for place, name in enumerate(self._named(top, known))}

    def _named(self, top: _Contents, known: set[bytes]) -> list[bytes]:
        """The chapters that a table names, and those that the tables in it name."""
        found: dict[bytes, None] = {}
        met: set[bytes] = set()
        waiting = [(name, 1) for name in reversed(top.entries)]
        while waiting:
            name, depth = waiting.pop()
            if name in known:
                found[name] = None
            elif name in self._contents and name not in met and depth < _MAX_DEPTH:
                met.add(name)
                waiting.extend((inner, depth + 1) for inner in reversed(self._contents[name].entries))
        return list(found)


def _linked_picture(part: Part | None) -> str | None:
    """The URL of a picture that is not in the file (id3v2.4.0-frames, 4.14)."""
    if part is None:
        return None
    mime, rest = cut(part.source.get(part.start, part.stop)[1:], LATIN1)
    if mime != LINK.encode() or rest is None:
        return None
    # Behind the type of the picture and its description, which mostly is empty.
    return address_in(rest[1:].rpartition(b"\0")[2].decode(LATIN1))
