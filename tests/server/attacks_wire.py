"""Attacks by heads, encodings, redirects and robots.txt."""

from __future__ import annotations

import gzip
import zlib

from attack import attack, page_of
from sin import Visit

HTML = "text/html; charset=utf-8"
TEXT = "text/plain"
OK = b"HTTP/1.1 200 OK\r\n"
RULES = b"User-agent: *\nDisallow: /private/\n"


async def answer(visit: Visit, *headers: bytes, body: bytes | None = None) -> None:
    """Send a page whose head has these lines as they are."""
    content = page_of(visit.path, '<a href="/a">a</a><a href="/b.mp3">b</a>') if body is None else body
    lines = b"".join(line + b"\r\n" for line in (b"Content-Type: text/html", *headers))
    await visit.raw(OK + lines + b"Content-Length: %d\r\n\r\n" % len(content) + content)


@attack
async def broken_gzip(visit: Visit) -> None:
    """Says gzip, and sends a page packed with a checksum that is wrong."""
    packed = bytearray(gzip.compress(page_of(visit.path) * 50))
    packed[len(packed) // 2 :] = b"\xaa" * 40
    await answer(visit, b"Content-Encoding: gzip", body=bytes(packed))


@attack
async def packed_twice(visit: Visit) -> None:
    """A page packed twice, 1 GB in 10 KB."""
    once = zlib.compress(b"<p>" + b" " * 20_000_000)
    await answer(visit, b"Content-Encoding: deflate, gzip", body=gzip.compress(once * 50))


@attack
async def charset_names(visit: Visit) -> None:
    """A charset that Python knows and that is none for text."""
    names = ("rot13", "zlib", "idna", "punycode", "undefined", "unicode_escape", "utf-7", "mbcs")
    body = page_of(visit.path, "".join(f'<a href="/{name}">{name}</a>' for name in names))
    name = visit.path.strip("/") or "hex"
    await visit.send(200, body, f"text/html; charset={name}")


@attack
async def odd_numbers(visit: Visit) -> None:
    """Lengths, ages and waits of hundreds of digits."""
    digits = b"9" * 5000
    await answer(visit, b"Retry-After: " + digits, b"Age: " + digits, b"Cache-Control: max-age=" + digits)


@attack
async def odd_dates(visit: Visit) -> None:
    """Dates that no calendar has."""
    odd = b"Thu, 99 Foo 99999999999999999999 99:99:99 +99999999"
    await answer(visit, b"Last-Modified: " + odd, b"Expires: " + odd, b"Date: " + odd, b'ETag: "\xff\x1b[2J"')


@attack
async def refresh(visit: Visit) -> None:
    """Pages that refresh to pages that refresh."""
    number = len(visit.path)
    await visit.send(
        200, page_of(visit.path, f'<meta http-equiv="refresh" content="0;url={"/" + "r" * number}">'), HTML
    )


attack |= {
    # A Content-Encoding that clears the terminal of whoever reads of it.
    "encoding-escapes": lambda visit: answer(visit, b"Content-Encoding: \x1b[2J\x1b]0;owned\x07gzip\x9b31m"),
    # A Content-Encoding that names gzip 200 times.
    "encoding-many": lambda visit: answer(
        visit, b"Content-Encoding: " + b", ".join([b"gzip"] * 200), body=gzip.compress(b"<p>x")
    ),
    # Says br, and sends noise.
    "broken-br": lambda visit: answer(visit, b"Content-Encoding: br", body=bytes(range(255, 0, -1)) * 20),
    # Says deflate, and sends what is none.
    "broken-deflate": lambda visit: answer(visit, b"Content-Encoding: deflate", body=b"\x00\xff" * 2000),
    # A page of 100 MB in 100 KB.
    "packed-zeros": lambda visit: answer(visit, b"Content-Encoding: gzip", body=gzip.compress(bytes(100_000_000))),
    # A Content-Type that is no text, with a charset nobody knows.
    "type-bytes": lambda visit: visit.raw(
        OK + b"Content-Type: text/\xff\x00html; charset=\x1b[31m\xfe\r\nContent-Length: 5\r\n\r\n<p>hi"
    ),
    # Hundreds of header lines.
    "many-headers": lambda visit: answer(visit, *(b"X-Line-%d: value" % number for number in range(400))),
    # Hundreds of cookies for everybody.
    "many-cookies": lambda visit: answer(
        visit, *(b"Set-Cookie: n%d=v; Domain=.example; Path=/" % number for number in range(400))
    ),
    # A Link header of 15 KB.
    "link-header": lambda visit: answer(visit, b"Link: " + b'</a;b>; rel="x', b"Link: " + b"<" * 15_000),
    # Redirects to a port of mail.
    "location-port": lambda visit: visit.send(302, Location="http://location-port.example:25/"),
    # A status line whose words would clear a terminal.
    "status-text": lambda visit: visit.raw(b"HTTP/1.1 500 \x1b[2J\x9b31m\xff\r\nContent-Length: 0\r\n\r\n"),
    # A robots.txt with as many groups as it can hold.
    "robots-groups": lambda visit: visit.send(200, b"User-agent: a\nAllow: /\n\n" * 20_000, TEXT),
    # A robots.txt of one line of 500 KB.
    "robots-line": lambda visit: visit.send(200, b"User-agent: *\nDisallow: /" + b"%e4" * 160_000, TEXT),
    # A robots.txt of escapes, controls and half characters.
    "robots-escapes": lambda visit: visit.send(
        200, RULES + b"Crawl-delay: " + b"9" * 5000 + b"\nSitemap: \x1b[2J\xff\n\xef\xbb\xbf\x00" * 99, TEXT
    ),
}
