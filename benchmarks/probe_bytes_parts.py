"""Chapters, tracks and attachments written by hand: ID3v2, MP4, and whole Matroska files, as `probe_bytes` does it."""

from __future__ import annotations

import struct
from collections.abc import Sequence

from probe_bytes import atoms, cover, frame

# -- ID3v2 chapters (ID3v2 Chapter Frame Addendum 1.0) -----------------------------------------------------------------


def encoded(text: str, version: int = 3) -> bytes:
    """A text with its encoding before it: UTF-16 in ID3v2.3, UTF-8 in 2.4."""
    return b"\1" + text.encode("utf-16") if version == 3 else b"\3" + text.encode()


def chap(name: str, start: float, end: float, *parts: bytes, version: int = 3) -> bytes:
    """A chapter.

    Args:
        name: its element, by which a table of contents names it.
        start: seconds.
        end: seconds.
        parts: frames with its title, link and picture.
        version: of the tag.
    """
    times = struct.pack(">IIII", round(start * 1000), round(end * 1000), 0xFFFFFFFF, 0xFFFFFFFF)
    return frame("CHAP", name.encode() + b"\0" + times + b"".join(parts), version)


def ctoc(name: str, elements: Sequence[str], *parts: bytes, top: bool = True, version: int = 3) -> bytes:
    """A table of contents, ordered; `parts` are frames such as its title."""
    listed = b"".join(element.encode() + b"\0" for element in elements)
    flags = bytes([2 * top + 1, len(elements)])
    return frame("CTOC", name.encode() + b"\0" + flags + listed + b"".join(parts), version)


def chapters_of_id3(marks: Sequence[tuple[float, str]], seconds: float, picture: int = 0, version: int = 3) -> bytes:
    """A table of contents and a chapter for each mark, with pictures of so many bytes."""
    ends = [start for start, _ in marks[1:]] + [seconds]
    out = ctoc("toc", [f"chp{number}" for number in range(len(marks))], version=version)
    for number, ((start, title), end) in enumerate(zip(marks, ends, strict=True)):
        parts = [frame("TIT2", encoded(title, version), version)]
        if picture:
            parts.append(frame("APIC", b"\0image/jpeg\0\0\0" + cover(picture), version))
        out += chap(f"chp{number}", start, end, *parts, version=version)
    return out


SILENCE = b"\xff\xfb\x90\xc4".ljust(417, b"\0")
"""A frame of MPEG audio, layer III, 128 kbit/s, 44.1 kHz, mono: 1,152 samples of silence."""


def silent_mp3(seconds: float) -> bytes:
    """A stream of `SILENCE`, a little longer than asked at most."""
    return SILENCE * -(-round(seconds * 44100) // 1152)


# -- gains in headers --------------------------------------------------------------------------------------------------


def with_lame_gain(data: bytes, gain: float, peak: float) -> bytes:
    """Makes the header that ffmpeg writes before MPEG audio one of LAME, with a gain and a peak.

    Behind the encoder's name of nine bytes stand a byte of revision and method, a byte of the lowpass, the peak in
    2^-23, and sixteen bits of gain: its kind (1 is the track's), its origin, the sign, and tenths of a decibel. A
    CRC-16 of all before it ends the header.

    Args:
        data: the file, which begins with the frame of this header.
        gain: decibels.
        peak: 1 is full scale.
    """
    at = next(data.index(name) for name in (b"Xing", b"Info") if name in data[:200])
    (flags,) = struct.unpack_from(">I", data, at + 4)
    at += 8 + 4 * (flags & 1) + 4 * (flags >> 1 & 1) + 100 * (flags >> 2 & 1) + 4 * (flags >> 3 & 1)
    coded = 1 << 13 | 3 << 10 | (gain < 0) << 9 | round(abs(gain) * 10)
    head = data[:at] + b"LAME3.100" + data[at + 9 : at + 11] + struct.pack(">IH", round(peak * 2**23), coded)
    head += data[at + 17 : at + 34]
    return head + struct.pack(">H", crc(head, 16, 0x8005, mirrored=True)) + data[at + 36 :]


def with_output_gain(data: bytes, gain: int) -> bytes:
    """Sets the gain of an Opus header, in 256ths of a decibel, and its page's checksum anew (RFC 3533, 6)."""
    at, end = data.index(b"OpusHead") + 16, data.index(b"OggS", 4)
    page = bytearray(data[:at] + struct.pack("<h", gain) + data[at + 2 : end])
    page[22:26] = bytes(4)
    page[22:26] = struct.pack("<I", crc(page, 32, 0x04C11DB7))
    return bytes(page) + data[end:]


def crc(data: bytes | bytearray, width: int, polynomial: int, *, mirrored: bool = False) -> int:
    """A cyclic redundancy check that begins with zero; `mirrored` takes the lowest bit of each byte first."""
    value, top = 0, 1 << width - 1
    for byte in data:
        value ^= (int(f"{byte:08b}"[::-1], 2) if mirrored else byte) << width - 8
        for _ in range(8):
            value = (value << 1 ^ (polynomial if value & top else 0)) & (1 << width) - 1
    return int(f"{value:0{width}b}"[::-1], 2) if mirrored else value


# -- MP4 ---------------------------------------------------------------------------------------------------------------


def without_chapter_track(data: bytes) -> bytes:
    """Takes the track of chapters away from a file of ffmpeg, so that only the list ``chpl`` has them.

    Its atoms become ``free``, which keeps all offsets. ``moov`` must stand last.
    """
    (moov,) = atoms(data, (b"moov",))
    head, moov_data = data[:moov], data[moov:]
    for number in (b"tref", b"text"):
        if number not in moov_data:
            raise ValueError(f"no {number!r} in moov")
    start = moov_data.rindex(b"trak", 0, moov_data.index(b"hdlr\0\0\0\0\0\0\0\0text"))
    hidden = moov_data[:start] + b"free" + moov_data[start + 4 :]
    return head + hidden.replace(b"tref", b"free")


def turned(data: bytes, degrees: int) -> bytes:
    """Writes a rotation into the header of the first track of an MP4 file, as a phone does.

    The matrix is a, b, u, c, d, v, x, y, w (ISO/IEC 14496-12, 8.3.2); a quarter turn clockwise has b = 1 and c = -1.
    """
    at = data.index(b"tkhd") + 4 + 40
    width, height = struct.unpack_from(">II", data, at + 36)
    a, b, x, y = {90: (0, 1, height, 0), 180: (-1, 0, width, height), 270: (0, -1, 0, width)}[degrees]
    one = 1 << 16
    matrix = struct.pack(">iiiiiiIIi", a * one, b * one, 0, -b * one, a * one, 0, x, y, 1 << 30)
    return data[:at] + matrix + data[at + 36 :]


# -- Matroska (RFC 9559) -----------------------------------------------------------------------------------------------


def ebml(name: str, *bodies: bytes | str | float) -> bytes:
    """An element: its id in hexadecimal, and what is in it; a float is written in eight bytes."""
    body = b"".join(map(_body, bodies))
    return bytes.fromhex(name) + (1 << 56 | len(body)).to_bytes(8, "big") + body


def _body(value: bytes | str | float) -> bytes:
    if isinstance(value, bytes):
        return value
    if isinstance(value, str):
        return value.encode()
    if isinstance(value, int):
        return value.to_bytes(max(1, (value.bit_length() + 7) // 8), "big")
    return struct.pack(">d", value)


def track(number: int, kind: int, codec: str, *more: bytes, language: str = "und") -> bytes:
    """A track entry: kind 1 is video, 2 audio, 17 subtitles. The language is by ISO 639-2."""
    about = [ebml("d7", number), ebml("73c5", 1000 + number), ebml("83", kind), ebml("86", codec)]
    return ebml("ae", *about, ebml("22b59c", language), *more)


def chapter_atom(start: float, *titles: tuple[str, str], uid: int = 1) -> bytes:
    """A chapter with its titles, each with the code of its language."""
    shown = [ebml("80", ebml("85", text), ebml("437c", language)) for text, language in titles]
    return ebml("b6", ebml("73c4", uid), ebml("91", round(start * 1e9)), *shown)


def edition(*chapters: bytes, default: int = 1, hidden: int = 0) -> bytes:
    """Chapters that belong together."""
    return ebml("45b9", ebml("45bd", hidden), ebml("45db", default), *chapters)


def attachment(name: str, mime: str, data: bytes, uid: int = 1) -> bytes:
    """A file inside the file."""
    return ebml("61a7", ebml("466e", name), ebml("4660", mime), ebml("465c", data), ebml("46ae", uid))


def tag(target: bytes, *texts: tuple[str, str]) -> bytes:
    """Texts about a target: an element of type levels and ids; empty for the file."""
    simple = [ebml("67c8", ebml("45a3", name), ebml("4487", text)) for name, text in texts]
    return ebml("7373", ebml("63c0", target), *simple)


def matroska(
    seconds: float,
    tracks: Sequence[bytes],
    *,
    chapters: Sequence[bytes] = (),
    attachments: Sequence[bytes] = (),
    tags: Sequence[bytes] = (),
    title: str = "",
    last: bool = False,
    size: int = 0,
) -> bytes:
    """A file with one cluster.

    Args:
        seconds: its length.
        tracks: by `track`.
        chapters: editions, by `edition`.
        attachments: by `attachment`.
        tags: by `tag`.
        title: of the segment.
        last: whether chapters, attachments and tags stand behind the cluster.
        size: bytes of the cluster's data.
    """
    about = ebml("1549a966", ebml("2ad7b1", 1_000_000), ebml("4489", seconds * 1000.0), ebml("7ba9", title))
    listed = ebml("1654ae6b", *tracks)
    parts = [("1043a770", chapters), ("1941a469", attachments), ("1254c367", tags)]
    more = [(name, ebml(name, *bodies)) for name, bodies in parts if bodies]
    block = ebml("a3", b"\x81\0\0\x80" + cover(max(size, 64)))
    cluster = ("1f43b675", ebml("1f43b675", ebml("e7", 0), block))
    order = [("1549a966", about), ("1654ae6b", listed), *([cluster, *more] if last else [*more, cluster])]
    body = _seek_head(order) + b"".join(element for _, element in order)
    return ebml("1a45dfa3", ebml("4282", "matroska"), ebml("4287", 4), ebml("4285", 2)) + ebml("18538067", body)


def _seek_head(order: Sequence[tuple[str, bytes]]) -> bytes:
    """Where each element begins, counted from the segment's data."""

    def entry(name: str, at: int) -> bytes:
        return ebml("4dbb", ebml("53ab", bytes.fromhex(name)), ebml("53ac", at.to_bytes(8, "big")))

    at = len(ebml("114d9b74", *(entry(name, 0) for name, _ in order)))
    entries = []
    for name, element in order:
        entries.append(entry(name, at))
        at += len(element)
    return ebml("114d9b74", *entries)
