"""Media files whose tags take a reader's time: each of any size."""

from __future__ import annotations

import struct
import zlib
from collections.abc import Callable
from typing import NamedTuple

from probe_media import ape, ape_item, atom, audio, frame, id3, id3v1, sample

RUSSIAN = "Ночной поезд ".encode("cp1251")
"""A title that says it is Latin-1."""


class File(NamedTuple):
    """Files of one make.

    Attributes:
        name: says which.
        make: gives a file whose tags have about so many bytes.
    """

    name: str
    make: Callable[[int], bytes]

    @property
    def least(self) -> int:
        """Bytes of the smallest file."""
        return 4 * 1024


def lyrics3(text: bytes) -> bytes:
    """Lyrics3 v2, to be followed by ID3v1."""
    body = b"LYRICSBEGININD0000210LYR%05d%s" % (len(text), text)
    return body + b"%06dLYRICS200" % len(body)


def _mp3(*frames: bytes, flags: int = 0) -> bytes:
    return id3(*frames, flags=flags) + audio(8) + id3v1(b"Tone")


def _packed(size: int) -> bytes:
    return frame("TXXX", struct.pack(">I", size) + zlib.compress(b"\0a\0" + RUSSIAN * (size // 13)), flags=0x80)


def _comments(*texts: bytes) -> bytes:
    listed = b"".join(struct.pack("<I", len(text)) + text for text in texts)
    body = struct.pack("<II", 0, len(texts)) + listed
    return b"fLaC" + sample("tone.flac")[4:42] + b"\x84" + struct.pack(">I", len(body))[1:] + body


def _ilst(*texts: bytes) -> bytes:
    tags = [atom(b"\xa9nam", atom(b"data", b"\0\0\0\1\0\0\0\0" + text)) for text in texts]
    meta = atom(b"meta", bytes(4) + atom(b"hdlr", bytes(8) + b"mdirappl" + bytes(9)) + atom(b"ilst", *tags))
    return sample("first.m4a")[:32] + atom(b"moov", atom(b"udta", meta))


FILES: tuple[File, ...] = (
    File("one long text of ID3", lambda size: _mp3(frame("TIT2", b"\0" + RUSSIAN * (size // 13)))),
    File("one text of ID3 without spaces", lambda size: _mp3(frame("TIT2", b"\0" + RUSSIAN[:6] * (size // 6)))),
    File("one long text of ID3 in ASCII", lambda size: _mp3(frame("TIT2", b"\0" + RUSSIAN + b"a" * size))),
    File("many values of one text", lambda size: _mp3(frame("TPE1", b"\0" + b"\xcd\xee\0" * (size // 3)))),
    File("many frames", lambda size: _mp3(*[frame("TXXX", b"\0a\0" + RUSSIAN)] * (size // 26))),
    File("many empty frames", lambda size: _mp3(*[frame("TXXX", b"")] * (size // 10))),
    File("many comments of ID3", lambda size: _mp3(*[frame("COMM", b"\0rus\0" + RUSSIAN)] * (size // 28))),
    File("many packed frames", lambda size: _mp3(*[_packed(4_096)] * (size // 100))),
    File("a packed frame", lambda size: _mp3(_packed(20 * size))),
    File("unsynchronised text", lambda size: _mp3(frame("TIT2", b"\1\xff\xfe" + b"\xff\0" * (size // 2)), flags=0x80)),
    File("UTF-16 that is none", lambda size: _mp3(frame("TIT2", b"\1\xff\xfe" + b"\0\xd8" * (size // 2)))),
    File("many tags", lambda size: id3(frame("TIT2", b"\0Tone")) * (size // 25) + audio(8)),
    File("comments of Vorbis", lambda size: _comments(*[b"TITLE=" + RUSSIAN] * (size // 23))),
    File("a long comment of Vorbis", lambda size: _comments(b"TITLE=" + RUSSIAN * (size // 13))),
    File("many names of Vorbis", lambda size: _comments(*[b"N%d=\xcd" % n for n in range(size // 12)])),
    File("titles of MP4", lambda size: _ilst(*[RUSSIAN] * (size // 37))),
    File("a long title of MP4", lambda size: _ilst(RUSSIAN * (size // 13))),
    File("items of APE", lambda size: audio(8) + ape(*[ape_item(b"Title", RUSSIAN)] * (size // 27)) + id3v1(b"Tone")),
    File("Lyrics3", lambda size: audio(8) + lyrics3(RUSSIAN * (min(size, 90_000) // 13)) + id3v1(b"Tone")),
)
"""Files with tags of ID3, Vorbis, MP4, APE and Lyrics3; most of their texts are in an encoding that they do not say."""
