"""Sins against ranges: media servers that do not do what the Range header asks."""

from __future__ import annotations

from functools import cache

from sin import Visit, page, sin

from mediacrawl.demo import grow_mp3, media_bytes
from mediacrawl.demo.message import UnsatisfiableRangeError, single_range, strong_etag

MP3 = "audio/mpeg"


@cache
def song(seconds: int = 102) -> bytes:
    """A real MP3, 300 KB for 102 seconds."""
    return grow_mp3(media_bytes("nachtzug.mp3"), seconds)


def asked(visit: Visit, size: int) -> tuple[int, int]:
    """First byte and the byte behind the last that the client asks for; the whole file if it asks for none."""
    try:
        return single_range(visit.exchange.request.headers.get("range", ""), size) or (0, size)
    except UnsatisfiableRangeError:
        return 0, size


@sin("ignores-range", "Answers each range with 200 and the whole file of 300 KB.")
async def ignores_range(visit: Visit) -> None:
    await visit.send(200, song(), MP3)


@sin("lies-about-range", "Says Accept-Ranges: bytes, and answers each range with 200 and the whole file.")
async def lies_about_range(visit: Visit) -> None:
    await visit.send(200, song(), MP3, Accept_Ranges="bytes")


@sin("wrong-content-range", "Answers 206 with the bytes asked for, and a Content-Range that is 1,000 bytes off.")
async def wrong_content_range(visit: Visit) -> None:
    start, stop = asked(visit, len(song()))
    place = f"bytes {start + 1000}-{stop + 999}/{len(song())}"
    await visit.send(206, song()[start:stop], MP3, Content_Range=place)


@sin("nonsense-content-range", "Answers 206 with a Content-Range that cannot be read.")
async def nonsense_content_range(visit: Visit) -> None:
    start, stop = asked(visit, len(song()))
    await visit.send(206, song()[start:stop], MP3, Content_Range=f"bytes {stop}-{start}/some")


@sin("no-content-range", "Answers 206 without Content-Range.")
async def no_content_range(visit: Visit) -> None:
    start, stop = asked(visit, len(song()))
    await visit.send(206, song()[start:stop], MP3)


@sin("unknown-size", "Answers ranges rightly, and says * where the size of the file should stand.")
async def unknown_size(visit: Visit) -> None:
    start, stop = asked(visit, len(song()))
    await visit.send(206, song()[start:stop], MP3, Content_Range=f"bytes {start}-{stop - 1}/*")


@sin("short-range", "Answers each range with at most its first 1,000 bytes, and says so.")
async def short_range(visit: Visit) -> None:
    start, stop = asked(visit, len(song()))
    stop = min(stop, start + 1000)
    await visit.send(206, song()[start:stop], MP3, Content_Range=f"bytes {start}-{stop - 1}/{len(song())}")


@sin("never-satisfied", "Answers each range with 416, and each request without one with the file.")
async def never_satisfied(visit: Visit) -> None:
    if "range" in visit.exchange.request.headers:
        await visit.send(416, Content_Range=f"bytes */{len(song())}")
        return
    await visit.send(200, song(), MP3)


@sin("multipart", "Answers a single range as multipart/byteranges.")
async def multipart(visit: Visit) -> None:
    start, stop = asked(visit, len(song()))
    place = f"Content-Type: {MP3}\r\nContent-Range: bytes {start}-{stop - 1}/{len(song())}\r\n\r\n"
    body = b"\r\n--EDGE\r\n" + place.encode() + song()[start:stop] + b"\r\n--EDGE--\r\n"
    await visit.send(206, body, "multipart/byteranges; boundary=EDGE")


@sin("changing", "Serves another version, longer and with another ETag, at each request; obeys If-Range.")
async def changing(visit: Visit) -> None:
    body = song(100 + visit.count % 50)
    await visit.honest(body, MP3, strong_etag(body))


@sin("changing-silently", "Serves a longer file at each request, without any validator.")
async def changing_silently(visit: Visit) -> None:
    await visit.honest(song(100 + visit.count % 50), MP3)


@sin("head-then-500", "Serves the first range, and answers 500 to every later request.")
async def head_then_500(visit: Visit) -> None:
    if visit.count > 1:
        await visit.send(500)
        return
    await visit.honest(song(), MP3)


@sin("head-then-hang", "Serves the first range, and never answers a later request.")
async def head_then_hang(visit: Visit) -> None:
    if visit.count > 1:
        await visit.exchange.until_gone()
        return
    await visit.honest(song(), MP3)


@sin("head-then-page", "Serves the first range, and answers every later request with a login page.")
async def head_then_page(visit: Visit) -> None:
    if visit.count > 1:
        await visit.send(200, page("Log in", '<a href="/login.html">log in</a>'), "text/html")
        return
    await visit.honest(song(), MP3)


@sin("head-then-moved", "Serves the first range, and redirects every later request.")
async def head_then_moved(visit: Visit) -> None:
    if visit.count > 1:
        await visit.send(302, Location="/login.html")
        return
    await visit.honest(song(), MP3)


@sin("page-as-media", "Serves a login page as audio/mpeg.")
async def page_as_media(visit: Visit) -> None:
    await visit.honest(page("Log in", '<a href="/login.html">log in</a>'), MP3)


@sin("no-content-type", "Serves an MP3 without Content-Type.")
async def no_content_type(visit: Visit) -> None:
    start, stop = asked(visit, len(song()))
    await visit.send(206, song()[start:stop], Content_Range=f"bytes {start}-{stop - 1}/{len(song())}")


@sin("wrong-content-type", "Serves an MP3 as text/html.")
async def wrong_content_type(visit: Visit) -> None:
    await visit.honest(song(), "text/html")


@sin("empty-file", "Serves an MP3 of no bytes; a range of it gets 416.")
async def empty_file(visit: Visit) -> None:
    await visit.honest(b"", MP3)


@sin("noise-file", "Serves 100 KB as audio/mpeg that are no audio.")
async def noise_file(visit: Visit) -> None:
    await visit.honest(bytes(number * 7919 % 251 for number in range(1000)) * 100, MP3)


@sin("huge-tag", "Serves an MP3 whose ID3 tag claims to be 256 MB long.")
async def huge_tag(visit: Visit) -> None:
    await visit.honest(b"ID3\x03\x00\x00\x7f\x7f\x7f\x7f" + song()[10:], MP3)
