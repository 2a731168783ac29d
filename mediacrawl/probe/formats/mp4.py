"""MP4, M4A and QuickTime: finds ``moov``, wherever it stands, and reads what it says of the whole file.

Source: ISO/IEC 14496-12, 8.3 to 8.6. The walk goes by fixed paths and leaves each track as soon as it knows its codec:
the sample tables of an hour of film take 2 MB. Fragments are never walked one after the other, see `mp4_fragments`.
"""

from __future__ import annotations

import struct
from dataclasses import dataclass

from mediacrawl.probe.context import BrokenError, ParseContext, peek, unpack
from mediacrawl.probe.formats import mp4_text
from mediacrawl.probe.formats.mp4_atoms import Atom, children, content, walk
from mediacrawl.probe.formats.mp4_codecs import read_audio_entry, read_visual_entry
from mediacrawl.probe.formats.mp4_fragments import (
    MovieExtends,
    TrackFragment,
    first_fragment,
    index_seconds,
    last_fragment,
    read_extends,
)
from mediacrawl.probe.result import ProbeResult
from mediacrawl.probe.sparse import MAX_OFFSET

_MAX_TRACKS = 64
_UNKNOWN = {0xFFFFFFFF, 0xFFFFFFFFFFFFFFFF}
_STILLS = frozenset({"jpeg", "png", "mjpeg", "bmp", "gif", "tiff"})
_MAX_RUNS = 512
"""Entries of a time table that are read: a film of variable frame rate has one for each frame."""


@dataclass(slots=True)
class Mp4Track:
    """What one track says of itself; 0 and None are unknown.

    Attributes:
        number: by which fragments name it.
        kind: its handler: ``soun``, ``vide``, ``text`` ...
        timescale: its time unit, per second.
        seconds: its length.
        codec: name of the codec.
        channels: number of audio channels.
        sample_rate: Hz.
        bits_per_sample: bits.
        bitrate: bits per second.
        width: pixels.
        height: pixels.
        frame_rate: frames per second.
    """

    number: int = 0
    kind: str = ""
    timescale: int = 0
    seconds: float = 0.0
    codec: str | None = None
    channels: int = 0
    sample_rate: int = 0
    bits_per_sample: int = 0
    bitrate: int = 0
    width: int = 0
    height: int = 0
    frame_rate: float | None = None


def duration(body: bytes) -> tuple[int, float]:
    """Reads time unit and length of a ``mvhd`` or ``mdhd``, whose layouts begin alike (8.2.2, 8.4.2).

    Returns:
        Units per second and seconds; 0 where unknown.
    """
    if body[:1] == b"\x01":
        timescale, ticks = unpack(">IQ", body[20:32])
    else:
        timescale, ticks = unpack(">II", body[12:20])
    if not timescale or ticks in _UNKNOWN:
        return timescale, 0.0
    return timescale, ticks / timescale


def read_track(context: ParseContext, trak: Atom, tracks: list[Mp4Track]) -> None:
    """Reads a track and adds it to `tracks`, with what is known, even if its bytes are not all at hand.

    Args:
        context: the file, and the count of parts.
        trak: the ``trak`` atom.
        tracks: takes what is found.
    """
    if len(tracks) >= _MAX_TRACKS:
        context.note("limit:tracks")
        return
    track = Mp4Track()
    tracks.append(track)
    for atom in children(context, trak):
        if atom.name == b"tkhd":
            body = content(context, atom)
            at = 20 if body[:1] == b"\1" else 12
            track.number = int.from_bytes(body[at : at + 4], "big")
        elif atom.name == b"mdia":
            _read_media(context, atom, track)
            return
    raise BrokenError("no media in a track")


def _read_media(context: ParseContext, media: Atom, track: Mp4Track) -> None:
    for atom in children(context, media):
        if atom.name == b"mdhd":
            track.timescale, track.seconds = duration(content(context, atom))
        elif atom.name == b"hdlr":
            track.kind = content(context, atom)[8:12].decode("latin-1")
        elif atom.name == b"minf":
            _read_samples(context, _child(context, atom, b"stbl"), track)
            return


def _child(context: ParseContext, parent: Atom, name: bytes) -> Atom:
    for atom in children(context, parent):
        if atom.name == name:
            return atom
    raise BrokenError(f"no {name!r} in {parent.name!r}")


def _read_samples(context: ParseContext, table: Atom, track: Mp4Track) -> None:
    if track.kind not in {"soun", "vide"}:
        return
    description = _child(context, table, b"stsd")
    body = content(context, description)
    if track.kind == "soun":
        sound = read_audio_entry(body)
        track.codec, track.channels, track.sample_rate = sound.codec, sound.channels, sound.sample_rate
        track.bits_per_sample, track.bitrate = sound.bits_per_sample, sound.bitrate
        return
    picture = read_visual_entry(body[8:])
    track.codec, track.width, track.height = picture.codec, picture.width, picture.height
    frames, track.frame_rate = _frame_rate(context, table, description.stop, track.timescale)
    if picture.codec in _STILLS and frames and (frames == 1 or track.seconds > 5 * frames):
        track.kind = "cover"  # chapter images and covers are "video" of one frame, or of one in minutes


def _frame_rate(context: ParseContext, table: Atom, at: int, timescale: int) -> tuple[int, float | None]:
    """Works out the frames per second from the time table (8.6.1.2), as far as it is at hand.

    Returns:
        The number of frames that were looked at, and their rate.
    """
    head = peek(context.file, at, min(at + 16, table.stop)) or b""
    if len(head) < 16 or head[4:8] != b"stts":
        return 0, None
    size, runs = int.from_bytes(head[:4], "big"), int.from_bytes(head[12:16], "big")
    runs = max(0, min(runs, (size - 16) // 8, _MAX_RUNS))
    data = context.file.run(at + 16, 8 * runs)
    times = list(struct.iter_unpack(">II", data[: len(data) // 8 * 8]))
    ticks = sum(frames * delta for frames, delta in times)
    frames = sum(frames for frames, _ in times)
    return frames, frames * timescale / ticks if ticks else None


_VIDEO_TO_AUDIO = {"video/mp4": "audio/mp4", "video/3gpp": "audio/3gpp", "video/3gpp2": "audio/3gpp2"}
_AUDIO_TO_VIDEO = {"audio/mp4": "video/mp4"}


class Movie:
    """What ``moov`` says: its length in seconds by ``mvhd``, its time unit, its tracks, what fragments add to it."""

    def __init__(self) -> None:
        self.moov: Atom | None = None
        self.timescale = 0
        self.seconds = 0.0
        self.extends: MovieExtends | None = None
        self.tracks: list[Mp4Track] = []

    def first(self, kind: str) -> Mp4Track | None:
        """Returns the first track of a kind: ``soun`` or ``vide``."""
        return next((track for track in self.tracks if track.kind == kind), None)

    def clock(self, number: int) -> int:
        """Returns the time unit of a track, per second, 0 if it has none."""
        return next((track.timescale for track in self.tracks if track.number == number), 0)


def read(context: ParseContext, start: int) -> None:
    """Reads an MP4 or QuickTime file."""
    movie = Movie()
    context.stage("moov", _read_file, context, start, movie)
    if movie.moov is None:
        return
    _take_facts(context, movie)
    if movie.extends:
        context.stage("length", _read_length, context, movie.moov, movie, movie.extends)
    _take_bitrate(context, movie.first("soun"))


def _read_file(context: ParseContext, start: int, movie: Movie) -> None:
    movie.moov = _find_moov(context, start)
    context.result.has_cover = False
    _read_moov(context, movie.moov, movie)


def _find_moov(context: ParseContext, start: int) -> Atom:
    file, near = context.file, context.policy.skip_bytes
    end = MAX_OFFSET if file.size is None else file.size
    for atom in walk(context, start, end):
        if atom.name == b"moov":
            if atom.size <= near:
                file.get(atom.start, atom.stop)  # one request for all of it
            return atom
        if atom.name == b"mdat" and atom.stop < end <= atom.stop + near:
            file.get(atom.stop, end)  # what stands behind the media data is moov: all of it at once
    raise BrokenError("no moov")


def _read_moov(context: ParseContext, moov: Atom, movie: Movie) -> None:
    """Reads each part as a stage of its own: one that is not at hand does not hide the others."""
    for atom in children(context, moov):
        if atom.name == b"mvhd":
            movie.timescale, movie.seconds = duration(content(context, atom))
        elif atom.name == b"trak":
            context.stage("trak", read_track, context, atom, movie.tracks)
        elif atom.name == b"mvex":
            movie.extends = MovieExtends()
            context.stage("mvex", read_extends, context, atom, movie.timescale, movie.extends)
        elif atom.name == b"udta":
            context.stage("udta", mp4_text.read_user_data, context, atom)
        elif atom.name == b"meta":
            context.stage("meta", mp4_text.read_meta, context, atom)


def _take_facts(context: ParseContext, movie: Movie) -> None:
    audio, video = movie.first("soun"), movie.first("vide")
    main = video or audio
    if main:
        context.result.codec = main.codec
    if audio:
        _take_audio(context, audio)
    if video:
        _take_video(context, video)
    _take_format(context, bool(video), bool(audio))
    measured = movie.seconds if video or not audio else audio.seconds
    # Where there are fragments, these are only the samples before them.
    context.result.set_duration(measured or movie.seconds, estimated=bool(movie.extends))


def _take_audio(context: ParseContext, track: Mp4Track) -> None:
    result = context.result
    result.audio_codec = track.codec
    result.channels, result.sample_rate = track.channels or None, track.sample_rate or None
    result.bits_per_sample = track.bits_per_sample or None


def _take_video(context: ParseContext, track: Mp4Track) -> None:
    result = context.result
    result.is_video, result.video_codec = True, track.codec
    result.width, result.height = track.width or None, track.height or None
    result.frame_rate = track.frame_rate


def _take_format(context: ParseContext, video: bool, audio: bool) -> None:
    """The brand says what a writer can do; the tracks say what is in the file."""
    result = context.result
    given = result.encoding_format or ""
    if video:
        result.encoding_format = _AUDIO_TO_VIDEO.get(given, given)
    elif audio:
        result.encoding_format = _VIDEO_TO_AUDIO.get(given, given)


def _take_bitrate(context: ParseContext, audio: Mp4Track | None) -> None:
    result, size = context.result, context.file.size
    if audio and audio.bitrate and not result.is_video:
        result.bitrate = audio.bitrate
    elif size and result.duration:
        result.bitrate = round(size * 8 / result.duration)


def _read_length(context: ParseContext, moov: Atom, movie: Movie, extends: MovieExtends) -> None:
    """Finds out how long all fragments are together; the longest track is the file's length."""
    result, size = context.result, context.file.size
    length, first = first_fragment(context, moov.stop, extends.defaults)
    _take_frame_rate(movie, result, first)
    stated = extends.seconds or index_seconds(context, moov.stop)
    if stated:
        result.set_duration(stated)
        return
    if size is None:
        context.note("size unknown")
        return
    begin = min(_seconds(movie, first, at_end=False), default=0.0)
    if length:
        # What one fragment says of all, until the last one is known.
        share = max(_seconds(movie, first, at_end=True), default=0.0) - begin
        result.set_duration(share * (size - moov.stop) / length, estimated=True)
    last = last_fragment(context, max(moov.stop, size - context.policy.step_bytes), size, extends.defaults)
    end = max(_seconds(movie, last, at_end=True), default=0.0)
    if end > begin:
        result.set_duration(end - begin)
    elif not result.duration:
        context.note("length:no last fragment")


def _seconds(movie: Movie, parts: dict[int, TrackFragment], *, at_end: bool) -> list[float]:
    """When the tracks' parts of a fragment begin or end, where their time unit is known."""
    return [
        (part.begin + (part.ticks if at_end else 0)) / clock
        for number, part in parts.items()
        if (clock := movie.clock(number))
    ]


def _take_frame_rate(movie: Movie, result: ProbeResult, parts: dict[int, TrackFragment]) -> None:
    video = movie.first("vide")
    part = parts.get(video.number) if video else None
    if video and part and part.ticks and not result.frame_rate:
        result.frame_rate = part.samples * video.timescale / part.ticks
