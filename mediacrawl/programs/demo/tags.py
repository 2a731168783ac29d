"""Tags written by hand: ID3, Vorbis comments and MP4 atoms that hold given bytes, whatever these claim to be."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import NamedTuple

ID3V1_SIZE = 128
_ID3V1_FIELDS = (30, 30, 30)
_VORBIS_BLOCK = 4
_LAST_BLOCK = 0x80
_ATOMS_WITHIN = frozenset({b"moov", b"udta"})


class EncodedText(NamedTuple):
    """One text, as stored in a file.

    Attributes:
        raw: its bytes.
        claim: ID3v2's encoding byte before them: 0 Latin-1, 1 UTF-16, 3 UTF-8. Other containers have none.
    """

    raw: bytes
    claim: int = 0


class EncodedTexts(NamedTuple):
    """The three texts that a file says of itself."""

    title: EncodedText
    artist: EncodedText
    album: EncodedText


def audio_span(data: bytes) -> tuple[int, int]:
    """Return where an MP3's frames start and stop, between an ID3v2 tag and an ID3v1 tag."""
    start = 0
    if data.startswith(b"ID3") and len(data) >= 10:
        start = 10 + sum((byte & 0x7F) << shift for byte, shift in zip(data[6:10], (21, 14, 7, 0), strict=True))
    has_v1 = len(data) - start >= ID3V1_SIZE and data[-ID3V1_SIZE:].startswith(b"TAG")
    return start, len(data) - (ID3V1_SIZE if has_v1 else 0)


def id3v2(fields: EncodedTexts, version: int = 3) -> bytes:
    """Return an ID3v2.3 or 2.4 tag with these texts."""
    frames = (_id3_frame(name, field, version) for name, field in zip(("TIT2", "TPE1", "TALB"), fields, strict=True))
    body = b"".join(frames) + bytes(16)
    return b"ID3" + bytes([version, 0, 0]) + _synchsafe(len(body)) + body


def _id3_frame(name: str, field: EncodedText, version: int) -> bytes:
    value = bytes([field.claim]) + field.raw
    size = _synchsafe(len(value)) if version == 4 else len(value).to_bytes(4, "big")
    return name.encode() + size + b"\0\0" + value


def _synchsafe(size: int) -> bytes:
    return bytes(size >> shift & 0x7F for shift in (21, 14, 7, 0))


def id3v1(fields: EncodedTexts) -> bytes:
    """Return an ID3v1 tag: each text is cut after 30 bytes, wherever that is."""
    texts = (field.raw[:size].ljust(size, b"\0") for field, size in zip(fields, _ID3V1_FIELDS, strict=True))
    # No year, no comment, no genre.
    return b"TAG" + b"".join(texts) + bytes(34) + b"\xff"


def retag_mp3(data: bytes, v2: bytes, v1: bytes) -> bytes:
    """Return an MP3 with other tags; empty bytes for none."""
    start, stop = audio_span(data)
    return v2 + data[start:stop] + v1


def retag_flac(data: bytes, fields: EncodedTexts) -> bytes:
    """Return a FLAC file with these Vorbis comments, whatever their bytes are (RFC 9639, 8.6)."""
    entries = (name + b"=" + field.raw for name, field in zip((b"TITLE", b"ARTIST", b"ALBUM"), fields, strict=True))
    comments = b"".join(len(entry).to_bytes(4, "little") + entry for entry in entries)
    block = bytes(4) + len(fields).to_bytes(4, "little") + comments
    parts = [data[:4]]
    at, last = 4, 0
    while not last:
        kind, last = data[at] & ~_LAST_BLOCK, data[at] & _LAST_BLOCK
        stop = at + 4 + int.from_bytes(data[at + 1 : at + 4], "big")
        body = block if kind == _VORBIS_BLOCK else data[at + 4 : stop]
        parts += [bytes([kind | last]), len(body).to_bytes(3, "big"), body]
        at = stop
    return b"".join([*parts, data[at:]])


def retag_m4a(data: bytes, fields: EncodedTexts) -> bytes:
    """Return an MP4 file with these texts in ``ilst``, all of which claim UTF-8 (type code 1).

    Its ``moov`` must follow its media, so that no offset changes with the size of the texts.
    """
    values = dict(zip((b"\xa9nam", b"\xa9ART", b"\xa9alb"), (field.raw for field in fields), strict=True))
    return b"".join(_retagged(name, body, values) for name, body in _atoms(data))


def _atoms(data: bytes) -> Iterator[tuple[bytes, bytes]]:
    at = 0
    while at < len(data):
        size = int.from_bytes(data[at : at + 4], "big")
        yield data[at + 4 : at + 8], data[at + 8 : at + size]
        at += size


def _retagged(name: bytes, body: bytes, values: Mapping[bytes, bytes]) -> bytes:
    if name in _ATOMS_WITHIN:
        body = b"".join(_retagged(*atom, values) for atom in _atoms(body))
    elif name == b"meta":
        # Four bytes of version and flags precede the atoms within.
        body = body[:4] + b"".join(_retagged(*atom, values) for atom in _atoms(body[4:]))
    elif name == b"ilst":
        body = b"".join(_atom(key, _atom(b"data", b"\0\0\0\x01" + bytes(4) + raw)) for key, raw in values.items())
    return _atom(name, body)


def _atom(name: bytes, body: bytes) -> bytes:
    return (8 + len(body)).to_bytes(4, "big") + name + body
