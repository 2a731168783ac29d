"""Pieces of media files written by hand: what neither ffmpeg nor mutagen writes, or not in this order.

Nothing here is shared with the readers of `mediacrawl.probe`: what is measured must not be its own measure.
"""

from __future__ import annotations

import struct
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path

sys.path.append(str(Path(__file__).parents[1] / "tests" / "probe"))

# Builders that the tests have too.
from probe_media import chunk as chunk  # noqa: PLC0414
from probe_media import cover as cover  # noqa: PLC0414
from probe_media import frame as frame  # noqa: PLC0414
from probe_media import id3 as id3  # noqa: PLC0414
from probe_media import picture as apic  # noqa: F401
from probe_media import size7 as synchsafe  # noqa: F401

# -- ID3v2, ID3v1, Lyrics3, APEv2 --------------------------------------------------------------------------------------


def unsynchronised(data: bytes) -> bytes:
    """A zero behind each 0xFF that could begin a frame of audio, or precedes a zero (ID3v2.3, section 5)."""
    out = bytearray()
    for at, byte in enumerate(data):
        out.append(byte)
        if byte == 0xFF and (at + 1 == len(data) or data[at + 1] >= 0xE0 or data[at + 1] == 0):
            out.append(0)
    return bytes(out)


def id3v1(title: bytes, artist: bytes = b"", album: bytes = b"", year: bytes = b"", comment: bytes = b"") -> bytes:
    texts = title.ljust(30, b"\0")[:30] + artist.ljust(30, b"\0")[:30] + album.ljust(30, b"\0")[:30]
    return b"TAG" + texts + year.ljust(4, b"\0") + comment.ljust(28, b"\0")[:28] + b"\0\x07\xff"


def lyrics3(text: bytes) -> bytes:
    """Lyrics3 v2, to be followed by ID3v1."""
    body = b"LYRICSBEGIN" + b"IND00002" + b"10" + b"LYR%05d" % len(text) + text
    return body + b"%06d" % len(body) + b"LYRICS200"


def ape(items: Sequence[tuple[str, bytes]], picture: int = 0) -> bytes:
    """An APEv2 tag with header and footer; the picture precedes the texts."""
    pictures = [("Cover Art (Front)", b"cover.jpg\0" + cover(picture), 2)] if picture else []
    return ape_of([*pictures, *((key, value, 0) for key, value in items)])


def ape_of(items: Sequence[tuple[str, bytes, int]]) -> bytes:
    """An APEv2 tag of items with flags: 0 for text, 2 for bytes."""
    parts = [struct.pack("<II", len(value), flags) + key.encode() + b"\0" + value for key, value, flags in items]
    body = b"".join(parts)

    def edge(flags: int) -> bytes:
        return b"APETAGEX" + struct.pack("<IIII", 2000, len(body) + 32, len(parts), flags) + bytes(8)

    return edge(0xA0000000) + body + edge(0x80000000)


# -- MPEG audio and Monkey's Audio -------------------------------------------------------------------------------------

_RATES = (0, 32, 40, 48, 56, 64, 80, 96, 112, 128, 160, 192, 224, 256, 320)


def mp3_frames(data: bytes) -> Iterator[int]:
    """Sizes of the frames of an MPEG-1 layer III stream of 44.1 kHz."""
    at = 0
    while at + 4 <= len(data) and data[at] == 0xFF and data[at + 1] >> 1 == 0x7D:
        size = 144000 * _RATES[data[at + 2] >> 4] // 44100 + (data[at + 2] >> 1 & 1)
        yield size
        at += size


def with_vbri(data: bytes) -> bytes:
    """Puts a frame with Fraunhofer's VBRI header before a stream."""
    frames = len(list(mp3_frames(data)))
    head = b"\xff\xfb\x90" + data[3:4] + bytes(32)
    fields = struct.pack(">4sHHHIIHHHH", b"VBRI", 1, 0, 75, len(data) + 417, frames, 1, 1, 2, frames)
    return (head + fields + struct.pack(">H", len(data) // 1000 & 0xFFFF)).ljust(417, b"\0") + data


def monkey(seconds: float, body: int) -> bytes:
    """Monkey's Audio of version 3.99: a descriptor, a header, and bytes that no decoder would take."""
    per_frame, total = 73728 * 4, round(seconds * 44100)
    frames = -(-total // per_frame)
    seek = struct.pack("<I", 0) * frames
    sizes = struct.pack("<IIIIIII", 52, 24, len(seek), 44, body, 0, 0)
    descriptor = b"MAC " + struct.pack("<HH", 3990, 0) + sizes + bytes(16)
    last = total - per_frame * (frames - 1)
    header = struct.pack("<HHIIIHHI", 2000, 0, per_frame, last, frames, 16, 2, 44100)
    return descriptor + header + seek + bytes(44) + cover(body)


def old_monkey(seconds: float, body: int) -> bytes:
    """Monkey's Audio of version 3.97, without a descriptor."""
    per_frame, total = 73728 * 4, round(seconds * 44100)
    frames = -(-total // per_frame)
    last = total - per_frame * (frames - 1)
    head = b"MAC " + struct.pack("<HHHHIIIII", 3970, 2000, 0, 2, 44100, 44, 0, frames, last)
    return head + bytes(44) + struct.pack("<I", 0) * frames + cover(body)


# -- FLAC --------------------------------------------------------------------------------------------------------------


def flac_blocks(data: bytes) -> tuple[list[tuple[int, bytes]], bytes]:
    """Blocks of metadata as (type, body), and the audio behind them."""
    blocks, at, last = [], 4, False
    while not last:
        last, kind = bool(data[at] & 0x80), data[at] & 0x7F
        size = int.from_bytes(data[at + 1 : at + 4], "big")
        blocks.append((kind, data[at + 4 : at + 4 + size]))
        at += 4 + size
    return blocks, data[at:]


def flac(blocks: Sequence[tuple[int, bytes]], audio: bytes) -> bytes:
    parts = [b"fLaC"]
    for number, (kind, body) in enumerate(blocks, 1):
        parts.append(bytes([kind | 0x80 * (number == len(blocks))]) + struct.pack(">I", len(body))[1:] + body)
    return b"".join([*parts, audio])


def flac_picture(size: int) -> tuple[int, bytes]:
    mime = b"image/jpeg"
    return 6, struct.pack(">II", 3, len(mime)) + mime + bytes(20) + struct.pack(">I", size) + cover(size)


# -- RIFF and AIFF -----------------------------------------------------------------------------------------------------


def info(texts: Sequence[tuple[str, bytes]]) -> bytes:
    """A LIST of INFO, each text with the NUL that most writers add."""
    return chunk(b"LIST", b"INFO" + b"".join(chunk(name.encode(), text + b"\0") for name, text in texts))


def with_chunks(data: bytes, *more: bytes, order: str = "<") -> bytes:
    """Adds chunks at the end of a RIFF or IFF file."""
    body = data[8:] + bytes(len(data) % 2) + b"".join(more)
    return data[:4] + struct.pack(order + "I", len(body)) + body


def without_info(data: bytes) -> bytes:
    """Writes JUNK over each LIST of INFO, which keeps all offsets."""
    at = data.find(b"INFO")
    while at >= 8:
        if data[at - 8 : at - 4] == b"LIST":
            data = data[: at - 8] + b"JUNK" + data[at - 4 :]
        at = data.find(b"INFO", at + 4)
    return data


# -- MP4 ---------------------------------------------------------------------------------------------------------------


def atoms(data: bytes, path: Sequence[bytes]) -> list[int]:
    """Offsets of the atoms on a path such as moov, udta, meta; the last is the innermost."""
    found, start, stop = [], 0, len(data)
    for name in path:
        while start < stop and data[start + 4 : start + 8] != name:
            start += int.from_bytes(data[start : start + 4], "big")
        if start >= stop:
            raise ValueError(f"no atom {name!r}")
        found.append(start)
        stop = start + int.from_bytes(data[start : start + 4], "big")
        start += 12 if name == b"meta" else 8
    return found


def with_bare_meta(data: bytes) -> bytes:
    """Takes the version word of ``meta`` away, as QuickTime's writers do. ``moov`` must stand last."""
    path = atoms(data, (b"moov", b"udta", b"meta"))
    out = bytearray(data)
    del out[path[-1] + 8 : path[-1] + 12]
    for at in path:
        (size,) = struct.unpack_from(">I", out, at)
        struct.pack_into(">I", out, at, size - 4)
    return bytes(out)


def with_long_mdat(data: bytes) -> bytes:
    """Gives ``mdat`` a size of 64 bits, in the room of the ``free`` atom before it."""
    at = atoms(data, (b"free",))[0]
    size, name = struct.unpack_from(">I4s", data, at + 8)
    if name != b"mdat" or data[at : at + 4] != b"\0\0\0\x08":
        raise ValueError("no empty free atom before mdat")
    return data[:at] + struct.pack(">I4sQ", 1, b"mdat", size + 8) + data[at + 16 :]


# -- Matroska ----------------------------------------------------------------------------------------------------------


_TAGS, _SEEK_HEAD = b"\x12\x54\xc3\x67", b"\x11\x4d\x9b\x74"


def _element(data: bytes, at: int) -> tuple[bytes, int, int]:
    """Name of an EBML element, and where its body begins and ends."""
    length = 9 - data[at].bit_length()
    name, at = data[at : at + length], at + length
    length = 9 - data[at].bit_length()
    size = int.from_bytes(data[at : at + length], "big") & (1 << 7 * length) - 1
    return name, at + length, at + length + size


def with_tags_last(data: bytes) -> bytes:
    """Moves ``Tags`` behind the clusters, as mkvmerge writes it; the seek head then points there."""
    _, _, start = _element(data, 0)
    _, segment, end = _element(data, start)
    at, places = segment, {}
    while at < end:
        name, _, stop = _element(data, at)
        places.setdefault(name, (at, stop))
        at = stop
    first, last = places[_TAGS]
    tags, gap = data[first:last], last - first - 9
    out = bytearray(data[:end] + tags + data[end:])
    out[first:last] = b"\xec\x01" + gap.to_bytes(7, "big") + bytes(gap)
    # ffmpeg writes the size of the segment in eight bytes, and leaves room behind the seek head.
    out[segment - 8 : segment] = b"\x01" + (end + len(tags) - segment).to_bytes(7, "big")
    first, room = places[_SEEK_HEAD][0], _element(data, places[_SEEK_HEAD][1])[2]
    out[first:room] = _seek_head(data, places[_SEEK_HEAD], end - segment, room - first)
    return bytes(out)


def with_all_last(data: bytes) -> bytes:
    """Moves all that describes the file behind the clusters, and leaves the seek head and the index out."""
    _, _, start = _element(data, 0)
    _, segment, end = _element(data, start)
    at, clusters, others = segment, b"", b""
    while at < end:
        name, _, stop = _element(data, at)
        if name == b"\x1f\x43\xb6\x75":
            clusters += data[at:stop]
        elif name not in {_SEEK_HEAD, b"\xec", b"\x1c\x53\xbb\x6b"}:
            others += data[at:stop]
        at = stop
    size = b"\x01" + (len(clusters) + len(others)).to_bytes(7, "big")
    return data[: start + 4] + size + clusters + others


def _seek_head(data: bytes, place: tuple[int, int], tags_at: int, room: int) -> bytes:
    """The seek head again, with another place of ``Tags``, and the rest of its room void."""
    at, entries = _element(data, place[0])[1], b""
    while at < place[1]:
        kind, seek, stop = _element(data, at)
        at = stop
        if kind != b"\x4d\xbb":
            continue  # the checksum, which would be wrong now
        _, name_at, position = _element(data, seek)
        _, position, _ = _element(data, position)
        name = data[name_at : name_at + 4]
        to = tags_at if name == _TAGS else int.from_bytes(data[position:stop], "big")
        entries += b"\x4d\xbb\x8e\x53\xab\x84" + name + b"\x53\xac\x84" + to.to_bytes(4, "big")
    head = _SEEK_HEAD + b"\x40" + bytes([len(entries)]) + entries
    gap = room - len(head) - 9
    return head + b"\xec\x01" + gap.to_bytes(7, "big") + bytes(gap)
