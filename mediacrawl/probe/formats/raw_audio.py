"""AAC, AC-3 and DTS as bare streams of frames: facts from the first frame, length from the density of those at hand."""

from __future__ import annotations

from mediacrawl.probe.context import BrokenError, Reading
from mediacrawl.probe.formats.ac3 import AC3
from mediacrawl.probe.formats.adts import AAC
from mediacrawl.probe.formats.audio_frames import Format, average, find_first, set_facts
from mediacrawl.probe.formats.dts import DTS
from mediacrawl.probe.formats.tail import Tail

_EAC3 = "audio/eac3"


def read_aac(reading: Reading, start: int) -> None:
    """Reads an ADTS stream. Its tags are those of MPEG audio, and its density moves, so the tail is read too.

    Args:
        reading: takes what is found.
        start: offset behind the tags at the front.
    """
    tail = Tail(reading, start)
    reading.stage("audio", _read_frames, reading, AAC, start, tail.stop)
    tail.read()


def read_ac3(reading: Reading, start: int) -> None:
    """Reads an AC-3 or E-AC-3 stream.

    Args:
        reading: takes what is found.
        start: offset of the first frame.
    """
    reading.stage("audio", _read_frames, reading, AC3, start, reading.file.size)
    if reading.result.codec == "eac3":
        reading.result.encoding_format = _EAC3


def read_dts(reading: Reading, start: int) -> None:
    """Reads a DTS stream.

    Args:
        reading: takes what is found.
        start: offset of the first frame.
    """
    reading.stage("audio", _read_frames, reading, DTS, start, reading.file.size)


def _read_frames(reading: Reading, kind: Format, start: int, stop: int | None) -> None:
    first, data = find_first(reading, kind, start)
    frame = kind.parse(data, 0)
    if frame is None:
        raise BrokenError("no frames")
    set_facts(reading.result, frame)
    known = first + len(data) if stop is None else stop
    found = average(kind, reading.file, first, known, reading.policy.average_bytes)
    reading.result.bitrate = round(found.bitrate)
    if stop is None:
        reading.note("size unknown")
    else:
        # A stream of AC-3 or DTS has one density; one of AAC moves, even where its first frames are all alike.
        is_exact = found.whole or (found.constant and kind is not AAC)
        reading.result.set_duration((stop - first) * 8 / found.bitrate, estimated=not is_exact)
