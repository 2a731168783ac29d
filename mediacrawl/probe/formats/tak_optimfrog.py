"""TAK and OptimFROG: one header each, and APE tags at the end.

Sources: "TAK metadata format" (Thomas Becker, SDK of TAK); the header of OptimFROG as its SDK and its plug-ins describe
it (Florin Ghido).
"""

from __future__ import annotations

from mediacrawl.probe.context import BrokenError, ParseContext, exact, unpack
from mediacrawl.probe.formats.ape_family import tagged_reader
from mediacrawl.probe.formats.tail_tags import TailTags

_END, _STREAM_INFO = 0, 1
_INFO_BYTES = 10
_LOWEST_RATE, _LOWEST_BITS = 6000, 8
_MAX_BLOCKS = 32


def _read_tak_header(context: ParseContext, start: int, tail: TailTags) -> None:
    """Walks the blocks of metadata: a type, a size of three bytes, a body that ends with its checksum."""
    at = start + 4
    for _ in range(_MAX_BLOCKS):
        context.count()
        head = exact(context.file, at, at + 4)
        kind, size = head[0] & 0x7F, int.from_bytes(head[1:], "little")
        if kind == _STREAM_INFO and size >= _INFO_BYTES:
            # Reads fields from the lowest bit of each byte on: codec (6 bits), profile (4), duration of
            # a frame (4) .
            body = exact(context.file, at + 4, at + 4 + _INFO_BYTES)
            bits = int.from_bytes(body, "little") >> 6 + 4 + 4
            samples, bits = bits & (1 << 35) - 1, bits >> 35 + 3
            rate, bits = (bits & (1 << 18) - 1) + _LOWEST_RATE, bits >> 18
            depth, channels = (bits & 31) + _LOWEST_BITS, (bits >> 5 & 15) + 1
            context.result.set_audio("tak", rate, channels, depth)
            context.result.set_duration(samples / rate)
            tail.set_bitrate(start)
            return
        if kind == _END:
            break
        at += 4 + size
    raise BrokenError("no stream information")


_HEADER = 20
_DEPTHS = (8, 8, 16, 16, 24, 24, 32, 32)
"""Bits by type of sample; the odd ones are signed, those from 8 on are numbers with a point."""


def _read_optimfrog_header(context: ParseContext, start: int, tail: TailTags) -> None:
    head = exact(context.file, start, start + _HEADER)
    size, low, high, kind, more, rate = unpack("<IIHBBI", head[4:])
    if size < _HEADER - 8 or not rate:
        raise BrokenError("no sample rate")
    # Each sample of each channel counts.
    samples, channels = (low | high << 32) / (more + 1), more + 1
    context.result.set_audio("optimfrog", rate, channels, _DEPTHS[kind] if kind < len(_DEPTHS) else None)
    context.result.set_duration(samples / rate)
    tail.set_bitrate(start)


read_tak = tagged_reader(_read_tak_header)
read_optimfrog = tagged_reader(_read_optimfrog_header)
