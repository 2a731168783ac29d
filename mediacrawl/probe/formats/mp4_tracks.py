"""Tracks of MP4 and QuickTime (ISO/IEC 14496-12, 8.3 to 8.6): codec, language, name, picture, sound, subtitles.

The walk goes by fixed paths and leaves each track as soon as it knows its codec: the sample tables of an hour of film
take 2 MB. What stands behind them is read if it is at hand, or comes with what follows the track.
"""

from __future__ import annotations

import math
import re
import struct
from collections.abc import Sequence
from dataclasses import dataclass

from mediacrawl.base.languages import bcp47
from mediacrawl.base.parts import Track
from mediacrawl.probe.context import BrokenError, NeedBytes, ParseContext, exact, peek, unpack
from mediacrawl.probe.formats.mp4_atoms import Atom, children, content, walk
from mediacrawl.probe.formats.mp4_codecs import read_audio_entry, read_subtitle_entry, read_visual_entry
from mediacrawl.probe.formats.mp4_text import SOURCE, media_language
from mediacrawl.probe.text import UTF8, Value

AUDIO, VIDEO = "soun", "vide"
SUBTITLES = frozenset({"text", "sbtl", "subt", "subp", "clcp"})
"""Handlers of subtitles and captions; ``text`` is that of chapters too."""
PICTURES = "cover"
"""In place of the handler of a track of covers or of chapters' pictures."""
_KINDS = {AUDIO: "audio", VIDEO: "video", **dict.fromkeys(SUBTITLES, "subtitle")}
_MAX_TRACKS = 64
_MAX_REFERENCES = 16
_UNKNOWN = {0xFFFFFFFF, 0xFFFFFFFFFFFFFFFF}
STILLS = frozenset({"jpeg", "png", "mjpeg", "bmp", "gif", "tiff"})
"""Codecs of pictures that stand still."""
_MAX_RUNS = 512
"""Entries of a time table that are read: a film of variable frame rate has one for each frame."""
_ENABLED = 1
_MAX_NAME = 1024
_SHORT_REST = 2048
"""Bytes behind the sample tables that are requested together with what follows the track."""
_MAC_ROMAN = "mac-roman"
_NO_NAME = re.compile(
    r"(?:\b|sound|video|audio|text|subtitle|data|media|code)handler?\b"
    r"|core ?media|iso ?media|gpac|mainconcept|muxer|produced by|@|#(?:video|audio)"
    r"|^(?:audio|sound|soun|video|vide|text|subtitles?|mono|stereo|gopro .{1,6}|dji\.\w{1,5})$",
    re.IGNORECASE,
)
"""What programs write into the name of a handler by themselves."""


@dataclass(slots=True)
class Mp4Track:
    """Facts of one track; 0, None and empty are unknown.

    Attributes:
        number: by which fragments and references name it.
        kind: its handler: ``soun``, ``vide``, ``text`` ...; or `PICTURES`.
        enabled: whether a player plays it unless told otherwise.
        timescale: its time unit, per second.
        language: as the file writes it.
        language_atom: the atom that states it.
        name_atom: the atom that states it.
        turn: degrees clockwise by which its picture is turned.
        layout: name of the channels' places.
        forced: of subtitles, whether they are shown in any case.
        chapters: numbers of the tracks that hold its chapters.
        table: of a text track, its sample table.
        unread: offsets of what stands behind its sample tables, if that is not at hand.
    """

    number: int = 0
    kind: str = ""
    enabled: bool = False
    timescale: int = 0
    seconds: float = 0.0
    language: str = ""
    language_atom: str = ""
    name: Value | None = None
    name_atom: str = ""
    turn: float = 0.0
    codec: str | None = None
    channels: int = 0
    layout: str | None = None
    sample_rate: int = 0
    bits_per_sample: int = 0
    bitrate: int = 0
    width: int = 0
    height: int = 0
    frame_rate: float | None = None
    transfer: str | None = None
    primaries: str | None = None
    forced: bool | None = None
    chapters: tuple[int, ...] = ()
    table: Atom | None = None
    unread: tuple[int, int] | None = None


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


def read_track(context: ParseContext, trak: Atom, tracks: list[Mp4Track], end: int) -> None:
    """Reads a track and adds it to `tracks`, with what is known, even if its bytes are not all at hand."""
    if len(tracks) >= _MAX_TRACKS:
        context.note("limit:tracks")
        return
    track = Mp4Track()
    tracks.append(track)
    for atom in children(context, trak):
        if atom.name == b"mdia":
            _read_media(context, atom, track)
            _read_rest(context, atom.stop, trak.stop, track, end)
            return
        _read_detail(context, atom, track)
    raise BrokenError("no media in a track")


def _read_detail(context: ParseContext, atom: Atom, track: Mp4Track) -> None:
    if atom.name == b"tkhd":
        # Reads number, flag and matrix of a ``tkhd`` (8.3.2); the matrix tells how the picture is turned
        # (6.2.2).
        body = content(context, atom)
        at = 20 if body[:1] == b"\1" else 12
        track.number = int.from_bytes(body[at : at + 4], "big")
        track.enabled = bool(int.from_bytes(body[1:4], "big") & _ENABLED)
        at = 52 if body[:1] == b"\1" else 40
        if len(body) >= at + 36:
            a, b, c, d = struct.unpack(">ii4xii", body[at : at + 20])
            # A picture that is mirrored besides has a negative determinant; its second row is not.
            turned = (b, a) if a * d - b * c >= 0 else (-c, d)
            track.turn = math.degrees(math.atan2(*turned))
    elif atom.name == b"tref":
        for each in children(context, atom):
            if each.name == b"chap":
                body = exact(context.file, each.body, min(each.stop, each.body + 4 * _MAX_REFERENCES))
                track.chapters += unpack(f">{len(body) // 4}I", body[: len(body) // 4 * 4])
    elif atom.name == b"udta":
        for each in children(context, atom):
            if each.name == b"name":
                raw = exact(context.file, each.body, min(each.stop, each.body + _MAX_NAME)).strip(b"\0")
                if raw:
                    track.name, track.name_atom = Value(raw, UTF8), "name"


def _read_rest(context: ParseContext, start: int, stop: int, track: Mp4Track, end: int) -> None:
    """Reads what stands behind the sample tables: some writers put names and references there."""
    try:
        for atom in walk(context, start, stop):
            _read_detail(context, atom, track)
    except NeedBytes:
        track.unread = start, stop
        # The next atom's header is requested anyway; one range holds both.
        if stop < end and stop - start <= _SHORT_REST and peek(context.file, stop, min(stop + 8, end)) is None:
            context.needs.append((start, stop))
    except BrokenError:
        pass  # nothing needs to stand there


def _read_media(context: ParseContext, media: Atom, track: Mp4Track) -> None:
    for atom in children(context, media):
        if atom.name == b"mdhd":
            body = content(context, atom)
            track.timescale, track.seconds = duration(body)
            at = 32 if body[:1] == b"\1" else 20
            code = int.from_bytes(body[at : at + 2], "big")
            if track.language_atom != "elng":
                track.language = media_language(code, quicktime=context.result.container == "mov")
                track.language_atom = "mdhd"
        elif atom.name == b"elng":
            text = exact(context.file, atom.body, min(atom.stop, atom.body + 104))[4:].partition(b"\0")[0]
            track.language, track.language_atom = text.decode("ascii", errors="ignore"), "elng"
        elif atom.name == b"hdlr":
            _read_handler(content(context, atom), track)
        elif atom.name == b"minf":
            _read_samples(context, _child(context, atom, b"stbl"), track)
            return


def _read_handler(body: bytes, track: Mp4Track) -> None:
    """Reads kind and name of a handler (8.4.3); QuickTime writes the length of the name before it."""
    track.kind = body[8:12].decode("latin-1")
    raw, declared = body[24 : 24 + _MAX_NAME], UTF8
    if body[4:8] == b"mhlr" and raw and raw[0] < len(raw):
        raw, declared = raw[1 : 1 + raw[0]], _MAC_ROMAN
    raw = raw.partition(b"\0")[0]
    if raw and not track.name and not _NO_NAME.search(raw.decode("latin-1")):
        track.name, track.name_atom = Value(raw, declared), "hdlr"


def _child(context: ParseContext, parent: Atom, name: bytes) -> Atom:
    for atom in children(context, parent):
        if atom.name == name:
            return atom
    raise BrokenError(f"no {name!r} in {parent.name!r}")


def _read_samples(context: ParseContext, table: Atom, track: Mp4Track) -> None:
    if track.kind not in _KINDS:
        return
    track.table = table if track.kind in SUBTITLES else None
    description = _child(context, table, b"stsd")
    body = content(context, description)
    if track.kind == AUDIO:
        sound = read_audio_entry(body)
        track.codec, track.channels, track.sample_rate = sound.codec, sound.channels, sound.sample_rate
        track.bits_per_sample, track.bitrate, track.layout = sound.bits_per_sample, sound.bitrate, sound.layout
        return
    if track.kind in SUBTITLES:
        text = read_subtitle_entry(body[8:])
        track.codec, track.forced = text.codec, text.forced
        return
    picture = read_visual_entry(body[8:])
    track.codec, track.width, track.height = picture.codec, picture.width, picture.height
    track.bitrate, track.transfer, track.primaries = picture.bitrate, picture.transfer, picture.primaries
    frames, track.frame_rate = _frame_rate(context, table, description.stop, track.timescale)
    if picture.codec in STILLS and frames and (frames == 1 or track.seconds > 5 * frames):
        track.kind = PICTURES  # chapter images and covers are "video" of one frame, or of one in minutes


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


def add_tracks(context: ParseContext, tracks: Sequence[Mp4Track]) -> None:
    """Adds the tracks of sound, pictures and subtitles to the result, and the language of the file.

    That is the language of the first sound that plays; of a file without sound, that of its pictures.
    """
    listed = [track for track in tracks if track.kind in _KINDS]
    for track in listed:
        language = bcp47(track.language)
        made = Track(_KINDS[track.kind], track.codec, language, default=track.enabled, forced=track.forced)
        if track.kind == AUDIO:
            made.channels, made.channel_layout = track.channels or None, track.layout
            made.sample_rate = track.sample_rate or None
        elif track.kind == VIDEO:
            made.width, made.height, made.frame_rate = track.width or None, track.height or None, track.frame_rate
            made.transfer, made.primaries = track.transfer, track.primaries
        made.bitrate = track.bitrate or None
        context.add_track(SOURCE, track.name_atom, made, track.name)
    spoken = _spoken(listed, AUDIO) or _spoken(listed, VIDEO)
    if spoken and bcp47(spoken.language):
        context.add_number(SOURCE, spoken.language_atom, "language", spoken.language)


def _spoken(tracks: Sequence[Mp4Track], kind: str) -> Mp4Track | None:
    found = [track for track in tracks if track.kind == kind]
    return next((track for track in found if track.enabled), found[0] if found else None)
