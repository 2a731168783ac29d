"""Names of the elements of feeds, whatever prefix a feed declares for their namespaces."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import lru_cache
from typing import Any

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
