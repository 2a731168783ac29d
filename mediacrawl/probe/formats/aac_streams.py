"""AAC without ADTS: LATM in the frames of LOAS, bare and in transport streams, and ADIF.

Source: ISO/IEC 14496-3, 1.7.2 (AudioSyncStream), 1.7.3 (AudioMuxElement, StreamMuxConfig), 1.A.2 (adif_header). A frame
of LOAS says its size, and every now and then how the stream is to be decoded; the others say that it is as before.
"""

from __future__ import annotations

import re
from functools import partial
from itertools import islice
from typing import NamedTuple

from mediacrawl.probe.context import BrokenError, ParseContext, exact
from mediacrawl.probe.formats.aac_config import AAC_KINDS, read_config, read_program
from mediacrawl.probe.formats.audio_frames import AudioFrame, FrameFormat, find, find_first, follow
from mediacrawl.probe.formats.mpeg_video import Bits
from mediacrawl.probe.formats.outer_tags import TailTags
from mediacrawl.probe.formats.raw_audio import read_frames
from mediacrawl.probe.text import LATIN1, Value

_CODEC = "aac_latm"
_HEADER = 3
_CONFIG_BYTES = 96
"""Bytes of a frame in which its config is looked for."""
_MAX_FRAMES = 500
"""Frames of a stream that are looked through for a config."""
_SURE = 4
"""Frames in a row that prove a stream; two do if the first says how it is decoded."""


class LatmConfig(NamedTuple):
    """What a StreamMuxConfig says of the first stream: Hz, channels (0 if it does not say), samples of one frame."""

    sample_rate: int
    channels: int
    samples: int


def _read_frame(data: bytes, at: int, known: LatmConfig | None) -> AudioFrame | None:
    """Reads the frame header at an offset; None if there is none."""
    if len(data) < at + _HEADER or data[at] != 0x56 or data[at + 1] & 0xE0 != 0xE0:
        return None
    size = (data[at + 1] & 0x1F) << 8 | data[at + 2]
    if not size:
        return None
    try:
        own = _own_config(data[at + _HEADER : at + _HEADER + min(size, _CONFIG_BYTES)])
    except BrokenError:
        if len(data) >= at + _HEADER + min(size, _CONFIG_BYTES):
            return None
        own = None  # the data end before its end
    config = known and (own or known)
    if config is None:
        return AudioFrame(_CODEC, _HEADER + size, 0, 1, 0)
    return AudioFrame(_CODEC, _HEADER + size, config.samples, config.sample_rate, config.channels)


def _own_config(element: bytes) -> LatmConfig | None:
    """Reads the StreamMuxConfig of an AudioMuxElement; None if it is the one of a frame before."""
    bits = Bits(element)
    if bits.flag():
        return None
    is_newer = bits.flag()
    if is_newer:
        if bits.flag():
            raise BrokenError("a config of a kind that is not specified")
        _value(bits)
    bits.take(1)
    parts = bits.take(6) + 1
    bits.take(4 + 3)
    if is_newer:
        size = _value(bits)
        bits = Bits((bits.take(size) << -size % 8).to_bytes(-(-size // 8), "big"))
    found = read_config(bits, is_last=is_newer)
    if found.kind not in AAC_KINDS or not found.sample_rate:
        raise BrokenError("an unknown kind of audio")
    return LatmConfig(found.sample_rate, found.channels, round(found.seconds * found.sample_rate) * parts)


def _value(bits: Bits) -> int:
    """Reads a number of one to four bytes (LatmGetValue)."""
    return bits.take(8 * (bits.take(2) + 1))


def frame_format(known: LatmConfig | None) -> FrameFormat:
    """Returns how frames are recognized whose config is known; without one they have no length, and a rate of 1 Hz."""
    return FrameFormat(partial(_read_frame, known=known), re.compile(rb"\x56(?=[\xe0-\xff])"))


LATM = frame_format(None)
"""Frames of a stream whose config is not known yet: they have sizes only."""


def begins(head: bytes) -> bool:
    """Tells whether some bytes begin with frames of LOAS."""
    frames = len(list(islice(follow(LATM, head), _SURE)))
    return frames == _SURE or (frames > 1 and find_config(head) is not None)


def find_config(data: bytes) -> LatmConfig | None:
    """Finds the first config in a stream; None if none is here."""
    at = 0 if LATM.parse(data, 0) else find(LATM, data)
    if at is None:
        return None
    for frame in islice(follow(LATM, data, at), _MAX_FRAMES):
        try:
            config = _own_config(data[at + _HEADER : at + frame.size])
        except BrokenError:
            return None
        if config:
            return config
        at += frame.size
    return None


def read_latm(context: ParseContext, start: int) -> None:
    """Reads a stream of LATM. Its density moves as that of ADTS does, so the tail is read too."""
    tail = TailTags(context, start)
    with context.stage("audio"):
        first, data = find_first(context, LATM, start)
        config = find_config(data)
        if config is None:
            context.result.codec = context.result.audio_codec = _CODEC
            raise BrokenError("no config")
        read_frames(context, frame_format(config), first, tail.stop, is_steady=False)
    tail.read()


_ADIF_BYTES = 1024
"""Bytes that a header has at most, but for a long comment."""


def read_adif(context: ParseContext, start: int) -> None:
    """Reads an ADIF file: a header, then frames that say no size."""
    tail = TailTags(context, start)
    with context.stage("audio"):
        _read_adif_header(context, start, tail)
    tail.read()


def _read_adif_header(context: ParseContext, start: int, tail: TailTags) -> None:
    exact(context.file, start, start + 16)
    bits, result = Bits(context.file.run(start, _ADIF_BYTES)), context.result
    bits.take(32)
    bits.take(72 if bits.flag() else 0)
    bits.take(2)
    varies, bitrate = bits.flag(), bits.take(23)
    programs = bits.take(4) + 1
    for number in range(programs):
        if not varies:
            bits.take(20)
        program = read_program(bits)
        if number == 0:
            result.set_audio("aac", program.sample_rate, program.channels)
        context.add("adif", "comment", "comment", Value(program.comment, LATIN1))
    result.bitrate, result.bitrate_mode = bitrate, "vbr" if varies else "cbr"
    if tail.stop is None:
        return
    # Of a variable rate the header has the highest.
    if bitrate and not varies:
        result.set_duration((tail.stop - start) * 8 / bitrate, estimated=True)
    else:
        context.note("length:unknown bit rate")
