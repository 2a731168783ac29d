"""Several ranges in one answer: ``multipart/byteranges`` (RFC 9110, 14.6). Some servers answer a single range so."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple

MULTIPART = "multipart/byteranges"
WRAPPING = 1024
"""Bytes that boundaries and headers of one part may add to the range that was asked for."""

_CONTENT_RANGE = re.compile(
    r"\s*bytes[ \t=]+(\d{1,18})\s*-\s*(\d{1,18})\s*/\s*(\d{1,18}|\*)\s*\Z", re.ASCII | re.IGNORECASE
)
_BOUNDARY = re.compile(r';\s*boundary\s*=\s*(?:"([^"]{1,70})"|([^\s;"]{1,70}))', re.ASCII | re.IGNORECASE)
_MOST_PARTS = 16
"""One range was asked for; nobody has a reason to send many."""
_HEAD_BYTES = 4096
"""Bytes of one part's headers; they are two lines."""


class ContentRange(NamedTuple):
    """Where bytes stand in a file, by a Content-Range.

    Attributes:
        start: offset of the first byte.
        stop: offset behind the last one.
        size: bytes of the whole file, None if the server does not know.
    """

    start: int
    stop: int
    size: int | None


class BodyPart(NamedTuple):
    """One part of an answer."""

    place: ContentRange
    data: bytes


def read_content_range(content_range: str) -> ContentRange | None:
    """Reads a Content-Range (RFC 9110, 14.4); None if it says nothing, or what cannot be.

    Args:
        content_range: header as the server wrote it.
    """
    found = _CONTENT_RANGE.match(content_range)
    if found is None:
        return None
    first, last, size = int(found[1]), int(found[2]), None if found[3] == "*" else int(found[3])
    if last < first or (size is not None and last >= size):
        return None
    return ContentRange(first, last + 1, size)


def is_multipart(content_type: str) -> bool:
    """Tells whether an answer has its ranges in parts.

    Args:
        content_type: header as the server wrote it.
    """
    return content_type.lstrip().lower().startswith(MULTIPART)


def read_parts(content_type: str, body: bytes) -> Iterator[BodyPart]:
    """Yields the parts that say where they stand, at most 16; the last one may be cut off.

    A part ends where its Content-Range says: media may hold any bytes, a boundary's too.

    Args:
        content_type: header as the server wrote it; it names the boundary.
        body: as received.
    """
    named = _BOUNDARY.search(content_type[:1000])
    if named is None:
        return
    mark = b"--" + (named[1] or named[2]).encode("latin-1", errors="replace")
    at = body.find(mark)
    for _ in range(_MOST_PARTS):
        if at < 0 or body.startswith(b"--", at + len(mark)):
            return
        start = at + len(mark)
        head, end = _head(body, start)
        place = _place(head)
        if end and place is not None:
            data = body[end : end + place.stop - place.start]
            yield BodyPart(place, data)
            end += len(data)
        at = body.find(mark, max(end, start))


def _head(body: bytes, start: int) -> tuple[bytes, int]:
    """The headers of a part, and where its bytes begin: 0 if the headers do not end."""
    window = body[start : start + _HEAD_BYTES]
    for gap in (b"\r\n\r\n", b"\n\n"):
        length = window.find(gap)
        if length >= 0:
            return window[:length], start + length + len(gap)
    return b"", 0


def _place(head: bytes) -> ContentRange | None:
    for line in head.splitlines():
        name, _, value = line.partition(b":")
        if name.strip().lower() == b"content-range":
            return read_content_range(value.decode("latin-1"))
    return None
