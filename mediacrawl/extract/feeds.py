"""The entries of a feed: RSS 0.9 to 2.0, RSS 1.0 (RDF), Atom, with Media RSS.

A feed is the best page a crawler can find: it names the media files, their titles and their ids in one visit. Lengths
and types in it are claims, and often wrong.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import urljoin

from lxml import etree

from mediacrawl.extract.charset import to_utf8

MAX_ENTRIES = 5_000
"""Entries of a feed that are kept; the others are counted in `Feed.cut`."""
TEXT_LENGTH = 200
"""Characters of a title that are kept."""
_ID_LENGTH = 500
_HEAD = 4_096
"""Bytes in which the first element of a feed is looked for."""

_FEED_ROOTS = frozenset({b"rss", b"feed", b"rdf"})
_comments = re.compile(rb"<!--.*?(?:-->|$)", re.DOTALL)
_first_element = re.compile(rb"<(?:[A-Za-z][\w.-]{0,40}:)?([A-Za-z][\w.-]{0,40})").search
_says_feed = re.compile(r"rss|atom|rdf").search


@dataclass(slots=True)
class FeedEntry:
    """One entry, or one of the media files of an entry that has several.

    Attributes:
        title: at most 200 characters, white space folded.
        link: the page of the entry, as it stands in the feed; empty if it has none.
        guid: the entry's own id; empty if it has none.
        enclosure: URL of the media file, as it stands in the feed; empty if it has none.
        type: media type that the feed claims, in lower case.
        length: bytes that the feed claims; 0 if it claims none.
    """

    title: str = ""
    link: str = ""
    guid: str = ""
    enclosure: str = ""
    type: str = ""
    length: int = 0


@dataclass(slots=True)
class Feed:
    """What a feed says.

    Attributes:
        url: where it came from.
        title: at most 200 characters.
        next: URL of the feed's next page (RFC 5005), as it stands there; empty if it names none.
        entries: at most `MAX_ENTRIES`.
        cut: entries beyond that.
    """

    url: str
    title: str = ""
    next: str = ""
    entries: list[FeedEntry] = field(default_factory=list)
    cut: int = 0


def looks_like_feed(content_type: str, body: bytes) -> bool:
    """Tell whether an answer is a feed: its first element decides, since servers send feeds under many types.

    Args:
        content_type: the header, empty if there is none.
        body: the answer; its first 4 KB are looked at.
    """
    # UTF-16 has a zero byte beside each letter of a tag.
    head = _comments.sub(b"", body[:_HEAD].replace(b"\0", b""))
    root = _first_element(head)
    name = root[1].lower() if root else b""
    if name in _FEED_ROOTS:
        return True
    return name != b"html" and bool(name) and _says_feed(content_type.lower()) is not None


def parse_feed(body: bytes, url: str) -> Feed:
    """Read a feed. Never raises: what is broken is left out, and what is no feed has no entries.

    Entries are read as far as the feed is whole, so one that was cut by its size loses only its last entry. There is no
    DTD, no entity beyond XML's five, and no network.

    Args:
        body: the feed, cut by the caller to what it is ready to read.
        url: where it came from, absolute; only ``xml:base`` is joined with it.
    """
    feed = Feed(url)
    parser = etree.XMLPullParser(
        ("end",),
        tag=("{*}item", "{*}entry"),
        encoding="utf-8",
        recover=True,
        resolve_entities=False,
        load_dtd=False,
        no_network=True,
        huge_tree=False,
        remove_comments=True,
        remove_pis=True,
    )
    root = None
    based = b"xml:base" in body
    for element in _elements(parser, to_utf8(body, None).lstrip()):
        if root is None:
            root = element.getroottree().getroot()
        _take(feed, element, based=based)
        element.clear()
    if root is not None:
        _take_head(feed, root)
    return feed


def _elements(parser: Any, body: bytes) -> Iterator[Any]:
    # What was read before an error still counts.
    with suppress(etree.LxmlError, ValueError):
        parser.feed(body)
    with suppress(etree.LxmlError, ValueError):
        for _, element in parser.read_events():
            yield element


def _take(feed: Feed, element: Any, *, based: bool) -> None:
    if len(feed.entries) >= MAX_ENTRIES:
        feed.cut += 1
        return
    entry = _Entry()
    for child in element.iterchildren(tag=etree.Element):
        entry.read(child)
    if based and element.base:
        entry.join(_joined(feed.url, element.base))
    feed.entries.extend(entry.whole())


class _Entry:
    """One entry while it is read."""

    def __init__(self) -> None:
        self._title = ""
        self._link = ""
        self._guid = ""
        self._media: dict[str, tuple[str, int]] = {}

    def read(self, child: Any) -> None:
        name = _local(child)
        if name == "title":
            self._title = self._title or _text(child, TEXT_LENGTH)
        elif name == "link":
            self._read_link(child)
        elif name in ("guid", "id"):
            self._guid = self._guid or _text(child, _ID_LENGTH)
        elif name == "enclosure":
            self._add(child.get("url"), child)
        elif name == "content" and child.get("url"):
            self._read_media_content(child)
        elif name == "group":
            for each in child.iterchildren("{*}content"):
                self._read_media_content(each)

    def join(self, base: str) -> None:
        """Make the references absolute, for a feed that has a base of its own."""
        self._link = _joined(base, self._link)
        self._media = {_joined(base, url): facts for url, facts in self._media.items()}

    def whole(self) -> Iterator[FeedEntry]:
        """Give one entry for each media file, or one without."""
        for url, (kind, length) in self._media.items():
            yield FeedEntry(self._title, self._link, self._guid, url, kind, length)
        if not self._media and (self._title or self._link or self._guid):
            yield FeedEntry(self._title, self._link, self._guid)

    def _read_link(self, child: Any) -> None:
        href = child.get("href")
        relation = child.get("rel") or "alternate"
        if href is None:
            self._link = self._link or _text(child, 0)
        elif relation == "enclosure":
            self._add(href, child)
        elif relation == "alternate":
            self._link = self._link or href.strip()

    def _read_media_content(self, child: Any) -> None:
        medium = (child.get("medium") or child.get("type") or "").lower()
        if medium.startswith(("audio", "video")):
            self._add(child.get("url"), child)

    def _add(self, url: str | None, child: Any) -> None:
        kind = (child.get("type") or "").partition(";")[0].strip().lower()[:100]
        # Covers and articles are enclosed too.
        if url and not kind.startswith(("image/", "text/")):
            length = child.get("length") or child.get("fileSize") or ""
            claimed = int(length) if length.isascii() and length.isdigit() and len(length) < 16 else 0
            self._media.setdefault(url.strip(), (kind, claimed))


def _take_head(feed: Feed, root: Any) -> None:
    channel = root.find("{*}channel")
    head = root if channel is None else channel
    feed.title = _text(head.find("{*}title"), TEXT_LENGTH)
    for link in (*root.iterchildren("{*}link"), *head.iterchildren("{*}link")):
        if link.get("rel") == "next" and not feed.next:
            feed.next = (link.get("href") or "").strip()


def _local(element: Any) -> str:
    return str(element.tag).rpartition("}")[2]


def _text(element: Any, longest: int) -> str:
    """Return the text of an element, white space folded; `longest` 0 takes it whole."""
    if element is None:
        return ""
    text = " ".join("".join(element.itertext()).split())
    return text[:longest] if longest else text


def _joined(base: str, reference: str) -> str:
    if not reference:
        return ""
    try:
        return urljoin(base, reference)
    except ValueError:
        return reference
