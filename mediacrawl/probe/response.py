"""The kind of a response by its headers, and how many bytes of its body are read."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from mediacrawl.extract.content_coding import codings_of
from mediacrawl.probe.icecast import is_stream, stream_bytes
from mediacrawl.probe.multipart import WRAPPING, is_multipart
from mediacrawl.records import Kind

ROBOTS_BYTES = 500 * 1024
"""Bytes of a robots.txt that a crawler must parse at least (RFC 9309, 2.5)."""

_LIST_TYPES = frozenset(
    {
        *("application/rss+xml", "application/atom+xml", "application/rdf+xml", "application/xml", "text/xml"),
        "application/feed+json",
        *("text/x-opml", "text/x-opml+xml", "application/xspf+xml", "application/dash+xml", "application/pls+xml"),
        *("audio/x-mpegurl", "audio/mpegurl", "application/x-mpegurl", "application/mpegurl", "audio/x-scpls"),
        *("application/vnd.apple.mpegurl", "audio/scpls", "audio/x-ms-wax", "video/x-ms-wvx", "video/x-ms-asx"),
    }
)
_COMPRESSION = 5
_PAGES = frozenset({"text/html", "application/xhtml+xml"})
_MEDIA = frozenset(
    {
        *("application/ogg", "application/x-ogg", "application/mp4"),
        *("application/vnd.rn-realmedia", "application/vnd.rn-realmedia-vbr"),
        *("application/midi", "application/x-midi", "x-music/x-midi"),
    }
)
_LISTS = frozenset({"audio/x-mpegurl", "audio/x-scpls"})
_ANYTHING = frozenset({"", "application/octet-stream", "binary/octet-stream", "application/x-download", "text/plain"})


class ResponseKind:
    """The kind of a response by its Content-Type."""

    PAGE = "page"
    LIST = "list"
    """XML, or a playlist: a feed, a sitemap, a manifest ..."""
    MEDIA = "media"
    ANYTHING = "anything"
    """The type is unspecific; the content decides."""
    OTHER = "other"


def response_kind(content_type: str) -> str:
    """Returns one of `ResponseKind` for a Content-Type header."""
    mime = content_type.partition(";")[0].strip().lower()
    if mime in _PAGES:
        return ResponseKind.PAGE
    if mime in _LIST_TYPES:
        return ResponseKind.LIST
    if mime in _MEDIA or mime.startswith(("audio/", "video/")):
        return ResponseKind.MEDIA
    return ResponseKind.ANYTHING if mime in _ANYTHING else ResponseKind.OTHER


def is_media(mime: str | None) -> bool:
    """Whether a MIME type is audio or video, and no playlist."""
    return mime is not None and mime not in _LISTS and (mime in _MEDIA or mime.startswith(("audio/", "video/")))


@dataclass(frozen=True, slots=True)
class BodyLimits:
    """Limits on the bytes read of a body.

    Attributes:
        page: bytes of a page.
        head: bytes of a media file's head.
        single: bytes of a media file from a server without ranges.
        lists: bytes of a feed, a sitemap or a playlist.
    """

    page: int
    head: int
    single: int
    lists: int = 3_000_000


def bytes_wanted(kind: Kind, headers: Mapping[str, str], limits: BodyLimits, *, asked: int, once: bool = False) -> int:
    """Number of bytes of a body to read before the connection is closed.

    Args:
        kind: of the request.
        headers: of the response, by name in lower case.
        limits: by kind of response.
        asked: bytes of the requested range, 0 without one.
        once: whether the server is known to send no ranges.
    """
    if kind is Kind.ROBOTS:
        return ROBOTS_BYTES
    if is_stream(headers):
        return stream_bytes(headers)
    content_type = headers.get("content-type", "")
    answer = response_kind(content_type)
    if answer is ResponseKind.LIST and "content-range" not in headers:
        return _of_list(headers, limits)
    if kind is Kind.MEDIA and answer is not ResponseKind.PAGE:
        # A complete range keeps the connection open; the response of a server that ignores Range is cut off.
        if "content-range" in headers:
            return max(asked, limits.head) + 1
        return max(asked, limits.head) + WRAPPING if is_multipart(content_type) else limits.single
    if answer is ResponseKind.MEDIA:
        return limits.single if once else limits.head
    if kind is Kind.LIST and answer is not ResponseKind.PAGE:
        return _of_list(headers, limits)
    return 0 if answer is ResponseKind.OTHER else limits.page


def _of_list(headers: Mapping[str, str], limits: BodyLimits) -> int:
    """XML is compressed to a fifth, sitemaps to a twentieth, so fewer compressed bytes suffice."""
    return limits.lists // _COMPRESSION if codings_of([headers.get("content-encoding", "")]) else limits.lists
