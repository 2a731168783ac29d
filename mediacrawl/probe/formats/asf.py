"""ASF (WMA, WMV): objects of the header, and the raw UTF-16 of its texts.

Source: "Advanced Systems Format (ASF) Specification" 01.20.06 (Microsoft, 2012); numbers of sections are its own.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from uuid import UUID

from mediacrawl.probe.context import BrokenError, Reading, exact, unpack
from mediacrawl.probe.formats import asf_text
from mediacrawl.probe.formats.asf_text import Part
from mediacrawl.probe.formats.windows_headers import PictureFormat, SoundFormat, read_picture_format, read_sound_format

AUDIO = "audio/x-ms-wma"
VIDEO = "video/x-ms-wmv"

_OBJECT_HEADER = 24
_EXTENSION_HEADER = 22
_BROADCAST = 1
_WINDOWS_VIDEO = frozenset({"wmv1", "wmv2", "wmv3", "vc1", "mss1", "mss2", "msmpeg4v3", "msmpeg4v2", "msmpeg4v1"})


def _guid(text: str) -> bytes:
    return UUID(text).bytes_le


_FILE_PROPERTIES = _guid("8CABDCA1-A947-11CF-8EE4-00C00C205365")
_STREAM_PROPERTIES = _guid("B7DC0791-A9B7-11CF-8EE6-00C00C205365")
_EXTENDED_STREAM_PROPERTIES = _guid("14E6A5CB-C672-4332-8399-A96952065B5A")
_HEADER_EXTENSION = _guid("5FBF03B5-A92E-11CF-8EE3-00C00C205365")
_CODEC_LIST = _guid("86D15240-311D-11D0-A3A4-00A0C90348F6")
_TEXTS = {
    _guid("75B22633-668E-11CF-A6D9-00AA0062CE6C"): asf_text.read_content_description,
    _guid("D2D0A440-E307-11D2-97F0-00A0C95EA850"): asf_text.read_extended_description,
    _guid("C5F8CBEA-5BAF-4877-8467-AA8C44FA4CCA"): asf_text.read_metadata,
    _guid("44231C94-9498-49D1-A141-1D134E457054"): asf_text.read_metadata,
}
_AUDIO_MEDIA = _guid("F8699E40-5B4D-11CF-A8FD-00805F5C442B")
_VIDEO_MEDIA = _guid("BC19EFC0-5B4D-11CF-A8FD-00805F5C442B")


@dataclass(frozen=True, slots=True)
class _Object:
    """One object: its kind, and the offsets of its body."""

    kind: bytes
    body: int
    stop: int


@dataclass(slots=True)
class _Header:
    """What the objects say of the streams.

    Attributes:
        seconds: length, 0 if unknown.
        broadcast: whether the file was still being written when its header was.
        max_bitrate: bits per second of all streams together, at most.
        stop: offset behind the header.
        sounds: formats of the audio streams.
        pictures: formats of the video streams, by the number of the stream.
        frame_times: time of one frame in units of 100 ns, by the number of the stream.
        mode: ``cbr`` or ``vbr`` as the list of codecs describes the audio.
    """

    seconds: float = 0.0
    broadcast: bool = False
    max_bitrate: int = 0
    stop: int = 0
    sounds: list[SoundFormat] = field(default_factory=list)
    pictures: dict[int, PictureFormat] = field(default_factory=dict)
    frame_times: dict[int, int] = field(default_factory=dict)
    mode: str | None = None


def read(reading: Reading, start: int) -> None:
    """Reads an ASF file.

    Args:
        reading: takes what is found.
        start: offset of the Header Object.
    """
    reading.result.has_cover = False
    header = _Header()
    reading.stage("header", _read_header, reading, start, header)
    _take_facts(reading, header)


def _objects(reading: Reading, start: int, stop: int) -> Iterator[_Object]:
    """Yields the objects between two offsets; all begin alike (2.1)."""
    while start + _OBJECT_HEADER <= stop:
        reading.count()
        head = exact(reading.file, start, start + _OBJECT_HEADER)
        (size,) = unpack("<Q", head[16:])
        if size < _OBJECT_HEADER or start + size > stop:
            raise BrokenError("an object does not fit into what it stands in")
        yield _Object(head[:16], start + _OBJECT_HEADER, start + size)
        start += size


def _read_header(reading: Reading, start: int, header: _Header) -> None:
    head = exact(reading.file, start, start + 30)
    (size,) = unpack("<Q", head[16:24])
    header.stop = start + size if reading.file.size is None else min(start + size, reading.file.size)
    if header.stop < start + size:
        reading.note("asf:truncated")
    for each in _objects(reading, start + 30, header.stop):
        _read_object(reading, each, header)


def _read_object(reading: Reading, each: _Object, header: _Header) -> None:
    if each.kind == _FILE_PROPERTIES:
        reading.stage("file properties", _read_file_properties, reading, each, header)
    elif each.kind == _STREAM_PROPERTIES:
        reading.stage("stream", _read_stream, reading, each, header)
    elif each.kind == _EXTENDED_STREAM_PROPERTIES:
        reading.stage("extended stream", _read_extended_stream, reading, each, header)
    elif each.kind == _CODEC_LIST:
        reading.stage("codecs", _read_codecs, reading, each, header)
    elif each.kind == _HEADER_EXTENSION:
        reading.stage("extension", _read_extension, reading, each, header)
    elif each.kind in _TEXTS:
        reading.stage("text", _TEXTS[each.kind], reading, each.body, each.stop)


def _read_extension(reading: Reading, extension: _Object, header: _Header) -> None:
    """Reads the objects that later versions added (3.4); an extension in an extension is not followed."""
    for each in _objects(reading, extension.body + _EXTENSION_HEADER, extension.stop):
        if each.kind != _HEADER_EXTENSION:
            _read_object(reading, each, header)


def _read_file_properties(reading: Reading, each: _Object, header: _Header) -> None:
    """Reads the length (3.2): it includes the preroll, which is not played."""
    body = exact(Part(reading.file, each.stop), each.body, each.body + 80)
    play, preroll, flags = unpack("<Q8xQI", body[40:68])
    (header.max_bitrate,) = unpack("<I", body[76:80])
    header.broadcast = bool(flags & _BROADCAST)
    header.seconds = max(0.0, play / 1e7 - preroll / 1e3)


def _read_stream(reading: Reading, each: _Object, header: _Header) -> None:
    """Reads the format of one stream (3.3, 9.1, 9.2)."""
    _read_stream_properties(exact(reading.file, each.body, min(each.stop, each.body + 54 + 64)), header)


def _read_stream_properties(body: bytes, header: _Header) -> None:
    (flags,) = unpack("<H", body[48:50])
    if body.startswith(_AUDIO_MEDIA):
        header.sounds.append(read_sound_format(body[54:]))
    elif body.startswith(_VIDEO_MEDIA):
        header.pictures.setdefault(flags & 0x7F, read_picture_format(body[54 + 11 :]))


def _read_extended_stream(reading: Reading, each: _Object, header: _Header) -> None:
    """Reads the time of a frame, and the Stream Properties Object that may stand at the end (4.1)."""
    part = Part(reading.file, each.stop)
    body = exact(part, each.body, each.body + 64)
    number, frame_time, names, extensions = unpack("<H2xQHH", body[48:64])
    header.frame_times[number] = frame_time
    at = each.body + 64
    for _ in range(names):
        reading.count()
        (length,) = unpack("<2xH", exact(part, at, at + 4))
        at += 4 + length
    for _ in range(extensions):
        reading.count()
        (length,) = unpack("<18xI", exact(part, at, at + 22))
        at += 22 + length
    for inner in _objects(reading, at, each.stop):
        if inner.kind == _STREAM_PROPERTIES:
            _read_stream(reading, inner, header)


def _read_codecs(reading: Reading, each: _Object, header: _Header) -> None:
    """Reads how the audio was encoded: Windows Media Encoder ends its description with CBR or VBR (3.5)."""
    part = Part(reading.file, each.stop)
    (count,) = unpack("<16xI", exact(part, each.body, each.body + 20))
    at = each.body + 20
    for _ in range(count):
        reading.count()
        kind, name = unpack("<HH", exact(part, at, at + 4))
        at += 4 + 2 * name
        (length,) = unpack("<H", exact(part, at, at + 2))
        if kind == 2 and not header.mode and reading.fits(2 * length):
            text = exact(part, at + 2, at + 2 + 2 * length).decode("utf-16-le", errors="replace")
            words = text.rstrip("\0").lower().split()
            header.mode = next((word for word in words if word in {"cbr", "vbr"}), None)
        at += 2 + 2 * length
        (info,) = unpack("<H", exact(part, at, at + 2))
        at += 2 + info


def _take_facts(reading: Reading, header: _Header) -> None:
    result = reading.result
    if header.sounds:
        sound = header.sounds[0]
        result.codec = result.audio_codec = sound.codec
        result.sample_rate, result.channels = sound.sample_rate, sound.channels
        result.bits_per_sample, result.bitrate = sound.bits_per_sample, sound.byte_rate * 8
        result.bitrate_mode = result.bitrate_mode or header.mode
        result.encoding_format = AUDIO
    for number, picture in list(header.pictures.items())[:1]:
        result.is_video = True
        result.codec = result.video_codec = picture.codec
        result.width, result.height = picture.width, picture.height
        frame_time = header.frame_times.get(number)
        result.frame_rate = 1e7 / frame_time if frame_time else None
        result.encoding_format = VIDEO if picture.codec in _WINDOWS_VIDEO else "video/x-ms-asf"
        result.bitrate = header.max_bitrate
    _take_length(reading, header)


def _take_length(reading: Reading, header: _Header) -> None:
    """Sets the length; in a file that was still being written the field is not valid (3.2, Broadcast Flag)."""
    result, size = reading.result, reading.file.size
    if header.seconds and not header.broadcast:
        result.set_duration(header.seconds)
        if size and result.duration and (result.is_video or not result.bitrate):
            result.bitrate = round(size * 8 / result.duration)
    elif result.bitrate and size is not None:
        result.set_duration((size - header.stop) * 8 / result.bitrate, estimated=True)
