"""Sins of status and redirect: refusals, wishes to be left alone, and redirects that lead nowhere."""

from __future__ import annotations

from email.utils import formatdate
from time import time

from sin import Visit, sin


@sin("status-500", "Answers each request with 500.")
async def status_500(visit: Visit) -> None:
    await visit.send(500, b"broken\n", "text/plain")


@sin("status-503", "Answers each request with 503 and no Retry-After.")
async def status_503(visit: Visit) -> None:
    await visit.send(503, b"busy\n", "text/plain")


@sin("retry-seconds", "Answers with 503 and Retry-After: 2, in seconds.")
async def retry_seconds(visit: Visit) -> None:
    await visit.send(503, b"busy\n", "text/plain", Retry_After="2")


@sin("retry-date", "Answers with 503 and a Retry-After date that is two seconds away.")
async def retry_date(visit: Visit) -> None:
    await visit.send(503, b"busy\n", "text/plain", Retry_After=formatdate(time() + 2, usegmt=True))


@sin("retry-once", "Answers the first request with 503 and Retry-After: 1, all others with a page.")
async def retry_once(visit: Visit) -> None:
    if visit.count == 1:
        await visit.send(503, b"busy\n", "text/plain", Retry_After="1")
        return
    await visit.send(200, b"<p>Here again.</p>", "text/html")


@sin("too-many", "Answers with 429 and Retry-After: 2.")
async def too_many(visit: Visit) -> None:
    await visit.send(429, b"slowly\n", "text/plain", Retry_After="2")


@sin("too-many-silent", "Answers with 429 and no Retry-After.")
async def too_many_silent(visit: Visit) -> None:
    await visit.send(429, b"slowly\n", "text/plain")


@sin("retry-nonsense", "Answers with 503 and a Retry-After that is neither seconds nor a date.")
async def retry_nonsense(visit: Visit) -> None:
    await visit.send(503, b"busy\n", "text/plain", Retry_After="-7 soon")


@sin("retry-for-ever", "Answers with 503 and a Retry-After of thirty thousand years.")
async def retry_for_ever(visit: Visit) -> None:
    await visit.send(503, b"busy\n", "text/plain", Retry_After="999999999999")


@sin("status-unknown", "Answers with status 799, which exists nowhere.")
async def status_unknown(visit: Visit) -> None:
    await visit.send(799, b"what?\n", "text/plain")


@sin("redirect-self", "Redirects each URL to itself.")
async def redirect_self(visit: Visit) -> None:
    await visit.send(302, Location=visit.exchange.request.target)


@sin("redirect-pair", "Redirects /a to /b and all else to /a.")
async def redirect_pair(visit: Visit) -> None:
    await visit.send(301, Location="/b" if visit.path == "/a" else "/a")


@sin("redirect-endless", "Redirects to a new URL each time, for ever.")
async def redirect_endless(visit: Visit) -> None:
    await visit.send(302, Location=f"{visit.base}/step/{visit.count}")


@sin("redirect-no-location", "Answers with 302 and no Location.")
async def redirect_no_location(visit: Visit) -> None:
    await visit.send(302)


@sin("redirect-ftp", "Redirects to an ftp URL.")
async def redirect_ftp(visit: Visit) -> None:
    await visit.send(302, Location="ftp://127.0.0.1/song.mp3")


@sin("redirect-file", "Redirects to a file URL.")
async def redirect_file(visit: Visit) -> None:
    await visit.send(302, Location="file:///etc/passwd")


@sin("redirect-data", "Redirects to a data URL.")
async def redirect_data(visit: Visit) -> None:
    await visit.send(302, Location="data:text/html,<a href='/'>x</a>")


@sin("redirect-bytes", "Redirects to a Location with raw bytes that are no ASCII, and to one that cannot be a URL.")
async def redirect_bytes(visit: Visit) -> None:
    location = b"http://[::broken/" if visit.path == "/broken" else b"/m\xfcsik.mp3"
    await visit.raw(b"HTTP/1.1 302 Found\r\nContent-Length: 0\r\nLocation: " + location + b"\r\n\r\n")


@sin("redirect-long", "Redirects to a URL of 20,000 characters.")
async def redirect_long(visit: Visit) -> None:
    await visit.send(302, Location="/" + "long/" * 4000)


@sin("redirect-metadata", "Redirects to the address at which clouds tell secrets to their machines.")
async def redirect_metadata(visit: Visit) -> None:
    await visit.send(302, Location="http://169.254.169.254/latest/meta-data/")
