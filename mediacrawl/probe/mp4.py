"""MP4, M4A and QuickTime: finds ``moov``, wherever it stands, and reads what it says of the whole file.

The walk goes by fixed paths and leaves each track as soon as it knows its codec: the sample tables of an
hour of film take 2 MB. Of a fragmented file nothing behind ``moov`` is asked for, since that would be a
request for each fragment.
"""

from __future__ import annotations

from mediacrawl.probe import ilst
from mediacrawl.probe.atoms import Atom, children, content, walk
from mediacrawl.probe.mp4_tracks import Track, duration, read_track
from mediacrawl.probe.reading import BrokenError, Reading, peek, unpack
from mediacrawl.probe.sparse import MAX_OFFSET

_VIDEO_TO_AUDIO = {"video/mp4": "audio/mp4", "video/3gpp": "audio/3gpp", "video/3gpp2": "audio/3gpp2"}
_AUDIO_TO_VIDEO = {"audio/mp4": "video/mp4"}


class Movie:
    """What ``moov`` says: length by ``mvhd`` and ``mehd`` in seconds, its time unit, its tracks."""

    def __init__(self) -> None:
        self.timescale = 0
        self.seconds = 0.0
        self.fragments = 0.0
        self.tracks: list[Track] = []

    def first(self, kind: str) -> Track | None:
        """Returns the first track of a kind: ``soun`` or ``vide``."""
        return next((track for track in self.tracks if track.kind == kind), None)


def read(reading: Reading, start: int) -> None:
    """Reads an MP4 or QuickTime file.

    Args:
        reading: takes what is found.
        start: offset of the first atom.
    """
    reading.stage("moov", _read_file, reading, start)


def _read_file(reading: Reading, start: int) -> None:
    moov = _find_moov(reading, start)
    movie = Movie()
    reading.result.has_cover = False
    try:
        _read_moov(reading, moov, movie)
    finally:
        _take_facts(reading, moov, movie)


def _find_moov(reading: Reading, start: int) -> Atom:
    file, near = reading.file, reading.policy.skip_bytes
    end = MAX_OFFSET if file.size is None else file.size
    for atom in walk(reading, start, end):
        if atom.name == b"moov":
            if atom.size <= near:
                file.get(atom.start, atom.stop)  # one request for all of it
            return atom
        if atom.name == b"mdat" and atom.stop < end <= atom.stop + near:
            file.get(atom.stop, end)  # what stands behind the media data is moov: all of it at once
    raise BrokenError("no moov")


def _read_moov(reading: Reading, moov: Atom, movie: Movie) -> None:
    """Reads each part as a stage of its own: one that is not at hand does not hide the others."""
    for atom in children(reading, moov):
        if atom.name == b"mvhd":
            movie.timescale, movie.seconds = duration(content(reading, atom))
        elif atom.name == b"trak":
            reading.stage("trak", read_track, reading, atom, movie.tracks)
        elif atom.name == b"mvex":
            reading.stage("mvex", _read_extends, reading, atom, movie)
        elif atom.name == b"udta":
            reading.stage("udta", ilst.read_user_data, reading, atom)
        elif atom.name == b"meta":
            reading.stage("meta", ilst.read_meta, reading, atom)


def _read_extends(reading: Reading, mvex: Atom, movie: Movie) -> None:
    """Reads the length of all fragments together (8.8.2), if the writer knew it."""
    for atom in children(reading, mvex):
        if atom.name == b"mehd" and movie.timescale:
            body = content(reading, atom)
            ticks = int.from_bytes(body[4:12] if body[:1] == b"\x01" else body[4:8], "big")
            movie.fragments = ticks / movie.timescale


def _take_facts(reading: Reading, moov: Atom, movie: Movie) -> None:
    audio, video = movie.first("soun"), movie.first("vide")
    main = video or audio
    if main:
        reading.result.codec = main.codec
    if audio:
        _take_audio(reading, audio)
    if video:
        _take_video(reading, video)
    _take_format(reading, bool(video), bool(audio))
    measured = movie.seconds if video or not audio else audio.seconds
    seconds = movie.fragments or measured or movie.seconds or _index_seconds(reading, moov.stop)
    reading.result.set_duration(seconds)
    _take_bitrate(reading, audio)


def _take_audio(reading: Reading, track: Track) -> None:
    result = reading.result
    result.audio_codec = track.codec
    result.channels, result.sample_rate = track.channels or None, track.sample_rate or None
    result.bits_per_sample = track.bits_per_sample or None


def _take_video(reading: Reading, track: Track) -> None:
    result = reading.result
    result.is_video, result.video_codec = True, track.codec
    result.width, result.height = track.width or None, track.height or None
    result.frame_rate = track.frame_rate


def _take_format(reading: Reading, video: bool, audio: bool) -> None:
    """The brand says what a writer can do; the tracks say what is in the file."""
    result = reading.result
    given = result.encoding_format or ""
    if video:
        result.encoding_format = _AUDIO_TO_VIDEO.get(given, given)
    elif audio:
        result.encoding_format = _VIDEO_TO_AUDIO.get(given, given)


def _take_bitrate(reading: Reading, audio: Track | None) -> None:
    result, size = reading.result, reading.file.size
    if audio and not result.is_video:
        result.bitrate = audio.bitrate or None
    elif result.is_video and size and result.duration:
        result.bitrate = round(size * 8 / result.duration)


def _index_seconds(reading: Reading, at: int) -> float:
    """Adds up the segments of an index behind ``moov`` (8.16.3), if it is at hand; else 0."""
    head = peek(reading.file, at, at + 12) or b""
    if len(head) < 12 or head[4:8] != b"sidx":
        return 0.0
    stop = at + min(int.from_bytes(head[:4], "big"), reading.policy.max_text_bytes)
    body = peek(reading.file, at + 12, stop) or b""
    times = 16 if head[8] else 8
    if len(body) < 12 + times:
        return 0.0
    (timescale,) = unpack(">4xI", body[:8])
    entries = body[8 + times + 4 :]
    ticks = sum(int.from_bytes(entries[i : i + 4], "big") for i in range(4, len(entries), 12))
    return ticks / timescale if timescale else 0.0
