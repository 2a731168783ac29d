"""Manifests of segmented media: HLS (RFC 8216) and DASH (ISO/IEC 23009-1).

A manifest is one medium. Its segments are never requested: the manifest states duration and size of the picture.
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
"""Lines of an HLS playlist that are read: 50 hours in segments of 4 s."""
_MOST_VARIANTS = 200
_VIDEO_CODECS = ("avc", "hvc", "hev", "vp0", "vp8", "vp9", "av01", "dvh", "mp4v", "theora")
_AUDIO_CODECS = ("mp4a", "ac-3", "ec-3", "ac-4", "opus", "vorbis", "flac", "fLaC", "mp3")
_directive = re.compile(r"(?<![^\r\n])#EXT[^\r\n]*+").finditer
_is_hls = re.compile(rb"^#EXT-X-[A-Z]", re.MULTILINE).search
_segment = re.compile(r"#EXTINF:\s*(\d{1,6}(?:\.\d{1,9})?)", re.ASCII).match
_attribute = re.compile(r'([A-Z0-9-]{1,40})=(?:"([^"]*)"|([^",]*))').findall
_rate = re.compile(r"(\d{1,7}(?:\.\d{1,6})?)(?:/(\d{1,7}))?", re.ASCII).fullmatch


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
        """Whether it declares a video track."""
        return bool(self.width or self.video_codec)

    def offer(self, codecs: str, bitrate: int, width: int, height: int, frame_rate: str) -> None:
        """Keep a variant if it is the best so far.

        Args:
            codecs: names, separated by commas.
            bitrate: bits per second; 0 if unknown.
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
    """Whether an M3U is an HLS playlist."""
    return _is_hls(body) is not None


def parse_hls(body: bytes) -> Manifest:
    """Parse an HLS media playlist (RFC 8216, 4.3.3) or master playlist (4.3.4). Never raises.

    Args:
        body: the playlist, perhaps cut: then its duration is unknown.
    """
    found = Manifest("hls", HLS_TYPE)
    text = body.decode("utf-8", "replace")
    length, segments, ended, variants = 0.0, 0, False, 0
    for line in _lines(text):
        if segment := _segment(line):
            length += float(segment[1])
            segments += 1
        elif line.startswith("#EXT-X-ENDLIST"):
            ended = True
        elif line.startswith("#EXT-X-STREAM-INF:") and variants < _MOST_VARIANTS:
            variants += 1
            _offer_variant(found, line)
    if ended and segments:
        found.duration = round(length, 3) or None
    found.live = segments > 0 and not ended and "#EXT-X-PLAYLIST-TYPE:VOD" not in text
    return found


def _lines(text: str) -> Iterator[str]:
    # An iterator, since a manifest may have millions of empty lines.
    for line in islice(_directive(text), _MOST_LINES):
        yield line[0].strip()[:2_000]


def _offer_variant(found: Manifest, line: str) -> None:
    attributes = {name: quoted or plain.strip() for name, quoted, plain in _attribute(line)}
    width, _, height = attributes.get("RESOLUTION", "").lower().partition("x")
    rate = attributes.get("FRAME-RATE", "")
    found.offer(attributes.get("CODECS", ""), whole(attributes.get("BANDWIDTH")), whole(width), whole(height), rate)


def parse_dash(body: bytes) -> Manifest:
    """Parse a DASH manifest. Never raises.

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
    """Offers a Representation, which inherits attributes of its AdaptationSet."""
    parent = element.getparent()

    def attribute(name: str) -> str:
        return element.get(name) or (parent.get(name) if parent is not None else None) or ""

    found.offer(
        attribute("codecs"),
        whole(attribute("bandwidth")),
        whole(attribute("width")),
        whole(attribute("height")),
        attribute("frameRate"),
    )
