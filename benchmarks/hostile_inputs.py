"""Hostile answers, made of pieces: the search of ``hostile.py`` puts them together.

A `Genome` says which pieces, how long each is, and which share of the answer it fills. The same genome gives the same
bytes; another seed gives other bytes of the same make.
"""

# ruff: noqa: ARG001, ARG005 - a piece that needs no length or no number is called like the others
# ruff: noqa: UP031 - of text as of bytes
from __future__ import annotations

import gzip
import random
import re
import zlib
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from pathlib import Path

from mediacrawl.base.terms import Kind
from mediacrawl.programs.demo.library import media_bytes
from mediacrawl.programs.demo.tags import audio_span

Piece = Callable[[int, int], bytes]
"""Makes one piece: of a length, and of a number that no other piece of the answer has."""

LENGTHS = (1, 4, 16, 64, 256, 1_024, 4_096, 16_384, 65_536)


@dataclass(frozen=True)
class Input:
    """What a server answers.

    Attributes:
        path: of the URL that is requested.
        head: header lines.
        body: as it is sent.
        size: bytes of the body that are read, unpacked.
        ranged: whether ranges are given.
        robots: what is in the robots.txt of its host.
        in_robots: whether the hostile head and body are those of the robots.txt.
        status: of the answer.
        kind: what is expected at the URL.
    """

    path: str
    head: bytes
    body: bytes
    size: int
    ranged: bool = False
    robots: bytes = b""
    in_robots: bool = False
    status: int = 200
    kind: Kind = Kind.PAGE


@dataclass(frozen=True)
class Genome:
    """What an input is made of.

    Attributes:
        family: one of `FAMILIES`.
        parts: name of a piece, its length, and its share of the input.
        size: share, 0 to 1, of the most that is read of such an input.
        mixed: whether pieces take turns; else those of one kind stand together.
        seed: of the numbers in it.
    """

    family: str
    parts: tuple[tuple[str, int, float], ...]
    size: float
    mixed: bool
    seed: int

    @classmethod
    def of(cls, told: dict) -> Genome:
        """A genome that was told as JSON."""
        return cls(**{**told, "parts": tuple(map(tuple, told["parts"]))})

    @property
    def make(self) -> tuple[str, ...]:
        """Its pieces: inputs of one make are the same attack."""
        return tuple(sorted({name for name, _, _ in self.parts}))

    def told(self) -> str:
        """In words."""
        parts = ", ".join(f"{name}({length}) {share:.0%}" for name, length, share in self.parts)
        return f"{self.size:.0%} of the most: {parts}{', mixed' if self.mixed else ''}"


def drawn(family: str, dice: random.Random) -> Iterator[Genome]:
    """Genomes at random: each piece alone at first, small; then several together, at growing shares."""
    names = sorted(FAMILIES[family].pieces)
    size = 0.1
    while True:
        for name in dice.sample(names, len(names)):
            others = dice.sample(names, dice.randrange(3)) if size > 0.1 else []
            parts = tuple((each, dice.choice(LENGTHS[:7]), 1.0 / (1 + len(others))) for each in (name, *others))
            yield Genome(family, parts, size, dice.random() < 0.5, dice.randrange(10**6))
        size = min(size * 3, 1.0)


def mutated(genome: Genome, dice: random.Random, *, may_grow: bool) -> Genome:
    """A genome that differs in one thing."""
    parts = list(genome.parts)
    place = dice.randrange(len(parts))
    name, length, share = parts[place]
    way = dice.randrange(6)
    if way == 0:
        return replace(genome, size=min(genome.size * 2, 1.0) if may_grow else genome.size / 2)
    if way == 1:
        return replace(genome, mixed=not genome.mixed)
    if way == 2 and len(parts) < 4:
        parts.append((dice.choice(sorted(FAMILIES[genome.family].pieces)), dice.choice(LENGTHS[:7]), share))
    elif way == 3 and len(parts) > 1:
        del parts[place]
    elif way == 4:
        parts[place] = (name, length, share * dice.choice((0.1, 0.5, 2.0, 10.0)))
    else:
        parts[place] = (name, max(1, min(int(length * dice.choice((0.25, 0.5, 2, 4))), LENGTHS[-1])), share)
    whole = sum(each[2] for each in parts)
    return replace(genome, parts=tuple((name, length, share / whole) for name, length, share in parts))


def build(genome: Genome) -> Input:
    """The bytes of an input."""
    return FAMILIES[genome.family].build(genome)


@dataclass(frozen=True)
class Family:
    """A kind of input.

    Attributes:
        pieces: what it is made of, by name.
        most: bytes that are read of such an input.
        wrap: makes an input of what the pieces gave.
    """

    pieces: dict[str, Piece]
    most: int
    wrap: Callable[[bytes, Genome], Input]

    def build(self, genome: Genome) -> Input:
        """Fill an input with pieces."""
        columns = [self._filled(*part, genome) for part in genome.parts]
        if genome.mixed:
            rows = [
                column[n % len(column)] if n < len(column) else b""
                for n in range(max(map(len, columns)))
                for column in columns
            ]
            return self.wrap(b"".join(rows), genome)
        return self.wrap(b"".join(b"".join(column) for column in columns), genome)

    def _filled(self, name: str, length: int, share: float, genome: Genome) -> list[bytes]:
        room, pieces = int(self.most * genome.size * share), []
        number = genome.seed
        while room > 0:
            pieces.append(self.pieces[name](length, number))
            room -= len(pieces[-1]) or 1
            number += 1
        return pieces


# -- text -----------------------------------------------------------------------------------------------------------

_REPEATED = re.compile("⟦(?:([0-9]+)\\*)?(.*?)(?:¦(.*?))?⟧".encode(), re.DOTALL)
_ESCAPE = re.compile(rb"\\(?:([nr\\])|x([0-9a-f]{2}))")


def _piece(template: bytes) -> Piece:
    """Return what makes pieces of a template, as ``hostile_pieces.tsv`` has them.

    ``⟦a⟧`` is ``a`` as often as the piece is long, ``⟦60*a⟧`` at most 60 times, ``⟦a¦,⟧`` with commas between; in it
    ``{i}`` counts from 0, and ``{j}`` is the next such number, in a circle. ``{k}`` is the number of the piece.
    """
    # Plain text and what is repeated take turns: each text is followed by how often, what, and what is between.
    parts = _REPEATED.split(template)
    turns = [
        (plain, int(most or LENGTHS[-1]), unit, between or b"", b"{i}" in unit)
        for plain, most, unit, between in (parts[place : place + 4] for place in range(0, len(parts) - 1, 4))
    ]

    def make(n: int, k: int) -> bytes:
        found = b""
        for plain, most, unit, apart, is_counted in turns:
            count = min(n, most)
            if is_counted:
                numbers = ((b"%d" % i, b"%d" % ((i + 1) % count)) for i in range(count))
                found += plain + apart.join(unit.replace(b"{i}", i).replace(b"{j}", j) for i, j in numbers)
            else:
                found += plain + (apart.join([unit] * count) if apart else unit * count)
        return (found + parts[-1]).replace(b"{k}", b"%d" % k)

    return make


def _unescaped(match: re.Match[bytes]) -> bytes:
    return {b"n": b"\n", b"r": b"\r", b"\\": b"\\"}[match[1]] if match[1] else bytes.fromhex(match[2].decode())


def _read_pieces() -> dict[str, dict[str, Piece]]:
    """Return the pieces of each family of text."""
    found: dict[str, dict[str, Piece]] = {}
    for line in Path(__file__).with_name("hostile_pieces.tsv").read_bytes().splitlines():
        family, name, template = line.split(b"\t")
        found.setdefault(family.decode(), {})[name.decode()] = _piece(_ESCAPE.sub(_unescaped, template))
    return found


_TEXT = _read_pieces()


def _page(body: bytes, genome: Genome) -> Input:
    whole = b"<!doctype html><html><head>" + body
    return Input("/page", b"Content-Type: text/html; charset=utf-8\r\n", whole, min(len(whole), 200_000))


def _list(path: str, mime: bytes, begin: bytes, end: bytes = b"") -> Callable[[bytes, Genome], Input]:
    """An input of a list, packed as a server would send it."""

    def wrap(body: bytes, genome: Genome) -> Input:
        whole = begin + body + end
        head = b"Content-Type: %s\r\nContent-Encoding: gzip\r\n" % mime
        return Input(path, head, gzip.compress(whole, 6, mtime=0), min(len(whole), 3_000_000), kind=Kind.LIST)

    return wrap


_RSS = b'<?xml version="1.0"?><rss version="2.0" xmlns:media="http://search.yahoo.com/mrss/" '
_RSS += b'xmlns:itunes="http://www.itunes.com/dtds/podcast-1.0.dtd"><channel><title>t</title>'
_URLSET = b'<?xml version="1.0"?><urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9" '
_URLSET += b'xmlns:video="http://www.google.com/schemas/sitemap-video/1.1">'
_M3U8 = b"#EXTM3U\n#EXT-X-VERSION:3\n"
_MPD = b'<?xml version="1.0"?><MPD xmlns="urn:mpeg:dash:schema:mpd:2011">'


def _robots(body: bytes, genome: Genome) -> Input:
    whole = b"User-agent: *\nDisallow: /none\nUser-agent: mediacrawl\n" + body
    path = "/" + "a" * min(genome.parts[0][1] * 2, 1_900)
    return Input(path, b"Content-Type: text/plain\r\n", b"<p>x", min(len(whole), 512_000), robots=whole, in_robots=True)


# -- media files ---------------------------------------------------------------------------------------------------


def _noise(n: int, k: int) -> bytes:
    return random.Random(k).randbytes(n).replace(b"\0", b"\1")


_TEXTS: tuple[Piece, ...] = (
    lambda n, k: (b"t%d " % k * n)[:n],
    _noise,
    lambda n, k: ("Подмосковные вечера %d " % k * n)[: n // 2 + 1].encode("cp1251"),
    lambda n, k: ("夜の歌 %d " % k * n)[: n // 2 + 1].encode("shift_jis"),
    lambda n, k: ("Подмосковные %d " % k * n)[: n // 2 + 1].encode().decode("latin-1").encode(),
)


def _frame(name: bytes, value: bytes, flags: bytes = b"\0\0") -> bytes:
    size = len(value)
    return name + bytes(size >> shift & 0x7F for shift in (21, 14, 7, 0)) + flags + value


def _id3_text(name: bytes, text: Piece) -> Piece:
    return lambda n, k: _frame(name, b"\0%d\0" % k + text(n, k))


def _packed(n: int, k: int) -> bytes:
    """A compressed frame (ID3v2.4, 4.1.2): small on the wire, 64 times its length unpacked."""
    raw = b"\0%d\0" % k + _noise(64, k) * n
    size = bytes(len(raw) >> shift & 0x7F for shift in (21, 14, 7, 0))
    return _frame(b"TXXX", size + zlib.compress(raw), b"\0\x09")


_ID3: dict[str, Piece] = {f"TXXX {place}": _id3_text(b"TXXX", text) for place, text in enumerate(_TEXTS)}
_ID3 |= {f"TPE1 {place}": _id3_text(b"TPE1", text) for place, text in enumerate(_TEXTS)}
_ID3 |= {
    "packed": _packed,
    "list": lambda n, k: _frame(b"TPE1", b"\3" + b"a%d\0" % k * n),
    "genre": lambda n, k: _frame(b"TCON", b"\0" + b"(17)" * n),
    "picture": lambda n, k: _frame(b"APIC", b"\0image/png\0\3\0" + _noise(n, k)),
    "chapter": lambda n, k: _frame(b"CHAP", b"c%d\0" % k + bytes(16) + _frame(b"TIT2", b"\0" + b"t" * n)),
    "nested": lambda n, k: _nested(min(n, 500), k),
    "lyrics": lambda n, k: _frame(b"USLT", b"\1eng\xff\xfe\0\0" + "夜の".encode("utf-16-le") * n),
    "padding": lambda n, k: bytes(n),
}


def _nested(n: int, k: int) -> bytes:
    inner = _frame(b"TIT2", b"\0x")
    for _ in range(n):
        inner = _frame(b"CHAP", b"c\0" + bytes(16) + inner)
    return inner


def _mp3(body: bytes, genome: Genome) -> Input:
    size = bytes(len(body) >> shift & 0x7F for shift in (21, 14, 7, 0))
    song = media_bytes("nachtzug.mp3")
    start, stop = audio_span(song)
    return _media(b"ID3\x04\0\0" + size + body + song[start:stop], "mp3", b"audio/mpeg")


def _media(whole: bytes, extension: str, mime: bytes) -> Input:
    head = b"Content-Type: %s\r\nAccept-Ranges: bytes\r\n" % mime
    return Input(f"/song.{extension}", head, whole, min(len(whole), 262_144), ranged=True, kind=Kind.MEDIA)


_FLAC: dict[str, Piece] = {
    f"comment {place}": lambda n, k, text=text: _comment(b"C%d=" % k + text(n, k)) for place, text in enumerate(_TEXTS)
}
_FLAC |= {
    "artists": lambda n, k: _comment(b"ARTIST=a%d" % k) * n,
    "no name": lambda n, k: _comment(b"=" * n),
    "name": lambda n, k: _comment(b"N" * n + b"=%d" % k),
    "picture": lambda n, k: _comment(b"METADATA_BLOCK_PICTURE=" + b"A" * n),
}


def _comment(value: bytes) -> bytes:
    return len(value).to_bytes(4, "little") + value


def _flac(body: bytes, genome: Genome) -> Input:
    info = bytes.fromhex("1000100000000f00000f0ac442f000000000") + bytes(16)
    comments = _comment(b"maker") + (1_000_000).to_bytes(4, "little") + body[:16_000_000]
    blocks = b"\0" + (34).to_bytes(3, "big") + info + b"\x84" + len(comments).to_bytes(3, "big") + comments
    return _media(b"fLaC" + blocks + b"\xff\xf8" + bytes(4_000), "flac", b"audio/flac")


def _atom(name: bytes, value: bytes) -> bytes:
    return (len(value) + 8).to_bytes(4, "big") + name + value


_MP4: dict[str, Piece] = {
    f"item {place}": lambda n, k, text=text: _atom(b"\xa9nam", _atom(b"data", b"\0\0\0\1\0\0\0\0" + text(n, k)))
    for place, text in enumerate(_TEXTS)
}
_MP4 |= {
    "free form": lambda n, k: _atom(
        b"----",
        _atom(b"mean", b"\0\0\0\0com.x")
        + _atom(b"name", b"\0\0\0\0n%d" % k)
        + _atom(b"data", b"\0\0\0\1\0\0\0\0" + b"v" * n),
    ),
    "values": lambda n, k: _atom(b"\xa9ART", _atom(b"data", b"\0\0\0\1\0\0\0\0a%d" % k) * n),
    "empty": lambda n, k: _atom(b"free", b"") * n,
    "deep": lambda n, k: _deep_atoms(min(n, 2_000)),
}


def _deep_atoms(n: int) -> bytes:
    inner = b""
    for _ in range(n):
        inner = _atom(b"udta", inner)
    return inner


def _mp4(body: bytes, genome: Genome) -> Input:
    meta = _atom(b"meta", bytes(4) + _atom(b"hdlr", bytes(8) + b"mdirappl" + bytes(9)) + _atom(b"ilst", body))
    moov = _atom(b"moov", _atom(b"mvhd", bytes(12) + b"\0\0\3\xe8\0\0\xff\xff" + bytes(80)) + _atom(b"udta", meta))
    return _media(_atom(b"ftyp", b"M4A \0\0\0\0M4A mp42") + moov + _atom(b"mdat", bytes(100)), "m4a", b"audio/mp4")


def _element(identifier: bytes, value: bytes) -> bytes:
    return identifier + (1 << 56 | len(value)).to_bytes(8, "big") + value


def _simple_tag(name: bytes, value: bytes, inner: bytes = b"") -> bytes:
    return _element(b"\x67\xc8", _element(b"\x45\xa3", name) + _element(b"\x44\x87", value) + inner)


_MKV: dict[str, Piece] = {
    f"tag {place}": lambda n, k, text=text: _element(b"\x73\x73", _simple_tag(b"T%d" % k, text(n, k)))
    for place, text in enumerate(_TEXTS)
}
_MKV |= {
    "tags": lambda n, k: _element(b"\x73\x73", _simple_tag(b"ARTIST", b"a%d" % k) * n),
    "deep": lambda n, k: _element(b"\x73\x73", _deep_tags(min(n, 500))),
    "void": lambda n, k: _element(b"\xec", bytes(n)),
    "targets": lambda n, k: _element(b"\x73\x73", _element(b"\x63\xc0", _element(b"\x63\xc5", b"%d" % k) * n)),
}


def _deep_tags(n: int) -> bytes:
    inner = b""
    for _ in range(n):
        inner = _simple_tag(b"A", b"b", inner)
    return inner


def _mkv(body: bytes, genome: Genome) -> Input:
    head = _element(b"\x1a\x45\xdf\xa3", _element(b"\x42\x82", b"matroska"))
    info = _element(b"\x15\x49\xa9\x66", _element(b"\x2a\xd7\xb1", b"\x0f\x42\x40"))
    segment = _element(b"\x18\x53\x80\x67", info + _element(b"\x12\x54\xc3\x67", body))
    return _media(head + segment, "mka", b"audio/x-matroska")


_STATUS = (200, 200, 206, 301, 302, 404, 429, 503)


def _headers(body: bytes, genome: Genome) -> Input:
    head = b"Content-Type: text/html\r\n" + body[:60_000]
    head = head if head.endswith(b"\r\n") else head + b"\r\n"
    status = _STATUS[genome.seed % len(_STATUS)]
    kind = Kind.MEDIA if genome.seed % 3 == 0 else Kind.PAGE
    page = b"<title>x</title><a href=/y>y</a>"
    return Input("/x.mp3" if kind is Kind.MEDIA else "/x", head, page, len(page), status=status, kind=kind)


_LIST = 3_000_000
FAMILIES: dict[str, Family] = {
    "page": Family(_TEXT["page"], 200_000, _page),
    "feed": Family(_TEXT["feed"], _LIST, _list("/f.rss", b"application/rss+xml", _RSS)),
    "sitemap": Family(_TEXT["sitemap"], _LIST, _list("/s.xml.gz", b"application/xml", _URLSET)),
    "m3u": Family(_TEXT["playlist"], _LIST, _list("/p.m3u", b"audio/x-mpegurl", b"#EXTM3U\n")),
    "asx": Family(_TEXT["asx"], _LIST, _list("/p.asx", b"video/x-ms-asf", b"<asx>")),
    "xspf": Family(_TEXT["xspf"], _LIST, _list("/p.xspf", b"application/xspf+xml", b"<playlist><trackList>")),
    "pls": Family(_TEXT["pls"], _LIST, _list("/p.pls", b"audio/x-scpls", b"[playlist]\n")),
    "hls": Family(_TEXT["hls"], _LIST, _list("/p.m3u8", b"application/vnd.apple.mpegurl", _M3U8)),
    "dash": Family(_TEXT["dash"], _LIST, _list("/p.mpd", b"application/dash+xml", _MPD)),
    "robots": Family(_TEXT["robots"], 512_000, _robots),
    "mp3": Family(_ID3, 250_000, _mp3),
    "flac": Family(_FLAC, 250_000, _flac),
    "mp4": Family(_MP4, 250_000, _mp4),
    "mkv": Family(_MKV, 250_000, _mkv),
    "headers": Family(_TEXT["headers"], 60_000, _headers),
}
