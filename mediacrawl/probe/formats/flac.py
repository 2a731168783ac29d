"""FLAC: metadata blocks (RFC 9639, section 8), read past pictures without fetching them."""

from __future__ import annotations

from mediacrawl.probe.context import Reading, exact, peek
from mediacrawl.probe.formats import vorbis
from mediacrawl.probe.formats.from_mutagen import stream_info
from mediacrawl.probe.result import ProbeResult

_STREAMINFO, _COMMENT, _PICTURE = 0, 4, 6
_STREAMINFO_SIZE = 34
_PICTURE_HEADER = 512


def read(reading: Reading, start: int) -> None:
    """Reads a FLAC file.

    Args:
        reading: takes what is found.
        start: offset of ``fLaC``; an ID3v2 tag may stand before it.
    """
    reading.result.has_cover = False
    reading.stage("blocks", _read_blocks, reading, start + 4)


def read_streaminfo(result: ProbeResult, block: bytes) -> None:
    """Takes the stream facts from the 34 bytes of a STREAMINFO block (8.2)."""
    info = stream_info(block)
    result.codec = result.audio_codec = "flac"
    result.sample_rate, result.channels = info.sample_rate, info.channels
    result.bits_per_sample = info.bits_per_sample
    result.set_duration(info.length)
    if info.md5_signature:
        result.audio_md5 = f"{info.md5_signature:032x}"


def _read_blocks(reading: Reading, at: int) -> None:
    last = False
    while not last:
        reading.count()
        header = exact(reading.file, at, at + 4)
        last, kind = bool(header[0] & 0x80), header[0] & 0x7F
        start, at = at + 4, at + 4 + int.from_bytes(header[1:4], "big")
        _read_block(reading, kind, start, at)
    _set_bitrate(reading, at)


def _read_block(reading: Reading, kind: int, start: int, stop: int) -> None:
    if kind == _STREAMINFO:
        stop = min(stop, start + _STREAMINFO_SIZE)
        reading.stage("streaminfo", _read_streaminfo, reading, start, stop)
    elif kind == _COMMENT:
        # A comment that is cut short must not hide the blocks behind it.
        reading.stage("comment", vorbis.read_comments, reading, reading.file, start, stop)
    elif kind == _PICTURE:
        header = peek(reading.file, start, min(start + _PICTURE_HEADER, stop))
        reading.result.set_cover(*vorbis.read_picture(header or b""))


def _read_streaminfo(reading: Reading, start: int, stop: int) -> None:
    read_streaminfo(reading.result, exact(reading.file, start, stop))


def _set_bitrate(reading: Reading, audio: int) -> None:
    size, duration = reading.file.size, reading.result.duration
    if size is not None and duration and size > audio:
        reading.result.bitrate = round((size - audio) * 8 / duration)
