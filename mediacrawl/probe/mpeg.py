"""MPEG audio: stream facts from the first frames, ID3v1 from the tail.

mutagen reads the frame headers and the Xing, LAME and VBRI headers. What it makes of files without such a
header is corrected: their length comes from several frames and leaves out the tags at the end.
"""

from __future__ import annotations

from mediacrawl.probe import id3v1
from mediacrawl.probe.from_mutagen import BitrateMode, MPEGFrame, MPEGInfo
from mediacrawl.probe.mpeg_frames import frames
from mediacrawl.probe.reading import Reading
from mediacrawl.probe.sparse import SparseFile

_MODES = {BitrateMode.CBR: "cbr", BitrateMode.VBR: "vbr", BitrateMode.ABR: "abr"}
_APE_FOOTER = 32


def read(reading: Reading, start: int) -> None:
    """Reads an MPEG audio stream.

    Args:
        reading: takes what is found.
        start: offset behind the ID3v2 tags.
    """
    reading.stage("audio", _read_frames, reading, start)
    reading.stage("id3v1", _read_tail, reading)


def _read_tail(reading: Reading) -> None:
    size = reading.file.size
    if size is None:
        reading.note("size unknown")
        return
    # One request brings everything that may stand there.
    tail = reading.file.get(max(0, size - reading.policy.tail_bytes), size)
    if id3v1.is_tag(tail[-id3v1.SIZE :]):
        id3v1.read_tag(reading, tail[-id3v1.SIZE :])


def _read_frames(reading: Reading, start: int) -> None:
    near = reading.file.until(start + reading.policy.sync_bytes)
    info = MPEGInfo(near, start)
    near.seek(info.frame_offset)
    first = MPEGFrame(near)
    result = reading.result
    result.codec = result.audio_codec = f"mp{info.layer}"
    result.sample_rate, result.channels = info.sample_rate, info.channels
    result.bitrate, result.bitrate_mode = info.bitrate or None, _MODES.get(info.bitrate_mode)
    if hasattr(first, "length"):
        result.set_duration(first.length)
    else:
        _estimate(reading, info.frame_offset)


def _estimate(reading: Reading, start: int) -> None:
    """Works out the length of a stream that has no header with its number of frames."""
    data = reading.file.run(start, reading.policy.sync_bytes)
    rates = [frame.bitrate for frame in frames(data)]
    average = sum(rates) / len(rates)
    reading.result.bitrate = round(average)
    if min(rates) != max(rates):
        reading.result.bitrate_mode = "vbr"
    stop = _end_of_audio(reading.file)
    if stop is not None:
        reading.result.set_duration((stop - start) * 8 / average, estimated=True)


def _end_of_audio(file: SparseFile) -> int | None:
    """Returns the offset of the tags at the end, as far as they are at hand; None if the size is unknown."""
    if file.size is None:
        return None
    stop = file.size
    if id3v1.is_tag(file.at_hand(max(0, stop - id3v1.SIZE), stop) or b""):
        stop -= id3v1.SIZE
    footer = file.at_hand(max(0, stop - _APE_FOOTER), stop) or b""
    if footer.startswith(b"APETAGEX"):
        # Size without header (APEv2 footer); bit 31 of the flags says that there is a header too.
        size = int.from_bytes(footer[12:16], "little")
        stop -= size + (_APE_FOOTER if footer[23] & 0x80 else 0)
    return stop
