"""Musepack: stream versions 7 and 8 (SV7 and SV8 specifications, musepack.net)."""

from __future__ import annotations

from mediacrawl.probe.context import BrokenError, Reading, Source, exact, unpack
from mediacrawl.probe.formats.tail import Tail

_RATES = (44100, 48000, 37800, 32000)
_SV7_HEADER = 24
_SAMPLES = 1152
_DELAY = 481
"""Samples that the decoder of version 7 gives before the first one."""


def read(reading: Reading, start: int) -> None:
    """Reads a Musepack file.

    Args:
        reading: takes what is found.
        start: offset of ``MP+`` or ``MPCK``.
    """
    tail = Tail(reading, start)
    reading.stage("header", _read_header, reading, start, tail)
    tail.read()


def _read_header(reading: Reading, start: int, tail: Tail) -> None:
    result = reading.result
    if exact(reading.file, start, start + 4) == b"MPCK":
        result.codec = "musepack8"
        _read_packets(reading, start + 4)
    else:
        result.codec = "musepack7"
        _read_sv7(reading, start)
    result.audio_codec = result.codec
    tail.set_bitrate(start)


def _read_sv7(reading: Reading, start: int) -> None:
    header = exact(reading.file, start, start + _SV7_HEADER)
    if header[3] & 15 != 7:
        raise BrokenError("not version 7")
    frames, flags = unpack("<II", header[4:12])
    (end,) = unpack("<I", header[20:24])
    # The last frame's length is stated where the encoder knew it; else half of it, as in the reference decoder.
    last = end >> 20 & 0x7FF if end >> 31 else _SAMPLES // 2 + _DELAY
    rate = _RATES[flags >> 16 & 3]
    reading.result.sample_rate, reading.result.channels = rate, 2
    reading.result.set_duration(((frames - 1) * _SAMPLES + last) / rate if frames else 0)


def _read_packets(reading: Reading, at: int) -> None:
    """Finds the stream header among the packets: two letters, the packet's size, its data."""
    while True:
        reading.count()
        key = exact(reading.file, at, at + 2)
        size, body = _number(reading.file, at + 2)
        if key == b"SH":
            _read_stream_header(reading, body)
            return
        if key in {b"AP", b"SE"} or at + size < body:
            raise BrokenError("no stream header before the audio")
        at += size


def _read_stream_header(reading: Reading, body: int) -> None:
    # CRC and version come first; the samples at the front that are not played are among all.
    samples, at = _number(reading.file, body + 5)
    silent, at = _number(reading.file, at)
    bits = exact(reading.file, at, at + 2)
    index = bits[0] >> 5
    if index >= len(_RATES):
        raise BrokenError("an unknown sample rate")
    reading.result.sample_rate, reading.result.channels = _RATES[index], (bits[1] >> 4) + 1
    reading.result.set_duration((samples - silent) / _RATES[index])


def _number(source: Source, at: int) -> tuple[int, int]:
    """Reads a number of seven bits a byte, of nine bytes at most; gives the offset behind it too."""
    value = 0
    for place in range(at, at + 9):
        (byte,) = exact(source, place, place + 1)
        value = value << 7 | byte & 0x7F
        if byte < 0x80:
            return value, place + 1
    raise BrokenError("a number does not end")
