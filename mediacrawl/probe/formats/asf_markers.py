"""Chapters of ASF: the Marker Object ("Advanced Systems Format (ASF) Specification" 01.20.06, 3.7)."""

from __future__ import annotations

from mediacrawl.model.parts import Chapter
from mediacrawl.probe.context import BrokenError, ByteSource, ParseContext, exact, unpack
from mediacrawl.probe.text import UTF16LE, Value, unterminated

_HEAD = 24
"""Bytes before the name: an identifier, the number of markers, 16 bits, the length of the name."""
_MARKER = 30
"""Bytes of a marker before its description."""
_UNIT = 10_000_000
"""Times are in 100 ns."""

Marker = tuple[Chapter, Value | None]


def read_markers(context: ParseContext, source: ByteSource, start: int, markers: list[Marker]) -> None:
    """Reads the markers of one object. Their times include the preroll, see `played`.

    Args:
        context: counts them, and has the limits.
        source: bytes up to the end of the object.
        start: offset of its body.
        markers: takes them, also where a later one is broken.
    """
    count, length = unpack("<16xI2xH", exact(source, start, start + _HEAD))
    at = start + _HEAD + length
    for _ in range(count):
        context.count()
        time, entry, letters = unpack("<8xQH8xI", exact(source, at, at + _MARKER))
        # The length of an entry counts from the field behind it.
        if entry < 12:
            raise BrokenError("a marker is shorter than its fields")
        size = 2 * letters
        if context.fits(size):
            raw = exact(source, at + _MARKER, at + _MARKER + size)
            markers.append((Chapter(time / _UNIT), Value(unterminated(raw), UTF16LE)))
        at += 18 + max(entry, 12 + size)


def played(markers: list[Marker], preroll: float) -> list[Marker]:
    """The markers by the times at which they are played.

    Args:
        markers: as they were read.
        preroll: seconds that are buffered before anything is played.
    """
    for chapter, _ in markers:
        chapter.start = max(0.0, chapter.start - preroll)
    return markers
