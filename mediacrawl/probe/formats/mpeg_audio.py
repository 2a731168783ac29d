"""MPEG audio (MP1, MP2, MP3): stream facts from the first frames, tags from both ends.

A frame's header is that of ISO/IEC 11172-3, 2.4.1.3, and 13818-3. The first frame may count all others in Xing's
header, which LAME and most others write too, or in Fraunhofer's VBRI; then length and bit rate are exact. Neither is in
the standard; sources are "VBR Header" (Xing Technologies) and "Mp3 Info Tag rev 1" (gabriel.mp3-tech.org). Without such
a header both are estimated from the frames at hand.
"""

from __future__ import annotations

import re
from typing import NamedTuple

from mediacrawl.probe.context import BrokenError, ParseContext
from mediacrawl.probe.formats.audio_frames import (
    AudioFrame,
    FrameFormat,
    average,
    ends_in_frames,
    find_first,
    find_late,
    search_on,
    searched,
    set_facts,
)
from mediacrawl.probe.formats.gains import Gain, lame_gains
from mediacrawl.probe.formats.outer_tags import TailTags

_BIT_RATES = {
    # (MPEG-1, layer): kbit/s by index 1 to 14
    (True, 1): (32, 64, 96, 128, 160, 192, 224, 256, 288, 320, 352, 384, 416, 448),
    (True, 2): (32, 48, 56, 64, 80, 96, 112, 128, 160, 192, 224, 256, 320, 384),
    (True, 3): (32, 40, 48, 56, 64, 80, 96, 112, 128, 160, 192, 224, 256, 320),
    (False, 1): (32, 48, 56, 64, 80, 96, 112, 128, 144, 160, 176, 192, 224, 256),
    (False, 2): (8, 16, 24, 32, 40, 48, 56, 64, 80, 96, 112, 128, 144, 160),
    (False, 3): (8, 16, 24, 32, 40, 48, 56, 64, 80, 96, 112, 128, 144, 160),
}
_MPEG1 = 3
_SAMPLE_RATES = {
    _MPEG1: (44100, 48000, 32000),
    2: (22050, 24000, 16000),
    0: (11025, 12000, 8000),
}
_MONO = 3
_MIN_FREE, _MAX_FREE = 48, 6 * 1024
"""Bytes of a frame whose bit rate is free; decoders take up to 640 kbit/s."""
_FRAMES, _BYTES, _TOC, _QUALITY = 1, 2, 4, 8
_MODES = {1: "cbr", 2: "abr", 3: "vbr", 4: "vbr", 5: "vbr", 6: "vbr", 8: "cbr", 9: "abr"}
"""LAME's methods; 8 and 9 took two passes."""


class Counted(NamedTuple):
    """What a header in the first frame says of all frames.

    Attributes:
        frames: their number without this one, 0 if not given.
        size: their bytes with this one, 0 if not given.
        silent: samples at both ends that the encoder added.
        mode: ``cbr``, ``vbr``, ``abr``, or None if not given.
        gains: key and text of each loudness that the encoder measured.
    """

    frames: int
    size: int
    silent: int = 0
    mode: str | None = None
    gains: tuple[Gain, ...] = ()


def read_frame(data: bytes, at: int) -> AudioFrame | None:
    """Reads the frame header at an offset; None if there is none.

    A frame of free bit rate ends where the next one begins, so that one must be at hand as well.
    """
    if len(data) < at + 4 or data[at] != 0xFF or data[at + 1] & 0xE0 != 0xE0:
        return None
    version, layer = data[at + 1] >> 3 & 3, 4 - (data[at + 1] >> 1 & 3)
    index, frequency = data[at + 2] >> 4, data[at + 2] >> 2 & 3
    if version == 1 or layer == 4 or frequency == 3 or index == 15:
        return None
    rate = _SAMPLE_RATES[version][frequency]
    samples = 384 if layer == 1 else 576 if layer == 3 and version != _MPEG1 else 1152
    slot = 4 if layer == 1 else 1
    bitrate = _BIT_RATES[version == _MPEG1, layer][index - 1] * 1000 if index else 0
    size = (samples // 8 // slot * bitrate // rate + (data[at + 2] >> 1 & 1)) * slot if index else _free(data, at)
    channels = 1 if data[at + 3] >> 6 == _MONO else 2
    return AudioFrame(f"mp{layer}", size, samples, rate, channels, bitrate) if size else None


MPEG = FrameFormat(read_frame, re.compile(rb"\xff(?=[\xe2-\xff][^\xf0-\xff])"))


def read_count(data: bytes) -> Counted | None:
    """Reads the header with the number of frames from the bytes of the first frame; None if it has none."""
    mpeg1, mono = data[1] >> 3 & 3 == _MPEG1, data[3] >> 6 == _MONO
    # It stands where the side information would end.
    at = 4 + (17 if mono else 32) if mpeg1 else 4 + (9 if mono else 17)
    if data[at : at + 4] in {b"Xing", b"Info"}:
        return _xing(data, at)
    if data[36:40] == b"VBRI":
        # Behind the name: version, delay, quality, then bytes and frames.
        return Counted(frames=_number(data, 50), size=_number(data, 46), mode="vbr")
    return None


def _xing(data: bytes, at: int) -> Counted:
    flags, info = _number(data, at + 4), data[at : at + 4] == b"Info"
    at += 8
    frames = size = 0
    if flags & _FRAMES:
        frames, at = _number(data, at), at + 4
    if flags & _BYTES:
        size, at = _number(data, at), at + 4
    at += (100 if flags & _TOC else 0) + (4 if flags & _QUALITY else 0)
    encoder = data[at : at + 36]
    mode = "cbr" if info else "vbr" if flags & _QUALITY else None
    # LAME's own part, which libavcodec writes too; in those of others the same bytes mean nothing.
    if len(encoder) < 36 or not encoder.startswith((b"LAME", b"L3.99", b"Lavc", b"Lavf", b"GOGO")):
        return Counted(frames, size, 0, mode)
    delays = int.from_bytes(encoder[21:24], "big")
    silent = (delays >> 12) + (delays & 0xFFF)
    return Counted(frames, size, silent, _MODES.get(encoder[9] & 15, mode), tuple(lame_gains(encoder)))


def _number(data: bytes, at: int) -> int:
    return int.from_bytes(data[at : at + 4], "big")


def _free(data: bytes, at: int) -> int:
    """Finds the next header of a stream of free bit rate."""
    nearest = at + _MIN_FREE
    while (nearest := data.find(data[at : at + 2], nearest, at + _MAX_FREE)) >= 0:
        # All but padding, and the private bit, is as before.
        if len(data) > nearest + 2 and (data[nearest + 2] ^ data[at + 2]) & 0xFC == 0:
            return nearest - at
        nearest += 2
    return 0


_OTHERS = (
    *(b"MZ", b"\x7fELF", b"\xca\xfe\xba\xbe", b"\xcf\xfa\xed\xfe", b"\xfe\xed\xfa", b"\xd0\xcf\x11\xe0"),
    *(b"FWS", b"CWS", b"BM", b"II*\0", b"MM\0*", b"8BPS", b"\0\0\1\0", b"wOF"),
    *(b"7z\xbc\xaf", b"BZh", b"\xfd7zXZ", b"SQLite", b"%!PS"),
)
"""First bytes of programs, images, fonts and archives that have no name in `formats`."""
_CONTROL = re.compile(rb"[\0-\x08\x0e-\x1a\x1c-\x1f]")
"""Bytes that text does not have."""


def find_behind_junk(context: ParseContext, found: list[int]) -> None:
    """Finds the first frame of a file whose format was not recognized by its first bytes, and adds it to `found`.

    Zeros before it are stepped over as far as they are at hand. Other bytes are stepped over, and more of them
    requested, only if the URL or the server says that this is MPEG audio, and they are neither text nor of a format
    that is known. Encoders and cut streams leave some KB of them; LAME, mpg123 and ffmpeg search on, too.
    """
    data, whole = searched(context, 0)
    if context.seeks_mpeg:
        if data.startswith(_OTHERS) or not _CONTROL.search(data):
            return
        at = find_late(_CLEAR, data, whole=whole)
        if at is None:
            search_on(context, 0, data)
    else:
        zeros = len(data) - len(data.lstrip(b"\0"))
        at = zeros if zeros and find_late(_CLEAR, data[zeros:], whole=whole) == 0 else None
    if at is not None:
        found.append(at)


def is_ambiguous(frame: AudioFrame) -> bool:
    """Whether a frame proves little: executables are full of bytes like frames of layer I and of free bit rate."""
    return frame.codec == "mp1" or not frame.bitrate


def _read_clear_frame(data: bytes, at: int) -> AudioFrame | None:
    frame = read_frame(data, at)
    return None if frame is None or is_ambiguous(frame) else frame


_CLEAR = FrameFormat(_read_clear_frame, MPEG.sync)


_TRUSTED = 0.02
"""Share by which a file may be longer or shorter than its header says. More, and it was cut or joined."""


def read(context: ParseContext, start: int) -> None:
    """Reads an MPEG audio stream."""
    tail = TailTags(context, start)
    with context.stage("audio"):
        _read_frames(context, start, tail.stop)
    tail.read()


def _read_frames(context: ParseContext, start: int, stop: int | None) -> None:
    first, data = find_first(context, MPEG, start)
    frame = read_frame(data, 0)
    if frame is None:
        raise BrokenError("no frames")
    set_facts(context.result, frame)
    counted = read_count(data[: frame.size])
    for key, text in counted.gains if counted else ():
        context.add_number("lame", "Info", key, text)
    if counted and counted.frames:
        size = counted.size or (0 if stop is None else stop - first)
        _take_count(context, frame, counted._replace(size=size))
        if stop is not None and counted.size > frame.size:
            # Corrects the length of a file that was cut off, or had others joined to it, after its
            # frames were counted.
            share = (stop - first) / counted.size
            if share < 1 - _TRUSTED:
                context.note("mpeg:truncated")
            joined = share > 1 + _TRUSTED and ends_in_frames(MPEG, context.file, stop, frame)
            if context.result.duration and (share < 1 - _TRUSTED or joined):
                context.result.set_duration(context.result.duration * share, estimated=True)
    else:
        at_hand = len(data)
        known = first + at_hand if stop is None else stop
        found = average(MPEG, context.file, first, known, context.policy.average_bytes)
        context.result.bitrate = round(found.bitrate)
        context.result.bitrate_mode = "cbr" if found.constant else "vbr"
        if stop is not None:
            context.result.set_duration((stop - first) * 8 / found.bitrate, estimated=not found.whole)


def _take_count(context: ParseContext, frame: AudioFrame, counted: Counted) -> None:
    result, samples = context.result, counted.frames * frame.samples
    result.bitrate_mode = counted.mode
    result.set_duration(max(0, samples - counted.silent) / frame.rate)
    # The frame with the count is silent: it is in the number of bytes, and not in that of frames.
    result.bitrate = round(max(0, counted.size - frame.size) * 8 * frame.rate / samples) or None
