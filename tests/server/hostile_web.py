"""A web of 120 sites: 60 that attack whoever crawls them, and 60 that are honest.

    with HostileWeb() as web:
        web.seeds           # the front pages of all of them
        web.honest_urls     # what a whole crawl of the honest ones must have asked for
        web.log             # what the server saw

`ATTACKS` has all attacks. Each host is a site of its own, on one port of an address of its own.
"""

from __future__ import annotations

import socket
from collections import Counter

import attacks_lists
import attacks_pages
import attacks_wire
from attack import ATTACKS, SILENT, page_of
from sin import Visit
from sins_traps import recording
from wire import HttpServer, ServerExchange

__all__ = ["ATTACKS", "HONEST", "HostileWeb"]

ATTACKING = (attacks_lists, attacks_pages, attacks_wire)
HONEST = 60
PAGES = 4
"""Pages of an honest site, each with a link to the next and to a file."""
_ALLOW_ALL = b"User-agent: *\nDisallow:\n"


class HostileWeb(HttpServer):
    """Serves all 120 sites.

    Attributes:
        hosts: name of each host -> the address it has here, those that never answer included.
        media: URLs of the files of the honest sites.
    """

    never_crawl = "# nobody yet\n"

    def __init__(self) -> None:
        super().__init__(self._answer, address="0.0.0.0")
        self._visits: Counter[str] = Counter()
        names = [*(f"honest{number}" for number in range(HONEST)), *ATTACKS]
        self.hosts = {f"{name}.example": f"127.0.3.{place}" for place, name in enumerate(names, 1)}
        self.hosts |= {f"h{n}.subdomains.example": self.hosts["subdomains.example"] for n in range(2500)}
        self.hosts |= {host: f"127.0.{4 + place // 250}.{1 + place % 250}" for place, host in enumerate(SILENT)}
        self._silence = [socket.create_server(("0.0.0.0", 0), backlog=0)]

    def start(self) -> None:
        """Serve, and fill the queue of the port that takes no connection any more."""
        super().start()
        self.silent_port = self._silence[0].getsockname()[1]
        # Linux keeps one more than the backlog says; the next connection is answered by nothing.
        for _ in range(2):
            waiting = socket.socket()
            waiting.setblocking(False)
            waiting.connect_ex(("127.0.0.1", self.silent_port))
            self._silence.append(waiting)

    def stop(self) -> None:
        super().stop()
        for listener in self._silence:
            listener.close()

    @property
    def seeds(self) -> list[str]:
        attacks = [self.url(name, f"/{self.silent_port}" if name == "silent" else "/") for name in ATTACKS]
        return attacks + [self.url(f"honest{number}") for number in range(HONEST)]

    @property
    def media(self) -> set[str]:
        return {self.url(f"honest{n}", f"/{page}.mp3") for n in range(HONEST) for page in range(PAGES)}

    @property
    def honest_urls(self) -> set[str]:
        """Pages and files of the honest sites."""
        pages = {self.url(f"honest{n}", f"/{page}") for n in range(HONEST) for page in range(1, PAGES)}
        return self.media | pages | {self.url(f"honest{n}") for n in range(HONEST)}

    def url(self, name: str, path: str = "/") -> str:
        """URL of a host."""
        return f"http://{name}.example:{self.port}{path}"

    async def _answer(self, exchange: ServerExchange) -> None:
        host = exchange.request.host
        name = host.removesuffix(".example")
        at_robots = exchange.request.path == "/robots.txt"
        self._visits[name] += not at_robots
        visit = Visit(exchange, f"http://{host}:{self.port}", self._visits[name])
        if name in ATTACKS and at_robots == name.startswith("robots-"):
            await ATTACKS[name](visit)
        elif at_robots:
            await visit.honest(_ALLOW_ALL, "text/plain")
        elif visit.path.endswith(".mp3"):
            await visit.honest(recording(host + visit.path), "audio/mpeg")
        else:
            await self._page(visit)

    async def _page(self, visit: Visit) -> None:
        number = int(visit.path.strip("/") or 0) if visit.path.strip("/").isdecimal() or visit.path == "/" else -1
        links = f'<a href="/{(number + 1) % PAGES or ""}">next</a><a href="/{number}.mp3">file</a>'
        host = visit.exchange.request.host
        await visit.honest(page_of(host + visit.path, links if 0 <= number < PAGES else ""), attacks_pages.HTML)
