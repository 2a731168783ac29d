"""Facts that a feed states about its media: of an entry, of a file and of the whole channel.

People, transcripts, chapters and clips are those of the podcast namespace (podcastindex.org), Podlove Simple Chapters
1.2 (podlove.org), Media RSS 1.5.1.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator
from typing import Any

from mediacrawl.base.content_type import media_type
from mediacrawl.base.facts import FEED, LONGEST_TEXT, Fact, fact, framed, stated
from mediacrawl.base.times import moment, seconds
from mediacrawl.extract.feed_model import Children
from mediacrawl.extract.texts import fact_link, whole, yes_or_no
from mediacrawl.extract.xml_text import text_of, without_markup, words_of

FRAMES = {
    "title": "title",
    "itunes:title": "title",
    "media:title": "title",
    "dc:title": "title",
    "itunes:author": "artist",
    "dc:creator": "artist",
    "author": "artist",
    "media:credit": "artist",
    "googleplay:author": "artist",
    "itunes:duration": "duration",
    "itunes:episode": "episode",
    "podcast:episode": "episode",
    "itunes:season": "season",
    "podcast:season": "season",
    "pubdate": "date",
    "published": "date",
    "issued": "date",
    "dc:date": "date",
    "dcterms:issued": "date",
    "updated": "date",
    "modified": "date",
    "dcterms:modified": "date",
    "podcast:license": "license",
    "media:license": "license",
    "media:copyright": "copyright",
    "rights": "copyright",
    "dc:rights": "copyright",
    "copyright": "copyright",
    "description": "description",
    "itunes:summary": "description",
    "summary": "description",
    "media:description": "description",
    "content:encoded": "description",
    "itunes:subtitle": "description",
    "content": "description",
    "dc:language": "language",
    "language": "language",
    "itunes:explicit": "explicit",
    "googleplay:explicit": "explicit",
    "media:rating": "explicit",
    "itunes:keywords": "keywords",
    "media:keywords": "keywords",
    "category": "keywords",
    "dc:subject": "keywords",
    "itunes:episodetype": "episode_type",
    "podcast:location": "location",
}
"""Name of an element, see `short_name` -> key of its fact. Of one key the first has precedence."""
_CHANGES = frozenset({"updated", "modified", "dcterms:modified"})
"""Elements with the date of the last change, which is read where no date of publication is."""
_EPISODE_TYPES = frozenset({"full", "trailer", "bonus"})
_MEDIA_KINDS = {
    **{name: name for name in ("podcast", "music", "video", "audiobook", "newsletter", "blog")},
    "film": "movie",
    "course": "lecture",
}
"""Value of ``podcast:medium`` -> value of ``media_kind``. A value with an L behind it is a list of such feeds."""
CLAIMED_TITLE = "alternateEnclosure@title"
"""Frame of the title of one encoding."""
_BITS = {"content": 1_000, "alternateEnclosure": 1}
"""Element -> bits per second in the unit of its ``bitrate``."""


_is_guid = re.compile(r"[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}", re.ASCII).fullmatch
_is_bitrate = re.compile(r"\d{1,9}(?:\.\d{1,9})?", re.ASCII).fullmatch
_is_address = re.compile(r"[^\s@()<>]+@[^\s@()<>]+").fullmatch


_MOST_OF_A_KEY = 3
"""Elements of one key that are kept."""
_MOST_LINKS = 5
"""Transcripts, hubs and pictures of one entry that are kept."""
_RANKS = {frame: place for place, frame in enumerate(FRAMES)}


def entry_facts(children: Children, base: str) -> list[Fact]:
    """Return the facts that an entry states about its media files, the most reliable first."""
    return stated((*_texts(children), *_references(children, base), *podcast_facts(children, base)))


def file_facts(element: Any, mime: str = "") -> list[Fact]:
    """Return the facts that an element claims of its file; `mime` is the type that its source claims, if it does."""
    get = element.get
    name = str(element.tag).rpartition("}")[2]
    claims = (
        ("type", "mime", mime or media_type(get("type"))),
        ("length", "size", whole(get("length") or get("fileSize")) or ""),
        ("duration", "duration", seconds(get("duration"))),
        ("width", "width", whole(get("width")) or ""),
        ("height", "height", whole(get("height")) or ""),
        ("bitrate", "bitrate", _bitrate(name, get("bitrate"))),
        ("lang", "language", get("lang") or ""),
        ("title", "title", (get("title") or "") if name == "alternateEnclosure" else ""),
    )
    return stated(fact(FEED, f"{name}@{attribute}", key, value) for attribute, key, value in claims)


def _bitrate(name: str, written: str | None) -> int | str:
    found = _is_bitrate((written or "").strip()[:40])
    return round(float(found[0]) * _BITS[name]) or "" if found and name in _BITS else ""


def live_facts(element: Any) -> list[Fact]:
    """Return the facts that ``podcast:liveItem`` states by its attributes. One that is pending or ended is not live."""
    is_live = (element.get("status") or "").strip().lower() == "live"
    return stated(
        [
            fact(FEED, "liveItem@status", "is_live", "yes" if is_live else ""),
            fact(FEED, "liveItem@start", "date", moment(element.get("start"))),
        ]
    )


def channel_facts(children: Children, base: str) -> list[Fact]:
    """Return the facts that a channel states about all its entries; those of an entry take precedence."""
    found: list[Fact | None] = []
    for each in entry_facts(children, base):
        # A description of the channel does not describe its files.
        if each.key == "title":
            found.append(fact(FEED, f"channel/{each.frame}", "podcast", each.text))
        elif each.key in _OF_ALL:
            found.append(each._replace(frame=f"channel/{each.frame}"))
    genres = (element.get("text") or "" for element in children.get("itunes:category", ())[:_MOST_OF_A_KEY])
    found += [fact(FEED, "channel/itunes:category", "genre", genre) for genre in genres]
    for element in children.get("podcast:guid", ())[:1]:
        guid = text_of(element, 100).lower()
        found.append(fact(FEED, "channel/podcast:guid", "podcast_guid", guid if _is_guid(guid) else ""))
    for element in children.get("podcast:medium", ())[:1]:
        kind = _MEDIA_KINDS.get(text_of(element, 40).removesuffix("L").lower(), "")
        found.append(fact(FEED, "channel/podcast:medium", "media_kind", kind))
    return stated(found)


_OF_ALL = frozenset(
    {"artist", "license", "license_url", "copyright", "language", "explicit", "thumbnail_url", "location", "person"}
)


def _texts(children: Children) -> Iterator[Fact | None]:
    taken: dict[str, set[str]] = {}
    for name in sorted(_RANKS.keys() & children.keys(), key=_RANKS.__getitem__):
        key = FRAMES[name]
        known = taken.setdefault(key, set())
        if name in _CHANGES and known:
            continue
        for element in children[name]:
            if len(known) >= _MOST_OF_A_KEY:
                break
            text = _READERS[key](element) if key in _READERS else words_of(element, LONGEST_TEXT)
            made = fact(FEED, name, key, text)
            if made is not None and made.text not in known:
                known.add(made.text)
                yield made


def _references(children: Children, base: str) -> Iterator[Fact | None]:
    for name, attribute, key in _URLS:
        for element in children.get(name, ())[:_MOST_LINKS]:
            url = element.get(attribute) if attribute else text_of(element, LONGEST_TEXT)
            yield _url(name, key, url, base)
    for element in children.get("link", ())[:100]:
        if (element.get("rel") or "").lower() == "license":
            yield _url("link", "license_url", element.get("href"), base)
    for element in children.get("media:community", ())[:1]:
        for statistics in element.iterchildren("{*}statistics"):
            yield fact(FEED, "media:statistics", "views", whole(statistics.get("views")) or "")
    for element in children.get("image", ())[:1]:
        yield _url("image", "thumbnail_url", text_of(element.find("{*}url"), LONGEST_TEXT), base)


_URLS = (
    ("itunes:image", "href", "thumbnail_url"),
    ("media:thumbnail", "url", "thumbnail_url"),
    ("googleplay:image", "href", "thumbnail_url"),
    ("podcast:chapters", "url", "chapters_url"),
    ("podcast:license", "url", "license_url"),
    ("media:license", "href", "license_url"),
    ("creativecommons:license", "", "license_url"),
    ("cc:license", "{http://www.w3.org/1999/02/22-rdf-syntax-ns#}resource", "license_url"),
    ("logo", "", "thumbnail_url"),
)
"""Element, its attribute (empty for its text), and the key of its URL."""


def _url(frame: str, key: str, written: str | None, base: str) -> Fact | None:
    return fact(FEED, frame, key, fact_link(base, written))


def _artist(element: Any) -> str:
    """Atom's author has a name below; RSS wants an address with the name behind it: ``me@site.example (My Name)``."""
    name = element.find("{*}name")
    if name is not None:
        return words_of(name, LONGEST_TEXT)
    role = element.get("role")
    if role and role.lower() not in {"author", "artist", "performer", "composer", "host"}:
        return ""
    return name_beside_address(words_of(element, LONGEST_TEXT))


def name_beside_address(text: str) -> str:
    """Return the name beside a mail address, ``me@site.example (My Name)``; other texts are returned unchanged."""
    outside, bracket, inside = text.partition("(")
    if bracket and text.endswith(")"):
        outside, inside = outside.strip(), inside[:-1].strip()
        if _is_address(outside):
            return inside or outside
        return outside if outside and _is_address(inside) else text
    outside, bracket, inside = text.partition("<")
    if bracket and text.endswith(">") and _is_address(inside[:-1].strip()):
        return outside.strip(' "') or inside[:-1].strip()
    return text


def _explicit(element: Any) -> str:
    words = {"adult": "yes", "nonadult": "no"}
    text = text_of(element, LONGEST_TEXT)
    return words.get(text.lower()) or yes_or_no(text)


def _license(element: Any) -> str:
    text = words_of(element, LONGEST_TEXT)
    return "" if text.startswith(("http://", "https://")) else text


_READERS: dict[str, Callable[[Any], str]] = {
    "artist": _artist,
    "date": lambda element: moment(text_of(element, 100)),
    "description": lambda element: without_markup(element, LONGEST_TEXT),
    "duration": lambda element: seconds(text_of(element, 100)),
    "episode_type": lambda element: kind if (kind := text_of(element, 40).lower()) in _EPISODE_TYPES else "",
    "explicit": _explicit,
    "keywords": lambda element: words_of(element, LONGEST_TEXT) or element.get("label") or element.get("term") or "",
    "license": _license,
}


def combined(entry: Iterable[Fact], file: Iterable[Fact], channel: Iterable[Fact]) -> tuple[Fact, ...]:
    """Join the facts about one file; those of the channel count for keys that nothing more specific has."""
    near = [*entry, *file]
    known = {each.key for each in near}
    return (*near, *(each for each in channel if each.key not in known))


def after_own(facts: Iterable[Fact]) -> tuple[Fact, ...]:
    """Return the facts of an entry whose title and date come after those of the file.

    An entry may have several works, and a live stream is more than one show.
    """
    first = {"title", "date"}
    return tuple(
        each._replace(frame=f"entry/{each.frame}") if each.key in first and "@" not in each.frame else each
        for each in facts
    )


def nearest_first(levels: Iterable[Iterable[Fact]]) -> tuple[Fact, ...]:
    """Join the facts of several levels, the nearest first; a level says nothing more in an element of a nearer one."""
    found: list[Fact] = []
    frames: set[tuple[str, str]] = set()
    texts: set[tuple[str, str]] = set()
    for level in levels:
        fresh = [each for each in level if (each.key, each.frame) not in frames and (each.key, each.text) not in texts]
        frames |= {(each.key, each.frame) for each in fresh}
        texts |= {(each.key, each.text) for each in fresh}
        found += fresh
    return tuple(found)


_MOST_PERSONS = 12
_MOST_TRANSCRIPTS = 8
_MOST_CHAPTERS = 60
"""Chapters of an entry that are kept: they wait in the frontier with its file, see `base.facts.pack`."""
_MOST_SOUNDBITES = 5
_LONGEST_WORD = 40
_CREDITS = frozenset(
    {
        *("composer", "conductor", "lyricist", "arranger", "producer", "director", "actor", "engineer", "mixer"),
        *("narrator", "writer", "editor", "host", "guest", "anchor person", "cast member"),
    }
)
"""Roles of ``media:credit`` that name a person; author, artist and performer are the artist of the file."""


def podcast_facts(children: Children, base: str) -> Iterator[Fact | None]:
    """Yield the facts of an entry or a channel that have attributes."""
    for element in children.get("podcast:person", ())[:_MOST_PERSONS]:
        role = (element.get("role") or "host").strip().lower()[:_LONGEST_WORD]
        frame = framed("podcast:person", role=role, href=fact_link(base, element.get("href")))
        yield fact(FEED, frame, "person", words_of(element, LONGEST_TEXT))
    for element in children.get("media:credit", ())[:_MOST_PERSONS]:
        role = (element.get("role") or "").strip().lower()[:_LONGEST_WORD]
        if role in _CREDITS:
            yield fact(FEED, framed("media:credit", role=role), "person", words_of(element, LONGEST_TEXT))
    for element in children.get("podcast:transcript", ())[:_MOST_TRANSCRIPTS]:
        language = (element.get("language") or "")[:_LONGEST_WORD]
        frame = framed("podcast:transcript", type=media_type(element.get("type")), language=language)
        yield fact(FEED, frame, "transcript_url", fact_link(base, element.get("url")))
    yield from _chapters(children, base)
    yield from _soundbites(children)


def _chapters(children: Children, base: str) -> Iterator[Fact | None]:
    found: list[tuple[float, str, Any]] = []
    for parent in children.get("psc:chapters", ())[:1]:
        for element in parent.iterchildren("{*}chapter"):
            start = _start(element.get("start"))
            if start and len(found) < _MOST_CHAPTERS:
                found.append((float(start), start, element))
    number = 0
    for _, start, element in sorted(found, key=lambda each: each[0]):
        link, image = (fact_link(base, element.get(name)) for name in ("href", "image"))
        frame = framed("psc:chapter", start=start, href=link, image=image)
        title = (element.get("title") or "").strip() or f"{number + 1}"
        made = fact(FEED, frame, f"chapters[{number}].title", title)
        # The numbers have no gap, whatever a title consists of.
        number += made is not None
        yield made


def _soundbites(children: Children) -> Iterator[Fact | None]:
    for element in children.get("podcast:soundbite", ())[:_MOST_SOUNDBITES]:
        start, duration = _start(element.get("startTime")), seconds(element.get("duration"))
        # One without a text has the title of its entry.
        title = words_of(element, LONGEST_TEXT) or next(
            (words_of(each, LONGEST_TEXT) for each in children.get("title", ())), ""
        )
        if start:
            frame = framed("podcast:soundbite", start=start, duration=duration)
            yield fact(FEED, frame, "soundbite", title)


_is_zero = re.compile(r"[0:.]{1,20}", re.ASCII).fullmatch


def _start(written: str | None) -> str:
    """Return a time in decimal seconds, which may be zero; empty for none."""
    return seconds(written) or ("0" if _is_zero((written or "").strip()) else "")
