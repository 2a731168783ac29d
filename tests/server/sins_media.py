"""Sins against ranges: media servers that do not do what the Range header asks. And files whose tags lie."""

# ruff: noqa: RUF001 - the titles are in many scripts on purpose
from __future__ import annotations

import codecs
import gzip
import itertools
from collections.abc import Awaitable, Callable
from functools import cache

from sin import Answer, Visit, page, sin

from mediacrawl.programs.demo.answers import UnsatisfiableRangeError, single_range, strong_etag
from mediacrawl.programs.demo.library import Names, grow_mp3, media_bytes
from mediacrawl.programs.demo.tags import EncodedText, EncodedTexts, id3v1, id3v2, retag_mp3

MP3 = "audio/mpeg"
STATION = "Радио Дальние Огни"
PLAYED = "Ансамбль Север - Туман у моря"
METAINT = 4_096
"""Bytes of sound between two titles."""


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


def whole_truth(first: int, last: int, size: int) -> str:
    return f"bytes {first}-{last}/{size}"


def partial(
    place: Callable[[int, int, int], str] | None = whole_truth, most: int = 10**9, kind: str | None = MP3
) -> Answer:
    """Answer 206 with the bytes that are asked for, and say in Content-Range where they are, by `place`."""

    def answer(visit: Visit) -> Awaitable[None]:
        start, stop = asked(visit, len(song()))
        stop = min(stop, start + most)
        told = {"Content_Range": place(start, stop - 1, len(song()))} if place else {}
        return visit.send(206, song()[start:stop], kind, **told)

    return answer


@sin
async def never_satisfied(visit: Visit) -> None:
    """Answers each range with 416, and each request without one with the file."""
    if "range" in visit.exchange.request.headers:
        await visit.send(416, Content_Range=f"bytes */{len(song())}")
        return
    await visit.send(200, song(), MP3)


@sin
async def multipart(visit: Visit) -> None:
    """Answers a single range as multipart/byteranges."""
    start, stop = asked(visit, len(song()))
    place = f"Content-Type: {MP3}\r\nContent-Range: bytes {start}-{stop - 1}/{len(song())}\r\n\r\n"
    body = b"\r\n--EDGE\r\n" + place.encode() + song()[start:stop] + b"\r\n--EDGE--\r\n"
    await visit.send(206, body, "multipart/byteranges; boundary=EDGE")


@sin
async def packs_ranges(visit: Visit) -> None:
    """Answers ranges with those of the packed file."""
    packed = gzip.compress(song(), mtime=0)
    start, stop = asked(visit, len(packed))
    place = f"bytes {start}-{stop - 1}/{len(packed)}"
    await visit.send(206, packed[start:stop], MP3, Content_Range=place, Content_Encoding="gzip")


@sin
async def deaf_to_if_range(visit: Visit) -> None:
    """Gives ranges, but the whole file to each range with If-Range, though it has not changed."""
    if "if-range" in visit.exchange.request.headers:
        await visit.send(200, song(), MP3, ETag='"song"')
        return
    await visit.honest(song(), MP3, '"song"')


@sin
async def station(visit: Visit) -> None:
    """Plays one song after the other without end, as Icecast does; its name is in windows-1251."""
    head = b"HTTP/1.0 200 OK\r\nContent-Type: audio/mpeg\r\nicy-name: %s\r\nicy-br: 128\r\nicy-pub: 1\r\n"
    await visit.raw(head % STATION.encode("cp1251"))
    if "icy-metadata" not in visit.exchange.request.headers:
        await visit.raw(b"\r\n")
        while True:
            await visit.raw(song()[1000:])
    await visit.raw(b"icy-metaint: %d\r\n\r\n" % METAINT)
    words = b"StreamTitle='%s';" % PLAYED.encode("cp1251")
    words += bytes(-len(words) % 16)
    for sound in itertools.cycle(_pieces(song()[1000:])):
        await visit.raw(sound + bytes([len(words) // 16]) + words)


def _pieces(sound: bytes) -> list[bytes]:
    """Pieces of the length that a station announces between two titles."""
    whole = len(sound) // METAINT * METAINT
    return [sound[at : at + METAINT] for at in range(0, whole, METAINT)]


@sin
async def changing(visit: Visit) -> None:
    """Serves another version, longer and with another ETag, at each request; obeys If-Range."""
    body = song(100 + visit.count % 50)
    await visit.honest(body, MP3, strong_etag(body))


LOGIN = page("Log in", '<a href="/login.html">log in</a>')


def head_then(later: Answer) -> Answer:
    """Serve the first range, and answer otherwise ever after."""

    async def answer(visit: Visit) -> None:
        await (later(visit) if visit.count > 1 else visit.honest(song(), MP3))

    return answer


TRUE_NAMES = {
    "tags-claim-latin": Names("Дорога через поле", "Хор Дальние Огни", "Зимняя почта"),
    "tags-claim-utf8": Names("Вечер на пристани", "Группа Тихий Двор", "Осенние тетради"),
    "tags-claim-utf16": Names("Песня старого моста", "Ансамбль Белая Коса", "Северные вечера"),
    "tags-widened": Names("Лодка под берегом", "Тихая Пристань", "Письма с юга"),
    "tags-twice": Names("Chuva no telhado de manhã", "Grupo Maré Mansa", "Histórias do cais"),
    "tags-differ": Names("Окно на север", "Хор Дальние Огни", "Зимняя почта"),
    "tags-cut": Names("5号月台上的雨和一首很老的情歌啊", "远山乐队", "夏夜的河流"),
    "tags-nul": Names("Ο δρόμος της θάλασσας", "Ορχήστρα του Κάβου", "Τραγούδια του λιμανιού"),
    "tags-true": Names("Größere Höhlen übers Jahr", "Kapelle Früh am Fluß", "Späte Züge"),
}
"""Sin -> what its file is really called."""


def tagged(sin_name: str, codec: str, claim: int = 0, after: bytes = b"", v1: str = "") -> bytes:
    """The song, named as `TRUE_NAMES` says, in a codec under any claim."""
    names = TRUE_NAMES[sin_name]
    fields = EncodedTexts(*(EncodedText(text.encode(codec) + after, claim) for text in names))
    short = id3v1(EncodedTexts(*(EncodedText(text.encode(v1)) for text in names))) if v1 else b""
    return retag_mp3(song(), id3v2(fields), short)


@sin
async def tags_widened(visit: Visit) -> None:
    """Serves an MP3 whose tag is UTF-16, in which each character is a byte of windows-1251."""
    names = TRUE_NAMES["tags-widened"]
    wide = (text.encode("cp1251").decode("latin-1").encode("utf-16-le") for text in names)
    fields = EncodedTexts(*(EncodedText(codecs.BOM_UTF16_LE + raw, 1) for raw in wide))
    await visit.honest(retag_mp3(song(), id3v2(fields), b""), MP3)


@sin
async def tags_twice(visit: Visit) -> None:
    """Serves an MP3 whose tag is UTF-8, in which each character is a byte of UTF-8."""
    names = TRUE_NAMES["tags-twice"]
    twice = (text.encode().decode("latin-1").encode() for text in names)
    await visit.honest(retag_mp3(song(), id3v2(EncodedTexts(*(EncodedText(raw, 3) for raw in twice)), 4), b""), MP3)


sin |= {
    # Is 1,000 bytes off; cannot be read; is not there; says * where the size of the file should stand.
    "wrong-content-range": partial(lambda first, last, size: f"bytes {first + 1000}-{last + 1000}/{size}"),
    "nonsense-content-range": partial(lambda first, last, _: f"bytes {last + 1}-{first}/some"),
    "no-content-range": partial(None),
    "unknown-size": partial(lambda first, last, _: f"bytes {first}-{last}/*"),
    # Answers each range with at most its first 1,000 bytes, and says so.
    "short-range": partial(most=1000),
    "no-content-type": partial(kind=None),
    # These serve the first range. To every later request they answer 500, nothing, a login page, or a redirect.
    "head-then-500": head_then(lambda visit: visit.send(500)),
    "head-then-hang": head_then(lambda visit: visit.exchange.until_gone()),
    "head-then-page": head_then(lambda visit: visit.send(200, LOGIN, "text/html")),
    "head-then-moved": head_then(lambda visit: visit.send(302, Location="/login.html")),
    # Answers each range with 200 and the whole file of 300 KB.
    "ignores-range": lambda visit: visit.send(200, song(), MP3),
    # Says Accept-Ranges: bytes, and answers each range with 200 and the whole file.
    "lies-about-range": lambda visit: visit.send(200, song(), MP3, Accept_Ranges="bytes"),
    # Answers each range with 200 and the whole file, packed with gzip.
    "packs-all": lambda visit: visit.send(200, gzip.compress(song(), mtime=0), MP3, Content_Encoding="gzip"),
    # Serves a longer file at each request, without any validator.
    "changing-silently": lambda visit: visit.honest(song(100 + visit.count % 50), MP3),
    # Serves a login page as audio/mpeg.
    "page-as-media": lambda visit: visit.honest(LOGIN, MP3),
    # Serves an MP3 as text/html.
    "wrong-content-type": lambda visit: visit.honest(song(), "text/html"),
    # Serves an MP3 of no bytes; a range of it gets 416.
    "empty-file": lambda visit: visit.honest(b"", MP3),
    # Serves 100 KB as audio/mpeg that are no audio.
    "noise-file": lambda visit: visit.honest(bytes(number * 7919 % 251 for number in range(1000)) * 100, MP3),
    # Serves an MP3 whose ID3 tag claims to be 256 MB long.
    "huge-tag": lambda visit: visit.honest(b"ID3\x03\x00\x00\x7f\x7f\x7f\x7f" + song()[10:], MP3),
    # Serves an MP3 whose tag says Latin-1 and holds KOI8-R.
    "tags-claim-latin": lambda visit: visit.honest(tagged("tags-claim-latin", "koi8_r"), MP3),
    # Serves an MP3 whose tag says UTF-8 and holds windows-1251.
    "tags-claim-utf8": lambda visit: visit.honest(tagged("tags-claim-utf8", "cp1251", claim=3), MP3),
    # Serves an MP3 whose tag says UTF-16 and holds windows-1251, a byte for a character.
    "tags-claim-utf16": lambda visit: visit.honest(tagged("tags-claim-utf16", "cp1251", claim=1), MP3),
    # Serves an MP3 whose ID3v2 tag is in windows-1251 and whose ID3v1 tag in DOS code page 866.
    "tags-differ": lambda visit: visit.honest(tagged("tags-differ", "cp1251", v1="cp866"), MP3),
    # Serves an MP3 with GBK in both tags; ID3v1 cuts the title inside a character.
    "tags-cut": lambda visit: visit.honest(tagged("tags-cut", "gbk", v1="gbk"), MP3),
    # Serves an MP3 whose tag holds windows-1253, and ends each text with a NUL.
    "tags-nul": lambda visit: visit.honest(tagged("tags-nul", "cp1253", after=b"\0"), MP3),
    # Serves an MP3 whose tag says Latin-1 and is.
    "tags-true": lambda visit: visit.honest(tagged("tags-true", "latin-1"), MP3),
}
