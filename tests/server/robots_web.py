"""A web whose hosts differ in how they serve robots.txt: those of one crawl, and those that change while it runs.

    with RobotsWeb() as web:
        web.url("six-redirects", "/private/x")   # http://six-redirects.example:PORT/private/x

Each host is a site of its own, and serves a page wherever it is requested, except at /robots.txt and /keeps/. Beside
each NAME.example there is a NAME-keeper.example, which has at /keeps/ what the first one redirects to.
"""

from __future__ import annotations

import asyncio
import gzip
from collections import Counter

from sin import Book, Visit, page
from wire import HttpServer, Resource, ServerExchange, respond

__all__ = ["ALIKE", "ANSWERS", "RULES", "RobotsWeb"]

TEXT = "text/plain"
RULES = b"User-agent: *\nDisallow: /private/\n"
SHUT = b"User-agent: *\nDisallow: /\n"
PAGES = 12
"""Pages of each host that a crawl of changing hosts asks for."""

ANSWERS = host = Book()
"""Name of a host -> what it answers to /robots.txt; `Visit.count` says how often it was requested that."""


def always(name: str, status: int, body: bytes = b"", content_type: str = TEXT, **headers: str) -> None:
    """Register a host that always answers the same; ``{keeper}`` in headers is the URL of its keeper."""

    async def answer(visit: Visit) -> None:
        keeper = visit.base.replace(name, f"{name}-keeper")
        filled = {key: value.format(keeper=keeper) for key, value in headers.items()}
        await visit.send(status, body, content_type, **filled)

    ANSWERS[name] = answer


def step(visit: Visit) -> int:
    """The number behind the question mark."""
    return int(visit.exchange.request.target.partition("?")[2].rstrip("=") or 0)


# F1, F2
always("broken-lines", 200, b"Disallow /x y z\n:\n\0\0\nUser-agent *\nnonsense\n" + RULES + b"Allow: \xff\n\x00: \x00")
always("latin", 200, b"\xef\xbb\xbfUser-agent: *\rDisallow: /m\xfcll/\r\xff\xfe\rDisallow: /private/\r")
always("noise", 200, bytes(number * 7919 % 256 for number in range(20_000)))
# A thousand asterisks, which take a naive matcher for ever.
always("asterisks", 200, b"User-agent: *\nDisallow: /" + b"*a" * 1000 + b"$\nDisallow: /private/\n")

# F3, F4
for code in (301, 302, 303, 307, 308):
    always(f"moved-{code}", code, Location="/robots.txt?1")
    always(f"moved-away-{code}", code, Location="{keeper}/keeps/rules.txt")
always("to-itself", 301, Location="/robots.txt")
always("to-nowhere", 302)
always("to-never", 302, Location="{keeper}/keeps/rules.txt")
always("to-failure", 302, Location="{keeper}/keeps/rules.txt")


@host
async def five_redirects(visit: Visit) -> None:
    """Five, by all five statuses, to and fro between this site and another; the rules are at the end."""
    await _tour(visit, 5)


@host
async def six_redirects(visit: Visit) -> None:
    await _tour(visit, 6)


@host
async def endless_redirects(visit: Visit) -> None:
    await _tour(visit, 1_000)


async def _tour(visit: Visit, length: int) -> None:
    number = step(visit)
    if number >= length:
        await visit.send(200, RULES, TEXT)
        return
    if number % 2:
        there = visit.base.replace("-keeper", "") + "/robots.txt"
    else:
        there = visit.base.replace(".example", "-keeper.example") + "/keeps/tour"
    await visit.send((301, 302, 303, 307, 308)[number % 5], Location=f"{there}?{number + 1}")


# F5 to F8
always("s404", 404)
always("s403", 403, RULES)
always("s410", 410, RULES)
always("s401", 401, RULES)
always("s429", 429)
always("s500", 500, RULES)
always("s503", 503, RULES)
always("s599", 599)
always("s501", 501)
always("packed-badly", 200, RULES, Content_Encoding="gzip")
# The copy counts for twice as long: so late may the page be asked for.
always("patient", 404, Cache_Control="no-cache", Retry_After="4")


@host
async def status_huge(visit: Visit) -> None:
    await visit.raw(b"HTTP/1.1 99999999999999999999 OK\r\nContent-Length: 0\r\n\r\n")


@host
async def hang(visit: Visit) -> None:
    await visit.exchange.until_gone()


@host
async def reset(visit: Visit) -> None:
    visit.exchange.reset()


@host
async def comes_back(visit: Visit) -> None:
    """Fails twice, then has rules."""
    await visit.send(*((503, b"") if visit.count < 3 else (200, RULES)), TEXT)


# RFC 9309, 2.3.1.4: what breaks off was out of reach, until the same bytes come once more.
_HEAD = b"HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\nConnection: close\r\n"
_CHUNK = b"%x\r\n%b\r\n" % (len(RULES), RULES)


@host
async def bytes_missing(visit: Visit) -> None:
    await visit.raw(_HEAD + b"Content-Length: 1000\r\n\r\n", RULES)


@host
async def reset_halfway(visit: Visit) -> None:
    await visit.raw(_HEAD + b"Content-Length: 1000\r\n\r\n", RULES)
    await _reset(visit)


@host
async def reset_without_length(visit: Visit) -> None:
    await visit.raw(_HEAD + b"\r\n", RULES)
    await _reset(visit)


@host
async def chunk_missing(visit: Visit) -> None:
    await visit.raw(_HEAD + b"Transfer-Encoding: chunked\r\n\r\n", _CHUNK)


@host
async def line_end_missing(visit: Visit) -> None:
    await visit.raw(_HEAD + b"Transfer-Encoding: chunked\r\n\r\n", _CHUNK + b"0\r\n")


@host
async def pack_end_missing(visit: Visit) -> None:
    """Says the truth of its length, and leaves out the end of the pack, though nobody asked it to pack any."""
    await visit.send(200, gzip.compress(RULES)[:-8], TEXT, Content_Encoding="gzip")


ALIKE = (
    *("bytes-missing", "reset-halfway", "reset-without-length", "chunk-missing", "line-end-missing"),
    "pack-end-missing",
)
"""Hosts whose robots.txt breaks off at the same place each time."""


@host
async def differs(visit: Visit) -> None:
    """Breaks off at another place each time; what comes allows everything."""
    await visit.raw(_HEAD + b"Content-Length: 1000\r\n\r\n", b"User-agent: *\nAllow: /\n" + b"#" * visit.count)


@host
async def nothing_came(visit: Visit) -> None:
    await visit.raw(_HEAD + b"Content-Length: 1000\r\n\r\n")


async def _reset(visit: Visit) -> None:
    # The client must be able to read what came before the RST throws it away.
    await asyncio.sleep(0.05)
    visit.exchange.reset()


# F13 to F18
_FILLING = b"# nothing but filling, line after line, to the limit and beyond\n" * 8_500
always("huge", 200, RULES + _FILLING[:530_000] + b"\nDisallow: /late/\n")
always("to-metadata", 302, Location="http://169.254.169.254/robots.txt")
always("to-file", 302, Location="file:///etc/robots.txt")
always("to-ftp", 302, Location="ftp://steady.example/robots.txt")
always("leads-away", 404)
always("shut", 200, SHUT)
always("page-instead", 200, b"<!DOCTYPE html><html><body>Disallow: /\n<p>Please log in.</p></body></html>", "text/html")
always("typed-as-page", 200, RULES, "text/html; charset=utf-8")
always("ambiguous", 200, b"User-agent: *\nCrawl-delay: 0.4\nUser-agent: other\nDisallow: /private/\nSitemap: /s.xml\n")


# Those that change while a crawl runs, see F9, F11, F12, F17
always("steady", 200, RULES)
always("uncached", 200, RULES, Cache_Control="no-cache")
always("cached-for-ever", 200, RULES, Cache_Control="max-age=31536000")


@host
async def breaks(visit: Visit) -> None:
    """Has rules once, and fails ever after."""
    await visit.send(*((200, RULES) if visit.count == 1 else (500, b"")), TEXT)


@host
async def breaks_off(visit: Visit) -> None:
    """Has rules once, and ever after a file that breaks off before the rules."""
    if visit.count == 1:
        await visit.send(200, RULES, TEXT)
    else:
        await differs(visit)


@host
async def tagged(visit: Visit) -> None:
    """Sends its rules once, and then says that they have not changed."""
    await visit.honest(RULES, TEXT, '"v1"')


@host
async def dated(visit: Visit) -> None:
    resource = Resource(RULES, TEXT, modified=1_790_000_000)
    await visit.exchange.send(respond(resource, visit.exchange.request))


@host
async def closes(visit: Visit) -> None:
    """Changes its mind: the second file forbids everything."""
    await visit.send(200, RULES if visit.count == 1 else SHUT, TEXT)


CHANGING = ("steady", "uncached", "cached-for-ever", "breaks", "breaks-off", "tagged", "dated", "closes")


class RobotsWeb(HttpServer):
    """A server on loopback for these hosts; `shut` makes it one that forbids everything, for a second port.

    Attributes:
        hosts: name of each host -> the address it has here.
    """

    def __init__(self, *, shut: bool = False) -> None:
        super().__init__(self._answer)
        self.hosts = {f"{name}{kind}.example": "127.0.0.1" for name in ANSWERS for kind in ("", "-keeper")}
        self.never_crawl = "to-never-keeper.example\n"
        self._shut = shut
        self._asked: Counter[str] = Counter()

    def url(self, name: str, path: str = "/") -> str:
        """URL of a host."""
        return f"http://{name}.example:{self.port}{path}"

    async def _answer(self, exchange: ServerExchange) -> None:
        request = exchange.request
        name = request.host.removesuffix(".example")
        visit = Visit(exchange, f"http://{request.host}:{self.port}", 0)
        if request.path == "/robots.txt":
            self._asked[name] += 1
            visit.count = self._asked[name]
            await (visit.send(200, SHUT, TEXT) if self._shut else _robots(name, visit))
        elif name.endswith("-keeper") and request.path.startswith("/keeps/"):
            await _keep(name.removesuffix("-keeper"), visit)
        elif name == "leads-away" and request.path == "/private/x":
            await visit.send(302, Location=self.url("shut", "/private/x"))
        else:
            words = " ".join(f"{request.host}{request.target}{number}" for number in range(20))
            await visit.honest(page(request.target, words), "text/html")


async def _robots(name: str, visit: Visit) -> None:
    if name.endswith("-keeper"):
        await visit.send(404)
    elif name.startswith("moved-") and step(visit):
        await visit.send(200, RULES, TEXT)
    else:
        await ANSWERS[name](visit)


async def _keep(name: str, visit: Visit) -> None:
    """What a keeper has for another host."""
    if name.endswith("-redirects"):
        await ANSWERS[name](visit)
    elif name == "to-failure":
        await visit.send(500)
    else:
        await visit.honest(RULES, TEXT, '"kept"')
