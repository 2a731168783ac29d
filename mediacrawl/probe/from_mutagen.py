"""Everything that the probe takes from mutagen, in one list: it has no types, and parts of its API are deep inside.

A reader of 34 bytes that our own walker bounded, and the names of ID3v1's genres. mutagen never sees a file or a tag:
its tag readers drop or destroy text that is wrongly encoded, and hostile files cost it minutes and gigabytes.
"""

from __future__ import annotations

from typing import Any

from mutagen.flac import StreamInfo as _StreamInfo
from mutagen.id3 import TCON as _TCON

StreamInfo: Any = _StreamInfo
GENRES: tuple[str, ...] = tuple(_TCON.GENRES)

__all__ = [
    "GENRES",
    "StreamInfo",
]
