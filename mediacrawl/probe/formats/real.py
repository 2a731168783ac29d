"""RealAudio (.ra) and RealMedia (.rm, .rmvb): headers of the codecs, chunks with texts and streams, and the length.

Sources: "RealMedia File Format (RMFF) Reference" (Helix DNA SDK, appendix; draft-heftagaub-rmff-00) for the chunks and
the properties of logical streams; "RealMedia" and "RealAudio" in the MultimediaWiki, and ffmpeg's ``rmdec.c`` for the
headers of codecs: the company published neither. Names of codecs as ffmpeg writes them.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import NamedTuple

from mediacrawl.base.parts import Track
from mediacrawl.probe.context import BrokenError, ParseContext, exact, unpack
from mediacrawl.probe.formats.keys import REAL_TEXTS, real_key
from mediacrawl.probe.formats.shared_codes import layout_of
from mediacrawl.probe.text import LATIN1, Value, unpadded

SOURCE = "real"
MAGIC = b".ra\xfd"
_WINDOW = 2048
"""Bytes of a header with four texts of 255 bytes, and some."""
_FIRST, _SECOND, _THIRD = 3, 4, 5
_CODECS = {
    b"14_4": "ra_144",
    b"28_8": "ra_288",
    b"LSD:": "ralf",
    b"RV10": "rv10",
    b"RV13": "rv10",
    b"RV20": "rv20",
    b"RV30": "rv30",
    b"RV40": "rv40",
    b"RVTR": "rv20",
    b"atrc": "atrac3",
    b"cook": "cook",
    b"dnet": "ac3",
    b"lpcJ": "ra_144",
    b"raac": "aac",
    b"racp": "aac",
    b"sipr": "sipr",
}


class RealAudio(NamedTuple):
    """A header.

    Attributes:
        codec: None if its letters are none.
        data: bytes of audio, more or less; 0 if the encoder did not know.
        minute: bytes of a minute; 0 is unknown.
        texts: offset of the texts that a file of its own has.
        stop: offset behind the header.
    """

    codec: str | None
    sample_rate: int
    channels: int
    data: int
    minute: int
    texts: int
    stop: int


def real_codec(letters: bytes) -> str | None:
    """Names the codec of four letters; an unknown one is named by them, one that is no letters is None."""
    if letters in _CODECS:
        return _CODECS[letters]
    name = letters.decode(LATIN1).strip(" \0")
    return name.lower() if name.isascii() and name.isalnum() else None


def read_header(data: bytes) -> RealAudio:
    """Reads a header, from its first bytes on.

    Raises:
        BrokenError: it is none, is cut off, or of another version.
    """
    (version,) = unpack(">H", data[4:6])
    if data[:4] != MAGIC or version not in {_FIRST, _SECOND, _THIRD}:
        raise BrokenError("no RealAudio header")
    if version == _FIRST:
        # The first codec is the only one: 8 kHz, in frames of 20 bytes and 20 ms.
        size, minute, length = unpack(">H8xHI", data[6:22])
        return RealAudio("ra_144", 8000, 1, length, minute, 22, 8 + size)
    length, size, minute = unpack(">4xI2xI10xI", data[8:36])
    if version == _SECOND:
        rate, channels = unpack(">H4xH", data[48:56])
        letters, at = _letters(data, _letters(data, 56)[1])
    else:
        rate, channels = unpack(">H4xH", data[54:62])
        letters, at = data[66:70], 70
        # What stands there in this version is not the rate of most files.
        minute = 0
    return RealAudio(real_codec(letters), rate, channels, length, minute, at + 3, 16 + size)


def _letters(data: bytes, at: int) -> tuple[bytes, int]:
    """Reads a text with its length in a byte; gives the offset behind it too."""
    stop = at + 1 + int.from_bytes(data[at : at + 1], "big")
    if not at < stop <= len(data):
        raise BrokenError("a text ends behind its header")
    return data[at + 1 : stop], stop


def read_audio(context: ParseContext, start: int) -> None:
    """Reads a RealAudio file."""
    with context.stage("header"):
        data = context.file.get(start, start + _WINDOW)
        header = read_header(data)
        result = context.result
        result.set_audio(header.codec, header.sample_rate, header.channels)
        with context.stage("texts"):
            at = header.texts
            for frame in REAL_TEXTS:
                raw, at = _letters(data[: header.stop], at)
                add_text(context, frame, raw)
        # The size of the file is sure; encoders counted differently, and left 0 where they did not know.
        length = header.data if context.file.size is None else context.file.size - start - header.stop
        if header.minute:
            result.bitrate, result.bitrate_mode = round(header.minute * 8 / 60), "cbr"
            result.set_duration(length * 60 / header.minute)


def add_text(context: ParseContext, frame: str, raw: bytes) -> None:
    """Adds a text. No version declares an encoding."""
    context.add(SOURCE, frame, real_key(frame), Value(unpadded(raw, b"\0 "), LATIN1))


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


def read_media(context: ParseContext, start: int) -> None:
    """Reads a RealMedia file."""
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
        context.add_track(SOURCE, "", track)


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
                header.bitrate, millis = unpack(">4xI12xI", context.text(body, start)[:24])
                header.millis = max(header.millis, millis)
        elif name == b"CONT":
            with context.stage("texts"):
                _read_texts(context, body, start)
        elif name == b"MDPR":
            with context.stage("stream"):
                _read_stream(context, body, start, header)


def _read_texts(context: ParseContext, start: int, stop: int) -> None:
    body, at = context.text(start, stop), 0
    for frame in REAL_TEXTS:
        (size,) = unpack(">H", body[at : at + 2])
        if at + 2 + size > len(body):
            raise BrokenError("a text is longer than its chunk")
        add_text(context, frame, body[at + 2 : at + 2 + size])
        at += 2 + size


def _read_stream(context: ParseContext, start: int, stop: int, header: _Header) -> None:
    body = context.text(start, stop)
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
    if data.startswith(MAGIC):
        _take_audio(read_header(data), header, bitrate)
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
            add_text(context, name.decode(LATIN1), data[value : value + length])
        at += size
