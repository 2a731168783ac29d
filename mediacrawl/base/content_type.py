"""What a response or a file is, by its Content-Type, by its name, or by its first bytes."""

from __future__ import annotations

import re
from functools import lru_cache
from typing import Literal

PAGE_TYPES = frozenset({"text/html", "application/xhtml+xml"})
_AUDIO_ENDINGS = (
    *(".mp3", ".m4a", ".m4b", ".ogg", ".oga", ".opus", ".flac", ".wav", ".aac", ".wma", ".weba"),
    *(".aif", ".aiff", ".ape", ".wv", ".amr", ".3ga", ".awb", ".caf", ".dsf", ".dff", ".w64", ".tak"),
    *(".mid", ".midi", ".kar", ".rmi", ".s3m", ".ra"),
)
_VIDEO_ENDINGS = (
    *(".mp4", ".m4v", ".webm", ".mov", ".ogv", ".mkv", ".avi", ".wmv", ".mpg", ".flv"),
    *(".rm", ".rmvb"),
)
MEDIA_ENDINGS = (*_AUDIO_ENDINGS, *_VIDEO_ENDINGS, ".m3u8", ".mpd")
"""Suffixes that distinguish a file from a page: not ``.au``, in which hosts end too. Whether a URL may be requested is
decided elsewhere."""
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


@lru_cache(maxsize=256)
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


_parameters = re.compile(r"[;,\s]").split
"""Servers also write ``text/xml,charset=utf-8``."""


@lru_cache(maxsize=256)
def media_type(text: str | None) -> str:
    """Return a media type in lower case without its parameters; at most 100 characters."""
    return _parameters((text or "").strip().lower(), 1)[0][:100]


@lru_cache(maxsize=256)
def header_charset(content_type: str) -> str | None:
    """Return the charset of a Content-Type header in lower case, or None."""
    _, _, charset = content_type.lower().partition("charset=")
    return charset.partition(";")[0].strip("\"' ") or None


def names_media(href: str) -> bool:
    """Whether a reference has the suffix of a media file."""
    path = href.partition("#")[0].partition("?")[0]
    return path[-10:].rstrip().lower().endswith(MEDIA_ENDINGS)


def kind_of_media(href: str, mime: str = "") -> str:
    """Return ``audio`` or ``video`` by the media type or the suffix of a file; empty if neither says it."""
    if mime.startswith(("audio/", "video/")) and not mime.endswith("mpegurl"):
        return mime[:5]
    ending = href.partition("#")[0].partition("?")[0][-10:].rstrip().lower()
    return "audio" if ending.endswith(_AUDIO_ENDINGS) else "video" if ending.endswith(_VIDEO_ENDINGS) else ""


def is_text(head: bytes) -> bool:
    """Whether the first bytes may be text: no control characters but white space, and those that change the script."""
    return not head.translate(None, bytes(range(0x20, 0x100)) + b"\t\r\n\f\x0e\x0f\x1b")


_HEAD = 4_096
"""Bytes in which the first element of a document is looked for."""
_comments = re.compile(rb"<!--.*?(?:-->|\Z)", re.DOTALL)
_first_element = re.compile(rb"<(?:[A-Za-z][\w.-]{0,40}:)?([A-Za-z][\w.-]{0,40})").search
xml_start = re.compile(rb"<\?xml\s|<(?:rss|feed|rdf:RDF|urlset|sitemapindex|playlist|opml|MPD)[\s>]").search
"""Where XML begins behind the warnings that server programs print before it."""
_WARNINGS = frozenset({b"br", b"b", b"p", b"div", b"font"})
"""Root elements of such warnings."""


def root_name(body: bytes) -> str:
    """Return the local name of the first element, in lower case; empty if the first 4 KB have none."""
    # UTF-16 has a zero byte next to each letter of a tag.
    head = _comments.sub(b"", body[:_HEAD].replace(b"\0", b""))
    root = _first_element(head)
    if root is not None and root[1].lower() in _WARNINGS and (start := xml_start(head)):
        root = _first_element(head, start.start())
    return root[1].decode("ascii", "replace").lower() if root else ""
