"""The entries of a feed: RSS 0.9 to 2.0, RSS 1.0 (RDF), Atom, with Media RSS, iTunes and the podcast namespace.

A feed names media files, their titles and ids in one visit. Its lengths and types are claims, and often wrong.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

from lxml import etree

from mediacrawl.extract.feed_facts import channel_facts, combined, entry_facts, file_facts, short_name
from mediacrawl.extract.texts import TEXT_LENGTH, absolute, media_type, whole
from mediacrawl.extract.xml_text import closed, elements, readable, root_name, text_of, words_of
from mediacrawl.facts import FEED, Fact, fact, stated

MAX_ENTRIES = 5_000
"""Entries of a feed that are kept; the others are counted in `Feed.cut`."""
_ID_LENGTH = 500
_MOST_MENDED = 2_000_000
"""Bytes of a malformed feed up to which it is mended and parsed again."""
_MOST_FILES = 50
"""Media files of one entry that are kept: a film in ten sizes and four languages has some forty."""

_TEXTS = ("title", "description", "itunes:title", "itunes:summary", "itunes:subtitle", "itunes:author", "summary")
"""Elements in which writers leave unescaped markup."""
_FEED_ROOTS = frozenset({"rss", "feed", "rdf"})
_says_feed = re.compile(r"rss|atom|rdf").search
_is_video_id = re.compile(r"[\w-]{6,20}", re.ASCII).fullmatch
_OF_PODCASTS = ("itunes:", "podcast:", "googleplay:")
_NO_MEDIA = ("image/", "text/", "application/x-shockwave-flash", "application/x-bittorrent")
"""Prefixes of other types: covers and articles are enclosed too."""
_MEDIA = ("audio", "video", "application/x-mpegurl", "application/vnd.apple.mpegurl", "application/dash+xml")
_PERIODS = {"hourly": 3_600.0, "daily": 86_400.0, "weekly": 604_800.0, "monthly": 2_592_000.0, "yearly": 31_536_000.0}


@dataclass(slots=True)
class FeedEntry:
    """One entry, or one of the media files of an entry that has several.

    Attributes:
        title: at most 200 characters, white space folded.
        link: the page of the entry, as written; empty if it has none.
        guid: the entry's own id; empty if it has none.
        enclosure: URL of the media file, as written; empty if it has none.
        type: media type that the feed claims, in lower case.
        length: bytes that the feed claims; 0 if it claims none.
        player: URL that plays what the entry is about, if it names no file; else empty.
        facts: about the file, or what the player plays.
    """

    title: str = ""
    link: str = ""
    guid: str = ""
    enclosure: str = ""
    type: str = ""
    length: int = 0
    player: str = ""
    facts: tuple[Fact, ...] = field(default=(), compare=False)


@dataclass(slots=True)
class Feed:
    """The content of a feed.

    Attributes:
        url: of the feed.
        title: at most 200 characters.
        language: as declared: ``de-AT``.
        next: URL of the feed's next page (RFC 5005), as written; empty without one.
        hub: URL of its WebSub hub; empty without one.
        wait: seconds that it requests between two visits; 0 without a request.
        entries: at most `MAX_ENTRIES`.
        cut: entries beyond that.
    """

    url: str
    title: str = ""
    language: str = ""
    next: str = ""
    hub: str = ""
    wait: float = 0.0
    entries: list[FeedEntry] = field(default_factory=list)
    cut: int = 0


def looks_like_feed(content_type: str, body: bytes) -> bool:
    """Whether a response is a feed by its first element; servers send feeds under many types.

    Args:
        content_type: the header, empty if there is none.
        body: the response; its first 4 KB are looked at.
    """
    name = root_name(body)
    if name in _FEED_ROOTS:
        return True
    return name != "html" and bool(name) and _says_feed(content_type.lower()) is not None


def parse_feed(body: bytes, url: str) -> Feed:
    """Parse a feed. Never raises: broken entries are skipped, and what is no feed has no entries.

    Entries are read as far as the feed is complete, so a feed that was cut off loses only its last entry. A malformed
    feed is parsed again with markup in its texts escaped, and the better result counts: for 27 kinds of malformed feeds
    this finds as many media as feedparser 6.0.14 in 23, fewer in 3, more in one.

    Args:
        body: the feed, cut by the caller to its limit.
        url: of the feed, absolute; only ``xml:base`` is joined with it.
    """
    faults: list[str] = []
    feed = _read(body, url, faults)
    if faults and feed.cut == 0 and len(body) <= _MOST_MENDED:
        mended = _read(closed(readable(body), *_TEXTS), url, [])
        if sum(map(_worth, mended.entries)) > sum(map(_worth, feed.entries)):
            return mended
    return feed


def _read(body: bytes, url: str, faults: list[str]) -> Feed:
    reader = _Reader(Feed(url), based=b"xml:base" in body)
    for element in elements(body, "item", "entry", faults=faults):
        reader.take(element)
    reader.end()
    return reader.feed


def _worth(entry: FeedEntry) -> int:
    return bool(entry.title) + bool(entry.link) + 2 * bool(entry.enclosure or entry.player)


class _Reader:
    """One pass over one feed."""

    def __init__(self, feed: Feed, *, based: bool) -> None:
        self.feed = feed
        self._based = based
        self._root: Any = None
        self._is_podcast = False

    def take(self, element: Any) -> None:
        if self._root is None:
            self._root = element.getroottree().getroot()
        if len(self.feed.entries) >= MAX_ENTRIES:
            self.feed.cut += 1
            return
        base = absolute(self.feed.url, element.base or "") if self._based else ""
        entry = _Entry(_children(element), base)
        self._is_podcast = self._is_podcast or entry.is_podcast
        self.feed.entries.extend(entry.whole(base or self.feed.url))

    def end(self) -> None:
        """Read the channel, which may follows its entries."""
        if self._root is None:
            return
        feed, root = self.feed, self._root
        channel = root.find("{*}channel")
        head = _children(root if channel is None else channel)
        base = (self._based and absolute(feed.url, root.base or "")) or feed.url
        feed.title = words_of(next(iter(head.get("title", ())), None), TEXT_LENGTH)
        feed.language = _language(head, root)
        feed.wait = _wait(head)
        links = [*_children(root).get("link", ()), *head.get("link", ())]
        feed.next = _related(links, "next")
        feed.hub = absolute(base, _related(links, "hub"))[:_ID_LENGTH]
        self._add_channel_facts(head, base)

    def _add_channel_facts(self, head: dict[str, list[Any]], base: str) -> None:
        found = channel_facts(head, base)
        is_podcast = self._is_podcast or any(name.startswith(_OF_PODCASTS) for name in head)
        if not is_podcast:
            found = [each for each in found if each.key != "podcast"]
        known = {each.key for each in found}
        extra = (
            fact(FEED, "xml:lang", "language", "" if "language" in known else self.feed.language),
            fact(FEED, "link:hub", "hub_url", self.feed.hub),
            fact(FEED, "channel", "type", "PodcastEpisode" if is_podcast else ""),
        )
        found += stated(extra)
        for entry in self.feed.entries:
            if entry.enclosure or entry.player:
                own = [each for each in found if each.key != "type"] if entry.player else found
                entry.facts = combined(entry.facts, (), own)


class _Entry:
    """One entry while it is read."""

    def __init__(self, children: dict[str, list[Any]], base: str) -> None:
        for group in children.pop("media:group", ())[:_MOST_FILES]:
            for name, found in _children(group).items():
                children.setdefault(name, []).extend(found)
        self._children = children
        self._base = base
        self.is_podcast = any(name.startswith(_OF_PODCASTS) for name in children)

    def whole(self, base: str) -> Iterator[FeedEntry]:
        """Yield one entry for each media file, or one without."""
        title, link, guid = self._title(), self._link(), self._guid()
        files = self._files()
        player = "" if files else self._player()
        facts = entry_facts(self._children, base) if files or player else []
        for url, element in files.items():
            length = whole(element.get("length") or element.get("fileSize"))
            claimed = media_type(element.get("type"))
            yield FeedEntry(title, link, guid, url, claimed, length, "", (*facts, *file_facts(element)))
        if not files and (title or link or guid or player):
            player_fact = fact(FEED, "media:player", "embed_url" if "/embed/" in player else "player_url", player)
            yield FeedEntry(title, link, guid, player=player, facts=(*facts, player_fact) if player_fact else ())

    def _title(self) -> str:
        return next(filter(None, (words_of(each, TEXT_LENGTH) for each in self._children.get("title", ()))), "")

    def _first(self, name: str, longest: int) -> str:
        return next(filter(None, (text_of(each, longest) for each in self._children.get(name, ()))), "")

    def _guid(self) -> str:
        return self._first("guid", _ID_LENGTH) or self._first("id", _ID_LENGTH)

    def _link(self) -> str:
        """The page of the entry; none for a video with a player, whose page is not requested."""
        if self._video_id():
            return ""
        for link in self._children.get("link", ()):
            href = link.get("href")
            if href is None or (link.get("rel") or "alternate") == "alternate":
                found = text_of(link) if href is None else href.strip()
                if found:
                    return self._joined(found)
        return ""

    def _files(self) -> dict[str, Any]:
        """URL -> the element that describes it."""
        found: dict[str, Any] = {}
        for url, element in self._named():
            href = (url or "").strip()
            if href and not media_type(element.get("type")).startswith(_NO_MEDIA) and len(found) < _MOST_FILES:
                found.setdefault(self._joined(href), element)
        return found

    def _named(self) -> Iterator[tuple[str | None, Any]]:
        get = self._children.get
        for element in get("enclosure", ()):
            yield element.get("url"), element
        for element in get("link", ()):
            if element.get("rel") == "enclosure":
                yield element.get("href"), element
        for element in (*get("media:content", ()), *get("content", ())):
            medium = (element.get("medium") or element.get("type") or "").lower()
            is_untyped = not medium and not element.get("src")
            if is_untyped or medium.startswith(_MEDIA):
                yield element.get("url") or element.get("src"), element
        for element in get("podcast:alternateenclosure", ()):
            for source in element.iterchildren("{*}source"):
                yield source.get("uri"), element

    def _player(self) -> str:
        video = self._video_id()
        if video:
            return f"https://www.youtube.com/embed/{video}"
        return next((self._joined(each.get("url", "").strip()) for each in self._children.get("media:player", ())), "")

    def _video_id(self) -> str:
        found = self._first("yt:videoid", 40)
        return found if _is_video_id(found) else ""

    def _joined(self, reference: str) -> str:
        return (self._base and absolute(self._base, reference)) or reference


def _children(element: Any) -> dict[str, list[Any]]:
    found: dict[str, list[Any]] = {}
    own = str(element.tag).rpartition("}")[0].removeprefix("{")
    for child in element.iterchildren(tag=etree.Element):
        name = short_name(child.tag, own) if len(child.tag) < 200 else "?"
        found.setdefault(name, []).append(child)
    return found


def _related(links: list[Any], relation: str) -> str:
    found = (link.get("href") or "" for link in links if relation in (link.get("rel") or "").lower().split())
    return next(filter(None, (href.strip() for href in found)), "")


def _language(head: dict[str, list[Any]], root: Any) -> str:
    named = (*head.get("language", ()), *head.get("dc:language", ()))
    text = next(filter(None, (text_of(each, 35) for each in named)), "")
    return text or (root.get("{http://www.w3.org/XML/1998/namespace}lang") or "").strip()[:35]


def _wait(head: dict[str, list[Any]]) -> float:
    """RSS states minutes, the syndication module a period and the updates in it."""
    for element in head.get("ttl", ()):
        return whole(text_of(element, 40)) * 60.0
    for element in head.get("sy:updateperiod", ()):
        often = next((whole(text_of(each, 40)) for each in head.get("sy:updatefrequency", ())), 1)
        return _PERIODS.get(text_of(element, 40).lower(), 0.0) / max(often, 1)
    return 0.0
