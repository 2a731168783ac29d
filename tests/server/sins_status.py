"""Sins of status and redirect: refusals, wishes to be left alone, and redirects that lead nowhere."""

from __future__ import annotations

from email.utils import formatdate
from time import time

from sin import Visit, sin


@sin
async def retry_once(visit: Visit) -> None:
    """Answers the first request with 503 and Retry-After: 1, all others with a page."""
    if visit.count == 1:
        await visit.send(503, b"busy\n", "text/plain", Retry_After="1")
        return
    await visit.send(200, b"<p>Here again.</p>", "text/html")


@sin
async def redirect_bytes(visit: Visit) -> None:
    """Redirects to a Location with raw bytes that are no ASCII, and to one that cannot be a URL."""
    location = b"http://[::broken/" if visit.path == "/broken" else b"/m\xfcsik.mp3"
    await visit.raw(b"HTTP/1.1 302 Found\r\nContent-Length: 0\r\nLocation: " + location + b"\r\n\r\n")


sin |= {
    # Answers each request with 500.
    "status-500": lambda visit: visit.send(500, b"broken\n", "text/plain"),
    # Answers each request with 503 and no Retry-After.
    "status-503": lambda visit: visit.send(503, b"busy\n", "text/plain"),
    # Answers with 503 and Retry-After: 2, in seconds.
    "retry-seconds": lambda visit: visit.send(503, b"busy\n", "text/plain", Retry_After="2"),
    # Answers with 503 and a Retry-After date that is two seconds away.
    "retry-date": lambda visit: visit.send(
        503, b"busy\n", "text/plain", Retry_After=formatdate(time() + 2, usegmt=True)
    ),
    # Answers with 429 and Retry-After: 2.
    "too-many": lambda visit: visit.send(429, b"slowly\n", "text/plain", Retry_After="2"),
    # Answers with 429 and no Retry-After.
    "too-many-silent": lambda visit: visit.send(429, b"slowly\n", "text/plain"),
    # Answers with 503 and a Retry-After that is neither seconds nor a date.
    "retry-nonsense": lambda visit: visit.send(503, b"busy\n", "text/plain", Retry_After="-7 soon"),
    # Answers with 503 and a Retry-After of thirty thousand years.
    "retry-for-ever": lambda visit: visit.send(503, b"busy\n", "text/plain", Retry_After="999999999999"),
    # Answers with status 799, which exists nowhere.
    "status-unknown": lambda visit: visit.send(799, b"what?\n", "text/plain"),
    # Redirects each URL to itself.
    "redirect-self": lambda visit: visit.send(302, Location=visit.exchange.request.target),
    # Redirects /a to /b and all else to /a.
    "redirect-pair": lambda visit: visit.send(301, Location="/b" if visit.path == "/a" else "/a"),
    # Redirects to a new URL each time, for ever.
    "redirect-endless": lambda visit: visit.send(302, Location=f"{visit.base}/step/{visit.count}"),
    # Answers with 302 and no Location.
    "redirect-no-location": lambda visit: visit.send(302),
    # Redirects to an ftp URL.
    "redirect-ftp": lambda visit: visit.send(302, Location="ftp://127.0.0.1/song.mp3"),
    # Redirects to a file URL.
    "redirect-file": lambda visit: visit.send(302, Location="file:///etc/passwd"),
    # Redirects to a data URL.
    "redirect-data": lambda visit: visit.send(302, Location="data:text/html,<a href='/'>x</a>"),
    # Redirects to a URL of 20,000 characters.
    "redirect-long": lambda visit: visit.send(302, Location="/" + "long/" * 4000),
    # Redirects to the address at which clouds tell secrets to their machines.
    "redirect-metadata": lambda visit: visit.send(302, Location="http://169.254.169.254/latest/meta-data/"),
}
