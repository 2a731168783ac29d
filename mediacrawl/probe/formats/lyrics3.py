"""Lyrics3: texts between the audio and ID3v1 (Lyrics3 v1 and v2.00, id3.org)."""

from __future__ import annotations

from dataclasses import dataclass

from mediacrawl.probe.context import BrokenError, Reading, exact
from mediacrawl.probe.sparse import SparseFile
from mediacrawl.probe.text import LATIN1, Value

_BEGIN, _END_V1, _END_V2 = b"LYRICSBEGIN", b"LYRICSEND", b"LYRICS200"
_MAX_V1 = 5100
"""Bytes of the text in the first version; its end is found by searching for the begin."""
_KEYS = {
    "LYR": "lyrics",
    "INF": "comment",
    "AUT": "lyricist",
    "EAL": "album",
    "EAR": "artist",
    "ETT": "title",
}
"""Fields of version 2 with a text. The others are flags (IND) and names of picture files (IMG)."""


@dataclass(frozen=True, slots=True)
class Lyrics3:
    """Where a tag stands.

    Attributes:
        version: 1 or 2.
        start: offset of ``LYRICSBEGIN``.
        stop: offset behind its texts.
        end: offset behind the tag.
    """

    version: int
    start: int
    stop: int
    end: int


def find_tag(file: SparseFile, end: int) -> Lyrics3 | None:
    """Finds the tag that ends at an offset; None if there is none, or its last bytes are not at hand.

    Raises:
        NeedBytes: if a tag of version 1 begins before the bytes at hand; only its text shows where.
    """
    foot = file.at_hand(max(0, end - 15), end) or b""
    if foot.endswith(_END_V2) and foot[:6].isdigit():
        size = int(foot[:6])
        return Lyrics3(2, end - 15 - size, end - 15, end) if 11 <= size <= end - 15 else None
    if not foot.endswith(_END_V1):
        return None
    longest = len(_BEGIN) + _MAX_V1 + len(_END_V1)
    text = file.before(end, longest)
    if _BEGIN not in text:
        text = file.get(max(0, end - longest), end)
    at = text.rfind(_BEGIN)
    return None if at < 0 else Lyrics3(1, end - len(text) + at, end - len(_END_V1), end)


def read_tag(reading: Reading, tag: Lyrics3) -> None:
    """Reads the texts of a tag. The specification says ISO-8859-1 in English only, so programs wrote their own.

    Args:
        reading: takes the values; source is ``lyrics3``, frame the field's name.
        tag: where it stands.

    Raises:
        BrokenError: when the fields do not fit into the tag; those before are kept.
        LimitError: when there are too many.
        NeedBytes: when bytes are not at hand.
    """
    at = tag.start + len(_BEGIN)
    if exact(reading.file, tag.start, at) != _BEGIN:
        raise BrokenError("no LYRICSBEGIN")
    if tag.version == 1:
        _add(reading, "LYR", at, tag.stop)
        return
    while at + 8 <= tag.stop:
        reading.count()
        head = exact(reading.file, at, at + 8)
        if not head[3:].isdigit():
            raise BrokenError("a field without a size")
        start, at = at + 8, at + 8 + int(head[3:])
        if at > tag.stop:
            raise BrokenError("a field is longer than its tag")
        _add(reading, head[:3].decode(LATIN1), start, at)


def _add(reading: Reading, name: str, start: int, stop: int) -> None:
    if name in _KEYS and reading.fits(stop - start):
        raw = exact(reading.file, start, stop).rstrip(b"\0 ")
        reading.add("lyrics3", name, _KEYS[name], Value(raw, LATIN1))
