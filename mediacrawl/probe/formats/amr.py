"""AMR and AMR-WB, speech of telephones: the modes of the frames at both ends of a file.

Source: RFC 4867, 5 (storage format), 4.3 (modes and their bits); 3GPP TS 26.101 and 26.201. A frame begins with a byte
that says its mode, and so its size; it lasts 20 ms in all modes.
"""

from __future__ import annotations

from typing import NamedTuple

from mediacrawl.probe.context import BrokenError, ParseContext, exact

_MODES = {
    "amr_nb": (13, 14, 16, 18, 20, 21, 27, 32, 6, 0, 0, 0, 0, 0, 0, 1),
    "amr_wb": (18, 24, 33, 37, 41, 47, 51, 59, 61, 6, 0, 0, 0, 0, 1, 1),
}
"""Bytes of a frame by its mode, with the byte in front; 0 if files must not have such a frame."""
_RATES = {"amr_nb": 8000, "amr_wb": 16000}
_SECONDS = 0.02
_RESERVED = 0x83
"""Bits of a frame's first byte that are zero."""
_MAGIC = {
    b"#!AMR\n": ("amr_nb", False),
    b"#!AMR-WB\n": ("amr_wb", False),
    b"#!AMR_MC1.0\n": ("amr_nb", True),
    b"#!AMR-WB_MC1.0\n": ("amr_wb", True),
}
"""First bytes -> codec, and whether four bytes with the number of channels follow."""
_SURE = 4
"""Frames up to the end of the file that prove where the last frames begin."""


class _Run(NamedTuple):
    """Frames in a row: their number, their bytes, and whether something follows that is no frame."""

    frames: int
    size: int
    is_broken: bool = False


def read(context: ParseContext, start: int) -> None:
    """Reads an AMR file."""
    context.result.has_cover = False
    with context.stage("tail"):
        size = context.file.size
        if size is None:
            context.note("size unknown")
        else:
            context.file.get(max(start, size - context.policy.tail_bytes), size)
    with context.stage("audio"):
        head = context.file.run(start, 64)
        magic = next((magic for magic in _MAGIC if head.startswith(magic)), None)
        if magic is None:
            raise BrokenError("no header of AMR")
        codec, is_counted = _MAGIC[magic]
        first, channels = start + len(magic), 1
        if is_counted:
            first += 4
            channels = exact(context.file, first - 4, first)[3] & 15
        if not channels:
            raise BrokenError("no channels")
        context.result.set_audio(codec, _RATES[codec], channels)
        _take_length(context, _MODES[codec], first, channels)


def _take_length(context: ParseContext, modes: tuple[int, ...], first: int, channels: int) -> None:
    """Works out the length: counted if all frames are at hand, else by those at both ends."""
    limit, stop, result = context.policy.average_bytes, context.file.size, context.result
    data = context.file.run(first, limit if stop is None else min(limit, max(0, stop - first)))
    front = _follow(modes, data)
    if not front.frames:
        raise BrokenError("no frames")
    if stop is None:
        result.bitrate = round(_bitrate(front, channels))
        return
    if first + len(data) == stop and not front.is_broken:
        result.set_duration(front.frames * _SECONDS / channels)
        result.set_average_bitrate(front.size)
        return
    tail = _last_frames(modes, context.file.before(stop, min(context.policy.tail_bytes, stop - first - front.size)))
    rate = _bitrate(_Run(front.frames + tail.frames, front.size + tail.size), channels)
    result.bitrate = round(rate)
    result.set_duration((stop - first) * 8 / rate, estimated=True)


def _bitrate(run: _Run, channels: int) -> float:
    """Returns the bits per second of all channels, whose frames alternate."""
    return run.size * 8 * channels / (run.frames * _SECONDS)


def _size(modes: tuple[int, ...], head: int) -> int:
    """Returns the bytes of the frame with this first byte; 0 if it is none."""
    return 0 if head & _RESERVED else modes[head >> 3 & 15]


def _follow(modes: tuple[int, ...], data: bytes) -> _Run:
    """Counts the whole frames at the front of some bytes; the last one may be cut off."""
    at = frames = 0
    while at < len(data):
        size = _size(modes, data[at])
        if not size:
            return _Run(frames, at, is_broken=True)
        if at + size > len(data):
            break
        at += size
        frames += 1
    return _Run(frames, at)


def _last_frames(modes: tuple[int, ...], data: bytes) -> _Run:
    """Finds the frames that end where some bytes end; none if no frames do."""
    # From each offset on the number of frames up to the end, None if no frames lead there.
    counts: list[int | None] = [*[None] * len(data), 0]
    for at in reversed(range(len(data))):
        size = _size(modes, data[at])
        if size:
            count = counts[at + size] if at + size <= len(data) else -1
            counts[at] = None if count is None else count + 1
    longest = max(modes)
    for at, count in enumerate(counts[:longest]):
        if count is not None and count >= _SURE:
            return _Run(count, len(data) - at)
    return _Run(0, 0)
