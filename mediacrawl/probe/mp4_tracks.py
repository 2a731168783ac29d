"""One track of an MP4 file: kind, codec, length, size of the picture (ISO/IEC 14496-12, 8.3 to 8.5)."""

from __future__ import annotations

import io
import struct
from dataclasses import dataclass
from typing import Any

from mediacrawl.probe.atoms import Atom, children, content
from mediacrawl.probe.from_mutagen import Atoms, MP4Info
from mediacrawl.probe.reading import BrokenError, Reading, peek, unpack

_MAX_TRACKS = 64
_UNKNOWN = {0xFFFFFFFF, 0xFFFFFFFFFFFFFFFF}
_PICTURES = frozenset({"jpeg", "png", "mjpeg"})
_CODECS = {
    "avc1": "h264",
    "avc3": "h264",
    "hev1": "h265",
    "hvc1": "h265",
    "av01": "av1",
    "vp08": "vp8",
    "vp09": "vp9",
    "mp4v": "mpeg4",
    "mp4a": "aac",
    "ac-3": "ac3",
    "ec-3": "eac3",
    "samr": "amr-nb",
    "sawb": "amr-wb",
    ".mp3": "mp3",
}
_OBJECT_TYPES = {"69": "mp3", "6B": "mp3", "A5": "ac3", "A6": "eac3", "DD": "vorbis", "AD": "opus"}
"""What ``mp4a`` can also hold (registration authority's list of object types)."""
_WITH_BITS = frozenset({"alac", "flac", "sowt", "twos", "lpcm", "in24", "in32", "ipcm"})


@dataclass(slots=True)
class Track:
    """What one track says of itself; 0 and None are unknown.

    Attributes:
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
    """Reads a track and adds it to `tracks`, with what is known, even if its bytes are not all at hand."""
    if len(tracks) >= _MAX_TRACKS:
        reading.note("limit:tracks")
        return
    track = Track()
    tracks.append(track)
    media = _child(reading, trak, b"mdia")
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
    entry = body[8:]
    name = entry[4:8].decode("latin-1").strip()
    track.codec = _CODECS.get(name.lower(), name.lower()) or None
    if track.kind == "soun":
        _read_sound(body, entry, track)
    elif track.codec in _PICTURES:
        track.kind = "cover"  # chapter images and covers are "video" of one frame
    else:
        track.width, track.height = unpack(">HH", entry[32:36])
        track.frame_rate = _frame_rate(reading, table, description.stop, track.timescale)


def _read_sound(body: bytes, entry: bytes, track: Track) -> None:
    track.channels, bits, track.sample_rate = unpack(">HH4xH", entry[24:34])
    info = _mutagen_info(body)
    if info is not None and info.channels:
        track.channels, bits = info.channels, info.bits_per_sample
        track.sample_rate, track.bitrate = info.sample_rate, info.bitrate
        track.codec = _OBJECT_TYPES.get(info.codec.removeprefix("mp4a."), track.codec)
    track.bits_per_sample = bits if track.codec in _WITH_BITS else 0


def _mutagen_info(description: bytes) -> Any:
    """Lets mutagen read the codec's own description, out of a file made of just that; None if it cannot.

    It is shown nothing else: its walk over a whole file would touch every atom and follow any nesting.
    """
    atom = _atom(b"hdlr", bytes(8) + b"soun") + _atom(b"mdhd", bytes(12) + struct.pack(">II", 1, 0))
    table = _atom(b"minf", _atom(b"stbl", _atom(b"stsd", description)))
    small = io.BytesIO(_atom(b"moov", _atom(b"trak", _atom(b"mdia", atom + table))))
    try:
        return MP4Info(Atoms(small), small)
    except Exception:  # noqa: BLE001  (any error says the same: the plain fields must do)
        return None


def _atom(name: bytes, body: bytes) -> bytes:
    return struct.pack(">I4s", len(body) + 8, name) + body


def _frame_rate(reading: Reading, table: Atom, at: int, timescale: int) -> float | None:
    """Works out the frames per second from the time table (8.6.1.2), if it is at hand and short."""
    head = peek(reading.file, at, min(at + 16, table.stop)) or b""
    if len(head) < 16 or head[4:8] != b"stts":
        return None
    count = int.from_bytes(head[12:16], "big")
    body = peek(reading.file, at + 16, at + 16 + 8 * count) if count <= 64 else None
    runs = list(struct.iter_unpack(">II", body)) if body and len(body) == 8 * count else []
    ticks = sum(frames * delta for frames, delta in runs)
    return sum(frames for frames, _ in runs) * timescale / ticks if ticks else None
