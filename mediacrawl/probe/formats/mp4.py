"""MP4, M4A and QuickTime: finds ``moov``, wherever it stands, and reads what it says of the whole file.

Source: ISO/IEC 14496-12, 8.1 and 8.2. Tracks are in `mp4_tracks`, chapters in `mp4_chapters`. Fragments are never
walked one after the other, see `mp4_fragments`.
"""

from __future__ import annotations

import re

from mediacrawl.probe.context import MAX_OFFSET, BrokenError, ParseContext
from mediacrawl.probe.formats import mp4_text
from mediacrawl.probe.formats.mp4_atoms import Atom, children, content, walk
from mediacrawl.probe.formats.mp4_chapters import (
    Titled,
    ask_for_references,
    chapter_tracks,
    read_chapter_track,
    read_nero_chapters,
)
from mediacrawl.probe.formats.mp4_fragments import (
    MovieExtends,
    TrackFragment,
    first_fragment,
    index_seconds,
    last_fragment,
    read_extends,
)
from mediacrawl.probe.formats.mp4_tracks import (
    AUDIO,
    VIDEO,
    Mp4Track,
    add_tracks,
    duration,
    read_track,
)
from mediacrawl.probe.result import ProbeResult

_NAME = re.compile(rb"[ -~\xa9]{4}")
_MOOV = re.compile(rb"(....)moov(?=....(?:mvhd|cmov|trak|udta|meta|iods|free))", re.DOTALL)
_VIDEO_TO_AUDIO = {"video/mp4": "audio/mp4", "video/3gpp": "audio/3gpp", "video/3gpp2": "audio/3gpp2"}
_AUDIO_TO_VIDEO = {"audio/mp4": "video/mp4"}


class Movie:
    """Contents of ``moov``: duration by ``mvhd``, time scale, tracks, chapters of ``chpl``, and ``mvex``."""

    def __init__(self) -> None:
        self.moov: Atom | None = None
        self.timescale = 0
        self.seconds = 0.0
        self.extends: MovieExtends | None = None
        self.tracks: list[Mp4Track] = []
        self.chapters: list[Titled] = []

    def first(self, kind: str) -> Mp4Track | None:
        """Returns the first track of a kind: ``soun`` or ``vide``."""
        return next((track for track in self.tracks if track.kind == kind), None)

    def clock(self, number: int) -> int:
        """Returns the time unit of a track, per second, 0 if it has none."""
        return next((track.timescale for track in self.tracks if track.number == number), 0)


def read(context: ParseContext, start: int) -> None:
    """Reads an MP4 or QuickTime file."""
    movie = Movie()
    with context.stage("moov"):
        movie.moov = _find_moov(context, start)
        context.result.has_cover = False
        _read_moov(context, movie.moov, movie)
    if movie.moov is None:
        return
    chapters = chapter_tracks(movie.tracks)
    _take_facts(context, movie)
    if movie.extends:
        with context.stage("length"):
            _read_length(context, movie.moov, movie, movie.extends)
    audio = movie.first(AUDIO)
    result, size = context.result, context.file.size
    if audio and audio.bitrate and not result.is_video:
        result.bitrate = audio.bitrate
    else:
        result.set_average_bitrate(size)
    movie.tracks = [track for track in movie.tracks if track not in chapters]
    with context.stage("chapters"):
        # Reads the first chapter track of text: the others have the same in other languages.
        if chapters:
            read_chapter_track(context, chapters[0], movie.chapters)
        else:
            ask_for_references(context, movie.tracks)
    with context.stage("chapters"):
        context.add_chapters(mp4_text.SOURCE, "chpl", movie.chapters)
    with context.stage("tracks"):
        add_tracks(context, movie.tracks)


def _find_moov(context: ParseContext, start: int) -> Atom:
    file, near = context.file, context.policy.skip_bytes
    end = MAX_OFFSET if file.size is None else file.size
    behind: Atom | None = None
    for atom in walk(context, start, end):
        if behind and (atom.missing or not _NAME.fullmatch(atom.name)):
            break
        if atom.name == b"moov":
            if atom.size <= near:
                file.get(atom.start, atom.stop)  # one request for all of it
            return atom
        if atom.name == b"mdat" and atom.stop < end <= atom.stop + near:
            file.get(atom.stop, end)  # moov follows the media data: one request for all of it
        behind = atom if atom.name == b"mdat" and atom.missing < near else behind
    moov = _displaced_moov(context, behind, end) if behind else None
    if moov is None:
        raise BrokenError("no moov")
    return moov


def _displaced_moov(context: ParseContext, mdat: Atom, end: int) -> Atom | None:
    """Finds ``moov`` near the end of media data whose stated size is some bytes wrong."""
    first = max(mdat.body, mdat.stop - context.policy.skip_bytes)
    data = context.file.get(first, min(end, mdat.stop + context.policy.skip_bytes))
    for found in _MOOV.finditer(data):
        at = first + found.start()
        if at + int.from_bytes(found[1], "big") <= end:
            # The header that was read in its place seemed to be cut.
            context.result.notes = [note for note in context.result.notes if note != "mp4:truncated"]
            return next(walk(context, at, end))
    return None


def _read_moov(context: ParseContext, moov: Atom, movie: Movie) -> None:
    """Reads each part as a stage of its own, so that a missing one does not hide the others."""
    for atom in children(context, moov):
        if atom.name == b"mvhd":
            movie.timescale, movie.seconds = duration(content(context, atom))
        elif atom.name == b"trak":
            with context.stage("trak"):
                read_track(context, atom, movie.tracks, moov.stop)
        elif atom.name == b"mvex":
            movie.extends = MovieExtends()
            with context.stage("mvex"):
                read_extends(context, atom, movie.timescale, movie.extends)
        elif atom.name == b"udta":
            with context.stage("udta"):
                mp4_text.read_user_data(context, atom)
            with context.stage("chapters"):
                read_nero_chapters(context, atom, movie.chapters)
        elif atom.name == b"meta":
            with context.stage("meta"):
                mp4_text.read_meta(context, atom)


def _take_facts(context: ParseContext, movie: Movie) -> None:
    audio, video = movie.first(AUDIO), movie.first(VIDEO)
    if audio:
        channels, rate, bits = audio.channels or None, audio.sample_rate or None, audio.bits_per_sample or None
        context.result.set_audio(audio.codec, rate, channels, bits)
    if video:
        context.result.set_video(video.codec, video.width or None, video.height or None, video.frame_rate)
        context.result.rotate(video.turn)
    _take_format(context, bool(video), bool(audio))
    measured = movie.seconds if video or not audio else audio.seconds
    # Where there are fragments, these are only the samples before them.
    context.result.set_duration(measured or movie.seconds, estimated=bool(movie.extends))


def _take_format(context: ParseContext, video: bool, audio: bool) -> None:
    """Refines the MIME type of the brand by the tracks."""
    result = context.result
    given = result.encoding_format or ""
    if video:
        result.encoding_format = _AUDIO_TO_VIDEO.get(given, given)
    elif audio:
        result.encoding_format = _VIDEO_TO_AUDIO.get(given, given)


def _read_length(context: ParseContext, moov: Atom, movie: Movie, extends: MovieExtends) -> None:
    """Computes the duration of all fragments, which is that of the longest track."""
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
        # An estimate by the first fragment, until the last one is known.
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
    video = movie.first(VIDEO)
    part = parts.get(video.number) if video else None
    if video and part and part.ticks and not result.frame_rate:
        result.frame_rate = video.frame_rate = part.samples * video.timescale / part.ticks
