"""AC-3 and E-AC-3 as a stream of frames (ATSC A/52:2018, 5.3, 5.4 and annex E)."""

from __future__ import annotations

import re

from mediacrawl.probe.formats.audio_frames import Format, Frame

_HEADER = 8
RATES = (48000, 44100, 32000)
"""Hz by fscod (table 5.6)."""
BIT_RATES = (32, 40, 48, 56, 64, 80, 96, 112, 128, 160, 192, 224, 256, 320, 384, 448, 512, 576, 640)
"""kbit/s by half of frmsizecod (table 5.18)."""
CHANNELS = (2, 1, 2, 3, 3, 4, 4, 5)
"""Full channels by acmod (table 5.8)."""
_BLOCKS = (1, 2, 3, 6)
_BLOCK = 256
_ENHANCED, _LAST = 10, 16
"""Stream versions (bsid): above the first it is E-AC-3, above the second nobody knows it."""


def read_frame(data: bytes, at: int) -> Frame | None:
    """Reads the frame header at an offset; None if there is none."""
    head = data[at : at + _HEADER]
    if len(head) < _HEADER or not head.startswith(b"\x0b\x77"):
        return None
    version = head[5] >> 3
    if version > _LAST:
        return None
    return _enhanced(head) if version > _ENHANCED else _plain(head, version)


def _plain(head: bytes, version: int) -> Frame | None:
    code, size_code = head[4] >> 6, head[4] & 63
    if code >= len(RATES) or size_code // 2 >= len(BIT_RATES):
        return None
    rate, bitrate = RATES[code], BIT_RATES[size_code // 2] * 1000
    # Frames of 1536 samples in words of 16 bits; at 44.1 kHz the odd codes have one word more.
    words = bitrate * 6 * _BLOCK // 16 // rate + (size_code & 1 if code == 1 else 0)
    # Versions 9 and 10 are streams of a half and a quarter of the sample rate.
    shift = max(version, 8) - 8
    channels = _plain_channels(head[6] << 8 | head[7])
    return Frame("ac3", words * 2, 6 * _BLOCK, rate >> shift, channels, bitrate >> shift)


def _plain_channels(bits: int) -> int:
    """Reads acmod and lfeon; between them stand two bits each for a centre, for surrounds, for Dolby's stereo."""
    mode = bits >> 13
    at = 12 - 2 * ((mode & 1 and mode != 1) + (mode & 4 != 0) + (mode == 2))
    return CHANNELS[mode] + (bits >> at & 1)


def _enhanced(head: bytes) -> Frame | None:
    kind, substream = head[2] >> 6, head[2] >> 3 & 7
    size = ((head[2] & 7) << 8 | head[3]) * 2 + 2
    code, blocks = head[4] >> 6, _BLOCKS[head[4] >> 4 & 3]
    if code == 3:
        half = head[4] >> 4 & 3
        if half >= len(RATES):
            return None
        rate, blocks = RATES[half] // 2, 6
    else:
        rate = RATES[code]
    if size < _HEADER:
        return None
    # Dependent substreams and further programmes play at the time of the first one.
    samples = blocks * _BLOCK if kind != 1 and substream == 0 else 0
    return Frame("eac3", size, samples, rate, CHANNELS[head[4] >> 1 & 7] + (head[4] & 1))


AC3 = Format(read_frame, re.compile(rb"\x0b\x77"))
