"""Gains and peaks that containers hold as binary numbers.

Sources: "Replay Gain data format" (Robinson, 2001) for the fields of LAME's header and of RGAD; "Mp3 Info Tag rev 1"
(gabriel.mp3-tech.org); id3v2.4.0-frames, 4.11 (RVA2); id3v2.3.0, 4.12 (RVAD); id3v2-00, 4.12 (RVA).
"""

from __future__ import annotations

import math
import re
import struct
from collections.abc import Iterator

from mediacrawl.probe.text import LATIN1, cut

Gain = tuple[str, str]
"""Key and text of one number, as `ParseContext.add_number` takes them."""

_KINDS = {1: "track", 2: "album"}
_MASTER_VOLUME = 1
_MAX_CHANNELS = 16
_PEAK_UNIT = 1 << 23
"""Full scale of LAME's peak; the description of the header says a float, which LAME never wrote."""
_HIGHEST = 100.0
"""A peak beyond it is no sample."""
_OLD_LAME = re.compile(rb"LAME3\.(?:[0-8][0-9]|9[0-4])(?![0-9])")
_OLD_REFERENCE = 6.0
"""Decibels by which LAME before 3.95 aimed lower: 83 dB in place of 89."""


def decimal(number: float, digits: int = 6) -> str:
    """A number in digits: ``-6.5``, ``0.988547``, ``3``."""
    text = f"{number:.{digits}f}".rstrip("0").rstrip(".")
    return "0" if text == "-0" else text


def lame_gains(encoder: bytes) -> list[Gain]:
    """The gains and the peak in LAME's part of the header in the first frame."""
    offset = _OLD_REFERENCE if _OLD_LAME.match(encoder) else 0.0
    peak = int.from_bytes(encoder[11:15], "big")
    found = [("replaygain_track_peak", decimal(peak / _PEAK_UNIT))] if peak and len(encoder) >= 15 else []
    return found + list(_adjustments(encoder[15:19], offset))


def rgad_gains(body: bytes) -> list[Gain]:
    """The peak and the gains in a frame ``RGAD``: a float, then fields as in LAME's header."""
    if len(body) < 8:
        return []
    (peak,) = struct.unpack(">f", body[:4])
    found = [("replaygain_track_peak", decimal(peak))] if 0 < peak < _HIGHEST else []
    return found + list(_adjustments(body[4:8], 0.0))


def _adjustments(fields: bytes, offset: float) -> Iterator[Gain]:
    """Reads fields of 16 bits: what for (3 bits), who set it (3), a sign, tenths of a decibel (9)."""
    for at in range(0, len(fields) - 1, 2):
        field = int.from_bytes(fields[at : at + 2], "big")
        kind, origin, tenths = _KINDS.get(field >> 13), field >> 10 & 7, field & 0x1FF
        if kind and origin:
            yield f"replaygain_{kind}_gain", decimal((-tenths if field & 0x200 else tenths) / 10 + offset)


def rva2_gains(body: bytes) -> list[Gain]:
    """The gain and the peak of the master volume in a frame ``RVA2`` (or ``XRVA``) that is about a track or an album.

    Taggers that keep ReplayGain there name the frame so.
    """
    name, rest = cut(body, LATIN1)
    kind = name.decode(LATIN1).strip().lower()
    if kind not in _KINDS.values() or rest is None:
        return []
    for _ in range(_MAX_CHANNELS):
        if len(rest) < 4:
            return []
        bits, stop = rest[3], 4 + (rest[3] + 7) // 8
        if rest[0] != _MASTER_VOLUME:
            rest = rest[stop:]
            continue
        found = [(f"replaygain_{kind}_gain", decimal(int.from_bytes(rest[1:3], "big", signed=True) / 512))]
        peak = int.from_bytes(rest[4:stop], "big")
        if bits and peak and len(rest) >= stop:
            found.append((f"replaygain_{kind}_peak", decimal(peak / (1 << (bits - 1)))))
        return found
    return []


def rvad_gains(body: bytes) -> list[Gain]:
    """The gain in a frame ``RVAD`` or ``RVA``, of the louder channel.

    It states how much louder or softer each channel is to be played, as a share of full volume.
    """
    if len(body) < 2:
        return []
    flags, bits = body[0], body[1]
    size = (bits + 7) // 8
    changes = body[2 : 2 + 2 * size]
    if not bits or len(changes) < 2 * size:
        return []
    shares = [int.from_bytes(changes[at : at + size], "big") / (1 << bits) for at in (0, size)]
    factor = max(1 + share if flags >> bit & 1 else 1 - share for bit, share in enumerate(shares))
    if factor <= 0 or factor == 1:
        return []
    return [("replaygain_track_gain", decimal(20 * math.log10(factor), 2))]
