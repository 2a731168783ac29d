"""What is kept of an authority's robots.txt, and the bytes in which it is kept."""

from __future__ import annotations

import zlib
from dataclasses import astuple, dataclass
from typing import Any

import msgpack

MOST_KEPT = 64 * 1024
"""Bytes of a note at most. Half a megabyte of real rules is packed in less; what is not was made to fill our disk."""

_FORMAT = 3
_PACKED_FROM = 150
"""Characters from which on zlib saves more than it adds."""
_MOST_TEXT = 2 * 1024 * 1024
"""Characters of a text that is unpacked: the 500 KiB that are read, each octet of them escaped, are less."""
_LONGEST_TAG = 128
"""Characters of an ETag that is kept; longer ones are not sent back, and cost a whole file each time."""


@dataclass(frozen=True, slots=True)
class RobotsCopy:
    """A robots.txt as it was had last.

    Attributes:
        text: our group alone, see `RobotsRules.group_text`; None if it is too long to be kept.
        status: of the answer; anything but 2xx has no rules.
        fetched: when it came, or was last said to be unchanged; seconds since the epoch.
        life: seconds that it counts from then.
        etag, modified: the headers ETag and Last-Modified, empty if there were none.
        source: the URL that they belong to, if a redirect led there; empty for the authority's own.
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
    """A row of fetches that brought nothing.

    Attributes:
        first, last: when its first and its last one ended, seconds since the epoch.
        times: how many they are.
        status: of the last answer; 0 if none came.
    """

    first: float
    last: float
    times: int = 1
    status: int = 0


@dataclass(frozen=True, slots=True)
class RobotsRedirect:
    """Where a redirected robots.txt is looked for next.

    Attributes:
        url: what is asked next.
        hops: redirects that led there.
        since: when the last of them was met, seconds since the epoch.
        carrier: URL of the lease that asks, on the target's own site; empty as long as the authority's site is asked.
    """

    url: str
    hops: int
    since: float
    carrier: str = ""


@dataclass(frozen=True, slots=True)
class RobotsNote:
    """All that is known of one authority's robots.txt. Each part is None if there is none."""

    copy: RobotsCopy | None = None
    failing: FetchFailures | None = None
    way: RobotsRedirect | None = None


def shortened(tag: str) -> str:
    """A validator that may be kept and sent back, or nothing: it goes into a header of ours."""
    return tag if len(tag) <= _LONGEST_TAG and tag.isascii() and tag.isprintable() else ""


def pack(note: RobotsNote) -> bytes:
    """The note's bytes: msgpack, a long text in it as zlib; never more than some 64 KiB.

    A copy whose text does not fit is kept without it; after it has left the memory it is fetched anew.
    """
    record = _pack(note, _shut(note.copy.text) if note.copy else None)
    return record if len(record) <= MOST_KEPT or note.copy is None else _pack(note, None)


def unpack(record: bytes) -> RobotsNote | None:
    """What `pack` made; None if this is something else, or of an older version: then the file is fetched anew."""
    try:
        version, copy, failing, way = msgpack.unpackb(record)
        if version != _FORMAT:
            return None
        return RobotsNote(
            copy=_copy(*copy) if copy else None,
            failing=_failing(*failing) if failing else None,
            way=_way(*way) if way else None,
        )
    except (ValueError, TypeError, OverflowError, msgpack.UnpackException, zlib.error):
        return None


def _pack(note: RobotsNote, text: str | bytes | None) -> bytes:
    copy = (text, *astuple(note.copy)[1:]) if note.copy else None
    failing = astuple(note.failing) if note.failing else None
    way = astuple(note.way) if note.way else None
    packed: bytes = msgpack.packb((_FORMAT, copy, failing, way), unicode_errors="replace")
    return packed


def _shut(text: str | None) -> str | bytes | None:
    return text if text is None or len(text) < _PACKED_FROM else zlib.compress(text.encode("ascii", "replace"))


def _open(text: Any) -> str | None:
    if isinstance(text, bytes):
        opened = zlib.decompressobj().decompress(text, _MOST_TEXT)
        return opened.decode("ascii")
    return None if text is None else str(text)


def _copy(text: Any, status: Any, fetched: Any, life: Any, *more: Any) -> RobotsCopy:
    etag, modified, source = map(str, more)
    return RobotsCopy(
        _open(text), _whole(status), float(fetched), float(life), shortened(etag), shortened(modified), source
    )


def _failing(first: Any, last: Any, times: Any, status: Any) -> FetchFailures:
    return FetchFailures(float(first), float(last), _whole(times), _whole(status))


def _way(url: Any, hops: Any, since: Any, carrier: Any) -> RobotsRedirect:
    return RobotsRedirect(str(url), _whole(hops), float(since), str(carrier))


def _whole(value: Any) -> int:
    """A number that can be written again: one made of a float may have 300 digits.

    Raises:
        OverflowError: it cannot be.
    """
    number = int(value)
    if number.bit_length() > 63:
        raise OverflowError
    return number
