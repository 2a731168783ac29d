"""Media in the values of scripts: set-ups of players, and the state that a page hands to its own program.

A value is a tree of objects and lists without a schema. An object with the URL of a media file is a medium; its title,
author, picture and the like stand beside the URL, or in the object around it. What is a part of a template is no URL.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from mediacrawl.base.content_type import kind_of_media, media_type, names_media
from mediacrawl.base.facts import LONGEST_TEXT, PAGE, Fact, fact, stated
from mediacrawl.base.times import moment, seconds
from mediacrawl.extract.literals import Literal
from mediacrawl.extract.medium import MOST_MEDIA, Medium
from mediacrawl.extract.texts import fact_link, unescape, whole, without_tags

_MOST_VALUES = 200
"""Texts of an object or a list that are looked at."""
LONGEST_URL = 2_048
"""Characters of a URL of a file."""
_LONGEST = 4 * LONGEST_TEXT
_TEXTS: tuple[tuple[str, tuple[str, ...]], ...] = (
    ("title", ("title", "name", "headline", "episodetitle", "tracktitle", "songtitle")),
    ("artist", ("artist", "author", "creator", "performer", "artistname", "authorname")),
    ("album", ("album", "albumtitle", "albumname")),
    ("genre", ("genre",)),
    ("podcast", ("show", "podcast", "series", "podcasttitle", "showtitle")),
    ("description", ("description", "summary", "excerpt", "subtitle", "caption")),
    ("duration", ("duration", "durationinseconds", "durationseconds", "lengthformatted", "durationms")),
    ("date", ("publicationdate", "datepublished", "publishedat", "pubdate", "releasedate", "published", "date")),
    ("language", ("language", "inlanguage", "lang")),
)
"""Keys of facts, and the properties that state them, the best first."""
_PICTURES = ("image", "poster", "thumbnail", "thumbnailurl", "cover", "artwork", "imageurl", "posterurl", "coverurl")
_LINKS = {"transcripts": "transcript_url", "transcript": "transcript_url", "chapters": "chapters_url"}
TITLES = _TEXTS[0][1]
"""Properties that are titles."""
TRACKS = {"captions": "transcript_url", "subtitles": "transcript_url", "chapters": "chapters_url"}
"""Kinds of tracks, and the keys of their facts."""
_LONGEST_SECONDS = 36_000
"""A larger number is in milliseconds, or something else."""

is_template = re.compile(r"[\x00-\x1f\x7f\"'`<>\\^{}|]|%s|\[\[|\$\(").search
"""Whether a text has what no URL has, but templates and code have."""
_is_placeholder = re.compile(r"\{\{|\$\{|<%").search
_is_rooted = re.compile(r"(?:https?:)?//[^/]+/|/[^/]", re.IGNORECASE).match
_manifest_types = frozenset({"application/x-mpegurl", "application/vnd.apple.mpegurl", "application/dash+xml"})
_language = re.compile(r"[A-Za-z]{2,3}(?:[-_][A-Za-z0-9]{2,8}){0,4}").fullmatch


def by_name(value: Mapping[str, Any]) -> dict[str, Any]:
    """Return the properties of an object by their names in lower case, without ``_`` and ``-``."""
    found: dict[str, Any] = {}
    for number, (name, each) in enumerate(value.items()):
        if number >= _MOST_VALUES and isinstance(each, str):
            continue
        found.setdefault(name[:60].lower().replace("_", "").replace("-", ""), each)
    return found


def is_url(value: str) -> bool:
    """Whether a text is an absolute URL, or one that is relative to the host, and no template."""
    written = value.strip()
    return 4 < len(written) <= LONGEST_URL and _is_rooted(written) is not None and not is_template(written)


def mime_of(node: Mapping[str, Any]) -> str:
    """Return the media type of sound or pictures that an object states; empty without one."""
    for name in ("type", "mimetype", "contenttype", "encodingformat"):
        if isinstance(node.get(name), str):
            mime = media_type(node[name][:100])
            if mime.startswith(("audio/", "video/")) or mime in _manifest_types:
                return mime
    return ""


def object_facts(node: Mapping[str, Any], base: str) -> list[Fact]:
    """Return what an object says of its medium."""
    more = node.get("meta")
    sources = [node, by_name(more)] if isinstance(more, dict) else [node]
    found: list[Fact | None] = []
    for key, names in _TEXTS:
        texts = ((name, _value(key, name, where[name])) for where in sources for name in names if name in where)
        name, text = next(((name, text) for name, text in texts if text), ("", ""))
        found.append(fact(PAGE, f"script:{name}", key, text))
    for name in _PICTURES:
        url = fact_link(base, _href(node.get(name)))
        if url:
            found.append(fact(PAGE, f"script:{name}", "thumbnail_url", url))
            break
    for name, key in _LINKS.items():
        href = node.get(name)
        if isinstance(href, str) and is_url(href):
            found.append(fact(PAGE, f"script:{name}", key, fact_link(base, href)))
    return stated(found)


def _value(key: str, name: str, value: Any) -> str:
    if key == "duration":
        if isinstance(value, (int, float)) and not isinstance(value, bool):
            number = value / 1000 if name.endswith("ms") and abs(value) < 1e12 else value
            return seconds(f"{number:.6f}") if 0 < number < _LONGEST_SECONDS else ""
        return seconds(value) if isinstance(value, str) else ""
    text = _text(value)
    if key == "date":
        return moment(text)
    if key == "language":
        return text if _language(text) else ""
    # Names of people and series may be URLs of their pages.
    return "" if "://" in text and key != "description" else text


def _text(value: Any) -> str:
    """Return the text of a value; of an object that of the property which is usual for it."""
    if isinstance(value, list):
        value = value[0] if value else None
    if isinstance(value, dict):
        value = next((value[name] for name in ("name", "title", "rendered", "text", "value") if name in value), None)
    if isinstance(value, int) and not isinstance(value, bool) and value.bit_length() <= 64:
        return str(value)
    if not isinstance(value, str) or _is_placeholder(value):
        return ""
    text = " ".join(unescape(without_tags(value[:_LONGEST])).split())
    return text if text.isascii() else text.encode("utf-8", "replace").decode("utf-8")


def _href(value: Any) -> str:
    if isinstance(value, list):
        value = value[0] if value else None
    if isinstance(value, dict):
        value = next((value[name] for name in ("url", "src", "href") if isinstance(value.get(name), str)), "")
    return value if isinstance(value, str) and not is_template(value) else ""


_NUMBERS = {"size": "size", "filesize": "size", "sizeinbytes": "size", "width": "width", "height": "height"}
"""Properties of a file that are numbers, and the keys of their facts."""


def file_facts(file: Mapping[str, Any], mime: str) -> Iterable[Fact]:
    """Return what an object (`by_name`) says of the file whose URL is in it."""
    found = [fact(PAGE, "script:type", "mime", mime)]
    for name, key in _NUMBERS.items():
        value = file.get(name)
        is_number = isinstance(value, int) and not isinstance(value, bool) and 0 < value < 10**15
        text = str(value) if is_number else value if isinstance(value, str) else ""
        found.append(fact(PAGE, f"script:{name}", key, whole(text) or ""))
    return stated(found)


VIA = "script"
"""The link source of files in scripts."""
_MOST_NODES = 20_000
"""Objects, lists and texts of a page that are looked at, in 20 ms."""
_DEEPEST = 40
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

    def __init__(self, base: str, via: str) -> None:
        self.by_href: dict[str, Medium] = {}
        self.via = via
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
            self._medium = known or Medium(self._found.via, kind_of_media(href, mime))
            self._found.add_facts(self._medium, self._node, self._more)
        if known is None:
            self._medium.add_file(href, self._found.via, file_facts(file, mime))
            self._found.by_href[href] = self._medium

    def note(self, facts: list[Fact]) -> None:
        """Add facts that stand elsewhere."""
        if self._medium is not None:
            self._medium.add_facts(facts)
        elif len(self._more) < _MOST_NOTES:
            self._more += facts


class ScriptMedia:
    """Finds the media in the values of a page's scripts, up to `medium.MOST_MEDIA`. Never raises.

    Args:
        base: what references are relative to.
        via: the link source of the files.
        named: the references that are files; None if their endings and properties decide.
    """

    def __init__(self, base: str, via: str = VIA, named: set[str] | None = None) -> None:
        self._named = named
        self._found = _Found(base, via)
        self._base = base
        self._left = _MOST_NODES

    @property
    def by_href(self) -> dict[str, Medium]:
        """Those that were found, by the references to their files."""
        return self._found.by_href

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
            elif number < _MOST_VALUES and isinstance(each, str) and self._is_file(each, name, "", is_setup=is_setup):
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
            if isinstance(each, str) and self._is_file(each, key, mime, is_setup=is_setup):
                work.add(each, node)
            elif isinstance(each, (dict, list)) and key not in _OTHER_THINGS:
                yield each, key, work

    def _is_file(self, value: str, name: str, mime: str, *, is_setup: bool) -> bool:
        return _is_file(value, name, mime, is_setup=is_setup) if self._named is None else value in self._named

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
