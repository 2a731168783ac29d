"""The identification headers of the codecs that come in Ogg, and what their granule positions mean."""

from __future__ import annotations

import struct
from collections.abc import Callable
from dataclasses import dataclass

from mediacrawl.probe.formats.flac import read_streaminfo
from mediacrawl.probe.result import ProbeResult


@dataclass(frozen=True, slots=True)
class Stream:
    """One logical stream.

    Attributes:
        serial: its number in the pages.
        codec: name of the codec.
        rate: granules (or frames) per second.
        comment_at: bytes in the second packet before the comments.
        skip: granules at the start that are not played.
        shift: bits of a video granule that count the frames since the last key frame.
        sample_rate: Hz.
        channels: number of audio channels.
        bitrate: bits per second, if the header names one.
        bits_per_sample: bits.
        is_video: whether it is a picture stream.
        width: pixels.
        height: pixels.
    """

    serial: int
    codec: str
    rate: float
    comment_at: int
    skip: int = 0
    shift: int = 0
    sample_rate: int | None = None
    channels: int | None = None
    bitrate: int | None = None
    bits_per_sample: int | None = None
    is_video: bool = False
    width: int | None = None
    height: int | None = None

    def seconds(self, granule: int) -> float:
        """Turns a granule position into seconds from the start of the stream."""
        if self.shift:
            granule = (granule >> self.shift) + (granule & (1 << self.shift) - 1)
        return (granule - self.skip) / self.rate


def identify(serial: int, packet: bytes) -> Stream | None:
    """Reads the first packet of a stream; None if its codec is unknown or its header is no header."""
    for magic, read in _CODECS:
        if packet.startswith(magic):
            try:
                return read(serial, packet)
            except (struct.error, ValueError, ZeroDivisionError):
                return None
    return None


def _vorbis(serial: int, packet: bytes) -> Stream | None:
    """Vorbis I, 4.2.2. Of the three bit rates the nominal one is what the encoder was asked for."""
    channels, rate, highest, nominal, lowest = struct.unpack_from("<xxxxBIiii", packet, 7)
    bounds = [bound for bound in (highest, lowest) if bound > 0]
    average = sum(bounds) // len(bounds) if bounds else None
    bitrate = nominal if nominal > 0 else average
    if not rate:
        return None
    return Stream(serial, "vorbis", rate, 7, sample_rate=rate, channels=channels, bitrate=bitrate)


def _opus(serial: int, packet: bytes) -> Stream:
    """RFC 7845, 5.1: granules are always 48 kHz; the rate in the header is that of the source."""
    channels, skip = struct.unpack_from("<xBH", packet, 8)
    return Stream(serial, "opus", 48000, 8, skip, sample_rate=48000, channels=channels)


def _flac(serial: int, packet: bytes) -> Stream:
    """RFC 9639, 10.1: STREAMINFO stands 17 bytes into the packet; comments begin with a block header."""
    facts = ProbeResult()
    read_streaminfo(facts, packet[17:51])
    rate = facts.sample_rate or 0
    return Stream(
        serial,
        "flac",
        rate,
        4,
        sample_rate=rate,
        channels=facts.channels,
        bits_per_sample=facts.bits_per_sample,
    )


def _speex(serial: int, packet: bytes) -> Stream | None:
    rate, channels, bitrate = struct.unpack_from("<i8xii", packet, 36)
    if rate <= 0:
        return None
    given = bitrate if bitrate > 0 else None
    return Stream(serial, "speex", rate, 0, sample_rate=rate, channels=channels, bitrate=given)


def _theora(serial: int, packet: bytes) -> Stream:
    """Theora specification, 6.2: sizes have 24 bits, the granule's shift stands across a byte's border."""
    width, height = (int.from_bytes(packet[at : at + 3], "big") for at in (14, 17))
    numerator, denominator = struct.unpack_from(">II", packet, 22)
    (tail,) = struct.unpack_from(">H", packet, 40)
    return Stream(
        serial,
        "theora",
        numerator / denominator,
        7,
        shift=tail >> 5 & 31,
        is_video=True,
        width=width,
        height=height,
    )


_CODECS: tuple[tuple[bytes, Callable[[int, bytes], Stream | None]], ...] = (
    (b"\x01vorbis", _vorbis),
    (b"OpusHead", _opus),
    (b"\x7fFLAC", _flac),
    (b"Speex   ", _speex),
    (b"\x80theora", _theora),
)
