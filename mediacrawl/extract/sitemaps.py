"""Sitemaps (sitemaps.org) with Google's video extension.

Of the news extension only what it says of an entry with videos is read; the image extension is ignored.
"""

from __future__ import annotations

from itertools import islice
from typing import Any

from mediacrawl.base.facts import LONGEST_TEXT, SITEMAP, Fact, fact, stated
from mediacrawl.base.terms import Kind
from mediacrawl.extract.feeds import MAX_ENTRIES
from mediacrawl.extract.listing import MOST_PLAYERS, Listed, Listing, Player
from mediacrawl.extract.texts import value_of, whole, yes_or_no
from mediacrawl.extract.xml_text import elements, text_of

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
    "live": "is_live",
    "thumbnail_loc": "thumbnail_url",
    "view_count": "views",
}
"""Name of an element below ``video:video`` -> key of its fact.

The others (restriction, platform, price, requires_subscription) say who may watch it, which is nothing about the file.
"""
_NEWS = {"title": "title", "publication_date": "date", "language": "language"}
"""Name of an element below ``news:news`` -> key of its fact."""
_OPPOSITE = {"yes": "no", "no": "yes"}


def parse_sitemap(body: bytes) -> Listing:
    """Parse a sitemap, or an index of sitemaps, perhaps cut. Never raises: broken entries are skipped."""
    found = Listing("sitemap")
    for element in elements(body, "url", "sitemap"):
        if len(found.links) >= MAX_ENTRIES:
            found.cut += 1
            continue
        page = text_of(element.find("{*}loc"))
        videos = list(islice(element.iterchildren("{*}video"), _MOST_VIDEOS))
        news = _facts_of_news(element, alone=len(videos) == 1) if videos else ()
        for video in videos:
            _take(found, video, page, news)
        if page:
            is_index = str(element.tag).endswith("sitemap")
            found.links.append(Listed(page, "sitemap", kind=Kind.LIST if is_index else None))
    return found


def _take(found: Listing, video: Any, page: str, news: tuple[Fact, ...]) -> None:
    children: dict[str, list[Any]] = {}
    for child in video.iterchildren("{*}*"):
        children.setdefault(str(child.tag).rpartition("}")[2], []).append(child)
    title = text_of(next(iter(children.get("title", ())), None), 200)
    file, player = (text_of(next(iter(children.get(name, ())), None)) for name in ("content_loc", "player_loc"))
    found_facts = [fact(SITEMAP, "video:video", "type", "VideoObject")]
    for name, key in _VIDEO.items():
        texts = (text_of(element, LONGEST_TEXT) for element in children.get(name, ())[:_MOST_TAGS])
        found_facts += [fact(SITEMAP, f"video:{name}", key, _value(key, text)) for text in texts]
    # A URL that was cut leads elsewhere.
    url = player if len(player) <= LONGEST_TEXT else ""
    facts = (*stated([*found_facts, fact(SITEMAP, "video:player_loc", "player_url", url)]), *news)
    if file:
        found.links.append(Listed(file, "sitemap", title, "", facts, Kind.MEDIA))
    elif player:
        if len(found.players) >= MOST_PLAYERS:
            found.cut += 1
        else:
            found.players.append(Player(player, page, title, "", facts))


def _facts_of_news(element: Any, *, alone: bool) -> tuple[Fact, ...]:
    """What the news extension says of an entry; its title only of an entry with one video."""
    news = element.find("{*}news")
    if news is None:
        return ()
    found = []
    for name, key in _NEWS.items():
        # The language is that of the publication, an element deeper.
        text = text_of(news.find(f".//{{*}}{name}"), LONGEST_TEXT)
        if alone or key != "title":
            found.append(fact(SITEMAP, f"news:{name}", key, value_of(key, text)))
    return tuple(stated(found))


def _value(key: str, text: str) -> str | int:
    if key == "is_live":
        return "yes" if yes_or_no(text) == "yes" else ""
    if key == "views":
        return whole(text) or ""
    # Friendly to families is the opposite of explicit.
    return _OPPOSITE.get(yes_or_no(text), "") if key == "explicit" else value_of(key, text)
