"""Helpers for the tests of this package: real samples, ways to grow them, and a server of ranges in a function."""

from __future__ import annotations

import io
import struct
from pathlib import Path
from typing import NamedTuple

from mediacrawl.probe import Probe, ProbePolicy, ProbeResult

SAMPLES = Path(__file__).parent / "samples"
JPEG = b"\xff\xd8\xff\xe0\x00\x10JFIF\x00"
APE = b"APETAGEX\xd0\x07\0\0" + b"\x20\0\0\0" + bytes(4) + bytes(12)
"""An APE tag without an item."""


def sample(name: str) -> bytes:
    return (SAMPLES / name).read_bytes()


def cover(size: int) -> bytes:
    """A picture of some size, with all byte values in it, as far as a parser can tell."""
    return (JPEG + bytes(range(256)) * (size // 256 + 1))[:size]


class Probed(NamedTuple):
    result: ProbeResult
    requests: int
    fetched: int
    probe: Probe


def run(data: bytes, policy: ProbePolicy | None = None, *, restart: bool = True, name: str = "") -> Probed:
    """Probes bytes as a server that honours Range would give them, over a restart between visits."""
    policy = policy or ProbePolicy()
    probe = Probe(policy, names=[name])
    while (wanted := probe.next_range()) is not None:
        start, stop = wanted
        assert 0 <= start < stop
        probe.feed(start, data[start:stop], len(data))
        assert probe.requests <= policy.max_requests
        assert probe.bytes_fetched <= policy.max_bytes
        if restart:
            probe = Probe.load(probe.dump(), policy)
    return Probed(probe.result(), probe.requests, probe.bytes_fetched, probe)


def texts(result: ProbeResult, key: str) -> list[str]:
    return [tag.text for tag in result.tags if tag.key == key]


def size7(size: int) -> bytes:
    return bytes(size >> shift & 0x7F for shift in (21, 14, 7, 0))


def frame(name: str, body: bytes, version: int = 3, flags: int = 0) -> bytes:
    """One ID3v2 frame, written by hand."""
    if version == 2:
        return name.encode() + struct.pack(">I", len(body))[1:] + body
    size = size7(len(body)) if version == 4 else struct.pack(">I", len(body))
    return name.encode() + size + struct.pack(">H", flags) + body


def id3(*frames: bytes, version: int = 3, flags: int = 0, padding: int = 0) -> bytes:
    """One ID3v2 tag, written by hand."""
    body = b"".join(frames) + bytes(padding)
    return b"ID3" + bytes([version, 0, flags]) + size7(len(body)) + body


def id3v1(title: bytes = b"", artist: bytes = b"", track: int = 0, genre: int = 255) -> bytes:
    fields = title.ljust(30, b"\0") + artist.ljust(30, b"\0") + bytes(30) + bytes(4) + bytes(28)
    return b"TAG" + fields + bytes([0, track, genre])


def picture(size: int, version: int = 3) -> bytes:
    if version == 2:
        return frame("PIC", b"\0JPG\x03\0" + cover(size), version=2)
    return frame("APIC", b"\0image/jpeg\0\x03\0" + cover(size), version=version)


def audio(seconds: int = 60) -> bytes:
    """MPEG audio without header or tag: 4 seconds, repeated."""
    return sample("cbr.mp3") * (seconds // 4)


def atom(name: bytes, *bodies: bytes) -> bytes:
    body = b"".join(bodies)
    return struct.pack(">I4s", len(body) + 8, name) + body


def grow_mdat(data: bytes, more: int) -> bytes:
    """Makes the media data of an MP4 file longer; nothing in ``moov`` speaks of its end."""
    at = data.index(b"mdat") - 4
    (size,) = struct.unpack_from(">I", data, at)
    head = struct.pack(">I", size + more) + b"mdat"
    return data[:at] + head + data[at + 8 : at + size] + bytes(more) + data[at + size :]


def saved(tagged: object, data: bytes) -> bytes:
    """What mutagen writes: tags of one of its file objects, saved over bytes."""
    out = io.BytesIO(data)
    tagged.save(out)
    return out.getvalue()


def chunk(name: bytes, body: bytes, order: str = "<", *, size: int | None = None, pad: bool = True) -> bytes:
    """A chunk of RIFF or IFF, filled up to an even size; `size` is what its header says, if that is another one."""
    stated = len(body) if size is None else size
    return name + struct.pack(order + "I", stated) + body + (b"\0" if pad and len(body) % 2 else b"")


def form(kind: bytes, name: bytes, *chunks: bytes, order: str = "<", size: int | None = None) -> bytes:
    """A file of chunks."""
    return chunk(kind, name + b"".join(chunks), order, size=size, pad=False)


def chunks_of(name: bytes, *chunks: bytes) -> bytes:
    """A list of chunks in RIFF."""
    return chunk(b"LIST", name + b"".join(chunks))


def element(name: int, *bodies: bytes, size: bytes | None = None) -> bytes:
    """An element of EBML, its size in eight bytes or as given."""
    body = b"".join(bodies)
    head = name.to_bytes((name.bit_length() + 7) // 8, "big")
    return head + (size or struct.pack(">Q", len(body) | 1 << 56)) + body


def uint(name: int, value: int) -> bytes:
    """A number in EBML."""
    return element(name, value.to_bytes(8, "big"))


def ape(*items: tuple[bytes, bytes] | bytes, version: int = 2000, header: bool = True, claim: int = 0) -> bytes:
    """An APE tag of names and texts, or of whole items; `claim` is added to the size that it states."""
    body = b"".join(item if isinstance(item, bytes) else ape_item(*item) for item in items)
    flags = 1 << 31 if header and version == 2000 else 0
    fields = struct.pack("<III", version, len(body) + 32 + claim, len(items))
    head, foot = (b"APETAGEX" + fields + struct.pack("<I", edge) + bytes(8) for edge in (flags | 1 << 29, flags))
    return (head if flags else b"") + body + foot


def ape_item(name: bytes, value: bytes, kind: int = 0) -> bytes:
    """An item of an APE tag; kind 1 is binary, 2 a link."""
    return struct.pack("<II", len(value), kind << 1) + name + b"\0" + value


def page(serial: int, number: int, payload: bytes, *, granule: int = 0, flags: int = 0) -> bytes:
    """One page of Ogg; no reader looks at the checksum."""
    lacing = b"\xff" * (len(payload) // 255) + bytes([len(payload) % 255])
    head = struct.pack("<4sBBqIIIB", b"OggS", 0, flags, granule, serial, number, 0, len(lacing))
    return head + lacing + payload


def comments(*entries: bytes, count: int | None = None, vendor: bytes = b"made") -> bytes:
    """Vorbis comments; `count` is the number that they state, if that is another one."""
    stated = struct.pack("<I", len(entries) if count is None else count)
    return b"".join([_sized(vendor), stated, *map(_sized, entries)])


def _sized(text: bytes) -> bytes:
    return struct.pack("<I", len(text)) + text


def changed(kind: type, name: str, change: object) -> bytes:
    """A sample in which a function has changed the tags, by one of mutagen's classes."""
    file = kind(io.BytesIO(sample(name)))
    change(file)  # type: ignore[operator]
    return saved(file, sample(name))


def bits(*fields: tuple[int | None, int]) -> bytes:
    """Numbers of some bits each, or (None, number) as an Exp-Golomb code, and a 1 before the last byte is filled up."""
    text = ""
    for count, value in fields:
        plain = f"{value + 1:b}"
        text += "0" * (len(plain) - 1) + plain if count is None else f"{value:0{count}b}"
    text = (text + "1").ljust(-(-(len(text) + 1) // 8) * 8, "0")
    return int(text, 2).to_bytes(len(text) // 8, "big")
