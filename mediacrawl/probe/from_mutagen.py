"""Everything that the probe takes from mutagen, in one list: it has no types, and parts of its API are deep inside.

Only readers of small structures are used, on bytes that our own walkers bounded before. mutagen never sees a
tag: its tag readers drop or destroy text that is wrongly encoded.
"""

from __future__ import annotations

from typing import Any

from mutagen.flac import StreamInfo as _StreamInfo
from mutagen.id3 import TCON as _TCON
from mutagen.mp3 import BitrateMode
from mutagen.mp3 import MPEGFrame as _MPEGFrame
from mutagen.mp3 import MPEGInfo as _MPEGInfo
from mutagen.mp4 import MP4Info as _MP4Info
from mutagen.mp4._atom import Atoms as _Atoms

Atoms: Any = _Atoms
MP4Info: Any = _MP4Info
MPEGFrame: Any = _MPEGFrame
MPEGInfo: Any = _MPEGInfo
StreamInfo: Any = _StreamInfo
TCON: Any = _TCON

__all__ = [
    "TCON",
    "Atoms",
    "BitrateMode",
    "MP4Info",
    "MPEGFrame",
    "MPEGInfo",
    "StreamInfo",
]
