"""The type of a picture by its first bytes, where the container does not name it."""

from __future__ import annotations

_TYPES = (
    (b"\xff\xd8\xff", "image/jpeg"),
    (b"\x89PNG", "image/png"),
    (b"GIF8", "image/gif"),
    (b"BM", "image/bmp"),
    (b"RIFF", "image/webp"),
)


LINK = "-->"
"""MIME type of a picture that is not in the file: its URL stands in place of the data (id3v2.4.0-frames, 4.14)."""


def picture_type(data: bytes) -> str | None:
    """The MIME type of a picture by its first bytes; None if they are those of no known type."""
    return next((mime for magic, mime in _TYPES if data.startswith(magic)), None)
