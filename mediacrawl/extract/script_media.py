"""Media in the values of scripts: set-ups of players, and the state that a page hands to its own program.

A value is a tree of objects and lists without a schema. An object with the URL of a media file is a medium; its title,
author, picture and the like stand beside the URL, or in the object around it. What is a part of a template is no URL.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from mediacrawl.extract.literals import Literal
from mediacrawl.extract.medium import MOST_MEDIA, Medium
from mediacrawl.extract.script_facts import (
    LONGEST_URL,
    TITLES,
    TRACKS,
    by_name,
    file_facts,
    is_template,
    is_url,
    mime_of,
    object_facts,
)
from mediacrawl.extract.texts import fact_link, kind_of_media, names_media
from mediacrawl.facts import PAGE, Fact, fact, stated

VIA = "script"
"""The link source of files in scripts."""
_MOST_NODES = 20_000
"""Objects, lists and texts of a page that are looked at, in 20 ms."""
_DEEPEST = 40
_MOST_VALUES = 200
"""Properties of an object, and items of a list, that are looked at if they are texts."""
_MOST_FOUND = 10 * MOST_MEDIA
"""Files of a page after which no more are looked for."""
_MOST_READ = 2 * MOST_MEDIA
"""Objects of a page with files whose other properties are read."""
_MOST_NOTES = 5

_FILE_NAMES = frozenset(
    {
        *("file", "src", "source", "stream", "streamurl", "hls", "hlsurl", "dash", "dashurl", "m3u8", "mpd"),
        *("mp3", "m4a", "mp4", "m4v", "ogg", "oga", "ogv", "opus", "webm", "wav", "flac", "aac"),
        *("audiourl", "audiosrc", "videourl", "videosrc", "mediaurl", "fileurl"),
    }
)
"""Properties of a set-up that hold a file, whatever its URL ends with. Names are in lower case, without ``_`` and
``-``."""
_TYPED_NAMES = _FILE_NAMES.union(
    ("audio", "video", "url", "contenturl", "href", "enclosureurl", "downloadurl", "playbackurl")
)
"""Properties that hold a file if a media type stands beside them."""
_PARTS = frozenset(
    {
        *("source", "sources", "src", "audio", "audios", "video", "videos", "media", "mediafile", "mediafiles", "file"),
        *("files", "enclosure", "enclosures", "format", "formats", "encoding", "encodings", "stream", "streams", "url"),
        *("urls", "playback", "attachments", "associatedmedia", "clip", "download", "downloads", "renditions"),
    }
)
"""Properties whose objects are files of the object around them, unless they have a title of their own."""
_OTHER_THINGS = frozenset(
    {
        *("advertising", "advertisement", "ads", "ima", "vast", "preroll", "prerolls", "related", "sharing", "skin"),
        *("logo", "image", "images", "picture", "poster", "thumbnail", "thumbnails", "cover", "artwork", "icon"),
    }
)
"""Properties about other things than the medium."""
_CALLS = frozenset({"loadSource", "attachSource", "setSrc", "src"})
"""Functions that take the URL of a file."""

_other_ending = re.compile(
    r"\.(?:jpe?g|png|gif|webp|avif|svg|ico|css|m?js|json|vtt|srt|dfxp|html?|xml|rss|pdf|txt|zip|woff2?|ttf)(?:[?#]|\Z)",
    re.IGNORECASE,
).search


class _Found:
    """The media of a page by the references to their files; works with a file in common are one medium."""

    def __init__(self, base: str) -> None:
        self.by_href: dict[str, Medium] = {}
        self._base = base
        self._left = _MOST_READ

    def add_facts(self, medium: Medium, node: Mapping[str, Any], more: Iterable[Fact]) -> None:
        """Add what an object says of its medium, as long as there have not been too many objects."""
        if self._left > 0 and node:
            self._left -= 1
            medium.add_facts(object_facts(node, self._base))
        medium.add_facts(more)


class _Work:
    """An object (`by_name`) that may be a medium; its facts are read when it has a file."""

    def __init__(self, node: Mapping[str, Any], found: _Found) -> None:
        self._node = node
        self._found = found
        self._more: list[Fact] = []
        self._medium: Medium | None = None

    @property
    def labels_files(self) -> bool:
        """Whether titles of its files are labels ("MP3"), as in episodes of the Podlove Web Player."""
        return "show" in self._node and any(title in self._node for title in TITLES)

    def add(self, href: str, file: Mapping[str, Any]) -> None:
        """Add a file; its URL is as written, perhaps with halves of characters, in the object `file` (`by_name`)."""
        href = href.strip().encode("utf-8", "replace").decode("utf-8")
        mime = mime_of(file)
        known = self._found.by_href.get(href)
        if self._medium is None:
            self._medium = known or Medium(VIA, kind_of_media(href, mime))
            self._found.add_facts(self._medium, self._node, self._more)
        if known is None:
            self._medium.add_file(href, VIA, file_facts(file, mime))
            self._found.by_href[href] = self._medium

    def note(self, facts: list[Fact]) -> None:
        """Add facts that stand elsewhere."""
        if self._medium is not None:
            self._medium.add_facts(facts)
        elif len(self._more) < _MOST_NOTES:
            self._more += facts


class ScriptMedia:
    """Finds the media in the values of a page's scripts, up to `medium.MOST_MEDIA`. Never raises."""

    def __init__(self, base: str) -> None:
        self._found = _Found(base)
        self._base = base
        self._left = _MOST_NODES

    def media(self) -> list[Medium]:
        """Return those that were found, in the order of the scripts."""
        return list({id(medium): medium for medium in self._found.by_href.values()}.values())[:MOST_MEDIA]

    def take(self, found: Literal, *, is_setup: bool) -> None:
        """Look for media in a value. In the set-up of a player a file is known by the name of its property, too."""
        if isinstance(found.value, str):
            is_file = is_setup and found.name in _CALLS and _is_file(found.value, "src", "", is_setup=True)
            if (is_file or (names_media(found.value) and is_url(found.value))) and len(
                self._found.by_href
            ) < _MOST_FOUND:
                self._work({}).add(found.value, {})
            return
        stack: list[tuple[Any, str, _Work | None, int]] = [(found.value, "", None, 0)]
        while stack and self._left > 0 and len(self._found.by_href) < _MOST_FOUND:
            value, name, around, depth = stack.pop()
            self._left -= 1 + len(value) // 10
            inside = self._of_list if isinstance(value, list) else self._of_object
            inner = list(inside(value, name, around, is_setup=is_setup))
            if depth < _DEEPEST:
                stack += [(*each, depth + 1) for each in reversed(inner)]

    def _of_list(
        self, value: list[Any], name: str, around: _Work | None, *, is_setup: bool
    ) -> Iterator[tuple[Any, str, _Work | None]]:
        """Take the files of a list, and yield what is to be looked at below it."""
        for number, each in enumerate(value):
            if isinstance(each, (dict, list)):
                yield each, name, around
            elif number < _MOST_VALUES and isinstance(each, str) and _is_file(each, name, "", is_setup=is_setup):
                work = around or self._work({})
                work.add(each, {})

    def _of_object(
        self, value: dict[str, Any], name: str, around: _Work | None, *, is_setup: bool
    ) -> Iterator[tuple[Any, str, _Work | None]]:
        """Take the files of an object, and yield what is to be looked at below it."""
        node = by_name(value)
        if self._take_track(node, around):
            return
        has_title = any(title in node for title in TITLES)
        is_own = around is None or name not in _PARTS or (has_title and not around.labels_files)
        work = self._work(node) if around is None or is_own else around
        mime = mime_of(node)
        for key, each in node.items():
            if isinstance(each, str) and _is_file(each, key, mime, is_setup=is_setup):
                work.add(each, node)
            elif isinstance(each, (dict, list)) and key not in _OTHER_THINGS:
                yield each, key, work

    def _work(self, node: Mapping[str, Any]) -> _Work:
        return _Work(node, self._found)

    def _take_track(self, node: Mapping[str, Any], around: _Work | None) -> bool:
        """Take an object that is a track with subtitles or chapters, beside the files of what is around it."""
        kind = node.get("kind")
        key = TRACKS.get(kind.lower()) if isinstance(kind, str) else None
        href = next((node[name] for name in ("file", "src", "url") if isinstance(node.get(name), str)), "")
        if key is None or names_media(href):
            return False
        if around is not None and not is_template(href):
            around.note(stated([fact(PAGE, "script:tracks", key, fact_link(self._base, href))]))
        return True


def _is_file(value: str, name: str, mime: str, *, is_setup: bool) -> bool:
    """Whether a text is the URL of a media file, by its ending, its property's name, or the media type beside it."""
    if names_media(value):
        if value.partition("?")[0].rpartition("/")[2].startswith("."):
            # An ending without a name.
            return False
        is_relative = is_setup and name in _TYPED_NAMES and len(value) <= LONGEST_URL and ":" not in value[:20]
        return is_url(value) or (is_relative and not is_template(value.strip()))
    is_named = bool(mime) and name in _TYPED_NAMES
    if not is_named and not (is_setup and name in _FILE_NAMES):
        return False
    # A host alone is a page, and so is what has a space in it.
    has_path = value.rstrip("/").count("/") > (2 if "//" in value else 0)
    return is_url(value) and has_path and " " not in value.strip() and _other_ending(value) is None
