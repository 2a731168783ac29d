"""The demo web: all its hosts on one port of loopback, and what a crawl of it should come to."""

from __future__ import annotations

import asyncio
from datetime import date
from http import HTTPStatus
from typing import Any

from mediacrawl.demo.http import HttpServer, ServerExchange
from mediacrawl.demo.library import LEGACY_ENCODINGS, NAMES, Names
from mediacrawl.demo.message import Response, ServedRequest, respond
from mediacrawl.demo.sites import build_hosts
from mediacrawl.demo.sites import names as host_names
from mediacrawl.demo.virtual_host import VirtualHost

ADDRESS = "127.0.0.1"

NEVER_CRAWL = """\
# Hosts of the demo web that do not want to be crawled. One domain a line; its subdomains are meant too.
bitte-nicht.example   # wrote to us; the demo's own log shows that nobody asks there
"""
"""The NeverCrawl file that goes with the demo web."""

_SEEDS = (host_names.TONSPUR, host_names.PODCAST, host_names.DIRECTORY, host_names.TAPES_NORTH)


class DemoWeb(HttpServer):
    """A small web with real media files, for the first run and for tests.

    Everything is known in advance: what is to be found, and what is not to be requested. All facts stand after
    `start`, because URLs contain the port.

    Args:
        port: to listen on; 0 takes any free one.
        today: the day on which the calendar begins; None takes the clock's.

    Attributes:
        hosts: name of each host -> the address it has here.
        seeds: URLs from which all the rest can be reached.
        expected_media: URLs, in canonical form, of the media that a well-behaved crawl finds.
        expected_records: the same URLs, and those of players that only a page speaks for, of stations and of manifests.
        expected_fields: URLs of some of these -> fields of their records, see `VirtualHost.expect`.
        streams: URLs of stations, whose answers never end.
        files: URLs of media -> name of the file in the library.
        names: the same URLs -> title, artist and album as their makers meant them, however the file encodes them.
        titles: the same URLs -> title alone.
        encodings: those URLs whose tags claim another encoding than they hold -> the one they hold, as a Python codec.
        sizes: the same URLs -> bytes of the whole file.
        forbidden: beginnings of URLs that a well-behaved crawl never asks for -> the reason.
        traps: beginnings of URLs without end -> the most requests that a careful crawl makes there.
        crawl_delays: host -> seconds that its robots.txt asks for.
        never_crawl: text of the NeverCrawl file that goes with this web.
        adapters: file name -> content of the site adapters that go with this web. Without them `expected_media` is not
            found whole: the pages of a host name no media.
    """

    def __init__(self, port: int = 0, today: date | None = None) -> None:
        super().__init__(self._answer, ADDRESS, port)
        self._today = today
        self._hosts: dict[str, VirtualHost] = {}
        self.hosts: dict[str, str] = {}
        self.seeds: list[str] = []
        self.expected_media: set[str] = set()
        self.expected_records: set[str] = set()
        self.expected_fields: dict[str, dict[str, Any]] = {}
        self.streams: set[str] = set()
        self.files: dict[str, str] = {}
        self.names: dict[str, Names] = {}
        self.titles: dict[str, str] = {}
        self.encodings: dict[str, str] = {}
        self.sizes: dict[str, int] = {}
        self.forbidden: dict[str, str] = {}
        self.traps: dict[str, int] = {}
        self.crawl_delays: dict[str, float] = {}
        self.never_crawl = NEVER_CRAWL
        self.adapters: dict[str, bytes] = {}

    def start(self) -> None:
        """Build the hosts and listen.

        Raises:
            RuntimeError: it runs already.
            OSError: the port is taken.
        """
        super().start()
        today = self._today or date.today()  # noqa: DTZ011 - the calendar begins on the user's own day
        self._hosts = {host.host: host for host in build_hosts(self.port, today)}
        self._collect()

    def violations(self) -> list[tuple[ServedRequest, str]]:
        """Requests that a well-behaved crawl does not make, each with the reason."""
        found = [(entry, self._reason(entry)) for entry in self.log]
        return [(entry, reason) for entry, reason in found if reason] + self._trapped()

    def _reason(self, entry: ServedRequest) -> str:
        return next((why for start, why in self.forbidden.items() if entry.url.startswith(start)), "")

    def _trapped(self) -> list[tuple[ServedRequest, str]]:
        """Requests in a trap beyond its allowance."""
        late = []
        for start, allowed in self.traps.items():
            late += [entry for entry in self.log if entry.url.startswith(start)][allowed:]
        return [(entry, "trap") for entry in late]

    def _collect(self) -> None:
        """Gather the facts of all hosts."""
        hosts = self._hosts.values()
        self.hosts = dict.fromkeys(self._hosts, ADDRESS)
        self.seeds = [self._hosts[name].url("/") for name in _SEEDS]
        self.files = {url: name for host in hosts for url, name in host.expected.items()}
        self.names = {url: NAMES[name] for url, name in self.files.items()}
        self.titles = {url: names.title for url, names in self.names.items()}
        self.encodings = {url: LEGACY_ENCODINGS[name] for url, name in self.files.items() if name in LEGACY_ENCODINGS}
        self.sizes = {url: host.size_of(url) for host in hosts for url in host.expected}
        self.expected_media = set(self.titles)
        self.expected_records = self.expected_media.union(*(host.players for host in hosts))
        self.expected_fields = {url: fields for host in hosts for url, fields in host.fields.items()}
        self.streams = {host.url(path) for host in hosts for path in host.stations}
        self.forbidden = {start: why for host in hosts for start, why in host.forbidden.items()}
        self.traps = {start: limit for host in hosts for start, limit in host.traps.items()}
        self.crawl_delays = {host.host: host.crawl_delay for host in hosts if host.crawl_delay}
        self.adapters = {name: body for host in hosts for name, body in host.adapters.items()}

    async def _answer(self, exchange: ServerExchange) -> None:
        host = self._hosts.get(exchange.request.host)
        if host is None:
            await exchange.send(Response(HTTPStatus.MISDIRECTED_REQUEST))
            return
        station = host.stations.get(exchange.request.path)
        if station is not None:
            await station.play(exchange)
            return
        resource = host.find(exchange.request.target)
        await asyncio.sleep(resource.delay)
        await exchange.send(respond(resource, exchange.request))
