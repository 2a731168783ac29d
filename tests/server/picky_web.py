"""A web whose hosts answer only requests with a certain header: a cookie, a Referer, another Accept-Encoding.

    with PickyWeb() as web:
        web.url("to-itself", "/page")   # http://to-itself.example:PORT/page

Each host is a site of its own. Its robots.txt allows everything, if `ROBOTS` has no other.
"""

from __future__ import annotations

import gzip
import zlib

from sin import Book, Visit, page
from wire import HttpServer, ServerExchange

__all__ = ["HOSTS", "ROBOTS", "PickyWeb"]

HTML, TEXT = "text/html; charset=utf-8", "text/plain"
RULES = b"User-agent: *\nDisallow: /private/\n"
HOSTS = host = Book()
ROBOTS = robots = Book()


def cookies(visit: Visit) -> str:
    return visit.exchange.request.headers.get("cookie", "")


async def found(visit: Visit) -> None:
    await visit.send(200, page("Found", f"<p>This is {visit.base}{visit.path}.</p>"), HTML)


# -- cookies ---------------------------------------------------------------------------------------------------------


@host
async def to_itself(visit: Visit) -> None:
    if "seen=1" in cookies(visit):
        await found(visit)
    else:
        await visit.send(302, Location=visit.path, Set_Cookie="seen=1; Path=/; HttpOnly")


@host
async def to_itself_otherwise_written(visit: Visit) -> None:
    if cookies(visit) == "a=b=c":
        await found(visit)
    else:
        await visit.send(307, Location=f"{visit.base.upper().replace('HTTP', 'http')}/./page", Set_Cookie="a=b=c")


@host
async def there_and_back(visit: Visit) -> None:
    if visit.path == "/set":
        await visit.send(302, Location="/page", Set_Cookie="id=7; Domain=there-and-back.example")
    elif "id=7" in cookies(visit):
        await found(visit)
    else:
        await visit.send(302, Location="/set")


@host
async def there_with_it(visit: Visit) -> None:
    """Sets the cookie before it leads away, and checks it there, too."""
    if visit.path == "/check":
        await visit.send(302, Location="/page" if "id=7" in cookies(visit) else "/no-cookies")
    elif "id=7" in cookies(visit):
        await found(visit)
    else:
        await visit.send(302, Location="/check", Set_Cookie="id=7")


@host
async def by_another_site(visit: Visit) -> None:
    if "id=7" in cookies(visit):
        await found(visit)
    else:
        there = visit.base.replace("by-another-site", "other-site")
        await visit.send(302, Location=f"{there}/back", Set_Cookie="id=7")


@host
async def other_site(visit: Visit) -> None:
    await visit.send(302, Location=visit.base.replace("other-site", "by-another-site") + "/page", Set_Cookie="spy=1")


@host
async def never_pleased(visit: Visit) -> None:
    """Sets a new cookie each time, and never has a page."""
    await visit.send(302, Location=visit.path, Set_Cookie=f"n={visit.count}")


@host
async def never_pleased_there(visit: Visit) -> None:
    away = visit.path == "/there"
    await visit.send(302, Location="/page" if away else "/there", Set_Cookie=f"n={visit.count}")


@host
async def without_a_cookie(visit: Visit) -> None:
    await visit.send(302, Location=visit.path)


@host
async def takes_it_back(visit: Visit) -> None:
    await visit.send(302, Location=visit.path, Set_Cookie="n=1; Max-Age=0")


@host
async def for_tls_only(visit: Visit) -> None:
    await visit.send(302, Location=visit.path, Set_Cookie="n=1; Secure")


@host
async def robots_behind_it(visit: Visit) -> None:
    await found(visit)


@robots
async def robots_behind_it(visit: Visit) -> None:  # noqa: F811 - the robots.txt of the same host
    if "seen=1" in cookies(visit):
        await visit.send(200, RULES, TEXT)
    else:
        await visit.send(302, Location="/robots.txt", Set_Cookie="seen=1")


# -- encodings -------------------------------------------------------------------------------------------------------


def is_packed(visit: Visit) -> bool:
    return visit.exchange.request.headers.get("accept-encoding", "identity") != "identity"


@host
async def not_acceptable(visit: Visit) -> None:
    await (visit.send(406, b"no", TEXT) if is_packed(visit) else found(visit))


@host
async def unsupported(visit: Visit) -> None:
    await (visit.send(415, b"no", TEXT, Accept_Encoding="identity") if is_packed(visit) else found(visit))


@host
async def no_header_or_packed(visit: Visit) -> None:
    """Refuses what is asked for a file, ``identity``."""
    accepted = visit.exchange.request.headers.get("accept-encoding")
    if visit.path == "/page":
        await visit.send(200, page("File", "<a href=/one.mp3>One</a>"), HTML)
    elif accepted is None:
        await found(visit)
    else:
        await visit.send(406, b"no", TEXT)


@host
async def never_acceptable(visit: Visit) -> None:
    await visit.send(406, b"no", TEXT)


@host
async def garbled(visit: Visit) -> None:
    if is_packed(visit):
        body = gzip.compress(b"x" * 100)[:10] + zlib.compress(b"y" * 100)
        await visit.send(200, body, HTML, Content_Encoding="gzip")
    else:
        await found(visit)


# -- Referer and language --------------------------------------------------------------------------------------------


@host
async def linking(visit: Visit) -> None:
    """Links to files of its own, and of another site."""
    there = visit.base.replace("linking", "hotlinked")
    links = f"<a href=/own.mp3>Own</a> <a href={there}/other.mp3>Other</a> <a href='/next?a=b#c'>Next</a>"
    await visit.send(200, page("Linking", links), HTML)


@host
async def hotlinked(visit: Visit) -> None:
    is_sent = visit.exchange.request.headers.get("referer", "").startswith("http://linking.example")
    await (found(visit) if is_sent else visit.send(403))


# -- forms of robots.txt ---------------------------------------------------------------------------------------------

FORMS = {
    "utf-sixteen": RULES.decode().encode("utf-16"),
    "rich-text": b"{\\rtf1\\ansi{\\fonttbl\\f0 Arial;}\n\\f0 User-agent: *\\\nDisallow: /private/}",
    "wrapped": b"<html><body><pre>" + RULES + b"</pre></body></html>",
    "soft-missing": page("404", "<p>There is no such page.</p>"),
}
for _name, _body in FORMS.items():

    async def _robots(visit: Visit, body: bytes = _body) -> None:
        await visit.send(200, body, TEXT)

    HOSTS[_name], ROBOTS[_name] = found, _robots


class PickyWeb(HttpServer):
    """A server on loopback for these hosts.

    Attributes:
        hosts: name of each host -> the address it has here.
    """

    def __init__(self) -> None:
        super().__init__(self._answer)
        self.hosts = {f"{name}.example": "127.0.0.1" for name in HOSTS}
        self.never_crawl = "# nobody\n"
        self._count = 0

    def url(self, name: str, path: str = "/page") -> str:
        """URL of a host."""
        return f"http://{name}.example:{self.port}{path}"

    async def _answer(self, exchange: ServerExchange) -> None:
        name = exchange.request.host.removesuffix(".example")
        self._count += 1
        visit = Visit(exchange, f"http://{exchange.request.host}:{self.port}", self._count)
        if exchange.request.path != "/robots.txt":
            await HOSTS[name](visit)
        elif name in ROBOTS:
            await ROBOTS[name](visit)
        else:
            await visit.send(404)
