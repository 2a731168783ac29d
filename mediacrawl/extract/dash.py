"""Manifests of DASH (ISO/IEC 23009-1): the media presentation description."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from itertools import islice
from typing import Any

from mediacrawl.base.codecs import Kind
from mediacrawl.base.content_type import media_type
from mediacrawl.base.times import seconds
from mediacrawl.extract.manifests import (
    MOST_VARIANTS,
    Manifest,
    ManifestTrack,
    codecs_of,
    language_of,
    picture_size,
    rate_of,
)
from mediacrawl.extract.texts import whole
from mediacrawl.extract.xml_text import elements, text_of

DASH_TYPE = "application/dash+xml"
_MOST_SETS = 200
_MOST_CHILDREN = 20
"""Roles, labels and descriptions of one name that are read of an element."""
_KINDS: dict[str, Kind] = {"video": "video", "audio": "audio", "text": "subtitle"}
_TEXT_TYPES = {"text/vtt": "webvtt", "application/ttml+xml": "ttml", "application/x-subrip": "subrip"}
"""Types of subtitles in files of their own, which have no codecs."""
_FORCED = frozenset({"forced-subtitle", "forced_subtitle"})
_CICP = (0, 1, 2, 3, 4, 5, 6, 8, 2, 3, 4, 7, 8, 24, 8, 12, 10, 12, 14, 12, 14)
"""Channels of each configuration of loudspeakers (ISO/IEC 23091-3)."""
_MOST_CHANNELS = 64
_PAIRS = 0b0000_0110_0111_0100
"""Bits of Dolby's map of channels that stand for two (ETSI TS 102 366, table E.1.4)."""
_is_map = re.compile(r"[0-9A-Fa-f]{4}", re.ASCII).fullmatch


def parse_dash(body: bytes) -> Manifest:
    """Parse a DASH manifest. Never raises."""
    found = Manifest("dash", DASH_TYPE)
    tracks, sets = list[ManifestTrack](), list[_Set]()
    root, representations = None, 0
    for element in elements(body, "Representation", "AdaptationSet", "Title", "MPD"):
        if root is None:
            root = element.getroottree().getroot()
            found.live = root.get("type") == "dynamic"
            length = seconds(root.get("mediaPresentationDuration"))
            found.duration = float(length) if length and not found.live else None
        name = str(element.tag).rpartition("}")[2]
        if name == "Title":
            found.title = found.title or text_of(element, 200)
        elif name == "Representation" and representations < MOST_VARIANTS:
            representations += 1
            parent = element.getparent()
            if not sets or sets[-1].element is not parent:
                sets.append(_Set(parent))
            sets[-1].take(element, found)
        elif name == "AdaptationSet" and len(tracks) < _MOST_SETS:
            if not sets or sets[-1].element is not element:
                sets.append(_Set(element))
            # It is cleared next.
            tracks += sets[-1].tracks()
            sets[-1].is_over = True
    # In a manifest that was cut the last set does not end.
    found.set_tracks([*tracks, *(track for each in sets if not each.is_over for track in each.tracks())])
    return found


class _Set:
    """One AdaptationSet while it is read: one track in several sizes.

    Representations end before it, and are cleared when they end. Of them the best one is kept.
    """

    def __init__(self, element: Any) -> None:
        self.element = element
        self.is_over = False
        self.mime = media_type(element.get("mimeType"))
        self._codecs = element.get("codecs") or ""
        self._size: tuple[int, int] | None = None
        self._rate: float | None = None
        self._channels: int | None = None

    @property
    def is_picture(self) -> bool:
        """Whether it holds still pictures, as players show them above the timeline."""
        return self.mime.startswith("image/") or self.element.get("contentType") == "image"

    def take(self, element: Any, found: Manifest) -> None:
        """Take a Representation, which inherits the attributes of its set (5.3.7)."""
        self.mime = self.mime or media_type(element.get("mimeType"))
        if self.is_picture:
            return
        codecs, rate = self._attribute(element, "codecs"), self._attribute(element, "frameRate")
        width, height = (whole(self._attribute(element, name)) for name in ("width", "height"))
        found.offer(codecs, whole(self._attribute(element, "bandwidth")), width, height, rate)
        size = picture_size(width, height)
        if size and (self._size is None or size[0] * size[1] > self._size[0] * self._size[1]):
            self._size, self._codecs = size, codecs or self._codecs
        self._codecs = self._codecs or codecs
        self._rate = max(self._rate or 0.0, rate_of(rate) or 0.0) or None
        self._channels = self._channels or _channels(element)

    def _attribute(self, element: Any, name: str) -> str:
        return element.get(name) or self.element.get(name) or ""

    def tracks(self) -> Iterator[ManifestTrack]:
        """Yield its tracks: one, or several if its segments hold several."""
        if self.is_picture:
            return
        element = self.element
        kind = _KINDS.get((element.get("contentType") or self.mime.partition("/")[0]).lower())
        codecs: list[tuple[Kind, str]] = codecs_of(self._codecs)
        if not codecs and self.mime in _TEXT_TYPES:
            codecs = [("subtitle", _TEXT_TYPES[self.mime])]
        named: Iterable[tuple[Kind, str | None]] = codecs or ([(kind, None)] if kind else ())
        roles = {(each.get("value") or "").lower() for each in _children(element, "Role")}
        labels = (text_of(each, 200) for each in _children(element, "Label"))
        title, language = next(filter(None, labels), ""), language_of(element.get("lang"))
        channels = self._channels or _channels(element)
        for own, codec in named:
            width, height = (self._size if own == "video" else None) or (None, None)
            yield ManifestTrack(
                own,
                codec,
                language,
                title,
                default="main" in roles,
                forced=own == "subtitle" and not _FORCED.isdisjoint(roles),
                channels=channels if own == "audio" else None,
                width=width,
                height=height,
                frame_rate=self._rate if own == "video" else None,
            )


def _children(element: Any, name: str) -> Iterator[Any]:
    return islice(element.iterchildren(f"{{*}}{name}"), _MOST_CHILDREN)


def _channels(element: Any) -> int | None:
    """Return the channels of AudioChannelConfiguration (5.8.5.4), in the schemes of MPEG and Dolby."""
    for each in _children(element, "AudioChannelConfiguration"):
        scheme, value = (each.get("schemeIdUri") or "").lower(), (each.get("value") or "").strip()
        if "dolby" in scheme:
            if _is_map(value):
                # The first bit of the map is the left loudspeaker.
                bits = int(value, 16)
                return bits.bit_count() + (bits & _PAIRS).bit_count() or None
        elif "cicp" in scheme:
            return _CICP[whole(value)] if 0 < whole(value) < len(_CICP) else None
        elif "outputchannelposition" in scheme:
            return min(len(value[:1_000].split()), _MOST_CHANNELS) or None
        elif 0 < whole(value) <= _MOST_CHANNELS:
            # A configuration by the standard (ISO/IEC 23003-3, where 7 is 7.1), and a number by most writers.
            return 8 if whole(value) == 7 and "23003" in scheme else whole(value)
    return None
