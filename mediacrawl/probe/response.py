"""What a response is, and how many bytes of its body are read."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import Literal, NamedTuple

from mediacrawl.extract import list_form, list_text
from mediacrawl.extract.content_coding import codings_of
from mediacrawl.extract.lists import OEMBED, PAGE_TYPES, is_text
from mediacrawl.extract.texts import media_type, names_media
from mediacrawl.extract.xml_text import root_name
from mediacrawl.probe.claims import disposition_name
from mediacrawl.probe.formats import SNIFF_BYTES, UNKNOWN, is_html, sniff
from mediacrawl.probe.icecast import is_stream, stream_bytes
from mediacrawl.probe.multipart import WRAPPING, is_multipart
from mediacrawl.records import Kind
from mediacrawl.site_adapters.queued import WAITS

ROBOTS_BYTES = 500 * 1024
"""Bytes of a robots.txt that a crawler must parse at least (RFC 9309, 2.5)."""

_says_list = re.compile(
    r"(?!image/|application/vnd\.(?!apple)).*(?:[/+]xml|mpegurl|scpls|feed\+json|/(?:x-)?(?:rss|opml)|x-ms-(?:wax|wvx|asx))"
).match
_COMPRESSION = 5
_says_media = re.compile(r"audio/|video/|application/(?:(?:x-)?(?:ogg|mp4|mp3|midi)|vnd\.rn-realmedia)|x-music/").match
_says_other = re.compile(
    r"image/|font/|model/|message/|text/(?:css|csv|calendar|vcard|javascript)|application/(?:(?:x-)?(?:javascript|java|zip|"
    r"gzip|bzip|tar|rar|7z|font|shockwave-flash|bittorrent)|pdf|postscript|rtf|msword|vnd\.|epub|wasm)"
).match
"""Types that are none of ours. Of other types the content decides: download scripts invent them."""


class ResponseKind(StrEnum):
    """What a response is."""

    PAGE = "page"
    FEED = "feed"
    SITEMAP = "sitemap"
    PLAYLIST = "playlist"
    MANIFEST = "manifest"
    """Of a segmented medium: HLS, DASH."""
    OUTLINE = "outline"
    """OPML."""
    OEMBED = "oembed"
    MEDIA = "media"
    STREAM = "stream"
    """Media without an end."""
    DATA = "data"
    """The answer to a data request of a site adapter."""
    NOTHING = "nothing"


Claim = Literal["page", "list", "media", "anything", "other"]
"""What a Content-Type says that a response is. ``list`` is XML or a playlist; of ``anything`` the content decides."""


class Recognized(NamedTuple):
    """What a response is; of a list also its form (`extract.list_form`) and its text (`extract.list_text`)."""

    kind: ResponseKind
    form: str = ""
    text: bytes = b""


_KINDS = {
    "feed": ResponseKind.FEED,
    "opml": ResponseKind.OUTLINE,
    OEMBED: ResponseKind.OEMBED,
    **dict.fromkeys(("sitemap", "urls"), ResponseKind.SITEMAP),
    **dict.fromkeys(("hls", "dash"), ResponseKind.MANIFEST),
}
"""Form of a list -> its kind; the others are playlists."""
_PAGE, _MEDIUM, _NOTHING = map(Recognized, (ResponseKind.PAGE, ResponseKind.MEDIA, ResponseKind.NOTHING))


def recognize(
    kind: Kind,
    via: str,
    url: str,
    header: Callable[[str], str],
    body: bytes,
    *,
    streams: bool = False,
    probing: bool = False,
    list_bytes: int = 3_000_000,
) -> Recognized:
    """Decide what a response is. Its content precedes its labels, and they precede what was expected.

    Args:
        kind: what was expected there.
        via: the link source.
        url: of the response.
        header: returns a header by its name, empty without one.
        body: as received, cut.
        streams: whether its headers are those of a stream, see `icecast.is_stream`.
        probing: whether a probe has begun, or the server refused its first range.
        list_bytes: bytes of a list that are read, unpacked.
    """
    if via == WAITS:
        return Recognized(ResponseKind.DATA)
    if streams:
        return Recognized(ResponseKind.STREAM)
    if probing:
        return _MEDIUM
    content_type, name = header("Content-Type"), disposition_name(header("Content-Disposition"))
    text = list_text(body, list_bytes)
    form = OEMBED if via == OEMBED and kind is Kind.LIST else list_form(content_type, text, name or url)
    if form:
        return Recognized(_KINDS.get(form, ResponseKind.PLAYLIST), form, text)
    if is_html(body):
        return _PAGE
    # A text may begin with the signature of a format: "ID3 tags are ...".
    is_plain, claim = is_text(body[:SNIFF_BYTES]), claim_of(content_type)
    sniffed = UNKNOWN if is_plain else sniff(body)
    if is_media(sniffed.mime):
        return _MEDIUM
    if (claim == "page" or (is_plain and header("Refresh"))) and (is_plain or not names_media(name)):
        # What is known to be something else is no page, whatever its label is.
        return _PAGE if sniffed == UNKNOWN else _NOTHING
    return _MEDIUM if kind is Kind.MEDIA or claim == "media" or names_media(name) else _NOTHING


def claim_of(content_type: str) -> Claim:
    """Return what a Content-Type header says that a response is."""
    mime = media_type(content_type)
    if mime in PAGE_TYPES:
        return "page"
    if _says_list(mime):
        return "list"
    if _says_media(mime):
        return "media"
    return "other" if _says_other(mime) else "anything"


def is_media(mime: str | None) -> bool:
    """Whether a MIME type is audio or video, and no playlist."""
    return mime is not None and claim_of(mime) == "media"


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


def bytes_wanted(kind: Kind, headers: Mapping[str, str], limits: BodyLimits, *, asked: int) -> int:
    """Number of bytes of a body to read before the connection is closed.

    Args:
        kind: of the request.
        headers: of the response, by name in lower case.
        limits: by kind of response.
        asked: bytes of the requested range, 0 without one.
    """
    if kind is Kind.ROBOTS:
        return ROBOTS_BYTES
    if is_stream(headers):
        return stream_bytes(headers)
    content_type = headers.get("content-type", "")
    claim = claim_of(content_type)
    if (kind is Kind.LIST or claim == "list") and "content-range" not in headers:
        # XML is compressed to a fifth, sitemaps to a twentieth, so fewer compressed bytes suffice.
        is_packed = codings_of([headers.get("content-encoding", "")])
        return limits.lists // _COMPRESSION if is_packed else limits.lists
    if kind is Kind.MEDIA and claim != "page":
        # A complete range keeps the connection open; the response of a server that ignores Range is cut off.
        if "content-range" in headers:
            return max(asked, limits.head) + 1
        return max(asked, limits.head) + WRAPPING if is_multipart(content_type) else limits.single
    named = names_media(disposition_name(headers.get("content-disposition", "")))
    if claim == "media" or (named and claim != "page"):
        return limits.head
    return 0 if claim == "other" else limits.page


def bytes_wanted_of(first: bytes, limits: BodyLimits, wanted: int, content_type: str) -> int:
    """Number of bytes of a page or a list to read, as in `bytes_wanted`, after the first of them came.

    Args:
        first: bytes without a content coding.
        limits: by kind of response.
        wanted: as the headers let expect.
        content_type: the header.
    """
    text = list_text(first, SNIFF_BYTES)
    if list_form(content_type, text, ""):
        return limits.lists
    if is_text(text):
        return limits.page if root_name(text) == "html" else wanted
    if is_media(sniff(first).mime):
        return limits.head
    # A program or an archive; or too few bytes came to tell.
    return min(wanted, limits.single) if claim_of(content_type) == "anything" else wanted
