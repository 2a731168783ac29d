"""Headers of AAC that say how a stream is to be decoded: AudioSpecificConfig and program_config_element.

MP4 and Core Audio Format keep the first beside the stream, LATM inside it; ADIF begins with the second. Source:
ISO/IEC 14496-3, 1.6.2.1 (AudioSpecificConfig), 1.6.5 (SBR and PS), 4.4.1 (GASpecificConfig, program_config_element);
23003-3, 5.2 (UsacConfig).
"""

from __future__ import annotations

from typing import NamedTuple

from mediacrawl.probe.context import BrokenError
from mediacrawl.probe.formats.mpeg_video import Bits

AAC_RATES = (96000, 88200, 64000, 48000, 44100, 32000, 24000, 22050, 16000, 12000, 11025, 8000, 7350)
"""Hz by sampling frequency index (table 1.18)."""
AAC_CHANNELS = (0, 1, 2, 3, 4, 5, 6, 8, 0, 0, 0, 7, 8, 24, 8)
"""By channel configuration (table 1.19); 0 where it does not say. A header of ADTS holds the first eight."""
_LC, _SBR, _PS, _USAC = 2, 5, 29, 42
_GENERAL = frozenset({1, 2, 3, 4, 6, 7, 17, 19, 20, 21, 22, 23})
"""Object types whose config continues with a GASpecificConfig (table 1.17)."""
_LOW_DELAY = frozenset({23, 39})
AAC_KINDS = _GENERAL | _LOW_DELAY | {_USAC}
"""Object types of which the length of a frame is read."""
_LONG, _SHORTER = (1024, 512), (960, 480)
"""Samples of a frame without and with frameLengthFlag, of the general and of the low delay types."""
_ESCAPE = 31
_OWN_RATE, _OWN_USAC_RATE = 15, 31
"""Indices of a rate that is stated in 24 bits."""
_LEAST = 5
"""Bits of an object type, at least."""
_SYNC_SBR, _SYNC_PS = 0x2B7, 0x548
_USAC_FRAMES = (768, 1024, 2048, 2048, 4096)
"""Samples of a frame by coreSbrFrameLengthIndex (23003-3, 5.2 and 6.1.1.1)."""


class AacConfig(NamedTuple):
    """What an AudioSpecificConfig says.

    Attributes:
        kind: audio object type of the core, which SBR and PS extend.
        sample_rate: Hz of what is played, 0 if it does not say.
        channels: number of channels, 0 if it does not say.
        seconds: of one frame, 0 if it is not known.
    """

    kind: int
    sample_rate: int
    channels: int
    seconds: float


def read_config(bits: Bits, *, is_last: bool) -> AacConfig:
    """Reads an AudioSpecificConfig, with SBR and PS where it says so.

    If the bits end with it, it may name SBR a second time behind what old players read.

    Raises:
        BrokenError: the bits end inside it.
    """
    kind, rate = _kind(bits), _rate(bits)
    setting = bits.take(4)
    channels = AAC_CHANNELS[setting] if setting < len(AAC_CHANNELS) else 0
    played, stereo = rate, kind == _PS
    if kind in {_SBR, _PS}:
        played = _rate(bits)
        kind = _kind(bits) if bits.left >= _LEAST else _LC
    if kind == _USAC:
        return _read_usac(bits, AacConfig(kind, played, channels, 0.0))
    samples, counted = _read_specific(bits, kind, setting)
    may_extend = kind == _LC and setting and is_last and bits.left >= 11 + _LEAST + 1 + 4
    # The same said behind, so that old players do not see it.
    if may_extend and (bits.take(11), _kind(bits)) == (_SYNC_SBR, _SBR) and bits.flag():
        played = _rate(bits)
        stereo = bits.left >= 12 and bits.take(11) == _SYNC_PS and bits.flag()
    channels = channels or counted
    if stereo and channels == 1:
        channels = 2
    return AacConfig(kind, played, channels, samples / rate if rate else 0.0)


def _kind(bits: Bits) -> int:
    kind = bits.take(5)
    return 32 + bits.take(6) if kind == _ESCAPE else kind


def _rate(bits: Bits) -> int:
    index = bits.take(4)
    return bits.take(24) if index == _OWN_RATE else _rate_of_index(index)


def _rate_of_index(index: int) -> int:
    return AAC_RATES[index] if index < len(AAC_RATES) else 0


def _read_specific(bits: Bits, kind: int, setting: int) -> tuple[int, int]:
    """Reads samples of a frame, and the channels where only a program_config_element says them; 0 is unknown.

    A config that ends before them has said enough.
    """
    if kind not in AAC_KINDS or not bits.left:
        return 0, 0
    general, low_delay = _SHORTER if bits.flag() else _LONG
    samples = low_delay if kind in _LOW_DELAY else general
    try:
        if kind in _GENERAL:
            bits.take(14 if bits.flag() else 0)
            bits.take(1)
        return samples, 0 if setting or kind not in _GENERAL else read_program(bits).channels
    except BrokenError:
        return samples, 0


def _read_usac(bits: Bits, config: AacConfig) -> AacConfig:
    """Reads the begin of a UsacConfig, which has a rate of its own and the length of its frames."""
    try:
        index = bits.take(5)
        rate = (bits.take(24) if index == _OWN_USAC_RATE else _rate_of_index(index)) or config.sample_rate
        length = bits.take(3)
    except BrokenError:
        return config
    seconds = _USAC_FRAMES[length] / rate if rate and length < len(_USAC_FRAMES) else 0.0
    return config._replace(sample_rate=rate, seconds=seconds)


class AacProgram(NamedTuple):
    """What a program_config_element says: Hz (0 if it does not say), channels, and a comment."""

    sample_rate: int
    channels: int
    comment: bytes


def read_program(bits: Bits) -> AacProgram:
    """Reads a program_config_element; its comment is at the next whole byte.

    Raises:
        BrokenError: the bits end inside it.
    """
    bits.take(4 + 2)
    rate = _rate_of_index(bits.take(4))
    groups = [bits.take(4) for _ in range(3)]
    low, data, coupled = bits.take(2), bits.take(3), bits.take(4)
    for size in (4, 4, 3):  # numbers of the elements that mix it down, or how that is done
        if bits.flag():
            bits.take(size)
    channels = low
    for count in groups:
        for _ in range(count):
            channels += 2 if bits.flag() else 1
            bits.take(4)
    bits.take(4 * (low + data) + 5 * coupled)
    bits.take(bits.left % 8)
    size = bits.take(8) if bits.left else 0
    return AacProgram(rate, channels, bytes(bits.take(8) for _ in range(min(size, bits.left // 8))))
