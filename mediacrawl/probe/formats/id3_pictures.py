"""Picture frames of ID3v2: what the first bytes say of the picture (id3v2.4.0-frames, 4.14; id3v2-00, 4.15)."""

from __future__ import annotations

from typing import NamedTuple

from mediacrawl.probe.formats.pictures import LINK
from mediacrawl.probe.text import LATIN1, UTF8, UTF16, UTF16BE, cut

PICTURE_HEADER = 512
"""Bytes that are looked at."""
_ENCODINGS = (LATIN1, UTF16, UTF16BE, UTF8)


class Id3Picture(NamedTuple):
    """What is known of a picture.

    Attributes:
        mime: its media type.
        size: bytes.
        number: of its type.
        offset: of its data, from where the content of the frame begins.
    """

    mime: str | None = None
    size: int | None = None
    number: int | None = None
    offset: int | None = None


def read_picture(header: bytes, content: int, *, old: bool) -> Id3Picture:
    """Reads type and size of a picture.

    Args:
        header: the first bytes of the content of its frame.
        content: bytes of all of it.
        old: whether it is of ID3v2.2, where three letters stand in place of the MIME type.
    """
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
