"""A web that misbehaves: one host for each sin, all on one port of loopback, with the demo's log.

    with MisbehavingWeb() as web:
        web.url("ignores-range", "/song.mp3")   # http://ignores-range.example:PORT/song.mp3
        web.log                                 # what the server saw

`SINS` has all sins. A host sins at all its URLs but robots.txt, which allows everything (sins of robots.txt are in
``robots_web.py``). Each host is a site of its own, so that what one does never slows another down.
"""

from __future__ import annotations

import ssl
from collections import Counter

import sins_media
import sins_pages
import sins_status
import sins_wire
from sin import SINS, Visit
from wire import HttpServer, ServerExchange

__all__ = ["SINS", "MisbehavingWeb"]

_ROOMS = (sins_wire, sins_status, sins_media, sins_pages)
_ALLOW_ALL = b"User-agent: *\nDisallow:\n"


class MisbehavingWeb(HttpServer):
    """A server on loopback whose hosts are named after their sins: ``<sin>.example``.

    Args:
        port: to listen on; 0 takes any free one.
        tls: the context to speak TLS; None for plain HTTP.

    Attributes:
        hosts: name of each host -> the address it has here.
    """

    def __init__(self, port: int = 0, tls: ssl.SSLContext | None = None) -> None:
        super().__init__(self._answer, port=port, tls=tls)
        self._visits: Counter[str] = Counter()
        self.hosts = {f"{name}.example": "127.0.0.1" for name in SINS}

    def url(self, sin: str, path: str = "/") -> str:
        """URL of a sin; KeyError if nobody commits it."""
        if sin not in SINS:
            raise KeyError(sin)
        return f"{self._scheme}://{sin}.example:{self.port}{path}"

    async def _answer(self, exchange: ServerExchange) -> None:
        name = exchange.request.host.removesuffix(".example")
        at_robots = exchange.request.path == "/robots.txt"
        self._visits[name] += not at_robots
        visit = Visit(exchange, f"{self._scheme}://{exchange.request.host}:{self.port}", self._visits[name])
        if name not in SINS:
            await visit.send(421)
        elif at_robots:
            # A kept connection that is closed without an answer says nothing of the site.
            exchange.keep_alive &= name not in {"reset", "silent-close"}
            await visit.honest(_ALLOW_ALL, "text/plain")
        else:
            await SINS[name](visit)
