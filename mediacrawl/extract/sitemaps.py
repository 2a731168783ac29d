"""Sitemaps (sitemaps.org), with Google's extension for videos; what they say of news and pictures is passed over."""

from __future__ import annotations

import zlib
from collections.abc import Iterator
from typing import Any

from mediacrawl.extract.feeds import MAX_ENTRIES
from mediacrawl.extract.listing import MOST_PLAYERS, Listed, Listing, Player
from mediacrawl.extract.texts import moment, seconds, whole, yes_or_no
from mediacrawl.extract.xml_text import elements, text_of
from mediacrawl.facts import LONGEST_TEXT, SITEMAP, Fact, fact, stated
from mediacrawl.records import Kind

_GZIP = b"\x1f\x8b"
_MOST_VIDEOS = 20
"""Videos of one page that are kept."""
_MOST_TAGS = 5
"""Elements of one name that are kept of a video: it may have 32 tags."""
_VIDEO = {
    "title": "title",
    "uploader": "artist",
    "duration": "duration",
    "publication_date": "upload_date",
    "description": "description",
    "tag": "keywords",
    "category": "genre",
    "family_friendly": "explicit",
    "thumbnail_loc": "thumbnail_url",
    "view_count": "views",
}
"""Name of an element below ``video:video`` -> key of the fact that it is."""
_OPPOSITE = {"yes": "no", "no": "yes"}


def unpacked(body: bytes, most: int) -> bytes:
    """Return what a gzip file holds, at most so much of it; anything else comes back as it is. Never raises.

    Args:
        body: of an answer, perhaps cut.
        most: bytes.
    """
    if not body.startswith(_GZIP):
        return body
    try:
        return zlib.decompressobj(zlib.MAX_WBITS | 16).decompress(body, most)
    except zlib.error:
        return b""


def parse_sitemap(body: bytes) -> Listing:
    """Read a sitemap, or an index of sitemaps. Never raises: what is broken is left out.

    Args:
        body: cut by the caller to what it is ready to read; a last entry that is cut is left out.
    """
    found = Listing("sitemap")
    for element in elements(body, "url", "sitemap"):
        if len(found.links) >= MAX_ENTRIES:
            found.cut += 1
            continue
        page = text_of(element.find("{*}loc"))
        for video in _videos(element):
            _take(found, video, page)
        if page:
            is_index = str(element.tag).endswith("sitemap")
            found.links.append(Listed(page, "sitemap", kind=Kind.LIST if is_index else None))
    return found


def _videos(element: Any) -> Iterator[Any]:
    for number, video in enumerate(element.iterchildren("{*}video")):
        if number >= _MOST_VIDEOS:
            return
        yield video


def _take(found: Listing, video: Any, page: str) -> None:
    said: dict[str, list[Any]] = {}
    for child in video.iterchildren("{*}*"):
        said.setdefault(str(child.tag).rpartition("}")[2], []).append(child)
    title = text_of(next(iter(said.get("title", ())), None), 200)
    file, player = (text_of(next(iter(said.get(name, ())), None)) for name in ("content_loc", "player_loc"))
    if file:
        found.links.append(Listed(file, "sitemap", title, "", (*_facts(said), *_facts_of_player(player)), Kind.MEDIA))
    elif player:
        if len(found.players) >= MOST_PLAYERS:
            found.cut += 1
        else:
            facts = (*_facts(said), *_facts_of_player(player))
            found.players.append(Player(player, page, title, "", facts))


def _facts(said: dict[str, list[Any]]) -> tuple[Fact, ...]:
    found = [fact(SITEMAP, "video:video", "type", "VideoObject")]
    for name, key in _VIDEO.items():
        texts = (text_of(element, LONGEST_TEXT) for element in said.get(name, ())[:_MOST_TAGS])
        found += [fact(SITEMAP, f"video:{name}", key, _value(key, text)) for text in texts]
    return tuple(stated(found))


def _facts_of_player(player: str) -> tuple[Fact, ...]:
    # A URL that was cut leads elsewhere.
    url = player if len(player) <= LONGEST_TEXT else ""
    return tuple(stated([fact(SITEMAP, "video:player_loc", "player_url", url)]))


def _value(key: str, text: str) -> str | int:
    if key == "duration":
        return seconds(text)
    if key == "upload_date":
        return moment(text)
    if key == "views":
        return whole(text) or ""
    # Friendly to families is the opposite of explicit.
    return _OPPOSITE.get(yes_or_no(text), "") if key == "explicit" else text
