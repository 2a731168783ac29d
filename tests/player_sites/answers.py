"""What the sites answer with: pages, scripts, JSON, pictures, and real media that differ from URL to URL."""

import json
import struct
import zlib
from base64 import b64encode
from collections.abc import Iterable
from functools import cache
from html import escape
from typing import Any

from mediacrawl.demo import Resource, media_bytes
from mediacrawl.demo.library import EncodedText, EncodedTexts, content_type_of, id3v2, retag_mp3
from mediacrawl.demo.message import strong_etag
from player_sites.shapes import number

_FILES = {
    "mp4": ("bateau.mp4", "foire.mp4", "udvar.mp4"),
    "mp3": ("chai-1.mp3", "folge-1.mp3", "folge-2.mp3", "nachtzug.mp3", "ozero.mp3"),
    "m4a": ("burza.m4a", "spacer.m4a"),
    "webm": ("mlyn.webm",),
    "ogg": ("thalassa.ogg",),
    "opus": ("nychta.opus",),
    "flac": ("low-water.flac",),
}
"""Extension -> files of the demo that are served under such names."""
_ANY_PAGE = (("Access-Control-Allow-Origin", "*"),)

STYLE = "body{font:16px/1.5 sans-serif;margin:2em auto;max-width:50em}.player{background:#223;color:#fff;padding:1em}"


def media(url: str, title: str = "") -> Resource:
    """A real file of the kind that the URL's name says; no two URLs have the same bytes.

    Args:
        url: of the file, without query.
        title: what the tag of an MP3 says; by default the URL.

    Raises:
        KeyError: the demo has no file of this kind.
    """
    kind = url.rpartition(".")[2]
    names = _FILES[kind]
    name = names[number(url) % len(names)]
    data = _made_unique(media_bytes(name), kind, url, title or url)
    headers = _ANY_PAGE
    return Resource(data, content_type_of(name), etag=strong_etag(data), headers=headers)


def _made_unique(data: bytes, kind: str, url: str, title: str) -> bytes:
    if kind == "mp3":
        texts = EncodedTexts(*(EncodedText(b"\xff\xfe" + text.encode("utf-16-le"), 1) for text in (title, "", url)))
        return retag_mp3(data, id3v2(texts), b"")
    if kind in {"mp4", "m4a"}:
        # A box of free space at the end (ISO/IEC 14496-12, 8.1.2).
        return data + struct.pack(">I4s", 8 + len(url), b"free") + url.encode()
    return data


def json_answer(data: Any, *, php: bool = False, ascii_only: bool = False, mime: str = "application/json") -> Resource:
    """JSON that pages of other hosts may read.

    Args:
        data: what it says.
        php: escape slashes and all that is not ASCII, as PHP does.
        ascii_only: escape all that is not ASCII.
        mime: the value of Content-Type.
    """
    text = json.dumps(data, ensure_ascii=ascii_only or php)
    return text_answer(text.replace("/", r"\/") if php else text, mime)


def text_answer(text: str, mime: str, *, status: int = 200) -> Resource:
    """Any text that pages of other hosts may read."""
    return Resource(text.encode(), mime, status, headers=_ANY_PAGE)


def base64_of(text: str) -> str:
    """Standard Base64 of a text in UTF-8, padded."""
    return b64encode(text.encode()).decode()


def script(text: str) -> Resource:
    """A script in a file of its own."""
    return text_answer(text, "text/javascript; charset=utf-8")


def page(title: str, body: str, *, lang: str, head: str = "", status: int = 200) -> Resource:
    """A page of a site, with the style sheet, the logo and the menu that all of its pages have.

    Args:
        title: plain text.
        body: HTML.
        lang: language code.
        head: further HTML of the head.
        status: of the answer.
    """
    return text_answer(
        f"""<!DOCTYPE html>
<html lang="{lang}">
<head>
<meta charset="utf-8">
<title>{escape(title)}</title>
<meta name="viewport" content="width=device-width, initial-scale=1">
<link rel="stylesheet" href="/assets/site.css?v=41">
<link rel="icon" href="data:,">
{head}
</head>
<body>
<header><img src="/assets/logo.svg" alt="" width="40" height="40"><a href="/">Start</a></header>
<h1>{escape(title)}</h1>
{body}
</body>
</html>
""",
        "text/html; charset=utf-8",
        status=status,
    )


def links(pairs: Iterable[tuple[str, str]]) -> str:
    """A list of links in HTML, of URLs and their texts."""
    return "".join(f'<li><a href="{escape(url)}">{escape(text)}</a></li>\n' for url, text in pairs)


def asset(path: str) -> Resource | None:
    """What all sites have in common; None if there is nothing of the kind at this path."""
    if path == "/assets/site.css":
        return Resource(STYLE.encode(), "text/css; charset=utf-8")
    if path == "/assets/logo.svg":
        svg = '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 9 9"><path d="M1 1l7 3.5L1 8z"/></svg>'
        return Resource(svg.encode(), "image/svg+xml")
    if path.endswith(".png"):
        return Resource(picture(number(path) & 0xFFFFFF), "image/png")
    return None


@cache
def picture(colour: int) -> bytes:
    """A PNG of 16 by 9 pixels of one colour (RFC 2083)."""
    row = b"\0" + colour.to_bytes(3, "big") * 16
    header = struct.pack(">IIBBBBB", 16, 9, 8, 2, 0, 0, 0)
    chunks = ((b"IHDR", header), (b"IDAT", zlib.compress(row * 9)), (b"IEND", b""))
    return b"\x89PNG\r\n\x1a\n" + b"".join(
        struct.pack(">I", len(data)) + name + data + struct.pack(">I", zlib.crc32(name + data)) for name, data in chunks
    )
