"""Monkey's Audio: the two generations of its header (MAC SDK, ``APEHeader.h``)."""

from __future__ import annotations

from typing import NamedTuple

from mediacrawl.probe.context import BrokenError, Reading, exact, unpack
from mediacrawl.probe.formats.tail import Tail

_NEW = 3980
"""Version (3.98) from which a descriptor stands before the header."""
_DESCRIPTOR, _HEADER, _OLD_HEADER = 52, 24, 32
_8_BIT, _24_BIT = 1, 8
_EXTRA_HIGH = 4000


class _Facts(NamedTuple):
    blocks: int
    rate: int
    channels: int
    bits: int


def read(reading: Reading, start: int) -> None:
    """Reads a Monkey's Audio file.

    Args:
        reading: takes what is found.
        start: offset of ``MAC ``; an ID3v2 tag may stand before it.
    """
    tail = Tail(reading, start)
    reading.stage("header", _read_header, reading, start, tail)
    tail.read()


def _read_header(reading: Reading, start: int, tail: Tail) -> None:
    (version,) = unpack("<H", exact(reading.file, start + 4, start + 6))
    facts = _new(reading, start) if version >= _NEW else _old(reading, start, version)
    if not facts.rate or not facts.channels:
        raise BrokenError("no sample rate")
    result = reading.result
    result.codec = result.audio_codec = "ape"
    result.sample_rate, result.channels, result.bits_per_sample = facts.rate, facts.channels, facts.bits
    result.set_duration(facts.blocks / facts.rate)
    tail.set_bitrate(start)


def _new(reading: Reading, start: int) -> _Facts:
    (size,) = unpack("<I", exact(reading.file, start + 8, start + 12))
    # The descriptor may grow; it has never been shorter.
    at = start + max(size, _DESCRIPTOR)
    header = exact(reading.file, at, at + _HEADER)
    _, _, per_frame, last, frames, bits, channels, rate = unpack("<HHIIIHHI", header)
    return _Facts(_blocks(frames, per_frame, last), rate, channels, bits)


def _old(reading: Reading, start: int, version: int) -> _Facts:
    header = exact(reading.file, start, start + _OLD_HEADER)
    level, flags, channels, rate, _, _, frames, last = unpack("<HHHIIIII", header[6:])
    bits = 8 if flags & _8_BIT else 24 if flags & _24_BIT else 16
    return _Facts(_blocks(frames, _blocks_per_frame(version, level), last), rate, channels, bits)


def _blocks_per_frame(version: int, level: int) -> int:
    if version >= 3950:
        return 73728 * 4
    return 73728 if version >= 3900 or (version >= 3800 and level == _EXTRA_HIGH) else 9216


def _blocks(frames: int, per_frame: int, last: int) -> int:
    return (frames - 1) * per_frame + last if frames else 0
