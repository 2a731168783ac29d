"""The links and the media of an HTML page in one pass over its tree, and the header Link (RFC 8288).

Of a hundred links ninety are known to the crawl, so the pass takes only what every link needs: the reference, the link
source, and the element. Anchor text and rel are read on demand.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from itertools import chain, islice
from typing import Any, NamedTuple

import ada_url
from lxml import etree

from mediacrawl.base.content_type import media_type
from mediacrawl.base.facts import Fact
from mediacrawl.base.urls import absolute
from mediacrawl.extract.charset import History, read_html
from mediacrawl.extract.media import PageSources, gather, inherit, may_have_items, shown
from mediacrawl.extract.medium import Medium, facts_by_url, standing_alone
from mediacrawl.extract.named import NOTHING_NAMED, may_name_files, read_named
from mediacrawl.extract.open_directory import facts_beside, names_directory, steers
from mediacrawl.extract.open_graph import MEDIA, WANTED, Card
from mediacrawl.extract.players import Players
from mediacrawl.extract.schema_org import PageUrls
from mediacrawl.extract.scripts import Scripts
from mediacrawl.extract.texts import TEXT_LENGTH, TEXT_PIECES, fold, walked

_LONGEST_HEADER = 8_192
"""Characters of the headers that are read."""
_HEADER_LINKS = re.compile(r'<([^<>]*)>((?:[^",<]|"[^"]*")*)')
"""A target, and its parameters up to the comma."""
_HEADER_PARAMETERS = re.compile(r';\s*([a-z*]+)\s*=\s*(?:"([^"]*)"|([^;\s"]*))', re.IGNORECASE)


def link_header(values: Iterable[str], rel: str) -> str:
    """Return the target of a relation in Link headers; empty without one, or with several. Never raises."""
    found = {
        target.strip()
        for target, said in _HEADER_LINKS.findall(",".join(values)[:_LONGEST_HEADER])
        if rel in _relations(said)
    }
    return found.pop() if len(found) == 1 else ""


def _relations(parameters: str) -> list[str]:
    """Return the relations of one link; none if it has another context (``anchor``)."""
    values: dict[str, str] = {}
    for name, quoted, plain in _HEADER_PARAMETERS.findall(parameters):
        # The first of a name counts (RFC 8288, 3.3).
        values.setdefault(name.lower(), quoted or plain)
    return [] if "anchor" in values else values.get("rel", "").lower().split()


MAX_LINKS = 10_000
"""Links of a page that are kept; the others are counted in `Page.cut`."""
_says_feed = re.compile(r"(?:application|text)/(?:(?:x-)?(?:rss|atom|rdf|opml)(?:\+xml)?|feed\+json|xml)").fullmatch
_OEMBED_TYPES = frozenset({"application/json+oembed", "text/xml+oembed", "application/xml+oembed"})
_MOST_OEMBEDS = 4
_FOLLOWED_RELS = frozenset({"next", "prev", "alternate", "canonical", "feed", "outline"})
_MOST_CLAIMS = 20
"""Robots meta elements kept of a page; also the limit of its canonical URLs and licences."""
_MOST_SCRIPTS = 50
_PATH = 4
"""Elements of a tag path: outside the list that contains a link, layouts differ from page to page."""
_LONGEST_PATH = 120
_LONG_CLASS = 100
"""Characters from which a class is cached."""
_OUTERMOST = frozenset({"body", "html"})
_LONGEST_BASE = 2_048
"""Characters of a base URL: references relative to a longer one exceed SCOPE_MAX_LENGTH."""
_ANCHOR_STEPS = 100_000
"""Steps from element to element for the anchors of one page, in 0.1 s. Only nested links need more: an ``object`` that
is never closed contains the rest of the page."""
_MOST_STEPS = 400
"""Steps for one link."""
_COUNTS = re.compile(r"[0-9\x00-\x1f\x7f]+")
"""Counters, and characters that no class name contains."""
_REFRESH = re.compile(
    r"\s*+(?:[\d.]++[\s;,]++|(?=url\s*=))(?:url\s*=\s*)?+(?:\"([^\"]*)|'([^']*)|([^\s\"'].*))",
    re.IGNORECASE | re.DOTALL,
).match
"""Seconds and a URL ("shared declarative refresh steps"): ``0; url=/next``, ``0;'/next'``, ``5 next``."""


class Link(NamedTuple):
    """One reference on a page.

    Attributes:
        href: as written in the page: relative or absolute, perhaps no URL at all.
        via: the link source: the name of its element (``a``, ``area``, ``iframe``, ``frame``, ``audio``, ``video``,
            ``source``, ``embed``, ``object``, ``bgsound``, ``link``), or ``feed``, ``refresh``, ``og:audio``,
            ``og:video``, ``twitter:player:stream``, ``json-ld``, ``microdata``, ``script`` for a value in a script,
            ``data-src`` for an attribute for scripts that is the URL of a file, ``named`` for a file that only a
            script, an attribute or a text names, ``enclosure``, or ``player`` for a page that plays something.
        element: the element that contains it, for evidence.
    """

    href: str
    via: str
    element: Any


@dataclass(slots=True)
class Page:
    """Links, media and metadata of a page.

    Attributes:
        url: its URL, as given.
        base: what its links are relative to: `url`, or what ``<base href>`` makes of it; empty if that is longer than
            2,048 characters, and then relative references are dropped.
        links: in the order of the document, at most `MAX_LINKS`; those of OpenGraph and schema.org come last.
        cut: links beyond that.
        title: at most 200 characters, white space folded.
        language: of ``<html lang>``, ``de-AT``; empty without one.
        charset: Python codec that decoded it.
        reading: the same with the source of the decision if undeclared, see
            `base.charsets.DocumentReading`.
        robots: contents of its meta elements for all robots or this one; at most 20.
        canonical: its canonical URL (RFC 6596), absolute; empty if it declares none, or several.
        media: the media it plays or describes; the references to their files are among `links`.
        oembed: references to its oEmbed descriptions, as written; at most 4.
        tree: root element of its tree; None if it could not be read.
        in_templates: links in ``<template>`` elements, which browsers do not show; they are not among `links`.
        tags_cut: stretches in which tags of thousands of attributes were ended early.
        anchors_cut: links whose anchor was not read, or not whole, since the steps of the page were used up.
        is_directory: whether it is a server's listing of a folder, by its title.
    """

    url: str
    base: str
    links: list[Link] = field(default_factory=list)
    cut: int = 0
    title: str = ""
    language: str = ""
    charset: str = ""
    reading: str = ""
    robots: list[str] = field(default_factory=list)
    canonical: str = ""
    media: list[Medium] = field(default_factory=list)
    oembed: list[str] = field(default_factory=list)
    tree: Any = field(default=None, repr=False, compare=False)
    in_templates: int = 0
    tags_cut: int = 0
    anchors_cut: int = 0
    is_directory: bool = False
    _steps: int = field(default=_ANCHOR_STEPS, repr=False, compare=False)
    _named: dict[Any, str] = field(default_factory=dict, repr=False, compare=False)
    _held: Any = field(default=None, repr=False, compare=False)

    def anchor(self, link: Link) -> str:
        """Return the text of a link, else the alternative text of its picture, or its title; at most 200 characters."""
        element = link.element
        written, has_inside = element.text, len(element) > 0
        if written and not has_inside:
            # Most. As `fold` does it.
            text = " ".join(written.split(None, TEXT_LENGTH))[:TEXT_LENGTH]
        else:
            text = fold(self._pieces(element)) if has_inside else ""
        if not text:
            picture = self._picture(element)
            alternative = picture.get("alt") if picture is not None else None
            text = fold([alternative or element.get("title") or element.get("aria-label") or ""])
        if self._steps <= 0:
            self.anchors_cut += 1
        return text

    def _pieces(self, element: Any) -> Iterator[str]:
        if element.text:
            yield element.text
        for text in walked(element, self._allowance()):
            self._steps -= 1
            if text:
                yield text

    def _picture(self, element: Any) -> Any:
        for inside in islice(element.iter(), self._allowance()):
            self._steps -= 1
            if inside.tag == "img":
                return inside
        return None

    def _allowance(self) -> int:
        """Steps that one link may take."""
        return max(min(_MOST_STEPS, self._steps), 0)

    def path(self, link: Link) -> str:
        """Return the tag path of a link: its last elements, with the first class of each, ``main/ul.list/li/a``.

        Links of one list have the same path; counters in it are replaced. Empty for a link without an element.
        """
        element, names = link.element, list[str]()
        while element is not None and len(names) < _PATH and element.tag not in _OUTERMOST:
            names.append((self._named and self._named.get(element)) or self._name(element))
            element = element.getparent()
        # lxml, when it frees a proxy, climbs to the next ancestor that has one; without any to the root.
        self._held = element
        if len(names) < 2 and element is None:
            return ""
        return _COUNTS.sub("#", "/".join(reversed(names)))[-_LONGEST_PATH:]

    def _name(self, element: Any) -> str:
        """The name of an element in a path. A long one is cached: the element may contain all links of the page."""
        written = element.get("class")
        classes = written.split(None, 1) if written else ()
        name: str = f"{element.tag}.{classes[0]}" if classes else element.tag
        if written and len(written) > _LONG_CLASS:
            name = self._named[element] = _COUNTS.sub("#", name)[-_LONGEST_PATH:]
        return name

    def nofollow(self, link: Link) -> bool:
        """Whether the rel of a link has ``nofollow``. Directives for all links are in `robots`."""
        return "nofollow" in (link.element.get("rel") or "").lower().split()

    def media_type(self, link: Link) -> str:
        """Return the media type that the element declares, in lower case without parameters; often wrong."""
        return media_type(link.element.get("type"))

    def leave_steering(self) -> int:
        """Remove the links of a directory listing that sort it or lead to a parent folder; return their number."""
        before = len(self.links)
        self.links = [link for link in self.links if link.via != "a" or not steers(link.href, self.base, self.url)]
        return before - len(self.links)

    def file_facts(self, link: Link) -> tuple[Fact, ...]:
        """Return what a directory listing says of a file: its size, perhaps rounded, and its date."""
        return facts_beside(link.element)

    def inherit(self, facts: Iterable[Fact]) -> None:
        """Add the facts that another page stated about this one, a player, to the only medium that it plays."""
        if self.media:
            inherit(self.media, facts)

    def facts_by_url(self, resolve: Callable[[str], str | None]) -> dict[str, list[Fact]]:
        """Return the facts about each file and each player.

        Args:
            resolve: returns the URL of a reference on the page, as it is a key here; None to leave it out.
        """
        return facts_by_url(self.media, resolve) if self.media else {}

    def standing_alone(
        self, own_url: str, resolve: Callable[[str], str | None], admits: Callable[[str], bool]
    ) -> dict[str, Medium]:
        """Return the media that make a record without a file, by the URL of the record; at most `medium.MOST_ALONE`.

        Args:
            own_url: the page's canonical URL, which identifies its main or only medium if that has no player.
            resolve: returns the canonical URL of a reference on the page, or None.
            admits: whether a URL may be requested.
        """
        return standing_alone(self.media, own_url, resolve, admits) if self.media else {}


def parse_page(
    body: bytes,
    url: str,
    encoding: str | None = None,
    agent: str = "mediacrawl",
    *,
    link: Iterable[str] = (),
    refresh: str = "",
    history: History = dict,
) -> Page:
    """Parse a page. Never raises: what is no HTML is a page without links.

    Args:
        body: the page, cut by the caller to its limit (1 MB).
        url: of the page, absolute.
        encoding: charset of the Content-Type header, if it has one. A byte order mark goes before it, a meta
            element comes after it (the HTML standard, "determining the character encoding").
        agent: product token, for ``<meta name="mediacrawl">``.
        link: values of the header Link, which may have its canonical URL.
        refresh: the header Refresh, which browsers obey as they do the meta element; empty without one.
        history: encodings found on its host, for a page without a valid declaration (`encoding.History.prior`).
    """
    document, body, tags_cut = read_html(body, url, encoding, history)
    # `reading` of a declared encoding is the encoding; to ask for it would enter another module for every page.
    reading = "utf-8" if document.encoding == "utf-8" else document.reading
    reader = _Reader(Page(url, url, charset=document.encoding, reading=reading, tags_cut=tags_cut), agent.lower())
    if refresh:
        reader.refresh(refresh, etree.Element("link"))
    root = _parse(body)
    if root is None:
        return reader.page
    reader.page.tree = root
    reader.page.language = (root.get("lang") or root.get("xml:lang") or "").strip()[:35]
    reader.read(root, link_header(link, "canonical") if link else "")
    reader.read_media(root, body)
    if reading != "utf-8":
        for medium in reader.page.media:
            medium.set_reading(reading)
    return reader.page


# The parser takes about 250 us of the 330 us of a whole pass (28 KB, 100 links, one core). selectolax (lexbor) is
# not faster: 240 us for the parser, 370 for the pass.
# huge_tree lets elements nest 2,048 deep instead of 256, which old pages with unclosed <font> exceed; deeper ones
# are lost. Its other limits do not matter here: the caller bounds the body, and HTML has no entities of its own.
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
        # Made when there is something for them: most pages have no players.
        self._card: Card | None = None
        self._players: Players | None = None
        self._json_ld: list[str] = []
        self._scripts: Scripts | None = None
        self._licenses: list[str] = []
        self._canonicals: list[str] = []
        self._templates: list[Any] = []
        self._hidden: set[Any] = set()
        self._based = False

    def read(self, root: Any, canonical: str) -> None:
        # Calling `Link` itself takes twice as long.
        links, hidden, new = self.page.links, self._hidden, tuple.__new__
        # Relative to the page itself, whatever its base is (RFC 8288, 3.2).
        if canonical and (href := absolute(self.page.url, canonical)):
            self._canonicals.append(href)
            self._add(href, "link", etree.Element("link"))
        # Elements behind </html> become a tree of their own; browsers show them.
        for tree in (root, *root.itersiblings()):
            for element in tree.iter(*_TAGS):
                tag = element.tag
                if hidden and element in hidden:
                    self.page.in_templates += tag == "a"
                elif tag == "a":
                    href = element.get("href")
                    if href is not None:
                        links.append(new(Link, (href, "a", element)))
                else:
                    _HANDLERS[tag](self, element)
        for template in self._templates:
            template.clear(keep_tail=True)
        own = {absolute(self.page.base, href) for href in self._canonicals}
        self.page.canonical = own.pop() if len(own) == 1 else ""
        self.page.is_directory = names_directory(self.page.title) is not None

    def read_media(self, root: Any, body: bytes) -> None:
        """Read the media of the page, and add their files to its links.

        Searches in `body`, the page in UTF-8, cost less than those in the tree.
        """
        page, card, items_below = self.page, self._card, root if may_have_items(body) else None
        sources = PageSources(card, self._players, self._json_ld, self._all_licenses(), self._anchors())
        own = frozenset({url.partition("#")[0] for url in (page.url, page.canonical) if url})
        where, media, others, named = PageUrls(page.base, own), list[Medium](), list[Medium](), NOTHING_NAMED
        # Most pages have little of all that may name media; what they do not have is not entered.
        if card or self._players or self._json_ld or items_below is not None:
            media = shown(sources, items_below, where)
        if self._scripts:
            others = self._scripts.media(page.base)
        last = [Link(href, via, element) for href, via, element in card.links()] if card else []
        if may_name_files(body):
            linked = [link.href for link in chain(page.links, last)]
            linked += [file.href for medium in (*media, *others) for file in medium.files]
            named = read_named(root, body, page.base, linked, self._said)
        if media or others or named.media:
            page.media = gather(media, [*others, *named.media], sources, where)
        known = {absolute(page.base, href) for href, _, _ in last}
        for medium in page.media:
            last += [Link(file.href, file.via, _NO_ELEMENT) for file in medium.files if file.via in _STRUCTURED]
            if medium.player and medium.player not in known:
                last.append(Link(medium.player, "player", _NO_ELEMENT))
        listed = {link.href for link in last}
        last += [Link(href, via, element) for href, via, element in named.links if href not in listed]
        # Of too many links those to media are kept.
        room = max(MAX_LINKS - len(last), 0)
        page.cut = max(0, len(page.links) + len(last) - MAX_LINKS)
        del page.links[room:]
        page.links += last[:MAX_LINKS]

    def _all_licenses(self) -> Iterator[str]:
        rels = ((href, element.get("rel")) for href, _, element in self.page.links)
        yield from self._licenses
        yield from (href for href, rel in rels if rel and "license" in rel.lower().split())

    def _anchors(self) -> Iterator[str]:
        return (href for href, via, _ in self.page.links if via == "a")

    def _said(self, element: Any, base: str) -> Iterator[Fact]:
        """Return what the page says of a playing element; one in a document in an attribute is not among its own."""
        return (self._players or Players()).facts(element, base)

    def href(self, element: Any) -> None:
        self._add(element.get("href"), element.tag, element)

    def src(self, element: Any) -> None:
        for href in (element.get("src"), element.get("data-src")):
            # Neither scheme names a resource outside the page.
            if href and href[:5].lower() not in ("blob:", "data:"):
                self._add(href, element.tag.removeprefix("amp-"), element)

    def player(self, element: Any) -> None:
        self.src(element)
        self._players = self._players or Players()
        self._players.begin(element)

    def track(self, element: Any) -> None:
        if self._players:
            self._players.track(element)

    def script(self, element: Any) -> None:
        kind = media_type(element.get("type"))
        if kind == "application/ld+json":
            if len(self._json_ld) < _MOST_SCRIPTS:
                self._json_ld.append(element.text or "")
        elif element.get("src") is None:
            self._scripts = self._scripts or Scripts()
            self._scripts.take(kind, element)

    def data(self, element: Any) -> None:
        self._add(element.get("data"), "object", element)

    def source(self, element: Any) -> None:
        parent = element.getparent()
        if parent is None or parent.tag != "picture":
            self.src(element)
            if self._players:
                self._players.source(element)

    def link(self, element: Any) -> None:
        rels = frozenset((element.get("rel") or "").lower().split())
        if "license" in rels and element.get("href") and len(self._licenses) < _MOST_CLAIMS:
            self._licenses.append(element.get("href"))
        kind = media_type(element.get("type"))
        if kind.startswith(("audio/", "video/")) and not rels.isdisjoint(("enclosure", "alternate")):
            self._add(element.get("href"), "enclosure", element)
        if "stylesheet" in rels or _FOLLOWED_RELS.isdisjoint(rels):
            return
        # WordPress names the data of each page as JSON, too.
        is_json_feed = kind == "application/json" and "feed" in f"{element.get('href')} {element.get('title')}".lower()
        if is_json_feed or _says_feed(kind):
            self._add(element.get("href"), "feed", element)
        elif kind in _OEMBED_TYPES:
            if element.get("href") and len(self.page.oembed) < _MOST_OEMBEDS:
                self.page.oembed.append(element.get("href"))
        elif kind in ("", "text/html", "application/xhtml+xml"):
            self._add(element.get("href"), "link", element)
            # Outside the head it may be part of a user's comment.
            parent = element.getparent()
            is_claim = "canonical" in rels and parent is not None and parent.tag == "head"
            if is_claim and element.get("href") and len(self._canonicals) < _MOST_CLAIMS:
                self._canonicals.append(element.get("href"))

    def base(self, element: Any) -> None:
        href = element.get("href")
        if href is None or self._based:
            return
        self._based = True
        try:
            base = ada_url.join_url(self.page.url, href).partition("#")[0]
        except ValueError:
            return
        # A base of another scheme is ignored, however long it is.
        if base.startswith(("http:", "https:")):
            self.page.base = base if len(base) <= _LONGEST_BASE else ""

    def template(self, element: Any) -> None:
        # The content of a declarative shadow root is shown (the HTML standard, "the template element").
        if (element.get("shadowrootmode") or "").lower() not in ("open", "closed"):
            self._templates.append(element)
            self._hidden.update(element.iterdescendants(*_TAGS))

    def title(self, element: Any) -> None:
        if not self.page.title:
            self.page.title = fold(islice(element.itertext(), TEXT_PIECES))

    def meta(self, element: Any) -> None:
        content = element.get("content")
        if not content:
            return
        name = (element.get("property") or element.get("name") or "").strip().lower()
        if name in self._robots:
            if len(self.page.robots) < _MOST_CLAIMS:
                self.page.robots.append(content)
        elif name in WANTED or name.startswith(MEDIA):
            self._card = self._card or Card()
            self._card.take(name, content, element)
        elif not name and (element.get("http-equiv") or "").strip().lower() == "refresh":
            self.refresh(content, element)

    def refresh(self, content: str, element: Any) -> None:
        if target := _REFRESH(content):
            self._add((target[1] or target[2] or target[3] or "").strip(), "refresh", element)

    def _add(self, href: str | None, via: str, element: Any) -> None:
        if href:
            self.page.links.append(Link(href, via, element))


_HANDLERS: dict[str, Callable[[_Reader, Any], None]] = {
    "area": _Reader.href,
    "iframe": _Reader.src,
    "frame": _Reader.src,
    "audio": _Reader.player,
    "video": _Reader.player,
    "amp-audio": _Reader.player,
    "amp-video": _Reader.player,
    "embed": _Reader.src,
    "bgsound": _Reader.src,
    "source": _Reader.source,
    "track": _Reader.track,
    "script": _Reader.script,
    "object": _Reader.data,
    "link": _Reader.link,
    "meta": _Reader.meta,
    "base": _Reader.base,
    "template": _Reader.template,
    "title": _Reader.title,
}
_TAGS = ("a", *_HANDLERS)
_NO_ELEMENT = etree.Element("link")
"""The element of references that have none of their own."""
_STRUCTURED = frozenset({"json-ld", "microdata", "script"})
"""Link sources of files that are links by the page's media only."""
