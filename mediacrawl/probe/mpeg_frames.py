"""Headers of MPEG audio frames (ISO/IEC 11172-3, 2.4.1.3, and 13818-3): where the next frame is, how dense it is."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

_BIT_RATES = {
    # (MPEG-1, layer): kbit/s by index 1 to 14
    (True, 1): (32, 64, 96, 128, 160, 192, 224, 256, 288, 320, 352, 384, 416, 448),
    (True, 2): (32, 48, 56, 64, 80, 96, 112, 128, 160, 192, 224, 256, 320, 384),
    (True, 3): (32, 40, 48, 56, 64, 80, 96, 112, 128, 160, 192, 224, 256, 320),
    (False, 1): (32, 48, 56, 64, 80, 96, 112, 128, 144, 160, 176, 192, 224, 256),
    (False, 2): (8, 16, 24, 32, 40, 48, 56, 64, 80, 96, 112, 128, 144, 160),
    (False, 3): (8, 16, 24, 32, 40, 48, 56, 64, 80, 96, 112, 128, 144, 160),
}
_MPEG1 = 3
_SAMPLE_RATES = {
    _MPEG1: (44100, 48000, 32000),
    2: (22050, 24000, 16000),
    0: (11025, 12000, 8000),
}


class Frame(NamedTuple):
    """One frame: bytes with its header, and bits per second."""

    size: int
    bitrate: int


def frames(data: bytes, at: int = 0) -> Iterator[Frame]:
    """Yields the frames that follow each other from an offset on, until there is none."""
    while frame := _frame(data, at):
        yield frame
        at += frame.size


def _frame(data: bytes, at: int) -> Frame | None:
    if len(data) < at + 4 or data[at] != 0xFF or data[at + 1] & 0xE0 != 0xE0:
        return None
    version, layer = data[at + 1] >> 3 & 3, 4 - (data[at + 1] >> 1 & 3)
    rate, frequency = data[at + 2] >> 4, data[at + 2] >> 2 & 3
    if version == 1 or layer == 4 or frequency == 3 or rate in {0, 15}:
        return None
    bitrate = _BIT_RATES[version == _MPEG1, layer][rate - 1] * 1000
    slots = bitrate * _slots(version, layer) // _SAMPLE_RATES[version][frequency]
    return Frame((slots + (data[at + 2] >> 1 & 1)) * (4 if layer == 1 else 1), bitrate)


def _slots(version: int, layer: int) -> int:
    """Returns samples per frame by 8 bits by bytes per slot."""
    if layer == 1:
        return 12
    return 72 if layer == 3 and version != _MPEG1 else 144
