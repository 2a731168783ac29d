"""RIFF and AVI: chunks header by header, their texts, and the streams and the length of AVI.

Sources: Multimedia Programming Interface and Data Specifications 1.0 (IBM and Microsoft, 1991) for RIFF, where sizes
are little-endian, and RIFX, where they are big-endian, see `wav`; "EA IFF 85" (Electronic Arts, 1985), where they are
big-endian too, see `aiff`. AVI: "AVI RIFF File Reference" (Microsoft); "OpenDML AVI File Format Extensions" 1.02 (1996)
for files over 1 GB.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace

from mediacrawl.base.parts import Track
from mediacrawl.probe.context import MAX_OFFSET, BrokenError, ParseContext, SparseFile, exact, unpack
from mediacrawl.probe.formats import id3
from mediacrawl.probe.formats.keys import riff_key
from mediacrawl.probe.formats.windows_headers import (
    WAVE_FORMAT_BYTES,
    BitmapFormat,
    Order,
    WaveFormat,
    fourcc_codec,
    read_bitmap_format,
    read_wave_format,
)
from mediacrawl.probe.text import LATIN1, Value, unpadded

HEADER = 8
STREAMED = 0x7FFF0000
"""Sizes from here on are what writers put down that do not know the size yet."""
_LARGEST = 0xFFFFFFFF
"""The largest size that a field has room for; a file over 4 GB has it where it keeps its sizes elsewhere."""
_NAME = re.compile(rb"[!-~][ -~]{3}")
_NONE: Mapping[bytes, int] = {}


@dataclass(frozen=True, slots=True)
class Chunk:
    """One chunk: its name, the size it states, and the offsets of its body inside what it is in."""

    name: bytes
    stated: int
    body: int
    stop: int

    @property
    def size(self) -> int:
        """Bytes of the body that are there."""
        return self.stop - self.body


def end_of_file(file: SparseFile, start: int, order: Order = "little") -> int:
    """Returns the offset behind the chunks of a file.

    The size that the file states for itself is not requested if the file's own is known: programs that add a tag
    behind the audio, or record a stream, leave it wrong.
    """
    if file.size is not None:
        return file.size
    stated = int.from_bytes(file.get(start + 4, start + HEADER), order)
    return start + HEADER + stated if 0 < stated < STREAMED else MAX_OFFSET


def walk(
    context: ParseContext,
    start: int,
    stop: int,
    order: Order = "little",
    long_sizes: Mapping[bytes, int] = _NONE,
) -> Iterator[Chunk]:
    """Yields the chunks between two offsets, in order; it ends where no chunk begins.

    A chunk that says it is longer than what it is in ends there.
    """
    while start + HEADER <= stop:
        context.count()
        head = exact(context.file, start, start + HEADER)
        if not _NAME.fullmatch(head[:4]):
            return
        name, stated = head[:4], int.from_bytes(head[4:], order)
        if stated == _LARGEST:
            stated = long_sizes.get(name, stated)
        if start + HEADER + stated > stop and stated < STREAMED:
            context.note("riff:truncated")
        chunk = Chunk(name, stated, start + HEADER, min(start + HEADER + stated, stop))
        yield chunk
        start = _behind(context.file, chunk, stop, order)


def children(context: ParseContext, parent: Chunk, order: Order = "little") -> Iterator[Chunk]:
    """Yields the chunks inside a ``LIST``, behind its four letters."""
    return walk(context, parent.body + 4, parent.stop, order)


def list_type(context: ParseContext, chunk: Chunk) -> bytes:
    """Returns the four letters that say what a ``LIST`` holds; none for another chunk."""
    return context.file.get(chunk.body, min(chunk.body + 4, chunk.stop)) if chunk.name == b"LIST" else b""


def first(context: ParseContext, chunk: Chunk, size: int) -> bytes:
    """Reads the first bytes of a chunk."""
    if size > chunk.size:
        raise BrokenError("a chunk is shorter than its kind must be")
    return exact(context.file, chunk.body, chunk.body + size)


def media_size(context: ParseContext, chunk: Chunk, stop: int, order: Order = "little") -> tuple[int | None, bool]:
    """Returns the size of the chunk with the media.

    An interrupted recorder leaves 0 or an impossible size, and one beyond 4 GB the low 32 bits of the size. Then the
    media extend to the end.

    Returns:
        Bytes of the media, None if nobody knows; and whether no chunk follows.
    """
    if chunk.stated:
        beyond = stop == MAX_OFFSET or chunk.body + chunk.stated > stop
        endless = STREAMED <= chunk.stated <= _LARGEST and beyond
        if not beyond and chunk.stated <= _LARGEST < stop - chunk.body:
            # So long a file has its sizes elsewhere, or what did not fit was cut off from them.
            endless = not _chunk_at(context.file, chunk.stop + chunk.stated % 2, stop, order)
    else:
        endless = chunk.body < stop and not _chunk_at(context.file, chunk.body, stop, order)
    if not endless:
        return chunk.size, chunk.stop >= stop
    return (None if stop == MAX_OFFSET else stop - chunk.body), True


def read_id3(context: ParseContext, chunk: Chunk) -> None:
    """Reads an ID3v2 tag that is the body of a chunk."""
    with context.stage("id3v2"):
        header = id3.find_header(context.file, chunk.body)
        if header is not None:
            id3.read_tag(context, replace(header, stop=min(header.stop, chunk.stop)))


def read_info(context: ParseContext, info: Chunk, order: Order = "little") -> None:
    """Reads the texts of a ``LIST`` of the type ``INFO``.

    The standard names no encoding (it has a chunk ``CSET`` for that, which nobody writes): the text counts as Latin-1.
    """
    for chunk in children(context, info, order):
        add_text(context, "riff", chunk, riff_key(chunk.name.decode("ascii")))


def add_text(context: ParseContext, source: str, chunk: Chunk, key: str) -> None:
    """Adds the body of a chunk as one text, without the zeros that end or fill it."""
    context.add(source, chunk.name.decode("ascii").strip(), key, _text(context, chunk))


def _text(context: ParseContext, chunk: Chunk) -> Value:
    """The body of a chunk without the zeros that end or fill it; nothing if it is too long for a text."""
    return Value(unpadded(context.text(chunk.body, chunk.stop)), LATIN1)


def _behind(file: SparseFile, chunk: Chunk, stop: int, order: Order) -> int:
    """Returns the offset of the next chunk: odd bodies are padded; some writers forget it, the next header tells."""
    at = chunk.body + chunk.stated
    if chunk.stated % 2 == 0 or at + HEADER > stop:
        return at
    data = file.get(at, min(at + 1 + HEADER, stop))
    room = stop - at - HEADER
    unpadded = not _is_header(data[1:], room - 1, order) and _is_header(data[:HEADER], room, order)
    return at if unpadded else at + 1


def _chunk_at(file: SparseFile, at: int, stop: int, order: Order) -> bool:
    """Tells whether a chunk's header is at an offset: a name, and a size that there is room for."""
    return _is_header(file.get(at, min(at + HEADER, stop)), stop - at - HEADER, order)


def _is_header(data: bytes, room: int, order: Order) -> bool:
    name, size = data[:4], int.from_bytes(data[4:HEADER], order)
    return len(data) == HEADER and bool(_NAME.fullmatch(name)) and size <= room


_AVI_SUBTITLES = {"dxsb": "xsub", "dxsa": "xsub"}
"""Codecs of pictures that are subtitles (DivX)."""


@dataclass(slots=True)
class _AviStream:
    """One ``strl``: what kind it is, its name, its codec, and its length in units of `scale` / `rate` seconds."""

    kind: bytes = b""
    handler: bytes = b""
    scale: int = 0
    rate: int = 0
    length: int = 0
    sound: WaveFormat | None = None
    picture: BitmapFormat | None = None
    name: Value | None = None

    @property
    def frame_rate(self) -> float | None:
        """Frames per second."""
        return self.rate / self.scale if self.scale and self.rate else None

    def described(self) -> Track | None:
        """The stream as a part of the record, without its name; None for one of another kind."""
        if self.kind == b"auds":
            made = Track("audio")
            if self.sound:
                made.codec, made.channels, made.channel_layout = (
                    self.sound.codec,
                    self.sound.channels,
                    self.sound.layout,
                )
                made.sample_rate, made.bitrate = self.sound.sample_rate, self.sound.byte_rate * 8
            return made
        if self.kind not in {b"vids", b"iavs"}:
            return Track("subtitle") if self.kind == b"txts" else None
        picture = self.picture or BitmapFormat(fourcc_codec(self.handler), 0, 0)
        if picture.codec in _AVI_SUBTITLES:
            return Track("subtitle", _AVI_SUBTITLES[picture.codec])
        return Track("video", picture.codec, width=picture.width, height=picture.height, frame_rate=self.frame_rate)

    def seconds(self, length: int) -> float:
        """Turns a number of units into seconds; 0 if a unit is unknown."""
        return length * self.scale / self.rate if self.rate else 0.0


@dataclass(slots=True)
class _AviHeader:
    """What ``hdrl`` says; `frames` counts those of the first part of a long file only, `all_frames` all."""

    frame_micros: int = 0
    frames: int = 0
    all_frames: int = 0
    width: int = 0
    height: int = 0
    streams: list[_AviStream] = field(default_factory=list)

    def first(self, kind: bytes) -> _AviStream | None:
        """Returns the first stream of a kind."""
        return next((stream for stream in self.streams if stream.kind == kind), None)


def read_avi(context: ParseContext, start: int) -> None:
    """Reads an AVI file."""
    header = _AviHeader()
    with context.stage("chunks"):
        _read_avi_chunks(context, start, header)
    with context.stage("facts"):
        result, size = context.result, context.file.size
        audio, video = header.first(b"auds"), header.first(b"vids") or header.first(b"iavs")
        if audio and audio.sound:
            sound = audio.sound
            result.set_audio(sound.codec, sound.sample_rate, sound.channels, sound.bits_per_sample)
        if video:
            picture = video.picture or BitmapFormat(fourcc_codec(video.handler), 0, 0)
            rate = video.frame_rate
            if rate is None and header.frame_micros:
                rate = 1e6 / header.frame_micros
            context.result.set_video(
                picture.codec, picture.width or header.width, picture.height or header.height, rate
            )
        result.set_duration(_avi_seconds(header, audio, video, MAX_OFFSET if size is None else size))
        result.set_average_bitrate(size)
    with context.stage("tracks"):
        for stream in header.streams:
            described = stream.described()
            if described:
                context.add_track("riff", "strn", described, stream.name)


def _read_avi_chunks(context: ParseContext, start: int, header: _AviHeader) -> None:
    stop = end_of_file(context.file, start)
    informed = False
    for chunk in walk(context, start + 12, stop):
        kind = list_type(context, chunk)
        if kind == b"hdrl":
            with context.stage("header"):
                _read_avi_header(context, chunk, header)
        elif kind == b"INFO":
            informed = True
            with context.stage("info"):
                read_info(context, chunk)
        elif chunk.name == b"RIFF" or (kind == b"movi" and (informed or not chunk.stated)):
            # Texts stand once, before the pictures or behind their index; the further parts of a long file have none.
            return


def _read_avi_header(context: ParseContext, hdrl: Chunk, header: _AviHeader) -> None:
    for chunk in children(context, hdrl):
        kind = list_type(context, chunk)
        if chunk.name == b"avih":
            body = first(context, chunk, 40)
            header.frame_micros, header.frames = unpack("<I12xI", body[:20])
            header.width, header.height = unpack("<II", body[32:40])
        elif kind == b"strl":
            stream = _AviStream()
            header.streams.append(stream)
            with context.stage("stream"):
                _read_avi_stream(context, chunk, stream)
        elif kind == b"odml":
            for extension in children(context, chunk):
                if extension.name == b"dmlh":
                    (header.all_frames,) = unpack("<I", first(context, extension, 4))
        else:
            _read_avi_text(context, chunk)


def _read_avi_stream(context: ParseContext, strl: Chunk, stream: _AviStream) -> None:
    for chunk in children(context, strl):
        if chunk.name == b"strh":
            body = first(context, chunk, 36)
            stream.kind, stream.handler = body[:4], body[4:8]
            stream.scale, stream.rate, stream.length = unpack("<II4xI", body[20:36])
        elif chunk.name == b"strf":
            body = first(context, chunk, min(chunk.size, WAVE_FORMAT_BYTES))
            if stream.kind == b"auds":
                stream.sound = read_wave_format(body)
            elif stream.kind == b"vids":
                stream.picture = read_bitmap_format(body)
        elif chunk.name == b"strn":
            stream.name = _text(context, chunk)
        else:
            _read_avi_text(context, chunk)


def _read_avi_text(context: ParseContext, chunk: Chunk) -> None:
    """Reads the date that a camera writes."""
    if chunk.name == b"IDIT":
        with context.stage("text"):
            add_text(context, "riff", chunk, riff_key(chunk.name.decode("ascii")))


def _avi_seconds(header: _AviHeader, audio: _AviStream | None, video: _AviStream | None, size: int) -> float:
    """Returns the seconds of the pictures, of the sound if there are none; 0 if the header was never completed."""
    if video:
        counts = (header.all_frames, video.length, header.frames)
        frames = max((count for count in counts if count <= size // HEADER), default=0)
        return video.seconds(frames) or frames * header.frame_micros / 1e6
    return audio.seconds(audio.length) if audio and audio.length <= size else 0.0
