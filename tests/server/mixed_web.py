"""A web of 240 sites of mixed behaviour on 80 addresses of loopback, for the politeness of a whole crawl.

What each site is owed after each answer is written down by the server itself (`Answer`), from what it sent: not from
anything that the crawler says.
"""

from __future__ import annotations

import asyncio
import time
from collections import Counter
from dataclasses import dataclass, field
from email.utils import formatdate

from wire import HttpServer, Resource, Response, ServerExchange, respond

KINDS = {
    "plain": 50,
    "slow": 20,
    "throttled": 20,
    "busy": 20,
    "hushed": 10,
    "asking": 20,
    "moving": 20,
    "fickle": 20,
    "broken": 10,
    "shut": 10,
    "falling": 10,
    "doomed": 30,
}
"""Kind -> how many sites of it there are."""
ADDRESSES = 80
PAGES = 6
HTML = "text/html; charset=utf-8"


def pauses(number: int) -> int:
    """Crawl-delay in seconds of the asking site of this number: 1 to 20."""
    return 1 + number * 19 // (KINDS["asking"] - 1)


@dataclass(slots=True)
class Answer:
    """What one answer said of the time after it.

    Attributes:
        until: seconds since the epoch before which the site wants no request; 0 if it did not say.
        crawl_delay: of the robots.txt that was sent; None if this was none.
        closed: paths that the robots.txt forbade.
    """

    until: float = 0.0
    crawl_delay: float | None = None
    closed: tuple[str, ...] = ()


@dataclass(slots=True)
class Site:
    """One site, and what it has answered so far."""

    kind: str
    number: int
    visits: int = 0
    robots: int = 0
    answers: list[Answer] = field(default_factory=list)


class MixedWeb(HttpServer):
    """Serves all sites on one port of all addresses of this machine.

    Attributes:
        sites: by host.
        hosts: host -> its address; each has two or three hosts of different kinds.
        seeds: front pages, and some more of the sites that show none of their links.
    """

    never_crawl = "# nobody yet\n"

    def __init__(self) -> None:
        super().__init__(self._answer, address="0.0.0.0")
        names = [(kind, number) for number in range(max(KINDS.values())) for kind in KINDS if number < KINDS[kind]]
        self.sites = {f"{kind}{number}.example": Site(kind, number) for kind, number in names}
        self.hosts = {host: f"127.0.1.{1 + place % ADDRESSES}" for place, host in enumerate(self.sites)}

    @property
    def seeds(self) -> list[str]:
        fronts = [f"http://{host}:{self.port}/" for host in self.sites]
        shut = [host for host, site in self.sites.items() if site.kind == "shut"]
        return fronts + [f"http://{host}:{self.port}/page/{number}" for host in shut for number in range(PAGES)]

    async def _answer(self, exchange: ServerExchange) -> None:
        site = self.sites.get(exchange.request.host)
        if site is None:
            await exchange.send(Response(421))
        elif exchange.request.path == "/robots.txt":
            # A kept connection that is closed without an answer says nothing of the site.
            exchange.keep_alive = site.kind != "falling"
            await self._robots(site, exchange)
        else:
            site.visits += 1
            await getattr(self, f"_{site.kind}")(site, exchange)

    async def _robots(self, site: Site, exchange: ServerExchange) -> None:
        site.robots += 1
        lines, answer = ["User-agent: *"], Answer(crawl_delay=0.0)
        if site.kind == "asking":
            answer.crawl_delay = float(pauses(site.number))
            lines.append(f"Crawl-delay: {pauses(site.number)}")
        if site.kind == "fickle" and site.robots > 1:
            answer.closed = ("/page/4", "/page/5")
            lines += [f"Disallow: {path}" for path in answer.closed]
        site.answers.append(answer)
        body = "\n".join([*lines, "Disallow:", ""]).encode()
        await exchange.send(respond(Resource(body, "text/plain"), exchange.request))

    async def _page(self, site: Site, exchange: ServerExchange, *more: str) -> None:
        site.answers.append(Answer())
        here = f"{site.kind}{site.number}"
        links = [f"/page/{number}" for number in range(PAGES)] + [*more]
        others = list(self.sites)
        place = others.index(f"{here}.example")
        links += [f"http://{others[(place + step) % len(others)]}:{self.port}/page/0" for step in (1, 7)]
        # Pages that differ, or they would be passed over as copies.
        text = " ".join(f"{here}{exchange.request.path}{word}" for word in range(40))
        body = "".join(f'<a href="{link}">{link}</a>\n' for link in links) + f"<p>{text}</p>"
        await exchange.send(respond(Resource(body.encode(), HTML), exchange.request))

    _plain = _asking = _fickle = _page

    async def _doomed(self, site: Site, exchange: ServerExchange) -> None:
        """Always leads to one more page, so that URLs wait there whenever it is to be left alone."""
        await self._page(site, exchange, f"/page/{PAGES + site.visits}")

    async def _slow(self, site: Site, exchange: ServerExchange) -> None:
        await asyncio.sleep(0.6)
        await self._page(site, exchange)

    async def _say_later(self, site: Site, exchange: ServerExchange, status: int, wish: str, seconds: float) -> None:
        site.answers.append(Answer(until=time.time() + seconds))
        headers = (("Retry-After", wish),) if wish else ()
        await exchange.send(Response(status, headers, b"later\n"))

    async def _throttled(self, site: Site, exchange: ServerExchange) -> None:
        if site.visits % 3 == 2:
            await self._say_later(site, exchange, 429, "4", 4.0)
        else:
            await self._page(site, exchange)

    async def _busy(self, site: Site, exchange: ServerExchange) -> None:
        if site.visits % 3 == 2:
            then = int(time.time()) + 6
            await self._say_later(site, exchange, 503, formatdate(then, usegmt=True), then - time.time())
        else:
            await self._page(site, exchange)

    async def _hushed(self, site: Site, exchange: ServerExchange) -> None:
        if site.visits % 2 == 0:
            await self._say_later(site, exchange, 429, "", 0.0)
        else:
            await self._page(site, exchange)

    async def _moving(self, site: Site, exchange: ServerExchange) -> None:
        """Each page is somewhere else, on a site of another kind, or further away still."""
        site.answers.append(Answer())
        others = list(self.sites)
        step = Counter(exchange.request.path)["/"] + site.number * 11 + site.visits
        target = f"http://{others[step % len(others)]}:{self.port}/moved/{site.number}/{site.visits}"
        await exchange.send(Response(302, (("Location", target),), b""))

    async def _broken(self, site: Site, exchange: ServerExchange) -> None:
        site.answers.append(Answer())
        await exchange.send(Response(500, (), b"broken\n"))

    async def _shut(self, site: Site, exchange: ServerExchange) -> None:
        site.answers.append(Answer())
        await exchange.send(Response(403, (), b"go away\n"))

    async def _falling(self, site: Site, exchange: ServerExchange) -> None:
        site.answers.append(Answer())
        exchange.reset()
