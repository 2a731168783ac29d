"""One virtual host: its resources, and what a crawler should make of them."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from http import HTTPStatus
from typing import Any
from urllib.parse import unquote

from mediacrawl.demo.library import content_type_of, grow_mp3, media_bytes
from mediacrawl.demo.message import Headers, Resource, strong_etag
from mediacrawl.demo.said import FIELDS
from mediacrawl.demo.station import Station

CHANGED = 1_767_225_600
"""Last-Modified of everything here: 2026-01-01 00:00 UTC. Fixed, so that two runs give the same answers."""

_TEMPLATE = """<!DOCTYPE html>
<html lang="{lang}">
<head>
<meta charset="{charset}">
<title>{title}</title>
{head}
</head>
<body>
<h1>{title}</h1>
{body}
</body>
</html>
"""

_NOT_FOUND = Resource(
    b"<!DOCTYPE html>\n<html lang='en'><title>Not found</title><p>There is nothing here.</p></html>\n",
    status=HTTPStatus.NOT_FOUND,
)


def html_page(title: str, body: str, *, lang: str = "en", head: str = "", charset: str = "utf-8") -> Resource:
    """A page in this encoding, which it declares in a meta element."""
    html = _TEMPLATE.format(lang=lang, charset=charset, title=title, head=head, body=body.strip())
    return Resource(html.encode(charset), f"text/html; charset={charset}", modified=CHANGED)


Rule = Callable[[str], Resource | None]
"""Makes resources on demand: from the path (percent escapes resolved), or None."""


@dataclass(slots=True)
class VirtualHost:
    """A virtual host that is built up line by line, like a folder that is filled.

    Attributes:
        host: its name.
        port: of the server that all hosts share.
        resources: path (escapes resolved, with the query if it matters) -> the resource there.
        rules: asked in turn when no resource fits.
        expected: URLs of media that a well-behaved crawl finds -> file name in the demo's library.
        fields: the same URLs, and those of `players` -> what their records say besides the names, see `expect`.
        players: URLs of players, of stations and of lists of pieces, whose media is available nowhere as files.
        stations: path -> the station there, whose answer never ends.
        forbidden: beginnings of URLs that a well-behaved crawl never asks for -> the reason.
        traps: beginnings of URLs without end -> the most requests that a careful crawl makes there.
        crawl_delay: seconds that its robots.txt asks for.
        adapters: file name -> content of a site adapter, without which the media of this host is not found.
    """

    host: str
    port: int
    resources: dict[str, Resource] = field(default_factory=dict)
    rules: list[Rule] = field(default_factory=list)
    expected: dict[str, str] = field(default_factory=dict)
    fields: dict[str, dict[str, Any]] = field(default_factory=dict)
    stations: dict[str, Station] = field(default_factory=dict)
    players: set[str] = field(default_factory=set)
    forbidden: dict[str, str] = field(default_factory=dict)
    traps: dict[str, int] = field(default_factory=dict)
    crawl_delay: float = 0.0
    adapters: dict[str, bytes] = field(default_factory=dict)

    def url(self, path: str = "/", host: str = "") -> str:
        """Absolute URL on this host, or on another one of the same server."""
        return f"http://{host or self.host}:{self.port}{path}"

    def find(self, target: str) -> Resource:
        """The resource at a request target; a page with status 404 if there is none."""
        whole = unquote(target)
        path = unquote(target.partition("?")[0])
        found = self.resources.get(whole) or self.resources.get(path)
        answers = (rule(path) for rule in self.rules)
        return found or next((answer for answer in answers if answer is not None), _NOT_FOUND)

    def robots(self, text: str, crawl_delay: float = 0.0) -> None:
        """Set robots.txt; a host without this call answers 404 there."""
        self.file("/robots.txt", text.encode(), "text/plain; charset=utf-8")
        self.crawl_delay = crawl_delay

    def page(
        self,
        path: str,
        title: str,
        body: str,
        *,
        lang: str = "en",
        head: str = "",
        charset: str = "utf-8",
        header_charset: bool = True,
        headers: Headers = (),
        delay: float = 0.0,
    ) -> None:
        """Add an HTML page.

        Args:
            path: where.
            title: of the page, and its first heading.
            body: HTML of the body.
            lang: language code.
            head: further HTML of the head.
            charset: the page is written in it and declares it in a meta element.
            header_charset: whether Content-Type declares it as well.
            headers: further header lines.
            delay: seconds that the server thinks.
        """
        page = html_page(title, body, lang=lang, head=head, charset=charset)
        content_type = f"text/html; charset={charset}" if header_charset else "text/html"
        self.resources[path] = replace(page, content_type=content_type, headers=headers, delay=delay)

    def media(self, path: str, name: str, *, seconds: float = 0.0, expected: bool = True) -> None:
        """Add a media file of the library; an MP3 can be made longer.

        Args:
            path: where; it need not end like the file.
            name: file in the library.
            seconds: length to grow an MP3 to; 0 serves the file as it is.
            expected: whether a well-behaved crawl finds it.
        """
        data = grow_mp3(media_bytes(name), seconds) if seconds else media_bytes(name)
        self.file(path, data, content_type_of(name))
        if expected:
            self.expected[self.url(path)] = name
            self.expect(path, **FIELDS.get(name, {}))

    def station(self, path: str, station: Station) -> None:
        """Add a radio station, whose record says what it plays."""
        self.stations[path] = station
        self.players.add(self.url(path))
        self.expect(path, is_live=True, title=station.name, genre=station.genre, now_playing=station.song)

    def expect(self, path: str, **fields: Any) -> None:
        """Declare what the record of a medium says.

        Args:
            path: of the medium.
            fields: name of a field of the record -> its value. Of an object only the given fields count. A list has
                as many objects as the record's; a tuple has some of them, in any order.
        """
        if fields:
            self.fields.setdefault(self.url(path), {}).update(fields)

    def file(self, path: str, data: bytes, content_type: str) -> None:
        """Add any other file."""
        self.resources[path] = Resource(data, content_type, modified=CHANGED, etag=strong_etag(data))

    def gone(self, path: str) -> None:
        """Declare that nothing is here any more, and never will be."""
        self.resources[path] = replace(_NOT_FOUND, status=HTTPStatus.GONE)

    def redirect(self, path: str, to: str, status: int = HTTPStatus.FOUND) -> None:
        """Add a redirect; `to` is sent in Location verbatim."""
        self.resources[path] = Resource(content_type=None, status=status, headers=(("Location", to),))

    def adapter(self, name: str, document: Mapping[str, Any]) -> None:
        """Add a site adapter for a crawl of this host.

        Args:
            name: of its file.
            document: what is in the file, see `mediacrawl.site_adapters`.
        """
        self.adapters[name] = json.dumps(document, ensure_ascii=False, indent=2).encode() + b"\n"

    def forbid(self, path: str, reason: str) -> None:
        """Declare that a well-behaved crawl asks for no URL that begins so."""
        self.forbidden[self.url(path)] = reason

    def size_of(self, url: str) -> int:
        """Bytes of the whole file behind an expected media URL."""
        return len(self.resources[url.removeprefix(self.url(""))].body)
