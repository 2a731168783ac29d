"""DTS as a stream of frames (ETSI TS 102 114, 5.3), in words of 16 bits, big-endian, as files have it."""

from __future__ import annotations

import re

from mediacrawl.probe.formats.audio_frames import Format, Frame

_HEADER = 11
_SYNC = b"\x7f\xfe\x80\x01"
_RATES = {1: 8000, 2: 16000, 3: 32000, 6: 11025, 7: 22050, 8: 44100, 11: 12000, 12: 24000, 13: 48000}
_CHANNELS = (1, 2, 2, 2, 2, 3, 3, 4, 4, 5, 6, 6, 6, 7, 8, 8)
"""By AMODE (table 5-4)."""


def read_frame(data: bytes, at: int) -> Frame | None:
    """Reads the frame header at an offset; None if there is none."""
    head = data[at : at + _HEADER]
    if len(head) < _HEADER or not head.startswith(_SYNC):
        return None
    bits = int.from_bytes(head[4:], "big")  # 56 of them: FTYPE, SHORT (5), CPF, NBLKS (7), FSIZE (14), AMODE (6) ...
    blocks, size = (bits >> 42 & 127) + 1, (bits >> 28 & 0x3FFF) + 1
    mode, rate = bits >> 22 & 63, _RATES.get(bits >> 18 & 15)
    lfe = bits >> 1 & 3
    if rate is None or size < 96 or mode >= len(_CHANNELS):
        return None
    return Frame("dts", size, blocks * 32, rate, _CHANNELS[mode] + (lfe in {1, 2}))


DTS = Format(read_frame, re.compile(re.escape(_SYNC)))
