"""The entries of a feed: RSS 0.9 to 2.0, RSS 1.0 (RDF), Atom, with Media RSS, iTunes and the podcast namespace.

A feed names media files, their titles and ids in one visit. Its lengths and types are claims, and often wrong.
"""

from __future__ import annotations

from typing import Any

from mediacrawl.base.facts import FEED, fact, stated
from mediacrawl.base.urls import absolute
from mediacrawl.extract.charset import readable
from mediacrawl.extract.feed_entry import OF_PODCASTS, Entry, children_of
from mediacrawl.extract.feed_facts import channel_facts, combined
from mediacrawl.extract.feed_model import ID_LENGTH, MAX_ENTRIES, Feed, FeedEntry
from mediacrawl.extract.loose_xml import well_formed
from mediacrawl.extract.texts import TEXT_LENGTH, whole
from mediacrawl.extract.xml_text import elements, text_of, words_of

__all__ = ["MAX_ENTRIES", "Feed", "FeedEntry", "parse_feed"]

_MOST_MENDED = 2_000_000
"""Bytes of a malformed feed up to which it is mended and parsed again."""
_PERIODS = {"hourly": 3_600.0, "daily": 86_400.0, "weekly": 604_800.0, "monthly": 2_592_000.0, "yearly": 31_536_000.0}


def parse_feed(body: bytes, url: str) -> Feed:
    """Parse a feed in XML. Never raises: broken entries are skipped, and what is no feed has no entries.

    Entries are read as far as the feed is complete, so a feed that was cut off loses at most its last entry. A
    malformed feed is parsed again as `loose_xml.well_formed` mends it, and the result with more media and titles
    counts. Only ``xml:base`` is joined with `url`.
    """
    faults: list[str] = []
    feed = _read(body, url, faults)
    if faults and feed.cut == 0 and len(body) <= _MOST_MENDED:
        mended = _read(well_formed(readable(body).decode("utf-8", "replace")).encode(), url, [])
        if sum(map(_worth, mended.entries)) >= sum(map(_worth, feed.entries)):
            return mended
    return feed


def _read(body: bytes, url: str, faults: list[str]) -> Feed:
    feed, root, is_podcast, is_based = Feed(url), None, False, b"xml:base" in body
    taken = 0
    for element in elements(body, "item", "entry", "liveItem", "new-feed-url", faults=faults):
        if str(element.tag).endswith("new-feed-url"):
            feed.moved = text_of(element, ID_LENGTH)
            continue
        root = element.getroottree().getroot() if root is None else root
        taken += 1
        if len(feed.entries) >= MAX_ENTRIES:
            feed.cut += 1
            continue
        base = absolute(url, element.base or "") if is_based else ""
        entry = Entry(element, base)
        is_podcast = is_podcast or entry.is_podcast
        feed.entries.extend(entry.whole(base or url))
    if taken < _entry_ends(body) and taken < _entry_ends(_without_sections(body)):
        # A section without its end lasts until that of the next one.
        faults.append("fewer entries than end tags")
    if root is not None:
        # The channel may follow its entries.
        _add_channel(feed, root, (is_based and absolute(url, root.base or "")) or url, is_podcast=is_podcast)
    return feed


def _entry_ends(body: bytes) -> int:
    return body.count(b"</item>") + body.count(b"</entry>")


def _without_sections(body: bytes) -> bytes:
    """Return a feed without its CDATA sections that have an end: HTML in them may quote other feeds."""
    first, *sections = body.split(b"<![CDATA[")
    return first + b"".join(each.partition(b"]]>")[2] if b"]]>" in each else each for each in sections)


def _worth(entry: FeedEntry) -> int:
    return bool(entry.title) + bool(entry.link) + 2 * bool(entry.enclosure or entry.player)


def _add_channel(feed: Feed, root: Any, base: str, *, is_podcast: bool) -> None:
    channel = root.find("{*}channel")
    head = children_of(root if channel is None else channel)
    feed.title = words_of(next(iter(head.get("title", ())), None), TEXT_LENGTH)
    named = (*head.get("language", ()), *head.get("dc:language", ()))
    feed.language = next(filter(None, (text_of(each, 35) for each in named)), "")
    feed.language = feed.language or (root.get("{http://www.w3.org/XML/1998/namespace}lang") or "").strip()[:35]
    feed.wait = _wait(head)
    links = [*children_of(root).get("link", ()), *head.get("link", ())]
    feed.next = _related(links, "next")
    feed.hub = absolute(base, _related(links, "hub"))[:ID_LENGTH]
    found = channel_facts(head, base)
    is_podcast = is_podcast or any(name.startswith(OF_PODCASTS) for name in head)
    if not is_podcast:
        found = [each for each in found if each.key != "podcast"]
    known = {each.key: each.text for each in reversed(found)}
    # The type of what a podcast consists of.
    kind = {"podcast": "PodcastEpisode", "music": "MusicRecording"}.get(known.get("media_kind", "podcast"), "")
    extra = (
        fact(FEED, "xml:lang", "language", "" if "language" in known else feed.language),
        fact(FEED, "link:hub", "hub_url", feed.hub),
        fact(FEED, "channel", "type", kind if is_podcast else ""),
    )
    found += stated(extra)
    for entry in feed.entries:
        if entry.enclosure or entry.player:
            own = [each for each in found if each.key != "type"] if entry.player else found
            entry.facts = combined(entry.facts, (), own)


def _related(links: list[Any], relation: str) -> str:
    found = (link.get("href") or "" for link in links if relation in (link.get("rel") or "").lower().split())
    return next(filter(None, (href.strip() for href in found)), "")


def _wait(head: dict[str, list[Any]]) -> float:
    """RSS states minutes, the syndication module a period and the updates in it."""
    for element in head.get("ttl", ()):
        return whole(text_of(element, 40)) * 60.0
    for element in head.get("sy:updateperiod", ()):
        often = next((whole(text_of(each, 40)) for each in head.get("sy:updatefrequency", ())), 1)
        return _PERIODS.get(text_of(element, 40).lower(), 0.0) / max(often, 1)
    return 0.0
