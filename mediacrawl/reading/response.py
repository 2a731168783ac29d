"""What a response is: one decision, before one reader reads it."""

from __future__ import annotations

from collections.abc import Callable
from enum import StrEnum
from typing import NamedTuple

from mediacrawl.base.queued import WAITS
from mediacrawl.base.terms import Kind
from mediacrawl.download.body_bytes import FIRST_BYTES, disposition_name
from mediacrawl.extract import list_form, list_text
from mediacrawl.extract.content_type import claim_of, is_media
from mediacrawl.extract.lists import OEMBED, is_text
from mediacrawl.extract.texts import names_media
from mediacrawl.probe import sniff


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
        streams: whether its headers are those of a stream.
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
