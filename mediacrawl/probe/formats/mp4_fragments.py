"""The duration of a fragmented MP4 file, which ``moov`` does not state (ISO/IEC 14496-12, 8.8 and 8.16.3).

A writer may state it in ``mehd``, or list the fragments in ``sidx`` behind ``moov``. Else the last fragment tells,
which the tail of the file holds, or a list of fragments that is there (``mfra``). To walk from one fragment to
the next would be a request for each.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from itertools import islice
from typing import NamedTuple

from mediacrawl.probe.context import MAX_OFFSET, BrokenError, NeedBytes, ParseContext
from mediacrawl.probe.formats.mp4_atoms import Atom, children, content, walk

_SAMPLE_DURATION = 0x100
"""Flag of ``trun``: each sample states its own (8.8.8)."""
_MAX_INDEXES = 8
_MAX_CANDIDATES = 4
"""Places that are tried for the last fragment: its four letters may be in compressed data by chance."""
_MOST_OF_IT = 0.9
"""Share of the file that an index must cover; some writers put one before each fragment."""


@dataclass(slots=True)
class MovieExtends:
    """Contents of ``mvex``.

    Attributes:
        seconds: length of all fragments together, 0 if the writer did not know it.
        defaults: ticks of one sample, by number of the track.
    """

    seconds: float = 0.0
    defaults: dict[int, int] = field(default_factory=dict)


class TrackFragment(NamedTuple):
    """A track's part of one fragment: first tick, ticks, samples."""

    begin: int
    ticks: int
    samples: int


def read_extends(context: ParseContext, mvex: Atom, timescale: int, extends: MovieExtends) -> None:
    """Reads ``mvex``."""
    for atom in children(context, mvex):
        body = content(context, atom)
        if atom.name == b"mehd" and timescale:
            ticks = int.from_bytes(body[4:12] if body[:1] == b"\x01" else body[4:8], "big")
            extends.seconds = ticks / timescale
        elif atom.name == b"trex":
            extends.defaults[int.from_bytes(body[4:8], "big")] = int.from_bytes(body[12:16], "big")


def index_seconds(context: ParseContext, at: int) -> float:
    """Adds up the segments of an index behind ``moov``.

    Returns:
        Seconds, 0 if there is no index or it covers only a part of the file.
    """
    size = context.file.size
    head = context.file.run(at, 12)
    for _ in range(_MAX_INDEXES):
        if len(head) < 12 or head[4:8] not in {b"sidx", b"styp", b"free"}:
            break
        stop = at + int.from_bytes(head[:4], "big")
        if head[4:8] == b"sidx" and stop - at <= context.policy.max_text_bytes:
            seconds, covered = _read_index(context.file.get(at + 8, stop))
            return seconds if size is None or covered >= _MOST_OF_IT * (size - stop) else 0.0
        head, at = context.file.run(stop, 12), max(stop, at + 8)
    return 0.0


def _read_index(body: bytes) -> tuple[float, int]:
    """Returns the seconds of an index, and the bytes of the file that it covers."""
    timescale, times = int.from_bytes(body[8:12], "big"), 16 if body[:1] == b"\x01" else 8
    entries = body[12 + times + 4 :]
    ticks = sum(int.from_bytes(entries[i : i + 4], "big") for i in range(4, len(entries), 12))
    covered = sum(int.from_bytes(entries[i : i + 4], "big") & 0x7FFFFFFF for i in range(0, len(entries), 12))
    return (ticks / timescale if timescale else 0.0), covered


def read_fragment(context: ParseContext, moof: Atom, defaults: Mapping[int, int]) -> dict[int, TrackFragment]:
    """Reads when the tracks' parts of a fragment play.

    Returns:
        The parts by number of the track.
    """
    found: dict[int, TrackFragment] = {}
    for traf in children(context, moof):
        if traf.name == b"traf":
            number, part = _read_part(context, traf, defaults)
            found[number] = part
    return found


def _read_part(context: ParseContext, traf: Atom, defaults: Mapping[int, int]) -> tuple[int, TrackFragment]:
    number = begin = ticks = samples = default = 0
    for atom in children(context, traf):
        if atom.name == b"tfhd":
            body = content(context, atom)
            flags, number = int.from_bytes(body[1:4], "big"), int.from_bytes(body[4:8], "big")
            at = 8 + (8 if flags & 1 else 0) + (4 if flags & 2 else 0)
            default = int.from_bytes(body[at : at + 4], "big") if flags & 8 else defaults.get(number, 0)
        elif atom.name == b"tfdt":
            body = content(context, atom)
            begin = int.from_bytes(body[4:12] if body[:1] == b"\x01" else body[4:8], "big")
        elif atom.name == b"trun":
            count, length = _read_run(content(context, atom), default)
            samples, ticks = samples + count, ticks + length
    return number, TrackFragment(begin, ticks, samples)


def _read_run(body: bytes, default: int) -> tuple[int, int]:
    flags, count = int.from_bytes(body[1:4], "big"), int.from_bytes(body[4:8], "big")
    if not flags & _SAMPLE_DURATION:
        return count, count * default
    at = 8 + (4 if flags & 1 else 0) + (4 if flags & 4 else 0)
    stride = 4 * (flags >> 8 & 0xF).bit_count()
    stop = min(len(body), at + stride * count)
    return count, sum(int.from_bytes(body[i : i + 4], "big") for i in range(at, stop, stride))


def first_fragment(context: ParseContext, at: int, defaults: Mapping[int, int]) -> tuple[int, dict[int, TrackFragment]]:
    """Reads the fragment behind ``moov``, if it is at hand.

    Returns:
        Its bytes with its media data, and the tracks' parts of it, none if it was not found.
    """
    end = MAX_OFFSET if context.file.size is None else context.file.size
    begin, found = at, {}
    try:
        for atom in islice(walk(context, at, end), _MAX_INDEXES):
            if atom.name == b"moof":
                begin, found = atom.start, read_fragment(context, atom, defaults)
            elif atom.name == b"mdat":
                return atom.stop - begin, found
    except NeedBytes:
        pass
    return 0, found


def last_fragment(
    context: ParseContext, start: int, stop: int, defaults: Mapping[int, int]
) -> dict[int, TrackFragment]:
    """Finds the last fragment of a file, in its tail or by the list there.

    Returns:
        The tracks' parts of it, none if it was not found.
    """
    data = context.file.get(start, stop)
    at = data.rfind(b"moof")
    for _ in range(_MAX_CANDIDATES):
        if at < 4:
            break
        found = _try_fragment(context, start + at - 4, stop, defaults)
        if found:
            return found
        at = data.rfind(b"moof", 0, at)
    listed = max(_listed(context, data, start), default=None)
    return {} if listed is None else _try_fragment(context, listed, stop, defaults)


def _try_fragment(context: ParseContext, at: int, stop: int, defaults: Mapping[int, int]) -> dict[int, TrackFragment]:
    try:
        moof = next(walk(context, at, stop), None)
        if moof is None or moof.name != b"moof" or moof.size > context.policy.skip_bytes:
            return {}
        return read_fragment(context, moof, defaults)
    except BrokenError:
        return {}


def _listed(context: ParseContext, data: bytes, start: int) -> Iterator[int]:
    """Yields where the last fragment of each track stands, by ``mfra`` (8.8.9 to 8.8.11), which ends the file."""
    size = int.from_bytes(data[-4:], "big")
    stop = start + len(data)
    if data[-12:-8] != b"mfro" or not 24 <= size <= min(stop, context.policy.skip_bytes):
        return
    for atom in walk(context, stop - size + 8, stop):
        body = content(context, atom)
        if atom.name != b"tfra" or len(body) < 16:
            continue
        wide = 8 if body[:1] == b"\x01" else 4
        sizes, count = body[11], int.from_bytes(body[12:16], "big")
        stride = 2 * wide + (sizes >> 4 & 3) + (sizes >> 2 & 3) + (sizes & 3) + 3
        last = 16 + (count - 1) * stride
        if count and last + stride <= len(body):
            yield int.from_bytes(body[last + wide : last + 2 * wide], "big")
