"""Sins of status and redirect: refusals, wishes to be left alone, and redirects that lead nowhere."""

from __future__ import annotations

from email.utils import formatdate
from time import time

from sin import Visit, sin

sin.send("status-500", "Answers each request with 500.", 500, b"broken\n", "text/plain")
sin.send("status-503", "Answers each request with 503 and no Retry-After.", 503, b"busy\n", "text/plain")
sin.send(
    "retry-seconds", "Answers with 503 and Retry-After: 2, in seconds.", 503, b"busy\n", "text/plain", Retry_After="2"
)


@sin("retry-date", "Answers with 503 and a Retry-After date that is two seconds away.")
async def retry_date(visit: Visit) -> None:
    await visit.send(503, b"busy\n", "text/plain", Retry_After=formatdate(time() + 2, usegmt=True))


@sin("retry-once", "Answers the first request with 503 and Retry-After: 1, all others with a page.")
async def retry_once(visit: Visit) -> None:
    if visit.count == 1:
        await visit.send(503, b"busy\n", "text/plain", Retry_After="1")
        return
    await visit.send(200, b"<p>Here again.</p>", "text/html")


sin.send("too-many", "Answers with 429 and Retry-After: 2.", 429, b"slowly\n", "text/plain", Retry_After="2")
sin.send("too-many-silent", "Answers with 429 and no Retry-After.", 429, b"slowly\n", "text/plain")
sin.send(
    "retry-nonsense",
    "Answers with 503 and a Retry-After that is neither seconds nor a date.",
    503,
    b"busy\n",
    "text/plain",
    Retry_After="-7 soon",
)
sin.send(
    "retry-for-ever",
    "Answers with 503 and a Retry-After of thirty thousand years.",
    503,
    b"busy\n",
    "text/plain",
    Retry_After="999999999999",
)
sin.send("status-unknown", "Answers with status 799, which exists nowhere.", 799, b"what?\n", "text/plain")


@sin("redirect-self", "Redirects each URL to itself.")
async def redirect_self(visit: Visit) -> None:
    await visit.send(302, Location=visit.exchange.request.target)


@sin("redirect-pair", "Redirects /a to /b and all else to /a.")
async def redirect_pair(visit: Visit) -> None:
    await visit.send(301, Location="/b" if visit.path == "/a" else "/a")


@sin("redirect-endless", "Redirects to a new URL each time, for ever.")
async def redirect_endless(visit: Visit) -> None:
    await visit.send(302, Location=f"{visit.base}/step/{visit.count}")


sin.send("redirect-no-location", "Answers with 302 and no Location.", 302)
sin.send("redirect-ftp", "Redirects to an ftp URL.", 302, Location="ftp://127.0.0.1/song.mp3")
sin.send("redirect-file", "Redirects to a file URL.", 302, Location="file:///etc/passwd")
sin.send("redirect-data", "Redirects to a data URL.", 302, Location="data:text/html,<a href='/'>x</a>")


@sin("redirect-bytes", "Redirects to a Location with raw bytes that are no ASCII, and to one that cannot be a URL.")
async def redirect_bytes(visit: Visit) -> None:
    location = b"http://[::broken/" if visit.path == "/broken" else b"/m\xfcsik.mp3"
    await visit.raw(b"HTTP/1.1 302 Found\r\nContent-Length: 0\r\nLocation: " + location + b"\r\n\r\n")


@sin("redirect-long", "Redirects to a URL of 20,000 characters.")
async def redirect_long(visit: Visit) -> None:
    await visit.send(302, Location="/" + "long/" * 4000)


sin.send(
    "redirect-metadata",
    "Redirects to the address at which clouds tell secrets to their machines.",
    302,
    Location="http://169.254.169.254/latest/meta-data/",
)
