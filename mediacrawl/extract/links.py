"""The links of an HTML page, in one pass over its tree.

Of a hundred links ninety are known to the crawl, so the pass takes only what every link needs: the reference,
the door it came through, and the element. Anchor text and rel are read when somebody asks.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import lru_cache
from itertools import islice
from typing import Any, NamedTuple
from urllib.parse import urljoin, urlsplit

from lxml import etree

from mediacrawl.extract.charset import charset_of, to_utf8

MAX_LINKS = 5_000
"""Links of a page that are kept; the others are counted in `Page.cut`."""
TEXT_LENGTH = 200
"""Characters of an anchor or a title that are kept."""
_TEXT_PIECES = 200
"""Pieces of text that are looked at for one anchor: one that is never closed holds the rest of the page."""

_FEED_TYPES = frozenset({"application/rss+xml", "application/atom+xml", "application/rdf+xml"})
_FOLLOWED_RELS = frozenset({"next", "prev", "alternate", "canonical"})
_MOST_WISHES = 20
"""Meta elements for robots that are kept of a page."""
_REFRESH = re.compile(r"[\s\d.;,]*url\s*=\s*[\"']?([^\"']*)", re.IGNORECASE)


class Link(NamedTuple):
    """One reference on a page.

    Attributes:
        href: as it stands in the page: relative or absolute, perhaps no URL at all.
        via: the door: the name of its element (``a``, ``area``, ``iframe``, ``frame``, ``audio``, ``video``,
            ``source``, ``embed``, ``object``, ``bgsound``, ``link``), or ``feed``, ``refresh``, ``og:audio``,
            ``og:video``, ``twitter:player:stream``, or ``player`` for a page that plays something.
        element: where it stands, for evidence.
    """

    href: str
    via: str
    element: Any


@dataclass(slots=True)
class Page:
    """What a page says.

    Attributes:
        url: its URL, as it was given.
        base: what its links are relative to: `url`, or what ``<base href>`` makes of it.
        links: in the order of the document, at most `MAX_LINKS`; those of OpenGraph come last.
        cut: links beyond that.
        title: at most 200 characters, white space folded.
        language: what ``<html lang>`` says, ``de-AT``; empty if it says nothing.
        charset: Python codec that it was read with.
        robots: what its meta elements for all robots, or for us, ask of them, as it stands there; at most 20.
        canonical: the URL that it says is its own, absolute; empty if it names none, or several. A claim like any
            other on a page (RFC 6596).
        tree: root element of its tree; None if it could not be read.
    """

    url: str
    base: str
    links: list[Link] = field(default_factory=list)
    cut: int = 0
    title: str = ""
    language: str = ""
    charset: str = ""
    robots: list[str] = field(default_factory=list)
    canonical: str = ""
    tree: Any = field(default=None, repr=False, compare=False)

    def anchor(self, link: Link) -> str:
        """Return the text of a link, or of its picture, or its title; at most 200 characters.

        Args:
            link: one of `links`.
        """
        element = link.element
        text = _fold(islice(element.itertext(), _TEXT_PIECES))
        if text:
            return text
        picture = next(element.iter("img"), None)
        alternative = picture.get("alt") if picture is not None else None
        return _fold([alternative or element.get("title") or element.get("aria-label") or ""])

    def nofollow(self, link: Link) -> bool:
        """Tell whether a link asks not to be followed, by its rel. What is asked for all of them stands in `robots`.

        Args:
            link: one of `links`.
        """
        return "nofollow" in (link.element.get("rel") or "").lower().split()

    def media_type(self, link: Link) -> str:
        """Return what the element says the target is, in lower case without parameters; often empty, often wrong.

        Args:
            link: one of `links`.
        """
        return _media_type(link.element.get("type"))


def parse_page(
    body: bytes, url: str, encoding: str | None = None, agent: str = "mediacrawl", *, canonical: str = ""
) -> Page:
    """Read a page. Never raises: what is no HTML is a page without links.

    Args:
        body: the page, cut by the caller to what it is ready to read (200 KB).
        url: where it came from, absolute.
        encoding: charset of the Content-Type header, if it has one. A byte order mark goes before it, a meta
            element comes after it (the HTML standard, "determining the character encoding").
        agent: our product token, for ``<meta name="mediacrawl">``.
        canonical: what the header Link says is the page's own URL, see `link_header`; empty if it says nothing.
    """
    charset = charset_of(body, encoding)
    reader = _Reader(Page(url, url, charset=charset), agent.lower())
    root = _parse(to_utf8(body, charset))
    if root is None:
        return reader.page
    reader.page.tree = root
    reader.page.language = (root.get("lang") or root.get("xml:lang") or "").strip()[:35]
    reader.read(root, canonical)
    return reader.page


# The parser takes about 250 us of the 330 us of a whole pass (28 KB, 100 links, one core). selectolax (lexbor) was
# measured beside it and is not faster: 240 us for the parser, 370 for the pass.
# huge_tree lets elements nest 2,048 deep instead of 256, which old pages with unclosed <font> exceed; what lies deeper
# is lost. Its other limits do not matter here: the caller bounds the body, and HTML has no entities of its own.
_PARSER = etree.HTMLParser(
    encoding="utf-8", recover=True, no_network=True, huge_tree=True, remove_comments=True, remove_pis=True
)


def _parse(body: bytes) -> Any:
    try:
        return etree.fromstring(body, _PARSER)
    except (etree.LxmlError, ValueError):
        return None


class _Reader:
    """One pass over one tree."""

    def __init__(self, page: Page, agent: str) -> None:
        self.page = page
        self._robots = frozenset({"robots", agent})
        self._groups: list[_MediaGroup] = []
        self._canonicals: list[str] = []
        self._based = False

    def read(self, root: Any, canonical: str) -> None:
        links = self.page.links
        # Relative to the page itself, whatever its base is (RFC 8288, 3.2).
        if canonical and (href := _absolute(self.page.url, canonical)):
            self._canonicals.append(href)
            self._add(href, "link", etree.Element("link"))
        # What follows </html> becomes a tree of its own; browsers show it, so people link there.
        for tree in (root, *root.itersiblings()):
            for element in tree.iter(*_TAGS):
                tag = element.tag
                if tag == "a":
                    href = element.get("href")
                    if href is not None:
                        links.append(Link(href, "a", element))
                else:
                    _HANDLERS[tag](self, element)
        for group in self._groups:
            links.extend(Link(href, group.via, element) for href, element in group.found)
        self.page.cut = max(0, len(links) - MAX_LINKS)
        del links[MAX_LINKS:]
        own = {_absolute(self.page.base, href) for href in self._canonicals}
        self.page.canonical = own.pop() if len(own) == 1 else ""

    def href(self, element: Any) -> None:
        self._add(element.get("href"), element.tag, element)

    def src(self, element: Any) -> None:
        self._add(element.get("src"), element.tag, element)
        self._add(element.get("data-src"), element.tag, element)

    def data(self, element: Any) -> None:
        self._add(element.get("data"), "object", element)

    def source(self, element: Any) -> None:
        parent = element.getparent()
        if parent is None or parent.tag != "picture":
            self.src(element)

    def link(self, element: Any) -> None:
        rels = (element.get("rel") or "").lower().split()
        if "stylesheet" in rels or not _FOLLOWED_RELS.intersection(rels):
            return
        kind = _media_type(element.get("type"))
        if kind in _FEED_TYPES:
            self._add(element.get("href"), "feed", element)
        elif kind in ("", "text/html", "application/xhtml+xml"):
            self._add(element.get("href"), "link", element)
            # One below the head may stand in a reader's comment.
            parent = element.getparent()
            if "canonical" in rels and element.get("href") and parent is not None and parent.tag == "head":
                self._canonicals.append(element.get("href"))

    def base(self, element: Any) -> None:
        href = element.get("href")
        if href is not None and not self._based:
            self._based = True
            self.page.base = _joined(self.page.url, href)

    def title(self, element: Any) -> None:
        if not self.page.title:
            self.page.title = _fold(islice(element.itertext(), _TEXT_PIECES))

    def meta(self, element: Any) -> None:
        content = element.get("content")
        if not content:
            return
        name = (element.get("property") or element.get("name") or "").strip().lower()
        if name in self._robots:
            if len(self.page.robots) < _MOST_WISHES:
                self.page.robots.append(content)
        elif name.startswith(("og:audio", "og:video", "twitter:player")):
            self._open_graph(name, content, element)
        elif (element.get("http-equiv") or "").strip().lower() == "refresh":
            target = _REFRESH.match(content)
            self._add(target and target[1], "refresh", element)

    def _add(self, href: str | None, via: str, element: Any) -> None:
        if href:
            self.page.links.append(Link(href, via, element))

    def _open_graph(self, name: str, content: str, element: Any) -> None:
        if name in ("og:audio", "og:video", "twitter:player", "twitter:player:stream"):
            self._groups.append(_MediaGroup(name, [(content, element)]))
            return
        name, _, detail = name.rpartition(":")
        if detail in ("url", "secure_url"):
            if not (self._groups and self._groups[-1].name == name):
                self._groups.append(_MediaGroup(name))
            self._groups[-1].found.append((content, element))
        elif detail == "type" and self._groups and self._groups[-1].name == name:
            self._groups[-1].type = _media_type(content)


@dataclass(slots=True)
class _MediaGroup:
    """One object of OpenGraph or of a player card: its properties follow it in the page.

    Attributes:
        name: ``og:video`` ...
        found: references and the elements they stand in.
        type: what the page says that they are.
    """

    name: str
    found: list[tuple[str, Any]] = field(default_factory=list)
    type: str = ""

    @property
    def via(self) -> str:
        # og:video is a page with a player as often as a file: its type tells.
        is_page = self.name == "twitter:player" or self.type.startswith(("text/", "application/xhtml"))
        return "player" if is_page or "flash" in self.type else self.name


_HANDLERS: dict[str, Callable[[_Reader, Any], None]] = {
    "area": _Reader.href,
    "iframe": _Reader.src,
    "frame": _Reader.src,
    "audio": _Reader.src,
    "video": _Reader.src,
    "embed": _Reader.src,
    "bgsound": _Reader.src,
    "source": _Reader.source,
    "object": _Reader.data,
    "link": _Reader.link,
    "meta": _Reader.meta,
    "base": _Reader.base,
    "title": _Reader.title,
}
_TAGS = ("a", *_HANDLERS)


def _fold(pieces: Any) -> str:
    """Join pieces of text, white space folded, and stop when there is enough."""
    words: list[str] = []
    length = 0
    for piece in pieces:
        for word in piece.split(None, TEXT_LENGTH):
            words.append(word[:TEXT_LENGTH])
            length += len(words[-1]) + 1
        if length > TEXT_LENGTH:
            break
    return " ".join(words)[:TEXT_LENGTH]


@lru_cache(maxsize=256)
def _media_type(text: str | None) -> str:
    return (text or "").partition(";")[0].strip().lower()[:100]


def _joined(url: str, href: str) -> str:
    """Return the base that a page declares, or its own URL if it declares none that can be used."""
    return _absolute(url, href) or url


def _absolute(base: str, href: str) -> str:
    """Return what a reference leads to, or nothing if that is no http(s) URL."""
    try:
        joined = urljoin(base, href.strip())
        parts = urlsplit(joined)
        # Reading the port raises for one that is none.
        usable = parts.scheme in ("http", "https") and parts.hostname and parts.port != 0
    except ValueError:
        return ""
    return joined if usable else ""
