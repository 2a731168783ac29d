"""What an answer is, by its headers: how many bytes of its body are worth reading, and who reads them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from mediacrawl.probe.icecast import is_stream, stream_bytes
from mediacrawl.probe.multipart import WRAPPING, is_multipart
from mediacrawl.records import Kind

ROBOTS_BYTES = 500 * 1024
"""Bytes of a robots.txt that count at least (RFC 9309, 2.5)."""

_LIST_TYPES = frozenset(
    {
        *("application/rss+xml", "application/atom+xml", "application/rdf+xml", "application/xml", "text/xml"),
        *("text/x-opml", "text/x-opml+xml", "application/xspf+xml", "application/dash+xml", "application/pls+xml"),
        *("audio/x-mpegurl", "audio/mpegurl", "application/x-mpegurl", "application/mpegurl", "audio/x-scpls"),
        *("application/vnd.apple.mpegurl", "audio/scpls", "audio/x-ms-wax", "video/x-ms-wvx", "video/x-ms-asx"),
    }
)
_PACKED = 5
_PAGES = frozenset({"text/html", "application/xhtml+xml"})
_MEDIA = frozenset({"application/ogg", "application/x-ogg", "application/vnd.rn-realmedia", "application/mp4"})
_LISTS = frozenset({"audio/x-mpegurl", "audio/x-scpls"})
_ANYTHING = frozenset({"", "application/octet-stream", "binary/octet-stream", "application/x-download", "text/plain"})


class ResponseKind:
    """What an answer's Content-Type says it is."""

    PAGE = "page"
    LIST = "list"
    """XML, or a playlist: a feed, a sitemap, a manifest ..."""
    MEDIA = "media"
    ANYTHING = "anything"
    """It does not say; the content decides."""
    OTHER = "other"


def response_kind(content_type: str) -> str:
    """One of `ResponseKind`, from a Content-Type header as the server wrote it."""
    mime = content_type.partition(";")[0].strip().lower()
    if mime in _PAGES:
        return ResponseKind.PAGE
    if mime in _LIST_TYPES:
        return ResponseKind.LIST
    if mime in _MEDIA or mime.startswith(("audio/", "video/")):
        return ResponseKind.MEDIA
    return ResponseKind.ANYTHING if mime in _ANYTHING else ResponseKind.OTHER


def is_media(mime: str | None) -> bool:
    """Whether a type found in the content is audio or video, and not a list of such files."""
    return mime is not None and mime not in _LISTS and (mime in _MEDIA or mime.startswith(("audio/", "video/")))


@dataclass(frozen=True, slots=True)
class BodyLimits:
    """How much of a body is read.

    Attributes:
        page: bytes of a page.
        head: bytes of a media file's head.
        single: bytes of a media file from a server that gives no ranges.
        lists: bytes of a feed, a sitemap or a playlist.
    """

    page: int
    head: int
    single: int
    lists: int = 3_000_000


def bytes_wanted(kind: Kind, headers: Mapping[str, str], limits: BodyLimits, *, asked: int, once: bool = False) -> int:
    """How many bytes of a body to read before the connection is dropped.

    Args:
        kind: what was asked for.
        headers: of the answer, as the server wrote them, by name in lower case.
        limits: how much of what is read.
        asked: bytes of the range that was asked for, 0 if none was.
        once: whether the server is known to give no ranges.
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
        # A range that ends by itself keeps the connection; a server that ignores Range is cut off.
        if "content-range" in headers:
            return max(asked, limits.head) + 1
        return max(asked, limits.head) + WRAPPING if is_multipart(content_type) else limits.single
    if answer is ResponseKind.MEDIA:
        return limits.single if once else limits.head
    if kind is Kind.LIST and answer is not ResponseKind.PAGE:
        return _of_list(headers, limits)
    return 0 if answer is ResponseKind.OTHER else limits.page


def _of_list(headers: Mapping[str, str], limits: BodyLimits) -> int:
    """XML is packed to a fifth, and sitemaps to a twentieth: more of it would be unpacked than is read."""
    return limits.lists // _PACKED if headers.get("content-encoding", "identity") != "identity" else limits.lists
