"""Ogg: the identification headers of the codecs that come in it, what their granule positions mean, and its streams.

Sources of what is said of streams: Ogg Skeleton 4.0 (Xiph.Org), fisbone; the bitstream format of OggKate.
"""

from __future__ import annotations

import re
import struct
from bisect import bisect_right
from collections.abc import Callable, Collection, Iterable, Iterator
from dataclasses import dataclass, field
from itertools import islice
from operator import itemgetter
from typing import NamedTuple

from mediacrawl.base.languages import bcp47
from mediacrawl.base.parts import Track
from mediacrawl.probe.context import MAX_OFFSET, BrokenError, LimitError, NeedBytes, ParseContext, SparseFile, unpack
from mediacrawl.probe.formats import flac
from mediacrawl.probe.formats.flac import read_streaminfo, take_chapters
from mediacrawl.probe.formats.gains import decimal
from mediacrawl.probe.formats.shared_codes import layout_of
from mediacrawl.probe.result import ProbeResult
from mediacrawl.probe.text import UTF8, Value

SKELETON = b"fishead\0"
"""First bytes of the stream of Skeleton."""
_KATE = b"\x80kate\0\0\0"
_FISBONE = b"fisbone\0"
_OFFSET_AT = 8
"""Where the offset of the messages stands, from where it counts."""
_MAX_SKELETON_PAGES = 32
"""Pages behind the first ones that are looked through."""
_MESSAGE = re.compile(rb"^(language|title)[ \t]*:[ \t]*([^\r\n]+)", re.IGNORECASE | re.MULTILINE)


class StreamMessages(NamedTuple):
    """What is said of a stream: its number, its language as it is written, and its title."""

    serial: int
    language: str
    title: Value | None


@dataclass(slots=True)
class OggTracks:
    """The streams of a file as parts of the record.

    Attributes:
        found: by number, in the order of the file.
        skeletons: numbers of the streams that tell of others.
        messages: what those say, by the number of the stream they tell of.
    """

    found: dict[int, Track] = field(default_factory=dict)
    skeletons: set[int] = field(default_factory=set)
    messages: dict[int, StreamMessages] = field(default_factory=dict)


def kate_language(packet: bytes) -> str | None:
    """Returns the language of a stream of Kate, empty if it states none; None for another stream."""
    if not packet.startswith(_KATE) or len(packet) < 64:
        return None
    return packet[32:48].partition(b"\0")[0].decode("ascii", errors="replace")


def read_skeleton(file: SparseFile, pages: Iterable[tuple[int, int, bytes]], tracks: OggTracks) -> None:
    """Reads what Skeleton says of the streams, as far as it is at hand."""
    for serial, body, lacing in islice(pages, _MAX_SKELETON_PAGES if tracks.skeletons else 0):
        for start, size in _packets(body, lacing) if serial in tracks.skeletons else ():
            messages = _read_fisbone(file.at_hand(start, start + size) or b"")
            if messages:
                tracks.messages.setdefault(messages.serial, messages)


def _packets(start: int, lacing: bytes) -> Iterator[tuple[int, int]]:
    """Yields offset and size of the packets that are whole in a page."""
    size = 0
    for segment in lacing:
        size += segment
        if segment < 255:
            yield start, size
            start, size = start + size, 0


def _read_fisbone(packet: bytes) -> StreamMessages | None:
    """Reads a packet of Skeleton about one stream; None if it is none."""
    if not packet.startswith(_FISBONE) or len(packet) < 16:
        return None
    start = _OFFSET_AT + int.from_bytes(packet[8:12], "little")
    messages = {match[1].lower(): match[2].rstrip() for match in _MESSAGE.finditer(packet[start:])}
    title = Value(messages[b"title"], UTF8) if b"title" in messages else None
    language = messages.get(b"language", b"").decode("ascii", errors="replace")
    return StreamMessages(int.from_bytes(packet[12:16], "little"), language, title)


def add_tracks(context: ParseContext, tracks: OggTracks) -> None:
    """Adds the streams to the result if there are several: a single one is the file."""
    for serial, track in tracks.found.items() if len(tracks.found) > 1 else ():
        messages = tracks.messages.get(serial)
        if messages:
            track.language = bcp47(messages.language) or track.language
        context.add_track("skeleton", "Title", track, messages.title if messages else None)


@dataclass(frozen=True, slots=True)
class LogicalStream:
    """One logical stream.

    Attributes:
        serial: its number in the pages.
        rate: granules (or frames) per second.
        comment_at: bytes in the second packet before the comments.
        skip: granules at the start that are not played.
        longest: most granules of one packet; 0 if the header does not say.
        shift: bits of a video granule that count the frames since the last key frame.
        bitrate: bits per second, if the header names one.
        gain: decibels that every player applies.
    """

    serial: int
    codec: str
    rate: float
    comment_at: int
    skip: int = 0
    longest: int = 0
    shift: int = 0
    sample_rate: int | None = None
    channels: int | None = None
    bitrate: int | None = None
    bits_per_sample: int | None = None
    is_video: bool = False
    width: int | None = None
    height: int | None = None
    gain: float = 0.0

    def described(self) -> Track:
        """The stream as a part of the record, without its name and language."""
        if self.is_video:
            return Track("video", self.codec, width=self.width, height=self.height, frame_rate=self.rate)
        layout = layout_of(self.codec, self.channels)
        made = Track("audio", self.codec, channels=self.channels, channel_layout=layout, bitrate=self.bitrate)
        made.sample_rate = self.sample_rate
        return made

    def seconds(self, granule: int) -> float:
        """Turns a granule position into seconds from the start of the stream."""
        if self.shift:
            granule = (granule >> self.shift) + (granule & (1 << self.shift) - 1)
        return (granule - self.skip) / self.rate

    def begin(self, file: SparseFile, page: OggPage) -> float:
        """Returns the second at which a stream begins that has its first granule position on this page.

        It is 0 but for what was cut from a longer stream.
        """
        packets = sum(size < 255 for size in page.lacing)
        # The first packet of Vorbis only prepares the next one.
        packets -= self.codec == "vorbis"
        longest = self.longest or (
            _opus_samples(file.at_hand(page.body, page.body + 2) or b"") if self.codec == "opus" else 0
        )
        begin = self.seconds(page.granule) - (packets * longest / self.rate if longest else _MAX_FIRST)
        return begin if begin > _LEAST_BEGIN else 0.0


_OPUS_TENTHS = (*(100, 200, 400, 600) * 3, *(100, 200) * 2, *(25, 50, 100, 200) * 4)
"""Length of a frame in tenths of a millisecond, by its configuration (RFC 6716, 3.1)."""


def _opus_samples(packet: bytes) -> int:
    """Returns the granules of a packet of Opus, by its first two bytes; 0 if they are not at hand."""
    if len(packet) < 2:
        return 0
    frames = (1, 2, 2, packet[1] & 63)[packet[0] & 3]
    return frames * _OPUS_TENTHS[packet[0] >> 3] * 48 // 10


def identify(serial: int, packet: bytes) -> LogicalStream | None:
    """Reads the first packet of a stream; None if its codec is unknown or its header is no header."""
    for magic, read in _CODECS:
        if packet.startswith(magic):
            try:
                return read(serial, packet)
            except (struct.error, ValueError, ZeroDivisionError):
                return None
    return None


def _vorbis(serial: int, packet: bytes) -> LogicalStream | None:
    """Vorbis I, 4.2.2. Of the three bit rates the nominal one is the encoder's setting."""
    channels, rate, highest, nominal, lowest = struct.unpack_from("<xxxxBIiii", packet, 7)
    bounds = [bound for bound in (highest, lowest) if bound > 0]
    average = sum(bounds) // len(bounds) if bounds else None
    bitrate = nominal if nominal > 0 else average
    if not rate:
        return None
    # Half a long block.
    longest = 1 << (int.from_bytes(packet[28:29]) >> 4) >> 1
    return LogicalStream(
        serial, "vorbis", rate, 7, longest=longest, sample_rate=rate, channels=channels, bitrate=bitrate
    )


def _opus(serial: int, packet: bytes) -> LogicalStream:
    """RFC 7845, 5.1: granules are always 48 kHz; the rate in the header is that of the source."""
    channels, skip = struct.unpack_from("<xBH", packet, 8)
    # A header that was cut off has no gain.
    gain = int.from_bytes(packet[16:18], "little", signed=True) / 256 if len(packet) >= 18 else 0.0
    return LogicalStream(serial, "opus", 48000, 8, skip, sample_rate=48000, channels=channels, gain=gain)


def _flac(serial: int, packet: bytes) -> LogicalStream:
    """RFC 9639, 10.1: STREAMINFO stands 17 bytes into the packet; comments begin with a block header."""
    facts = ProbeResult()
    read_streaminfo(facts, packet[17:51])
    rate = facts.sample_rate or 0
    return LogicalStream(
        serial,
        "flac",
        rate,
        4,
        longest=int.from_bytes(packet[19:21], "big"),
        sample_rate=rate,
        channels=facts.channels,
        bits_per_sample=facts.bits_per_sample,
    )


def _speex(serial: int, packet: bytes) -> LogicalStream | None:
    rate, channels, bitrate, frame, _, frames = struct.unpack_from("<i8xiiiii", packet, 36)
    if rate <= 0:
        return None
    given = bitrate if bitrate > 0 else None
    longest = max(0, frame * frames)
    return LogicalStream(serial, "speex", rate, 0, longest=longest, sample_rate=rate, channels=channels, bitrate=given)


def _theora(serial: int, packet: bytes) -> LogicalStream:
    """Theora specification, 6.2: sizes have 24 bits, the granule's shift stands across a byte's border."""
    width, height = (int.from_bytes(packet[at : at + 3], "big") for at in (14, 17))
    numerator, denominator = struct.unpack_from(">II", packet, 22)
    (tail,) = struct.unpack_from(">H", packet, 40)
    return LogicalStream(
        serial,
        "theora",
        numerator / denominator,
        7,
        longest=1,
        shift=tail >> 5 & 31,
        is_video=True,
        width=width,
        height=height,
    )


_CODECS: tuple[tuple[bytes, Callable[[int, bytes], LogicalStream | None]], ...] = (
    (b"\x01vorbis", _vorbis),
    (b"OpusHead", _opus),
    (b"\x7fFLAC", _flac),
    (b"Speex   ", _speex),
    (b"\x80theora", _theora),
)


_CAPTURE = b"OggS\0"
_HEADER = 27
_CONTINUED, _FIRST = 1, 2
_MAX_STREAMS = 8
_LONGEST_HEADER = _HEADER + 255
_MAX_PAGES = 200
"""Pages at the front that are looked at for where a stream begins and how dense it is."""
_MAX_FIRST = 60
"""Seconds that one page can hold, if its codec does not say. What begins later was cut from something longer."""
_LEAST_BEGIN = 0.1
"""Seconds; less is what an encoder counts before the first sample."""


@dataclass(frozen=True, slots=True)
class OggPage:
    """One page's header. Offsets are those of the file; `lacing` holds the sizes of the segments."""

    flags: int
    granule: int
    serial: int
    number: int
    lacing: bytes
    body: int

    @property
    def stop(self) -> int:
        """Offset of the next page."""
        return self.body + sum(self.lacing)


def read(context: ParseContext, start: int) -> None:
    """Reads an Ogg file."""
    streams: list[LogicalStream] = []
    tracks = OggTracks()
    with context.stage("streams"):
        _read_streams(context, start, streams, tracks)
    with context.stage("gain"):
        # Adds the gain of Opus's header; none is what most files have.
        for stream in streams:
            if stream.gain:
                context.add_number("opus", "OpusHead", "output_gain", decimal(stream.gain))
    with context.stage("chapters"):
        take_chapters(context)
    _take_facts(context, streams)
    with context.stage("tracks"):
        add_tracks(context, tracks)
    with context.stage("length"):
        _read_length(context, streams, start)


def read_page(file: SparseFile, at: int) -> OggPage | None:
    """Reads the page header at an offset, None if there is none."""
    head = file.get(at, at + _HEADER)
    if len(head) < _HEADER or not head.startswith(_CAPTURE):
        return None
    body = at + _HEADER + head[26]
    lacing = file.get(at + _HEADER, body)
    granule, serial, number = unpack("<QII", head[6:22])
    return OggPage(head[5], granule, serial, number, lacing, body)


def _pages(context: ParseContext, at: int) -> Iterator[OggPage]:
    while page := read_page(context.file, at):
        context.count()
        yield page
        at = page.stop


def _read_streams(context: ParseContext, start: int, streams: list[LogicalStream], tracks: OggTracks) -> None:
    """Reads the first page of each stream, which all stand together at the front, then the comments."""
    for page in _pages(context, start):
        if not page.flags & _FIRST or len(streams) == _MAX_STREAMS:
            behind = page.body - _HEADER - len(page.lacing)
            read_skeleton(context.file, _front_pages(context.file, behind), tracks)
            _read_comments(context, streams, behind, tracks)
            return
        packet = context.file.get(page.body, page.stop)
        stream = identify(page.serial, packet)
        if stream:
            streams.append(stream)
            tracks.found[page.serial] = stream.described()
        elif packet.startswith(SKELETON):
            tracks.skeletons.add(page.serial)
        elif (language := kate_language(packet)) is not None and len(tracks.found) < context.policy.max_tracks:
            tracks.found[page.serial] = Track("subtitle", "kate", bcp47(language))
    raise BrokenError("no page behind the first ones")


def _read_comments(context: ParseContext, streams: list[LogicalStream], at: int, tracks: OggTracks) -> None:
    """Reads the comments of each stream; the language among them is that of the stream."""
    for stream in streams:
        packet, before = OggPacket(context, at, stream.serial), len(context.result.tags)
        start = stream.comment_at
        with context.stage("comment"):
            flac.read_comments(context, packet, start, MAX_OFFSET)
        told = (bcp47(tag.text) for tag in context.result.tags[before:] if tag.key == "language")
        tracks.found[stream.serial].language = next(told, None)


def _front_pages(file: SparseFile, at: int) -> Iterator[tuple[int, int, bytes]]:
    """Yields number of the stream, offset and lacing of the pages from an offset on, as far as they are at hand."""
    while file.at_hand(at, at + _LONGEST_HEADER) and (page := read_page(file, at)):
        yield page.serial, page.body, page.lacing
        at = page.stop


class OggPacket:
    """The first packet of a stream behind an offset, put together from pages as far as it is read."""

    def __init__(self, context: ParseContext, at: int, serial: int) -> None:
        self._context = context
        self._at = at
        self._serial = serial
        self._pieces: list[tuple[int, int, int]] = []
        self._length = 0
        self._ended = False

    def get(self, start: int, stop: int) -> bytes:
        """Reads bytes of the packet, fewer at its end; raises `NeedBytes`."""
        while self._length < stop and not self._ended:
            self._read_page(stop)
        found = []
        first = max(0, bisect_right(self._pieces, start, key=itemgetter(0)) - 1)
        for place, offset, length in islice(self._pieces, first, None):
            if place >= stop:
                break
            begin, end = max(start - place, 0), min(stop - place, length)
            found.append(self._context.file.get(offset + begin, offset + end))
        return b"".join(found)

    def _read_page(self, wanted: int) -> None:
        self._context.count()
        page = read_page(self._context.file, self._at)
        if page is None:
            self._ended = True
            return
        self._at = page.stop
        if page.serial != self._serial:
            return
        if page.flags & _FIRST or bool(page.flags & _CONTINUED) != bool(self._pieces):
            raise BrokenError("a packet ends without its last segment")
        short = next((i for i, size in enumerate(page.lacing) if size < 255), None)
        self._ended = short is not None
        self._add(page.body, sum(page.lacing if short is None else page.lacing[: short + 1]))
        if page.lacing and not self._ended:
            self._leap(page, wanted)

    def _add(self, offset: int, length: int) -> None:
        self._pieces.append((self._length, offset, length))
        self._length += length

    def _leap(self, page: OggPage, wanted: int) -> None:
        """Jumps over the pages of a long picture without asking for each of their headers.

        Writers make all pages of a long packet alike (255 segments, or 4 KB), so page n+k stands where k
        pages like this one end; its serial and its number prove it. A request for each page of a picture
        would cost far more than it gives.
        """
        body, whole = sum(page.lacing), page.stop - page.body + _HEADER + len(page.lacing)
        pages = (wanted - self._length) // body
        if pages < 2 or self._context.file.at_hand(self._at, self._at + _HEADER):
            return
        found = read_page(self._context.file, self._at + pages * whole)
        if not found or (found.serial, found.number) != (page.serial, page.number + 1 + pages):
            raise LimitError("ogg pages")
        for _ in range(pages):
            self._context.count()
            self._add(self._at + whole - body, body)
            self._at += whole


def _take_facts(context: ParseContext, streams: list[LogicalStream]) -> None:
    audio = next((stream for stream in streams if not stream.is_video), None)
    video = next((stream for stream in streams if stream.is_video), None)
    result = context.result
    if audio:
        result.set_audio(audio.codec, audio.sample_rate, audio.channels, audio.bits_per_sample)
        result.bitrate = audio.bitrate
    if video:
        result.encoding_format = "video/ogg"
        result.set_video(video.codec, video.width, video.height, video.rate)


def _read_length(context: ParseContext, streams: list[LogicalStream], start: int) -> None:
    """Finds the last page of each stream; the longest stream is the file's length."""
    if not streams:
        return
    size = context.file.size
    if size is None:
        context.note("size unknown")
        return
    if context.file.at_hand(start, size) is not None and _add_up(context, start):
        return
    data = b""
    for tail in context.policy.ogg_tail_bytes:
        data = context.file.get(max(0, size - tail), size)
        last = dict(_last_granules(data, {stream.serial for stream in streams}))
        if last:
            _set_length(context, streams, last, start)
            return
    context.note("length:no last page")
    if any(granule for _, granule in _last_granules(data, None)):
        _estimate(context, streams, start, size)


def _set_length(context: ParseContext, streams: list[LogicalStream], last: dict[int, int], start: int) -> None:
    """Takes the length from the last pages. A recording of a live stream does not begin at zero."""
    first: dict[int, OggPage] = {}
    for page in _pages_at_hand(context.file, start):
        first.setdefault(page.serial, page)
    lengths = []
    for stream in streams:
        if stream.serial in last:
            at = first.get(stream.serial)
            begin = stream.begin(context.file, at) if at and at.granule < last[stream.serial] else 0.0
            lengths.append((stream.seconds(last[stream.serial]) - begin, begin))
    seconds, begin = max(lengths)
    context.result.set_duration(seconds, estimated=begin > 0)
    _average_bitrate(context)


def _add_up(context: ParseContext, start: int) -> bool:
    """Takes the length of a file that is at hand as a whole: the sum of chained streams. False if none is found."""
    streams: dict[int, LogicalStream] = {}
    links: list[dict[int, tuple[float, float]]] = [{}]
    cut = False
    for page in _pages(context, start):
        if page.flags & _FIRST:
            if links[-1]:
                links.append({})
            if stream := identify(page.serial, context.file.get(page.body, page.stop)):
                streams[page.serial] = stream
        elif page.serial in streams and 0 < page.granule < 1 << 63 and page.stop <= (context.file.size or 0):
            stream = streams[page.serial]
            end = stream.seconds(page.granule)
            if page.serial in links[-1]:
                begin, _ = links[-1][page.serial]
                links[-1][page.serial], cut = (begin, end - begin), cut or begin > 0
            else:
                links[-1][page.serial] = (stream.begin(context.file, page), end)
    seconds = sum(max((length for _, length in link.values()), default=0.0) for link in links)
    if seconds:
        context.result.set_duration(seconds, estimated=cut)
        _average_bitrate(context)
    return bool(seconds)


def _estimate(context: ParseContext, streams: list[LogicalStream], start: int, size: int) -> None:
    """Works out the length of a chain of files, of which only the first is known, from how dense its pages are."""
    known = {stream.serial: stream for stream in streams}
    seen = [
        (page.stop, known[page.serial].seconds(page.granule))
        for page in _pages_at_hand(context.file, start)
        if page.serial in known
    ]
    if len(seen) > 1 and seen[-1][1] > seen[0][1]:
        (begin, early), (end, late) = seen[0], seen[-1]
        context.result.set_duration((size - start) * (late - early) / (end - begin), estimated=True)
        _average_bitrate(context)


def _pages_at_hand(file: SparseFile, at: int) -> Iterator[OggPage]:
    """Yields the pages at the front on which some audio or picture ends, as far as they are at hand."""
    for _ in range(_MAX_PAGES):
        try:
            page = read_page(file, at)
        except NeedBytes:
            return
        if page is None:
            return
        # On the pages of the headers it is 0; where no packet ends all bits are set.
        if 0 < page.granule < 1 << 63:
            yield page
        at = page.stop


def _last_granules(data: bytes, serials: Collection[int] | None) -> Iterator[tuple[int, int]]:
    """Finds the last granule position of each stream; a page on which no packet ends has -1, one cut off has none."""
    missing = None if serials is None else set(serials)
    at = data.rfind(_CAPTURE)
    while at >= 0 and missing != set():
        serial = int.from_bytes(data[at + 14 : at + 18], "little")
        granule = int.from_bytes(data[at + 6 : at + 14], "little", signed=True)
        if granule >= 0 and _is_whole(data, at) and (missing is None or serial in missing):
            yield serial, granule
            missing = set() if missing is None else missing - {serial}
        at = data.rfind(_CAPTURE, 0, at)


def _is_whole(data: bytes, at: int) -> bool:
    """Tells whether all of a page is there: where a file was cut, its last page says more than there is."""
    segments = data[at + 26] if len(data) > at + 26 else 0
    lacing = data[at + _HEADER : at + _HEADER + segments]
    return at + _HEADER + segments + sum(lacing) <= len(data)


def _average_bitrate(context: ParseContext) -> None:
    result, size = context.result, context.file.size
    if (result.is_video or not result.bitrate) and result.duration and size:
        # A picture among the comments is in Base64, and is not played.
        picture = (result.cover_size or 0) * 4 // 3
        result.bitrate = round(max(0, size - picture) * 8 / result.duration) or None
