"""AVI: streams from the header list, texts before or behind the pictures.

Sources: "AVI RIFF File Reference" (Microsoft); "OpenDML AVI File Format Extensions" 1.02 (1996) for files over 1 GB.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from mediacrawl.probe.context import Reading, unpack
from mediacrawl.probe.formats import riff
from mediacrawl.probe.formats.keys import riff_key
from mediacrawl.probe.formats.riff import Chunk
from mediacrawl.probe.formats.windows_headers import (
    PictureFormat,
    SoundFormat,
    picture_codec,
    read_picture_format,
    read_sound_format,
)
from mediacrawl.probe.sparse import MAX_OFFSET

_FORMAT_BYTES = 40
_TEXTS = frozenset({b"strn", b"IDIT"})


@dataclass(slots=True)
class _Stream:
    """One ``strl``: what kind it is, its codec, and its length in units of `scale` / `rate` seconds."""

    kind: bytes = b""
    handler: bytes = b""
    scale: int = 0
    rate: int = 0
    length: int = 0
    sound: SoundFormat | None = None
    picture: PictureFormat | None = None

    def seconds(self, length: int) -> float:
        """Turns a number of units into seconds; 0 if a unit is unknown."""
        return length * self.scale / self.rate if self.rate else 0.0


@dataclass(slots=True)
class _Header:
    """What ``hdrl`` says; `frames` counts those of the first part of a long file only, `all_frames` all."""

    frame_micros: int = 0
    frames: int = 0
    all_frames: int = 0
    width: int = 0
    height: int = 0
    streams: list[_Stream] = field(default_factory=list)

    def first(self, kind: bytes) -> _Stream | None:
        """Returns the first stream of a kind."""
        return next((stream for stream in self.streams if stream.kind == kind), None)


def read(reading: Reading, start: int) -> None:
    """Reads an AVI file.

    Args:
        reading: takes what is found.
        start: offset of ``RIFF``.
    """
    reading.result.has_cover = False
    header = _Header()
    reading.stage("chunks", _read_chunks, reading, start, header)
    reading.stage("facts", _take_facts, reading, header)


def _read_chunks(reading: Reading, start: int, header: _Header) -> None:
    stop = riff.end_of_file(reading.file, start)
    informed = False
    for chunk in riff.walk(reading, start + 12, stop):
        kind = riff.list_type(reading, chunk)
        if kind == b"hdrl":
            reading.stage("header", _read_header, reading, chunk, header)
        elif kind == b"INFO":
            informed = True
            reading.stage("info", riff.read_info, reading, chunk)
        elif chunk.name == b"RIFF" or (kind == b"movi" and (informed or not chunk.stated)):
            # Texts stand once, before the pictures or behind their index; the further parts of a long file have none.
            return


def _read_header(reading: Reading, hdrl: Chunk, header: _Header) -> None:
    for chunk in riff.children(reading, hdrl):
        kind = riff.list_type(reading, chunk)
        if chunk.name == b"avih":
            body = riff.first(reading, chunk, 40)
            header.frame_micros, header.frames = unpack("<I12xI", body[:20])
            header.width, header.height = unpack("<II", body[32:40])
        elif kind == b"strl":
            stream = _Stream()
            header.streams.append(stream)
            reading.stage("stream", _read_stream, reading, chunk, stream)
        elif kind == b"odml":
            _read_extension(reading, chunk, header)
        else:
            _read_text(reading, chunk)


def _read_stream(reading: Reading, strl: Chunk, stream: _Stream) -> None:
    for chunk in riff.children(reading, strl):
        if chunk.name == b"strh":
            body = riff.first(reading, chunk, 36)
            stream.kind, stream.handler = body[:4], body[4:8]
            stream.scale, stream.rate, stream.length = unpack("<II4xI", body[20:36])
        elif chunk.name == b"strf":
            body = riff.first(reading, chunk, min(chunk.size, _FORMAT_BYTES))
            if stream.kind == b"auds":
                stream.sound = read_sound_format(body)
            elif stream.kind == b"vids":
                stream.picture = read_picture_format(body)
        else:
            _read_text(reading, chunk)


def _read_extension(reading: Reading, odml: Chunk, header: _Header) -> None:
    for chunk in riff.children(reading, odml):
        if chunk.name == b"dmlh":
            (header.all_frames,) = unpack("<I", riff.first(reading, chunk, 4))


def _read_text(reading: Reading, chunk: Chunk) -> None:
    """Reads a stream's name, or the date that a camera writes."""
    if chunk.name in _TEXTS:
        reading.stage("text", riff.add_text, reading, "riff", chunk, riff_key(chunk.name.decode("ascii")))


def _take_facts(reading: Reading, header: _Header) -> None:
    result, size = reading.result, reading.file.size
    audio, video = header.first(b"auds"), header.first(b"vids") or header.first(b"iavs")
    if audio and audio.sound:
        sound = audio.sound
        result.codec = result.audio_codec = sound.codec
        result.sample_rate, result.channels = sound.sample_rate, sound.channels
        result.bits_per_sample = sound.bits_per_sample
    if video:
        _take_picture(reading, header, video)
    result.set_duration(_length(header, audio, video, MAX_OFFSET if size is None else size))
    if size and result.duration:
        result.bitrate = round(size * 8 / result.duration)


def _take_picture(reading: Reading, header: _Header, video: _Stream) -> None:
    result, picture = reading.result, video.picture
    result.is_video = True
    codec = picture.codec if picture else picture_codec(video.handler)
    result.codec = result.video_codec = codec
    result.width = (picture.width if picture else 0) or header.width
    result.height = (picture.height if picture else 0) or header.height
    if video.scale and video.rate:
        result.frame_rate = video.rate / video.scale
    elif header.frame_micros:
        result.frame_rate = 1e6 / header.frame_micros


def _length(header: _Header, audio: _Stream | None, video: _Stream | None, size: int) -> float:
    """Returns the seconds of the pictures, of the sound if there are none; 0 if the header was never completed.

    Args:
        header: the header list.
        audio: its first audio stream.
        video: its first video stream.
        size: bytes of the file. Each frame stands in a chunk: a number that has no room is what writers put
            down that do not know it yet.
    """
    if video:
        counts = (header.all_frames, video.length, header.frames)
        frames = max((count for count in counts if count <= size // riff.HEADER), default=0)
        return video.seconds(frames) or frames * header.frame_micros / 1e6
    return audio.seconds(audio.length) if audio and audio.length <= size else 0.0
