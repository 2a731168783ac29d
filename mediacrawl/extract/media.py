"""The media of a page, joined from JSON-LD, microdata, cards, players, scripts and attributes for scripts.

A page often describes one work four times. Descriptions of the same file or the same player are one medium; metadata of
the whole page goes to its main medium only.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import islice
from typing import Any, NamedTuple
from urllib.parse import urlsplit

import re2

from mediacrawl.base.content_type import names_media
from mediacrawl.base.facts import PAGE, Fact, fact, stated
from mediacrawl.base.urls import absolute
from mediacrawl.extract.medium import MOST_MEDIA, Medium
from mediacrawl.extract.open_graph import Card
from mediacrawl.extract.players import Players
from mediacrawl.extract.schema_org import WANTED, PageUrls, may_describe, media_of
from mediacrawl.extract.structured_data import read_items, read_scripts

_MOST_LICENSES = 20
may_have_items = re2.compile(
    rb"itemtype[^<>]*(?:VideoObject|AudioObject|MediaObject|MusicRecording|MusicVideo|Episode|Clip|Audiobook)"
).search
"""Whether the bytes of a page may have microdata about media; a search of the tree costs more."""


class PageSources(NamedTuple):
    """Elements about media that the pass over a page's tree collected.

    Attributes:
        card: its meta elements; None if none of them is about media.
        players: its playing elements; None without any.
        scripts: texts of JSON-LD.
        licenses: references with the relation ``license``; read on demand.
        hrefs: references of ordinary links; read on demand.
    """

    card: Card | None
    players: Players | None
    scripts: Sequence[str]
    licenses: Iterable[str]
    hrefs: Iterable[str]


def shown(found: PageSources, items_below: Any, where: PageUrls) -> list[Medium]:
    """Return the media that a page itself shows or describes, not joined yet.

    Args:
        found: the collected elements.
        items_below: the root of the tree, which is searched for microdata; None if there is none.
        where: the page.
    """
    # One object may refer to another one in the next script.
    media = media_of(read_scripts(found.scripts), "json-ld", where) if any(map(may_describe, found.scripts)) else []
    if items_below is not None:
        media += media_of(read_items(items_below, WANTED), "microdata", where)
    media += found.card.media(where.base) if found.card else []
    return media + (found.players.media(where.base) if found.players else [])


def gather(media: list[Medium], others: list[Medium], found: PageSources, where: PageUrls) -> list[Medium]:
    """Join the descriptions of a page; at most `medium.MOST_MEDIA` media.

    A script may name all episodes of a site. So media of scripts are added to those that the page itself shows; only a
    page that shows no file has them in place of its own.

    Args:
        media: those that the page shows, see `shown`.
        others: of scripts, attributes and texts, which name no works of their own as reliably.
        found: the collected elements.
        where: the page.
    """
    if not media and not others:
        return media
    media = _joined(media[:MOST_MEDIA], where)
    _find_file(media, found.hrefs, where)
    if others and not any(medium.files for medium in media):
        media, others = _joined([*media, *others][:MOST_MEDIA], where), []
    main = _main(media)
    if main is not None:
        if found.card:
            main.add_facts(found.card.facts_of_medium(where.base))
        licenses = {absolute(where.base, href) for href in islice(found.licenses, _MOST_LICENSES)} - {""}
        if len(licenses) == 1:
            main.add_facts(stated([fact(PAGE, "rel=license", "license_url", licenses.pop())]))
        if found.card:
            main.add_facts(found.card.facts_of_page(where.base))
    return _by_url([*media, *others], where)[:MOST_MEDIA] if others else media


def inherit(media: Sequence[Medium], facts: Iterable[Fact]) -> None:
    """Add the facts that another page stated about a player to the only medium that the player plays."""
    main = _main(media)
    if main is not None:
        main.add_facts(facts)


def _joined(media: Sequence[Medium], where: PageUrls) -> list[Medium]:
    return _with_description(_by_url(media, where), where)


def _by_url(media: Sequence[Medium], where: PageUrls) -> list[Medium]:
    """Join those that have a file or a player in common."""
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
    return kept


def _with_description(media: list[Medium], where: PageUrls) -> list[Medium]:
    """Join the only described medium with the only one that has a file, unless they may differ."""
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
    """Assign the only file that a page links to to its only medium."""
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
    """Return the main medium of the page, or None if that is ambiguous."""
    main = [medium for medium in media if medium.is_main] if len(media) > 1 else list(media)
    # JSON-LD takes precedence over a player card.
    named = [medium for medium in main if medium.via != "player"]
    main = named if len(named) == 1 else main
    return main[0] if len(main) == 1 else None
