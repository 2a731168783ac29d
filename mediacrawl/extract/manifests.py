"""Manifests of media that are sent in pieces: HLS (RFC 8216) and DASH (ISO/IEC 23009-1).

A manifest is one medium. Its pieces are never asked for: it says itself how long it is and how large its picture.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import islice
from typing import Any

from mediacrawl.extract.texts import seconds, whole
from mediacrawl.extract.xml_text import elements, text_of

HLS_TYPE = "application/vnd.apple.mpegurl"
DASH_TYPE = "application/dash+xml"
_MOST_LINES = 100_000
"""Lines of an HLS playlist that are read: 50 hours in pieces of 4 s."""
_MOST_VARIANTS = 200
_VIDEO_CODECS = ("avc", "hvc", "hev", "vp0", "vp8", "vp9", "av01", "dvh", "mp4v", "theora")
_AUDIO_CODECS = ("mp4a", "ac-3", "ec-3", "ac-4", "opus", "vorbis", "flac", "fLaC", "mp3")
_directive = re.compile(r"(?<![^\r\n])#EXT[^\r\n]*+").finditer
_is_hls = re.compile(rb"^#EXT-X-[A-Z]", re.MULTILINE).search
_piece = re.compile(r"#EXTINF:\s*(\d{1,6}(?:\.\d{1,9})?)", re.ASCII).match
_attribute = re.compile(r'([A-Z0-9-]{1,40})=(?:"([^"]*)"|([^",]*))').findall
_rate = re.compile(r"(\d{1,7}(?:\.\d{1,6})?)(?:/(\d{1,7}))?", re.ASCII).fullmatch


@dataclass(slots=True)
class Manifest:
    """One medium, as its manifest describes it; of several sizes the best.

    Attributes:
        container: ``hls`` or ``dash``.
        mime: media type of the manifest.
        live: whether it goes on for ever, as far as it says: an HLS list of sizes does not.
        title: empty if it has none.
        duration: seconds; None if it is not known, or has no end.
        bitrate: bits per second.
        width, height, frame_rate: of the picture.
        video_codec, audio_codec: as the manifest names them (RFC 6381).
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

    @property
    def is_video(self) -> bool:
        """Whether it has a picture, as far as it says."""
        return bool(self.width or self.video_codec)

    def offer(self, codecs: str, bitrate: int, width: int, height: int, frame_rate: str) -> None:
        """Take one of its sizes for the whole, if it is the best so far.

        Args:
            codecs: names, with commas between.
            bitrate: bits per second; 0 if not known.
            width: of the picture in pixels; 0 if there is none.
            height: likewise.
            frame_rate: pictures per second, as a decimal number or a fraction.
        """
        for codec in codecs[:200].split(","):
            name = codec.strip()
            if name.startswith(_VIDEO_CODECS):
                self.video_codec = self.video_codec or name[:40]
            elif name.startswith(_AUDIO_CODECS):
                self.audio_codec = self.audio_codec or name[:40]
        self.bitrate = max(self.bitrate or 0, min(bitrate, 2**40)) or None
        if 0 < width < 100_000 and 0 < height < 100_000 and width * height > (self.width or 0) * (self.height or 0):
            self.width, self.height = width, height
        found = _rate(frame_rate.strip())
        if found and float(found[2] or 1) > 0:
            rate = round(float(found[1]) / float(found[2] or 1), 3)
            self.frame_rate = max(self.frame_rate or 0.0, rate) or None


def is_hls(body: bytes) -> bool:
    """Tell whether an M3U names the pieces or sizes of one medium.

    Args:
        body: the M3U, perhaps cut.
    """
    return _is_hls(body) is not None


def parse_hls(body: bytes) -> Manifest:
    """Read an HLS playlist: of pieces (RFC 8216, 4.3.3) or of sizes (4.3.4). Never raises.

    Args:
        body: the playlist, perhaps cut: then its end, and with it its duration, is not known.
    """
    found = Manifest("hls", HLS_TYPE)
    text = body.decode("utf-8", "replace")
    length, pieces, ended, variants = 0.0, 0, False, 0
    for line in _lines(text):
        if piece := _piece(line):
            length += float(piece[1])
            pieces += 1
        elif line.startswith("#EXT-X-ENDLIST"):
            ended = True
        elif line.startswith("#EXT-X-STREAM-INF:") and variants < _MOST_VARIANTS:
            variants += 1
            _offer_variant(found, line)
    if ended and pieces:
        found.duration = round(length, 3) or None
    found.live = pieces > 0 and not ended and "#EXT-X-PLAYLIST-TYPE:VOD" not in text
    return found


def _lines(text: str) -> Iterator[str]:
    # One by one: of empty lines a manifest has millions.
    for line in islice(_directive(text), _MOST_LINES):
        yield line[0].strip()[:2_000]


def _offer_variant(found: Manifest, line: str) -> None:
    said = {name: quoted or plain.strip() for name, quoted, plain in _attribute(line)}
    width, _, height = said.get("RESOLUTION", "").lower().partition("x")
    rate = said.get("FRAME-RATE", "")
    found.offer(said.get("CODECS", ""), whole(said.get("BANDWIDTH")), whole(width), whole(height), rate)


def parse_dash(body: bytes) -> Manifest:
    """Read a DASH manifest. Never raises.

    Args:
        body: the manifest, perhaps cut.
    """
    found = Manifest("dash", DASH_TYPE)
    root = None
    for number, element in enumerate(elements(body, "Representation", "Title", "MPD")):
        if root is None:
            root = element.getroottree().getroot()
            found.live = root.get("type") == "dynamic"
            length = seconds(root.get("mediaPresentationDuration"))
            found.duration = float(length) if length and not found.live else None
        name = str(element.tag).rpartition("}")[2]
        if name == "Title":
            found.title = found.title or text_of(element, 200)
        elif name == "Representation" and number < _MOST_VARIANTS:
            _offer_representation(found, element)
    return found


def _offer_representation(found: Manifest, element: Any) -> None:
    """What all of a set have in common stands at the set."""
    parent = element.getparent()

    def said(name: str) -> str:
        return element.get(name) or (parent.get(name) if parent is not None else None) or ""

    found.offer(
        said("codecs"), whole(said("bandwidth")), whole(said("width")), whole(said("height")), said("frameRate")
    )
