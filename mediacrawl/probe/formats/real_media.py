"""RealMedia (.rm, .rmvb): chunks of the header with texts, streams, and the length.

Sources: "RealMedia File Format (RMFF) Reference" (Helix DNA SDK, appendix; draft-heftagaub-rmff-00) for the chunks and
the properties of logical streams; the codecs' own headers as in `real_audio`, and that of video as in ffmpeg's
``rmdec.c``.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import NamedTuple

from mediacrawl.model.parts import Track
from mediacrawl.probe.context import BrokenError, ParseContext, exact, unpack
from mediacrawl.probe.formats import real_audio
from mediacrawl.probe.formats.channel_layouts import layout_of
from mediacrawl.probe.formats.keys import REAL_TEXTS
from mediacrawl.probe.formats.real_audio import RealAudio, real_codec
from mediacrawl.probe.text import LATIN1

_CHUNK_HEADER = 10
_MEDIA = frozenset({b"DATA", b"INDX"})
_LOGICAL = b"logical-fileinfo"
_MULTIRATE = b"MLTI"
_LOSSLESS = b"LSD:"
_VIDEO = b"VIDO"
_STRING = 2
_AUDIO_MIME = "audio/x-pn-realaudio"


class _Video(NamedTuple):
    """The header of a video codec; the frame rate is 0 if it is unknown."""

    codec: str | None
    width: int
    height: int
    frame_rate: float


@dataclass(slots=True)
class _Header:
    """What the chunks say.

    Attributes:
        bitrate: of all streams, bits per second.
        millis: length, the longest one that is stated.
        audio: the first audio stream.
        audio_bitrate: its bits per second.
        video: the first video stream.
        tracks: all streams of sound and pictures, also the same in several bit rates.
    """

    bitrate: int = 0
    millis: int = 0
    audio: RealAudio | None = None
    audio_bitrate: int = 0
    video: _Video | None = None
    tracks: list[Track] = field(default_factory=list)


def read(context: ParseContext, start: int) -> None:
    """Reads a RealMedia file."""
    context.result.has_cover = False
    header = _Header()
    with context.stage("chunks"):
        _read_chunks(context, start, header)
    result, audio, video = context.result, header.audio, header.video
    if audio:
        result.set_audio(audio.codec, audio.sample_rate, audio.channels)
    if video:
        result.set_video(video.codec, video.width or None, video.height or None, video.frame_rate or None)
    elif audio:
        result.encoding_format = _AUDIO_MIME
    result.set_duration(header.millis / 1000)
    result.bitrate = (header.bitrate if video else header.audio_bitrate) or None
    if not result.bitrate:
        result.set_average_bitrate(context.file.size)
    for track in header.tracks:
        context.add_track(real_audio.SOURCE, "", track)


def _read_chunks(context: ParseContext, start: int, header: _Header) -> None:
    """Reads the chunks before the media. Each states its size with its own ten bytes."""
    while True:
        context.count()
        head = exact(context.file, start, start + _CHUNK_HEADER)
        name, size = head[:4], int.from_bytes(head[4:8], "big")
        if name in _MEDIA:
            return
        if size < _CHUNK_HEADER:
            raise BrokenError("a chunk is shorter than its header")
        body, start = start + _CHUNK_HEADER, start + size
        if name == b"PROP":
            with context.stage("properties"):
                header.bitrate, millis = unpack(">4xI12xI", _body(context, body, start)[:24])
                header.millis = max(header.millis, millis)
        elif name == b"CONT":
            with context.stage("texts"):
                _read_texts(context, body, start)
        elif name == b"MDPR":
            with context.stage("stream"):
                _read_stream(context, body, start, header)


def _body(context: ParseContext, start: int, stop: int) -> bytes:
    """Reads the body of a chunk; one that is longer than any text counts as empty."""
    return exact(context.file, start, stop) if context.fits(stop - start) else b""


def _read_texts(context: ParseContext, start: int, stop: int) -> None:
    body, at = _body(context, start, stop), 0
    for frame in REAL_TEXTS:
        (size,) = unpack(">H", body[at : at + 2])
        if at + 2 + size > len(body):
            raise BrokenError("a text is longer than its chunk")
        real_audio.add_text(context, frame, body[at + 2 : at + 2 + size])
        at += 2 + size


def _read_stream(context: ParseContext, start: int, stop: int, header: _Header) -> None:
    body = _body(context, start, stop)
    bitrate, millis = unpack(">6xI16xI", body[:30])
    _, at = _short_text(body, 30)
    mime, at = _short_text(body, at)
    (size,) = unpack(">I", body[at : at + 4])
    data = body[at + 4 : at + 4 + size]
    if mime == _LOGICAL:
        _read_logical_stream(context, data)
        return
    header.millis = max(header.millis, millis)
    _read_codec(_first_rate(data), header, bitrate)


def _short_text(body: bytes, at: int) -> tuple[bytes, int]:
    stop = at + 1 + int.from_bytes(body[at : at + 1], "big")
    return body[at + 1 : stop], stop


def _first_rate(data: bytes) -> bytes:
    """Returns the codec's header of a stream; of several bit rates the first."""
    if not data.startswith(_MULTIRATE):
        return data
    (rules,) = unpack(">H", data[4:6])
    at = 6 + 2 * rules
    _, size = unpack(">HI", data[at : at + 6])
    return data[at + 6 : at + 6 + size]


def _read_codec(data: bytes, header: _Header, bitrate: int) -> None:
    """Takes the header of a codec; streams of other kinds, such as events and pictures, have none of these."""
    if data.startswith(real_audio.MAGIC):
        _take_audio(real_audio.read_header(data), header, bitrate)
    elif data.startswith(_LOSSLESS):
        channels, rate = unpack(">8xH2xI", data[:16])
        _take_audio(RealAudio(real_codec(_LOSSLESS), rate, channels, 0, 0, 0, 0), header, bitrate)
    elif data[4:8] == _VIDEO:
        width, height, rate = unpack(">HH6xI", data[12:26])
        video = _Video(real_codec(data[8:12]), width, height, rate / 0x10000)
        header.video = header.video or video
        track = Track("video", video.codec, width=width, height=height, frame_rate=video.frame_rate, bitrate=bitrate)
        header.tracks.append(track)


def _take_audio(audio: RealAudio, header: _Header, bitrate: int) -> None:
    if header.audio is None:
        header.audio, header.audio_bitrate = audio, bitrate
    layout = layout_of(audio.codec, audio.channels)
    track = Track("audio", audio.codec, channels=audio.channels, channel_layout=layout, bitrate=bitrate)
    track.sample_rate = audio.sample_rate
    header.tracks.append(track)


def _read_logical_stream(context: ParseContext, data: bytes) -> None:
    """Reads the properties of the file: their names and values stand behind lists of streams and rules."""
    (streams,) = unpack(">H", data[6:8])
    at = 8 + 6 * streams
    (rules,) = unpack(">H", data[at : at + 2])
    at += 2 + 2 * rules
    (count,) = unpack(">H", data[at : at + 2])
    at += 2
    for _ in range(count):
        context.count()
        (size,) = unpack(">I", data[at : at + 4])
        name, place = _short_text(data, at + 6)
        kind, length = unpack(">IH", data[place : place + 6])
        value = place + 6
        if value + length > min(at + size, len(data)):
            raise BrokenError("a property is longer than it says")
        if kind == _STRING and name:
            real_audio.add_text(context, name.decode(LATIN1), data[value : value + length])
        at += size
