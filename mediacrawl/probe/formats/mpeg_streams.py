"""PES packets and elementary streams, which MPEG transport and program streams share, and the facts of their headers.

Sources: ISO/IEC 13818-1, 2.4.3.7 (PES packets), 11172-1, 2.4.3.3 (packets of MPEG-1).
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from statistics import median

from mediacrawl.base.languages import bcp47
from mediacrawl.base.parts import Track
from mediacrawl.probe.context import ParseContext
from mediacrawl.probe.formats.aac_streams import find_config, frame_format
from mediacrawl.probe.formats.audio_frames import AudioFrame, FrameFormat, find, follow
from mediacrawl.probe.formats.mpeg_audio import MPEG
from mediacrawl.probe.formats.mpeg_video import VideoHeader, find_video_header
from mediacrawl.probe.formats.raw_audio import AAC, AC3, DTS
from mediacrawl.probe.formats.shared_codes import layout_of

CLOCK = 90_000
"""Ticks of a time stamp per second."""
_WRAP = 1 << 33
_REORDERED = 10 * CLOCK
"""How far times may go back, at most."""
_DENSITIES = (4_000, 400_000_000)
"""Bits per second that a whole file can have. Outside, its times were set again somewhere in between."""
_KEPT = 32 * 1024
"""Bytes of a stream that are kept to find its header."""
_BARE = frozenset({0xBC, 0xBE, 0xBF, 0xF0, 0xF1, 0xF2, 0xF8, 0xFF})
"""Kinds of packets without a header of their own: maps, padding, navigation."""
_PICTURE = b"\0\0\1\0"
"""Start of a picture of MPEG-1 and MPEG-2 video, of which a packet may hold several."""
VIDEO_CODECS = frozenset({"mpeg1video", "mpeg2video", "mpeg4", "h264", "hevc", "vvc", "vc1", "av1", "cavs", "dirac"})
SUBTITLE_CODECS = frozenset({"dvb_subtitle", "dvb_teletext", "dvd_subtitle", "hdmv_pgs_subtitle", "hdmv_text_subtitle"})
_FRAMES: dict[str, FrameFormat] = {
    "mp2": MPEG,
    "mp3": MPEG,
    "mp1": MPEG,
    "aac": AAC,
    "ac3": AC3,
    "eac3": AC3,
    "dts": DTS,
}
_LATM = "aac_latm"
"""Its frames are recognized by a config that only some of them have."""


@dataclass(slots=True)
class ElementaryStream:
    """An elementary stream.

    Attributes:
        data: its first bytes, as far as they were read.
        last: bytes of the last packet with a time.
        times: time stamps of its packets, in ticks of `CLOCK`, in the order of the file.
        language: as the file writes it; empty if it does not say.
    """

    codec: str | None
    data: bytearray = field(default_factory=bytearray)
    last: bytearray = field(default_factory=bytearray)
    times: list[int] = field(default_factory=list)
    language: str = ""

    @property
    def is_video(self) -> bool:
        """Whether its codec is one of video."""
        return self.codec in VIDEO_CODECS

    @property
    def is_audio(self) -> bool:
        """Whether its codec is known and one of sound."""
        return self.codec is not None and self.codec not in VIDEO_CODECS | SUBTITLE_CODECS

    def begin(self, time: int | None) -> None:
        """Notes that a packet begins, and its time if it has one."""
        if time is not None:
            self.times.append(time)
            self.last.clear()

    def keep(self, data: bytes) -> None:
        """Adds bytes that follow those kept before."""
        for kept in (self.data, self.last):
            kept.extend(data[: max(0, _KEPT - len(kept))])


@dataclass(frozen=True, slots=True)
class PesHeader:
    """The header of one packet: kind of stream, time stamp if it has one, offset of what it carries."""

    kind: int
    time: int | None
    body: int


def read_packet(data: bytes, at: int) -> PesHeader | None:
    """Reads the header of a packet.

    Returns:
        None if there is none, or it is cut off.
    """
    if not data.startswith(b"\0\0\1", at) or len(data) < at + 9:
        return None
    kind = data[at + 3]
    if kind in _BARE:
        return PesHeader(kind, None, at + 6)
    if data[at + 6] >> 6 == 2:
        time = _time(data, at + 9) if data[at + 7] & 0x80 else None
        return PesHeader(kind, time, at + 9 + data[at + 8])
    return _old_packet(data, kind, at + 6)


def _old_packet(data: bytes, kind: int, at: int) -> PesHeader | None:
    """Reads on in a packet of MPEG-1: stuffing, size of the buffer, then times."""
    stop = min(at + 16, len(data))
    while at < stop and data[at] == 0xFF:
        at += 1
    if at < len(data) and data[at] >> 6 == 1:
        at += 2
    if at >= len(data):
        return None
    stamps = {2: 5, 3: 10}.get(data[at] >> 4)
    if stamps:
        return PesHeader(kind, _time(data, at), at + stamps)
    return PesHeader(kind, None, at + 1)


def _time(data: bytes, at: int) -> int | None:
    """Reads 33 bits that are in 5 bytes with marker bits between them."""
    if len(data) < at + 5:
        return None
    high, middle, low = data[at] >> 1 & 7, data[at + 1] << 8 | data[at + 2], data[at + 3] << 8 | data[at + 4]
    return high << 30 | middle >> 1 << 15 | low >> 1


def seconds_between(first: Sequence[int], last: Sequence[int], size: int) -> float | None:
    """Works out the length of a file by the times at its front and at its end; the clock may have begun again once.

    Returns:
        Seconds; None if there are no times, or what they say cannot be.
    """
    if not first or not last:
        return None
    between = _later(last[0], first[0])
    # Small steps back are frames that are stored before those they are shown after; a long one is the clock's end.
    ticks = between % _WRAP if between < -_REORDERED else between
    ticks += max(_later(time, last[0]) for time in last) - min(_later(time, first[0]) for time in first)
    seconds = ticks / CLOCK
    return seconds if seconds > 0 and _DENSITIES[0] <= size * 8 / seconds <= _DENSITIES[1] else None


def _later(time: int, than: int) -> int:
    """Ticks from one time to another across the wrap of the clock; negative if it is earlier."""
    return (time - than + _WRAP // 2) % _WRAP - _WRAP // 2


def length(front: Mapping[int, ElementaryStream], end: Mapping[int, ElementaryStream], size: int) -> float | None:
    """Returns the seconds of the longest stream that has times both at the front and at the end of a file."""
    found = [
        seconds + _rest(end[number], stream)
        for number, stream in front.items()
        if number in end and (seconds := seconds_between(stream.times, end[number].times, size)) is not None
    ]
    return max(found, default=None)


def _rest(end: ElementaryStream, front: ElementaryStream) -> float:
    """Returns the seconds from the last time stamp of a stream to its end, by the frames that are there."""
    kind = _frames_of(front if end.codec == _LATM else end)
    if kind:
        return sum(frame.seconds for frame in follow(kind, bytes(end.last)))
    picture = picture_of(front)
    if picture and picture.frame_rate:
        return max(1, end.last.count(_PICTURE)) / picture.frame_rate
    return _step(end.times) / CLOCK


def _step(times: list[int]) -> float:
    """Returns the ticks from one time stamp to the next in order of time, 0 if too few are known."""
    ordered = sorted(times)
    steps = [after - before for before, after in pairwise(ordered) if after > before]
    step = median(steps) if steps else 0.0
    return step if step < CLOCK else 0.0


def take_facts(context: ParseContext, streams: Iterable[ElementaryStream]) -> None:
    """Takes codecs and what the streams' own headers say: the first one of each kind is the main one."""
    known = [stream for stream in streams if stream.codec or _name(stream)]
    video = next((stream for stream in known if stream.is_video), None)
    audio = next((stream for stream in known if stream.is_audio), None)
    result = context.result
    if audio:
        result.codec = result.audio_codec = audio.codec
        frame = find_frame(audio)
        if frame:
            result.codec = result.audio_codec = frame.codec
            result.sample_rate, result.channels = frame.rate, frame.channels or None
    if video:
        result.is_video, result.codec = True, video.codec
        result.video_codec = video.codec
        _take_picture(context, video)
    for stream in known:
        context.add_track("", "", _described(stream))


def _described(stream: ElementaryStream) -> Track:
    """A stream as a part of the record, with what its own header says, if that is at hand."""
    kind = "video" if stream.is_video else "audio" if stream.is_audio else "subtitle"
    made = Track(kind, stream.codec, bcp47(stream.language))
    if stream.is_video:
        picture = picture_of(stream)
        made.frame_rate = _rate_of(stream, picture)
        if picture:
            made.codec, made.width, made.height = picture.codec, picture.width, picture.height
            made.transfer, made.primaries = picture.transfer, picture.primaries
    elif frame := find_frame(stream) if stream.is_audio else None:
        made.codec, made.channels, made.channel_layout = (
            frame.codec,
            frame.channels,
            layout_of(frame.codec, frame.channels),
        )
        made.sample_rate, made.bitrate = frame.rate, frame.bitrate
    return made


def _name(stream: ElementaryStream) -> str | None:
    """Names the codec of a stream by the frames in it, and notes it there."""
    data = bytes(stream.data)
    for kind in (AAC, AC3, DTS, MPEG):
        at = find(kind, data)
        frame = None if at is None else kind.parse(data, at)
        if frame:
            stream.codec = frame.codec
            break
    return stream.codec


def _frames_of(stream: ElementaryStream) -> FrameFormat | None:
    """Returns how the frames of an audio stream are recognized, None if its codec has none, or they are not known."""
    if stream.codec != _LATM:
        return _FRAMES.get(stream.codec or "")
    config = find_config(bytes(stream.data))
    return frame_format(config) if config else None


def find_frame(stream: ElementaryStream) -> AudioFrame | None:
    """Finds a frame of an audio stream."""
    kind = _frames_of(stream)
    if kind is None:
        return None
    data = bytes(stream.data)
    frame = kind.parse(data, 0)
    if frame is None and (at := find(kind, data)) is not None:
        frame = kind.parse(data, at)
    return frame


def _take_picture(context: ParseContext, video: ElementaryStream) -> None:
    picture, result = picture_of(video), context.result
    if picture:
        result.codec = result.video_codec = picture.codec
        result.width, result.height = picture.width, picture.height
    result.frame_rate = _rate_of(video, picture)


def _rate_of(video: ElementaryStream, picture: VideoHeader | None) -> float | None:
    """Frames per second by the header, or else by the times of the packets."""
    if picture and picture.frame_rate:
        return picture.frame_rate
    step = _step(video.times)
    return round(CLOCK / step, 3) if len(video.times) > 3 and step else None


def picture_of(video: ElementaryStream) -> VideoHeader | None:
    """Finds the header of a video stream."""
    return find_video_header(video.codec, bytes(video.data))
