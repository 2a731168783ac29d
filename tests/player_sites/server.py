"""One server on loopback for player sites: all of their hosts on one port."""

import re
import struct
import zlib
from collections.abc import Iterable
from typing import Any
from urllib.parse import urlsplit, urlunsplit

from wire import HttpServer, ServerExchange, respond

from mediacrawl.programs.demo.answers import Resource, Response, strong_etag
from mediacrawl.programs.demo.library import EncodedText, EncodedTexts, content_type_of, id3v2, media_bytes, retag_mp3
from player_sites import SITES, Expected, PlayerSite

ADDRESS = "127.0.0.1"
_FILES = {
    "mp4": ("bateau.mp4", "foire.mp4", "udvar.mp4"),
    "mp3": ("chai-1.mp3", "folge-1.mp3", "folge-2.mp3", "nachtzug.mp3", "ozero.mp3"),
    "m4a": ("burza.m4a", "spacer.m4a"),
    "webm": ("mlyn.webm",),
    "ogg": ("thalassa.ogg",),
    "opus": ("nychta.opus",),
    "flac": ("low-water.flac",),
}
"""Extension -> files of the demo that are served under such names."""
_HOST = re.compile(r"[a-z0-9.-]*[a-z0-9-]\.example(?![a-z0-9.:-])")
CRAWLED = {name: site for name, site in SITES.items() if site.learnable and name != "teleport"}
"""Sites that can be crawled at a port. The URLs of teleport are stored in Base64, where no port can be put in."""
_NOT_MOVED = {"name", "comment", "learned"}
"""Fields of an adapter that are no addresses."""


def moved(value: Any, port: int | None) -> Any:
    """Return the same value with a port at all hosts: a text, or what JSON has."""
    if isinstance(value, dict):
        return {name: each if name in _NOT_MOVED else moved(each, port) for name, each in value.items()}
    if isinstance(value, list):
        return [moved(each, port) for each in value]
    return _HOST.sub(lambda found: f"{found[0]}:{port}", value) if isinstance(value, str) else value


def at_port(url: str, port: int | None) -> str:
    """Return the same URL at another port; None is the default one."""
    parts = urlsplit(url)
    return urlunsplit(parts._replace(netloc=f"{parts.hostname}:{port}" if port else str(parts.hostname)))


def media(url: str) -> Resource:
    """Return a real file of the kind that the URL's name says; those of MP3 and MP4 differ from URL to URL."""
    kind, seed = url.rpartition(".")[2], zlib.crc32(url.encode())
    data = media_bytes(_FILES[kind][seed % len(_FILES[kind])])
    if kind == "mp3":
        texts = EncodedTexts(*(EncodedText(b"\xff\xfe" + text.encode("utf-16-le"), 1) for text in (url, "", url)))
        data = retag_mp3(data, id3v2(texts), b"")
    elif kind in {"mp4", "m4a"}:
        # A box of free space at the end (ISO/IEC 14496-12, 8.1.2).
        data += struct.pack(">I4s", 8 + len(url), b"free") + url.encode()
    return Resource(data, content_type_of(f"a.{kind}"), etag=strong_etag(data))


class PlayerWeb(HttpServer):
    """Serves player sites; it has what a crawl of ``tests/e2e`` needs.

    Args:
        sites: that are served; by default `CRAWLED`.

    Attributes:
        sites: name -> site.
        hosts: name of each host -> its address.
    """

    never_crawl = "# none\n"

    def __init__(self, sites: Iterable[PlayerSite] = ()) -> None:
        super().__init__(self._answer, ADDRESS, 0)
        chosen = list(sites) or list(CRAWLED.values())
        self.sites = {site.name: site for site in chosen}
        self._by_host = {host: site for site in (*SITES.values(), *chosen) for host in site.hosts}
        self._media = {
            (str(urlsplit(url).hostname), urlsplit(url).path)
            for site in chosen
            for page in site.pages
            for url in site.media(page)
        }
        self.hosts = dict.fromkeys(self._by_host, ADDRESS)

    @property
    def seeds(self) -> list[str]:
        """URLs of the front pages, from which all pages can be reached."""
        return [f"http://{site.host}:{self.port}/" for site in self.sites.values()]

    @property
    def pages(self) -> list[str]:
        """URLs of all pages."""
        return [at_port(page, self.port) for site in self.sites.values() for page in site.pages]

    def truth(self, page_url: str) -> list[Expected]:
        """Return the records that a page stands for, with the port."""
        records = self.site_of(page_url).pages[at_port(page_url, None)]
        return [Expected(**moved(vars(each), self.port)) for each in records]

    def site_of(self, url: str) -> PlayerSite:
        """Return the site whose host is in a URL."""
        return self._by_host[str(urlsplit(url).hostname)]

    async def _answer(self, exchange: ServerExchange) -> None:
        request = exchange.request
        site = self._by_host.get(request.host)
        found = self._found(site, f"http://{request.host}{request.target}", request.headers) if site else Response(421)
        await exchange.send(found if isinstance(found, Response) else respond(found, request))

    def _found(self, site: PlayerSite, url: str, headers: Any) -> Resource:
        # What is stored has no port, in parameters and folders neither.
        plain = re.sub(rf"(?:%3A|:){self.port}(?!\d)", "", url, flags=re.IGNORECASE)
        parts = urlsplit(plain)
        if parts.path == "/robots.txt":
            return Resource(site.robots.encode(), "text/plain; charset=utf-8")
        status, kind, body = site.get(plain, headers)
        if (
            status != 200
            and (str(parts.hostname), parts.path) in self._media
            and parts.path.rpartition(".")[2] in _FILES
        ):
            return media(plain.partition("?")[0])
        return Resource(moved(body.decode(), self.port).encode(), kind, status)
