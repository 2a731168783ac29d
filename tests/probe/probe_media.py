"""Helpers for the tests of this package: real samples, ways to grow them, and a server of ranges in a function."""

from __future__ import annotations

import io
import struct
from pathlib import Path
from typing import NamedTuple

from mediacrawl.probe import Probe, ProbePolicy, ProbeResult

SAMPLES = Path(__file__).parent / "samples"
JPEG = b"\xff\xd8\xff\xe0\x00\x10JFIF"


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


def run(data: bytes, policy: ProbePolicy | None = None, *, restart: bool = True, expected: str = "") -> Probed:
    """Probes bytes as a server that honours Range would give them, over a restart between visits."""
    policy = policy or ProbePolicy()
    probe = Probe(policy, expected=expected)
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


def frame(name: str, body: bytes, *, version: int = 3, flags: int = 0) -> bytes:
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


def picture(size: int, *, version: int = 3) -> bytes:
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
