"""Sins of pages: too large, packed to explode, nested without end, or in no encoding at all."""

from __future__ import annotations

import gzip
import zlib
from functools import cache

from sin import Answer, Visit, page, sin
from sins_media import song

HTML = "text/html; charset=utf-8"
BOMB_BYTES = 64 * 1024 * 1024


@cache
def bomb() -> bytes:
    """64 MB of spaces in 64 KB of gzip, made piece by piece."""
    packer = zlib.compressobj(9, zlib.DEFLATED, 31)
    pieces = [packer.compress(b" " * 1024 * 1024) for _ in range(BOMB_BYTES // (1024 * 1024))]
    return b"".join(pieces) + packer.flush()


@sin
async def huge_page(visit: Visit) -> None:
    """Serves an HTML page of 2 MB, with one link at its start and one at its end."""
    filling = "<p>Nothing to see here, for a long time.</p>\n" * 47_000
    body = f'<a href="/first.html">first</a>\n{filling}<a href="/last.html">last</a>'
    await visit.send(200, page("huge", body), HTML)


@sin
async def gzip_cut(visit: Visit) -> None:
    """Serves a gzip page whose second half is missing."""
    links = "".join(f'<a href="/{number * 7919 % 10007}.html">{number}</a>' for number in range(1000))
    packed = gzip.compress(page("cut", links), mtime=0)
    await visit.send(200, packed[: len(packed) // 2], HTML, Content_Encoding="gzip")


def lie(encoding: str) -> Answer:
    """Send plain HTML, and claim that it is encoded."""
    return lambda visit: visit.send(200, page("plain", '<a href="/a.html">a</a>'), HTML, Content_Encoding=encoding)


@sin
async def nul_page(visit: Visit) -> None:
    """Serves a page full of NUL bytes and of bytes that are no UTF-8, with a link among them."""
    noise = bytes(1000) + b"\xff\xfe\xc0\x80\xed\xa0\x80" * 50
    await visit.send(200, page("nul", "<p>") + noise + b'<a href="/after.html">\x00a\xff</a>' + noise, HTML)


@sin
async def charset_lie(visit: Visit) -> None:
    """Serves windows-1251, declares utf-8 in the meta element and iso-8859-1 in Content-Type."""
    body = '<html><head><meta charset="utf-8"><title>Старое радио</title></head><a href="/a.html">Песня</a></html>'
    await visit.send(200, body.encode("cp1251"), "text/html; charset=iso-8859-1")


@sin
async def strange_links(visit: Visit) -> None:
    """Serves a page whose links are all broken in another way, and one good link."""
    hrefs = ["http://[::1", "http://", "//", "http:///a", "%", "%zz", "\x01a", "http://a b/", "http://a:99999/"]
    hrefs += ["?" * 3000, "javascript:void(0)", "mailto:a@a.example", "data:,x", "http://\U0001f600.example:port/"]
    links = "".join(f'<a href="{href}">x</a>' for href in [*hrefs, "/good.html"])
    await visit.send(200, page("strange", links), HTML)


@sin
async def own_maze(visit: Visit) -> None:
    """Each page links to ten deeper pages, for ever."""
    here = visit.path.rstrip("/")
    await visit.send(200, page("maze", "".join(f'<a href="{here}/{n}/">{n}</a>' for n in range(10))), HTML)


@sin
async def xml_bomb(visit: Visit) -> None:
    """Serves an RSS feed with nested entities that would grow to gigabytes."""
    entities = ['<!ENTITY e0 "spam spam spam ">']
    entities += [f'<!ENTITY e{n} "{f"&e{n - 1};" * 10}">' for n in range(1, 10)]
    feed = f'<?xml version="1.0"?><!DOCTYPE rss [{"".join(entities)}]><rss><channel><title>&e9;</title></channel></rss>'
    await visit.send(200, feed.encode(), "application/rss+xml")


@sin
async def own_nofollow(visit: Visit) -> None:
    """Asks our crawler alone not to follow links, and others for more."""
    head = '<meta name="otherbot" content="noindex"><meta name="MediaCrawl" content="nofollow">'
    await visit.send(200, _with_head(head + _DOORS, _LINKS), HTML)


@sin
async def header_nofollow(visit: Visit) -> None:
    """Asks in X-Robots-Tag that no link be followed, beside what another robot may not do."""
    wish = "otherbot: noindex, mediacrawl: nofollow"
    await visit.send(200, _with_head(_DOORS, _LINKS), HTML, X_Robots_Tag=wish)


@sin
async def feed_nofollow(visit: Visit) -> None:
    """Serves feeds that ask in X-Robots-Tag for nofollow."""
    entry = '<item><link>/entry.html</link><enclosure url="/hidden.mp3" type="audio/mpeg"/></item>'
    feed = f"<rss><channel>{entry}</channel></rss>".encode()
    await visit.send(200, feed, "application/rss+xml", X_Robots_Tag="none")


@sin
async def rel_nofollow(visit: Visit) -> None:
    """Serves links with rel: one says nofollow, the others say something else."""
    rels = ("external NOFOLLOW", "ugc", "sponsored", "noopener")
    links = "".join(f'<a rel="{rel}" href="/{number}.html">{rel}</a>' for number, rel in enumerate(rels))
    await visit.send(200, page("rel", links), HTML)


@sin
async def noindex_page(visit: Visit) -> None:
    """Asks on its pages for noindex; they link to a file."""
    if visit.path == "/file.mp3":
        await visit.honest(song(), "audio/mpeg", '"song"')
        return
    head = '<title>Secret title</title><meta name="robots" content="noindex, follow">'
    await visit.send(200, _with_head(head, '<a href="/file.mp3">Secret words</a>'), HTML)


@sin
async def canonical_front(visit: Visit) -> None:
    """Names the front page as the own URL of each of its pages, which is wrong."""
    number = visit.path.strip("/")
    after = int(number) + 1 if number.isdigit() else 1
    link = f'<a href="/{after}">page {after}</a>' if after < 4 else "the last page"
    await visit.send(200, _with_head('<link rel="canonical" href="/">', link), HTML)


@sin
async def canonical_copies(visit: Visit) -> None:
    """Shows a page under many names, nearly the same; each names the one that it is a copy of."""
    if visit.path != "/album/one":
        links = "".join(f'<a href="/album/one?from={number}">{number}</a>' for number in range(1, 5))
        await visit.send(200, page("list", links), HTML)
        return
    name = visit.exchange.request.target.partition("?")[2] or "itself"
    text = "".join(f"<p>Line {line} of it.</p>" for line in range(3000))
    links = f'<a href="/of/{name.partition("=")[2]}.html">similar</a><p>You come from {name}.</p>'
    await visit.send(200, _with_head('<link rel="canonical" href="/album/one">', text + links), HTML)


_DOORS = """
<meta property="og:audio" content="/hidden.mp3"><meta http-equiv="refresh" content="9; url=/hidden.html">
<link rel="alternate" type="application/rss+xml" href="/hidden.rss"><link rel="canonical" href="/hidden-too.html">
"""
_LINKS = '<a href="/hidden.html">x</a><audio src="/hidden.mp3"></audio><iframe src="/hidden-player.html"></iframe>'


def _with_head(head: str, body: str) -> bytes:
    return f"<!DOCTYPE html>\n<html><head>{head}</head>\n<body>\n{body}\n</body></html>\n".encode()


sin |= {
    "gzip-lie": lie("gzip"),
    "brotli-lie": lie("br"),
    "deflate-lie": lie("deflate"),
    # Nobody knows it.
    "unknown-encoding": lie("x-own"),
    # It is no text, and commands terminals.
    "encoding-octets": lie("\xff\x1b[2J\x1b]0;owned\x07"),
    # Serves a page of 64 KB that unpacks to 64 MB.
    "gzip-bomb": lambda visit: visit.send(200, bomb(), HTML, Content_Encoding="gzip"),
    # Serves a Zstandard page with other bytes behind its head.
    "zstd-broken": lambda visit: visit.send(
        200, b"\x28\xb5\x2f\xfd" + bytes(range(256)), HTML, Content_Encoding="zstd"
    ),
    # Serves a page with 20,000 links, all different.
    "many-links": lambda visit: visit.send(
        200, page("many", "\n".join(f'<a href="/{n}.html">{n}</a>' for n in range(20_000))), HTML
    ),
    # Serves a page with 20,000 elements nested in each other, and a link in the innermost.
    "deep-html": lambda visit: visit.send(
        200, page("deep", "<div>" * 20_000 + '<a href="/in.html">in</a>' + "</div>" * 20_000), HTML
    ),
    # Serves a page whose attribute and comment never end.
    "unclosed-html": lambda visit: visit.send(
        200, b'<html><body><a href="/a.html">a</a><!-- <a title="' + b"x" * 50_000, HTML
    ),
    # Declares an encoding that does not exist.
    "charset-unknown": lambda visit: visit.send(
        200, page("?", '<a href="/a.html">a</a>'), 'text/html; charset="no-such-8\u00e9"'
    ),
    # Serves an HTML page without Content-Type.
    "untyped-page": lambda visit: visit.send(200, page("untyped", '<a href="/a.html">a</a>')),
    # Serves 100 KB of noise as text/html.
    "binary-page": lambda visit: visit.send(200, bytes(number * 7919 % 256 for number in range(102_400)), HTML),
    # Asks on each page that no link be followed, in letters of both sizes.
    "meta-nofollow": lambda visit: visit.send(
        200, _with_head('<meta name="Robots" content="NoArchive NoFollow">' + _DOORS, _LINKS), HTML
    ),
    # Serves an MP3 with X-Robots-Tag: noindex.
    "noindex-file": lambda visit: visit.send(200, song(), "audio/mpeg", X_Robots_Tag="NoIndex"),
    # Serves an MP3 that is unavailable after a day that has passed.
    "past-file": lambda visit: visit.send(
        200, song(), "audio/mpeg", X_Robots_Tag="unavailable_after: Fri, 25 Jun 2010 15:00:00 PST"
    ),
    # Names another URL as the page's own, in the header Link.
    "canonical-header": lambda visit: visit.send(
        200, page("own", "<p>one"), HTML, Link='</own.html>; rel="canonical", </no.html>; rel=preload'
    ),
}
