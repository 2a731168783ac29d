"""ASF (WMA, WMV): objects of the header, streams, markers, and the raw UTF-16-LE of its texts.

Source: "Advanced Systems Format (ASF) Specification" 01.20.06 (Microsoft, 2012); numbers of sections are its own.
Programs that know only bytes wrote 8-bit text and lone surrogates there: the bytes are kept as they are.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from uuid import UUID

from mediacrawl.base.languages import bcp47
from mediacrawl.base.parts import Chapter, Track
from mediacrawl.probe.context import BrokenError, ByteSource, ParseContext, SparseFile, exact, peek, unpack
from mediacrawl.probe.formats.keys import asf_key
from mediacrawl.probe.formats.windows_headers import BitmapFormat, WaveFormat, read_bitmap_format, read_wave_format
from mediacrawl.probe.text import UTF16, UTF16LE, Value, cut, unterminated

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
        language: index in the list of languages.
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


_MARKER_HEAD = 24
"""Bytes before the name: an identifier, the number of markers, 16 bits, the length of the name."""
_MARKER = 30
"""Bytes of a marker before its description."""
_UNIT = 10_000_000
"""Times are in 100 ns."""

Marker = tuple[Chapter, Value | None]


def read_markers(context: ParseContext, source: ByteSource, start: int, markers: list[Marker]) -> None:
    """Reads the markers of one object. Their times include the preroll, see `played`."""
    count, length = unpack("<16xI2xH", exact(source, start, start + _MARKER_HEAD))
    at = start + _MARKER_HEAD + length
    for _ in range(count):
        context.count()
        time, entry, letters = unpack("<8xQH8xI", exact(source, at, at + _MARKER))
        # The length of an entry counts from the field behind it.
        if entry < 12:
            raise BrokenError("a marker is shorter than its fields")
        size = 2 * letters
        if context.fits(size):
            raw = exact(source, at + _MARKER, at + _MARKER + size)
            markers.append((Chapter(time / _UNIT), Value(unterminated(raw), UTF16LE)))
        at += 18 + max(entry, 12 + size)


def played(markers: list[Marker], preroll: float) -> list[Marker]:
    """The markers by the times at which they are played."""
    for chapter, _ in markers:
        chapter.start = max(0.0, chapter.start - preroll)
    return markers


_SOURCE = "asf"
_FIELDS = ("Title", "Author", "Copyright", "Description", "Rating")
_UNICODE, _BYTES = 0, 1
_NUMBERS = {2: (2, 4), 3: (4,), 4: (8,), 5: (2,)}
"""Bytes of BOOL, DWORD, QWORD and WORD; a BOOL has 4 in one object and 2 in the others (3.11, 4.7)."""
_NUMERIC = frozenset({"bpm", "compilation", "date", "discnumber", "tracknumber"})
"""What programs write as a number too; other numbers are settings, not texts."""
_IGNORED = frozenset({"WM/MediaClassPrimaryID", "WM/MediaClassSecondaryID"})
"""Identifiers of kinds of media in a player's library: no texts, even where they are stored as such."""
_PICTURE_HEADER = 512
_MAX_NAME = 1024


@dataclass(frozen=True, slots=True)
class _Attribute:
    """One attribute: its name, the type of its value, and where that stands."""

    name: str
    kind: int
    start: int
    stop: int


@dataclass(frozen=True, slots=True)
class BoundedFile:
    """The file up to the end of an object.

    Attributes:
        end: offset behind the object.
    """

    file: SparseFile
    end: int

    def get(self, start: int, stop: int) -> bytes:
        """Reads bytes, fewer at the end of the object; raises `NeedBytes`."""
        return self.file.get(start, min(stop, self.end))


def read_content_description(context: ParseContext, start: int, stop: int) -> None:
    """Reads the five texts that each file may have (3.10)."""
    sizes = unpack("<5H", exact(BoundedFile(context.file, stop), start, start + 10))
    at = start + 10
    for name, size in zip(_FIELDS, sizes, strict=True):
        _add_text(context, _checked(_Attribute(name, _UNICODE, at, at + size), stop))
        at += size


def read_extended_description(context: ParseContext, start: int, stop: int) -> None:
    """Reads the attributes of an Extended Content Description Object (3.11)."""
    _take_all(context, start, stop, _extended)


def read_metadata(context: ParseContext, start: int, stop: int) -> None:
    """Reads the attributes of a Metadata or Metadata Library Object, whose layouts are alike (4.7, 4.8)."""
    _take_all(context, start, stop, _metadata)


def _take_all(context: ParseContext, start: int, stop: int, layout: Callable[[BoundedFile, int], _Attribute]) -> None:
    part = BoundedFile(context.file, stop)
    (count,) = unpack("<H", exact(part, start, start + 2))
    at = start + 2
    for _ in range(count):
        context.count()
        attribute = _checked(layout(part, at), stop)
        _take(context, attribute)
        at = attribute.stop


def _extended(part: BoundedFile, at: int) -> _Attribute:
    (length,) = unpack("<H", exact(part, at, at + 2))
    name, at = _name(part, at + 2, length), at + 2 + length
    kind, size = unpack("<HH", exact(part, at, at + 4))
    return _Attribute(name, kind, at + 4, at + 4 + size)


def _metadata(part: BoundedFile, at: int) -> _Attribute:
    length, kind, size = unpack("<4xHHI", exact(part, at, at + 12))
    at += 12 + length
    return _Attribute(_name(part, at - length, length), kind, at, at + size)


def _checked(attribute: _Attribute, stop: int) -> _Attribute:
    if attribute.stop > stop:
        raise BrokenError("an attribute is longer than its object")
    return attribute


def _name(part: BoundedFile, start: int, length: int) -> str:
    """Reads the name of an attribute, which is ASCII in all that is known."""
    raw = exact(part, start, start + min(length, _MAX_NAME))
    return raw.decode(UTF16LE, errors="replace").rstrip("\0")


def _take(context: ParseContext, attribute: _Attribute) -> None:
    if attribute.name == "WM/Picture" and attribute.kind == _BYTES:
        _take_picture(context, attribute)
    elif attribute.name in _IGNORED:
        return
    elif attribute.kind == _UNICODE:
        _add_text(context, attribute)
    elif attribute.stop - attribute.start in _NUMBERS.get(attribute.kind, ()):
        number = int.from_bytes(exact(context.file, attribute.start, attribute.stop), "little")
        if attribute.name == "IsVBR":
            context.result.bitrate_mode = "vbr" if number else "cbr"
        elif asf_key(attribute.name) in _NUMERIC and number:
            context.add_number(_SOURCE, attribute.name, asf_key(attribute.name), str(number))


def _add_text(context: ParseContext, attribute: _Attribute) -> None:
    raw = context.text(attribute.start, attribute.stop)
    context.add(_SOURCE, attribute.name, asf_key(attribute.name), Value(unterminated(raw), UTF16LE))


def _take_picture(context: ParseContext, attribute: _Attribute) -> None:
    """Reads type and size of a picture from its first bytes (a WM_PICTURE without its pointers)."""
    head = peek(context.file, attribute.start, min(attribute.start + _PICTURE_HEADER, attribute.stop)) or b""
    if len(head) < 5:
        context.result.set_cover(None, None)
        return
    number, size = head[0], int.from_bytes(head[1:5], "little")
    mime, rest = cut(head[5:], UTF16)
    _, data = cut(rest or b"", UTF16)
    position = None if data is None else attribute.start + len(head) - len(data)
    name = mime.decode(UTF16LE, errors="replace")[:100].strip()
    context.result.set_cover(name, size, position=position, number=number)


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
_LANGUAGE_LIST = _guid("7C4346A9-EFE0-4BFC-B229-393EDE415C85")
_STREAM_BITRATES = _guid("7BF875CE-468D-11D1-8D82-006097C9A2B2")
_MARKERS = _guid("F487CD01-A951-11CF-8EE6-00C00C205365")
_CODEC_LIST = _guid("86D15240-311D-11D0-A3A4-00A0C90348F6")
_TEXTS = {
    _guid("75B22633-668E-11CF-A6D9-00AA0062CE6C"): read_content_description,
    _guid("D2D0A440-E307-11D2-97F0-00A0C95EA850"): read_extended_description,
    _guid("C5F8CBEA-5BAF-4877-8467-AA8C44FA4CCA"): read_metadata,
    _guid("44231C94-9498-49D1-A141-1D134E457054"): read_metadata,
}


@dataclass(frozen=True, slots=True)
class _Object:
    """One object: its kind, and the offsets of its body."""

    kind: bytes
    body: int
    stop: int


@dataclass(slots=True)
class _Header:
    """Facts of the streams from the header's objects.

    Attributes:
        seconds: length, 0 if unknown.
        broadcast: whether the file was still being written when its header was.
        max_bitrate: bits per second of all streams together, at most.
        stop: offset behind the header.
        streams: what the streams are.
        mode: ``cbr`` or ``vbr`` as the list of codecs describes the audio.
        preroll: seconds that are buffered before anything is played.
        markers: chapters and their titles.
    """

    seconds: float = 0.0
    broadcast: bool = False
    max_bitrate: int = 0
    stop: int = 0
    streams: AsfStreams = field(default_factory=AsfStreams)
    mode: str | None = None
    preroll: float = 0.0
    markers: list[Marker] = field(default_factory=list)


def read(context: ParseContext, start: int) -> None:
    """Reads an ASF file."""
    header = _Header()
    with context.stage("header"):
        head = exact(context.file, start, start + 30)
        (size,) = unpack("<Q", head[16:24])
        header.stop = start + size if context.file.size is None else min(start + size, context.file.size)
        if header.stop < start + size:
            context.note("asf:truncated")
        for each in _objects(context, start + 30, header.stop):
            _read_object(context, each, header)
    with context.stage("chapters"):
        context.add_chapters(_SOURCE, "Marker", played(header.markers, header.preroll))
    result, streams = context.result, header.streams
    sounds = [stream.sound for stream in streams.found.values() if stream.sound]
    if sounds:
        sound = sounds[0]
        result.set_audio(sound.codec, sound.sample_rate, sound.channels, sound.bits_per_sample)
        result.bitrate = sound.byte_rate * 8
        result.bitrate_mode = result.bitrate_mode or header.mode
        result.encoding_format = AUDIO
    pictures = [(number, stream.picture) for number, stream in streams.found.items() if stream.picture]
    for number, picture in pictures[:1]:
        result.set_video(picture.codec, picture.width, picture.height, streams.of(number).frame_rate)
        result.encoding_format = VIDEO if picture.codec in _WINDOWS_VIDEO else "video/x-ms-asf"
        result.bitrate = header.max_bitrate
    _take_length(context, header)
    with context.stage("tracks"):
        add_tracks(context, header.streams)


def _objects(context: ParseContext, start: int, stop: int) -> Iterator[_Object]:
    """Yields the objects between two offsets; all begin alike (2.1)."""
    while start + _OBJECT_HEADER <= stop:
        context.count()
        head = exact(context.file, start, start + _OBJECT_HEADER)
        (size,) = unpack("<Q", head[16:])
        if size < _OBJECT_HEADER or start + size > stop:
            raise BrokenError("an object does not fit into what it stands in")
        yield _Object(head[:16], start + _OBJECT_HEADER, start + size)
        start += size


def _read_object(context: ParseContext, each: _Object, header: _Header) -> None:
    part = BoundedFile(context.file, each.stop)
    if each.kind == _FILE_PROPERTIES:
        with context.stage("file properties"):
            # Reads the length (3.2): it includes the preroll, which is not played.
            body = exact(BoundedFile(context.file, each.stop), each.body, each.body + 80)
            play, preroll, flags = unpack("<Q8xQI", body[40:68])
            (header.max_bitrate,) = unpack("<I", body[76:80])
            header.broadcast = bool(flags & _BROADCAST)
            header.preroll = preroll / 1e3
            header.seconds = max(0.0, play / 1e7 - header.preroll)
    elif each.kind == _STREAM_PROPERTIES:
        with context.stage("stream"):
            read_stream(context.file, each.body, each.stop, header.streams)
    elif each.kind == _EXTENDED_STREAM_PROPERTIES:
        with context.stage("extended stream"):
            _read_extended_stream(context, each, header)
    elif each.kind == _LANGUAGE_LIST:
        with context.stage("languages"):
            read_languages(context, part, each.body, header.streams)
    elif each.kind == _STREAM_BITRATES:
        with context.stage("bitrates"):
            read_bitrates(context, part, each.body, header.streams)
    elif each.kind == _CODEC_LIST:
        with context.stage("codecs"):
            _read_codecs(context, each, header)
    elif each.kind == _HEADER_EXTENSION:
        with context.stage("extension"):
            _read_extension(context, each, header)
    elif each.kind == _MARKERS:
        with context.stage("markers"):
            read_markers(context, part, each.body, header.markers)
    elif each.kind in _TEXTS:
        with context.stage("text"):
            _TEXTS[each.kind](context, each.body, each.stop)


def _read_extension(context: ParseContext, extension: _Object, header: _Header) -> None:
    """Reads the objects that later versions added (3.4); an extension in an extension is not followed."""
    for each in _objects(context, extension.body + _EXTENSION_HEADER, extension.stop):
        if each.kind != _HEADER_EXTENSION:
            _read_object(context, each, header)


def _read_extended_stream(context: ParseContext, each: _Object, header: _Header) -> None:
    """Reads what a stream's own object says, and the Stream Properties Object that may be at its end (4.1)."""
    at = read_extended_stream(context, BoundedFile(context.file, each.stop), each.body, header.streams)
    for inner in _objects(context, at, each.stop):
        if inner.kind == _STREAM_PROPERTIES:
            read_stream(context.file, inner.body, inner.stop, header.streams)


def _read_codecs(context: ParseContext, each: _Object, header: _Header) -> None:
    """Reads how the audio was encoded: Windows Media Encoder ends its description with CBR or VBR (3.5)."""
    part = BoundedFile(context.file, each.stop)
    (count,) = unpack("<16xI", exact(part, each.body, each.body + 20))
    at = each.body + 20
    for _ in range(count):
        context.count()
        kind, name = unpack("<HH", exact(part, at, at + 4))
        at += 4 + 2 * name
        (length,) = unpack("<H", exact(part, at, at + 2))
        if kind == 2 and not header.mode and context.fits(2 * length):
            text = exact(part, at + 2, at + 2 + 2 * length).decode(UTF16LE, errors="replace")
            words = text.rstrip("\0").lower().split()
            header.mode = next((word for word in words if word in {"cbr", "vbr"}), None)
        at += 2 + 2 * length
        (info,) = unpack("<H", exact(part, at, at + 2))
        at += 2 + info


def _take_length(context: ParseContext, header: _Header) -> None:
    """Sets the length; in a file that was still being written the field is not valid (3.2, Broadcast Flag)."""
    result, size = context.result, context.file.size
    if header.seconds and not header.broadcast:
        result.set_duration(header.seconds)
        if result.is_video or not result.bitrate:
            result.set_average_bitrate(size)
    elif result.bitrate and size is not None:
        result.set_duration((size - header.stop) * 8 / result.bitrate, estimated=True)
