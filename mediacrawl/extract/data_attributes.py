"""Media in attributes for scripts: ``data-audio-src``, ``data-mp3``, ``data-plyr-config`` and kin, on any element.

Elements that play something are read by `players`. The tree is searched only if the bytes of the page have such an
attribute.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import islice
from typing import Any, NamedTuple

from mediacrawl.extract.literals import Literal
from mediacrawl.extract.medium import MOST_FILES, MOST_MEDIA, Medium
from mediacrawl.extract.script_facts import is_url
from mediacrawl.extract.script_media import ScriptMedia
from mediacrawl.extract.scripts import values_of_attribute
from mediacrawl.extract.texts import MEDIA_ENDINGS, fact_link, fold, kind_of_media, names_media
from mediacrawl.facts import PAGE, Fact, fact, stated

VIA = "data-src"
"""The link source of files in attributes."""
_MOST_NAMES = 12
"""Names of attributes that are searched for in the tree."""
_MOST_FOUND = 1_000
"""Attributes of one page that are read."""
_MOST_ATTRIBUTES = 50
_ENDING = rb"\.(?i:" + b"|".join(each[1:].encode() for each in MEDIA_ENDINGS) + rb")(?![A-Za-z0-9])"


def _up_to_ending(stop: bytes, most_text: bytes = b"*", most_dots: bytes = b"*") -> bytes:
    """Return an expression for text up to the ending of a media file, in linear time."""
    text = b"[^." + stop + b"]" + most_text + b"+"
    return text + rb"(?:\.(?!" + _ENDING[2:] + b")" + text + b")" + most_dots + b"+"


# What has no quotes around it ends only at white space, so its length has a limit.
_lazy = re.compile(
    rb"data-([a-z0-9_-]{1,40}+)=(?:\""
    + _up_to_ending(b'"')
    + rb"|'"
    + _up_to_ending(b"'")
    + rb"|(?![\"'])"
    + _up_to_ending(b"\\s\"'<>", b"{0,200}", b"{0,8}")
    + rb")"
    + _ENDING
).finditer
_PLAYING = frozenset({"audio", "video"})
"""Elements of which `players` reads the attributes, but JSON of ``data-setup`` only."""
_READ_ELSEWHERE = _PLAYING | {"source", "iframe", "frame", "embed", "bgsound"}
"""Elements whose ``data-src`` is a link already."""
_TITLES = ("data-title", "data-audio-title", "data-video-title", "data-song-title", "data-track-title", "data-name")
"""Attributes with the title. ``title`` and ``aria-label`` of other elements than players say what a click does."""
_ARTISTS = ("data-artist", "data-author", "data-singer")
_PICTURES = ("data-cover", "data-image", "data-poster", "data-thumb", "data-thumbnail", "data-artwork")


class Lazy(NamedTuple):
    """The media in attributes of a page.

    Attributes:
        media: at most `medium.MOST_MEDIA`.
        links: references to their files, each with its link source and its element.
    """

    media: list[Medium]
    links: list[tuple[str, str, Any]]


def lazy_names(body: bytes) -> list[str]:
    """Return the names of attributes that may hold the URL of a media file: ``data-audio-src``."""
    found = (match[1] for match in islice(_lazy(body), _MOST_FOUND))
    return [f"data-{name.decode('ascii')}" for name in islice(dict.fromkeys(found), _MOST_NAMES)]


def read_lazy(root: Any, names: list[str], base: str) -> Lazy:
    """Find the media in attributes."""
    if not names:
        return Lazy([], [])
    by_element: dict[Any, list[str]] = {}
    values = ScriptMedia(base)
    for attribute in islice(root.xpath("|".join(f"//@{name}" for name in names)), _MOST_FOUND):
        text, element = str(attribute).strip(), attribute.getparent()
        if text[:1] in ("{", "["):
            if not (attribute.attrname == "data-setup" and element.tag in _PLAYING):
                for value in values_of_attribute(text):
                    values.take(Literal("", value), is_setup=True)
            continue
        is_read = element.tag in (_READ_ELSEWHERE if attribute.attrname == "data-src" else _PLAYING)
        if not is_read and names_media(text) and _is_reference(text):
            by_element.setdefault(element, []).append(text)
    media, links = list[Medium](), list[tuple[str, str, Any]]()
    for element, hrefs in islice(by_element.items(), MOST_MEDIA):
        medium = Medium(VIA, kind_of_media(hrefs[0]))
        for href in hrefs[:MOST_FILES]:
            medium.add_file(href, VIA)
            links.append((href, VIA, element))
        medium.add_facts(_facts(element, base))
        media.append(medium)
    return Lazy([*media, *values.media()][:MOST_MEDIA], links)


def _is_reference(text: str) -> bool:
    """Whether a text with the ending of a media file is a URL or a path, and no text or template."""
    return is_url(text) or (":" not in text[:20] and " " not in text and is_url(f"/{text}"))


def _facts(element: Any, base: str) -> Iterator[Fact]:
    if len(element.attrib) > _MOST_ATTRIBUTES:
        return
    for key, names in (("title", _TITLES), ("artist", _ARTISTS)):
        name, text = next(((each, element.get(each)) for each in names if element.get(each)), ("", ""))
        yield from stated([fact(PAGE, name, key, fold([text]))])
    picture = next((fact_link(base, url) for each in _PICTURES if (url := element.get(each))), "")
    yield from stated([fact(PAGE, "data-image", "thumbnail_url", picture)])
