"""Playlists of HLS (RFC 8216, and its second edition, draft-pantos-hls-rfc8216bis)."""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import islice

from mediacrawl.base.codecs import Kind
from mediacrawl.extract.manifests import MOST_VARIANTS, Manifest, ManifestTrack, codecs_of, language_of
from mediacrawl.extract.texts import whole

HLS_TYPE = "application/vnd.apple.mpegurl"
_MOST_LINES = 100_000
"""Lines that are read: 50 hours in segments of 4 s."""
_MOST_RENDITIONS = 200
_LONGEST_LINE = 2_000
_directive = re.compile(r"(?<![^\r\n])#EXT[^\r\n]*+").finditer
_is_hls = re.compile(rb"^#EXT-X-[A-Z]", re.MULTILINE).search
_end = re.compile(r"(?<![^\r\n])#EXT-X-ENDLIST").search
_segment = re.compile(r"#EXTINF:\s*(\d{1,6}(?:\.\d{1,9})?)", re.ASCII).match
_attribute = re.compile(r'([A-Z0-9-]{1,40})=(?:"([^"]*)"|([^",]*))').findall
_PARTS = ("#EXT-X-PART:", "#EXT-X-PRELOAD-HINT:", "#EXT-X-SKIP:")
"""What only a playlist that still grows has (second edition, 4.4.4.9, 4.4.5.2 and 4.4.5.3)."""
_KINDS = {"SUBTITLES": "webvtt", "CLOSED-CAPTIONS": ""}
"""Types of renditions that are read, and the codec where none is declared."""


def is_hls(body: bytes) -> bool:
    """Whether an M3U is an HLS playlist."""
    return _is_hls(body) is not None


def parse_hls(body: bytes) -> Manifest:
    """Parse an HLS media playlist (RFC 8216, 4.3.3) or master playlist (4.3.4). Never raises.

    A media playlist without EXT-X-ENDLIST is live, unless it says that it is complete: players fetch it again and
    again (6.2.1). That includes playlists of events, and those of low latency that have parts only. One that was
    cut has no duration.
    """
    found = Manifest("hls", HLS_TYPE)
    text = body.decode("utf-8", "replace")
    master = _Master()
    length, segments, grows, lines = 0.0, 0, False, 0
    for line in _lines(text):
        lines += 1
        if segment := _segment(line):
            length += float(segment[1])
            segments += 1
        elif line.startswith(_PARTS):
            grows = True
        else:
            master.take(line, found)
    # It may be anywhere in the playlist (4.3.3.4).
    ended = _end(text) is not None
    if ended and segments and lines < _MOST_LINES:
        found.duration = round(length, 3) or None
    found.live = (segments > 0 or grows) and not ended and "#EXT-X-PLAYLIST-TYPE:VOD" not in text
    found.set_tracks(master.tracks(found))
    return found


def _lines(text: str) -> Iterator[str]:
    # An iterator, since a manifest may have millions of empty lines.
    for line in islice(_directive(text), _MOST_LINES):
        yield line[0].strip()[:_LONGEST_LINE]


class _Master:
    """Collects variants and renditions of a master playlist."""

    def __init__(self) -> None:
        self._variants = 0
        self._renditions: list[dict[str, str]] = []
        # (kind, group of renditions) -> codec, which only the variants name.
        self._codecs: dict[tuple[str, str], str] = {}

    def take(self, line: str, found: Manifest) -> None:
        if line.startswith("#EXT-X-STREAM-INF:") and self._variants < MOST_VARIANTS:
            self._variants += 1
            get = _attributes(line).get
            width, _, height = get("RESOLUTION", "").lower().partition("x")
            codecs = get("CODECS", "")
            found.offer(codecs, whole(get("BANDWIDTH")), whole(width), whole(height), get("FRAME-RATE", ""))
            for kind, codec in codecs_of(codecs):
                self._codecs.setdefault((kind, get("SUBTITLES" if kind == "subtitle" else "AUDIO", "")), codec)
        elif line.startswith("#EXT-X-MEDIA:") and len(self._renditions) < _MOST_RENDITIONS:
            self._renditions.append(_attributes(line))

    def tracks(self, found: Manifest) -> Iterator[ManifestTrack]:
        if found.is_video:
            width, height, rate = found.width, found.height, found.frame_rate
            yield ManifestTrack("video", found.video_codec, width=width, height=height, frame_rate=rate)
        sounds = [each for each in self._renditions if each.get("TYPE") == "AUDIO"]
        if not sounds and found.audio_codec:
            yield ManifestTrack("audio", found.audio_codec)
        for each in (*sounds, *(each for each in self._renditions if each.get("TYPE") in _KINDS)):
            kind = each["TYPE"]
            own: Kind = "audio" if kind == "AUDIO" else "subtitle"
            codec = self._codecs.get((own, each.get("GROUP-ID", "")), _KINDS.get(kind))
            if kind == "CLOSED-CAPTIONS":
                codec = "eia_608" if each.get("INSTREAM-ID", "").startswith("CC") else ""
            # "6/JOC": the number of channels, and what is more than a number.
            channels = whole(each.get("CHANNELS", "").partition("/")[0])
            yield ManifestTrack(
                own,
                codec or None,
                language_of(each.get("LANGUAGE")),
                each.get("NAME", "")[:200],
                default=each.get("DEFAULT") == "YES",
                forced=own == "subtitle" and each.get("FORCED") == "YES",
                channels=channels if own == "audio" and 0 < channels < 256 else None,
            )


def _attributes(line: str) -> dict[str, str]:
    return {name: quoted or plain.strip() for name, quoted, plain in _attribute(line)}
