"""Sins of the connection: what goes wrong before anybody can read a header, or in the middle of a body."""

from __future__ import annotations

import asyncio

from sin import Visit, page, sin

HTML = "text/html; charset=utf-8"
HEAD = b"HTTP/1.1 200 OK\r\nContent-Type: text/html; charset=utf-8\r\n"


@sin
async def reset(visit: Visit) -> None:
    """Resets the connection (RST) before a byte of the answer."""
    visit.exchange.reset()


@sin
async def reset_in_body(visit: Visit) -> None:
    """Promises 10,000 bytes, sends 100, and resets the connection."""
    await visit.raw(HEAD + b"Content-Length: 10000\r\n\r\n" + b"x" * 100)
    # The client must be able to read what came before the RST throws it away.
    await asyncio.sleep(0.05)
    visit.exchange.reset()


@sin
async def silent_close(visit: Visit) -> None:
    """Closes the connection politely without a byte of an answer."""
    visit.exchange.keep_alive = False


@sin
async def hang_in_head(visit: Visit) -> None:
    """Sends a status line and one header, and then nothing more."""
    await visit.raw(HEAD)
    await visit.exchange.until_gone()


@sin
async def hang_in_body(visit: Visit) -> None:
    """Sends a header and half of the promised body, and then nothing more."""
    await visit.raw(HEAD + b"Content-Length: 2000\r\n\r\n" + b"x" * 1000)
    await visit.exchange.until_gone()


@sin
async def status_huge(visit: Visit) -> None:
    """Answers with a status of twenty digits."""
    await visit.raw(b"HTTP/1.1 99999999999999999999 OK\r\nContent-Length: 0\r\n\r\n")


@sin
async def icy(visit: Visit) -> None:
    """Answers with the status line of an old streaming server, ICY 200 OK, and audio without end."""
    await visit.raw(b"ICY 200 OK\r\nContent-Type: audio/mpeg\r\nicy-name: \xd0\xe0\xe4\xe8\xee\r\nicy-br: 128\r\n\r\n")
    while True:
        await visit.raw(b"\xff\xfb\x90\x00" + bytes(413))


@sin
async def endless_body(visit: Visit) -> None:
    """Sends a body without length and without end."""
    await visit.raw(HEAD + b"\r\n<p>")
    while True:
        await visit.raw(b"more and more " * 1000)


@sin
async def endless_head(visit: Visit) -> None:
    """Sends header lines without end."""
    await visit.raw(HEAD)
    while True:
        await visit.raw(b"X-More: and more\r\n" * 1000)


@sin
async def slow_drip(visit: Visit) -> None:
    """Sends its page one byte every 20 ms; whole it would take two minutes."""
    await visit.raw(HEAD + b"Content-Length: 6000\r\n\r\n")
    for _ in range(6000):
        await visit.raw(b"x")
        await asyncio.sleep(0.02)


sin |= {
    # Takes the request and never answers.
    "hang": lambda visit: visit.exchange.until_gone(),
    # Answers with 300 bytes that are not HTTP.
    "garbage": lambda visit: visit.raw(bytes(255 - number % 256 for number in range(300))),
    # Answers in a protocol whose name is no text.
    "version-octets": lambda visit: visit.raw(b"HT\xff/1.1 200 OK\r\nContent-Length: 0\r\n\r\n"),
    # States a Content-Length of 10 and sends 1,000 bytes.
    "short-length": lambda visit: visit.raw(HEAD + b"Content-Length: 10\r\n\r\n" + b"<p>hello</p>".ljust(1000)),
    # States a Content-Length of 100,000, sends 1,000 bytes, and closes.
    "long-length": lambda visit: visit.raw(
        HEAD + b"Content-Length: 100000\r\n\r\n" + page("cut", "<p>hello</p>").ljust(1000)
    ),
    # Sends two Content-Length headers that contradict each other.
    "two-lengths": lambda visit: visit.raw(HEAD + b"Content-Length: 5\r\nContent-Length: 50\r\n\r\n" + b"x" * 50),
    # States a Content-Length that is no number.
    "bad-length": lambda visit: visit.raw(HEAD + b"Content-Length: many\r\n\r\n" + b"x" * 50),
    # Announces chunked encoding and sends a chunk size that is no number.
    "bad-chunks": lambda visit: visit.raw(HEAD + b"Transfer-Encoding: chunked\r\n\r\n5\r\nhello\r\nZZZ\r\nworld\r\n"),
    # Sends one header line of 1 MB.
    "long-header": lambda visit: visit.raw(HEAD + b"Content-Length: 0\r\nX-Long: ", b"x" * 1_000_000, b"\r\n\r\n"),
}
