"""AAC as a stream of frames: ADTS (ISO/IEC 13818-7, 6.2, and 14496-3, 1.A.2)."""

from __future__ import annotations

import re

from mediacrawl.probe.formats.audio_frames import Format, Frame

_HEADER = 7
RATES = (96000, 88200, 64000, 48000, 44100, 32000, 24000, 22050, 16000, 12000, 11025, 8000, 7350)
"""Hz by sampling frequency index (14496-3, table 1.18)."""
CHANNELS = (0, 1, 2, 3, 4, 5, 6, 8, 0, 0, 0, 7, 8, 24, 8)
"""By channel configuration (14496-3, table 1.19); 0 where it does not say. A header of ADTS holds the first eight."""
_MOSTLY = 2
"""Channels where the first frame's data would say it: what such files mostly have."""


def read_frame(data: bytes, at: int) -> Frame | None:
    """Reads the frame header at an offset; None if there is none."""
    if len(data) < at + _HEADER or data[at] != 0xFF or data[at + 1] & 0xF6 != 0xF0:
        return None
    index = data[at + 2] >> 2 & 15
    channels = CHANNELS[(data[at + 2] & 1) << 2 | data[at + 3] >> 6] or _MOSTLY
    size = (data[at + 3] & 3) << 11 | data[at + 4] << 3 | data[at + 5] >> 5
    blocks = (data[at + 6] & 3) + 1
    if index >= len(RATES) or size < _HEADER:
        return None
    return Frame("aac", size, 1024 * blocks, RATES[index], channels)


AAC = Format(read_frame, re.compile(rb"\xff(?=[\xf0\xf1\xf8\xf9])"))
