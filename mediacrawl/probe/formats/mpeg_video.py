"""Bits of a codec's header, read one field after the other, from the highest bit of each byte."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass, replace

from mediacrawl.probe.context import BrokenError
from mediacrawl.probe.formats.shared_codes import primaries_name, transfer_name

_LONGEST_CODE = 32
"""Leading zeros of an Exp-Golomb code: no field of a header has more bits."""


class Bits:
    """A cursor over the bits of a few hundred bytes."""

    def __init__(self, data: bytes) -> None:
        self._value = int.from_bytes(data, "big")
        self._left = len(data) * 8

    @property
    def left(self) -> int:
        """Bits that were not read yet."""
        return self._left

    def take(self, count: int) -> int:
        """Reads an unsigned number of `count` bits."""
        if count > self._left:
            raise BrokenError("the data end inside a structure")
        self._left -= count
        return self._value >> self._left & ((1 << count) - 1)

    def flag(self) -> bool:
        """Reads one bit."""
        return self.take(1) == 1

    def unsigned(self) -> int:
        """Reads an Exp-Golomb code, ``ue(v)`` of ITU-T H.264, 9.1."""
        zeros = 0
        while not self.flag():
            zeros += 1
            if zeros > _LONGEST_CODE:
                raise BrokenError("a code of too many bits")
        return (1 << zeros) - 1 + self.take(zeros)

    def signed(self) -> int:
        """Reads a signed Exp-Golomb code, ``se(v)`` of ITU-T H.264, 9.1.1."""
        code = self.unsigned()
        return (code + 1) // 2 if code % 2 else -(code // 2)


_SEQUENCE, _EXTENSION = b"\0\0\1\xb3", b"\0\0\1\xb5"
_RATES = (0.0, 24000 / 1001, 24.0, 25.0, 30000 / 1001, 30.0, 50.0, 60000 / 1001, 60.0)
_H264_SET = re.compile(rb"\x00\x00\x01[\x07\x27\x47\x67]")
_H265_SET = re.compile(rb"\x00\x00\x01[\x42\x43]")
_SET_BYTES = 512
"""Bytes of a parameter set that are read."""
_MAX_SETS = 8
_HIGH_PROFILES = frozenset({44, 83, 86, 100, 110, 118, 122, 128, 134, 135, 138, 139, 244})
_EXPLICIT = 255
_MAX_REFERENCES, _MAX_SETS_OF_REFERENCES = 32, 64
"""Of HEVC, at most: pictures that one refers to are 16, those of the long term 32."""


@dataclass(frozen=True, slots=True)
class VideoHeader:
    """The header of a video stream.

    Attributes:
        frame_rate: frames per second, None if the stream does not say.
        bitrate: bits per second, None if the stream does not say.
    """

    codec: str
    width: int
    height: int
    frame_rate: float | None = None
    bitrate: int | None = None
    transfer: str | None = None
    primaries: str | None = None


def find_video_header(codec: str | None, data: bytes) -> VideoHeader | None:
    """Finds the header of a video stream.

    Returns:
        What it says, None if there is none.
    """
    if codec == "h264":
        return _first_set(_h264, data, _H264_SET, 4)
    if codec == "hevc":
        return _first_set(_h265, data, _H265_SET, 5)
    return _sequence(data) if codec in {None, "mpeg1video", "mpeg2video"} else None


def _sequence(data: bytes) -> VideoHeader | None:
    at = data.find(_SEQUENCE)
    if at < 0 or len(data) < at + 12:
        return None
    bits = Bits(data[at + 4 : at + 12])
    width, height, _, rate, bitrate = (bits.take(count) for count in (12, 12, 4, 4, 18))
    stated = bitrate * 400 if 0 < bitrate < 0x3FFFF else None
    frame_rate = _RATES[rate] if 0 < rate < len(_RATES) else None
    picture = VideoHeader("mpeg1video", width, height, frame_rate, stated)
    behind = data.find(b"\0\0\1", at + 12)
    if behind > 0 and data.startswith(_EXTENSION, behind):
        return _extended(picture, data[behind + 4 : behind + 10])
    return picture if width and height else None


def _extended(picture: VideoHeader, data: bytes) -> VideoHeader | None:
    """Adds what MPEG-2's sequence extension says (6.2.2.3): the high bits of the size, a factor of the rate."""
    if len(data) < 6 or data[0] >> 4 != 1:
        return None
    bits = Bits(data)
    bits.take(4 + 8 + 1 + 2)
    width, height = bits.take(2) << 12 | picture.width, bits.take(2) << 12 | picture.height
    bits.take(12 + 1 + 8 + 1)
    above, below = bits.take(2) + 1, bits.take(5) + 1
    rate = picture.frame_rate * above / below if picture.frame_rate else None
    return replace(picture, codec="mpeg2video", width=width, height=height, frame_rate=rate)


def _first_set(
    read: Callable[[Bits], VideoHeader], data: bytes, start: re.Pattern[bytes], header: int
) -> VideoHeader | None:
    for match, _ in zip(start.finditer(data), range(_MAX_SETS), strict=False):
        at = match.start() + header
        # A zero byte in front of a small one would look like a start code, so writers put a 3 between them.
        plain = data[at : at + _SET_BYTES].replace(b"\0\0\3", b"\0\0")
        try:
            picture = read(Bits(plain))
        except BrokenError:
            continue
        if picture.width > 0 and picture.height > 0:
            return picture
    return None


def _h264(bits: Bits) -> VideoHeader:
    profile = bits.take(8)
    bits.take(8 + 8)
    bits.unsigned()
    chroma = 1
    if profile in _HIGH_PROFILES:
        chroma = _h264_high(bits)
    bits.unsigned()
    _skip_h264_order(bits)
    bits.unsigned()
    bits.take(1)
    width, height = (bits.unsigned() + 1) * 16, (bits.unsigned() + 1) * 16
    whole = bits.flag()
    if not whole:
        height *= 2
        bits.take(1)
    bits.take(1)
    if bits.flag():
        left, right, top, bottom = (bits.unsigned() for _ in range(4))
        width -= (left + right) * (2 if chroma in {1, 2} else 1)
        height -= (top + bottom) * (2 if chroma == 1 else 1) * (1 if whole else 2)
    # Adds colours and frame rate of H.264's usability information, as far as they are stated (annex E).
    picture = VideoHeader("h264", width, height)
    if not bits.flag():
        return picture
    picture = _with_colours(picture, bits)
    if bits.flag():
        bits.unsigned()
        bits.unsigned()
    if not bits.flag():
        return picture
    units, scale = bits.take(32), bits.take(32)
    return replace(picture, frame_rate=scale / (2 * units)) if units and scale else picture


def _h264_high(bits: Bits) -> int:
    """Reads the format of colours, and passes over the scaling lists."""
    chroma = bits.unsigned()
    if chroma == 3:
        bits.take(1)
    bits.unsigned()
    bits.unsigned()
    bits.take(1)
    if bits.flag():
        for number in range(12 if chroma == 3 else 8):
            if bits.flag():
                size = 16 if number < 6 else 64
                last = following = 8
                for _ in range(size):
                    if following:
                        following = (last + bits.signed()) % 256
                    last = following or last
    return chroma


def _skip_h264_order(bits: Bits) -> None:
    """Passes over how pictures are ordered (pic_order_cnt_type)."""
    kind = bits.unsigned()
    if kind == 0:
        bits.unsigned()
    elif kind == 1:
        bits.take(1)
        bits.signed()
        bits.signed()
        for _ in range(min(bits.unsigned(), 255)):
            bits.signed()


def _with_colours(picture: VideoHeader, bits: Bits) -> VideoHeader:
    """Reads the front of the usability information, which H.264 and HEVC share: shape of pixels, overscan, colours."""
    if bits.flag() and bits.take(8) == _EXPLICIT:
        bits.take(32)
    if bits.flag():
        bits.take(1)
    if bits.flag():
        bits.take(4)
        if bits.flag():
            primaries, transfer = bits.take(8), bits.take(8)
            bits.take(8)
            return replace(picture, transfer=transfer_name(transfer), primaries=primaries_name(primaries))
    return picture


def _h265(bits: Bits) -> VideoHeader:
    bits.take(4)
    layers = bits.take(3)
    bits.take(1)
    _skip_levels(bits, layers)
    bits.unsigned()
    chroma = bits.unsigned()
    if chroma == 3:
        bits.take(1)
    width, height = bits.unsigned(), bits.unsigned()
    if bits.flag():
        left, right, top, bottom = (bits.unsigned() for _ in range(4))
        width -= (left + right) * (2 if chroma in {1, 2} else 1)
        height -= (top + bottom) * (2 if chroma == 1 else 1)
    picture = VideoHeader("hevc", width, height)
    try:
        return _with_hevc_colours(picture, bits, layers)
    except BrokenError:
        return picture  # the size is known


def _with_hevc_colours(picture: VideoHeader, bits: Bits, layers: int) -> VideoHeader:
    """Adds colours by the usability information, and passes over all that stands before it (7.3.2.2)."""
    bits.unsigned()
    bits.unsigned()
    order_bits = bits.unsigned() + 4
    for _ in range(1 + layers if bits.flag() else 1):
        for _ in range(3):
            bits.unsigned()
    for _ in range(6):
        bits.unsigned()
    if bits.flag() and bits.flag():
        _skip_hevc_scaling_lists(bits)
    bits.take(1 + 1)
    if bits.flag():
        bits.take(4 + 4)
        bits.unsigned()
        bits.unsigned()
        bits.take(1)
    _skip_reference_sets(bits)
    if bits.flag():
        for _ in range(min(bits.unsigned(), _MAX_REFERENCES)):
            bits.take(order_bits + 1)
    bits.take(1 + 1)
    return _with_colours(picture, bits) if bits.flag() else picture


def _skip_hevc_scaling_lists(bits: Bits) -> None:
    """Passes over the scaling lists (7.3.4)."""
    for size in range(4):
        for _ in range(2 if size == 3 else 6):
            if not bits.flag():
                bits.unsigned()
                continue
            if size > 1:
                bits.signed()
            for _ in range(min(64, 1 << 4 + 2 * size)):
                bits.signed()


def _skip_reference_sets(bits: Bits) -> None:
    """Passes over the short-term reference picture sets (7.3.7); one may be told by its difference to the last."""
    pictures = 0
    for number in range(min(bits.unsigned(), _MAX_SETS_OF_REFERENCES)):
        if number and bits.flag():
            bits.take(1)
            bits.unsigned()
            # Each picture of the last set, and that set's own, stays unless both of its flags say no.
            pictures = sum(1 for _ in range(pictures + 1) if bits.flag() or bits.flag())
            continue
        before, after = bits.unsigned(), bits.unsigned()
        pictures = min(before + after, _MAX_REFERENCES)
        for _ in range(pictures):
            bits.unsigned()
            bits.take(1)


def _skip_levels(bits: Bits, layers: int) -> None:
    """Passes over profile, tier and level of the stream and its layers (7.3.3)."""
    bits.take(88 + 8)
    present = [(bits.flag(), bits.flag()) for _ in range(layers)]
    bits.take(2 * (8 - layers) if layers else 0)
    for profile, level in present:
        bits.take(88 * profile + 8 * level)
