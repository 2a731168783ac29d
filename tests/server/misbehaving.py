"""A web that misbehaves: one host for each sin, all on one port of loopback, with the demo's log.

    with MisbehavingWeb() as web:
        web.url("ignores-range", "/song.mp3")   # http://ignores-range.example:PORT/song.mp3
        web.log                                 # what the server saw

`SINS` lists all sins with a sentence each. A host sins at all its URLs but robots.txt, which allows everything; a
host whose name begins with "robots-" sins there, and serves a page and an MP3 elsewhere. Each host is a site of
its own, so that what one does never slows another down.
"""

from __future__ import annotations

import ssl
from collections import Counter

import sins_media
import sins_pages
import sins_robots
import sins_status
import sins_wire
from sin import ANSWERS, SINS, Visit, page
from wire import HttpServer, ServerExchange

__all__ = ["SINS", "MisbehavingWeb"]

_ROOMS = (sins_wire, sins_status, sins_media, sins_pages, sins_robots)
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
        if name not in ANSWERS:
            await visit.send(421)
        elif at_robots == name.startswith("robots-"):
            await ANSWERS[name](visit)
        else:
            await self._decent(visit)

    async def _decent(self, visit: Visit) -> None:
        """What a host answers where it does not sin."""
        if visit.path == "/robots.txt":
            # A kept connection that is closed without an answer says nothing of the site.
            visit.exchange.keep_alive &= visit.exchange.request.host not in {"reset.example", "silent-close.example"}
            await visit.honest(_ALLOW_ALL, "text/plain")
        elif visit.path.endswith(".mp3"):
            await visit.honest(sins_media.song(), "audio/mpeg", '"song"')
        else:
            links = "".join(f'<a href="{path}">{path}</a>\n' for path in ("/song.mp3", "/private/song.mp3", "/late/"))
            await visit.honest(page("decent", links), "text/html; charset=utf-8")
