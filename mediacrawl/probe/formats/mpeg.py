"""MPEG audio: stream facts from the first frames, tags from both ends.

Where the first frame counts the others, length and bit rate are exact. Where it does not, they come from the frames at
hand, and the length leaves out the tags at the end.
"""

from __future__ import annotations

from mediacrawl.probe.context import BrokenError, Reading
from mediacrawl.probe.formats.audio_frames import Frame, average, ends_in_frames, find_first, set_facts
from mediacrawl.probe.formats.mpeg_frames import MPEG, Counted, read_count, read_frame
from mediacrawl.probe.formats.tail import Tail

_TRUSTED = 0.02
"""Share by which a file may be longer or shorter than its header says. More, and it was cut or joined."""


def read(reading: Reading, start: int) -> None:
    """Reads an MPEG audio stream.

    Args:
        reading: takes what is found.
        start: offset behind the tags at the front.
    """
    tail = Tail(reading, start)
    reading.stage("audio", _read_frames, reading, start, tail.stop)
    tail.read()


def _read_frames(reading: Reading, start: int, stop: int | None) -> None:
    first, data = find_first(reading, MPEG, start)
    frame = read_frame(data, 0)
    if frame is None:
        raise BrokenError("no frames")
    set_facts(reading.result, frame)
    counted = read_count(data[: frame.size])
    if counted and counted.frames:
        size = counted.size or (0 if stop is None else stop - first)
        _take_count(reading, frame, counted._replace(size=size))
        if stop is not None and counted.size > frame.size:
            _compare(reading, frame, (stop - first) / counted.size, stop)
    else:
        _estimate(reading, first, stop, len(data))


def _take_count(reading: Reading, frame: Frame, counted: Counted) -> None:
    result, samples = reading.result, counted.frames * frame.samples
    result.bitrate_mode = counted.mode
    result.set_duration(max(0, samples - counted.silent) / frame.rate)
    # The frame with the count is silent: it is in the number of bytes, and not in that of frames.
    result.bitrate = round(max(0, counted.size - frame.size) * 8 * frame.rate / samples) or None


def _compare(reading: Reading, frame: Frame, share: float, stop: int) -> None:
    """Corrects the length of a file that was cut off, or had others joined to it, after its frames were counted."""
    joined = share > 1 + _TRUSTED and ends_in_frames(MPEG, reading.file, stop, frame)
    if reading.result.duration and (share < 1 - _TRUSTED or joined):
        reading.result.set_duration(reading.result.duration * share, estimated=True)


def _estimate(reading: Reading, first: int, stop: int | None, at_hand: int) -> None:
    known = first + at_hand if stop is None else stop
    found = average(MPEG, reading.file, first, known, reading.policy.average_bytes)
    reading.result.bitrate = round(found.bitrate)
    reading.result.bitrate_mode = "cbr" if found.constant else "vbr"
    if stop is not None:
        reading.result.set_duration((stop - first) * 8 / found.bitrate, estimated=not found.whole)
