"""Ways to damage a file. All chance comes from the generator that is given, so a number repeats a case."""

from __future__ import annotations

import random
import re
import struct
from functools import lru_cache

LONGEST = 32 * 1024
"""Bytes of a mutant."""
_NAMES = re.compile(rb"[A-Za-z0-9\xa9 ]{4}")
_NUMBERS = (
    0,
    1,
    2,
    7,
    8,
    0x7F,
    0x80,
    0xFF,
    0x7FFF,
    0x8000,
    0xFFFF,
    0x7FFFFFFF,
    0x80000000,
    0xFFFFFFFF,
    2**63,
    2**64 - 1,
)
_LAYOUTS = (("B", 1), (">H", 2), ("<H", 2), (">I", 4), ("<I", 4), (">Q", 8), ("<Q", 8))
_MAGIC = (
    b"ID3\3\0\0", b"ID3\4\0\x80", b"ID3\2\0\0", b"fLaC", b"OggS\0\2", b"\0\0\0\x10ftypM4A ", b"\xff\xfb\x90", b"MAC ",
    b"\x1aE\xdf\xa3", b"0&\xb2u\x8ef\xcf\x11\xa6\xd9\0\xaa\0b\xcel", b"FLV\1\5\0\0\0\x09", b"RIFF\0\0\0\0WAVEfmt ",
    b"RIFF\xff\xff\xff\xffAVI LIST", b"FORM\0\0\0\0AIFFCOMM", b"wvpk", b"TTA1", b"\x0b\x77", b"\xff\xf1", b"MPCK",
    b"\0\0\1\xba", b"G\x40\0\x10", b"APETAGEX", b"\0\0\0\0moov", b"#!AMR\n", b".snd", b"caff\0\1\0\0", b"DSD ",
    b"FRM8\0\0\0\0\0\0\1\0DSD ", b"riff.\x91\xcf\x11\xa5\xd6(\xdb\4\xc1\0\0", b"V\xe0\x20\x20\0\x12", b"ADIF", b"tBaK",
    b"OFR \x0f\0\0\0",
)  # fmt: skip


@lru_cache(maxsize=512)
def size_fields(data: bytes) -> tuple[int, ...]:
    """Offsets that may hold a size: four bytes beside four of a name, and those whose number fits into the file."""
    found = {at for match in _NAMES.finditer(data) for at in (match.start() - 4, match.end()) if at >= 0}
    for at in range(len(data) - 4):
        big, little = data[at : at + 4], data[at : at + 4][::-1]
        if any(8 <= int.from_bytes(number, "big") <= len(data) - at for number in (big, little)):
            found.add(at)
    return tuple(sorted(at for at in found if at + 4 <= len(data)))


def mutate(rng: random.Random, seed: bytes, other: bytes) -> bytes:
    """Damages a file in one to four ways.

    Args:
        rng: decides everything.
        seed: the file.
        other: another one, of which pieces may be put in.
    """
    data = bytearray(seed)
    fields = size_fields(seed)
    for _ in range(rng.choice((1, 1, 1, 2, 2, 3, 4))):
        rng.choice(_WAYS)(rng, data, fields, other)
        if not data:
            break
    return bytes(data[:LONGEST])


def _place(rng: random.Random, data: bytearray) -> int:
    """Mostly where the structure is: at the front, sometimes at the end."""
    near = min(len(data), 800)
    where = rng.random()
    if where < 0.5:
        return rng.randrange(near)
    return len(data) - 1 - rng.randrange(near) if where < 0.7 else rng.randrange(len(data))


def _flip(rng: random.Random, data: bytearray, fields: tuple[int, ...], other: bytes) -> None:
    for _ in range(rng.choice((1, 1, 2, 5, 20))):
        data[_place(rng, data)] = rng.randrange(256)


def _set_number(rng: random.Random, data: bytearray, fields: tuple[int, ...], other: bytes) -> None:
    at = rng.choice(fields) if fields and rng.random() < 0.8 else _place(rng, data)
    layout, width = rng.choice(_LAYOUTS[3:5] if rng.random() < 0.6 else _LAYOUTS)
    if at + width > len(data):
        return
    near = (len(data), len(data) - at, max(0, len(data) - at - 8), at, rng.randrange(2**16), rng.randrange(2**32))
    number = rng.choice(_NUMBERS + near * 2)
    struct.pack_into(layout, data, at, number & (1 << 8 * width) - 1)


def _truncate(rng: random.Random, data: bytearray, fields: tuple[int, ...], other: bytes) -> None:
    del data[_place(rng, data) :]


def _remove(rng: random.Random, data: bytearray, fields: tuple[int, ...], other: bytes) -> None:
    at = _place(rng, data)
    del data[at : at + rng.choice((1, 2, 4, 8, 100, 4000))]


def _repeat(rng: random.Random, data: bytearray, fields: tuple[int, ...], other: bytes) -> None:
    """Copies a slice somewhere, often many times: what a walker counts, or walks in a circle."""
    at = rng.choice(fields) if fields and rng.random() < 0.5 else _place(rng, data)
    piece = bytes(data[at : at + rng.choice((4, 8, 16, 40, 200, 2000))])
    to = rng.choice((at, _place(rng, data)))
    data[to:to] = piece * rng.choice((1, 2, 10, 100, 1000, 4000))
    del data[LONGEST:]


def _splice(rng: random.Random, data: bytearray, fields: tuple[int, ...], other: bytes) -> None:
    at, start = _place(rng, data), rng.randrange(max(1, len(other)))
    stop = start + rng.choice((4, 16, 100, 1000, LONGEST))
    data[at : at + rng.choice((0, 4, 1000, LONGEST))] = other[start:stop]


def _fill(rng: random.Random, data: bytearray, fields: tuple[int, ...], other: bytes) -> None:
    at, size = _place(rng, data), rng.choice((1, 2, 4, 8, 100, 4000))
    data[at : at + rng.choice((0, size))] = rng.choice((b"\0", b"\0", b"\xff", rng.randbytes(1))) * size


def _disguise(rng: random.Random, data: bytearray, fields: tuple[int, ...], other: bytes) -> None:
    """Another format's first bytes, before the file or instead of its own, or somewhere in it."""
    magic = rng.choice(_MAGIC)
    at = rng.choice((0, 0, _place(rng, data)))
    data[at : at + rng.choice((0, len(magic)))] = magic


_WAYS = (_flip, _flip, _set_number, _set_number, _set_number, _truncate, _remove, _repeat, _splice, _fill, _disguise)
