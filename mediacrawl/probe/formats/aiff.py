"""AIFF and AIFF-C: format, length, and the texts before or behind the audio.

Sources: "Audio Interchange File Format" 1.3 (Apple, 1989) and "AIFF-C" draft 08/26/91.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from struct import Struct

from mediacrawl.probe.context import ParseContext, exact, unpack
from mediacrawl.probe.formats import riff
from mediacrawl.probe.formats.keys import aiff_key
from mediacrawl.probe.formats.riff import Chunk
from mediacrawl.probe.formats.riff_markers import Marks
from mediacrawl.probe.formats.windows_headers import pcm_codec
from mediacrawl.probe.text import LATIN1, Value, unpadded

_TEXTS = frozenset({b"NAME", b"AUTH", b"(c) ", b"ANNO"})
_COMMON_BYTES = 22
_SOUND_HEADER = 8
_MAX_RATE = 2**31
_CODECS = {
    "alaw": "pcm_alaw",
    "fl32": "pcm_f32be",
    "fl64": "pcm_f64be",
    "g722": "adpcm_g722",
    "gsm": "gsm",
    "ima4": "adpcm_ima_qt",
    "in24": "pcm_s24be",
    "in32": "pcm_s32be",
    "mac3": "mace3",
    "mac6": "mace6",
    "qclp": "qcelp",
    "qdm2": "qdm2",
    "raw": "pcm_u8",
    "ulaw": "pcm_mulaw",
}
_SAMPLE_BITS = {"alaw": 8, "fl32": 32, "fl64": 64, "in24": 24, "in32": 32, "raw": 8, "ulaw": 8}
"""Bits of one sample in the file; ``COMM`` has those of what it was made of."""
_FRAME_SAMPLES = {"adpcm_ima_qt": 64, "gsm": 160, "mace3": 6, "mace6": 6, "qcelp": 160}
"""Samples of one frame, as writers count frames: the packets of a codec."""


@dataclass(slots=True)
class _Sound:
    """What the chunks say: the contents of ``COMM``, the bytes of audio in ``SSND``, and the named places."""

    codec: str | None = None
    channels: int = 0
    frames: int = 0
    bits: int = 0
    sample_rate: float = 0.0
    data: int | None = None
    marks: Marks = field(default_factory=Marks)

    @property
    def plain(self) -> bool:
        """Whether samples are in the file as they are."""
        return (self.codec or "").startswith("pcm_")


def read(context: ParseContext, start: int) -> None:
    """Reads an AIFF file."""
    sound = _Sound()
    with context.stage("chunks"):
        _read_chunks(context, start, sound)
    _take_facts(context, sound)
    with context.stage("chapters"):
        context.add_chapters("aiff", "MARK", sound.marks.chapters(sound.sample_rate))


def _read_chunks(context: ParseContext, start: int, sound: _Sound) -> None:
    stop = riff.end_of_file(context.file, start, "big")
    compressed = exact(context.file, start + 8, start + 12) == b"AIFC"
    for chunk in riff.walk(context, start + 12, stop, "big"):
        if chunk.name == b"COMM":
            with context.stage("format"):
                _read_common(context, chunk, sound, compressed)
        elif chunk.name == b"SSND" and sound.data is None:
            size, last = riff.media_size(context, chunk, stop, "big")
            sound.data = None if size is None else max(0, size - _SOUND_HEADER)
            if last:
                return
        elif chunk.name in {b"MARK", b"INST"} and context.fits(chunk.size):
            with context.stage("marks"):
                body = exact(context.file, chunk.body, chunk.stop)
                if chunk.name == b"MARK":
                    sound.marks.read_markers(body)
                else:
                    sound.marks.read_instrument(body)
        else:
            _read_text(context, chunk)


def _read_common(context: ParseContext, chunk: Chunk, sound: _Sound, compressed: bool) -> None:
    body = riff.first(context, chunk, min(chunk.size, _COMMON_BYTES))
    sound.channels, sound.frames, bits = unpack(">HIH", body[:8])
    # Reads an 80-bit number of IEEE 754: sign, 15 bits of exponent, 64 of mantissa. What is not finite is 0.
    data = body[8:18]
    exponent, mantissa = unpack(">HQ", data)
    power = (exponent & 0x7FFF) - 16383 - 63
    # A rate of more than 2^64 Hz is none, and would not fit into a float.
    rate = math.ldexp(mantissa, power) if exponent < 0x8000 and power <= 0 else 0.0
    sound.sample_rate = rate if 1 <= rate <= _MAX_RATE else 0.0
    kind = body[18:22].decode("latin-1").strip().lower() if compressed else "none"
    sound.bits = _SAMPLE_BITS.get(kind, bits)
    if kind in {"none", "twos"}:
        sound.codec = pcm_codec(sound.bits, "be")
    elif kind == "sowt":
        sound.codec = pcm_codec(sound.bits, "le")
    else:
        sound.codec = _CODECS.get(kind)


def _read_text(context: ParseContext, chunk: Chunk) -> None:
    if chunk.name in _TEXTS:
        name = chunk.name.decode("ascii")
        with context.stage("text"):
            riff.add_text(context, "aiff", chunk, aiff_key(name))
    elif chunk.name == b"COMT" and context.fits(chunk.size):
        with context.stage("comments"):
            # Reads comments, whose head is a time, a marker and the length (1.3, "Comments Chunk").
            add_comments(context, "aiff", riff.first(context, chunk, chunk.size), Struct(">6xH"))
    elif chunk.name in {b"ID3 ", b"id3 "}:
        riff.read_id3(context, chunk)


def add_comments(context: ParseContext, source: str, body: bytes, head: Struct) -> None:
    """Adds the comments of AIFF or DSDIFF: a number, then for each a head and a text, padded to an even length.

    Raises:
        BrokenError: the chunk ends inside a head.
    """
    at = 2
    for _ in range(min(int.from_bytes(body[:2], "big"), context.policy.max_values)):
        (length,) = unpack(head.format, body[at : at + head.size])
        begin = at + head.size
        context.add(source, "COMT", aiff_key("COMT"), Value(unpadded(body[begin : begin + length]), LATIN1))
        at = begin + length + length % 2


def _take_facts(context: ParseContext, sound: _Sound) -> None:
    result, rate = context.result, round(sound.sample_rate)
    result.set_audio(sound.codec, rate, sound.channels, sound.bits if sound.plain else None)
    if not sound.sample_rate:
        return
    size = sound.channels * -(-sound.bits // 8)
    frames = sound.frames * _FRAME_SAMPLES.get(sound.codec or "", 1)
    if sound.data is not None and sound.plain and size:
        present = sound.data // size
        # A recorder that was cut off left 0; a file that was cut off has fewer than it says.
        frames = min(frames or present, present)
        result.bitrate, result.bitrate_mode = round(sound.sample_rate * size * 8), "cbr"
    result.set_duration(frames / sound.sample_rate)
    if not result.bitrate:
        result.set_average_bitrate(sound.data)
