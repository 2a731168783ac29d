"""Streams of ASF: formats, languages, names and bit rates from the objects of the header.

Source: "Advanced Systems Format (ASF) Specification" 01.20.06 (Microsoft, 2012); numbers of sections are its own.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from uuid import UUID

from mediacrawl.model.languages import bcp47
from mediacrawl.model.parts import Track
from mediacrawl.probe.context import ByteSource, ParseContext, exact, unpack
from mediacrawl.probe.formats.windows_headers import BitmapFormat, WaveFormat, read_bitmap_format, read_wave_format
from mediacrawl.probe.text import UTF16LE, Value, unterminated

_AUDIO_MEDIA = UUID("F8699E40-5B4D-11CF-A8FD-00805F5C442B").bytes_le
_VIDEO_MEDIA = UUID("BC19EFC0-5B4D-11CF-A8FD-00805F5C442B").bytes_le
_NUMBER = 0x7F
"""Bits of a stream's number; it is followed by flags."""
_FORMAT_BYTES = 64
_HEAD = 64
"""Bytes of an Extended Stream Properties Object before its names."""
_MAX_LANGUAGES = 256


@dataclass(frozen=True, slots=True)
class AsfStream:
    """One stream: the format of its sound, or of its pictures; neither of another kind."""

    sound: WaveFormat | None = None
    picture: BitmapFormat | None = None


@dataclass(slots=True)
class StreamDetails:
    """What other objects say of a stream; 0 and None are unknown.

    Attributes:
        frame_time: time of one frame in units of 100 ns.
        bitrate: bits per second.
        language: index in the list of languages.
        name: a person's name for it.
    """

    frame_time: int = 0
    bitrate: int = 0
    language: int | None = None
    name: Value | None = None

    @property
    def frame_rate(self) -> float | None:
        """Frames per second."""
        return 1e7 / self.frame_time if self.frame_time else None


@dataclass(slots=True)
class AsfStreams:
    """The streams of a file by their numbers, in the order of the file, their details, and the list of languages."""

    found: dict[int, AsfStream] = field(default_factory=dict)
    details: dict[int, StreamDetails] = field(default_factory=dict)
    languages: list[str] = field(default_factory=list)

    def of(self, number: int) -> StreamDetails:
        """Returns the details of a stream."""
        return self.details.setdefault(number, StreamDetails())


def add_tracks(context: ParseContext, streams: AsfStreams) -> None:
    """Adds the streams of sound and pictures to the result."""
    for number, stream in streams.found.items():
        details = streams.of(number)
        index = len(streams.languages) if details.language is None else details.language
        language = bcp47(streams.languages[index]) if index < len(streams.languages) else None
        if stream.sound:
            sound = stream.sound
            made = Track("audio", sound.codec, language, channels=sound.channels, channel_layout=sound.layout)
            made.sample_rate, made.bitrate = sound.sample_rate, details.bitrate or sound.byte_rate * 8
        elif stream.picture:
            picture = stream.picture
            made = Track("video", picture.codec, language, width=picture.width, height=picture.height)
            made.frame_rate, made.bitrate = details.frame_rate, details.bitrate
        else:
            continue
        context.add_track("asf", "Stream Name", made, details.name)


def read_stream(part: ByteSource, start: int, stop: int, streams: AsfStreams) -> None:
    """Reads a Stream Properties Object (3.3, 9.1, 9.2)."""
    body = exact(part, start, min(stop, start + 54 + _FORMAT_BYTES))
    (flags,) = unpack("<H", body[48:50])
    if body.startswith(_AUDIO_MEDIA):
        streams.found.setdefault(flags & _NUMBER, AsfStream(sound=read_wave_format(body[54:])))
    elif body.startswith(_VIDEO_MEDIA):
        streams.found.setdefault(flags & _NUMBER, AsfStream(picture=read_bitmap_format(body[54 + 11 :])))


def read_extended_stream(context: ParseContext, part: ByteSource, start: int, streams: AsfStreams) -> int:
    """Reads an Extended Stream Properties Object (4.1) as far as the Stream Properties Object that may be at its end.

    Args:
        context: for the count of parts, and the limit of a text.
        part: the bytes at hand.
        start: offset of its body.
        streams: takes what is found.

    Returns:
        The offset behind what was read.
    """
    body = exact(part, start, start + _HEAD)
    bitrate, number, language, frame_time, names, extensions = unpack("<16xI28xHHQHH", body)
    details = streams.of(number)
    details.bitrate, details.language, details.frame_time = bitrate, language, frame_time
    at = start + _HEAD
    for _ in range(names):
        context.count()
        (length,) = unpack("<2xH", exact(part, at, at + 4))
        if details.name is None and context.fits(length):
            details.name = Value(unterminated(exact(part, at + 4, at + 4 + length)), UTF16LE)
        at += 4 + length
    for _ in range(extensions):
        context.count()
        (length,) = unpack("<18xI", exact(part, at, at + 22))
        at += 22 + length
    return at


def read_languages(context: ParseContext, part: ByteSource, start: int, streams: AsfStreams) -> None:
    """Reads a Language List Object (4.6): tags of RFC 1766, which streams name by their index."""
    (count,) = unpack("<H", exact(part, start, start + 2))
    at = start + 2
    for _ in range(min(count, _MAX_LANGUAGES)):
        context.count()
        (length,) = exact(part, at, at + 1)
        raw = exact(part, at + 1, at + 1 + length)
        streams.languages.append(unterminated(raw).decode(UTF16LE, errors="replace"))
        at += 1 + length


def read_bitrates(context: ParseContext, part: ByteSource, start: int, streams: AsfStreams) -> None:
    """Reads a Stream Bitrate Properties Object (3.12), which counts where the stream's own object states none."""
    (count,) = unpack("<H", exact(part, start, start + 2))
    for at in range(start + 2, start + 2 + 6 * count, 6):
        context.count()
        flags, bitrate = unpack("<HI", exact(part, at, at + 6))
        details = streams.of(flags & _NUMBER)
        details.bitrate = details.bitrate or bitrate
