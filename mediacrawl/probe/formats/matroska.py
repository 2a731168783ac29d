"""Matroska and WebM (RFC 9559): what precedes the first cluster, and behind the last one by the seek head.

An own reader, since others read the clusters through, or the whole file for tags at its end. A stream that was
written while it was sent, such as a browser records, states no length; it follows from the first and the last cluster.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field

from mediacrawl.probe.context import MAX_OFFSET, BrokenError, ParseContext, exact, peek, unpack
from mediacrawl.probe.formats import ebml
from mediacrawl.probe.formats.ebml import Element
from mediacrawl.probe.formats.matroska_parts import Edition, add_chapters, find_parts, read_attachments, read_editions
from mediacrawl.probe.formats.matroska_tags import SOURCE, SimpleTag, add_texts, bit_rate, read_tags
from mediacrawl.probe.formats.matroska_tracks import AUDIO, VIDEO, MatroskaTrack, read_tracks
from mediacrawl.probe.text import UTF8, Value

_CLUSTER_ID = bytes.fromhex("1F43B675")
_TIMESTAMP, _SIMPLE_BLOCK, _GROUP, _BLOCK, _BLOCK_DURATION = 0xE7, 0xA3, 0xA0, 0xA1, 0x9B
_IN_CLUSTER = frozenset({_TIMESTAMP, _SIMPLE_BLOCK, _GROUP, 0x5854, 0xA7, 0xAB, 0xAF, 0xEC, 0xBF})
"""What a cluster consists of. One of unknown size ends before anything else."""
_BLOCK_HEADER = 10
_MAX_CANDIDATES = 8
"""Places that are tried for the last cluster: its four bytes may be in compressed data by chance."""


def first_time(context: ParseContext, cluster: Element) -> int:
    """Returns the time of a cluster in ticks, 0 if its header is not at hand: a stream mostly begins there."""
    head = context.file.at_hand(cluster.body, min(cluster.body + 32, cluster.stop))
    if head is None:
        return 0
    for part in _cluster_parts(context, cluster):
        if part.name == _TIMESTAMP:
            return ebml.unsigned(context, part)
        if part.name in {_SIMPLE_BLOCK, _GROUP}:
            break
    return 0


def last_time(context: ParseContext, start: int, stop: int, frames: Mapping[int, float]) -> float | None:
    """Finds the last cluster between two offsets, and when its last frame ends.

    Returns:
        The time in ticks, None if there is no cluster.
    """
    data = context.file.get(start, stop)
    at = data.rfind(_CLUSTER_ID)
    for _ in range(_MAX_CANDIDATES):
        if at < 0:
            break
        end = _end_of_cluster(context, start + at, stop, frames)
        if end is not None:
            return end
        at = data.rfind(_CLUSTER_ID, 0, at)
    return None


def _end_of_cluster(context: ParseContext, at: int, stop: int, frames: Mapping[int, float]) -> float | None:
    """Reads the frames of a cluster as far as they go: a recording may be cut off anywhere."""
    time, ends = None, []
    try:
        for part in _cluster_parts(context, ebml.read_element(context, at, stop)):
            if part.name == _TIMESTAMP:
                time = ebml.unsigned(context, part)
            elif part.name == _SIMPLE_BLOCK:
                ends.append(_end_of_block(context, part, frames))
            elif part.name == _GROUP:
                ends.append(_end_of_group(context, part, frames))
    except BrokenError:
        pass
    return time + max(ends) if time is not None and ends else None


def _cluster_parts(context: ParseContext, cluster: Element) -> Iterator[Element]:
    for part in ebml.children(context, cluster):
        if part.name not in _IN_CLUSTER:
            return
        yield part


def _end_of_group(context: ParseContext, group: Element, frames: Mapping[int, float]) -> float:
    begin = end = 0.0
    for part in ebml.children(context, group):
        if part.name == _BLOCK:
            begin, end = (_end_of_block(context, part, known) for known in ({}, frames))
        elif part.name == _BLOCK_DURATION:
            end = begin + ebml.unsigned(context, part)
    return end


def _end_of_block(context: ParseContext, block: Element, frames: Mapping[int, float]) -> float:
    """Returns when a block ends, relative to its cluster: its track's number and its time are in front (10.1)."""
    head = exact(context.file, block.body, min(block.body + _BLOCK_HEADER, block.stop))
    track, behind = ebml.number(head)
    (time,) = unpack(">h", head[behind : behind + 2])
    return time + frames.get(track, 0.0)


_EBML, _DOC_TYPE, _SEGMENT = 0x1A45DFA3, 0x4282, 0x18538067
_SEEK_HEAD, _SEEK, _SEEK_ID, _SEEK_POSITION = 0x114D9B74, 0x4DBB, 0x53AB, 0x53AC
_INFO, _TRACKS, _TAGS, _ATTACHMENTS, _CLUSTER = 0x1549A966, 0x1654AE6B, 0x1254C367, 0x1941A469, 0x1F43B675
_CHAPTERS = 0x1043A770
_SCALE, _DURATION, _TITLE, _MUXER, _WRITER = 0x2AD7B1, 0x4489, 0x7BA9, 0x4D80, 0x5741
_INFO_TEXTS = {
    _TITLE: ("Title", "title"),
    _MUXER: ("MuxingApp", "muxingapp"),
    _WRITER: ("WritingApp", "encodersettings"),
}
_MAX_PLACES = 16
"""Entries of seek heads that are followed."""
_FORMATS = {
    ("webm", True): ("webm", "video/webm"),
    ("webm", False): ("webm", "audio/webm"),
    ("matroska", True): ("matroska", "video/x-matroska"),
    ("matroska", False): ("matroska", "audio/x-matroska"),
}


@dataclass(slots=True)
class MatroskaFile:
    """Contents of a file found so far.

    Attributes:
        kind: ``webm`` or ``matroska``.
        segment: the element that holds all others.
        cluster: the first cluster.
        places: name and offset of the entries of seek heads.
        visited: offsets of the elements read.
        scale: nanoseconds of one tick.
        ticks: the length, 0 if the writer did not know it.
        editions: the lists of chapters.
    """

    kind: str = "matroska"
    segment: Element | None = None
    cluster: Element | None = None
    places: list[tuple[int, int]] = field(default_factory=list)
    visited: set[int] = field(default_factory=set)
    scale: int = 1_000_000
    ticks: float = 0.0
    tracks: list[MatroskaTrack] = field(default_factory=list)
    texts: list[SimpleTag] = field(default_factory=list)
    editions: list[Edition] = field(default_factory=list)

    def first(self, kind: int) -> MatroskaTrack | None:
        """Returns the first track of a kind."""
        return next((track for track in self.tracks if track.kind == kind), None)

    @property
    def language(self) -> str:
        """The language of the sound that a player chooses by itself; empty if it is not stated."""
        sounds = [track for track in self.tracks if track.kind == AUDIO]
        chosen = next((track for track in sounds if track.default), sounds[0] if sounds else None)
        return chosen.language if chosen and chosen.language != "und" else ""


def read(context: ParseContext, start: int) -> None:
    """Reads a Matroska or WebM file."""
    found = MatroskaFile()
    with context.stage("header"):
        _read_file(context, start, found)
    if found.segment:
        with context.stage("front"):
            _read_front(context, found.segment, found)
        _follow_places(context, found.segment, found)
        # Where bytes are missing, what they hold is not known to be elsewhere.
        if not context.needs:
            with context.stage("tail"):
                _read_tail(context, found.segment, found)
            _follow_places(context, found.segment, found)
            if found.cluster and not found.tracks and not context.needs:
                context.note("matroska:no tracks")
        with context.stage("length"):
            _read_length(context, found)
    _take_facts(context, found)
    with context.stage("texts"):
        if found.language:
            context.add(SOURCE, "Language", "language", Value(found.language.encode("latin-1"), UTF8))
        video = found.first(VIDEO) is not None
        add_texts(context, found.texts, video=video, tracks=len(found.tracks))
    with context.stage("tracks"):
        for track in found.tracks:
            described = track.described(bit_rate(found.texts, track.uid))
            if described:
                context.add_track(SOURCE, "Name", described, Value(track.name, UTF8))
    with context.stage("chapters"):
        add_chapters(context, found.editions, found.language)


def _read_file(context: ParseContext, start: int, found: MatroskaFile) -> None:
    end = MAX_OFFSET if context.file.size is None else context.file.size
    for element in ebml.walk(context, start, end):
        if element.name == _EBML:
            for part in ebml.children(context, element):
                if part.name == _DOC_TYPE:
                    found.kind = "webm" if ebml.text(context, part) == b"webm" else "matroska"
        elif element.name == _SEGMENT:
            found.segment = element
            return
    raise BrokenError("no segment")


def _read_front(context: ParseContext, segment: Element, found: MatroskaFile) -> None:
    """Walks to the first cluster, or to the end of the bytes if a seek head lists the rest."""
    at = segment.body
    while at < segment.stop:
        if found.places and peek(context.file, at, min(at + ebml.HEADER_BYTES, segment.stop)) is None:
            return
        element = ebml.read_element(context, at, segment.stop)
        if element.name == _CLUSTER:
            found.cluster = element
            return
        _read_part(context, element, found)
        at = element.stop


def _follow_places(context: ParseContext, segment: Element, found: MatroskaFile) -> None:
    """Reads the entries of seek heads. Seek heads may list each other, so each offset is read once.

    A second one mostly lists the clusters; it is worth a request only if the first knows of no tags, or no tracks.
    """
    for name, at in found.places:  # grows while it is read
        known = {other for other, _ in found.places}
        needless = name == _SEEK_HEAD and _TAGS in known and bool(found.tracks or _TRACKS in known)
        if at not in found.visited and not needless:
            with context.stage("seek"):
                found.visited.add(at)
                element = ebml.read_element(context, at, segment.stop)
                if element.name != name:
                    raise BrokenError("a seek head leads elsewhere")
                _read_part(context, element, found)


def _read_tail(context: ParseContext, segment: Element, found: MatroskaFile) -> None:
    """Reads the parts behind the clusters that no seek head lists. They are worth a request if there are no tracks."""
    size = context.file.size
    if size is None or (found.tracks and found.places):
        return
    stop = min(segment.stop, size)
    for tail in context.policy.matroska_tail_bytes:
        if found.tracks:
            # The length may have asked for these bytes.
            data = context.file.before(stop, min(tail, stop - segment.body))
        else:
            data = context.file.get(max(segment.body, stop - tail), stop)
        for at in find_parts(data, stop - len(data), stop):
            if at not in found.visited:
                _read_part(context, ebml.read_element(context, at, stop), found)


def _read_part(context: ParseContext, element: Element, found: MatroskaFile) -> None:
    found.visited.add(element.start)
    if element.unending:
        raise BrokenError("a part without a size")
    if element.name not in _PARTS:
        return
    name, read_part = _PARTS[element.name]
    with context.stage(name):
        # Reads a part of ordinary size in one piece, so that it costs one request; but never a picture.
        if element.size <= context.policy.skip_bytes and element.name != _ATTACHMENTS:
            context.file.get(element.start, element.stop)
        read_part(context, element, found)


def _read_seek_head(context: ParseContext, head: Element, found: MatroskaFile) -> None:
    for seek in ebml.children(context, head):
        if seek.name != _SEEK:
            continue
        name, position = 0, -1
        for part in ebml.children(context, seek):
            if part.name == _SEEK_ID:
                name = ebml.unsigned(context, part)
            elif part.name == _SEEK_POSITION:
                position = ebml.unsigned(context, part)
        if name not in _PARTS or position < 0 or found.segment is None:
            continue
        if len(found.places) == _MAX_PLACES:
            context.note("limit:places")
        else:
            found.places.append((name, found.segment.body + position))


def _read_info(context: ParseContext, info: Element, found: MatroskaFile) -> None:
    for part in ebml.children(context, info):
        if part.name == _SCALE:
            found.scale = ebml.unsigned(context, part) or found.scale
        elif part.name == _DURATION:
            found.ticks = ebml.real(context, part)
        elif part.name in _INFO_TEXTS:
            frame, key = _INFO_TEXTS[part.name]
            context.add(SOURCE, frame, key, Value(ebml.text(context, part), UTF8))


def _read_tracks(context: ParseContext, parent: Element, found: MatroskaFile) -> None:
    if not found.tracks:
        read_tracks(context, parent, found.tracks)


_PARTS: dict[int, tuple[str, Callable[[ParseContext, Element, MatroskaFile], object]]] = {
    _SEEK_HEAD: ("seek", _read_seek_head),
    _INFO: ("info", _read_info),
    _TRACKS: ("tracks", _read_tracks),
    _TAGS: ("tags", lambda context, part, found: read_tags(context, part, found.texts)),
    _ATTACHMENTS: ("attachments", lambda context, part, _: read_attachments(context, part)),
    _CHAPTERS: ("chapters", lambda context, part, found: read_editions(context, part, found.editions)),
}
"""Name and reader of each part of a segment that describes the whole file."""


def _read_length(context: ParseContext, found: MatroskaFile) -> None:
    """Takes the length that the writer stated, or else that of the clusters."""
    context.result.set_duration(found.ticks * found.scale / 1e9)
    size, cluster = context.file.size, found.cluster
    if context.result.duration or cluster is None or found.segment is None:
        return
    if size is None:
        context.note("size unknown")
        return
    frames = {track.number: track.frame_seconds * 1e9 / found.scale for track in found.tracks}
    begin = first_time(context, cluster)
    for tail in context.policy.matroska_tail_bytes:
        stop = min(found.segment.stop, size)
        end = last_time(context, max(cluster.start, stop - tail), stop, frames)
        if end is not None:
            context.result.set_duration((end - begin) * found.scale / 1e9)
            return
    context.note("length:no last cluster")


def _take_facts(context: ParseContext, found: MatroskaFile) -> None:
    audio, video, result = found.first(AUDIO), found.first(VIDEO), context.result
    if audio:
        result.set_audio(audio.codec, audio.sample_rate, audio.channels or None, audio.bits_per_sample)
    if video:
        result.set_video(video.codec, video.width or None, video.height or None, video.frame_rate)
        result.rotate(video.turn)
    result.container, result.encoding_format = _FORMATS[found.kind, bool(video) or not audio]
    if audio and not video:
        result.bitrate = bit_rate(found.texts, audio.uid)
    if not result.bitrate:
        result.set_average_bitrate(context.file.size)
