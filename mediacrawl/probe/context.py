"""State of one walk over a file: the segments that were fetched, the limits, the result, the missing ranges."""

from __future__ import annotations

import re
import struct
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Protocol

from mediacrawl.base.charsets import decode, is_plain
from mediacrawl.base.parts import Chapter, Track, text_place
from mediacrawl.base.terms import Tag
from mediacrawl.probe.policy import ProbePolicy
from mediacrawl.probe.result import LONGEST, ProbeResult
from mediacrawl.probe.text import Value

_LONGEST = 2000
_ADDRESS = re.compile(r"https?://[^\s\x00-\x20<>\"]{3,}", re.IGNORECASE)


def address_in(text: str) -> str | None:
    """The URL that the text of a field is, None if it is something else."""
    plain = text.strip("\0 \t\r\n\ufeff")
    return plain if len(plain) <= _LONGEST and _ADDRESS.fullmatch(plain) else None


MAX_OFFSET = 2**62
"""Offsets beyond it come from broken or hostile sizes."""


class NeedBytes(BaseException):
    """Reading needs bytes that were not fetched yet.

    It is a `BaseException`, so that code which handles an `Exception` of a broken file lets it pass.

    Attributes:
        start: first missing byte.
        stop: end (exclusive) of the range that the reader needs.
    """

    def __init__(self, start: int, stop: int) -> None:
        super().__init__(start, stop)
        self.start = start
        self.stop = stop


class SparseFile:
    """A file over fetched segments, read by offsets.

    Reading a byte that was not fetched raises `NeedBytes`. Reading past the end of a file of known size gives fewer
    bytes, as with any file; while the size is unknown, no byte is past the end.

    Attributes:
        size: bytes of the whole file, None while unknown.
    """

    def __init__(self, size: int | None = None) -> None:
        self.size = size
        self._segments: list[tuple[int, bytes]] = []

    def put(self, start: int, data: bytes) -> None:
        """Adds bytes that were fetched from an offset on; newer bytes win where they overlap older ones."""
        if not data:
            return
        apart = []
        for other, old in self._segments:
            if other + len(old) < start or other > start + len(data):
                apart.append((other, old))
                continue
            tail = old[max(0, start + len(data) - other) :]
            data = old[: max(0, start - other)] + data + tail
            start = min(start, other)
        self._segments = sorted([*apart, (start, data)])

    def segments(self) -> list[tuple[int, bytes]]:
        """Returns what was fetched: (start, bytes), sorted, with gaps between them."""
        return list(self._segments)

    def get(self, start: int, stop: int) -> bytes:
        """Reads the bytes from `start` to `stop` (exclusive), fewer at the end of the file.

        Raises:
            NeedBytes: if one of them was not fetched.
        """
        stop = stop if self.size is None else min(stop, self.size)
        pieces = []
        while start < stop:
            piece = self._piece(start, stop)
            if not piece:
                raise NeedBytes(start, stop)
            pieces.append(piece)
            start += len(piece)
        return b"".join(pieces)

    def at_hand(self, start: int, stop: int) -> bytes | None:
        """As `get`, but None if a byte is missing: for facts that are not worth a request."""
        try:
            return self.get(start, stop)
        except NeedBytes:
            return None

    def run(self, start: int, limit: int) -> bytes:
        """Reads what was fetched from `start` on without a gap, at most `limit` bytes."""
        stop = start + limit
        return self._piece(start, stop if self.size is None else min(stop, self.size))

    def before(self, stop: int, limit: int) -> bytes:
        """Reads what was fetched right before `stop` without a gap, at most `limit` bytes."""
        for at, data in self._segments:
            if at < stop <= at + len(data):
                return data[max(0, stop - limit - at) : stop - at]
        return b""

    def _piece(self, start: int, stop: int) -> bytes:
        for at, data in self._segments:
            if at <= start < at + len(data):
                return data[start - at : stop - at]
        return b""


class LimitError(Exception):
    """A file exceeds a limit of `ProbePolicy`. The message is the name of the limit."""


class BrokenError(ValueError):
    """A container contradicts its format."""


class ByteSource(Protocol):
    """Bytes at offsets: a `SparseFile`, or a view that decodes a container's framing."""

    def get(self, start: int, stop: int) -> bytes:
        """Reads bytes from `start` to `stop` (exclusive), fewer at the end; raises `NeedBytes`."""
        ...


def exact(source: ByteSource, start: int, stop: int) -> bytes:
    """Reads bytes that must exist; raises `BrokenError` if the source ends before them, or `NeedBytes`."""
    data = source.get(start, stop)
    if len(data) != stop - start:
        raise BrokenError("the data end inside a structure")
    return data


def peek(source: ByteSource, start: int, stop: int) -> bytes | None:
    """Reads bytes if they are at hand, else returns None: for facts that are not worth a request."""
    try:
        return source.get(start, stop)
    except NeedBytes:
        return None


def unpack(layout: str, data: bytes) -> tuple[int, ...]:
    """`struct.unpack` for whole numbers, so that a short structure is a `BrokenError`."""
    try:
        return struct.unpack(layout, data)
    except struct.error as error:
        raise BrokenError("the data end inside a structure") from error


class Stage:
    """One independent part of a walk, as a ``with`` block: whatever ends it, what follows the block runs.

    A missing byte becomes an entry of `ParseContext.needs`, an error a note: hostile files must not raise.
    """

    __slots__ = ("_context", "_name")

    def __init__(self, context: ParseContext, name: str) -> None:
        self._context = context
        self._name = name

    def __enter__(self) -> None:
        self._context.stages.setdefault(self._name, "done")

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, _: object) -> bool:
        context, name = self._context, self._name
        if isinstance(error, NeedBytes):
            context.needs.append((error.start, error.stop))
            context.stages[name] = f"needs bytes {error.start}-{error.stop - 1}"
        elif isinstance(error, LimitError):
            context.note(f"limit:{error}")
            context.stages[name] = f"limit: {error}"
        elif isinstance(error, Exception):
            # A parser may raise anything on a hostile file.
            context.result.errors.append(type(error).__name__)
            context.note(f"{name}:{type(error).__name__}")
            context.stages[name] = f"{type(error).__name__}: {error}"[:200]
        else:
            return False
        return True


@dataclass(slots=True)
class ParseContext:
    """State of one walk over one file, which readers of formats fill.

    Attributes:
        file: the bytes at hand.
        policy: the limits.
        result: facts and texts so far.
        needs: ranges (start, stop) that stages wait for, in the order of the stages.
        supported: whether the format has a reader.
        stages: name of each stage -> ``done`` or what ended it; of several of one name, a failed one.
        seeks_mpeg: whether a name or the server claims that it is MPEG audio. Claims never decide what the format is,
            only whether more bytes are worth a request where the content is not recognized.
        id3_tags: end -> start of the ID3v2 tags that were read: several ways may lead to one.
    """

    file: SparseFile
    policy: ProbePolicy
    result: ProbeResult = field(default_factory=ProbeResult)
    needs: list[tuple[int, int]] = field(default_factory=list)
    supported: bool = False
    stages: dict[str, str] = field(default_factory=dict)
    seeks_mpeg: bool = False
    id3_tags: dict[int, int] = field(default_factory=dict)
    _parts: int = 0
    _text: int = 0
    _seen: Counter[tuple[str, str, str]] = field(default_factory=Counter)

    def stage(self, name: str) -> Stage:
        """Return a block that is one independent part of a walk, see `Stage`."""
        return Stage(self, name)

    def note(self, why: str) -> None:
        """Notes, once, why the result is not complete."""
        if why not in self.result.notes:
            self.result.notes.append(why)

    def count(self) -> None:
        """Counts one frame, atom, page or comment; raises `LimitError` above `ProbePolicy.max_parts`."""
        self._parts += 1
        if self._parts > self.policy.max_parts:
            raise LimitError("parts")

    def set_status(self, *, has_bytes: bool, is_finished: bool) -> None:
        """Sets `ProbeResult.status` at the end of a walk."""
        result = self.result
        nothing = not result.tags and result.codec is None and result.duration is None
        is_done = is_finished and not self.needs
        if not has_bytes:
            result.status = "error:NoData"
        elif not self.supported:
            result.status = "unsupported"
        elif nothing and result.errors:
            result.status = f"error:{result.errors[0]}"
        else:
            if nothing and is_done and not result.notes:
                self.note("nothing found")
            result.status = "complete" if is_done and not result.notes else "partial"

    def fits(self, size: int) -> bool:
        """Whether a text of `size` bytes may be read; notes it if not."""
        if size <= self.policy.max_text_bytes:
            return True
        self.note("limit:text")
        return False

    def text(self, start: int, stop: int) -> bytes:
        """Reads the bytes of a text in the file; none if they are too many for one."""
        return exact(self.file, start, stop) if self.fits(stop - start) else b""

    def spend(self, size: int) -> None:
        """Counts bytes of text after decompression; raises `LimitError` above `ProbePolicy.max_tag_bytes`."""
        self._text += size
        if self._text > self.policy.max_tag_bytes:
            raise LimitError("tags")

    def add(self, source: str, frame: str, key: str, value: Value, *, lang: str = "", desc: str = "") -> None:
        """Adds one text value to the result; raises `LimitError` if the file has too many.

        A licence that is a URL gets the key ``license_url``.
        """
        text = decode(*value)
        if not text or not self.fits(len(value.raw)):
            return
        if key == "license" and address_in(text):
            key = "license_url"
        self.spend(len(value.raw))
        if len(self.result.tags) >= self.policy.max_tags:
            raise LimitError("tags")
        place = (source, frame, desc)
        tag = Tag(source, frame, key, value.declared, value.raw, text, self._seen[place], lang, desc)
        self._seen[place] += 1
        self.result.tags.append(tag)

    def add_track(self, source: str, frame: str, track: Track, title: Value | None = None) -> None:
        """Adds a stream to the result.

        Args:
            source: of its title, as in `add`.
            frame: container's name of the title's field.
            track: without its title.
            title: as in the file; None or empty without one. Beyond ASCII it is a tag too, for the fixer.
        """
        if len(self.result.tracks) >= self.policy.max_tracks:
            self.note("limit:tracks")
            return
        self.result.tracks.append(track)
        track.title = self._part_title(source, frame, text_place("tracks", len(self.result.tracks) - 1), title)

    def add_chapters(
        self, source: str, frame: str, chapters: Iterable[tuple[Chapter, Value | None]], *, in_order: bool = False
    ) -> None:
        """Sets the chapters of the result, unless another part of the file has given them.

        They are sorted by their beginnings. One without an end ends where the next begins.

        Args:
            source: of their titles, as in `add`.
            frame: container's name of the title's field.
            chapters: each without its title, and the title as in the file, None or empty without one. Beyond ASCII
                it is a tag too, for the fixer.
            in_order: whether they stay in their order: a table of contents states another one than that of the times.
        """
        if self.result.chapters:
            return
        found = [(chapter, title) for chapter, title in chapters if 0 <= chapter.start < LONGEST]
        if len(found) > self.policy.max_chapters:
            self.note("limit:chapters")
        found = found[: self.policy.max_chapters]
        if not in_order:
            found.sort(key=lambda each: each[0].start)
        self.result.chapters = [chapter for chapter, _ in found]
        for number, (chapter, title) in enumerate(found):
            following = found[number + 1][0].start if number + 1 < len(found) else None
            if chapter.end is None or not chapter.start < chapter.end < LONGEST:
                chapter.end = following if following is not None and following >= chapter.start else None
            chapter.title = self._part_title(source, frame, text_place("chapters", number), title)

    def _part_title(self, source: str, frame: str, key: str, title: Value | None) -> str | None:
        """The title of a chapter or track as declared. ASCII is its own evidence and needs no tag."""
        if title is None or not title.raw or not self.fits(len(title.raw)):
            return None
        text = decode(*title).strip("\0")
        if not is_plain(text, title.raw):
            self.add(source, frame, key, title)
        return text or None

    def add_number(self, source: str, frame: str, key: str, text: str) -> None:
        """Adds a value that the container stores as a binary number; its raw bytes are the digits in ASCII."""
        self.add(source, frame, key, Value(text.encode("ascii"), "ascii"))
