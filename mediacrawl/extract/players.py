"""Media of ``audio`` and ``video`` elements with their ``source`` and ``track``."""

from __future__ import annotations

import json
from collections.abc import Iterator
from itertools import chain, islice
from typing import Any

from mediacrawl.extract.medium import AUDIO, MOST_MEDIA, VIDEO, Medium
from mediacrawl.extract.script_media import TRACKS
from mediacrawl.extract.texts import TEXT_PIECES, absolute, fold, media_type, names_media, walked
from mediacrawl.facts import PAGE, Fact, fact, framed, stated

_CLIMB = 16
"""Elements between a source and its player: parsers nest each in the one before it."""
_FIGURE = 4
"""Elements between a player and its figure."""
_MOST_ATTRIBUTES = 50
_MOST_SOURCES = 100
"""Sources of a player that are read; a medium has `medium.MOST_FILES` files at most."""
_LONGEST_SETUP = 20_000
"""Characters of a ``data-setup``; a page has a few, and each is JSON."""
_MOST_TRACKS = 8
"""Tracks of text of one player that are kept."""
_LONGEST_LANGUAGE = 40
_KNOWN = frozenset({"data-src", "data-setup"})


class Players:
    """Collects the playing elements of a page in order.

    A muted loop is decoration and no medium; its file is an ordinary link.
    """

    def __init__(self) -> None:
        self._sources: dict[Any, list[Any]] = {}
        self._tracks: dict[Any, list[Any]] = {}
        self._captions: dict[Any, str] = {}
        self._held: Any = None

    def begin(self, element: Any) -> Iterator[tuple[str, str]]:
        """Add an ``audio`` or ``video``.

        Returns:
            References in attributes other than ``src`` and ``data-src``, with their link source.
        """
        if len(self._sources) >= MOST_MEDIA:
            return
        if not (element.get("loop") is not None and element.get("muted") is not None):
            self._sources[element] = []
        yield from ((href, "data-src") for href in _lazy(element))

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
        for href in _lazy(element):
            medium.add_file(href, "data-src")
        medium.add_facts(self._facts(element, base))
        return medium

    def _facts(self, element: Any, base: str) -> Iterator[Fact]:
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


def _lazy(element: Any) -> Iterator[str]:
    """References to files in attributes for scripts: ``data-mp4``, ``data-video-src`` ..."""
    # Pairs, since lxml refuses to look up names that are invalid in XML. libxml2 scans all attributes for each value.
    for name, value in element.attrib.iteritems() if len(element.attrib) <= _MOST_ATTRIBUTES else ():
        if name.startswith("data-") and name not in _KNOWN and value[:1] not in ("[", "{") and names_media(value):
            yield value
    setup = element.get("data-setup")
    if setup and len(setup) <= _LONGEST_SETUP and '"src"' in setup:
        yield from _of_setup(setup)


def _of_setup(setup: str) -> Iterator[str]:
    """Yield the sources in the options of Video.js (its guide, "Options Reference")."""
    try:
        options = json.loads(setup)
    except (ValueError, RecursionError):
        return
    sources = options.get("sources") if isinstance(options, dict) else None
    for each in sources[:MOST_MEDIA] if isinstance(sources, list) else ():
        href = each.get("src") if isinstance(each, dict) else None
        if isinstance(href, str) and names_media(href):
            yield href.encode("utf-8", "replace").decode("utf-8")


def _as_facts(frame: str, key: str, text: str) -> list[Fact]:
    return stated([fact(PAGE, frame, key, text)])
