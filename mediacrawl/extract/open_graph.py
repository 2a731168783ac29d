"""Media and metadata in meta elements: OpenGraph (ogp.me), Twitter's player cards, author, keywords and the like.

They describe the page, and its media are properties of it: one medium in several encodings, unless several files of one
kind are named.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

from mediacrawl.base.content_type import media_type, names_media
from mediacrawl.base.facts import PAGE, Fact, fact, stated
from mediacrawl.base.times import moment
from mediacrawl.base.urls import absolute
from mediacrawl.extract.medium import AUDIO, VIDEO, Medium
from mediacrawl.extract.texts import value_of

_MOST_GROUPS = 200
_MOST_VALUES = 8
"""Values of one name: one element for each tag or musician."""

_OF_MEDIUM = (
    *(("og:audio:title", "title"), ("og:title", "title"), ("twitter:title", "title")),
    *(("og:audio:artist", "artist"), ("music:musician", "artist"), ("music:musician_description", "artist")),
    *(("og:audio:album", "album"), ("music:album", "album"), ("music:album:track", "tracknumber")),
    *(("music:duration", "duration"), ("video:duration", "duration"), ("og:video:duration", "duration")),
    *(("og:audio:duration", "duration"), ("music:release_date", "date"), ("video:release_date", "date")),
    *(("og:video:release_date", "date"), ("video:tag", "keywords"), ("og:video:tag", "keywords")),
)
"""Properties of the medium, and the keys of their facts."""
_OF_PAGE = (
    *(("og:description", "description"), ("twitter:description", "description"), ("description", "description")),
    *(("og:image:secure_url", "thumbnail_url"), ("og:image", "thumbnail_url"), ("og:image:url", "thumbnail_url")),
    *(("twitter:image", "thumbnail_url"), ("author", "artist"), ("keywords", "keywords"), ("copyright", "copyright")),
)
"""Properties of the whole page."""
WANTED = frozenset({"og:type", *(name for name, _ in (*_OF_MEDIUM, *_OF_PAGE))})
"""Names of the properties that are read beside `MEDIA`."""
MEDIA = ("og:audio", "og:video", "twitter:player")
"""Beginnings of the names of properties that are media, or describe one."""
_TYPES = {
    **dict.fromkeys(("video.movie", "video.episode", "video.tv_show", "video.other", "video"), "VideoObject"),
    "music.song": "MusicRecording",
    "music.radio_station": "BroadcastService",
    "podcast.episode": "PodcastEpisode",
}
_PLAYERS = ("og:audio", "og:video", "twitter:player", "twitter:player:stream")


@dataclass(slots=True)
class _Group:
    """One object of OpenGraph or of a player card: its properties follow it in the page.

    Attributes:
        name: ``og:video`` ...
        found: references and their elements.
        forms: which of the properties ``url`` and ``secure_url`` it has.
        type: their declared type.
        size: their declared width and height.
    """

    name: str
    found: list[tuple[str, Any]] = field(default_factory=list)
    forms: set[str] = field(default_factory=set)
    type: str = ""
    size: dict[str, str] = field(default_factory=dict)

    @property
    def via(self) -> str:
        """The link source of its references."""
        # og:video is a player page as often as a file; its type decides.
        is_page = self.name == "twitter:player" or self.type.startswith(("text/", "application/xhtml"))
        return "player" if is_page or self.is_flash else self.name

    @property
    def is_flash(self) -> bool:
        """Whether it is Flash, which nothing plays any more."""
        return "flash" in self.type

    def is_over(self, form: str, href: str) -> bool:
        """Whether a reference begins the next object: this one is complete."""
        is_told = bool(self.type or self.size) and (form == "url" or form in self.forms)
        return is_told and all(href != known for known, _ in self.found)

    def facts(self) -> list[Fact]:
        """Facts about its file alone."""
        claims = {"mime": self.type, **self.size}
        return stated(
            fact(PAGE, f"{self.name}:{'type' if key == 'mime' else key}", key, text) for key, text in claims.items()
        )


class Card:
    """Collects the meta elements of a page and combines them."""

    def __init__(self) -> None:
        self._groups: list[_Group] = []
        self._values: dict[str, list[str]] = {}

    def take(self, name: str, content: str, element: Any) -> None:
        """Take an element in `WANTED`, or of `MEDIA`: its property or name in lower case, and what it holds."""
        if name.startswith(MEDIA):
            self._group(name, content, element)
        if name in WANTED:
            values = self._values.setdefault(name, [])
            if len(values) < _MOST_VALUES:
                values.append(content)

    def links(self) -> Iterator[tuple[str, str, Any]]:
        """Yield the references of all groups, with their link sources and elements."""
        for group in self._groups:
            for href, element in group.found:
                yield href, group.via, element

    def media(self, base: str) -> list[Medium]:
        """Return the media of the page: one with its files and its player, or several files without a player."""
        files = [group for group in self._groups if group.via != "player"]
        kinds = {_kind_of(group) for group in self._groups} - {""}
        medium = Medium("player", kinds.pop() if len(kinds) == 1 else "", is_declared=True, is_main=True)
        medium.player = self._player(base, files)
        for group in files:
            self._add(medium, group, base)
        if not (medium.files or medium.player):
            return []
        # Two that do not differ in type and size are two works, and no encodings of one.
        forms = [(group.name, group.type, *group.size.values()) for group in files]
        if len(set(forms)) < len(forms):
            several = [Medium(group.name, _kind_of(group), is_declared=True) for group in files]
            for each, group in zip(several, files, strict=True):
                self._add(each, group, base)
            return [each for each in several if each.files]
        medium.add_facts(self._facts(_OF_MEDIUM, base))
        medium.add_facts(self._type(medium.kind))
        medium.add_facts(stated([fact(PAGE, "player", "player_url", medium.player)]))
        medium.add_facts(self._facts((("og:image", "thumbnail_url"), ("og:description", "description")), base))
        return [medium]

    def facts_of_medium(self, base: str) -> list[Fact]:
        """What is said of the one thing that the page plays, if the page says that it is a page of such a thing."""
        if self._record_type() is None:
            return []
        return [*self._facts(_OF_MEDIUM, base), *self._type("")]

    def facts_of_page(self, base: str) -> list[Fact]:
        """What is said of the page as a whole."""
        return self._facts(_OF_PAGE, base)

    def _group(self, name: str, content: str, element: Any) -> None:
        if name in _PLAYERS:
            if len(self._groups) < _MOST_GROUPS:
                self._groups.append(_Group(name, [(content, element)]))
            return
        name, _, detail = name.rpartition(":")
        is_last = bool(self._groups) and self._groups[-1].name == name
        if detail in ("url", "secure_url"):
            if not is_last or self._groups[-1].is_over(detail, content):
                if len(self._groups) >= _MOST_GROUPS:
                    return
                self._groups.append(_Group(name))
            if len(self._groups[-1].found) < _MOST_VALUES:
                self._groups[-1].found.append((content, element))
                self._groups[-1].forms.add(detail)
        elif is_last and detail in ("type", "content_type"):
            self._groups[-1].type = media_type(content)
        elif is_last and detail in ("width", "height") and content.isascii() and content.isdigit():
            self._groups[-1].size.setdefault(detail, content[:6])

    def _player(self, base: str, files: list[_Group]) -> str:
        players = [group for group in self._groups if group.via == "player" and not group.is_flash]
        # Without a type nobody knows; a page is meant where it does not end like a file.
        players += [
            group for group in files if not group.type and not any(names_media(href) for href, _ in group.found)
        ]
        urls = [url for group in players for href, _ in group.found if (url := absolute(base, href))]
        return next((url for url in urls if url.startswith("https:")), urls[0] if urls else "")

    @staticmethod
    def _add(medium: Medium, group: _Group, base: str) -> None:
        for href, _ in group.found:
            if absolute(base, href):
                medium.add_file(href, group.name, group.facts())

    def _record_type(self) -> str | None:
        return _TYPES.get(self._values.get("og:type", [""])[0].strip().lower())

    def _type(self, kind: str) -> list[Fact]:
        known = self._record_type() or {AUDIO: "AudioObject", VIDEO: "VideoObject"}.get(kind, "")
        return stated([fact(PAGE, "og:type", "type", known)])

    def _facts(self, wanted: tuple[tuple[str, str], ...], base: str) -> list[Fact]:
        return stated(
            fact(PAGE, name, key, _value(key, text, base))
            for name, key in wanted
            for text in self._values.get(name, ())
        )


def _kind_of(group: _Group) -> str:
    if group.name == "og:audio" or group.type.startswith("audio/"):
        return AUDIO
    return VIDEO if group.name == "og:video" or group.type.startswith("video/") else ""


def _value(key: str, text: str, base: str) -> str:
    # OpenGraph names musicians and albums by the URLs of their pages.
    if "://" in text and key in ("artist", "album"):
        return ""
    return (moment(text) or text) if key == "date" else value_of(key, text, base)
