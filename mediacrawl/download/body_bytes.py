"""How many bytes of a body are read, by the headers of its response and by its first bytes."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass

from mediacrawl.base.content_coding import codings_of
from mediacrawl.base.content_type import claim_of, is_media, is_text, names_media, root_name
from mediacrawl.base.terms import Kind
from mediacrawl.extract import recognize_list
from mediacrawl.probe import sniff, stream_bytes

ROBOTS_BYTES = 500 * 1024
"""Bytes of a robots.txt that a crawler must parse at least (RFC 9309, 2.5)."""

FIRST_BYTES = 4096
"""Bytes that show whether a body is a text, or of which format it is."""

_COMPRESSION = 5
_WRAPPING = 1024
"""Bytes that the boundaries and headers of one part of ``multipart/byteranges`` may add to the requested range."""
_STREAMS = ("icy-", "ice-")
"""The headers of a stream begin so."""
_filename = re.compile(r"filename\*?\s*=\s*(?:\"([^\"]*)\"|([^;]*))", re.IGNORECASE).search


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


def disposition_name(content_disposition: str) -> str:
    """Returns the file name of a Content-Disposition (RFC 6266); percent-encoded if it is ``filename*``."""
    found = _filename(content_disposition[:2_000]) if content_disposition else None
    return (found[1] or found[2] or "").strip() if found else ""


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
    if any(name.startswith(_STREAMS) for name in headers) and (wanted := stream_bytes(headers)):
        return wanted
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
        in_parts = content_type.lstrip().lower().startswith("multipart/byteranges")
        return max(asked, limits.head) + _WRAPPING if in_parts else limits.single
    disposition = headers.get("content-disposition", "")
    if claim == "media" or (disposition and claim != "page" and names_media(disposition_name(disposition))):
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
    form, text = recognize_list(first, content_type, most=FIRST_BYTES)
    if form:
        return limits.lists
    if is_text(text):
        return limits.page if root_name(text) == "html" else wanted
    if is_media(sniff(first).mime):
        return limits.head
    # A program or an archive; or too few bytes came to tell.
    return min(wanted, limits.single) if claim_of(content_type) == "anything" else wanted
