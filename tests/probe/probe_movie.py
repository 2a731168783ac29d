"""Movies of MP4 written by hand: headers of tracks, sample tables, sample descriptions. They play nothing."""

from __future__ import annotations

import struct

from probe_media import atom

UPRIGHT = (1, 0, 0, 1)


def language(code: str) -> int:
    """Three letters, packed."""
    first, second, third = (ord(letter) - 0x60 for letter in code)
    return first << 10 | second << 5 | third


def tkhd(number: int, *, enabled: bool = True, matrix: tuple[int, ...] = UPRIGHT, version: int = 0) -> bytes:
    a, b, c, d = (value << 16 for value in matrix)
    times = struct.pack(">QQIIQ", 0, 0, number, 0, 0) if version else struct.pack(">IIIII", 0, 0, number, 0, 0)
    rows = struct.pack(">9i", a, b, 0, c, d, 0, 0, 0, 1 << 30)
    head = bytes([version, 0, 0, int(enabled)])
    return atom(b"tkhd", head, times, bytes(16), rows, struct.pack(">II", 0, 0))


def mdhd(code: int, *, scale: int = 1000, ticks: int = 4000, version: int = 0) -> bytes:
    times = struct.pack(">QQIQ", 0, 0, scale, ticks) if version else struct.pack(">IIII", 0, 0, scale, ticks)
    return atom(b"mdhd", bytes([version, 0, 0, 0]), times, struct.pack(">HH", code, 0))


def hdlr(kind: bytes, name: bytes = b"", *, component: bytes = bytes(4)) -> bytes:
    return atom(b"hdlr", bytes(4), component, kind, bytes(12), name)


def table(name: bytes, rows: list[tuple[int, ...]], *, count: int | None = None) -> bytes:
    body = b"".join(struct.pack(f">{len(row)}I", *row) for row in rows)
    return atom(name, struct.pack(">II", 0, len(rows) if count is None else count), body)


def stsd(entry: bytes) -> bytes:
    return atom(b"stsd", struct.pack(">II", 0, 1), entry)


def sound(name: bytes = b"mp4a", *boxes: bytes, channels: int = 2) -> bytes:
    return stsd(atom(name, struct.pack(">6xHHHIHHHHI", 1, 0, 0, 0, channels, 16, 0, 0, 44_100 << 16), *boxes))


def picture(name: bytes = b"avc1", *boxes: bytes, width: int = 640, height: int = 360) -> bytes:
    return stsd(atom(name, struct.pack(">6xH16xHH50x", 1, width, height), *boxes))


def text(name: bytes = b"text", flags: int = 0) -> bytes:
    return stsd(atom(name, struct.pack(">6xHI", 1, flags), bytes(30)))


def trak(
    number: int,
    kind: bytes,
    *samples: bytes,
    code: int = 0x55C4,
    name: bytes = b"",
    before: bytes = b"",
    behind: bytes = b"",
    media: bytes = b"",
    scale: int = 1000,
    **header: object,
) -> bytes:
    """A track.

    Args:
        number: of the track.
        kind: its handler.
        samples: atoms of its sample table, the sample description first.
        code: its packed language; undetermined unless it is given.
        name: of its handler.
        before: atoms in front of its media.
        behind: atoms behind its media.
        media: further atoms of its media, behind ``mdhd``.
        scale: its time unit, per second.
        header: as for `tkhd`.
    """
    minf = atom(b"minf", atom(b"stbl", *samples))
    inner = atom(b"mdia", mdhd(code, scale=scale), media, hdlr(kind, name), minf)
    return atom(b"trak", tkhd(number, **header), before, inner, behind)  # type: ignore[arg-type]


def movie(*parts: bytes, brand: bytes = b"isom", front: bytes = b"") -> bytes:
    """A file of ``ftyp``, media data, and ``moov`` with these parts behind its header."""
    mvhd = atom(b"mvhd", bytes(12), struct.pack(">II", 1000, 4000), bytes(80))
    return atom(b"ftyp", brand, bytes(4)) + front + atom(b"moov", mvhd, *parts)
