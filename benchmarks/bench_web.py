"""A synthetic web on loopback that is faster than any crawler: it must not be what a benchmark measures.

25-35 KB a page, 100 links each of which about 10 are new, on many hosts; 5 % of the URLs redirect, 3 % are gone.
Every page is a function of its number, so each crawler sees the same web.

    python benchmarks/bench_web.py HOSTS [PAUSE [keep | close | tls]]

``keep`` leaves connections open, ``close`` closes each after one answer, ``tls`` does so too and speaks TLS, with an
ECDSA certificate and session tickets as servers have them.
"""

from __future__ import annotations

import asyncio
import datetime as dt
import os
import random
import ssl
import sys
import tempfile
from pathlib import Path

from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec

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

    def answer(self, path: bytes) -> bytes:
        """The whole HTTP answer for a path."""
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
        head, filler, tail = self.pages[number % len(self.pages)]
        cut = len(filler) // LINKS
        parts = [head]
        for place, target in enumerate(self.links(number)):
            parts.append(filler[place * cut : (place + 1) * cut])
            parts.append(f"<li><a class='l' href='{self.url(target)}'>{WORDS[target % 10]} {target}</a></li>".encode())
        parts.append(tail)
        return _answer(b"200 OK", b"text/html; charset=utf-8", b"".join(parts))


def _answer(status: bytes, mime: bytes, body: bytes) -> bytes:
    head = b"HTTP/1.1 %s\r\nContent-Type: %s\r\nContent-Length: %d\r\n\r\n" % (status, mime, len(body))
    return head + body


class Protocol(asyncio.Protocol):
    """HTTP/1.1 for GET without a body."""

    def __init__(self, web: Web, pause: float = 0.0, *, keeps: bool = True) -> None:
        self.web = web
        self.pause = pause
        self.keeps = keeps
        self.buffer = b""

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """A crawler came."""
        self.transport = transport

    def data_received(self, data: bytes) -> None:
        """Answer each request that is whole."""
        self.buffer += data
        while (end := self.buffer.find(b"\r\n\r\n")) >= 0:
            request, self.buffer = self.buffer[:end], self.buffer[end + 4 :]
            path = request.split(b" ", 2)[1]
            if self.pause:
                asyncio.get_running_loop().call_later(self.pause, self.answer, path)
            else:
                self.answer(path)

    def answer(self, path: bytes) -> None:
        """Send an answer."""
        answer = self.web.answer(path)
        if not self.keeps:
            answer = answer.replace(b"\r\n", b"\r\nConnection: close\r\n", 1)
        self.transport.write(answer)  # type: ignore[attr-defined]
        if not self.keeps:
            self.transport.close()


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


async def serve(hosts: int, pause: float = 0.0, mode: str = "keep") -> None:
    """Serve until stdin closes, so that it ends with whoever started it; prints its port.

    Args:
        hosts: of the web.
        pause: seconds before each answer.
        mode: ``keep``, ``close`` or ``tls``.
    """
    loop = asyncio.get_running_loop()
    web: list[Web] = []
    server = await loop.create_server(
        lambda: Protocol(web[0], pause, keeps=mode == "keep"),
        *("0.0.0.0", 0),
        ssl=certificate() if mode == "tls" else None,
        backlog=4096,
    )
    port = server.sockets[0].getsockname()[1]
    web.append(Web(hosts, port, "https" if mode == "tls" else "http"))
    print(port, flush=True)
    closed = asyncio.Event()
    loop.add_reader(sys.stdin.fileno(), lambda: os.read(0, 1) or closed.set())
    await closed.wait()


if __name__ == "__main__":
    serving = serve(int(sys.argv[1]), float(sys.argv[2]) if len(sys.argv) > 2 else 0.0, *sys.argv[3:])
    try:
        import uvloop

        uvloop.run(serving)
    except ImportError:
        asyncio.run(serving)
