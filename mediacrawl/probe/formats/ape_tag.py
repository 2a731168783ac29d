"""APE tags, versions 1 and 2: items of a name and a value, at the end of a file or, rarely, at its front.

Source: "APEv2 specification" and "APE Tags Header" (Hydrogenaudio). Covers are items too, and are stepped over.
"""

from __future__ import annotations

from dataclasses import dataclass

from mediacrawl.probe.context import BrokenError, Reading, exact, peek, unpack
from mediacrawl.probe.formats.keys import ape_key
from mediacrawl.probe.sparse import SparseFile
from mediacrawl.probe.text import LATIN1, UTF8, cut, split

_PREAMBLE = b"APETAGEX"
_HEADER = 32
_V2 = 2000
_HAS_HEADER, _NO_FOOTER, _IS_HEADER = 1 << 31, 1 << 30, 1 << 29
_BINARY = 1
_MAX_KEY = 255
_COVER = "cover art"
_COVER_HEADER = 512
_PICTURES = (
    (b"\xff\xd8\xff", "image/jpeg"),
    (b"\x89PNG", "image/png"),
    (b"GIF8", "image/gif"),
    (b"BM", "image/bmp"),
    (b"RIFF", "image/webp"),
)


@dataclass(frozen=True, slots=True)
class ApeTag:
    """Where a tag stands.

    Attributes:
        version: 1000 or 2000.
        start: offset of its first byte.
        items: offset of the first item.
        stop: offset behind the last item.
        end: offset behind the tag.
        whole: whether all of it fits into the file.
    """

    version: int
    start: int
    items: int
    stop: int
    end: int
    whole: bool = True


def find_at_end(file: SparseFile, end: int) -> ApeTag | None:
    """Finds the tag that ends at an offset; None if there is none, or its footer is not at hand."""
    footer = file.at_hand(max(0, end - _HEADER), end) or b""
    if len(footer) < _HEADER or not footer.startswith(_PREAMBLE):
        return None
    version, size, _, flags = unpack("<IIII", footer[8:24])
    stop = end - _HEADER
    items = end - size
    start = items - _HEADER if version >= _V2 and flags & _HAS_HEADER else items
    if start < 0 or items > stop:
        return ApeTag(version, stop, stop, stop, end, whole=False)
    return ApeTag(version, start, items, stop, end)


def find_at_front(file: SparseFile, start: int) -> ApeTag | None:
    """Finds the tag that begins at an offset; None if there is none, or its header is not at hand."""
    header = file.at_hand(start, start + _HEADER) or b""
    if len(header) < _HEADER or not header.startswith(_PREAMBLE):
        return None
    version, size, _, flags = unpack("<IIII", header[8:24])
    items = start + _HEADER
    end = items + size
    if not flags & _IS_HEADER or (file.size is not None and end > file.size):
        return ApeTag(version, start, items, items, items, whole=False)
    return ApeTag(version, start, items, max(items, end - (0 if flags & _NO_FOOTER else _HEADER)), end)


def read_tag(reading: Reading, tag: ApeTag) -> None:
    """Reads the texts of a tag, and what its covers say of themselves.

    The number of items in the header is not looked at: where they end is known.

    Args:
        reading: takes the values; source is ``ape``, frame the item's key as written.
        tag: where it stands.

    Raises:
        BrokenError: when the items do not fit into the tag; those before are kept.
        LimitError: when there are too many.
        NeedBytes: when bytes are not at hand.
    """
    if not tag.whole:
        raise BrokenError("the tag is longer than its file")
    at = tag.items
    # Eight bytes, a key, its NUL: what is shorter is padding.
    while at + 10 <= tag.stop:
        reading.count()
        size, flags = unpack("<II", exact(reading.file, at, at + 8))
        key = _key(reading, at + 8, tag.stop)
        if not key:
            return
        start = at + 8 + len(key) + 1
        at = start + size
        if at > tag.stop:
            raise BrokenError("an item is longer than its tag")
        _read_item(reading, tag, key.decode(LATIN1), flags >> 1 & 3, (start, at))


def _key(reading: Reading, start: int, stop: int) -> bytes:
    window = reading.file.run(start, min(_MAX_KEY + 1, stop - start))
    if b"\0" not in window:
        window = exact(reading.file, start, min(start + _MAX_KEY + 1, stop))
    key, terminator, _ = window.partition(b"\0")
    if not terminator:
        raise BrokenError("a key does not end")
    return key


def _read_item(reading: Reading, tag: ApeTag, key: str, kind: int, place: tuple[int, int]) -> None:
    start, stop = place
    if key.lower().startswith(_COVER):
        header = peek(reading.file, start, min(start + _COVER_HEADER, stop))
        reading.result.set_cover(*_cover(header or b"", stop - start))
    elif (tag.version < _V2 or kind != _BINARY) and reading.fits(stop - start):
        # Version 1 knew no flags, and no Unicode.
        declared = UTF8 if tag.version >= _V2 else LATIN1
        limit = reading.policy.max_values
        values = split(exact(reading.file, start, stop), declared, limit + 1)
        if len(values) > limit:
            reading.note("limit:values")
        for value in values[:limit]:
            reading.add("ape", key, ape_key(key), value)


def _cover(header: bytes, size: int) -> tuple[str | None, int | None]:
    """Reads type and size of a picture: a file name, NUL, then the data."""
    name, data = cut(header, LATIN1)
    if data is None:
        return None, None
    mime = next((mime for magic, mime in _PICTURES if data.startswith(magic)), None)
    return mime, size - len(name) - 1
