"""The stored state of an authority's robots.txt, and its encoding."""

from __future__ import annotations

import zlib
from dataclasses import astuple, dataclass, replace
from typing import Any

import msgpack

from mediacrawl.politeness.caching import usable_validator

MOST_KEPT = 64 * 1024
"""Bytes of a note. Half a megabyte of real rules compresses to less."""

_FORMAT = 3
_PACKED_FROM = 150
"""Characters from which on compression saves more than it adds."""
_MOST_TEXT = 2 * 1024 * 1024
"""Characters of a decompressed text; 500 KiB with every octet escaped are less."""


@dataclass(frozen=True, slots=True)
class RobotsCopy:
    """A robots.txt as fetched last.

    Attributes:
        text: our group alone, see `RobotsRules.group_text`; None if it is too long to be stored.
        status: of the response; anything but 2xx has no rules.
        fetched: when it was fetched or last confirmed by 304, seconds since the epoch.
        life: seconds that it counts from then.
        etag, modified: the headers ETag and Last-Modified; may be empty.
        source: the URL that they belong to, after redirects; empty for the authority's own.
    """

    text: str | None
    status: int
    fetched: float
    life: float
    etag: str = ""
    modified: str = ""
    source: str = ""


@dataclass(frozen=True, slots=True)
class FetchFailures:
    """Failed fetches in a row.

    Attributes:
        first, last: when the first and the last one ended, seconds since the epoch.
        times: their number.
        status: of the last response; 0 without one.
        cut: checksum of the last body, if it broke off; otherwise 0.
    """

    first: float
    last: float
    times: int = 1
    status: int = 0
    cut: int = 0


@dataclass(frozen=True, slots=True)
class RobotsRedirect:
    """A redirect of a robots.txt that is being followed.

    Attributes:
        url: its target.
        hops: redirects so far.
        since: when the last of them was met, seconds since the epoch.
        carrier: URL of the lease on the target's own site that fetches it; empty while it is fetched from the
            authority's site.
    """

    url: str
    hops: int
    since: float
    carrier: str = ""


@dataclass(frozen=True, slots=True)
class RobotsNote:
    """The state of one authority's robots.txt. Each part may be None."""

    copy: RobotsCopy | None = None
    failing: FetchFailures | None = None
    way: RobotsRedirect | None = None


def pack(note: RobotsNote) -> bytes:
    """Encode a note: msgpack, a long text in it as zlib; at most some 64 KiB.

    A copy whose text does not fit is stored without it, and fetched again when it has left the memory.
    """
    text: str | bytes | None = note.copy.text if note.copy else None
    if isinstance(text, str) and len(text) >= _PACKED_FROM:
        text = zlib.compress(text.encode("ascii", "replace"))
    record = _pack(note, text)
    return record if len(record) <= MOST_KEPT or note.copy is None else _pack(note, None)


def unpack(record: bytes) -> RobotsNote | None:
    """Decode a note; None if it is invalid or of an older version: then the file is fetched again."""
    try:
        version, copy, failing, way = msgpack.unpackb(record)
        if version != _FORMAT:
            return None
        note = RobotsNote(copy=_copy(*copy) if copy else None)
        if failing:
            # Older notes have no checksum.
            first, last, *numbers = failing
            note = replace(note, failing=FetchFailures(float(first), float(last), *map(_whole, numbers)))
        if way:
            url, hops, since, carrier = way
            note = replace(note, way=RobotsRedirect(str(url), _whole(hops), float(since), str(carrier)))
    except (ValueError, TypeError, OverflowError, msgpack.UnpackException, zlib.error):
        return None
    return note


def _pack(note: RobotsNote, text: str | bytes | None) -> bytes:
    copy = (text, *astuple(note.copy)[1:]) if note.copy else None
    failing = astuple(note.failing) if note.failing else None
    way = astuple(note.way) if note.way else None
    packed: bytes = msgpack.packb((_FORMAT, copy, failing, way), unicode_errors="replace")
    return packed


def _copy(text: Any, status: Any, fetched: Any, life: Any, *more: Any) -> RobotsCopy:
    if isinstance(text, bytes):
        text = zlib.decompressobj().decompress(text, _MOST_TEXT).decode("ascii")
    etag, modified, source = map(str, more)
    return RobotsCopy(
        None if text is None else str(text),
        _whole(status),
        float(fetched),
        float(life),
        usable_validator(etag),
        usable_validator(modified),
        source,
    )


def _whole(value: Any) -> int:
    """Return a number that msgpack can encode.

    Raises:
        OverflowError: it has too many bits.
    """
    number = int(value)
    if number.bit_length() > 63:
        raise OverflowError
    return number
