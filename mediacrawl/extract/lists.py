"""Recognizes feeds, sitemaps, playlists and manifests, and parses each with its reader."""

from __future__ import annotations

import re

from mediacrawl.extract.charset import History, read_xml
from mediacrawl.extract.dash import parse_dash
from mediacrawl.extract.feeds import Feed, looks_like_feed, parse_feed
from mediacrawl.extract.hls import is_hls, parse_hls
from mediacrawl.extract.json_feed import is_json_feed, parse_json_feed
from mediacrawl.extract.listing import MOST_PLAYERS, Listed, Listing, Player
from mediacrawl.extract.oembed import FORM, parse_oembed
from mediacrawl.extract.playlists import PLAIN, XML, plain_list
from mediacrawl.extract.sitemaps import parse_sitemap
from mediacrawl.extract.xml_text import root_name
from mediacrawl.records import Kind

_HEAD = 1_024
"""Bytes of a response by which a list is recognized."""
_ROOTS = {
    "urlset": "sitemap",
    "sitemapindex": "sitemap",
    "playlist": "xspf",
    "opml": "opml",
    "mpd": "dash",
    "asx": "asx",
}
_M3U_TYPES = frozenset(
    {
        *("audio/x-mpegurl", "audio/mpegurl", "application/x-mpegurl", "application/mpegurl"),
        *(
            "application/vnd.apple.mpegurl",
            "vnd.apple.mpegurl",
            "audio/x-pn-realaudio",
            "application/vnd.apple.mpegurl.audio",
        ),
    }
)
_PLAIN = (".m3u", ".m3u8", ".ram")
"""Extensions of lists without a signature."""
_urls = re.compile(rb"(?:\s*https?://[^\s<>\"]{4,2048}[ \t]*(?:[\r\n]|\Z)){1,3}").match


def list_form(content_type: str, body: bytes, url: str) -> str:
    """Return the form of a list; empty for other responses. Content precedes the header and the extension."""
    head = body[:_HEAD].removeprefix(b"\xef\xbb\xbf").lstrip()
    if head[:1] in {b"#", b"["}:
        if head[:7].upper() == b"#EXTM3U":
            return "hls" if is_hls(body) else "m3u"
        if head[:10].lower() == b"[playlist]":
            return "pls"
    if head[:1] == b"{" and is_json_feed(body):
        return "feed"
    mime = content_type.partition(";")[0].strip().lower()
    if head[:1] == b"<" or head[:2] in {b"\xff\xfe", b"\xfe\xff"}:
        return _xml_form(mime, body)
    if b"\0" in head or not head:
        return ""
    if mime in _M3U_TYPES or url.partition("?")[0].lower().endswith(_PLAIN):
        return "m3u" if _is_text(head) else ""
    return "urls" if _urls(head) else _xml_form(mime, body)


def _xml_form(mime: str, body: bytes) -> str:
    name = root_name(body)
    if name in _ROOTS:
        return _ROOTS[name]
    return "feed" if looks_like_feed(mime, body) else ""


def _is_text(head: bytes) -> bool:
    """Whether this may be text: it has no control characters but white space."""
    return not head.translate(None, bytes(range(0x20, 0x100)) + b"\t\r\n")


def parse_list(form: str, body: bytes, url: str, charset: str | None = None, history: History = dict) -> Listing:
    """Parse a list. Never raises: broken entries are skipped.

    Args:
        form: see `list_form`, or ``oembed``, which only the link source distinguishes from other JSON.
        body: cut by the caller to its limit.
        url: of the list, absolute.
        charset: of the Content-Type header.
        history: encodings found on its host, for a list without a valid declaration.
    """
    if form in PLAIN:
        read = plain_list(body, url, charset, history)
        found = PLAIN[form](read)
        found.reading = read.declared if read.known else ""
        return found
    if form == "hls":
        manifest = parse_hls(body)
        return Listing(form, manifest.title, manifest=manifest)
    if form == "feed" and is_json_feed(body):
        found = _of_feed(parse_json_feed(body, url))
        found.set_reading("utf-8")
        return found
    document, text = read_xml(body, url, charset, history)
    found = _of_xml(form, text, url)
    found.set_reading(document.reading)
    return found


def _of_xml(form: str, text: bytes, url: str) -> Listing:
    """Parse XML that was converted to UTF-8."""
    if form == "feed":
        return _of_feed(parse_feed(text, url))
    if form == "sitemap":
        return parse_sitemap(text)
    if form == "dash":
        manifest = parse_dash(text)
        return Listing(form, manifest.title, manifest=manifest)
    return parse_oembed(text, url) if form == FORM else XML[form](text, url)


def _of_feed(feed: Feed) -> Listing:
    found = Listing("feed", feed.title, feed.language, cut=feed.cut, hub=feed.hub, wait=feed.wait)
    if feed.next:
        found.links.append(Listed(feed.next, "feed", kind=Kind.LIST))
    for entry in feed.entries:
        if entry.enclosure:
            found.links.append(Listed(entry.enclosure, "enclosure", entry.title, entry.guid, entry.facts, Kind.MEDIA))
        elif entry.player and len(found.players) < MOST_PLAYERS:
            found.players.append(Player(entry.player, entry.link, entry.title, entry.guid, entry.facts))
        if entry.link:
            found.links.append(Listed(entry.link, "feed", entry.title, entry.guid))
    return found
