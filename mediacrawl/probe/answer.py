"""What an answer is, by its headers: how many bytes of its body are worth reading, and who reads them."""

from __future__ import annotations

from mediacrawl.records import Kind

ROBOTS_BYTES = 500 * 1024
"""Bytes of a robots.txt that count at least (RFC 9309, 2.5)."""

_FEEDS = frozenset(
    {"application/rss+xml", "application/atom+xml", "application/rdf+xml", "application/xml", "text/xml"}
)
_PAGES = frozenset({"text/html", "application/xhtml+xml"})
_MEDIA = frozenset({"application/ogg", "application/x-ogg", "application/vnd.rn-realmedia", "application/mp4"})
_LISTS = frozenset({"audio/x-mpegurl", "audio/x-scpls"})
_ANYTHING = frozenset({"", "application/octet-stream", "binary/octet-stream", "application/x-download", "text/plain"})


class Answer:
    """What an answer's Content-Type says it is."""

    PAGE = "page"
    FEED = "feed"
    MEDIA = "media"
    ANYTHING = "anything"
    """It does not say; the content decides."""
    OTHER = "other"


def answer_kind(content_type: str) -> str:
    """One of `Answer`, from a Content-Type header as the server wrote it."""
    mime = content_type.partition(";")[0].strip().lower()
    if mime in _PAGES:
        return Answer.PAGE
    if mime in _FEEDS:
        return Answer.FEED
    if mime in _MEDIA or mime.startswith(("audio/", "video/")):
        return Answer.MEDIA
    return Answer.ANYTHING if mime in _ANYTHING else Answer.OTHER


def is_media(mime: str | None) -> bool:
    """Whether a type found in the content is audio or video, and not a list of such files."""
    return mime is not None and mime not in _LISTS and (mime in _MEDIA or mime.startswith(("audio/", "video/")))


def bytes_wanted(kind: Kind, content_type: str, *, partial: bool, asked: int, page: int, head: int) -> int:
    """How many bytes of a body to read before the connection is dropped.

    Args:
        kind: what was asked for.
        content_type: header as the server wrote it.
        partial: whether the server sends a range (it has a Content-Range).
        asked: bytes of the range that was asked for, 0 if none was.
        page: bytes of a page that are read.
        head: bytes of a media file's head.
    """
    if kind is Kind.ROBOTS:
        return ROBOTS_BYTES
    answer = answer_kind(content_type)
    if kind is Kind.MEDIA and answer is not Answer.PAGE:
        # A range that ends by itself keeps the connection; a server that ignores Range is cut off after the head.
        return max(asked, head) + 1 if partial else head
    if answer is Answer.MEDIA:
        return head
    if answer is Answer.OTHER:
        return 0
    return page
