"""Responses of type ``multipart/byteranges`` (RFC 9110, 14.6), which some servers send for a single range too."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple

_MULTIPART = "multipart/byteranges"

_CONTENT_RANGE = re.compile(
    r"\s*bytes[ \t=]+(\d{1,18})\s*-\s*(\d{1,18})\s*/\s*(\d{1,18}|\*)\s*\Z", re.ASCII | re.IGNORECASE
)
_BOUNDARY = re.compile(r';\s*boundary\s*=\s*(?:"([^"]{1,70})"|([^\s;"]{1,70}))', re.ASCII | re.IGNORECASE)
_MOST_PARTS = 16
"""One range was requested, so more parts have no purpose."""
_HEAD_BYTES = 4096
"""Bytes of one part's headers, which are two lines."""


class ContentRange(NamedTuple):
    """The position of bytes in a file, from a Content-Range (RFC 9110, 14.4).

    Attributes:
        start: offset of the first byte.
        stop: offset behind the last one.
        size: bytes of the whole file, None if the server does not state it.
    """

    start: int
    stop: int
    size: int | None


class BodyPart(NamedTuple):
    """One part of a multipart response."""

    position: ContentRange
    data: bytes


def read_content_range(content_range: str) -> ContentRange | None:
    """Parses a Content-Range; None if it is invalid or contradicts itself."""
    found = _CONTENT_RANGE.match(content_range)
    if found is None:
        return None
    first, last, size = int(found[1]), int(found[2]), None if found[3] == "*" else int(found[3])
    if last < first or (size is not None and last >= size):
        return None
    return ContentRange(first, last + 1, size)


def is_multipart(content_type: str) -> bool:
    """Whether a response has its ranges in parts."""
    return content_type.lstrip().lower().startswith(_MULTIPART)


def read_parts(content_type: str, body: bytes) -> Iterator[BodyPart]:
    """Yields the parts that state their position, at most 16; the last one may be cut off.

    A part ends where its Content-Range ends: media may contain the bytes of the boundary.
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
        position = _position(head)
        if end and position is not None:
            data = body[end : end + position.stop - position.start]
            yield BodyPart(position, data)
            end += len(data)
        at = body.find(mark, max(end, start))


def _head(body: bytes, start: int) -> tuple[bytes, int]:
    """The headers of a part, and the offset of its body: 0 if the headers do not end."""
    window = body[start : start + _HEAD_BYTES]
    for gap in (b"\r\n\r\n", b"\n\n"):
        length = window.find(gap)
        if length >= 0:
            return window[:length], start + length + len(gap)
    return b"", 0


def _position(head: bytes) -> ContentRange | None:
    for line in head.splitlines():
        name, _, value = line.partition(b":")
        if name.strip().lower() == b"content-range":
            return read_content_range(value.decode("latin-1"))
    return None
