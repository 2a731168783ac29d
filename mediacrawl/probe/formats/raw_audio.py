"""Bare streams of frames of AAC (ADTS), AC-3, E-AC-3, DTS and AMR: facts of the first frame, length by the bit rate.

Sources: ISO/IEC 13818-7, 6.2, and 14496-3, 1.A.2 (ADTS); ATSC A/52:2018, 5.3, 5.4 and annex E (AC-3, E-AC-3); ETSI TS
102 114, 5.3 (DTS in words of 16 bits, big-endian, as files have it); RFC 4867, 5 (storage format of AMR) and 4.3
(modes and their bits), 3GPP TS 26.101 and 26.201. A frame of AMR begins with a byte that says its mode, and so its
size; it lasts 20 ms in all modes.
"""

from __future__ import annotations

import re
from typing import NamedTuple

from mediacrawl.probe.context import BrokenError, ParseContext, exact
from mediacrawl.probe.formats.aac_config import AAC_CHANNELS, AAC_RATES
from mediacrawl.probe.formats.audio_frames import AudioFrame, FrameFormat, average, find_first, set_facts
from mediacrawl.probe.formats.outer_tags import TailTags

_AC3_HEADER = 8
AC3_RATES = (48000, 44100, 32000)
"""Hz by fscod (table 5.6)."""
AC3_BIT_RATES = (32, 40, 48, 56, 64, 80, 96, 112, 128, 160, 192, 224, 256, 320, 384, 448, 512, 576, 640)
"""kbit/s by half of frmsizecod (table 5.18)."""
AC3_CHANNELS = (2, 1, 2, 3, 3, 4, 4, 5)
"""Full channels by acmod (table 5.8)."""
_BLOCKS = (1, 2, 3, 6)
_BLOCK = 256
_ENHANCED, _LAST_VERSION = 10, 16
"""Stream versions (bsid): above the first it is E-AC-3, above the second nobody knows it."""


def _read_ac3_frame(data: bytes, at: int) -> AudioFrame | None:
    """Reads the frame header at an offset; None if there is none."""
    head = data[at : at + _AC3_HEADER]
    if len(head) < _AC3_HEADER or not head.startswith(b"\x0b\x77"):
        return None
    version = head[5] >> 3
    if version > _LAST_VERSION:
        return None
    return _eac3_frame(head) if version > _ENHANCED else _ac3_frame(head, version)


def _ac3_frame(head: bytes, version: int) -> AudioFrame | None:
    code, size_code = head[4] >> 6, head[4] & 63
    if code >= len(AC3_RATES) or size_code // 2 >= len(AC3_BIT_RATES):
        return None
    rate, bitrate = AC3_RATES[code], AC3_BIT_RATES[size_code // 2] * 1000
    # Frames of 1536 samples in words of 16 bits; at 44.1 kHz the odd codes have one word more.
    words = bitrate * 6 * _BLOCK // 16 // rate + (size_code & 1 if code == 1 else 0)
    # Versions 9 and 10 are streams of a half and a quarter of the sample rate.
    shift = max(version, 8) - 8
    # Reads acmod and lfeon; between them stand two bits each for a centre, for surrounds, for Dolby's stereo.
    bits = head[6] << 8 | head[7]
    mode = bits >> 13
    at = 12 - 2 * ((mode & 1 and mode != 1) + (mode & 4 != 0) + (mode == 2))
    channels = AC3_CHANNELS[mode] + (bits >> at & 1)
    return AudioFrame("ac3", words * 2, 6 * _BLOCK, rate >> shift, channels, bitrate >> shift)


def _eac3_frame(head: bytes) -> AudioFrame | None:
    kind, substream = head[2] >> 6, head[2] >> 3 & 7
    size = ((head[2] & 7) << 8 | head[3]) * 2 + 2
    code, blocks = head[4] >> 6, _BLOCKS[head[4] >> 4 & 3]
    if code == 3:
        half = head[4] >> 4 & 3
        if half >= len(AC3_RATES):
            return None
        rate, blocks = AC3_RATES[half] // 2, 6
    else:
        rate = AC3_RATES[code]
    if size < _AC3_HEADER:
        return None
    # Dependent substreams and further programmes play at the time of the first one.
    samples = blocks * _BLOCK if kind != 1 and substream == 0 else 0
    return AudioFrame("eac3", size, samples, rate, AC3_CHANNELS[head[4] >> 1 & 7] + (head[4] & 1))


AC3 = FrameFormat(_read_ac3_frame, re.compile(rb"\x0b\x77"))


_ADTS_HEADER = 7
_MOSTLY = 2
"""Channels where the first frame's data would say it: what such files mostly have."""


def _read_adts_frame(data: bytes, at: int) -> AudioFrame | None:
    """Reads the frame header at an offset; None if there is none."""
    if len(data) < at + _ADTS_HEADER or data[at] != 0xFF or data[at + 1] & 0xF6 != 0xF0:
        return None
    index = data[at + 2] >> 2 & 15
    channels = AAC_CHANNELS[(data[at + 2] & 1) << 2 | data[at + 3] >> 6] or _MOSTLY
    size = (data[at + 3] & 3) << 11 | data[at + 4] << 3 | data[at + 5] >> 5
    blocks = (data[at + 6] & 3) + 1
    if index >= len(AAC_RATES) or size < _ADTS_HEADER:
        return None
    return AudioFrame("aac", size, 1024 * blocks, AAC_RATES[index], channels)


AAC = FrameFormat(_read_adts_frame, re.compile(rb"\xff(?=[\xf0\xf1\xf8\xf9])"))


_DTS_HEADER = 11
_DTS_SYNC = b"\x7f\xfe\x80\x01"
_DTS_RATES = {1: 8000, 2: 16000, 3: 32000, 6: 11025, 7: 22050, 8: 44100, 11: 12000, 12: 24000, 13: 48000}
_DTS_CHANNELS = (1, 2, 2, 2, 2, 3, 3, 4, 4, 5, 6, 6, 6, 7, 8, 8)
"""By AMODE (table 5-4)."""


def _read_dts_frame(data: bytes, at: int) -> AudioFrame | None:
    """Reads the frame header at an offset; None if there is none."""
    head = data[at : at + _DTS_HEADER]
    if len(head) < _DTS_HEADER or not head.startswith(_DTS_SYNC):
        return None
    bits = int.from_bytes(head[4:], "big")  # 56 of them: FTYPE, SHORT (5), CPF, NBLKS (7), FSIZE (14), AMODE (6) ...
    blocks, size = (bits >> 42 & 127) + 1, (bits >> 28 & 0x3FFF) + 1
    mode, rate = bits >> 22 & 63, _DTS_RATES.get(bits >> 18 & 15)
    lfe = bits >> 1 & 3
    if rate is None or size < 96 or mode >= len(_DTS_CHANNELS):
        return None
    return AudioFrame("dts", size, blocks * 32, rate, _DTS_CHANNELS[mode] + (lfe in {1, 2}))


DTS = FrameFormat(_read_dts_frame, re.compile(re.escape(_DTS_SYNC)))


_EAC3 = "audio/eac3"


def read_aac(context: ParseContext, start: int) -> None:
    """Reads an ADTS stream. Its tags are those of MPEG audio, and its density moves, so the tail is read too."""
    tail = TailTags(context, start)
    with context.stage("audio"):
        read_frames(context, AAC, start, tail.stop, is_steady=False)
    tail.read()


def read_ac3(context: ParseContext, start: int) -> None:
    """Reads an AC-3 or E-AC-3 stream."""
    with context.stage("audio"):
        read_frames(context, AC3, start, context.file.size)
    if context.result.codec == "eac3":
        context.result.encoding_format = _EAC3


def read_dts(context: ParseContext, start: int) -> None:
    """Reads a DTS stream."""
    with context.stage("audio"):
        read_frames(context, DTS, start, context.file.size)


def read_frames(
    context: ParseContext, kind: FrameFormat, start: int, stop: int | None, *, is_steady: bool = True
) -> None:
    """Reads the first frame of a stream, and its length by the frames at hand."""
    first, data = find_first(context, kind, start)
    frame = kind.parse(data, 0)
    if frame is None:
        raise BrokenError("no frames")
    set_facts(context.result, frame)
    known = first + len(data) if stop is None else stop
    found = average(kind, context.file, first, known, context.policy.average_bytes)
    context.result.bitrate = round(found.bitrate)
    if stop is None:
        context.note("size unknown")
    else:
        # A stream of AC-3 or DTS has one density; one of AAC moves, even where its first frames are all alike.
        is_exact = found.whole or (found.constant and is_steady)
        context.result.set_duration((stop - first) * 8 / found.bitrate, estimated=not is_exact)


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


def read_amr(context: ParseContext, start: int) -> None:
    """Reads an AMR file."""
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
