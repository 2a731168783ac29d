"""What the elements of feeds are called, and what each says: a table, in the order of their weight."""

from __future__ import annotations

from functools import lru_cache

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
