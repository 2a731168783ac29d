"""JSON Feed, versions 1.0 and 1.1 (jsonfeed.org), read into the same form as feeds in XML."""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Iterable, Iterator
from itertools import islice
from typing import Any

from mediacrawl.base.content_type import media_type, names_media
from mediacrawl.base.facts import FEED, LONGEST_TEXT, Fact, fact, stated
from mediacrawl.base.times import moment, seconds
from mediacrawl.base.urls import absolute
from mediacrawl.extract.feed_facts import after_own, combined
from mediacrawl.extract.feed_model import (
    ID_LENGTH,
    MAX_ENTRIES,
    MOST_FILES,
    NO_MEDIA,
    Feed,
    FeedEntry,
    encoding_of,
    unlabelled,
)
from mediacrawl.extract.literals import literals
from mediacrawl.extract.texts import TEXT_LENGTH, fact_link, unescape, without_tags

# JSON may escape slashes, and PHP does.
_SLASH = rb"\\{0,2}/"
_VERSION = (
    rb'"version"\s{0,40}:\s{0,40}"https?:' + _SLASH * 2 + rb"(?:www\.)?jsonfeed\.org" + _SLASH + rb"version" + _SLASH
)
_says_version = re.compile(_VERSION).search
_is_version = re.compile(r"https?://(?:www\.)?jsonfeed\.org/version/").match
_MOST_TOKENS = 400_000
"""Tokens of a feed that was cut, or is broken, that are read: a second at most."""
_MOST_VALUES = 8
"""Authors, tags and pictures of one entry that are read."""
_LONGEST_DESCRIPTION = 20 * LONGEST_TEXT
"""Characters of a text with markup that are read."""


def is_json_feed(body: bytes) -> bool:
    """Whether a response is a JSON Feed by its content: servers send it as ``application/json`` too."""
    return body.removeprefix(b"\xef\xbb\xbf").lstrip()[:1] == b"{" and _says_version(body) is not None


def parse_json_feed(body: bytes, url: str) -> Feed:
    """Parse a JSON Feed in UTF-8. Never raises: what is no feed has no entries, and broken entries are skipped.

    A feed that was cut off, or is no valid JSON, is read as far as it is complete. References of pictures are
    joined with `url`.
    """
    feed = Feed(url)
    head = _object(body.decode("utf-8", "replace").removeprefix("\ufeff"))
    if not _is_version(_text(head.get("version"))):
        return feed
    feed.title = _folded(head.get("title"))
    feed.language = _text(head.get("language"))[:35]
    feed.next = _text(head.get("next_url"))
    hubs = (hub for hub in _listed(head.get("hubs"), _MOST_VALUES) if isinstance(hub, dict))
    hub = next((hub for hub in hubs if _text(hub.get("type")).lower() == "websub"), {})
    feed.hub = absolute(url, _text(hub.get("url")))[:ID_LENGTH]
    items = head.get("items")
    for item in items if isinstance(items, list) else ():
        if not isinstance(item, dict):
            continue
        if len(feed.entries) >= MAX_ENTRIES:
            feed.cut += 1
        else:
            feed.entries += _entries(item, url)
    _add_channel_facts(feed, head)
    return feed


def _object(text: str) -> dict[str, Any]:
    try:
        found = json.loads(text)
    except (ValueError, RecursionError):
        # What stands in the wrong place comes first.
        values = (each.value for each in literals(text, is_json=True, most=_MOST_TOKENS))
        found = next((value for value in values if isinstance(value, dict) and "items" in value), None)
    return found if isinstance(found, dict) else {}


def _entries(item: dict[str, Any], url: str) -> Iterator[FeedEntry]:
    """Yield one entry for each media file of an item, or one without."""
    title, guid = _folded(item.get("title")), _text(item.get("id"))[:ID_LENGTH]
    # Its own page comes before that of somebody else, which it is about.
    link = next(filter(None, (_text(item.get(name)) for name in ("url", "external_url"))), "")
    attachments = [file for file in _listed(item.get("attachments"), MOST_FILES) if isinstance(file, dict)]
    named = {
        href: file
        for file in attachments
        if names_media(href := _text(file.get("url"))) or not _mime(file).startswith(NO_MEDIA)
    }
    named.pop("", None)
    # URL -> the attachment, and its encoding: empty for what HTML names besides a file.
    files = {href: (file, encoding_of(href, _mime(file))) for href, file in named.items()}
    html = [_text(item.get("content_html"))]
    for href, is_own in islice(unlabelled(link, guid, html, has_file=bool(named)), MOST_FILES):
        files.setdefault(href, ({}, encoding_of(href, "") if is_own else ""))
    link = "" if names_media(link) else link
    kinds = Counter(kind for _, kind in files.values())
    facts = _item_facts(item, url) if files else []
    for href, (file, kind) in files.items():
        mime, size = _mime(file), file.get("size_in_bytes")
        size = int(size) if isinstance(size, float) and 0 <= size < 1e15 else size
        size = size if isinstance(size, int) and not isinstance(size, bool) and 0 < size < 10**15 else 0
        duration = seconds(_text(file.get("duration_in_seconds")))
        own = stated(
            [
                fact(FEED, "attachments/mime_type", "mime", mime),
                fact(FEED, "attachments/size_in_bytes", "size", size or ""),
                fact(FEED, "attachments/duration_in_seconds", "duration", duration),
            ]
        )
        # The title of an attachment ("MP3, 128 kbit/s") is the least title of the work.
        label = stated([fact(FEED, "attachments/title", "title", _folded(file.get("title")))])
        shared = after_own(facts) if kinds[kind] > 1 or not kind else facts
        yield FeedEntry(title, link, guid, href, mime, size, facts=(*own, *shared, *label))
    if not files and (title or link or guid):
        yield FeedEntry(title, link, guid)


def _mime(file: dict[str, Any]) -> str:
    return media_type(_text(file.get("mime_type")))


def _item_facts(item: dict[str, Any], url: str) -> list[Fact]:
    description = next(filter(None, (_text(item.get(n)) for n in ("summary", "content_text"))), "")
    html = "" if description else _text(item.get("content_html"))[:_LONGEST_DESCRIPTION]
    found = [
        fact(FEED, "title", "title", _folded(item.get("title"), LONGEST_TEXT)),
        fact(FEED, "date_published", "date", moment(_text(item.get("date_published")))),
        fact(FEED, "summary", "description", description[:_LONGEST_DESCRIPTION]),
        fact(FEED, "content_html", "description", unescape(without_tags(html))),
        fact(FEED, "language", "language", _text(item.get("language"))[:35]),
    ]
    if found[1] is None:
        found.append(fact(FEED, "date_modified", "date", moment(_text(item.get("date_modified")))))
    found += [fact(FEED, "authors", "artist", name) for name in _authors(item)]
    found += [fact(FEED, "tags", "keywords", _folded(tag)) for tag in _listed(item.get("tags"), _MOST_VALUES)]
    found += _pictures(item, ("image", "banner_image"), url)
    return stated(found)


def _add_channel_facts(feed: Feed, head: dict[str, Any]) -> None:
    """Add what the feed says of all its entries. It is a podcast if each of its entries has a sound."""
    filed = [entry for entry in feed.entries if entry.enclosure]
    is_podcast = len(filed) == len(feed.entries) and all(entry.type.startswith("audio/") for entry in filed)
    found = [fact(FEED, "feed/authors", "artist", name) for name in _authors(head)]
    found += _pictures(head, ("icon",), feed.url)
    found += (
        fact(FEED, "feed/language", "language", feed.language),
        fact(FEED, "feed/hubs", "hub_url", feed.hub),
        fact(FEED, "feed/title", "podcast", feed.title if is_podcast else ""),
        fact(FEED, "feed", "type", "PodcastEpisode" if is_podcast else ""),
    )
    channel = stated(found)
    for entry in filed:
        entry.facts = combined(entry.facts, (), channel)


def _authors(where: dict[str, Any]) -> Iterator[str]:
    """Yield the names of ``authors``, or of ``author``, as version 1.0 has it."""
    for author in _listed(where.get("authors") or where.get("author"), _MOST_VALUES):
        name = _folded(author.get("name") if isinstance(author, dict) else author)
        if name:
            yield name


def _pictures(where: dict[str, Any], names: Iterable[str], url: str) -> list[Fact | None]:
    return [fact(FEED, name, "thumbnail_url", fact_link(url, _text(where.get(name)))) for name in names]


def _listed(value: Any, most: int) -> list[Any]:
    if value is None:
        return []
    return value[:most] if isinstance(value, list) else [value]


def _text(value: Any) -> str:
    """Return a text without lone surrogates; a number as a text: ids are written as numbers."""
    if isinstance(value, str):
        return (value if value.isascii() else value.encode("utf-8", "replace").decode("utf-8")).strip()
    is_number = isinstance(value, (int, float)) and not isinstance(value, bool)
    if not is_number or (isinstance(value, int) and value.bit_length() > 64):
        return ""
    return f"{value:.15g}" if isinstance(value, float) else str(value)


def _folded(value: Any, longest: int = TEXT_LENGTH) -> str:
    return " ".join(_text(value)[: 4 * longest].split())[:longest]
