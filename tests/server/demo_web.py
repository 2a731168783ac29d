"""The demo web on the tests' own server, which logs every request, and what a crawl of it must find and leave alone."""

from __future__ import annotations

import asyncio
from datetime import date

from demo_fields import FIELDS, PLAYERS
from wire import HttpServer, ServedRequest, ServerExchange, respond

from mediacrawl.programs.demo import DemoSites
from mediacrawl.programs.demo.library import LEGACY_ENCODINGS, NAMES
from mediacrawl.programs.demo.sites import Station

FORBIDDEN = {
    "tonspur.example/suche": "robots.txt",
    "tonspur.example/intern/entwurf.mp3": "meta robots nofollow",
    "tonspur.example/sponsor/": "rel=nofollow",
    "tonspur.example/still/verborgen.mp3": "X-Robots-Tag nofollow",
    "tonspur.example/lang/hop-4": "the fourth hop of a redirect",
    "tonspur.example/lang/ziel.mp3": "behind the fourth hop of a redirect",
    "bitte-nicht.example/": "NeverCrawl",
    "media.bitte-nicht.example/": "NeverCrawl",
    "www.podcast-am-morgen.example/konto/": "robots.txt",
    "archiwum-dzwieku.example/prywatne/": "robots.txt",
    "tasmy-i-plenki.example/?C=": "robots.txt",
    "tasmy-i-plenki.example/musik/?C=": "robots.txt",
    "tasmy-i-plenki.example/musik/alt/?C=": "robots.txt",
    "tasmy-i-plenki.example/abbild.iso": "extension",
    "tasmy-i-plenki.example/musik/alles.zip": "extension",
    "tasmy-i-plenki.example/musik/cover.jpg": "extension",
    "kino-lumiere.example/adas/1207.ts": "piece of a stream",
    "ljosvaki.example/myndir/": "extension",
}
"""Host and beginning of a path that a well-behaved crawl never asks for -> the reason."""
# A year of months and a margin for other sound rules; a crawler without a rule asks for hundreds.
TRAPS = {"www.podcast-am-morgen.example/calendar/": 30, "www.podcast-am-morgen.example/mehr/mehr/": 10}
"""Host and beginning of a path without end -> the most requests that a careful crawl makes there."""


class DemoWeb(HttpServer):
    """The demo web. All facts are there after `start`, because URLs contain the port.

    Args:
        port: to listen on; 0 takes any free one.
        today: the day on which the calendar begins; None takes the clock's.

    Attributes:
        hosts, seeds, files, never_crawl, adapters: as `DemoSites` has them.
        expected_media: URLs, in canonical form, of the media that a well-behaved crawl finds.
        expected_records: the same URLs, and those of players that only a page speaks for, of stations and of manifests.
        expected_fields: URLs of some of these -> fields of their records, see ``demo_fields.py``.
        streams: URLs of stations, whose answers never end.
        names: URLs of media -> title, artist and album as their makers meant them, however the file encodes them.
        titles: the same URLs -> title alone.
        encodings: those URLs whose tags claim another encoding than they hold -> the one they hold, as a Python codec.
        sizes: the same URLs -> bytes of the whole file.
        forbidden: beginnings of URLs that a well-behaved crawl never asks for -> the reason.
        traps: beginnings of URLs without end -> the most requests that a careful crawl makes there.
        crawl_delays: host -> seconds that its robots.txt asks for.
    """

    def __init__(self, port: int = 0, today: date | None = None) -> None:
        super().__init__(self._answer, port=port)
        self._today = today

    def start(self) -> None:
        """Listen, and gather the facts."""
        super().start()
        self._sites = sites = DemoSites(self.port, self._today)
        self.hosts, self.seeds, self.files = sites.hosts, sites.seeds, sites.files
        self.never_crawl, self.adapters = sites.never_crawl, sites.adapters
        self.expected_media = set(self.files)
        self.names = {url: NAMES[name] for url, name in self.files.items()}
        self.titles = {url: names.title for url, names in self.names.items()}
        self.encodings = {url: LEGACY_ENCODINGS[name] for url, name in self.files.items() if name in LEGACY_ENCODINGS}
        self.expected_fields = {self._url(place): self._placed(fields) for place, fields in FIELDS.items()}
        self.expected_records = self.expected_media | {self._url(place) for place in PLAYERS}
        self.streams = {url for url in self.expected_records if isinstance(self._at(url), Station)}
        self.sizes = {url: len(self._at(url).body) for url in self.files}
        self.forbidden = {self._url(place): why for place, why in FORBIDDEN.items()}
        self.traps = {self._url(place): limit for place, limit in TRAPS.items()}
        self.crawl_delays = {"archiwum-dzwieku.example": 1.0}

    def violations(self) -> list[tuple[ServedRequest, str]]:
        """Return the requests that a well-behaved crawl does not make, each with the reason."""
        reasons = ((entry, start, why) for entry in self.log for start, why in self.forbidden.items())
        found = [(entry, why) for entry, start, why in reasons if entry.url.startswith(start)]
        for start, allowed in self.traps.items():
            found += [(entry, "trap") for entry in [e for e in self.log if e.url.startswith(start)][allowed:]]
        return found

    def _url(self, place: str) -> str:
        host, slash, path = place.partition("/")
        return self._sites.url(host, slash + path)

    def _placed(self, value):
        """Return a value in which ``PORT`` of every URL is the server's port."""
        if isinstance(value, str):
            return value.replace(":PORT", f":{self.port}")
        if isinstance(value, dict):
            return {key: self._placed(each) for key, each in value.items()}
        return type(value)(map(self._placed, value)) if isinstance(value, list | tuple) else value

    def _at(self, url: str):
        host, _, target = url.removeprefix("http://").partition(f":{self.port}")
        return self._sites.find(host, target)

    async def _answer(self, exchange: ServerExchange) -> None:
        request = exchange.request
        found = self._sites.find(request.host, request.target)
        if not isinstance(found, Station):
            await asyncio.sleep(found.delay)
            await exchange.send(respond(found, request))
            return
        titles = request.headers.get("icy-metadata") == "1"
        await exchange.raw(found.head(titles=titles))
        if request.method != "HEAD":
            for piece in found.sound_pieces(titles=titles):
                await exchange.raw(piece)
