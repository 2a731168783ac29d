"""True Audio: one header of 22 bytes (TTA1 format description, tausoft.org)."""

from __future__ import annotations

from mediacrawl.probe.context import BrokenError, Reading, exact, unpack
from mediacrawl.probe.formats.tail import Tail

_HEADER = 22


def read(reading: Reading, start: int) -> None:
    """Reads a True Audio file.

    Args:
        reading: takes what is found.
        start: offset of ``TTA1``; an ID3v2 tag often stands before it.
    """
    tail = Tail(reading, start)
    reading.stage("header", _read_header, reading, start, tail)
    tail.read()


def _read_header(reading: Reading, start: int, tail: Tail) -> None:
    _, channels, bits, rate, samples = unpack("<HHHII", exact(reading.file, start, start + _HEADER)[4:18])
    if not rate or not channels:
        raise BrokenError("no sample rate")
    result = reading.result
    result.codec = result.audio_codec = "tta"
    result.sample_rate, result.channels, result.bits_per_sample = rate, channels, bits
    result.set_duration(samples / rate)
    tail.set_bitrate(start)
