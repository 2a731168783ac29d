"""The media of a page: all that its parts say of them, joined.

One work is often told four times, for search engines, for cards, for players and for readers. What names the same file
or the same player is one; what the page says as a whole goes only to the one that it is surely about.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from itertools import islice
from typing import Any, NamedTuple
from urllib.parse import urlsplit

from mediacrawl.extract.medium import MOST_MEDIA, Medium
from mediacrawl.extract.open_graph import Card
from mediacrawl.extract.players import Players
from mediacrawl.extract.schema_org import WANTED, PageUrls, media_of
from mediacrawl.extract.structured_data import read_items, read_scripts
from mediacrawl.extract.texts import absolute, names_media
from mediacrawl.facts import PAGE, Fact, fact, stated

_WORDS = (
    b"VideoObject",
    b"AudioObject",
    b"MediaObject",
    b"MusicRecording",
    b"MusicVideo",
    b"Episode",
    b"Clip",
    b"Audiobook",
)
_MOST_WORDS = 200
_MOST_LICENSES = 20
_names_relation = re.compile(rb"rel\s*=\s*[\"']?[^\"'<>=]*\Z", re.IGNORECASE).search


def may_have_items(body: bytes) -> bool:
    """Tell from its bytes whether a page may hold microdata about media: to look for them in the tree is dearer."""
    return b"itemtype" in body and any(word in body for word in _WORDS)


def may_have_license(body: bytes) -> bool:
    """Tell from its bytes whether a page may name its licence in a link."""
    place = body.find(b"icense")
    for _ in range(_MOST_WORDS):
        if place < 0 or _names_relation(body[max(place - 60, 0) : place]):
            return place >= 0
        place = body.find(b"icense", place + 1)
    return True


class PageSources(NamedTuple):
    """What the pass over a page's tree came upon.

    Attributes:
        card: its meta elements.
        players: its playing elements.
        scripts: texts of JSON-LD.
        licenses: references of links that say that they lead to the page's licence; read if there is need.
        hrefs: references of its ordinary links; likewise.
    """

    card: Card
    players: Players
    scripts: Sequence[str]
    licenses: Iterable[str]
    hrefs: Iterable[str]


def gather(found: PageSources, items: Any, where: PageUrls) -> list[Medium]:
    """Join what the parts of a page say; at most `medium.MOST_MEDIA` media.

    Args:
        found: what the pass came upon.
        items: the tree that is searched for microdata; None if it has none about media.
        where: the page.
    """
    media = media_of(read_scripts(found.scripts), "json-ld", where) if found.scripts else []
    if items is not None:
        media += media_of(read_items(items, WANTED), "microdata", where)
    media += found.card.media(where.base)
    media += found.players.media(where.base)
    if not media:
        return media
    media = _joined(media[:MOST_MEDIA], where)
    _find_file(media, found.hrefs, where)
    main = _main(media)
    if main is not None:
        main.tell(found.card.facts_of_medium(where.base))
        main.tell(_licenses(found.licenses, where))
        main.tell(found.card.facts_of_page(where.base))
    return media


def inherit(media: Sequence[Medium], facts: Iterable[Fact]) -> None:
    """Give what one page said of a player to the medium that the player plays, if it plays only one.

    Args:
        media: of the page that is the player.
        facts: that came with its URL.
    """
    main = _main(media)
    if main is not None:
        main.tell(facts)


def _joined(media: Sequence[Medium], where: PageUrls) -> list[Medium]:
    known: dict[str, Medium] = {}
    kept: list[Medium] = []
    for medium in media:
        urls = [absolute(where.base, file.href) for file in medium.files]
        urls += [medium.player] if medium.player else []
        same = next((known[url] for url in urls if url in known), None)
        if same is None:
            kept.append(medium)
        else:
            same.join(medium)
        for url in urls:
            known.setdefault(url, same or medium)
    return _with_description(kept, where)


def _with_description(media: list[Medium], where: PageUrls) -> list[Medium]:
    """Join the only one that is described with the only one that has a file, unless they may be different things."""
    bare = [medium for medium in media if not medium.files]
    filed = [medium for medium in media if medium.files]
    if len(bare) != 1 or len(filed) != 1:
        return media
    described, played = bare[0], filed[0]
    fits = described.kind in ("", played.kind) or not played.kind
    own_hosts = {urlsplit(url).netloc for url in where.own}
    if not fits or (described.player and urlsplit(described.player).netloc not in own_hosts):
        return media
    described.join(played)
    return [described]


def _find_file(media: list[Medium], hrefs: Iterable[str], where: PageUrls) -> None:
    """Take the only file that a page links to as the one of the only medium that it describes."""
    if len(media) != 1 or media[0].files or media[0].player:
        return
    found: str | None = None
    for href in hrefs:
        if href != found and names_media(href) and absolute(where.base, href):
            if found is not None:
                return
            found = href
    if found is not None:
        media[0].add_file(found, "a")


def _main(media: Sequence[Medium]) -> Medium | None:
    """The medium that the page is about, or none if that is not sure."""
    main = [medium for medium in media if medium.is_main] if len(media) > 1 else list(media)
    # What JSON-LD names goes before what a card plays.
    named = [medium for medium in main if medium.via != "player"]
    main = named if len(named) == 1 else main
    return main[0] if len(main) == 1 else None


def _licenses(hrefs: Iterable[str], where: PageUrls) -> list[Fact]:
    urls = {absolute(where.base, href) for href in islice(hrefs, _MOST_LICENSES)} - {""}
    return stated([fact(PAGE, "rel=license", "license_url", urls.pop())]) if len(urls) == 1 else []
