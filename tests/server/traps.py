"""Sockets that nobody may connect to, next to a permitted server: all on one port, each at its own address."""

import contextlib
import json
import socket
import threading
from html import escape
from pathlib import Path

from dns_server import CNAME, DnsServer, a, aaaa, cname, named
from wire import HttpServer, Resource, Response, respond

GOOD = "127.0.0.2"
"""The one address of loopback that the tests allow."""

TRAPS = ("127.0.0.1", "127.0.0.3", "127.0.0.4", "127.255.255.254", "::1")
"""Where connections are counted. What connects to 0.0.0.0 or :: arrives at 127.0.0.1 or ::1."""

BELOW = "-trick.example"

_CASES = Path(__file__).resolve().parents[1] / "cases" / "guard_tricks.json"


def tricks(port):
    """All tricks, each with the URL that it is played with; those of DNS with a name in the zone."""
    for trick in json.loads(_CASES.read_text(encoding="utf-8")):
        url = trick.get("url", f"http://{trick['name']}{BELOW}:{{port}}/")
        yield {**trick, "url": url.replace("{port}", str(port))}


class Traps:
    """Listens at guarded addresses, and counts."""

    def __init__(self, port):
        self.caught = []
        self._stopped = False
        self._sockets = []
        for address in (*TRAPS, *own_addresses()):
            with contextlib.suppress(OSError):  # no IPv6 here, or no such address
                family = socket.AF_INET6 if ":" in address else socket.AF_INET
                listener = socket.create_server((address, port), family=family)
                listener.settimeout(0.1)
                self._sockets.append(listener)
        self.addresses = [listener.getsockname()[0] for listener in self._sockets]

    def __enter__(self):
        self._threads = [threading.Thread(target=self._count, args=(each,), daemon=True) for each in self._sockets]
        for thread in self._threads:
            thread.start()
        return self

    def __exit__(self, *_):
        self._stopped = True
        for thread in self._threads:
            thread.join(5)
        for listener in self._sockets:
            listener.close()

    def _count(self, listener):
        while not self._stopped:
            with contextlib.suppress(TimeoutError):
                connection, _ = listener.accept()
                connection.close()
                self.caught.append(listener.getsockname()[0])


def own_addresses():
    """Addresses of this machine's network, which are private as a rule."""
    with contextlib.suppress(OSError):
        return sorted(
            {found[4][0] for found in socket.getaddrinfo(socket.gethostname(), None, type=socket.SOCK_STREAM)}
        )
    return []


class TrickyWeb:
    """A server at the allowed address, whose pages, redirects and robots.txt lead to the tricks, and its DNS.

    Attributes:
        tricks: as `tricks` gives them.
        traps: the sockets that nobody may connect to.
        dns: the name server.
        seeds: URLs to begin with.
    """

    def __init__(self):
        self.hosts = {}
        self.never_crawl = "# Nobody.\n"
        self._stack = contextlib.ExitStack()

    def __enter__(self):
        self._http = self._stack.enter_context(HttpServer(self._answer, address=GOOD))
        self.port = self._http.port
        self.traps = self._stack.enter_context(Traps(self.port))
        self.dns = self._stack.enter_context(DnsServer())
        self.tricks = list(tricks(self.port))
        self._redirects = {}
        self._seen = set()
        self._first = {}
        self._pages = {
            "/": page(["/feed.xml", "/list.m3u", "/refresh.html", *self._urls("link")]),
            "/refresh.html": page(
                [], *(f'<meta http-equiv="refresh" content="0; url={url}">' for url in self._urls("r"))
            ),
            "/feed.xml": feed(self._urls("enclosure")),
            "/list.m3u": Resource("\n".join(["#EXTM3U", *self._urls("entry")]).encode(), "audio/x-mpegurl"),
        }
        self.dns.zone["localhost"] = [a("127.0.0.1"), aaaa("::1")]
        self._good("links.example", "good.example")
        for number, trick in enumerate(self.tricks):
            self._good(f"to{number}.example", f"robots{number}.example")
            self._redirects[f"to{number}.example", "/"] = trick["url"] + "redirected"
            self._redirects[f"robots{number}.example", "/robots.txt"] = trick["url"] + "robots.txt"
            if "dns" in trick:
                self._turn(trick["name"] + BELOW, *([record(each) for each in answer] for answer in trick["dns"]))
        hosts = ["links", *(f"{way}{number}" for way in ("to", "robots") for number in range(len(self.tricks)))]
        self.seeds = [f"http://{host}.example:{self.port}/" for host in hosts]
        self.seeds += [trick["url"] + "seed" for trick in self.tricks if trick["ends"] != "nowhere"]
        return self

    def __exit__(self, *details):
        self._stack.__exit__(*details)

    @property
    def log(self):
        return self._http.log

    def settled_log(self):
        return self._http.settled_log()

    def _turn(self, host, before, after=None):
        """Put a name into the zone that leads elsewhere as soon as a page is requested."""

        def answer(question):
            records = before if after is None or host not in self._seen else after
            return question.answer(self._followed(named(records, question.name)))

        self._first[host] = before
        self.dns.zone[host] = answer

    def _followed(self, records, times=4):
        """Records with those of the names that they are aliases of, as a name server sends them."""
        targets = [str(each.payload.name) for each in records if each.type == CNAME and times]
        more = [(target, self._first.get(target) or self.dns.zone.get(target, [])) for target in targets]
        return records + [each for target, found in more for each in self._followed(named(found, target), times - 1)]

    def _urls(self, way):
        return [trick["url"] + way for trick in self.tricks]

    def _good(self, *names):
        for name in names:
            self.dns.zone[name] = [a(GOOD, ttl=0)]

    async def _answer(self, exchange):
        request = exchange.request
        self._seen.add(request.host)
        target = self._redirects.get((request.host, request.path))
        if target is not None:
            # A header is octets; what is beyond ASCII goes as UTF-8.
            await exchange.send(Response(302, (("Location", target.encode().decode("latin-1")),)))
        elif request.path == "/robots.txt":
            await exchange.send(Response(404))
        elif request.host == "links.example":
            await exchange.send(respond(self._pages[request.path], request))
        else:
            await exchange.send(respond(page(f"/{number}" for number in range(3)), request))


def record(written):
    """A DNS record: an address, or ``@`` and a name that it is an alias of."""
    if written.startswith("@"):
        return cname(written[1:], ttl=0)
    return (aaaa if ":" in written else a)(written, ttl=0)


def page(hrefs, *head):
    links = "".join(f'<a href="{escape(href)}">{number}</a>\n' for number, href in enumerate(hrefs))
    top = "\n".join(["<!doctype html><meta charset=utf-8><title>page</title>", *head])
    return Resource(f"{top}\n<body>{links}".encode(), "text/html")


def feed(urls):
    items = "".join(
        f'<item><title>x</title><enclosure url="{escape(url)}" type="audio/mpeg"/></item>\n' for url in urls
    )
    return Resource(
        f'<rss version="2.0"><channel><title>x</title>{items}</channel></rss>'.encode(), "application/rss+xml"
    )
