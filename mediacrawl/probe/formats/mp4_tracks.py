"""One track of an MP4 file: kind, codec, length, size of the picture (ISO/IEC 14496-12, 8.3 to 8.6)."""

from __future__ import annotations

import struct
from dataclasses import dataclass

from mediacrawl.probe.context import BrokenError, Reading, peek, unpack
from mediacrawl.probe.formats.mp4_atoms import Atom, children, content
from mediacrawl.probe.formats.mp4_codecs import read_picture, read_sound

_MAX_TRACKS = 64
_UNKNOWN = {0xFFFFFFFF, 0xFFFFFFFFFFFFFFFF}
_STILLS = frozenset({"jpeg", "png", "mjpeg", "bmp", "gif", "tiff"})
_MAX_RUNS = 512
"""Entries of a time table that are read: a film of variable frame rate has one for each frame."""


@dataclass(slots=True)
class Track:
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

    Raises:
        BrokenError: when it is too short.
    """
    if body[:1] == b"\x01":
        timescale, ticks = unpack(">IQ", body[20:32])
    else:
        timescale, ticks = unpack(">II", body[12:20])
    if not timescale or ticks in _UNKNOWN:
        return timescale, 0.0
    return timescale, ticks / timescale


def read_track(reading: Reading, trak: Atom, tracks: list[Track]) -> None:
    """Reads a track and adds it to `tracks`, with what is known, even if its bytes are not all at hand.

    Args:
        reading: the file, and the count of parts.
        trak: the ``trak`` atom.
        tracks: takes what is found.
    """
    if len(tracks) >= _MAX_TRACKS:
        reading.note("limit:tracks")
        return
    track = Track()
    tracks.append(track)
    for atom in children(reading, trak):
        if atom.name == b"tkhd":
            body = content(reading, atom)
            at = 20 if body[:1] == b"\1" else 12
            track.number = int.from_bytes(body[at : at + 4], "big")
        elif atom.name == b"mdia":
            _read_media(reading, atom, track)
            return
    raise BrokenError("no media in a track")


def _read_media(reading: Reading, media: Atom, track: Track) -> None:
    for atom in children(reading, media):
        if atom.name == b"mdhd":
            track.timescale, track.seconds = duration(content(reading, atom))
        elif atom.name == b"hdlr":
            track.kind = content(reading, atom)[8:12].decode("latin-1")
        elif atom.name == b"minf":
            _read_samples(reading, _child(reading, atom, b"stbl"), track)
            return


def _child(reading: Reading, parent: Atom, name: bytes) -> Atom:
    for atom in children(reading, parent):
        if atom.name == name:
            return atom
    raise BrokenError(f"no {name!r} in {parent.name!r}")


def _read_samples(reading: Reading, table: Atom, track: Track) -> None:
    if track.kind not in {"soun", "vide"}:
        return
    description = _child(reading, table, b"stsd")
    body = content(reading, description)
    if track.kind == "soun":
        sound = read_sound(body)
        track.codec, track.channels, track.sample_rate = sound.codec, sound.channels, sound.sample_rate
        track.bits_per_sample, track.bitrate = sound.bits_per_sample, sound.bitrate
        return
    picture = read_picture(body[8:])
    track.codec, track.width, track.height = picture.codec, picture.width, picture.height
    frames, track.frame_rate = _frame_rate(reading, table, description.stop, track.timescale)
    if picture.codec in _STILLS and frames and (frames == 1 or track.seconds > 5 * frames):
        track.kind = "cover"  # chapter images and covers are "video" of one frame, or of one in minutes


def _frame_rate(reading: Reading, table: Atom, at: int, timescale: int) -> tuple[int, float | None]:
    """Works out the frames per second from the time table (8.6.1.2), as far as it is at hand.

    Returns:
        The number of frames that were looked at, and their rate.
    """
    head = peek(reading.file, at, min(at + 16, table.stop)) or b""
    if len(head) < 16 or head[4:8] != b"stts":
        return 0, None
    size, runs = int.from_bytes(head[:4], "big"), int.from_bytes(head[12:16], "big")
    runs = max(0, min(runs, (size - 16) // 8, _MAX_RUNS))
    data = reading.file.run(at + 16, 8 * runs)
    times = list(struct.iter_unpack(">II", data[: len(data) // 8 * 8]))
    ticks = sum(frames * delta for frames, delta in times)
    frames = sum(frames for frames, _ in times)
    return frames, frames * timescale / ticks if ticks else None
