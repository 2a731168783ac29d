"""Facts that a feed states about its media: of an entry, of a file and of the whole channel."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import lru_cache
from typing import Any

from mediacrawl.extract.texts import absolute, media_type, moment, seconds, whole, yes_or_no
from mediacrawl.extract.xml_text import text_of, without_markup, words_of
from mediacrawl.facts import FEED, LONGEST_TEXT, Fact, fact, stated

_PLAIN = frozenset(
    {
        "http://www.w3.org/2005/atom",
        "http://purl.org/atom/ns#",
        "http://purl.org/rss/1.0",
        "http://my.netscape.com/rdf/simple/0.9",
        "http://channel.netscape.com/rdf/simple/0.9",
        "http://backend.userland.com/rss",
        "http://backend.userland.com/rss2",
        "http://backend.userland.com/rss091",
        "http://blogs.law.harvard.edu/tech/rss",
    }
)
"""Namespaces of feeds themselves."""

_PREFIXES = {
    "http://www.itunes.com/dtds/podcast-1.0.dtd": "itunes",
    "https://podcastindex.org/namespace/1.0": "podcast",
    "https://github.com/podcastindex-org/podcast-namespace/blob/main/docs/1.0.md": "podcast",
    "http://search.yahoo.com/mrss": "media",
    "http://www.rssboard.org/media-rss": "media",
    "http://www.youtube.com/xml/schemas/2015": "yt",
    "http://gdata.youtube.com/schemas/2007": "yt",
    "http://purl.org/dc/elements/1.1": "dc",
    "http://purl.org/dc/terms": "dcterms",
    "http://purl.org/rss/1.0/modules/content": "content",
    "http://purl.org/rss/1.0/modules/syndication": "sy",
    "http://backend.userland.com/creativecommonsrssmodule": "creativecommons",
    "http://cyber.law.harvard.edu/rss/creativecommonsrssmodule.html": "creativecommons",
    "http://web.resource.org/cc": "cc",
    "http://creativecommons.org/ns#": "cc",
    "http://www.google.com/schemas/play-podcasts/1.0": "googleplay",
}
_KNOWN = frozenset(_PREFIXES.values())

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
}
"""Name of an element, see `short_name` -> key of the fact that its text is. Of one key the first counts."""


@lru_cache(maxsize=2_048)
def short_name(tag: str, own: str = "") -> str:
    """Return the name of an element as people write it, in lower case: ``itunes:author``, ``pubdate``.

    Elements of the feed's own format have no prefix; those of formats that say nothing to us have ``?``.

    Args:
        tag: as lxml gives it: ``{namespace}name``.
        own: namespace of the entry that it stands in: whatever it is, it counts as the feed's own.
    """
    space, _, local = tag.rpartition("}")
    local = local.lower()
    space = space.removeprefix("{")
    if not space:
        # An undeclared prefix is part of the name.
        prefix, colon, rest = local.partition(":")
        return local if not colon else f"{prefix if prefix in _KNOWN else '?'}:{rest}"
    known = space.lower().rstrip("/")
    if known in _PREFIXES:
        return f"{_PREFIXES[known]}:{local}"
    return local if known in _PLAIN or space == own else f"?:{local}"


Children = Mapping[str, Sequence[Any]]
"""The elements below one, by their names (`feed_names.short_name`)."""

_MOST_OF_A_KEY = 3
"""Elements of one key that are kept: of five descriptions three are the same."""
_MOST_LINKS = 5
"""Transcripts, hubs and pictures of one entry that are kept."""
_RANKS = {frame: place for place, frame in enumerate(FRAMES)}


def entry_facts(children: Children, base: str) -> list[Fact]:
    """Return what an entry says of its media files, the weightiest first.

    Args:
        children: of the entry, and of its ``media:group``.
        base: what its references are relative to.
    """
    return stated((*_texts(children), *_references(children, base)))


def file_facts(element: Any) -> list[Fact]:
    """Return what an entry claims of one file.

    Args:
        element: ``enclosure``, ``media:content``, ``podcast:alternateEnclosure`` or a ``link``.
    """
    get = element.get
    claims = (
        ("type", "mime", media_type(get("type"))),
        ("length", "size", whole(get("length") or get("fileSize")) or ""),
        ("duration", "duration", seconds(get("duration"))),
        ("width", "width", whole(get("width")) or ""),
        ("height", "height", whole(get("height")) or ""),
        ("lang", "language", get("lang") or ""),
    )
    name = str(element.tag).rpartition("}")[2]
    return stated(fact(FEED, f"{name}@{attribute}", key, value) for attribute, key, value in claims)


def channel_facts(children: Children, base: str) -> list[Fact]:
    """Return what a feed says of all its entries; an entry's own word goes before it.

    Args:
        children: of the channel, or of an Atom feed.
        base: what its references are relative to.
    """
    found: list[Fact | None] = []
    for each in entry_facts(children, base):
        # What describes the channel does not describe one of its files.
        if each.key == "title":
            found.append(fact(FEED, f"channel/{each.frame}", "podcast", each.text))
        elif each.key in _OF_ALL:
            found.append(each._replace(frame=f"channel/{each.frame}"))
    genres = (element.get("text") or "" for element in children.get("itunes:category", ())[:_MOST_OF_A_KEY])
    found += [fact(FEED, "channel/itunes:category", "genre", genre) for genre in genres]
    return stated(found)


_OF_ALL = frozenset({"artist", "license", "license_url", "copyright", "language", "explicit", "thumbnail_url"})


def _texts(children: Children) -> Iterator[Fact | None]:
    taken: dict[str, set[str]] = {}
    for name in sorted(_RANKS.keys() & children.keys(), key=_RANKS.__getitem__):
        key = FRAMES[name]
        known = taken.setdefault(key, set())
        for element in children[name]:
            if len(known) >= _MOST_OF_A_KEY:
                break
            made = fact(FEED, name, key, _READERS.get(key, _plain)(element))
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
    ("podcast:transcript", "url", "transcript_url"),
    ("podcast:chapters", "url", "chapters_url"),
    ("podcast:license", "url", "license_url"),
    ("media:license", "href", "license_url"),
    ("creativecommons:license", "", "license_url"),
    ("cc:license", "{http://www.w3.org/1999/02/22-rdf-syntax-ns#}resource", "license_url"),
    ("logo", "", "thumbnail_url"),
)
"""Element, its attribute (empty for its text), and the key of the URL that stands there."""


def _url(frame: str, key: str, written: str | None, base: str) -> Fact | None:
    url = absolute(base, (written or "").strip())
    # A URL that was cut leads elsewhere.
    return fact(FEED, frame, key, url) if len(url) <= LONGEST_TEXT else None


def _plain(element: Any) -> str:
    return words_of(element, LONGEST_TEXT)


def _artist(element: Any) -> str:
    """Atom's author has a name below; RSS wants an address with the name behind it: ``me@site.example (My Name)``."""
    name = element.find("{*}name")
    if name is not None:
        return words_of(name, LONGEST_TEXT)
    role = element.get("role")
    if role and role.lower() not in {"author", "artist", "performer", "composer", "host"}:
        return ""
    text = words_of(element, LONGEST_TEXT)
    address, _, named = text.partition(" (")
    return named.removesuffix(")").strip() or text if "@" in address else text


def _keywords(element: Any) -> str:
    return words_of(element, LONGEST_TEXT) or element.get("label") or element.get("term") or ""


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
    "explicit": _explicit,
    "keywords": _keywords,
    "license": _license,
}


def combined(entry: Iterable[Fact], file: Iterable[Fact], channel: Iterable[Fact]) -> tuple[Fact, ...]:
    """Return all that is known of one file: the channel's word counts where nothing closer speaks.

    Args:
        entry: of the entry that names it.
        file: of itself.
        channel: of the whole feed.
    """
    near = [*entry, *file]
    told = {each.key for each in near}
    return (*near, *(each for each in channel if each.key not in told))
