"""Frames of ID3v2 that hold no plain text: identifiers, numbers, pictures and chapters.

Sources: id3v2.4.0-frames, 4.1 (UFID), 4.11 (RVA2) and 4.14 (APIC), id3v2-00, 4.15 (PIC), with the older frames that
`gains` names; "ID3v2 Chapter Frame Addendum" 1.0 (id3.org). PCST is iTunes' own: it is there in the episodes of
podcasts.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import NamedTuple, Protocol

from mediacrawl.base.charsets import decode
from mediacrawl.base.parts import Chapter
from mediacrawl.probe.context import ByteSource, LimitError, ParseContext, address_in
from mediacrawl.probe.formats.gains import Gain, rgad_gains, rva2_gains, rvad_gains
from mediacrawl.probe.formats.shared_codes import LINK
from mediacrawl.probe.text import LATIN1, UTF8, UTF16, UTF16BE, Value, cut


@dataclass(frozen=True, slots=True)
class Id3Frame:
    """One frame's place and flags; `flags` are 0 in 2.2."""

    name: str
    flags: int
    start: int
    stop: int

    @property
    def size(self) -> int:
        """Bytes of its body."""
        return self.stop - self.start


class Part(NamedTuple):
    """The content of a frame: what its flags say is undone by `source`.

    Attributes:
        source: bytes at offsets.
    """

    source: ByteSource
    start: int
    stop: int


class FrameReader(Protocol):
    """What reads the frames inside a part of a tag."""

    def frames(self) -> Iterator[Id3Frame]:
        """Yields the frames, in the order of the file."""
        ...

    def part(self, frame: Id3Frame) -> Part | None:
        """Where a frame's content is; None if it is encrypted or broken."""
        ...

    def values(self, frame: Id3Frame) -> list[Value]:
        """The values of a text frame, without its description."""
        ...

    def inside(self, part: Part) -> FrameReader:
        """A reader of the frames in a part."""
        ...


_MUSICBRAINZ = b"http://musicbrainz.org"
_LONGEST_OWNER = 100
_LONGEST_ID = 64
LONGEST_BINARY = 1024
"""Bytes of a frame that is read here."""


def read_frame(context: ParseContext, source: str, frame: str, body: bytes) -> None:
    """Reads one frame."""
    _READERS[frame](context, source, frame, body)


def _read_identifier(context: ParseContext, source: str, frame: str, body: bytes) -> None:
    """Reads who gave the identifier, which MusicBrainz uses for the recording, and the identifier."""
    owner, identifier = cut(body, LATIN1)
    if not identifier or len(owner) > _LONGEST_OWNER or len(identifier) > _LONGEST_ID:
        return
    if owner.rstrip(b"/") == _MUSICBRAINZ:
        context.add(source, frame, "musicbrainz_recordingid", Value(identifier.rstrip(b"\0"), LATIN1))
        return
    shown = identifier.rstrip(b"\0")
    if not (shown.isascii() and shown.decode(LATIN1).isprintable()):
        shown = identifier.hex().encode()
    context.add(source, frame, "ufid", Value((owner + b" " + shown).strip(), LATIN1))


def _read_podcast(context: ParseContext, source: str, frame: str, _: bytes) -> None:
    context.add_number(source, frame, "media_kind", "podcast")


def _gains(read: Callable[[bytes], list[Gain]]) -> Callable[[ParseContext, str, str, bytes], None]:
    def add(context: ParseContext, source: str, frame: str, body: bytes) -> None:
        for key, text in read(body):
            context.add_number(source, frame, key, text)

    return add


_READERS: dict[str, Callable[[ParseContext, str, str, bytes], None]] = {
    "UFID": _read_identifier,
    "UFI": _read_identifier,
    "PCST": _read_podcast,
    "PCS": _read_podcast,
    "RVA2": _gains(rva2_gains),
    "XRVA": _gains(rva2_gains),
    "RVAD": _gains(rvad_gains),
    "RVA": _gains(rvad_gains),
    "RGAD": _gains(rgad_gains),
}
BINARY_FRAMES = frozenset(_READERS)
"""Names of the frames that `read_frame` reads."""


PICTURE_HEADER = 512
"""Bytes that are looked at."""
_ENCODINGS = (LATIN1, UTF16, UTF16BE, UTF8)


class Id3Picture(NamedTuple):
    """What is known of a picture.

    Attributes:
        offset: of its data, from where the content of the frame begins.
    """

    mime: str | None = None
    size: int | None = None
    number: int | None = None
    offset: int | None = None


def read_picture(header: bytes, content: int, *, old: bool) -> Id3Picture:
    """Reads type and size of a picture. The old form, of ID3v2.2, has three letters in place of the MIME type."""
    declared = _ENCODINGS[header[0]] if header[0] < len(_ENCODINGS) else LATIN1
    if old:
        letters, rest = header[1:4], header[4:]
        mime = LINK if letters == LINK.encode() else "image/" + letters.decode(LATIN1).lower().replace("jpg", "jpeg")
    else:
        name, after = cut(header[1:], LATIN1)
        mime, rest = name.decode(LATIN1), after or b""
    _, data = cut(rest[1:], declared)
    offset = None if data is None else len(header) - len(data)
    size = None if offset is None else content - offset
    return Id3Picture(mime[:100].strip() or None, size, rest[0] if rest else None, offset)


CHAPTER, CONTENTS = "CHAP", "CTOC"
CHAPTER_FRAMES = frozenset({CHAPTER, CONTENTS})
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
        """Reads one of `CHAPTER_FRAMES`; what is broken or not at hand does not hide the others.

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
