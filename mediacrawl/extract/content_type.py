"""What a Content-Type header says that a response is."""

from __future__ import annotations

import re
from typing import Literal

from mediacrawl.extract.lists import PAGE_TYPES
from mediacrawl.extract.texts import media_type

_says_list = re.compile(
    r"(?!image/|application/vnd\.(?!apple)).*(?:[/+]xml|mpegurl|scpls|feed\+json|/(?:x-)?(?:rss|opml)|x-ms-(?:wax|wvx|asx))"
).match
_says_media = re.compile(r"audio/|video/|application/(?:(?:x-)?(?:ogg|mp4|mp3|midi)|vnd\.rn-realmedia)|x-music/").match
_says_other = re.compile(
    r"image/|font/|model/|message/|text/(?:css|csv|calendar|vcard|javascript)|application/(?:(?:x-)?(?:javascript|java|zip|"
    r"gzip|bzip|tar|rar|7z|font|shockwave-flash|bittorrent)|pdf|postscript|rtf|msword|vnd\.|epub|wasm)"
).match
"""Types that are none of ours. Of other types the content decides: download scripts invent them."""

Claim = Literal["page", "list", "media", "anything", "other"]
"""What a Content-Type says that a response is. ``list`` is XML or a playlist; of ``anything`` the content decides."""


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
