"""Recognizes feeds, sitemaps, playlists and manifests, and parses each with its reader; and responses of oEmbed.

Providers of oEmbed are discovered by the links of pages only, since lists of them become outdated.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable
from typing import NamedTuple

from mediacrawl.base.content_coding import unpacked
from mediacrawl.base.content_type import PAGE_TYPES, is_text, media_type, root_name
from mediacrawl.base.facts import LONGEST_TEXT, PAGE, fact, stated
from mediacrawl.base.terms import Kind
from mediacrawl.base.urls import absolute
from mediacrawl.extract.charset import History, read_xml
from mediacrawl.extract.dash import parse_dash
from mediacrawl.extract.feeds import Feed, parse_feed
from mediacrawl.extract.hls import is_hls, parse_hls
from mediacrawl.extract.json_feed import is_json_feed, parse_json_feed
from mediacrawl.extract.links import link_header, parse_page
from mediacrawl.extract.listing import MOST_PLAYERS, Listed, Listing, Player
from mediacrawl.extract.playlists import PLAIN, XML, plain_list
from mediacrawl.extract.sitemaps import parse_sitemap
from mediacrawl.extract.texts import value_of, without_tags
from mediacrawl.extract.xml_text import elements, text_of

_HEAD = 1_024
"""Bytes of a response by which a list is recognized."""
_ROOTS = {
    "urlset": "sitemap",
    "sitemapindex": "sitemap",
    "playlist": "xspf",
    "opml": "opml",
    "mpd": "dash",
    "asx": "asx",
    **dict.fromkeys(("rss", "feed", "rdf"), "feed"),
}
_PAGE_ROOTS = frozenset(("html", "head", "body", "title", "meta", "link", "script", "style", "div", "h1", "p", "a"))
_ICECAST = "icecast"
_says_feed = re.compile(r"rss|atom|rdf").search
_says_m3u = re.compile(r"mpegurl|audio/x-pn-realaudio").search
_PLAIN = (".m3u", ".m3u8", ".ram")
"""Extensions of lists without a signature."""
_urls = re.compile(rb"(?:\s*https?://[^\s<>\"]{4,2048}[ \t]*(?:[\r\n]|\Z)){1,3}").match
_signature = re.compile(
    rb"#EXTM3U|#EXTINF:|(?:[;#][^\r\n]{0,200}[\r\n]{1,4}){0,5}\[(?:playlist|reference)\]", re.IGNORECASE
).match
_tag = re.compile(rb"</?[a-z]", re.IGNORECASE).search
_is_icestats = re.compile(rb'\{\s{0,99}"icestats"\s{0,99}:').match
_is_wide = re.compile(rb"\xff\xfe|\xfe\xff|(?:[!-~]\0){2}|(?:\0[!-~]){2}").match
"""UTF-16, with its mark or by its first letters."""
_warned = re.compile(
    rb"(?:warning|notice|deprecated|error|standards)(?:</b>)?\s*:.*?[>\r\n\xbf]\s*"
    rb"<(?:\?xml|rss|feed|rdf:|urlset|sitemapindex|opml|playlist|mpd)[\s>r]",
    re.DOTALL,
).search
"""A message of a server program, in lower case, which it prints before what it sends."""
_begins_as_page = re.compile(rb"[^<]|<(?:br|b|p|div|font)[\s>/]", re.IGNORECASE).match
_BEFORE = b"\xef\xbb\xbf \t\r\n\v\f"
"""Octets before a list: white space, and the marks of UTF-8 of all files that a program sends."""


class RecognizedList(NamedTuple):
    """What `recognize_list` returns.

    Attributes:
        form: ``feed``, ``opml``, ``sitemap``, ``hls``, ``dash``, ``m3u``, ``pls``, ``xspf``, ``asx``, ``icecast``,
            ``urls`` (lines of URLs); empty for what is no list.
        text: what `parse_list` takes.
    """

    form: str
    text: bytes


def recognize_list(body: bytes, content_type: str = "", url: str = "", most: int = 3_000_000) -> RecognizedList:
    """Recognize a list. Its content precedes the header, and that the extension. Never raises.

    Args:
        body: as received, or its first bytes.
        content_type: the header; empty without one.
        url: of the response, or the name that the server gives the file.
        most: bytes of the text, which may be packed with gzip.
    """
    text = list_text(body, most)
    return RecognizedList(list_form(content_type, text, url), text)


def list_text(body: bytes, most: int) -> bytes:
    """Return the text of a list, up to `most` bytes: gzip is unpacked, and UTF-16 becomes UTF-8 with its mark."""
    body = unpacked(body, most)[:most] if body[:1] == b"\x1f" else body[:most]
    if not _is_wide(body):
        return body
    order = "utf-16" if body[:2] in {b"\xff\xfe", b"\xfe\xff"} else "utf-16-be" if body[:1] == b"\0" else "utf-16-le"
    return body.decode(order, "replace").encode("utf-8-sig", "replace")


def list_form(content_type: str, body: bytes, url: str) -> str:
    """Return the form of a list, whose text `list_text` returned; empty for other responses."""
    head = body[:_HEAD].lstrip(_BEFORE)
    mime = media_type(content_type)
    if (signature := _signature(head)) is not None:
        if mime in PAGE_TYPES and _tag(head):
            # A page that begins with the word.
            return ""
        return "pls" if signature[0].endswith(b"]") else "hls" if is_hls(body) else "m3u"
    if head[:1] == b"{":
        return "feed" if is_json_feed(body) else _ICECAST if _is_icestats(head) else ""
    if head[:1] == b"<" or head[:2] in {b"\xff\xfe", b"\xfe\xff"}:
        return _xml_form(mime, head, body)
    if not head or not is_text(head):
        return ""
    if _says_m3u(mime) or url.partition("?")[0].lower().endswith(_PLAIN):
        return "m3u"
    return "urls" if _urls(head) else _xml_form(mime, head, body)


def _xml_form(mime: str, head: bytes, body: bytes) -> str:
    if head[:14].lower() == b"<!doctype html" or (
        mime in PAGE_TYPES and _begins_as_page(head) and not _warned(head.lower())
    ):
        # What it says of a list is a part of its text.
        return ""
    name = root_name(body)
    if name in _ROOTS:
        return _ROOTS[name]
    if name == "icestats" or (name == "directory" and b"<listen_url>" in body[: 4 * _HEAD]):
        return _ICECAST
    return "feed" if name and name not in _PAGE_ROOTS and _says_feed(mime) else ""


def parse_list(
    form: str,
    body: bytes,
    url: str,
    charset: str | None = None,
    history: History = dict,
    *,
    link: Iterable[str] = (),
) -> Listing:
    """Parse a list. Never raises: broken entries are skipped.

    Args:
        form: see `list_form`, or ``oembed``, which only the link source distinguishes from other JSON.
        body: cut by the caller to its limit.
        url: of the list, absolute.
        charset: of the Content-Type header.
        history: encodings found on its host, for a list without a valid declaration.
        link: values of the header Link, which may have its hub.
    """
    found = _parsed(form, body, url, charset, history)
    found.hub = found.hub or (link_header(link, "hub") if link else "")
    return found


def _parsed(form: str, body: bytes, url: str, charset: str | None, history: History) -> Listing:
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
    return parse_oembed(text, url) if form == OEMBED else XML[form](text, url)


def _of_feed(feed: Feed) -> Listing:
    found = Listing("feed", feed.title, feed.language, cut=feed.cut, hub=feed.hub, wait=feed.wait)
    found.links += [Listed(href, "feed", kind=Kind.LIST) for href in (feed.moved, feed.next) if href]
    for entry in feed.entries:
        if entry.enclosure:
            found.links.append(Listed(entry.enclosure, "enclosure", entry.title, entry.guid, entry.facts, Kind.MEDIA))
        elif entry.player and len(found.players) < MOST_PLAYERS:
            found.players.append(Player(entry.player, entry.link, entry.title, entry.guid, entry.facts))
        if entry.link:
            found.links.append(Listed(entry.link, "feed", entry.title, entry.guid))
    return found


OEMBED = "oembed"
"""The `Listing.form` of a response of oEmbed."""
_LONGEST_OEMBED = 200_000
"""Bytes of a response that is parsed: it has about one KB, and truncated JSON is invalid."""
_LONGEST_CODE = 20_000
"""Characters of HTML that are searched for the player."""
_OEMBED_TYPES = {"video": "VideoObject", "audio": "AudioObject", "rich": ""}
"""Types with a player, and their types in a record. Pictures and links are no media."""
_OEMBED_TEXTS = {
    "title": "title",
    "author_name": "artist",
    "provider_name": "provider",
    "description": "description",
    "duration": "duration",
    "upload_date": "upload_date",
    "thumbnail_url": "thumbnail_url",
}
"""Parameters, and the keys of their facts; some are not specified, but sent by large sites."""
_FRAMES = frozenset({"iframe", "embed", "object", "audio", "video", "source"})


def parse_oembed(body: bytes, url: str) -> Listing:
    """Parse a response of oEmbed (oembed.com, 2.3) in JSON or XML, by which a site describes one of its pages.

    Never raises. Return a list of at most one player with its facts; an invalid response has none.
    """
    found = Listing(OEMBED)
    fields = _oembed_fields(body) if len(body) <= _LONGEST_OEMBED else {}
    kind = fields.get("type", "").strip().lower()
    if kind not in _OEMBED_TYPES:
        return found
    links = parse_page(fields.get("html", "")[:_LONGEST_CODE].encode("utf-8"), url, "utf-8").links
    player = next((href for link in links if link.via in _FRAMES and (href := absolute(url, link.href))), "")
    if player:
        facts = [fact(PAGE, "oembed:type", "type", _OEMBED_TYPES[kind])]
        for name, key in _OEMBED_TEXTS.items():
            text = value_of(key, fields.get(name, ""), url)
            text = without_tags(text[: 4 * LONGEST_TEXT]) if key == "description" else text
            # A truncated URL is another URL.
            is_cut = key == "thumbnail_url" and len(text) > LONGEST_TEXT
            facts.append(fact(PAGE, f"oembed:{name}", key, "" if is_cut else text))
        facts.append(fact(PAGE, "oembed:html", "embed_url", player if len(player) <= LONGEST_TEXT else ""))
        found.title = " ".join(fields.get("title", "").split())[:200]
        found.players.append(Player(player, title=found.title, facts=tuple(stated(facts))))
    return found


def _oembed_fields(body: bytes) -> dict[str, str]:
    names = ("type", "html", *_OEMBED_TEXTS)
    if body.lstrip()[:1] == b"<":
        for element in elements(body, OEMBED):
            return {name: text_of(element.find(f"{{*}}{name}"), _LONGEST_CODE) for name in names}
        return {}
    try:
        answer = json.loads(body.decode("utf-8", "replace").removeprefix("\ufeff"))
    except (ValueError, RecursionError):
        return {}
    fields = {}
    for name in names if isinstance(answer, dict) else ():
        value = answer.get(name)
        if isinstance(value, str):
            # JSON may contain lone surrogates, which cannot be stored.
            fields[name] = value.encode("utf-8", "replace").decode("utf-8")
        elif name == "duration" and isinstance(value, int | float):
            fields[name] = f"{value:.15g}" if isinstance(value, float) else str(value)
    return fields
