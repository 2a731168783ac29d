"""The cue sheet block of FLAC (RFC 9639, 8.7): where the tracks of a disc begin in one file.

It has no titles. A comment ``CUESHEET``, which some programs write, is a text as others are.
"""

from __future__ import annotations

from mediacrawl.model.parts import Chapter
from mediacrawl.probe.context import ParseContext, exact

_HEADER = 396
_TRACK, _INDEX = 36, 12
_LEAD_OUT = frozenset({170, 255})
"""Numbers of the track that is the end: of a CD, and of something else."""
_MOST_INDEXES = 100
_FIRST_INDEX = 1
"""The index at which a track begins; that of number 0 is the pause before it."""


def read_cue_sheet(context: ParseContext, start: int, stop: int) -> None:
    """Makes chapters of the tracks, unless the file has other chapters.

    Args:
        context: takes the chapters; its sample rate must be known.
        start: offset of the block.
        stop: offset behind it.
    """
    rate = context.result.sample_rate
    if not rate or context.result.chapters or not context.fits(stop - start):
        return
    data = exact(context.file, start, stop)
    chapters, end, at = [], None, _HEADER
    for _ in range(data[_HEADER - 1] if len(data) >= _HEADER else 0):
        context.count()
        track = data[at : at + _TRACK]
        if len(track) < _TRACK:
            context.note("cue sheet:broken")
            break
        offset, number, indexes = int.from_bytes(track[:8], "big"), track[8], track[35]
        if number in _LEAD_OUT:
            end = offset / rate
            break
        chapters.append(Chapter((offset + _beginning(data, at + _TRACK, indexes)) / rate))
        at += _TRACK + indexes * _INDEX
    if chapters and end is not None:
        chapters[-1].end = end
    context.add_chapters("flac", "CUESHEET", [(chapter, None) for chapter in chapters])


def _beginning(data: bytes, at: int, indexes: int) -> int:
    """Samples from the offset of a track to its first index."""
    for place in range(at, at + min(indexes, _MOST_INDEXES) * _INDEX, _INDEX):
        index = data[place : place + _INDEX]
        if len(index) == _INDEX and index[8] == _FIRST_INDEX:
            return int.from_bytes(index[:8], "big")
    return 0
