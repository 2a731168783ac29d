"""Responses of oEmbed (oembed.com, 2.3) in JSON or XML, by which a site describes one of its pages.

Providers are discovered by the links of pages only, since lists of them become outdated.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

from mediacrawl.extract.links import parse_page
from mediacrawl.extract.listing import Listing, Player
from mediacrawl.extract.texts import absolute, moment, seconds, without_tags
from mediacrawl.extract.xml_text import elements, text_of
from mediacrawl.facts import LONGEST_TEXT, PAGE, Fact, fact, stated

FORM = "oembed"
"""The `Listing.form` of a response."""
_LONGEST = 200_000
"""Bytes of a response that is parsed: it has about one KB, and truncated JSON is invalid."""
_LONGEST_CODE = 20_000
"""Characters of HTML that are searched for the player."""
_TYPES = {"video": "VideoObject", "audio": "AudioObject", "rich": ""}
"""Types with a player, and their types in a record. Pictures and links are no media."""
_TEXTS = {
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
    """Parse a response. Never raises: an invalid one has no player.

    Returns:
        A list of at most one player with its facts.
    """
    found = Listing(FORM)
    fields = (_of_xml(body) if body.lstrip()[:1] == b"<" else _of_json(body)) if len(body) <= _LONGEST else {}
    kind = fields.get("type", "").strip().lower()
    player = _player(fields.get("html", ""), url) if kind in _TYPES else ""
    if player:
        found.title = " ".join(fields.get("title", "").split())[:200]
        found.players.append(Player(player, title=found.title, facts=tuple(_facts(fields, _TYPES[kind], player, url))))
    return found


def _of_json(body: bytes) -> dict[str, str]:
    try:
        answer = json.loads(body.decode("utf-8", "replace").removeprefix("\ufeff"))
    except (ValueError, RecursionError):
        return {}
    return dict(_text_fields(answer)) if isinstance(answer, dict) else {}


def _text_fields(answer: dict[str, Any]) -> Iterator[tuple[str, str]]:
    for name in ("type", "html", *_TEXTS):
        value = answer.get(name)
        if isinstance(value, str):
            # JSON may contain lone surrogates, which cannot be stored.
            yield name, value.encode("utf-8", "replace").decode("utf-8")
        elif name == "duration" and isinstance(value, int | float):
            yield name, f"{value:.15g}" if isinstance(value, float) else str(value)


def _of_xml(body: bytes) -> dict[str, str]:
    for element in elements(body, FORM):
        return {name: text_of(element.find(f"{{*}}{name}"), _LONGEST_CODE) for name in ("type", "html", *_TEXTS)}
    return {}


def _player(html: str, url: str) -> str:
    page = parse_page(html[:_LONGEST_CODE].encode("utf-8"), url, "utf-8")
    return next((href for link in page.links if link.via in _FRAMES and (href := absolute(url, link.href))), "")


def _facts(fields: dict[str, str], kind: str, player: str, url: str) -> list[Fact]:
    found = [fact(PAGE, "oembed:type", "type", kind)]
    for name, key in _TEXTS.items():
        found.append(fact(PAGE, f"oembed:{name}", key, _value(key, fields.get(name, ""), url)))
    # A truncated URL is another URL.
    found.append(fact(PAGE, "oembed:html", "embed_url", player if len(player) <= LONGEST_TEXT else ""))
    return stated(found)


def _value(key: str, text: str, url: str) -> str:
    if key == "duration":
        return seconds(text)
    if key == "upload_date":
        return moment(text)
    if key == "thumbnail_url":
        link = absolute(url, text)
        return link if len(link) <= LONGEST_TEXT else ""
    return without_tags(text[: 4 * LONGEST_TEXT]) if key == "description" else text
