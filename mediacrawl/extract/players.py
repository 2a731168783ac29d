"""Media of ``audio`` and ``video`` elements with their ``source`` and ``track``."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import chain, islice
from typing import Any

from mediacrawl.base.content_type import media_type
from mediacrawl.base.facts import PAGE, Fact, fact, framed, stated
from mediacrawl.base.urls import absolute
from mediacrawl.extract.medium import AUDIO, MOST_MEDIA, VIDEO, Medium
from mediacrawl.extract.script_media import TRACKS
from mediacrawl.extract.texts import TEXT_PIECES, fold, walked

_CLIMB = 16
"""Elements between a source and its player: parsers nest each in the one before it."""
_FIGURE = 4
"""Elements between a player and its figure."""
_MOST_SOURCES = 100
"""Sources of a player that are read; a medium has `medium.MOST_FILES` files at most."""
_MOST_TRACKS = 8
"""Tracks of text of one player that are kept."""
_LONGEST_LANGUAGE = 40


class Players:
    """Collects the playing elements of a page in order.

    A muted loop is decoration and no medium; its file is an ordinary link.
    """

    def __init__(self) -> None:
        self._sources: dict[Any, list[Any]] = {}
        self._tracks: dict[Any, list[Any]] = {}
        self._captions: dict[Any, str] = {}
        self._held: Any = None

    def begin(self, element: Any) -> None:
        """Add an ``audio`` or ``video``."""
        is_decoration = element.get("loop") is not None and element.get("muted") is not None
        if len(self._sources) < MOST_MEDIA and not is_decoration:
            self._sources[element] = []

    def source(self, element: Any) -> None:
        """Add a ``source``."""
        player = self._player_of(element)
        if player is not None and len(self._sources[player]) < _MOST_SOURCES:
            self._sources[player].append(element)

    def track(self, element: Any) -> None:
        """Add a ``track``."""
        player = self._player_of(element)
        if player is not None and element.get("src"):
            tracks = self._tracks.setdefault(player, [])
            if len(tracks) < _MOST_TRACKS:
                tracks.append(element)

    def media(self, base: str) -> list[Medium]:
        """Their media; one without a usable file is left out."""
        return [medium for element in self._sources if (medium := self._medium(element, base)).files]

    def _player_of(self, element: Any) -> Any:
        above = element
        for _ in range(_CLIMB):
            above = above.getparent()
            if above is None or above in self._sources:
                return above
        # lxml, when it frees a proxy, climbs to the next ancestor that has one; without any to the root.
        self._held = above
        return None

    def _medium(self, element: Any, base: str) -> Medium:
        tag = element.tag.removeprefix("amp-")
        medium = Medium(tag, AUDIO if tag == AUDIO else VIDEO)
        for each in (element, *self._sources[element]):
            for href in (each.get("src"), each.get("data-src")):
                if href and absolute(base, href):
                    medium.add_file(
                        href,
                        each.tag.removeprefix("amp-"),
                        _as_facts(f"{each.tag}@type", "mime", media_type(each.get("type"))),
                    )
        medium.add_facts(self.facts(element, base))
        return medium

    def facts(self, element: Any, base: str) -> Iterator[Fact]:
        """Yield what the page says of a playing element."""
        yield from _as_facts(f"{element.tag}@title", "title", element.get("title") or element.get("data-title") or "")
        figure = next((each for each in islice(element.iterancestors(), _FIGURE) if each.tag == "figure"), None)
        if figure is not None:
            yield from _as_facts("figcaption", "description", self._caption(figure))
        yield from _as_facts("video@poster", "thumbnail_url", absolute(base, element.get("poster") or ""))
        for track in self._tracks.get(element, ()):
            # The default kind is subtitles (the HTML standard, "the track element").
            key = TRACKS.get((track.get("kind") or "subtitles").strip().lower(), "")
            frame = framed("track@src", language=(track.get("srclang") or "")[:_LONGEST_LANGUAGE])
            yield from _as_facts(frame, key, absolute(base, track.get("src")))

    def _caption(self, figure: Any) -> str:
        if figure not in self._captions:
            caption = figure.find("figcaption")
            texts = () if caption is None else chain([caption.text], walked(caption, 2 * TEXT_PIECES))
            self._captions[figure] = fold(filter(None, texts))
        return self._captions[figure]


def _as_facts(frame: str, key: str, text: str) -> list[Fact]:
    return stated([fact(PAGE, frame, key, text)])
