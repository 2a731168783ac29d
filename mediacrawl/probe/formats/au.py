"""AU, which is also called SND: a header of 24 bytes, a text, the audio.

Sources: "Sun/NeXT audio file format", ``<audio/au.h>`` of SunOS and ``soundstruct.h`` of NeXTSTEP. Digital's machines
wrote the numbers with the low byte first, and a magic number that shows it.
"""

from __future__ import annotations

import re

from mediacrawl.probe.context import BrokenError, ParseContext, exact
from mediacrawl.probe.formats.windows_headers import Order
from mediacrawl.probe.text import LATIN1, Value

_HEADER = 24
_ORDERS: dict[bytes, Order] = {b".snd": "big", b"dns.": "little", b"\0ds.": "little", b".sd\0": "big"}
_ENCODINGS = {
    1: ("pcm_mulaw", 8),
    2: ("pcm_s8", 8),
    3: ("pcm_s16", 16),
    4: ("pcm_s24", 24),
    5: ("pcm_s32", 32),
    6: ("pcm_f32", 32),
    7: ("pcm_f64", 64),
    23: ("adpcm_g726le", 4),
    24: ("adpcm_g722", 4),
    25: ("adpcm_g726le", 3),
    26: ("adpcm_g726le", 5),
    27: ("pcm_alaw", 8),
    0x37323632: ("adpcm_g726le", 2),
}
"""Codec and bits of a sample by number; G.721 is G.726 of 4 bits. Where bytes have an order, it is appended."""
_ORDERED = re.compile(r"pcm_[sf](?:16|24|32|64)")
_UNKNOWN = 0xFFFFFFFF
_LINE = re.compile(rb"(Title|Artist|Album|Track|Genre)=(.*)", re.IGNORECASE | re.DOTALL)
"""A line of ffmpeg's, which writes its texts one a line."""
_KEYS = {"track": "tracknumber"}


def read(context: ParseContext, start: int) -> None:
    """Reads an AU file."""
    context.result.has_cover = False
    with context.stage("header"):
        _read_header(context, start)


def _read_header(context: ParseContext, start: int) -> None:
    head = exact(context.file, start, start + _HEADER)
    order = _ORDERS.get(head[:4])
    if order is None:
        raise BrokenError("no header of AU")
    offset, size, encoding, rate, channels = (int.from_bytes(head[at : at + 4], order) for at in range(4, _HEADER, 4))
    if offset < _HEADER:
        raise BrokenError("audio inside the header")
    codec, bits = _ENCODINGS.get(encoding, (None, 0))
    if codec and _ORDERED.fullmatch(codec):
        codec += "be" if order == "big" else "le"
    is_plain = (codec or "").startswith("pcm_")
    result = context.result
    result.set_audio(codec, rate, channels, bits if is_plain else None)
    with context.stage("annotation"):
        _read_annotation(context, start + _HEADER, start + offset)
    byte_rate = rate * channels * bits / 8
    data = _data_size(context, start + offset, size)
    if not byte_rate:
        return
    result.bitrate, result.bitrate_mode = round(byte_rate * 8), "cbr"
    if data is None:
        context.note("size unknown")
    else:
        result.set_duration(data / byte_rate)


def _data_size(context: ParseContext, begin: int, stated: int) -> int | None:
    """Returns the bytes of audio that are there; None if neither header nor server says it."""
    end = context.file.size
    # A recorder that did not come to its end leaves 0.
    is_known = stated not in {0, _UNKNOWN}
    if end is None:
        return stated if is_known else None
    there = max(0, end - begin)
    if is_known and stated > there:
        context.note("au:truncated")
    return min(stated, there) if is_known else there


def _read_annotation(context: ParseContext, start: int, stop: int) -> None:
    """Reads the text between header and audio; it ends with a zero, and no encoding is declared."""
    if not context.fits(stop - start):
        return
    raw = exact(context.file, start, stop).partition(b"\0")[0]
    lines = [_LINE.fullmatch(line) for line in raw.strip(b"\n").split(b"\n")]
    if not all(lines):
        context.add("au", "annotation", "comment", Value(raw, LATIN1))
        return
    for line in filter(None, lines[: context.policy.max_values]):
        name = line[1].decode("ascii")
        context.add("au", name, _KEYS.get(name.lower(), name.lower()), Value(line[2], LATIN1))
