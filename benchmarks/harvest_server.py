"""The web of ``harvest_web.py`` over HTTP: every host on one port of loopback, real pages, feeds and MP3s.

Prints its port; when its stdin closes it ends, and prints how many requests lay between two for the same site.
A crawl needs `Web.addresses` as its ``RESOLVER_HOSTS``, and `seeds` of this module. It runs on Linux, where all of
127.0.0.0/8 is this machine.

Run: ``python benchmarks/harvest_server.py --seed 1 --sites 8000``
"""

from __future__ import annotations

import argparse
import sys
from collections import Counter
from collections.abc import Iterable
from hashlib import blake2b
from http import HTTPStatus
from itertools import groupby
from operator import attrgetter
from pathlib import Path

from bench_web import Answerer, listen, run
from harvest_habits import OtherWeb
from harvest_web import Answer, Found, Text, Web
from harvest_words import LANGUAGES

from mediacrawl.programs.demo.answers import Resource, Response, strong_etag
from mediacrawl.programs.demo.tags import EncodedText, EncodedTexts, id3v2

sys.path.append(str(Path(__file__).parents[1] / "tests" / "server"))
from wire import BadRequestError, Request, parse_request, respond

FRAMES = 12
"""Of an MP3: 5 KB, above the least size at which a head says which file it is (`store.works`)."""
_FRAME = b"\xff\xfb\x90\x64"
"""MPEG 1, layer III, 128 kbit/s, 44.1 kHz, joint stereo: 417 bytes (ISO/IEC 11172-3, 2.4.2.3)."""
_FRAME_SIZE = 417
_SIDE = 32
_HTML = "text/html; charset=utf-8"


def seeds(web: Web, port: int, number: int = 100) -> list[str]:
    """The seeds of a web, as this server spells them.

    Args:
        web: it.
        port: of the server.
        number: how many.
    """
    return [with_port(url, port) for url in web.seeds(number)]


def with_port(url: str, port: int) -> str:
    """A URL of the web as it is requested here.

    Args:
        url: in canonical form.
        port: of the server.
    """
    host, slash, path = url[7:].partition("/")
    return f"http://{host}:{port}{slash}{path}"


def mp3(nugget: str, url: str) -> bytes:
    """A small MP3: the same bytes for the same recording, others for another.

    Args:
        nugget: key of the recording; empty for a file without tags.
        url: of such a file.
    """
    luck = blake2b((nugget or url).encode()).digest()
    # Nothing in it looks like the beginning of a frame.
    sound = bytes(octet & 0x7F for octet in luck) * 6
    frame = (_FRAME + bytes(_SIDE) + sound)[:_FRAME_SIZE].ljust(_FRAME_SIZE, b"\0")
    if not nugget:
        return frame * FRAMES
    words = LANGUAGES[luck[0] % len(LANGUAGES)].fillers
    title = f"{words[luck[1] & 31]} {words[luck[2] & 31]} {luck[3:6].hex()}"
    texts = (title, f"{words[luck[6] & 31]} {words[luck[7] & 31]}", words[luck[8] & 31])
    fields = EncodedTexts(*(EncodedText(text.encode(), 3) for text in texts))
    return id3v2(fields, version=4) + frame * FRAMES


class Pen:
    """Writes answers as HTML and RSS.

    Args:
        port: of the server, which is in the URLs of other hosts.
    """

    def __init__(self, port: int) -> None:
        self.port = port

    def page(self, url: str, answer: Answer, text: Text) -> bytes:
        """A page: its own lines, and each link in its elements."""
        origin = url[: url.index("/", 7)]
        feeds = "".join(
            f'<link rel="alternate" type="application/rss+xml" href="{self._href(link, origin)}">'
            for link in answer.links
            if link.via == "feed"
        )
        shown = [link for link in answer.links if link.via != "feed"]
        body = "\n".join(self._group(path, group, origin) for path, group in groupby(shown, attrgetter("path")))
        prose = "".join(f"<p>{line}.</p>\n" for line in text.lines)
        head = f'<meta charset="utf-8"><title>{text.title}</title>{feeds}'
        return (
            f'<!doctype html><html lang="{text.language}"><head>{head}</head><body>\n{body}\n{prose}</body></html>'
        ).encode()

    def _group(self, path: str, links: Iterable[Found], origin: str) -> str:
        """Links that are in one list, each in an entry of its own."""
        elements = path.split("/")[:-1]
        outer, inner = (elements[:-1], elements[-1:]) if len(elements) > 1 else (elements, [])
        before, behind = _opened(inner), _closed(inner)
        rows = "\n".join(f"{before}{self._link(link, origin)}{behind}" for link in links)
        return f"{_opened(outer)}{rows}{_closed(outer)}"

    def _link(self, link: Found, origin: str) -> str:
        href = self._href(link, origin)
        if link.via == "audio":
            return f'<audio controls src="{href}"></audio>'
        return f'<a href="{href}">{link.anchor}</a>'

    def _href(self, link: Found, origin: str) -> str:
        url = link.url
        if "&" in url:
            url = url.replace("&", "&amp;")
        if url.startswith(origin) and url[len(origin)] == "/":
            return url[len(origin) :]
        return with_port(url, self.port)

    def feed(self, answer: Answer, text: Text) -> bytes:
        """A feed of RSS 2.0."""
        items = list[str]()
        for link in answer.links:
            there = with_port(link.url, self.port)
            if link.via == "enclosure":
                items[-1] += f'<enclosure url="{there}" type="audio/mpeg" length="5000"/>'
            else:
                items.append(f"<title>{link.anchor}</title><link>{there}</link><guid>{there}</guid>")
        entries = "\n".join(f"<item>{item}</item>" for item in items)
        return (
            f'<?xml version="1.0" encoding="utf-8"?><rss version="2.0"><channel><title>{text.title}</title>'
            f"<language>{text.language}</language>{entries}</channel></rss>"
        ).encode()


def _opened(elements: Iterable[str]) -> str:
    named = (element.partition(".") for element in elements)
    return "".join(f'<{name} class="{css}">' if css else f"<{name}>" for name, _, css in named)


def _closed(elements: list[str]) -> str:
    return "".join(f"</{element.partition('.')[0]}>" for element in reversed(elements))


class Host:
    """Answers requests, and notes how often each site is asked.

    Args:
        web: what is served.
        port: of the server.
    """

    def __init__(self, web: Web, port: int) -> None:
        self._web = web
        self._pen = Pen(port)
        self._requests = 0
        self._last = dict[str, int]()
        self._gaps: Counter[int] = Counter()

    def answer(self, head: bytes) -> bytes:
        """Return the whole answer to a request."""
        try:
            request = parse_request(head)
        except BadRequestError:
            return b"HTTP/1.1 400 Bad Request\r\nContent-Length: 0\r\n\r\n"
        self._note_gap(request.host)
        response = self.response(request)
        lines = "".join(f"{name}: {value}\r\n" for name, value in response.headers).encode("latin-1")
        status = HTTPStatus(response.status)
        began = b"HTTP/1.1 %d %s\r\n%sContent-Length: %d\r\n\r\n" % (
            *(status, status.phrase.encode()),
            *(lines, len(response.body)),
        )
        return began if request.method == "HEAD" or status == HTTPStatus.NOT_MODIFIED else began + response.body

    def response(self, request: Request) -> Response:
        """Return what the web has at a URL."""
        if request.target == "/robots.txt":
            return Response(404, (("Content-Type", "text/plain"),), b"none\n")
        url = f"http://{request.host}{request.target}"
        answer = self._web.fetch(url)
        if answer.kind == "gone":
            return Response(404, (("Content-Type", _HTML),), b"<p>gone</p>\n")
        if answer.kind == "redirect":
            location = with_port(answer.location, self._pen.port)
            return Response(301, (("Location", location), ("Content-Type", _HTML)), b"<p>moved</p>\n")
        return respond(self._resource(url, answer), request)

    def _resource(self, url: str, answer: Answer) -> Resource:
        if answer.kind == "media":
            body = mp3(answer.nugget, url)
            return Resource(body, "audio/mpeg", etag=strong_etag(body))
        text = self._web.text(url, answer)
        if answer.kind == "list":
            return Resource(self._pen.feed(answer, text), "application/rss+xml")
        return Resource(self._pen.page(url, answer, text), _HTML)

    def _note_gap(self, host: str) -> None:
        """Note how many requests came since the last one for this site: what politeness costs in pages."""
        self._requests += 1
        site = ".".join(host.split(".")[-2:])
        if site in self._last:
            self._gaps[self._requests - self._last[site]] += 1
        self._last[site] = self._requests

    def gap(self) -> int:
        """Return the requests from one to the next for the same site; a twentieth have fewer. 0 if there is none."""
        wanted, passed = self._gaps.total() / 20, 0
        for gap in sorted(self._gaps):
            passed += self._gaps[gap]
            if passed >= wanted:
                return gap
        return 0


def main() -> None:
    """Read the arguments, and serve."""
    parser = argparse.ArgumentParser(description="Serve the synthetic web of the harvest benchmark on loopback.")
    parser.add_argument("--seed", type=int, default=1, help="of the web (1)")
    parser.add_argument("--sites", type=int, default=8000, help="of the web (8,000)")
    parser.add_argument("--other", action="store_true", help="with URLs as other makers of sites would write them")
    given = parser.parse_args()
    hosts: list[Host] = []

    def make(port: int) -> Answerer:
        hosts.append(Host((OtherWeb if given.other else Web)(given.seed, given.sites), port))
        return hosts[0].answer

    run(listen(make))
    print(hosts[0].gap(), flush=True)


if __name__ == "__main__":
    main()
