"""Sins against ranges: media servers that do not do what the Range header asks. And files whose tags lie."""

# ruff: noqa: RUF001 - the titles are in many scripts on purpose
from __future__ import annotations

import codecs
import gzip
import itertools
from functools import cache

from sin import Answer, Visit, page, sin

from mediacrawl.demo import grow_mp3, media_bytes, strong_etag
from mediacrawl.demo.answers import UnsatisfiableRangeError, single_range
from mediacrawl.demo.library import Names
from mediacrawl.demo.tags import EncodedText, EncodedTexts, id3v1, id3v2, retag_mp3

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


@sin("packs-all", "Answers each range with 200 and the whole file, packed with gzip.")
async def packs_all(visit: Visit) -> None:
    await visit.send(200, gzip.compress(song(), mtime=0), MP3, Content_Encoding="gzip")


@sin("packs-ranges", "Answers ranges with those of the packed file.")
async def packs_ranges(visit: Visit) -> None:
    packed = gzip.compress(song(), mtime=0)
    start, stop = asked(visit, len(packed))
    place = f"bytes {start}-{stop - 1}/{len(packed)}"
    await visit.send(206, packed[start:stop], MP3, Content_Range=place, Content_Encoding="gzip")


@sin("deaf-to-if-range", "Gives ranges, but the whole file to each range with If-Range, though it has not changed.")
async def deaf_to_if_range(visit: Visit) -> None:
    if "if-range" in visit.exchange.request.headers:
        await visit.send(200, song(), MP3, ETag='"song"')
        return
    await visit.honest(song(), MP3, '"song"')


@sin("station", "Plays one song after the other without end, as Icecast does; its name is in windows-1251.")
async def station(visit: Visit) -> None:
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


@sin("changing", "Serves another version, longer and with another ETag, at each request; obeys If-Range.")
async def changing(visit: Visit) -> None:
    body = song(100 + visit.count % 50)
    await visit.honest(body, MP3, strong_etag(body))


@sin("changing-silently", "Serves a longer file at each request, without any validator.")
async def changing_silently(visit: Visit) -> None:
    await visit.honest(song(100 + visit.count % 50), MP3)


LOGIN = page("Log in", '<a href="/login.html">log in</a>')


def head_then(name: str, sentence: str, later: Answer) -> None:
    """Register a host that serves the first range, and answers otherwise ever after."""

    async def answer(visit: Visit) -> None:
        await (later(visit) if visit.count > 1 else visit.honest(song(), MP3))

    sin(name, f"Serves the first range, and {sentence}")(answer)


head_then("head-then-500", "answers 500 to every later request.", lambda visit: visit.send(500))
head_then("head-then-hang", "never answers a later request.", lambda visit: visit.exchange.until_gone())
head_then(
    "head-then-page",
    "answers every later request with a login page.",
    lambda visit: visit.send(200, LOGIN, "text/html"),
)
head_then("head-then-moved", "redirects every later request.", lambda visit: visit.send(302, Location="/login.html"))
sin.honest("page-as-media", "Serves a login page as audio/mpeg.", LOGIN, MP3)


@sin("no-content-type", "Serves an MP3 without Content-Type.")
async def no_content_type(visit: Visit) -> None:
    start, stop = asked(visit, len(song()))
    await visit.send(206, song()[start:stop], Content_Range=f"bytes {start}-{stop - 1}/{len(song())}")


@sin("wrong-content-type", "Serves an MP3 as text/html.")
async def wrong_content_type(visit: Visit) -> None:
    await visit.honest(song(), "text/html")


sin.honest("empty-file", "Serves an MP3 of no bytes; a range of it gets 416.", b"", MP3)


@sin("noise-file", "Serves 100 KB as audio/mpeg that are no audio.")
async def noise_file(visit: Visit) -> None:
    await visit.honest(bytes(number * 7919 % 251 for number in range(1000)) * 100, MP3)


@sin("huge-tag", "Serves an MP3 whose ID3 tag claims to be 256 MB long.")
async def huge_tag(visit: Visit) -> None:
    await visit.honest(b"ID3\x03\x00\x00\x7f\x7f\x7f\x7f" + song()[10:], MP3)


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


@sin("tags-claim-latin", "Serves an MP3 whose tag says Latin-1 and holds KOI8-R.")
async def tags_claim_latin(visit: Visit) -> None:
    await visit.honest(tagged("tags-claim-latin", "koi8_r"), MP3)


@sin("tags-claim-utf8", "Serves an MP3 whose tag says UTF-8 and holds windows-1251.")
async def tags_claim_utf8(visit: Visit) -> None:
    await visit.honest(tagged("tags-claim-utf8", "cp1251", claim=3), MP3)


@sin("tags-claim-utf16", "Serves an MP3 whose tag says UTF-16 and holds windows-1251, a byte for a character.")
async def tags_claim_utf16(visit: Visit) -> None:
    await visit.honest(tagged("tags-claim-utf16", "cp1251", claim=1), MP3)


@sin("tags-widened", "Serves an MP3 whose tag is UTF-16, in which each character is a byte of windows-1251.")
async def tags_widened(visit: Visit) -> None:
    names = TRUE_NAMES["tags-widened"]
    wide = (text.encode("cp1251").decode("latin-1").encode("utf-16-le") for text in names)
    fields = EncodedTexts(*(EncodedText(codecs.BOM_UTF16_LE + raw, 1) for raw in wide))
    await visit.honest(retag_mp3(song(), id3v2(fields), b""), MP3)


@sin("tags-twice", "Serves an MP3 whose tag is UTF-8, in which each character is a byte of UTF-8.")
async def tags_twice(visit: Visit) -> None:
    names = TRUE_NAMES["tags-twice"]
    twice = (text.encode().decode("latin-1").encode() for text in names)
    await visit.honest(retag_mp3(song(), id3v2(EncodedTexts(*(EncodedText(raw, 3) for raw in twice)), 4), b""), MP3)


@sin("tags-differ", "Serves an MP3 whose ID3v2 tag is in windows-1251 and whose ID3v1 tag in DOS code page 866.")
async def tags_differ(visit: Visit) -> None:
    await visit.honest(tagged("tags-differ", "cp1251", v1="cp866"), MP3)


@sin("tags-cut", "Serves an MP3 with GBK in both tags; ID3v1 cuts the title inside a character.")
async def tags_cut(visit: Visit) -> None:
    await visit.honest(tagged("tags-cut", "gbk", v1="gbk"), MP3)


@sin("tags-nul", "Serves an MP3 whose tag holds windows-1253, and ends each text with a NUL.")
async def tags_nul(visit: Visit) -> None:
    await visit.honest(tagged("tags-nul", "cp1253", after=b"\0"), MP3)


@sin("tags-true", "Serves an MP3 whose tag says Latin-1 and is.")
async def tags_true(visit: Visit) -> None:
    await visit.honest(tagged("tags-true", "latin-1"), MP3)
