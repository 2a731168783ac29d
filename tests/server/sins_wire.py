"""Sins of the connection: what goes wrong before anybody can read a header, or in the middle of a body."""

from __future__ import annotations

import asyncio

from sin import Visit, page, sin

HTML = "text/html; charset=utf-8"
HEAD = b"HTTP/1.1 200 OK\r\nContent-Type: text/html; charset=utf-8\r\n"


@sin("reset", "Resets the connection (RST) before a byte of the answer.")
async def reset(visit: Visit) -> None:
    visit.exchange.reset()


@sin("reset-in-body", "Promises 10,000 bytes, sends 100, and resets the connection.")
async def reset_in_body(visit: Visit) -> None:
    await visit.raw(HEAD + b"Content-Length: 10000\r\n\r\n" + b"x" * 100)
    # The client must be able to read what came before the RST throws it away.
    await asyncio.sleep(0.05)
    visit.exchange.reset()


@sin("silent-close", "Closes the connection politely without a byte of an answer.")
async def silent_close(visit: Visit) -> None:
    visit.exchange.keep_alive = False


@sin("hang", "Takes the request and never answers.")
async def hang(visit: Visit) -> None:
    await visit.exchange.until_gone()


@sin("hang-in-head", "Sends a status line and one header, and then nothing more.")
async def hang_in_head(visit: Visit) -> None:
    await visit.raw(HEAD)
    await visit.exchange.until_gone()


@sin("hang-in-body", "Sends a header and half of the promised body, and then nothing more.")
async def hang_in_body(visit: Visit) -> None:
    await visit.raw(HEAD + b"Content-Length: 2000\r\n\r\n" + b"x" * 1000)
    await visit.exchange.until_gone()


@sin("garbage", "Answers with 300 bytes that are not HTTP.")
async def garbage(visit: Visit) -> None:
    await visit.raw(bytes(255 - number % 256 for number in range(300)))


sin.raw(
    "version-octets", "Answers in a protocol whose name is no text.", b"HT\xff/1.1 200 OK\r\nContent-Length: 0\r\n\r\n"
)


@sin("status-huge", "Answers with a status of twenty digits.")
async def status_huge(visit: Visit) -> None:
    await visit.raw(b"HTTP/1.1 99999999999999999999 OK\r\nContent-Length: 0\r\n\r\n")


@sin("robots-status-huge", "Answers for its robots.txt with a status of twenty digits.")
async def robots_status_huge(visit: Visit) -> None:
    await status_huge(visit)


@sin("icy", "Answers with the status line of an old streaming server, ICY 200 OK, and audio without end.")
async def icy(visit: Visit) -> None:
    await visit.raw(b"ICY 200 OK\r\nContent-Type: audio/mpeg\r\nicy-name: \xd0\xe0\xe4\xe8\xee\r\nicy-br: 128\r\n\r\n")
    while True:
        await visit.raw(b"\xff\xfb\x90\x00" + bytes(413))


sin.raw(
    "short-length",
    "States a Content-Length of 10 and sends 1,000 bytes.",
    HEAD + b"Content-Length: 10\r\n\r\n" + b"<p>hello</p>".ljust(1000),
)
sin.raw(
    "long-length",
    "States a Content-Length of 100,000, sends 1,000 bytes, and closes.",
    HEAD + b"Content-Length: 100000\r\n\r\n" + page("cut", "<p>hello</p>").ljust(1000),
)
sin.raw(
    "two-lengths",
    "Sends two Content-Length headers that contradict each other.",
    HEAD + b"Content-Length: 5\r\nContent-Length: 50\r\n\r\n" + b"x" * 50,
)
sin.raw("bad-length", "States a Content-Length that is no number.", HEAD + b"Content-Length: many\r\n\r\n" + b"x" * 50)
sin.raw(
    "bad-chunks",
    "Announces chunked encoding and sends a chunk size that is no number.",
    HEAD + b"Transfer-Encoding: chunked\r\n\r\n5\r\nhello\r\nZZZ\r\nworld\r\n",
)


@sin("endless-body", "Sends a body without length and without end.")
async def endless_body(visit: Visit) -> None:
    await visit.raw(HEAD + b"\r\n<p>")
    while True:
        await visit.raw(b"more and more " * 1000)


@sin("endless-head", "Sends header lines without end.")
async def endless_head(visit: Visit) -> None:
    await visit.raw(HEAD)
    while True:
        await visit.raw(b"X-More: and more\r\n" * 1000)


@sin("long-header", "Sends one header line of 1 MB.")
async def long_header(visit: Visit) -> None:
    await visit.raw(HEAD + b"Content-Length: 0\r\nX-Long: ", b"x" * 1_000_000, b"\r\n\r\n")


@sin("slow-drip", "Sends its page one byte every 20 ms; whole it would take two minutes.")
async def slow_drip(visit: Visit) -> None:
    await visit.raw(HEAD + b"Content-Length: 6000\r\n\r\n")
    for _ in range(6000):
        await visit.raw(b"x")
        await asyncio.sleep(0.02)
