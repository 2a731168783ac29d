"""What a response is: one decision, before one reader reads it."""

from __future__ import annotations

from collections.abc import Callable
from enum import StrEnum
from typing import TYPE_CHECKING, NamedTuple

from mediacrawl.base.content_type import claim_of, is_media, is_text, names_media
from mediacrawl.base.queued import WAITS
from mediacrawl.base.terms import Kind
from mediacrawl.crawl.headers import header as header_of
from mediacrawl.download.body_bytes import FIRST_BYTES, disposition_name
from mediacrawl.extract import recognize_list
from mediacrawl.probe import sniff, stream_bytes

if TYPE_CHECKING:
    from scrapy.http import Response

OEMBED = "oembed"
"""The form of a response of oEmbed, and its link source."""
_STREAMS = (b"Icy-", b"Ice-")
"""The headers of a stream begin so."""
_WITH_BYTES = frozenset({200, 206})


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


class Recognized(NamedTuple):
    """What a response is; of a list also its form and its text, see `extract.recognize_list`."""

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
        streams: whether its headers are those of a stream, see `is_stream`.
        probing: whether a probe has begun, or the server refused its first range.
        list_bytes: bytes of a list that are read, unpacked.
    """
    if via == WAITS:
        return Recognized(ResponseKind.DATA)
    if streams:
        return Recognized(ResponseKind.STREAM)
    if probing:
        return _MEDIUM
    content_type, disposition = header("Content-Type"), header("Content-Disposition")
    name = disposition_name(disposition) if disposition else ""
    form, text = recognize_list(body, content_type, name or url, list_bytes)
    if via == OEMBED and kind is Kind.LIST:
        form = OEMBED
    if form:
        return Recognized(_KINDS.get(form, ResponseKind.PLAYLIST), form, text)
    mime = sniff(body).mime
    if mime == "text/html":
        return _PAGE
    is_plain, claim = is_text(body[:FIRST_BYTES]), claim_of(content_type)
    if is_plain:
        # A text may begin with the signature of a format: "ID3 tags are ...".
        mime = None
    if is_media(mime):
        return _MEDIUM
    if (claim == "page" or (is_plain and header("Refresh"))) and (is_plain or not names_media(name)):
        # What is known to be something else is no page, whatever its label is.
        return _PAGE if mime is None else _NOTHING
    return _MEDIUM if kind is Kind.MEDIA or claim == "media" or names_media(name) else _NOTHING


def is_stream(response: Response) -> bool:
    """Whether a response is a stream without an end, by its headers."""
    if response.status not in _WITH_BYTES:
        return False
    if (response.protocol or "").startswith("ICY/"):
        return True
    # Called for every page.
    if not any(name.startswith(_STREAMS) for name in response.headers):
        return False
    names = [name.decode("latin-1") for name in response.headers]
    return stream_bytes({name.lower(): header_of(response, name) for name in names}) > 0
