"""What the objects of scripts say of the media that they name."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from typing import Any

from mediacrawl.extract.texts import fact_link, media_type, moment, seconds, unescape, whole, without_tags
from mediacrawl.facts import LONGEST_TEXT, PAGE, Fact, fact, stated

_MOST_VALUES = 200
"""Texts of an object that are looked at."""
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
_is_rooted = re.compile(r"(?:https?:)?//[^/]|/[^/]", re.IGNORECASE).match
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
        return _duration(name, value)
    text = _text(value)
    if key == "date":
        return moment(text)
    if key == "language":
        return text if _language(text) else ""
    # Names of people and series may be URLs of their pages.
    return "" if "://" in text and key != "description" else text


def _duration(name: str, value: Any) -> str:
    if isinstance(value, (int, float)) and not isinstance(value, bool):
        number = value / 1000 if name.endswith("ms") and abs(value) < 1e12 else value
        return seconds(f"{number:.6f}") if 0 < number < _LONGEST_SECONDS else ""
    return seconds(value) if isinstance(value, str) else ""


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
