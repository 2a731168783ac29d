"""What a site says of one of its pages to programs that ask: an answer of oEmbed (oembed.com, 2.3), in JSON or XML.

Providers are found by what pages say alone: lists of them grow stale.
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
"""What `Listing.form` calls it."""
_LONGEST = 200_000
"""Bytes of an answer that is read: it has about one KB, and what is cut is no JSON."""
_LONGEST_CODE = 20_000
"""Characters of HTML in which the player is looked for."""
_TYPES = {"video": "VideoObject", "audio": "AudioObject", "rich": ""}
"""Types of what may play something, and what they are in a record. Pictures and links are no media."""
_TEXTS = {
    "title": "title",
    "author_name": "artist",
    "provider_name": "provider",
    "description": "description",
    "duration": "duration",
    "upload_date": "upload_date",
    "thumbnail_url": "thumbnail_url",
}
"""Parameters, and the keys of their facts. Some are not in the specification, but large sites give them."""
_FRAMES = frozenset({"iframe", "embed", "object", "audio", "video", "source"})


def parse_oembed(body: bytes, url: str) -> Listing:
    """Read an answer. Never raises: what is none has no player.

    Returns:
        A list of one player at most, with its facts; without one if nothing is played there.
    """
    found = Listing(FORM)
    said = (_of_xml(body) if body.lstrip()[:1] == b"<" else _of_json(body)) if len(body) <= _LONGEST else {}
    kind = said.get("type", "").strip().lower()
    player = _player(said.get("html", ""), url) if kind in _TYPES else ""
    if player:
        found.title = " ".join(said.get("title", "").split())[:200]
        found.players.append(Player(player, title=found.title, facts=tuple(_facts(said, _TYPES[kind], player, url))))
    return found


def _of_json(body: bytes) -> dict[str, str]:
    try:
        answer = json.loads(body.decode("utf-8", "replace").removeprefix("\ufeff"))
    except (ValueError, RecursionError):
        return {}
    return dict(_known(answer)) if isinstance(answer, dict) else {}


def _known(answer: dict[str, Any]) -> Iterator[tuple[str, str]]:
    for name in ("type", "html", *_TEXTS):
        value = answer.get(name)
        if isinstance(value, str):
            # JSON may name half of a character, which cannot be stored.
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


def _facts(said: dict[str, str], kind: str, player: str, url: str) -> list[Fact]:
    found = [fact(PAGE, "oembed:type", "type", kind)]
    for name, key in _TEXTS.items():
        found.append(fact(PAGE, f"oembed:{name}", key, _value(key, said.get(name, ""), url)))
    # A URL that was cut leads elsewhere.
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
