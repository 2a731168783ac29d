"""A synthetic web on loopback that is faster than any crawler: it must not be what a benchmark measures.

25-35 KB a page, 100 links each of which about 10 are new, on many hosts; 5 % of the URLs redirect, 3 % are gone.
Every page is a function of its number, so each crawler sees the same web.

    python benchmarks/bench_web.py HOSTS PAUSE keep|close|tls [DIR]

``keep`` leaves connections open, ``close`` closes each after one answer, ``tls`` does so too and speaks TLS, with an
ECDSA certificate and session tickets as servers have them. With DIR the pages have the bodies of captured pages:
``manifest.jsonl`` has a line for each, with ``id`` and ``content_type``, and ``ID.body`` its bytes. They are served as
they are, but that the targets of ``<a>`` are pages of this web: one in ten, and ten at most, are new.
"""

from __future__ import annotations

import asyncio
import datetime as dt
import json
import os
import random
import re
import ssl
import sys
import tempfile
from collections.abc import Callable, Coroutine
from pathlib import Path
from typing import Any, cast

from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec

Answerer = Callable[[bytes], bytes]
"""Makes the whole answer to the head of a request."""

LINKS = 100
NEW = 10
WORDS = ("archive", "music", "evening", "radio", "garden", "letter", "harbour", "winter", "choir", "station")


def build_pages(count: int = 64) -> list[tuple[bytes, bytes, bytes]]:
    """Page bodies to reuse: head, and the filler that makes 25-35 KB."""
    rng = random.Random(7)
    pages = []
    for number in range(count):
        size = rng.randint(25_000, 35_000) - LINKS * 110
        text = " ".join(rng.choice(WORDS) for _ in range(size // 8))
        head = f"<!doctype html><html lang='en'><head><meta charset='utf-8'><title>Page {number}</title></head><body>"
        paragraphs = "".join(f"<p class='text'>{text[i : i + 400]}</p>\n" for i in range(0, len(text), 400))
        pages.append((head.encode(), paragraphs.encode(), b"</body></html>"))
    return pages


class Web:
    """What the server answers. Pages are numbered by the order in which they were first linked."""

    def __init__(self, hosts: int, port: int, scheme: str = "http") -> None:
        self.hosts = hosts
        self.port = port
        self.scheme = scheme
        self.pages = build_pages()

    def url(self, number: int) -> str:
        """The URL of a page."""
        host = number % self.hosts
        return f"{self.scheme}://site{host}.test:{self.port}/page/{number}.html"

    def links(self, number: int) -> list[int]:
        """The pages that a page links to: its ten children, and ninety that were linked before."""
        rng = random.Random(number)
        children = range(self.hosts + number * NEW, self.hosts + number * NEW + NEW)
        top = max(self.hosts + number * NEW, 1)
        return [rng.randrange(top) for _ in range(LINKS - NEW)] + list(children)

    def page(self, number: int) -> bytes:
        """Return the whole HTTP answer with a page."""
        head, filler, tail = self.pages[number % len(self.pages)]
        cut = len(filler) // LINKS
        parts = [head]
        for place, target in enumerate(self.links(number)):
            parts.append(filler[place * cut : (place + 1) * cut])
            parts.append(f"<li><a class='l' href='{self.url(target)}'>{WORDS[target % 10]} {target}</a></li>".encode())
        parts.append(tail)
        return _answer(b"200 OK", b"text/html; charset=utf-8", b"".join(parts))

    def answer(self, head: bytes) -> bytes:
        """Return the whole HTTP answer to a request."""
        path = head.split(b" ", 2)[1]
        if path == b"/robots.txt":
            return _answer(b"200 OK", b"text/plain", b"User-agent: *\nDisallow: /private/\n")
        try:
            number = int(path.rsplit(b"/", 1)[1].split(b".")[0])
        except (ValueError, IndexError):
            return _answer(b"404 Not Found", b"text/html", b"<p>no</p>")
        luck = number * 2654435761 % 100
        if path.startswith(b"/page/") and luck < 5 and number >= self.hosts:
            target = f"{self.scheme}://site{number % self.hosts}.test:{self.port}/moved/{number}.html".encode()
            return (
                b"HTTP/1.1 302 Found\r\nLocation: "
                + target
                + b"\r\nContent-Length: 0\r\nContent-Type: text/html\r\n\r\n"
            )
        if luck > 96 and number >= self.hosts:
            return _answer(b"404 Not Found", b"text/html", b"<p>gone</p>")
        return self.page(number)


_TARGET = re.compile(
    rb"""(<a\s[^<>]*?\bhref\s*=\s*)((["'])(?!\s*(?:#|javascript:|mailto:|tel:))[^"'<>]*\3)""", re.IGNORECASE
)
"""The start of a link that leads to a page, and its target with its quotes."""


class CapturedWeb(Web):
    """As `Web`, with the bodies of captured pages in a folder."""

    def __init__(self, hosts: int, port: int, scheme: str, folder: Path) -> None:
        super().__init__(hosts, port, scheme)
        self.captured: list[tuple[bytes, list[bytes]]] = []
        for line in (folder / "manifest.jsonl").read_text(encoding="utf-8").splitlines():
            row = json.loads(line)
            # Before each link its start, between them their targets.
            pieces = _TARGET.split((folder / f"{row['id']}.body").read_bytes())
            del pieces[3::4]
            if len(pieces) > 1:
                self.captured.append(((row["content_type"] or "text/html").encode("latin-1"), pieces))

    def page(self, number: int) -> bytes:
        """Return the whole HTTP answer with a page."""
        mime, pieces = self.captured[number % len(self.captured)]
        known, rng = max(self.hosts + number * NEW, 1), random.Random(number)
        parts = list(pieces)
        for place in range(2, len(pieces), 3):
            link = place // 3
            fresh = link % NEW == 0 and link // NEW < NEW
            target = self.hosts + number * NEW + link // NEW if fresh else rng.randrange(known)
            parts[place] = f'"{self.url(target)}"'.encode()
        return _answer(b"200 OK", mime, b"".join(parts))


def _answer(status: bytes, mime: bytes, body: bytes) -> bytes:
    head = b"HTTP/1.1 %s\r\nContent-Type: %s\r\nContent-Length: %d\r\n\r\n" % (status, mime, len(body))
    return head + body


class Protocol(asyncio.Protocol):
    """HTTP/1.1 for requests without a body.

    Args:
        answer: makes the whole answer to a head.
        pause: seconds before each answer.
        keeps: whether connections are kept; else each is closed after one answer.
    """

    def __init__(self, answer: Answerer, pause: float = 0.0, *, keeps: bool = True) -> None:
        self._make = answer
        self._pause = pause
        self._keeps = keeps
        self._buffer = b""

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """Called when a crawler came."""
        # Those of uvloop are no subclass.
        self._transport = cast("asyncio.Transport", transport)

    def data_received(self, data: bytes) -> None:
        """Answer each request that is whole."""
        self._buffer += data
        while (end := self._buffer.find(b"\r\n\r\n")) >= 0:
            head, self._buffer = self._buffer[:end], self._buffer[end + 4 :]
            if self._pause:
                asyncio.get_running_loop().call_later(self._pause, self._answer, head)
            else:
                self._answer(head)

    def _answer(self, head: bytes) -> None:
        answer = self._make(head)
        if not self._keeps:
            answer = answer.replace(b"\r\n", b"\r\nConnection: close\r\n", 1)
        self._transport.write(answer)
        if not self._keeps:
            self._transport.close()


def certificate() -> ssl.SSLContext:
    """A TLS context with an ECDSA certificate of its own."""
    key = ec.generate_private_key(ec.SECP256R1())
    name = x509.Name([x509.NameAttribute(x509.NameOID.COMMON_NAME, "site.test")])
    now = dt.datetime.now(dt.UTC)
    made = x509.CertificateBuilder(name, name, key.public_key(), 1, now - dt.timedelta(1), now + dt.timedelta(30))
    signed = made.sign(key, hashes.SHA256())
    private = key.private_bytes(
        serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption()
    )
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "server.pem"
        path.write_bytes(private + signed.public_bytes(serialization.Encoding.PEM))
        context.load_cert_chain(path)
    return context


async def listen(
    make: Callable[[int], Answerer], pause: float = 0.0, *, keeps: bool = True, tls: ssl.SSLContext | None = None
) -> None:
    """Listen on a free port of all addresses of this machine, and print it; end when stdin closes.

    So the server ends with whoever started it.

    Args:
        make: makes, for a port, what answers.
        pause: seconds before each answer.
        keeps: whether connections are kept.
        tls: for an encrypted port.
    """
    loop = asyncio.get_running_loop()
    answers: list[Answerer] = []
    server = await loop.create_server(
        lambda: Protocol(answers[0], pause, keeps=keeps), "0.0.0.0", 0, ssl=tls, backlog=4096
    )
    port = server.sockets[0].getsockname()[1]
    answers.append(make(port))
    print(port, flush=True)
    closed = asyncio.Event()
    loop.add_reader(sys.stdin.fileno(), lambda: os.read(0, 1) or closed.set())
    await closed.wait()


def run(serving: Coroutine[Any, Any, None]) -> None:
    """Serve, on uvloop where it is installed."""
    try:
        import uvloop  # noqa: PLC0415
    except ImportError:
        asyncio.run(serving)
    else:
        uvloop.run(serving)


def main() -> None:
    """Serve as the arguments say.

    They are: hosts of the web, seconds before each answer, ``keep``, ``close`` or ``tls``, a folder of captured pages.
    """
    hosts, pause, mode, *folder = int(sys.argv[1]), float(sys.argv[2]), *sys.argv[3:]
    scheme, tls = ("https", certificate()) if mode == "tls" else ("http", None)

    def make(port: int) -> Answerer:
        web = CapturedWeb(hosts, port, scheme, Path(folder[0])) if folder else Web(hosts, port, scheme)
        return web.answer

    run(listen(make, pause, keeps=mode == "keep", tls=tls))


if __name__ == "__main__":
    main()
