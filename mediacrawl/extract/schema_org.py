"""Media in objects of schema.org, from JSON-LD or microdata.

Search engines made pages declare them carefully, so they take precedence over other metadata. Objects are found in
``@graph``, in lists, and inside an article or a product.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple

import re2

from mediacrawl.base.content_type import media_type, names_media
from mediacrawl.base.facts import PAGE, Fact, fact, stated
from mediacrawl.base.times import moment, seconds
from mediacrawl.base.urls import absolute
from mediacrawl.extract.medium import AUDIO, MOST_MEDIA, VIDEO, Medium
from mediacrawl.extract.texts import unescape, unescape_url, without_tags, yes_or_no

_KINDS = {
    **dict.fromkeys(("AudioObject", "AudioObjectSnapshot", "Audiobook", "MusicRecording"), AUDIO),
    **dict.fromkeys(("VideoObject", "VideoObjectSnapshot", "MusicVideoObject", "TVEpisode"), VIDEO),
    **dict.fromkeys(("MovieClip", "TVClip", "VideoGameClip"), VIDEO),
    **dict.fromkeys(("RadioEpisode", "RadioClip"), AUDIO),
    **dict.fromkeys(("PodcastEpisode", "Episode", "Clip", "MediaObject"), ""),
}
_OBJECTS = frozenset(
    {"AudioObject", "AudioObjectSnapshot", "Audiobook", "VideoObject", "VideoObjectSnapshot", "MusicVideoObject"}
)
"""Media themselves. The other types of `_KINDS` are works that a page may only describe, as a page of lyrics does."""
_EPISODES = frozenset({"PodcastEpisode", "RadioEpisode"})
WANTED = frozenset(_KINDS)
"""Types of media and of audible or visible works."""
_RECORD_TYPES = {
    **dict.fromkeys(("AudioObject", "AudioObjectSnapshot", "Audiobook", "RadioEpisode", "RadioClip"), "AudioObject"),
    **dict.fromkeys(("VideoObject", "VideoObjectSnapshot", "MusicVideoObject"), "VideoObject"),
    **dict.fromkeys(("TVEpisode", "MovieClip", "TVClip", "VideoGameClip"), "VideoObject"),
    "MusicRecording": "MusicRecording",
    "PodcastEpisode": "PodcastEpisode",
}
_PARTS = {"audio": "AudioObject", "video": "VideoObject", "associatedMedia": "", "encoding": "", "encodings": ""}
"""Properties of a work that contain its files, and their type if undeclared."""
_LEADING = {**_PARTS, "trailer": "VideoObject"}
may_describe = re2.compile("|".join(sorted({*WANTED, *_LEADING}))).search
"""Whether the text of a script may describe a medium. Most describe articles, menus and the site."""

_MOST_NODES = 5_000
"""Objects of a page that are examined."""
_DEEPEST = 40
_MOST_VALUES = 8
"""Values of a property that are read."""
_LONGEST = 4_000
_DATES = frozenset({"date", "upload_date"})
_language = re.compile(r"[A-Za-z]{2,3}(?:[-_][A-Za-z0-9]{2,8}){0,4}").fullmatch
_whole = re.compile(r"(\d{1,15})(?:\.0*)?(?: ?(?:px|bytes|b))?", re.IGNORECASE | re.ASCII).fullmatch

Node = Mapping[str, Any]


class PageUrls(NamedTuple):
    """The URLs of the page that contains the objects.

    Attributes:
        base: URL that its references are relative to.
        own: its own URLs: the requested one and the canonical one.
    """

    base: str
    own: frozenset[str]


def media_of(nodes: Sequence[Any], via: str, where: PageUrls) -> list[Medium]:
    """Find the media in objects; at most `medium.MOST_MEDIA`, in their order. Never raises."""
    walk = _Walk(nodes, via, where)
    return list(walk.media(nodes))


class _Walk:
    """One walk over the objects of a page."""

    def __init__(self, nodes: Sequence[Any], via: str, where: PageUrls) -> None:
        self._via = via
        self._where = where
        self._read: set[int] = set()
        self._ids: dict[str, Node] = {}
        self._names: dict[str, str] = {}
        self._nodes = nodes

    def media(self, nodes: Sequence[Any]) -> Iterator[Medium]:
        seen = list(_nodes(nodes))
        # Objects refer to each other by @id: one author object may serve the whole page.
        for node, _, _ in seen:
            name = node.get("@id")
            if isinstance(name, str) and len(node) > 1:
                self._ids.setdefault(name, node)
        main = {node["@id"] for node, _, is_main in seen if is_main and _is_reference(node)}
        number = 0
        for node, hint, is_main in seen:
            medium = self._medium(node, hint)
            if medium is not None:
                medium.is_main = is_main or str(node.get("@id")) in main or self._is_of_this_page(node)
                yield medium
                number += 1
            if number == MOST_MEDIA:
                return

    def _medium(self, node: Node, hint: str) -> Medium | None:
        """Return the medium that an object describes; None for another object, or a part of a medium."""
        kind = _kind(node) or hint
        if not kind or id(node) in self._read:
            return None
        reading = self._properties(node)
        medium = Medium(self._via, _KINDS[kind])
        reading.add_files(medium)
        parts = []
        for hinted, part in self._parts(node):
            if isinstance(part, str):
                medium.add_file(part, self._via)
            else:
                self._read.add(id(part))
                parts.append((_kind(part) or hinted, self._properties(part)))
                parts[-1][1].add_files(medium)
        if kind == "MediaObject" and not _is_heard_or_seen(reading, medium):
            return None
        medium.is_of_page = kind in _OBJECTS or kind in _EPISODES
        medium.is_declared = medium.is_of_page or bool(medium.files or medium.player)
        if not medium.is_declared:
            return None
        medium.add_facts(reading.facts(kind))
        for kind_of_part, properties in parts:
            medium.add_facts(properties.facts(kind_of_part))
        return medium

    def _properties(self, node: Node) -> Properties:
        return Properties(node, self._via, self._where.base, self._ids, self._names)

    def _parts(self, node: Node) -> Iterator[tuple[str, Any]]:
        for name, hint in _PARTS.items():
            for value in _listed(node.get(name)):
                if isinstance(value, dict):
                    known = self._ids.get(value.get("@id", "")) if _is_reference(value) else value
                    if known is not None and known is not node and _is_medium(known):
                        yield hint, known
                elif isinstance(value, str) and names_media(value):
                    yield hint, value

    def _is_of_this_page(self, node: Node) -> bool:
        for value in _listed(node.get("mainEntityOfPage")):
            name = value.get("@id", value.get("url")) if isinstance(value, dict) else value
            if isinstance(name, str) and absolute(self._where.base, name).partition("#")[0] in self._where.own:
                return True
        return False


def _nodes(roots: Sequence[Any]) -> Iterator[tuple[Node, str, bool]]:
    """All objects, outer ones first, with the type that the property implies, and whether it is the main entity."""
    stack: list[tuple[Any, str, bool, int]] = [(root, "", False, 0) for root in reversed(roots)]
    left = _MOST_NODES
    while stack and left:
        value, hint, is_main, depth = stack.pop()
        if isinstance(value, list):
            inner = [(each, hint, is_main) for each in value]
        else:
            left -= 1
            yield value, hint if _is_file(value) else "", is_main
            inner = [(each, _LEADING.get(name, ""), name == "mainEntity") for name, each in value.items()]
        if depth < _DEEPEST:
            stack += [(*each, depth + 1) for each in reversed(inner) if isinstance(each[0], (dict, list))]


def _types(node: Node) -> list[str]:
    names = [each for each in _listed(node.get("@type")) if isinstance(each, str)]
    return [name[-60:].rpartition("/")[2].rpartition("#")[2].rpartition(":")[2] for name in names]


def _is_reference(node: Node) -> bool:
    return isinstance(node.get("@id"), str) and not _is_file(node) and len(node) <= 2


def _is_file(node: Node) -> bool:
    return any(name in node for name in ("contentUrl", "contentURL", "embedUrl", "embedURL"))


def _is_medium(node: Node) -> bool:
    # Other types such as pictures have a contentUrl too.
    kind = _kind(node)
    return kind in _OBJECTS or kind == "MediaObject" or (_is_file(node) and bool(kind or not _types(node)))


def _kind(node: Node) -> str:
    """Return the first of an object's types that is one of `WANTED`; empty if none is."""
    return next((name for name in _types(node) if name in WANTED), "")


def _is_heard_or_seen(reading: Properties, medium: Medium) -> bool:
    claimed = media_type(next(reading.texts("encodingFormat", "fileFormat"), ""))
    return claimed.startswith(("audio/", "video/")) or any(names_media(file.href) for file in medium.files)


def _listed(value: Any) -> list[Any]:
    if value is None:
        return []
    return value[:_MOST_VALUES] if isinstance(value, list) else [value]


_TEXTS = (
    ("title", ("name", "headline")),
    ("artist", ("byArtist", "author", "creator", "performer")),
    ("album", ("inAlbum",)),
    ("composer", ("composer",)),
    ("genre", ("genre",)),
    ("isrc", ("isrcCode",)),
    ("label", ("recordLabel",)),
    ("date", ("datePublished", "dateCreated")),
    ("upload_date", ("uploadDate",)),
    ("keywords", ("keywords",)),
    ("copyright", ("copyrightNotice",)),
)
"""Keys of facts, and their properties, the best first."""


_LINKS = {
    **dict.fromkeys(("thumbnailUrl", "thumbnail", "image"), "thumbnail_url"),
    **dict.fromkeys(("embedUrl", "embedURL"), "embed_url"),
    "caption": "transcript_url",
}
"""Properties that are references, and the keys of their facts."""


class Properties:
    """Reads the properties of one object, which may be texts, numbers, objects or lists of them.

    `ids` are the objects of the page by their ``@id``, and `names` a cache of their names.
    """

    def __init__(self, node: Node, via: str, base: str, ids: Mapping[str, Node], names: dict[str, str]) -> None:
        self._node = node
        self._via = via
        self._base = base
        self._ids = ids
        self._names = names

    def texts(self, *names: str) -> Iterator[str]:
        """Yield the texts of the first property that has any; for an object its name."""
        for name in names:
            found = [text for text in map(self._text, _listed(self._node.get(name))) if text]
            if found:
                yield from found
                return

    def add_files(self, medium: Medium) -> None:
        """Add the references to files and to a player to the medium."""
        file_facts = tuple(self._of_file())
        for href in self._references("contentUrl", "contentURL"):
            medium.add_file(href, self._via, file_facts)
        if not medium.files:
            for href in self._references("url"):
                if names_media(href):
                    medium.add_file(href, self._via, file_facts)
        players = (absolute(self._base, href) for href in self._references("embedUrl", "embedURL"))
        medium.player = medium.player or next(filter(None, players), "")

    def facts(self, kind: str) -> Iterator[Fact]:
        """Yield the facts of the object."""
        has = self._node.__contains__
        for key, names in _TEXTS:
            for name in filter(has, names):
                texts = [(moment(text) or text) if key in _DATES else text for text in self.texts(name)]
                yield from self._facts(name, key, texts)
                if texts:
                    break
        yield from self._facts("@type", "type", [_RECORD_TYPES.get(kind, "")])
        yield from self._facts("description", "description", map(without_tags, self.texts("description")))
        yield from self._facts("duration", "duration", map(seconds, self.texts("duration")))
        yield from self._of_series(kind)
        yield from self._facts("inLanguage", "language", self._languages())
        yield from self._license()
        for name in filter(has, _LINKS):
            links = (absolute(self._base, href) for href in self._references(name))
            yield from self._facts(name, _LINKS[name], list(filter(None, links))[:1])
        if yes_or_no(next(self.texts("isFamilyFriendly"), "")) == "no":
            yield from self._facts("isFamilyFriendly", "explicit", ["yes"])
        yield from self._views()

    def _of_file(self) -> Iterator[Fact]:
        yield from self._facts("encodingFormat", "mime", map(media_type, self.texts("encodingFormat", "fileFormat")))
        for name, key in (("contentSize", "size"), ("width", "width"), ("height", "height")):
            numbers = (match[1] for text in self.texts(name) if (match := _whole(text)))
            yield from self._facts(name, key, list(numbers)[:1])

    def _of_series(self, kind: str) -> Iterator[Fact]:
        if kind in _EPISODES or kind == "Episode":
            yield from self._facts("partOfSeries", "podcast", self.texts("partOfSeries"))
        yield from self._facts("episodeNumber", "episode", self.texts("episodeNumber"))
        season = self._node.get("partOfSeason")
        number = season.get("seasonNumber") if isinstance(season, dict) else None
        yield from self._facts("partOfSeason", "season", filter(None, [self._text(number) or self._text(season)]))
        if kind == "MusicRecording":
            yield from self._facts("position", "tracknumber", self.texts("position"))

    def _languages(self) -> Iterator[str]:
        for value in _listed(self._node.get("inLanguage")):
            # Of an object of type Language the alternate name is the code.
            code = value.get("alternateName", value) if isinstance(value, dict) else value
            text = self._text(code)
            if _language(text):
                yield text.replace("_", "-")

    def _license(self) -> Iterator[Fact]:
        for value in _listed(self._node.get("license")):
            # A text may be a name: "CC0".
            is_url = isinstance(value, str) and ("://" in value or value.startswith(("/", ".")))
            if is_url or isinstance(value, dict):
                links = (absolute(self._base, href) for href in self._hrefs(value))
                yield from self._facts("license", "license_url", filter(None, links))
            name = "" if is_url else self._text(value)
            yield from self._facts("license", "license", [] if "://" in name else [name])

    def _views(self) -> Iterator[Fact]:
        for value in _listed(self._node.get("interactionStatistic")):
            if isinstance(value, dict):
                action = value.get("interactionType")
                name = " ".join(_types(action)) if isinstance(action, dict) else str(action)[:100]
                if "Watch" in name or "Listen" in name:
                    count = _whole(self._text(value.get("userInteractionCount")))
                    yield from self._facts("interactionStatistic", "views", [count[1]] if count else [])

    def _references(self, *names: str) -> Iterator[str]:
        for name in names:
            for value in _listed(self._node.get(name)):
                yield from self._hrefs(value)

    def _hrefs(self, value: Any) -> Iterator[str]:
        """Yield the references of a value: itself, or those of an object."""
        if isinstance(value, dict):
            value = next((value[name] for name in ("contentUrl", "url", "@id", "@value") if name in value), None)
            value = value[0] if isinstance(value, list) and value else value
        if isinstance(value, str):
            href = _clean(value, unescape_url)
            if absolute(self._base, href):
                yield href

    def _text(self, value: Any) -> str:
        """Return the text of a value, or the name of an object."""
        if isinstance(value, dict) and _is_reference(value):
            name = value["@id"]
            if name not in self._names:
                self._names[name] = self._own_text(self._ids.get(name, value))
            return self._names[name]
        return self._own_text(value)

    @staticmethod
    def _own_text(value: Any) -> str:
        if isinstance(value, dict):
            names = ("name", "@value", "value", "alternateName", "title")
            value = next((value[name] for name in names if isinstance(value.get(name), (str, int, float, list))), None)
        if isinstance(value, list):
            value = next((each for each in value if isinstance(each, (str, int, float))), None)
        if isinstance(value, float):
            return f"{value:.15g}"
        if isinstance(value, int):
            return str(value).lower() if value.bit_length() <= 64 else ""
        return _clean(value) if isinstance(value, str) else ""

    def _facts(self, name: str, key: str, texts: Any) -> Iterator[Fact]:
        yield from stated(fact(PAGE, f"{self._via}:{name}", key, text) for text in texts)


def _clean(text: str, unescaped: Callable[[str], str] = unescape) -> str:
    """Unescapes entities that were escaped twice, and replaces lone surrogates."""
    text = unescaped(text[:_LONGEST].strip())
    return text if text.isascii() else text.encode("utf-8", "replace").decode("utf-8")
