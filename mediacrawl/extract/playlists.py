"""Playlists: M3U, PLS, XSPF, ASX, lists of URLs, and what Icecast says of its streams.

M3U, PLS and ASX declare no encoding. Without a charset in the header, a list that is no UTF-8 is decided as a whole
(`charset.read_plain`). If that is too uncertain, the texts are kept as octets (`base.facts.OCTETS`) and decided jointly
with those of the file that they describe.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from itertools import islice
from typing import Any, NamedTuple

from mediacrawl.base.charsets import SURE_DOCUMENT
from mediacrawl.base.content_type import names_media
from mediacrawl.base.facts import LONGEST_TEXT, MOST_FACTS, OCTETS, PLAYLIST, Fact, fact, stated
from mediacrawl.base.terms import Kind
from mediacrawl.base.times import seconds
from mediacrawl.base.urls import absolute
from mediacrawl.extract.charset import History, read_plain
from mediacrawl.extract.listing import Listed, Listing
from mediacrawl.extract.literals import literals
from mediacrawl.extract.loose_xml import attributes_of
from mediacrawl.extract.texts import unescape, unescape_url, value_of, whole
from mediacrawl.extract.xml_text import elements, text_of

MOST_ENTRIES = 1_000
"""Entries of a playlist that are kept; the others are counted in `Listing.cut`."""
_MOST_LINES = 50_000
_LONGEST_LINE = 4_096
"""Characters of a line that are read; of a tag of ASX, too."""
_MOST_TOKENS = 100_000
"""Tokens of JSON that are read: a quarter of a second at most."""
_SPACES = " \t\r\n"
"""Only ASCII: an octet that is a space in Latin-1 may be half of a letter."""
_DIRECTIVES = {"#EXTART:": "artist", "#EXTALB:": "album", "#EXTGENRE:": "genre"}
"""Directive of M3U -> key of its fact."""

_line = re.compile(r"[^\r\n]++").finditer
_info = re.compile(r"#EXTINF:\s*(-?\d{1,7}(?:\.\d{1,6})?)?", re.ASCII | re.IGNORECASE).match
_logo = re.compile(r'\btvg-logo="([^"]*)"').search
_group = re.compile(r'\bgroup-title="([^"]*)"').search
_unquoted_comma = re.compile(r'(?:[^",]|"[^"]*")*+,').match
_pls_line = re.compile(r"(file|ref|title|length)(\d{1,6})\s*=(.*)", re.IGNORECASE | re.ASCII).match
# Possessive, so that each expression takes linear time.
_asx_tag = re.compile(r"<\s*+(/?)\s*+([A-Za-z]++)((?:[^<>\"']++|\"[^\"<>]*+\"|'[^'<>]*+')*+)>([^<]*+)").finditer


class PlainList(NamedTuple):
    """A list whose format declares no encoding.

    Attributes:
        text: as decided; octets as Latin-1 where that is uncertain.
        declared: the `base.facts.Fact.declared` of its texts.
        encoding: codec that restores the octets.
    """

    text: str
    declared: str
    encoding: str

    @property
    def known(self) -> bool:
        """Whether `text` is decoded."""
        return self.declared != OCTETS

    def fact(self, frame: str, key: str, text: object) -> tuple[Fact, ...]:
        """Return a fact with its encoding, or nothing."""
        return tuple(stated([fact(PLAYLIST, frame, key, text, self.declared)]))

    def href(self, written: str) -> str:
        """Return a reference, its octets beyond ASCII percent-encoded."""
        if self.encoding == "utf-8" or written.isascii():
            return written
        octets = written.encode(self.encoding, "replace")
        return "".join(chr(octet) if octet < 0x80 else f"%{octet:02X}" for octet in octets)


def plain_list(body: bytes, url: str = "", header: str | None = None, history: History = dict) -> PlainList:
    """Decide the text of a list that has no place for a declaration. Never raises."""
    found = read_plain(body, url, header, history)
    if found.encoding == "utf-8" or found.encoding.startswith("utf-16"):
        return PlainList(found.text, "utf-8", "utf-8")
    is_sure = found.decided_by == "models" and found.confidence >= SURE_DOCUMENT
    # A few encodings have duplicate codes.
    is_sure = is_sure and body.startswith(found.text.encode(found.encoding, "replace"))
    if found.is_estimated and not is_sure:
        return PlainList(body.decode("latin-1"), OCTETS, OCTETS)
    return PlainList(found.text, found.reading, found.encoding)


def _lines(text: str) -> Iterator[str]:
    # Not splitlines: octets may look like line ends of Unicode, and a list may have millions of lines.
    for line in islice(_line(text), _MOST_LINES):
        if stripped := line[0][:_LONGEST_LINE].strip(" \t\0"):
            yield stripped


def parse_m3u(read: PlainList) -> Listing:
    """Parse an M3U, with or without directives. Never raises."""
    found = Listing("m3u")
    facts: tuple[Fact, ...] = ()
    title = ""
    for line in _lines(read.text):
        if not line.startswith("#"):
            _add(found, Listed(read.href(line), "playlist", title if read.known else "", "", facts, Kind.MEDIA))
            facts, title = (), ""
        elif line[:8].upper() == "#EXTINF:":
            title, info = _of_info(read, line)
            facts = (*info, *facts)[:MOST_FACTS]
        elif line[:10].upper() == "#PLAYLIST:":
            found.title = line[10:].strip()[:200] if read.known else ""
        elif len(facts) < MOST_FACTS:
            name, colon, value = line.partition(":")
            facts += read.fact(name.upper(), _DIRECTIVES.get(name.upper() + colon, ""), value)
    return found


def _of_info(read: PlainList, line: str) -> tuple[str, tuple[Fact, ...]]:
    """Return the title behind the comma, and facts before it: seconds, and attributes of television lists."""
    comma = _unquoted_comma(line)
    title = line[comma.end() :].strip(_SPACES) if comma else ""
    head = line[: comma.end()] if comma else line
    length, logo, group = _info(head), _logo(head), _group(head)
    return title[:200], (
        *read.fact("#EXTINF", "title", title),
        *read.fact("#EXTINF", "duration", seconds(length[1]) if length and length[1] else ""),
        *read.fact("tvg-logo", "thumbnail_url", read.href(logo[1]) if logo else ""),
        *read.fact("group-title", "genre", group[1] if group else ""),
    )


def parse_pls(read: PlainList) -> Listing:
    """Parse a PLS, or an ASX of the old form: INI files with numbered keys. Never raises."""
    found = Listing("pls")
    entries: dict[int, dict[str, str]] = {}
    for line in _lines(read.text):
        if match := _pls_line(line):
            name = match[1].lower().replace("ref", "file")
            entries.setdefault(int(match[2]), {}).setdefault(name, match[3].strip(_SPACES))
    for number in sorted(entries):
        entry = entries[number]
        title, length = entry.get("title", ""), seconds(entry.get("length"))
        facts = (*read.fact("Title", "title", title), *read.fact("Length", "duration", length))
        if entry.get("file"):
            _add(
                found,
                Listed(read.href(entry["file"]), "playlist", title[:200] if read.known else "", "", facts, Kind.MEDIA),
            )
    return found


def parse_xspf(body: bytes, url: str = "") -> Listing:
    """Parse an XSPF (xspf.org, version 1). Never raises. ``xml:base`` and pictures are relative to `url`."""
    found = Listing("xspf")
    is_based = b"xml:base" in body
    root = None
    for track in elements(body, "track"):
        root = track.getroottree().getroot() if root is None else root
        if len(found.links) >= MOST_ENTRIES:
            found.cut += 1
            continue
        base = absolute(url, track.base or "") if is_based else ""
        title = text_of(track.find("{*}title"), LONGEST_TEXT)
        facts = _of_track(track, base or url)
        guid = text_of(track.find("{*}identifier"), 200)
        for location in track.iterchildren("{*}location"):
            href = text_of(location)
            joined = absolute(base, href) if base else ""
            _add(found, Listed(joined or href, "playlist", title[:200], guid, facts, Kind.MEDIA))
    if root is not None:
        found.title = text_of(root.find("{*}title"), 200)
    return found


_OF_TRACK = {
    "title": "title",
    "creator": "artist",
    "album": "album",
    "trackNum": "tracknumber",
    "duration": "duration",
    "annotation": "description",
    "image": "thumbnail_url",
}


def _of_track(track: Any, base: str) -> tuple[Fact, ...]:
    found = []
    for name, key in _OF_TRACK.items():
        text = text_of(track.find(f"{{*}}{name}"), LONGEST_TEXT)
        if key == "duration":
            # In milliseconds.
            text = str(whole(text) / 1000)
        found.append(fact(PLAYLIST, name, key, value_of(key, text, base)))
    return tuple(stated(found))


_OF_ASX = {"title": "title", "author": "artist", "abstract": "description", "copyright": "copyright"}


def parse_asx(read: PlainList) -> Listing:
    """Parse an ASX, which is no valid XML: any case, bare ampersands, no quotes. Never raises."""
    found = Listing("asx")
    hrefs, facts, title, is_open = list[str](), tuple[Fact, ...](), "", False
    tags = (each.groups() for each in islice(_asx_tag(read.text), _MOST_LINES))
    for closes, name, written, behind in (*tags, ("/", "entry", "", "")):
        tag, attributes = name.lower(), attributes_of(written[:_LONGEST_LINE])
        values = {key.lower(): unescape_url(value).strip() for key, value in attributes.items()}
        text = unescape(behind.strip(_SPACES)[:_LONGEST_LINE])[:LONGEST_TEXT]
        if tag == "entry":
            for href in hrefs:
                _add(found, Listed(read.href(href), "playlist", title, "", facts, Kind.MEDIA))
            hrefs, facts, title, is_open = [], (), "", not closes
        elif closes:
            continue
        elif tag in {"ref", "entryref"} and values.get("href") and len(hrefs) < MOST_ENTRIES:
            hrefs.append(values["href"])
        elif tag == "duration" and len(facts) < MOST_FACTS:
            facts += read.fact("duration", "duration", seconds(values.get("value")))
        elif tag in _OF_ASX and text and is_open and len(facts) < MOST_FACTS:
            facts += read.fact(tag, _OF_ASX[tag], text)
            title = text[:200] if tag == "title" and read.known else title
        elif tag == "title" and read.known and not is_open:
            found.title = found.title or text[:200]
    return found


_OPML_FEEDS = frozenset({"rss", "atom", "rdf", "feed", "include"})
"""Types of outlines whose ``url`` is a list: a feed, or an OPML that belongs in this place."""
_OPML_MEDIA = frozenset({"audio", "video", "song", "mp3", "stream"})
"""Types of outlines whose ``url`` is a medium, as directories of radio stations write them."""


def parse_opml(body: bytes, url: str = "") -> Listing:
    """Parse an OPML (opml.org, version 2): a list of feeds, of other lists, and of media. Never raises."""
    found = Listing("opml")
    # Outlines nest, and inner ones end first, so all are read at the end, within the limit of the file.
    for element in elements(body, "outline"):
        listed = _outline(element, url)
        if listed is not None:
            _add(found, listed, most=5 * MOST_ENTRIES)
    return found


def _outline(element: Any, url: str) -> Listed | None:
    """What an outline refers to: ``xmlUrl`` is a feed; what ``url`` is, its type tells, or its extension."""
    get = element.get
    title = " ".join((get("title") or get("text") or "").split())[:200]
    feed = (get("xmlUrl") or get("xmlurl") or get("xmlURL") or "").strip()
    if feed:
        return Listed(feed, "feed", title, kind=Kind.LIST)
    href = (get("url") or get("URL") or "").strip()
    if not href:
        return None
    kind = (get("type") or "").strip().lower()
    if kind in _OPML_FEEDS or href.partition("?")[0].lower().endswith(".opml"):
        return Listed(href, "feed", title, kind=Kind.LIST)
    if kind in _OPML_MEDIA or kind.startswith(("audio/", "video/")) or names_media(href):
        told = (
            fact(PLAYLIST, "outline@text", "title", title),
            fact(PLAYLIST, "outline@image", "thumbnail_url", absolute(url, get("image") or "")),
        )
        return Listed(href, "playlist", title, facts=tuple(stated(told)), kind=Kind.MEDIA)
    return Listed(href, "feed", title)


def parse_urls(read: PlainList) -> Listing:
    """Parse a text sitemap (sitemaps.org): one URL a line. Never raises."""
    found = Listing("urls")
    for line in _lines(read.text):
        if line.startswith(("http://", "https://")):
            _add(found, Listed(read.href(line), "sitemap"), most=5 * MOST_ENTRIES)
    return found


_OF_STATION = {"server_name": "title", "genre": "genre", "server_description": "description", "server_type": "mime"}
"""Property of a stream in ``status-json.xsl``, or element in ``yp.xml`` -> key of its fact."""
_on_this_machine = re.compile(r"https?://(?:localhost|127\.0\.0\.1)(?::\d{1,5})?(?=/)").match


def parse_icecast(body: bytes, url: str = "") -> Listing:
    """Parse the list of streams of an Icecast server: ``status-json.xsl``, ``yp.xml``, ``stats``. Never raises."""
    found = Listing("icecast")
    for station in _stations(body):
        href = station.get("listenurl") or station.get("listen_url", "")
        if local := _on_this_machine(href):
            # The server does not know its own name.
            href = href[local.end() :]
        if href:
            facts = (fact(PLAYLIST, name, key, station.get(name, "")) for name, key in _OF_STATION.items())
            title = station.get("server_name", "")[:200]
            _add(found, Listed(absolute(url, href) or href, "playlist", title, "", tuple(stated(facts)), Kind.MEDIA))
    return found


def _stations(body: bytes) -> Iterator[dict[str, str]]:
    """Yield the texts of each stream by their names."""
    if not body.lstrip().startswith(b"{"):
        for entry in elements(body, "entry", "source"):
            yield {str(child.tag).rpartition("}")[2]: text_of(child, LONGEST_TEXT) for child in entry.iterchildren()}
        return
    text = body.decode("utf-8", "replace").removeprefix("\ufeff")
    # Icecast writes invalid JSON where a title has a quotation mark, or is missing.
    found = next((each.value for each in literals(text, is_json=True, most=_MOST_TOKENS)), None)
    stats = found.get("icestats") if isinstance(found, dict) else None
    sources = stats.get("source") if isinstance(stats, dict) else None
    for source in sources if isinstance(sources, list) else [sources]:
        if isinstance(source, dict):
            yield {name: each[:LONGEST_TEXT] for name, each in source.items() if isinstance(each, str)}


def _add(found: Listing, listed: Listed, most: int = MOST_ENTRIES) -> None:
    if len(found.links) < most:
        found.links.append(listed)
    else:
        found.cut += 1


PLAIN: dict[str, Callable[[PlainList], Listing]] = {
    "m3u": parse_m3u,
    "pls": parse_pls,
    "asx": parse_asx,
    "urls": parse_urls,
}
"""Form of a list without a declared encoding -> its parser."""
XML: dict[str, Callable[[bytes, str], Listing]] = {"xspf": parse_xspf, "opml": parse_opml, "icecast": parse_icecast}
"""Form of a list in XML, or JSON -> its parser."""
