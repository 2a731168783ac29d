"""When the first and the last cluster of a Matroska stream play (RFC 9559, 5.1.3), for streams that state no length."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from mediacrawl.probe.context import BrokenError, Reading, exact, unpack
from mediacrawl.probe.formats import ebml
from mediacrawl.probe.formats.ebml import Element

_CLUSTER = bytes.fromhex("1F43B675")
_TIMESTAMP, _SIMPLE_BLOCK, _GROUP, _BLOCK, _BLOCK_DURATION = 0xE7, 0xA3, 0xA0, 0xA1, 0x9B
_INSIDE = frozenset({_TIMESTAMP, _SIMPLE_BLOCK, _GROUP, 0x5854, 0xA7, 0xAB, 0xAF, 0xEC, 0xBF})
"""What a cluster consists of. One of unknown size ends before anything else."""
_BLOCK_HEADER = 10
_MAX_CANDIDATES = 8
"""Places that are tried for the last cluster: its four bytes may stand in compressed data by chance."""


def first_time(reading: Reading, cluster: Element) -> int:
    """Returns the time of a cluster in ticks, 0 if its header is not at hand: a stream mostly begins there.

    Args:
        reading: the file, and the count of parts.
        cluster: the first cluster.

    Raises:
        BrokenError: when it is none.
    """
    head = reading.file.at_hand(cluster.body, min(cluster.body + 32, cluster.stop))
    if head is None:
        return 0
    for part in _parts(reading, cluster):
        if part.name == _TIMESTAMP:
            return ebml.unsigned(reading, part)
        if part.name in {_SIMPLE_BLOCK, _GROUP}:
            break
    return 0


def last_time(reading: Reading, start: int, stop: int, frames: Mapping[int, float]) -> float | None:
    """Finds the last cluster between two offsets, and when its last frame ends.

    Args:
        reading: the file, and the count of parts.
        start: offset where the search begins.
        stop: offset where the file ends.
        frames: ticks of one frame, by number of the track.

    Returns:
        The time in ticks, None if there is no cluster.

    Raises:
        LimitError: when there are too many parts.
        NeedBytes: when the bytes are not at hand.
    """
    data = reading.file.get(start, stop)
    at = data.rfind(_CLUSTER)
    for _ in range(_MAX_CANDIDATES):
        if at < 0:
            break
        end = _end_of_cluster(reading, start + at, stop, frames)
        if end is not None:
            return end
        at = data.rfind(_CLUSTER, 0, at)
    return None


def _end_of_cluster(reading: Reading, at: int, stop: int, frames: Mapping[int, float]) -> float | None:
    """Reads the frames of a cluster as far as they go: a recording may be cut off anywhere."""
    time, ends = None, []
    try:
        for part in _parts(reading, ebml.read_element(reading, at, stop)):
            if part.name == _TIMESTAMP:
                time = ebml.unsigned(reading, part)
            elif part.name == _SIMPLE_BLOCK:
                ends.append(_end_of_block(reading, part, frames))
            elif part.name == _GROUP:
                ends.append(_end_of_group(reading, part, frames))
    except BrokenError:
        pass
    return time + max(ends) if time is not None and ends else None


def _parts(reading: Reading, cluster: Element) -> Iterator[Element]:
    for part in ebml.children(reading, cluster):
        if part.name not in _INSIDE:
            return
        yield part


def _end_of_group(reading: Reading, group: Element, frames: Mapping[int, float]) -> float:
    begin = end = 0.0
    for part in ebml.children(reading, group):
        if part.name == _BLOCK:
            begin, end = (_end_of_block(reading, part, known) for known in ({}, frames))
        elif part.name == _BLOCK_DURATION:
            end = begin + ebml.unsigned(reading, part)
    return end


def _end_of_block(reading: Reading, block: Element, frames: Mapping[int, float]) -> float:
    """Returns when a block ends, relative to its cluster: its track's number and its time are in front (10.1)."""
    head = exact(reading.file, block.body, min(block.body + _BLOCK_HEADER, block.stop))
    track, behind = ebml.number(head)
    (time,) = unpack(">h", head[behind : behind + 2])
    return time + frames.get(track, 0.0)
