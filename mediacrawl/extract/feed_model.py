"""What a feed is read into, whether it is XML or JSON, and the names of its elements whatever prefixes it declares."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Any

from mediacrawl.base.content_type import names_media
from mediacrawl.base.facts import Fact
from mediacrawl.extract.texts import unescape_url

MAX_ENTRIES = 5_000
"""Entries of a feed that are kept; the others are counted in `Feed.cut`."""
ID_LENGTH = 500
"""Characters of the id of an entry, and of the URL of a hub."""
MOST_FILES = 50
"""Media files of one entry that are kept: a film in ten sizes and four languages has some forty."""
NO_MEDIA = (
    *("image/", "text/", "application/x-shockwave-flash", "application/x-bittorrent", "application/pdf"),
    *("application/zip", "application/epub"),
)
"""Prefixes of other types: covers and articles are enclosed too. A URL with a media ending precedes them."""


@dataclass(slots=True)
class FeedEntry:
    """One entry, or one of the media files of an entry that has several.

    Attributes:
        title: at most 200 characters, white space folded.
        link: the page of the entry, as written; empty if it has none.
        guid: the entry's own id; empty if it has none.
        enclosure: URL of the media file, as written; empty if it has none.
        type: media type that the feed claims, in lower case.
        length: bytes that the feed claims; 0 if it claims none.
        player: URL that plays what the entry is about, if it names no file; else empty.
        facts: about the file, or what the player plays.
    """

    title: str = ""
    link: str = ""
    guid: str = ""
    enclosure: str = ""
    type: str = ""
    length: int = 0
    player: str = ""
    facts: tuple[Fact, ...] = field(default=(), compare=False)


@dataclass(slots=True)
class Feed:
    """The content of a feed.

    Attributes:
        url: of the feed.
        title: at most 200 characters.
        language: as declared: ``de-AT``.
        next: URL of the feed's next page (RFC 5005), as written; empty without one.
        moved: its new URL, as written (``itunes:new-feed-url``); empty without one.
        hub: URL of its WebSub hub; empty without one.
        wait: seconds that it requests between two visits; 0 without a request.
        entries: at most `MAX_ENTRIES`.
        cut: entries beyond that.
    """

    url: str
    title: str = ""
    language: str = ""
    next: str = ""
    moved: str = ""
    hub: str = ""
    wait: float = 0.0
    entries: list[FeedEntry] = field(default_factory=list)
    cut: int = 0


_html_links = re.compile(
    r"<(a|audio|video|source)\b[^<>]*?\s(?:href|src)\s*=\s*(?:\"([^\"<>]*)\"|'([^'<>]*)'|([^\s\"'<>]++))", re.IGNORECASE
).finditer
_LONGEST_HTML = 100_000
"""Characters of HTML that are searched for media."""


def is_reference(text: str) -> bool:
    """Whether an id may be followed: a URL of the web, or a reference that is relative to the feed."""
    return text.startswith(("http://", "https://", "/")) and len(text) <= ID_LENGTH


def unlabelled(link: str, guid: str, html: Iterable[str], *, has_file: bool) -> Iterator[tuple[str, bool]]:
    """Yield the media that an entry names as its page, its id or in HTML, and whether each is what the entry is about.

    What HTML names besides a file is about another one: by its extension, or because it plays it.
    """
    for url in (link, "" if has_file or not is_reference(guid) else guid):
        if names_media(url):
            has_file = True
            yield url, True
    for text in html:
        for found in _html_links(text, 0, _LONGEST_HTML) if "<" in text else ():
            url = unescape_url(next(filter(None, found.groups()[1:]), "")).strip()
            if names_media(url) or (url and found[1].lower() != "a" and not url.startswith(("data:", "blob:"))):
                yield url, not has_file


def encoding_of(url: str, mime: str) -> str:
    """Return what tells the encodings of one work apart: the media type, or the extension."""
    return mime or url.partition("?")[0].rpartition(".")[2].lower()


Children = Mapping[str, Sequence[Any]]
"""The elements below one, by their names, see `short_name`."""

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
    "http://purl.oclc.org/net/rss_2.0/enc#": "enc",
    "http://purl.org/rss/1.0/modules/content": "content",
    "http://purl.org/rss/1.0/modules/syndication": "sy",
    "http://backend.userland.com/creativecommonsrssmodule": "creativecommons",
    "http://cyber.law.harvard.edu/rss/creativecommonsrssmodule.html": "creativecommons",
    "http://web.resource.org/cc": "cc",
    "http://creativecommons.org/ns#": "cc",
    "http://www.google.com/schemas/play-podcasts/1.0": "googleplay",
    "http://podlove.org/simple-chapters": "psc",
}
_KNOWN = frozenset(_PREFIXES.values())


@lru_cache(maxsize=2_048)
def short_name(tag: str, own: str = "") -> str:
    """Return the name of an element with its usual prefix, in lower case: ``itunes:author``, ``pubdate``.

    Elements of the feed's own format, or of the namespace `own`, have no prefix; those of unknown namespaces have
    ``?``.
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
