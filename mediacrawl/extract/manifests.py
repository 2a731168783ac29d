"""A segmented medium as its manifest describes it; `hls` and `dash` parse the two formats.

A manifest is one medium. Its segments are never requested: the manifest states duration, codecs, tracks and the size of
the picture.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass, field

from mediacrawl.base.codecs import Kind, codec_of_rfc6381, kind_of_codec

MOST_VARIANTS = 200
"""Variants of a medium that are read: sizes, bit rates and languages."""
MOST_TRACKS = 100
"""Tracks of a medium that are kept."""
_LONGEST_CODECS = 200
"""Characters of a list of codecs that are read."""
_LONGEST_SIDE = 65_535
"""Pixels; a longer side, and a rate beyond the next limit, are implausible (as in `probe.result`)."""
_HIGHEST_RATE = 1000.0
"""Pictures per second."""
_rate = re.compile(r"(\d{1,7}(?:\.\d{1,6})?)(?:/(\d{1,7}))?", re.ASCII).fullmatch
_is_language = re.compile(r"[A-Za-z]{2,8}(?:-[A-Za-z0-9]{1,8}){0,4}", re.ASCII).fullmatch


@dataclass(frozen=True, slots=True)
class ManifestTrack:
    """One track of a segmented medium: its best picture, one language of its sound, or one kind of subtitles.

    Attributes:
        kind: ``video``, ``audio`` or ``subtitle``.
        codec: ffmpeg's name; None if it is unknown.
        language: as declared (BCP 47); None without one.
        title: as players show it; empty without one.
        default: whether it plays unless the listener chooses another one.
        forced: whether subtitles are shown even to those who want none.
        channels: of the sound; None if it is unknown.
        width: of the picture in pixels; None if it is unknown.
        height: likewise.
        frame_rate: pictures per second; None if it is unknown.
    """

    kind: Kind
    codec: str | None = None
    language: str | None = None
    title: str = ""
    default: bool = False
    forced: bool = False
    channels: int | None = None
    width: int | None = None
    height: int | None = None
    frame_rate: float | None = None


@dataclass(slots=True)
class Manifest:
    """One medium as its manifest describes it, in the best of its variants.

    Attributes:
        container: ``hls`` or ``dash``.
        mime: media type of the manifest.
        live: whether the manifest is declared endless; an HLS master playlist declares nothing.
        title: empty without one.
        duration: seconds; None if it is unknown or endless.
        bitrate: bits per second.
        width, height, frame_rate: of the picture.
        video_codec, audio_codec: ffmpeg's names.
        tracks: the picture, and sound and subtitles in each language; at most `MOST_TRACKS`.
    """

    container: str
    mime: str
    live: bool = False
    title: str = ""
    duration: float | None = None
    bitrate: int | None = None
    width: int | None = None
    height: int | None = None
    frame_rate: float | None = None
    video_codec: str | None = None
    audio_codec: str | None = None
    tracks: list[ManifestTrack] = field(default_factory=list)

    @property
    def is_video(self) -> bool:
        """Whether it declares a video track."""
        return bool(self.width or self.video_codec)

    def offer(self, codecs: str, bitrate: int, width: int, height: int, frame_rate: str) -> None:
        """Keep what a variant has more of than those before; bit rate and size are 0 if they are unknown."""
        size = picture_size(width, height)
        is_larger = size is not None and size[0] * size[1] > (self.width or 0) * (self.height or 0)
        for kind, codec in codecs_of(codecs):
            if kind == "video" and (is_larger or self.video_codec is None):
                self.video_codec = codec
            elif kind == "audio":
                self.audio_codec = self.audio_codec or codec
        self.bitrate = max(self.bitrate or 0, min(bitrate, 2**40)) or None
        if size is not None and is_larger:
            self.width, self.height = size
        self.frame_rate = max(self.frame_rate or 0.0, rate_of(frame_rate) or 0.0) or None

    def set_tracks(self, tracks: Iterable[ManifestTrack]) -> None:
        """Set the tracks, in the order of the manifest; of equal ones one is kept."""
        self.tracks = list(dict.fromkeys(tracks))[:MOST_TRACKS]


def codecs_of(text: str) -> list[tuple[Kind, str]]:
    """Return kind and codec of each known element of a ``codecs`` parameter (RFC 6381, 3.3), up to 200 characters."""
    names = map(codec_of_rfc6381, text[:_LONGEST_CODECS].split(","))
    return [(kind, codec) for codec in names if codec and (kind := kind_of_codec(codec))]


def picture_size(width: int, height: int) -> tuple[int, int] | None:
    """Return the size of a picture; None if no picture has it."""
    return (width, height) if 0 < width <= _LONGEST_SIDE and 0 < height <= _LONGEST_SIDE else None


def rate_of(text: str) -> float | None:
    """Return the pictures per second of a decimal number or a fraction, ``30000/1001``; None if they are unknown."""
    found = _rate(text[:40].strip())
    if found is None or not float(found[2] or 1):
        return None
    rate = round(float(found[1]) / float(found[2] or 1), 3)
    return rate if 0 < rate <= _HIGHEST_RATE else None


def language_of(text: str | None) -> str | None:
    """Return a language as it is declared; None for none, and for ``und``, which says that it is not known."""
    written = (text or "").strip()[:60]
    return written if _is_language(written) and written.lower() != "und" else None
