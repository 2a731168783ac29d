"""Streams of audio frames without a file header: MPEG audio, AAC, AC-3 and DTS.

Each frame states its size and format, so the duration of the file is estimated from the frames at hand: those of the
head, and those of the tail where it was fetched.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from itertools import dropwhile, islice
from typing import NamedTuple

from mediacrawl.probe.context import BrokenError, ParseContext, SparseFile
from mediacrawl.probe.result import ProbeResult

_MAX_CANDIDATES = 2000
"""Offsets that are tried for a first frame, so that hostile bytes do not take seconds."""
_ROUNDING = 0.01
"""Share by which the sizes of frames of one bit rate differ, since a frame has whole words."""
_NEAR = 8 * 1024
"""Bytes before the end in which the last frames are looked for."""
_SURE = 4
"""Frames in a row that prove a stream; fewer do where the data end, or a tag begins."""
_JUNK_STEP = 8 * 1024
"""Bytes of something else for which one more frame is asked for."""
_BEHIND_JUNK = 16 * 1024
"""Bytes of frames behind those of something else that are looked at."""
_TAILS = (b"TAG", b"APETAGEX", b"LYRICSBEGIN")
"""First letters of the tags that follow the last frame."""
LONGEST_HEADER = 11
"""Bytes of a header of any of these formats, at most."""
_LONG = 2048
"""Bytes behind the header of a frame so long that the next one is not at hand."""


class AudioFrame(NamedTuple):
    """One frame's header.

    Attributes:
        size: bytes with the header.
        samples: samples that it adds to the length; 0 for a frame that belongs to the one before it.
        bitrate: bits per second as the header states them, 0 if it does not.
    """

    codec: str
    size: int
    samples: int
    rate: int
    channels: int
    bitrate: int = 0

    @property
    def seconds(self) -> float:
        """Seconds of audio."""
        return self.samples / self.rate

    @property
    def bits(self) -> float:
        """Its share of the stream. A stated bit rate is exact, sizes are rounded to bytes."""
        return self.bitrate * self.seconds if self.bitrate else self.size * 8


class FrameFormat(NamedTuple):
    """How the frames of one format are recognized.

    Attributes:
        parse: reads the header at an offset of some bytes; None if there is none.
        sync: a pattern that every header matches; it need not be exact.
    """

    parse: Callable[[bytes, int], AudioFrame | None]
    sync: re.Pattern[bytes]


class FrameAverage(NamedTuple):
    """The average of some frames of a stream.

    Attributes:
        constant: whether all these frames have one bit rate.
        whole: whether these are all frames of the stream.
    """

    bitrate: float
    constant: bool
    whole: bool


def follow(kind: FrameFormat, data: bytes, at: int = 0) -> Iterator[AudioFrame]:
    """Yields the frames of one stream that follow each other from an offset on, until there is none."""
    first = frame = kind.parse(data, at)
    while frame and first and (frame.codec, frame.rate) == (first.codec, first.rate):
        yield frame
        at += frame.size
        frame = kind.parse(data, at)


def is_stream(kind: FrameFormat, data: bytes, at: int = 0) -> bool:
    """Whether frames follow each other here: a single sync word occurs in any binary file."""
    found = list(islice(follow(kind, data, at), 2))
    if len(found) != 1:
        return len(found) == 2
    # One that nothing or a tag follows is the whole stream.
    stop = at + found[0].size
    return stop > len(data) - LONGEST_HEADER >= at + _LONG or stop == len(data) or data.startswith(_TAILS, stop)


def find(kind: FrameFormat, data: bytes, like: AudioFrame | None = None, *, whole: bool = False) -> int | None:
    """Finds the first of several frames that follow each other, of the codec and the rate of `like` if it is given.

    `whole` says that the file ends with these bytes.

    Returns:
        Its offset, None if there is none.
    """
    for match in islice(kind.sync.finditer(data), _MAX_CANDIDATES):
        at = match.start()
        chain = list(islice(follow(kind, data, at), _SURE))
        stop = at + sum(frame.size for frame in chain)
        ended = bool(chain) and (data.startswith(_TAILS, stop) or (whole and stop == len(data)))
        if len(chain) < (1 if ended else 2 if stop > len(data) - LONGEST_HEADER else _SURE):
            continue
        if like is None or (chain[0].codec, chain[0].rate) == (like.codec, like.rate):
            return at
    return None


def find_first(context: ParseContext, kind: FrameFormat, start: int) -> tuple[int, bytes]:
    """Finds the first frame of a stream.

    Returns:
        Its offset in the file, and the bytes at hand from there on.
    """
    data, whole = searched(context, start)
    at = find(kind, data, whole=whole)
    if at is not None:
        return start + at, data[at:]
    search_on(context, start, data)
    raise BrokenError("no frames")


def searched(context: ParseContext, start: int) -> tuple[bytes, bool]:
    """Returns the bytes at hand in which a first frame is searched for, and whether the file ends with them."""
    data = context.file.run(start, context.policy.sync_bytes + _BEHIND_JUNK)
    return data, context.file.size is not None and start + len(data) >= context.file.size


def search_on(context: ParseContext, start: int, data: bytes) -> None:
    """Requests the bytes that follow those of `searched`, if there are any that may be searched: four times as many."""
    limit = context.policy.sync_bytes + _BEHIND_JUNK
    if len(data) < limit:
        context.file.get(start + len(data), start + max(len(data) + 1, min(4 * len(data), limit)))


def find_late(kind: FrameFormat, data: bytes, *, whole: bool) -> int | None:
    """Finds the first frame behind bytes of something else: the more of them, the more frames must follow each other.

    Returns:
        Its offset, None if there is none.
    """
    for match in islice(kind.sync.finditer(data), _MAX_CANDIDATES):
        at = match.start()
        enough = _SURE + at // _JUNK_STEP
        chain = list(islice(follow(kind, data, at), enough))
        stop = at + sum(frame.size for frame in chain)
        ended = data.startswith(_TAILS, stop) or (whole and stop == len(data))
        if len(chain) >= (2 if ended else enough):
            return at
    return None


def average(kind: FrameFormat, file: SparseFile, start: int, stop: int, limit: int) -> FrameAverage:
    """Measures the frames at hand, those at the front of a stream and those at its end."""
    first = list(follow(kind, file.run(start, min(limit, max(0, stop - start)))))
    if not first:
        raise BrokenError("no frames")
    walked = start + sum(frame.size for frame in first)
    whole = walked + first[-1].size > stop
    tail = file.before(stop, min(limit, max(0, stop - walked)))
    at = find(kind, tail, first[0])
    last = [] if at is None else list(follow(kind, tail, at))
    frames = [*(first if whole else _units(first)), *dropwhile(lambda frame: not frame.samples, last)]
    seconds = sum(frame.seconds for frame in frames)
    if not seconds:
        raise BrokenError("frames that belong to none")
    densities = [frame.bits / frame.samples for frame in frames if frame.samples]
    return FrameAverage(
        bitrate=sum(frame.bits for frame in frames) / seconds,
        constant=max(densities) <= min(densities) * (1 + _ROUNDING),
        whole=whole,
    )


def _units(frames: list[AudioFrame]) -> list[AudioFrame]:
    """Leaves the last frame out, with those that belong to it, for more of them may follow."""
    last = max((place for place, frame in enumerate(frames) if frame.samples), default=0)
    return frames[:last] or frames


def ends_in_frames(kind: FrameFormat, file: SparseFile, stop: int, like: AudioFrame) -> bool:
    """Whether frames of a stream end at an offset, as far as those bytes are at hand."""
    return find(kind, file.before(stop, _NEAR), like) is not None


def set_facts(result: ProbeResult, frame: AudioFrame) -> None:
    """Sets the facts of a frame's header."""
    result.set_audio(frame.codec, frame.rate, frame.channels, result.bits_per_sample)
