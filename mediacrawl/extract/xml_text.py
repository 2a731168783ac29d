"""Parser for malformed XML: mends it first, then yields element by element, as far as it is complete."""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import suppress
from html.entities import html5
from typing import Any

from lxml import etree

from mediacrawl.extract.charset import readable
from mediacrawl.extract.texts import unescape, without_tags

_PIECE = 64 * 1024
"""Bytes that are fed to the parser at a time; their elements are freed before the next."""
_MOST_BROKEN = 32
"""Pieces with errors that are parsed: an error takes libxml2 ten microseconds, and a piece has up to 16,000."""
_MOST_TAGS = 200_000
"""Tags within one element: each takes some 160 bytes until the element ends."""

_MARKUP_SHARE = 20
"""Characters of a text with markup that are read for one that is kept."""
_MOST_ESCAPED = 2
_HTML_TYPES = frozenset({"html", "text/html"})
_TEXT_TYPES = frozenset({"text", "plain", "text/plain"})
_ATOM = ("{http://www.w3.org/2005/Atom}", "{http://purl.org/atom/ns#}")
_TAGS = frozenset(
    (
        *("a", "abbr", "acronym", "b", "big", "blockquote", "br", "center", "cite", "code", "dd", "del", "dfn", "div"),
        *("dl", "dt", "em", "font", "h1", "h2", "h3", "h4", "h5", "h6", "hr", "i", "img", "ins", "kbd", "li", "mark"),
        *("ol", "p", "pre", "q", "s", "samp", "small", "span", "strike", "strong", "sub", "sup", "table", "tbody"),
        *("td", "th", "tr", "tt", "u", "ul", "var", "wbr"),
    )
)
"""Elements of HTML that writers put into titles and names."""
_sign_of_html = re.compile(
    r"</[A-Za-z][A-Za-z0-9]{0,15}\s{0,9}>|&(?:#[0-9]{1,7}|#[xX][0-9A-Fa-f]{1,6}|[A-Za-z]\w{1,30});"
).search
_tag_names = re.compile(r"</?([A-Za-z]\w{0,30})").findall
_known_tags = re.compile(r"</?[A-Za-z][^<>]*+>").sub
_reference_names = re.compile(r"&([A-Za-z]\w{0,30});").findall


def elements(body: bytes, *names: str, faults: list[str] | None = None) -> Iterator[Any]:
    """Yield the elements of some local names, each when it ends; then it is cleared. Never raises.

    No DTD, no entities but those of XML and HTML, and no network are used. Malformed XML is read as far as libxml2
    recovers. `faults` receives the position of the last error, if there is one.
    """
    parser = etree.XMLPullParser(
        ("end",),
        tag=tuple(f"{{*}}{name}" for name in names),
        encoding="utf-8",
        recover=True,
        resolve_entities=False,
        load_dtd=False,
        no_network=True,
        huge_tree=False,
        remove_comments=True,
        remove_pis=True,
    )
    text = readable(body)
    last, broken, tags = None, 0, 0
    for start in range(0, len(text), _PIECE):
        tags += text.count(b"<", start, start + _PIECE)
        try:
            parser.feed(text[start : start + _PIECE])
        except (etree.LxmlError, ValueError):
            broken = _MOST_BROKEN
        with suppress(etree.LxmlError, ValueError):
            events: Iterator[Any] = parser.read_events()
            for _, element in events:
                yield element
                element.clear()
                tags = 0
        fault = parser.feed_error_log.last_error
        if fault is not None and (fault.line, fault.column) != last:
            last = (fault.line, fault.column)
            broken += 1
        if broken >= _MOST_BROKEN or tags > _MOST_TAGS:
            break
    if faults is not None:
        with suppress(etree.LxmlError, ValueError):
            parser.close()
        fault = parser.feed_error_log.last_error
        if fault is not None:
            # Without its message, which quotes the file.
            faults.append(f"line {fault.line}, column {fault.column}")


def text_of(element: Any, longest: int = 0) -> str:
    """Return the text of an element and all below it, white space folded; `longest` characters, or all if that is 0."""
    if element is None:
        return ""
    text = " ".join("".join(element.itertext()).split())
    return text[:longest] if longest else text


def without_markup(element: Any, longest: int) -> str:
    """Return the text of an element that may contain HTML, as elements or as text, without tags."""
    # Many descriptions consist of tags mostly.
    written = "".join(element.itertext(tag=etree.Element))
    if len(written) > 20 * longest:
        written = written[: 20 * longest].rpartition("<")[0] or written[: 20 * longest]
    return " ".join(unescape(without_tags(written)).split())[:longest]


def words_of(element: Any, longest: int) -> str:
    """Return the text of an element of a feed that may contain escaped HTML, as titles do, without markup.

    Atom declares ``type``. In RSS a text counts as HTML if it has a character reference or an end tag, and only tags
    and references of HTML (as feedparser's `looks_like_html` assumes). Text that was escaped twice is unescaped twice.
    """
    if element is None:
        return ""
    text = text_of(element, _MARKUP_SHARE * longest)
    if "&" not in text and "<" not in text:
        return text[:longest]
    kind = (element.get("type") or "").lower()
    if kind in _HTML_TYPES:
        text = _unmarked(text)
    elif kind not in _TEXT_TYPES and not str(element.tag).startswith(_ATOM):
        for _ in range(_MOST_ESCAPED):
            if not looks_like_html(text):
                break
            text = _unmarked(text)
    return " ".join(text.split())[:longest]


def looks_like_html(text: str) -> bool:
    """Whether a text without a declared type is HTML."""
    if _sign_of_html(text) is None:
        return False
    tags_known = all(name.lower() in _TAGS for name in _tag_names(text))
    return tags_known and all(f"{name};" in html5 for name in _reference_names(text))


def _unmarked(text: str) -> str:
    return unescape(_known_tags(" ", text))
