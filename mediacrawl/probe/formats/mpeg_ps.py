"""MPEG program streams (``.mpg``, ``.vob``) and bare MPEG video: the first packs, and the times at both ends.

Sources: ISO/IEC 11172-1, 2.4 and 13818-1, 2.5; private streams as on DVD-Video.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import islice
from math import inf
from typing import NamedTuple

from mediacrawl.probe.context import BrokenError, ParseContext
from mediacrawl.probe.formats.mpeg_streams import (
    CLOCK,
    ElementaryStream,
    length,
    read_packet,
    seconds_between,
    take_facts,
)
from mediacrawl.probe.formats.mpeg_video import find_video_header

_PACK, _END, _SYSTEM, _MAP, _PRIVATE = 0xBA, 0xB9, 0xBB, 0xBC, 0xBD
_CODECS = {0x01: "mpeg1video", 0x02: "mpeg2video", 0x03: "mp2", 0x04: "mp2", 0x0F: "aac", 0x10: "mpeg4", 0x1B: "h264"}
"""Types of streams in a program stream map (2.5.4)."""
_PRIVATE_CODECS = (
    (0x20, "dvd_subtitle"),
    (0x40, ""),
    (0x80, "ac3"),
    (0x88, "dts"),
    (0xA0, "pcm_dvd"),
    (0xB0, "truehd"),
    (0xC0, "ac3"),
)
"""First number of each kind of private stream."""
_PRIVATE_HEADER = 4
_MAX_PARTS = 5000
"""Packs and packets that are read in one place; ordinary ones have 2 KB."""
_RATE_UNIT = 50 * 8
"""Bits per second of one unit of a pack's rate."""
_MOST = 1.5
"""How far a file's rate may be above that which its packs state; more says that its times were set again."""
_TELLING = 0.1
"""Seconds of packs whose rate says something of the whole file."""


class Packs(NamedTuple):
    """Contents of some packs.

    Attributes:
        streams: elementary streams by number.
        clocks: offset and time of each pack, in ticks of 90 kHz.
        rate: bits per second as the first pack states them, 0 if there is none.
    """

    streams: dict[int, ElementaryStream]
    clocks: list[tuple[int, int]]
    rate: int

    @property
    def times(self) -> list[int]:
        """The times of the packs alone."""
        return [time for _, time in self.clocks]


def read(context: ParseContext, start: int) -> None:
    """Reads a program stream."""
    with context.stage("packs"):
        front = _read_packs(context.file.run(start, context.policy.max_bytes), {})
        if not front.streams:
            raise BrokenError("no streams")
        size = context.file.size
        if size is None:
            context.note("size unknown")
        else:
            with context.stage("length"):
                _read_length(context, front, size)
        take_facts(context, front.streams.values())
        if context.result.audio_codec and not context.result.is_video:
            context.result.encoding_format = "audio/mpeg"


def read_video(context: ParseContext, start: int) -> None:
    """Reads bare MPEG video: its header states a bit rate, and nothing tells the time."""
    picture = find_video_header(None, context.file.run(start, context.policy.head_bytes))
    if picture is None:
        context.note("video:no header")
        return
    result, size = context.result, context.file.size
    result.set_video(picture.codec, picture.width, picture.height, picture.frame_rate)
    result.bitrate = picture.bitrate
    if size and picture.bitrate:
        result.set_duration(size * 8 / picture.bitrate, estimated=True)


def _read_length(context: ParseContext, front: Packs, size: int) -> None:
    """Finds the times at the end of the file; a DVD may set them again in between, then the rate must do."""
    end = front
    for tail in context.policy.mpeg_tail_bytes:
        end = _read_packs(context.file.get(max(0, size - tail), size), front.streams)
        for number, stream in end.streams.items():
            front.streams.setdefault(number, ElementaryStream(stream.codec, stream.data))
        clocks = front.times, end.times
        seconds = length(front.streams, end.streams, size)
        if seconds is None:
            seconds = seconds_between(*clocks, size)
        if (
            seconds
            and size * 8 / seconds <= _MOST * (front.rate or inf)
            and all(times == sorted(times) for times in clocks)
        ):
            context.result.set_duration(seconds)
            context.result.bitrate = round(size * 8 / seconds)
            return
    _estimate(context, (front, end), size)


def _estimate(context: ParseContext, both: Sequence[Packs], size: int) -> None:
    """Works out the length from the rate of the packs at both ends, if they are of a time that tells something."""
    runs = [(packs.clocks[0], packs.clocks[-1]) for packs in both if packs.clocks]
    steady = [(last[0] - first[0], last[1] - first[1]) for first, last in runs if last[1] > first[1]]
    length, ticks = (sum(values) for values in zip(*steady, strict=True)) if steady else (0, 0)
    if ticks < _TELLING * CLOCK:
        context.note("length:no times")
        return
    rate = length * 8 * CLOCK / ticks
    context.result.bitrate = round(rate)
    context.result.set_duration(size * 8 / rate, estimated=True)


def _read_packs(data: bytes, known: dict[int, ElementaryStream]) -> Packs:
    """Reads the packs in some bytes, which may begin inside one."""
    streams: dict[int, ElementaryStream] = {}
    codecs: dict[int, str | None] = {number: stream.codec for number, stream in known.items()}
    clocks: list[tuple[int, int]] = []
    rate = 0
    for at, stop in islice(_parts(data), _MAX_PARTS):
        kind = data[at + 3]
        if kind == _PACK:
            time, stated = _read_pack(data[at : at + 14])
            clocks.append((at, time))
            rate = rate or stated
        elif kind == _MAP:
            codecs |= _read_map(data[at:stop])
        elif kind == _PRIVATE or 0xC0 <= kind <= 0xEF:
            _read_stream(data[at:stop], codecs, streams)
    return Packs(streams, clocks, rate)


def _parts(data: bytes) -> Iterator[tuple[int, int]]:
    """Yields start and end of packs' headers and packets, from the first pack on; garbage is stepped over."""
    at = data.find(b"\0\0\1\xba")
    while 0 <= at <= len(data) - 14:
        if not data.startswith(b"\0\0\1", at):
            at = data.find(b"\0\0\1\xba", at)
            continue
        stop = at + _size(data, at)
        yield at, stop
        at = stop


def _size(data: bytes, at: int) -> int:
    kind = data[at + 3]
    if kind == _PACK:
        return 14 + (data[at + 13] & 7) if data[at + 4] >> 6 == 1 else 12
    if kind < _SYSTEM:
        return 4
    return 6 + int.from_bytes(data[at + 4 : at + 6], "big")


def _read_pack(head: bytes) -> tuple[int, int]:
    """Reads time in ticks of 90 kHz, and bits per second, of a pack of MPEG-2 (2.5.3.3) or MPEG-1 (2.4.3.2)."""
    value = int.from_bytes(head[4:10], "big")
    if head[4] >> 6 == 1:
        time = (value >> 43 & 7) << 30 | (value >> 27 & 0x7FFF) << 15 | value >> 11 & 0x7FFF
        return time, (int.from_bytes(head[10:13], "big") >> 2) * _RATE_UNIT
    time = (value >> 41 & 7) << 30 | (value >> 25 & 0x7FFF) << 15 | value >> 9 & 0x7FFF
    return time, (int.from_bytes(head[9:12], "big") >> 1 & 0x3FFFFF) * _RATE_UNIT


def _read_map(part: bytes) -> dict[int, str | None]:
    """Reads the codecs of a program stream map by the number of their stream."""
    at = 10 + int.from_bytes(part[8:10], "big")
    stop, found = at + 2 + int.from_bytes(part[at : at + 2], "big"), dict[int, str | None]()
    at += 2
    while at + 4 <= min(stop, len(part)):
        found[part[at + 1]] = _CODECS.get(part[at])
        at += 4 + int.from_bytes(part[at + 2 : at + 4], "big")
    return found


def _read_stream(part: bytes, codecs: dict[int, str | None], streams: dict[int, ElementaryStream]) -> None:
    header = read_packet(part, 0)
    if header is None or header.body >= len(part):
        return
    number, body = header.kind, header.body
    codec = codecs.get(number) or ("mpeg1video" if number >= 0xE0 else "mp2")
    if number == _PRIVATE:
        number = part[body]
        codec = next((codec for first, codec in reversed(_PRIVATE_CODECS) if number >= first), "")
        body += _PRIVATE_HEADER
        number |= _PRIVATE << 8
    if codec:
        stream = streams.setdefault(number, ElementaryStream(codec))
        stream.begin(header.time)
        stream.keep(part[body:])
